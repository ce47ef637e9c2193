/* narrowing.h - one step of a search by brackets (brackets.c): a read of the keys that are left.
 *
 * A read divides the orders into spans and counts the keys of each. Spans of one order are only
 * counted. The keys of a span that may hold a position are kept, as key bits in the width of a key.
 * There are two kinds of reads: bands (bands.c) keep keys while they read, labels (labels.c) write
 * down the cell of each key, and pick the keys when the cells of all positions are known. A device
 * writes no labels, and reads the keys again. */
#ifndef ORDO_DIST_SEARCH_NARROWING_H
#define ORDO_DIST_SEARCH_NARROWING_H

#include "dist/search/sample.h"

enum {
    NARROWING_SAMPLE = ORDO_TUNE(1 << 16, 64), /* keys that are drawn at most for */
    NARROWING_FEW = ORDO_TUNE(1000, 20)        /* so many positions */
};

typedef struct span {
    uint64_t lo, hi;    /* orders, both inside */
    bool     keeps;     /* the next read keeps its keys */
    uint64_t here, all; /* keys of this process, of all processes */
} span;

typedef struct narrowing {
    dist_call    *call;
    dist_part     part;    /* keys that are left: at first all, then those that were kept */
    cut          *cuts;    /* of the caller */
    cut          *open;    /* not found yet, with positions among the keys that are left */
    size_t       *of;      /* the cut of the caller for each of them */
    size_t       *span_of; /* the span that has each of them, of the last read */
    uint64_t     *skipped; /* keys before each of them that are not left */
    size_t        count;
    span         *spans; /* odd: bands, or cells of one order; even: what is between them */
    size_t        span_count;
    uint16_t     *labels; /* the span of each key, after labels_read */
    char         *kept;   /* words of the width of a key; on a device orders */
    size_t        capacity;
    atomic_size_t kept_count; /* more than the capacity: the rest is missing */
} narrowing;

/* The largest order of the keys that are left. */
static inline uint64_t last_order(const narrowing *s)
{
    return UINT64_MAX >> (64 - 8 * ordo_type_size(s->part.order.type));
}

/* Room for `capacity` kept keys, after giving back the room that the search has for them. */
ordo_status narrowing_room(narrowing *s, size_t capacity);
/* Appends kept words; several threads do so at once. */
void narrowing_append(narrowing *s, const void *words, size_t count);
/* Room for all keys of the spans that are kept, and none of them kept yet. */
ordo_status narrowing_restart(narrowing *s);
/* The read of keys on a device, for both kinds: counts the spans, and keeps the keys of those that
 * are kept. Not collective. */
ordo_status narrowing_on_device(narrowing *s);

/* ---- Bands: a few brackets ---- */

/* Whether the brackets of the open positions in a sample of `size` keys are few and hold at most
 * half of it. */
bool bands_fit(const dist_part *part, size_t size, const cut *open, size_t count);
/* Makes spans of the brackets, counts them, and keeps the keys of the brackets. Reads again if this
 * rank has more keys there than its part of the sample promised. Not collective. */
ordo_status bands_read(narrowing *s, const dist_sample *sample);
/* Reads the keys of the spans that are kept, with room for all of them. Not collective. */
ordo_status bands_keep(narrowing *s);

/* ---- Labels: more positions ---- */

/* Keys of the sample, if `plain` are enough for a few positions. */
size_t labels_sample(const narrowing *s, size_t plain);
/* Makes spans of cells (cells.h), and labels and counts the keys. Keeps none. Not collective. */
ordo_status labels_read(narrowing *s, const dist_sample *sample);
/* Keeps the keys of the spans that are kept, by their labels. Not collective. */
ordo_status labels_keep(narrowing *s);

#endif

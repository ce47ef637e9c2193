/* sample.h - random keys of all processes, and the parts of a sample that probably hold a position.
 *
 * Of S keys drawn at random from N, about S p/N come before the key at position p, with a standard
 * deviation of sqrt(S p/N (1 - p/N)). The keys of the sample a few deviations to either side of
 * that place bracket the key (R. W. Floyd and R. L. Rivest, "Expected time bounds for selection",
 * CACM 18, 1975). */
#ifndef ORDO_DIST_SEARCH_SAMPLE_H
#define ORDO_DIST_SEARCH_SAMPLE_H

#include "dist/search/cuts.h"

typedef struct dist_part { /* the keys of a search, of which this process has n */
    ordo_order_of   order;
    const void     *keys;
    size_t          n;
    const uint64_t *counts; /* of each process */
    uint64_t        total;
} dist_part;

typedef struct dist_sample { /* orders */
    uint64_t *mine, *all;    /* of this process, and of all processes in their sequence */
    size_t    mine_count, count;
} dist_sample;

/* Draws about `wanted` keys, from each process in proportion to its keys. Collective. */
ordo_status sample_draw(dist_call *c, const dist_part *part, size_t wanted, dist_sample *out);
/* Takes every key, of parts in host memory. Collective. */
ordo_status sample_all(dist_call *c, const dist_part *part, dist_sample *out);

/* The places [*low, *high] of a sorted sample of `size` keys around the positions from *next on
 * whose brackets overlap. *next becomes the first position behind them. */
void sample_bracket(uint64_t total, size_t size, const cut *cuts, size_t count, size_t *next,
                    size_t *low, size_t *high);

/* brackets.c: sets order, less and here of every cut, in one read of the keys. Collective. */
ordo_status brackets_find(dist_call *c, const dist_part *part, cut *cuts, size_t count);

#endif

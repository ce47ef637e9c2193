/* bands.c - reads a few brackets (see narrowing.h).
 *
 * The bands of a read and the gaps between them are spans. Spans of one order are only counted, the
 * other bands are kept. Bands are read block by block from the cache, by the loop that selections
 * in one process use (ordo_band_job). */
#define _POSIX_C_SOURCE 200809L
#include "dist/search/narrowing.h"

#include "backend/tuning.h"

#include <math.h>
#include <string.h>

enum {
    BLOCK = ORDO_TUNE(2048, 48), /* keys that stay in the cache for all bands */
    PIECE = ORDO_TUNE(1 << 18, 200),
    MOST_BRACKETS = 8,
    MOST_SPANS = 6 * MOST_BRACKETS + 1, /* of a bracket: two frequent keys and those between */
    MOST_SHARE = ORDO_TUNE(2, 1),       /* 1 / MOST_SHARE of the sample may be in brackets */
    LEAST_FREQUENT = 8                  /* times in the sample */
};

typedef struct reading {
    narrowing    *s;
    atomic_size_t below[MOST_SPANS], inside[MOST_SPANS];
} reading;

/* ---- Bands ---- */

bool bands_fit(const dist_part *part, size_t size, const cut *open, size_t count)
{
    size_t low, high, brackets = 0, inside = 0;
    for (size_t next = 0; next < count && brackets <= MOST_BRACKETS; brackets++) {
        sample_bracket(part->total, size, open, count, &next, &low, &high);
        inside += high - low + 1;
    }
    return brackets <= MOST_BRACKETS && inside <= size / MOST_SHARE;
}

/* Adds a band behind the others, and the gap before it. */
static void add_band(narrowing *s, uint64_t lo, uint64_t hi)
{
    span const band = {.lo = lo, .hi = hi, .keeps = lo != hi};
    if (lo > hi)
        return;
    uint64_t const from = s->span_count == 0 ? 0 : s->spans[s->span_count - 1].hi + 1;
    s->spans[s->span_count++] = (span){.lo = from, .hi = lo - 1};
    s->spans[s->span_count++] = band;
}

static bool is_frequent(const dist_sample *sample, uint64_t order, size_t width)
{
    size_t times = 0;
    for (size_t i = 0; i < sample->count; i++)
        times += sample->all[i] == order;
    return times >= LEAST_FREQUENT && times >= width / 8;
}

/* The bands of one bracket, `width` keys of the sample. The band before it may end at its first
 * order. */
static void add_bracket(narrowing *s, const dist_sample *sample, uint64_t lo, uint64_t hi,
                        size_t width)
{
    if (s->span_count > 0 && s->spans[s->span_count - 1].hi == last_order(s))
        return;
    if (s->span_count > 0 && lo <= s->spans[s->span_count - 1].hi)
        lo = s->spans[s->span_count - 1].hi + 1;
    bool const first = lo < hi && is_frequent(sample, lo, width);
    bool const last = lo < hi && is_frequent(sample, hi, width);
    if (first)
        add_band(s, lo, lo);
    add_band(s, lo + first, hi - last);
    if (last)
        add_band(s, hi, hi);
}

static ordo_status make_bands(narrowing *s, const dist_sample *sample)
{
    dist_call *const c = s->call;
    size_t           places[2 * MOST_BRACKETS], brackets = 0;
    uint64_t         orders[2 * MOST_BRACKETS];
    for (size_t next = 0; next < s->count && brackets < MOST_BRACKETS; brackets++)
        sample_bracket(s->part.total, sample->count, s->open, s->count, &next,
                       &places[2 * brackets], &places[2 * brackets + 1]);
    TRY(dist_inner(c, ordo_select(c->inner, ORDO_U64, sample->all, sample->count, places,
                                  2 * brackets, orders, NULL)));
    s->span_count = 0;
    for (size_t b = 0; b < brackets; b++) {
        size_t const   low = places[2 * b], high = places[2 * b + 1];
        uint64_t const lo = low == 0 ? 0 : orders[2 * b];
        bool const     ends = high == sample->count - 1;
        add_bracket(s, sample, lo, ends ? last_order(s) : orders[2 * b + 1], high - low + 1);
    }
    uint64_t const from = s->spans[s->span_count - 1].hi + 1; /* 0: there is no gap */
    s->spans[s->span_count++] = (span){.lo = from, .hi = last_order(s)};
    return ORDO_OK;
}

/* ---- A read ---- */

/* Room for as many keys as this process's part of the sample promises, and four deviations more. */
static size_t promised(const narrowing *s, const dist_sample *sample)
{
    size_t inside = 0;
    for (size_t i = 1; i < s->span_count; i += 2)
        for (size_t j = 0; j < sample->mine_count && s->spans[i].keeps; j++)
            inside += sample->mine[j] - s->spans[i].lo <= s->spans[i].hi - s->spans[i].lo;
    double const most = (double)inside + 4 * sqrt((double)inside) + LEAST_FREQUENT;
    double const keys = (double)s->part.n * most / (double)(sample->mine_count + 1);
    return keys < (double)s->part.n ? (size_t)keys + 1 : s->part.n;
}

/* Counts a block of keys, and keeps those of bands that are kept; `words` has room for a block. */
static void read_block(narrowing *s, size_t from, size_t n, size_t *below, size_t *inside,
                       uint64_t *words)
{
    const ordo_plan *const plan = &s->call->ctx->plan;
    size_t const           size = ordo_type_size(s->part.order.type);
    for (size_t i = 0; i < s->span_count; i++) {
        const span *const at = &s->spans[i];
        if (i % 2 == 0 && !at->keeps)
            continue;
        ordo_band_job const job = {.type = s->part.order.type,
                                   .descending = s->part.order.descending,
                                   .keys = (const char *)s->part.keys + from * size,
                                   .n = n,
                                   .lo = at->lo,
                                   .hi = at->hi,
                                   .below = &below[i],
                                   .kept = at->keeps ? words : NULL};
        size_t const        found = plan->cpu->band(plan->cpu_state, &job);
        inside[i] += found;
        if (at->keeps && found > 0)
            narrowing_append(s, words, found);
    }
}

static void read_body(void *arg, size_t lo, size_t hi)
{
    reading *const   r = arg;
    narrowing *const s = r->s;
    size_t           below[MOST_SPANS] = {0}, inside[MOST_SPANS] = {0};
    uint64_t         words[BLOCK] = {0};
    for (size_t at = lo; at < hi; at += BLOCK)
        read_block(s, at, ordo_min(BLOCK, hi - at), below, inside, words);
    for (size_t i = 0; i < s->span_count; i++) {
        atomic_fetch_add(&r->below[i], below[i]);
        atomic_fetch_add(&r->inside[i], inside[i]);
    }
}

static ordo_status read_keys(reading *r)
{
    if (dist_on_device(r->s->call))
        return narrowing_on_device(r->s);
    for (size_t i = 0; i < r->s->span_count; i++) {
        atomic_init(&r->below[i], 0);
        atomic_init(&r->inside[i], 0);
    }
    return dist_loop(r->s->call, r->s->part.n, PIECE, read_body, r);
}

/* The keys of this process in each span, from those below and in the bands. */
static void count_spans(reading *r)
{
    narrowing *const s = r->s;
    uint64_t         before = 0;
    for (size_t i = 1; i < s->span_count; i += 2) {
        uint64_t const below = atomic_load(&r->below[i]);
        s->spans[i - 1].here = below - before;
        s->spans[i].here = atomic_load(&r->inside[i]);
        before = below + s->spans[i].here;
    }
    s->spans[s->span_count - 1].here = s->part.n - before;
}

ordo_status bands_keep(narrowing *s)
{
    TRY(narrowing_restart(s));
    reading r = {.s = s};
    return read_keys(&r);
}

ordo_status bands_read(narrowing *s, const dist_sample *sample)
{
    reading r = {.s = s};
    TRY_SCRATCH(s->call->exec, MOST_SPANS * sizeof *s->spans, s->spans);
    TRY(make_bands(s, sample));
    TRY(narrowing_room(s, promised(s, sample)));
    TRY(read_keys(&r));
    if (!dist_on_device(s->call))
        count_spans(&r);
    return atomic_load(&s->kept_count) <= s->capacity ? ORDO_OK : bands_keep(s);
}

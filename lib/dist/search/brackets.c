/* brackets.c - one read for a few positions (see brackets.h).
 *
 * The bands of a read and the gaps between them are spans. Spans of one order are only counted, the
 * other bands are kept. Bands are read block by block from the cache, by the loop that selections
 * in one process use (ordo_band_job). */
#define _POSIX_C_SOURCE 200809L
#include "dist/search/brackets.h"

#include "backend/tuning.h"

#include <math.h>
#include <string.h>

enum {
    BLOCK = ORDO_TUNE(2048, 48), /* keys that stay in the cache for all bands */
    PIECE = ORDO_TUNE(1 << 18, 200),
    SAMPLE = ORDO_TUNE(1 << 16, 64),   /* at most so many keys are drawn */
    GATHERED = ORDO_TUNE(1 << 16, 40), /* the last so many keys go to every rank */
    MOST_BRACKETS = 8,
    MOST_SPANS = 6 * MOST_BRACKETS + 1, /* of a bracket: two frequent keys and those between */
    LEAST_FREQUENT = 8,                 /* times in the sample */
    /* Positions for each of which the gathered keys are read; for more they are sorted. V1, 60,000
     * keys, 2 ranks: 2.5 ms for 16 positions, 3.7 ms for 32, 2.3 ms for 65 with a sort. */
    FEW_POSITIONS = ORDO_TUNE(16, 3)
};

typedef struct span {
    uint64_t lo, hi;      /* orders, both inside */
    bool     reads;       /* the next pass counts the keys */
    bool     keeps;       /* and keeps them */
    uint64_t first, last; /* the same as lo and hi, in key bits */
    uint64_t here, all;   /* keys of this rank, of all ranks */
} span;

typedef struct search {
    dist_call    *call;
    dist_part     part;    /* keys that are left: at first all, then those that were kept */
    cut          *cuts;    /* of the caller */
    cut          *open;    /* not found yet, with positions among the keys that are left */
    size_t       *of;      /* the cut of the caller for each of them */
    uint64_t     *skipped; /* keys before each of them that are not left */
    size_t        count;
    span          spans[MOST_SPANS]; /* odd: bands; even: gaps between them */
    size_t        span_count;
    atomic_size_t below[MOST_SPANS], inside[MOST_SPANS];
    char         *kept; /* words of the width of a key */
    size_t        capacity;
    atomic_size_t kept_count; /* more than the capacity: the rest is missing */
} search;

static uint64_t last_order(const search *s)
{
    return UINT64_MAX >> (64 - 8 * ordo_type_size(s->part.order.type));
}

static bool is_single(const span *at) { return at->lo == at->hi; }

/* ---- Bands ---- */

static size_t sample_size(uint64_t total)
{
    double const wanted = pow((double)total, 2.0 / 3);
    return wanted < SAMPLE ? (size_t)wanted + 1 : SAMPLE;
}

bool brackets_fit(const dist_part *part, const cut *cuts, size_t count)
{
    size_t const size = sample_size(part->total);
    size_t       low, high, brackets = 0;
    for (size_t next = 0; next < count && brackets <= MOST_BRACKETS; brackets++)
        sample_bracket(part->total, size, cuts, count, &next, &low, &high);
    return brackets <= MOST_BRACKETS;
}

/* Adds a band behind the others, and the gap before it. */
static void add_band(search *s, uint64_t lo, uint64_t hi)
{
    span band = {.lo = lo, .hi = hi, .reads = true, .keeps = lo != hi};
    if (lo > hi || !cells_bits(&s->part.order, lo, hi, &band.first, &band.last))
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
static void add_bracket(search *s, const dist_sample *sample, uint64_t lo, uint64_t hi,
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

static ordo_status make_bands(search *s, const dist_sample *sample)
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

/* Room for as many keys as this rank's part of the sample promises, and four deviations more. */
static size_t promised(const search *s, const dist_sample *sample)
{
    size_t inside = 0;
    for (size_t i = 1; i < s->span_count; i += 2)
        for (size_t j = 0; j < sample->mine_count && s->spans[i].keeps; j++)
            inside += sample->mine[j] - s->spans[i].lo <= s->spans[i].hi - s->spans[i].lo;
    double const most = (double)inside + 4 * sqrt((double)inside) + LEAST_FREQUENT;
    double const keys = (double)s->part.n * most / (double)(sample->mine_count + 1);
    return keys < (double)s->part.n ? (size_t)keys + 1 : s->part.n;
}

static ordo_status take_kept(search *s, size_t capacity)
{
    size_t const size = ordo_type_size(s->part.order.type);
    s->capacity = capacity;
    TRY_SCRATCH(s->call->exec, (capacity + 1) * size, s->kept);
    return ORDO_OK;
}

/* Counts a block of keys, and keeps those of bands that are kept; `words` has room for a block. */
static void read_block(search *s, size_t from, size_t n, size_t *below, size_t *inside,
                       uint64_t *words)
{
    const ordo_plan *const plan = &s->call->ctx->plan;
    size_t const           size = ordo_type_size(s->part.order.type);
    for (size_t i = 0; i < s->span_count; i++) {
        const span *const at = &s->spans[i];
        if (!at->reads)
            continue;
        ordo_band_job const job = {.type = s->part.order.type,
                                   .descending = s->part.order.descending,
                                   .keys = (const char *)s->part.keys + from * size,
                                   .n = n,
                                   .lo = at->first,
                                   .hi = at->last,
                                   .below = &below[i],
                                   .kept = at->keeps ? words : NULL};
        size_t const        found = plan->cpu->band(plan->cpu_state, &job);
        inside[i] += found;
        if (!at->keeps || found == 0)
            continue;
        size_t const to = atomic_fetch_add(&s->kept_count, found);
        if (to <= s->capacity && found <= s->capacity - to)
            memcpy(s->kept + to * size, words, found * size);
    }
}

static void read_body(void *arg, size_t lo, size_t hi)
{
    search *const s = arg;
    size_t        below[MOST_SPANS] = {0}, inside[MOST_SPANS] = {0};
    uint64_t      words[BLOCK] = {0};
    for (size_t at = lo; at < hi; at += BLOCK)
        read_block(s, at, ordo_min(BLOCK, hi - at), below, inside, words);
    for (size_t i = 0; i < s->span_count; i++) {
        atomic_fetch_add(&s->below[i], below[i]);
        atomic_fetch_add(&s->inside[i], inside[i]);
    }
}

static ordo_status read_keys(search *s)
{
    ordo_exec *const exec = s->call->exec;
    for (size_t i = 0; i < s->span_count; i++) {
        atomic_store(&s->below[i], 0);
        atomic_store(&s->inside[i], 0);
    }
    atomic_store(&s->kept_count, 0);
    if (!ordo_loop(exec, s->part.n, PIECE, read_body, s))
        return ordo_fail(exec, ORDO_E_CANCELLED, "the call was cancelled");
    return ORDO_OK;
}

/* The keys of this rank in each span, from those below and in the bands. */
static void count_spans(search *s)
{
    uint64_t before = 0;
    for (size_t i = 1; i < s->span_count; i += 2) {
        uint64_t const below = atomic_load(&s->below[i]);
        s->spans[i - 1].here = below - before;
        s->spans[i].here = atomic_load(&s->inside[i]);
        before = below + s->spans[i].here;
    }
    s->spans[s->span_count - 1].here = s->part.n - before;
}

/* Reads the keys of the spans that are kept again, with room for all of them. */
static ordo_status read_kept(search *s)
{
    size_t room = 0;
    for (size_t i = 0; i < s->span_count; i++) {
        span *const at = &s->spans[i];
        at->reads = at->keeps && cells_bits(&s->part.order, at->lo, at->hi, &at->first, &at->last);
        room += at->keeps ? (size_t)at->here : 0;
    }
    TRY(take_kept(s, room));
    return read_keys(s);
}

static ordo_status first_read(search *s, const dist_sample *sample)
{
    TRY(make_bands(s, sample));
    TRY(take_kept(s, promised(s, sample)));
    TRY(read_keys(s));
    count_spans(s);
    return atomic_load(&s->kept_count) <= s->capacity ? ORDO_OK : read_kept(s);
}

/* ---- Positions ---- */

/* The span of a position; *below gets the keys before the span, *kept those of them that are
 * kept. */
static size_t span_of(const search *s, uint64_t position, uint64_t *below, uint64_t *kept)
{
    size_t i = 0;
    *below = *kept = 0;
    while (*below + s->spans[i].all <= position) {
        *below += s->spans[i].all;
        *kept += s->spans[i].keeps ? s->spans[i].all : 0;
        i++;
    }
    return i;
}

/* Keeps the spans of all positions if one of them is in a gap. False if there is none. */
static bool missed(search *s)
{
    bool     needed[MOST_SPANS] = {false}, missing = false;
    uint64_t below, kept;
    for (size_t j = 0; j < s->count; j++) {
        size_t const      i = span_of(s, s->open[j].position, &below, &kept);
        const span *const at = &s->spans[i];
        needed[i] = !is_single(at);
        missing = missing || (needed[i] && !at->keeps);
    }
    for (size_t i = 0; i < s->span_count && missing; i++)
        s->spans[i].keeps = needed[i];
    return missing;
}

/* Sets the cuts whose span is one order. The others stay open. */
static void place(search *s)
{
    size_t left = 0;
    for (size_t j = 0; j < s->count; j++) {
        uint64_t          below, kept;
        uint64_t const    position = s->open[j].position;
        const span *const at = &s->spans[span_of(s, position, &below, &kept)];
        cut *const        found = &s->cuts[s->of[j]];
        if (is_single(at)) {
            found->order = at->lo;
            found->less = s->skipped[j] + below;
            found->here = at->here;
            continue;
        }
        s->open[left] = (cut){.position = position - below + kept};
        s->skipped[left] = s->skipped[j] + below - kept;
        s->of[left++] = s->of[j];
    }
    s->count = left;
}

static ordo_type word_type(size_t size)
{
    return size == 1 ? ORDO_U8 : size == 2 ? ORDO_U16 : size == 4 ? ORDO_U32 : ORDO_U64;
}

/* The kept keys become the keys that are left. */
static ordo_status next_part(search *s, uint64_t *counts)
{
    dist_call *const c = s->call;
    uint64_t         n = atomic_load(&s->kept_count), total = 0;
    c->report.kept += n;
    cells_fold(&s->part.order, s->kept, (size_t)n);
    TRY(dist_allgather(c, &n, sizeof n, counts));
    for (int32_t r = 0; r < c->comm.size; r++)
        total += counts[r];
    s->part = (dist_part){.order = {word_type(ordo_type_size(s->part.order.type)), false, false},
                          .keys = s->kept,
                          .n = (size_t)n,
                          .counts = counts,
                          .total = total};
    return ORDO_OK;
}

static ordo_status narrow(search *s)
{
    dist_call *const c = s->call;
    dist_sample      sample;
    uint64_t         sums[MOST_SPANS];
    void            *counts;
    TRY(sample_draw(c, &s->part, sample_size(s->part.total), &sample));
    ordo_status status = ordo_scratch(c->exec, (size_t)c->comm.size * sizeof(uint64_t), &counts);
    TRY(dist_agree(c, status == ORDO_OK ? first_read(s, &sample) : status));
    for (size_t i = 0; i < s->span_count; i++)
        sums[i] = s->spans[i].here;
    TRY(dist_sum(c, sums, s->span_count));
    for (size_t i = 0; i < s->span_count; i++)
        s->spans[i].all = sums[i];
    if (missed(s)) /* the same on every rank */
        TRY(dist_agree(c, read_kept(s)));
    place(s);
    c->report.rounds++;
    return s->count == 0 ? ORDO_OK : next_part(s, counts);
}

/* ---- The rest ---- */

static void place_gathered(search *s, const dist_sample *rest, const uint64_t *orders)
{
    for (size_t j = 0; j < s->count; j++) {
        uint64_t less = 0, here = 0;
        for (size_t i = 0; i < rest->count; i++)
            less += rest->all[i] < orders[j];
        for (size_t i = 0; i < rest->mine_count; i++)
            here += rest->mine[i] == orders[j];
        cut *const found = &s->cuts[s->of[j]];
        found->order = orders[j];
        found->less = s->skipped[j] + less;
        found->here = here;
    }
}

static ordo_status select_rest(search *s, const dist_sample *rest)
{
    dist_call *const c = s->call;
    size_t          *places;
    uint64_t        *orders;
    TRY_SCRATCH(c->exec, s->count * sizeof *places, places);
    TRY_SCRATCH(c->exec, s->count * sizeof *orders, orders);
    for (size_t j = 0; j < s->count; j++)
        places[j] = (size_t)s->open[j].position;
    TRY(dist_inner(c, ordo_select(c->inner, ORDO_U64, rest->all, rest->count, places, s->count,
                                  orders, NULL)));
    place_gathered(s, rest, orders);
    return ORDO_OK;
}

/* The same for many positions. */
static ordo_status sort_gathered(search *s, const dist_sample *rest)
{
    dist_call *const  c = s->call;
    cells_order const order = {ORDO_U64, false, false};
    TRY(dist_inner(c, ordo_sort(c->inner, ORDO_U64, rest->all, rest->count, NULL)));
    TRY(dist_inner(c, ordo_sort(c->inner, ORDO_U64, rest->mine, rest->mine_count, NULL)));
    for (size_t j = 0; j < s->count; j++) {
        uint64_t const wanted = rest->all[s->open[j].position];
        size_t const   less = cells_place(&order, rest->all, 0, rest->count, wanted, false);
        size_t const   low = cells_place(&order, rest->mine, 0, rest->mine_count, wanted, false);
        size_t const   high = cells_place(&order, rest->mine, low, rest->mine_count, wanted, true);
        cut *const     found = &s->cuts[s->of[j]];
        found->order = wanted;
        found->less = s->skipped[j] + less;
        found->here = high - low;
    }
    return ORDO_OK;
}

/* Every rank gets all keys that are left. */
static ordo_status gather_rest(search *s)
{
    dist_sample rest;
    TRY(sample_all(s->call, &s->part, &rest));
    return dist_agree(s->call,
                      s->count <= FEW_POSITIONS ? select_rest(s, &rest) : sort_gathered(s, &rest));
}

/* The brackets hold too many of the keys that are left, which are words that this search kept. */
static ordo_status sort_rest(search *s)
{
    dist_call *const c = s->call;
    cut_keys const   keys = {s->part.order, s->kept, s->part.n, false};
    TRY(dist_agree(
        c, dist_inner(c, ordo_sort(c->inner, s->part.order.type, s->kept, s->part.n, NULL))));
    TRY(cuts_of_keys(c, &keys, s->part.total, s->open, s->count));
    for (size_t j = 0; j < s->count; j++) {
        cut *const found = &s->cuts[s->of[j]];
        found->order = s->open[j].order;
        found->less = s->skipped[j] + s->open[j].less;
        found->here = s->open[j].here;
    }
    return ORDO_OK;
}

static ordo_status take_memory(search *s)
{
    ordo_exec *const exec = s->call->exec;
    TRY_SCRATCH(exec, s->count * sizeof *s->open, s->open);
    TRY_SCRATCH(exec, s->count * sizeof *s->of, s->of);
    TRY_SCRATCH(exec, s->count * sizeof *s->skipped, s->skipped);
    return ORDO_OK;
}

ordo_status brackets_find(dist_call *c, const dist_part *part, cut *cuts, size_t count)
{
    search s = {.call = c, .part = *part, .cuts = cuts, .count = count};
    TRY(dist_agree(c, take_memory(&s)));
    for (size_t j = 0; j < count; j++) {
        s.open[j] = cuts[j];
        s.of[j] = j;
        s.skipped[j] = 0;
    }
    for (uint64_t before = UINT64_MAX; s.count > 0 && s.part.total > GATHERED;) {
        if (s.part.total > before / 2)
            return sort_rest(&s);
        before = s.part.total;
        TRY(narrow(&s));
    }
    return s.count == 0 ? ORDO_OK : gather_rest(&s);
}

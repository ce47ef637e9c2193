/* brackets.c - finds the keys at given positions of the global order in one read of the keys.
 *
 * 1 Every process reads its keys once and keeps those near the positions (narrowing.h). A few
 *   positions have brackets, which a sample of all processes gives (sample.h). For more positions
 *   the sample gives cells, and the keys get labels of 2 bytes.
 * 2 The keys that all processes kept, about 1.6 % for one position, are searched in the same way,
 *   until every process can have all that are left. If a read does not halve them, and on a device,
 *   they are sorted, and rounds (cuts.h) find the positions.
 *
 * If a process has more keys in the brackets than its part of the sample promised, it reads them
 * again; so do all processes if a position is outside its bracket (once in 10,000 searches). */
#define _POSIX_C_SOURCE 200809L
#include "backend/tuning.h"
#include "dist/device/device.h"
#include "dist/search/narrowing.h"

#include <math.h>

enum {
    GATHERED = ORDO_TUNE(1 << 16, 40), /* the last so many keys go to every process */
    /* Positions for each of which the gathered keys are read; for more they are sorted. V1, 60,000
     * keys, 2 ranks: 2.5 ms for 16 positions, 3.7 ms for 32, 2.3 ms for 65 with a sort. */
    FEW_POSITIONS = ORDO_TUNE(16, 3)
};

static bool is_single(const span *at) { return at->lo == at->hi; }

static size_t sample_size(uint64_t total)
{
    double const wanted = pow((double)total, 2.0 / 3);
    return wanted < NARROWING_SAMPLE ? (size_t)wanted + 1 : NARROWING_SAMPLE;
}

/* ---- Positions ---- */

typedef struct walk { /* through the spans, at ascending positions */
    size_t   span;
    uint64_t below, kept; /* keys before the span, and those of them that are kept */
} walk;

/* Moves to the span of a position. */
static const span *walk_to(const narrowing *s, walk *w, uint64_t position)
{
    while (w->below + s->spans[w->span].all <= position) {
        const span *const at = &s->spans[w->span++];
        w->below += at->all;
        w->kept += at->keeps ? at->all : 0;
    }
    return &s->spans[w->span];
}

/* Keeps the spans of all positions if one of them is in a span that was not kept. False if there is
 * none. */
static bool missed(narrowing *s)
{
    bool missing = false;
    walk w = {0};
    for (size_t j = 0; j < s->count && !missing; j++) {
        const span *const at = walk_to(s, &w, s->open[j].position);
        missing = !is_single(at) && !at->keeps;
    }
    if (!missing)
        return false;
    for (size_t i = 0; i < s->span_count; i++)
        s->spans[i].keeps = false;
    w = (walk){0};
    for (size_t j = 0; j < s->count; j++) {
        walk_to(s, &w, s->open[j].position);
        s->spans[w.span].keeps = !is_single(&s->spans[w.span]);
    }
    return true;
}

/* Sets the cut of open position j. */
static void set_cut(const narrowing *s, size_t j, uint64_t order, uint64_t less, uint64_t here)
{
    cut *const found = &s->cuts[s->of[j]];
    found->order = order;
    found->less = s->skipped[j] + less;
    found->here = here;
}

/* Sets the cuts whose span is one order. The others stay open. */
static void place(narrowing *s)
{
    size_t left = 0;
    walk   w = {0};
    for (size_t j = 0; j < s->count; j++) {
        uint64_t const    position = s->open[j].position;
        const span *const at = walk_to(s, &w, position);
        if (is_single(at)) {
            set_cut(s, j, at->lo, w.below, at->here);
            continue;
        }
        s->open[left] = (cut){.position = position - w.below + w.kept, .less = w.kept};
        s->span_of[left] = w.span;
        s->skipped[left] = s->skipped[j] + w.below - w.kept;
        s->of[left++] = s->of[j];
    }
    s->count = left;
}

static ordo_type word_type(const narrowing *s)
{
    size_t const size =
        dist_on_device(s->call) ? sizeof(uint64_t) : ordo_type_size(s->part.order.type);
    return size == 1 ? ORDO_U8 : size == 2 ? ORDO_U16 : size == 4 ? ORDO_U32 : ORDO_U64;
}

/* The kept keys become the keys that are left. */
static ordo_status next_part(narrowing *s, uint64_t *counts)
{
    dist_call *const c = s->call;
    uint64_t         n = atomic_load(&s->kept_count), total = 0;
    c->report.kept += n;
    TRY(dist_allgather(c, &n, sizeof n, counts));
    for (int32_t r = 0; r < c->comm.size; r++)
        total += counts[r];
    s->part = (dist_part){.order = {word_type(s), false, false},
                          .keys = s->kept,
                          .n = (size_t)n,
                          .counts = counts,
                          .total = total};
    return ORDO_OK;
}

static ordo_status sum_spans(narrowing *s, uint64_t *sums)
{
    for (size_t i = 0; i < s->span_count; i++)
        sums[i] = s->spans[i].here;
    TRY(dist_sum(s->call, sums, s->span_count));
    for (size_t i = 0; i < s->span_count; i++)
        s->spans[i].all = sums[i];
    return ORDO_OK;
}

/* The read, and memory for the sums of spans and the counts of processes. */
static ordo_status read_part(narrowing *s, bool few, const dist_sample *sample, uint64_t **sums,
                             uint64_t **counts)
{
    ordo_exec *const exec = s->call->exec;
    TRY_SCRATCH(exec, (size_t)s->call->comm.size * sizeof **counts, *counts);
    TRY(few ? bands_read(s, sample) : labels_read(s, sample));
    TRY_SCRATCH(exec, s->span_count * sizeof **sums, *sums);
    return ORDO_OK;
}

static ordo_status narrow(narrowing *s)
{
    dist_call *const c = s->call;
    size_t const     plain = sample_size(s->part.total);
    bool const       few = bands_fit(&s->part, plain, s->open, s->count);
    size_t const     size = few ? plain : labels_sample(s, plain);
    dist_sample      sample;
    uint64_t        *sums = NULL, *counts = NULL;
    TRY(sample_draw(c, &s->part, size, &sample));
    TRY(dist_agree(c, read_part(s, few, &sample, &sums, &counts)));
    TRY(sum_spans(s, sums));
    if (missed(s)) /* the same on every process */
        TRY(dist_agree(c, few ? bands_keep(s) : labels_keep(s)));
    place(s);
    c->report.rounds++;
    return s->count == 0 ? ORDO_OK : next_part(s, counts);
}

/* ---- The rest ---- */

static void place_gathered(narrowing *s, const dist_sample *rest, const uint64_t *orders)
{
    for (size_t j = 0; j < s->count; j++) {
        uint64_t less = 0, here = 0;
        for (size_t i = 0; i < rest->count; i++)
            less += rest->all[i] < orders[j];
        for (size_t i = 0; i < rest->mine_count; i++)
            here += rest->mine[i] == orders[j];
        set_cut(s, j, orders[j], less, here);
    }
}

static ordo_status select_rest(narrowing *s, const dist_sample *rest)
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
static ordo_status sort_gathered(narrowing *s, const dist_sample *rest)
{
    dist_call *const    c = s->call;
    ordo_order_of const order = {ORDO_U64, false, false};
    TRY(dist_inner(c, ordo_sort(c->inner, ORDO_U64, rest->all, rest->count, NULL)));
    TRY(dist_inner(c, ordo_sort(c->inner, ORDO_U64, rest->mine, rest->mine_count, NULL)));
    for (size_t j = 0; j < s->count; j++) {
        uint64_t const wanted = rest->all[s->open[j].position];
        size_t const   less = cells_place(&order, rest->all, 0, rest->count, wanted, false);
        size_t const   low = cells_place(&order, rest->mine, 0, rest->mine_count, wanted, false);
        size_t const   high = cells_place(&order, rest->mine, low, rest->mine_count, wanted, true);
        set_cut(s, j, wanted, less, high - low);
    }
    return ORDO_OK;
}

/* Every process gets all keys that are left. */
static ordo_status gather_rest(narrowing *s)
{
    dist_sample rest;
    TRY(sample_all(s->call, &s->part, &rest));
    return dist_agree(s->call,
                      s->count <= FEW_POSITIONS ? select_rest(s, &rest) : sort_gathered(s, &rest));
}

/* Sorts the keys that are left, and finds the spans of the positions in them. */
static ordo_status open_intervals(narrowing *s, const cut_keys *keys, cut_interval **intervals)
{
    dist_call *const   c = s->call;
    ordo_place_target *ends;
    uint64_t          *places;
    TRY_SCRATCH(c->exec, s->count * sizeof **intervals, *intervals);
    TRY_SCRATCH(c->exec, 2 * s->count * sizeof *ends, ends);
    TRY_SCRATCH(c->exec, 2 * s->count * sizeof *places, places);
    for (size_t i = 0; i < 2 * s->count; i++) {
        const span *const at = &s->spans[s->span_of[i / 2]];
        ends[i] = (ordo_place_target){0, keys->n, i % 2 == 0 ? at->lo : at->hi, i % 2};
    }
    TRY(keys->on_device
            ? device_sort_orders(c, (void *)s->kept, keys->n)
            : dist_inner(c, ordo_sort(c->inner, keys->order.type, s->kept, keys->n, NULL)));
    TRY(device_places(c, &keys->order, keys->sorted, ends, 2 * s->count, places));
    for (size_t j = 0; j < s->count; j++)
        (*intervals)[j] = (cut_interval){.open = true,
                                         .from = (size_t)places[2 * j],
                                         .to = (size_t)places[2 * j + 1],
                                         .all = s->spans[s->span_of[j]].all};
    return ORDO_OK;
}

/* The spans hold too many of the keys that are left, which are words that this search kept, or they
 * are on a device. */
static ordo_status sort_rest(narrowing *s)
{
    dist_call *const c = s->call;
    cut_keys const   keys = {s->part.order, s->kept, s->part.n, dist_on_device(c)};
    cut_list const   list = cut_list_of(&keys, s->part.total);
    cut_interval    *intervals = NULL;
    TRY(dist_agree(c, open_intervals(s, &keys, &intervals)));
    TRY(cut_rounds(c, &list, s->open, intervals, s->count));
    for (size_t j = 0; j < s->count; j++)
        set_cut(s, j, s->open[j].order, s->open[j].less, s->open[j].here);
    return ORDO_OK;
}

static ordo_status take_memory(narrowing *s)
{
    ordo_exec *const exec = s->call->exec;
    TRY_SCRATCH(exec, s->count * sizeof *s->open, s->open);
    TRY_SCRATCH(exec, s->count * sizeof *s->of, s->of);
    TRY_SCRATCH(exec, s->count * sizeof *s->span_of, s->span_of);
    TRY_SCRATCH(exec, s->count * sizeof *s->skipped, s->skipped);
    return ORDO_OK;
}

ordo_status brackets_find(dist_call *c, const dist_part *part, cut *cuts, size_t count)
{
    narrowing  s = {.call = c, .part = *part, .cuts = cuts, .count = count};
    bool const there = dist_on_device(c); /* is read once */
    bool       has_read = false;
    uint64_t   before = 0;
    TRY(dist_agree(c, take_memory(&s)));
    for (size_t j = 0; j < count; j++) {
        s.open[j] = cuts[j];
        s.of[j] = j;
        s.skipped[j] = 0;
    }
    while (s.count > 0 && (there || s.part.total > GATHERED)) {
        if (has_read && s.part.total > before / 2)
            return sort_rest(&s);
        has_read = true;
        before = there ? 0 : s.part.total;
        TRY(narrow(&s));
    }
    return s.count == 0 ? ORDO_OK : gather_rest(&s);
}

ordo_status cuts_find(dist_call *c, cut *cuts, size_t count)
{
    double const    started = dist_clock();
    dist_part const part = {{c->type, c->descending, false}, c->keys, c->n, c->counts, c->total};
    void           *memory;
    TRY(brackets_find(c, &part, cuts, count));
    TRY(dist_agree(c, ordo_scratch(c->exec, count * sizeof(uint64_t), &memory)));
    TRY(cut_ties(c, cuts, count, memory));
    c->report.cut_seconds += dist_clock() - started;
    return ORDO_OK;
}

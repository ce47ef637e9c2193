/* cut_rounds.c - the rounds of a multi-select (see cut_rounds.h).
 *
 * In a round a rank offers about CUTS_OFFERS * (its keys in the interval) / (keys of all ranks in
 * it) random keys of each open interval. A fraction is rounded up or down at random, so that all
 * ranks together offer about CUTS_OFFERS keys whatever their number. Short intervals are offered as
 * a whole. A round takes an allgather of the offers and a sum of two counts for each of them. */
#define _POSIX_C_SOURCE 200809L
#include "dist/search/cut_rounds.h"

#include "core/random.h"
#include "dist/device/device.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_OFFERS = 2 * CUTS_OFFERS /* of one rank for one interval */
};

typedef struct rounds {
    dist_call      *call;
    const cut_keys *kept;
    cut            *cuts;
    cut_interval   *intervals;
    size_t          count, open;
    uint64_t        seed;

    uint64_t  *mine;     /* what this rank offers: for each open interval a number, then orders */
    uint64_t  *bytes_of; /* of the offers of each rank */
    uint64_t   room;     /* bytes at `all`, for this round and usually for the next ones */
    uint64_t  *all;      /* the offers of all ranks */
    uint64_t  *offers;   /* of all open intervals, each sorted, without ties */
    size_t    *ends;     /* of the offers of each open interval */
    cut_counts counts;
} rounds;

/* ---- Keys and strings ---- */

size_t cut_offers(const cut_window *at, size_t wanted, uint64_t *seed)
{
    size_t const here = at->to - at->from;
    if (at->all <= wanted)
        return here;
    double const share = (double)wanted * ((double)here / (double)at->all);
    double const chance = (double)(ordo_random_mix((*seed)++) >> 11) * 0x1p-53;
    return ordo_min((size_t)(share + chance), here);
}

ordo_status cut_sum(dist_call *c, const cut_counts *counts, size_t offers)
{
    memcpy(counts->sums, counts->here, 2 * offers * sizeof *counts->sums);
    c->report.rounds++;
    return dist_sum(c, counts->sums, 2 * offers);
}

size_t cut_narrow(cut_window *at, const cut_counts *counts, size_t from, size_t to,
                  uint64_t position, uint64_t *less)
{
    uint64_t const base = *less, end = base + at->all;
    size_t const   start = at->from;
    for (size_t i = from; i < to; i++) {
        uint64_t const below = base + counts->sums[2 * i], tied = counts->sums[2 * i + 1];
        size_t const   low = start + (size_t)counts->here[2 * i];
        size_t const   high = low + (size_t)counts->here[2 * i + 1];
        if (position < below) {
            at->to = low;
            at->all = below - *less;
            return to;
        }
        if (position < below + tied) {
            *at = (cut_window){low, high, tied};
            *less = below;
            return i;
        }
        at->from = high;
        *less = below + tied;
        at->all = end - *less;
    }
    return to;
}

ordo_status cut_ties(dist_call *c, const uint64_t *here, uint64_t *before, size_t step,
                     size_t count, uint64_t *room)
{
    for (size_t j = 0; j < count; j++)
        room[j] = here[j * step];
    TRY(dist_prefix(c, room, count));
    for (size_t j = 0; j < count; j++)
        before[j * step] = room[j];
    return ORDO_OK;
}

/* ---- Intervals ---- */

/* The first place in [from, to) with an order of at least (`above`: more than) `wanted`. */
static size_t find(const rounds *r, size_t from, size_t to, uint64_t wanted, bool above)
{
    return cells_place(&r->kept->order, r->kept->sorted, from, to, wanted, above);
}

/* The ends of the intervals in keys on a device, by one list of searches. */
static ordo_status find_ends(rounds *r)
{
    dist_call *const c = r->call;
    size_t const     n = r->kept->n;
    ordo_place_wish *wishes;
    uint64_t        *places;
    TRY_SCRATCH(c->exec, (2 * r->count + 1) * sizeof *wishes, wishes);
    TRY_SCRATCH(c->exec, (2 * r->count + 1) * sizeof *places, places);
    for (size_t j = 0; j < r->count; j++) {
        const cut_interval *const at = &r->intervals[j];
        bool const                low = at->open && !at->from_start, high = at->open && !at->to_end;
        wishes[2 * j] = (ordo_place_wish){0, low ? n : 0, at->low, 1};
        wishes[2 * j + 1] = (ordo_place_wish){high ? 0 : n, n, at->high, 0};
    }
    TRY(device_places(c, &r->kept->order, r->kept->sorted, wishes, 2 * r->count, places));
    for (size_t j = 0; j < r->count; j++) {
        r->intervals[j].window.from = (size_t)places[2 * j];
        r->intervals[j].window.to = (size_t)places[2 * j + 1];
        r->open += r->intervals[j].open;
    }
    return ORDO_OK;
}

static ordo_status open_intervals(rounds *r)
{
    if (r->kept->on_device)
        return find_ends(r);
    size_t const n = r->kept->n;
    for (size_t j = 0; j < r->count; j++) {
        cut_interval *const at = &r->intervals[j];
        if (!at->open)
            continue;
        at->window.from = at->from_start ? 0 : find(r, 0, n, at->low, true);
        at->window.to = at->to_end ? n : find(r, at->window.from, n, at->high, false);
        r->open++;
    }
    return ORDO_OK;
}

/* ---- Offers ---- */

/* Chooses this rank's offers and writes their places; returns their number of words. */
static size_t choose_offers(rounds *r)
{
    size_t words = 0;
    for (size_t j = 0; j < r->count; j++) {
        const cut_interval *const at = &r->intervals[j];
        if (!at->open)
            continue;
        size_t const here = at->window.to - at->window.from,
                     offers = ordo_min(cut_offers(&at->window, CUTS_OFFERS, &r->seed), MOST_OFFERS);
        r->mine[words++] = offers;
        for (size_t i = 0; i < offers; i++) {
            size_t const place =
                offers == here ? i : (size_t)ordo_random_below(ordo_random_mix(r->seed++), here);
            r->mine[words++] = at->window.from + place;
        }
    }
    return words;
}

/* Replaces the places of offers by the orders of their keys, in one list for keys on a device. */
static ordo_status read_offers(rounds *r, size_t words)
{
    const cut_keys *const kept = r->kept;
    dist_call *const      c = r->call;
    uint64_t             *list = NULL;
    size_t                count = 0;
    if (kept->on_device)
        TRY_SCRATCH(c->exec, (words + 1) * sizeof *list, list);
    for (size_t at = 0; at < words; at += 1 + (size_t)r->mine[at])
        for (size_t i = 1; i <= r->mine[at]; i++)
            if (kept->on_device)
                list[count++] = r->mine[at + i];
            else
                r->mine[at + i] =
                    cells_order_of(&kept->order, kept->sorted, (size_t)r->mine[at + i]);
    if (!kept->on_device)
        return ORDO_OK;
    TRY(device_orders(c, &kept->order, kept->sorted, list, count, list));
    count = 0;
    for (size_t at = 0; at < words; at += 1 + (size_t)r->mine[at])
        for (size_t i = 1; i <= r->mine[at]; i++)
            r->mine[at + i] = list[count++];
    return ORDO_OK;
}

/* The status of work on keys, which can fail only if they are on a device. */
static ordo_status agree_on(const rounds *r, ordo_status status)
{
    return r->kept->on_device ? dist_agree(r->call, status) : status;
}

/* Sends the offers; *words is the number of words of all ranks. */
static ordo_status share_offers(rounds *r, size_t *words)
{
    dist_call *const c = r->call;
    size_t const     size = (size_t)c->comm.size;
    size_t const     offered = choose_offers(r);
    uint64_t         bytes = offered * sizeof *r->mine, all_bytes = 0;
    TRY(agree_on(r, read_offers(r, offered)));
    TRY(dist_allgather(c, &bytes, sizeof bytes, r->bytes_of));
    for (size_t i = 0; i < size; i++)
        all_bytes += r->bytes_of[i];
    *words = (size_t)(all_bytes / sizeof *r->mine);
    if (r->all == NULL || 6 * all_bytes > r->room) { /* the same on every rank */
        void *memory;
        r->room = 7 * all_bytes + 64;
        TRY(dist_agree(c, ordo_scratch(c->exec, (size_t)r->room, &memory)));
        r->all = memory;
    }
    r->offers = r->all + *words;
    r->counts.here = r->offers + *words;
    r->counts.sums = r->counts.here + 2 * *words;
    return dist_allgather_parts(c, r->mine, r->bytes_of, r->all);
}

static int by_order(const void *a, const void *b)
{
    uint64_t const x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Sorts the offers of each interval and removes ties. */
static ordo_status arrange(rounds *r)
{
    dist_call *const c = r->call;
    size_t const     size = (size_t)c->comm.size;
    void            *memory;
    TRY(ordo_scratch(c->exec, size * sizeof(uint64_t *), &memory));
    const uint64_t **const next = memory;
    const uint64_t        *at = r->all;
    for (size_t i = 0; i < size; at += r->bytes_of[i++] / sizeof *at)
        next[i] = at;
    size_t end = 0;
    for (size_t j = 0; j < r->open; j++) {
        size_t const start = end;
        for (size_t i = 0; i < size; i++) {
            size_t const offers = (size_t)*next[i]++;
            memcpy(r->offers + end, next[i], offers * sizeof *r->offers);
            next[i] += offers;
            end += offers;
        }
        qsort(r->offers + start, end - start, sizeof *r->offers, by_order);
        size_t kept = start;
        for (size_t i = start; i < end; i++)
            if (i == start || r->offers[i] != r->offers[i - 1])
                r->offers[kept++] = r->offers[i];
        r->ends[j] = end = kept;
    }
    return ORDO_OK;
}

/* ---- Narrowing ---- */

/* The same for keys on a device: two searches for each offer, in one list. */
static ordo_status count_on_device(rounds *r, size_t offers)
{
    dist_call *const c = r->call;
    size_t           i = 0, open = 0;
    ordo_place_wish *wishes;
    TRY_SCRATCH(c->exec, (2 * offers + 1) * sizeof *wishes, wishes);
    for (size_t j = 0; j < r->count; j++) {
        const cut_interval *const at = &r->intervals[j];
        if (!at->open)
            continue;
        for (; i < r->ends[open]; i++)
            for (uint64_t above = 0; above < 2; above++)
                wishes[2 * i + above] =
                    (ordo_place_wish){at->window.from, at->window.to, r->offers[i], above};
        open++;
    }
    TRY(device_places(c, &r->kept->order, r->kept->sorted, wishes, 2 * offers, r->counts.here));
    for (i = 0; i < offers; i++) {
        r->counts.here[2 * i + 1] -= r->counts.here[2 * i];
        r->counts.here[2 * i] -= wishes[2 * i].from;
    }
    return ORDO_OK;
}

static void count_offers(rounds *r)
{
    size_t i = 0, open = 0;
    for (size_t j = 0; j < r->count; j++) {
        const cut_interval *const at = &r->intervals[j];
        if (!at->open)
            continue;
        for (size_t from = at->window.from; i < r->ends[open]; i++) {
            size_t const low = find(r, from, at->window.to, r->offers[i], false);
            from = find(r, low, at->window.to, r->offers[i], true);
            r->counts.here[2 * i] = low - at->window.from;
            r->counts.here[2 * i + 1] = from - low;
        }
        open++;
    }
}

/* Narrows one interval by its offers [from, to). */
static void narrow(rounds *r, size_t j, size_t from, size_t to)
{
    cut_interval *const at = &r->intervals[j];
    cut *const          wanted = &r->cuts[j];
    size_t const        found =
        cut_narrow(&at->window, &r->counts, from, to, wanted->position, &wanted->less);
    if (found == to)
        return;
    wanted->order = r->offers[found];
    wanted->here = at->window.to - at->window.from;
    at->open = false;
    r->open--;
}

static ordo_status one_round(rounds *r)
{
    dist_call *const c = r->call;
    size_t           words;
    TRY(share_offers(r, &words));
    TRY(dist_agree(c, arrange(r)));
    size_t const offers = r->open > 0 ? r->ends[r->open - 1] : 0;
    if (r->kept->on_device)
        TRY(dist_agree(c, count_on_device(r, offers)));
    else
        count_offers(r);
    TRY(cut_sum(c, &r->counts, offers));
    for (size_t j = 0, from = 0, at = 0; j < r->count; j++)
        if (r->intervals[j].open) {
            size_t const to = r->ends[at++];
            narrow(r, j, from, to);
            from = to;
        }
    return ORDO_OK;
}

ordo_status cut_rounds(dist_call *c, const cut_keys *kept, cut *cuts, cut_interval *intervals,
                       size_t count)
{
    rounds r = {.call = c, .kept = kept, .cuts = cuts, .intervals = intervals, .count = count};
    r.seed = ordo_random_sequence(c->exec->seed, (uint64_t)c->comm.rank + DIST_MOST_RANKS);
    TRY(agree_on(&r, open_intervals(&r)));
    size_t const words = r.open * (MOST_OFFERS + 1) + count + (size_t)c->comm.size;
    void        *memory;
    TRY(dist_agree(c, ordo_scratch(c->exec, (words + count + 1) * sizeof(uint64_t), &memory)));
    r.bytes_of = memory;
    r.ends = (size_t *)(r.bytes_of + c->comm.size);
    r.mine = (uint64_t *)(r.ends + count + 1);
    while (r.open > 0)
        TRY(one_round(&r));
    return cut_ties(c, &cuts->here, &cuts->before, sizeof *cuts / sizeof(uint64_t), count,
                    (uint64_t *)memory + c->comm.size);
}

ordo_status cuts_of_sorted(dist_call *c, const cells_order *order, const void *sorted, cut *cuts,
                           size_t count)
{
    cut_keys const keys = {*order, sorted, c->n, dist_on_device(c)};
    return cuts_of_keys(c, &keys, c->total, cuts, count);
}

ordo_status cuts_of_keys(dist_call *c, const cut_keys *keys, uint64_t total, cut *cuts,
                         size_t count)
{
    double const started = dist_clock();
    void        *memory;
    TRY(dist_agree(c, ordo_scratch(c->exec, (count + 1) * sizeof(cut_interval), &memory)));
    cut_interval *const intervals = memory;
    for (size_t j = 0; j < count; j++) {
        intervals[j] = (cut_interval){.open = true,
                                      .from_start = true,
                                      .to_end = true,
                                      .high = UINT64_MAX,
                                      .window.all = total};
        cuts[j].less = 0;
    }
    TRY(cut_rounds(c, keys, cuts, intervals, count));
    c->report.cut_seconds += dist_clock() - started;
    return ORDO_OK;
}

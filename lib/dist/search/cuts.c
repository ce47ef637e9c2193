/* cuts.c - multi-select over all processes, and its rounds in sorted elements (see cuts.h).
 *
 * In a round a process offers about CUTS_OFFERS * (its elements in the interval) / (elements of all
 * processes in it) random elements of each open interval. A fraction is rounded up or down at
 * random, so that all processes together offer about CUTS_OFFERS elements whatever their number.
 * Short intervals are offered as a whole. A round takes an allgather of sizes, one of the offers,
 * and a sum of two counts for each offer. The message of a process has its offers, and behind them
 * their number for each open interval. */
#define _POSIX_C_SOURCE 200809L
#include "dist/search/cuts.h"

#include "core/random.h"
#include "dist/device/device.h"

#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 32, /* bytes of an offer of a string at first */
    MOST_WIDTH = 1 << 30,
    LEAST_OFFERS = 4, /* of strings with long offers */
    NUMBER = sizeof(uint32_t)
};

typedef struct rounds {
    dist_call      *call;
    const cut_list *list;
    cut            *cuts;
    cut_interval   *intervals;
    size_t          count, open;
    uint64_t        seed;

    uint64_t    *bytes_of; /* of the offers of each process */
    const char **next;     /* the next offer of each process */
    size_t      *ends;     /* of the offers of each open interval */
    void        *mine;     /* the message of this process */
    void        *memory;   /* of the next members, for this round and usually for the next ones */
    size_t       mine_room, room;
    cut_offer   *offers;      /* of all open intervals, each in order, without ties */
    uint64_t    *here, *sums; /* two for each offer: elements before it and in its class */
    char        *all;         /* the messages of all processes */
} rounds;

/* ---- Positions ---- */

static int by_position(const void *a, const void *b)
{
    uint64_t const x = ((const cut *)a)->position, y = ((const cut *)b)->position;
    return (x > y) - (x < y);
}

size_t cuts_of_positions(const uint64_t *positions, size_t count, cut *cuts)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        cuts[i] = (cut){.position = positions[i]};
    qsort(cuts, count, sizeof *cuts, by_position);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || cuts[i].position != cuts[kept - 1].position)
            cuts[kept++] = cuts[i];
    return kept;
}

size_t cuts_position(const cut *cuts, size_t count, uint64_t position)
{
    cut const        wanted = {.position = position};
    const cut *const found = bsearch(&wanted, cuts, count, sizeof *cuts, by_position);
    return (size_t)(found - cuts);
}

/* ---- Keys ---- */

static size_t put_key(const void *elements, const cut_interval *at, size_t place, char *to)
{
    const cut_keys *const keys = elements;
    uint64_t              word = place;
    (void)at;
    if (to != NULL && !keys->on_device)
        word = cells_order_of(&keys->order, keys->sorted, place);
    if (to != NULL)
        memcpy(to, &word, sizeof word);
    return sizeof word;
}

static const char *take_key(const char *from, cut_offer *out)
{
    *out = (cut_offer){.order = 0};
    memcpy(&out->order, from, sizeof out->order);
    return from + sizeof out->order;
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t const x = ((const cut_offer *)a)->order, y = ((const cut_offer *)b)->order;
    return (x > y) - (x < y);
}

static size_t find_key(const void *elements, const cut_interval *at, size_t from,
                       const cut_offer *o, bool above)
{
    const cut_keys *const keys = elements;
    return cells_place(&keys->order, keys->sorted, from, at->to, o->order, above);
}

static const cut_kind kind_of_keys = {sizeof(uint64_t), false,        put_key,
                                      take_key,         compare_keys, find_key};

cut_list cut_list_of(const cut_keys *keys, uint64_t total)
{
    return (cut_list){.kind = &kind_of_keys,
                      .elements = keys,
                      .n = keys->n,
                      .total = total,
                      .device = keys->on_device ? keys : NULL};
}

/* ---- Offers ---- */

/* How many elements of an interval all processes offer together. */
static size_t offers_wanted(const rounds *r, const cut_interval *at)
{
    size_t const shrunk = (size_t)CUTS_OFFERS * WIDTH / at->width;
    return r->list->kind->wide ? ordo_max(shrunk, LEAST_OFFERS) : CUTS_OFFERS;
}

/* How many of them this process offers. A fraction is rounded up or down at random. */
static size_t offers_here(const rounds *r, const cut_interval *at, uint64_t *seed)
{
    size_t const here = at->to - at->from, wanted = offers_wanted(r, at);
    if (at->all <= wanted)
        return here;
    double const share = (double)wanted * ((double)here / (double)at->all);
    double const chance = (double)(ordo_random_mix((*seed)++) >> 11) * 0x1p-53;
    return ordo_min((size_t)(share + chance), here);
}

/* Writes this process's message; `to` NULL: only returns its size. The seed decides which ones. */
static size_t put_offers(const rounds *r, char *to)
{
    uint64_t seed = r->seed;
    size_t   bytes = 0, intervals = 0;
    for (size_t j = 0; j < r->count; j++) {
        const cut_interval *const at = &r->intervals[j];
        if (!at->open)
            continue;
        size_t const   here = at->to - at->from;
        uint32_t const offers = (uint32_t)offers_here(r, at, &seed);
        for (size_t i = 0; i < offers; i++) {
            size_t const place =
                offers == here ? i : (size_t)ordo_random_below(ordo_random_mix(seed++), here);
            bytes += r->list->kind->put(r->list->elements, at, at->from + place,
                                        to == NULL ? NULL : to + bytes);
        }
        r->ends[intervals++] = offers;
    }
    for (size_t i = 0; i < intervals; i++, bytes += NUMBER) {
        uint32_t const offers = (uint32_t)r->ends[i];
        if (to != NULL)
            memcpy(to + bytes, &offers, NUMBER);
    }
    return bytes;
}

/* Writes the message of `bytes` bytes. On a device the places of the offers become their orders, in
 * one list. */
static ordo_status write_offers(rounds *r, size_t bytes)
{
    const cut_keys *const device = r->list->device;
    if (bytes > r->mine_room) {
        r->mine_room = 2 * bytes;
        TRY(ordo_scratch(r->call->exec, r->mine_room, &r->mine));
    }
    put_offers(r, r->mine);
    r->seed = ordo_random_mix(r->seed);
    if (device == NULL)
        return ORDO_OK;
    uint64_t *const list = r->mine;
    return device_orders(r->call, &device->order, device->sorted, list,
                         (bytes - r->open * NUMBER) / sizeof *list, list);
}

/* Memory for the messages of all processes, and for their offers: a larger area than needed,
 * because scratch is not given back. Every process calls it with the same numbers. */
static ordo_status reserve(rounds *r, size_t bytes)
{
    size_t const each = sizeof *r->offers + 4 * sizeof *r->here;
    size_t       offers = 1;
    for (size_t j = 0; j < r->count; j++)
        if (r->intervals[j].open)
            offers += offers_wanted(r, &r->intervals[j]) + (size_t)r->call->comm.size;
    offers = ordo_min(offers, bytes / r->list->kind->least + 1);
    if (r->memory == NULL || offers * each + bytes > r->room) {
        r->room = 2 * (offers * each + bytes);
        TRY(dist_agree(r->call, ordo_scratch(r->call->exec, r->room, &r->memory)));
    }
    r->offers = r->memory;
    r->here = (uint64_t *)(r->offers + offers);
    r->sums = r->here + 2 * offers;
    r->all = (char *)(r->sums + 2 * offers);
    return ORDO_OK;
}

static ordo_status share_offers(rounds *r)
{
    dist_call *const  c = r->call;
    uint64_t const    bytes = put_offers(r, NULL);
    uint64_t          all = 0;
    ordo_status const status = write_offers(r, (size_t)bytes);
    if (r->list->kind->wide || r->list->device != NULL) /* others have the memory and cannot fail */
        TRY(dist_agree(c, status));
    TRY(dist_allgather(c, &bytes, sizeof bytes, r->bytes_of));
    for (int32_t i = 0; i < c->comm.size; i++)
        all += r->bytes_of[i];
    TRY(reserve(r, (size_t)all));
    return dist_allgather_parts(c, r->mine, r->bytes_of, r->all);
}

/* Sorts the offers [start, end) and removes ties; returns their end. */
static size_t sort_offers(const rounds *r, size_t start, size_t end)
{
    cut_offer *const offers = r->offers;
    size_t           kept = start;
    qsort(offers + start, end - start, sizeof *offers, r->list->kind->compare);
    for (size_t i = start; i < end; i++)
        if (kept == start || r->list->kind->compare(&offers[i], &offers[kept - 1]) != 0)
            offers[kept++] = offers[i];
    for (size_t i = start, j = kept; r->list->reversed && i + 1 < j; i++) {
        cut_offer const other = offers[--j];
        offers[j] = offers[i];
        offers[i] = other;
    }
    return kept;
}

/* The offers of all processes for each interval, in order. */
static void arrange(rounds *r)
{
    size_t const size = (size_t)r->call->comm.size;
    const char  *at = r->all;
    for (size_t i = 0; i < size; at += r->bytes_of[i++])
        r->next[i] = at;
    for (size_t j = 0, end = 0; j < r->open; j++) {
        size_t const start = end;
        at = r->all;
        for (size_t i = 0; i < size; i++) {
            uint32_t number;
            at += r->bytes_of[i];
            for (memcpy(&number, at - (r->open - j) * NUMBER, NUMBER); number > 0; number--)
                r->next[i] = r->list->kind->take(r->next[i], &r->offers[end++]);
        }
        r->ends[j] = end = sort_offers(r, start, end);
    }
}

/* ---- Narrowing ---- */

static void count_offers(const rounds *r)
{
    const cut_list *const list = r->list;
    for (size_t j = 0, i = 0, open = 0; j < r->count; j++) {
        const cut_interval *const at = &r->intervals[j];
        if (!at->open)
            continue;
        for (size_t from = at->from; i < r->ends[open]; i++) {
            size_t const low = list->kind->find(list->elements, at, from, &r->offers[i], false);
            from = list->kind->find(list->elements, at, low, &r->offers[i], true);
            r->here[2 * i] = low - at->from;
            r->here[2 * i + 1] = from - low;
        }
        open++;
    }
}

/* The same for keys on a device: two searches for each offer, in one list. */
static ordo_status count_on_device(const rounds *r, size_t offers)
{
    const cut_keys *const keys = r->list->device;
    ordo_place_target    *targets;
    TRY_SCRATCH(r->call->exec, (2 * offers + 1) * sizeof *targets, targets);
    for (size_t j = 0, i = 0, open = 0; j < r->count; j++) {
        const cut_interval *const at = &r->intervals[j];
        if (!at->open)
            continue;
        for (; i < r->ends[open]; i++)
            for (uint64_t above = 0; above < 2; above++)
                targets[2 * i + above] =
                    (ordo_place_target){at->from, at->to, r->offers[i].order, above};
        open++;
    }
    TRY(device_places(r->call, &keys->order, keys->sorted, targets, 2 * offers, r->here));
    for (size_t i = 0; i < offers; i++) {
        r->here[2 * i + 1] -= r->here[2 * i];
        r->here[2 * i] -= targets[2 * i].from;
    }
    return ORDO_OK;
}

/* Narrows an interval by its offers [from, to). Returns the offer whose class has the element at
 * the position, and the interval of that class; `to` if no offer does. */
static size_t narrow(const rounds *r, cut_interval *at, size_t from, size_t to, cut *wanted)
{
    uint64_t const base = wanted->less, end = base + at->all;
    size_t const   start = at->from;
    for (size_t i = from; i < to; i++) {
        uint64_t const below = base + r->sums[2 * i], tied = r->sums[2 * i + 1];
        size_t const   low = start + (size_t)r->here[2 * i];
        size_t const   high = low + (size_t)r->here[2 * i + 1];
        if (wanted->position < below) {
            at->to = low;
            at->all = below - wanted->less;
            return to;
        }
        at->from = high;
        if (wanted->position < below + tied) {
            at->from = low;
            at->to = high;
            at->all = tied;
            wanted->less = below;
            return i;
        }
        wanted->less = below + tied;
        at->all = end - wanted->less;
    }
    return to;
}

/* Narrows an interval, and closes it if its element is known. */
static void decide(rounds *r, size_t j, size_t from, size_t to)
{
    cut_interval *const at = &r->intervals[j];
    cut *const          wanted = &r->cuts[j];
    uint32_t const      width = at->width;
    size_t const        found = narrow(r, at, from, to, wanted);
    at->width = found < to          ? (width < MOST_WIDTH ? 2 * width : width)
                : width > 2 * WIDTH ? width / 2
                                    : WIDTH;
    if (found == to)
        return;
    if (r->offers[found].longer) {
        at->depth += r->offers[found].length;
        return;
    }
    at->open = false;
    r->open--;
    wanted->order = r->offers[found].order;
    wanted->tied = at->all;
    wanted->low = at->from;
    wanted->here = at->to - at->from;
}

static ordo_status one_round(rounds *r)
{
    dist_call *const c = r->call;
    TRY(share_offers(r));
    arrange(r);
    size_t const open = r->open, offers = r->ends[open - 1];
    if (r->list->device != NULL)
        TRY(dist_agree(c, count_on_device(r, offers)));
    else
        count_offers(r);
    memcpy(r->sums, r->here, 2 * offers * sizeof *r->sums);
    c->report.rounds++;
    TRY(dist_sum(c, r->sums, 2 * offers));
    for (size_t j = 0, from = 0, at = 0; j < r->count && at < open; j++)
        if (r->intervals[j].open) {
            size_t const to = r->ends[at++];
            decide(r, j, from, to);
            from = to;
        }
    return ORDO_OK;
}

ordo_status cut_ties(dist_call *c, cut *cuts, size_t count, uint64_t *room)
{
    for (size_t j = 0; j < count; j++)
        room[j] = cuts[j].here;
    TRY(dist_prefix(c, room, count));
    for (size_t j = 0; j < count; j++)
        cuts[j].before = room[j];
    return ORDO_OK;
}

/* ---- The search ---- */

/* Every position begins with the interval of all elements. */
static ordo_status take_intervals(rounds *r)
{
    TRY_SCRATCH(r->call->exec, (r->count + 1) * sizeof *r->intervals, r->intervals);
    for (size_t j = 0; j < r->count; j++) {
        r->intervals[j] = (cut_interval){.open = true, .to = r->list->n, .all = r->list->total};
        r->cuts[j].less = 0;
    }
    return ORDO_OK;
}

static ordo_status take_memory(rounds *r, uint64_t **ties)
{
    ordo_exec *const exec = r->call->exec;
    size_t const     size = (size_t)r->call->comm.size;
    if (r->intervals == NULL)
        TRY(take_intervals(r));
    for (size_t j = 0; j < r->count; j++) {
        r->intervals[j].width = WIDTH;
        r->open += r->intervals[j].open;
    }
    r->mine_room = r->open * ((CUTS_OFFERS + 1) * sizeof(uint64_t) + NUMBER);
    TRY_SCRATCH(exec, size * sizeof *r->bytes_of, r->bytes_of);
    TRY_SCRATCH(exec, size * sizeof *r->next, r->next);
    TRY_SCRATCH(exec, (r->count + 1) * sizeof *r->ends, r->ends);
    TRY_SCRATCH(exec, (r->count + 1) * sizeof **ties, *ties);
    TRY_SCRATCH(exec, r->mine_room + 1, r->mine);
    return ORDO_OK;
}

ordo_status cut_rounds(dist_call *c, const cut_list *list, cut *cuts, cut_interval *intervals,
                       size_t count)
{
    rounds    r = {.call = c, .list = list, .cuts = cuts, .intervals = intervals, .count = count};
    uint64_t *ties = NULL;
    r.seed = ordo_random_sequence(c->exec->seed, (uint64_t)c->comm.rank + DIST_MOST_RANKS);
    TRY(dist_agree(c, take_memory(&r, &ties)));
    while (r.open > 0)
        TRY(one_round(&r));
    return cut_ties(c, cuts, count, ties);
}

ordo_status cuts_of_list(dist_call *c, const cut_list *list, cut *cuts, size_t count)
{
    double const started = dist_clock();
    TRY(cut_rounds(c, list, cuts, NULL, count));
    c->report.cut_seconds += dist_clock() - started;
    return ORDO_OK;
}

ordo_status cuts_of_keys(dist_call *c, const cut_keys *keys, uint64_t total, cut *cuts,
                         size_t count)
{
    cut_list const list = cut_list_of(keys, total);
    return cuts_of_list(c, &list, cuts, count);
}

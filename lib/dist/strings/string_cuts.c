/* string_cuts.c - multi-select of strings over all ranks (see string_cuts.h).
 *
 * A round takes an allgather of sizes, one of the offers, and a sum of two counts for each offer.
 * The message of a rank has for each open interval the number of its offers, and for each offer a
 * head (its length, and whether its string continues) and its bytes. */
#define _POSIX_C_SOURCE 200809L
#include "dist/strings/string_cuts.h"

#include "core/random.h"
#include "dist/search/cut_rounds.h"

#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 32, /* bytes of an offer at first */
    MOST_WIDTH = 1 << 30,
    OFFERS = 32,      /* of all ranks for an interval with offers of WIDTH bytes */
    LEAST_OFFERS = 4, /* with long offers */
    HEAD = sizeof(uint32_t)
};

typedef struct interval {
    cut_window window;
    uint64_t   depth; /* bytes that all of its strings share */
    uint32_t   width;
    bool       open;
} interval;

typedef struct offer {
    const char *bytes;
    uint32_t    length;
    bool        longer; /* the string continues */
} offer;

typedef struct message { /* what a rank offers in a round */
    uint64_t bytes, offers;
} message;

typedef struct rounds {
    string_part *part;
    string_cut  *cuts;
    interval    *intervals;
    size_t       count, open;
    uint64_t     seed;

    message     *messages; /* of each rank */
    uint64_t    *bytes_of; /* of each rank */
    const char **next;     /* the next offer of each rank */
    char        *mine, *all;
    size_t       mine_room, all_room, offer_room;
    offer       *offers; /* of all open intervals, each in order, without ties */
    size_t      *ends;   /* of the offers of each open interval */
    cut_counts   counts; /* ties are the strings in the class of an offer */
} rounds;

/* ---- Comparisons ---- */

/* A string against an offer: before its class, in it, or behind it. */
static int against(const rounds *r, size_t i, uint64_t depth, const offer *o)
{
    uint64_t          length;
    const char *const bytes = string_part_at(r->part, i, &length);
    uint64_t const    rest = length - depth;
    size_t const      both = rest < o->length ? (size_t)rest : o->length;
    int               order = both == 0 ? 0 : memcmp(bytes + depth, o->bytes, both);
    if (order == 0 && rest < o->length)
        order = -1;
    else if (order == 0)
        order = o->longer ? -(rest == o->length) : rest > o->length;
    return r->part->c.descending ? -order : order;
}

/* The first place in [from, to) that is not before (`above`: behind) the class of the offer. */
static size_t find(const rounds *r, size_t from, size_t to, uint64_t depth, const offer *o,
                   bool above)
{
    while (from < to) {
        size_t const middle = from + (to - from) / 2;
        int const    order = against(r, middle, depth, o);
        if (order < 0 || (above && order == 0))
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* The longer of two offers that agree is behind; of equal bytes the one that continues. */
static int by_bytes(const void *a, const void *b)
{
    const offer *const x = a, *const y = b;
    size_t const both = x->length < y->length ? x->length : y->length;
    int const    order = both == 0 ? 0 : memcmp(x->bytes, y->bytes, both);
    if (order != 0)
        return order;
    if (x->length != y->length)
        return x->length < y->length ? -1 : 1;
    return (int)x->longer - (int)y->longer;
}

/* ---- Offers ---- */

static size_t offers_wanted(const interval *at)
{
    size_t const shrunk = (size_t)OFFERS * WIDTH / at->width;
    return shrunk > LEAST_OFFERS ? shrunk : LEAST_OFFERS;
}

/* Writes an offer; `to` NULL: only returns its size. */
static size_t put_offer(const rounds *r, const interval *at, size_t place, char *to)
{
    uint64_t          length;
    const char *const bytes = string_part_at(r->part, place, &length);
    uint64_t const    rest = length - at->depth;
    uint32_t const    sent = rest < at->width ? (uint32_t)rest : at->width;
    uint32_t const    head = sent << 1 | (rest > sent);
    if (to == NULL)
        return HEAD + sent;
    memcpy(to, &head, HEAD);
    if (sent > 0)
        memcpy(to + HEAD, bytes + at->depth, sent);
    return HEAD + sent;
}

/* Writes this rank's offers; `to` NULL: only returns their size. The seed decides which ones. */
static message put_offers(const rounds *r, uint64_t seed, char *to)
{
    message said = {0, 0};
    for (size_t j = 0; j < r->count; j++) {
        const interval *const at = &r->intervals[j];
        if (!at->open)
            continue;
        size_t const   here = at->window.to - at->window.from;
        size_t const   offers = cut_offers(&at->window, offers_wanted(at), &seed);
        uint32_t const number = (uint32_t)offers;
        if (to != NULL)
            memcpy(to + said.bytes, &number, HEAD);
        said.bytes += HEAD;
        said.offers += offers;
        for (size_t i = 0; i < offers; i++) {
            size_t const place =
                offers == here ? i : (size_t)ordo_random_below(ordo_random_mix(seed++), here);
            said.bytes +=
                put_offer(r, at, at->window.from + place, to == NULL ? NULL : to + said.bytes);
        }
    }
    return said;
}

/* Memory for `bytes`; a larger area than needed, because scratch is not given back. */
static ordo_status reserve(rounds *r, size_t bytes, size_t *room, void **memory)
{
    if (*memory != NULL && bytes <= *room)
        return ORDO_OK;
    *room = 2 * bytes;
    return ordo_scratch(r->part->c.exec, *room, memory);
}

static ordo_status reserve_offers(rounds *r, size_t bytes, size_t offers)
{
    void *memory = r->all;
    TRY(reserve(r, bytes + 1, &r->all_room, &memory));
    r->all = memory;
    memory = r->offers;
    TRY(reserve(r, (offers + 1) * (sizeof(offer) + 4 * sizeof(uint64_t)), &r->offer_room, &memory));
    r->offers = memory;
    r->counts.here = (uint64_t *)(r->offers + offers + 1);
    r->counts.sums = r->counts.here + 2 * offers;
    return ORDO_OK;
}

static ordo_status share_offers(rounds *r)
{
    dist_call *const c = &r->part->c;
    void            *memory = r->mine;
    message const    said = put_offers(r, r->seed, NULL);
    size_t           bytes = 0, offers = 0;
    TRY(dist_agree(c, reserve(r, (size_t)said.bytes + 1, &r->mine_room, &memory)));
    r->mine = memory;
    put_offers(r, r->seed, r->mine);
    r->seed = ordo_random_mix(r->seed);
    TRY(dist_allgather(c, &said, sizeof said, r->messages));
    for (int32_t i = 0; i < c->comm.size; i++) {
        r->bytes_of[i] = r->messages[i].bytes;
        bytes += (size_t)r->messages[i].bytes;
        offers += (size_t)r->messages[i].offers;
    }
    TRY(dist_agree(c, reserve_offers(r, bytes, offers)));
    return dist_allgather_parts(c, r->mine, r->bytes_of, r->all);
}

/* ---- Arranging ---- */

/* Reads the offers of one rank for one interval. */
static const char *read_offers(const char *at, offer *out, size_t *count)
{
    uint32_t number, head;
    memcpy(&number, at, HEAD);
    at += HEAD;
    for (uint32_t i = 0; i < number; i++) {
        memcpy(&head, at, HEAD);
        out[i] = (offer){at + HEAD, head >> 1, (head & 1) != 0};
        at += HEAD + out[i].length;
    }
    *count = number;
    return at;
}

/* Sorts the offers [start, end) and removes ties; returns their end. */
static size_t sort_offers(rounds *r, size_t start, size_t end)
{
    offer *const offers = r->offers;
    qsort(offers + start, end - start, sizeof *offers, by_bytes);
    size_t kept = start;
    for (size_t i = start; i < end; i++)
        if (kept == start || by_bytes(&offers[i], &offers[kept - 1]) != 0)
            offers[kept++] = offers[i];
    for (size_t i = start, j = kept; r->part->c.descending && i + 1 < j; i++) {
        offer const other = offers[--j];
        offers[j] = offers[i];
        offers[i] = other;
    }
    return kept;
}

/* The offers of all ranks for each interval, in order. */
static void arrange(rounds *r)
{
    size_t const       size = (size_t)r->part->c.comm.size;
    const char **const next = r->next;
    const char        *at = r->all;
    for (size_t i = 0; i < size; at += r->bytes_of[i++])
        next[i] = at;
    for (size_t j = 0, end = 0; j < r->open; j++) {
        size_t const start = end;
        for (size_t i = 0; i < size; i++) {
            size_t count;
            next[i] = read_offers(next[i], r->offers + end, &count);
            end += count;
        }
        r->ends[j] = end = sort_offers(r, start, end);
    }
}

/* ---- Narrowing ---- */

static void count_offers(rounds *r)
{
    for (size_t j = 0, i = 0, open = 0; j < r->count; j++) {
        const interval *const at = &r->intervals[j];
        if (!at->open)
            continue;
        for (size_t from = at->window.from; i < r->ends[open]; i++) {
            size_t const low = find(r, from, at->window.to, at->depth, &r->offers[i], false);
            from = find(r, low, at->window.to, at->depth, &r->offers[i], true);
            r->counts.here[2 * i] = low - at->window.from;
            r->counts.here[2 * i + 1] = from - low;
        }
        open++;
    }
}

/* Narrows one interval by its offers [from, to). */
static void narrow(rounds *r, size_t j, size_t from, size_t to)
{
    interval *const   at = &r->intervals[j];
    string_cut *const wanted = &r->cuts[j];
    uint32_t const    width = at->width;
    size_t const      found =
        cut_narrow(&at->window, &r->counts, from, to, wanted->position, &wanted->less);
    at->width = found < to      ? (width < MOST_WIDTH ? 2 * width : MOST_WIDTH)
                : width > WIDTH ? width / 2
                                : WIDTH;
    if (found == to)
        return;
    if (r->offers[found].longer) {
        at->depth += r->offers[found].length;
        return;
    }
    at->open = false;
    r->open--;
    wanted->tied = at->window.all;
    wanted->low = at->window.from;
    wanted->here = at->window.to - at->window.from;
}

static ordo_status one_round(rounds *r)
{
    dist_call *const c = &r->part->c;
    TRY(share_offers(r));
    arrange(r);
    size_t const open = r->open, offers = r->ends[open - 1];
    count_offers(r);
    TRY(cut_sum(c, &r->counts, offers));
    for (size_t j = 0, from = 0, at = 0; j < r->count && at < open; j++)
        if (r->intervals[j].open) {
            size_t const to = r->ends[at++];
            narrow(r, j, from, to);
            from = to;
        }
    return ORDO_OK;
}

static ordo_status take_memory(rounds *r, uint64_t **ties)
{
    dist_call *const c = &r->part->c;
    size_t const     size = (size_t)c->comm.size;
    TRY_SCRATCH(c->exec, (r->count + 1) * sizeof *r->intervals, r->intervals);
    TRY_SCRATCH(c->exec, (r->count + 1) * sizeof *r->ends, r->ends);
    TRY_SCRATCH(c->exec, (r->count + 1) * sizeof **ties, *ties);
    TRY_SCRATCH(c->exec, size * sizeof *r->messages, r->messages);
    TRY_SCRATCH(c->exec, size * sizeof *r->bytes_of, r->bytes_of);
    TRY_SCRATCH(c->exec, size * sizeof *r->next, r->next);
    return ORDO_OK;
}

ordo_status string_cuts_find(string_part *p, string_cut *cuts, size_t count)
{
    dist_call *const c = &p->c;
    double const     started = dist_clock();
    rounds           r = {.part = p, .cuts = cuts, .count = count, .open = count};
    uint64_t        *ties = NULL;
    TRY(dist_agree(c, take_memory(&r, &ties)));
    r.seed = ordo_random_sequence(c->exec->seed, (uint64_t)c->comm.rank + DIST_MOST_RANKS);
    for (size_t j = 0; j < count; j++) {
        r.intervals[j] =
            (interval){.window = {0, p->ordered, p->ordered_total}, .width = WIDTH, .open = true};
        cuts[j].less = 0;
    }
    while (r.open > 0)
        TRY(one_round(&r));
    TRY(cut_ties(c, &cuts->here, &cuts->before, sizeof *cuts / sizeof(uint64_t), count, ties));
    c->report.cut_seconds += dist_clock() - started;
    return ORDO_OK;
}

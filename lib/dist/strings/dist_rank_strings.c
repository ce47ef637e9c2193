/* dist_rank_strings.c - ordo_dist_rank_strings and ordo_dist_unique_count_strings.
 *
 * The strings are divided by keys of 64 bits and ranked where they arrive; ties stay together. If
 * too many have one key, the sorted strings of each rank go to the ranks of their places. What
 * arrives then is sorted runs: a merge orders them, and a comparison of neighbours finds groups of
 * ties. Only the first and the last group of a rank can continue on other ranks, and then the cut
 * through it knows where it begins in the global order and how long it is. The ranks go home by the
 * reverse exchange, so no index is ever sent. */
#define _POSIX_C_SOURCE 200809L
#include "dist/strings/string_merge.h"

#include "backend/tuning.h"
#include "core/ties.h"

#include <string.h>

enum {
    GRAIN = ORDO_TUNE(1 << 14, 20), /* strings that a thread handles at a time */
    LEAST = ORDO_TUNE(1 << 16, 200) /* fewer strings of all ranks are sorted */
};

typedef struct chunk {     /* of GRAIN places of the received strings in order */
    size_t   first, last;  /* places where a group begins, in the chunk */
    size_t   begun;        /* groups that begin there; 0: the others are not set */
    size_t   start, after; /* the last beginning before the chunk, the first one behind it */
    uint64_t before;       /* groups that begin before the chunk */
} chunk;

typedef struct group { /* ties that continue on other ranks */
    bool     cut;      /* there is such a group */
    uint64_t local;    /* its members' rank among the received strings; twice an average */
    uint64_t global;   /* and in the global array */
} group;

typedef struct ranking {
    string_part   part;
    string_pieces s;
    ordo_ties     ties;
    ordo_type     rank_type;
    size_t        rank_size;
    void         *ranks;
    void         *received_ranks;
    uint64_t     *order;  /* of the received strings */
    uint8_t      *begins; /* whether a group of ties begins at a place of that order */
    chunk        *chunks;
    void         *home;     /* the ranks of this rank's strings, in the order of the strings */
    uint64_t      distinct; /* of the received strings */
    uint64_t      shift;    /* of all ranks that are in no group */
    group         first, last;
} ranking;

/* ---- Groups that are cut ---- */

/* The cut at the position that is the begin or the end of this rank's part; NULL: there is none. */
static const string_cut *cut_at(const ranking *r, uint64_t position)
{
    for (size_t j = 0; j < r->s.cut_count; j++)
        if (r->s.cuts[j].position == position)
            return &r->s.cuts[j];
    return NULL;
}

static group group_of(const ranking *r, const string_cut *at)
{
    uint64_t const begin = r->part.c.offset, end = begin + r->s.received.n;
    if (at == NULL || r->s.received.n == 0 || at->less + at->tied <= begin || at->less >= end)
        return (group){.cut = false};
    uint64_t const from = at->less > begin ? at->less : begin;
    uint64_t const to = at->less + at->tied < end ? at->less + at->tied : end;
    return (group){.cut = true,
                   .local = ordo_tie_rank(r->ties, from - begin, to - begin, 0, from - begin),
                   .global = ordo_tie_rank(r->ties, at->less, at->less + at->tied, 0, at->less)};
}

/* Whether this rank's first string has ties on the ranks before. */
static bool continues(const ranking *r)
{
    const string_cut *const at = cut_at(r, r->part.c.offset);
    return r->s.received.n > 0 && at != NULL && at->less < at->position;
}

/* Each group of ties counts where it begins. */
static ordo_status count_groups(ranking *r, uint64_t *begun)
{
    *begun = r->distinct - continues(r);
    uint64_t before = *begun;
    TRY(dist_prefix(&r->part.c, &before, 1));
    r->shift = before - continues(r);
    return ORDO_OK;
}

/* ---- Ranks ---- */

static uint64_t correct(const ranking *r, uint64_t local)
{
    return r->first.cut && local == r->first.local ? r->first.global
           : r->last.cut && local == r->last.local ? r->last.global
                                                   : local + r->shift;
}

/* Writes a rank of a received string; the number is twice an average, which is half an integer. */
static void put_rank(const ranking *r, size_t i, uint64_t rank)
{
    double const scale = r->ties == ORDO_TIES_AVERAGE ? 2 : 1;
    if (r->rank_type == ORDO_U32)
        ((uint32_t *)r->received_ranks)[i] = (uint32_t)rank;
    else if (r->rank_type == ORDO_U64)
        ((uint64_t *)r->received_ranks)[i] = rank;
    else
        ((double *)r->received_ranks)[i] = (double)rank / scale;
}

static bool same(const string_list *list, uint64_t i, uint64_t j)
{
    const uint64_t *const at = list->offsets;
    uint64_t const        length = at[i + 1] - at[i];
    return length == at[j + 1] - at[j] &&
           (length == 0 || memcmp(list->bytes + at[i], list->bytes + at[j], length) == 0);
}

static size_t chunk_end(const ranking *r, size_t i)
{
    return ordo_min((i + 1) * GRAIN, r->s.received.n);
}

static void mark_groups(void *arg, size_t lo, size_t hi)
{
    const ranking *const r = arg;
    for (size_t i = lo; i < hi; i++) {
        chunk found = {0};
        for (size_t place = i * GRAIN; place < chunk_end(r, i); place++) {
            bool const begins =
                place == 0 || !same(&r->s.received, r->order[place - 1], r->order[place]);
            r->begins[place] = begins;
            if (!begins)
                continue;
            found.first = found.begun == 0 ? place : found.first;
            found.last = place;
            found.begun++;
        }
        r->chunks[i] = found;
    }
}

static size_t chunks_of(const ranking *r) { return ordo_div_up(r->s.received.n, GRAIN); }

/* Tells each chunk what is before and behind it. */
static void join_chunks(ranking *r)
{
    size_t const count = chunks_of(r);
    size_t       start = 0, after = r->s.received.n;
    for (size_t i = 0; i < count; i++) {
        chunk *const at = &r->chunks[i];
        at->start = start;
        at->before = r->distinct;
        start = at->begun > 0 ? at->last : start;
        r->distinct += at->begun;
    }
    for (size_t i = count; i-- > 0;) {
        r->chunks[i].after = after;
        after = r->chunks[i].begun > 0 ? r->chunks[i].first : after;
    }
}

static ordo_status loop(ranking *r, size_t n, size_t grain, ordo_body *body)
{
    ordo_exec *const exec = r->part.c.exec;
    return ordo_loop(exec, n, grain, body, r)
               ? ORDO_OK
               : ordo_fail(exec, ORDO_E_CANCELLED, "the call was cancelled");
}

/* Orders what was received, and finds the groups of ties. */
static ordo_status order_received(ranking *r)
{
    dist_call *const c = &r->part.c;
    double const     started = dist_clock();
    size_t const     n = r->s.received.n;
    TRY_SCRATCH(c->exec, (n + 1) * sizeof *r->order, r->order);
    TRY_SCRATCH(c->exec, n + 1, r->begins);
    TRY_SCRATCH(c->exec, (chunks_of(r) + 1) * sizeof *r->chunks, r->chunks);
    TRY(string_merge(&r->s, r->order));
    TRY(loop(r, chunks_of(r), 1, mark_groups));
    join_chunks(r);
    c->report.merge_seconds += dist_clock() - started;
    return ORDO_OK;
}

/* The place behind the group at `place`. */
static size_t group_end(const ranking *r, size_t i, size_t place)
{
    size_t const to = chunk_end(r, i);
    const void  *next = memchr(r->begins + place + 1, 1, to - place - 1);
    return next == NULL ? r->chunks[i].after : (size_t)((const uint8_t *)next - r->begins);
}

static void write_ranks(void *arg, size_t lo, size_t hi)
{
    const ranking *const r = arg;
    for (size_t i = lo; i < hi; i++) {
        size_t const to = chunk_end(r, i);
        size_t       start = r->chunks[i].start;
        uint64_t     begun = r->chunks[i].before;
        for (size_t place = i * GRAIN; place < to;) {
            start = r->begins[place] ? place : start;
            begun += r->begins[place];
            size_t const end = group_end(r, i, place);
            for (; place < end && place < to; place++)
                put_rank(r, (size_t)r->order[place],
                         correct(r, ordo_tie_rank(r->ties, start, end, begun, place)));
        }
    }
}

/* Gives each string the rank that came home. */
static void place_ranks(void *arg, size_t lo, size_t hi)
{
    const ranking *const  r = arg;
    const uint64_t *const order = r->part.order;
    if (r->rank_size == sizeof(uint32_t))
        for (size_t i = lo; i < hi; i++)
            ((uint32_t *)r->ranks)[order[i]] = ((const uint32_t *)r->home)[i];
    else
        for (size_t i = lo; i < hi; i++)
            memcpy((char *)r->ranks + order[i] * 8, (const char *)r->home + i * 8, 8);
}

static ordo_status take_home(ranking *r)
{
    dist_call *const c = &r->part.c;
    double const     started = dist_clock();
    TRY_SCRATCH(c->exec, (r->s.received.n + 1) * r->rank_size, r->received_ranks);
    TRY_SCRATCH(c->exec, (c->n + 1) * r->rank_size, r->home);
    TRY(loop(r, chunks_of(r), 1, write_ranks));
    c->report.merge_seconds += dist_clock() - started;
    return ORDO_OK;
}

/* ---- Strings that were divided ---- */

/* Moves the strings without a sort, and ranks what arrived. *done is false if that is not possible.
 * Collective. */
static ordo_status rank_divided(ranking *r, bool *done)
{
    dist_call *const     c = &r->part.c;
    ordo_rank_opts const opts = ORDO_OPTS(ordo_rank_opts, .ties = (uint32_t)r->ties,
                                          .flags = c->descending ? ORDO_DESCENDING : 0);
    *done = false;
    if (c->comm.size == 1 || c->total < LEAST)
        return ORDO_OK;
    TRY(string_pieces_divide(&r->part, &r->s, done));
    if (!*done) {
        r->s = (string_pieces){.cuts = NULL};
        return ORDO_OK;
    }
    size_t const       n = r->s.received.n;
    double const       started = dist_clock();
    ordo_strings const strings = string_list_view(&r->s.received);
    ordo_status        status = ordo_scratch(c->exec, (n + 1) * r->rank_size, &r->received_ranks);
    if (status == ORDO_OK)
        status = dist_inner(
            c, ordo_rank_strings(c->inner, &strings, n, r->rank_type, r->received_ranks, &opts));
    c->report.local_seconds += dist_clock() - started;
    return dist_agree(c, status);
}

static uint64_t rank_at(const ranking *r, size_t i)
{
    return r->rank_type == ORDO_U32   ? ((const uint32_t *)r->received_ranks)[i]
           : r->rank_type == ORDO_U64 ? ((const uint64_t *)r->received_ranks)[i]
                                      : (uint64_t)((const double *)r->received_ranks)[i];
}

/* The largest dense rank is the number of distinct strings, which are on no other rank. */
static void count_distinct(ranking *r)
{
    for (size_t i = 0; i < r->s.received.n; i++) {
        uint64_t const rank = rank_at(r, i);
        r->distinct = rank > r->distinct ? rank : r->distinct;
    }
}

static void shift_ranks(void *arg, size_t lo, size_t hi)
{
    const ranking *const r = arg;
    for (size_t i = lo; i < hi; i++)
        if (r->rank_type == ORDO_U32)
            ((uint32_t *)r->received_ranks)[i] += (uint32_t)r->shift;
        else if (r->rank_type == ORDO_U64)
            ((uint64_t *)r->received_ranks)[i] += r->shift;
        else
            ((double *)r->received_ranks)[i] += (double)r->shift;
}

static ordo_status take_divided(ranking *r)
{
    dist_call *const c = &r->part.c;
    TRY_SCRATCH(c->exec, (c->n + 1) * r->rank_size, r->home);
    return loop(r, r->s.received.n, GRAIN, shift_ranks);
}

static ordo_status finish_divided(ranking *r)
{
    dist_call *const    c = &r->part.c;
    const pieces *const p = &r->s.p;
    r->shift = c->comm.rank > 0 ? p->cuts[c->comm.rank - 1].position : 0;
    if (r->ties == ORDO_TIES_DENSE) {
        count_distinct(r);
        r->shift = r->distinct;
        TRY(dist_prefix(c, &r->shift, 1));
    }
    TRY(dist_agree(c, take_divided(r)));
    TRY(pieces_back(p, r->received_ranks, r->rank_size, r->home));
    return dist_agree(c, pieces_gather(p, r->home, r->rank_size, r->ranks));
}

/* ---- The calls ---- */

static ordo_status run(ranking *r)
{
    dist_call *const c = &r->part.c;
    ordo_exec *const exec = c->exec;
    uint64_t         begun;
    FAIL_IF(r->rank_type == ORDO_U32 && c->total > UINT32_MAX, ORDO_E_ARG,
            "rank_type is u32 but all ranks have %llu strings; expected ORDO_U64 or ORDO_F64",
            (unsigned long long)c->total);
    bool divided;
    TRY(rank_divided(r, &divided));
    if (divided)
        return finish_divided(r);
    TRY(string_pieces_move(&r->part, c->counts, true, &r->s));
    TRY(dist_agree(c, order_received(r)));
    bool const plain = r->ties == ORDO_TIES_DENSE || r->ties == ORDO_TIES_ORDINAL;
    r->shift = r->ties == ORDO_TIES_AVERAGE ? 2 * c->offset : c->offset;
    if (r->ties == ORDO_TIES_DENSE)
        TRY(count_groups(r, &begun));
    if (!plain) {
        r->first = group_of(r, cut_at(r, c->offset));
        r->last = group_of(r, cut_at(r, c->offset + r->s.received.n));
    }
    TRY(dist_agree(c, take_home(r)));
    TRY(pieces_back(&r->s.p, r->received_ranks, r->rank_size, r->home));
    return dist_agree(c, loop(r, c->n, GRAIN, place_ranks));
}

static ordo_status check(ranking *r, const ordo_strings *strings, const ordo_dist_opts *opts)
{
    dist_call *const     c = &r->part.c;
    ordo_exec *const     exec = c->exec;
    ordo_rank_opts const given = ORDO_OPTS(ordo_rank_opts, .ties = (uint32_t)r->ties);
    ordo_rank_opts       wish;
    TRY(api_check_ranks(exec, r->rank_type, &given, &wish));
    r->rank_size = ordo_type_size(r->rank_type);
    TRY(api_check_aligned(exec, r->ranks, c->n, r->rank_size, "ranks"));
    TRY(string_part_check(&r->part, strings, opts));
    return api_check_strings_apart(exec, &r->part.strings, c->n, r->ranks, c->n * r->rank_size,
                                   "ranks");
}

ordo_status ordo_dist_rank_strings(ordo_ctx *ctx, const ordo_comm *comm,
                                   const ordo_strings *strings, size_t n, ordo_ties ties,
                                   ordo_type rank_type, void *ranks, const ordo_dist_opts *opts)
{
    ranking r = {.part = {.c = {.n = n}}, .ties = ties, .rank_type = rank_type, .ranks = ranks};
    DIST_CALL("dist_rank_strings", &r.part.c, check(&r, strings, opts), run(&r),
              "ordo_dist_rank_strings", {(uint64_t)ties, (uint64_t)rank_type});
}

/* ---- Unique strings ---- */

static ordo_status unique_run(ranking *r, uint64_t *count)
{
    dist_call *const c = &r->part.c;
    bool             divided;
    uint64_t         begun;
    TRY(rank_divided(r, &divided));
    if (divided) {
        count_distinct(r);
        begun = r->distinct;
    } else {
        TRY(string_pieces_move(&r->part, c->counts, true, &r->s));
        TRY(dist_agree(c, order_received(r)));
        TRY(count_groups(r, &begun));
    }
    TRY(dist_sum(c, &begun, 1));
    *count = begun;
    return ORDO_OK;
}

static ordo_status unique_check(ranking *r, const ordo_strings *strings, const uint64_t *count,
                                const ordo_dist_opts *opts)
{
    ordo_exec *const exec = r->part.c.exec;
    TRY(string_part_check(&r->part, strings, opts));
    FAIL_IF(count == NULL, ORDO_E_ARG, "count is NULL; expected the address of a number");
    return ORDO_OK;
}

ordo_status ordo_dist_unique_count_strings(ordo_ctx *ctx, const ordo_comm *comm,
                                           const ordo_strings *strings, size_t n, uint64_t *count,
                                           const ordo_dist_opts *opts)
{
    ranking r = {.part = {.c = {.n = n}},
                 .ties = ORDO_TIES_DENSE,
                 .rank_type = ORDO_U64,
                 .rank_size = sizeof(uint64_t)};
    DIST_CALL("dist_unique_count_strings", &r.part.c, unique_check(&r, strings, count, opts),
              unique_run(&r, count), "ordo_dist_unique_count_strings", {0});
}

/* dist_rank_strings.c - ordo_dist_rank_strings and ordo_dist_unique_count_strings.
 *
 * The strings go to the ranks that hold their places in the global order, which rank what they
 * received, in the sequence of arrival, by ordo_rank_strings. Only the first and the last group of
 * ties of a rank can continue on other ranks, and then a cut goes through that group: the cut knows
 * where the group begins in the global order and how long it is. The ranks go home by the reverse
 * exchange, so no index is ever sent. */
#define _POSIX_C_SOURCE 200809L
#include "dist/strings/string_pieces.h"

#include <string.h>

enum {
    GRAIN = 1 << 14 /* strings that a thread handles at a time */
};

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
    void         *home;     /* the ranks of this rank's strings, in the order of the strings */
    uint64_t      distinct; /* of the received strings */
    uint64_t      shift;    /* of all ranks that are in no group */
    group         first, last;
} ranking;

/* ---- Groups that are cut ---- */

/* The rank of the members of a group of `size` strings behind `less` others; twice the average. */
static uint64_t rank_of_group(ordo_ties ties, uint64_t less, uint64_t size)
{
    return ties == ORDO_TIES_MIN   ? less + 1
           : ties == ORDO_TIES_MAX ? less + size
                                   : 2 * less + size + 1;
}

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
                   .local = rank_of_group(r->ties, from - begin, to - from),
                   .global = rank_of_group(r->ties, at->less, at->tied)};
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

/* A rank of what was received; twice an average, which is half an integer. */
static uint64_t get_rank(const ranking *r, size_t i)
{
    double const scale = r->ties == ORDO_TIES_AVERAGE ? 2 : 1;
    return r->rank_type == ORDO_U32   ? ((const uint32_t *)r->received_ranks)[i]
           : r->rank_type == ORDO_U64 ? ((const uint64_t *)r->received_ranks)[i]
                                      : (uint64_t)(scale * ((const double *)r->received_ranks)[i]);
}

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

static ordo_status rank_received(ranking *r)
{
    dist_call *const     c = &r->part.c;
    double const         started = dist_clock();
    ordo_rank_opts const opts = ORDO_OPTS(ordo_rank_opts, .ties = (uint32_t)r->ties,
                                          .flags = c->descending ? ORDO_DESCENDING : 0);
    ordo_strings const   strings = string_list_view(&r->s.received);
    size_t const         n = r->s.received.n;
    TRY_SCRATCH(c->exec, (n + 1) * sizeof(uint64_t), r->received_ranks);
    TRY(dist_inner(
        c, ordo_rank_strings(c->inner, &strings, n, r->rank_type, r->received_ranks, &opts)));
    for (size_t i = 0; i < n && r->ties == ORDO_TIES_DENSE; i++) {
        uint64_t const rank = get_rank(r, i);
        r->distinct = rank > r->distinct ? rank : r->distinct;
    }
    c->report.local_seconds += dist_clock() - started;
    return ORDO_OK;
}

static void correct_ranks(void *arg, size_t lo, size_t hi)
{
    const ranking *const r = arg;
    for (size_t i = lo; i < hi; i++)
        put_rank(r, i, correct(r, get_rank(r, i)));
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

static ordo_status loop(ranking *r, size_t n, ordo_body *body)
{
    ordo_exec *const exec = r->part.c.exec;
    return ordo_loop(exec, n, GRAIN, body, r)
               ? ORDO_OK
               : ordo_fail(exec, ORDO_E_CANCELLED, "the call was cancelled");
}

static ordo_status take_home(ranking *r)
{
    dist_call *const c = &r->part.c;
    TRY(loop(r, r->s.received.n, correct_ranks));
    TRY_SCRATCH(c->exec, (c->n + 1) * r->rank_size, r->home);
    return ORDO_OK;
}

static ordo_status run(ranking *r)
{
    dist_call *const c = &r->part.c;
    ordo_exec *const exec = c->exec;
    uint64_t         begun;
    FAIL_IF(r->rank_type == ORDO_U32 && c->total > UINT32_MAX, ORDO_E_ARG,
            "rank_type is u32 but all ranks have %llu strings; expected ORDO_U64 or ORDO_F64",
            (unsigned long long)c->total);
    TRY(string_pieces_move(&r->part, c->counts, &r->s));
    TRY(dist_agree(c, rank_received(r)));
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
    return dist_agree(c, loop(r, c->n, place_ranks));
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

static ordo_status rank_entered(ordo_ctx *ctx, ordo_exec *exec, const ordo_comm *comm, ranking *r,
                                const ordo_strings *strings, const ordo_dist_opts *opts)
{
    dist_call *const c = &r->part.c;
    c->ctx = ctx;
    c->exec = exec;
    TRY(dist_open(c, comm));
    dist_wish const wish = {"ordo_dist_rank_strings", {(uint64_t)r->ties, (uint64_t)r->rank_type}};
    ordo_status     status = dist_begin(c, &wish, check(r, strings, opts));
    if (status == ORDO_OK)
        status = run(r);
    return dist_end(c, status);
}

ordo_status ordo_dist_rank_strings(ordo_ctx *ctx, const ordo_comm *comm,
                                   const ordo_strings *strings, size_t n, ordo_ties ties,
                                   ordo_type rank_type, void *ranks, const ordo_dist_opts *opts)
{
    ranking r = {.part = {.c = {.n = n}}, .ties = ties, .rank_type = rank_type, .ranks = ranks};
    API_CALL("dist_rank_strings", (ordo_type)0, n,
             rank_entered(ctx, exec, comm, &r, strings, opts));
}

/* ---- Unique strings ---- */

static ordo_status unique_run(ranking *r, uint64_t *count)
{
    dist_call *const c = &r->part.c;
    TRY(string_pieces_move(&r->part, c->counts, &r->s));
    TRY(dist_agree(c, rank_received(r)));
    uint64_t begun;
    TRY(count_groups(r, &begun));
    TRY(dist_sum(c, &begun, 1));
    *count = begun;
    return ORDO_OK;
}

static ordo_status unique_entered(ordo_ctx *ctx, ordo_exec *exec, const ordo_comm *comm, ranking *r,
                                  const ordo_strings *strings, uint64_t *count,
                                  const ordo_dist_opts *opts)
{
    dist_call *const c = &r->part.c;
    c->ctx = ctx;
    c->exec = exec;
    TRY(dist_open(c, comm));
    ordo_status checked = string_part_check(&r->part, strings, opts);
    if (checked == ORDO_OK && count == NULL)
        checked = ordo_fail(exec, ORDO_E_ARG, "count is NULL; expected the address of a number");
    dist_wish const wish = {"ordo_dist_unique_count_strings", {0}};
    ordo_status     status = dist_begin(c, &wish, checked);
    if (status == ORDO_OK && count != NULL)
        status = unique_run(r, count);
    return dist_end(c, status);
}

ordo_status ordo_dist_unique_count_strings(ordo_ctx *ctx, const ordo_comm *comm,
                                           const ordo_strings *strings, size_t n, uint64_t *count,
                                           const ordo_dist_opts *opts)
{
    ranking r = {.part = {.c = {.n = n}}, .ties = ORDO_TIES_DENSE, .rank_type = ORDO_U64};
    API_CALL("dist_unique_count_strings", (ordo_type)0, n,
             unique_entered(ctx, exec, comm, &r, strings, count, opts));
}

/* dist_rank.c - ordo_dist_rank, ordo_dist_unique_count, and the same for strings.
 *
 * The elements go to the processes that hold their places in the global order. There each process
 * ranks what it received, in the sequence of arrival. Only the first and the last group of ties of
 * a process can continue on other processes: the borders tell how far, and their ranks are
 * corrected. The ranks go home by the reverse exchange, so no index is ever sent.
 *
 * Keys are divided, and so are strings by keys of 64 bits. A device sorts a copy of its keys
 * together with their places, so that the keys for another process are a part of the sorted array;
 * strings are sorted, too, if too many have one key. Then the ranks come home in the sorted
 * sequence and are scattered to the places. */
#define _POSIX_C_SOURCE 200809L
#include "backend/tuning.h"
#include "dist/device/device.h"
#include "dist/strings/string_pieces.h"
#include "ordo_records.h"

enum {
    CHUNK = ORDO_TUNE(1 << 18, 100),        /* ranks that one thread corrects at a time */
    LEAST_STRINGS = ORDO_TUNE(1 << 16, 200) /* fewer strings of all processes are sorted */
};

typedef struct ranking {
    string_part   part; /* of numbers: only the call */
    string_pieces s;    /* of numbers: only the pieces */
    bool          is_strings;
    ordo_ties     ties;
    ordo_type     rank_type;
    size_t        rank_size;
    void         *ranks;
    char         *sent, *received, *received_ranks;
    char         *home;       /* the ranks that came home */
    void         *index;      /* where the sorted elements were; NULL: they were not sorted */
    ordo_type     index_type; /* of that */
    uint64_t      distinct;   /* of what this process received, if ranks are dense */

    /* Turns ranks of what this process received into ranks of the global array. */
    ordo_whole_job whole;
} ranking;

/* ---- Ranks in the global array ---- */

/* The 1-based rank in the global array, from the rank among the received elements. Local rank 1 of
 * MIN is the first group of ties, local rank n of MAX the last group. */
static uint64_t correct(const ordo_whole_job *w, uint64_t local)
{
    uint64_t const rank = w->before + local;
    return w->ties == ORDO_TIES_MIN && local == 1      ? rank - w->first_before
           : w->ties == ORDO_TIES_MAX && local == w->n ? rank + w->last_after
                                                       : rank;
}

/* The mean of the first and the last rank of a group is half an integer, which f64 holds exactly
 * up to 2^52. A group of ties has one mean, so equality of means identifies the first and last
 * group. */
static double correct_average(const ordo_whole_job *w, double local)
{
    double const first = (1 + (double)w->first_count) / 2;
    double const last = ((double)(w->n - w->last_count + 1) + (double)w->n) / 2;
    double const before = local == first ? (double)w->first_before : 0;
    double const after = local == last ? (double)w->last_after : 0;
    return (double)w->before + local + (after - before) / 2;
}

static void correct_ranks(void *arg, size_t lo, size_t hi)
{
    const ordo_whole_job *const w = arg;
    uint32_t *const             narrow = w->ranks;
    uint64_t *const             wide = w->ranks;
    double *const               real = w->ranks;
    for (size_t i = lo; i < hi; i++)
        if (w->ties == ORDO_TIES_AVERAGE)
            real[i] = correct_average(w, real[i]);
        else if (w->rank_type == ORDO_U32)
            narrow[i] = (uint32_t)correct(w, narrow[i]);
        else if (w->rank_type == ORDO_U64)
            wide[i] = correct(w, wide[i]);
        else
            real[i] = (double)correct(w, (uint64_t)real[i]);
}

/* Finds what corrects the ranks. *begun is the number of groups of ties that begin on this process:
 * each group counts where it begins. */
static void find_corrections(ranking *r, uint64_t *begun)
{
    const pieces *const   p = &r->s.p;
    border_ties const     first = pieces_ties(p, false), last = pieces_ties(p, true);
    uint64_t const        begin = p->begin, n = p->received, end = begin + n;
    ordo_whole_job *const w = &r->whole;
    *w = (ordo_whole_job){.ties = r->ties,
                          .rank_type = r->rank_type,
                          .ranks = r->received_ranks,
                          .n = p->received,
                          .before = begin};
    if (n > 0 && first.tied > 0 && first.less < begin && first.less + first.tied > begin) {
        w->first_before = begin - first.less;
        w->first_count = ordo_min(first.tied - w->first_before, n);
    }
    if (n > 0 && last.tied > 0 && last.less < end && last.less + last.tied > end) {
        w->last_after = last.less + last.tied - end;
        w->last_count = ordo_min(end - last.less, n);
    }
    *begun = r->distinct - (w->first_before > 0);
}

/* Dense ranks count the groups that begin on the processes before this one. */
static ordo_status count_before(ranking *r, uint64_t begun)
{
    if (r->ties != ORDO_TIES_DENSE)
        return ORDO_OK;
    TRY(dist_prefix(&r->part.c, &begun, 1));
    r->whole.before = begun - (r->whole.first_before > 0);
    return ORDO_OK;
}

/* ---- The steps ---- */

/* If ranks are dense: the number of distinct elements that arrived, which is the largest rank. */
static ordo_status find_distinct(ranking *r)
{
    const dist_call *const c = &r->part.c;
    const ordo_plan *const plan = &c->ctx->plan;
    bool const             there = dist_on_device(c);
    size_t const           n = r->s.p.received, last = n - 1;
    union {
        uint32_t narrow;
        uint64_t wide;
        double   real;
    } rank;
    ordo_select_job const job = {.type = r->rank_type,
                                 .keys = r->received_ranks,
                                 .n = n,
                                 .k = &last,
                                 .count = 1,
                                 .out = &rank,
                                 .out_on_host = true};
    if (r->ties != ORDO_TIES_DENSE || n == 0)
        return ORDO_OK;
    TRY((there ? c->device.backend : plan->cpu)
            ->select(there ? c->device.state : plan->cpu_state, &job, c->exec));
    r->distinct = r->rank_type == ORDO_U32   ? rank.narrow
                  : r->rank_type == ORDO_U64 ? rank.wide
                                             : (uint64_t)rank.real;
    return ORDO_OK;
}

/* Ranks what arrived. */
static ordo_status rank_received(ranking *r)
{
    dist_call *const     c = &r->part.c;
    double const         started = dist_clock();
    size_t const         n = r->s.p.received;
    ordo_strings const   strings = string_list_view(&r->s.received);
    ordo_rank_job const  job = {.type = c->type,
                                .keys = r->received,
                                .n = n,
                                .descending = c->descending,
                                .rank_type = r->rank_type,
                                .ranks = r->received_ranks,
                                .ties = r->ties};
    ordo_rank_opts const opts = ORDO_OPTS(ordo_rank_opts, .ties = (uint32_t)r->ties,
                                          .flags = c->descending ? ORDO_DESCENDING : 0);
    if (!dist_on_device(c))
        TRY_SCRATCH(c->exec, n * sizeof(uint64_t) + 1, r->received_ranks);
    TRY(dist_on_device(c) ? c->device.backend->rank(c->device.state, &job, c->exec)
        : r->is_strings   ? dist_inner(c, ordo_rank_strings(c->inner, &strings, n, r->rank_type,
                                                            r->received_ranks, &opts))
                          : dist_inner(c, ordo_rank(c->inner, c->type, r->received, n, r->rank_type,
                                                    r->received_ranks, &opts)));
    TRY(find_distinct(r));
    TRY(device_finish(c));
    c->report.local_seconds += dist_clock() - started;
    return ORDO_OK;
}

/* Sorts a copy of the keys on a device, and remembers where they were. */
static ordo_status sort_on_device(ranking *r)
{
    dist_call *const c = &r->part.c;
    size_t const     keys = c->n * c->key_size, ranks = c->n * ordo_type_size(r->rank_type);
    r->index_type = c->n <= UINT32_MAX ? ORDO_U32 : ORDO_U64;
    size_t const index = c->n * ordo_type_size(r->index_type);
    TRY(device_memory(c, 2 * device_size(keys) + 2 * device_size(ranks) + device_size(index)));
    r->sent = device_take(c, keys);
    r->received = device_take(c, keys);
    r->received_ranks = device_take(c, ranks);
    r->home = device_take(c, ranks);
    r->index = device_take(c, index);
    TRY(device_copy(c, r->sent, c->keys, keys));
    TRY(device_iota(c, r->index, c->n, r->index_type, 0));
    return device_sort(c, r->sent, c->n, r->index, ordo_type_size(r->index_type));
}

static ordo_status scatter_keys(ranking *r)
{
    dist_call *const c = &r->part.c;
    TRY_SCRATCH(c->exec, c->n * c->key_size + 1, r->sent);
    TRY_SCRATCH(c->exec, r->s.p.received * c->key_size + 1, r->received);
    return pieces_scatter(&r->s.p, c->keys, c->key_size, r->sent);
}

static ordo_status move_keys(ranking *r)
{
    dist_call *const c = &r->part.c;
    if (dist_on_device(c)) {
        TRY(dist_agree(c, sort_on_device(r)));
        TRY(pieces_of_sorted(c, true, r->sent, NULL, c->counts, &r->s.p));
    } else {
        TRY(pieces_near(c, true, 0, &r->s.p));
        TRY(dist_agree(c, scatter_keys(r)));
    }
    return pieces_exchange(&r->s.p, r->sent, c->key_size, r->received);
}

static ordo_status move_strings(ranking *r)
{
    dist_call *const c = &r->part.c;
    bool             divided = false;
    if (c->total >= LEAST_STRINGS)
        TRY(string_pieces_divide(&r->part, &r->s, &divided));
    if (divided)
        return ORDO_OK;
    r->s = (string_pieces){.p = {.call = c}};
    TRY(string_pieces_move(&r->part, c->counts, true, &r->s));
    r->index = r->part.order;
    r->index_type = ORDO_U64;
    return ORDO_OK;
}

/* Moves the elements to the processes of their places, and ranks them there. */
static ordo_status receive(ranking *r, uint64_t *begun)
{
    TRY(r->is_strings ? move_strings(r) : move_keys(r));
    TRY(dist_agree(&r->part.c, rank_received(r)));
    find_corrections(r, begun);
    return ORDO_OK;
}

/* Gives each element the rank that came home. */
static ordo_status write_ranks(ranking *r)
{
    dist_call *const    c = &r->part.c;
    ordo_move_job const job = {.in = r->home,
                               .n = c->n,
                               .size = r->rank_size,
                               .index_type = r->index_type,
                               .index = r->index,
                               .count = c->n,
                               .out = r->ranks,
                               .scatters = true};
    if (r->index == NULL)
        return pieces_gather(&r->s.p, r->home, r->rank_size, r->ranks);
    if (!dist_on_device(c))
        return dist_inner(c, ordo_scatter(c->inner, r->home, c->n, r->rank_size, r->index_type,
                                          r->index, r->ranks, c->n, NULL));
    if (c->n > 0)
        TRY(c->device.backend->move(c->device.state, &job, c->exec));
    return device_finish(c);
}

static ordo_status correct_all(ranking *r)
{
    dist_call *const c = &r->part.c;
    if (dist_on_device(c))
        return c->device.backend->dist->whole(c->device.state, &r->whole, c->exec);
    TRY_SCRATCH(c->exec, c->n * r->rank_size + 1, r->home);
    return dist_loop(c, r->s.p.received, CHUNK, correct_ranks, &r->whole);
}

static ordo_status run(ranking *r)
{
    dist_call *const c = &r->part.c;
    ordo_exec *const exec = c->exec;
    uint64_t         begun;
    FAIL_IF(r->rank_type == ORDO_U32 && c->total > UINT32_MAX, ORDO_E_ARG,
            "rank_type is u32 but all ranks have %llu %s; expected ORDO_U64 or ORDO_F64",
            (unsigned long long)c->total, r->is_strings ? "strings" : "keys");
    TRY(receive(r, &begun));
    TRY(count_before(r, begun));
    TRY(dist_agree(c, correct_all(r)));
    TRY(pieces_back(&r->s.p, r->received_ranks, r->rank_size, r->home));
    return dist_agree(c, write_ranks(r));
}

static ordo_status unique_run(ranking *r, uint64_t *count)
{
    TRY(receive(r, count));
    return dist_sum(&r->part.c, count, 1);
}

/* ---- Numbers ---- */

static uint64_t no_ranks; /* stands for an empty array */

static ordo_status check_ranks(ranking *r)
{
    ordo_exec *const     exec = r->part.c.exec;
    ordo_rank_opts const given = ORDO_OPTS(ordo_rank_opts, .ties = (uint32_t)r->ties);
    ordo_rank_opts       options;
    TRY(api_check_ranks(exec, r->rank_type, &given, &options));
    r->rank_size = ordo_type_size(r->rank_type);
    return api_check_aligned(exec, r->ranks, r->part.c.n, r->rank_size, "ranks");
}

static ordo_status check(ranking *r, const ordo_dist_opts *opts)
{
    dist_call *const c = &r->part.c;
    ordo_exec *const exec = c->exec;
    TRY(dist_check(c, opts, ORDO_DESCENDING));
    FAIL_IF(c->opts.out != NULL || c->opts.n_out != 0, ORDO_E_ARG,
            "opts.out is for sorts; expected NULL");
    TRY(check_ranks(r));
    TRY(api_check_apart(exec, c->keys, c->n * c->key_size, "keys", r->ranks, c->n * r->rank_size,
                        "ranks"));
    if (r->ranks == NULL)
        r->ranks = &no_ranks; /* n is 0 */
    return ORDO_OK;
}

ordo_status ordo_dist_rank(ordo_ctx *ctx, const ordo_comm *comm, ordo_type type, const void *keys,
                           size_t n, ordo_ties ties, ordo_type rank_type, void *ranks,
                           const ordo_dist_opts *opts)
{
    ranking r = {.part = {.c = {.type = type, .keys = keys, .n = n}},
                 .ties = ties,
                 .rank_type = rank_type,
                 .ranks = ranks};
    DIST_CALL("dist_rank", &r.part.c, check(&r, opts), run(&r), "ordo_dist_rank",
              {(uint64_t)ties, (uint64_t)rank_type});
}

static ordo_status unique_check(ranking *r, const ordo_strings *strings, const uint64_t *count,
                                const ordo_dist_opts *opts)
{
    ordo_exec *const exec = r->part.c.exec;
    TRY(r->is_strings ? string_part_check(&r->part, strings, opts)
                      : dist_check(&r->part.c, opts, 0));
    FAIL_IF(count == NULL, ORDO_E_ARG, "count is NULL; expected the address of a number");
    return ORDO_OK;
}

ordo_status ordo_dist_unique_count(ordo_ctx *ctx, const ordo_comm *comm, ordo_type type,
                                   const void *keys, size_t n, uint64_t *count,
                                   const ordo_dist_opts *opts)
{
    ranking r = {.part = {.c = {.type = type, .keys = keys, .n = n}},
                 .ties = ORDO_TIES_DENSE,
                 .rank_type = ORDO_U64,
                 .rank_size = sizeof(uint64_t)};
    DIST_CALL("dist_unique_count", &r.part.c, unique_check(&r, NULL, count, opts),
              unique_run(&r, count), "ordo_dist_unique_count", {0});
}

/* ---- Strings ---- */

static ordo_status check_strings(ranking *r, const ordo_strings *strings,
                                 const ordo_dist_opts *opts)
{
    dist_call *const c = &r->part.c;
    TRY(check_ranks(r));
    TRY(string_part_check(&r->part, strings, opts));
    return api_check_strings_apart(c->exec, &r->part.strings, c->n, r->ranks, c->n * r->rank_size,
                                   "ranks");
}

ordo_status ordo_dist_rank_strings(ordo_ctx *ctx, const ordo_comm *comm,
                                   const ordo_strings *strings, size_t n, ordo_ties ties,
                                   ordo_type rank_type, void *ranks, const ordo_dist_opts *opts)
{
    ranking r = {.part = {.c = {.n = n}},
                 .is_strings = true,
                 .ties = ties,
                 .rank_type = rank_type,
                 .ranks = ranks};
    DIST_CALL("dist_rank_strings", &r.part.c, check_strings(&r, strings, opts), run(&r),
              "ordo_dist_rank_strings", {(uint64_t)ties, (uint64_t)rank_type});
}

ordo_status ordo_dist_unique_count_strings(ordo_ctx *ctx, const ordo_comm *comm,
                                           const ordo_strings *strings, size_t n, uint64_t *count,
                                           const ordo_dist_opts *opts)
{
    ranking r = {.part = {.c = {.n = n}},
                 .is_strings = true,
                 .ties = ORDO_TIES_DENSE,
                 .rank_type = ORDO_U64,
                 .rank_size = sizeof(uint64_t)};
    DIST_CALL("dist_unique_count_strings", &r.part.c, unique_check(&r, strings, count, opts),
              unique_run(&r, count), "ordo_dist_unique_count_strings", {0});
}

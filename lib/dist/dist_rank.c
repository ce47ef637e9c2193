/* dist_rank.c - ordo_dist_rank and ordo_dist_unique_count.
 *
 * The keys go to the ranks that hold their places in the global order. There each rank ranks
 * what it received, in the sequence of arrival, by ordo_rank. Only the first and the last group
 * of ties of a rank can continue on other ranks: a summary of 48 bytes of each rank tells how
 * far, and their ranks are corrected. The ranks go home by the reverse exchange, so no index is
 * ever sent. */
#define _POSIX_C_SOURCE 200809L
#include "dist/ranking.h"

#include "backend/tuning.h"

#include <string.h>

/* ---- Summaries ---- */

enum {
    CHUNK = ORDO_TUNE(1 << 18, 100) /* keys that one thread summarizes at a time */
};

/* What this rank receives, from the cuts at its ends. Groups of ties can continue on other ranks
 * only if a cut goes through them: then their cell stands for their order. Other orders are
 * different on every rank. */
static summary summary_of(const ranking *r)
{
    size_t const              me = (size_t)r->c.comm.rank;
    const division_cut *const low = me > 0 ? &r->p.cuts[me - 1] : NULL;
    const division_cut *const high = me + 1 < (size_t)r->c.comm.size ? &r->p.cuts[me] : NULL;
    uint64_t const            n = r->p.received;
    summary s = {.n = n, .first = UINT64_MAX - 2 * me, .last = UINT64_MAX - 2 * me - 1};
    if (low != NULL && low->left > 0) {
        s.first = low->cell;
        s.first_count = ordo_min(low->tied - low->left, n);
    }
    if (high != NULL && high->left > 0) {
        s.last = high->cell;
        s.last_count = ordo_min(high->left, n);
    }
    return s;
}

static ordo_status cancelled(ordo_exec *exec)
{
    return ordo_fail(exec, ORDO_E_CANCELLED, "the call was cancelled");
}

/* Ties of the order on the ranks [from, to), which hold neighbouring places. */
static uint64_t ties_on(const ranking *r, size_t from, size_t to, uint64_t order)
{
    uint64_t ties = 0;
    for (size_t i = from; i < to; i++) {
        const summary *const s = &r->all[i];
        if (s->n > 0)
            ties += s->first == order ? s->first_count : s->last == order ? s->last_count : 0;
    }
    return ties;
}

/* Distinct keys on the ranks [0, to): a key that ends one rank and begins the next counts once. */
static uint64_t distinct_on(const ranking *r, size_t to)
{
    const summary *before = NULL;
    uint64_t       distinct = 0;
    for (size_t i = 0; i < to; i++) {
        const summary *const s = &r->all[i];
        if (s->n == 0)
            continue;
        distinct += s->distinct - (before != NULL && before->last == s->first);
        before = s;
    }
    return distinct;
}

static void find_corrections(ranking *r)
{
    size_t const         me = (size_t)r->c.comm.rank, size = (size_t)r->c.comm.size;
    const summary *const mine = &r->all[me];
    for (size_t i = 0; i < me; i++)
        r->offset += r->all[i].n;
    if (mine->n == 0)
        return;
    r->first_before = ties_on(r, 0, me, mine->first);
    r->last_after = ties_on(r, me + 1, size, mine->last);
    r->distinct_before = distinct_on(r, me) - (r->first_before > 0);
}

/* ---- Ranks ---- */

/* The 1-based rank in the global array, from the rank among the received keys. Local rank 1 of MIN
 * is the first group of ties, local rank n of MAX the last group. */
static uint64_t correct(const ranking *r, const summary *mine, uint64_t local)
{
    switch (r->ties) {
    case ORDO_TIES_MIN:
        return r->offset + local - (local == 1 ? r->first_before : 0);
    case ORDO_TIES_MAX:
        return r->offset + local + (local == mine->n ? r->last_after : 0);
    case ORDO_TIES_DENSE:
        return r->distinct_before + local;
    case ORDO_TIES_ORDINAL:
    case ORDO_TIES_AVERAGE:
        break;
    }
    return r->offset + local;
}

/* The mean of the first and the last rank of a group is half an integer, which f64 holds exactly
 * up to 2^52. A group of ties has one mean, so equality of means identifies the first and last
 * group. */
static double correct_average(const ranking *r, const summary *mine, double local)
{
    double const first = (1 + (double)mine->first_count) / 2;
    double const last = ((double)(mine->n - mine->last_count + 1) + (double)mine->n) / 2;
    double const before = local == first ? (double)r->first_before : 0;
    double const after = local == last ? (double)r->last_after : 0;
    return (double)r->offset + local + (after - before) / 2;
}

static void correct_ranks(void *arg, size_t lo, size_t hi)
{
    const ranking *const r = arg;
    const summary *const mine = &r->all[r->c.comm.rank];
    for (size_t i = lo; i < hi; i++)
        if (r->ties == ORDO_TIES_AVERAGE) {
            double *const at = (double *)(void *)r->received_ranks + i;
            *at = correct_average(r, mine, *at);
        } else if (r->rank_type == ORDO_U32) {
            uint32_t *const at = (uint32_t *)(void *)r->received_ranks + i;
            *at = (uint32_t)correct(r, mine, *at);
        } else if (r->rank_type == ORDO_U64) {
            uint64_t *const at = (uint64_t *)(void *)r->received_ranks + i;
            *at = correct(r, mine, *at);
        } else {
            double *const at = (double *)(void *)r->received_ranks + i;
            *at = (double)correct(r, mine, (uint64_t)*at);
        }
}

/* The largest dense rank is the number of distinct keys. */
static uint64_t largest_rank(const ranking *r)
{
    uint64_t largest = 0;
    for (size_t i = 0; i < r->p.received; i++) {
        uint64_t const rank = r->rank_type == ORDO_U32
                                  ? ((const uint32_t *)(const void *)r->received_ranks)[i]
                              : r->rank_type == ORDO_U64
                                  ? ((const uint64_t *)(const void *)r->received_ranks)[i]
                                  : (uint64_t)((const double *)(const void *)r->received_ranks)[i];
        largest = rank > largest ? rank : largest;
    }
    return largest;
}

/* ---- The steps ---- */

static ordo_status take_memory(ranking *r)
{
    dist_call *const c = &r->c;
    TRY_SCRATCH(c->exec, c->n * c->key_size + 1, r->sent);
    TRY_SCRATCH(c->exec, r->p.received * c->key_size + 1, r->received);
    TRY_SCRATCH(c->exec, r->p.received * sizeof(uint64_t) + 1, r->received_ranks);
    TRY_SCRATCH(c->exec, (size_t)c->comm.size * sizeof *r->all, r->all);
    return ORDO_OK;
}

static ordo_status rank_received(ranking *r, summary *mine)
{
    dist_call *const     c = &r->c;
    double const         started = dist_clock();
    ordo_rank_opts const opts = ORDO_OPTS(ordo_rank_opts, .ties = (uint32_t)r->ties,
                                          .flags = c->descending ? ORDO_DESCENDING : 0);
    *mine = summary_of(r);
    TRY(dist_inner(c, ordo_rank(c->inner, c->type, r->received, r->p.received, r->rank_type,
                                r->received_ranks, &opts)));
    if (r->ties == ORDO_TIES_DENSE)
        mine->distinct = largest_rank(r);
    c->report.local_seconds += dist_clock() - started;
    return ORDO_OK;
}

/* The same for keys on a device. */
static ordo_status receive_on_device(ranking *r)
{
    dist_call *const c = &r->c;
    summary          mine = {0};
    ordo_status      status = device_rank_memory(r);
    if (status == ORDO_OK)
        status = device_rank_sort(r);
    TRY(dist_agree(c, status));
    TRY(pieces_of_sorted(c, true, r->sent, c->counts, &r->p));
    TRY(pieces_exchange(&r->p, r->sent, c->key_size, r->received));
    TRY(dist_agree(c, device_rank_received(r, &mine)));
    return dist_allgather(c, &mine, sizeof mine, r->all);
}

/* Moves the keys to the ranks of their places, and shares the summaries. */
static ordo_status receive_keys(ranking *r)
{
    dist_call *const c = &r->c;
    summary          mine = {0};
    if (dist_on_device(c))
        return receive_on_device(r);
    TRY(pieces_near(c, true, 0, &r->p));
    ordo_status const taken = take_memory(r);
    TRY(dist_agree(c, taken == ORDO_OK ? pieces_scatter(&r->p, c->keys, c->key_size, r->sent)
                                       : taken));
    TRY(pieces_exchange(&r->p, r->sent, c->key_size, r->received));
    TRY(dist_agree(c, rank_received(r, &mine)));
    return dist_allgather(c, &mine, sizeof mine, r->all);
}

static ordo_status run(ranking *r)
{
    dist_call *const c = &r->c;
    ordo_exec *const exec = c->exec;
    FAIL_IF(r->rank_type == ORDO_U32 && c->total > UINT32_MAX, ORDO_E_ARG,
            "rank_type is u32 but all ranks have %llu keys; expected ORDO_U64 or ORDO_F64",
            (unsigned long long)c->total);
    TRY(receive_keys(r));
    find_corrections(r);
    if (dist_on_device(c)) {
        TRY(dist_agree(c, device_rank_correct(r)));
        TRY(pieces_back(&r->p, r->received_ranks, r->rank_size, r->back));
        return dist_agree(c, device_rank_home(r));
    }
    void       *memory;
    ordo_status status = ordo_scratch(exec, c->n * r->rank_size + 1, &memory);
    if (status == ORDO_OK && !ordo_loop(exec, r->p.received, CHUNK, correct_ranks, r))
        status = cancelled(exec);
    TRY(dist_agree(c, status));
    TRY(pieces_back(&r->p, r->received_ranks, r->rank_size, memory));
    return dist_agree(c, pieces_gather(&r->p, memory, r->rank_size, r->ranks));
}

static uint64_t no_ranks; /* stands for an empty array */

static ordo_status check(ranking *r, const ordo_dist_opts *opts)
{
    dist_call *const     c = &r->c;
    ordo_exec *const     exec = c->exec;
    ordo_rank_opts const given = ORDO_OPTS(ordo_rank_opts, .ties = (uint32_t)r->ties);
    ordo_rank_opts       wish;
    TRY(dist_check(c, opts, ORDO_DESCENDING));
    FAIL_IF(c->opts.out != NULL || c->opts.n_out != 0, ORDO_E_ARG,
            "opts.out is for sorts; expected NULL");
    TRY(api_check_ranks(exec, r->rank_type, &given, &wish));
    r->rank_size = ordo_type_size(r->rank_type);
    TRY(api_check_aligned(exec, r->ranks, c->n, r->rank_size, "ranks"));
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
    ranking r = {.c = {.type = type, .keys = keys, .n = n},
                 .ties = ties,
                 .rank_type = rank_type,
                 .ranks = ranks};
    DIST_CALL("dist_rank", &r.c, check(&r, opts), run(&r), "ordo_dist_rank",
              {(uint64_t)ties, (uint64_t)rank_type});
}

/* ---- Unique keys ---- */

static ordo_status unique_check(ranking *r, const uint64_t *count, const ordo_dist_opts *opts)
{
    ordo_exec *const exec = r->c.exec;
    TRY(dist_check(&r->c, opts, 0));
    FAIL_IF(count == NULL, ORDO_E_ARG, "count is NULL; expected the address of a number");
    return ORDO_OK;
}

static ordo_status unique_run(ranking *r, uint64_t *count)
{
    TRY(receive_keys(r));
    *count = distinct_on(r, (size_t)r->c.comm.size);
    return ORDO_OK;
}

ordo_status ordo_dist_unique_count(ordo_ctx *ctx, const ordo_comm *comm, ordo_type type,
                                   const void *keys, size_t n, uint64_t *count,
                                   const ordo_dist_opts *opts)
{
    ranking r = {
        .c = {.type = type, .keys = keys, .n = n}, .ties = ORDO_TIES_DENSE, .rank_type = ORDO_U64};
    DIST_CALL("dist_unique_count", &r.c, unique_check(&r, count, opts), unique_run(&r, count),
              "ordo_dist_unique_count", {0});
}

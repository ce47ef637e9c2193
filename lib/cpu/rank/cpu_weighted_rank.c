/* cpu_weighted_rank.c - ranks of keys with weights.
 *
 * The keys are sorted by index, and their weights are gathered in that order (select/weights.h).
 * One thread then adds up the weights one by one, so the sums do not depend on the number of
 * threads, and replaces each weight by the rank of its group of ties. The ranks go back to the
 * places of their keys. The cost is that of the argsort, one gather of keys and weights, one
 * sequential pass and one scatter. Scratch: an index, a number and a byte for each key, and that of
 * the argsort. */
#include "core/keybits.h"
#include "core/ties.h"
#include "cpu/select/weights.h"

#include <math.h>

typedef struct weighted_ranks {
    weights_in_order in;
    uint8_t         *is_tie; /* the i-th key in order ties with the one before it */
} weighted_ranks;

#define ORDO_TEMPLATE "cpu/rank/weighted_ties.t.h"
#include "core/for_each_type.h"

static void ties_piece(void *arg, size_t lo, size_t hi)
{
    const weighted_ranks *const work = arg;
    BY_TYPE(work->in.job->type, mark_ties, (work, lo, hi));
}

/* ---- Ranks of groups of ties, in order ---- */

/* The end of the group of ties that begins at `from`. */
static size_t group_end(const weighted_ranks *work, size_t from)
{
    size_t to = from + 1;
    while (to < work->in.job->n && work->is_tie[to])
        to++;
    return to;
}

/* A key has dense rank 1 + the number of groups before it that have a weight. */
static void number_dense(weighted_ranks *work)
{
    size_t const n = work->in.job->n;
    bool const   floats = ordo_is_float(work->in.job->weight_type);
    uint64_t     rank = 1;
    for (size_t from = 0, to; from < n; from = to) {
        bool weighs = false;
        to = group_end(work, from);
        for (size_t i = from; i < to; i++) {
            weighs |= floats ? work->in.float_sums[i] > 0 : work->in.sums[i] > 0;
            work->in.sums[i] = rank;
        }
        rank += weighs;
    }
}

/* Twice the rank for averages, else the rank: sums below 2^63 fit. Returns the sum of the weights,
 * or UINT64_MAX if it is too large. */
static uint64_t number_integers(weighted_ranks *work)
{
    size_t const    n = work->in.job->n;
    ordo_ties const ties = work->in.job->ties;
    uint64_t *const sums = work->in.sums;
    uint64_t        sum = 0;
    for (size_t from = 0, to; from < n; from = to) {
        uint64_t const before = sum;
        to = group_end(work, from);
        for (size_t i = from; i < to; i++) {
            if (sums[i] > (uint64_t)INT64_MAX - sum)
                return UINT64_MAX;
            sum += sums[i];
        }
        uint64_t const rank = ordo_tie_rank(ties, before, sum, 0, before);
        for (size_t i = from; i < to; i++)
            sums[i] = rank;
    }
    return sum;
}

/* Returns the sum of the weights. */
static double number_floats(weighted_ranks *work)
{
    size_t const    n = work->in.job->n;
    ordo_ties const ties = work->in.job->ties;
    double *const   sums = work->in.float_sums;
    double          sum = 0;
    for (size_t from = 0, to; from < n; from = to) {
        double const before = sum;
        to = group_end(work, from);
        for (size_t i = from; i < to; i++)
            sum += sums[i];
        double const rank = ties == ORDO_TIES_MIN   ? before + 1
                            : ties == ORDO_TIES_MAX ? sum
                                                    : before * 0.5 + (sum + 1) * 0.5;
        for (size_t i = from; i < to; i++)
            sums[i] = rank;
    }
    return sum;
}

static ordo_status number_groups(weighted_ranks *work, ordo_exec *exec)
{
    const ordo_weighted_job *const job = work->in.job;
    if (job->ties == ORDO_TIES_DENSE) {
        number_dense(work);
        return ORDO_OK;
    }
    if (ordo_is_float(job->weight_type))
        return isinf(number_floats(work)) ? weights_too_large(exec, job->weight_type) : ORDO_OK;
    uint64_t const sum = number_integers(work);
    if (sum == UINT64_MAX)
        return weights_too_large(exec, job->weight_type);
    return job->rank_type == ORDO_U32 && sum >= UINT32_MAX
               ? ordo_fail(exec, ORDO_E_ARG,
                           "the sum of the weights is %llu; ranks above 2^32 - 1 need rank_type "
                           "u64 or f64",
                           (unsigned long long)sum)
               : ORDO_OK;
}

/* ---- Return ---- */

static void return_piece(void *arg, size_t lo, size_t hi)
{
    const weighted_ranks *const    work = arg;
    const ordo_weighted_job *const job = work->in.job;
    bool const floats = ordo_is_float(job->weight_type) && job->ties != ORDO_TIES_DENSE;
    for (size_t i = lo; i < hi; i++) {
        size_t const at = weights_index(&work->in, i);
        if (floats && job->rank_type == ORDO_F64)
            ((double *)job->ranks)[at] = work->in.float_sums[i];
        else
            ordo_put_rank(job->rank_type, job->ties, job->ranks, at, work->in.sums[i]);
    }
}

ordo_status cpu_weighted_rank(void *state, const ordo_weighted_job *job, ordo_exec *exec)
{
    size_t const   n = job->n, grain = cpu_grain(n);
    weighted_ranks work;
    exec->algorithm = "argsort";
    exec->isa = ((const cpu_kernels *)state)->isa;
    TRY(weights_sort(state, job, &work.in, exec));
    if (n == 0)
        return ORDO_OK;
    TRY_SCRATCH(exec, n, work.is_tie);
    ordo_exec part = *exec;
    part.phase = exec->phase * 4 + 3;
    part.phases = exec->phases * 4;
    if (!ordo_loop(&part, n, grain, ties_piece, &work))
        return ORDO_E_CANCELLED;
    TRY(number_groups(&work, exec));
    return cpu_done(ordo_loop(&part, n, grain, return_piece, &work));
}

size_t cpu_weighted_rank_scratch(const ordo_weighted_job *job, const ordo_exec *exec)
{
    return cpu_weighted_scratch(job, exec) + ordo_round_up(job->n, ORDO_CACHE_LINE);
}

/* weights.c - checks the weights of keys and gathers them in the order of the keys.
 *
 * An argsort orders the keys. Its index and one number for each key are the scratch, beside that of
 * the argsort. */
#include "cpu/select/weights.h"
#include "core/keybits.h"
#include "core/quantile.h"

typedef struct weights_check {
    const ordo_weighted_job *job;
    _Atomic uint64_t         refused; /* the first position of a weight that is refused, or n */
} weights_check;

bool weights_key_is_nan(ordo_type type, const void *keys, size_t i)
{
    return type == ORDO_F32   ? key_is_nan_f32(((const float *)keys)[i])
           : type == ORDO_F64 ? key_is_nan_f64(((const double *)keys)[i])
                              : false;
}

static uint64_t as_integer(ordo_type type, const void *weights, size_t i)
{
    switch (type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        return (uint64_t)((const key *)weights)[i];
#include "core/types.def"
    }
    return 0;
}

static void check_piece(void *arg, size_t lo, size_t hi)
{
    weights_check *const check = arg;
    ordo_type const      type = check->job->weight_type;
    for (size_t i = lo; i < hi; i++) {
        if (quantile_accepts_weight(type, check->job->weights, i))
            continue;
        cpu_keep_least(&check->refused, i);
        return;
    }
}

static ordo_status check_weights(const ordo_weighted_job *job, ordo_exec *exec)
{
    weights_check check = {.job = job};
    atomic_init(&check.refused, job->n);
    if (!ordo_loop(exec, job->n, cpu_grain(job->n), check_piece, &check))
        return ORDO_E_CANCELLED;
    size_t const at = (size_t)atomic_load(&check.refused);
    return at == job->n ? ORDO_OK
                        : ordo_fail(exec, ORDO_E_ARG, ORDO_WEIGHT_REFUSED, at,
                                    quantile_key(job->weight_type, job->weights, at));
}

ordo_status weights_too_large(ordo_exec *exec, ordo_type weight_type)
{
    return ordo_is_float(weight_type)
               ? ordo_fail(exec, ORDO_E_ARG, "the sum of the weights is not finite")
               : ordo_fail(exec, ORDO_E_ARG, "the sum of the weights is 2^63 or more");
}

static void gather_piece(void *arg, size_t lo, size_t hi)
{
    weights_in_order *const        work = arg;
    const ordo_weighted_job *const job = work->job;
    bool const                     omits = job->nans == ORDO_NANS_OMIT;
    for (size_t i = lo; i < hi; i++) {
        size_t const from = weights_index(work, i);
        bool const   skip = omits && weights_key_is_nan(job->type, job->keys, from);
        if (ordo_is_float(job->weight_type))
            work->float_sums[i] = skip ? 0 : quantile_key(job->weight_type, job->weights, from);
        else
            work->sums[i] = skip ? 0 : as_integer(job->weight_type, job->weights, from);
    }
}

static ordo_argsort_job order_of(const ordo_weighted_job *job)
{
    return (ordo_argsort_job){.type = job->type,
                              .keys = job->keys,
                              .n = job->n,
                              .descending = job->descending,
                              .algorithm = ORDO_ALGORITHM_AUTO,
                              .index_type = job->n <= UINT32_MAX ? ORDO_U32 : ORDO_U64};
}

ordo_status weights_sort(void *state, const ordo_weighted_job *job, weights_in_order *work,
                         ordo_exec *exec)
{
    ordo_argsort_job order = order_of(job);
    ordo_exec        part = *exec;
    *work = (weights_in_order){.job = job, .index_type = order.index_type};
    TRY(check_weights(job, exec));
    if (job->n == 0)
        return ORDO_OK;
    TRY_SCRATCH(exec, job->n * ordo_type_size(work->index_type), work->index);
    TRY_SCRATCH(exec, job->n * sizeof *work->sums, work->sums);
    work->float_sums = (double *)(void *)work->sums;
    order.index = work->index;
    part.phase = exec->phase * 4 + 1;
    part.phases = exec->phases * 4;
    TRY(cpu_argsort(state, &order, &part));
    part.phase = exec->phase * 4 + 2;
    part.phases = exec->phases * 4;
    return cpu_done(ordo_loop(&part, job->n, cpu_grain(job->n), gather_piece, work));
}

size_t cpu_weighted_scratch(const ordo_weighted_job *job, const ordo_exec *exec)
{
    ordo_argsort_job const order = order_of(job);
    if (job->n == 0)
        return 0;
    return ordo_round_up(job->n * ordo_type_size(order.index_type), ORDO_CACHE_LINE) +
           ordo_round_up(job->n * sizeof(uint64_t), ORDO_CACHE_LINE) +
           cpu_argsort_scratch(&order, exec);
}

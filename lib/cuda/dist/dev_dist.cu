/* dev_dist.cu - the slots for arrays divided over many ranks: orders of single keys, searches in
 * sorted parts, scans joined with a carry, and ranks of a part turned into ranks of the whole.
 *
 * Single keys and searches are one thread each; their lists come from the host and their results go
 * there, about 30 us for some thousand of them on an H200. The other jobs read and write their
 * array once. */
#include "cuda/dist/dist.cuh"
#include "cuda/runtime/cuda_state.cuh"
#include "cuda/scan/dev_scan_ops.cuh"
#include "cuda/warp/first_where.cuh"

/* ---- Orders ---- */

template <typename CODE>
static __global__ void __launch_bounds__(DIST_THREADS)
    orders_kernel(const typename CODE::BITS *keys, CODE code, uint64_t *list, size_t count)
{
    grid_each(count, [&](size_t i) { list[i] = (uint64_t)code.encode(keys[list[i]]); });
}

static ordo_status orders_of(cuda_call *call, const ordo_orders_job *job)
{
    uint64_t *const list = scratch_take<uint64_t>(&call->scratch, job->count);
    TRY(list_in(call, job->places, job->count, list));
    TRY(with_order(&job->order, job->keys, [&](auto code, auto *keys) {
        return CUDA_LAUNCH(call, orders_kernel<decltype(code)>, dist_grid(call, job->count),
                           DIST_THREADS, 0, keys, code, list, job->count);
    }));
    return list_out(call, job->orders, list, job->count);
}

/* ---- Places ---- */

template <typename CODE>
static __global__ void __launch_bounds__(DIST_THREADS)
    places_kernel(const typename CODE::BITS *keys, CODE code, const ordo_place_target *targets,
                  size_t count, uint64_t *places)
{
    grid_each(count, [&](size_t i) {
        ordo_place_target const target = targets[i];
        places[i] = first_where(target.from, target.to, [&](uint64_t at) {
            uint64_t const here = (uint64_t)code.encode(keys[at]);
            return here > target.order || (target.above == 0 && here == target.order);
        });
    });
}

static ordo_status places_of(cuda_call *call, const ordo_places_job *job)
{
    ordo_place_target *const targets = scratch_take<ordo_place_target>(&call->scratch, job->count);
    uint64_t *const          places = scratch_take<uint64_t>(&call->scratch, job->count);
    TRY(list_in(call, job->targets, job->count, targets));
    TRY(with_order(&job->order, job->keys, [&](auto code, auto *keys) {
        return CUDA_LAUNCH(call, places_kernel<decltype(code)>, dist_grid(call, job->count),
                           DIST_THREADS, 0, keys, code, targets, job->count, places);
    }));
    return list_out(call, job->places, places, job->count);
}

/* ---- Carries ---- */

template <typename OP>
static __global__ void __launch_bounds__(DIST_THREADS)
    carry_kernel(typename OP::RAW *values, size_t n, OP op, typename OP::RAW carry, bool exclusive)
{
    grid_each(n, [&](size_t i) {
        values[i] =
            exclusive && i == 0 ? carry : op.leave(OP::add(op.enter(carry), op.enter(values[i])));
    });
}

static ordo_status carry_over(cuda_call *call, const ordo_carry_job *job)
{
    ordo_scan_job scan = {};
    scan.op = job->op;
    scan.type = scan.out_type = job->type;
    return with_scan_op(&scan, [&](auto op, bool, auto) -> ordo_status {
        typedef decltype(op)     OP;
        typedef typename OP::RAW RAW;
        if constexpr (sizeof(RAW) == sizeof(typename OP::OUT)) {
            RAW carry;
            memcpy(&carry, &job->carry, sizeof carry);
            return CUDA_LAUNCH(call, (carry_kernel<OP>), dist_grid(call, job->n), DIST_THREADS, 0,
                               (RAW *)job->values, job->n, op, carry, job->exclusive);
        } else {
            return ORDO_E_UNSUPPORTED; /* sums to wider types are not joined as such */
        }
    });
}

/* ---- Ranks ---- */

struct whole_rule { /* the fields of ordo_whole_job that the kernel needs */
    ordo_ties ties;
    uint64_t  n, before, first_before, last_after;
    double    first, last; /* averages of the first and of the last group of ties */
};

/* Local rank 1 of MIN is the first group of ties, local rank n of MAX the last group. */
static DEVICE uint64_t whole_rank(const whole_rule &rule, uint64_t local)
{
    if (rule.ties == ORDO_TIES_MIN)
        return rule.before + local - (local == 1 ? rule.first_before : 0);
    if (rule.ties == ORDO_TIES_MAX)
        return rule.before + local + (local == rule.n ? rule.last_after : 0);
    return rule.before + local;
}

/* A group of ties has one average, so equal averages identify the first and the last group. */
static DEVICE double whole_average(const whole_rule &rule, double local)
{
    double const before = local == rule.first ? (double)rule.first_before : 0;
    double const after = local == rule.last ? (double)rule.last_after : 0;
    return (double)rule.before + local + (after - before) / 2;
}

template <typename RANK>
static __global__ void __launch_bounds__(DIST_THREADS) whole_kernel(RANK *ranks, whole_rule rule)
{
    grid_each(rule.n, [&](size_t i) {
        RANK const local = ranks[i];
        ranks[i] = rule.ties == ORDO_TIES_AVERAGE ? (RANK)whole_average(rule, (double)local)
                                                  : (RANK)whole_rank(rule, (uint64_t)local);
    });
}

template <typename RANK>
static ordo_status launch_whole(cuda_call *call, const ordo_whole_job *job, const whole_rule &rule)
{
    return CUDA_LAUNCH(call, (whole_kernel<RANK>), dist_grid(call, job->n), DIST_THREADS, 0,
                       (RANK *)job->ranks, rule);
}

static ordo_status ranks_of_whole(cuda_call *call, const ordo_whole_job *job)
{
    double const     n = (double)job->n;
    whole_rule const rule = {job->ties,
                             job->n,
                             job->before,
                             job->first_before,
                             job->last_after,
                             (1 + (double)job->first_count) / 2,
                             ((double)(job->n - job->last_count + 1) + n) / 2};
    return job->rank_type == ORDO_U32   ? launch_whole<uint32_t>(call, job, rule)
           : job->rank_type == ORDO_U64 ? launch_whole<uint64_t>(call, job, rule)
                                        : launch_whole<double>(call, job, rule);
}

/* ---- The slots ---- */

static size_t orders_scratch(const ordo_orders_job *job)
{
    return ordo_round_up(job->count * sizeof(uint64_t), CUDA_SCRATCH_ALIGN);
}

static size_t places_scratch(const ordo_places_job *job)
{
    return ordo_round_up(job->count * sizeof(ordo_place_target), CUDA_SCRATCH_ALIGN) +
           ordo_round_up(job->count * sizeof(uint64_t), CUDA_SCRATCH_ALIGN);
}

template <typename JOB> static size_t no_scratch(const JOB *) { return 0; }

static bool is_empty(const ordo_orders_job *job) { return job->count == 0; }
static bool is_empty(const ordo_places_job *job) { return job->count == 0; }
static bool is_empty(const ordo_cells_job *) { return false; } /* counts of no keys are results */
static bool is_empty(const ordo_carry_job *job) { return job->n == 0; }
static bool is_empty(const ordo_whole_job *job) { return job->n == 0; }

/* The array of a job. */
static const void *array_of(const ordo_carry_job *job) { return job->values; }
static const void *array_of(const ordo_whole_job *job) { return job->ranks; }
template <typename JOB> static const void *array_of(const JOB *job) { return job->keys; }

template <typename JOB, size_t (*scratch)(const JOB *),
          ordo_status (*run)(cuda_call *, const JOB *)>
static ordo_status slot(void *state, const JOB *job, ordo_exec *exec)
{
    cuda_frame frame;
    if (is_empty(job))
        return ORDO_OK;
    if (array_of(job) != NULL)
        TRY(cuda_check_memory(exec, array_of(job), "an array of the call"));
    TRY(frame_begin(&frame, (cuda_state *)state, exec, scratch(job)));
    return frame_end(&frame, run(&frame.call, job));
}

const ordo_dist_slots cuda_dist = {slot<ordo_orders_job, orders_scratch, orders_of>,
                                   slot<ordo_places_job, places_scratch, places_of>,
                                   slot<ordo_cells_job, dev_cells_scratch, dev_cells>,
                                   slot<ordo_carry_job, no_scratch, carry_over>,
                                   slot<ordo_whole_job, no_scratch, ranks_of_whole>,
                                   queues_pinned,
                                   queues_transfer,
                                   queues_mark,
                                   queues_wait,
                                   queues_finish};

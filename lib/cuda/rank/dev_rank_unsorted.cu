/* dev_rank_unsorted.cu - ranks of an array in any order.
 *
 *   order    the argsort of the backend, which keeps the sorted keys
 *   number   dev_rank.cu's heads of the sorted keys, and from them a rank for each place
 *   return   ranks go back to where their keys were: ranks[index[i]] = rank of place i
 *
 * Small results are scattered straight into their array. Large ones are not: device memory would
 * move a sector for every rank, and even within L2 the multiprocessors send no more than about 50
 * thousand million scattered stores a second. They are parted instead, twice, by the high bits of
 * their index, until a bucket is as many ranks as shared memory holds; a block scatters a bucket
 * there and writes it in order. The indices are a permutation, so how many ranks go into each
 * bucket is known beforehand and nothing has to be counted; the order inside a bucket does not
 * matter, so a tile takes its places in the buckets by atomic additions. A mean rank travels as
 * twice its value.
 *
 * Device memory moved beyond the argsort, for n < 2^31 keys of 32 bits: sorted keys 4 n, index 4 n,
 * records 32 n, ranks. Scratch: the argsort's; the index; heads (n / 8); two arrays of records of 8
 * bytes (16 from 2^31 keys on). Called by the backend's table. */
#include "cuda/sort/dev_radix.cuh"
#include "cuda/rank/dev_rank_parts.cuh"

enum {
    GATHER_THREADS = 256
};

/* ---- Straight ---- */

template <rank_kind KIND, typename RANK>
static __global__ void __launch_bounds__(HEADS_THREADS)
    scatter_ranks(heads_table const table, const uint32_t *const index, RANK *const ranks)
{
    typedef typename rank_number<RANK>::type NUM;

    heads_walk<KIND, NUM> walk = walk_start<KIND, NUM>(table);
    while (walk.left > 0) {
        heads_chunk<NUM> const chunk = walk_chunk(table, &walk);
#pragma unroll 8
        for (int row = 0; row < 32; row++) {
            warp_vector<RANK, 1> const rank =
                warp_row_ranks<KIND, RANK, 1>(row, chunk.word, chunk.edges, (NUM)chunk.base);
            size_t const at = chunk.base + row * 32 + lane_id();
            if (at < table.n)
                ranks[index[at]] = rank.at[0];
        }
    }
}

/* ---- The keys in order ---- */

template <typename CODE, typename INDEX>
static __global__ void __launch_bounds__(GATHER_THREADS)
    gather_bits(const typename CODE::BITS *const keys, const INDEX *const index, size_t const n,
                CODE const code, typename CODE::BITS *const bits)
{
    size_t const i = (size_t)blockIdx.x * GATHER_THREADS + threadIdx.x;
    if (i < n)
        bits[i] = code.encode(keys[index[i]]);
}

/* ---- All of it ---- */

static bool is_wide(const ordo_rank_job *const job) { return job->n >= (size_t)1 << 31; }

static bool is_direct(const ordo_rank_job *const job)
{
    return job->n * cuda_type_size(job->rank_type) <= CUDA_TUNE_RANK_DIRECT && !is_wide(job);
}

/* The radix sort leaves the sorted keys behind; after others they are gathered. Ordinal ranks need
 * none. */
enum order_way {
    ORDER_KEEPS,
    ORDER_GATHERS,
    ORDER_ONLY
};

static order_way way_of(const ordo_rank_job *const job)
{
    if (job->ties == ORDO_TIES_ORDINAL)
        return ORDER_ONLY;
    bool const radix =
        job->algorithm == ORDO_ALGORITHM_AUTO || job->algorithm == ORDO_ALGORITHM_RADIX;
    return radix ? ORDER_KEEPS : ORDER_GATHERS;
}

struct unsorted_plan {
    ordo_argsort_job order;
    void            *bits; /* where sorted keys are gathered */
    heads_table      table;
    void            *records[2];
    uint32_t        *taken[2];
    unsigned         shift[2]; /* of the buckets of the two times */
};

static unsorted_plan plan_of(cuda_scratch *const scratch, const ordo_rank_job *const job)
{
    unsorted_plan plan = {};
    size_t const  width = is_wide(job) ? sizeof(uint64_t) : sizeof(uint32_t);

    plan.order.type = job->type;
    plan.order.keys = job->keys;
    plan.order.n = job->n;
    plan.order.descending = job->descending;
    plan.order.algorithm = job->algorithm;
    plan.order.index_type = is_wide(job) ? ORDO_U64 : ORDO_U32;
    plan.order.index = scratch_take<char>(scratch, job->n * width);
    if (way_of(job) == ORDER_GATHERS)
        plan.bits = scratch_take<char>(scratch, job->n * cuda_type_size(job->type));
    plan.table = heads_take(scratch, job->n, job->ties == ORDO_TIES_AVERAGE);
    if (is_direct(job))
        return plan;

    plan.shift[0] = first_shift(job->n);
    plan.shift[1] = LEAF_LG;
    for (int time = 0; time < 2; time++) {
        plan.records[time] = scratch_take<char>(scratch, job->n * 2 * width);
        plan.taken[time] = scratch_take<uint32_t>(scratch, buckets_of(job->n, plan.shift[time]));
    }
    return plan;
}

size_t dev_rank_scratch(const ordo_rank_job *const job)
{
    cuda_scratch        counted = {};
    unsorted_plan const plan = plan_of(&counted, job);
    return counted.used + (way_of(job) == ORDER_KEEPS ? dev_argsort_keys_scratch(&plan.order)
                                                      : dev_argsort_scratch(&plan.order));
}

static ordo_status gather_keys(cuda_call *const call, const unsorted_plan *const plan)
{
    const ordo_argsort_job *const order = &plan->order;
    size_t const                  blocks = ordo_div_up(order->n, GATHER_THREADS);
    return with_key_code(order->type, order->descending, KEY_FOLDED, [&](auto code) {
        typedef decltype(code)      CODE;
        typedef typename CODE::BITS BITS;
        const BITS *const           keys = (const BITS *)order->keys;
        BITS *const                 bits = (BITS *)plan->bits;
        if (order->index_type == ORDO_U64)
            CUDA_LAUNCH(call, (gather_bits<CODE, uint64_t>), blocks, GATHER_THREADS, 0, keys,
                        (const uint64_t *)order->index, order->n, code, bits);
        else
            CUDA_LAUNCH(call, (gather_bits<CODE, uint32_t>), blocks, GATHER_THREADS, 0, keys,
                        (const uint32_t *)order->index, order->n, code, bits);
        return ORDO_OK;
    });
}

/* The type of sorted keys that were gathered: unsigned, as wide as the keys. */
static ordo_type bits_type(ordo_type const type)
{
    switch (cuda_type_size(type)) {
    case 1:
        return ORDO_U8;
    case 2:
        return ORDO_U16;
    case 4:
        return ORDO_U32;
    default:
        return ORDO_U64;
    }
}

static ordo_status order_keys(cuda_call *const call, const ordo_rank_job *const job,
                              const unsorted_plan *const plan)
{
    void *kept = NULL;
    switch (way_of(job)) {
    case ORDER_ONLY:
        return dev_argsort(call, &plan->order);
    case ORDER_GATHERS:
        TRY(dev_argsort(call, &plan->order));
        TRY(gather_keys(call, plan));
        return dev_heads(call, &plan->table, bits_type(job->type), plan->bits);
    case ORDER_KEEPS:
        break;
    }
    TRY(dev_argsort_keys(call, &plan->order, &kept));
    return dev_heads(call, &plan->table, cuda_type_size(job->type) == 8 ? ORDO_U64 : ORDO_U32,
                     kept);
}

template <rank_kind KIND, typename NUM>
static ordo_status rank_by_buckets(cuda_call *const call, const ordo_rank_job *const job,
                                   const unsorted_plan *const plan)
{
    size_t const   n = job->n, part_bytes = sizeof(part_shared<NUM>);
    part_plan<NUM> part[2];
    for (int time = 0; time < 2; time++) {
        size_t const buckets = buckets_of(n, plan->shift[time]);
        part[time].records = (rank_record<NUM> *)plan->records[time];
        part[time].taken = plan->taken[time];
        part[time].shift = plan->shift[time];
        CUDA_TRY(call->exec,
                 cudaMemsetAsync(plan->taken[time], 0, buckets * sizeof(uint32_t), call->stream));
    }
    part[0].buckets = BUCKETS;
    part[1].buckets = 1u << (plan->shift[0] - plan->shift[1]);
    LAUNCH_SHARED(call, (part_ranks<KIND, NUM>), plan->table.blocks, HEADS_THREADS, part_bytes,
                  plan->table, (const NUM *)plan->order.index, part[0]);
    LAUNCH_SHARED(call, part_records<NUM>, ordo_div_up(n, TILE), HEADS_THREADS, part_bytes,
                  part[0].records, n, part[1]);
    return with_rank_type(job->rank_type, [&](auto zero) {
        typedef decltype(zero) RANK;
        LAUNCH_SHARED(call, (return_ranks<RANK, NUM>), ordo_div_up(n, LEAF), LEAF_THREADS,
                      LEAF * sizeof(NUM), part[1].records, n, KIND == RANK_BOTH,
                      (RANK *)job->ranks);
        return ORDO_OK;
    });
}

template <rank_kind KIND, typename RANK>
static ordo_status rank_direct(cuda_call *const call, const ordo_rank_job *const job,
                               const unsorted_plan *const plan)
{
    CUDA_LAUNCH(call, (scatter_ranks<KIND, RANK>), plan->table.blocks, HEADS_THREADS, 0,
                plan->table, (const uint32_t *)plan->order.index, (RANK *)job->ranks);
    return ORDO_OK;
}

template <rank_kind KIND>
static ordo_status rank_of_kind(cuda_call *const call, const ordo_rank_job *const job,
                                const unsorted_plan *const plan)
{
    if (is_wide(job))
        return rank_by_buckets<KIND, uint64_t>(call, job, plan);
    if (!is_direct(job))
        return rank_by_buckets<KIND, uint32_t>(call, job, plan);
    if constexpr (KIND == RANK_BOTH)
        return rank_direct<KIND, double>(call, job, plan);
    else
        return with_rank_type(job->rank_type, [&](auto zero) {
            return rank_direct<KIND, decltype(zero)>(call, job, plan);
        });
}

ordo_status dev_rank(cuda_call *const call, const ordo_rank_job *const job)
{
    if (job->n == 0)
        return ORDO_OK;
    if (job->n > (size_t)1 << MOST_KEYS_LG)
        return ordo_fail(call->exec, ORDO_E_UNSUPPORTED,
                         "more than 2^%d keys are not ranked on a GPU", MOST_KEYS_LG);
    unsorted_plan const plan = plan_of(&call->scratch, job);
    TRY(order_keys(call, job, &plan));
    call->exec->facts.strategy = is_direct(job) ? ORDO_STRATEGY_SCATTER : ORDO_STRATEGY_BUCKETED;
    if (!is_direct(job))
        call->exec->facts.buckets = buckets_of(job->n, plan.shift[1]);
    switch (job->ties) {
    case ORDO_TIES_MIN:
        return rank_of_kind<RANK_LAST>(call, job, &plan);
    case ORDO_TIES_MAX:
        return rank_of_kind<RANK_NEXT>(call, job, &plan);
    case ORDO_TIES_DENSE:
        return rank_of_kind<RANK_COUNT>(call, job, &plan);
    case ORDO_TIES_ORDINAL:
        return rank_of_kind<RANK_INDEX>(call, job, &plan);
    case ORDO_TIES_AVERAGE:
        return rank_of_kind<RANK_BOTH>(call, job, &plan);
    }
    return ORDO_E_ARG;
}

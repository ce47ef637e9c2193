/* dev_rank.cu - ranks of an array in any order, and ranks of sorted records (lib/hybrid).
 *
 *   order    the backend's argsort, which keeps the sorted keys; or a merge of two sorted parts
 *   number   heads of the sorted keys (dev_rank_sorted.cu), and from them a rank for each place
 *   return   ranks[index[i]] = rank of place i
 * Small results are scattered directly. Large ones are partitioned by index first
 * (dev_rank_parts.cuh), because a scattered store moves a whole sector, and L2 takes only about
 * 50e9 of them per second. dev_put_ranks returns ranks part by part, so that the first part can
 * leave the device early. Memory moved besides the argsort, n < 2^31, 32-bit keys: keys 4 n, index
 * 4 n, records 32 n, ranks. Scratch: argsort, index, n / 8 bytes, two arrays of records. */
#include "cuda/rank/dev_rank_parts.cuh"
#include "cuda/runtime/cuda_paths.cuh"
#include "cuda/sort/dev_radix.cuh"
#include "cuda/sort/merge_sorted.cuh"

static constexpr int GATHER_THREADS = 256;

/* Scatters each rank to its index. An average rank (RANK_BOTH) is written as twice its value if
 * RANK is an integer. */
template <rank_kind KIND, typename RANK, typename INDEX>
static __global__ void __launch_bounds__(HEADS_THREADS)
    scatter_ranks(heads_table table, const INDEX *index, RANK *ranks)
{
    typedef typename word_of<sizeof(RANK)>::type NUM;

    heads_walk<KIND, NUM> walk = walk_start<KIND, NUM>(table);
    while (walk.left > 0) {
        heads_chunk<NUM> const chunk = walk_chunk(table, &walk);
#pragma unroll 8
        for (int row = 0; row < 32; row++) {
            vector_of<RANK, 1> const rank =
                warp_row_ranks<KIND, RANK, 1>(row, chunk.word, chunk.edges, (NUM)chunk.base);
            size_t const at = chunk.base + row * 32 + lane_id();
            if (at < table.n)
                ranks[index[at]] = rank.at[0];
        }
    }
}

template <typename CODE, typename INDEX>
static __global__ void __launch_bounds__(GATHER_THREADS)
    gather_bits(const typename CODE::BITS *keys, const INDEX *index, size_t n, CODE code,
                typename CODE::BITS *bits)
{
    size_t const i = (size_t)blockIdx.x * GATHER_THREADS + threadIdx.x;
    if (i < n)
        bits[i] = code.encode(keys[index[i]]);
}

static bool is_wide(const ordo_rank_job *job) { return job->n >= (size_t)1 << 31; }

static bool is_direct(const ordo_rank_job *job)
{
    return job->n * cuda_type_size(job->rank_type) <= CUDA_TUNE_RANK_DIRECT && !is_wide(job);
}

/* How the keys are ordered. The radix sort keeps the sorted keys; after other sorts the keys are
 * gathered. Ordinal ranks need no sorted keys. */
enum order_way {
    ORDER_KEEPS,
    ORDER_GATHERS,
    ORDER_ONLY
};

static order_way way_of(const ordo_rank_job *job)
{
    if (job->ties == ORDO_TIES_ORDINAL)
        return ORDER_ONLY;
    bool const radix =
        job->algorithm == ORDO_ALGORITHM_AUTO || job->algorithm == ORDO_ALGORITHM_RADIX;
    return radix ? ORDER_KEEPS : ORDER_GATHERS;
}

struct rank_plan {
    ordo_argsort_job order;
    void            *bits; /* sorted key bits, for ORDER_GATHERS */
    heads_table      table;
    rank_parts       parts; /* not used if ranks are scattered directly */
};

static rank_plan plan_of(cuda_scratch *scratch, const ordo_rank_job *job)
{
    rank_plan    plan = {};
    size_t const width = is_wide(job) ? sizeof(uint64_t) : sizeof(uint32_t);
    plan.order = {job->type,
                  job->keys,
                  job->n,
                  job->descending,
                  job->algorithm,
                  0,
                  is_wide(job) ? ORDO_U64 : ORDO_U32,
                  scratch_take<char>(scratch, job->n * width),
                  NULL};
    if (way_of(job) == ORDER_GATHERS)
        plan.bits = scratch_take<char>(scratch, job->n * cuda_type_size(job->type));
    plan.table = heads_take(scratch, job->n, job->ties == ORDO_TIES_AVERAGE);
    if (!is_direct(job))
        plan.parts = parts_layout(scratch, job->n, width, 1);
    return plan;
}

size_t dev_rank_scratch(const ordo_rank_job *job)
{
    cuda_scratch    counted = {};
    rank_plan const plan = plan_of(&counted, job);
    return counted.used + (way_of(job) == ORDER_KEEPS ? dev_radix_argsort_scratch(&plan.order)
                                                      : dev_argsort_scratch(&plan.order));
}

static ordo_status gather_keys(cuda_call *call, const rank_plan *plan)
{
    const ordo_argsort_job *const order = &plan->order;
    size_t const                  blocks = ordo_div_up(order->n, GATHER_THREADS);
    return with_key_code(order->type, order->descending, KEY_FOLDED, [&](auto code) {
        typedef decltype(code)      CODE;
        typedef typename CODE::BITS BITS;
        return with_word(order->index_type == ORDO_U64, [&](auto zero) {
            typedef decltype(zero) INDEX;
            return CUDA_LAUNCH(call, (gather_bits<CODE, INDEX>), blocks, GATHER_THREADS, 0,
                               (const BITS *)order->keys, (const INDEX *)order->index, order->n,
                               code, (BITS *)plan->bits);
        });
    });
}

/* The type of the gathered key bits: unsigned, as wide as the keys. */
static ordo_type bits_type(ordo_type type)
{
    size_t const size = cuda_type_size(type);
    return size == 1 ? ORDO_U8 : size == 2 ? ORDO_U16 : size == 4 ? ORDO_U32 : ORDO_U64;
}

static ordo_status order_keys(cuda_call *call, const ordo_rank_job *job, const rank_plan *plan)
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
static ordo_status rank_by_buckets(cuda_call *call, const ordo_rank_job *job, const rank_plan *plan)
{
    TRY((parts_begin<KIND, NUM>(call, &plan->parts, &plan->table, (const NUM *)plan->order.index)));
    return with_rank_type(job->rank_type, [&](auto zero) {
        return parts_return<NUM>(call, &plan->parts, 0, KIND == RANK_BOTH,
                                 (decltype(zero) *)job->ranks);
    });
}

template <rank_kind KIND, typename RANK>
static ordo_status rank_direct(cuda_call *call, const ordo_rank_job *job, const rank_plan *plan)
{
    return CUDA_LAUNCH(call, (scatter_ranks<KIND, RANK, uint32_t>), plan->table.blocks,
                       HEADS_THREADS, 0, plan->table, (const uint32_t *)plan->order.index,
                       (RANK *)job->ranks);
}

/* ---- The paths ---- */

struct rank_look {
    cuda_call           *call;
    const ordo_rank_job *job;
    const rank_plan     *plan; /* the keys are in order */
};

static bool fits_scatter(const rank_look *look) { return is_direct(look->job); }

static ordo_status rank_scattered(rank_look *look, bool *done)
{
    *done = true;
    look->call->exec->facts.strategy = ORDO_STRATEGY_SCATTER;
    return with_rank_rule(look->job->ties, [&](auto rule) {
        constexpr rank_kind KIND = decltype(rule)::KIND;
        if constexpr (KIND == RANK_BOTH)
            return rank_direct<KIND, double>(look->call, look->job, look->plan);
        else
            return with_rank_type(look->job->rank_type, [&](auto zero) {
                return rank_direct<KIND, decltype(zero)>(look->call, look->job, look->plan);
            });
    });
}

static ordo_status rank_bucketed(rank_look *look, bool *done)
{
    ordo_facts *const facts = &look->call->exec->facts;
    *done = true;
    facts->strategy = ORDO_STRATEGY_BUCKETED;
    facts->buckets = buckets_of(look->job->n, look->plan->parts.shift[1]);
    return with_rank_rule(look->job->ties, [&](auto rule) {
        constexpr rank_kind KIND = decltype(rule)::KIND;
        return is_wide(look->job)
                   ? rank_by_buckets<KIND, uint64_t>(look->call, look->job, look->plan)
                   : rank_by_buckets<KIND, uint32_t>(look->call, look->job, look->plan);
    });
}

static const cuda_path<rank_look> paths[] = {
    CUDA_PATH("rank", "scatter",
              "after an argsort; few enough ranks that scattered stores are fast", fits_scatter,
              rank_scattered),
    CUDA_PATH("rank", "buckets", "after an argsort; more ranks are divided by index first",
              cuda_always, rank_bucketed)};

const cuda_paths cuda_rank_paths = CUDA_PATHS(paths);

static ordo_status check_count(cuda_call *call, size_t n)
{
    if (n <= (size_t)1 << MOST_KEYS_LG)
        return ORDO_OK;
    return ordo_fail(call->exec, ORDO_E_UNSUPPORTED,
                     "%zu keys are too many to rank on a GPU; at most 2^%d are supported", n,
                     MOST_KEYS_LG);
}

ordo_status dev_rank(cuda_call *call, const ordo_rank_job *job)
{
    if (job->n == 0)
        return ORDO_OK;
    TRY(check_count(call, job->n));
    rank_plan const plan = plan_of(&call->scratch, job);
    TRY(order_keys(call, job, &plan));
    rank_look look = {call, job, &plan};
    bool      done = false;
    return cuda_walk(paths, 0, cuda_rank_paths.count, &look, &done);
}

struct put_plan {             /* the layout of job->work */
    void       *keys, *index; /* the merged records; NULL if the records are one sorted part */
    heads_table table;
    bool        direct;
    rank_parts  parts; /* not used if direct */
};

static put_plan plan_of(cuda_scratch *work, const ordo_put_job *job)
{
    put_plan     plan = {};
    size_t const width = cuda_type_size(job->index_type);
    plan.direct = job->n < job->total || job->total * width <= CUDA_TUNE_RANK_DIRECT;
    if (job->split < job->n) {
        plan.keys = scratch_take<char>(work, job->n * cuda_type_size(job->type));
        /* The merged indices may be stored in job->ranks, because they are read before the first
         * rank is written; not if ranks are scattered directly. */
        plan.index = plan.direct ? scratch_take<char>(work, job->n * width) : job->ranks;
    }
    plan.table = heads_take(work, job->n, job->ties == ORDO_TIES_AVERAGE);
    if (!plan.direct)
        plan.parts = parts_layout(work, job->total, width, job->parts);
    return plan;
}

size_t dev_put_ranks_work(const ordo_put_job *job)
{
    cuda_scratch counted = {};
    plan_of(&counted, job);
    return counted.used;
}

template <rank_kind KIND, typename NUM>
static ordo_status put_first(cuda_call *call, const ordo_put_job *job, const put_plan *plan,
                             const NUM *index)
{
    if (!plan->direct)
        return parts_begin<KIND>(call, &plan->parts, &plan->table, index);
    return CUDA_LAUNCH(call, (scatter_ranks<KIND, NUM, NUM>), plan->table.blocks, HEADS_THREADS, 0,
                       plan->table, index, (NUM *)job->ranks);
}

template <typename NUM>
static ordo_status merge(cuda_call *call, const ordo_put_job *job, const put_plan *plan)
{
    return with_key_code(job->type, job->descending, KEY_FOLDED, [&](auto code) {
        typedef decltype(code)                   CODE;
        typedef typename CODE::BITS              BITS;
        pairs_array<const BITS, const NUM> const from = {(const BITS *)job->sorted,
                                                         (const NUM *)job->index};
        pairs_array<BITS, NUM> const             to = {(BITS *)plan->keys, (NUM *)plan->index};
        return CUDA_LAUNCH(call, (merge_pairs<CODE, NUM>), ordo_div_up(job->n, MERGE_TILE),
                           MERGE_THREADS, 0, from, job->split, job->n, code, to);
    });
}

template <typename NUM>
static ordo_status put_all(cuda_call *call, const ordo_put_job *job, const put_plan *plan)
{
    const void *keys = job->sorted;
    const NUM  *index = (const NUM *)job->index;
    if (plan->keys != NULL) {
        TRY(merge<NUM>(call, job, plan));
        keys = plan->keys;
        index = (const NUM *)plan->index;
    }
    if (job->ties != ORDO_TIES_ORDINAL)
        TRY(dev_heads(call, &plan->table, job->type, keys));
    return with_rank_rule(job->ties, [&](auto rule) {
        return put_first<decltype(rule)::KIND>(call, job, plan, index);
    });
}

template <typename NUM>
static ordo_status put_part(cuda_call *call, const ordo_put_job *job, const put_plan *plan)
{
    if (job->part == 0)
        TRY(put_all<NUM>(call, job, plan));
    return plan->direct
               ? ORDO_OK
               : parts_return<NUM>(call, &plan->parts, job->part, false, (NUM *)job->ranks);
}

ordo_status dev_put_ranks(cuda_call *call, const ordo_put_job *job)
{
    cuda_scratch work = {(char *)job->work, 0};
    if (job->n == 0)
        return ORDO_OK;
    TRY(check_count(call, job->total));
    put_plan const plan = plan_of(&work, job);
    return job->index_type == ORDO_U32 ? put_part<uint32_t>(call, job, &plan)
                                       : put_part<uint64_t>(call, job, &plan);
}

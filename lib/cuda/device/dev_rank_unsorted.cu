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
#include "cuda/device/dev_radix.cuh"
#include "cuda/device/dev_rank.cuh"

enum {
    BUCKETS_LG = 10, /* most that one pass parts into */
    BUCKETS = 1 << BUCKETS_LG,
    BUCKETS_OF_THREAD = BUCKETS / HEADS_THREADS,
    TILE_ROWS = 16,                              /* of 32 ranks, of each warp */
    TILE = HEADS_WARPS * TILE_ROWS * WARP_LANES, /* ranks that a block parts at a time */
    LEAF_LG = CUDA_TUNE_RANK_LEAF_LG,            /* ranks of the last buckets */
    LEAF = 1 << LEAF_LG,
    LEAF_THREADS = 512,
    MOST_KEYS_LG = LEAF_LG + 2 * BUCKETS_LG,
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

/* ---- By buckets ---- */

/* A rank on its way: NUM is uint32_t, for n < 2^31, or uint64_t. */
template <typename NUM> struct alignas(2 * sizeof(NUM)) rank_record {
    NUM index, rank;
};

/* Bucket b, index >> shift, is records [b << shift, (b + 1) << shift). A tile's ranks go into
 * `buckets` neighbours, a power of two. */
template <typename NUM> struct part_plan {
    rank_record<NUM> *records;
    uint32_t         *taken; /* of each bucket, by the tiles so far */
    unsigned          shift, buckets;
};

/* Shared memory of a block that parts a tile. */
template <typename NUM> struct part_shared {
    rank_record<NUM> records[TILE]; /* by buckets */
    size_t           to[BUCKETS];   /* where a record goes, less its place in records */
    uint32_t         count[BUCKETS], start[BUCKETS];
    uint32_t         of_warp[HEADS_WARPS];
};

template <typename NUM>
static __device__ __forceinline__ part_shared<NUM> *part_start(char *const bytes)
{
    part_shared<NUM> *const shared = (part_shared<NUM> *)bytes;
    for (unsigned b = threadIdx.x; b < BUCKETS; b += HEADS_THREADS)
        shared->count[b] = 0;
    __syncthreads();
    return shared;
}

/* A place among the tile's records of a bucket. Lanes that all want the same one, as they do where
 * the array was sorted before, ask together. */
static __device__ __forceinline__ uint32_t place_in(uint32_t *const count, unsigned const bucket,
                                                    bool const there)
{
    unsigned const first = __shfl_sync(WARP_ALL, bucket, 0);
    if (__all_sync(WARP_ALL, there && bucket == first)) {
        uint32_t place = 0;
        if (lane_id() == 0)
            place = atomicAdd(&count[bucket], WARP_LANES);
        return __shfl_sync(WARP_ALL, place, 0) + lane_id();
    }
    return there ? atomicAdd(&count[bucket], 1) : 0;
}

/* Where each bucket's records begin in the tile, and where they go. Returns how many there are in
 * all. A thread has every HEADS_THREADS-th bucket, and records are kept by threads. */
template <typename NUM>
static __device__ __forceinline__ uint32_t part_places(part_shared<NUM> *const shared,
                                                       part_plan<NUM> const    plan,
                                                       size_t const            first_bucket)
{
    unsigned const warp = block_warp();
    uint32_t       count[BUCKETS_OF_THREAD], taken[BUCKETS_OF_THREAD];
    uint32_t       mine = 0, before = 0, all = 0;
#pragma unroll
    for (int b = 0; b < BUCKETS_OF_THREAD; b++) {
        unsigned const bucket = b * HEADS_THREADS + threadIdx.x;
        count[b] = shared->count[bucket];
        taken[b] = count[b] > 0 ? atomicAdd(&plan.taken[first_bucket + bucket], count[b]) : 0;
        shared->count[bucket] = 0; /* for the next tile */
        mine += count[b];
    }
    uint32_t sum = mine;
#pragma unroll
    for (unsigned distance = 1; distance < WARP_LANES; distance *= 2) {
        uint32_t const other = __shfl_up_sync(WARP_ALL, sum, distance);
        sum += lane_id() >= distance ? other : 0;
    }
    if (lane_id() == WARP_LANES - 1)
        shared->of_warp[warp] = sum;
    __syncthreads();
    for (unsigned w = 0; w < HEADS_WARPS; w++) {
        before += w < warp ? shared->of_warp[w] : 0;
        all += shared->of_warp[w];
    }
    uint32_t start = before + sum - mine;
#pragma unroll
    for (int b = 0; b < BUCKETS_OF_THREAD; b++) {
        unsigned const bucket = b * HEADS_THREADS + threadIdx.x;
        shared->start[bucket] = start;
        shared->to[bucket] = ((first_bucket + bucket) << plan.shift) + taken[b] - start;
        start += count[b];
    }
    return all;
}

/* Parts a tile, TILE_ROWS rows of each warp. The lane's record of a row has index of[row] and
 * rank_of(row), if the row has more than `lane` of the warp's `keys`. All threads of the block. */
template <typename NUM, typename RANK_OF>
static __device__ __forceinline__ void
part_tile(part_shared<NUM> *const shared, part_plan<NUM> const plan, size_t const first_bucket,
          const NUM (&of)[TILE_ROWS], unsigned const keys, RANK_OF &&rank_of)
{
    unsigned const inside = plan.buckets - 1;
    uint32_t       place[TILE_ROWS];
#pragma unroll
    for (int row = 0; row < TILE_ROWS; row++)
        place[row] = place_in(shared->count, (unsigned)(of[row] >> plan.shift) & inside,
                              row * 32 + lane_id() < keys);
    __syncthreads();
    uint32_t const records = part_places(shared, plan, first_bucket);
    __syncthreads();
#pragma unroll
    for (int row = 0; row < TILE_ROWS; row++) {
        rank_record<NUM> const record = {of[row], rank_of(row)};
        unsigned const         bucket = (unsigned)(of[row] >> plan.shift) & inside;
        if (row * 32 + lane_id() < keys)
            shared->records[shared->start[bucket] + place[row]] = record;
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < records; i += HEADS_THREADS) {
        rank_record<NUM> const record = shared->records[i];
        plan.records[shared->to[(unsigned)(record.index >> plan.shift) & inside] + i] = record;
    }
}

/* The first time: ranks as they are made. The chunks of a block's warps are far from each other,
 * which does not matter. */
template <rank_kind KIND, typename NUM>
static __global__ void __launch_bounds__(HEADS_THREADS, sizeof(NUM) == 4 ? 3 : 2)
    part_ranks(heads_table const table, const NUM *const index, part_plan<NUM> const plan)
{
    extern __shared__ __align__(16) char shared_bytes[];
    part_shared<NUM> *const              shared = part_start<NUM>(shared_bytes);
    heads_walk<KIND, NUM>                walk = walk_start<KIND, NUM>(table);
    while (__syncthreads_or(walk.left > 0)) {
        heads_chunk<NUM> chunk = {table.n, 0, {}}; /* of no keys */
        if (walk.left > 0)
            chunk = walk_chunk(table, &walk);
        for (int first = 0; first < HEADS_CHUNK / 32; first += TILE_ROWS) {
            size_t const   at = smaller(chunk.base + first * 32, table.n);
            unsigned const keys = (unsigned)smaller(table.n - at, TILE_ROWS * 32);
            NUM            of[TILE_ROWS];
#pragma unroll
            for (int row = 0; row < TILE_ROWS; row++)
                of[row] =
                    row * 32 + lane_id() < keys ? __ldcs(index + at + row * 32 + lane_id()) : 0;
            part_tile(shared, plan, 0, of, keys, [&](int row) {
                return warp_row_numbers<KIND, 1>(first + row, chunk.word, chunk.edges,
                                                 (NUM)chunk.base)
                    .at[0];
            });
        }
    }
}

/* The second time: records that are all of one bucket of the first time. */
template <typename NUM>
static __global__ void __launch_bounds__(HEADS_THREADS, sizeof(NUM) == 4 ? 3 : 2)
    part_records(const rank_record<NUM> *const from, size_t const n, part_plan<NUM> const plan)
{
    extern __shared__ __align__(16) char shared_bytes[];
    part_shared<NUM> *const              shared = part_start<NUM>(shared_bytes);
    size_t const                         tile = (size_t)blockIdx.x * TILE;
    size_t const                         at = smaller(tile + block_warp() * (TILE_ROWS * 32), n);
    unsigned const                       keys = (unsigned)smaller(n - at, TILE_ROWS * 32);
    size_t const first_bucket = tile >> plan.shift & ~(size_t)(plan.buckets - 1);
    NUM          of[TILE_ROWS], rank[TILE_ROWS];
#pragma unroll
    for (int row = 0; row < TILE_ROWS; row++) {
        rank_record<NUM> record = {0, 0};
        if (row * 32 + lane_id() < keys)
            record = from[at + row * 32 + lane_id()];
        of[row] = record.index;
        rank[row] = record.rank;
    }
    part_tile(shared, plan, first_bucket, of, keys, [&](int row) { return rank[row]; });
}

/* A block for each of the last buckets. */
template <typename RANK, typename NUM>
static __global__ void __launch_bounds__(LEAF_THREADS)
    return_ranks(const rank_record<NUM> *const records, size_t const n, bool const doubled,
                 RANK *const ranks)
{
    extern __shared__ __align__(16) char shared_bytes[];
    NUM *const                           leaf = (NUM *)shared_bytes;
    size_t const                         base = (size_t)blockIdx.x * LEAF;
    unsigned const                       count = (unsigned)smaller(n - base, LEAF);
#pragma unroll 8
    for (unsigned i = threadIdx.x; i < count; i += LEAF_THREADS) {
        rank_record<NUM> const record = records[base + i];
        leaf[record.index % LEAF] = record.rank;
    }
    __syncthreads();
#pragma unroll 8
    for (unsigned i = threadIdx.x; i < count; i += LEAF_THREADS)
        ranks[base + i] = doubled ? (RANK)((double)leaf[i] * 0.5) : (RANK)leaf[i];
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

static bool is_wide(const ordo_unsorted_job *const job) { return job->n >= (size_t)1 << 31; }

static bool is_direct(const ordo_unsorted_job *const job)
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

static order_way way_of(const ordo_unsorted_job *const job)
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

static size_t buckets_of(size_t const n, unsigned const shift)
{
    return ordo_div_up(n, (size_t)1 << shift);
}

static unsorted_plan plan_of(cuda_scratch *const scratch, const ordo_unsorted_job *const job)
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

    unsigned bits = 0; /* of a bucket's number; the two times take half of them each */
    while (job->n > (size_t)LEAF << bits)
        bits++;
    plan.shift[0] = LEAF_LG + bits / 2;
    plan.shift[1] = LEAF_LG;
    for (int time = 0; time < 2; time++) {
        plan.records[time] = scratch_take<char>(scratch, job->n * 2 * width);
        plan.taken[time] = scratch_take<uint32_t>(scratch, buckets_of(job->n, plan.shift[time]));
    }
    return plan;
}

size_t dev_rank_scratch(const ordo_unsorted_job *const job)
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

static ordo_status order_keys(cuda_call *const call, const ordo_unsorted_job *const job,
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

/* A kernel that wants more shared memory than every device has. */
#define LAUNCH_SHARED(call, kernel, grid, block, shared, ...)                                      \
    do {                                                                                           \
        CUDA_TRY((call)->exec,                                                                     \
                 cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,         \
                                      (int)(shared)));                                             \
        CUDA_LAUNCH(call, kernel, grid, block, shared, __VA_ARGS__);                               \
    } while (0)

template <rank_kind KIND, typename NUM>
static ordo_status rank_by_buckets(cuda_call *const call, const ordo_unsorted_job *const job,
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
static ordo_status rank_direct(cuda_call *const call, const ordo_unsorted_job *const job,
                               const unsorted_plan *const plan)
{
    CUDA_LAUNCH(call, (scatter_ranks<KIND, RANK>), plan->table.blocks, HEADS_THREADS, 0,
                plan->table, (const uint32_t *)plan->order.index, (RANK *)job->ranks);
    return ORDO_OK;
}

template <rank_kind KIND>
static ordo_status rank_of_kind(cuda_call *const call, const ordo_unsorted_job *const job,
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

ordo_status dev_rank(cuda_call *const call, const ordo_unsorted_job *const job)
{
    if (job->n == 0)
        return ORDO_OK;
    if (job->n > (size_t)1 << MOST_KEYS_LG)
        return ordo_fail(call->exec, ORDO_E_UNSUPPORTED,
                         "more than 2^%d keys are not ranked on a GPU", MOST_KEYS_LG);
    unsorted_plan const plan = plan_of(&call->scratch, job);
    TRY(order_keys(call, job, &plan));
    if (is_direct(job))
        ordo_note(call->exec, "ranks scattered straight");
    else
        ordo_note(call->exec, "ranks parted by index into %zu buckets",
                  buckets_of(job->n, plan.shift[1]));
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

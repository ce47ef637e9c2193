/* dev_radix_plan.cu - the histograms of all digits, and the plan made from them.
 *
 * One read of the keys: each block counts in shared memory, with COPIES counters per bin for
 * different lanes, and adds its counts to the global counts. The last block scans the bins and
 * writes the steps (dev_radix_plan.cuh). If the steps sort by a prefix only, the block looks up a
 * sample of the keys in a hash table, and writes steps for all digits if different keys of the
 * sample share a prefix. If one or three digits differ, the histogram also copies the keys. */
#include "cuda/sort/dev_radix_plan.cuh"

struct plan_digit { /* statistics of one digit; of a digit that is not active, as of one value */
    bool  active;
    float tied; /* probability that two keys have the same digit */
    float most; /* share of the most frequent digit */
};

/* Whether the digit has a bit that differs from the next lower one in some key. If not, lower
 * digits decide the order: bits in a row that are equal in each key count as the lowest of them. */
static DEVICE bool plan_decides(const radix_tables &tables, unsigned digit)
{
    uint64_t const unlike =
        (uint64_t)__ldcg(tables.plan->unlike + 1) << 32 | __ldcg(tables.plan->unlike);
    return ((unlike << 1 | 1) >> digit * RADIX_BITS) % RADIX_BINS != 0;
}

/* Scans the bins of a digit into starts. Called by one warp; valid in all lanes. */
static __device__ plan_digit plan_scan(const radix_tables &tables, unsigned digit, size_t n)
{
    unsigned const                  lane = threadIdx.x % 32;
    unsigned const                  each = RADIX_BINS / 32;
    const unsigned long long *const bins = tables.bins + digit * RADIX_BINS + lane * each;
    uint64_t *const                 starts =
        tables.starts + digit * (tables.portions + 1) * RADIX_BINS + lane * each;

    uint64_t count[each], total = 0;
    bool     single = false;
    float    tied = 0, most = 0;
#pragma unroll
    for (unsigned b = 0; b < each; b++) {
        count[b] = __ldcg(bins + b);
        total += count[b];
        single |= count[b] == n;
        float const share = (float)count[b] / (float)n;
        tied += share * share;
        most = fmaxf(most, share);
    }
    uint64_t scan = total;
#pragma unroll
    for (unsigned step = 1; step < 32; step *= 2) {
        uint64_t const below = __shfl_up_sync(WARP_ALL, scan, step);
        scan += lane >= step ? below : 0;
        tied += __shfl_xor_sync(WARP_ALL, tied, step);
        most = fmaxf(most, __shfl_xor_sync(WARP_ALL, most, step));
    }
    uint64_t at = scan - total;
#pragma unroll
    for (unsigned b = 0; b < each; b++) {
        starts[b] = at;
        at += count[b];
    }
    bool const active = __any_sync(WARP_ALL, single) == 0 && plan_decides(tables, digit);
    return {active, active ? tied : 1, active ? most : 1};
}

/* Writes the second list, for all digits that differ. Called by one thread. */
static __device__ void plan_again(radix_plan *plan, const radix_job &job)
{
    unsigned at = 0;
    for (unsigned d = 0; d < job.key_size; d++)
        at += plan->active[d];
    unsigned const steps = at;
    at = 0;
    for (unsigned d = 0; d < job.key_size; d++) {
        if (!plan->active[d])
            continue;
        bool const        first = at == 0, last = at + 1 == steps, raw = job.source == NULL;
        unsigned const    in = at % 2, out = 1 - in;
        radix_step *const step = &plan->again_step[at];
        step->keys_in = job.keys[in];
        step->keys_out = job.keys[out];
        step->values_in = job.values[in];
        step->values_out = job.values[out];
        step->shift = d * RADIX_BITS;
        step->digit = d;
        step->number = plan->steps + at;
        step->key_in = step->key_out = job.key_size;
        step->value_in = first ? job.value_out : job.value_size;
        step->value_out = last && out == 0 ? job.value_out : job.value_size;
        step->encode = raw && first;
        step->fold = false;
        step->loose = false;
        step->decode = raw && last;
        at++;
    }
    plan->again_settle = steps % 2;
    plan->again_steps = steps;
}

/* The number of leading digits after which blocks can sort the keys of each prefix (leaves),
 * assuming that the digits are independent; 0: no leaves. The next digit must be even, because it
 * fills the buckets of a leaf, and the leading digits not too uneven, because digits that depend on
 * each other are. `group`: most keys of a prefix. */
static __device__ unsigned plan_leaf_digits(const radix_job &job, const plan_digit *digit,
                                            float group)
{
    float    largest = (float)job.n;
    unsigned taken = 0;
    for (unsigned d = job.key_size; d > 0; d--) {
        float const uneven = digit[d - 1].tied * RADIX_BINS;
        if (largest <= group)
            return uneven > CUDA_TUNE_LEAF_EVEN ? 0 : taken;
        if (uneven > CUDA_TUNE_LEAF_UNEVEN)
            return 0;
        largest *= digit[d - 1].most;
        taken++;
    }
    return 0;
}

/* Chooses the leading digits after which few keys share a prefix; sets prefix_shift and leaf if
 * they are fewer than all that differ. `*steps`: the digits that differ; then those that are
 * sorted. Returns the lowest of these. Called by one thread. */
static __device__ unsigned plan_prefix(radix_plan *plan, const radix_job &job,
                                       const plan_digit *digit, unsigned *steps)
{
    float    tied = (float)job.n;
    unsigned taken = 0, d = job.key_size;
    while (d > 0 && tied * CUDA_TUNE_RADIX_TIED > 1) {
        d--;
        tied *= digit[d].tied;
        taken += digit[d].active;
    }
    unsigned       fewer = job.leaf ? plan_leaf_digits(job, digit, CUDA_TUNE_LEAF_GROUP) : 0;
    unsigned const fewest =
        job.large ? plan_leaf_digits(job, digit, CUDA_TUNE_LEAF_GROUP_LARGE) : 0;
    bool const large = fewest > 0 && (fewer == 0 || fewest < fewer);
    fewer = large ? fewest : fewer;
    /* Leaves take longer than a step, but not longer than a step and the finish. */
    plan->leaf = fewer > 0 && fewer + (taken == *steps) < taken ? 1 + large : 0;
    if (plan->leaf) {
        taken = fewer;
        d = job.key_size - fewer;
    }
    if (taken == 0 || taken >= *steps)
        return 0;
    *steps = taken;
    plan->prefix_shift = d * RADIX_BITS;
    return d;
}

/* Writes step `at` of `steps` of the first list, by digit d. `begin`: the arrays that the first
 * step reads; `finish`: the steps sort by a prefix. Called by one thread. */
static __device__ void plan_step(radix_plan *plan, const radix_job &job, const plan_digit &digit,
                                 unsigned d, unsigned at, unsigned steps, unsigned begin,
                                 bool finish)
{
    bool const first = at == 0, last = at + 1 == steps, from_source = job.source != NULL;
    /* With a source, the arrays are chosen so that the last step ends in arrays 0. */
    unsigned const    out = from_source ? (steps - 1 - at) % 2 : (begin + at + 1) % 2;
    uint16_t const    carried = from_source && job.key_size < 4 ? 4 : job.key_size;
    radix_step *const step = &plan->step[at];
    step->keys_in = first && from_source ? job.source : job.keys[1 - out];
    step->values_in = job.values[1 - out];
    step->keys_out = job.keys[out];
    step->values_out = job.values[out];
    step->shift = d * RADIX_BITS;
    step->digit = d;
    step->number = at;
    step->key_in = first ? job.key_size : carried;
    step->key_out = from_source && last && !job.keep_keys && !finish ? 0 : carried;
    step->value_in = first && from_source ? 0 : job.value_size;
    step->value_out = last ? job.value_out : job.value_size;
    step->encode = first;
    step->fold = first && from_source;
    step->decode = last && !from_source;
    /* Without values the order of equal digits does not matter in the first step, but many equal
     * digits would serialise the atomics. */
    step->loose = first && job.value_size == 0 && digit.tied * CUDA_TUNE_RADIX_LOOSE < 1;
}

/* Writes the first list of steps. `copied`: arrays 1 also have the keys. Called by one thread. */
static __device__ void plan_steps(radix_plan *plan, const radix_job &job, const plan_digit *digit,
                                  bool prefix, bool copied)
{
    unsigned const digits = job.key_size;
    unsigned       steps = 0, lowest = 0, at = 0;
    for (unsigned d = 0; d < digits; d++) {
        plan->active[d] = digit[d].active;
        steps += digit[d].active;
    }
    plan->prefix_shift = 0;
    plan->leaf = 0;
    if (prefix)
        lowest = plan_prefix(plan, job, digit, &steps);
    if (steps == 0 && job.source != NULL) { /* an argsort of equal keys still writes the indices */
        plan->active[digits - 1] = 1;
        lowest = digits - 1;
        steps = 1;
    }
    bool const     finish = plan->prefix_shift != 0;
    unsigned const begin = copied ? steps % 2 : 0;
    for (unsigned d = lowest; d < digits; d++)
        if (plan->active[d])
            plan_step(plan, job, digit[d], d, at++, steps, begin, finish);
    plan->steps = steps;
    plan->leaf_from = job.source != NULL ? 0 : (begin + steps) % 2;
    plan->settle = plan->leaf ? 0 : plan->leaf_from;
    if (finish)
        plan_again(plan, job);
}

/* Whether the histogram copies the keys to arrays 1: an odd number of steps then ends in arrays 0,
 * and the result need not be copied. The digits that differ in a sample tell the number; more than
 * three may be sorted by a prefix. Called by all threads; all blocks get the same answer. Contains
 * a barrier. */
template <typename CODE> static DEVICE bool plan_copies(const radix_job &job, CODE const &code)
{
    typedef typename CODE::BITS BITS;
    const BITS *const           keys = (const BITS *)job.keys[0];
    __shared__ uint32_t         differ[sizeof(BITS) / 4];
    if (job.source != NULL || job.value_size != 0 || job.n < CUDA_TUNE_RADIX_SAMPLE_FROM ||
        (size_t)keys % sizeof(uint4) != 0)
        return false;
    if (threadIdx.x < sizeof(BITS) / 4)
        differ[threadIdx.x] = 0;
    __syncthreads();
    BITS const one = code.encode(keys[0]);
    BITS       mine = 0;
#pragma unroll
    for (unsigned k = 0; k < 4; k++)
        mine |= one ^ code.encode(keys[job.n / 4 * k + job.n / 4 / blockDim.x * threadIdx.x]);
    unsigned active = 0;
#pragma unroll
    for (unsigned half = 0; half < sizeof(BITS) / 4; half++) {
        uint32_t const all = __reduce_or_sync(WARP_ALL, (uint32_t)(mine >> 32 * half));
        if (threadIdx.x % 32 == 0)
            atomicOr(differ + half, all);
    }
    __syncthreads();
#pragma unroll
    for (unsigned half = 0; half < sizeof(BITS) / 4; half++)
        active += __popc(__vcmpne4(differ[half], 0)) / RADIX_BITS;
    return active % 2 == 1 && active <= 3;
}

/* The place of sample key s: in the s-th part of the array. */
static DEVICE size_t plan_sample_at(const radix_tables &tables, size_t n, unsigned s)
{
    size_t const part = n / tables.sampled;
    return s * part + (size_t)(s * 0x9e3779b97f4a7c15ull >> 33) % part;
}

/* Whether an earlier sample key has the same prefix and is different. Key bits of 0 mean an empty
 * slot and are ignored. */
static __device__ bool plan_shares(const radix_tables &tables, uint64_t bits, unsigned shift)
{
    unsigned const slots = 2 * tables.sampled;
    if (bits == 0)
        return false;
    for (unsigned at = (unsigned)((bits >> shift) * 0x9e3779b97f4a7c15ull >> 40);; at++) {
        uint64_t const found = atomicCAS((unsigned long long *)tables.sample + at % slots, 0ull,
                                         (unsigned long long)bits);
        if (found == 0 || found == bits)
            return false;
        if (found >> shift == bits >> shift)
            return true;
    }
}

/* Adds the bits of a block to plan->unlike. */
template <typename BITS> static DEVICE void plan_note_unlike(const radix_tables &tables, BITS mine)
{
#pragma unroll
    for (unsigned half = 0; half < sizeof(BITS) / 4; half++) {
        uint32_t const all = __reduce_or_sync(WARP_ALL, (uint32_t)(mine >> 32 * half));
        if (threadIdx.x % 32 == 0 && (all & ~__ldcg(tables.plan->unlike + half)) != 0)
            atomicOr(tables.plan->unlike + half, all);
    }
}

/* The shape of the histogram's blocks. WIDE: a counter for each lane, or for two lanes if there are
 * eight digits, so that lanes have their own banks of shared memory; it takes most of that memory
 * and is for many keys. */
template <typename RAW, bool WIDE> struct histogram_shape {
    enum {
        DIGITS = sizeof(RAW),
        COPIES = WIDE ? (DIGITS <= 4 ? 32 : 16) : DIGITS <= 4 ? 4 : 2,
        COUNTERS = DIGITS * RADIX_BINS * COPIES,
        THREADS = WIDE ? 1024 : CUDA_TUNE_RADIX_HISTOGRAM_THREADS,
        AT_ONCE = WIDE ? 4 : 1 /* vectors that a thread loads at once */
    };
};

/* Calls add with every key and, if `copies`, copies the keys to arrays 1. Called by all threads of
 * the grid. */
template <unsigned AT_ONCE, typename RAW, typename F>
static DEVICE void histogram_read(const radix_job &job, bool copies, F &&add)
{
    constexpr unsigned EACH = 16 / sizeof(RAW);
    const RAW *const   keys = (const RAW *)(job.source != NULL ? job.source : job.keys[0]);
    size_t const       head = min((16 - (size_t)keys % 16) % 16 / sizeof(RAW), job.n);
    size_t const       chunks = (job.n - head) / EACH;
    const uint4 *const vectors = (const uint4 *)(keys + head);
    size_t const       threads = (size_t)gridDim.x * blockDim.x;
    size_t const       me = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (size_t c = me; c < chunks; c += AT_ONCE * threads) {
        vector_16<RAW> chunk[AT_ONCE];
#pragma unroll
        for (unsigned j = 0; j < AT_ONCE; j++)
            if (c + j * threads < chunks)
                chunk[j].all = vectors[c + j * threads];
#pragma unroll
        for (unsigned j = 0; j < AT_ONCE; j++)
            if (c + j * threads < chunks) {
                if (copies)
                    ((uint4 *)job.keys[1])[c + j * threads] = chunk[j].all;
#pragma unroll
                for (unsigned k = 0; k < EACH; k++)
                    add(chunk[j].key[k]);
            }
    }
    for (size_t i = me; i < head; i += threads)
        add(keys[i]);
    for (size_t i = head + chunks * EACH + me; i < job.n; i += threads) {
        add(keys[i]);
        if (copies)
            ((RAW *)job.keys[1])[i] = keys[i];
    }
}

/* Adds the counts of a block, [digit][bin][copy], to those of the grid. */
template <unsigned DIGITS, unsigned COPIES>
static DEVICE void histogram_add(const radix_tables &tables, const uint32_t *count)
{
    for (unsigned i = threadIdx.x; i < DIGITS * RADIX_BINS; i += blockDim.x) {
        uint32_t sum = 0;
#pragma unroll
        for (unsigned c = 0; c < COPIES; c++) /* lanes read different banks */
            sum += count[i * COPIES + (c + threadIdx.x) % COPIES];
        if (sum != 0)
            atomicAdd(tables.bins + i, (unsigned long long)sum);
    }
}

/* Makes the plan from the counts of the grid. `plan` is in shared memory and zero. Called by all
 * threads of the last block. */
template <unsigned DIGITS, typename RAW, typename CODE>
static DEVICE void histogram_plan(radix_plan *plan, const radix_job &job, CODE const &code,
                                  const radix_tables &tables, bool copies)
{
    __shared__ plan_digit digit[RADIX_DIGITS];
    __shared__ unsigned   crowded; /* sample keys that share a prefix */
    const RAW *const      keys = (const RAW *)(job.source != NULL ? job.source : job.keys[0]);
    for (unsigned d = threadIdx.x / 32; d < DIGITS; d += blockDim.x / 32) {
        plan_digit const found = plan_scan(tables, d, job.n);
        if (threadIdx.x % 32 == 0)
            digit[d] = found;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        plan_steps(plan, job, digit, job.finish, copies);
        crowded = 0;
    }
    __syncthreads();
    unsigned const shift = plan->prefix_shift;
    if (shift == 0 || plan->leaf != 0 || tables.sampled == 0)
        return;
    for (unsigned s = threadIdx.x; s < tables.sampled; s += blockDim.x)
        if (plan_shares(tables, code.fold(code.encode(keys[plan_sample_at(tables, job.n, s)])),
                        shift))
            atomicAdd(&crowded, 1u);
    __syncthreads();
    if (threadIdx.x == 0 && crowded > CUDA_TUNE_RADIX_CROWDED)
        plan_steps(plan, job, digit, false, copies);
    __syncthreads();
}

template <typename RAW, typename CODE, bool WIDE>
static __global__ void __launch_bounds__(histogram_shape<RAW, WIDE>::THREADS)
    radix_histogram(radix_job const job, CODE const code, radix_tables const tables)
{
    typedef histogram_shape<RAW, WIDE> SHAPE;
    typedef typename CODE::BITS        BITS;
    constexpr unsigned                 DIGITS = SHAPE::DIGITS, COPIES = SHAPE::COPIES;
    extern __shared__ uint4            histogram_memory[];
    auto *const                        count = (uint32_t *)histogram_memory;
    __shared__ bool                    last;
    __shared__ radix_plan              plan; /* built here, then copied to tables.plan */

    if ((job.even || job.grid) && tables.even->go != 0 && tables.even->failed == 0)
        return; /* the keys are sorted; a plan of zeros has no steps */
    for (unsigned i = threadIdx.x; i < DIGITS * RADIX_BINS * COPIES / 4; i += blockDim.x)
        ((uint4 *)count)[i] = make_uint4(0, 0, 0, 0);
    for (unsigned i = threadIdx.x; i < sizeof plan / sizeof(uint32_t); i += blockDim.x)
        ((uint32_t *)&plan)[i] = 0;
    bool copies = false;
    if constexpr (sizeof(RAW) == sizeof(BITS))
        copies = plan_copies(job, code);
    __syncthreads();

    uint32_t *const mine = count + threadIdx.x % COPIES;
    BITS            unlike = 0;
    histogram_read<SHAPE::AT_ONCE, RAW>(job, copies, [&](RAW raw) {
        BITS const bits = code.fold(code.encode(raw));
        unlike |= bits ^ bits >> 1;
#pragma unroll
        for (unsigned d = 0; d < DIGITS; d++) {
            unsigned const value = (unsigned)(bits >> d * RADIX_BITS) % RADIX_BINS;
            atomicAdd(mine + (d * RADIX_BINS + value) * COPIES, 1u);
        }
    });
    __syncthreads();

    plan_note_unlike(tables, unlike);
    histogram_add<DIGITS, COPIES>(tables, count);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(&tables.plan->blocks_done, 1u) + 1 == gridDim.x;
    __syncthreads();
    if (!last)
        return;
    __threadfence();
    histogram_plan<DIGITS, RAW>(&plan, job, code, tables, copies);
    for (unsigned i = threadIdx.x; i < sizeof plan / sizeof(uint32_t); i += blockDim.x)
        ((uint32_t *)tables.plan)[i] = ((const uint32_t *)&plan)[i];
}

template <bool WIDE, typename RAW, typename CODE>
static ordo_status launch_histogram(cuda_call *call, const radix_job *job, CODE code,
                                    radix_tables tables)
{
    typedef histogram_shape<RAW, WIDE> SHAPE;
    size_t const threads = SHAPE::THREADS, bytes = SHAPE::COUNTERS * sizeof(uint32_t);
    size_t const wanted =
        ordo_div_up(job->n * sizeof(RAW), (WIDE ? 1 : 2) * threads * sizeof(uint4));
    size_t const most = (size_t)call->facts->sms * (WIDE ? 1 : 2048 / threads);
    auto *const  histogram = radix_histogram<RAW, CODE, WIDE>;
    TRY(cuda_allow_shared(call, histogram, bytes));
    return CUDA_LAUNCH(call, histogram, ordo_min(wanted, most), threads, bytes, *job, code, tables);
}

template <typename RAW, typename CODE>
static ordo_status make_plan(cuda_call *call, const radix_job *job, CODE code, radix_tables tables)
{
    size_t const others = 4096; /* the other arrays of the kernel have less */
    size_t const bytes = histogram_shape<RAW, true>::COUNTERS * sizeof(uint32_t) + others;
    if constexpr (sizeof(RAW) >= 4)
        if (job->n * sizeof(RAW) >= CUDA_TUNE_RADIX_WIDE_FROM && bytes <= call->facts->shared_bytes)
            return launch_histogram<true, RAW>(call, job, code, tables);
    return launch_histogram<false, RAW>(call, job, code, tables);
}

template <typename CODE>
ordo_status radix_make_plan(cuda_call *call, const radix_job *job, CODE code, radix_tables tables)
{
    if constexpr (sizeof(typename CODE::BITS) == 8)
        return make_plan<uint64_t>(call, job, code, tables);
    else if (CODE::is_float || job->key_size == 4)
        return make_plan<uint32_t>(call, job, code, tables);
    else
        return job->key_size == 1 ? make_plan<uint8_t>(call, job, code, tables)
                                  : make_plan<uint16_t>(call, job, code, tables);
}

#define INSTANCE(BITS, FLOAT, TIES)                                                                \
    template ordo_status radix_make_plan(cuda_call *, const radix_job *,                           \
                                         radix_code<BITS, FLOAT, TIES>, radix_tables);
INSTANCE(uint32_t, false, false)
INSTANCE(uint64_t, false, false)
INSTANCE(uint32_t, true, false)
INSTANCE(uint32_t, true, true)
INSTANCE(uint64_t, true, false)
INSTANCE(uint64_t, true, true)
#undef INSTANCE

/* dev_radix_small.cu - a sort in one launch, for arrays that fit in the shared memory of one block.
 *
 * Up to 4096 keys are sorted by buckets (dev_radix_small_buckets.cuh). If many of them are in dense
 * buckets of different keys, and for more keys, the block sorts by digits
 * (dev_radix_small_digits.cuh). Cost: one read, one write. */
#include "cuda/sort/short/dev_radix_small_buckets.cuh"

/* Loads the keys of a thread, and the sample. A barrier must follow. */
template <typename CODE, int THREADS, int ITEMS, bool TIES, typename BITS = typename CODE::BITS>
static DEVICE void small_read(small_buckets<BITS, THREADS, ITEMS, TIES> *s, CODE const &code,
                              const radix_job &job, BITS *keys)
{
    unsigned const t = threadIdx.x, n = (unsigned)job.n;
    BITS           drawn = 0;
    auto const     load = [&](auto &&key_at) {
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            keys[i] = i * THREADS + t < n ? key_at(i * THREADS + t) : (BITS)0;
        if (t < SHARES_SAMPLE)
            drawn = key_at(shares_drawn(t, n));
    };
    if (small_is_whole<CODE> || job.key_size == sizeof(BITS)) {
        const BITS *const source = (const BITS *)(job.source != NULL ? job.source : job.keys[0]);
        load([&](unsigned p) { return source[p]; });
    } else {
        load([&](unsigned p) { return small_load<CODE>(job, p); });
    }
    small_clear(s);
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        keys[i] = code.encode(keys[i]);
    if (t < SHARES_SAMPLE)
        s->shares.sample[t] = code.fold(code.encode(drawn));
}

/* ITEMS 16: too many keys for buckets. */
template <typename CODE, int THREADS, int ITEMS, bool TIES, typename BITS = typename CODE::BITS>
static __global__ void __launch_bounds__(THREADS, 1)
    radix_small_kernel(radix_job const job, CODE const code)
{
    extern __shared__ uint4 small_words[];
    auto *const             digits = (small_digits<BITS, THREADS, ITEMS> *)small_words;
    if constexpr (ITEMS < 16) {
        auto *const buckets = (small_buckets<BITS, THREADS, ITEMS, TIES> *)small_words;
        BITS        bits[ITEMS];
        small_read(buckets, code, job, bits);
        if (small_by_buckets(buckets, code, job, bits))
            return;
        __syncthreads();
    }
    small_by_digits(digits, code, (unsigned)job.n,
                    [&](unsigned p) { return code.encode(small_load<CODE>(job, p)); });
    small_write(digits, code, job);
}

bool radix_is_small(const cuda_call *call, const radix_job *job)
{
    size_t const shared = job->n <= 1024 * 4
                              ? small_bytes<uint64_t, 1024, 4, true>()
                              : sizeof(small_digits<uint64_t, 1024, CUDA_TUNE_RADIX_SMALL / 1024>);
    return job->n <= CUDA_TUNE_RADIX_SMALL && shared <= call->facts->shared_bytes;
}

template <bool TIES, int THREADS, int ITEMS, typename CODE>
static ordo_status launch(cuda_call *call, const radix_job *job, CODE code)
{
    auto *const  kernel = radix_small_kernel<CODE, THREADS, ITEMS, TIES>;
    size_t const shared = ITEMS < 16 ? small_bytes<typename CODE::BITS, THREADS, ITEMS, TIES>()
                                     : sizeof(small_digits<typename CODE::BITS, THREADS, ITEMS>);
    TRY(cuda_allow_shared(call, kernel, shared));
    return CUDA_LAUNCH(call, kernel, 1, THREADS, shared, *job, code);
}

ordo_status radix_small(cuda_call *call, const radix_job *job, ordo_type type, bool descending)
{
    if (job->n <= 1024 * 4 && job->value_size == 0)
        return with_radix_code<false>(type, descending, KEY_TOTAL, [&](auto code) {
            return job->n <= 512 * 4 ? launch<false, 512, 4>(call, job, code)
                                     : launch<false, 1024, 4>(call, job, code);
        });
    return with_radix_code<true>(type, descending, KEY_TOTAL, [&](auto code) {
        if (job->value_size == 0)
            code.unfold();
        if (job->n <= 512 * 4)
            return launch<true, 512, 4>(call, job, code);
        if (job->n <= 1024 * 4)
            return launch<true, 1024, 4>(call, job, code);
        return launch<true, 1024, CUDA_TUNE_RADIX_SMALL / 1024>(call, job, code);
    });
}

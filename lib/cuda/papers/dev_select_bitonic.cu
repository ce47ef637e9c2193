/* dev_select_bitonic.cu - selection by sorting, as in the median paper: sub-arrays are sorted in
 * shared memory by a bitonic network and merged, and the wanted keys are read.
 *
 * The paper merges on one thread of the host; here the whole grid merges pairs of sub-arrays
 * (merge_sorted.cuh). Larger sub-arrays cost more comparisons and fewer merge passes.
 * Cost: n lg^2(sub_array) / 4 comparisons, then lg(n / sub_array) passes that read and write n
 * words. Scratch: 2 n words. */
#include "cuda/papers/papers.cuh"
#include "cuda/select/dev_select.cuh"
#include "cuda/sort/merge_sorted.cuh"

static constexpr int THREADS = 256;

select_bitonic_work select_bitonic_layout(cuda_scratch *scratch, const ordo_select_job *job)
{
    size_t const        word = cuda_type_size(job->type) == 8 ? 8 : 4;
    select_bitonic_work work;
    work.words = scratch_take<char>(scratch, job->n * word);
    work.others = scratch_take<char>(scratch, job->n * word);
    work.k = scratch_take<uint64_t>(scratch, job->count);
    return work;
}

template <typename CODE, typename WORD>
static __global__ void __launch_bounds__(THREADS)
    sub_array_kernel(CODE code, const typename CODE::BITS *keys, size_t n, unsigned sub_array,
                     WORD *out)
{
    __shared__ WORD words[bitonic_room<WORD>(BITONIC_SUB_ARRAY_MAX)];
    size_t const    first = (size_t)blockIdx.x * sub_array;
    unsigned const  count = (unsigned)(n - first < sub_array ? n - first : sub_array);
    for (unsigned i = threadIdx.x; i < sub_array; i += THREADS)
        words[bitonic_at<WORD>(i)] =
            i < count ? (WORD)code.encode(keys[first + i]) : (WORD) ~(WORD)0;
    block_bitonic_sort(words, sub_array);
    for (unsigned i = threadIdx.x; i < count; i += THREADS)
        out[first + i] = words[bitonic_at<WORD>(i)];
}

ordo_status select_bitonic_sort(cuda_call *call, const ordo_select_job *job,
                                const select_bitonic_work *work, unsigned sub_array)
{
    return with_key_code(job->type, job->descending, KEY_TOTAL, [&](auto code) {
        typedef typename decltype(code)::BITS    BITS;
        typedef typename select_word<BITS>::type WORD;
        return CUDA_LAUNCH(call, (sub_array_kernel<decltype(code), WORD>),
                           ordo_div_up(job->n, sub_array), THREADS, 0, code,
                           (const BITS *)job->keys, job->n, sub_array, (WORD *)work->words);
    });
}

template <typename WORD>
static ordo_status merge_words(cuda_call *call, const select_bitonic_work *work, size_t n,
                               unsigned sub_array, void **sorted)
{
    WORD *merged;
    TRY(merge_sorted(call, (WORD *)work->words, (WORD *)work->others, n, sub_array, &merged));
    *sorted = merged;
    return ORDO_OK;
}

ordo_status select_bitonic_merge(cuda_call *call, const ordo_select_job *job,
                                 const select_bitonic_work *work, unsigned sub_array, void **sorted)
{
    return cuda_type_size(job->type) == 8
               ? merge_words<uint64_t>(call, work, job->n, sub_array, sorted)
               : merge_words<uint32_t>(call, work, job->n, sub_array, sorted);
}

template <typename CODE, typename WORD>
static __global__ void __launch_bounds__(THREADS)
    read_kernel(CODE code, const WORD *sorted, const uint64_t *k, size_t count,
                typename CODE::BITS *out)
{
    size_t const i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < count)
        out[i] = code.decode((typename CODE::BITS)sorted[k[i]]);
}

ordo_status select_bitonic_read(cuda_call *call, const ordo_select_job *job,
                                const select_bitonic_work *work, const void *sorted)
{
    TRY(select_put_positions(call, job, work->k));
    return with_key_code(job->type, job->descending, KEY_TOTAL, [&](auto code) {
        typedef typename decltype(code)::BITS    BITS;
        typedef typename select_word<BITS>::type WORD;
        return CUDA_LAUNCH(call, (read_kernel<decltype(code), WORD>),
                           ordo_div_up(job->count, THREADS), THREADS, 0, code, (const WORD *)sorted,
                           work->k, job->count, (BITS *)job->out);
    });
}

size_t dev_select_bitonic_scratch(const ordo_select_job *job)
{
    cuda_scratch scratch = {};
    (void)select_bitonic_layout(&scratch, job);
    return scratch.used;
}

ordo_status dev_select_bitonic(cuda_call *call, const ordo_select_job *job, unsigned sub_array)
{
    select_bitonic_work const work = select_bitonic_layout(&call->scratch, job);
    void                     *sorted;
    TRY(select_bitonic_sort(call, job, &work, sub_array));
    TRY(select_bitonic_merge(call, job, &work, sub_array, &sorted));
    TRY(select_bitonic_read(call, job, &work, sorted));
    call->exec->algorithm = "bitonic";
    call->exec->facts.strategy = ORDO_STRATEGY_SUB_ARRAYS;
    call->exec->facts.tile = sub_array;
    return ORDO_OK;
}

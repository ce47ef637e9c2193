/* dev_select_bitonic.cu - selection by sorted sub-arrays: each block sorts one in shared memory by
 * a bitonic network, the sub-arrays are merged, and the wanted keys are read.
 *
 * BITONIC is B. Alyafi and F. Khalid, "Median Element Parallelized Search": a block has half as
 * many threads as keys; a thread orders a whole box of the network (Algorithm 1), so most threads
 * are idle in wide steps; one host thread merges (Algorithm 2, paper_merge.t.h). MERGE uses
 * all threads in every step (block_bitonic.cuh), and the grid merges pairs of sub-arrays
 * (merge_sorted.cuh) in lg(n / sub_array) passes. Scratch: n words (MERGE 2 n); BITONIC also 2 n
 * words and the heads of the sub-arrays on the host. */
#include "cuda/runtime/cuda_dev.cuh"
#include "cuda/select/dev_select.cuh"
#include "cuda/sort/merge_sorted.cuh"
#include "papers/median/median.h"

#include <chrono>

#define ORDO_TEMPLATE "papers/median/paper_merge.t.h"
#include "core/for_each_word.h"

static constexpr int THREADS = 256;

static size_t word_bytes(const ordo_select_job *job)
{
    return cuda_type_size(job->type) == 8 ? 8 : 4;
}

select_bitonic_work select_bitonic_layout(cuda_scratch *scratch, const ordo_select_job *job)
{
    select_bitonic_work work = {};
    work.words = scratch_take<char>(scratch, job->n * word_bytes(job));
    if (job->algorithm == ORDO_ALGORITHM_MERGE) {
        work.others = scratch_take<char>(scratch, job->n * word_bytes(job));
        work.k = scratch_take<uint64_t>(scratch, job->count);
    }
    return work;
}

/* Algorithm 1 of the paper: orders the two halves of a box, word by word. */
template <typename WORD> static DEVICE void order_halves(WORD *words, unsigned length, bool up)
{
    for (unsigned top = 0, bottom = length / 2; bottom < length; top++, bottom++) {
        WORD const a = words[top], b = words[bottom];
        if ((a > b) == up) {
            words[top] = b;
            words[bottom] = a;
        }
    }
}

/* The paper's kernel. In a step with boxes of `length` words, thread t has box t, and threads
 * without a box wait. Sequences of `size` words become sorted, every second one descending. */
template <typename CODE, typename WORD>
static __global__ void __launch_bounds__(CUDA_MOST_SUB_ARRAY / 2)
    paper_sort_kernel(CODE code, const typename CODE::BITS *keys, size_t n, unsigned sub_array,
                      WORD *out)
{
    __shared__ WORD words[CUDA_MOST_SUB_ARRAY];
    size_t const    first = (size_t)blockIdx.x * sub_array;
    unsigned const  count = (unsigned)(n - first < sub_array ? n - first : sub_array);
    for (unsigned i = threadIdx.x; i < sub_array; i += blockDim.x)
        words[i] = i < count ? (WORD)code.encode(keys[first + i]) : (WORD) ~(WORD)0;
    for (unsigned size = 2; size <= sub_array; size *= 2)
        for (unsigned length = size; length > 1; length /= 2) {
            unsigned const start = threadIdx.x * length;
            __syncthreads();
            if (start < sub_array)
                order_halves(words + start, length, (start & size) == 0);
        }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
        out[first + i] = words[i];
}

template <typename CODE, typename WORD>
static __global__ void __launch_bounds__(THREADS)
    sub_array_kernel(CODE code, const typename CODE::BITS *keys, size_t n, unsigned sub_array,
                     WORD *out)
{
    __shared__ WORD words[bitonic_room<WORD>(CUDA_MOST_SUB_ARRAY)];
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
                                const select_bitonic_work *work)
{
    unsigned const sub_array = (unsigned)job->sub_array;
    return with_key_code(job->type, job->descending, KEY_TOTAL, [&](auto code) {
        typedef typename decltype(code)::BITS    BITS;
        typedef typename select_word<BITS>::type WORD;
        if (job->algorithm == ORDO_ALGORITHM_BITONIC || sub_array < BITONIC_LEAST)
            return CUDA_LAUNCH(call, (paper_sort_kernel<decltype(code), WORD>),
                               ordo_div_up(job->n, sub_array), sub_array / 2, 0, code,
                               (const BITS *)job->keys, job->n, sub_array, (WORD *)work->words);
        return CUDA_LAUNCH(call, (sub_array_kernel<decltype(code), WORD>),
                           ordo_div_up(job->n, sub_array), THREADS, 0, code,
                           (const BITS *)job->keys, job->n, sub_array, (WORD *)work->words);
    });
}

template <typename WORD>
static ordo_status merge_words(cuda_call *call, const select_bitonic_work *work, size_t n,
                               size_t sub_array, void **sorted)
{
    WORD *merged;
    TRY(merge_sorted(call, (WORD *)work->words, (WORD *)work->others, n, sub_array, &merged));
    *sorted = merged;
    return ORDO_OK;
}

ordo_status select_bitonic_merge(cuda_call *call, const ordo_select_job *job,
                                 const select_bitonic_work *work, void **sorted)
{
    return word_bytes(job) == 8 ? merge_words<uint64_t>(call, work, job->n, job->sub_array, sorted)
                                : merge_words<uint32_t>(call, work, job->n, job->sub_array, sorted);
}

/* Writes the wanted keys. k is NULL if `sorted` holds only the wanted words. */
template <typename CODE, typename WORD>
static __global__ void __launch_bounds__(THREADS)
    read_kernel(CODE code, const WORD *sorted, const uint64_t *k, size_t count,
                typename CODE::BITS *out)
{
    size_t const i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < count)
        out[i] = code.decode((typename CODE::BITS)sorted[k == NULL ? i : k[i]]);
}

static ordo_status read_words(cuda_call *call, const ordo_select_job *job, const void *sorted,
                              const uint64_t *k)
{
    return with_key_code(job->type, job->descending, KEY_TOTAL, [&](auto code) {
        typedef typename decltype(code)::BITS    BITS;
        typedef typename select_word<BITS>::type WORD;
        return CUDA_LAUNCH(call, (read_kernel<decltype(code), WORD>),
                           ordo_div_up(job->count, THREADS), THREADS, 0, code, (const WORD *)sorted,
                           k, job->count, (BITS *)job->out);
    });
}

ordo_status select_bitonic_read(cuda_call *call, const ordo_select_job *job,
                                const select_bitonic_work *work, const void *sorted)
{
    TRY(select_put_positions(call, job, work->k));
    return read_words(call, job, sorted, work->k);
}

/* ---- The paper's merge, on the host ---- */

struct timed_events {
    cudaEvent_t began = NULL, ended = NULL;

    ~timed_events()
    {
        if (began != NULL)
            (void)cudaEventDestroy(began);
        if (ended != NULL)
            (void)cudaEventDestroy(ended);
    }
};

/* Sorts the sub-arrays, waits for them, and measures the time of the kernel alone. */
static ordo_status sort_timed(cuda_call *call, const ordo_select_job *job,
                              const select_bitonic_work *work, double *seconds)
{
    timed_events events;
    float        ms = 0;
    CUDA_TRY(call->exec, cudaEventCreate(&events.began));
    CUDA_TRY(call->exec, cudaEventCreate(&events.ended));
    CUDA_TRY(call->exec, cudaEventRecord(events.began, call->stream));
    TRY(select_bitonic_sort(call, job, work));
    CUDA_TRY(call->exec, cudaEventRecord(events.ended, call->stream));
    CUDA_TRY(call->exec, cudaStreamSynchronize(call->stream));
    CUDA_TRY(call->exec, cudaEventElapsedTime(&ms, events.began, events.ended));
    *seconds = 1e-3 * (double)ms;
    return ORDO_OK;
}

struct host_words { /* host scratch */
    void *words, *merged, *heads;
};

static ordo_status host_layout(cuda_call *call, const ordo_select_job *job, host_words *host)
{
    size_t const bytes = job->n * word_bytes(job);
    TRY(ordo_scratch(call->exec, bytes, &host->words));
    TRY(ordo_scratch(call->exec, bytes, &host->merged));
    return ordo_scratch(call->exec, ordo_div_up(job->n, job->sub_array) * sizeof(size_t),
                        &host->heads);
}

/* Merges the words and moves the wanted ones to the front of host->words. */
static bool merge_on_host(const host_words *host, const ordo_select_job *job, ordo_exec *exec)
{
    size_t *const heads = (size_t *)host->heads;
    if (word_bytes(job) == 8) {
        uint64_t *const words = (uint64_t *)host->words, *const merged = (uint64_t *)host->merged;
        if (!merge_sub_arrays_64(words, job->n, job->sub_array, heads, merged, exec))
            return false;
        for (size_t j = 0; j < job->count; j++)
            words[j] = merged[job->k[j]];
    } else {
        uint32_t *const words = (uint32_t *)host->words, *const merged = (uint32_t *)host->merged;
        if (!merge_sub_arrays_32(words, job->n, job->sub_array, heads, merged, exec))
            return false;
        for (size_t j = 0; j < job->count; j++)
            words[j] = merged[job->k[j]];
    }
    return true;
}

static ordo_status select_as_in_paper(cuda_call *call, const ordo_select_job *job,
                                      const select_bitonic_work *work)
{
    typedef std::chrono::steady_clock clock;
    ordo_exec *const                  exec = call->exec;
    host_words                        host;
    TRY(call_may_answer(call));
    TRY(host_layout(call, job, &host));
    TRY(sort_timed(call, job, work, &exec->facts.phase_seconds[0]));
    CUDA_TRY(exec, cudaMemcpyAsync(host.words, work->words, job->n * word_bytes(job),
                                   cudaMemcpyDeviceToHost, call->stream));
    CUDA_TRY(exec, cudaStreamSynchronize(call->stream));
    clock::time_point const began = clock::now();
    if (!merge_on_host(&host, job, exec))
        return ORDO_E_CANCELLED;
    exec->facts.phase_seconds[1] = std::chrono::duration<double>(clock::now() - began).count();
    CUDA_TRY(exec, cudaMemcpyAsync(work->words, host.words, job->count * word_bytes(job),
                                   cudaMemcpyHostToDevice, call->stream));
    TRY(read_words(call, job, work->words, NULL));
    CUDA_TRY(exec, cudaStreamSynchronize(call->stream)); /* the host scratch is released after this
                                                          * call */
    return ORDO_OK;
}

/* ---- The verb ---- */

size_t dev_select_bitonic_scratch(const ordo_select_job *job)
{
    cuda_scratch scratch = {};
    (void)select_bitonic_layout(&scratch, job);
    return scratch.used;
}

ordo_status dev_select_bitonic(cuda_call *call, const ordo_select_job *job)
{
    select_bitonic_work const work = select_bitonic_layout(&call->scratch, job);
    bool const                in_pairs = job->algorithm == ORDO_ALGORITHM_MERGE;
    void                     *sorted;
    if (ordo_div_up(job->n, job->sub_array) > INT32_MAX)
        return ordo_fail(call->exec, ORDO_E_ARG,
                         "%zu keys in sub-arrays of %zu keys are more than 2^31 - 1 sub-arrays",
                         job->n, job->sub_array);
    if (in_pairs) {
        TRY(select_bitonic_sort(call, job, &work));
        TRY(select_bitonic_merge(call, job, &work, &sorted));
        TRY(select_bitonic_read(call, job, &work, sorted));
    } else {
        TRY(select_as_in_paper(call, job, &work));
    }
    call->exec->algorithm = in_pairs ? "merge" : "bitonic";
    call->exec->facts.strategy = ORDO_STRATEGY_SUB_ARRAYS;
    call->exec->facts.tile = job->sub_array;
    return ORDO_OK;
}

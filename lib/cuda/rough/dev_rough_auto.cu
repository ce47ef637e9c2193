/* dev_rough_auto.cu - what an array looks like before it is sorted, and the cheapest way for it.
 *
 * A look (dev_rough_look.cu) reads windows all over the array. If none of them begins with less
 * than the one before, the array may be roughly sorted, or sorted: windows of its radius are
 * sorted (dev_rough.cu). If no key rises, the array may be sorted the other way: one read tells,
 * and one read and write turns it around. Everything else is for the general sort.
 *
 * On other arrays the look costs a launch and a wait for the host, which is why arrays below
 * CUDA_TUNE_LOOK_BYTES are not looked at, nor keys of 8 and 16 bits, which counting sorts in one
 * read and one write. Scratch: that of dev_rough.cu. Called by dev_sort.cu. */
#include "cuda/runtime/cuda_tuning.cuh"
#include "cuda/rough/dev_rough.cuh"
#include "cuda/warp/warp_ballot.cuh"

/* Raises *rises if a key does. */
template <typename CODE>
static __global__ void rough_falling(CODE code, const typename CODE::BITS *keys, size_t n,
                                     unsigned *rises)
{
    typedef typename CODE::BITS BITS;
    constexpr int EACH = 8;
    size_t const stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x + 1; i < n; i += stride * EACH) {
        if (*(volatile unsigned *)rises)
            return;
        bool broken = false;
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            size_t const at = i + j * stride;
            if (at < n) {
                BITS const left = code.encode(keys[at - 1]);
                broken |= code.encode(keys[at]) > left;
            }
        }
        if (broken) {
            atomicExch(rises, 1u);
            return;
        }
    }
}

/* Turns the array around unless *rises. */
template <typename BITS>
static __global__ void rough_turn(BITS *keys, size_t n, const unsigned *rises)
{
    constexpr int EACH = 4;
    size_t const stride = (size_t)gridDim.x * blockDim.x;
    if (*rises)
        return;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n / 2; i += stride * EACH) {
        BITS left[EACH], right[EACH];
#pragma unroll
        for (int j = 0; j < EACH; j++)
            if (i + j * stride < n / 2) {
                left[j] = keys[i + j * stride];
                right[j] = keys[n - 1 - (i + j * stride)];
            }
#pragma unroll
        for (int j = 0; j < EACH; j++)
            if (i + j * stride < n / 2) {
                keys[i + j * stride] = right[j];
                keys[n - 1 - (i + j * stride)] = left[j];
            }
    }
}

static ordo_status rough_reverse(cuda_call *call, const ordo_sort_job *job, bool *done)
{
    unsigned *const rises = scratch_take<unsigned>(&call->scratch, 1);
    unsigned        seen = 0;
    size_t const    blocks = (size_t)call->facts->sms * 8;
    CUDA_TRY(call->exec, cudaMemsetAsync(rises, 0, sizeof *rises, call->stream));
    TRY(with_key_code(job->type, job->descending, KEY_TOTAL, [&](auto code) {
        typedef decltype(code)      CODE;
        typedef typename CODE::BITS BITS;
        CUDA_LAUNCH(call, rough_falling<CODE>, blocks, 256, 0, code, (const BITS *)job->keys,
                    job->n, rises);
        CUDA_LAUNCH(call, rough_turn<BITS>, blocks, 256, 0, (BITS *)job->keys, job->n, rises);
        return ORDO_OK;
    }));
    call->exec->changed = true;
    TRY(call_fetch(call, &seen, rises, sizeof seen));
    *done = !seen;
    if (*done) {
        call->exec->algorithm = "reverse";
        call->exec->facts.input = ORDO_INPUT_REVERSED;
        call->exec->facts.strategy = ORDO_STRATEGY_REVERSE;
    }
    return ORDO_OK;
}

size_t dev_rough_auto_scratch(const ordo_sort_job *job) { return dev_rough_scratch(job); }

static ordo_status rough_decide(cuda_call *call, const ordo_sort_job *job, bool *done)
{
    rough_look look;
    TRY(rough_look_at(call, job, &look));
    if (look.rises == 0 && look.falls > 0)
        return rough_reverse(call, job, done);
    if (look.far_falls > 0 || look.falls > 3 * look.rises)
        return ORDO_OK;
    return rough_sort_unknown(call, job, look.radius, done);
}

ordo_status dev_rough_auto(cuda_call *call, const ordo_sort_job *job, bool *done)
{
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    size_t const            size = cuda_type_size(job->type), used = call->scratch.used;
    *done = false;
    if (size < sizeof(uint32_t) || job->n < CUDA_TUNE_LOOK_BYTES / size)
        return ORDO_OK;
    CUDA_TRY(call->exec, cudaStreamIsCapturing(call->stream, &capture));
    if (capture != cudaStreamCaptureStatusNone)
        return ORDO_OK;
    ordo_status const status = rough_decide(call, job, done);
    call->scratch.used = used;
    return status;
}

/* dev_rough_auto.cu - looks at an array before it is sorted and picks the cheapest sort.
 *
 * If no window of the look (dev_rough.cu) starts with a smaller key than the one before, the
 * array may be roughly sorted, and windows of its radius are sorted. If no key rises, the array
 * may be in reverse order: one read checks that, and one read and write reverses it. All other
 * arrays go to the general sort. The look costs a launch and a wait for the host, so arrays
 * below CUDA_TUNE_LOOK_BYTES and keys of 8 and 16 bits are not looked at. Scratch: that of
 * dev_rough.cu. */
#include "cuda/runtime/cuda_tuning.cuh"
#include "cuda/rough/dev_rough.cuh"
#include "cuda/warp/warp_ballot.cuh"

/* Sets *rises if a key is larger than the one before. */
template <typename CODE, typename BITS = typename CODE::BITS>
static __global__ void rough_falling(CODE code, const BITS *keys, size_t n, unsigned *rises)
{
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

/* Reverses the array unless *rises. */
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
    size_t const size = cuda_type_size(job->type), used = call->scratch.used;
    *done = false;
    if (size < sizeof(uint32_t) || job->n < CUDA_TUNE_LOOK_BYTES / size ||
        cuda_capturing(call->stream))
        return ORDO_OK;
    ordo_status const status = rough_decide(call, job, done);
    call->scratch.used = used;
    return status;
}

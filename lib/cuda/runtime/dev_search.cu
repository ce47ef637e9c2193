/* dev_search.cu - where codes would go in a sorted array, and arrays of consecutive numbers.
 *
 * One thread looks for one code by halving; the positions are brought to the host. Scratch: the
 * codes and the positions. A search of 512 codes in 2^26 keys is 26 dependent reads, about 20 us.
 * Called by cuda_link.cu for lib/hybrid. */
#include "cuda/runtime/cuda_dev.cuh"
#include "cuda/runtime/cuda_keys.cuh"

enum {
    THREADS = 128
};

struct search_codes { /* a kernel's arguments hold 4 KB */
    uint64_t at[256];
};

template <typename CODE>
static __global__ void search_kernel(const typename CODE::BITS *sorted, size_t n, CODE code,
                                     search_codes codes, unsigned count, uint64_t *positions)
{
    unsigned const i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= count)
        return;
    uint64_t const wanted = codes.at[i];
    size_t         lo = 0, hi = n;
    while (lo < hi) {
        size_t const middle = lo + (hi - lo) / 2;
        if ((uint64_t)code.encode(sorted[middle]) < wanted)
            lo = middle + 1;
        else
            hi = middle;
    }
    positions[i] = lo;
}

size_t dev_search_scratch(const ordo_search_job *job)
{
    return ordo_round_up(job->count * sizeof(uint64_t), CUDA_SCRATCH_ALIGN);
}

ordo_status dev_search(cuda_call *call, const ordo_search_job *job)
{
    uint64_t *const positions = scratch_take<uint64_t>(&call->scratch, job->count);
    size_t const    most = sizeof(search_codes) / sizeof(uint64_t);
    for (size_t first = 0; first < job->count; first += most) {
        unsigned const count = (unsigned)ordo_min(most, job->count - first);
        search_codes   codes;
        memcpy(codes.at, job->codes + first, count * sizeof *codes.at);
        TRY(with_key_code(job->type, job->descending, job->folded ? KEY_FOLDED : KEY_TOTAL,
                          [&](auto code) {
                              typedef decltype(code) CODE;
                              CUDA_LAUNCH(call, (search_kernel<CODE>), ordo_div_up(count, THREADS),
                                          THREADS, 0, (const typename CODE::BITS *)job->sorted,
                                          job->n, code, codes, count, positions + first);
                              return ORDO_OK;
                          }));
    }
    return call_fetch(call, job->positions, positions, job->count * sizeof(size_t));
}

/* ---- Consecutive numbers ---- */

template <typename T> static __global__ void iota_kernel(T *out, size_t n, uint64_t first)
{
    size_t const step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        out[i] = (T)(first + i);
}

ordo_status dev_iota(cuda_call *call, void *out, size_t n, ordo_type type, uint64_t first)
{
    enum {
        WIDE = 512,
        RESIDENT = 4
    };
    size_t const blocks = ordo_min(ordo_div_up(n, WIDE), (size_t)call->facts->sms * RESIDENT);
    if (n == 0)
        return ORDO_OK;
    if (type == ORDO_U32)
        CUDA_LAUNCH(call, (iota_kernel<uint32_t>), blocks, WIDE, 0, (uint32_t *)out, n, first);
    else
        CUDA_LAUNCH(call, (iota_kernel<uint64_t>), blocks, WIDE, 0, (uint64_t *)out, n, first);
    return ORDO_OK;
}

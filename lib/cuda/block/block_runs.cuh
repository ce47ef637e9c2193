/* block_runs.cuh - a block writes a run of bytes from shared memory to global memory, 16 at a time.
 *
 * The run stands in shared memory at an offset that is congruent to its address in global memory
 * modulo 16 (run_offset), so that whole vectors match; its ragged ends go unit by unit. Called by
 * all threads of a block, after a barrier; the caller has another one before it overwrites the
 * run. Used by device/dev_partition.cu. */
#ifndef ORDO_CUDA_BLOCK_BLOCK_RUNS_H
#define ORDO_CUDA_BLOCK_BLOCK_RUNS_H

#include <stdint.h>

enum {
    RUN_ALIGN = 16
};

/* The first offset from `from` on at which a run bound for `out` may begin. */
static __device__ __forceinline__ unsigned run_offset(unsigned from, const void *out)
{
    return (from + RUN_ALIGN - 1) / RUN_ALIGN * RUN_ALIGN + (unsigned)((uintptr_t)out % RUN_ALIGN);
}

/* `out`, `offset` and `bytes` are multiples of sizeof(UNIT). */
template <typename UNIT>
static __device__ __forceinline__ void run_write(char *out, const char *shared, unsigned offset,
                                                 unsigned bytes)
{
    unsigned const gap = (unsigned)(-(uintptr_t)out % RUN_ALIGN);
    unsigned const head = gap < bytes ? gap : bytes;
    unsigned const body = (bytes - head) / RUN_ALIGN * RUN_ALIGN;
    const char    *from = shared + offset;

    if (threadIdx.x < head / sizeof(UNIT))
        ((UNIT *)out)[threadIdx.x] = ((const UNIT *)from)[threadIdx.x];
    for (unsigned at = threadIdx.x * RUN_ALIGN; at < body; at += blockDim.x * RUN_ALIGN)
        __stcs((uint4 *)(out + head + at), *(const uint4 *)(from + head + at));
    if (threadIdx.x < (bytes - head - body) / sizeof(UNIT))
        ((UNIT *)(out + head + body))[threadIdx.x] =
            ((const UNIT *)(from + head + body))[threadIdx.x];
}

#endif

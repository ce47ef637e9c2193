/* dev_flags.cuh - an array of flags cut into spans, with the set flags of each span counted.
 *
 * For work that needs all counts before it writes (the split) or only the total. Flags are read
 * once; byte flags may be packed into scratch on the way. There are at most CUDA_TUNE_SPANS spans,
 * so a block sums the counts before its span with a few loads, and no block waits for another.
 * Scratch: 4 bytes a span, and n/8 bytes for packed flags. */
#ifndef ORDO_CUDA_SCAN_DEV_FLAGS_H
#define ORDO_CUDA_SCAN_DEV_FLAGS_H

#include "cuda/block/block_scan.cuh"
#include "cuda/runtime/cuda_rt.cuh"
#include "cuda/runtime/cuda_tuning.cuh"
#include "cuda/warp/warp_flags.cuh"

enum {
    FLAGS_THREADS = 256,
    FLAGS_WARPS = FLAGS_THREADS / 32,
    FLAGS_TILE = FLAGS_WARPS * FLAGS_OF_WARP /* flags that a block reads at a time */
};

struct flag_spans {
    const uint8_t *bits;    /* the caller's packed flags, or flags packed here, or NULL */
    bool           aligned; /* whether bits may be read in words */
    uint32_t      *counts;  /* set flags of each span */
    size_t         n;
    size_t         span; /* flags of each span but the last: a multiple of FLAGS_TILE */
    unsigned       spans;
};

/* Takes the scratch for n flags. `pack`: pack byte flags. */
void flags_layout(cuda_scratch *scratch, ordo_flags_kind kind, const void *flags, size_t n,
                  bool pack, flag_spans *spans);

/* Enqueues the counting and packing. n > 0. */
ordo_status flags_count(cuda_call *call, ordo_flags_kind kind, const void *flags,
                        const flag_spans *spans);

struct flag_sums {
    uint64_t before; /* set flags in the spans before this block's */
    uint64_t total;  /* in all spans */
};

/* Called by all threads of a block of FLAGS_THREADS that works on span blockIdx.x. */
static __device__ __forceinline__ flag_sums flags_sum(const flag_spans &spans)
{
    __shared__ uint64_t before_of[FLAGS_WARPS], total_of[FLAGS_WARPS];
    uint64_t            before = 0, total = 0;
    for (unsigned i = threadIdx.x; i < spans.spans; i += FLAGS_THREADS) {
        uint32_t const count = spans.counts[i];
        total += count;
        before += i < blockIdx.x ? count : 0;
    }
    flag_sums const sums = {block_reduce<scan_add<uint64_t>, FLAGS_WARPS>(before, before_of),
                            block_reduce<scan_add<uint64_t>, FLAGS_WARPS>(total, total_of)};
    return sums;
}

#endif

/* dev_flags.cu - counts the set flags of each span and packs byte flags (dev_flags.cuh).
 *
 * A block goes through its span in tiles of 8192 flags, 1024 per warp. Reads every flag once;
 * writes n/8 bytes if it packs. */
#include "cuda/scan/dev_flags.cuh"

template <ordo_flags_kind KIND>
static __global__ void __launch_bounds__(FLAGS_THREADS)
    count_flags(const uint8_t *flags, bool aligned, flag_spans spans, uint32_t *words)
{
    __shared__ uint32_t totals[FLAGS_WARPS];
    size_t const        first = blockIdx.x * spans.span;
    size_t const        end = first + spans.span < spans.n ? first + spans.span : spans.n;
    unsigned const      warp = threadIdx.x / WARP_LANES;
    uint32_t            count = 0;
    if (KIND == ORDO_FLAG_BITS && aligned && end - first == spans.span) {
        const uint4 *const vectors = (const uint4 *)(flags + first / 8);
#pragma unroll 4
        for (unsigned i = threadIdx.x; i < spans.span / 128; i += FLAGS_THREADS) {
            uint4 const x = vectors[i];
            count += (uint32_t)(__popc(x.x) + __popc(x.y) + __popc(x.z) + __popc(x.w));
        }
    } else {
        for (size_t at = first + warp * FLAGS_OF_WARP; at < end; at += FLAGS_TILE) {
            uint32_t const word = warp_read_flags<KIND>(flags, at, end, aligned);
            if (words != NULL)
                words[at / FLAGS_OF_WORD + lane_id()] = word;
            count += (uint32_t)__popc(word);
        }
    }
    uint32_t const total = block_reduce<scan_add<uint32_t>, FLAGS_WARPS>(count, totals);
    if (threadIdx.x == 0)
        spans.counts[blockIdx.x] = total;
}

void flags_layout(cuda_scratch *scratch, ordo_flags_kind kind, const void *flags, size_t n,
                  bool pack, flag_spans *spans)
{
    size_t const tiles = ordo_div_up(n, FLAGS_TILE);
    size_t const tiles_of_span = ordo_max(1, ordo_div_up(tiles, CUDA_TUNE_SPANS));
    spans->n = n;
    spans->span = tiles_of_span * FLAGS_TILE;
    spans->spans = (unsigned)ordo_div_up(tiles, tiles_of_span);
    spans->counts = scratch_take<uint32_t>(scratch, spans->spans);
    spans->aligned = true;
    spans->bits = NULL;
    if (kind == ORDO_FLAG_BITS) {
        spans->bits = (const uint8_t *)flags;
        spans->aligned = flags_aligned(flags);
    } else if (pack) {
        size_t const words = tiles * (FLAGS_TILE / FLAGS_OF_WORD);
        spans->bits = (const uint8_t *)scratch_take<uint32_t>(scratch, words);
    }
}

ordo_status flags_count(cuda_call *call, ordo_flags_kind kind, const void *flags,
                        const flag_spans *spans)
{
    bool const      packed = kind == ORDO_FLAG_BITS;
    uint32_t *const words = packed ? NULL : (uint32_t *)spans->bits;
    return CUDA_LAUNCH(call, packed ? count_flags<ORDO_FLAG_BITS> : count_flags<ORDO_FLAG_BYTES>,
                       spans->spans, FLAGS_THREADS, 0, (const uint8_t *)flags, flags_aligned(flags),
                       *spans, words);
}

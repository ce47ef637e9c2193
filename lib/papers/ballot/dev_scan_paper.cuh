/* dev_scan_paper.cuh - prefix sums of whole arrays by the block scans of block_paper_scan.cuh, one
 * element per thread; templates for dev_scan_paper.cu and for the benchmark (bench/cuda/papers.cu).
 *
 * Every form has the same grid: the array is divided into at most CUDA_TUNE_SPANS spans, and one
 * kernel sums each span. In a second kernel each block adds the totals of the spans before its own
 * and scans its span, 1024 elements at a time. Reads the array twice. Scratch: 4 bytes per span. */
#ifndef ORDO_PAPERS_BALLOT_DEV_SCAN_PAPER_H
#define ORDO_PAPERS_BALLOT_DEV_SCAN_PAPER_H

#include "cuda/block/block_scan.cuh"
#include "papers/ballot/block_paper_scan.cuh"
#include "cuda/runtime/cuda_tuning.cuh"
#include "ordo.h"

enum {
    PAPER_THREADS = 1024,
    PAPER_WARPS = PAPER_THREADS / 32
};

struct paper_spans {
    uint32_t *totals; /* sum of each span; modulo 2^32 for integers */
    size_t    n, span;
    unsigned  spans;
};

/* The input of a scan: flags or 32-bit integers. */
template <ordo_flags_kind KIND> struct flag_source {
    static constexpr int BITS = 1;
    const uint8_t       *flags;

    DEVICE unsigned operator()(size_t i) const
    {
        return KIND == ORDO_FLAG_BITS ? flags[i / 8] >> i % 8 & 1u : flags[i] != 0;
    }
};

struct word_source {
    static constexpr int BITS = 32;
    const uint32_t      *words;

    DEVICE unsigned operator()(size_t i) const { return words[i]; }
};

static DEVICE size_t span_end(const paper_spans &spans)
{
    size_t const first = (size_t)blockIdx.x * spans.span;
    return spans.n - first < spans.span ? spans.n : first + spans.span;
}

template <typename SOURCE>
static __global__ void __launch_bounds__(PAPER_THREADS)
    paper_span_sums(SOURCE const source, paper_spans const spans)
{
    __shared__ uint32_t sums[PAPER_WARPS];
    size_t const        end = span_end(spans);
    uint32_t            mine = 0;
    for (size_t i = (size_t)blockIdx.x * spans.span + threadIdx.x; i < end; i += PAPER_THREADS)
        mine += source(i);
    uint32_t const total = block_reduce<scan_add<uint32_t>, PAPER_WARPS>(mine, sums);
    if (threadIdx.x == 0)
        spans.totals[blockIdx.x] = total;
}

/* `out` and `total` may be NULL. A thread reads an element before it writes to its place. */
template <paper_form FORM, typename SOURCE, typename OUT>
static __global__ void __launch_bounds__(PAPER_THREADS)
    paper_scan_spans(SOURCE const source, paper_spans const spans, OUT *out, bool exclusive,
                     uint64_t *total)
{
    __shared__ block_paper_shared<FORM, PAPER_THREADS, 1> shared;
    __shared__ uint64_t                                   sums[PAPER_WARPS];
    size_t const                                          end = span_end(spans);
    uint64_t                                              before = 0;

    for (unsigned i = threadIdx.x; i < blockIdx.x; i += PAPER_THREADS)
        before += spans.totals[i];
    before = block_reduce<scan_add<uint64_t>, PAPER_WARPS>(before, sums);
    for (size_t tile = (size_t)blockIdx.x * spans.span; tile < end; tile += PAPER_THREADS) {
        size_t const   at = tile + threadIdx.x;
        unsigned const value = at < end ? source(at) : 0;
        unsigned       sum[1] = {value};
        unsigned const of_tile = block_paper_scan<FORM, SOURCE::BITS>(sum, &shared);
        if (out != NULL && at < end)
            out[at] = (OUT)(before + sum[0] - (exclusive ? value : 0));
        before += of_tile;
        __syncthreads();
    }
    if (total != NULL && blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
        *total = before;
}

static inline paper_spans paper_layout(cuda_scratch *scratch, size_t n)
{
    size_t const tiles = ordo_div_up(n, PAPER_THREADS);
    size_t const tiles_of_span = ordo_max(1, ordo_div_up(tiles, CUDA_TUNE_SPANS));
    paper_spans  spans;
    spans.n = n;
    spans.span = tiles_of_span * PAPER_THREADS;
    spans.spans = (unsigned)ordo_div_up(tiles, tiles_of_span);
    spans.totals = scratch_take<uint32_t>(scratch, spans.spans);
    return spans;
}

/* Enqueues both kernels. n is not 0. */
template <paper_form FORM, typename SOURCE, typename OUT>
static ordo_status paper_scan(cuda_call *call, SOURCE source, size_t n, OUT *out, bool exclusive,
                              uint64_t *total)
{
    paper_spans const spans = paper_layout(&call->scratch, n);
    TRY(CUDA_LAUNCH(call, paper_span_sums<SOURCE>, spans.spans, PAPER_THREADS, 0, source, spans));
    return CUDA_LAUNCH(call, (paper_scan_spans<FORM, SOURCE, OUT>), spans.spans, PAPER_THREADS, 0,
                       source, spans, out, exclusive, total);
}

#endif

/* dev_lcp.cu - the longest common prefixes of neighbours in a suffix array, after J. Karkkainen, G.
 * Manzini and S. Puglisi, "Permuted Longest-Common-Prefix Array".
 *
 * In the order of the text, the common prefix of position p and its neighbour is at least that of
 * p - d less d. If the neighbour of p + d is d positions after that of p, and d bytes agree, the
 * prefix is d more than that of p + d. Every LCP_CHUNK-th position is compared first, from large
 * distances to small ones, so that a long repeat is compared about once: by all threads as long as
 * the distances are large, then by warps. Then a thread goes through each chunk; it leaves a chunk
 * with a long comparison to a warp. Scratch: 4 bytes per byte of text. */
#include "cuda/text/text.cuh"
#include "cuda/warp/warp_scan.cuh"

enum {
    LCP_CHUNK = 512, /* positions that a thread goes through; an estimate */
    LCP_LONG = 256,  /* bytes after which a thread gives up; an estimate */
    LCP_LANE = 16    /* bytes that a lane compares at a time */
};

/* From this distance on, all threads compare a position together; an estimate. */
#define LCP_WIDE ((size_t)1 << 22)

#define NO_NEIGHBOUR 0xffffffffu

struct lcp_room {
    uint32_t           *phi;    /* the neighbour of each position, later the prefix */
    uint32_t           *others; /* the neighbours of each LCP_CHUNK-th position */
    uint32_t           *left;   /* where the comparison of a chunk goes on */
    unsigned long long *counts; /* LCP_COUNTS of them */
};

enum {       /* counts */
    LEFT,    /* elements of `left` */
    OUTSIDE, /* elements of sa that are no positions */
    COMMON,  /* bytes that a position and its neighbour have in common, at most */
    LCP_COUNTS
};

static lcp_room layout(cuda_scratch *scratch, size_t n)
{
    lcp_room room = {};
    room.phi = scratch_take<uint32_t>(scratch, n);
    room.others = scratch_take<uint32_t>(scratch, ordo_div_up(n, LCP_CHUNK));
    room.left = scratch_take<uint32_t>(scratch, ordo_div_up(n, LCP_CHUNK));
    room.counts = scratch_take<unsigned long long>(scratch, LCP_COUNTS);
    return room;
}

size_t dev_lcp_scratch(const ordo_text_job *job) { return scratch_of(layout, job->n); }

template <typename WORD>
static __global__ void __launch_bounds__(TEXT_THREADS)
    fill_phi(const WORD *sa, size_t n, lcp_room room)
{
    grid_each(n, [&](size_t i) {
        uint32_t const other = i > 0 ? (uint32_t)sa[i - 1] : NO_NEIGHBOUR;
        if (sa[i] >= n) {
            atomicAdd(room.counts + OUTSIDE, 1ull);
            return;
        }
        room.phi[sa[i]] = other;
        if (sa[i] % LCP_CHUNK == 0)
            room.others[sa[i] / LCP_CHUNK] = other;
    });
}

/* Where the comparison of position p with `other` may stop, as a number of bytes: at position
 * `next`, a multiple of LCP_CHUNK whose prefix is known, if its neighbour has the same distance and
 * both are in the same texts. The prefix of p is then that number and the prefix of next. */
static DEVICE size_t known_from(const text_view &view, const lcp_room &room, size_t p, size_t other,
                                size_t next)
{
    size_t const distance = next - p;
    bool const   same = next < view.n && room.others[next / LCP_CHUNK] == other + distance &&
                      next < text_end_at(view, p) && other + distance < text_end_at(view, other);
    return same ? distance : SIZE_MAX;
}

/* How many bytes from `known` on the suffixes a and b have in common; it may stop at `enough`.
 * Called by a warp. */
static DEVICE size_t warp_common(const text_view &view, size_t a, size_t b, size_t known,
                                 size_t enough)
{
    size_t const most = min(text_end_at(view, a) - a, text_end_at(view, b) - b);
    known = min(known, most);
    while (known < enough) {
        size_t const from = known + lane_id() * LCP_LANE;
        unsigned     equal = 0;
        while (equal < LCP_LANE && from + equal < most &&
               view.text[a + from + equal] == view.text[b + from + equal])
            equal++;
        uint32_t const differs = __ballot_sync(WARP_ALL, equal < LCP_LANE);
        if (differs != 0) {
            unsigned const lane = (unsigned)__ffs((int)differs) - 1;
            return known + lane * LCP_LANE + __shfl_sync(WARP_ALL, equal, lane);
        }
        known += WARP_LANES * LCP_LANE;
    }
    return known;
}

/* The prefix of position p, of which `known` bytes are known. Called by a warp. */
static DEVICE uint32_t warp_prefix(const text_view &view, const lcp_room &room, size_t p,
                                   size_t known, size_t next)
{
    uint32_t const other = room.phi[p];
    if (other >= view.n)
        return 0;
    size_t const enough = known_from(view, room, p, other, next);
    size_t const common = warp_common(view, p, other, known, enough);
    return (uint32_t)(common < enough ? common : enough + room.phi[next]);
}

/* The bytes of position p that are known from position p - stride. */
static DEVICE size_t known_before(const lcp_room &room, size_t p, size_t stride)
{
    size_t const before = p >= stride ? room.phi[p - stride] : 0;
    return before > stride ? before - stride : 0;
}

/* Position p, by all threads: counts[COMMON] becomes its common bytes, if they are fewer than what
 * known_from() says. */
static __global__ void __launch_bounds__(TEXT_THREADS)
    compare_wide(text_view view, lcp_room room, size_t p, size_t stride)
{
    uint32_t const other = room.phi[p];
    if (other >= view.n)
        return;
    size_t const most = min(text_end_at(view, p) - p, text_end_at(view, other) - other);
    size_t const enough = known_from(view, room, p, other, p + stride);
    size_t const threads = (size_t)gridDim.x * TEXT_THREADS;
    size_t i = known_before(room, p, stride) + (size_t)blockIdx.x * TEXT_THREADS + threadIdx.x;
    volatile unsigned long long *const common = room.counts + COMMON;
    for (; i < *common && i < enough; i += threads)
        if (i >= most || view.text[p + i] != view.text[other + i])
            atomicMin(room.counts + COMMON, (unsigned long long)i);
}

/* Stores the result of compare_wide; one thread. */
static __global__ void set_wide(text_view view, lcp_room room, size_t p, size_t stride)
{
    uint32_t const other = room.phi[p];
    size_t         prefix = 0;
    if (other < view.n) {
        size_t const enough = known_from(view, room, p, other, p + stride);
        prefix = room.counts[COMMON];
        if (prefix >= enough)
            prefix = enough + room.phi[p + stride];
    }
    room.phi[p] = (uint32_t)prefix;
    room.counts[COMMON] = ~0ull;
}

/* The positions (2 i + 1) * stride, from those of twice the stride. */
static __global__ void __launch_bounds__(TEXT_THREADS)
    compare_samples(text_view view, lcp_room room, size_t stride)
{
    size_t const warps = (size_t)gridDim.x * TEXT_THREADS / 32;
    for (size_t i = ((size_t)blockIdx.x * TEXT_THREADS + threadIdx.x) / 32;; i += warps) {
        size_t const p = (2 * i + 1) * stride;
        if (p >= view.n)
            return;
        uint32_t const prefix =
            warp_prefix(view, room, p, known_before(room, p, stride), p + stride);
        __syncwarp();
        if (lane_id() == 0)
            room.phi[p] = prefix;
    }
}

static __global__ void __launch_bounds__(TEXT_THREADS) compare_chunks(text_view view, lcp_room room)
{
    grid_each((view.n + LCP_CHUNK - 1) / LCP_CHUNK, [&](size_t chunk) {
        size_t const first = chunk * LCP_CHUNK, last = min(view.n, first + LCP_CHUNK);
        size_t       known = room.phi[first], end = text_end_at(view, first);
        for (size_t p = first + 1; p < last; p++) {
            uint32_t const other = room.phi[p];
            known -= known > 0;
            if (p >= end)
                end = text_end_at(view, p);
            size_t const most =
                other >= view.n ? 0 : min(end - p, text_end_at(view, other) - other);
            known = min(known, most);
            size_t const stop = known + LCP_LONG;
            while (known < most && known < stop && view.text[p + known] == view.text[other + known])
                known++;
            if (known == stop && known < most) {
                room.left[atomicAdd(room.counts + LEFT, 1ull)] = (uint32_t)p;
                return;
            }
            room.phi[p] = (uint32_t)known;
        }
    });
}

/* The rest of the chunks that compare_chunks left. */
static __global__ void __launch_bounds__(TEXT_THREADS) compare_left(text_view view, lcp_room room)
{
    size_t const warps = (size_t)gridDim.x * TEXT_THREADS / 32, count = room.counts[LEFT];
    for (size_t i = ((size_t)blockIdx.x * TEXT_THREADS + threadIdx.x) / 32; i < count; i += warps) {
        size_t const first = room.left[i];
        size_t const end = (first / LCP_CHUNK + 1) * LCP_CHUNK, last = min(view.n, end);
        size_t       known = room.phi[first - 1];
        for (size_t p = first; p < last; p++) {
            uint32_t const prefix = warp_prefix(view, room, p, known > 0 ? known - 1 : 0, end);
            __syncwarp();
            if (lane_id() == 0)
                room.phi[p] = prefix;
            known = prefix;
        }
    }
}

template <typename WORD>
static __global__ void __launch_bounds__(TEXT_THREADS)
    take_prefixes(const WORD *sa, size_t n, const uint32_t *phi, WORD *lcp)
{
    grid_each(n, [&](size_t i) { lcp[i] = phi[sa[i]]; });
}

/* The prefixes of every LCP_CHUNK-th position. */
static ordo_status find_samples(cuda_call *call, const text_view &view, const lcp_room &room)
{
    size_t const n = view.n, grid = text_grid(call, n);
    size_t       stride = LCP_CHUNK;
    while (stride < n)
        stride *= 2;
    TRY(CUDA_LAUNCH(call, compare_wide, grid, TEXT_THREADS, 0, view, room, (size_t)0, stride));
    TRY(CUDA_LAUNCH(call, set_wide, 1, 1, 0, view, room, (size_t)0, stride));
    for (stride /= 2; stride >= LCP_WIDE; stride /= 2)
        for (size_t p = stride; p < n; p += 2 * stride) {
            TRY(CUDA_LAUNCH(call, compare_wide, grid, TEXT_THREADS, 0, view, room, p, stride));
            TRY(CUDA_LAUNCH(call, set_wide, 1, 1, 0, view, room, p, stride));
        }
    for (; stride >= LCP_CHUNK; stride /= 2)
        TRY(CUDA_LAUNCH(call, compare_samples, text_grid(call, n / stride * 32), TEXT_THREADS, 0,
                        view, room, stride));
    return ORDO_OK;
}

template <typename WORD>
static ordo_status find(cuda_call *call, const text_view &view, const WORD *sa, WORD *lcp)
{
    lcp_room const     room = layout(&call->scratch, view.n);
    size_t const       n = view.n, grid = text_grid(call, n);
    unsigned long long counts[LCP_COUNTS];
    CUDA_TRY(call->exec, cudaMemsetAsync(room.counts, 0, sizeof counts, call->stream));
    CUDA_TRY(call->exec,
             cudaMemsetAsync(room.counts + COMMON, 0xff, sizeof *room.counts, call->stream));
    CUDA_TRY(call->exec, cudaMemsetAsync(room.phi, 0, n * sizeof *room.phi, call->stream));
    TRY(CUDA_LAUNCH(call, fill_phi<WORD>, grid, TEXT_THREADS, 0, sa, n, room));
    TRY(call_fetch(call, counts, room.counts, sizeof counts));
    if (counts[OUTSIDE] != 0)
        return ordo_fail(call->exec, ORDO_E_ARG,
                         "sa has an element that is not below n, which is %zu; expected a suffix "
                         "array",
                         n);
    TRY(find_samples(call, view, room));
    TRY(CUDA_LAUNCH(call, compare_chunks, text_grid(call, ordo_div_up(n, LCP_CHUNK)), TEXT_THREADS,
                    0, view, room));
    TRY(CUDA_LAUNCH(call, compare_left, text_grid(call, n), TEXT_THREADS, 0, view, room));
    return CUDA_LAUNCH(call, take_prefixes<WORD>, grid, TEXT_THREADS, 0, sa, n, room.phi, lcp);
}

ordo_status dev_lcp(cuda_call *call, const ordo_text_job *job, const text_view &view)
{
    call->exec->algorithm = "plcp";
    return job->index_type == ORDO_U64
               ? find(call, view, (const uint64_t *)job->sa, (uint64_t *)job->lcp)
               : find(call, view, (const uint32_t *)job->sa, (uint32_t *)job->lcp);
}

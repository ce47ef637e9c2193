/* dev_rough.cu - sorts arrays in which no key is far from its place; looks at samples of an array
 * to choose the cheapest sort.
 *
 * A. Pfaff and J. Treadwell, "Parallel Sorting of Roughly-Sorted Sequences" (2016), sort windows of
 * twice the radius, then windows shifted by the radius. Here a warp (dev_rough_warp.cu) or a block
 * (dev_rough_block.cu) sorts each span with a sliding window, and rough.cuh merges at the borders
 * of spans. In place: one read and one write. An unknown radius is guessed from 128 windows of 1024
 * keys; the sort detects a wrong guess, and then the radius is measured (dev_radius.cu). The radius
 * is that of the total order, so the result is the same as of every other sort. Waits for the host.
 * Scratch: the radius, the windows and a word. */
#include "cuda/rough/dev_rough.cuh"
#include "cuda/runtime/cuda_dev.cuh"
#include "cuda/runtime/cuda_tuning.cuh"
#include "cuda/warp/warp_scan.cuh"

enum {
    ROUGH_LOOKS = 128,
    ROUGH_LOOK_KEYS = 1024, /* keys of a window; also the threads of a block */
    ROUGH_PAIRS = ROUGH_LOOKS * (ROUGH_LOOK_KEYS - 1) /* pairs of neighbours in all windows */
};

struct rough_window {
    uint64_t first; /* key bits of the first key */
    unsigned falls, rises, radius;
};
static_assert(ROUGH_LOOKS * sizeof(rough_window) <= CUDA_FETCH_BYTES, "fetched at once");

template <typename CODE, typename BITS = typename CODE::BITS>
static __global__ void __launch_bounds__(ROUGH_LOOK_KEYS)
    rough_see(CODE code, const BITS *keys, size_t apart, rough_window *windows)
{
    typedef scan_max<BITS> MAX;
    __shared__ BITS        key[ROUGH_LOOK_KEYS], upto[ROUGH_LOOK_KEYS], warp_high[32];
    __shared__ unsigned    radius;
    unsigned const         thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
    BITS const             mine = code.encode(keys[blockIdx.x * apart + thread]);
    BITS const             scanned = warp_scan<MAX>(mine);
    key[thread] = mine;
    if (lane == 31)
        warp_high[warp] = scanned;
    if (thread == 0)
        radius = 0;
    __syncthreads();
    BITS const before = warp_reduce<MAX>(lane < warp ? warp_high[lane] : (BITS)0);
    upto[thread] = MAX::add(before, scanned);
    BITS const     left = thread > 0 ? key[thread - 1] : mine;
    unsigned const falls = (unsigned)__syncthreads_count(mine < left);
    unsigned const rises = (unsigned)__syncthreads_count(mine > left);

    unsigned begin = 0, end = thread; /* the first larger key is in [begin, end) */
    while (begin < end) {
        unsigned const middle = (begin + end) / 2;
        if (upto[middle] > mine)
            end = middle;
        else
            begin = middle + 1;
    }
    unsigned const farthest = __reduce_max_sync(WARP_ALL, thread - begin);
    if (lane == 0)
        atomicMax(&radius, farthest);
    __syncthreads();
    if (thread == 0) {
        windows[blockIdx.x] = {(uint64_t)mine, falls, rises, radius};
    }
}

struct rough_look {      /* statistics of windows spread over the array */
    size_t falls, rises; /* number of pairs of neighbours inside windows that fall or rise */
    size_t far_falls;    /* number of windows whose first key is less than that of the previous
                          * window */
    size_t radius;       /* largest radius of a window */
    size_t distinct;     /* number of distinct values among the first keys of the windows */
};

/* Waits for the device. The array must have at least ROUGH_LOOKS * ROUGH_LOOK_KEYS keys. */
static ordo_status rough_look_at(cuda_call *call, const ordo_sort_job *job, rough_look *look)
{
    rough_window *const windows = scratch_take<rough_window>(&call->scratch, ROUGH_LOOKS);
    rough_window        seen[ROUGH_LOOKS];
    TRY(with_key_code(job->type, job->descending, KEY_TOTAL, [&](auto code) {
        typedef decltype(code) CODE;
        return CUDA_LAUNCH(call, rough_see<CODE>, ROUGH_LOOKS, ROUGH_LOOK_KEYS, 0, code,
                           (const typename CODE::BITS *)job->keys, job->n / ROUGH_LOOKS, windows);
    }));
    TRY(call_fetch(call, seen, windows, sizeof seen));
    *look = {0, 0, 0, 0, 0};
    for (size_t w = 0; w < ROUGH_LOOKS; w++) {
        size_t same = 0;
        while (seen[same].first != seen[w].first)
            same++;
        look->distinct += same == w;
        look->falls += seen[w].falls;
        look->rises += seen[w].rises;
        look->far_falls += w > 0 && seen[w].first < seen[w - 1].first;
        look->radius = ordo_max(look->radius, seen[w].radius);
    }
    return ORDO_OK;
}

static ordo_radius_job rough_radius_job(const ordo_sort_job *job)
{
    ordo_radius_job radius = {};
    radius.type = job->type;
    radius.keys = job->keys;
    radius.n = job->n;
    radius.descending = job->descending;
    return radius;
}

size_t dev_windows_scratch(const ordo_sort_job *job)
{
    ordo_radius_job const radius = rough_radius_job(job);
    return CUDA_SCRATCH_ALIGN + dev_radius_scratch(&radius) +
           ordo_round_up(ROUGH_LOOKS * sizeof(rough_window), CUDA_SCRATCH_ALIGN);
}

static ordo_status rough_measure(cuda_call *call, const ordo_sort_job *job, size_t most,
                                 uint64_t *radius)
{
    ordo_radius_job const measured = rough_radius_job(job);
    const uint64_t       *word;
    TRY(dev_radius_enqueue(call, &measured, KEY_TOTAL, most, &word));
    return call_fetch(call, radius, word, sizeof *radius);
}

/* Sorts by windows of this radius. */
static ordo_status rough_windows(cuda_call *call, const ordo_sort_job *job, size_t radius,
                                 unsigned *unsorted)
{
    call->exec->changed = true;
    CUDA_TRY(call->exec, cudaMemsetAsync(unsorted, 0, sizeof *unsorted, call->stream));
    return (radius <= rough_warp_most(job->type) ? rough_warp : rough_block)(call, job, radius,
                                                                             unsorted);
}

static void record_windows(ordo_exec *exec)
{
    exec->facts.input = ORDO_INPUT_ROUGH;
    exec->facts.strategy = ORDO_STRATEGY_WINDOWS;
}

/* Sorts by windows of a radius that may be too small; then *done is false. */
static ordo_status rough_try(cuda_call *call, const ordo_sort_job *job, size_t radius,
                             unsigned *unsorted, bool *done)
{
    unsigned failed = 0;
    TRY(rough_windows(call, job, radius, unsorted));
    TRY(call_fetch(call, &failed, unsorted, sizeof failed));
    *done = !failed;
    if (*done || job->radius != 0) {
        call->exec->facts.tried_radius = radius;
        call->exec->facts.radius_failed = failed != 0;
    }
    if (*done) {
        call->exec->algorithm = "windows";
        record_windows(call->exec);
    }
    return ORDO_OK;
}

/* The radius to try if the windows showed radius `seen`: an eighth more, rounded up to the radius
 * of a warp sort. For blocks twice `seen`, because a block needs nearly the same time for any
 * radius, up to CUDA_TUNE_ROUGH_GUESS, half the size of a window. 0: do not guess. */
static size_t rough_guess(ordo_type type, size_t seen)
{
    size_t const wanted = seen + seen / 8 + 1;
    size_t const most = rough_warp_most(type);
    for (size_t guess = 16; seen > 0 && guess <= most; guess *= 2)
        if (wanted <= guess)
            return guess;
    return seen > 0 && seen <= CUDA_TUNE_ROUGH_GUESS ? 2 * seen : 0;
}

/* Sorts by windows of an unknown radius; the windows of the look had radius `seen` (0: unknown). */
static ordo_status rough_sort_unknown(cuda_call *call, const ordo_sort_job *job, size_t seen,
                                      bool *done)
{
    ordo_exec *const exec = call->exec;
    size_t const     guess = rough_guess(job->type, seen), most = rough_block_most(call, job->type);
    unsigned *const  unsorted = scratch_take<unsigned>(&call->scratch, 1);
    uint64_t         radius = 0;
    if (guess > 0) {
        TRY(rough_try(call, job, guess, unsorted, done));
        if (*done)
            return ORDO_OK;
    }
    TRY(rough_measure(call, job, most, &radius));
    if (radius > most)
        return ORDO_OK;
    if (radius > 0)
        TRY(rough_windows(call, job, (size_t)radius, unsorted));
    *done = true;
    exec->algorithm = radius == 0 && job->algorithm == ORDO_ALGORITHM_AUTO ? "sorted" : "windows";
    if (radius == 0)
        exec->facts.input = ORDO_INPUT_SORTED;
    else
        record_windows(exec);
    exec->facts.radius = radius;
    return ORDO_OK;
}

static ordo_status rough_sort(cuda_call *call, const ordo_sort_job *job, bool *done)
{
    rough_look look = {0, 0, 0, 0, 0};
    if (job->radius == 0) {
        if (job->n >= (size_t)ROUGH_LOOKS * ROUGH_LOOK_KEYS)
            TRY(rough_look_at(call, job, &look));
        return rough_sort_unknown(call, job, look.far_falls == 0 ? look.radius : 0, done);
    }
    if (job->radius <= rough_block_most(call, job->type))
        TRY(rough_try(call, job, job->radius, scratch_take<unsigned>(&call->scratch, 1), done));
    return ORDO_OK;
}

ordo_status dev_windows_keys(cuda_call *call, const ordo_sort_job *job, bool *done)
{
    size_t const used = call->scratch.used;
    *done = false;
    if (cuda_capturing(call->stream) || cuda_type_size(job->type) < sizeof(uint32_t))
        return ORDO_OK;
    if (job->n < 2) {
        *done = true;
        call->exec->algorithm = "windows";
        return ORDO_OK;
    }
    ordo_status const status = rough_sort(call, job, done);
    call->scratch.used = used;
    return status;
}

/* ---- Any array ----
 *
 * If no window of the look starts with a smaller key than the previous window, the array may be
 * roughly sorted, and it is sorted by windows. If no pair of neighbours rises, the array may be
 * reversed: one read checks that, and one read and write reverses the array. All other arrays go to
 * the general sort. The look costs a launch and a wait for the host, so arrays below
 * CUDA_TUNE_LOOK_BYTES and keys of 8 and 16 bits are not looked at. */

/* Sets *rises if a key is larger than the key before it. */
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

/* Reverses the array if *rises is 0. */
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
        TRY(CUDA_LAUNCH(call, rough_falling<CODE>, blocks, 256, 0, code, (const BITS *)job->keys,
                        job->n, rises));
        return CUDA_LAUNCH(call, rough_turn<BITS>, blocks, 256, 0, (BITS *)job->keys, job->n,
                           rises);
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

static ordo_status rough_decide(cuda_call *call, const ordo_sort_job *job, bool *done, bool *few)
{
    rough_look look;
    TRY(rough_look_at(call, job, &look));
    *few = look.distinct <= CUDA_TUNE_DISTINCT_SEEN;
    if (look.rises == 0 && look.falls > 0)
        return rough_reverse(call, job, done);
    if (look.far_falls > 0 || look.falls > 3 * look.rises)
        return ORDO_OK;
    /* Ties overflow the buckets of large windows, which then take longer than the general sort. */
    if (look.radius > CUDA_TUNE_ROUGH_GUESS && look.falls + look.rises < ROUGH_PAIRS / 2)
        return ORDO_OK;
    return rough_sort_unknown(call, job, look.radius, done);
}

ordo_status dev_windows_auto(cuda_call *call, const ordo_sort_job *job, bool *done, bool *few)
{
    size_t const size = cuda_type_size(job->type), used = call->scratch.used;
    *done = *few = false;
    if (size < sizeof(uint32_t) || job->n < CUDA_TUNE_LOOK_BYTES / size ||
        cuda_capturing(call->stream))
        return ORDO_OK;
    ordo_status const status = rough_decide(call, job, done, few);
    call->scratch.used = used;
    return status;
}

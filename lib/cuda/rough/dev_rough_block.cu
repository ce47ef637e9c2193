/* dev_rough_block.cu - sorts an array of medium radius in one read and one write, in place.
 *
 * A block goes through its span tile by tile. It sorts a tile (by buckets of equal width; if a
 * bucket overflows, half warps sort parts of 256 keys, which are then merged) and merges the tile
 * with the `reach` largest keys read before; reach is the radius, rounded up. Then the smallest
 * keys are in order and are written, `reach` places behind the keys read; the largest stay. After
 * T. Altman and B. Chlebus, "Sorting roughly sorted sequences in parallel" (1990), with a sliding
 * window instead of two rows of windows. rough_borders merges where two spans meet. Reads n keys,
 * writes n keys. */
#include "cuda/rough/dev_rough.cuh"
#include "cuda/rough/rough.cuh"
#include "cuda/warp/warp_scan.cuh"
#include "cuda/warp/warp_sort.cuh"

static constexpr int WINDOW_ITEMS = WARP_SORT_ITEMS;

/* The index of place i in shared memory. One key is left free after every 128 bytes to avoid bank
 * conflicts between threads that write 16 keys each. */
template <typename BITS> static DEVICE constexpr int window_at(int i)
{
    return i + i / (128 / (int)sizeof(BITS));
}

/* Merge path (Green, McColl, Bader, 2012): returns how many of the first `diagonal` keys of the
 * merge of [first, middle), ascending, and [middle, last), descending, come from the first part.
 * The second part is reversed so that a merge need not test for the ends of the parts. */
template <typename BITS>
static DEVICE int window_split(const BITS *memory, int first, int middle, int last, int diagonal)
{
    int const begin = max(0, diagonal - (last - middle)), end = min(diagonal, middle - first);
    return first_where(begin, end, [&](int at) {
        return memory[window_at<BITS>(first + at)] > memory[window_at<BITS>(last - diagonal + at)];
    });
}

/* Computes WINDOW_ITEMS keys of the merge, starting at `diagonal`. */
template <typename BITS>
static DEVICE void window_merge(const BITS *memory, int first, int middle, int last, int diagonal,
                                BITS *x)
{
    int  left = first + window_split(memory, first, middle, last, diagonal);
    int  right = last - 1 - (diagonal - (left - first));
    BITS low = memory[window_at<BITS>(left)], high = memory[window_at<BITS>(right)];
#pragma unroll
    for (int i = 0; i < WINDOW_ITEMS; i++) {
        bool const take = low <= high;
        x[i] = take ? low : high;
        if (i == WINDOW_ITEMS - 1)
            break;
        left += take;
        right -= !take;
        BITS const next = memory[window_at<BITS>(take ? left : right)];
        low = take ? next : low;
        high = take ? high : next;
    }
}

/* Writes keys to the 16 places from `at` on, a multiple of 16; in reverse order if `turned`. */
template <typename BITS>
static DEVICE void window_put(BITS *memory, int at, bool turned, const BITS *x)
{
    BITS *const to = memory + window_at<BITS>(at);
#pragma unroll
    for (int i = 0; i < WINDOW_ITEMS; i++)
        to[i] = turned ? x[WINDOW_ITEMS - 1 - i] : x[i];
}

/* Merges the tile [first, first + size) into one reversed part. It consists of sorted parts of
 * `part` keys, of which every second one is reversed. Sizes are powers of two; thread t writes keys
 * 16 t to 16 t + 15 of each level. */
template <typename BITS>
static DEVICE void window_merge_parts(BITS *memory, int first, int size, int part)
{
    int const mine = threadIdx.x * WINDOW_ITEMS;
#pragma unroll 1
    for (; part < size; part *= 2) {
        BITS       x[WINDOW_ITEMS];
        int const  begin = mine & ~(2 * part - 1), at = mine - begin;
        bool const turned = (begin & (2 * part)) != 0 || 2 * part == size;
        window_merge(memory, first + begin, first + begin + part, first + begin + 2 * part, at, x);
        __syncthreads();
        window_put(memory, first + begin + (turned ? 2 * part - WINDOW_ITEMS - at : at), turned, x);
        __syncthreads();
    }
}

/* ---- Buckets ----
 *
 * bucket_sort divides the range of the keys into as many equal buckets as there are keys. Counters
 * in shared memory give each key its rank and place. If no bucket holds more than BUCKET_MOST keys,
 * no key is more than 8 places from its final place. Then each thread sorts 16 places, and
 * afterwards 16 places shifted by 8. Otherwise the caller uses another sort. */

static constexpr int BUCKET_MOST = 9; /* so a key is at most 8 places, half of 16, from its final
                                       * place */

template <typename BITS, int THREADS> struct bucket_shared {
    BITS     low[THREADS / 32], high[THREADS / 32];
    unsigned keys[THREADS / 32];
};

/* The smallest and the largest key of the block. */
template <typename BITS, int THREADS>
static DEVICE void bucket_range(bucket_shared<BITS, THREADS> *shared, const BITS *x, BITS *least,
                                BITS *most)
{
    unsigned const lane = lane_id(), warp = threadIdx.x / 32;
    BITS           low = x[0], high = x[0];
#pragma unroll
    for (int i = 1; i < WINDOW_ITEMS; i++) {
        low = min(low, x[i]);
        high = max(high, x[i]);
    }
    low = warp_smallest(low);
    high = warp_largest(high);
    if (lane == 0) {
        shared->low[warp] = low;
        shared->high[warp] = high;
    }
    __syncthreads();
    unsigned const other = lane % (THREADS / 32);
    *least = warp_smallest(shared->low[other]);
    *most = warp_largest(shared->high[other]);
}

/* A monotonic map from [0, range] to [0, BUCKETS). */
template <typename BITS, int BUCKETS> struct bucket_map {
    int      shift; /* shifts the range into 32 bits */
    unsigned factor;

    DEVICE void cover(BITS range)
    {
        shift = 0;
        if constexpr (sizeof(BITS) == 8)
            shift = max(0, 32 - __clzll((long long)range));
        unsigned const top = (unsigned)(range >> shift);
        /* top * factor < BUCKETS * 2^32 */
        factor = (unsigned)min(((unsigned long long)BUCKETS << 32) / ((unsigned long long)top + 1),
                               0xffffffffull);
    }
    DEVICE unsigned operator()(BITS x) const { return __umulhi((unsigned)(x >> shift), factor); }
};

/* Counts the keys of each bucket; at[i] becomes the bucket of key i above its rank there. `own`:
 * the counters that this thread zeroes and scans. */
template <int THREADS, typename BITS>
static DEVICE void bucket_count(bucket_shared<BITS, THREADS> *shared, unsigned *counts,
                                unsigned *own, const BITS *x, unsigned *at)
{
    BITS                                     least, most;
    bucket_map<BITS, THREADS * WINDOW_ITEMS> map;
#pragma unroll
    for (int i = 0; i < WINDOW_ITEMS; i++)
        own[i] = 0;
    bucket_range<BITS, THREADS>(shared, x, &least, &most);
    map.cover((BITS)(most - least));
#pragma unroll
    for (int i = 0; i < WINDOW_ITEMS; i++) {
        unsigned const bucket = window_at<unsigned>((int)map((BITS)(x[i] - least)));
        at[i] = bucket << 16 | atomicAdd(counts + bucket, 1u);
    }
}

/* Turns counts into starts; false if a bucket holds more than BUCKET_MOST keys. */
template <int THREADS, typename BITS>
static DEVICE bool bucket_starts(bucket_shared<BITS, THREADS> *shared, unsigned *own)
{
    unsigned const lane = lane_id(), warp = threadIdx.x / 32;
    unsigned       sum = 0, full = 0;
#pragma unroll
    for (int i = 0; i < WINDOW_ITEMS; i++) {
        unsigned const count = own[i];
        full = max(full, count);
        sum += count;
    }
    unsigned const upto = warp_scan<scan_add<unsigned>>(sum);
    if (lane == 31)
        shared->keys[warp] = upto;
    if (__syncthreads_or(full > BUCKET_MOST))
        return false;
    unsigned const before = __reduce_add_sync(WARP_ALL, lane < warp ? shared->keys[lane] : 0u);
    unsigned       place = before + upto - sum;
#pragma unroll
    for (int i = 0; i < WINDOW_ITEMS; i++) {
        unsigned const count = own[i];
        own[i] = place;
        place += count;
    }
    return true;
}

/* Sorts keys that are at most 8 places from their final places, in reversed order. This thread has
 * the 16 places before `end`, the next thread the 16 before these. */
template <int THREADS, typename BITS> static DEVICE void bucket_finish(BITS *memory, int end)
{
    constexpr int N = WINDOW_ITEMS;
    BITS *const   here = memory + window_at<BITS>(end - N);
    BITS          y[N];
#pragma unroll
    for (int i = 0; i < N; i++)
        y[i] = here[N - 1 - i];
    lane_sort(y);
#pragma unroll
    for (int i = 0; i < N; i++)
        here[N - 1 - i] = y[i];
    __syncthreads();
    if (threadIdx.x < THREADS - 1) { /* 8 places of this thread and 8 of the next one */
        BITS *const next = memory + window_at<BITS>(end - 2 * N);
#pragma unroll
        for (int i = 0; i < N / 2; i++) {
            y[i] = here[N / 2 - 1 - i];
            y[N / 2 + i] = next[N / 2 + i]; /* larger keys first */
        }
        lane_clean<N / 2>(y);
#pragma unroll
        for (int i = 0; i < N / 2; i++) {
            here[N / 2 - 1 - i] = y[i];
            next[N - 1 - i] = y[N / 2 + i];
        }
    }
}

/* Writes x, sorted and reversed, to the places [first, first + THREADS * 16). If it returns false,
 * the contents of these places are undefined. */
template <typename BITS, int THREADS>
static DEVICE bool bucket_sort(bucket_shared<BITS, THREADS> *shared, BITS *memory, int first,
                               const BITS *x)
{
    constexpr int   N = WINDOW_ITEMS, KEYS = THREADS * N;
    int const       mine = threadIdx.x * N;
    unsigned *const counts = (unsigned *)(memory + window_at<BITS>(first));
    unsigned *const own = counts + window_at<unsigned>(mine);
    unsigned        at[N];

    bucket_count<THREADS>(shared, counts, own, x, at);
    __syncthreads();
    if (!bucket_starts<THREADS>(shared, own))
        return false;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < N; i++)
        at[i] = counts[at[i] >> 16] + (at[i] & 0xffff);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < N; i++)
        memory[window_at<BITS>(first + KEYS - 1 - (int)at[i])] = x[i];
    __syncthreads();
    bucket_finish<THREADS>(memory, first + KEYS - mine);
    __syncthreads();
    return true;
}

enum {
    ROUGH_PART = 256, /* keys that half a warp sorts */
    ROUGH_SMALL = CUDA_TUNE_ROUGH_SMALL,
    ROUGH_LARGE = CUDA_TUNE_ROUGH_LARGE
};

template <typename BITS, int THREADS> struct rough_tile {
    static constexpr int KEYS = THREADS * WINDOW_ITEMS;
    /* Shared memory: the kept keys, then the tile. While half warps sort parts of the tile, each
     * warp has its own piece of this memory. */
    static constexpr int ROOM = (warp_sort_at<BITS>(WARP_SORT_KEYS) + 7) / 8 * 8;
    static size_t        bytes(int reach)
    {
        int const tile = window_at<BITS>(KEYS), rooms = THREADS / 32 * ROOM;
        return (window_at<BITS>(reach) + (tile > rooms ? tile : rooms) + 8) * sizeof(BITS);
    }
};

template <typename CODE, int THREADS>
static DEVICE void rough_load(const rough_view<CODE> &view, size_t at, typename CODE::BITS *x)
{
    constexpr int  V = rough_view<CODE>::V;
    unsigned const lane = lane_id(), half = threadIdx.x / 16; /* 16 lanes load one part */
#pragma unroll
    for (int i = 0; i < WINDOW_ITEMS; i += V)
        view.load(at + half * ROUGH_PART + i * 16 + lane % 16 * V, x + i);
}

/* Sorts the keys of all threads and writes them, reversed, to the tile after `reach` places. */
template <typename BITS, int THREADS>
static DEVICE void rough_merge(BITS *memory, int reach, BITS *x)
{
    typedef rough_tile<BITS, THREADS> TILE;
    BITS *const rooms = memory + (window_at<BITS>(reach) + 7) / 8 * 8; /* aligned to whole
                                                                        * vectors */
    int const   mine = threadIdx.x * WINDOW_ITEMS, part = mine & ~(ROUGH_PART - 1);
    bool const  turned = mine & ROUGH_PART;
    warp_sort_parts<4>(x, rooms + threadIdx.x / 32 * TILE::ROOM);
    __syncthreads();
    window_put(memory,
               reach + part + (turned ? part + ROUGH_PART - WINDOW_ITEMS - mine : mine - part),
               turned, x);
    __syncthreads();
    window_merge_parts(memory, reach, TILE::KEYS, ROUGH_PART);
}

/* Computes 16 keys, from `at` on, of the merge of the kept keys, [0, reach), and the tile. Behind
 * the last kept key these are keys of the tile. */
template <typename BITS>
static DEVICE void rough_take(const BITS *memory, int reach, int keys, int at, BITS *x)
{
    if (at >= reach) {
        const BITS *const own =
            memory + window_at<BITS>(reach + keys - WINDOW_ITEMS - (at - reach));
        if (memory[window_at<BITS>(reach - 1)] <= own[WINDOW_ITEMS - 1]) {
#pragma unroll
            for (int i = 0; i < WINDOW_ITEMS; i++)
                x[i] = own[WINDOW_ITEMS - 1 - i];
            return;
        }
    }
    window_merge(memory, 0, reach, reach + keys, at, x);
}

template <typename CODE, int THREADS, typename BITS = typename CODE::BITS>
static __global__ void __launch_bounds__(THREADS,
                                         CUDA_TUNE_ROUGH_BYTES / (THREADS * (int)sizeof(BITS)))
    rough_blocks(rough_view<CODE> view, size_t span, int reach, unsigned *unsorted)
{
    typedef rough_tile<BITS, THREADS> TILE;
    constexpr int                     KEYS = TILE::KEYS, V = rough_view<CODE>::V;
    extern __shared__ uint4           rough_memory[];
    __shared__ bucket_shared<BITS, THREADS> shared;
    BITS *const                             memory = (BITS *)rough_memory;
    int const                               mine = threadIdx.x * WINDOW_ITEMS;
    size_t const                            start = blockIdx.x * span;
    size_t const lo = max(start, view.pad), hi = min(start + span, view.end);
    bool         broken = false;
    BITS         x[WINDOW_ITEMS], last = 0;

    for (int i = threadIdx.x; i < reach; i += THREADS)
        memory[window_at<BITS>(i)] = 0;
    rough_load<CODE, THREADS>(view, start, x);
    size_t at = start;
    for (; at < hi; at += KEYS) {
        if (!bucket_sort<BITS, THREADS>(&shared, memory, reach, x))
            rough_merge<BITS, THREADS>(memory, reach, x);

        BITS kept[WINDOW_ITEMS];
        rough_take(memory, reach, KEYS, mine, x);
        if (mine < reach)
            rough_take(memory, reach, KEYS, KEYS + mine, kept);
        __syncthreads();
        if (mine < reach)
            window_put(memory, mine, false, kept);
        window_put(memory, reach + mine, false, x);
        __syncthreads();
        if (at + KEYS < hi)
            rough_load<CODE, THREADS>(view, at + KEYS, x);

        broken |= memory[window_at<BITS>(reach)] < last;
        last = memory[window_at<BITS>(reach + KEYS - 1)];
#pragma unroll 4
        for (int place = threadIdx.x * V; place < KEYS; place += THREADS * V) {
            BITS out[V];
#pragma unroll
            for (int j = 0; j < V; j++)
                out[j] = memory[window_at<BITS>(reach + place) + j];
            if (at + place >= start + reach)
                view.store(at + place - reach, out, lo, hi);
        }
        __syncthreads();
    }
    for (int place = threadIdx.x * V; place < reach; place += THREADS * V) {
        BITS out[V];
#pragma unroll
        for (int j = 0; j < V; j++)
            out[j] = memory[window_at<BITS>(place) + j];
        if (at + place >= start + reach)
            view.store(at + place - reach, out, lo, hi);
    }
    if (broken && threadIdx.x == 0)
        rough_raise(unsorted);
}

template <typename CODE, int THREADS>
static ordo_status rough_launch(cuda_call *call, const ordo_sort_job *job, CODE code, size_t radius,
                                unsigned *unsorted)
{
    typedef rough_tile<typename CODE::BITS, THREADS> TILE;
    rough_view<CODE> const                           view = rough_view_of(job, code);
    int const                                        reach = (int)ordo_round_up(radius, 256);
    size_t const                                     bytes = TILE::bytes(reach);
    int                                              resident = 0;
    TRY(cuda_allow_shared(call, rough_blocks<CODE, THREADS>, bytes));
    CUDA_TRY(call->exec, cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                             &resident, rough_blocks<CODE, THREADS>, THREADS, bytes));
    size_t const blocks = (size_t)call->facts->sms * ordo_max(1, (size_t)resident);
    size_t const steps = ordo_div_up(ordo_div_up(view.end, TILE::KEYS), blocks);
    size_t const span = TILE::KEYS * ordo_max(steps, ordo_div_up(4 * (size_t)reach, TILE::KEYS));
    TRY(CUDA_LAUNCH(call, (rough_blocks<CODE, THREADS>), ordo_div_up(view.end, span), THREADS,
                    bytes, view, span, reach, unsorted));
    return rough_join(call, view, span, radius, unsorted);
}

/* The size of the larger tile if the device has enough shared memory for it, else the size of the
 * smaller one. */
size_t rough_block_most(const cuda_call *call, ordo_type type)
{
    size_t const most = ROUGH_LARGE * WINDOW_ITEMS;
    size_t const bytes = cuda_type_size(type) == 8
                             ? rough_tile<uint64_t, ROUGH_LARGE>::bytes((int)most)
                             : rough_tile<uint32_t, ROUGH_LARGE>::bytes((int)most);
    return bytes + 1024 <= call->facts->shared_bytes ? most : ROUGH_SMALL * WINDOW_ITEMS;
}

ordo_status rough_block(cuda_call *call, const ordo_sort_job *job, size_t radius,
                        unsigned *unsorted)
{
    return with_key_width(job->type, job->descending, [&](auto code) {
        typedef decltype(code) CODE;
        if (radius <= ROUGH_SMALL * WINDOW_ITEMS)
            return rough_launch<CODE, ROUGH_SMALL>(call, job, code, radius, unsorted);
        return rough_launch<CODE, ROUGH_LARGE>(call, job, code, radius, unsorted);
    });
}

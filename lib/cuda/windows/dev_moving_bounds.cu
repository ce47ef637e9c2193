/* dev_moving_bounds.cu - minima and maxima of a moving window of up to 1024 elements.
 *
 * A block has a tile of codes in shared memory: key bits, complemented for minima, so that the
 * result is always the largest code. Step s combines codes at distance 2^s; then each place has the
 * maximum of 2^(s+1) elements. Two such overlapping stretches cover a window. Long rows have tiles
 * of their own, where places outside the row have code 0. In other segments, a window that the
 * segment cuts takes the stretches of the step that fits its length. Cost: lg(window) steps per
 * element. NaNs, unless NaNs are keys, have code 0; a bit mask counts them. */
#include "cuda/windows/moving_options.cuh"
#include "cuda/warp/warp_scan.cuh"

enum {
    THREADS = 256,
    ITEMS_OF_ROWS = 9,    /* codes of a thread: a row of 4096 elements has two tiles if windows have
                           * up to 257 */
    ITEMS_OF_SEGMENTS = 8 /* as many as registers hold */
};

template <typename WORD, int ITEMS> struct bounds_shared {
    static constexpr unsigned TILE = ITEMS * THREADS, WORDS = TILE / 32;

    WORD        codes[TILE];
    uint32_t    nans[WORDS];
    uint16_t    nans_before[WORDS + 1]; /* number of NaNs in the words before this one */
    moving_near near;
};

/* The number of NaNs of the tile before place i. */
template <typename WORD, int ITEMS>
static DEVICE unsigned nans_to(const bounds_shared<WORD, ITEMS> &s, unsigned i)
{
    unsigned const word = i / 32, bit = i % 32;
    return s.nans_before[word] +
           (bit == 0 ? 0 : (unsigned)__popc(s.nans[word] & ((1u << bit) - 1)));
}

/* Reads the tile that begins with element `origin`; elements outside of `where` have code 0. Ends
 * with a barrier. */
template <typename WORD, int ITEMS>
static DEVICE void load_codes(const moving_options &options, const segment_codes<WORD> &codes,
                              int64_t origin, segment where, bool hides,
                              bounds_shared<WORD, ITEMS> &s)
{
    WORD const flip = options.op == ORDO_MOVING_MIN ? (WORD) ~(WORD)0 : (WORD)0;
    for (int j = 0; j < ITEMS; j++) {
        unsigned const place = j * THREADS + threadIdx.x;
        int64_t const  i = origin + place; /* less than the start is far above the length */
        bool const     inside = (uint64_t)i - where.start < where.length;
        WORD const     code = inside ? codes.read(options.in, (uint64_t)i) : (WORD)0;
        bool const     is_nan = inside && hides && code > codes.last_number();
        uint32_t const word = __ballot_sync(WARP_ALL, is_nan);
        s.codes[place] = inside && !is_nan ? (WORD)(code ^ flip) : (WORD)0;
        if (lane_id() == 0)
            s.nans[place / 32] = word;
    }
    __syncthreads();
    if (threadIdx.x == 0 && hides) {
        unsigned sum = 0;
        for (unsigned w = 0; w < s.WORDS; w++) {
            s.nans_before[w] = (uint16_t)sum;
            sum += (unsigned)__popc(s.nans[w]);
        }
        s.nans_before[s.WORDS] = (uint16_t)sum;
    }
    __syncthreads();
}

/* Combines codes at this distance: codes[i] becomes the maximum of twice as many elements. */
template <typename WORD, int ITEMS>
static DEVICE void widen(bounds_shared<WORD, ITEMS> &s, unsigned distance)
{
    constexpr unsigned TILE = bounds_shared<WORD, ITEMS>::TILE;
    WORD               most[ITEMS];
#pragma unroll
    for (int j = 0; j < ITEMS; j++) {
        unsigned const place = j * THREADS + threadIdx.x;
        WORD const     here = s.codes[place];
        WORD const     other = place + distance < TILE ? s.codes[place + distance] : (WORD)0;
        most[j] = here > other ? here : other;
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < ITEMS; j++)
        s.codes[j * THREADS + threadIdx.x] = most[j];
    __syncthreads();
}

/* The window of an output: places of the tile. */
struct bounds_window {
    uint16_t first, end; /* the same if there is no output */

    DEVICE unsigned length(void) const { return (unsigned)end - first; }
};

/* The window of output o of the tile. */
template <typename WORD, int ITEMS>
static DEVICE bounds_window window_of(const moving_options             &options,
                                      const bounds_shared<WORD, ITEMS> &s, uint64_t begin,
                                      unsigned o)
{
    moving_reach const reach = moving_reach_at(options, s.near, begin, o);
    unsigned const     back = (unsigned)options.back, at = o + back; /* the place of its element */
    unsigned const     end = at + min(reach.after, (unsigned)options.ahead + 1);
    return {(uint16_t)(at - min(reach.before, back)),
            (uint16_t)(reach.after != 0 ? end : at - min(reach.before, back))};
}

/* best[j] = the largest code of the window of output j of this thread. */
template <typename WORD, int ITEMS>
static DEVICE void find_bounds(bounds_shared<WORD, ITEMS> &s, unsigned stretch,
                               const bounds_window (&windows)[ITEMS], WORD (&best)[ITEMS])
{
    unsigned wanted = 0; /* bit b: a window has 2^b or more elements, and fewer than twice that */
#pragma unroll
    for (int j = 0; j < ITEMS; j++) {
        best[j] = 0;
        wanted |= windows[j].length() != 0 ? 1u << (31 - __clz((int)windows[j].length())) : 0u;
    }
    for (unsigned size = 1;; size *= 2) {
        if ((wanted & size) != 0)
#pragma unroll
            for (int j = 0; j < ITEMS; j++)
                if (windows[j].length() / size == 1)
                    best[j] = max(s.codes[windows[j].first], s.codes[windows[j].end - size]);
        if (size == stretch)
            return;
        __syncthreads(); /* the codes are read */
        widen(s, size);
    }
}

/* Writes output i from the largest code of its window, which has `length` elements. */
template <typename WORD>
static DEVICE void write_bound(const moving_options &options, const segment_codes<WORD> &codes,
                               uint64_t i, WORD code, unsigned length, unsigned nans)
{
    WORD const     flip = options.op == ORDO_MOVING_MIN ? (WORD) ~(WORD)0 : (WORD)0;
    unsigned const seen = length - (options.nans == ORDO_NANS_OMIT ? nans : 0);
    if (seen < options.min_periods || seen == 0 ||
        (nans > 0 && options.nans == ORDO_NANS_PROPAGATE))
        moving_write_nan(options, codes, i);
    else
        moving_write_key(options, codes, i, (WORD)(code ^ flip));
}

struct bounds_tile { /* the outputs of a block */
    segment  where;  /* windows do not reach past it */
    uint64_t begin;  /* the first output */
    unsigned outputs;
    bool     hides; /* NaNs are counted */
};

/* The outputs of a tile whose windows only the ends of `where` cut; places outside of it have code
 * 0. */
template <typename WORD, int ITEMS>
static DEVICE void whole_windows(const moving_options &options, const segment_codes<WORD> &codes,
                                 bounds_shared<WORD, ITEMS> &s, const bounds_tile &tile,
                                 unsigned window, unsigned stretch)
{
    uint64_t const start = tile.where.start, last = start + tile.where.length;
    for (unsigned distance = 1; distance < stretch; distance *= 2)
        widen(s, distance);
    for (unsigned o = threadIdx.x; o < tile.outputs && tile.begin + o < last; o += THREADS) {
        uint64_t const i = tile.begin + o;
        uint64_t const first = i - start > options.back ? i - options.back : start;
        uint64_t const end = last - i > options.ahead ? i + options.ahead + 1 : last;
        unsigned const nans = tile.hides ? nans_to(s, o + window) - nans_to(s, o) : 0;
        WORD const     low = s.codes[o], high = s.codes[o + window - stretch];
        write_bound(options, codes, i, low > high ? low : high, (unsigned)(end - first), nans);
    }
}

/* The outputs of any tile. */
template <typename WORD, int ITEMS>
static DEVICE void cut_windows(const moving_options &options, const segment_codes<WORD> &codes,
                               bounds_shared<WORD, ITEMS> &s, const bounds_tile &tile,
                               unsigned stretch)
{
    bounds_window windows[ITEMS];
    WORD          best[ITEMS];
#pragma unroll
    for (int j = 0; j < ITEMS; j++) {
        unsigned const o = j * THREADS + threadIdx.x;
        windows[j] = {0, 0};
        if (o < tile.outputs && tile.begin + o < options.n)
            windows[j] = window_of(options, s, tile.begin, o);
    }
    find_bounds(s, stretch, windows, best);
#pragma unroll
    for (int j = 0; j < ITEMS; j++) {
        bounds_window const here = windows[j];
        unsigned const      nans = tile.hides ? nans_to(s, here.end) - nans_to(s, here.first) : 0;
        if (here.length() != 0)
            write_bound(options, codes, tile.begin + j * THREADS + threadIdx.x, best[j],
                        here.length(), nans);
    }
}

/* Blocks of a multiprocessor, which limit the registers. */
static constexpr int bounds_resident(size_t size, bool segments)
{
    return segments ? (size > 4 ? 4 : 5) : size > 4 ? 6 : 8;
}

/* The tiles of rows; an array is one row. A kernel argument. */
struct bounds_rows {
    uint64_t length;
    unsigned tiles;   /* of a row */
    unsigned outputs; /* of a tile */
};

/* Every tile has outputs of one row. */
template <typename WORD>
static __global__ void __launch_bounds__(THREADS, bounds_resident(sizeof(WORD), false))
    bounds_by_rows(const __grid_constant__ moving_options options,
                   const __grid_constant__ segment_codes<WORD> codes, bounds_rows const rows,
                   unsigned window, unsigned stretch)
{
    __shared__ bounds_shared<WORD, ITEMS_OF_ROWS> s;
    segment const     where = {blockIdx.x / rows.tiles * rows.length, rows.length};
    uint64_t const    begin = where.start + (uint64_t)(blockIdx.x % rows.tiles) * rows.outputs;
    bounds_tile const tile = {where, begin, rows.outputs,
                              codes.is_float && options.nans != ORDO_NANS_LAST};
    load_codes(options, codes, (int64_t)begin - (int64_t)options.back, where, tile.hides, s);
    whole_windows(options, codes, s, tile, window, stretch);
}

template <typename WORD>
static __global__ void __launch_bounds__(THREADS, bounds_resident(sizeof(WORD), true))
    bounds_by_segments(const __grid_constant__ moving_options options,
                       const __grid_constant__ segment_codes<WORD> codes, unsigned outputs,
                       unsigned window, unsigned stretch)
{
    __shared__ bounds_shared<WORD, ITEMS_OF_SEGMENTS> s;
    uint64_t const                                    begin = (uint64_t)blockIdx.x * outputs;
    bool const        hides = codes.is_float && options.nans != ORDO_NANS_LAST;
    bounds_tile const tile = {{0, options.n}, begin, outputs, hides};
    if (threadIdx.x < WARP_LANES)
        moving_find_near(options, begin, outputs, &s.near);
    load_codes(options, codes, (int64_t)begin - (int64_t)options.back, tile.where, tile.hides, s);
    if (s.near.are_several || s.near.reach.before < options.back ||
        s.near.reach.after < outputs + options.ahead)
        cut_windows(options, codes, s, tile, stretch);
    else
        whole_windows(options, codes, s, tile, window, stretch);
}

/* The tiles of an array or of its rows; no tiles if rows are too short for tiles of their own. */
static bounds_rows bounds_rows_of(const moving_options &options, unsigned window)
{
    unsigned const outputs = ITEMS_OF_ROWS * THREADS + 1 - window;
    bounds_rows    rows = {options.n, 0, outputs};
    if (options.has_segments && options.map.offsets != NULL)
        return rows;
    if (options.has_segments)
        rows.length = options.map.length;
    uint64_t const tiles = ordo_div_up(rows.length, outputs);
    if (options.has_segments && 4 * tiles * outputs > 5 * rows.length)
        return rows;
    rows.tiles = (unsigned)tiles;
    rows.outputs = (unsigned)ordo_div_up(rows.length, tiles);
    return rows;
}

ordo_status moving_bounds(cuda_call *call, const moving_options &options, ordo_type type)
{
    unsigned const    window = (unsigned)(options.back + options.ahead + 1);
    unsigned const    outputs = ITEMS_OF_SEGMENTS * THREADS + 1 - window; /* of a tile */
    bounds_rows const rows = bounds_rows_of(options, window);
    unsigned          stretch = 1;
    while (2 * stretch <= window)
        stretch *= 2;
    call->exec->algorithm = "stretches";
    return with_segment_codes(type, false, KEY_TOTAL, [&](auto codes) {
        typedef decltype(codes.flip) WORD;
        if (rows.tiles != 0)
            return CUDA_LAUNCH(call, bounds_by_rows<WORD>, options.n / rows.length * rows.tiles,
                               THREADS, 0, options, codes, rows, window, stretch);
        return CUDA_LAUNCH(call, bounds_by_segments<WORD>, ordo_div_up(options.n, outputs), THREADS,
                           0, options, codes, outputs, window, stretch);
    });
}

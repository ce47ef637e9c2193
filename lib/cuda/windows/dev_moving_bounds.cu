/* dev_moving_bounds.cu - minima and maxima of a moving window of up to 1024 elements.
 *
 * A block has a tile of 2048 codes in shared memory: key bits, complemented for minima, so that the
 * result is always the largest code. Step s combines codes at distance 2^s; then each place has the
 * maximum of 2^(s+1) elements. Two such overlapping stretches cover the window. Cost: lg(window)
 * steps per element. Elements outside the array, and NaNs unless NaNs are keys, have code 0; a bit
 * mask counts the NaNs. */
#include "cuda/windows/moving_wish.cuh"
#include "cuda/warp/warp_scan.cuh"

enum {
    TILE = 2048,
    THREADS = 256,
    ITEMS = TILE / THREADS,
    WORDS = TILE / 32
};

template <typename WORD> struct bounds_shared {
    WORD     codes[TILE];
    uint32_t nans[WORDS];
    uint16_t nans_before[WORDS + 1]; /* number of NaNs in the words before this one */
};

/* The number of NaNs of the tile before place i <= TILE. */
template <typename WORD> static DEVICE unsigned nans_to(const bounds_shared<WORD> &s, unsigned i)
{
    unsigned const word = i / 32, bit = i % 32;
    return s.nans_before[word] +
           (bit == 0 ? 0 : (unsigned)__popc(s.nans[word] & ((1u << bit) - 1)));
}

/* Reads the tile that begins with element `origin`. Ends with a barrier. */
template <typename WORD>
static DEVICE void load_codes(const moving_wish &wish, const segment_codes<WORD> &codes,
                              int64_t origin, bool hides, WORD flip, bounds_shared<WORD> &s)
{
    for (int j = 0; j < ITEMS; j++) {
        unsigned const place = j * THREADS + threadIdx.x;
        int64_t const  i = origin + place;
        bool const     inside = i >= 0 && (uint64_t)i < wish.n;
        WORD const     code = inside ? codes.read(wish.in, (uint64_t)i) : (WORD)0;
        bool const     is_nan = inside && hides && code > codes.last_number();
        uint32_t const word = __ballot_sync(WARP_ALL, is_nan);
        s.codes[place] = inside && !is_nan ? (WORD)(code ^ flip) : (WORD)0;
        if (lane_id() == 0)
            s.nans[place / 32] = word;
    }
    __syncthreads();
    if (threadIdx.x == 0 && hides) {
        unsigned sum = 0;
        for (int w = 0; w < WORDS; w++) {
            s.nans_before[w] = (uint16_t)sum;
            sum += (unsigned)__popc(s.nans[w]);
        }
        s.nans_before[WORDS] = (uint16_t)sum;
    }
    __syncthreads();
}

/* Sets codes[i] to the maximum of the `stretch` elements from i on; stretch is a power of 2. */
template <typename WORD> static DEVICE void widen(bounds_shared<WORD> &s, unsigned stretch)
{
    for (unsigned distance = 1; distance < stretch; distance *= 2) {
        WORD most[ITEMS];
        for (int j = 0; j < ITEMS; j++) {
            unsigned const place = j * THREADS + threadIdx.x;
            WORD const     here = s.codes[place];
            WORD const     other = place + distance < TILE ? s.codes[place + distance] : (WORD)0;
            most[j] = here > other ? here : other;
        }
        __syncthreads();
        for (int j = 0; j < ITEMS; j++)
            s.codes[j * THREADS + threadIdx.x] = most[j];
        __syncthreads();
    }
}

template <typename WORD>
static __global__ void __launch_bounds__(THREADS)
    bounds_kernel(const __grid_constant__ moving_wish wish,
                  const __grid_constant__ segment_codes<WORD> codes, unsigned outputs,
                  unsigned window, unsigned stretch)
{
    __shared__ bounds_shared<WORD> s;
    uint64_t const                 begin = (uint64_t)blockIdx.x * outputs;
    int64_t const                  origin = (int64_t)begin - (int64_t)wish.back;
    bool const                     hides = codes.is_float && wish.nans != ORDO_NANS_LAST;
    WORD const                     flip = wish.op == ORDO_MOVING_MIN ? (WORD) ~(WORD)0 : (WORD)0;
    load_codes(wish, codes, origin, hides, flip, s);
    widen(s, stretch);
    for (unsigned o = threadIdx.x; o < outputs && begin + o < wish.n; o += THREADS) {
        uint64_t const i = begin + o;
        uint64_t const first = i > wish.back ? i - wish.back : 0;
        uint64_t const end = wish.n - i > wish.ahead ? i + wish.ahead + 1 : wish.n;
        unsigned const nans = hides ? nans_to(s, o + window) - nans_to(s, o) : 0;
        uint64_t const seen = end - first - (wish.nans == ORDO_NANS_OMIT ? nans : 0);
        WORD const     low = s.codes[o], high = s.codes[o + window - stretch];
        if (seen < wish.min_periods || seen == 0 || (nans > 0 && wish.nans == ORDO_NANS_PROPAGATE))
            moving_write_nan(wish, codes, i);
        else
            moving_write_key(wish, codes, i, (WORD)((low > high ? low : high) ^ flip));
    }
}

ordo_status moving_bounds(cuda_call *call, const moving_wish &wish, ordo_type type)
{
    unsigned const window = (unsigned)(wish.back + wish.ahead + 1), outputs = TILE + 1 - window;
    unsigned       stretch = 1;
    while (2 * stretch <= window)
        stretch *= 2;
    call->exec->algorithm = "stretches";
    return with_segment_codes(type, false, KEY_TOTAL, [&](auto codes) {
        return CUDA_LAUNCH(call, bounds_kernel<decltype(codes.flip)>, ordo_div_up(wish.n, outputs),
                           THREADS, 0, wish, codes, outputs, window, stretch);
    });
}

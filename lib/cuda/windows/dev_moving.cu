/* dev_moving.cu - medians, quantiles and ranks of a moving window of up to 1024 elements.
 *
 * A block sorts a tile of 2048 elements (the elements of its outputs and of their windows) and
 * numbers the elements by their sorted places. A wavelet matrix of the places (F. Claude, G.
 * Navarro and A. Ordonez, "The wavelet matrix: An efficient wavelet tree for large alphabets",
 * 2015) finds in 11 steps, for any window of the tile, the k-th place or the number of places below
 * a given one. Every result takes one to three such queries. Dense ranks look at each element of
 * the window. Segments limit the windows. Minima and maxima have their own kernel
 * (dev_moving_bounds.cu). */
#include "cuda/windows/moving_tile.cuh"
#include "cuda/windows/moving_options.cuh"
#include "cuda/segments/segments.cuh"

/* ---- One output ---- */

struct moving_window {
    unsigned first, end; /* range of elements in the tile */
    unsigned nans;       /* number of NaNs, unless NaNs are keys */
};

template <typename WORD>
static DEVICE double
moving_quantile(const moving_options &options, const segment_codes<WORD> &codes,
                const moving_tile<WORD> &tile, const moving_window &window, unsigned seen)
{
    quantile_place const at = quantile_place_of(options.method, options.q, seen);
    double const         below =
        codes.value(codes.decode(tile.key(tile.kth(window.first, window.end, (unsigned)at.below))));
    double const above =
        at.above == at.below
            ? below
            : codes.value(
                  codes.decode(tile.key(tile.kth(window.first, window.end, (unsigned)at.above))));
    return quantile_value(&at, below, above);
}

/* The rank of the last element of the window. */
template <typename WORD>
static DEVICE double moving_rank(const moving_options &options, const segment_codes<WORD> &codes,
                                 const moving_tile<WORD> &tile, const moving_window &window,
                                 uint64_t last)
{
    WORD const     code = codes.read(options.in, last);
    unsigned const start = tile.lower(code);
    if (options.ties == ORDO_TIES_DENSE)
        return (double)(tile.distinct_below(window.first, window.end, start) + 1);
    unsigned const before = options.ties == ORDO_TIES_MAX || options.ties == ORDO_TIES_ORDINAL
                                ? 0
                                : tile.count_below(window.first, window.end, start);
    if (options.ties == ORDO_TIES_MIN)
        return (double)(before + 1);
    unsigned const to = tile.count_below(window.first, window.end, tile.upper(code));
    return options.ties == ORDO_TIES_AVERAGE ? (double)(before + 1 + to) * 0.5 : (double)to;
}

/* Computes output o of the tile, element begin + o. */
template <typename WORD>
static DEVICE void moving_output(const moving_options &options, const segment_codes<WORD> &codes,
                                 const moving_tile<WORD> &tile, const moving_near &near,
                                 unsigned numbers, uint64_t begin, unsigned o)
{
    moving_reach const reach = moving_reach_at(options, near, begin, o);
    uint64_t const     i = begin + o;
    if (reach.after == 0)
        return;
    unsigned const at = o + (unsigned)options.back; /* the place of element i in the tile */
    unsigned const ahead = min(reach.after, (unsigned)options.ahead + 1);
    moving_window  window = {at - min(reach.before, (unsigned)options.back), at + ahead, 0};
    unsigned const all = window.end - window.first;
    if (numbers < MOVING_TILE)
        window.nans = all - tile.count_below(window.first, window.end, numbers);
    unsigned const seen = options.nans == ORDO_NANS_OMIT ? all - window.nans : all;
    bool const     is_rank = options.op == ORDO_MOVING_RANK;
    bool           hidden = seen < options.min_periods || seen == 0 ||
                  (window.nans > 0 && options.nans == ORDO_NANS_PROPAGATE);
    if (is_rank && options.nans != ORDO_NANS_LAST && codes.is_float)
        hidden |= codes.read(options.in, i + ahead - 1) > codes.last_number();
    if (hidden) {
        moving_write_nan(options, codes, i);
        return;
    }
    if (is_rank)
        ((double *)options.out)[i] = moving_rank(options, codes, tile, window, i + ahead - 1);
    else
        ((double *)options.out)[i] = moving_quantile(options, codes, tile, window, seen);
}

template <typename WORD>
static __global__ void __launch_bounds__(MOVING_THREADS)
    moving_kernel(const __grid_constant__ moving_options options,
                  const __grid_constant__ segment_codes<WORD> codes, unsigned outputs)
{
    __shared__ moving_shared<WORD> shared;
    __shared__ moving_near         near;
    uint64_t const                 begin = (uint64_t)blockIdx.x * outputs;
    int64_t const                  origin = (int64_t)begin - (int64_t)options.back;
    bool const dense = options.op == ORDO_MOVING_RANK && options.ties == ORDO_TIES_DENSE;
    moving_tile<WORD> const tile = {&shared, dense};
    if (threadIdx.x < WARP_LANES)
        moving_find_near(options, begin, outputs, &near); /* the load has barriers */
    tile.load([&](unsigned place) {
        int64_t const i = origin + place;
        return i >= 0 && (uint64_t)i < options.n ? codes.read(options.in, (uint64_t)i)
                                                 : (WORD) ~(WORD)0;
    });
    if (dense)
        tile.make_previous();
    else
        tile.make_levels();
    /* Sorted places below `numbers` hold numbers; the others hold NaNs. */
    unsigned const numbers = codes.is_float && options.nans != ORDO_NANS_LAST
                                 ? tile.upper(codes.last_number())
                                 : MOVING_TILE;
    for (unsigned o = threadIdx.x; o < outputs && begin + o < options.n; o += MOVING_THREADS)
        moving_output(options, codes, tile, near, numbers, begin, o);
}

/* ---- The job ---- */

size_t dev_moving_scratch(const ordo_moving_job *) { return 0; }

/* Segments of a fixed layout are rows without gaps. */
static moving_options options_of(const ordo_moving_job *job)
{
    moving_options options = {};
    options.op = job->op;
    options.n = job->n;
    options.back = job->back;
    options.ahead = job->ahead;
    options.min_periods = job->min_periods;
    options.nans = job->nans;
    options.q = job->q;
    options.method = job->method;
    options.ties = job->ties;
    options.in = job->in;
    options.out = job->out;
    options.out_is_key = job->out_type == job->type;
    options.has_segments = job->segments != NULL;
    if (job->segments != NULL && job->segments->offsets == NULL)
        options.n = job->segments->count * job->segments->length;
    if (job->segments != NULL)
        options.map = segment_map_of(job->segments, options.n);
    return options;
}

ordo_status dev_moving(cuda_call *call, const ordo_moving_job *job)
{
    size_t const window = job->back + job->ahead + 1;
    bool const   is_rank = job->op == ORDO_MOVING_RANK;
    if (window > MOVING_WINDOW)
        return ordo_fail(call->exec, ORDO_E_UNSUPPORTED,
                         "a GPU has moving windows of at most %d elements; the window has %zu",
                         (int)MOVING_WINDOW, window);
    moving_options const options = options_of(job);
    call->exec->algorithm = "wavelet_tiles";
    if (options.n == 0 || (job->segments != NULL && job->segments->count == 0))
        return ORDO_OK;
    if (is_bound(job->op))
        return moving_bounds(call, options, job->type);
    return with_segment_codes(job->type, job->descending, is_rank ? KEY_FOLDED : KEY_TOTAL,
                              [&](auto codes) {
                                  unsigned const outputs = (unsigned)(MOVING_TILE + 1 - window);
                                  return CUDA_LAUNCH(call, moving_kernel<decltype(codes.flip)>,
                                                     ordo_div_up(options.n, outputs),
                                                     MOVING_THREADS, 0, options, codes, outputs);
                              });
}

/* ordo_windows.h - statistics of a window that moves over an array. ordo.h includes this file.
 *
 * The window of element i is in[i - window + 1] to in[i]; with opts.center it is in[i - back] to
 * in[i + ahead], ahead = (window - 1) / 2 and back = window - 1 - ahead. At the ends of the array a
 * window is shorter: the elements outside do not exist. So out[i] always describes a window that
 * holds in[i]. pandas (rolling) and bottleneck (move_*) have the same windows.
 *
 *     double price[6] = {4, 2, 9, 5, 5, 1}, middle[6];
 *     ordo_moving(ctx, ORDO_MOVING_MEDIAN, ORDO_F64, price, 6, 3, ORDO_F64, middle, NULL);
 *     // middle is NaN NaN 4 5 5 5                                                              */
#ifndef ORDO_WINDOWS_H
#define ORDO_WINDOWS_H

#include "ordo.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ordo_moving_op {
    ORDO_MOVING_MEDIAN = 1,
    ORDO_MOVING_QUANTILE = 2, /* opts.q, opts.method                                             */
    ORDO_MOVING_RANK = 3,     /* the rank of the last element of the window; opts.ties           */
    ORDO_MOVING_MIN = 4,
    ORDO_MOVING_MAX = 5
} ordo_moving_op;

typedef struct ordo_moving_opts {
    size_t   struct_size;
    uint64_t flags; /* ORDO_DESCENDING: RANK counts from the largest key; ORDO_ON_DEVICE         */
    /* Observations that a window needs; with fewer the result is NaN. At most `window`. Default:
     * `window`; 1 if the results are integers, which have no NaN and accept only 0 and 1. */
    size_t   min_periods;
    double   q;      /* QUANTILE: 0 to 1                                                         */
    uint32_t nans;   /* an ordo_nans, see below                                                  */
    uint32_t method; /* MEDIAN, QUANTILE: an ordo_method                                         */
    uint32_t ties;   /* RANK: an ordo_ties                                                       */
    uint32_t center; /* not 0: the window is centred on its element                              */
    const ordo_segments *segments; /* many arrays in one call; NULL: one (ordo_segments.h)       */
    void                *stream;   /* ORDO_ON_DEVICE: a cudaStream_t                             */
    const size_t        *first;    /* windows of different lengths, see below; NULL: of one      */
} ordo_moving_opts;

/* Writes the median, quantile, rank, minimum or maximum of the window of in[i] to out[i].
 * MEDIAN and QUANTILE have the bytes of ordo_median and ordo_quantiles; RANK is the rank that
 * ordo_rank gives to the last element of the window. out_type is ORDO_F64. For MIN and MAX it may
 * also be `type`; integers of 64 bits are otherwise rounded to the nearest f64.
 * nans: ORDO_NANS_OMIT takes NaNs as missing, as pandas and bottleneck do: they are not counted as
 * observations, and RANK of a NaN is NaN. ORDO_NANS_PROPAGATE: the result of a window with a NaN is
 * NaN. ORDO_NANS_LAST, the default: NaNs are keys after all other keys. For the last two every
 * element is an observation.
 * Infinities are keys like others (pandas takes them as missing). MIN and MAX order the key bits:
 * -0 is below +0. A NaN result is the default NaN. The bytes of the results are the same for any
 * number of threads.
 * opts.first, for example for windows of seven days: the window of in[i] is in[first[i]] to in[i],
 * and `window` is at least the length of the longest one. first has n elements, which ascend and
 * count from the beginning of the segment. It is for MEDIAN, QUANTILE (0 and 1 are the minimum and
 * the maximum) and RANK, without `center`, on the CPU. Another value gives ORDO_E_ARG, and out is
 * then unspecified.
 * Time: MIN and MAX take a constant number of steps per element, RANK at most lg(window), MEDIAN
 * and QUANTILE at most the logarithm of the window to base 64; all but MIN and MAX also sort every
 * element once or twice. Scratch: up to 16 windows or a few thousand elements for each thread. If
 * that is refused, the call uses less scratch; if scratch for 2 windows is refused, it returns
 * ORDO_E_NOMEM and out is unchanged. Windows of MEDIAN, QUANTILE and RANK have at most 2^30
 * elements. out must not overlap in.
 * flags also takes ORDO_ON_DEVICE: in and out, and segments.offsets, are GPU memory, and the call
 * only queues work on opts.stream. The bytes are those of the CPU. Windows on a GPU have at most
 * 1024 elements; longer ones give ORDO_E_UNSUPPORTED. An element takes lg(2048) steps; a DENSE rank
 * takes one step for each element of the window. Results of segments whose offsets descend are
 * unspecified. */
ORDO_MUST ordo_status ordo_moving(ordo_ctx *ctx, ordo_moving_op op, ordo_type type, const void *in,
                                  size_t n, size_t window, ordo_type out_type, void *out,
                                  const ordo_moving_opts *opts);
ORDO_MUST ordo_status ordo_moving_scratch(ordo_ctx *ctx, ordo_moving_op op, ordo_type type,
                                          size_t n, size_t window, ordo_type out_type,
                                          const ordo_moving_opts *opts, size_t *bytes);

/* ---- Weights of ordo_quantiles, ordo_median and ordo_rank (opts.weights) ----
 *
 * Those of ordo_group_quantiles and ordo_group_median are the same for each group. weights has one
 * number of type opts.weight_type for each key: integers of any type, or floats. A weight that is
 * negative, infinite or NaN gives ORDO_E_ARG, and the error names its place (in its segment). The
 * sum of integer weights must be below 2^63, that of floats must be finite. Float weights are added
 * one by one in the order of the keys, tied keys in array order, so the bytes are the same for any
 * number of threads and on a GPU. The call takes 12 to 17 bytes of scratch per key beside that of
 * ordo_argsort. opts.segments are also those of the weights; opts.algorithm must be 0. GPU arrays:
 * segments and groups with a weight that is refused, or a sum that is too large, have quantiles NaN
 * and unspecified ranks; quantiles of one array give ORDO_E_ARG without a position.
 *
 * ordo_quantiles and ordo_median ignore a key with weight 0, even if it is a NaN. If no key has a
 * weight, results are NaN. Integers: the results are those of an array that repeats each key
 * `weight` times, byte for byte, by every method. Floats: let W be the sum of the weights and C(x)
 * the sum up to key x in order.
 *   inverted_cdf            the first key with C(x) / W >= q, as numpy.quantile
 *   averaged_inverted_cdf   the same; its mean with the next key if C(x) / W == q
 *   methods 3 to 9          let h = W q + m, with the m of Hyndman and Fan: between the first key
 *                           with C(x) > h - 1 and the first key with C(x) > h, as
 *                           scipy.stats.quantile; only they depend on the unit of the weights
 *   other methods           ORDO_E_ARG
 * ordo_median uses averaged_inverted_cdf, which is the ordinary median if all weights are equal.
 *
 * ordo_rank: let B be the sum of the weights of the keys before x in order, and C the sum of the
 * weights of the keys before x and of those that tie with x, x itself included.
 *   min       B + 1
 *   max       C
 *   average   (B + C + 1) / 2, the mean of min and max; for floats it is computed as
 *             B / 2 + (C + 1) / 2
 *   dense     1 + the number of different keys before x that have a weight
 *   ordinal   ORDO_E_ARG: a key of weight w would need w places
 * So unit weights give the ranks without weights, and integer weights give the ranks of an array
 * that repeats each key `weight` times. A key with weight 0 has the same formulas and changes no
 * other rank: if no key with a weight ties with it, it has min B + 1, max B and average B + 1/2.
 * NaNs come last and tie, with their weights. rank_type is ORDO_F64 if the weights are floats and
 * ties is not dense; f64 ranks of integer weights are rounded to the nearest f64. For ORDO_U32 the
 * sum of the weights must be below 2^32 - 1, unless ties is dense. After ORDO_E_ARG for a weight or
 * a sum, ranks of other segments are unspecified. ordo_rank_sorted, ordo_rank_strings and
 * ordo_lexrank have no weights (ORDO_E_UNSUPPORTED). */

#ifdef __cplusplus
}
#endif

#endif

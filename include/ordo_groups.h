/* ordo_groups.h - rows of several key columns, and groups of rows. ordo.h includes this file.
 *
 * The arrays are CPU arrays, or with ORDO_ON_DEVICE GPU arrays: keys, columns and every result,
 * also ordo_groups.count. The work is then only queued on opts.stream. The struct ordo_groups, the
 * list of columns and q are always CPU memory. The CPU does the work on CPU arrays unless the
 * context is for the GPU only. */
#ifndef ORDO_GROUPS_H
#define ORDO_GROUPS_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Several key columns ----------------------------------------------------------------- */

enum {
    ORDO_COLUMNS_MOST = 16
};

typedef struct ordo_column { /* a key of each row                                               */
    const void *keys;        /* n keys                                                          */
    uint32_t    type;        /* an ordo_type                                                    */
    uint32_t    flags;       /* ORDO_DESCENDING                                                 */
} ordo_column;

/* Orders n rows by 1 to 16 columns: by columns[0], where that ties by columns[1], and so on.
 * (numpy.lexsort has the first key last.) Each column has its own type and direction; NaNs of a
 * column come after its numbers in both directions. index[0] is the first row, index[n-1] the last.
 * Rows that tie in all columns are in the order of their indices. index_type is ORDO_U32
 * (n <= 2^32) or ORDO_U64. index must not overlap the columns. opts: flags ORDO_STABLE, which
 * changes nothing, and ORDO_ON_DEVICE; algorithm AUTO.
 * The range of each column is measured, and the bits that remain are packed into words with the
 * row's index. One sort of words orders the rows that differ in the leading bits; rows that tie
 * there are sorted by the bits that follow. Needs scratch for 17 bytes per row, and more where many
 * rows tie. After ORDO_E_CANCELLED index is unspecified. A GPU packs neighbouring columns whose
 * types have at most 64 bits in all into one word, and sorts by the words from the last one to the
 * first. */
ORDO_MUST ordo_status ordo_lexsort(ordo_ctx *ctx, const ordo_column *columns, size_t count,
                                   size_t n, ordo_type index_type, void *index,
                                   const ordo_sort_opts *opts);
ORDO_MUST ordo_status ordo_lexsort_scratch(ordo_ctx *ctx, const ordo_column *columns, size_t count,
                                           size_t n, ordo_type index_type,
                                           const ordo_sort_opts *opts, size_t *bytes);

/* Ranks n rows in the order of ordo_lexsort: ranks[i] is the 1-based rank of row i, by opts.ties.
 * rank_type is as in ordo_rank. opts: ties, ORDO_ON_DEVICE, algorithm AUTO. ranks must not overlap
 * the columns. Needs the scratch of ordo_lexsort and an index. After ORDO_E_CANCELLED ranks is
 * unspecified. */
ORDO_MUST ordo_status ordo_lexrank(ordo_ctx *ctx, const ordo_column *columns, size_t count,
                                   size_t n, ordo_type rank_type, void *ranks,
                                   const ordo_rank_opts *opts);
ORDO_MUST ordo_status ordo_lexrank_scratch(ordo_ctx *ctx, const ordo_column *columns, size_t count,
                                           size_t n, ordo_type rank_type,
                                           const ordo_rank_opts *opts, size_t *bytes);

/* ---- Groups ------------------------------------------------------------------------------- */

/* The groups of n rows: rows whose group keys tie are one group. Rows of a group need not be
 * neighbours. Groups are numbered in ascending order of their keys. NaN keys are one group, the
 * last one, unless `nans` is ORDO_NANS_OMIT: then their rows belong to no group.
 * A call writes the arrays below, which may be NULL, and results for each group in the order of the
 * groups. All have room for `capacity` groups; n is always enough. If there are more groups, and
 * one of these arrays (not count) is wanted, the call returns ORDO_E_ARG and says how many. Arrays
 * of results for each row are unspecified then, the others unchanged. GPU arrays: groups above the
 * capacity have no results, and only *count says that there are more. Arrays must not overlap. */
typedef struct ordo_groups {
    size_t      struct_size;
    const void *keys; /* the group key of each row                                               */
    uint32_t    type; /* an ordo_type                                                            */
    uint32_t    nans; /* ORDO_NANS_LAST or ORDO_NANS_OMIT                                        */
    size_t      capacity;
    void       *unique; /* the key of each group: +0 for zeros, the default NaN for NaNs          */
    uint64_t   *sizes;  /* the rows of each group                                                */
    size_t     *count;  /* the number of groups                                                  */
} ordo_groups;

typedef struct ordo_group_opts {
    size_t   struct_size;
    uint64_t flags;  /* ORDO_DESCENDING: the largest key of a group first (not for quantiles);
                      * ORDO_ON_DEVICE                                                           */
    uint32_t ties;   /* ordo_group_rank: an ordo_ties                                            */
    uint32_t nans;   /* keys that are NaN, an ordo_nans: quantiles; top-k: LAST or OMIT          */
    uint32_t method; /* ordo_group_quantiles: an ordo_method                                     */
    uint32_t weight_type; /* of weights: an ordo_type, 0 without                                 */
    void    *stream;      /* ORDO_ON_DEVICE: a cudaStream_t                                      */
    const void *weights;  /* quantiles and median: of the keys; NULL: all 1. See ordo_windows.h  */
} ordo_group_opts;

/* Finds the groups and their sizes.                                                             */
ORDO_MUST ordo_status ordo_group_counts(ordo_ctx *ctx, const ordo_groups *groups, size_t n,
                                        const ordo_group_opts *opts);

/* Writes the rows in the order of (group, key): the rows of group 0 come first, in the order of
 * their keys. Tied keys are in the order of their indices. keys may be NULL: the rows of a group
 * are then in their own order. index has n places; if NaN groups are omitted, the places after the
 * last row of the last group are unspecified. index_type is ORDO_U32 (n <= 2^32) or ORDO_U64.
 * After ORDO_E_CANCELLED index is unspecified. */
ORDO_MUST ordo_status ordo_group_argsort(ordo_ctx *ctx, const ordo_groups *groups, ordo_type type,
                                         const void *keys, size_t n, ordo_type index_type,
                                         void *index, const ordo_group_opts *opts);

/* ranks[i] = the 1-based rank of keys[i] in the group of row i, as ordo_rank of that group. Rows of
 * no group get 0, or NaN where rank_type is ORDO_F64. After ORDO_E_CANCELLED ranks is
 * unspecified. */
ORDO_MUST ordo_status ordo_group_rank(ordo_ctx *ctx, const ordo_groups *groups, ordo_type type,
                                      const void *keys, size_t n, ordo_type rank_type, void *ranks,
                                      const ordo_group_opts *opts);

/* out[g * count + j] = the q[j]-quantile of the keys of group g, as ordo_quantiles of that group.
 * ordo_group_median has one result for each group, as ordo_median. out has room for `capacity`
 * groups. With opts.weights both are those of the group with its weights; a weight that
 * ordo_windows.h refuses gives ORDO_E_ARG in rows of no group, too (GPU arrays: see there).      */
ORDO_MUST ordo_status ordo_group_quantiles(ordo_ctx *ctx, const ordo_groups *groups, ordo_type type,
                                           const void *keys, size_t n, const double *q,
                                           size_t count, double *out, const ordo_group_opts *opts);
ORDO_MUST ordo_status ordo_group_median(ordo_ctx *ctx, const ordo_groups *groups, ordo_type type,
                                        const void *keys, size_t n, double *out,
                                        const ordo_group_opts *opts);

/* The first k keys of each group in order and their rows: values[g * k] and index[g * k] are those
 * of the smallest key of group g (with ORDO_DESCENDING the largest), as ordo_topk of that group.
 * values or index may be NULL; both have room for k results of `capacity` groups. index has row
 * numbers of the whole array. found[g] (may be NULL) gets the number of results of group g; the
 * places after them are not written.                                                             */
ORDO_MUST ordo_status ordo_group_topk(ordo_ctx *ctx, const ordo_groups *groups, ordo_type type,
                                      const void *keys, size_t n, size_t k, void *values,
                                      ordo_type index_type, void *index, uint64_t *found,
                                      const ordo_group_opts *opts);

/* The scratch of any of these calls on n rows without weights, at most. In a context for the GPU
 * only: GPU memory, without that for copies of CPU arrays.                                       */
ORDO_MUST ordo_status ordo_group_scratch(ordo_ctx *ctx, size_t n, size_t *bytes);

/* Quantiles of elements that the library does not read, such as dates: the q[j]-quantile, 0 to 1,
 * of n[j] > 0 sorted elements lies between elements below[j] and above[j]; way[j] is the fraction
 * of the way from the first to the second. Returns 1 if the method always selects an element, else
 * 0. count may be 0.                                                                             */
ORDO_API int ordo_quantile_places(ordo_method method, const size_t *n, const double *q,
                                  size_t count, size_t *below, size_t *above, double *way);

#ifdef __cplusplus
}
#endif

#endif

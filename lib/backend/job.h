/* job.h - the work of one call: checked arguments with all defaults filled in.
 *
 * `segments` of a job is NULL, or says where the segments of its arrays are (segments.h); n then
 * counts the elements of the whole array. Only backends with has_segments get such jobs. */
#ifndef ORDO_BACKEND_JOB_H
#define ORDO_BACKEND_JOB_H

#include "core/base.h"

struct ordo_segment_view;

typedef struct ordo_sort_job { /* sorts keys in place, or from another array */
    ordo_type      type;
    void          *keys;
    size_t         n;
    bool           descending;
    ordo_algorithm algorithm;
    size_t         radius; /* ROUGH, HALVING, WINDOWS, INSERTION: the caller's; 0: measure */
    const void    *source; /* the array to read; NULL: keys. Always NULL in pairs,
                            * and for devices unless there are segments */
    const struct ordo_segment_view *segments;
} ordo_sort_job;

typedef struct ordo_pairs_job { /* sorts keys and values in place, stable */
    ordo_sort_job keys;
    void         *values;
    size_t        value_size; /* 1 to 16 */
} ordo_pairs_job;

typedef struct ordo_argsort_job { /* stable */
    ordo_type                       type;
    const void                     *keys;
    size_t                          n;
    bool                            descending;
    ordo_algorithm                  algorithm;
    size_t                          radius;
    ordo_type                       index_type; /* U32, U64 */
    void                           *index;
    const struct ordo_segment_view *segments;
} ordo_argsort_job;

typedef struct ordo_by_job { /* sorts elements in place by a comparison function */
    void            *base;
    size_t           n, size;
    ordo_compare_fn *compare;
    void            *user;
    bool             stable;
} ordo_by_job;

typedef struct ordo_rank_job { /* ranks an array in any order */
    ordo_type                       type;
    const void                     *keys;
    size_t                          n;
    bool                            descending;
    ordo_type                       rank_type; /* U32, U64, F64 */
    void                           *ranks;
    ordo_ties                       ties;
    ordo_algorithm                  algorithm; /* of the argsort */
    const struct ordo_segment_view *segments;
} ordo_rank_job;

typedef struct ordo_select_job { /* k-th keys */
    ordo_type      type;
    const void    *keys;
    size_t         n;
    const size_t  *k; /* ascending, without repeats, below the number of keys that count */
    size_t         count;
    void          *out; /* out[j] for k[j] */
    bool           descending;
    ordo_algorithm algorithm;
    bool           out_on_host; /* even if keys are on a device */
    size_t         sub_array;   /* BITONIC, MERGE: keys of a sub-array, a power of 2 */
    const struct ordo_segment_view *segments;
    /* Only with segments: k in any order; a position that a segment lacks writes nothing. */
    ordo_nans     nans;
    const double *q; /* not NULL: out gets f64 quantiles, and k is NULL */
    ordo_method   method;
} ordo_select_job;

typedef struct ordo_topk_job { /* the first k keys in order and their indices */
    ordo_type                       type;
    const void                     *keys;
    size_t                          n, k; /* k <= number of keys that count */
    void                           *values;
    ordo_type                       index_type;
    void                           *index;
    bool                            descending;
    const struct ordo_segment_view *segments;
    /* Only with segments, whose k is not limited: */
    bool    omit;  /* no NaNs in the result */
    size_t *found; /* the number of results of each segment; NULL: not wanted */
} ordo_topk_job;

typedef struct ordo_nth_job { /* the keys and their indices, split around the k-th key */
    ordo_type   type;
    const void *keys;
    size_t      n, k;
    void       *out; /* NULL: not wanted */
    ordo_type   index_type;
    void       *index; /* NULL: not wanted */
    bool        descending;
    bool        any_order; /* the keys on each side of place k may get any order */
    /* With segments, a segment of at most k keys is copied. */
    const struct ordo_segment_view *segments;
} ordo_nth_job;

typedef struct ordo_string_group { /* strings [lo, hi) of the index, whose order is not known yet */
    size_t   lo, hi;
    uint64_t depth; /* length of their common prefix; ORDO_STRINGS_EQUAL: the strings are equal */
} ordo_string_group;

#define ORDO_STRINGS_EQUAL UINT64_MAX

enum {
    ORDO_STRING_PARTS = 8
};

typedef struct ordo_string_known { /* a partial order that a device found before the CPU begins */
    void       *room;              /* scratch that the CPU may use; NULL: none */
    size_t      room_bytes;
    ordo_type   index_type;
    const void *index; /* the order found; within a group the lower index first; NULL: none */
    struct {
        const ordo_string_group *groups; /* disjoint, in any order */
        size_t                   count;
    } parts[ORDO_STRING_PARTS];
    size_t part_count;
} ordo_string_known;

typedef struct ordo_strings_job { /* argsort of strings, stable */
    ordo_strings             strings;
    size_t                   n;
    bool                     descending;
    ordo_type                index_type;
    void                    *index;
    const ordo_string_known *known;     /* NULL: nothing is known; the same in other jobs */
    ordo_algorithm           algorithm; /* AUTO, SAMPLE */
} ordo_strings_job;

typedef struct ordo_string_rank_job { /* ranks strings in any order */
    ordo_strings strings;
    size_t       n;
    bool         descending;
    ordo_type    rank_type; /* U32, U64, F64 */
    void        *ranks;
    ordo_ties    ties;

    const ordo_string_known *known;
    ordo_algorithm           algorithm;
} ordo_string_rank_job;

typedef struct ordo_string_select_job { /* indices of the k-th strings */
    ordo_strings  strings;
    size_t        n;
    bool          descending;
    const size_t *k; /* in any order, repeated or not, all below n */
    size_t        count;
    uint64_t     *index; /* index[j] for k[j] */
} ordo_string_select_job;

typedef struct ordo_string_copy_job { /* writes strings in order; first form only */
    ordo_strings strings;
    size_t       n;
    bool         descending;
    char        *out_bytes;
    uint64_t    *out_offsets; /* n + 1, from 0 */

    const ordo_string_known *known;
    ordo_algorithm           algorithm;
} ordo_string_copy_job;

typedef struct ordo_pointers_job { /* sorts pointers to strings in place */
    const char **pointers;
    size_t       n;
    bool         descending;

    const ordo_string_known *known;
    ordo_algorithm           algorithm;
} ordo_pointers_job;

typedef struct ordo_rank_sorted_job { /* ranks a sorted array */
    ordo_type                       type;
    const void                     *sorted;
    size_t                          n;
    ordo_type                       rank_type; /* U32, U64, F64 */
    void                           *ranks;
    ordo_ties                       ties;
    ordo_algorithm                  algorithm;
    const struct ordo_segment_view *segments;
} ordo_rank_sorted_job;

typedef struct ordo_scan_job {
    ordo_op     op;
    ordo_type   type;
    const void *in;
    size_t      n;
    ordo_type   out_type; /* type, or the 64-bit type of the same kind */
    void       *out;      /* may be equal to in, if the types are equal */
    bool        exclusive;

    ordo_algorithm algorithm; /* AUTO; BALLOT: sums of 32-bit integers to the same type */
    const struct ordo_segment_view *segments;
} ordo_scan_job;

typedef struct ordo_bits_job { /* binary prefix sum */
    ordo_flags_kind kind;
    const void     *flags;
    size_t          n;
    ordo_type       count_type; /* U32, U64 */
    void           *counts;     /* NULL: only the total */
    uint64_t       *total;      /* on the host; NULL only for device arrays */
    bool            exclusive;
    ordo_algorithm  algorithm; /* AUTO, BALLOT, SHARED */
} ordo_bits_job;

typedef struct ordo_partition_job { /* stable partition by flags */
    ordo_flags_kind kind;
    const void     *flags;
    const void     *in;
    size_t          n;
    size_t          elem_size;
    void           *out;
    bool            unset_first;
    size_t         *n_first; /* on the host; NULL only for device arrays */
} ordo_partition_job;

typedef struct ordo_order_job { /* whether an array is sorted */
    ordo_type   type;
    const void *keys;
    size_t      n;
    bool        descending;
    size_t     *where; /* gets the smallest i with keys[i] before keys[i-1], or n; not NULL */
    /* Only with segments: where and sorted have one result for each segment; NULL: not wanted. */
    const struct ordo_segment_view *segments;
    int                            *sorted;
    size_t *unsorted; /* on the host: the first segment that is not sorted, or the count; NULL: not
                       * wanted */
} ordo_order_job;

typedef struct ordo_radius_job { /* measures the radius */
    ordo_type                       type;
    const void                     *keys;
    size_t                          n;
    bool                            descending;
    ordo_algorithm                  algorithm; /* AUTO, SEQUENTIAL, PREFIX */
    size_t                         *radius;    /* one for each segment; the same in the next job */
    void                           *lr, *rl;   /* the sequences LR and RL; NULL: not wanted */
    uint64_t                       *dm;
    const struct ordo_segment_view *segments;
} ordo_radius_job;

static inline bool ordo_wants_sequences(const ordo_radius_job *job)
{
    return job->lr != NULL || job->rl != NULL || job->dm != NULL;
}

typedef struct ordo_runs_job { /* counts the runs */
    ordo_type                       type;
    const void                     *keys;
    size_t                          n;
    bool                            descending;
    size_t                         *runs;
    const struct ordo_segment_view *segments;
} ordo_runs_job;

typedef struct ordo_count_job { /* counts the NaNs */
    ordo_type   type;
    const void *keys;
    size_t      n;
    size_t     *nans;
} ordo_count_job;

typedef struct ordo_search_job { /* lower bounds in a sorted array */
    ordo_type       type;
    const void     *sorted;
    size_t          n;
    bool            descending;
    bool            folded;    /* order of argsort (-0 ties +0), else of a sort of keys only */
    const uint64_t *codes;     /* key bits in that order (core/keybits.h); on the host */
    size_t          count;     /* number of codes and of positions */
    size_t         *positions; /* the smallest i with key bits >= the code, or n; on the host */
} ordo_search_job;

typedef struct ordo_divide_job { /* stable partition of records by a pivot, by one thread */
    ordo_type   type;
    bool        descending;
    const void *keys, *values;
    size_t      n, value_size; /* value_size 0: keys only */
    uint64_t    pivot;         /* key bits in the order of a sort of keys only */
    /* Records before the pivot, and the others. Room for n records and 64 bytes each. */
    void   *first_keys, *first_values;
    void   *second_keys, *second_values;
    size_t *n_first;
} ordo_divide_job;

/* Counts the keys below and in a band of key bits, by one thread. Key bits are in the order of a
 * sort of keys only. */
typedef struct ordo_band_job {
    ordo_type   type;
    bool        descending;
    const void *keys;
    size_t      n;
    uint64_t    lo, hi; /* both ends belong to the band */
    size_t     *below;  /* the number of keys below the band is added */
    void       *kept;   /* key bits in the band, of the width of a key; room for n. NULL: none */
} ordo_band_job;

typedef struct ordo_permute_job { /* array[i] = the old array[index[i]] */
    void       *array;
    size_t      n, size;    /* an element has 1 to 16 bytes */
    ordo_type   index_type; /* U32, U64 */
    const void *index;
    void       *spare; /* room for n elements */
} ordo_permute_job;

typedef struct ordo_pack_job { /* packs sorted keys of 4 or 8 bytes as differences (pack.h) */
    ordo_type   type;
    bool        descending;
    const void *keys;
    size_t      n, piece;
    void       *packed; /* pieces, ordo_pack_stride() bytes apart */
    uint64_t   *widest; /* the largest difference of each piece */
} ordo_pack_job;

typedef struct ordo_moving_job { /* statistics of a moving window */
    ordo_moving_op op;
    ordo_type      type;
    const void    *in;
    size_t         n;
    size_t         back, ahead; /* the window of element i is [i - back, i + ahead]; at most n */
    ordo_type      out_type;    /* F64; for MIN and MAX also type */
    void          *out;
    size_t         min_periods; /* at least 1; 1 if out_type is no float */
    ordo_nans      nans;
    double         q; /* also of MEDIAN */
    ordo_method    method;
    ordo_ties      ties;
    bool           descending;
    const size_t  *first; /* of the window of each element; NULL: i - back */
    const struct ordo_segment_view *segments;
} ordo_moving_job;

/* Quantiles or ranks of keys with weights, on a device also of every segment. If exec->on_device
 * and there are no segments, `out` is host memory. */
typedef struct ordo_weighted_job {
    ordo_type     type;
    const void   *keys;
    size_t        n;
    ordo_type     weight_type;
    const void   *weights; /* those of host arrays are checked if a device does the job */
    const double *q;
    size_t        count;
    ordo_method   method; /* 1 to 9 if the weights are floats */
    ordo_nans     nans;
    double       *out;
    /* Ranks instead of quantiles: U32, U64, F64, and F64 if the weights are floats and ties is not
     * DENSE; 0: quantiles. */
    ordo_type rank_type;
    void     *ranks;
    ordo_ties ties; /* not ORDINAL */
    bool      descending;

    const struct ordo_segment_view *segments;
} ordo_weighted_job;

typedef struct ordo_copy_job {
    void       *dst;
    const void *src;
    size_t      bytes;
} ordo_copy_job;

/* Writes the ranks of sorted records to the places the records came from. Records [0, split) are
 * sorted, and so are records [split, n), which come after the first ones in the input. The job is
 * done in `parts` calls. After part p the ranks below total / parts * (p + 1) are written, after
 * the last part all of them. */
typedef struct ordo_put_job {
    ordo_type   type;
    const void *sorted;
    size_t      n, split;
    bool        descending;
    ordo_ties   ties;
    ordo_type   index_type; /* U32 (total < 2^31), U64 */
    const void *index;      /* the place of each record: distinct, below total */
    size_t      total;
    void       *ranks; /* integers as wide as the index: ranks, or twice the rank for averages;
                        * places without a record get any value */
    void       *work;  /* put_ranks_work() bytes, kept from part to part */
    unsigned    part, parts;
} ordo_put_job;

typedef struct ordo_records_job { /* sorts structs in place by a key of each, stable */
    void     *base;
    size_t    n, size, key_offset; /* an element has `size` bytes */
    ordo_type type;
    bool      descending;
} ordo_records_job;

typedef struct ordo_move_job { /* out[i] = in[index[i]], or out[index[i]] = in[i], for i < count */
    const void *in;
    size_t      n, size; /* n: elements of the array that the index refers to */
    ordo_type   index_type;
    const void *index;
    size_t      count;
    void       *out;
    bool        scatters;
} ordo_move_job;

typedef struct ordo_key_column { /* a key of each row */
    const void *keys;
    ordo_type   type;
    bool        descending;
    bool        folded; /* keys that tie are equal; else the order of a sort of keys alone */
} ordo_key_column;

enum {                 /* bits of ordo_lexsort_job.heads */
    ORDO_ROW_HEAD = 1, /* the row differs from the row before it in a column, or is the first row */
    ORDO_ROW_FIRST = 2 /* it differs in the first column, or is the first row */
};

typedef struct ordo_lexsort_job {   /* the order of rows by several columns, stable */
    const ordo_key_column *columns; /* the first one decides first */
    size_t                 count, n;
    ordo_type              index_type; /* U32, U64 */
    void                  *index;
    uint8_t               *heads; /* a byte for each row in order; other bits are unspecified; NULL:
                                   * not wanted */
} ordo_lexsort_job;

typedef struct ordo_place_job { /* ranks[index[i]] = the rank of row i of an order */
    size_t         n;
    ordo_type      index_type;
    const void    *index;
    const uint8_t *heads;
    bool           grouped; /* ranks count from the row that begins a key of the first column */
    ordo_ties      ties;
    ordo_type      rank_type; /* U32, U64, F64 */
    void          *ranks;
} ordo_place_job;

typedef struct ordo_lexrank_job { /* ranks of rows by several columns */
    const ordo_key_column *columns;
    size_t                 count, n;
    ordo_ties              ties;
    ordo_type              rank_type; /* U32, U64, F64 */
    void                  *ranks;
} ordo_lexrank_job;

typedef enum ordo_group_verb {
    ORDO_GROUP_COUNTS,
    ORDO_GROUP_ARGSORT,
    ORDO_GROUP_RANK,
    ORDO_GROUP_QUANTILES,
    ORDO_GROUP_TOPK
} ordo_group_verb;

/* Results for groups of rows, by a backend that finds the groups itself. Groups from number
 * `capacity` on have no results. */
typedef struct ordo_groups_job {
    ordo_group_verb verb;
    const void     *group_keys;
    ordo_type       group_type;
    bool            omit; /* rows whose group key is a NaN belong to no group */
    size_t          capacity;
    void           *unique; /* this and the next two may be NULL */
    uint64_t       *sizes;
    size_t         *groups; /* gets the number of groups */
    const void     *keys;   /* NULL: none */
    ordo_type       type;
    size_t          n;
    bool            descending;
    ordo_nans       nans;     /* QUANTILES, TOPK */
    ordo_type       out_type; /* of the index or the ranks */
    void           *out;      /* ARGSORT, TOPK: index; RANK: ranks; NULL: not wanted */
    ordo_ties       ties;     /* RANK */
    size_t          each;     /* QUANTILES, TOPK: results of one group */
    const double   *q;        /* QUANTILES, on the host */
    double         *quantiles;
    ordo_method     method;
    void           *values; /* TOPK; NULL: not wanted */
    uint64_t       *found;  /* TOPK; NULL: not wanted */
} ordo_groups_job;

/* Whether the caller wants results that need a place for each group. */
static inline bool ordo_groups_need_room(const ordo_groups_job *job)
{
    bool const each = job->q != NULL || job->values != NULL || job->out != NULL;
    return job->unique != NULL || job->sizes != NULL || job->found != NULL ||
           (job->each > 0 && each);
}

/* The keys of each group in order, for group keys that are integers of a narrow range. If the range
 * is too wide or scratch is refused, count is 0 and nothing else is set. Results are in scratch. */
typedef struct ordo_collect_job {
    ordo_type   group_type; /* not a float */
    const void *group_keys;
    size_t      n;
    ordo_type   type;
    const void *keys; /* NULL: only the groups are wanted */
    size_t      count;
    uint64_t   *starts; /* count + 1 entries: where each group begins in `sorted` */
    void       *unique; /* the key of each group */
    void       *sorted; /* the keys of each group, as a sort of keys only leaves them */
} ordo_collect_job;

/* Quantiles of groups of keys with weights, by a backend that finds the groups itself. Weights of
 * host arrays are checked. A group on a device has the result NaN if one of its weights is refused
 * (quantile_accepts_weight) or their sum is too large. */
typedef struct ordo_weighted_groups_job {
    ordo_groups_job groups; /* verb QUANTILES, or RANK with `places` */
    ordo_type       weight_type;
    const void     *weights;
    /* Not 0: the group keys are unsigned integers, and the results of the group with key k are at
     * place k instead of the number of the group. Groups with keys from `places` on have none. */
    size_t places;
    bool   waits; /* the caller waits for the results, so wrong weights on a device are an error */
} ordo_weighted_groups_job;

typedef struct ordo_unique_job { /* the distinct keys in order */
    ordo_type   type;
    const void *keys;
    size_t      n;
    void       *out; /* room for n keys */
    size_t     *count;
    bool        descending;
} ordo_unique_job;

typedef struct ordo_needles_job { /* the places of needles in a sorted array */
    ordo_type   type;
    const void *sorted;
    size_t      n;
    const void *needles;
    size_t      count;
    bool        descending;
    bool        after; /* the place after the keys that tie with a needle */
    ordo_type   index_type;
    void       *index;
} ordo_needles_job;

#endif

/* job.h - what a backend is asked to do: validated facts, no wishes left open. */
#ifndef ORDO_BACKEND_JOB_H
#define ORDO_BACKEND_JOB_H

#include "core/base.h"

typedef struct ordo_sort_job { /* keys in place, or of another array */
    ordo_type      type;
    void          *keys;
    size_t         n;
    bool           descending;
    ordo_algorithm algorithm;
    size_t         radius; /* ROUGH, HALVING: as the caller knows it; 0: measure */
    const void    *from;   /* where the keys are, apart from where they go; NULL: in keys. Devices,
                            * and those who sort pairs, always find NULL. */
} ordo_sort_job;

typedef struct ordo_pairs_job { /* keys and values in place, stable */
    ordo_sort_job keys;
    void         *values;
    size_t        value_size; /* 1 to 16 */
} ordo_pairs_job;

typedef struct ordo_argsort_job { /* stable */
    ordo_type      type;
    const void    *keys;
    size_t         n;
    bool           descending;
    ordo_algorithm algorithm;
    size_t         radius;
    ordo_type      index_type; /* U32, U64 */
    void          *index;
} ordo_argsort_job;

typedef struct ordo_by_job { /* elements in place, by the caller's comparison */
    void            *base;
    size_t           n, size;
    ordo_compare_fn *compare;
    void            *user;
    bool             stable;
} ordo_by_job;

typedef struct ordo_unsorted_job { /* ranks of an array in any order */
    ordo_type      type;
    const void    *keys;
    size_t         n;
    bool           descending;
    ordo_type      rank_type; /* U32, U64, F64 */
    void          *ranks;
    ordo_ties      ties;
    ordo_algorithm algorithm; /* of the argsort */
} ordo_unsorted_job;

typedef struct ordo_select_job { /* k-th keys */
    ordo_type      type;
    const void    *keys;
    size_t         n;
    const size_t  *k; /* rising, each once; all below the number of keys that count */
    size_t         count;
    void          *out; /* out[j] for k[j] */
    bool           descending;
    ordo_algorithm algorithm;
    bool           out_on_host; /* though keys may be on a device */
} ordo_select_job;

typedef struct ordo_topk_job { /* the first k keys in order and where they are */
    ordo_type   type;
    const void *keys;
    size_t      n, k; /* k <= number of keys that count */
    void       *values;
    ordo_type   index_type;
    void       *index;
    bool        descending;
} ordo_topk_job;

typedef struct ordo_string_group { /* places of strings that were not told apart */
    size_t   lo, hi;
    uint64_t depth; /* bytes that they share and have; ORDO_STRINGS_EQUAL: all of them */
} ordo_string_group;

#define ORDO_STRINGS_EQUAL UINT64_MAX

enum {
    ORDO_STRING_PARTS = 8
};

typedef struct ordo_string_known { /* what somebody has found out before the CPU begins */
    void       *room;              /* scratch taken for it; NULL: none */
    size_t      room_bytes;
    ordo_type   index_type;
    const void *index; /* which string comes i-th, in groups the lower index first; NULL: nothing
                        * is known */
    struct {
        const ordo_string_group *groups; /* apart from each other, in any order */
        size_t                   count;
    } parts[ORDO_STRING_PARTS];
    size_t part_count;
} ordo_string_known;

typedef struct ordo_strings_job { /* order of strings, stable */
    ordo_strings             strings;
    size_t                   n;
    bool                     descending;
    ordo_type                index_type;
    void                    *index;
    const ordo_string_known *known; /* NULL: nothing; so in the other jobs */
} ordo_strings_job;

typedef struct ordo_string_rank_job { /* ranks of strings in any order */
    ordo_strings strings;
    size_t       n;
    bool         descending;
    ordo_type    rank_type; /* U32, U64, F64 */
    void        *ranks;
    ordo_ties    ties;

    const ordo_string_known *known;
} ordo_string_rank_job;

typedef struct ordo_string_select_job { /* which strings are the k-th */
    ordo_strings  strings;
    size_t        n;
    bool          descending;
    const size_t *k; /* in any order, repeated or not, all below n */
    size_t        count;
    uint64_t     *index; /* index[j] for k[j] */
} ordo_string_select_job;

typedef struct ordo_string_copy_job { /* the strings themselves in order; of bytes and offsets */
    ordo_strings strings;
    size_t       n;
    bool         descending;
    char        *out_bytes;
    uint64_t    *out_offsets; /* n + 1, from 0 */

    const ordo_string_known *known;
} ordo_string_copy_job;

typedef struct ordo_pointers_job { /* pointers to strings in place */
    const char **pointers;
    size_t       n;
    bool         descending;

    const ordo_string_known *known;
} ordo_pointers_job;

typedef struct ordo_rank_job { /* ranks of a sorted array */
    ordo_type      type;
    const void    *sorted;
    size_t         n;
    ordo_type      rank_type; /* U32, U64, F64 */
    void          *ranks;
    ordo_ties      ties;
    ordo_algorithm algorithm;
} ordo_rank_job;

typedef struct ordo_scan_job {
    ordo_op     op;
    ordo_type   type;
    const void *in;
    size_t      n;
    ordo_type   out_type; /* type, or the 64-bit type of its kind */
    void       *out;      /* may be in, if the types are equal */
    bool        exclusive;
} ordo_scan_job;

typedef struct ordo_bits_job { /* binary prefix sum */
    ordo_flags_kind kind;
    const void     *flags;
    size_t          n;
    ordo_type       count_type; /* U32, U64 */
    void           *counts;     /* NULL: only the total */
    uint64_t       *total;      /* on the host; NULL only for device arrays */
    bool            exclusive;
} ordo_bits_job;

typedef struct ordo_partition_job { /* stable split by flags */
    ordo_flags_kind kind;
    const void     *flags;
    const void     *in;
    size_t          n;
    size_t          elem_size;
    void           *out;
    bool            unset_first;
    size_t         *n_first; /* on the host; NULL only for device arrays */
} ordo_partition_job;

typedef struct ordo_order_job { /* is it sorted */
    ordo_type   type;
    const void *keys;
    size_t      n;
    bool        descending;
    size_t     *where; /* gets the least i with keys[i] before keys[i-1], or n; never NULL */
} ordo_order_job;

typedef struct ordo_radius_job { /* how far from sorted */
    ordo_type      type;
    const void    *keys;
    size_t         n;
    bool           descending;
    ordo_algorithm algorithm; /* AUTO, SEQUENTIAL */
    size_t        *radius;
} ordo_radius_job;

typedef struct ordo_runs_job { /* how many sorted stretches */
    ordo_type   type;
    const void *keys;
    size_t      n;
    bool        descending;
    size_t     *runs;
} ordo_runs_job;

typedef struct ordo_count_job { /* how many keys are NaN */
    ordo_type   type;
    const void *keys;
    size_t      n;
    size_t     *nans;
} ordo_count_job;

typedef struct ordo_search_job { /* where codes would go in a sorted array */
    ordo_type       type;
    const void     *sorted;
    size_t          n;
    bool            descending;
    bool            folded;    /* order of ties: as argsort has it, or as a sort of keys alone */
    const uint64_t *codes;     /* bits of keys in that order (core/keybits.h); on the host */
    size_t          count;     /* at most ORDO_SEARCH_MOST */
    size_t         *positions; /* the least i whose key's code is not below, or n; on the host */
} ordo_search_job;

enum {
    ORDO_SEARCH_MOST = 512
};

typedef struct ordo_divide_job { /* stable, by one thread: records before a pivot, and the others */
    ordo_type   type;
    bool        descending;
    const void *keys, *values;
    size_t      n, value_size;             /* 0: keys alone */
    uint64_t    pivot;                     /* bits of a key in the order of a sort of keys alone */
    void       *first_keys, *first_values; /* have room for n records and 64 bytes */
    void       *second_keys, *second_values; /* likewise */
    size_t     *n_first;
} ordo_divide_job;

typedef struct ordo_pack_job { /* sorted keys of 4 or 8 bytes as differences: backend/pack.h */
    ordo_type   type;
    bool        descending;
    const void *keys;
    size_t      n, piece;
    void       *packed; /* pieces ordo_pack_stride() bytes apart */
    uint64_t   *widest; /* the largest difference of each piece */
} ordo_pack_job;

typedef struct ordo_copy_job {
    void       *dst;
    const void *src;
    size_t      bytes;
} ordo_copy_job;

/* Ranks of sorted records, put where the records came from. Records [0, split) are in order, and so
 * are [split, n), which came later. It is asked for in parts, one after the other: once part p is
 * done, the ranks below total / parts * (p + 1) are there; once the last is, all. */
typedef struct ordo_put_job {
    ordo_type   type;
    const void *sorted;
    size_t      n, split;
    bool        descending;
    ordo_ties   ties;
    ordo_type   index_type; /* U32 (total < 2^31), U64 */
    const void *index;      /* where each came from: below total, and no two from one place */
    size_t      total;
    void       *ranks; /* numbers as wide as the index: the rank, or twice it where ties have their
                        * average; where no record came from, anything */
    void       *work;  /* as put_ranks_work says; kept from part to part */
    unsigned    part, parts;
} ordo_put_job;

#endif

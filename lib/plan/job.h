/* job.h - what a backend is asked to do: validated facts, no wishes left open. */
#ifndef ORDO_PLAN_JOB_H
#define ORDO_PLAN_JOB_H

#include "core/base.h"

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
    uint64_t       *total;      /* never NULL */
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
    size_t         *n_first; /* never NULL */
} ordo_partition_job;

typedef struct ordo_order_job { /* is it sorted */
    ordo_type   type;
    const void *keys;
    size_t      n;
    bool        descending;
    size_t     *where; /* gets the least i with keys[i] before keys[i-1], or n; never NULL */
} ordo_order_job;

typedef struct ordo_copy_job {
    void       *dst;
    const void *src;
    size_t      bytes;
} ordo_copy_job;

#endif

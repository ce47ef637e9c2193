/* run_record.h - what merges of runs move in place of their elements: 64 bits of a key, and the
 * place of the element. Includes the merge of two arrays of them, merge_record. */
#ifndef ORDO_DIST_EXCHANGE_RUN_RECORD_H
#define ORDO_DIST_EXCHANGE_RUN_RECORD_H

#include "core/base.h"

typedef struct run_record {
    uint64_t order, place;
} run_record;

#define INLINE static inline __attribute__((unused))
#define PICK(take_b, a, b)                                                                         \
    ((run_record){(take_b) ? (b).order : (a).order, (take_b) ? (b).place : (a).place})
#define LESS(a, b) ((a).order < (b).order)
#define RECORD run_record
#define FN(name) name##_record
#include "core/small_sort.t.h"

#include "core/merge.t.h"
#undef FN
#undef RECORD
#undef LESS
#undef PICK

#endif

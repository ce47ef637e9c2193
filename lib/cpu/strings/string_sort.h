/* string_sort.h - sorts an array of strings: the interface of string_sort.c. */
#ifndef ORDO_CPU_STRINGS_STRING_SORT_H
#define ORDO_CPU_STRINGS_STRING_SORT_H

#include "core/string_view.h"
#include "cpu/base/cpu.h"

#include <stdatomic.h>

/* The work of a sort, in counts that do not depend on time; for tests. */
typedef struct string_work {
    _Atomic uint64_t keys;  /* keys loaded, keys of large groups examined again, strings compared
                             * with a pivot */
    _Atomic uint64_t bytes; /* bytes of common prefixes that were compared */
} string_work;

typedef struct string_order {
    string_view     view;
    size_t          n;
    ordo_type       index_type; /* U32, U64 */
    void           *index;      /* index[i]: the i-th string in order */
    unsigned char  *starts;     /* starts[i] = 1 if the i-th string in order differs from the one
                                 * before it, else 0; NULL: not wanted */
    const uint64_t *wanted;     /* bit i: place i is wanted; NULL: all places */
    const ordo_string_known *known;     /* the order to continue; NULL: none */
    ordo_algorithm           algorithm; /* AUTO or SAMPLE; only without `known` */
    string_work             *work;      /* the cost is added here; NULL: not wanted */
} string_order;

static inline size_t string_index_at(const string_order *order, size_t i)
{
    return order->index_type == ORDO_U32 ? ((const uint32_t *)order->index)[i]
                                         : (size_t)((const uint64_t *)order->index)[i];
}

/* The number of progress phases of string_sort; the caller sets exec->phases. */
enum {
    STRING_SORT_PHASES = 4
};

/* Fills order->index and order->starts. Takes 32 n bytes of scratch unless order->known brings
 * them, and 16 KB for each piece of a loop; four pieces per thread. */
ordo_status string_sort(const string_order *order, ordo_exec *exec);

#endif

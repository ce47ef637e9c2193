/* oracle.h - the correct results of the calls of ordo.h, in slow and simple code.
 *
 * The oracle shares no code with the library. Arrays are plain memory of n elements of the given
 * type. Results have the library's format, so that tests can compare bytes. */
#ifndef ORDO_TESTS_ORACLE_H
#define ORDO_TESTS_ORACLE_H

#include "ordo.h"

#include <stdbool.h>
#include <string.h>

/* -1, 0 or 1: a[i] comes before, ties with or comes after b[j]. -0 ties with +0. All NaNs tie and
 * come last in both directions. */
int oracle_compare(ordo_type type, const void *a, size_t i, const void *b, size_t j, bool desc);

/* As oracle_compare, but only equal bits tie. -0 comes before +0 (after it if descending). In both
 * directions positive NaNs follow all numbers, by rising bit pattern; negative NaNs follow them, by
 * falling bit pattern. */
int oracle_compare_total(ordo_type type, const void *a, size_t i, const void *b, size_t j,
                         bool desc);

/* The stable order of n things by a comparison: index[i] is the number of the i-th thing. */
typedef int oracle_compare_fn(const void *user, size_t i, size_t j);
void        oracle_order(size_t n, uint64_t *index, oracle_compare_fn *compare, const void *user);

/* to[i] = from[index[i]], elements of `item` bytes. */
void oracle_gather(const void *from, size_t item, const uint64_t *index, size_t n, void *to);

/* The length of segment i of an array of n elements. A pair of offsets that descends or exceeds n
 * is an empty segment. */
size_t oracle_segment_length(const ordo_segments *s, size_t n, size_t i);

/* Copies segment i of an array of elements of `size` bytes to other memory, and back. take returns
 * the number of elements. */
size_t oracle_segment_take(const ordo_segments *s, size_t n, size_t i, const void *array,
                           size_t size, void *to);
void   oracle_segment_put(const ordo_segments *s, size_t n, size_t i, void *array, size_t size,
                          const void *from);

/* Copies one element. A copy of constant size costs no call, which sanitizers would make slow. */
static inline void oracle_copy(void *to, const void *from, size_t size)
{
    switch (size) {
    case 1:
        memcpy(to, from, 1);
        break;
    case 2:
        memcpy(to, from, 2);
        break;
    case 4:
        memcpy(to, from, 4);
        break;
    case 8:
        memcpy(to, from, 8);
        break;
    default:
        memcpy(to, from, size);
    }
}

/* Stores bits modulo the width of the type as a[i] (little endian). */
static inline void oracle_put_bits(ordo_type type, void *a, size_t i, uint64_t bits)
{
    size_t const size = ordo_type_size(type);
    oracle_copy((char *)a + i * size, &bits, size);
}

bool oracle_is_float(ordo_type type);
bool oracle_is_nan(ordo_type type, const void *a, size_t i);

double oracle_as_double(ordo_type type, const void *a, size_t i); /* a[i], rounded to nearest */

ordo_type oracle_widest(ordo_type type); /* i64, u64 or f64 */

/* The least i with keys[i] before keys[i-1], or n. */
size_t oracle_first_violation(ordo_type type, const void *keys, size_t n, bool desc);

/* The largest distance between two keys that are out of order; 0 if there are none. */
size_t oracle_radius(ordo_type type, const void *keys, size_t n, bool desc);
/* The same where only equal bits tie. */
size_t oracle_radius_total(ordo_type type, const void *keys, size_t n, bool desc);
/* The number of maximal stretches that are in order. */
size_t oracle_runs(ordo_type type, const void *keys, size_t n, bool desc);

void oracle_rank(ordo_type type, const void *sorted, size_t n, bool desc, ordo_ties ties,
                 ordo_type rank_type, void *ranks);

/* Ranks of n things whose stable order is `index`; ranks[i] is the rank of thing i. */
void oracle_rank_ordered(size_t n, const uint64_t *index, oracle_compare_fn *compare,
                         const void *user, ordo_ties ties, ordo_type rank_type, void *ranks);

/* The keys in the order of oracle_compare_total. */
void oracle_sort(ordo_type type, const void *keys, size_t n, bool desc, void *out);
/* The order of oracle_compare; tied keys by index. */
void oracle_argsort(ordo_type type, const void *keys, size_t n, bool desc, ordo_type index_type,
                    void *out);
void oracle_rank_unsorted(ordo_type type, const void *keys, size_t n, bool desc, ordo_ties ties,
                          ordo_type rank_type, void *ranks);

/* Every ordo_scan except sums of floats, which have no single correct result. */
void oracle_scan(ordo_op op, ordo_type type, const void *in, size_t n, ordo_type out_type,
                 void *out, bool exclusive);

/* Checks sums of floats. Every element must lie within the error bound of adding its terms in any
 * order at the precision of out_type. Infinities must be exact. A NaN must be the quiet one without
 * sign and payload. Returns the first wrong index, or n. */
size_t oracle_check_float_sums(ordo_type type, const void *in, size_t n, ordo_type out_type,
                               const void *out, bool exclusive);

bool     oracle_flag(ordo_flags_kind kind, const void *flags, size_t i);
uint64_t oracle_scan_bits(ordo_flags_kind kind, const void *flags, size_t n, ordo_type count_type,
                          void *counts, bool exclusive);

/* Returns the size of the first group. */
size_t oracle_partition(ordo_flags_kind kind, const void *flags, const void *in, size_t n,
                        size_t elem_size, void *out, bool unset_first);

#endif

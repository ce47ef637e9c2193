/* oracle.h - what every call of ordo.h must answer, in slow and obvious code.
 *
 * Written from the meaning of order alone: nothing here is shared with the library. Arrays are
 * plain memory of n elements of the given type; results are written as the library writes them,
 * so that they can be compared byte by byte. */
#ifndef ORDO_TESTS_ORACLE_H
#define ORDO_TESTS_ORACLE_H

#include "ordo.h"

#include <stdbool.h>

/* -1, 0 or 1: does element i come before, with or after element j of the other array? -0 ties
 * +0, NaN ties NaN and comes after all else, descending too. */
int oracle_compare(ordo_type type, const void *a, size_t i, const void *b, size_t j, bool desc);

/* As oracle_compare, but ties only for the same bits: -0 before +0 (descending: after it); positive
 * NaNs after all numbers by rising pattern, negative NaNs after those by falling pattern, in both
 * directions. */
int oracle_compare_total(ordo_type type, const void *a, size_t i, const void *b, size_t j,
                         bool desc);

/* Any order of n things: index[i] = which comes i-th, things that compare equal by number. */
typedef int oracle_compare_fn(const void *user, size_t i, size_t j);
void        oracle_order(size_t n, uint64_t *index, oracle_compare_fn *compare, const void *user);

/* to[i] = from[index[i]], elements of `item` bytes. */
void oracle_gather(const void *from, size_t item, const uint64_t *index, size_t n, void *to);

bool oracle_is_float(ordo_type type);
bool oracle_is_nan(ordo_type type, const void *a, size_t i);

/* The least i with keys[i] before keys[i-1], or n. */
size_t oracle_first_violation(ordo_type type, const void *keys, size_t n, bool desc);

/* The largest distance of two keys that are out of order; 0 if there are none. */
size_t oracle_radius(ordo_type type, const void *keys, size_t n, bool desc);
/* How many stretches in order there are. */
size_t oracle_runs(ordo_type type, const void *keys, size_t n, bool desc);

void oracle_rank(ordo_type type, const void *sorted, size_t n, bool desc, ordo_ties ties,
                 ordo_type rank_type, void *ranks);

/* The keys by oracle_compare_total. */
void oracle_sort(ordo_type type, const void *keys, size_t n, bool desc, void *out);
/* The order of oracle_compare, equal keys by index. */
void oracle_argsort(ordo_type type, const void *keys, size_t n, bool desc, ordo_type index_type,
                    void *out);
void oracle_rank_unsorted(ordo_type type, const void *keys, size_t n, bool desc, ordo_ties ties,
                          ordo_type rank_type, void *ranks);

/* All of ordo_scan but sums of floats, which have no single right answer. */
void oracle_scan(ordo_op op, ordo_type type, const void *in, size_t n, ordo_type out_type,
                 void *out, bool exclusive);

/* Whether out could be sums of floats: every element within the error bound of adding its terms
 * in any order at the precision of out_type; infinities where they must be; NaN where it must be,
 * and then the quiet one without sign or payload. Returns the first index that could not, or n. */
size_t oracle_check_float_sums(ordo_type type, const void *in, size_t n, ordo_type out_type,
                               const void *out, bool exclusive);

bool     oracle_flag(ordo_flags_kind kind, const void *flags, size_t i);
uint64_t oracle_scan_bits(ordo_flags_kind kind, const void *flags, size_t n, ordo_type count_type,
                          void *counts, bool exclusive);

/* Returns the size of the first group. */
size_t oracle_partition(ordo_flags_kind kind, const void *flags, const void *in, size_t n,
                        size_t elem_size, void *out, bool unset_first);

#endif

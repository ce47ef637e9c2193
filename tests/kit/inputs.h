/* inputs.h - the arrays that every call is tried on: plain, degenerate and hostile.
 *
 * A shape is a number from 0 to inputs_count() - 1. The same shape, type, n and seed give the
 * same bytes on every machine. */
#ifndef ORDO_TESTS_INPUTS_H
#define ORDO_TESTS_INPUTS_H

#include "ordo.h"
#include "testkit.h"

extern const ordo_type inputs_types[];
enum {
    INPUTS_TYPES = 10
};

size_t      inputs_count(void);
const char *inputs_name(size_t shape);
void        inputs_fill(size_t shape, ordo_type type, void *out, size_t n, uint64_t seed);

size_t inputs_find(const char *name); /* the shape of that name, which must be there */

/* Every algorithm that ordo_sort knows by name, AUTO first, BUBBLE (which is quadratic) last. */
extern const ordo_algorithm inputs_sorts[];
enum {
    INPUTS_SORTS = 9
};
const char *inputs_sort_name(ordo_algorithm algorithm);
/* The algorithm, or another one where the tests run on a device that does not have it. */
ordo_algorithm inputs_known(ordo_algorithm algorithm, bool keys_alone);

/* Puts an array into the order of ordo.h. Elements that tie (-0 and +0, NaNs) stay mixed. */
void inputs_sort(ordo_type type, void *keys, size_t n, bool desc);

/* inputs_fill, inputs_sort. */
void inputs_fill_sorted(size_t shape, ordo_type type, void *out, size_t n, bool desc,
                        uint64_t seed);

/* For sums: finite numbers so large that a sum overflows in one order but not in all become 1. */
void inputs_tame(ordo_type type, void *keys, size_t n);

/* Flags with about `share` of 16 set; byte flags set by 1, 2, 0x80 and 255, and the bits of the
 * last byte that belong to no flag at random. Returns the bytes that were written. */
size_t inputs_flags(ordo_flags_kind kind, void *flags, size_t n, unsigned share, uint64_t seed);
size_t inputs_flags_bytes(ordo_flags_kind kind, size_t n);

/* Every n up to `all`, then 2^k - 1, 2^k and 2^k + 1 up to `limit`: call with *n = SIZE_MAX first
 * (overflowing to 0); false when there is no next one. */
bool inputs_next_size(size_t *n, size_t all, size_t limit);

#endif

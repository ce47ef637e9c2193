/* inputs.h - input arrays for the tests: ordinary, degenerate and adversarial.
 *
 * A shape is a number from 0 to inputs_count() - 1. Equal shape, type, n and seed give equal bytes
 * on every machine. */
#ifndef ORDO_TESTS_INPUTS_H
#define ORDO_TESTS_INPUTS_H

#include "ordo.h"
#include "testkit.h"

extern const ordo_type inputs_types[];
enum {
    INPUTS_TYPES = ORDO_TYPES,
#define ORDO_DIST_ROW(ID, name, make, takes, k, help) +1
    INPUTS_DISTS = 0 /* the last ordo_dist */
#include "gen/dists.def"
};

size_t      inputs_count(void);
const char *inputs_name(size_t shape);
void        inputs_fill(size_t shape, ordo_type type, void *out, size_t n, uint64_t seed);

size_t inputs_find(const char *name); /* the shape of that name; aborts if there is none */

/* The algorithms of ordo_sort: AUTO first, BUBBLE (which is quadratic) last. */
extern const ordo_algorithm inputs_sorts[];
enum {
    INPUTS_SORTS = 11
};
const char *inputs_sort_name(ordo_algorithm algorithm);
/* The algorithm, or another one if the device under test does not have it. */
ordo_algorithm inputs_supported(ordo_algorithm algorithm, bool keys_alone);

/* The tie rules of ordo_rank with every rank type that they accept; rule i modulo their number. */
typedef struct rank_rule {
    ordo_ties ties;
    ordo_type rank_type;
} rank_rule;
enum {
    INPUTS_RULES = 3 * (ORDO_TIES_RULES - 1) + 1
};
rank_rule inputs_rule(size_t i);

/* Sorts an array by the order of ordo.h. Ties (-0 and +0, NaNs) keep their order. */
void inputs_sort(ordo_type type, void *keys, size_t n, bool desc);

/* inputs_fill, inputs_sort. */
void inputs_fill_sorted(size_t shape, ordo_type type, void *out, size_t n, bool desc,
                        uint64_t seed);

/* For sums: replaces finite numbers by 1 if a sum could overflow in some orders only. */
void inputs_limit_floats(ordo_type type, void *keys, size_t n);

/* Flags; about `share` in 16 are set. Set byte flags are 1, 2, 0x80 or 255. The unused
 * bits of the last byte are random. Returns the number of bytes written. */
size_t inputs_flags(ordo_flags_kind kind, void *flags, size_t n, unsigned share, uint64_t seed);
size_t inputs_flags_bytes(ordo_flags_kind kind, size_t n);

/* The next size: every n up to `all`, then 2^k - 1, 2^k and 2^k + 1 up to `limit`. The first call
 * has *n == SIZE_MAX, which gives 0. Returns false after the last size. */
bool inputs_next_size(size_t *n, size_t all, size_t limit);

#endif

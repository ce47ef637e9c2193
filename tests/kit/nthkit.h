/* nthkit.h - samples of keys and checked calls for the tests of ordo_nth. */
#ifndef ORDO_TESTS_NTHKIT_H
#define ORDO_TESTS_NTHKIT_H

#include "testkit.h"

enum {
    NTH_SMALL = 140,
    NTH_LARGE = 150001, /* the most keys of a sample */
    NTH_KEY = 8         /* the most bytes of a key */
};

typedef struct nth_sample {
    ordo_type   type;
    size_t      n, shape;
    bool        desc;
    const void *keys; /* in guarded memory */
} nth_sample;

/* The keys of the last sample in order. */
extern char *nth_sorted;

/* Takes the memory of samples and results. */
void nth_start(void);
/* Fills the guarded input with keys; the sample before is lost. */
nth_sample nth_make(ordo_type type, size_t n, size_t shape, bool desc, guard_side side);
void       nth_readonly(bool readonly); /* of the input */

typedef struct nth_result {
    char *out, *index; /* in guarded memory, valid until the next call */
} nth_result;

/* Calls ordo_nth with these flags and checks its status and the bytes around the results. missing:
 * 1 if there is no array for keys, 2 if there is none for indices; such an array is not written. */
nth_result nth_call(const nth_sample *s, const test_context *with, size_t k, ordo_type index_type,
                    unsigned missing, uint64_t flags);

uint64_t nth_index_at(ordo_type type, const void *index, size_t i);

/* Draws a context, a position, a type of indices and what is missing for `draws` calls. */
typedef void nth_try_fn(const nth_sample *s, const test_context *with, size_t k,
                        ordo_type index_type, unsigned missing);
void         nth_some(test_rng *rng, const nth_sample *s, size_t draws, nth_try_fn *attempt);
/* nth_some for small samples of every type, all shapes, and sizes around powers of 2 to `limit`. */
void nth_all(test_rng *rng, size_t limit, nth_try_fn *attempt);

#endif

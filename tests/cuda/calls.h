/* calls.h - every verb that a GPU has, in many variants, as one table of calls on device arrays or
 * host arrays: the tests of device arrays make each call on both and compare bytes.
 *
 * A call reads up to two arrays and writes up to two; an array that is sorted in place is written.
 * Single results (a total, a radius) are numbers of their own. */
#ifndef ORDO_TESTS_CUDA_CALLS_H
#define ORDO_TESTS_CUDA_CALLS_H

#include "testkit.h"

enum {
    CALL_ARRAYS = 4,
    CALL_NUMBERS = 9 /* single results, or the quantiles, at most */
};

typedef enum call_array_use {
    ARRAY_NONE = 0,
    ARRAY_READ,
    ARRAY_WRITTEN,
    ARRAY_IN_PLACE
} call_array_use;

typedef enum call_content {
    CONTENT_KEYS,   /* of the type, in the shape that the test chose */
    CONTENT_SORTED, /* the same, sorted as the call wants it         */
    CONTENT_FLAGS,  /* bytes that also serve as bits                 */
    CONTENT_ANY     /* random bytes                                  */
} call_content;

typedef struct call_array {
    call_array_use use;
    call_content   content;
    size_t         bytes;
} call_array;

typedef struct call_plan {
    const char *verb;
    ordo_type   type, out_type;
    size_t      n;
    uint32_t    choice; /* ties, op, flags kind, value or element size, k */
    uint32_t    algorithm;
    uint64_t    flags;
    bool        loose; /* float sums: the bytes may differ from the CPU's */
    bool        waits; /* a single result is asked for, or a radius       */
    call_array  arrays[CALL_ARRAYS];
} call_plan;

typedef struct call_place { /* where one call finds everything */
    ordo_ctx *ctx;
    bool      on_device;
    void     *stream;
    void     *arrays[CALL_ARRAYS];
    double    numbers[CALL_NUMBERS]; /* exact for the n of tests */
} call_place;

/* How many variants there are for every type; some fit only some types, and are not planned. */
size_t calls_count(void);
bool   calls_typed(size_t which); /* else it is planned for u32 alone                         */
bool   calls_sorts(size_t which); /* keys in any order: it moves them about in shared memory  */

/* Fills the plan of variant `which` for n keys of a type; false if the type has no such call. */
bool calls_plan(size_t which, ordo_type type, size_t n, call_plan *plan);

/* Makes the call, or asks for its scratch. */
ordo_status calls_run(const call_plan *plan, call_place *place);
ordo_status calls_scratch(const call_plan *plan, call_place *place, size_t *bytes);

/* Random bytes. */
void calls_noise(void *to, size_t bytes, uint64_t seed);

/* A line for messages. */
const char *calls_name(const call_plan *plan, char *buffer, size_t size);

#endif

/* calls.h - a table of calls of every verb that a GPU supports. A test makes each call on device
 * arrays and on host arrays and compares the bytes.
 *
 * A call reads up to two arrays and writes up to two; an array that is sorted in place is written.
 * Single results (a total, a radius) are numbers. */
#ifndef ORDO_TESTS_CUDA_CALLS_H
#define ORDO_TESTS_CUDA_CALLS_H

#include "testkit.h"

enum {
    CALL_ARRAYS = 4,
    CALL_NUMBERS = 9 /* the largest number of single results or quantiles */
};

typedef enum call_array_use {
    ARRAY_NONE = 0,
    ARRAY_READ,
    ARRAY_WRITTEN,
    ARRAY_IN_PLACE
} call_array_use;

typedef enum call_content {
    CONTENT_KEYS,   /* keys of the type, in the shape of the test */
    CONTENT_SORTED, /* the same, sorted                           */
    CONTENT_FLAGS,  /* bytes, also used as bits                   */
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
    bool        inexact; /* sums of floats: the bytes may differ from the CPU's */
    bool        waits;   /* the call waits for a single result or a radius      */
    call_array  arrays[CALL_ARRAYS];
} call_plan;

typedef struct call_place { /* the context and the arrays of one call */
    ordo_ctx *ctx;
    bool      on_device;
    void     *stream;
    void     *arrays[CALL_ARRAYS];
    double    numbers[CALL_NUMBERS];
} call_place;

/* The number of variants. Some variants exist only for some types. */
size_t calls_count(void);
bool   calls_typed(size_t which); /* false: the variant exists only for u32          */
bool   calls_sorts(size_t which); /* the variant sorts or selects from unsorted keys */

/* Fills the plan of variant `which` for n keys of a type. Returns false if there is no such call.
 */
bool calls_plan(size_t which, ordo_type type, size_t n, call_plan *plan);

/* Makes the call, or its scratch query. */
ordo_status calls_run(const call_plan *plan, call_place *place);
ordo_status calls_scratch(const call_plan *plan, call_place *place, size_t *bytes);

void calls_noise(void *to, size_t bytes, uint64_t seed); /* random bytes */

/* The name of the call for messages. */
const char *calls_name(const call_plan *plan, char *buffer, size_t size);

#endif

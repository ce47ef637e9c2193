/* subsets.h - calls with every subset of their arrays NULL.
 *
 * A call is a list of arrays and a function that calls the library with them. Every array stands
 * directly before an inaccessible page; inputs are read-only. subsets_sweep calls with all arrays
 * and then with every subset of them, with 1 and with 3 threads and with the generic kernels:
 *   a needed array is missing   ORDO_E_ARG, an error text, no result changed
 *   another subset              the status that the case expects; the results that are given have
 *                               the bytes of the call with all arrays, and the same places are not
 *                               written
 * A place is not written if it keeps two different values in two calls. */
#ifndef ORDO_TESTS_SUBSETS_H
#define ORDO_TESTS_SUBSETS_H

#include "testkit.h"

enum {
    SUBSETS_ARRAYS = 8,     /* the most arrays of a call */
    SUBSETS_BYTES = 1 << 20 /* the most bytes of an array */
};

typedef enum subset_role {
    SUBSET_IN,       /* read                                      */
    SUBSET_IN_PLACE, /* read and written                          */
    SUBSET_OUT,      /* written; NULL is refused if bytes > 0     */
    SUBSET_ONE,      /* written; NULL is refused                  */
    SUBSET_MAYBE     /* written; NULL is allowed                  */
} subset_role;

typedef struct subset_array {
    subset_role role;
    size_t      bytes;    /* the documented extent                                               */
    const void *from;     /* the contents before the call; NULL: a fill                          */
    size_t      varies;   /* this many bytes at the end are unspecified after ORDO_OK            */
    bool        shuffled; /* the values of places that are written are unspecified               */
    bool        spoilt;   /* unspecified after an error                                          */
    bool        reported; /* written if all needed arrays are given, even after an error         */
} subset_array;

typedef struct subset_call {
    /* array[i] is NULL or the memory of array i. */
    ordo_status (*run)(ordo_ctx *ctx, void *const *array);
    subset_array array[SUBSETS_ARRAYS];
    size_t       arrays;
    ordo_status  status; /* of a call with all needed arrays                                     */
    /* Not NULL: the status instead; bit i of `given` is set if array i is not NULL. */
    ordo_status (*expect)(unsigned given);
    /* Not NULL: further checks of a call that returned ORDO_OK. */
    void (*check)(void *const *array);
    const char *says;   /* not NULL: a part of the text of an expected error                     */
    size_t      one_of; /* one of so many subsets is tried, in turn; 0: all                      */
    bool        again;  /* compare with the results of the last sweep that was not `again`       */
} subset_call;

/* The members array and arrays of a call. */
#define ARRAYS(...)                                                                                \
    .array = {__VA_ARGS__}, .arrays = sizeof((subset_array[]){__VA_ARGS__}) / sizeof(subset_array)
#define IN(list, count) subset_in(list, (count) * sizeof *(list))
#define IN_PLACE(list, count) subset_in_place(list, (count) * sizeof *(list))
#define OUT(type, count) subset_out((count) * sizeof(type))
#define ONE(type, count) subset_one((count) * sizeof(type))
#define MAYBE(type, count) subset_maybe((count) * sizeof(type))

subset_array subset_in(const void *from, size_t bytes);
subset_array subset_in_place(const void *from, size_t bytes);
subset_array subset_out(size_t bytes);
subset_array subset_one(size_t bytes);
subset_array subset_maybe(size_t bytes);

void subsets_start(void);
void subsets_end(void);

/* testkit_case for the calls of the next sweep, which adds the subset and the context. */
__attribute__((format(printf, 1, 2))) void subsets_case(const char *format, ...);

void subsets_sweep(const subset_call *call);

/* The results of the last sweep that was not `again`, and the number of bytes that it wrote. */
const void *subsets_result(size_t array);
size_t      subsets_written(size_t array);

#endif

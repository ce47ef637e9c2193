/* summary.h - count, extremes and the exact sum of an array, in one pass on several threads.
 *
 * The sum of integers is kept in 128 bits. The sum of floats is kept exactly, as a fixed-point
 * number with the range of f64 in chunks of 32 bits (Neal, Fast exact summation using small and
 * large superaccumulators, 2015), and is rounded once at the end. Both do not depend on the
 * order of the elements or on the number of threads. */
#ifndef ORDO_CLI_IO_SUMMARY_H
#define ORDO_CLI_IO_SUMMARY_H

#include "cli/base/cli.h"

__extension__ typedef __int128 wide_sum;

enum {
    SUM_CHUNKS = 68 /* 2098 bits of f64 and 64 bits of carries, in chunks of 32 bits */
};

typedef struct summary {
    ordo_type type;
    size_t    n;           /* elements that are not NaN                                  */
    size_t    nans;        /* elements that are NaN                                      */
    size_t    plus, minus; /* infinities, which are in no chunk                          */
    uint64_t  least, most; /* bits of the extremes in the order of ordo_sort; -0 before +0 */
    wide_sum  integers;
    int64_t   chunks[SUM_CHUNKS];
    size_t    additions; /* to chunks since the last carry */
} summary;

/* Of n elements. *out needs no initialization. */
void summary_of(ordo_type type, const void *data, size_t n, summary *out);

/* Adds n more elements. */
void summary_take(summary *s, const void *data, size_t n);

/* Adds the elements of `part`, which is of the same type. */
void summary_add(summary *s, const summary *part);

/* Write an extreme as a value of s->type, which must have n > 0. */
void summary_least(const summary *s, void *value);
void summary_most(const summary *s, void *value);

/* The extremes of floats as f64. */
void summary_extremes(const summary *s, double *least, double *most);

/* Writes all digits of a sum of integers, at most SUM_DIGITS, and returns their number. */
enum {
    SUM_DIGITS = 48
};
size_t summary_digits(wide_sum sum, char *text);

/* The sum, rounded once; NaN if there are infinities of both signs. NaN elements do not count. */
double summary_sum(const summary *s);

#endif

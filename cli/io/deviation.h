/* deviation.h - the sample standard deviation of numbers that are read twice.
 *
 * The first pass is a summary. The second one adds the differences of the numbers from their mean,
 * and the squares of the differences, each exactly as the summary does; so the result has the same
 * bytes for any order, number of threads and division into parts. The sum of the differences mends
 * the rounding of the mean (Chan, Golub and LeVeque, Algorithms for computing the sample variance,
 * 1983). */
#ifndef ORDO_CLI_IO_DEVIATION_H
#define ORDO_CLI_IO_DEVIATION_H

#include "cli/io/summary.h"

typedef struct deviation {
    const summary *of;     /* of all numbers                                           */
    wide_sum       middle; /* of integers: the mean, rounded to an integer             */
    double         scale;  /* of floats: a power of two, so that no square overflows   */
    double         center; /* of floats: the mean times the scale                      */
    summary        sums, squares;
} deviation;

void deviation_start(deviation *d, const summary *of);

/* Adds n of the numbers. */
void deviation_add(deviation *d, const void *data, size_t n);

/* The square root of the sum of squared differences from the mean, divided by one less than the
 * number of numbers; NaN elements do not count. NaN if there are fewer than two numbers, or an
 * infinity. */
double deviation_sample(const deviation *d);

#endif

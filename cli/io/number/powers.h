/* powers.h - powers of ten with 128 bits, for reading and writing floats.
 *
 * 10^q = (high * 2^64 + low) * 2^exponent, where high has its top bit set. The significand is
 * truncated; for q from -27 to -1 it is rounded up. (Lemire, Number parsing at a gigabyte per
 * second, 2021, uses the same rounding.) It is exact for q from 0 to 55. */
#ifndef ORDO_CLI_IO_NUMBER_POWERS_H
#define ORDO_CLI_IO_NUMBER_POWERS_H

#include <stdint.h>

enum {
    LEAST_POWER = -342,
    MOST_POWER = 325
};

typedef struct power10 {
    uint64_t high, low;
} power10;

/* LEAST_POWER <= q <= MOST_POWER. The table is computed with the first call; threads may call
 * it. */
power10 power_of_ten(int q);

/* Of the formula above: floor(q * log2(10)) - 127. */
static inline int power_exponent(int q) { return (217706 * q >> 16) - 127; }

#endif

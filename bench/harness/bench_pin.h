/* bench_pin.h - pins host arrays, so that a GPU copies from and to them without staging. */
#ifndef ORDO_BENCH_HARNESS_BENCH_PIN_H
#define ORDO_BENCH_HARNESS_BENCH_PIN_H

#include <stdbool.h>
#include <stddef.h>

/* Whether there is a driver that can pin arrays. */
bool bench_can_pin(void);

/* Pins an array with the driver of the first GPU; false: there is no driver, or it refuses. */
bool bench_pin(void *array, size_t bytes);
void bench_unpin(void *array);

#endif

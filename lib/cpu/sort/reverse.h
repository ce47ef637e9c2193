/* reverse.h - reverses the order of the elements of an array. reverse.c */
#ifndef ORDO_CPU_SORT_REVERSE_H
#define ORDO_CPU_SORT_REVERSE_H

#include "core/base.h"

/* Exchanges elements lo to hi - 1 of array[0 .. n) with the elements that mirror them: element i
 * with element n - 1 - i. hi is at most n / 2; [0, n / 2) reverses the whole array. An element has
 * `size` bytes, 1 to 16, and needs no alignment. */
void cpu_reverse(void *array, size_t size, size_t n, size_t lo, size_t hi);

#endif

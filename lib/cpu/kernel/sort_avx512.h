/* sort_avx512.h - sorts of kernels_avx512.c's table. */
#ifndef ORDO_CPU_KERNEL_SORT_AVX512_H
#define ORDO_CPU_KERNEL_SORT_AVX512_H

#include "cpu/kernel/kernels.h"

void cpu_sort_words_32_avx512(void *words, void *spare, size_t n, void *to,
                              const cpu_words_map *map);
void cpu_sort_words_64_avx512(void *words, void *spare, size_t n, void *to,
                              const cpu_words_map *map);

#endif

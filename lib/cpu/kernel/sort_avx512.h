/* sort_avx512.h - sorts of kernels_avx512.c's table. */
#ifndef ORDO_CPU_KERNEL_SORT_AVX512_H
#define ORDO_CPU_KERNEL_SORT_AVX512_H

#include <stddef.h>

void cpu_sort_words_32_avx512(void *words, void *spare, size_t n);
void cpu_sort_words_64_avx512(void *words, void *spare, size_t n);

#endif

/* word_sort.h - sorts words of 64 bits on one thread. */
#ifndef ORDO_TEXT_WORD_SORT_H
#define ORDO_TEXT_WORD_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Sorts by word >> shift; words that are equal in these bits get any order. scratch has room for
 * `room` words. If n words do not fit, the sort is slower. */
void text_sort_words(uint64_t *words, size_t n, unsigned shift, uint64_t *scratch, size_t room);

#endif

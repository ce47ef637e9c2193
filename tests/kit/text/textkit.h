/* textkit.h - texts for the tests of lib/text, and the slow and obvious suffix array. */
#ifndef ORDO_TESTS_TEXTKIT_H
#define ORDO_TESTS_TEXTKIT_H

#include <stddef.h>
#include <stdint.h>

enum {
    TEXT_KINDS = 16
};

const char *text_kind_name(size_t kind);

/* Fills text[0..n) with a text of the kind: equal bytes, periods, Fibonacci, Thue-Morse, de Bruijn,
 * skyline, random with several alphabets, words, long repeats, bytes 0 and 255. */
void text_fill(size_t kind, uint8_t *text, size_t n, uint64_t seed);

/* The suffix array by comparisons; offsets[0..count] as in ordo_text_opts, NULL: one text. */
void text_naive(const uint8_t *text, size_t n, const uint64_t *offsets, size_t count, uint32_t *sa);

/* The longest common prefix of two suffixes, which ends with their texts. */
size_t text_naive_lcp(const uint8_t *text, size_t n, const uint64_t *offsets, size_t count,
                      size_t a, size_t b);

/* Cuts n bytes into count texts, some of them empty. */
void text_cut(uint64_t *offsets, size_t count, size_t n, uint64_t seed);

#endif

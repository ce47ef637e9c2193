/* textkit.c - texts that reach the special cases of suffix sorting, and the naive suffix array. */
#include "kit/text/textkit.h"

#include "testkit.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[TEXT_KINDS] = {
    "equal",      "zeros",     "period 2", "period 3",  "period 1000", "fibonacci",
    "thue-morse", "de bruijn", "skyline",  "binary",    "dna",         "bytes",
    "0 and 255",  "words",     "repeats",  "descending"};

const char *text_kind_name(size_t kind) { return names[kind]; }

static void fibonacci(uint8_t *text, size_t n)
{
    size_t a = 1, b = 2; /* lengths of the last two words; the longer one is text[0..b) */
    if (n > 0)
        text[0] = 'a';
    if (n > 1)
        text[1] = 'b';
    while (b < n) {
        size_t const more = a < n - b ? a : n - b;
        memcpy(text + b, text, more);
        size_t const sum = a + b;
        a = b;
        b = sum;
    }
}

/* The de Bruijn sequence of order 12 over two letters, by its shift register, then again. */
static void de_bruijn(uint8_t *text, size_t n)
{
    enum {
        ORDER = 12
    };
    uint32_t word = 0;
    for (size_t i = 0; i < n; i++) {
        text[i] = (uint8_t)('a' + (word & 1));
        uint32_t const low = word >> 1;
        uint32_t const feedback = (word ^ word >> 6 ^ word >> 4 ^ word >> 1) & 1;
        uint32_t const next = low | (feedback ^ (low == 0)) << (ORDER - 1);
        word = next;
    }
}

/* Every second letter is the lowest, every fourth the next one, ... */
static void skyline(uint8_t *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        text[i] = (uint8_t)('z' - __builtin_ctzll((uint64_t)i + 1));
}

static void words(uint8_t *text, size_t n, test_rng *rng)
{
    static const char *const list[] = {"the ", "of ",   "and ",   "order ", "suffix ", "array ",
                                       "a ",   "text ", "sorts ", "\n",     "is ",     "index "};
    for (size_t i = 0; i < n;) {
        const char *const word = list[test_rng_below(rng, sizeof list / sizeof *list)];
        for (size_t k = 0; word[k] != '\0' && i < n; k++)
            text[i++] = (uint8_t)word[k];
    }
}

/* Random bytes, then copies of earlier parts. */
static void repeats(uint8_t *text, size_t n, test_rng *rng)
{
    for (size_t i = 0; i < n;) {
        size_t const length = 1 + test_rng_below(rng, 1 + n / 3);
        size_t const from = i > 0 ? test_rng_below(rng, i) : 0;
        bool const   copies = i > 0 && test_rng_below(rng, 3) > 0;
        for (size_t k = 0; k < length && i < n; k++, i++)
            text[i] = copies ? text[from + k] : (uint8_t)('a' + test_rng_below(rng, 4));
    }
}

void text_fill(size_t kind, uint8_t *text, size_t n, uint64_t seed)
{
    static const size_t periods[] = {1, 1, 2, 3, 1000}, letters[] = {2, 4, 256, 2};
    test_rng            rng = {seed};
    switch (kind) {
    case 5:
        fibonacci(text, n);
        break;
    case 7:
        de_bruijn(text, n);
        break;
    case 8:
        skyline(text, n);
        break;
    case 13:
        words(text, n, &rng);
        break;
    case 14:
        repeats(text, n, &rng);
        break;
    default:
        for (size_t i = 0; i < n; i++)
            text[i] = kind == 0    ? 'a'
                      : kind == 1  ? 0
                      : kind < 5   ? i < periods[kind] ? (uint8_t)test_rng_next(&rng)
                                                       : text[i - periods[kind]]
                        : kind == 6 ? (uint8_t)('a' + __builtin_popcountll(i) % 2)
                      : kind == 15 ? (uint8_t)(255 - i * 256 / n)
                      : kind == 12 ? (uint8_t)(0 - test_rng_below(&rng, 2))
                                   : (uint8_t)test_rng_below(&rng, letters[kind - 9]);
    }
}

typedef struct naive {
    const uint8_t *text;
    uint32_t       end, at, number; /* number of the text */
} naive;

static int compare(const void *a, const void *b)
{
    const naive *const x = a, *const y = b;
    size_t const m = x->end - x->at, n = y->end - y->at;
    int const    order = memcmp(x->text + x->at, y->text + y->at, m < n ? m : n);
    if (order != 0)
        return order;
    return m != n ? (m > n) - (m < n) : (x->number > y->number) - (x->number < y->number);
}

void text_naive(const uint8_t *text, size_t n, const uint64_t *offsets, size_t count, uint32_t *sa)
{
    naive *const suffixes = test_need((n + 1) * sizeof *suffixes);
    for (size_t i = 0, number = 0; i < n; i++) {
        while (offsets != NULL && offsets[number + 1] <= i)
            number++;
        suffixes[i] = (naive){text, (uint32_t)(offsets != NULL ? offsets[number + 1] : n),
                              (uint32_t)i, (uint32_t)number};
    }
    (void)count;
    qsort(suffixes, n, sizeof *suffixes, compare);
    for (size_t i = 0; i < n; i++)
        sa[i] = suffixes[i].at;
    free(suffixes);
}

static size_t end_of(size_t n, const uint64_t *offsets, size_t count, size_t at)
{
    for (size_t i = 0; offsets != NULL && i < count; i++)
        if (offsets[i + 1] > at)
            return (size_t)offsets[i + 1];
    return n;
}

size_t text_naive_lcp(const uint8_t *text, size_t n, const uint64_t *offsets, size_t count,
                      size_t a, size_t b)
{
    size_t const a_end = end_of(n, offsets, count, a), b_end = end_of(n, offsets, count, b);
    size_t       length = 0;
    while (a + length < a_end && b + length < b_end && text[a + length] == text[b + length])
        length++;
    return length;
}

void text_cut(uint64_t *offsets, size_t count, size_t n, uint64_t seed)
{
    test_rng rng = {seed};
    offsets[0] = 0;
    for (size_t i = 1; i < count; i++) {
        size_t const left = n - (size_t)offsets[i - 1];
        size_t const most = 2 * left / (count - i + 1) + 1;
        bool const   empty = test_rng_below(&rng, 4) == 0;
        offsets[i] =
            offsets[i - 1] + (empty ? 0 : test_rng_below(&rng, most < left ? most + 1 : left + 1));
    }
    offsets[count] = n;
}

/* word_sort.c - quicksort of words. Equal keys are many, because texts repeat: a pivot has a key
 * only, and if it is the least key, all its equals are split off. The pivot is the median of three
 * or nine; after too many uneven splits a heap sort ends the part, so the worst case is n log n. */
#include "text/word_sort.h"

#include "text/text_bits.h"

enum {
    FEW = 12 /* words for the insertion sort; estimate */
};

#define RECORD uint64_t
#define LESS(a, b) ((a) < (b))
#define FN(name) name##_words
#include "core/small_sort.t.h"
#undef FN
#undef LESS
#undef RECORD

static inline void order_two(uint64_t *a, uint64_t *b)
{
    uint64_t const low = *a < *b ? *a : *b, high = *a < *b ? *b : *a;
    *a = low;
    *b = high;
}

/* The first words are sorted without branches. */
static void sort_few(uint64_t *words, size_t n)
{
    if (n >= 4) {
        order_two(&words[0], &words[1]);
        order_two(&words[2], &words[3]);
        order_two(&words[0], &words[2]);
        order_two(&words[1], &words[3]);
    } else if (n == 3) {
        order_two(&words[0], &words[1]);
    }
    if (n >= 3)
        order_two(&words[1], &words[2]);
    if (n == 3)
        order_two(&words[0], &words[1]);
    insertion_sort_words(words, n);
}

/* Moves the words below the pivot to the front and returns their number. No branch depends on a
 * word, and nothing that was just written is read: both would cost more than the copies. */
static size_t split_below(uint64_t *words, size_t n, uint64_t pivot, uint64_t *scratch)
{
    size_t below = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t const word = words[i];
        words[below] = word;
        scratch[i - below] = word;
        below += word < pivot;
    }
    memcpy(words + below, scratch, (n - below) * sizeof *words);
    return below;
}

static void sort_part(uint64_t *words, size_t n, unsigned shift, unsigned splits, uint64_t *scratch)
{
    while (n > FEW) {
        if (splits-- == 0) {
            heap_sort_words(words, n);
            return;
        }
        uint64_t const pivot = text_pivot(words, n) >> shift;
        size_t const   below = split_below(words, n, pivot << shift, scratch);
        if (below == 0) { /* the pivot is the least key: its equals are in place then */
            bool const   highest = pivot == UINT64_MAX >> shift;
            size_t const equal = highest ? n : split_below(words, n, (pivot + 1) << shift, scratch);
            words += equal;
            n -= equal;
        } else if (below < n - below) {
            sort_part(words, below, shift, splits, scratch);
            words += below;
            n -= below;
        } else {
            sort_part(words + below, n - below, shift, splits, scratch);
            n = below;
        }
    }
    sort_few(words, n);
}

void text_sort_words(uint64_t *words, size_t n, unsigned shift, uint64_t *scratch, size_t room)
{
    size_t equal = 1;
    while (equal < n && (words[equal] ^ words[0]) >> shift == 0)
        equal++;
    if (equal < n)
        sort_part(words, n, shift, n < room ? 2 * ordo_bit_length(n) : 0, scratch);
}

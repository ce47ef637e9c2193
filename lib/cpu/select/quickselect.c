/* quickselect.c - several order statistics of words in memory, in place.
 *
 * Quickselect for many places at once. It splits three ways (less, equal, greater) because of ties,
 * draws a few words at random to aim the pivot at the middle place, and splits without branches:
 * about 3 n steps for one place. After too many splits a part is heap sorted: n lg n at most. For
 * many places select_sort is faster where the ISA has a vector sort, and for one place its nth_word
 * is. */
#include "core/bisect.h"
#include "core/network.h"
#include "core/random.h"
#include "cpu/select/select.h"

enum {
    SMALL = 24,    /* words sorted by insertion */
    LONG = 1 << 16 /* words in a part that is long enough to check for cancel */
};

typedef struct stretch {
    size_t   lo, hi;      /* its words */
    size_t   first, last; /* the k in it */
    unsigned rounds;      /* splits until it is heap sorted */
} stretch;

/* The least i in [first, last) with k[i] >= place, or last. */
static size_t first_at_least(const size_t *k, size_t first, size_t last, size_t place)
{
    ORDO_BISECT(middle, first, last, k[middle] < place);
    return first;
}

#define ORDO_TEMPLATE "core/small_sort.t.h"
#include "core/for_each_word.h"
#define NETWORK_ORDER(i, j)                                                                        \
    do {                                                                                           \
        RECORD const low = x[i] < x[j] ? x[i] : x[j];                                              \
        x[j] = x[i] < x[j] ? x[j] : x[i];                                                          \
        x[i] = low;                                                                                \
    } while (0);
#define ORDO_TEMPLATE "cpu/select/quickselect.t.h"
#include "core/for_each_word.h"

bool select_words(void *words, size_t word_size, size_t n, const size_t *k, size_t count,
                  size_t base, ordo_exec *exec)
{
    return word_size == sizeof(uint32_t) ? select_32(words, n, k, count, base, exec)
                                         : select_64(words, n, k, count, base, exec);
}

static enum cpu_words width_of(const selector *s)
{
    return s->word_size == sizeof(uint32_t) ? CPU_WORDS_32 : CPU_WORDS_64;
}

bool select_one_word(const selector *s, void *words, size_t n, size_t k, uint64_t *word)
{
    cpu_nth_word_fn *const nth = s->kernels->nth_word[width_of(s)];
    if (nth != NULL) {
        *word = nth(words, n, k);
        return true;
    }
    if (!select_words(words, s->word_size, n, &k, 1, 0, s->exec))
        return false;
    *word = select_word_at(words, s->word_size, k);
    return true;
}

cpu_ties select_words_around(const selector *s, const void *words, size_t n, uint64_t word)
{
    ordo_type const type = s->word_size == sizeof(uint32_t) ? ORDO_U32 : ORDO_U64;
    cpu_band        band = {.lo = word, .hi = word};
    (void)s->kernels->loops->band[type][false](words, n, &band, NULL);
    return (cpu_ties){band.below, band.inside};
}

void select_words_sort(void *words, size_t word_size, size_t n)
{
    if (word_size == sizeof(uint32_t))
        heap_sort_32(words, n);
    else
        heap_sort_64(words, n);
}

bool select_sort(const selector *s, void *words, size_t n, void *spare)
{
    enum cpu_words const width = width_of(s);
    cpu_words_fn *const  sort = s->kernels->sort_words[width];
    if (sort == NULL || n > s->kernels->most_words[width])
        return false;
    sort(words, spare, n, words, 8 * (unsigned)s->key_size, NULL);
    return true;
}

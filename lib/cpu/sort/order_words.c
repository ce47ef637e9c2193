/* order_words.c - argsorts of a few thousand keys by the vector sort of the ISA.
 *
 * A word holds the high bits of a key, less the least key, above its index (tie_words.t.h), so
 * words are sorted without a payload and equal keys keep their order. 10^4 keys of 64 bits keep 50
 * bits of their range. Words that agree in these bits are put in order by their whole keys: a few
 * by insertion, more by the vector sort again. The bits that the first words lack and the index
 * fit one word, so the second sort needs no third.
 *
 * Scratch: a word per key, another one for the whole keys, and a part of the cache. */
#include "core/keybits.h"
#include "cpu/radix/record.h"
#include "cpu/sort/sort_steps.h"

enum {
    FEW = 16, /* words that are put in order by insertion */
    SPARE_WORDS = ORDO_TUNE_WORDS_CACHE / sizeof(uint64_t)
};

/* The most keys: of those that one thread sorts in any case, or of one thread's keys. */
static size_t most_keys(const cpu_kernels *kernels, ordo_type type, unsigned threads)
{
    size_t const record = ordo_type_size(type) == sizeof(uint64_t) ? 16 : 8;
    size_t const most = ordo_min(kernels->most_words[CPU_WORDS_64], ORDO_TUNE_VECTOR_ORDER);
    return threads == 1 ? most : ordo_min(most, ORDO_TUNE_RADIX_ALONE / record);
}

/* Words that the vector sort needs beside n words that it sorts in their memory. */
static size_t spare_words(size_t n) { return ordo_min(n, SPARE_WORDS); }

size_t cpu_vector_order_scratch(ordo_type type, size_t n)
{
    size_t const wide = ordo_type_size(type) == sizeof(uint64_t) ? n : 0;
    if (n <= ORDO_TUNE_WORDS_FEW_64 || n > ORDO_TUNE_VECTOR_ORDER)
        return 0;
    return ordo_round_up((n + wide + spare_words(n)) * sizeof(uint64_t), ORDO_CACHE_LINE);
}

static void insert_by_bits(const cpu_order *order, uint64_t *words, size_t n)
{
    uint64_t const mask = order->index_mask;
    for (size_t i = 1; i < n; i++) {
        uint64_t const word = words[i], key = order->bits[word & mask];
        size_t         j = i;
        for (; j > 0 && order->bits[words[j - 1] & mask] > key; j--)
            words[j] = words[j - 1];
        words[j] = word;
    }
}

/* Sorts words that agree above the index by their whole keys. Their indices ascend. */
static void settle_group(const cpu_order *order, cpu_words_fn *sort, uint64_t *words, size_t n,
                         uint64_t *spare)
{
    uint64_t const mask = order->index_mask;
    uint64_t       least = order->bits[words[0] & mask], most = least;
    if (n <= FEW) {
        insert_by_bits(order, words, n);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        uint64_t const key = order->bits[words[i] & mask];
        least = key < least ? key : least;
        most = key > most ? key : most;
    }
    if (least == most)
        return;
    unsigned const index_bits = ordo_bit_length(mask);
    for (size_t i = 0; i < n; i++) {
        uint64_t const index = words[i] & mask;
        words[i] = (order->bits[index] - least) << index_bits | index;
    }
    sort(words, spare, n, words, ordo_bit_length(most - least) + index_bits, NULL);
}

static void settle_groups(const cpu_order *order, cpu_words_fn *sort, size_t n, uint64_t *spare)
{
    uint64_t *const words = order->words;
    for (size_t i = 1; i < n; i++) {
        if (ORDO_LIKELY((words[i] ^ words[i - 1]) > order->index_mask))
            continue;
        size_t const   first = i - 1;
        uint64_t const group = words[first] | order->index_mask;
        while (i < n && (words[i] | order->index_mask) == group)
            i++;
        settle_group(order, sort, words + first, i - first, spare);
    }
}

/* Takes memory for the order of many keys. */
static bool take_order(const ordo_argsort_job *job, cpu_order *order, uint64_t **spare,
                       ordo_exec *exec)
{
    void *memory;
    if (ordo_scratch(exec, cpu_vector_order_scratch(job->type, job->n), &memory) != ORDO_OK) {
        ordo_fail(exec, ORDO_OK, "%s", ""); /* no error: another sort needs less */
        return false;
    }
    order->words = memory;
    *spare = order->words + job->n;
    order->bits = *spare + spare_words(job->n);
    return true;
}

bool cpu_vector_order(const cpu_kernels *kernels, const ordo_argsort_job *job, cpu_few_room *room,
                      cpu_order *order, ordo_exec *exec)
{
    cpu_words_fn *const sort = kernels->sort_words[CPU_WORDS_64];
    size_t const        n = job->n;
    uint64_t            few[ORDO_TUNE_WORDS_FEW_64], *spare = few;
    if (sort == NULL || n < ORDO_TUNE_WORDS_FEWEST)
        return false;
    *order = (cpu_order){.words = room->words, .bits = room->bits};
    if (n > ORDO_TUNE_WORDS_FEW_64 && (n > most_keys(kernels, job->type, exec->threads) ||
                                       !take_order(job, order, &spare, exec)))
        return false;
    cpu_tell_vector(exec, kernels);
    unsigned const      index_bits = ordo_bit_length(n - 1);
    cpu_tie_shape const shape = kernels->loops->tie_words[job->type](
        job->keys, n, job->descending, index_bits, order->bits, order->words);
    order->index_mask = (UINT64_C(1) << index_bits) - 1;
    order->lossy = shape.lacking > 0;
    sort(order->words, spare, n, order->words, shape.word_bits, NULL);
    if (order->lossy)
        settle_groups(order, sort, n, spare);
    return true;
}

bool cpu_vector_argsort(const cpu_kernels *kernels, const ordo_argsort_job *job, ordo_exec *exec)
{
    cpu_few_room room;
    cpu_order    order;
    if (!cpu_vector_order(kernels, job, &room, &order, exec))
        return false;
    if (job->index_type == ORDO_U32)
        for (size_t i = 0; i < job->n; i++)
            ((uint32_t *)job->index)[i] = (uint32_t)(order.words[i] & order.index_mask);
    else
        for (size_t i = 0; i < job->n; i++)
            ((uint64_t *)job->index)[i] = order.words[i] & order.index_mask;
    return true;
}

/* order_words.c - argsorts of up to some hundred thousand keys by the vector sort of the ISA.
 *
 * A word holds the high bits of a key, less the least key, above its index (tie_words.t.h), so
 * words are sorted without a payload and equal keys keep their order. Words have 32 bits if these
 * hold all bits in which keys differ, otherwise 64. Words that agree above the index are put in
 * order by their whole keys: a few by insertion, more by the vector sort again. The bits that the
 * first words lack and the index fit one word, so there is no third sort.
 *
 * Scratch: 20 bytes per key, and what the vector sort needs. */
#include "backend/layout.h"
#include "cpu/radix/records.h"
#include "cpu/sort/sort_steps.h"

enum {
    FEW = 16, /* words that are put in order by insertion */
    SPARE_WORDS = ORDO_TUNE_WORDS_CACHE / sizeof(uint64_t),
    SAMPLE = 32,
    APART = 4,   /* sampled keys that must not share the bits of a short word */
    REPEATS = 3, /* pairs of equal keys in a sample of an array whose keys repeat */
    HEAVY = 16   /* pairs where few values are most of the keys */
};

/* The most keys with several threads: as many as one thread sorts in its cache in any case. */
static size_t most_alone(ordo_type type)
{
    size_t const record = ordo_type_size(type) == sizeof(uint64_t) ? 16 : 8;
    return ORDO_RADIX_ALONE / record;
}

typedef struct order_memory {
    size_t    n;
    uint64_t *words, *bits, *spare; /* spare: what the vector sort needs beside the words */
    uint32_t *narrow;               /* NULL for a few keys, whose words have 64 bits */
} order_memory;

static void lay_out(void *arg, ordo_layout *layout)
{
    order_memory *const memory = arg;
    memory->words = ordo_lay(layout, memory->n, sizeof *memory->words);
    memory->bits = ordo_lay(layout, memory->n, sizeof *memory->bits);
    memory->spare = ordo_lay(layout, ordo_min(memory->n, SPARE_WORDS), sizeof *memory->spare);
    memory->narrow = ordo_lay(layout, memory->n, sizeof *memory->narrow);
}

size_t cpu_vector_argsort_scratch(size_t n)
{
    order_memory memory = {.n = n};
    return n <= ORDO_TUNE_WORDS_FEW_64 || n > ORDO_L2_WORDS ? 0
                                                            : ordo_layout_bytes(lay_out, &memory);
}

/* ---- Words that tie ---- */

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

/* ---- Short words ---- */

typedef struct order_sample { /* of sorted key bits */
    uint64_t bits[SAMPLE];
} order_sample;

/* Takes keys at places without a period. */
static order_sample sample_of(const cpu_kernels *kernels, const ordo_argsort_job *job)
{
    records_key_fn *const key_at = records_key_of(job->type, job->descending);
    size_t const          stride = job->n / SAMPLE;
    order_sample          sample;
    uint64_t              spare[SAMPLE];
    for (size_t i = 0; i < SAMPLE; i++) {
        size_t const aside = ((uint32_t)i * UINT32_C(0x9e3779b1) >> 16) * stride / 65536;
        sample.bits[i] = key_at(job->keys, i * stride + aside);
    }
    kernels->sort_words[CPU_WORDS_64](sample.bits, spare, SAMPLE, sample.bits, 64, NULL);
    return sample;
}

/* The number of pairs of sampled keys that are equal in (bits - base) >> shift. */
static size_t equal_pairs(const order_sample *sample, uint64_t base, unsigned shift)
{
    size_t pairs = 0, run = 0;
    for (size_t i = 1; i < SAMPLE; i++) {
        bool const same =
            (sample->bits[i] - base) >> shift == (sample->bits[i - 1] - base) >> shift;
        run = same ? run + 1 : 0;
        pairs += run;
    }
    return pairs;
}

/* Whether different keys rarely share a word of 32 bits: where the sample is densest, an eighth of
 * the keys has `slots` values of such words or more. */
static bool is_told_apart(const order_sample *sample, const cpu_tie_map *map, size_t slots)
{
    for (size_t i = 0; i + APART < SAMPLE; i++) {
        uint64_t const gap = sample->bits[i + APART] - sample->bits[i];
        if (gap != 0 && gap >> map->shift < slots)
            return false;
    }
    return true;
}

/* Sorts words of 32 bits and widens them. */
static void sort_short(const cpu_kernels *kernels, const ordo_argsort_job *job,
                       const cpu_tie_map *map, uint32_t *narrow, uint64_t *spare, uint64_t *words)
{
    kernels->loops->tie_words[job->type](job->keys, job->n, job->descending, map, narrow);
    kernels->sort_words[CPU_WORDS_32](narrow, spare, job->n, narrow, map->word_bits, NULL);
    for (size_t i = 0; i < job->n; i++)
        words[i] = narrow[i];
}

/* ---- Orders ---- */

/* Takes memory for the order of many keys. */
static bool take_memory(order_memory *memory, ordo_exec *exec)
{
    if (ordo_lay_out(exec, lay_out, memory) == ORDO_OK)
        return true;
    ordo_fail(exec, ORDO_OK, "%s", ""); /* no error: another sort needs less */
    return false;
}

/* Whether the radix sort is faster than words of 64 bits, because 32 bits, which lack bits of keys,
 * are enough for it: if keys repeat, or for an argsort of few keys that `map` tells apart. */
static bool suits_radix(const order_sample *sample, size_t n, const cpu_tie_map *map, bool ranks)
{
    if (!ranks && n <= RADIX_PACKED / 2 && is_told_apart(sample, map, n / 32))
        return true;
    size_t const equal = equal_pairs(sample, 0, 0);
    return equal >= REPEATS && equal_pairs(sample, map->least, map->shift) == equal;
}

/* The same for more keys than the radix sort takes by words of 32 bits. It is faster for values
 * that are far apart as words and repeat often, and for 32-bit keys where vectors have 32 bytes. */
static bool many_suit_radix(const cpu_kernels *kernels, ordo_type type, const order_sample *sample)
{
    bool const compress = kernels->split[CPU_WIDTH_32] != NULL;
    if (!compress && ordo_type_size(type) <= sizeof(uint32_t))
        return true;
    return (type == ORDO_F32 || (type == ORDO_F64 && !compress)) &&
           equal_pairs(sample, 0, 0) >= HEAVY;
}

/* Whether the sample alone shows that the radix sort is faster, so that not all keys must be
 * read. */
static bool sample_suits_radix(const order_sample *sample, size_t n, bool ranks)
{
    cpu_tie_extent extent = {sample->bits[0], sample->bits[SAMPLE - 1], 0};
    for (size_t i = 1; i < SAMPLE; i++)
        extent.differ |= sample->bits[i] ^ sample->bits[0];
    cpu_tie_map const map = cpu_tie_map_of(&extent, n, 32);
    return map.lossy && suits_radix(sample, n, &map, ranks);
}

/* Chooses the words of more than a few keys. Returns false if the radix sort is faster. */
static bool choose_words(const cpu_kernels *kernels, const ordo_argsort_job *job, bool ranks,
                         cpu_tie_map *map)
{
    size_t const       n = job->n;
    bool const         many = n > RADIX_PACKED;
    order_sample const sample = sample_of(kernels, job);
    cpu_tie_extent     extent;
    if (!many && sample_suits_radix(&sample, n, ranks))
        return false;
    kernels->loops->tie_extent[job->type](job->keys, n, job->descending, &extent);
    *map = cpu_tie_map_of(&extent, n, 32);
    if (!map->lossy)
        return true;
    if (many ? many_suit_radix(kernels, job->type, &sample) : suits_radix(&sample, n, map, ranks))
        return false;
    *map = cpu_tie_map_of(&extent, n, 64);
    return true;
}

/* Reports progress, in estimated shares, unless exec is NULL. A cancelled call goes on until the
 * caller polls. */
static void find_order(const cpu_kernels *kernels, const ordo_argsort_job *job,
                       const order_memory *memory, const cpu_tie_map *map, cpu_order *order,
                       ordo_exec *exec)
{
    cpu_words_fn *const sort = kernels->sort_words[CPU_WORDS_64];
    *order =
        (cpu_order){memory->words, memory->bits, (UINT64_C(1) << map->index_bits) - 1, map->lossy};
    if (memory->narrow != NULL && map->word_bits <= 32) {
        sort_short(kernels, job, map, memory->narrow, memory->spare, order->words);
    } else {
        records_words(kernels, job, map, order->words);
        sort(order->words, memory->spare, job->n, order->words, map->word_bits, NULL);
    }
    if (exec != NULL)
        (void)ordo_poll(exec, 0.5);
    if (!map->lossy)
        return;
    ordo_key_column const keys = {job->keys, job->type, job->descending, true};
    records_bits(kernels, &keys, 0, job->n, order->bits);
    settle_groups(order, sort, job->n, memory->spare);
    if (exec != NULL)
        (void)ordo_poll(exec, 0.75);
}

bool cpu_vector_orders(const cpu_kernels *kernels, ordo_type type, size_t n, bool ranks,
                       const ordo_exec *exec)
{
    size_t const most = ranks ? ORDO_TUNE_VECTOR_RANK : ORDO_L2_WORDS;
    return kernels->sort_words[CPU_WORDS_64] != NULL && n >= ORDO_TUNE_WORDS_FEWEST && n <= most &&
           (n <= ORDO_TUNE_WORDS_FEW_64 || exec->threads == 1 || n <= most_alone(type));
}

bool cpu_vector_order(const cpu_kernels *kernels, const ordo_argsort_job *job, bool ranks,
                      cpu_few_memory *scratch, cpu_order *order, ordo_exec *exec)
{
    uint64_t       spare[ORDO_TUNE_WORDS_FEW_64];
    size_t const   n = job->n;
    order_memory   memory = {n, scratch->words, scratch->bits, spare, NULL};
    bool const     few = n <= ORDO_TUNE_WORDS_FEW_64;
    cpu_tie_extent extent;
    cpu_tie_map    map;
    if (!cpu_vector_orders(kernels, job->type, n, ranks, exec))
        return false;
    if (few) {
        kernels->loops->tie_extent[job->type](job->keys, n, job->descending, &extent);
        map = cpu_tie_map_of(&extent, n, 64);
    } else if (!choose_words(kernels, job, ranks, &map) || !take_memory(&memory, exec)) {
        return false;
    }
    cpu_tell_vector(exec, kernels);
    find_order(kernels, job, &memory, &map, order, few ? NULL : exec);
    return true;
}

bool cpu_vector_argsort(const cpu_kernels *kernels, const ordo_argsort_job *job, ordo_exec *exec)
{
    cpu_few_memory scratch;
    cpu_order      order;
    if (!cpu_vector_order(kernels, job, false, &scratch, &order, exec))
        return false;
    if (job->index_type == ORDO_U32)
        for (size_t i = 0; i < job->n; i++)
            ((uint32_t *)job->index)[i] = (uint32_t)(order.words[i] & order.index_mask);
    else
        for (size_t i = 0; i < job->n; i++)
            ((uint64_t *)job->index)[i] = order.words[i] & order.index_mask;
    return true;
}

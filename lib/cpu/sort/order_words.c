/* order_words.c - argsorts of up to some hundred thousand keys by the vector sort of the ISA.
 *
 * A word holds the high bits of a key, less the least key, above its index (tie_words.t.h), so
 * words are sorted without a payload and equal keys keep their order. Words have 32 bits if the
 * keys of a sample are spread so evenly, or all keys have so few bits, that hardly any different
 * keys share a word; otherwise they have 64. Words that agree above the index are put in order by
 * their whole keys: a few by insertion, more by the vector sort again. The bits that the first
 * words lack and the index fit one word of 64 bits, so there is no third sort: words of 32 bits
 * that lack bits of keys have an index of at most 16 bits (ORDO_TUNE_RADIX_PACKED).
 *
 * Scratch: 20 bytes per key, and what the vector sort needs. */
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

_Static_assert(
    ORDO_TUNE_RADIX_PACKED <= 1 << 16,
    "64 bits of a key less the 32 - i bits in a short word, and an index of i bits, must "
    "fit one word of 64 bits");

/* The most keys with several threads: as many as one thread sorts in its cache in any case. */
static size_t most_alone(ordo_type type)
{
    size_t const record = ordo_type_size(type) == sizeof(uint64_t) ? 16 : 8;
    return ORDO_TUNE_RADIX_ALONE / record;
}

/* Words that the vector sort needs beside n words that it sorts in their memory. */
static size_t spare_words(size_t n) { return ordo_min(n, SPARE_WORDS); }

static size_t memory_bytes(size_t n)
{
    size_t const words = n + n + ordo_div_up(n, 2) + spare_words(n);
    return ordo_round_up(words * sizeof(uint64_t), ORDO_CACHE_LINE);
}

size_t cpu_vector_argsort_scratch(size_t n)
{
    return n <= ORDO_TUNE_WORDS_FEW_64 || n > ORDO_TUNE_VECTOR_ORDER ? 0 : memory_bytes(n);
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

typedef struct order_memory {
    uint64_t *words, *bits, *spare;
    uint32_t *narrow; /* not for a few keys, whose words have 64 bits */
} order_memory;

/* Takes memory for the order of many keys. */
static bool take_memory(size_t n, order_memory *memory, ordo_exec *exec)
{
    void *block;
    if (ordo_scratch(exec, memory_bytes(n), &block) != ORDO_OK) {
        ordo_fail(exec, ORDO_OK, "%s", ""); /* no error: another sort needs less */
        return false;
    }
    memory->words = block;
    memory->bits = memory->words + n;
    memory->spare = memory->bits + n;
    memory->narrow = (uint32_t *)(void *)(memory->spare + spare_words(n));
    return true;
}

enum order_way {
    WAY_SHORT, /* words of 32 bits */
    WAY_WIDE,  /* words of 64 bits */
    WAY_OTHER  /* the radix sort is faster */
};

/* Words of 32 bits that lack bits of keys. The radix sort, which takes records in the order of such
 * words, is faster if keys repeat, or for an argsort of few keys that the words tell apart. */
static enum order_way way_of_lossy(const order_sample *sample, size_t n, const cpu_tie_map *map,
                                   bool ranks)
{
    if (!ranks && n <= ORDO_TUNE_RADIX_PACKED / 2 && is_told_apart(sample, map, n / 32))
        return WAY_OTHER;
    size_t const equal = equal_pairs(sample, 0, 0);
    if (equal >= REPEATS && equal_pairs(sample, map->least, map->shift) == equal)
        return WAY_OTHER;
    return is_told_apart(sample, map, n / 2) ? WAY_SHORT : WAY_WIDE;
}

/* More keys than the radix sort takes by words of 32 bits. It is faster for values that are far
 * apart as words and repeat often, and for 32-bit keys where vectors have 32 bytes. */
static enum order_way way_of_many(const cpu_kernels *kernels, ordo_type type,
                                  const order_sample *sample)
{
    bool const compress = kernels->split[CPU_WIDTH_32] != NULL;
    if (!compress && ordo_type_size(type) <= sizeof(uint32_t))
        return WAY_OTHER;
    if (type != ORDO_F32 && (type != ORDO_F64 || compress))
        return WAY_WIDE;
    return equal_pairs(sample, 0, 0) >= HEAVY ? WAY_OTHER : WAY_WIDE;
}

/* Whether the sample alone shows that another sort is faster, so that not all keys must be read. */
static bool is_for_other(const order_sample *sample, size_t n, bool ranks)
{
    cpu_tie_extent extent = {sample->bits[0], sample->bits[SAMPLE - 1], 0};
    for (size_t i = 1; i < SAMPLE; i++)
        extent.differ |= sample->bits[i] ^ sample->bits[0];
    cpu_tie_map const map = cpu_tie_map_of(&extent, n, 32);
    return map.lossy && way_of_lossy(sample, n, &map, ranks) == WAY_OTHER;
}

/* Chooses how words hold more than a few keys, and finds their extent if words do. */
static enum order_way way_of(const cpu_kernels *kernels, const ordo_argsort_job *job, bool ranks,
                             cpu_tie_extent *extent)
{
    size_t const       n = job->n;
    order_sample const sample = sample_of(kernels, job);
    if (n <= ORDO_TUNE_RADIX_PACKED && is_for_other(&sample, n, ranks))
        return WAY_OTHER;
    kernels->loops->tie_extent[job->type](job->keys, n, job->descending, extent);
    cpu_tie_map const narrow = cpu_tie_map_of(extent, n, 32);
    if (!narrow.lossy)
        return WAY_SHORT;
    return n > ORDO_TUNE_RADIX_PACKED ? way_of_many(kernels, job->type, &sample)
                                      : way_of_lossy(&sample, n, &narrow, ranks);
}

/* Reports progress, in estimated shares, unless exec is NULL. A cancelled call goes on until the
 * caller polls. */
static void find_order(const cpu_kernels *kernels, const ordo_argsort_job *job,
                       const order_memory *memory, const cpu_tie_map *map, bool is_short,
                       cpu_order *order, ordo_exec *exec)
{
    cpu_words_fn *const sort = kernels->sort_words[CPU_WORDS_64];
    *order =
        (cpu_order){memory->words, memory->bits, (UINT64_C(1) << map->index_bits) - 1, map->lossy};
    if (is_short) {
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
    size_t const most = ranks ? ORDO_TUNE_VECTOR_RANK : ORDO_TUNE_VECTOR_ORDER;
    return kernels->sort_words[CPU_WORDS_64] != NULL && n >= ORDO_TUNE_WORDS_FEWEST && n <= most &&
           (n <= ORDO_TUNE_WORDS_FEW_64 || exec->threads == 1 || n <= most_alone(type));
}

bool cpu_vector_order(const cpu_kernels *kernels, const ordo_argsort_job *job, bool ranks,
                      cpu_few_room *room, cpu_order *order, ordo_exec *exec)
{
    uint64_t       spare[ORDO_TUNE_WORDS_FEW_64];
    order_memory   memory = {.words = room->words, .bits = room->bits, .spare = spare};
    size_t const   n = job->n;
    bool const     few = n <= ORDO_TUNE_WORDS_FEW_64;
    enum order_way way = WAY_WIDE;
    cpu_tie_extent extent;
    if (!cpu_vector_orders(kernels, job->type, n, ranks, exec))
        return false;
    if (few)
        kernels->loops->tie_extent[job->type](job->keys, n, job->descending, &extent);
    else
        way = way_of(kernels, job, ranks, &extent);
    if (way == WAY_OTHER || (!few && !take_memory(n, &memory, exec)))
        return false;
    cpu_tie_map const map = cpu_tie_map_of(&extent, n, way == WAY_SHORT ? 32 : 64);
    cpu_tell_vector(exec, kernels);
    find_order(kernels, job, &memory, &map, way == WAY_SHORT, order, few ? NULL : exec);
    return true;
}

bool cpu_vector_argsort(const cpu_kernels *kernels, const ordo_argsort_job *job, ordo_exec *exec)
{
    cpu_few_room room;
    cpu_order    order;
    if (!cpu_vector_order(kernels, job, false, &room, &order, exec))
        return false;
    if (job->index_type == ORDO_U32)
        for (size_t i = 0; i < job->n; i++)
            ((uint32_t *)job->index)[i] = (uint32_t)(order.words[i] & order.index_mask);
    else
        for (size_t i = 0; i < job->n; i++)
            ((uint64_t *)job->index)[i] = order.words[i] & order.index_mask;
    return true;
}

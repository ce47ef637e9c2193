/* vector_packed.t.h - sorts a part of 64-bit integers by 32-bit integers that stand for them
 * (vector_sort.t.h).
 *
 * A 32-bit integer holds the highest bits of (integer - least of the range) above the index of the
 * integer. A vector holds twice as many of them, and their minimum takes half as many instructions.
 * Integers that agree in those bits may come out in the wrong order; an insertion sort mends that.
 * A sample shows whether such integers are few; otherwise the part is split as before. */

/* Sapphire Rapids, AVX-512, time of a call / without: u64 uniform 3000 keys 0.80, 10^5 0.88; f64 in
 * [0, 1) 10^4 0.86. AVX2, u64 of all magnitudes 10^4 0.35. MOST: the integers, their stand-ins and
 * the scratch for both take 48 KB, an L1 cache. */
enum {
    PACKED_LEAST = ORDO_TUNE_WORDS_FEW_64 + 1,
    PACKED_MOST = (int)ORDO_TUNE_SPAN < (int)IN_CACHE_64
                      ? (int)ORDO_TUNE_SPAN
                      : (int)IN_CACHE_64, /* spare has room for them */
    PACKED_SAMPLE = 32,
    PACKED_APART = 4 /* sampled integers that must not agree in the bits that are kept */
};

typedef struct packing {
    uint64_t low; /* subtracted from every integer */
    unsigned shift, index_bits;
    uint32_t index_mask, top; /* top: the largest packed integer */
} packing;

/* Chooses the bits that are kept. The range must contain all n integers. */
static packing packing_of(size_t n, range_64 range)
{
    packing        p = {.low = range.low, .index_bits = ordo_bit_length(n - 1)};
    unsigned const bits = ordo_bit_length(range.high - range.low), room = 32 - p.index_bits;
    p.shift = bits > room ? bits - room : 0;
    p.index_mask = (1u << p.index_bits) - 1;
    p.top = (uint32_t)((range.high - range.low) >> p.shift) << p.index_bits | p.index_mask;
    return p;
}

/* Whether different integers with the same bits are rare where the sample is densest. */
static bool is_told_apart(const packing *p, size_t n, const uint64_t *sample)
{
    bool crowded = false;
    for (size_t i = 0; i + PACKED_APART < PACKED_SAMPLE; i++) {
        uint64_t const gap = sample[i + PACKED_APART] - sample[i];
        crowded |= gap != 0 && gap >> p->shift < n / 2;
    }
    return !crowded || p->shift == 0;
}

static void pack(const packing *p, const uint64_t *restrict from, size_t n,
                 uint32_t *restrict packed)
{
    for (size_t i = 0; i < n; i++)
        packed[i] = (uint32_t)((from[i] - p->low) >> p->shift) << p->index_bits | (uint32_t)i;
}

/* Inserts to[i] .. to[end - 1] into the sorted to[0] .. to[i - 1]. Returns how far they moved. */
static size_t insert_words(uint64_t *to, size_t i, size_t end)
{
    size_t moves = 0;
    for (; i < end; i++) {
        uint64_t const word = to[i];
        size_t         j = i;
        for (; j > 0 && word < to[j - 1]; j--)
            to[j] = to[j - 1];
        to[j] = word;
        moves += i - j;
    }
    return moves;
}

/* to[i] = from[the index in packed[i]]. From an integer that is less than the one before it, those
 * of its vector are inserted into their places. Returns false if that took too many moves; then
 * some integers are not in order. */
static bool unpack(const packing *p, const uint64_t *from, const uint32_t *packed, size_t n,
                   uint64_t *to)
{
    size_t i = 0, moves = 0;
    VEC    last = FILL(0);
    for (; i + LANES <= n; i += LANES) {
        VEC const v = GATHER(from, packed + i, p->index_mask);
        STORE(to + i, v);
        unsigned const falls = BITS_BELOW(v, AFTER(last, v));
        if (ORDO_LIKELY(falls == 0)) {
            last = v;
        } else if (moves < n) {
            size_t const in_order = COUNT((falls & (0 - falls)) - 1);
            moves += insert_words(to, i + in_order, i + LANES);
            last = LOAD(to + i);
        }
    }
    for (size_t rest = i; rest < n; rest++)
        to[rest] = from[packed[rest] & p->index_mask];
    return moves < n && insert_words(to, i, n) < n;
}

static void map_words(const uint64_t *words, size_t n, const cpu_words_map *map, uint64_t *to)
{
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        STORE(to + i, mapped_64(LOAD(words + i), map));
    STORE_FIRST(to + i, n - i, mapped_64(LOAD_FIRST(words + i, n - i), map));
}

/* Sorts a part of PACKED_LEAST to PACKED_MOST integers. Returns false, with the part unchanged or
 * with its integers in another order, if the part must be split instead. */
static bool sort_packed(part_64 *part, const cpu_words_map *map)
{
    size_t const n = part->n;
    uint64_t     sample[PACKED_SAMPLE];
    uint32_t     packed[PACKED_MOST], spare[PACKED_MOST];
    sample_of_64(part->a, n, sample, PACKED_SAMPLE);
    if (sample[PACKED_SAMPLE - 1] - sample[0] < (part->range.high - part->range.low) / 4)
        part->range = range_of_64(part->a, n);
    packing const p = packing_of(n, part->range);
    if (!is_told_apart(&p, n, sample))
        return false;
    pack(&p, part->a, n, packed);
    part_32 const stand_ins = {.a = packed,
                               .spare = spare,
                               .to = packed,
                               .n = n,
                               .range = {0, p.top},
                               .even = is_even_64(sample, PACKED_SAMPLE, part->range)};
    sort_part_32(stand_ins, NULL);
    uint64_t *const sorted = part->to == part->a ? part->spare : part->to;
    if (!unpack(&p, part->a, packed, n, sorted)) {
        part->spare = sorted == part->spare ? part->a : part->spare;
        part->a = sorted;
        return false;
    }
    if (sorted != part->to || map != NULL)
        map_words(sorted, n, map, part->to);
    return true;
}

/* few_values.t.h - the loops of few_values.h for keys of W bits (RECORD), for one ISA. With AVX-512
 * the slots of a vector of keys are gathered at once, and the frequent values are counted in
 * registers; then only the other keys go to the table. */

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#if W == 32
#define LANES 16
#define MASK __mmask16
#define SET(v) _mm512_set1_epi32((int)(v))
#define ADD_WHERE(a, mask) _mm512_mask_add_epi32(a, mask, a, _mm512_set1_epi32(1))
#define EQUAL(where, a, b) _mm512_mask_cmpeq_epi32_mask(where, a, b)
#define PACK(to, mask, keys) _mm512_mask_compressstoreu_epi32(to, mask, keys)
#define TOTAL(a) (uint32_t) _mm512_reduce_add_epi32(a)
#else
#define LANES 8
#define MASK __mmask8
#define SET(v) _mm512_set1_epi64((long long)(v))
#define ADD_WHERE(a, mask) _mm512_mask_add_epi64(a, mask, a, _mm512_set1_epi64(1))
#define EQUAL(where, a, b) _mm512_mask_cmpeq_epi64_mask(where, a, b)
#define PACK(to, mask, keys) _mm512_mask_compressstoreu_epi64(to, mask, keys)
#define TOTAL(a) (uint32_t) _mm512_reduce_add_epi64(a)
#endif

/* The slots of a vector of keys, as 32-bit numbers, and which keys are in their slot. */
static inline MASK FN(few_find)(const few_table *table, __m512i keys, uint32_t *slots)
{
    __m128i const shift = _mm_cvtsi32_si128((int)(W - table->bits));
#if W == 32
    __m512i const product = _mm512_mullo_epi32(keys, SET(table->multiplier));
    __m512i const slot = _mm512_srl_epi32(product, shift);
    _mm512_storeu_si512(slots, slot);
    __m512i const found = _mm512_i32gather_epi32(slot, table->slots, 4);
#else
    __m512i const product = _mm512_mullo_epi64(keys, SET(table->multiplier));
    __m512i const slot = _mm512_srl_epi64(product, shift);
    _mm256_storeu_si256((__m256i *)(void *)slots, _mm512_cvtepi64_epi32(slot));
    __m512i const found = _mm512_i64gather_epi64(slot, table->slots, 8);
#endif
    return EQUAL((MASK)-1, found, keys);
}

/* Counts the frequent values of whole vectors in registers, and packs the other keys to `rest`.
 * Returns the number of these. */
static size_t FN(few_frequent)(const few_table *table, const RECORD *keys, size_t count,
                               uint32_t *counts, RECORD *rest)
{
    __m512i value[FEW_FREQUENT], sum[FEW_FREQUENT];
    size_t  left = 0;
    for (unsigned v = 0; v < FEW_FREQUENT; v++) {
        value[v] = SET(table->value[v]);
        sum[v] = _mm512_setzero_si512();
    }
    for (size_t i = 0; i < count; i += LANES) {
        __m512i const here = _mm512_loadu_si512(keys + i);
        MASK          other = (MASK)-1;
        EACH (v, FEW_FREQUENT) {
            MASK const equal = EQUAL(other, here, value[v]);
            sum[v] = ADD_WHERE(sum[v], equal);
            other = (MASK)(other & ~equal);
        }
        PACK(rest + left, other, here);
        left += (size_t)__builtin_popcount(other);
    }
    for (unsigned v = 0; v < FEW_FREQUENT; v++)
        counts[table->slot[v] * FEW_COUNTERS] += TOTAL(sum[v]);
    return left;
}

/* Counts whole vectors of keys; `count` is a multiple of LANES. */
static size_t FN(few_vectors)(const few_table *table, const RECORD *keys, size_t count,
                              uint32_t *counts, RECORD *strays)
{
    uint32_t slots[16];
    size_t   stray = 0;
    for (size_t i = 0; i < count; i += LANES) {
        __m512i const here = _mm512_loadu_si512(keys + i);
        MASK const    known = FN(few_find)(table, here, slots);
        if (__builtin_expect(known == (MASK)-1, 1)) {
            EACH (j, LANES)
                counts[slots[j] * FEW_COUNTERS + j % FEW_COUNTERS]++;
            continue;
        }
        for (unsigned rest = known; rest != 0; rest &= rest - 1)
            counts[slots[__builtin_ctz(rest)] * FEW_COUNTERS]++;
        PACK(strays + stray, (MASK)~known, here);
        stray += (size_t)__builtin_popcount((MASK)~known);
    }
    return stray;
}
#endif

static size_t FN(few_count)(const void *of, const void *array, size_t count, void *all, void *other)
{
    const few_table *const table = of;
    uint32_t *const        counts = all;
    const RECORD          *keys = array;
    RECORD *const          strays = other;
    const RECORD *const    slots = table->slots;
    size_t                 i = 0, stray = 0;
#ifdef LANES
    RECORD rest[FEW_BLOCK];
    if (table->has_frequent) {
        size_t const whole = count / LANES * LANES;
        size_t const left = FN(few_frequent)(table, keys, whole, counts, rest);
        memcpy(rest + left, keys + whole, (count - whole) * sizeof *keys);
        count = left + count - whole;
        keys = rest;
    }
    i = count / LANES * LANES;
    stray = FN(few_vectors)(table, keys, i, counts, strays);
#endif
    for (; i < count; i++) {
        size_t const slot = FN(few_slot)(table, keys[i]);
        bool const   known = slots[slot] == keys[i];
        counts[slot * FEW_COUNTERS + i % FEW_COUNTERS] += known;
        strays[stray] = keys[i];
        stray += !known;
    }
    return stray;
}

#if defined(LANES) && W == 32
/* The keys in the slots, from a table in registers. */
static inline __m512i FN(few_look_up)(const __m512i *table, __m512i slot)
{
    __mmask16 const odd = _mm512_test_epi32_mask(slot, _mm512_set1_epi32(32));
    __mmask16 const high = _mm512_test_epi32_mask(slot, _mm512_set1_epi32(64));
    __m512i const   a = _mm512_permutex2var_epi32(table[0], slot, table[1]);
    __m512i const   b = _mm512_permutex2var_epi32(table[2], slot, table[3]);
    __m512i const   c = _mm512_permutex2var_epi32(table[4], slot, table[5]);
    __m512i const   d = _mm512_permutex2var_epi32(table[6], slot, table[7]);
    return _mm512_mask_mov_epi32(_mm512_mask_mov_epi32(a, odd, b), high,
                                 _mm512_mask_mov_epi32(c, odd, d));
}

/* Finds the counters of the pairs of whole vectors of keys. Returns false if a key is a stray. */
static bool FN(few_find_pairs)(const few_table *table, const RECORD *keys, size_t count,
                               uint64_t *counters)
{
    __m512i const multiplier = SET(table->multiplier), last = SET(FEW_PAIRED - 1);
    __m512i const displace_low = _mm512_loadu_si512(table->displace);
    __m512i const displace_high = _mm512_loadu_si512(table->displace + LANES);
    __m512i const all = _mm512_set1_epi64(FEW_PAIRED * FEW_PAIRED - 1);
    __m512i       slots[FEW_PAIRED / LANES];
    MASK          strays = 0;
    EACH (v, FEW_PAIRED / LANES)
        slots[v] = _mm512_loadu_si512((const RECORD *)table->slots + v * LANES);
    for (size_t i = 0; i < count; i += LANES) {
        __m512i const here = _mm512_loadu_si512(keys + i);
        __m512i const hash = _mm512_mullo_epi32(here, multiplier);
        __m512i const displace =
            _mm512_permutex2var_epi32(displace_low, _mm512_srli_epi32(hash, 27), displace_high);
        __m512i const slot =
            _mm512_xor_si512(_mm512_and_si512(_mm512_srli_epi32(hash, 20), last), displace);
        strays |= (MASK)~EQUAL((MASK)-1, FN(few_look_up)(slots, slot), here);
        __m512i const pair =
            _mm512_or_si512(_mm512_slli_epi64(slot, 7), _mm512_srli_epi64(slot, 32));
        _mm512_storeu_si512(counters + i / 2, _mm512_and_si512(pair, all));
    }
    return strays == 0;
}

static size_t FN(few_count_pairs)(const void *of, const void *array, size_t count, void *all,
                                  void *other)
{
    const few_table *const table = of;
    uint32_t *const        pairs = all;
    const RECORD *const    keys = array;
    const RECORD *const    slots = table->slots;
    RECORD *const          strays = other;
    uint64_t               counters[FEW_BLOCK / 2];
    size_t                 i = count / LANES * LANES, stray = 0;
    if (!FN(few_find_pairs)(table, keys, i, counters))
        i = 0;
    for (size_t p = 0; p < i / 2; p++)
        pairs[counters[p]]++;
    for (; i < count; i++) {
        size_t const slot = few_place(table, keys[i]);
        bool const   known = slots[slot] == keys[i];
        pairs[(known ? slot : FEW_NONE) * FEW_PAIRED + FEW_NONE]++;
        strays[stray] = keys[i];
        stray += !known;
    }
    return stray;
}
#elif !defined(LANES)
/* Adds `step`, 1 or -1, to the counters of all pairs; `count` is even. Returns whether all keys
 * have a value. */
INLINE bool FN(few_add_pairs)(const few_table *table, const RECORD *keys, size_t count,
                              uint32_t *pairs, uint32_t step)
{
    const RECORD *const  slots = table->slots;
    const uint8_t *const numbers = table->numbers;
    RECORD               other = 0;
    for (size_t i = 0; i < count; i += 2) {
        size_t const a = FN(few_slot)(table, keys[i]), b = FN(few_slot)(table, keys[i + 1]);
        other |= (slots[a] ^ keys[i]) | (slots[b] ^ keys[i + 1]);
        pairs[(size_t)numbers[a] * FEW_PAIRED + numbers[b]] += step;
    }
    return other == 0;
}

/* A counter of pairs halves the increments, and neighbouring pairs are seldom equal, so they do not
 * wait for each other. A block with strays is counted again, key by key. */
static size_t FN(few_count_pairs)(const void *of, const void *array, size_t count, void *all,
                                  void *other)
{
    const few_table *const table = of;
    uint32_t *const        pairs = all;
    const RECORD *const    keys = array;
    const RECORD *const    slots = table->slots;
    RECORD *const          strays = other;
    size_t                 i = count / 2 * 2, stray = 0;
    if (!FN(few_add_pairs)(table, keys, i, pairs, 1)) {
        (void)FN(few_add_pairs)(table, keys, i, pairs, UINT32_MAX);
        i = 0;
    }
    for (; i < count; i++) {
        size_t const slot = FN(few_slot)(table, keys[i]);
        bool const   known = slots[slot] == keys[i];
        pairs[(known ? table->numbers[slot] : FEW_NONE) * (size_t)FEW_PAIRED + FEW_NONE]++;
        strays[stray] = keys[i];
        stray += !known;
    }
    return stray;
}
#endif

static void FN(few_fill)(void *to, uint64_t value, size_t count, bool bypass)
{
    RECORD *const out = to;
    RECORD const  record = (RECORD)value;
    size_t        i = 0;
    if (bypass) {
        _Alignas(64) RECORD line[LINE / sizeof(RECORD)];
        for (size_t j = 0; j < LINE / sizeof(RECORD); j++)
            line[j] = record;
        for (; i < count && (uintptr_t)(out + i) % LINE != 0; i++)
            out[i] = record;
        for (; i + LINE / sizeof(RECORD) <= count; i += LINE / sizeof(RECORD))
            lines_stream(out + i, line, LINE);
        lines_fence();
    }
    for (; i < count; i++)
        out[i] = record;
}

#ifdef LANES
#undef LANES
#undef MASK
#undef SET
#undef ADD_WHERE
#undef EQUAL
#undef PACK
#undef TOTAL
#endif

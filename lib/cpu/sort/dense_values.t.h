/* dense_values.t.h - the loops of dense_values.c for keys of W bits (RECORD), for one ISA. With
 * AVX-512, values and strays are packed apart before the values are counted. */
#include "cpu/sort/dense_floats.t.h"

#if W == 32
#define REAL float
#else
#define REAL double
#endif

enum {
#if defined(__AVX512F__)
    FN(TOGETHER) = 64 / sizeof(RECORD) /* keys written together, without a test of the count */
#else
    FN(TOGETHER) = 32 / sizeof(RECORD)
#endif
};

/* Sets indices[i] to the value of keys[i], or to the range if the key is not a value. Returns false
 * if a key that is not a value lies between two values, because such a key cannot be written before
 * or after the range. */
static bool FN(dense_indices)(const dense_table *table, const void *array, size_t count,
                              uint32_t *indices)
{
    const REAL *const keys = array;
    REAL const        scale = (REAL)table->scale;
    uint32_t const    low = (uint32_t)table->low, range = (uint32_t)table->range;
    REAL const        least = (REAL)(int32_t)low / scale;
    REAL const        most = (REAL)(int32_t)(low + range - 1) / scale;
    uint32_t          between = 0;
    for (size_t i = 0; i < count; i++) {
        REAL const     x = keys[i];
        int32_t const  multiple = FN(dense_multiple)(x, scale);
        uint32_t const distance = (uint32_t)multiple - low;
        bool const     equal = FN(dense_equals)(x, multiple, scale);
        between |= (uint32_t)!equal & (uint32_t)(x >= least) & (uint32_t)(x <= most);
        indices[i] = equal && distance < range ? distance : range;
    }
    return between == 0;
}

/* Not with ThreadSanitizer: what GCC 12 instruments crashes; plain code and ASan do not. */
#if defined(__AVX512F__) && defined(__AVX512VL__) && !defined(__SANITIZE_THREAD__)
#define DENSE_LANES (512 / W)

/* Packs the values of whole vectors of keys to `inside` and the other keys to `strays`. Sets *known
 * to the number of values and returns that of strays. `count` is a multiple of DENSE_LANES. */
INLINE size_t FN(dense_split)(const dense_table *table, const RECORD *keys, size_t count,
                              const uint32_t *indices, uint32_t *inside, size_t *known,
                              RECORD *strays)
{
    size_t stray = 0, held = 0;
#if W == 32
    __m512i const low = _mm512_set1_epi32((int)(uint32_t)table->low);
    __m512i const range = _mm512_set1_epi32((int)table->range);
#else
    __m512i const low = _mm512_set1_epi64((long long)table->low);
    __m512i const range = _mm512_set1_epi64((long long)table->range);
#endif
    for (size_t i = 0; i < count; i += DENSE_LANES) {
        __m512i const here = _mm512_loadu_si512(keys + i);
#if W == 32
        __m512i const value =
            indices != NULL ? _mm512_loadu_si512(indices + i) : _mm512_sub_epi32(here, low);
        __mmask16 const in = _mm512_cmplt_epu32_mask(value, range);
        _mm512_storeu_si512(inside + held, _mm512_maskz_compress_epi32(in, value));
        _mm512_storeu_si512(strays + stray, _mm512_maskz_compress_epi32((__mmask16)~in, here));
#else
        __m512i const  value = indices != NULL ? _mm512_cvtepu32_epi64(_mm256_loadu_si256(
                                                     (const __m256i *)(const void *)(indices + i)))
                                               : _mm512_sub_epi64(here, low);
        __mmask8 const in = _mm512_cmplt_epu64_mask(value, range);
        _mm256_storeu_si256((__m256i *)(void *)(inside + held),
                            _mm256_maskz_compress_epi32(in, _mm512_cvtepi64_epi32(value)));
        _mm512_storeu_si512(strays + stray, _mm512_maskz_compress_epi64((__mmask8)~in, here));
#endif
        size_t const here_in = (size_t)__builtin_popcount(in);
        held += here_in;
        stray += DENSE_LANES - here_in;
    }
    *known = held;
    return stray;
}
#endif

/* Counts at most FEW_BLOCK keys in 32-bit words. Keys outside the range go to `strays`, which has
 * room for all keys: without a branch, which many strays would make costly. Returns the number of
 * strays. words[range] is not used for values. `indices` are the values of floats, `range` for a
 * stray; NULL: the keys are integers. */
INLINE size_t FN(dense_tally)(const dense_table *table, const RECORD *keys, size_t count,
                              const uint32_t *indices, uint32_t *words, RECORD *strays)
{
    RECORD const low = (RECORD)table->low;
    size_t const range = table->range;
    size_t       stray = 0, i = 0;
#ifdef DENSE_LANES
    uint32_t inside[FEW_BLOCK];
    size_t   known;
    i = count / DENSE_LANES * DENSE_LANES;
    stray = FN(dense_split)(table, keys, i, indices, inside, &known, strays);
    for (size_t k = 0; k < known; k++)
        words[inside[k]]++;
#endif
    for (; i < count; i++) {
        RECORD const key = keys[i];
        size_t const value = indices != NULL ? indices[i] : (RECORD)(key - low);
        size_t const outside = value >= range;
        strays[stray] = key;
        stray += outside;
        words[value + ((range - value) & (0 - outside))]++; /* compilers make a choice a branch */
    }
    return stray;
}

/* The same for rare strays. `bytes`: the table is of bytes, so that a wide one is small; when a
 * byte overflows, 256 is added to a word that all threads share. NULL: it is of `words`. */
INLINE size_t FN(dense_tally_rare)(const dense_table *table, const RECORD *keys, size_t count,
                                   const uint32_t *indices, uint8_t *bytes, uint32_t *words,
                                   RECORD *strays)
{
    _Atomic uint32_t *const overflows = table->words;
    RECORD const            low = (RECORD)table->low;
    size_t const            range = table->range;
    size_t                  stray = 0;
    for (size_t i = 0; i < count; i++) {
        size_t const value = indices != NULL ? indices[i] : (RECORD)(keys[i] - low);
        if (ORDO_UNLIKELY(value >= range))
            strays[stray++] = keys[i];
        else if (bytes == NULL)
            words[value]++;
        else if (ORDO_UNLIKELY(++bytes[value] == 0))
            atomic_fetch_add_explicit(&overflows[value], 256, memory_order_relaxed);
    }
    return stray;
}

INLINE size_t FN(dense_count_as)(const dense_table *table, const RECORD *keys, size_t count,
                                 const uint32_t *indices, void *counts, RECORD *strays)
{
    if (table->in_bytes)
        return FN(dense_tally_rare)(table, keys, count, indices, counts, NULL, strays);
#ifndef DENSE_LANES
    if (table->rare)
        return FN(dense_tally_rare)(table, keys, count, indices, NULL, counts, strays);
#endif
    return FN(dense_tally)(table, keys, count, indices, counts, strays);
}

/* Counts at most FEW_BLOCK keys; see few_loops. */
static size_t FN(dense_count)(const void *of, const void *keys, size_t count, void *counts,
                              void *strays)
{
    const dense_table *const table = of;
    uint32_t                 indices[FEW_BLOCK];
    if (table->scale == 0)
        return FN(dense_count_as)(table, keys, count, NULL, counts, strays);
    return FN(dense_indices)(table, keys, count, indices)
        ? FN(dense_count_as)(table, keys, count, indices, counts, strays)
        : SIZE_MAX;
}

/* Writes the keys [at, end) of the result. The first `skip` keys of value `from` are before `at`.
 * `step` is 1 or -1: from a value to the next. Most counts are small, so a few keys more than
 * needed are written; the next value overwrites them. */
static void FN(dense_write)(const dense_table *table, void *array, size_t at, size_t end,
                            size_t from, size_t skip, size_t step, const uint32_t *counts)
{
    RECORD *const out = array;
    for (size_t value = from; at < end; value += step, skip = 0) {
        size_t const count = ordo_min(counts[value] - skip, end - at);
        RECORD const key = FN(dense_key)(table, value);
        size_t       written = 0;
        if (count >= DENSE_MANY) {
            table->loops->fill(out + at, key, count, table->bypass);
            written = count;
        } else if (at + count + FN(TOGETHER) <= end) {
            do {
                for (size_t j = 0; j < FN(TOGETHER); j++)
                    out[at + written + j] = key;
                written += FN(TOGETHER);
            } while (written < count);
        }
        for (; written < count; written++)
            out[at + written] = key;
        at += count;
    }
}

#undef REAL
#undef DENSE_LANES

/* filter.t.h - drops the keys whose pattern is in a table, for keys of W bits (PATTERN) and one
 * ISA. With AVX-512 the slots of a vector of keys are gathered at once. */

static size_t FN(not_in_table)(const set_table *table, const void *keys, size_t n, void *rest)
{
    const PATTERN *const in = keys;
    const PATTERN *const slots = table->slots;
    PATTERN *const       out = rest;
    size_t               i = 0, kept = 0;
#if defined(__AVX512F__) && defined(__AVX512DQ__)
    __m128i const shift = _mm_cvtsi32_si128((int)(W - table->bits));
#if W == 32
    __m512i const factor = _mm512_set1_epi32((int)table->multiplier);
    for (; i + 16 <= n; i += 16) {
        __m512i const   here = _mm512_loadu_si512(in + i);
        __m512i const   slot = _mm512_srl_epi32(_mm512_mullo_epi32(here, factor), shift);
        __m512i const   found = _mm512_i32gather_epi32(slot, slots, 4);
        __mmask16 const other = _mm512_cmpneq_epi32_mask(found, here);
        _mm512_mask_compressstoreu_epi32(out + kept, other, here);
        kept += (size_t)__builtin_popcount(other);
    }
#else
    __m512i const factor = _mm512_set1_epi64((long long)table->multiplier);
    for (; i + 8 <= n; i += 8) {
        __m512i const  here = _mm512_loadu_si512(in + i);
        __m512i const  slot = _mm512_srl_epi64(_mm512_mullo_epi64(here, factor), shift);
        __m512i const  found = _mm512_i64gather_epi64(slot, slots, 8);
        __mmask8 const other = _mm512_cmpneq_epi64_mask(found, here);
        _mm512_mask_compressstoreu_epi64(out + kept, other, here);
        kept += (size_t)__builtin_popcount(other);
    }
#endif
#endif
    for (; i < n; i++) {
        PATTERN const here = in[i];
        bool const    other = slots[FN(set_slot)(table, here)] != here;
        out[kept] = here;
        kept += other;
    }
    return kept;
}

/* compact.t.h - keeps the first of tied keys of a sorted array, for one key type and one ISA. With
 * AVX-512 a vector of keys is compared with the keys before them and compressed; otherwise blocks
 * without a tie are moved as they are. */

/* The first NaN of sorted keys[lo..hi); hi if there is none. */
static size_t FN(first_nan)(const KEY *keys, size_t lo, size_t hi)
{
    if (lo == hi || !FN(key_is_nan)(keys[hi - 1]))
        return hi;
    while (lo < hi) {
        size_t const middle = lo + (hi - lo) / 2;
        if (FN(key_is_nan)(keys[middle]))
            hi = middle;
        else
            lo = middle + 1;
    }
    return lo;
}

/* Whether any of keys[0..count) ties with the key before it. None is a NaN. */
INLINE bool FN(any_tie)(const KEY *keys, size_t count)
{
    int any = 0;
    for (size_t i = 0; i < count; i++)
        any |= FN(key_same)(keys[i], *(keys + i - 1));
    return any != 0;
}

/* Moves those of keys[at .. at + count) that differ from the key before them to keys[end..), and
 * returns the new end. end <= at, and keys[at + count - 1] keeps its value. */
INLINE size_t FN(keep_firsts)(KEY *keys, size_t at, size_t count, size_t end)
{
    size_t i = at;
#if defined(__AVX512F__) && defined(__AVX512DQ__)
    bool const is_float = (KEY)0.5 != 0;
    for (; sizeof *keys == 8 && i + 8 <= at + count; i += 8) {
        __m512i const here = _mm512_loadu_si512(keys + i);
        __m512i const last = _mm512_loadu_si512(keys + i - 1);
        __mmask8      other = _mm512_cmpneq_epi64_mask(here, last);
        if (is_float) { /* not two zeros */
            __m512i const rest = _mm512_slli_epi64(_mm512_or_si512(here, last), 1);
            other = _mm512_mask_test_epi64_mask(other, rest, rest);
        }
        _mm512_mask_compressstoreu_epi64(keys + end, other, here);
        end += (size_t)__builtin_popcount(other);
    }
    for (; sizeof *keys == 4 && i + 16 <= at + count; i += 16) {
        __m512i const here = _mm512_loadu_si512(keys + i);
        __m512i const last = _mm512_loadu_si512(keys + i - 1);
        __mmask16     other = _mm512_cmpneq_epi32_mask(here, last);
        if (is_float) {
            __m512i const rest = _mm512_slli_epi32(_mm512_or_si512(here, last), 1);
            other = _mm512_mask_test_epi32_mask(other, rest, rest);
        }
        _mm512_mask_compressstoreu_epi32(keys + end, other, here);
        end += (size_t)__builtin_popcount(other);
    }
#endif
    KEY last = keys[i - 1];
    for (; i < at + count; i++) {
        KEY const here = keys[i];
        keys[end] = here;
        end += !FN(key_same)(here, last);
        last = here;
    }
    return end;
}

/* Moves the first of tied keys of sorted[lo..hi) together at lo. `before` are the folded bits of
 * the key before lo, and `first` says that there is none. Returns the end of the keys that are
 * kept. A key is overwritten only after the key behind it was compared with it. */
static size_t FN(compact)(void *sorted, size_t lo, size_t hi, uint64_t before, bool first)
{
    KEY *const   keys = sorted;
    size_t const nans = FN(first_nan)(keys, lo, hi);
    size_t       end = lo;
    if (lo < nans)
        end += first || FN(key_fold)(keys[lo]) != before;
    for (size_t at = lo + 1, count; at < nans; at += count) {
        count = ordo_min(COMPACT_BLOCK, nans - at);
        if (FN(any_tie)(keys + at, count)) {
            end = FN(keep_firsts)(keys, at, count, end);
            continue;
        }
        if (end < at)
            memmove(keys + end, keys + at, count * sizeof *keys);
        end += count;
    }
    if (nans < hi && (lo < nans || first || FN(key_fold)(keys[nans]) != before))
        keys[end++] = keys[nans];
    return end;
}

/* around_avx512.h - splits keys around a pivot in one read (cpu_around_fn in kernels.h), AVX-512.
 *
 * A vector of keys gives two masks: less than the pivot, and equal to it. The keys, or vectors of
 * their indices, are compressed in registers and stored as whole vectors, which later elements of
 * the group overwrite. Only where a group ends within a vector, and for the equal keys, a mask
 * limits the store. kernels_avx512.c includes this file, after bits_32 and bits_64. */

enum {
    AROUND_AHEAD = 512 /* bytes; 10^5 f64 on Sapphire Rapids take 0.84 of the time without it */
};

enum around_what {
    AROUND_KEYS,
    AROUND_INDEX_32,
    AROUND_INDEX_64
};

INLINE void around_store_256(void *to, __m256i x) { _mm256_storeu_si256(to, x); }

/* Stores the elements of x whose bit is set from `to` on. whole: up to a vector behind them may be
 * overwritten. */
#define AROUND_PUT(lanes, mask_type, vec, compress, store, mask_store)                             \
    INLINE void around_put_##lanes(void *to, mask_type bits, vec x, bool whole)                    \
    {                                                                                              \
        vec const packed = compress(bits, x);                                                      \
        if (whole)                                                                                 \
            store(to, packed);                                                                     \
        else                                                                                       \
            mask_store(to, (mask_type)_bzhi_u32(UINT32_MAX, (unsigned)__builtin_popcount(bits)),   \
                       packed);                                                                    \
    }
AROUND_PUT(16x32, __mmask16, __m512i, _mm512_maskz_compress_epi32, _mm512_storeu_si512,
           _mm512_mask_storeu_epi32)
AROUND_PUT(8x64, __mmask8, __m512i, _mm512_maskz_compress_epi64, _mm512_storeu_si512,
           _mm512_mask_storeu_epi64)
AROUND_PUT(8x32, __mmask8, __m256i, _mm256_maskz_compress_epi32, around_store_256,
           _mm256_mask_storeu_epi32)
#undef AROUND_PUT

/* Stores the 16 keys v, or their indices from `at` on, whose bit is set. */
INLINE void around_store_32(void *out, size_t to, __mmask16 bits, __m512i v, size_t at,
                            enum around_what what, bool whole)
{
    if (what == AROUND_KEYS) {
        around_put_16x32((uint32_t *)out + to, bits, v, whole);
        return;
    }
    __m512i const lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    if (what == AROUND_INDEX_32) {
        __m512i const index = _mm512_add_epi32(lane, _mm512_set1_epi32((int32_t)(uint32_t)at));
        around_put_16x32((uint32_t *)out + to, bits, index, whole);
        return;
    }
    __m512i const  first = _mm512_add_epi64(_mm512_cvtepi32_epi64(_mm512_castsi512_si256(lane)),
                                            _mm512_set1_epi64((int64_t)at));
    __mmask8 const low = (__mmask8)bits, high = (__mmask8)(bits >> 8);
    around_put_8x64((uint64_t *)out + to, low, first, whole);
    around_put_8x64((uint64_t *)out + to + (size_t)__builtin_popcount(low), high,
                    _mm512_add_epi64(first, _mm512_set1_epi64(8)), whole);
}

/* The same for 8 keys of 64 bits. */
INLINE void around_store_64(void *out, size_t to, __mmask8 bits, __m512i v, size_t at,
                            enum around_what what, bool whole)
{
    if (what == AROUND_KEYS) {
        around_put_8x64((uint64_t *)out + to, bits, v, whole);
        return;
    }
    if (what == AROUND_INDEX_32) {
        __m256i const index = _mm256_add_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
                                               _mm256_set1_epi32((int32_t)(uint32_t)at));
        around_put_8x32((uint32_t *)out + to, bits, index, whole);
        return;
    }
    __m512i const index =
        _mm512_add_epi64(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), _mm512_set1_epi64((int64_t)at));
    around_put_8x64((uint64_t *)out + to, bits, index, whole);
}

/* Fetches the cache lines of the next stores; the store buffer alone waits for each of them. */
INLINE void around_ahead(const void *out, size_t less, size_t greater, size_t size)
{
    _mm_prefetch((const char *)out + less * size + AROUND_AHEAD, _MM_HINT_T0);
    _mm_prefetch((const char *)out + greater * size + AROUND_AHEAD, _MM_HINT_T0);
}

/* The bytes of an element of out. */
INLINE size_t around_size(enum around_what what, size_t key_size)
{
    return what == AROUND_KEYS ? key_size : what == AROUND_INDEX_32 ? 4 : 8;
}

/* around_part: the vectors [at, end); the last one may be incomplete if `whole` is false.
 * around_what: stores have no mask as long as neither group can end within a vector. */
#define AROUND(width, lanes, mask_type, none_equal)                                                \
    INLINE void around_part_##width(                                                               \
        const uint##width##_t *keys, size_t at, size_t end, size_t first, cpu_around *around,      \
        void *out, enum key_kind kind, bool descending, enum around_what what, bool whole)         \
    {                                                                                              \
        __m512i const lo = _mm512_set1_epi##width((int##width##_t)around->lo);                     \
        __m512i const hi = _mm512_set1_epi##width((int##width##_t)around->hi);                     \
        size_t        less = around->less, equal = around->equal;                                  \
        size_t const  others =                                                                     \
            around->greater + less + equal - at; /* greater = others + at - less - equal */        \
        for (; at < end; at += (lanes)) {                                                          \
            mask_type here = (mask_type)-1;                                                        \
            if (!whole)                                                                            \
                here = (mask_type)_bzhi_u32(UINT32_MAX, (unsigned)ordo_min(end - at, lanes));      \
            if (whole)                                                                             \
                _mm_prefetch((const char *)(keys + at) + BAND_AHEAD, _MM_HINT_T1);                 \
            __m512i const   v = whole ? _mm512_loadu_si512(keys + at)                              \
                                      : _mm512_maskz_loadu_epi##width(here, keys + at);            \
            __m512i const   bits = bits_##width(v, kind, descending);                              \
            mask_type const is_less = _mm512_mask_cmplt_epu##width##_mask(here, bits, lo);         \
            mask_type const is_greater = _mm512_mask_cmpgt_epu##width##_mask(here, bits, hi);      \
            size_t const    greater = others + at - less - equal;                                  \
            if (whole)                                                                             \
                around_ahead(out, less, greater, around_size(what, (width) / 8));                  \
            around_store_##width(out, less, is_less, v, first + at, what, whole);                  \
            around_store_##width(out, greater, is_greater, v, first + at, what, whole);            \
            if (!whole || !none_equal(is_less, is_greater)) {                                      \
                mask_type const is_equal = (mask_type)(here & ~(is_less | is_greater));            \
                around_store_##width(out, equal, is_equal, v, first + at, what, false);            \
                equal += (size_t)__builtin_popcount(is_equal);                                     \
            }                                                                                      \
            less += (size_t)__builtin_popcount(is_less);                                           \
        }                                                                                          \
        around->less = less;                                                                       \
        around->equal = equal;                                                                     \
        around->greater = others + end - less - equal;                                             \
    }                                                                                              \
    INLINE void around_what_##width(const void *keys, size_t n, size_t first, cpu_around *around,  \
                                    void *out, enum key_kind kind, bool descending,                \
                                    enum around_what what)                                         \
    {                                                                                              \
        for (size_t at = 0, end; at < n; at = end) {                                               \
            size_t const room =                                                                    \
                ordo_min(around->less_end - around->less, around->greater_end - around->greater);  \
            size_t const many = ordo_min(room, n - at) / (lanes) * (lanes);                        \
            end = many > 0 ? at + many : ordo_min(at + 4 * (lanes), n);                            \
            around_part_##width(keys, at, end, first, around, out, kind, descending, what,         \
                                many > 0);                                                         \
        }                                                                                          \
    }                                                                                              \
    INLINE void vector_around_##width(const void *keys, size_t n, size_t first,                    \
                                      cpu_around *around, void *out, size_t index_size,            \
                                      enum key_kind kind, bool descending)                         \
    {                                                                                              \
        if (index_size == 0)                                                                       \
            around_what_##width(keys, n, first, around, out, kind, descending, AROUND_KEYS);       \
        else if (index_size == sizeof(uint32_t))                                                   \
            around_what_##width(keys, n, first, around, out, kind, descending, AROUND_INDEX_32);   \
        else                                                                                       \
            around_what_##width(keys, n, first, around, out, kind, descending, AROUND_INDEX_64);   \
    }
AROUND(32, 16u, __mmask16, _kortestc_mask16_u8)
AROUND(64, 8u, __mmask8, _kortestc_mask8_u8)
#undef AROUND

/* ---- Both sides of a band ----
 *
 * The stores of the lower side are whole vectors, because the free places are at least as many as
 * the keys that are left; those of the upper side end at a place that is taken, so they have a
 * mask. */
#define SIDES(width, lanes, mask_type)                                                             \
    INLINE void sides_what_##width(const uint##width##_t *keys, size_t n, size_t first,            \
                                   cpu_sides *sides, enum key_kind kind, bool descending,          \
                                   enum around_what what)                                          \
    {                                                                                              \
        __m512i const lo = _mm512_set1_epi##width((int##width##_t)sides->lo);                      \
        __m512i const hi = _mm512_set1_epi##width((int##width##_t)sides->hi);                      \
        size_t const  size = around_size(what, (width) / 8);                                       \
        size_t        left = sides->left, right = sides->right, inside = sides->inside;            \
        for (size_t at = 0; at < n; at += (lanes)) {                                               \
            bool const      whole = n - at >= (lanes);                                             \
            mask_type const here =                                                                 \
                whole ? (mask_type)-1 : (mask_type)_bzhi_u32(UINT32_MAX, (unsigned)(n - at));      \
            __m512i const   v = _mm512_maskz_loadu_epi##width(here, keys + at);                    \
            __m512i const   bits = bits_##width(v, kind, descending);                              \
            mask_type const is_less = _mm512_mask_cmplt_epu##width##_mask(here, bits, lo);         \
            mask_type const is_greater = _mm512_mask_cmpgt_epu##width##_mask(here, bits, hi);      \
            mask_type const is_inside = (mask_type)(here & ~(is_less | is_greater));               \
            _mm_prefetch((const char *)(keys + at) + BAND_AHEAD, _MM_HINT_T1);                     \
            _mm_prefetch((const char *)sides->out + left * size + AROUND_AHEAD, _MM_HINT_T0);      \
            _mm_prefetch((const char *)sides->out + right * size - AROUND_AHEAD, _MM_HINT_T0);     \
            around_store_##width(sides->out, left, is_less, v, first + at, what, whole);           \
            right -= (size_t)__builtin_popcount(is_greater);                                       \
            around_store_##width(sides->out, right, is_greater, v, first + at, what, false);       \
            _mm512_storeu_si512((uint##width##_t *)sides->kept + inside,                           \
                                _mm512_maskz_compress_epi##width(is_inside, bits));                \
            if (what != AROUND_KEYS)                                                               \
                around_store_##width(sides->kept_index, inside, is_inside, v, first + at, what,    \
                                     true);                                                        \
            left += (size_t)__builtin_popcount(is_less);                                           \
            inside += (size_t)__builtin_popcount(is_inside);                                       \
        }                                                                                          \
        sides->left = left;                                                                        \
        sides->right = right;                                                                      \
        sides->inside = inside;                                                                    \
    }                                                                                              \
    INLINE void vector_sides_##width(const void *keys, size_t n, size_t first, cpu_sides *sides,   \
                                     enum key_kind kind, bool descending)                          \
    {                                                                                              \
        if (sides->index_size == 0)                                                                \
            sides_what_##width(keys, n, first, sides, kind, descending, AROUND_KEYS);              \
        else if (sides->index_size == sizeof(uint32_t))                                            \
            sides_what_##width(keys, n, first, sides, kind, descending, AROUND_INDEX_32);          \
        else                                                                                       \
            sides_what_##width(keys, n, first, sides, kind, descending, AROUND_INDEX_64);          \
    }
SIDES(32, 16u, __mmask16)
SIDES(64, 8u, __mmask8)
#undef SIDES

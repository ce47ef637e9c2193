/* sides.t.h - moves the keys of one type to both sides of a band of key bits (cpu_sides_fn in
 * kernels.h).
 *
 * Each key is stored at the first and at the last free place, and one of the two becomes taken, or
 * none if the key is in the band. No branch depends on the keys, and two stores take less time than
 * the choice of a place. A file that defines AROUND_BY_VECTORS provides the loop with intrinsics
 * (vector_sides_W, around_avx512.h). */
static inline __attribute__((always_inline)) void FN(sides_of)(const KEY *restrict keys, size_t n,
                                                               size_t first, cpu_sides *sides,
                                                               size_t index_size, bool descending)
{
    BITS const lo = (BITS)sides->lo, span = (BITS)(sides->hi - sides->lo);
    size_t     left = sides->left, inside = sides->inside;
    size_t     rest = sides->right - 1 - left - inside; /* the last free place - left - inside */
    KEY *restrict const out = sides->out;
    uint32_t *restrict const narrow = sides->out, *restrict const kept_narrow = sides->kept_index;
    uint64_t *restrict const wide = sides->out, *restrict const kept_wide = sides->kept_index;
    BITS *restrict const kept = sides->kept;
    for (size_t i = 0; i < n; i++) {
        BITS const   bits = FN(key_sort_bits)(keys[i], descending);
        size_t const last = rest + left + inside;
        if (index_size == 0) {
            out[left] = out[last] = keys[i];
        } else if (index_size == sizeof(uint32_t)) {
            narrow[left] = narrow[last] = kept_narrow[inside] = (uint32_t)(first + i);
        } else {
            wide[left] = wide[last] = kept_wide[inside] = first + i;
        }
        kept[inside] = bits;
        left += bits < lo;
        inside += (BITS)(bits - lo) <= span;
        rest--;
    }
    sides->left = left;
    sides->right = rest + 1 + left + inside;
    sides->inside = inside;
}

static inline
    __attribute__((always_inline)) void FN(sides)(const void *keys, size_t n, size_t first,
                                                  cpu_sides *sides, bool descending)
{
#if defined(AROUND_BY_VECTORS)
    if (sizeof(KEY) == 4)
        vector_sides_32(keys, n, first, sides, FN(band_kind)(), descending);
    if (sizeof(KEY) == 8)
        vector_sides_64(keys, n, first, sides, FN(band_kind)(), descending);
    if (sizeof(KEY) >= 4)
        return;
#endif
    if (sides->index_size == 0)
        FN(sides_of)(keys, n, first, sides, 0, descending);
    else if (sides->index_size == sizeof(uint32_t))
        FN(sides_of)(keys, n, first, sides, sizeof(uint32_t), descending);
    else
        FN(sides_of)(keys, n, first, sides, sizeof(uint64_t), descending);
}

static void FN(sides_up)(const void *keys, size_t n, size_t first, cpu_sides *sides)
{
    FN(sides)(keys, n, first, sides, false);
}

static void FN(sides_down)(const void *keys, size_t n, size_t first, cpu_sides *sides)
{
    FN(sides)(keys, n, first, sides, true);
}

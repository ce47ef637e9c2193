/* element_keys.t.h - reads the key of each element of an array of structs, for one key type. */

/* The key bits of the element whose key is at p, in the order of an argsort. */
static inline BITS FN(bits_at)(const char *p, bool turned)
{
    KEY key;
    memcpy(&key, p, sizeof key);
    return FN(key_tie_bits)(key, turned);
}

static void FN(load_p32)(const radix_io *io, size_t at, size_t count, void *records)
{
    size_t const      size = io->value_size;
    const char *const keys = (const char *)io->in + at * size;
    record_p32 *const to = records;
    for (size_t i = 0; i < count; i++)
        to[i] = (uint64_t)FN(bits_at)(keys + i * size, io->turned) << 32 | (uint32_t)(at + i);
}

static void FN(load_p64)(const radix_io *io, size_t at, size_t count, void *records)
{
    size_t const      size = io->value_size;
    const char *const keys = (const char *)io->in + at * size;
    record_p64 *const to = records;
    for (size_t i = 0; i < count; i++)
        to[i] = (record_p64){FN(bits_at)(keys + i * size, io->turned), at + i};
}

/* words[i] = the key bits of element i; the keys are `step` bytes apart. */
static void FN(read_bits)(const char *keys, size_t step, size_t count, bool turned, uint64_t *words)
{
    for (size_t i = 0; i < count; i++) {
        __builtin_prefetch(keys + i * step + KEYS_AHEAD);
        words[i] = FN(bits_at)(keys + i * step, turned);
    }
}

/* bits[i] = the key bits of element i. words[i] = bits[i] less the
 * least of them, without its lowest bits, above an index of `index_bits` bits, which is i. n > 0.
 * Returns how many low bits the words lack. */
static unsigned FN(bucket_words)(const char *keys, size_t step, size_t n, bool turned,
                                 unsigned index_bits, uint64_t *bits, uint32_t *words)
{
    BITS least = FN(bits_at)(keys, turned), most = least;
    for (size_t i = 0; i < n; i++) {
        __builtin_prefetch(keys + i * step + KEYS_AHEAD);
        BITS const key = FN(bits_at)(keys + i * step, turned);
        bits[i] = key;
        least = key < least ? key : least;
        most = key > most ? key : most;
    }
    unsigned const used = ordo_bit_length((uint64_t)most - least);
    unsigned const dropped = used + index_bits > 32 ? used + index_bits - 32 : 0;
    for (size_t i = 0; i < n; i++)
        words[i] = (uint32_t)((bits[i] - least) >> dropped) << index_bits | (uint32_t)i;
    return dropped;
}

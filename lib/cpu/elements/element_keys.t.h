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
    for (size_t i = 0; i < count; i++)
        words[i] = FN(bits_at)(keys + i * step, turned);
}

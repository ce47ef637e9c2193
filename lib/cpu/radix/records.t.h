/* records.t.h - the loops of a record_type (radix.h). Each direction has its own loop, so that the
 * compiler turns it into vector code. */

typedef __typeof__((BITS)0 + 0u) FN(word); /* key bits as a record: at least 32 bits */

/* Runs a loop with `turned` as a constant, so that the compiler turns it into vector code. */
#define EACH_KEY(statement)                                                                        \
    if (io->turned) {                                                                              \
        bool const turned = true;                                                                  \
        for (size_t i = 0; i < count; i++)                                                         \
            statement;                                                                             \
    } else {                                                                                       \
        bool const turned = false;                                                                 \
        for (size_t i = 0; i < count; i++)                                                         \
            statement;                                                                             \
    }

static void FN(load_keys)(const radix_io *io, size_t at, size_t count, void *records)
{
    const KEY *const keys = (const KEY *)io->in + at;
    FN(word) *const  words = records;
    EACH_KEY(words[i] = FN(key_sort_bits)(keys[i], turned))
}

static void FN(store_keys)(const radix_io *io, size_t at, size_t count, const void *records)
{
    const FN(word) *const words = records;
    KEY *const            keys = (KEY *)io->out + at;
    EACH_KEY(keys[i] = FN(key_of_sort_bits)((BITS)words[i], turned))
}

/* Key bits as wide as those of a record. */
#define LOAD_DIGITS(type)                                                                          \
    const KEY *const keys = (const KEY *)io->in + at;                                              \
    type *const      to = digits;                                                                  \
    if (io->folded) {                                                                              \
        EACH_KEY(to[i] = (type)FN(key_tie_bits)(keys[i], turned))                                  \
    } else {                                                                                       \
        EACH_KEY(to[i] = (type)FN(key_sort_bits)(keys[i], turned))                                 \
    }

static void FN(load_digits_32)(const radix_io *io, size_t at, size_t count, void *digits)
{
    if (sizeof(BITS) > sizeof(uint32_t))
        return;
    LOAD_DIGITS(uint32_t)
}

static void FN(load_digits_64)(const radix_io *io, size_t at, size_t count, void *digits)
{
    LOAD_DIGITS(uint64_t)
}
#undef LOAD_DIGITS

/* ---- With an index ---- */

static void FN(load_index_p32)(const radix_io *io, size_t at, size_t count, void *records)
{
    const KEY *const  keys = (const KEY *)io->in + at;
    record_p32 *const to = records;
    EACH_KEY(to[i] = (uint64_t)FN(key_tie_bits)(keys[i], turned) << 32 | (uint32_t)(at + i))
}

static void FN(load_index_p64)(const radix_io *io, size_t at, size_t count, void *records)
{
    const KEY *const  keys = (const KEY *)io->in + at;
    record_p64 *const to = records;
    bool const        turned = io->turned;
    for (size_t i = 0; i < count; i++)
        to[i] = (record_p64){FN(key_tie_bits)(keys[i], turned), at + i};
}

/* ---- Shortened, with an index ---- */

static inline uint64_t FN(short_bits)(const short_map *map, KEY x, bool turned)
{
    uint64_t const bits = FN(key_tie_bits)(x, turned);
    uint64_t const above = (bits > map->base ? bits - map->base : 0) >> map->shift;
    return above < map->top ? above : map->top;
}

static void FN(load_short)(const radix_io *io, size_t at, size_t count, void *records)
{
    const KEY *const keys = (const KEY *)io->in + at;
    uint64_t *const  to = records;
    short_map const  map = *io->shortened;
    EACH_KEY(to[i] = FN(short_bits)(&map, keys[i], turned) << map.unit | (at + i))
}

static void FN(load_short_digits)(const radix_io *io, size_t at, size_t count, void *digits)
{
    const KEY *const keys = (const KEY *)io->in + at;
    uint32_t *const  to = digits;
    short_map const  map = *io->shortened;
    for (size_t i = 0; i < count; i++)
        to[i] = (uint32_t)FN(short_bits)(&map, keys[i], io->turned);
}

/* ---- With a value ---- */

static void FN(load_pairs_p32)(const radix_io *io, size_t at, size_t count, void *records)
{
    const KEY *const  keys = (const KEY *)io->in + at;
    const char *const values = io->values + at * io->value_size;
    uint64_t *const   to = records;
    if (io->value_size == sizeof(uint32_t))
        for (size_t i = 0; i < count; i++) {
            uint32_t value;
            memcpy(&value, values + i * sizeof value, sizeof value);
            to[i] = (uint64_t)FN(key_sort_bits)(keys[i], io->turned) << 32 | value;
        }
    else
        for (size_t i = 0; i < count; i++) {
            uint32_t value = 0;
            memcpy(&value, values + i * io->value_size, io->value_size);
            to[i] = (uint64_t)FN(key_sort_bits)(keys[i], io->turned) << 32 | value;
        }
}

/* Writes pairs of 4-byte keys and values past the cache, if there are many and both arrays begin
 * at the same place of a cache line. Returns how many of the pairs are written: whole cache
 * lines, from pair `first` on. */
static size_t FN(stream_pairs)(const radix_io *io, KEY *keys, char *values, size_t count,
                               const uint64_t *from, size_t *first)
{
    enum {
        PAIRS = ORDO_TUNE(256, 32) /* written at a time */
    };
    KEY      held_keys[PAIRS] __attribute__((aligned(LINE)));
    uint32_t held_values[PAIRS] __attribute__((aligned(LINE)));
    *first = 0;
    if (!LINES_BYPASS || sizeof(KEY) != sizeof(uint32_t) || io->value_size != sizeof(uint32_t) ||
        ((uintptr_t)keys - (uintptr_t)values) % LINE != 0 ||
        io->n * sizeof(uint64_t) < ORDO_TUNE_STREAM)
        return 0;
    size_t const before = (0 - (uintptr_t)keys) % LINE / sizeof(uint32_t);
    if (count < before + PAIRS)
        return 0;
    *first = before;
    size_t done = 0;
    for (; before + done + PAIRS <= count; done += PAIRS) {
        const uint64_t *const pairs = from + before + done;
        for (size_t i = 0; i < PAIRS; i++) {
            held_keys[i] = FN(key_of_sort_bits)((BITS)(pairs[i] >> 32), io->turned);
            held_values[i] = (uint32_t)pairs[i];
        }
        lines_stream(keys + before + done, held_keys, sizeof held_keys);
        lines_stream(values + (before + done) * sizeof(uint32_t), held_values, sizeof held_values);
    }
    lines_fence();
    return done;
}

static void FN(store_some_pairs)(const radix_io *io, size_t at, size_t count, const uint64_t *from)
{
    KEY *const  keys = (KEY *)io->out + at;
    char *const values = io->values + at * io->value_size;
    if (io->value_size == sizeof(uint32_t))
        for (size_t i = 0; i < count; i++) {
            uint32_t const value = (uint32_t)from[i];
            keys[i] = FN(key_of_sort_bits)((BITS)(from[i] >> 32), io->turned);
            memcpy(values + i * sizeof value, &value, sizeof value);
        }
    else
        for (size_t i = 0; i < count; i++) {
            uint32_t const value = (uint32_t)from[i];
            keys[i] = FN(key_of_sort_bits)((BITS)(from[i] >> 32), io->turned);
            memcpy(values + i * io->value_size, &value, io->value_size);
        }
}

static void FN(store_pairs_p32)(const radix_io *io, size_t at, size_t count, const void *records)
{
    const uint64_t *const from = records;
    size_t                first;
    size_t const done = FN(stream_pairs)(io, (KEY *)io->out + at, io->values + at * io->value_size,
                                         count, from, &first);
    FN(store_some_pairs)(io, at, first, from);
    FN(store_some_pairs)(io, at + first + done, count - first - done, from + first + done);
}

static void FN(load_pairs_p64)(const radix_io *io, size_t at, size_t count, void *records)
{
    const KEY *const  keys = (const KEY *)io->in + at;
    const char *const values = io->values + at * io->value_size;
    record_p64 *const to = records;
    for (size_t i = 0; i < count; i++) {
        uint64_t value = 0;
        if (io->value_size == sizeof value)
            memcpy(&value, values + i * sizeof value, sizeof value);
        else
            memcpy(&value, values + i * io->value_size, io->value_size);
        to[i] = (record_p64){FN(key_sort_bits)(keys[i], io->turned), value};
    }
}

static void FN(store_pairs_p64)(const radix_io *io, size_t at, size_t count, const void *records)
{
    KEY *const              keys = (KEY *)io->out + at;
    char *const             values = io->values + at * io->value_size;
    const record_p64 *const from = records;
    for (size_t i = 0; i < count; i++) {
        keys[i] = FN(key_of_sort_bits)((BITS)from[i].key, io->turned);
        if (io->value_size == sizeof from->index)
            memcpy(values + i * sizeof from->index, &from[i].index, sizeof from->index);
        else
            memcpy(values + i * io->value_size, &from[i].index, io->value_size);
    }
}

/* ---- Ties ---- */

static bool FN(fold_alike)(const void *keys, size_t lo, size_t hi)
{
    const KEY *const a = keys;
    BITS             differ = 0;
    for (size_t i = lo; i < hi; i++)
        differ = (BITS)(differ | (FN(key_fold)(a[i]) ^ FN(key_bits)(a[i])));
    return differ == 0;
}
#undef EACH_KEY

/* measure_runs.t.h - counts the keys of [lo, hi) that come before their left neighbour. */
static size_t FN(falls)(const radix_io *keys, size_t lo, size_t hi)
{
    enum {
        TILE = 1024
    };
    RECORD buffer[TILE + 1];
    size_t falls = 0;
    for (size_t at = ordo_max(lo, 1); at < hi; at += TILE) {
        size_t const      count = ordo_min(TILE, hi - at);
        const RECORD *const left = records_tile(keys, at - 1, count + 1, buffer);
        uint32_t          here = 0; /* not wider than the key bits, so that all lanes are used */
        for (size_t i = 0; i < count; i++)
            here += (uint32_t)LESS(left[i + 1], left[i]);
        falls += here;
    }
    return falls;
}

/* measure_runs.t.h - how many keys of [lo, hi) are less than their left neighbour; the first key of
 * all has none. */
static size_t FN(falls)(const radix_io *keys, size_t lo, size_t hi)
{
    enum {
        TILE = 1024
    };
    RECORD buffer[TILE + 1];
    size_t falls = 0;
    for (size_t at = ordo_max(lo, 1); at < hi; at += TILE) {
        size_t const        count = ordo_min(TILE, hi - at);
        const RECORD *const left = records_tile(keys, at - 1, count + 1, buffer);
        uint32_t here = 0; /* no wider than the records, or fewer lanes are added at once */
        for (size_t i = 0; i < count; i++)
            here += (uint32_t)LESS(left[i + 1], left[i]);
        falls += here;
    }
    return falls;
}

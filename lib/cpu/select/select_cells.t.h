/* select_cells.t.h - the loops of select_cells.c that read keys or words, for one key type. */

/* Turns cells into parts of cells. Not inlined, so that the loop of cells_of stays short. */
static __attribute__((noinline)) void FN(parts_of)(const BITS *words, size_t n, const cell_map *map,
                                                   uint16_t *cells)
{
    for (size_t i = 0; i < n; i++) {
        BITS const heavy = (BITS)map->heavy[cells[i]];
        cells[i] = (uint16_t)(PARTS * cells[i] + (words[i] >= heavy) + (words[i] > heavy));
    }
}

/* The cell of every word: 0 below the base, then cells of 2^shift words, and the last cell for all
 * words above. If cells have parts, the part of the cell. */
static inline void FN(cells_of)(const BITS *words, size_t n, const cell_map *map, uint16_t *cells)
{
    BITS const     base = (BITS)map->base;
    BITS const     behind = (BITS)ordo_min(CELLS - 2, (BITS)-1);
    unsigned const shift = map->shift;
    for (size_t i = 0; i < n; i++) {
        BITS const step = (BITS)((BITS)(words[i] - base) >> shift);
        BITS const cell = (BITS)((step < behind ? step : behind) + 1);
        cells[i] = (uint16_t)(words[i] < base ? 0 : cell);
    }
    if (map->has_parts)
        FN(parts_of)(words, n, map, cells);
}

/* Counts n keys by cell, n <= CELL_BLOCK. Adjacent keys use two tables, because equal keys would
 * wait for the same counter. Every word is written to kept, and the place advances if the cell is
 * kept. Returns the number of kept words. */
static size_t FN(cells_block)(const void *array, size_t n, bool descending, bool as_bits,
                              const cell_map *map, uint32_t (*count)[ALL_CELLS], void *kept)
{
    const KEY *const keys = array;
    const BITS      *words = array;
    BITS             mapped[CELL_BLOCK];
    BITS *restrict const out = kept;
    uint16_t cells[CELL_BLOCK];
    size_t   place = 0, i = 0;
    for (size_t j = 0; !as_bits && descending && j < n; j++)
        mapped[j] = FN(key_turn)(FN(key_bits)(keys[j]));
    for (size_t j = 0; !as_bits && !descending && j < n; j++)
        mapped[j] = FN(key_bits)(keys[j]);
    if (!as_bits)
        words = mapped;
    FN(cells_of)(words, n, map, cells);
    for (; i + 4 <= n; i += 4) {
        unsigned const a = cells[i], b = cells[i + 1], c = cells[i + 2], d = cells[i + 3];
        size_t const   second = place + map->keeps[a], third = second + map->keeps[b];
        size_t const   last = third + map->keeps[c];
        count[0][a]++;
        count[1][b]++;
        count[0][c]++;
        count[1][d]++;
        out[place] = words[i];
        out[second] = words[i + 1];
        out[third] = words[i + 2];
        out[last] = words[i + 3];
        place = last + map->keeps[d];
    }
    for (; i < n; i++) {
        count[0][cells[i]]++;
        out[place] = words[i];
        place += map->keeps[cells[i]];
    }
    return place;
}

/* Counts words in memory by cell. */
static void FN(cells_tally)(const void *array, size_t n, const cell_map *map, size_t *count)
{
    const BITS *const words = array;
    memset(count, 0, cell_count(map) * sizeof *count);
    for (size_t at = 0; at < n; at += CELL_BLOCK) {
        size_t const block = ordo_min(CELL_BLOCK, n - at);
        uint16_t     cells[CELL_BLOCK];
        FN(cells_of)(words + at, block, map, cells);
        for (size_t i = 0; i < block; i++)
            count[cells[i]]++;
    }
}

/* Moves the words of cells that are kept to the front. */
static void FN(cells_filter)(void *array, size_t n, const cell_map *map)
{
    BITS *const words = array;
    size_t      place = 0;
    for (size_t at = 0; at < n; at += CELL_BLOCK) {
        size_t const block = ordo_min(CELL_BLOCK, n - at);
        uint16_t     cells[CELL_BLOCK];
        FN(cells_of)(words + at, block, map, cells);
        for (size_t i = 0; i < block; i++) {
            words[place] = words[at + i];
            place += map->keeps[cells[i]];
        }
    }
}

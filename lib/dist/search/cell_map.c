/* cell_map.c - cells that arithmetic finds (see cell_map.h). A map costs three reads of the sample,
 * which need not be sorted. */
#define _POSIX_C_SOURCE 200809L
#include "dist/search/cell_map.h"

#include "backend/tuning.h"

#include <string.h>

enum {
    LG_SLOTS = ORDO_TUNE(12, 4),
    /* Cells, if slots could have any number of them. V1, 99 percentiles of 10^7 uniform u64 on 16
     * ranks, CPU ms: 50 with 4096, 55 with 8192, 69 with 16384; 8192 slots: 61 with 8192. */
    WANTED = ORDO_TUNE(4096, 32),
    MOST_SHARE = ORDO_TUNE(16, 2), /* 1 / MOST_SHARE of the sample may be in cells of positions */
    EVERY = ORDO_TUNE(8, 1),       /* keys of the sample, one of which is enough for the ends */
    MOST_SHIFT = 63
};

/* ---- Slots ---- */

/* Orders around all positions. A position outside of them only makes its cell larger, so a part of
 * the sample is enough. */
static ordo_status find_ends(dist_call *c, uint64_t total, const cut *open, size_t count,
                             const dist_sample *sample, uint64_t ends[2])
{
    size_t const size = ordo_div_up(sample->count, EVERY);
    size_t       places[2], next = 0, inner;
    uint64_t    *some;
    TRY_SCRATCH(c->exec, size * sizeof *some, some);
    for (size_t i = 0; i < size; i++)
        some[i] = sample->all[i * EVERY];
    sample_bracket(total, size, open, 1, &next, &places[0], &inner);
    next = 0;
    sample_bracket(total, size, open + count - 1, 1, &next, &inner, &places[1]);
    return dist_inner(c, ordo_select(c->inner, ORDO_U64, some, size, places, 2, ends, NULL));
}

/* The first and the last cell have more orders than others, so frequent ends get cells of their
 * own. */
static void set_slots(cell_map *map, const uint64_t ends[2])
{
    uint64_t const last = ends[1] < UINT64_MAX ? ends[1] + 1 : ends[1];
    map->base = ends[0] > 0 ? ends[0] - 1 : 0;
    map->shift = 0;
    while (map->shift < MOST_SHIFT && (last - map->base) >> map->shift >> LG_SLOTS > 0)
        map->shift++;
    map->slots = (size_t)((last - map->base) >> map->shift) + 1;
    map->reach = ((uint64_t)(map->slots - 1) << map->shift) + (((uint64_t)1 << map->shift) - 1);
}

/* ---- Cells ---- */

/* Divides the slots; `in_slot` has the keys of the sample in each. */
static void divide(cell_map *map, const uint32_t *in_slot, size_t size)
{
    map->count = 0;
    for (size_t slot = 0; slot < map->slots; slot++) {
        size_t const wanted = (size_t)in_slot[slot] * WANTED / size;
        unsigned     lg = 0;
        while (lg < map->shift && ((size_t)1 << lg) < wanted)
            lg++;
        map->entries[slot] = (uint32_t)map->count | (uint32_t)(map->shift - lg) << 16;
        map->count += (size_t)1 << lg;
    }
}

/* Whether a cell is one order. */
static bool is_single(const cell_map *map, const uint64_t *starts, size_t cell)
{
    return cell > 0 && cell + 1 < map->count && starts[cell] + 1 == starts[cell + 1];
}

void cell_map_starts(const cell_map *map, uint64_t *starts)
{
    for (size_t slot = 0; slot < map->slots; slot++) {
        size_t const first = map->entries[slot] & UINT16_MAX;
        size_t const end = slot + 1 < map->slots ? map->entries[slot + 1] & UINT16_MAX : map->count;
        uint64_t const from = map->base + ((uint64_t)slot << map->shift);
        for (size_t cell = first; cell < end; cell++)
            starts[cell] = from + ((uint64_t)(cell - first) << (map->entries[slot] >> 16));
    }
    starts[0] = 0;
}

/* Keys of the sample in the cells where positions are expected. */
static size_t expected(const cell_map *map, uint64_t total, const cut *open, size_t count,
                       const uint32_t *in_cell, const uint64_t *starts, size_t size)
{
    double const each = (double)size / (double)total;
    size_t       cell = 0, before = 0, found = 0, last = map->count;
    for (size_t j = 0; j < count; j++) {
        double const place = ((double)open[j].position + 0.5) * each;
        while (cell + 1 < map->count && (double)(before + in_cell[cell]) <= place)
            before += in_cell[cell++];
        if (cell != last && !is_single(map, starts, cell))
            found += in_cell[cell];
        last = cell;
    }
    return found;
}

ordo_status cell_map_make(dist_call *c, uint64_t total, const cut *open, size_t count,
                          const dist_sample *sample, cell_map *out, bool *fits)
{
    size_t const most = ((size_t)1 << LG_SLOTS) + 2 * WANTED;
    uint32_t    *keys_in;
    uint64_t    *starts, ends[2];
    _Static_assert((1 << LG_SLOTS) + 2 * WANTED <= UINT16_MAX, "a cell fits a label");
    TRY_SCRATCH(c->exec, ((size_t)1 << LG_SLOTS) * sizeof *out->entries, out->entries);
    TRY_SCRATCH(c->exec, most * sizeof *keys_in, keys_in);
    TRY_SCRATCH(c->exec, most * sizeof *starts, starts);
    TRY(find_ends(c, total, open, count, sample, ends));
    set_slots(out, ends);
    memset(keys_in, 0, out->slots * sizeof *keys_in);
    for (size_t i = 0; i < sample->count; i++) {
        uint64_t const above = sample->all[i] > out->base ? sample->all[i] - out->base : 0;
        keys_in[ordo_min(above, out->reach) >> out->shift]++;
    }
    divide(out, keys_in, ordo_max(sample->count, 1));
    memset(keys_in, 0, out->count * sizeof *keys_in);
    for (size_t i = 0; i < sample->count; i++)
        keys_in[cell_map_find(out, sample->all[i])]++;
    cell_map_starts(out, starts);
    *fits = expected(out, total, open, count, keys_in, starts, sample->count) <=
            sample->count / MOST_SHARE;
    return ORDO_OK;
}

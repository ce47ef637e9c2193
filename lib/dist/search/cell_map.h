/* cell_map.h - cells of keys that arithmetic finds, without a search.
 *
 * The orders from `base` on are divided into slots of equal width, and each slot into cells of
 * equal width, a power of two. A slot has more cells if more keys of a sample are in it, and at
 * most one for each order. So the cell of a key is two shifts and one entry of a table away. Cells
 * are of equal weight unless the keys of one slot are uneven: then boundaries (cells.h) are
 * better. */
#ifndef ORDO_DIST_SEARCH_CELL_MAP_H
#define ORDO_DIST_SEARCH_CELL_MAP_H

#include "dist/search/sample.h"

typedef struct cell_map {
    uint64_t base;  /* the orders below are in the first cell */
    uint64_t reach; /* the orders from base + reach on are in the last cell */
    unsigned shift; /* of an order to its slot */
    size_t   slots;
    uint32_t
          *entries; /* of each slot: its first cell, and the shift of an order to its cell << 16 */
    size_t count;   /* cells */
} cell_map;

/* Makes the cells for ascending positions from a sample, which is in any sequence. *fits is false
 * if the cells of these positions hold too much of the sample. Not collective, but the same on
 * every process. */
ordo_status cell_map_make(dist_call *c, uint64_t total, const cut *open, size_t count,
                          const dist_sample *sample, cell_map *out, bool *fits);

/* The first order of cell i; cells are in the sequence of their orders. `starts` has room for
 * map->count orders. */
void cell_map_starts(const cell_map *map, uint64_t *starts);

static inline size_t cell_map_find(const cell_map *map, uint64_t order)
{
    uint64_t const above = order > map->base ? order - map->base : 0;
    uint64_t const at = above < map->reach ? above : map->reach;
    uint32_t const entry = map->entries[at >> map->shift];
    uint64_t const inside = at & (((uint64_t)1 << map->shift) - 1);
    return (entry & UINT16_MAX) + (size_t)(inside >> (entry >> 16));
}

#endif

/* cells.h - divides keys into cells, counts them, and keeps the keys of some cells: the reads of
 * selections from data on disk and over many processes.
 *
 * Keys are compared by their order, a 64-bit number (key bits of core/keybits.h). B different
 * boundaries b[0] < b[1] < ... give 2 B + 1 cells: cell 2 i has the orders between b[i-1] and b[i],
 * cell 2 i + 1 has the keys whose order is b[i]. A frequent key is a boundary, so ties never make a
 * cell large that must be looked at again. */
#ifndef ORDO_EXTERNAL_CELLS_H
#define ORDO_EXTERNAL_CELLS_H

#include "backend/dist.h"
#include "backend/tuning.h"

#include <stdatomic.h>

enum {
    CELLS_PER_CUT = ORDO_TUNE(32, 4), /* boundaries for each of many positions */
    CELLS_SAMPLES = 8,                /* keys of a sample for each boundary */
    CELLS_MOST_BOUNDARIES = 32000,
    CELLS_PADDING = 1 << 15 /* entries behind the boundaries that a search may read */
};

/* A search for the boundaries at or below an order: a table of slots of equal width gives the first
 * candidate, and a fixed number of halving steps finds the boundary. */
typedef struct cells {
    uint64_t *boundaries; /* count, then padding of the largest order */
    size_t    count;
    uint64_t  base;  /* the smallest boundary */
    unsigned  shift; /* of an order to its slot */
    unsigned  steps;
    size_t    slots;
    uint32_t *first; /* of each slot: boundaries below the slot */
} cells;

/* Orders of keys: of all bits (keys-only sorts, selections) or with ties folded (ranks, pairs). */
uint64_t cells_order_of(const ordo_order_of *order, const void *keys, size_t i);
void     cells_orders_of(const ordo_order_of *order, const void *keys, size_t from, size_t n,
                         uint64_t *out);
/* The first place in [from, to) of sorted keys with an order of at least (`above`: more than)
 * `wanted`. */
size_t cells_place(const ordo_order_of *order, const void *sorted, size_t from, size_t to,
                   uint64_t wanted, bool above);
/* Writes the key of an order that is not folded. */
void cells_put_key(const ordo_order_of *order, uint64_t key, void *out);

/* Takes scratch for up to `most` boundaries. */
ordo_status cells_make(ordo_exec *exec, size_t most, cells *out);
/* Call after writing ascending boundaries and their count. */
void cells_index(cells *c);
/* Writes `wanted` boundaries at equal distances in a sorted sample, without ties, and calls
 * cells_index. */
void cells_spread(cells *c, const uint64_t *sample, size_t size, size_t wanted);

/* Boundaries for `count` positions, if the cells are spread. */
static inline size_t cells_wanted(size_t count)
{
    return ordo_min(ordo_max(count * CELLS_PER_CUT, 8), CELLS_MOST_BOUNDARIES);
}

/* The cell of an order. `steps` is that of the cells; a constant lets the compiler unroll them. */
static inline size_t cells_search(const cells *c, uint64_t order, unsigned steps)
{
    size_t const over = order < c->base ? 0 : (size_t)((order - c->base) >> c->shift);
    size_t       at = c->first[over < c->slots ? over : c->slots - 1];
    for (unsigned s = steps; s-- > 0;) {
        size_t const step = (size_t)1 << s;
        at += (size_t)(c->boundaries[at + step - 1] <= order) << s; /* no branch: it is random */
    }
    at = at < c->count ? at : c->count; /* the padding may tie with the order */
    return 2 * at - (at > 0 && c->boundaries[at - 1] == order);
}

static inline size_t cells_find(const cells *c, uint64_t order)
{
    return cells_search(c, order, c->steps);
}

/* The first and the last order of a cell. Between neighbouring orders a cell is empty. */
static inline uint64_t cells_first(const cells *c, size_t cell)
{
    return cell == 0 ? 0 : c->boundaries[(cell - 1) / 2] + (cell % 2 == 0);
}

static inline uint64_t cells_last(const cells *c, size_t cell)
{
    return cell == 2 * c->count ? UINT64_MAX : c->boundaries[cell / 2] - (cell % 2 == 0);
}

/* One pass over keys. */
typedef struct cells_pass {
    const cells *cells;
    size_t       count; /* of the cells; set by cells_clear if `label` is NULL */
    /* Writes the cells of n orders; NULL: those of `cells`. */
    void (*label)(const void *map, const uint64_t *orders, uint16_t *labels, size_t n);
    const void    *map; /* the first argument of `label` */
    ordo_order_of  order;
    const void    *keys;
    size_t         n;
    size_t         stride; /* bytes from a key to the next one; 0: they follow each other */
    uint16_t      *labels; /* the cell of each key; NULL: not wanted */
    const uint8_t *keep;   /* for each cell: whether its orders go to `kept`; NULL: none */
    uint64_t      *kept;   /* in any sequence */
    size_t         capacity;

    /* Results. */
    uint64_t     *counts;     /* of each cell */
    atomic_size_t kept_count; /* more than the capacity: the rest is missing */

    size_t    chunk;        /* keys of a piece of the loop */
    uint64_t *chunk_counts; /* of each cell in each piece */
} cells_pass;

/* Counts the keys of each cell: in one step, or with memory for `n` keys at a time and `most` cells
 * in any number of steps behind cells_clear. cells_add is false if the call was cancelled. */
ordo_status cells_run(ordo_exec *exec, cells_pass *pass);
ordo_status cells_room(ordo_exec *exec, cells_pass *pass, size_t n, size_t most);
void        cells_clear(cells_pass *pass);
bool        cells_add(ordo_exec *exec, cells_pass *pass);

#endif

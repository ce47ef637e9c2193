/* cells.h - counts the elements in intervals of the order, and keeps the elements of some of them.
 *
 * The cells divide all orders (elements.h): cell i has the orders from starts[i] to starts[i + 1] -
 * 1, the last cell has all orders from its start on, and starts[0] is 0. One pass over the elements
 * counts every cell and copies the orders of the kept cells. */
#ifndef ORDO_EXTERNAL_CELLS_H
#define ORDO_EXTERNAL_CELLS_H

#include "backend/exec.h"
#include "external/disk/elements.h"

#include <stdatomic.h>

enum {
    CELLS_MOST = 2048
};

typedef struct cells {
    size_t        count;
    uint64_t      starts[CELLS_MOST];
    bool          kept[CELLS_MOST];
    atomic_ullong counts[CELLS_MOST];
    uint64_t     *survivors; /* orders of elements in kept cells, in no order */
    size_t        capacity;
    atomic_size_t found; /* survivors; more than the capacity if they did not fit */
} cells;

/* The cell of an order. */
size_t cells_find(const cells *c, uint64_t order);

/* The last order of a cell. */
static inline uint64_t cells_last(const cells *c, size_t cell)
{
    return cell + 1 < c->count ? c->starts[cell + 1] - 1 : UINT64_MAX;
}

/* Counts n elements, with all threads. False if the call was cancelled. */
bool cells_add(cells *c, ordo_exec *exec, const element_kind *kind, const char *elements, size_t n);

#endif

/* view.h - an array of keys read as items (items.h) whose unsigned order is the one asked for, so
 * that what measures order is written for three kinds of items and not for ten types, two
 * directions and two ways with ties. Items are made a tile at a time, in the cache; where a key is
 * its own item they are read where they lie. */
#ifndef ORDO_CPU_ROUGH_VIEW_H
#define ORDO_CPU_ROUGH_VIEW_H

#include "cpu/sort/items.h"
#include "cpu/rough/order_loops.h"

typedef struct cpu_view {
    enum cpu_item      kind;
    const void        *keys;
    size_t             n, key_size;
    cpu_view_fn       *map;   /* NULL: keys are items */
    const order_loops *loops; /* NULL: the generic ones */
} cpu_view;

/* Keys of up to 32 bits give CPU_ITEM_32, longer ones CPU_ITEM_64. kernels NULL: the
 * generic loops. */
cpu_view cpu_view_of(const cpu_kernels *kernels, ordo_type type, const void *keys, size_t n,
                     bool descending, enum cpu_view_order order);

/* Items [at, at + count): made in `buffer`, which has room for them, or read where they are. */
static inline const void *cpu_view_tile(const cpu_view *view, size_t at, size_t count, void *buffer)
{
    const char *const keys = (const char *)view->keys + at * view->key_size;
    if (view->map == NULL)
        return keys;
    view->map(keys, count, buffer);
    return buffer;
}

/* The least r such that items more than r places apart are in order. measure_radius.c */
ordo_status cpu_view_radius(const cpu_view *view, size_t *radius, ordo_exec *exec);
size_t      cpu_view_radius_scratch(enum cpu_item kind, size_t n);

#endif

/* layouts.h - layouts of segments for tests: lengths from 0 to 70, around the limits of kernels,
 * one huge segment among tiny ones; rows, aligned rows, rows with gaps, columns, groups of columns,
 * overlapping windows; offsets that descend or exceed n. */
#ifndef ORDO_TESTS_CUDA_LAYOUTS_H
#define ORDO_TESTS_CUDA_LAYOUTS_H

#include "device.h"

enum {
    LAYOUT_ELEMENTS = 180000, /* most elements of an array */
    LAYOUT_SEGMENTS = 1000    /* most segments */
};

typedef struct layout {
    const char   *name;
    ordo_segments segments; /* offsets: layout_offsets, which the next layout replaces */
    size_t        n;
    bool          overlaps;
} layout;

extern uint64_t layout_offsets[LAYOUT_SEGMENTS + 1];

/* Layouts by number; false after the last one. */
bool   layout_at(size_t which, layout *l);
layout layout_by_offsets(const char *name, const size_t *lengths, size_t count);

/* A pair of offsets that descends or exceeds n is an empty segment. */
size_t layout_length(const layout *l, size_t i);

/* Copies segment i of an array of elements of `size` bytes to other memory, and back. take returns
 * the number of elements. */
size_t layout_take(const layout *l, size_t i, const void *array, size_t size, void *to);
void   layout_put(const layout *l, size_t i, void *array, size_t size, const void *from);

/* The segments for a call on the GPU: their offsets are copied to `offsets`, which has room for
 * layout_offsets. */
ordo_segments layout_there(const layout *l, device_array *offsets);

#endif

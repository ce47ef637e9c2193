/* layout.h - the arrays of a piece of scratch, listed once.
 *
 * A layout function takes its arrays one after the other. Without memory it only counts, so the
 * function that places the arrays also says how many bytes they take:
 *     static void lay_out(void *arg, ordo_layout *layout)
 *     {
 *         sort_work *const work = arg;
 *         work->keys = ordo_lay(layout, work->n, sizeof *work->keys);
 *         work->counts = ordo_lay_line(layout, BUCKETS, sizeof *work->counts);
 *     }
 * ordo_layout_bytes(lay_out, &work) counts; ordo_lay_out(exec, lay_out, &work) takes scratch. */
#ifndef ORDO_BACKEND_LAYOUT_H
#define ORDO_BACKEND_LAYOUT_H

#include "backend/exec.h"

typedef struct ordo_layout {
    char  *base;  /* aligned to a cache line; NULL: only count */
    size_t bytes; /* of all arrays so far; SIZE_MAX if they do not fit a size_t */
} ordo_layout;

typedef void ordo_layout_fn(void *work, ordo_layout *layout);

/* The next array, aligned to `alignment` bytes; NULL while counting. */
static inline void *ordo_lay_aligned(ordo_layout *layout, size_t count, size_t size,
                                     size_t alignment)
{
    size_t const gap = (0 - layout->bytes) & (alignment - 1);
    size_t       at, bytes;
    if (!ordo_size_mul(count, size, &bytes) || !ordo_size_add(layout->bytes, gap, &at) ||
        !ordo_size_add(at, bytes, &layout->bytes)) {
        layout->bytes = SIZE_MAX;
        return NULL;
    }
    return layout->base == NULL ? NULL : layout->base + at;
}

/* The next array, aligned to the highest power of two that divides the size of an element, which is
 * above 0, and at most to a cache line. */
static inline void *ordo_lay(ordo_layout *layout, size_t count, size_t size)
{
    return ordo_lay_aligned(layout, count, size, ordo_min(size & (0 - size), ORDO_CACHE_LINE));
}

/* The next array, which begins a cache line. */
static inline void *ordo_lay_line(ordo_layout *layout, size_t count, size_t size)
{
    return ordo_lay_aligned(layout, count, size, ORDO_CACHE_LINE);
}

/* The bytes of a layout, rounded up to cache lines. The pointers in `work` become NULL. */
static inline size_t ordo_layout_bytes(ordo_layout_fn *lay_out, void *work)
{
    ordo_layout counted = {NULL, 0};
    lay_out(work, &counted);
    (void)ordo_lay_line(&counted, 0, 1); /* rounds up */
    return counted.bytes;
}

/* Takes the scratch of a layout, and stores the addresses of its arrays in `work`. If it is
 * refused, they are NULL. */
static inline ordo_status ordo_lay_out(ordo_exec *exec, ordo_layout_fn *lay_out, void *work)
{
    ordo_layout layout = {NULL, 0};
    TRY_SCRATCH(exec, ordo_layout_bytes(lay_out, work), layout.base);
    lay_out(work, &layout);
    return ORDO_OK;
}

#endif

/* gather.c - copies segments whose elements are not adjacent to scratch and back.
 *
 * The columns of a matrix are strided segments. A block of neighbouring columns is copied row by
 * row: a row of the block is a few cache lines, and each line is read and written once. Elements
 * may have any size and need no alignment; the usual sizes are constants of their loops. */
#include "cpu/base/by_size.h"
#include "cpu/segments/segments.h"

#include <string.h>

static inline __attribute__((always_inline)) void copy_as(char *restrict base,
                                                          const ordo_segment_view *view,
                                                          size_t size, size_t       count,
                                                          char *restrict room, bool back)
{
    size_t const length = view->length, step = view->step * size, stride = view->stride * size;
    for (size_t j = 0; j < length; j++) {
        char *const row = base + j * step, *const column = room + j * size;
        for (size_t c = 0; c < count; c++) {
            char *const element = row + c * stride, *const copy = column + c * length * size;
            memcpy(back ? element : copy, back ? copy : element, size);
        }
    }
}

void segment_copy(const ordo_segment_view *view, const ordo_segment_array *array, size_t first,
                  size_t count, void *room, bool back)
{
    char *const base = (char *)array->base + ordo_segment_start(view, first) * array->size;
#define COPY(size) copy_as(base, view, size, count, room, back)
    BY_ELEMENT_SIZE(array->size, COPY)
#undef COPY
}

/* gather.c - copies segments whose elements are not adjacent to scratch and back.
 *
 * The columns of a matrix are strided segments. A block of neighbouring columns is copied row by
 * row: a row of the block is a few cache lines, and each line is read and written once. */
#include "cpu/segments/segments.h"

#include <string.h>

/* Elements of 16 bytes, and of sizes that are not a power of 2, are values of pairs, which need no
 * alignment. */
typedef struct any_16 {
    unsigned char bytes[16];
} any_16;

#define ELEMENT uint8_t
#define FN(name) name##_1
#include "cpu/segments/gather.t.h"
#undef FN
#undef ELEMENT
#define ELEMENT uint16_t
#define FN(name) name##_2
#include "cpu/segments/gather.t.h"
#undef FN
#undef ELEMENT
#define ELEMENT uint32_t
#define FN(name) name##_4
#include "cpu/segments/gather.t.h"
#undef FN
#undef ELEMENT
#define ELEMENT uint64_t
#define FN(name) name##_8
#include "cpu/segments/gather.t.h"
#undef FN
#undef ELEMENT
#define ELEMENT any_16
#define FN(name) name##_16
#include "cpu/segments/gather.t.h"
#undef FN
#undef ELEMENT

/* Whether p is aligned for an integer of the element's size. */
static bool is_aligned(const void *p, size_t size)
{
    return size == 16 || ((size & (size - 1)) == 0 && (uintptr_t)p % size == 0);
}

static void gather_bytes(const char *base, const ordo_segment_view *view, size_t size, size_t count,
                         char *room)
{
    for (size_t c = 0; c < count; c++)
        for (size_t j = 0; j < view->length; j++)
            memcpy(room + (c * view->length + j) * size,
                   base + (c * view->stride + j * view->step) * size, size);
}

static void scatter_bytes(char *base, const ordo_segment_view *view, size_t size, size_t count,
                          const char *room)
{
    for (size_t c = 0; c < count; c++)
        for (size_t j = 0; j < view->length; j++)
            memcpy(base + (c * view->stride + j * view->step) * size,
                   room + (c * view->length + j) * size, size);
}

#define BY_SIZE(name, ...)                                                                         \
    (array->size == 1   ? name##_1(__VA_ARGS__)                                                    \
     : array->size == 2 ? name##_2(__VA_ARGS__)                                                    \
     : array->size == 4 ? name##_4(__VA_ARGS__)                                                    \
     : array->size == 8 ? name##_8(__VA_ARGS__)                                                    \
                        : name##_16(__VA_ARGS__))

void segment_gather(const ordo_segment_view *view, const ordo_segment_array *array, size_t first,
                    size_t count, void *room)
{
    const char *const from =
        (const char *)array->base + ordo_segment_start(view, first) * array->size;
    if (is_aligned(from, array->size))
        BY_SIZE(gather, from, view->length, view->step, view->stride, count, room);
    else
        gather_bytes(from, view, array->size, count, room);
}

void segment_scatter(const ordo_segment_view *view, const ordo_segment_array *array, size_t first,
                     size_t count, const void *room)
{
    char *const to = (char *)array->base + ordo_segment_start(view, first) * array->size;
    if (is_aligned(to, array->size))
        BY_SIZE(scatter, to, view->length, view->step, view->stride, count, room);
    else
        scatter_bytes(to, view, array->size, count, room);
}

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

static void copy_bytes(char *base, const ordo_segment_view *view, size_t size, size_t count,
                       char *room, bool back)
{
    for (size_t c = 0; c < count; c++)
        for (size_t j = 0; j < view->length; j++) {
            char *const element = base + (c * view->stride + j * view->step) * size;
            char *const copy = room + (c * view->length + j) * size;
            memcpy(back ? element : copy, back ? copy : element, size);
        }
}

void segment_copy(const ordo_segment_view *view, const ordo_segment_array *array, size_t first,
                  size_t count, void *room, bool back)
{
    char *const base = (char *)array->base + ordo_segment_start(view, first) * array->size;
    if (!is_aligned(base, array->size))
        copy_bytes(base, view, array->size, count, room, back);
    else if (array->size == 1)
        copy_1(base, view, count, room, back);
    else if (array->size == 2)
        copy_2(base, view, count, room, back);
    else if (array->size == 4)
        copy_4(base, view, count, room, back);
    else if (array->size == 8)
        copy_8(base, view, count, room, back);
    else
        copy_16(base, view, count, room, back);
}

/* layouts.c - see layouts.h. */
#include "layouts.h"
#include "oracle.h"

uint64_t layout_offsets[LAYOUT_SEGMENTS + 1];

size_t layout_length(const layout *l, size_t i)
{
    return oracle_segment_length(&l->segments, l->n, i);
}

size_t layout_take(const layout *l, size_t i, const void *array, size_t size, void *to)
{
    return oracle_segment_take(&l->segments, l->n, i, array, size, to);
}

void layout_put(const layout *l, size_t i, void *array, size_t size, const void *from)
{
    oracle_segment_put(&l->segments, l->n, i, array, size, from);
}

ordo_segments layout_there(const layout *l, device_array *offsets)
{
    ordo_segments there = l->segments;
    if (there.offsets != NULL) {
        device_place(offsets, (there.count + 1) * sizeof *layout_offsets, 0);
        device_put(offsets, layout_offsets);
        there.offsets = (const uint64_t *)(void *)offsets->data;
    }
    return there;
}

layout layout_by_offsets(const char *name, const size_t *lengths, size_t count)
{
    layout l = {.name = name};
    layout_offsets[0] = 3; /* elements before the first segment */
    for (size_t i = 0; i < count; i++)
        layout_offsets[i + 1] = layout_offsets[i] + lengths[i];
    l.segments = ORDO_OPTS(ordo_segments, .count = count, .offsets = layout_offsets);
    l.n = (size_t)layout_offsets[count] + 5;
    return l;
}

static size_t const limits[] = {0,    1,    31,   32,   33,    63,    64,    65,   127,  128,
                                129,  255,  256,  257,  0,     511,   512,   513,  1023, 1024,
                                1025, 4095, 4096, 4097, 8191,  8192,  8193,  0,    2047, 2048,
                                2049, 5,    0,    7,    16383, 16384, 16385, 20001};

bool layout_at(size_t which, layout *l)
{
    static size_t lengths[LAYOUT_SEGMENTS];
    size_t const  rows[] = {1,    3,     16, 17, 64, 100, 256, 300,  1000, 1024, 4097,
                            8193, 16385, 8,  32, 48, 128, 512, 1536, 3000, 8192};
    size_t const  aligned[] = {16, 20, 64, 1024};
    size_t const  row_count = sizeof rows / sizeof *rows;
    size_t const  aligned_count = sizeof aligned / sizeof *aligned;
    switch (which) {
    case 0:
        for (size_t i = 0; i <= 70; i++)
            lengths[i] = i;
        *l = layout_by_offsets("0 to 70", lengths, 71);
        return true;
    case 1:
        *l = layout_by_offsets("limits", limits, sizeof limits / sizeof *limits);
        return true;
    case 2:
        for (size_t i = 0; i < 300; i++)
            lengths[i] = i == 170 ? 100000 : i % 9;
        *l = layout_by_offsets("one huge", lengths, 300);
        return true;
    case 3:
        *l = (layout){.name = "rows with gaps", .n = 40 * 77};
        l->segments = ORDO_OPTS(ordo_segments, .count = 40, .length = 70, .stride = 77);
        return true;
    case 4:
        *l = (layout){.name = "columns", .n = 50 * 33};
        l->segments = ORDO_OPTS(ordo_segments, .count = 33, .length = 50, .stride = 1, .step = 33);
        return true;
    case 5:
        *l = (layout){.name = "groups of columns", .n = 6 * 20 * 7};
        l->segments = ORDO_OPTS(ordo_segments, .count = 42, .length = 20, .stride = 1, .step = 7,
                                .group = 7, .group_stride = 140);
        return true;
    case 6:
        *l = (layout){.name = "windows", .n = 900, .overlaps = true};
        l->segments = ORDO_OPTS(ordo_segments, .count = 200, .length = 300, .stride = 3);
        return true;
    case 7:
        *l = layout_by_offsets("bad offsets", limits, 20);
        layout_offsets[3] = 2 * LAYOUT_ELEMENTS; /* exceeds n, and the next pair descends */
        layout_offsets[9] = 0;                   /* the pair before descends */
        layout_offsets[10] = layout_offsets[9];
        return true;
    case 8:
        *l = (layout){.name = "empty", .n = 0};
        l->segments = ORDO_OPTS(ordo_segments, .count = 5);
        return true;
    default:
        break;
    }
    if (which - 9 >= row_count + aligned_count)
        return false;
    if (which - 9 >= row_count) { /* tests align arrays whose n is a multiple of 15 */
        size_t const length = aligned[which - 9 - row_count], count = 15 * (1 + 1000 / length);
        *l = (layout){.name = "aligned rows", .n = length * count};
        l->segments = ORDO_OPTS(ordo_segments, .count = count, .length = length);
        return true;
    }
    size_t const length = rows[which - 9], count = length > 5000 ? 3 : 17000 / length;
    size_t const most = count < LAYOUT_SEGMENTS ? count : LAYOUT_SEGMENTS;
    *l = (layout){.name = "rows", .n = length * most};
    l->segments = ORDO_OPTS(ordo_segments, .count = most, .length = length);
    return true;
}

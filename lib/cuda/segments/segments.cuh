/* segments.cuh - where the segments of a job are, for kernels, and their classes by length.
 *
 * The host knows the length of segments with a fixed layout. Lengths by offsets are known only to
 * the device: one kernel reads all offsets and lists the segments of each class. Kernels have fixed
 * grids and loop over the entries of their list, up to the count, which stays on the device. So the
 * host neither waits nor copies. A pair of offsets that descends or exceeds n is an empty segment.
 * Overlapping pairs can be more than the lists hold; entries beyond that are left out. */
#ifndef ORDO_CUDA_SEGMENTS_SEGMENTS_H
#define ORDO_CUDA_SEGMENTS_SEGMENTS_H

#include "backend/segments.h"
#include "cuda/runtime/cuda_rt.cuh"

enum {
    SEGMENT_SELECT_MOST = 8, /* positions that a selection searches; more are read from a sort */
    SEGMENT_TOPK_MOST = 32   /* first keys that a search finds */
};

struct segment { /* elements start, start + 1, ..., start + length - 1 */
    uint64_t start, length;
};

/* A layout as a kernel argument. The elements of a segment are contiguous: segments with a step are
 * copied to rows first (segments_to_rows). */
struct segment_map {
    const uint64_t *offsets; /* NULL: fixed lengths */
    uint64_t        n, count, length, stride, group, group_stride;
    /* NULL, or the counter of the last list of other segments: only the first `each_tile` segments
     * for each of their tiles exist. */
    const unsigned long long *tiles;
    uint64_t                  each_tile;
};

static inline segment_map segment_map_of(const ordo_segment_view *view, size_t n)
{
    return {
        view->offsets, n, view->count, view->length, view->stride, view->group, view->group_stride,
        NULL,          0};
}

/* Whether each segment starts where the one before ends, in a fixed layout. */
static inline bool segments_are_dense(const segment_map &map)
{
    return map.offsets == NULL && map.stride == map.length && map.group >= map.count;
}

enum {
    SEGMENT_SLOT_SHIFT = 40 /* in the counter of the last list: segments above this bit, tiles
                             * below */
};

/* The number of segments. */
static DEVICE uint64_t segment_count(const segment_map &map)
{
    if (map.tiles == NULL)
        return map.count;
    uint64_t const tiles = *map.tiles & (((uint64_t)1 << SEGMENT_SLOT_SHIFT) - 1);
    return min(map.count, tiles * map.each_tile);
}

static DEVICE segment segment_at(const segment_map &map, uint64_t i)
{
    if (map.offsets != NULL) {
        uint64_t const start = map.offsets[i], end = map.offsets[i + 1];
        bool const     good = start <= end && end <= map.n;
        return {good ? start : 0, good ? end - start : 0};
    }
    if (i < map.group)
        return {i * map.stride, map.length};
    return {i / map.group * map.group_stride + i % map.group * map.stride, map.length};
}

/* ---- Classes ---- */

enum {
    SEGMENT_LISTS = 3,          /* classes with a list, besides the shortest segments */
    SEGMENT_BLOCK_THREADS = 256 /* threads per block of the kernels in dev_segments.cu */
};

/* The classes of a verb. Segments of up to limits[0] elements have no list: a kernel goes over all
 * segments and leaves out the longer ones. List c has those of up to limits[c + 1] elements; the
 * last list has all longer ones, which are cut into tiles of `tile` elements. */
struct segment_limits {
    uint64_t limits[SEGMENT_LISTS];
    uint64_t tile;
};

struct segment_large { /* an entry of the last list; first_tile ascends */
    segment  where;
    uint64_t first_tile;
    uint64_t number; /* number of the segment */
};

struct segment_lists {           /* in device scratch */
    unsigned long long *counts;  /* [SEGMENT_LISTS] entries wanted; of the last list, see above */
    unsigned long long *longest; /* elements of the longest segment of the last list */
    uint64_t           *list[2]; /* segment numbers */
    segment_large      *large;
    uint64_t            room[SEGMENT_LISTS]; /* entries of each list */
    uint64_t            tiles;               /* most tiles of all large segments */
};

/* The lists of segments with offsets. No list of a fixed layout is needed: all its segments have
 * one class. */
static inline segment_lists segment_lists_layout(cuda_scratch *scratch, size_t n, size_t count,
                                                 const segment_limits &classes)
{
    segment_lists lists = {};
    for (int c = 0; c < SEGMENT_LISTS; c++)
        lists.room[c] = ordo_min(count, n / (classes.limits[c] + 1) + 1);
    lists.tiles = n / classes.tile + lists.room[2];
    lists.counts = scratch_take<unsigned long long>(scratch, SEGMENT_LISTS + 2);
    lists.longest = lists.counts == NULL ? NULL : lists.counts + SEGMENT_LISTS;
    lists.list[0] = scratch_take<uint64_t>(scratch, lists.room[0]);
    lists.list[1] = scratch_take<uint64_t>(scratch, lists.room[1]);
    lists.large = scratch_take<segment_large>(scratch, lists.room[2]);
    return lists;
}

/* A word in device memory. Bit b: a segment has at most 2^b and more than 2^(b-1) elements. */
static __host__ DEVICE unsigned long long *segment_lengths(const segment_lists &lists)
{
    return lists.longest + 1;
}

/* The bits of that word for more than `least` and at most `most` elements. Both are powers of 2, or
 * `least` is 0. */
static inline uint64_t segment_length_bits(uint64_t least, uint64_t most)
{
    uint64_t bits = 0;
    for (unsigned b = 0; b < 32; b++)
        if ((uint64_t)1 << b > least && (uint64_t)1 << b <= most)
            bits |= (uint64_t)1 << b;
    return bits;
}

/* Whether a kernel for some lengths has nothing to do; a kernel argument. */
struct segment_presence {
    const unsigned long long *lengths; /* NULL: not known */
    uint64_t                  wanted;  /* bits of the lengths that the kernel handles */
};
static DEVICE bool segments_are_absent(const segment_presence &here)
{
    return here.lengths != NULL && (*here.lengths & here.wanted) == 0;
}

/* Fills the lists; map.offsets is not NULL. */
ordo_status segments_classify(cuda_call *call, const segment_map &map,
                              const segment_limits &classes, const segment_lists &lists);

/* The entries of list 0 or 1. */
static DEVICE uint64_t segment_list_count(const segment_lists &lists, int c)
{
    uint64_t const count = lists.counts[c];
    return count < lists.room[c] ? count : lists.room[c];
}

/* The tiles of all large segments, and the number of these segments. */
static DEVICE uint64_t segment_tile_count(const segment_lists &lists)
{
    uint64_t const tiles = lists.counts[2] & (((uint64_t)1 << SEGMENT_SLOT_SHIFT) - 1);
    return tiles < lists.tiles ? tiles : lists.tiles;
}
static DEVICE uint64_t segment_large_count(const segment_lists &lists)
{
    uint64_t const count = lists.counts[2] >> SEGMENT_SLOT_SHIFT;
    return count < lists.room[2] ? count : lists.room[2];
}

/* The entry of the large segment of a tile: the last entry with first_tile <= tile. There is at
 * least one. The tile may be beyond its end if the lists were too short. */
static DEVICE uint64_t segment_slot_of_tile(const segment_lists &lists, uint64_t tile)
{
    uint64_t lo = 0, hi = segment_large_count(lists);
    while (lo + 1 < hi) {
        uint64_t const middle = (lo + hi) / 2;
        bool const     below = lists.large[middle].first_tile <= tile;
        lo = below ? middle : lo;
        hi = below ? hi : middle;
    }
    return lo;
}

/* Blocks of `threads` threads for n items, at most `resident` on each multiprocessor. */
static inline size_t segment_grid(const cuda_call *call, size_t n, size_t threads, size_t resident)
{
    return ordo_max(ordo_min(ordo_div_up(n, threads), (size_t)call->facts->sms * resident), 1);
}

/* ---- Two classes: short segments, and long ones that are cut into tiles ----
 *
 * Tiles are numbered through all long segments; the tiles of a segment are consecutive. A fixed
 * layout has only one class, and a tile is found by a division. With offsets the device lists the
 * long segments, and a tile is found by binary search. Blocks take tiles by their number up to
 * segment_tiles_count. */

struct segment_classes { /* a kernel argument */
    segment_map    map;
    segment_lists  lists; /* with offsets */
    segment_limits limits;
    uint64_t       each;       /* tiles of a segment of a fixed layout; 0: the segments are short */
    uint64_t       most_tiles; /* no more than this number of tiles */
};

struct segment_part {
    segment  where;      /* the segment */
    uint64_t number;     /* its number */
    uint64_t slot;       /* its number among the long segments, in any order */
    uint64_t tile;       /* the number of the tile in the segment */
    uint64_t first_tile; /* the number of the segment's first tile among all tiles */
    bool     is_over;    /* whether there is no such tile */
};

/* Classes of a layout without steps. */
static inline segment_classes segment_classes_layout(cuda_scratch            *scratch,
                                                     const ordo_segment_view *view, size_t n,
                                                     const segment_limits &limits)
{
    segment_classes classes = {};
    uint64_t const  least = limits.limits[SEGMENT_LISTS - 1];
    classes.map = segment_map_of(view, n);
    classes.limits = limits;
    if (view->offsets != NULL) {
        classes.lists = segment_lists_layout(scratch, n, view->count, limits);
        classes.most_tiles = n > least ? classes.lists.tiles : 0;
    } else if (view->length > least) {
        classes.each = ordo_div_up(view->length, limits.tile);
        classes.most_tiles = classes.each * view->count;
    }
    return classes;
}

/* Only short and long segments: long ones have more than `least` elements. */
static inline segment_limits segment_two_classes(uint64_t least, uint64_t tile)
{
    return {{least, least, least}, tile};
}

/* Whether a segment may have more than one tile. */
static inline bool segment_classes_may_link(const segment_classes &classes)
{
    return classes.map.offsets != NULL ? classes.map.n > classes.limits.tile : classes.each > 1;
}

/* Whether the lists are filled; otherwise all segments have the first class. */
static inline bool segment_classes_listed(const segment_classes &classes)
{
    return classes.map.offsets != NULL && classes.map.count > 0 &&
           classes.map.n > classes.limits.limits[0];
}

/* Lists the segments of a layout with offsets. */
static inline ordo_status segment_classes_fill(cuda_call *call, const segment_classes &classes)
{
    if (!segment_classes_listed(classes))
        return ORDO_OK;
    return segments_classify(call, classes.map, classes.limits, classes.lists);
}

/* Most long segments. */
static inline size_t segment_slots_most(const segment_classes &classes)
{
    if (classes.most_tiles == 0)
        return 0;
    return classes.map.offsets != NULL ? classes.lists.room[SEGMENT_LISTS - 1] : classes.map.count;
}

/* The number of long segments, and the one with a number below that. */
static DEVICE uint64_t segment_slots_count(const segment_classes &classes)
{
    return classes.map.offsets != NULL ? segment_large_count(classes.lists)
           : classes.each != 0         ? classes.map.count
                                       : 0;
}
static DEVICE segment_large segment_slot_at(const segment_classes &classes, uint64_t slot)
{
    if (classes.map.offsets != NULL)
        return classes.lists.large[slot];
    return {segment_at(classes.map, slot), slot * classes.each, slot};
}

static DEVICE uint64_t segment_tiles_count(const segment_classes &classes)
{
    return classes.map.offsets != NULL ? segment_tile_count(classes.lists) : classes.most_tiles;
}

/* The tile with a number below segment_tiles_count. If the lists do not contain the segment of the
 * tile, the tile has an empty segment. */
static DEVICE segment_part segment_tile_at(const segment_classes &classes, uint64_t number)
{
    segment_part found = {};
    if (classes.map.offsets == NULL) {
        found.number = found.slot = number / classes.each;
        found.where = segment_at(classes.map, found.number);
        found.tile = number % classes.each;
        found.first_tile = number - found.tile;
        return found;
    }
    found.slot = segment_slot_of_tile(classes.lists, number);
    segment_large const large = classes.lists.large[found.slot];
    found.number = large.number;
    found.where = large.where;
    found.tile = number - large.first_tile;
    found.first_tile = large.first_tile;
    if (found.tile * classes.limits.tile >= found.where.length)
        found.where.length = 0;
    return found;
}

/* ---- Reads of many keys ---- */

/* x[e] = element at(e) of an array of T, or 0 if !is_there(e). No read waits for
 * another. */
template <typename T, typename BITS, int N, typename AT, typename IS_THERE>
static DEVICE void read_items_as(const void *array, AT &&at, IS_THERE &&is_there, BITS (&x)[N])
{
#pragma unroll
    for (int e = 0; e < N; e++)
        x[e] = is_there(e) ? (BITS)((const T *)array)[at(e)] : (BITS)0;
}

/* The same for unsigned integers of `size` bytes, at most those of BITS. */
template <typename BITS, int N, typename AT, typename IS_THERE>
static DEVICE void read_items(const void *array, unsigned size, AT &&at, IS_THERE &&is_there,
                              BITS (&x)[N])
{
    if constexpr (sizeof(BITS) == 8)
        read_items_as<uint64_t>(array, at, is_there, x);
    else if (size == 4)
        read_items_as<uint32_t>(array, at, is_there, x);
    else if (size == 2)
        read_items_as<uint16_t>(array, at, is_there, x);
    else
        read_items_as<uint8_t>(array, at, is_there, x);
}

/* ---- Segments with a step: cuda_backend.cu copies them, the verbs get rows ---- */

/* The layout of rows without gaps, as segments_to_rows writes them. */
static inline ordo_segment_view segment_rows(const ordo_segment_view *view)
{
    ordo_segment_view rows = *view;
    rows.step = 1;
    rows.stride = view->length;
    rows.group = view->count;
    rows.group_stride = 0;
    return rows;
}

/* Copies the segments of a fixed layout with elements of `size` bytes (1 to 16) to rows without
 * gaps, and back. */
ordo_status segments_to_rows(cuda_call *call, const ordo_segment_view *view, const void *array,
                             size_t size, void *rows);
ordo_status segments_from_rows(cuda_call *call, const ordo_segment_view *view, const void *rows,
                               size_t size, void *array);

/* Whether two segments of a fixed layout may share elements. */
static inline bool segments_overlap(const ordo_segment_view *view)
{
    size_t const span = view->length == 0 ? 0 : (view->length - 1) * view->step + 1;
    return (view->group > 1 && view->stride < span) ||
           (view->count > view->group &&
            view->group_stride < (view->group - 1) * view->stride + span);
}

#endif

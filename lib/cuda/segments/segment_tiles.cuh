/* segment_tiles.cuh - two classes of segments: short ones, and long ones that are cut into tiles.
 *
 * Tiles are numbered through all long segments; those of a segment follow each other. A fixed
 * layout has only one class, and a tile is found by a division. With offsets the device lists the
 * long segments (segments.cuh), and a tile is found by binary search. Blocks take tiles by their
 * number up to segment_tiles_count. */
#ifndef ORDO_CUDA_SEGMENTS_SEGMENT_TILES_H
#define ORDO_CUDA_SEGMENTS_SEGMENT_TILES_H

#include "cuda/segments/segments.cuh"

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
    bool     is_over;    /* there is no such tile */
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

/* Lists the segments of a layout with offsets. */
static inline ordo_status segment_classes_fill(cuda_call *call, const segment_classes &classes)
{
    if (classes.map.offsets == NULL || classes.map.count == 0 ||
        classes.map.n <= classes.limits.limits[0])
        return ORDO_OK;
    return segments_classify(call, classes.map, classes.limits, classes.lists);
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

/* The tile with a number below segment_tiles_count. If the lists lack the segment of the tile, the
 * tile has an empty segment. */
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

#endif

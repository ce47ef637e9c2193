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
    segment_map   map;
    segment_lists lists;      /* with offsets */
    uint64_t      least;      /* long segments have more elements */
    uint64_t      tile;       /* elements of a tile */
    uint64_t      each;       /* tiles of a segment of a fixed layout; 0: the segments are short */
    uint64_t      most_tiles; /* no more than this number of tiles */
};

struct segment_tile {
    segment  where;      /* the segment */
    uint64_t number;     /* its number */
    uint64_t tile;       /* the number of the tile in the segment */
    uint64_t first_tile; /* the number of the segment's first tile among all tiles */
    bool     is_over;    /* there is no such tile */
};

static inline segment_limits segment_limits_of(const segment_classes &classes)
{
    return {{classes.least, classes.least, classes.least}, classes.tile};
}

/* Classes of a layout without steps. */
static inline segment_classes segment_classes_layout(cuda_scratch            *scratch,
                                                     const ordo_segment_view *view, size_t n,
                                                     uint64_t least, uint64_t tile)
{
    segment_classes classes = {};
    classes.map = segment_map_of(view, n);
    classes.least = least;
    classes.tile = tile;
    if (view->offsets != NULL) {
        classes.lists =
            segment_lists_layout(scratch, n, view->count, segment_limits_of(classes));
        classes.most_tiles = n > least ? classes.lists.tiles : 0;
    } else if (view->length > least) {
        classes.each = ordo_div_up(view->length, tile);
        classes.most_tiles = classes.each * view->count;
    }
    return classes;
}

/* Whether a segment may have more than one tile. */
static inline bool segment_classes_may_link(const segment_classes &classes)
{
    return classes.map.offsets != NULL ? classes.map.n > classes.tile : classes.each > 1;
}

/* Lists the long segments of a layout with offsets. */
static inline ordo_status segment_classes_fill(cuda_call *call, const segment_classes &classes)
{
    if (classes.map.offsets == NULL || classes.map.count == 0 || classes.most_tiles == 0)
        return ORDO_OK;
    return segments_classify(call, classes.map, segment_limits_of(classes), classes.lists);
}

static DEVICE uint64_t segment_tiles_count(const segment_classes &classes)
{
    return classes.map.offsets != NULL ? segment_tile_count(classes.lists) : classes.most_tiles;
}

/* The tile with a number below segment_tiles_count. If the lists lack the segment of the tile, the
 * tile has an empty segment. */
static DEVICE segment_tile segment_tile_at(const segment_classes &classes, uint64_t number)
{
    segment_tile found = {};
    if (classes.map.offsets == NULL) {
        found.number = number / classes.each;
        found.where = segment_at(classes.map, found.number);
        found.tile = number % classes.each;
        found.first_tile = number - found.tile;
        return found;
    }
    segment_large const large = segment_of_tile(classes.lists, number);
    found.number = large.number;
    found.where = large.where;
    found.tile = number - large.first_tile;
    found.first_tile = large.first_tile;
    if (found.tile * classes.tile >= found.where.length)
        found.where.length = 0;
    return found;
}

#endif

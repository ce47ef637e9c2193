/* dev_segments_sort.cuh - the plan of a sort of segments, which the host makes from n and the
 * layout. */
#ifndef ORDO_CUDA_SEGMENTS_DEV_SEGMENTS_SORT_H
#define ORDO_CUDA_SEGMENTS_DEV_SEGMENTS_SORT_H

#include "cuda/runtime/cuda_tuning.cuh"
#include "cuda/segments/segment_records.cuh"
#include "cuda/segments/segment_slots.cuh"

/* Records of a tile that one block sorts in shared memory, 32 to 64 KB. */
static __host__ DEVICE constexpr unsigned segment_tile(size_t record_size)
{
    return CUDA_TUNE_SEGMENT_BYTES / (record_size > 8 ? 16 : 8);
}

/* Records of the largest block that sorts a segment in shared memory by buckets. */
static __host__ DEVICE constexpr int segment_row_most(size_t record_size)
{
    return CUDA_TUNE_SEGMENT_BYTES / (record_size > 4 ? 8 : 4);
}

/* lg of the most lanes that sort a segment in registers. */
static __host__ DEVICE constexpr int segment_lanes_lg(size_t record_size)
{
    return record_size > 8 ? 1 : (int)SLOTS_MOST_LG;
}

/* Warps sort segments in registers up to the first limit, blocks in shared memory up to the others.
 */
static inline segment_limits segment_sort_classes(size_t record_size)
{
    uint64_t const lanes = (uint64_t)WARP_SORT_ITEMS << segment_lanes_lg(record_size);
    uint64_t const tile = segment_tile(record_size), rows = segment_row_most(record_size);
    if (record_size > 8)
        return {{lanes, CUDA_TUNE_SEGMENT_WARP, CUDA_TUNE_SEGMENT_BLOCK}, tile};
    return {{lanes, CUDA_TUNE_SEGMENT_BLOCK, rows}, tile};
}

enum {
    SEGMENT_LEVELS = 2 /* splits of a segment into buckets */
};

enum {
    SPLIT_COUNTS = 2 /* counters after the fates of the segments */
};

/* Tables of segment_split.cuh: for each tile of a long segment segment_split_each entries. */
struct segment_split {
    uint16_t     *ids;       /* the bucket of every element */
    void         *splitters; /* records */
    uint32_t     *counts;
    uint64_t     *bounds;
    size_t        entries;
    segment_lists lists; /* of the buckets */
    uint32_t     *falls; /* a split_fate for each long segment; then SPLIT_COUNTS counters: the
                          * segments that may be in order or are sorted elsewhere, and only the
                          * latter; NULL: not known */
    size_t        segments;
};

static __host__ DEVICE constexpr unsigned segment_split_each(size_t record_size)
{
    return segment_tile(record_size) / (record_size > 8 ? 64 : 512);
}

/* ---- Huge segments, which dev_segments_huge.cu sorts ---- */

enum {
    SEGMENT_HUGE = 1 << 22,  /* keys; longer segments would be distributed over buckets twice */
    SEGMENT_HUGE_DIGITS = 4, /* of a key */
    SEGMENT_HUGE_MOST = 1024 /* segments */
};

struct segment_huge_entry {
    uint64_t start;
    uint32_t length, first_tile;
};

struct segment_huge_state {
    uint32_t count, tiles; /* of all huge segments */
    uint32_t tickets[SEGMENT_HUGE_DIGITS];
};

struct segment_huge { /* in device scratch; room is 0 if no segment is huge; a kernel argument */
    segment_huge_state *state;
    uint32_t           *bins;   /* [room][digits][256] keys of each digit; then first places */
    uint32_t           *status; /* [tiles][256] words of the look-back */
    segment_huge_entry *entries;
    size_t              room, tiles; /* most segments and tiles */
    size_t              zero_bytes;  /* bytes to zero, starting at `state` */
};

segment_huge segment_huge_layout(cuda_scratch *scratch, size_t n);

/* ---- Long segments of evenly spread keys, which dev_segments_even.cu sorts ---- */

enum {
    EVEN_ROW_GROUP = 2400,                      /* mean number of keys of a code */
    SEGMENT_EVEN_EACH = 16,                     /* table entries for each tile */
    SEGMENT_EVEN_LONGEST = EVEN_ROW_GROUP * 511 /* keys, so that there are at most 512 codes */
};

struct segment_even_map {
    uint32_t codes; /* 0: the segment is not even */
    uint32_t kind;  /* an even_kind of segment_even.cuh */
    alignas(8) uint32_t line[8];
    uint32_t bend[256];
};

struct segment_even_state {
    uint32_t fit;   /* whether a segment has a map */
    uint32_t taken; /* whether a segment is sorted by codes */
    uint32_t full;  /* leaves that a network sorts */
};

/* In device scratch; segments is 0 if no segment is long. A kernel argument. */
struct segment_even {
    segment_even_state *state;
    segment_even_map   *maps;   /* [segments] */
    uint32_t           *counts; /* [entries] keys of the codes; then the next place of each */
    uint64_t *bounds; /* [entries + 1] first places of the codes of a segment, and its end;
                               * UINT64_MAX: unused */
    size_t    segments, entries;
};

segment_even segment_even_layout(cuda_scratch *scratch, size_t segments, size_t tiles);

struct segment_plan {
    segment_classes classes;
    bool            is_classified; /* whether the lists are filled */
    uint64_t        shortest;      /* fewest and most elements of a segment */
    uint64_t        longest;
    segment_split   splits[SEGMENT_LEVELS];
    unsigned        level, levels; /* the next split, and the number of splits; after the last split
                                    * tiles are merged */
    void           *records[2];    /* NULL if no segment is long; the next step writes the first */
    uint32_t       *heads;         /* number of heads of every tile, for dense ranks; else NULL */
    size_t          record_size;
    segment_huge    huge;
    segment_even    even;
};

/* Sorts the huge segments that are not in order; the first split then leaves them out. */
ordo_status segments_sort_huge(cuda_call *call, const segment_plan *plan,
                               const segment_job<uint32_t> &job);

/* The same for even segments. */
ordo_status segments_sort_even(cuda_call *call, const segment_plan *plan,
                               const segment_job<uint32_t> &job);

/* ---- Tiles of long segments ---- */

struct tile_place {
    segment  where;
    uint64_t slot;       /* number of the segment among the long ones */
    uint64_t first_tile; /* number of its first tile */
    uint64_t first;      /* place of the tile in the segment */
};

/* Where tile t is; where.length is 0 if there is no such tile. */
static DEVICE tile_place place_of_tile(const segment_classes &classes, uint64_t t)
{
    segment_part const part = segment_tile_at(classes, t);
    return {part.where, part.slot, part.first_tile, part.tile * classes.limits.tile};
}

template <typename KIND> static __host__ DEVICE constexpr unsigned tile_records(void)
{
    return segment_tile(sizeof(typename KIND::K));
}

/* dev_segments_keys.cu, dev_segments_index.cu: sort all segments. */
ordo_status segments_sort_keys(cuda_call *call, const segment_plan *plan,
                               const segment_job<uint32_t> &job);
ordo_status segments_sort_keys(cuda_call *call, const segment_plan *plan,
                               const segment_job<uint64_t> &job);
ordo_status segments_sort_index(cuda_call *call, const segment_plan *plan,
                                const segment_job<uint32_t> &job);
ordo_status segments_sort_index(cuda_call *call, const segment_plan *plan,
                                const segment_job<uint64_t> &job);

#endif

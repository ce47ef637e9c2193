/* cuda_tuning.cuh - the thresholds and tile sizes of the CUDA backend, with the measurements that
 * set them. H200 is an NVIDIA H200 (132 multiprocessors, copies at 4.3 TB/s), November 2026. */
#ifndef ORDO_CUDA_RUNTIME_CUDA_TUNING_H
#define ORDO_CUDA_RUNTIME_CUDA_TUNING_H

/* Ranks of sorted arrays (dev_rank_sorted.cu). WARPS: warps per block. RESIDENT: blocks per
 * multiprocessor that registers must allow. BLOCKS: largest grid of the two launches, because every
 * block reads the table. H200, 128e6 keys f32 -> u32, two launches, ms for (resident, blocks): (4,
 * 1056) 0.295, (4, 2112) 0.292, (6, 792) 0.335. */
enum {
    CUDA_TUNE_RANK_WARPS = 8,
    CUDA_TUNE_RANK_RESIDENT = 4,
    CUDA_TUNE_RANK_BLOCKS = 2112
};

/* Ranks of unsorted arrays (dev_rank.cu). DIRECT: up to this many bytes of ranks are scattered
 * directly. LEAF_LG: lg of the ranks that a block orders in shared memory (64 KB, so that three
 * blocks fit). H200, u32 ranks, ms besides the argsort, scattered directly: 2^20 0.02, 2^23
 * 0.19, 2^24 0.81, 2^26 4.0; partitioned once, then scattered within L2: 2^20 0.04, 2^24 0.39,
 * 2^26 1.55. */
enum {
    CUDA_TUNE_RANK_DIRECT = 16 << 20,
    CUDA_TUNE_RANK_LEAF_LG = 14
};

/* is_sorted, runs, count_nans (dev_order.cu). RESIDENT: blocks of 256 threads per multiprocessor.
 * H200, 128e6 keys, ms: is_sorted f32 0.139, u64 0.242; runs f32 0.136; NaNs f32 0.134; a read of 4
 * bytes per key 0.123, the copy of the result about 0.01. ALONE: up to this many keys one block
 * does all the work and writes the result to host memory. us per call: is_sorted of 2^8, 2^12 and
 * 2^14 f32 9.5, 10.4, 13.1; of 2^15 by a grid 20.4. */
enum {
    CUDA_TUNE_ORDER_RESIDENT = 4,
    CUDA_TUNE_ORDER_ALONE = 1 << 15
};

/* Flags (dev_flags.cuh): largest number of spans of an array. H200, split of 2^28 u32 by packed
 * flags, us for 4096 and 8192 spans: 638, 631. */
#define CUDA_TUNE_SPANS 8192

/* Binary prefix sum (dev_bits.cu). ROWS: rows of 1024 flags per warp, if there are at least LARGE
 * flags; otherwise one row. H200, 2^28 flags to u32, us for 4, 8 and 16 rows: packed 303, 312, 295;
 * bytes 371, 358, 365. Tiles of 8 rows fill the device from 2^26 flags on. */
#define CUDA_TUNE_BITS_ROWS 8
#define CUDA_TUNE_BITS_LARGE ((size_t)1 << 26)

/* Split (dev_partition.cu): blocks per multiprocessor that registers must allow. H200, 2^28
 * elements, packed flags, us for 4 and 5 blocks: 1 byte 337, 316; 2 bytes 426, 406; 4 bytes 608,
 * 627; 8 bytes 1169, 1187. */
#define CUDA_TUNE_SPLIT_RESIDENT 4

/* Scans by tiles (dev_scan.cu): threads per block, rows of 512 bytes per warp, blocks per
 * multiprocessor. H200, sums of 2^28 u32, f32, u64, us, for 256 8 6: 807, 788, 1356; 256 7 7: 843,
 * 766, 1504; 512 4 3: 852, 858, 1568. */
#define CUDA_TUNE_SCAN_THREADS 256
#define CUDA_TUNE_SCAN_ROWS 8
#define CUDA_TUNE_SCAN_RESIDENT 6

/* Scans by persistent blocks (dev_scan_stream.cuh). SCANNERS: warps that scan. ROWS: rows of 512
 * bytes per scanning warp; ROWS_WIDER: the same for sums wider than their input. REDUCERS: warps
 * that reduce. SLOTS: largest number of slots of the ring. GROUP: tiles of a group of totals. FROM:
 * tiles from which arrays are streamed. H200, sums of 2^28 u32, u64, us (a copy takes 510, 1015),
 * for scanners x rows, slots: 16 x 4, 6 slots 571, 1167; 8 x 8, 6 slots 575, 1174; 16 x 6, 4 slots
 * 612, 1329. u32 streamed and by tiles: 2^20 9.2, 7.6; 2^22 23, 24; 2^24 52, 67. Keys of one byte
 * are never streamed: sums of 2^28 take 320 instead of 230. */
#define CUDA_TUNE_STREAM_SCANNERS 16
#define CUDA_TUNE_STREAM_ROWS 4
#define CUDA_TUNE_STREAM_ROWS_WIDER 8
#define CUDA_TUNE_STREAM_REDUCERS 3
#define CUDA_TUNE_STREAM_SLOTS 12
#define CUDA_TUNE_STREAM_GROUP 128
#define CUDA_TUNE_STREAM_FROM 512

/* Selection (dev_select.cu, dev_topk.cu); H200, f32, median unless stated otherwise. */

/* DIRECT: up to this many bytes of keys every pass reads the array, from cache: 32 MiB take 0.058
 * ms, by sample and sweep 0.076; 64 MiB 0.092 and 0.091. ALONE: up to this many keys one block does
 * all the work: 2^14 keys take 0.020 ms, 2^15 by a grid 0.032. */
#define CUDA_TUNE_SELECT_DIRECT ((size_t)32 << 20)
#define CUDA_TUNE_SELECT_ALONE ((size_t)1 << 14)

enum {
    /* LG_FEW, LG_MANY, LG_MOST: lg of the number of keys drawn for up to 4 positions, up to 20, and
     * more. SIGMAS: standard deviations of a bracket to each side. Draws and plan take 0.030 ms for
     * lg 18 (0.8 % of 2^28 keys are kept); draws take 0.054 ms for lg 20 and 0.077 for 21. lg 20
     * and 21, ms: nine quantiles of f32 0.465, 0.464; 32 positions 0.829, 0.734; nine quantiles of
     * two values 0.397, 0.424. Brackets of 4 deviations miss once in 16,000 times. */
    CUDA_TUNE_SELECT_LG_FEW = 18,
    CUDA_TUNE_SELECT_LG_MANY = 20,
    CUDA_TUNE_SELECT_LG_MOST = 21,
    CUDA_TUNE_SELECT_SIGMAS = 4,

    /* A word that at least one draw in this many hits is only counted, not kept. */
    CUDA_TUNE_SELECT_HEAVY = 128,

    /* The sweep. RESIDENT: blocks of 256 threads per multiprocessor (2^28 keys in 0.283 ms, a copy
     * of them in 0.51). BLOCKS: largest grid. CHUNK: words of a chunk of kept keys. ROOM_FEW,
     * ROOM_MANY: there is room to keep one key in ROOM_FEW for up to 4 positions, one in ROOM_MANY
     * for more. */
    CUDA_TUNE_SELECT_RESIDENT = 4,
    CUDA_TUNE_SELECT_BLOCKS = 1024,
    CUDA_TUNE_SELECT_CHUNK = 256,
    CUDA_TUNE_SELECT_ROOM_FEW = 16,
    CUDA_TUNE_SELECT_ROOM_MANY = 4,

    /* A sweep of several intervals. LG_BUCKETS: lg of the number of buckets. ASIDE: bytes of keys
     * that a lane collects before they are kept. Nine quantiles of f32, ms, for lg 11 and 12:
     * 0.496, 0.462; for 11 with 32 and 64 bytes: 0.496, 0.488. With a binary search instead of
     * buckets: 0.766. */
    CUDA_TUNE_SELECT_LG_BUCKETS = 12,
    CUDA_TUNE_SELECT_ASIDE = 32,

    /* Number of keys that one block sorts at the end: 1024 take 5 us. */
    CUDA_TUNE_SELECT_GATHER = 2048,

    /* Number of positions above which a copy is sorted: 32 positions of 2^28 keys take 0.73 ms, the
     * copy and its sort 5.7. For arrays that every pass reads the limit is 32: 2^22 keys 0.10 and
     * 0.15. */
    CUDA_TUNE_SELECT_MANY = 160,

    /* ONE_BLOCK: largest k that one block sorts. SORT: a top-k of more than n / SORT keys is an
     * argsort. */
    CUDA_TUNE_TOPK_ONE_BLOCK = 2048,
    CUDA_TUNE_TOPK_SORT = 16
};

/* One block that distributes its keys over buckets (block_spread.cuh). KEYS: largest number of keys
 * of a selection. MOST: most keys of a bucket. ALIKE: buckets are not used if more than one key in
 * this many equals the key 16 lanes away. H200, us, by buckets and by digits: nine quantiles of
 * 2^12 f32 6.0, 21.7, of 2^13 8.2, 24.3, of 2^14 10.0, 29.6; the median of 2^14 9.3, 16.9; the 16
 * largest of 2^12 6.1, 18.5. MOST and ALIKE are estimates: with full buckets a sort of 2^12 keys
 * takes as long as a sort by digits. */
enum {
    CUDA_TUNE_SPREAD_KEYS = 1 << 14,
    CUDA_TUNE_SPREAD_MOST = 64,
    CUDA_TUNE_SPREAD_ALIKE = 24
};

/* Radius (dev_radius.cu). THREADS: threads per block. ITEMS, ITEMS_8: keys per thread (_8: for
 * 8-byte keys). SHARE, SHARE_8: threads per table entry. SLOTS: steps in the ring. AHEAD: steps
 * that are being copied to the ring. RESIDENT: blocks per multiprocessor. OPEN: blocks per
 * multiprocessor of radius_open. H200, 2^28 keys u32 of radius 100, 14000 (just above the ring) and
 * 30000, ms: 0.40, 0.50, 0.47; a copy of the keys takes 0.51. 35 keys per thread need more shared
 * memory than compute capability 8.6 has. */
enum {
    CUDA_TUNE_RADIUS_THREADS = 192,
    CUDA_TUNE_RADIUS_ITEMS = 31,
    CUDA_TUNE_RADIUS_ITEMS_8 = 15,
    CUDA_TUNE_RADIUS_SHARE = 4,
    CUDA_TUNE_RADIUS_SHARE_8 = 8,
    CUDA_TUNE_RADIUS_SLOTS = 4,
    CUDA_TUNE_RADIUS_AHEAD = 1,
    CUDA_TUNE_RADIUS_RESIDENT = 2,
    CUDA_TUNE_RADIUS_OPEN = 16
};

/* Roughly sorted keys. WARP_8: largest radius that warps sort for 8-byte keys. SMALL, LARGE:
 * threads per block, 16 keys each, for radii up to a tile (dev_rough_block.cu). BYTES: threads per
 * multiprocessor times the key size, which limits the registers. H200, 2^28 keys u32, ms for 4096
 * and 3072 bytes and radius 1000: 1.46, 1.57, radius 8192: 2.20, 2.75. 2^28 keys u64 of radius 100
 * by warps 5.05, by blocks 3.54. */
enum {
    CUDA_TUNE_ROUGH_WARP_8 = 64,
    CUDA_TUNE_ROUGH_SMALL = 256,
    CUDA_TUNE_ROUGH_LARGE = 512,
    CUDA_TUNE_ROUGH_BYTES = 4096
};

/* The radius is guessed, not measured, if the windows of 1024 keys show at most this radius
 * (dev_rough.cu). H200, 2^28 keys u32 of radius 128 and 256, ms: guessed 1.44, 1.45, measured 1.63,
 * 1.89. */
#define CUDA_TUNE_ROUGH_GUESS ((size_t)512)

/* Arrays of at least this many bytes are looked at before they are sorted (dev_rough.cu). An
 * estimate: a launch and a wait for the host, about 15 us, are 2 % of a radix sort of that size. */
#define CUDA_TUNE_LOOK_BYTES ((size_t)128 << 20)

/* Sorts of segments (segment_sort.cuh). BYTES: records that one block sorts in shared memory, which
 * are a segment or a tile of a longer one. Records of 16 bytes: the longest segments, in records,
 * of a block of one warp (WARP) and of a larger block (BLOCK). Other records: segments of up to
 * BLOCK records and longer ones have lists of their own. TWICE: from this many tiles on, the
 * buckets of a segment are split again. SEPARATE: segments of at least this many keys are sorted by
 * a separate launch. Estimates, except BYTES: H200, 2^28 f32 in rows, ms: 10,000 keys 2.79 by
 * blocks, 6.52 by buckets; 16,384 keys 2.24 and 5.05. */
enum {
    CUDA_TUNE_SEGMENT_BYTES = 64 << 10,
    CUDA_TUNE_SEGMENT_WARP = 256,
    CUDA_TUNE_SEGMENT_BLOCK = 2048,
    CUDA_TUNE_SEGMENT_TWICE = 512,
    CUDA_TUNE_SEGMENT_SEPARATE = 1 << 23
};

/* ---- Radix sort; times in ms for 2^28 random keys unless another number is given ---- */

enum {
    /* Threads per block of the histogram. Under the profiler, at 1.5 GHz, 2^26 keys take 0.17 (u32)
     * and 0.33 (u64). */
    CUDA_TUNE_RADIX_HISTOGRAM_THREADS = 512,
    /* The leading digits are enough if at most one key in this many shares its prefix with another
     * key. For 1, 4, 16: u64 9.04, 9.04, 11.4; f64 in [0, 1) 13.7, 12.5, 12.5; 2^22 keys u32 0.177,
     * 0.140, 0.144. */
    CUDA_TUNE_RADIX_TIED = 4,
    /* The first pass of a sort without values ranks by atomics if two keys share the digit in less
     * than one of this many pairs: u32 5.25, by matching 5.54. */
    CUDA_TUNE_RADIX_LOOSE = 64,
    /* Most groups of keys with one prefix, too long for a warp, that blocks sort. Not measured:
     * random keys have no such groups. */
    CUDA_TUNE_RADIX_GROUPS = 4096,
    /* SAMPLE_FROM: number of keys from which a sample is checked before a prefix is trusted.
     * SAMPLE: largest number of keys in the sample. CROWDED: how many of them may share a prefix
     * with a different key. u64 with equal upper four bytes 14.1, without a sample 45.7. */
    CUDA_TUNE_RADIX_SAMPLE_FROM = 1 << 22,
    CUDA_TUNE_RADIX_SAMPLE = 1 << 14,
    CUDA_TUNE_RADIX_CROWDED = 4,
    /* Largest number of keys that one block sorts on devices without clusters: 2^14 keys u32, u64
     * 0.043, 0.047; CUB 0.051, 0.086. */
    CUDA_TUNE_RADIX_SMALL = 1 << 14,
    /* CLUSTER_ABOVE: above this many keys a cluster sorts instead of a block. CLUSTER_8: above this
     * many keys the cluster has 16 blocks instead of 8. Not measured since blocks and clusters sort
     * by samples. */
    CUDA_TUNE_RADIX_CLUSTER_ABOVE = 4096,
    CUDA_TUNE_RADIX_CLUSTER_8 = 8192,
    /* Up to this many keys, tiles have FEW keys per thread and one launch does all passes and the
     * finish. In us, u32, u64, u32 with u32: 2^17 keys 47, 43, 48, with larger tiles and more
     * launches 52, 48, 63; 2^19 56, 63, 65, and 63, 74, 74. */
    CUDA_TUNE_RADIX_FEW = 1 << 20,
    /* Most keys of one launch; their number takes 30 bits. */
    CUDA_TUNE_RADIX_PORTION = 1 << 29
};

/* Few distinct values. MOST: largest number of them that are counted (dev_distinct.cu), a power of
 * 2. SEEN: largest number of them among 128 keys for which counting is tried. H200, 2^28 keys u32
 * with 100 values, ms: 0.70, by digits 5.0. MANY: up to so many values of one array are counted in
 * hash tables (dev_distinct_many.cu), by RESIDENT blocks per multiprocessor. H200, 2^28 keys u32 of
 * about 3500 values, ms: 2.02, by digits 4.87. 2^27 keys u32 with 100 values: 0.38 and, in hash
 * tables, 4.66. */
#define CUDA_TUNE_DISTINCT_MOST 256
#define CUDA_TUNE_DISTINCT_SEEN 124
#define CUDA_TUNE_DISTINCT_MANY 4096
#define CUDA_TUNE_DISTINCT_RESIDENT(KEY) ((KEY) == 4 ? 3 : 2)

/* Leaves (dev_radix_leaf.cuh), for keys alone, and keys of 4 bytes with values of 4 bytes. TO: most
 * keys of a sort with leaves. THREADS, ITEMS: threads per block and keys per thread. BUCKETS:
 * buckets per leaf. TILE: places between bounds. FULL: most keys of a bucket. PATIENCE: leaves of a
 * block that may have full buckets before it gives up, an estimate. GROUP: largest group that is
 * expected to fit. EVEN: how often two keys may share a digit, times 256, an estimate. RESIDENT:
 * blocks per multiprocessor. With leaves, without: 2^21 keys u32 0.093, 0.120, 2^22 0.130, 0.147,
 * 2^24 0.346, 0.397, 2^28 4.58, 5.25; u32 with u32 2^22 0.171, 0.197, 2^24 0.499, 0.583, 2^28 6.91,
 * 8.21; u64 2^24 0.518, 0.654, 2^28 7.25, 8.81. 2^28 keys u32, 8192 buckets 4.98, 256 x 20 keys
 * 4.99, 1024 x 5 4.71, 2 blocks 5.01; u32 with u32, 3 blocks 7.03. Bell-shaped u32, three passes
 * and leaves 5.79, four passes 5.24. */
#define CUDA_TUNE_LEAF_TO ((size_t)1 << 29)
#define CUDA_TUNE_LEAF_THREADS 512
#define CUDA_TUNE_LEAF_ITEMS 10
#define CUDA_TUNE_LEAF_BUCKETS 4096
#define CUDA_TUNE_LEAF_TILE 512
#define CUDA_TUNE_LEAF_FULL 64
#define CUDA_TUNE_LEAF_PATIENCE 2
#define CUDA_TUNE_LEAF_GROUP 4464
#define CUDA_TUNE_LEAF_EVEN 1.25f
#define CUDA_TUNE_LEAF_RESIDENT(KEY, VALUE) ((KEY) + (VALUE) == 4 ? 3 : 2)

/* Partitions of evenly spread keys (dev_radix_even.cu). FROM, TO: fewest and most keys. GROUP: keys
 * per code. CROWDED: most of 16,384 sample keys in one of 256 ranges of codes, an estimate. ITEMS:
 * keys per thread, so many that registers do not spill. Partitioned, by digits: 2^22 keys u32
 * 0.134, 0.130, 2^23 0.193, 0.201, 2^24 0.313, 0.344, 2^26 1.10, 1.23, 2^28 3.86, 4.61; f32 in
 * [-1, 1) 2^28 3.72, 5.30, normal 4.59, 5.29; indices of u32 2^23 0.251, 0.314, 2^28 6.41, 7.92,
 * 2^29 14.8, 15.6; indices of f32 6.32, 7.74, normal 7.51, 7.84. Not faster: u64 8.56, 7.29,
 * indices of u32 below 10^6 7.6, 5.7. With stores to parts of sectors, partitions of u32 take 0.81
 * and 1.13 and of f32 with indices 1.53 and 3.07. Keys u32, 14 and 12 per thread 3.86, 16 and 14
 * 4.06, 18 4.73; indices of u32, 9 per thread 6.41, 10 6.66, 12 7.30. */
#define CUDA_TUNE_EVEN_FROM ((size_t)1 << 23)
#define CUDA_TUNE_EVEN_TO ((size_t)1 << 29)
#define CUDA_TUNE_EVEN_GROUP 2400
#define CUDA_TUNE_EVEN_CROWDED 112
#define CUDA_TUNE_EVEN_ITEMS(KEY, VALUE, FLOAT, SECOND)                                            \
    ((VALUE) == 0 ? (KEY) == 8 ? 10                                                                \
                    : (FLOAT)  ? 16                                                                \
                    : (SECOND) ? 12                                                                \
                               : 14                                                                \
     : (KEY) == 8 ? (SECOND) ? 7 : 10                                                              \
     : (SECOND)   ? (FLOAT) ? 10 : 9                                                               \
                  : 14)

/* Tiles of a pass, by bytes of key and value. THREADS, ITEMS: threads per block and keys per
 * thread. RESIDENT: blocks per multiprocessor that registers must allow. FEW: keys per thread for
 * few keys. LATE: values are loaded after the keys are ranked, not together with the keys. Larger
 * tiles write longer ranges and need less look-back, until registers spill. */
template <int THREADS_, int ITEMS_, int RESIDENT_, int FEW_, bool LATE_ = true> struct radix_shape {
    enum {
        THREADS = THREADS_,
        ITEMS = ITEMS_,
        RESIDENT = RESIDENT_,
        FEW = FEW_
    };
    static constexpr bool LATE = LATE_;
};
template <int KEY, int VALUE> struct cuda_tune_radix;

/* u32, for THREADS x ITEMS x RESIDENT: 384 x 20 x 3 5.25, 256 x 24 x 3 5.30, 512 x 20 x 2 5.13; CUB
 * 5.44. */
template <> struct cuda_tune_radix<4, 0> : radix_shape<512, 20, 2, 8> {
};
/* u64: 384 x 12 x 3 9.02, 384 x 16 x 3 9.76, 256 x 20 x 3 8.80 (but f64 spills); CUB 16.4. */
template <> struct cuda_tune_radix<8, 0> : radix_shape<384, 12, 3, 6> {
};
/* u32 with u32, argsort of u32: values with the keys 384 x 18 x 2 8.83, 8.09; late 384 x 22 x 2
 * 8.36, 7.83; 384 x 23 x 2 8.21, 7.76; 384 x 24 x 2 8.48, 7.92; CUB 8.53. */
template <> struct cuda_tune_radix<4, 4> : radix_shape<384, 23, 2, 8> {
};
/* u64 with u32: values with the keys 384 x 12 x 2 13.9; late 13.98, 384 x 14 x 2 13.6, 512 x 12 x 2
 * 13.7. */
template <> struct cuda_tune_radix<8, 4> : radix_shape<384, 14, 2, 6> {
};
/* u32 with u64: values with the keys 384 x 12 x 2 11.5; late 12.0, 512 x 12 x 2 11.2, 512 x 14 x 2
 * 11.0. */
template <> struct cuda_tune_radix<4, 8> : radix_shape<512, 14, 2, 6> {
};
/* u64 with u64: values with the keys 384 x 10 x 2 16.8, 256 x 18 x 2 15.9; late 256 x 18 x 2 16.8,
 * 384 x 12 x 2 16.2; CUB 24.9. */
template <> struct cuda_tune_radix<8, 8> : radix_shape<256, 18, 2, 8, false> {
};

/* Partitions of many keys (dev_radix_even.cu): with more than LARGE keys a code has GROUP_LARGE
 * keys, so that there are fewer buckets and two blocks fit in a multiprocessor. H200, indices of
 * 2^29 keys u32, ms, partitions and leaves, with codes of 2400 keys 3.29, 5.55, 4.70, of 4300 keys
 * 2.54, 4.32, 4.03. */
#define CUDA_TUNE_EVEN_LARGE ((size_t)300 << 20)
#define CUDA_TUNE_EVEN_GROUP_LARGE 4300
/* Most keys of the sample that gives the regions of the first partition. H200, 2^28 keys u32: the
 * sample of 2^20 keys takes 0.037 ms, a count of all keys 0.252. */
#define CUDA_TUNE_EVEN_DRAWN (1u << 20)

/* Leaves are used for more than this many keys (dev_radix_leaf.cuh). H200, 2^20 pairs u32/u32, ms,
 * without and with leaves: uniform 0.106, 0.065. */
#define CUDA_TUNE_LEAF_FROM ((size_t)1 << 19)

/* The histogram of a radix sort has a counter for each lane from this many bytes of keys on
 * (dev_radix_plan.cu). H200, with four counters and with one for each lane: log-uniform u32, us,
 * 2^20 keys 13.4, 14.0, 2^22 keys 31, 22.7; 2^28 keys u32, ms, 0.480, 0.293. */
#define CUDA_TUNE_RADIX_WIDE_FROM ((size_t)1 << 23)

/* Arrays and argsorts of more than ABOVE and up to TO four-byte keys, and pairs of up to PAIRS, are
 * sorted by one launch (dev_radix_grid.cu). GROUP: most keys per code, on average. H200, us, by
 * digits and by one launch: bell-shaped u32, 2^17 keys 52, 38, 2^20 82, 50, 2^22 158, 106;
 * bell-shaped pairs u32/u32, 2^20 103, 61, 2^21 164, 96, 2^22 175, 190. */
#define CUDA_TUNE_GRID_ABOVE ((size_t)1 << 16)
#define CUDA_TUNE_GRID_TO ((size_t)1 << 22)
#define CUDA_TUNE_GRID_PAIRS ((size_t)1 << 21)
#define CUDA_TUNE_GRID_GROUP 3400
/* Up to SAMPLED of these keys the number of keys of a part is that of the sample, and a kernel with
 * less code is used. H200, uniform u32, us, with a count and with the sample: 2^17 keys 44.6, 28.1,
 * 2^19 49.1, 33.4. Up to FREQUENT keys that repeat are sorted so; more are sorted by digits. By
 * digits and by one launch: zipf 2^18 45.2, 41.4, prices 2^18 45.2, 43.8, 2^19 49.0, 70.2. */
#define CUDA_TUNE_GRID_SAMPLED ((size_t)1 << 19)
#define CUDA_TUNE_GRID_FREQUENT ((size_t)1 << 18)

/* Leaves of pairs with uneven leading digits. UNEVEN: how often two keys may share a leading digit,
 * times 256. LARGE: number of pairs above which leaves may be large. GROUP_LARGE: largest group
 * that is expected to fit a large leaf. H200, bell-shaped pairs u32/u32, ms, by four digits and by
 * two digits and leaves: 2^24 0.583, 0.463, with large leaves 2^28 7.76, 6.72. */
#define CUDA_TUNE_LEAF_UNEVEN 2.5f
#define CUDA_TUNE_LEAF_LARGE ((size_t)1 << 26)
#define CUDA_TUNE_LEAF_GROUP_LARGE 11700

#endif

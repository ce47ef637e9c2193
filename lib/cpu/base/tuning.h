/* tuning.h - thresholds of the CPU backend, each with the measurement that set it.
 *
 * Machines: V1 is a Neoverse V1 with 2 cores, 1 MB L2 each; EMR is a Xeon (Emerald Rapids) with 16
 * cores, 2 MB L2 each. Measured in November 2026 with `ordo bench` at 64e6 keys unless stated.
 *
 * ORDO_TUNE(a, b) is a, or b in the test build (ORDO_TINY), so that a thousand keys reach every
 * phase, every border between chunks and every thread. */
#ifndef ORDO_CPU_BASE_TUNING_H
#define ORDO_CPU_BASE_TUNING_H

#include "backend/tuning.h"

enum {
    /* Keys in one piece of a parallel loop. Short pieces restart the prefetchers too often; long
     * pieces leave the cache before a scan reads them again. V1, 2 threads, ms for 2^12, 2^14, 2^15
     * keys: rank f32 -> u32 15.0, 11.5, 11.4; sum of u32 18.1, 16.1, 19.0. */
    ORDO_TUNE_PIECE = ORDO_TUNE(1 << 15, 192),

    /* Up to this many keys the loops of ranks, scans and selections stay on the calling thread; the
     * radix sort has ORDO_RADIX_ALONE (lib/backend/tuning.h). EMR, ranks of 10^5 keys f32 ->
     * u32: 38 us with 1 thread and 42 us with 16. */
    ORDO_TUNE_ALONE = ORDO_TUNE(1 << 17, 64),

    /* Elements of a block that stays in L1 while several loops read it: ordinal ranks written by
     * one call of a kernel, keys that all ranges of a selection read, outputs of a tile of short
     * moving windows. */
    ORDO_TUNE_SPAN = ORDO_TUNE(2048, 128),

    /* Elements of a task of its own, where more tasks keep more threads busy: the least chunk of a
     * radix sort, parts of indices and pairs sorted in place, draws of a sample. EMR, 16 threads,
     * sorts, time / that of chunks of 2^15 records: 10^5 keys u32 uniform 0.91, u32 zipf 0.82, f64
     * uniform 0.75, 3e5 f64 0.75. */
    ORDO_TUNE_TASK = ORDO_TUNE(1 << 13, 192),

    /* Bits of a digit, where digits have counters inside the cache: 2048 of them, two lower-case
     * letters. V1, one thread, 10^7 random words of 15 letters, M strings/s for 9, 10, 11 bits:
     * 46.5, 48.3, 47.3. */
    ORDO_TUNE_DIGIT = ORDO_TUNE(11, 4),

    /* Results of this many bytes or more are written past the cache if the ISA can (x86), because
     * an ordinary store first reads the line it overwrites. EMR, 16 threads, sums of 128e6 u32:
     * 14.0 ms with ordinary stores and scalar sums, 8.0 ms with vectors past the cache. */
    ORDO_TUNE_STREAM = ORDO_TUNE(8 << 20, 512),

    /* The radix sort (lib/cpu/radix/radix.c). Records sorted by counting and merging rather than by
     * digits. V1, a sort of 32 keys u32, microseconds by counting and by digits: 0.61 and 0.46. */
    ORDO_TUNE_RADIX_SMALL = ORDO_TUNE(20, 12),

    /* Up to this many records that agree in what was read of them are finished by insertion. V1,
     * one thread, 10^6 strings with a thousand different values, M strings/s for 12, 16, 24: 19.5,
     * 21.2, 19.7. */
    ORDO_TUNE_INSERTION = ORDO_TUNE(16, 3),

    /* Most keys in the sample before a split. EMR, one thread, 10^7 keys f64, ns each for sampling
     * and for the buckets: 0.05 and 6.0 for 8192, 0.2 and 5.6 for 32768. */
    ORDO_TUNE_RADIX_SAMPLE = ORDO_TUNE(16384, 64),

    /* Bits of a bucket's number, and of a cell's number where keys are uneven. */
    ORDO_TUNE_RADIX_TOP = ORDO_TUNE(12, 4),

    /* lg of the records wanted in a bucket. V1, one thread, 10^7 records, ms for 13, 14, 15: u32
     * 60, 58, 65; pairs u32/u32 79, 76, 84. EMR, 14, 15: u32 57, 72; pairs 123, 138. */
    ORDO_TUNE_RADIX_BUCKET = ORDO_TUNE(14, 5),

    /* One thread writes keys that exceed L2 to chains of blocks (radix_blocks.t.h): lg of the keys
     * wanted in a bucket, bytes of a block. Sapphire Rapids, 10^7 keys, CPU time / that of counting
     * first, with 1024 buckets: u32 uniform 0.80 (blocks of 1 KB 0.94), f32 in [-1, 1) 0.85, u64
     * uniform 0.92, u32 and u64 of all magnitudes 0.97, 1.03; pairs u64/u32 1.23. With fewer keys,
     * time from 1 MB on / from 8 MB on: u64 uniform 250,000 keys 0.79, 10^6 0.82; f64 in [0, 1)
     * 250,000 0.94, 500,000 0.81; 100,000 u64 of all magnitudes (0.8 MB) 1.24. */
    ORDO_TUNE_BLOCK_BUCKET = ORDO_TUNE(11, 5),
    ORDO_TUNE_BLOCK_BYTES = ORDO_TUNE(4096, 512),

    /* Buckets for each of several threads, at least. EMR, 16 threads, time / that of the revision
     * before, with ORDO_TUNE_TASK: u32, u64, f32 and f64 uniform, zipf, timestamps, 10^5 keys 0.55
     * to 0.85, 3e5 0.54 to 0.82, 10^6 0.87 to 0.98; with 8 buckets for each thread 10^6 0.88 to
     * 1.14. */
    ORDO_TUNE_RADIX_SHARES = 4,

    /* Keys of 8 or 16 bits in one thread's piece from which counters of one byte pay
     * (lib/cpu/radix/narrow.c). V1, 10^7 keys, ns a key with and without: u16 0.90, 1.28. */
    ORDO_TUNE_NARROW_MANY = ORDO_TUNE(1 << 18, 300),

    /* Keys of up to 32 bits that a network sorts in registers (lib/cpu/sort/small_n.c), and keys of
     * 64 bits or with an index, of which the registers hold half as many. V1, ns for a call, in
     * registers and by digits: 128 u32 265, 1290; 64 keys f64 300, 1220; argsort of 64 keys u32
     * 300, 550. Where a comparison takes several instructions (lanes.h), the limit is lower. */
    ORDO_TUNE_SMALL_N_32 = ORDO_TUNE(ORDO_TUNE_NEON(128, 64), 12),
    ORDO_SMALL_N_64 = ORDO_TUNE_SMALL_N_32 / 2,
    /* A vector sort, where the ISA has one, sorts from WORDS_FEWEST keys on, more than a vector of
     * AVX-512 has, to WORDS_FEW_32 keys of up to 32 bits, and to WORDS_FEW_64 keys of 64 bits or
     * keys of up to 32 bits with their index. Fewer take the network, whose code is shorter.
     * Sapphire Rapids, single calls with other work between them, time of this / of the sort that
     * ran before: u32 64 keys 0.52, 256 0.64, 1024 0.85; i16 1024 0.55; u64 256 0.71, 1024 1.01;
     * argsort u32 256 0.86, 700 1.07; f64 8 keys 1.08, 12 0.85, 16 0.82. */
    ORDO_TUNE_WORDS_FEWEST = ORDO_TUNE(17, 4),
    ORDO_WORDS_FEWEST_64 = ORDO_TUNE_WORDS_FEWEST / 2 + 1,
    ORDO_TUNE_WORDS_FEW_64 = ORDO_TUNE(256, 64),
    ORDO_WORDS_FEW_32 = 4 * ORDO_TUNE_WORDS_FEW_64,

    /* 64-bit words that fill an L2 cache. Up to so many keys with their index are sorted by vectors
     * as words on one thread for an argsort (lib/cpu/sort/order_words.c), up to VECTOR_RANK for
     * ranks. EMR, AVX-512, time / that of the radix sort in two runs: argsort f64 in [-1, 1) 10^4
     * keys 0.23, 0.26, 10^5 0.75, 0.66; i32 of all magnitudes 10^5 0.67, 0.69; average ranks f64 in
     * [-1, 1) 10^5 0.64, 0.52; in one run 3e5 0.73, 10^6 0.85. As many pairs with records of 16
     * bytes follow such an argsort. Sapphire Rapids, one thread, time of that / of the records, u64
     * with 4-byte values: 4000 pairs 0.43, 16000 0.55, 65000 0.76, 260000 0.79, 10^6 1.39. */
    ORDO_L2_WORDS = ORDO_TUNE_L2 / 8,
    ORDO_TUNE_VECTOR_RANK = ORDO_TUNE(1 << 20, 300),

    /* Bytes of one bucket that are gathered before they are written past the cache, a multiple of
     * a cache line. EMR, one thread, 10^7 records, ns each for the scatter with 64, 256, 512 bytes:
     * u64 2.9, 2.5, 2.6; pairs u64/u64 6.4, 4.5, 4.6. Written one by one: 7.7, 13.4. */
    ORDO_TUNE_RADIX_GATHER = ORDO_TUNE(256, 128),

    /* Words that are sorted as vectors where the ISA can; more are split by a digit first: of 64
     * bits with AVX2 as many as fill L2. Sapphire Rapids, one thread, AVX-512, ns a word for
     * 1000, 10^5, 10^6 even words: of 32 bits 1.7, 2.9, 4.8; of 64 bits 3.6, 6.3, 9.9. A call in
     * the memory of the keys, time / that of blocks (ORDO_TUNE_BLOCK_BUCKET): 3e6 keys u32
     * uniform 0.74, of all magnitudes 0.80, f32 in [-1, 1) 0.89; 500,000, 10^6 and 3e6 keys u64
     * uniform 0.86, 1.12, 1.27; f64 in [-1, 1) 0.70, 0.99, 1.15. EMR, with splits that prefetch:
     * 10^7 keys u32 uniform 0.89, f32 of all magnitudes 0.82; 1.6e7 u32 uniform 1.10; 3e6 and
     * 10^7 u64 uniform 1.12, 0.96. For words of any size whose highest bits do not divide them
     * evenly the limit is 2^24, a third more than WORDS_32. Sapphire Rapids, AVX-512: 10^7 keys
     * u32 of all magnitudes 0.83, i32 0.78, u32 timestamps 0.91, f32 in [-1, 1) 0.97; 10^6 keys
     * u64 of all magnitudes 0.84, f64 in [0, 1) 0.86, f64 zipf 0.87; 3e6 keys u64 of all
     * magnitudes 0.91, f64 1.16. EMR, AVX-512: 2e6, 4e6 and 10^7 integers of 64 bits of all
     * magnitudes 0.82, 0.80, 0.86, 10^7 f64 in [-1, 1) 1.03; AVX2: 2e6 and 10^7 integers 0.52,
     * 0.60. EMR, with splits that prefetch: 10^7 keys f64 in [-1, 1) 0.82, in [0, 1) 0.81, 3e6
     * 0.88, 1.6e7 in [-1, 1) 1.07; AVX2: 3e6 f64 in [0, 1) 0.92, 10^7 in [-1, 1) 1.03. */
    ORDO_TUNE_WORDS_32 = ORDO_TUNE(3 << 22, 100),
    ORDO_TUNE_WORDS_64 = ORDO_TUNE(1 << 19, 40),

    /* Bytes of words that the vector sort splits between two arrays; more are split in place. A
     * Xeon (Sapphire Rapids), ns a word for 2^15, 2^17, 2^19 bytes and never in place: 10^5 of 32
     * bits 2.92, 2.97, 3.14, 3.20; 10^6 of 64 bits 9.9, 10.3, 11.3, 11.5. */
    ORDO_TUNE_WORDS_CACHE = ORDO_TUNE(1 << 16, 1 << 10),

    /* 64-bit keys become words that hold a part of the key and its index
     * (lib/cpu/radix/short_keys.c): for ranks from RADIX_BIG keys on, for an argsort from
     * L2_WORDS on. Sapphire Rapids, one thread, time of whole keys / of these, argsort u64,
     * f64, ranks f64: generic, 70,000 keys 0.83, 0.74, 0.88, 150,000 1.04, 1.03, 1.13; AVX-512
     * radix sort, 70,000 0.84, 0.98, 1.08, 130,000 1.06, 1.06, 1.17, 200,000 1.22, 1.22, 1.26.
     * More keys leave too few bits. */
    ORDO_TUNE_SHORT_MOST = 1 << 28,

    /* Tenths of a nanosecond that a key takes with one thread in lib/cpu/sort/dense_values.c:
     * counted in words and written, counted in bytes and written, and sorted if its value is
     * outside the range; with a vector sort for each byte of the key. V1, 10^6 keys u32 and u64 of
     * all magnitudes up to 2^20: sorted 9.2 and 9.4 ns, counted or sorted 3.9 and 4.1. EMR, ns of
     * the vector sort, 10^5 keys u32 and u64 2.5 and 3.9, 10^6 2.7 and 5.0, 10^7 4.9, 8.9 (f64). */
    ORDO_TUNE_COST_WORDS = 12,
    ORDO_TUNE_COST_BYTES = 20,
    ORDO_TUNE_COST_SORT = 70,
    ORDO_TUNE_COST_VECTOR = 11,

    /* The look before a sort (lib/cpu/sort/sort_look.c): windows, and neighbours in each. */
    ORDO_TUNE_LOOKS = ORDO_TUNE(48, 8),
    ORDO_TUNE_LOOK_KEYS = ORDO_TUNE(64, 16),
    /* From this many keys on, windows and few values are looked for; up to so many, all keys are
     * checked instead of a look if only a sorted or reversed array matters. Sapphire Rapids, one
     * thread, 30000 keys, time with the look for few values / without: 100 values u32 0.85, f32
     * 0.80, u64 0.47, f64 0.45; uniform 0.98 to 1.04; 10^4 keys uniform 1.01 to 1.07. Argsort i32,
     * time of a check of all / of a look: 2000 keys uniform 0.88, sorted 0.48; 10^4 keys uniform
     * 0.97, sorted 0.71. */
    ORDO_TUNE_LOOK_ALL = ORDO_TUNE(1 << 14, 256),

    /* Runs that are merged rather than sorted again. */
    ORDO_TUNE_RUNS = ORDO_TUNE(8, 4),

    /* The largest radius for which AUTO sorts keys in windows (32-bit keys, f32, 64-bit keys).
     * V1, 10^7 keys, ns per key for radius 16, 64, 10^4 and by the radix sort: u32 0.64, 3.2, 3.6,
     * 6.9; u64 2.2, 4.8, 5.5, 8.3.
     * A Xeon with 105 MB L3, AVX2, one thread, 2e6 keys, before the networks used vectors of 32
     * bytes: time of windows / time of the radix sort, for radius 15, 63 (few distinct keys), 99,
     * 9997:
     *   u32 0.23, 0.69, 0.56, 0.83   f32 0.27, 0.84, 0.69, 1.16
     *   u64 0.88, 1.15, 1.03, 1.96   f64 0.96, 1.15, 1.69, 2.0
     * f32 takes the last limit without NEON, and 64-bit keys the networks only. Where the ISA
     * compresses vectors, windows beyond the networks are sorted by vectors if there are ROUGH_MANY
     * keys, for a radius of up to one key in ROUGH_PART_W of them (of 64 bits up to the last
     * limit); otherwise up to half of what the networks sort. Xeon (Emerald Rapids), AVX-512, least
     * ms of windows and of the general sort, radius 14, 60, 250, 1000:
     *   u32, 1 thread, 10^5 keys    0.07 0.31   0.43 0.34   0.35 0.32   0.38 0.34
     *   u32, 1 thread, 10^6 keys    0.62 4.12   3.08 3.83   2.94 3.86   3.68 3.82
     *   u64, 1 thread, 10^5 keys    0.17 0.43   0.47 0.42   0.51 0.53   0.61 0.44
     *   u64, 1 thread, 10^6 keys    1.80 5.60   6.36 5.06   4.58 7.90   6.41 6.15
     *   u32, 16 threads, 10^6 keys  0.13 0.60   0.42 0.57   0.41 0.56   0.52 0.58
     *   u64, 16 threads, 10^6 keys  0.24 0.76   0.56 0.74   0.57 0.74   0.71 0.77 */
    ORDO_TUNE_ROUGH_RADIUS = ORDO_TUNE(1 << 14, 64),
    ORDO_TUNE_ROUGH_RADIUS_SHORT = ORDO_TUNE(1 << 10, 64),
    ORDO_TUNE_ROUGH_MANY = ORDO_TUNE(1000000, 256),
    ORDO_TUNE_ROUGH_PART_32 = ORDO_TUNE(1 << 10, 4),
    ORDO_TUNE_ROUGH_PART_64 = ORDO_TUNE(1 << 12, 4),

    /* Keys out of place that are sorted apart (lib/cpu/sort/displaced.c): one key in
     * DISPLACED_FREE of the array and, unless the ISA compresses vectors, four times as many of
     * those read so far. It is tried if as few neighbours fall within the windows, and at most one
     * window in eight begins below the one before. displaced.c has the measurement. */
    ORDO_TUNE_DISPLACED_FREE = ORDO_TUNE(64, 16),
    ORDO_DISPLACED_SHARE = ORDO_TUNE_DISPLACED_FREE / 4,
    ORDO_DISPLACED_FAR = ORDO_TUNE_LOOKS / 8,

    /* Items up to which the sorts without scratch use a buffer on the stack (8 KB of records). V1,
     * 3e6 random items of 128 bits, ms of one thread for 128, 512, 1024: 72.5, 71.8, 72.3. */
    ORDO_INPLACE_SMALL = ORDO_TUNE_SPAN / 4,

    /* Sorts by a caller's comparison, which takes 5 ns at best: elements sorted by one thread and
     * merged by one piece; lg of the leaves of the splitter tree (twice as many buckets, and a
     * bucket is a byte). */
    ORDO_TUNE_COMPARE_BLOCK = ORDO_TUNE(1 << 12, 24),
    ORDO_TUNE_COMPARE_LG = ORDO_TUNE(7, 3),

    /* Bytes from which elements are sorted by pointers to them: a pointer saves moves and costs a
     * cache miss for every comparison. V1, 1e6 elements of 200 bytes, one thread: 519 ms by
     * pointers, 176 ms without. */
    ORDO_TUNE_COMPARE_LARGE = ORDO_TUNE(512, 32),

    /* A group of n strings is sorted by this many bits more than lg n, after which most strings
     * differ. V1, one thread, 3e6 random words of 15 letters, M strings/s for 2, 4, 6, 8 bits:
     * 41.7, 46.6, 47.7, 47.7. */
    ORDO_TUNE_STRINGS_EXTRA = ORDO_TUNE(6, 3),

    /* Up to this many strings with equal keys are compared with each other, at least 2. The same
     * measure, strings of ACGT, 2, 3, 4: 14.7, 15.0, 14.7. */
    ORDO_TUNE_STRINGS_FEW = ORDO_TUNE(3, 2),

    /* Selection: up to this many keys are copied and quickselected; for more keys the fixed cost of
     * a sample is small. */
    ORDO_TUNE_SELECT_SMALL = ORDO_TUNE(1 << 16, 96),

    /* The same for places near each other where the ISA has a vector sort. Sapphire Rapids,
     * AVX-512, one thread, medians of 5000, 10^4, 3e4 keys, time by a sample / by a copy: f64 1.16,
     * 0.80, 0.56; f32 1.25, 0.70, 0.46; i32 1.31, 0.68, 0.41. Since the least sample is smaller:
     * f64 of 1280, 2560, 5120 keys 1.36, 1.07, 1.07. */
    ORDO_TUNE_SELECT_VECTOR_COPY = ORDO_TUNE(1 << 13, 64),

    /* ordo_nth in any order: up to SELECT_SMALL keys are copied and split in place, more are moved
     * around a bracket of a sample; with AVX-512 up to twice SELECT_VECTOR_COPY, and if indices are
     * wanted up to SELECT_VECTOR_COPY. Up to INDEX_ORDERED indices are written in order with
     * AVX-512. f64, microseconds by a copy and by a bracket: V1 16000 keys 36 and 47 (an earlier
     * loop); Emerald Rapids AVX2 8000 keys 15 and 26, indices 26 and 25; AVX-512 8000 keys 8.8 and
     * 12; indices by a bracket and in order, 8000 12 and 13, 10^5 109 and 99, 10^6 974 and 1089.
     * Keys with AVX-512, NumPy's time over ordo's, by a copy and by a bracket, of 10^4, 16000,
     * 32000 and 64000 keys 1.42 and 1.34, 1.38 and 1.42, 1.50 and 1.51, 1.42 and 1.57 (Emerald
     * Rapids). Indices without vectors, up to a quarter: 3000 keys 20 and 13 (AMD EPYC). */
    ORDO_TUNE_NTH_INDEX_ORDERED = ORDO_TUNE(1 << 18, 64),

    /* Places from which all words of 32 bits, and three times as many for those of 64 bits, are
     * sorted by vectors rather than quickselected. Sapphire Rapids, one thread, time of the sort /
     * of quickselect for 1000, 10^4, 6e4 keys: u32 4 places 0.41, 0.56, 0.69, 9 places 0.26, 0.39,
     * 0.49; u64 4 places 0.47, 1.12, 1.35, 9 places 0.46, 0.72, 1.03, 16 places 0.41, 0.65,
     * 0.78. */
    ORDO_TUNE_SELECT_SORT = 4,

    /* Where the ISA has a vector sort, up to this many keys are copied and sorted instead: keys of
     * up to 32 bits, and keys of 64 bits. Sapphire Rapids, rows, one thread, microseconds for a
     * row, sorted and quickselected: f32 256 keys 0.48, 1.37; 512 1.59, 2.47; f64 100 0.35, 0.89;
     * 128 0.52, 1.06; 192 1.38, 1.35. These are half as many as the vector sort sorts in a call. */
    ORDO_SELECT_VECTOR_32 = ORDO_WORDS_FEW_32 / 2,
    ORDO_SELECT_VECTOR_64 = ORDO_TUNE_WORDS_FEW_64 / 2,

    /* lg of the largest sample, and how many standard deviations a
     * bracket reaches to each side: with 3, one bracket in 370 misses, which costs a second
     * read. */
    ORDO_TUNE_SELECT_LG_SAMPLE = ORDO_TUNE(20, 10),
    /* The least sample: 16 % of 10^4 keys are kept. The same machine, f64, time with 2^9 / with
     * 2^10: 0.72 for 10^4 keys. */
    ORDO_TUNE_SELECT_LG_LEAST = ORDO_TUNE(9, 1),
    ORDO_TUNE_SELECT_SIGMAS = ORDO_TUNE(3, 2),

    /* If all k are within n / NEAR places, one bracket is better than cells. V1, one thread, 10^7
     * u32, ns per key for 9 quantiles by cells 1.5, by one bracket after the other 5.2. */
    ORDO_TUNE_SELECT_NEAR = ORDO_TUNE(64, 8),

    /* At most one key in this many is kept in scratch. */
    ORDO_TUNE_SELECT_SHARE = ORDO_TUNE(8, 2),

    /* Radius: keys in a block whose maximum and minimum are kept; the largest radius that is
     * checked by pieces, each with twice as many keys before it. A look for a large radius reads as
     * many at first. V1, one thread, 10^7 keys u32, time
     * over that of a sum of the array: sorted 1.0, radius 128 1.6, 1000 1.0, 10^4 1.5. */
    ORDO_TUNE_RADIUS_BLOCK = ORDO_TUNE(256, 16),
    ORDO_TUNE_RADIUS_NEAR = ORDO_TUNE(4096, 48),

    /* Roughly sorted keys: a window has 8 times the radius of keys, at most ROUGH_WINDOW and at
     * least half as many. V1, one thread, ns a key u32, radius 1000, for windows of at least 2^13,
     * 2^14, 2^15: 3.7, 3.4, 3.2; radius 16, by networks, for pieces of 2^12, 2^13, 2^14, 2^15:
     * 0.69, 0.63, 0.61, 0.60. */
    ORDO_TUNE_ROUGH_WINDOW = ORDO_TUNE(1 << 16, 256),
    ORDO_ROUGH_SHORTEST = ORDO_TUNE_ROUGH_WINDOW / 2,
    /* Windows from ROUGH_SPREAD keys on are spread by one digit and finished by networks; the
     * shortest window that is sorted by vectors. Emerald Rapids, one thread, 4e6 u32 keys, ms by
     * vectors for 2^10, 2^11, 2^12, 2^13: radius 60 7.7, 8.1, 8.8, 9.8; radius 250 9.0, 9.4, 9.4,
     * 10.5. */
    ORDO_TUNE_ROUGH_SPREAD = ORDO_TUNE(1 << 10, 64),

    /* The sort of structs (lib/cpu/elements/sort_records.c): bytes of an element up to which it is
     * scattered to a bucket. Sapphire Rapids, one thread, 256 MB, CPU time without buckets over
     * that with buckets: elements of 96 bytes 1.46, 128 bytes 1.36, 256 bytes 1.24. */
    ORDO_TUNE_ELEMENT = 256,

    /* Moving windows: outputs of a chunk, at least CHUNK and WINDOWS windows; where scratch is
     * refused or the array has too few chunks for the threads, at least CHUNK and one window.
     * Sapphire Rapids, one thread, f64, 2^20 elements, ns an output of the median for CHUNK 256 and
     * 1024: window 20 25.8, 33.8; window 100 17.4, 18.5. */
    ORDO_TUNE_MOVING_CHUNK = ORDO_TUNE(256, 24),
    ORDO_TUNE_MOVING_WINDOWS = ORDO_TUNE(3, 2),

    /* Minima and maxima: outputs of a chunk, at least PIECE and BOUNDS_WINDOWS windows. */
    ORDO_TUNE_MOVING_BOUNDS_WINDOWS = ORDO_TUNE(16, 2)
};

#endif

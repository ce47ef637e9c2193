/* tuning.h - every threshold of the library, each with the measurement that set it.
 *
 * Machines: V1 is a Neoverse V1 with 2 cores, 1 MB L2 each; EMR a Xeon (Emerald Rapids) with 16
 * cores, 2 MB L2 each. Taken in November 2026 with `ordo bench` at 64e6 keys unless said.
 *
 * ORDO_TINY is the test build: it shrinks them all, so that a thousand keys reach every phase,
 * every boundary between pieces and every thread. */
#ifndef ORDO_PLAN_TUNING_H
#define ORDO_PLAN_TUNING_H

#ifdef ORDO_TINY
#define ORDO_TUNE(production, tiny) (tiny)
#else
#define ORDO_TUNE(production, tiny) (production)
#endif

enum {
    /* Keys in one piece of a parallel loop. Short pieces restart the prefetchers too often; long
     * ones leave the cache before a scan reads them again. V1, 2 threads, ms for 2^12, 2^13,
     * 2^14, 2^15, 2^16 keys: rank f32 -> u32 15.0, 13.0, 11.5, 11.4, 10.8; sum of u32 18.1, 16.3,
     * 16.1, 19.0, not taken. */
    ORDO_TUNE_PIECE = ORDO_TUNE(1 << 15, 192),

    /* Up to this many keys a call stays on the calling thread. Waking 15 threads costs about as
     * much as ranking 10^5 keys: EMR, 10^5 keys f32 -> u32, 38 us alone and 42 us with 16
     * threads; byte flags -> u32 13 us and 36 us. */
    ORDO_TUNE_ALONE = ORDO_TUNE(1 << 17, 64),

    /* Ordinal ranks written by one call of a kernel, from words of ones on the stack. */
    ORDO_TUNE_SPAN = ORDO_TUNE(2048, 128),

    /* Results of this many bytes and more are written past the cache where the ISA can (x86): an
     * ordinary store first reads the line it overwrites. EMR, 16 threads, 128e6 keys: sums of 32
     * bits 14.0 ms with ordinary stores and scalar sums, 8.0 ms with vector sums streamed. */
    ORDO_TUNE_STREAM = ORDO_TUNE(8 << 20, 512),

    /* The radix sort (lib/cpu/sort/radix.c). Bits of a digit inside the cache: 2048 counters. */
    ORDO_TUNE_RADIX_DIGIT = ORDO_TUNE(11, 4),
    /* Records sorted by counting and merging rather than by digits. V1, a sort of 32, 64 and 128
     * keys u32, microseconds by counting and by digits: 0.61, 1.16, 3.1; 0.46, 0.61, 1.4. */
    ORDO_TUNE_RADIX_SMALL = ORDO_TUNE(20, 12),
    /* Records equal in the digits taken that are finished by insertion. */
    ORDO_TUNE_RADIX_INSERTION = ORDO_TUNE(16, 3),
    /* Bytes of records that are sorted by two digits at once; more are split first. */
    ORDO_TUNE_RADIX_LOCAL = ORDO_TUNE(512 << 10, 512),
    /* Bytes of records that one thread sorts in its cache without a split by samples. */
    ORDO_TUNE_RADIX_ALONE = ORDO_TUNE(256 << 10, 256),
    /* Most keys looked at before a split. */
    ORDO_TUNE_RADIX_SAMPLE = ORDO_TUNE(8192, 64),
    /* Bits of a bucket's number, and of a cell's number where keys are uneven. */
    ORDO_TUNE_RADIX_TOP = ORDO_TUNE(11, 4),
    ORDO_TUNE_RADIX_CELLS = ORDO_TUNE(16, 6),
    /* lg of the records wanted in a bucket. */
    ORDO_TUNE_RADIX_BUCKET = ORDO_TUNE(14, 5),
    /* Records of a bucket that one thread sorts in any case. */
    ORDO_TUNE_RADIX_BIG = ORDO_TUNE(1 << 16, 96),

    /* Words that are sorted as vectors where the ISA can; more are split by a digit first. EMR, ns
     * a key for 128, 1024, 8192, 65536 words: of 32 bits 1.4, 2.3, 3.4, 3.6; of 64 bits 3.5, 5.3,
     * 7.6, 8.4; a split takes about 1.8. */
    ORDO_TUNE_WORDS_32 = ORDO_TUNE(1 << 16, 100),
    ORDO_TUNE_WORDS_64 = ORDO_TUNE(1 << 10, 40),

    /* Bytes of records whose ranks go straight to their places (lib/cpu/sort/rank_unsorted.c). */
    ORDO_TUNE_RANK_DIRECT = ORDO_TUNE(1 << 20, 512),

    /* The look before a sort (lib/cpu/sort/adaptive.c): windows, and neighbours in each. */
    ORDO_TUNE_LOOKS = ORDO_TUNE(48, 8),
    ORDO_TUNE_LOOK_KEYS = ORDO_TUNE(64, 16),
    /* Runs that are merged rather than sorted again. */
    ORDO_TUNE_RUNS = ORDO_TUNE(8, 4),
    /* Radius up to which roughly sorted keys are sorted in windows, for keys of 32 and 64 bits, and
     * the keys that are worth it. V1, ns a key with the radius known, for 16, 32, 64, 1000, 10^4:
     * of 32 bits 0.65, 1.15, 4.1, 4.8, 6.2; of 64 bits 2.2, 4.0, 5.4, 6.1, 7.3. The radix sort
     * takes about 6.4 and 8. */
    ORDO_TUNE_ROUGH_GUESS = ORDO_TUNE(32, 16), /* largest radius tried before it is measured */
    ORDO_TUNE_ROUGH_RADIUS_32 = ORDO_TUNE(1000, 32),
    ORDO_TUNE_ROUGH_RADIUS_64 = ORDO_TUNE(4096, 32),
    ORDO_TUNE_ROUGH_KEYS = ORDO_TUNE(1 << 14, 128),

    /* Elements staged on each side by one step of the stable split: two buffers of at most 8 KB
     * stay in L1. */
    ORDO_TUNE_SPLIT = ORDO_TUNE(512, 64),

    /* Items sorted by one thread before merging passes over the whole array begin: block and
     * buffer of 32-bit items are half of V1's L2. V1, 3e6 random items of 32 and 64 bits, ms of one
     * thread for 2^13, 2^16, 2^18: 66, 68, 67 and 70, 72, 71: fewer passes, not faster ones. */
    ORDO_TUNE_MERGE_BLOCK = ORDO_TUNE(1 << 16, 48),

    /* Items of output in one piece of a merging pass: four binary searches over the whole array
     * are a small part of it. V1, 4 runs of 1e6 items of 64 bits, ms of one thread for 2^13, 2^15,
     * 2^17: 10.0, 8.6, 8.6. */
    ORDO_TUNE_MERGE_PIECE = ORDO_TUNE(1 << 15, 80),

    /* Sample sort: lg of the leaves of the splitter tree (twice as many buckets, and a bucket is a
     * byte); buckets up to this many items are merge sorted; items labelled by one piece. V1, 3e6
     * random items of 64 and 128 bits, ms of one thread for 2^12, 2^14, 2^16 items merged: 61.6,
     * 61.7, 63.8 and 122, 124, 148. */
    ORDO_TUNE_SAMPLE_LG = ORDO_TUNE(7, 3),
    ORDO_TUNE_SAMPLE_BASE = ORDO_TUNE(1 << 14, 128),
    ORDO_TUNE_SAMPLE_PIECE = ORDO_TUNE(1 << 16, 96),

    /* Items of a bitonic network's block, whose exchanges are done in the cache. V1, 2e6 items of
     * 32 bits, ms of one thread for 2^12, 2^14, 2^16: 87.4, 85.5, 85.2. */
    ORDO_TUNE_BITONIC_BLOCK = ORDO_TUNE(1 << 14, 32),

    /* Items up to which the in-place radix sort merges with a buffer on the stack (8 KB).
     * V1, 3e6 random items of 32 and 128 bits, ms of one thread for 128, 512, 1024: 36.1, 36.6,
     * 36.3 and 72.5, 71.8, 72.3. */
    ORDO_TUNE_INPLACE_SMALL = ORDO_TUNE(512, 32),

    /* Keys that are a task of their own for a thread when indices or pairs are sorted in place. */
    ORDO_TUNE_INPLACE_TASK = ORDO_TUNE(1 << 13, 64),

    /* Sorts by a caller's comparison, which takes 5 ns at best: elements sorted by one thread and
     * merged by one piece; elements up to which merging is left to do it all. */
    ORDO_TUNE_BY_BLOCK = ORDO_TUNE(1 << 12, 24),
    ORDO_TUNE_BY_SAMPLE = ORDO_TUNE(1 << 14, 128),

    /* Bytes from which elements are sorted by pointers to them: a pointer saves moves and costs a
     * cache miss for every comparison. V1, 1e6 elements of 200 bytes, one thread, sample sort and
     * stable sort: 519 and 1387 ms by pointers, 176 and 245 ms without. */
    ORDO_TUNE_BY_LARGE = ORDO_TUNE(512, 32),

    /* Strings are sorted by all threads together above this many, by one thread below. V1, one
     * thread, 10^7 random words of 15 letters, M strings/s of CPU time for 2^14, 2^16, 2^18: 47.6,
     * 47.3, 47.7. Smaller would make more loops for 16 threads, larger fewer groups to share. */
    ORDO_TUNE_STRINGS_LARGE = ORDO_TUNE(1 << 16, 64),

    /* Bits of one digit of a string's key. Likewise, 9, 10, 11 bits: 46.5, 48.3, 47.3; eleven hold
     * two lower-case letters even where others occur. At most 11. */
    ORDO_TUNE_STRINGS_DIGIT = ORDO_TUNE(11, 4),

    /* A group of n strings is sorted by this many bits more than lg n, which leave most of them
     * alone. Likewise, 3e6 words, 2, 4, 6, 8 bits: 41.7, 46.6, 47.7, 47.7; 10^6 strings of ACGT:
     * 15.0, 14.9, 16.1, 15.6. */
    ORDO_TUNE_STRINGS_EXTRA = ORDO_TUNE(6, 3),

    /* Up to this many strings their keys are sorted by insertion. Likewise, 10^6 strings with a
     * thousand different values, 12, 16, 24, 40: 19.5, 21.2, 19.7, 19.7; words are alike. */
    ORDO_TUNE_STRINGS_LEAF = ORDO_TUNE(16, 4),

    /* Up to this many strings with equal keys are compared with each other. Of ACGT, 2, 3, 4, 8:
     * 14.7, 15.0, 14.7, 14.7; but each string is then read that often, however long it is. At
     * least 2. */
    ORDO_TUNE_STRINGS_FEW = ORDO_TUNE(3, 2),

    /* Bytes of the first block of a shared prefix; it is looked at where a whole key was shared,
     * and the next one is twice as long. A cache line or two of each string. */
    ORDO_TUNE_STRINGS_BLOCK = ORDO_TUNE(64, 8),

    /* Selection: up to this many keys are copied and quickselected; beyond, the sample's fixed
     * cost is small. V1, median of u32, 1 thread, beside std::nth_element in the same run: 7.9
     * times as fast at 10^6 keys, 13 times at 10^8. */
    ORDO_TUNE_SELECT_SMALL = ORDO_TUNE(1 << 16, 96),

    /* Keys that all ranges of a pass look at while they are in L1 (V1, blocks of 2048, one range:
     * 0.31 ns a key for u32, 0.47 for u64), and keys of one histogram, whose counts are added up
     * atomically. */
    ORDO_TUNE_SELECT_BLOCK = ORDO_TUNE(2048, 48),
    ORDO_TUNE_SELECT_PIECE = ORDO_TUNE(1 << 18, 200),

    /* lg of the largest sample, draws of one piece, and how many standard deviations a bracket
     * reaches to each side: 4 miss once in 16,000 times. */
    ORDO_TUNE_SELECT_LG_SAMPLE = ORDO_TUNE(20, 10),
    ORDO_TUNE_SELECT_DRAWS = ORDO_TUNE(1 << 13, 40),
    ORDO_TUNE_SELECT_SIGMAS = ORDO_TUNE(4, 2),

    /* What is kept takes at most one word of scratch for this many keys. */
    ORDO_TUNE_SELECT_SHARE = ORDO_TUNE(8, 2),

    /* Bits of a digit of radix select: a histogram of 16 KB on the stack. */
    ORDO_TUNE_SELECT_DIGIT = ORDO_TUNE(11, 4),

    /* Items of top-k that are sorted in place, on one thread. */
    ORDO_TUNE_TOPK_SMALL = ORDO_TUNE(1 << 14, 64),

    /* Radius: keys of a block whose largest and least key are kept; and the largest radius that is
     * looked for in pieces, each with twice as many keys before it. V1, one thread, 64e6 keys u32:
     * a sorted array takes as long as its sum (0.20 ns a key), radii up to 64 take 1.6 sums, 256 to
     * 10^4 2.3 to 3.0, a random array 1.7. */
    ORDO_TUNE_RADIUS_BLOCK = ORDO_TUNE(256, 16),
    ORDO_TUNE_RADIUS_NEAR = ORDO_TUNE(4096, 24),

    /* Roughly sorted keys: keys of a piece sorted by networks, a multiple of 128. V1, one thread,
     * u32, radius 16, ns a key for pieces of 2^12, 2^13, 2^14, 2^15: 0.69, 0.63, 0.61, 0.60. */
    ORDO_TUNE_ROUGH_PIECE = ORDO_TUNE(1 << 14, 512),

    /* The longest window for a radius that would allow a shorter one, and the shortest window, from
     * which on a digit has ROUGH_DIGIT bits. V1, a window of 8192 keys u32 that span 19 bits, ns a
     * key for digits of 11, 9 and 8 bits at most: 3.6, 4.8, 4.9. */
    ORDO_TUNE_ROUGH_WINDOW = ORDO_TUNE(1 << 16, 256),
    ORDO_TUNE_ROUGH_WIDE = ORDO_TUNE(1 << 13, 96),
    ORDO_TUNE_ROUGH_DIGIT = ORDO_TUNE(11, 5),
    ORDO_TUNE_ROUGH_DIGIT_SMALL = ORDO_TUNE(8, 3),

    /* Borders between windows merged by one body. */
    ORDO_TUNE_ROUGH_BORDERS = ORDO_TUNE(16, 2)
};

#endif

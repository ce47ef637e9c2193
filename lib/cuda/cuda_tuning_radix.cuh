/* cuda_tuning_radix.cuh - the thresholds and tile sizes of the radix sort, each with the
 * measurement that set it. H200 as in cuda_tuning.cuh; 2^28 random keys unless said, in ms. */
#ifndef ORDO_CUDA_TUNING_RADIX_CUH
#define ORDO_CUDA_TUNING_RADIX_CUH

enum {
    /* Threads of a block of the histogram. Under the profiler, at 1.5 GHz, 2^26 keys take 0.17
     * (u32) and 0.33 (u64). */
    CUDA_TUNE_RADIX_HISTOGRAM_THREADS = 512,
    /* The leading digits do if no more than one key of this many shares its prefix with another.
     * For 1, 4, 16: u64 9.04, 9.04, 11.4; f64 in [0, 1) 22.3, 12.5, 12.5; 2^22 keys u32 0.177,
     * 0.140, 0.144. */
    CUDA_TUNE_RADIX_TIED = 4,
    /* Keys alone are ranked by atomics in their first step if two keys share the digit less often
     * than once in this many pairs: u32 5.25, by matching 5.54. */
    CUDA_TUNE_RADIX_LOOSE = 64,
    /* Longest run of one prefix that a thread sorts, and runs beyond it that blocks sort. Not
     * measured: with so few ties as above neither is met by random keys. */
    CUDA_TUNE_RADIX_WALK = 64,
    CUDA_TUNE_RADIX_RUNS = 4096,
    /* Keys up to which one block sorts alone: 2^14 keys u32, u64 0.043, 0.047, beside CUB's 0.051,
     * 0.086; 2^16 keys in many blocks 0.055, 0.053. */
    CUDA_TUNE_RADIX_SMALL = 1 << 14,
    /* Most keys of one launch; a count of them takes 30 bits. */
    CUDA_TUNE_RADIX_PORTION = 1 << 29
};

/* Tiles of a pass by bytes of key and value: threads, keys of each, blocks of a multiprocessor that
 * registers must allow. Larger tiles write longer runs and pay less for look-back, until registers
 * spill. */
template <int KEY, int VALUE> struct cuda_tune_radix;

/* u32: 384 x 18 x 3 5.41, 384 x 20 x 3 5.25, 384 x 22 x 3 5.29, 256 x 20 x 4 6.04, 256 x 24 x 3
 * 5.30, 512 x 20 x 2 5.13; CUB 5.44. */
template <> struct cuda_tune_radix<4, 0> {
    enum {
        THREADS = 512,
        ITEMS = 20,
        RESIDENT = 2
    };
};
/* u64: 384 x 12 x 3 9.02, 384 x 14 x 3 9.01, 384 x 16 x 3 9.76, 256 x 20 x 3 8.80 (but f64 spills),
 * 512 x 12 x 2 8.93; CUB 16.4. */
template <> struct cuda_tune_radix<8, 0> {
    enum {
        THREADS = 384,
        ITEMS = 12,
        RESIDENT = 3
    };
};
/* u32 with u32, argsort of f32: 384 x 16 x 2 8.79, 7.93; 384 x 18 x 2 8.76, 7.92; 384 x 20 x 2
 * 9.14, 8.06; 512 x 14 x 2 8.84, 8.02; CUB 8.56 for the first. */
template <> struct cuda_tune_radix<4, 4> {
    enum {
        THREADS = 384,
        ITEMS = 18,
        RESIDENT = 2
    };
};
/* u64 with u32 13.6, argsort of u64 13.4. */
template <> struct cuda_tune_radix<8, 4> {
    enum {
        THREADS = 384,
        ITEMS = 12,
        RESIDENT = 2
    };
};
/* u32 with u64 11.3. */
template <> struct cuda_tune_radix<4, 8> {
    enum {
        THREADS = 384,
        ITEMS = 12,
        RESIDENT = 2
    };
};
/* u64 with u64: 384 x 10 x 2 16.5, 384 x 14 x 2 19.4, 256 x 18 x 2 15.6, 512 x 12 x 1 15.8; CUB
 * 24.8. */
template <> struct cuda_tune_radix<8, 8> {
    enum {
        THREADS = 256,
        ITEMS = 18,
        RESIDENT = 2
    };
};

#endif

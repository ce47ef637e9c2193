/* cuda_tuning_radix.cuh - the thresholds and tile sizes of the radix sort, each with the
 * measurement that set it. H200 as in cuda_tuning.cuh; 2^28 random keys unless said, in ms. */
#ifndef ORDO_CUDA_RUNTIME_CUDA_TUNING_RADIX_H
#define ORDO_CUDA_RUNTIME_CUDA_TUNING_RADIX_H

enum {
    /* Threads of a block of the histogram. Under the profiler, at 1.5 GHz, 2^26 keys take 0.17
     * (u32) and 0.33 (u64). */
    CUDA_TUNE_RADIX_HISTOGRAM_THREADS = 512,
    /* The leading digits do if no more than one key of this many shares its prefix with another.
     * For 1, 4, 16: u64 9.04, 9.04, 11.4; f64 in [0, 1) 13.7, 12.5, 12.5; 2^22 keys u32 0.177,
     * 0.140, 0.144. */
    CUDA_TUNE_RADIX_TIED = 4,
    /* Keys alone are ranked by atomics in their first step if two keys share the digit less often
     * than once in this many pairs: u32 5.25, by matching 5.54. */
    CUDA_TUNE_RADIX_LOOSE = 64,
    /* Runs of one prefix, too long for a warp, that blocks sort. Not measured: with so few ties as
     * above they are not met by random keys. */
    CUDA_TUNE_RADIX_RUNS = 4096,
    /* Keys from which on a sample is looked at before a prefix is trusted, most keys of the sample,
     * and how many of them may share a prefix with a different one. u64 whose upper four bytes are
     * alike 14.1, before there was a sample 45.7. */
    CUDA_TUNE_RADIX_SAMPLE_FROM = 1 << 22,
    CUDA_TUNE_RADIX_SAMPLE = 1 << 14,
    CUDA_TUNE_RADIX_CROWDED = 4,
    /* Keys up to which one block sorts alone where there are no clusters: 2^14 keys u32, u64 0.043,
     * 0.047, beside CUB's 0.051, 0.086. */
    CUDA_TUNE_RADIX_SMALL = 1 << 14,
    /* Keys above which a cluster sorts, instead of a block, and in 16 blocks instead of 8. In us,
     * u32, u32 with u32, u64 with u64: 2^12 keys in one block 10.4 11.5 14.4, in 8 12.4 13.7 14.7;
     * 2^13 in 8 13.3 15.0 17.2, in 16 15.3 16.6 18.3; 2^14 15.8 19.0 22.2, 16.9 19.2 21.8; 2^15
     * 19.7 25.1 32.6, 19.6 22.3 26.8; 2^16 in 16 24.3 29.4 37.2, with 1024 threads a block instead
     * of 512 27.3 32.6 40.6. CUB, the better of its radix and merge sorts: 2^12 9.0 12.2 19.4, 2^13
     * 13.9 20.5 25.9, 2^16 37.1 46.2 53.9. */
    CUDA_TUNE_RADIX_CLUSTER_ABOVE = 4096,
    CUDA_TUNE_RADIX_CLUSTER_8 = 8192,
    /* Keys up to which tiles have FEW keys a thread and one launch does all steps and the finish.
     * In us, u32, u64, u32 with u32: 2^17 keys 47, 43, 48, with larger tiles and more launches 52,
     * 48, 63; 2^19 56, 63, 65, and 63, 74, 74. */
    CUDA_TUNE_RADIX_FEW = 1 << 20,
    /* Most keys of one launch; a count of them takes 30 bits. */
    CUDA_TUNE_RADIX_PORTION = 1 << 29
};

/* Tiles of a pass by bytes of key and value: threads, keys of each, blocks of a multiprocessor that
 * registers must allow, keys of each thread if there are few, and whether the values of a tile are
 * loaded after its keys are ranked, instead of with them, for which registers must be there. Larger
 * tiles write longer runs and pay less for look-back, until registers spill. */
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

/* u32: 384 x 18 x 3 5.41, 384 x 20 x 3 5.25, 384 x 22 x 3 5.29, 256 x 20 x 4 6.04, 256 x 24 x 3
 * 5.30, 512 x 20 x 2 5.13; CUB 5.44. */
template <> struct cuda_tune_radix<4, 0> : radix_shape<512, 20, 2, 8> {
};
/* u64: 384 x 12 x 3 9.02, 384 x 14 x 3 9.01, 384 x 16 x 3 9.76, 256 x 20 x 3 8.80 (but f64 spills),
 * 512 x 12 x 2 8.93; CUB 16.4. */
template <> struct cuda_tune_radix<8, 0> : radix_shape<384, 12, 3, 6> {
};
/* u32 with u32, argsort of u32: values with the keys 384 x 18 x 2 8.83, 8.09; late 384 x 18 x 2
 * 8.89, 8.39; 384 x 20 x 2 8.71, 8.24; 384 x 22 x 2 8.36, 7.83; 384 x 23 x 2 8.21,
 * 7.76; 384 x 24 x 2 8.48, 7.92; 384 x 16 x 3 10.1, 9.18; 512 x 16 x
 * 2 8.76, 8.21; CUB 8.53. */
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

#endif

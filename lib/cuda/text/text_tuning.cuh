/* text_tuning.cuh - the thresholds of the text verbs of the GPU, with the measurements that set
 * them. H200 is an NVIDIA H200 (132 multiprocessors, copies at 4.3 TB/s), November 2026. */
#ifndef ORDO_CUDA_TEXT_TEXT_TUNING_H
#define ORDO_CUDA_TEXT_TEXT_TUNING_H

/* New ranks of suffixes (dev_suffix.cu). At least UPDATES of them, in a text of at least RANKS
 * bytes, are sorted into 256 buckets of positions before they are written. Below RANKS bytes, the
 * ranks are in L2. H200, 2^28 bytes of English, the first ranks with the kernel that finds them,
 * ms: written directly 19.5, in buckets UNMEASURED. */
enum {
    CUDA_TUNE_TEXT_UPDATES = 1 << 20,
    CUDA_TUNE_TEXT_RANKS = 1 << 23
};

#endif

/* text_tuning.cuh - the thresholds of the text verbs of the GPU, with the measurements that set
 * them. H200 is an NVIDIA H200 (132 multiprocessors, copies at 4.3 TB/s), November 2026. */
#ifndef ORDO_CUDA_TEXT_TEXT_TUNING_H
#define ORDO_CUDA_TEXT_TEXT_TUNING_H

/* Ranks of suffixes (dev_suffix.cu). While at least the share PUT of all suffixes is active, a round
 * writes all ranks by two partitions; later rounds scatter the ranks that change. H200, 2^28 bytes
 * of English, ms of the kernels that find and write the ranks: first ranks scattered 19.5, by
 * partitions 8.6; with 267e6 active suffixes 18.7, 8.9; with 157e6 9.1, 5.0. STUCK: if a round
 * leaves more than this share of its suffixes active, few ranks change, and the next rounds scatter
 * them: text of one letter 363 by scattering, 447 by partitions. PUT_BELOW: the partitions take
 * 32-bit indices of up to 31 bits. */
#define CUDA_TUNE_TEXT_PUT 0.5
#define CUDA_TUNE_TEXT_STUCK 0.99
#define CUDA_TUNE_TEXT_PUT_BELOW ((size_t)1 << 31)

/* Groups of at most so many suffixes are sorted by counting in shared memory, larger ones by a radix
 * sort. H200, 2^28 bytes of English and 255e6 of source text, ms of a call: 32 UNMEASURED, 128
 * UNMEASURED. A multiple of 32. */
enum {
    CUDA_TUNE_TEXT_SMALL = 128
};

#endif

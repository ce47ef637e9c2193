/* text_tuning.cuh - the thresholds of the text verbs of the GPU, with the measurements that set
 * them. H200 is an NVIDIA H200 (132 multiprocessors, copies at 4.3 TB/s), November 2026. */
#ifndef ORDO_CUDA_TEXT_TEXT_TUNING_H
#define ORDO_CUDA_TEXT_TEXT_TUNING_H

/* Ranks of suffixes (dev_suffix.cu). If at least the share PUT of all suffixes is still active, a
 * round writes all ranks by two partitions; else it scatters those that change. H200, 2^28 bytes of
 * English, ms of the kernels that find and write the ranks, scattered and by partitions: first
 * ranks 19.5, 8.6; 267e6 active suffixes 18.7, 8.9; 157e6 9.1, 5.0. A text of one letter, whose
 * ranks hardly change, takes 363 ms by scattering and 447 ms by partitions. */
#define CUDA_TUNE_TEXT_PUT 0.5

/* A round that leaves at least the share STUCK of the active suffixes, while at least the share
 * RUNS of all suffixes is in large groups, is followed by one that looks for runs of a period
 * (suffix_runs.cuh); estimates. H200, 2^28 bytes, ms without and with these rounds: one letter
 * 448, 69; a period of 1000 letters 945, 351; the Fibonacci word 807, 841. */
#define CUDA_TUNE_TEXT_STUCK 0.9
#define CUDA_TUNE_TEXT_RUNS 0.25

/* Largest group of suffixes that a block sorts in shared memory, a multiple of 32
 * (suffix_groups.cuh). H200, 2^28 bytes, suffix array, ms with 32 and 64: English 76.3, 70.7;
 * proteins 52.6, 46.3. */
#define CUDA_TUNE_TEXT_SMALL 64

#endif

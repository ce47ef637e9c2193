/* dev_bits.cuh - the binary prefix sum by one flag a thread, as the poster has it, for comparison
 * with dev_scan_bits (cuda_dev.cuh). */
#ifndef ORDO_CUDA_PAPERS_DEV_BITS_H
#define ORDO_CUDA_PAPERS_DEV_BITS_H

#include "cuda/runtime/cuda_rt.cuh"

enum bits_form { /* of the scan within a block, block/block_bits.cuh */
    BITS_BY_BALLOT,
    BITS_BY_SHARED
};

/* The same results as dev_scan_bits, with its scratch; job->counts is not NULL. */
ordo_status dev_bits_paper(cuda_call *call, const ordo_bits_job *job, bits_form form);

#endif

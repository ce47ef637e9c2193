/* dev_compare.cuh - what the comparison sorts (bitonic, merge, sample, rough, halving) share.
 *
 * They sort records of three kinds, for any job: key bits of 32 or 64 bits (narrower keys are
 * widened), or key bits above an index, in one 64-bit word or in a key_record. The index makes all
 * records different, so every sort is stable. An algorithm is a function of an array of records
 * (compare_sorter); dev_compare.cu makes the records and reads the results. */
#ifndef ORDO_CUDA_PAPERS_DEV_COMPARE_H
#define ORDO_CUDA_PAPERS_DEV_COMPARE_H

#include "cuda/sort/merge_sorted.cuh"

struct compare_known {   /* about the records of one sort */
    size_t   radius;     /* at most n - 1; only for sorts that need the radius */
    unsigned index_bits; /* of a 64-bit record: low bits that hold the index */
};

/* One algorithm: sorts n records between arrays a and b; *sorted becomes the array with the
 * result. */
struct compare_sorter {
    const char *name;
    size_t (*scratch)(size_t n, size_t record_size); /* beside the two arrays; NULL: none */
    bool needs_radius; /* the result is in order only if the radius was large enough */
    ordo_status (*sort_32)(cuda_call *call, uint32_t *a, uint32_t *b, size_t n, compare_known known,
                           uint32_t **sorted);
    ordo_status (*sort_64)(cuda_call *call, uint64_t *a, uint64_t *b, size_t n, compare_known known,
                           uint64_t **sorted);
    ordo_status (*sort_128)(cuda_call *call, key_record *a, key_record *b, size_t n,
                            compare_known known, key_record **sorted);
};
extern const compare_sorter sample_sorter;                /* dev_sample.cu */
extern const compare_sorter rough_sorter, halving_sorter; /* dev_rough_paper.cu */

#endif

/* dev_compare.cuh - the comparison sorts: bitonic, merge and sample, for keys, pairs and indices.
 *
 * They sort records of three kinds, whatever the job: encoded keys of 32 or 64 bits (narrower keys
 * are widened), or keys with their index below them, so that no two records tie and every sort is
 * stable: 32 + 32 bits in one word, or 64 + 64 in a record. An algorithm is a function of such an
 * array (compare_sorter); dev_compare.cu makes the records and takes the results apart.
 *
 * Entries of device/dev_sort.cu. */
#ifndef ORDO_CUDA_SORT_DEV_COMPARE_H
#define ORDO_CUDA_SORT_DEV_COMPARE_H

#include "cuda/runtime/cuda_rt.cuh"

struct alignas(16) key_record { /* a key of 64 bits and where it was */
    uint64_t key, index;
};

static __host__ __device__ __forceinline__ bool operator<(const key_record &a, const key_record &b)
{
    return a.key < b.key || (a.key == b.key && a.index < b.index);
}

/* The record that no other comes after. */
template <typename K> static __host__ __device__ __forceinline__ K last_record(void)
{
    return (K) ~(K)0;
}
template <> __host__ __device__ __forceinline__ key_record last_record<key_record>(void)
{
    key_record const last = {~(uint64_t)0, ~(uint64_t)0};
    return last;
}

/* One algorithm: n records of a kind, between two arrays; *sorted becomes the one they end in. */
struct compare_sorter {
    const char *name;
    size_t (*scratch)(size_t n, size_t record_size); /* beside the two arrays */
    ordo_status (*sort_32)(cuda_call *call, uint32_t *a, uint32_t *b, size_t n, uint32_t **sorted);
    ordo_status (*sort_64)(cuda_call *call, uint64_t *a, uint64_t *b, size_t n, uint64_t **sorted);
    ordo_status (*sort_128)(cuda_call *call, key_record *a, key_record *b, size_t n,
                            key_record **sorted);
};
static inline size_t compare_no_scratch(size_t n, size_t record_size)
{
    (void)n;
    (void)record_size;
    return 0;
}
extern const compare_sorter bitonic_sorter; /* dev_bitonic.cu */
extern const compare_sorter merge_sorter;   /* dev_merge.cu */
extern const compare_sorter sample_sorter;  /* dev_sample.cu */

/* dev_bitonic.cu: sorts every BITONIC_TILE_BYTES of the records (lg 0), or in them the bitonic
 * stretches of 2^lg. */
enum {
    BITONIC_TILE_BYTES = 16 << 10
};
template <typename K> ordo_status bitonic_tiles(cuda_call *call, K *records, size_t n, unsigned lg);

#define COMPARE_ENTRIES(name)                                                                      \
    size_t      dev_##name##_keys_scratch(const ordo_sort_job *job);                               \
    ordo_status dev_##name##_keys(cuda_call *call, const ordo_sort_job *job);                      \
    size_t      dev_##name##_pairs_scratch(const ordo_pairs_job *job);                             \
    ordo_status dev_##name##_pairs(cuda_call *call, const ordo_pairs_job *job);                    \
    size_t      dev_##name##_argsort_scratch(const ordo_argsort_job *job);                         \
    ordo_status dev_##name##_argsort(cuda_call *call, const ordo_argsort_job *job);
COMPARE_ENTRIES(bitonic)
COMPARE_ENTRIES(merge)
COMPARE_ENTRIES(sample)
#undef COMPARE_ENTRIES

#endif

/* dev_compare.cuh - the comparison sorts of the papers: bitonic, merge, sample, rough, halving.
 *
 * They sort records of three kinds, for any job: key bits of 32 or 64 bits (narrower keys are
 * widened), or key bits above an index, in one 64-bit word or in a key_record. The index makes all
 * records different, so every sort is stable. An algorithm is a function that sorts an array of
 * records (compare_sorter); dev_compare.cu makes the records and reads the results. */
#ifndef ORDO_PAPERS_DEV_COMPARE_H
#define ORDO_PAPERS_DEV_COMPARE_H

#include "backend/papers.h"
#include "cuda/sort/merge_sorted.cuh"

struct compare_known {   /* facts about the records of one sort */
    size_t   radius;     /* at most n - 1; only for sorts with needs_radius */
    unsigned index_bits; /* low bits of a 64-bit record that hold the index */
};

/* One algorithm: sorts n records in array a, with b as the other array. *sorted becomes the array
 * with the result. */
struct compare_sorter {
    const char *name;
    size_t (*scratch)(size_t n, size_t record_size); /* bytes besides the two arrays; NULL: none */
    bool needs_radius; /* the result is sorted only if the radius was large enough */
    ordo_status (*sort_32)(cuda_call *call, uint32_t *a, uint32_t *b, size_t n, compare_known known,
                           uint32_t **sorted);
    ordo_status (*sort_64)(cuda_call *call, uint64_t *a, uint64_t *b, size_t n, compare_known known,
                           uint64_t **sorted);
    ordo_status (*sort_128)(cuda_call *call, key_record *a, key_record *b, size_t n,
                            compare_known known, key_record **sorted);
};

/* Sort by an algorithm. */
size_t      compare_keys_scratch(const compare_sorter *by, const ordo_sort_job *job);
ordo_status compare_keys(const compare_sorter *by, cuda_call *call, const ordo_sort_job *job);
size_t      compare_pairs_scratch(const compare_sorter *by, const ordo_pairs_job *job);
ordo_status compare_pairs(const compare_sorter *by, cuda_call *call, const ordo_pairs_job *job);
size_t      compare_argsort_scratch(const compare_sorter *by, const ordo_argsort_job *job);
ordo_status compare_argsort(const compare_sorter *by, cuda_call *call, const ordo_argsort_job *job);

/* The slots of an algorithm: compare_slots<sorter>::slots. */
template <const compare_sorter &BY> struct compare_slots {
    static size_t keys_scratch(const ordo_sort_job *job) { return compare_keys_scratch(&BY, job); }
    static ordo_status keys(cuda_call *call, const ordo_sort_job *job)
    {
        return compare_keys(&BY, call, job);
    }
    static size_t pairs_scratch(const ordo_pairs_job *job)
    {
        return compare_pairs_scratch(&BY, job);
    }
    static ordo_status pairs(cuda_call *call, const ordo_pairs_job *job)
    {
        return compare_pairs(&BY, call, job);
    }
    static size_t argsort_scratch(const ordo_argsort_job *job)
    {
        return compare_argsort_scratch(&BY, job);
    }
    static ordo_status argsort(cuda_call *call, const ordo_argsort_job *job)
    {
        return compare_argsort(&BY, call, job);
    }
    static constexpr ordo_cuda_sorter slots = {keys_scratch,    keys,   pairs_scratch, pairs,
                                               argsort_scratch, argsort};
};

/* ---- Keys to records, and records to results ---- */

enum {
    RECORD_THREADS = 256,
    RECORD_RESIDENT = 16 /* blocks per multiprocessor */
};

static inline unsigned record_blocks(const cuda_call *call, size_t n)
{
    size_t const most = (size_t)call->facts->sms * RECORD_RESIDENT;
    return (unsigned)ordo_min(ordo_div_up(n, RECORD_THREADS), most);
}

/* Makes records from keys; the first key has index `first`. */
template <typename K, bool INDEXED, typename CODE>
static __global__ void encode_records(const typename CODE::BITS *keys, size_t n, size_t first,
                                      CODE code, K *records)
{
    grid_each(n, [&](size_t i) {
        uint64_t const bits = code.encode(keys[i]);
        if constexpr (sizeof(K) == sizeof(key_record))
            records[i] = {bits, first + i};
        else
            records[i] = (K)(INDEXED ? bits << 32 | (first + i) : bits);
    });
}

template <typename K, typename CODE>
static __global__ void decode_keys(const K *records, size_t n, CODE code, typename CODE::BITS *keys)
{
    grid_each(n, [&](size_t i) { keys[i] = code.decode((typename CODE::BITS)records[i]); });
}

template <typename K, typename INDEX>
static __global__ void take_index(const K *records, size_t n, INDEX *index)
{
    grid_each(n, [&](size_t i) { index[i] = (INDEX)record_index(records[i]); });
}

#endif

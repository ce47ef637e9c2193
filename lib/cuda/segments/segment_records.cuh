/* segment_records.cuh - the records that the sorts of segments move, and the results they write.
 *
 * A record is the key bits, or key bits above the index of the key in its segment. The index makes
 * records different, so that every sort of them is stable; ties are folded then. A result is keys,
 * indices, an order of the whole array, or ranks; a branch that is the same in all threads chooses,
 * so kernels are compiled only for the kinds of records. */
#ifndef ORDO_CUDA_SEGMENTS_SEGMENT_RECORDS_H
#define ORDO_CUDA_SEGMENTS_SEGMENT_RECORDS_H

#include "core/ties.h"
#include "cuda/runtime/cuda_keys.cuh"
#include "cuda/segments/segments.cuh"
#include "cuda/sort/dev_radix_memory.cuh"
#include "cuda/sort/merge_sorted.cuh"

/* ---- Kinds of records: put_index sets the index of a record that was made with 0 ---- */

template <typename BITS_> struct records_alone {
    typedef BITS_         BITS;
    typedef BITS_         K;
    static constexpr bool indexed = false;

    static DEVICE K        make(BITS bits, uint64_t) { return bits; }
    static DEVICE void     put_index(K &, unsigned) {}
    static DEVICE BITS     bits(K record) { return record; }
    static DEVICE uint64_t index(K) { return 0; }
};

/* 32 key bits above an index below 2^32 - 1. */
struct records_short {
    typedef uint32_t      BITS;
    typedef uint64_t      K;
    static constexpr bool indexed = true;

    static DEVICE K        make(BITS bits, uint64_t index) { return (K)bits << 32 | index; }
    static DEVICE void     put_index(K &record, unsigned index) { record |= index; }
    static DEVICE BITS     bits(K record) { return (BITS)(record >> 32); }
    static DEVICE uint64_t index(K record) { return record_index(record); }
};

template <typename BITS_> struct records_wide {
    typedef BITS_         BITS;
    typedef key_record    K;
    static constexpr bool indexed = true;

    static DEVICE K        make(BITS bits, uint64_t index) { return {bits, index}; }
    static DEVICE void     put_index(K &record, unsigned index) { record.index = index; }
    static DEVICE BITS     bits(const K &record) { return (BITS)record.key; }
    static DEVICE uint64_t index(const K &record) { return record.index; }
};

/* Key bits with an index below 2^32 - 1. */
template <typename BITS> struct records_indexed : records_wide<BITS> {
};
template <> struct records_indexed<uint32_t> : records_short {
};

/* ---- Results ---- */

enum segment_result {
    RESULT_KEYS,
    RESULT_INDEX, /* index from the start of the segment */
    RESULT_ORDER, /* index from the start of the array */
    RESULT_RANKS,
    RESULT_RECORDS /* the records themselves */
};

template <typename BITS> struct segment_job { /* a kernel argument */
    key_code_by_width<BITS> code;
    const void             *in;
    void                   *out;
    const void             *records; /* NULL: records are made from the keys `in` */
    segment_result          result;
    ordo_ties               ties;
    uint16_t                key_size, out_size; /* bytes */
    bool                    real_ranks;
};

template <typename KIND, typename BITS = typename KIND::BITS>
static DEVICE typename KIND::K segment_load(const segment_job<BITS> &job, uint64_t start,
                                            uint64_t j)
{
    if (job.records != NULL)
        return ((const typename KIND::K *)job.records)[start + j];
    return KIND::make(job.code.encode(load_sized<BITS>(job.in, start + j, job.key_size)), j);
}

/* N records of a thread: x[e] is the record of element at(e) of the array, place(e) of its segment,
 * or the last record if !is_there(e). */
template <typename KIND, int N, typename AT, typename IS_THERE, typename PLACE,
          typename BITS = typename KIND::BITS>
static DEVICE void segment_load_items(const segment_job<BITS> &job, AT &&at, IS_THERE &&is_there,
                                      PLACE &&place, typename KIND::K (&x)[N])
{
    typedef typename KIND::K K;
    if (job.records != NULL) {
#pragma unroll
        for (int e = 0; e < N; e++)
            x[e] = is_there(e) ? ((const K *)job.records)[at(e)] : last_record<K>();
        return;
    }
    BITS raw[N], bits[N];
    read_items(job.in, job.key_size, at, is_there, raw);
    job.code.template encode_each<N>(raw, bits);
#pragma unroll
    for (int e = 0; e < N; e++)
        x[e] = is_there(e) ? KIND::make(bits[e], place(e)) : last_record<K>();
}

/* Writes record r of a sorted segment; not for ranks. Segments that overlap because of bad offsets
 * may mix their records; an order then still stays within the segment. */
template <typename KIND, typename BITS = typename KIND::BITS>
static DEVICE void segment_store(const segment_job<BITS> &job, segment where, uint64_t r,
                                 typename KIND::K record)
{
    if (job.result == RESULT_RECORDS) {
        ((typename KIND::K *)job.out)[where.start + r] = record;
        return;
    }
    char *const to = (char *)job.out + (where.start + r) * job.out_size;
    if constexpr (KIND::indexed) {
        uint64_t const index = KIND::index(record);
        uint64_t const order = where.start + (index < where.length ? index : r);
        store_sized<uint64_t>(to, job.out_size, job.result == RESULT_ORDER ? order : index);
    } else {
        store_sized<BITS>(to, job.out_size, job.code.decode(KIND::bits(record)));
    }
}

/* Whether sorted segments need not be written. */
template <typename BITS>
static __host__ DEVICE bool segments_are_in_place(const segment_job<BITS> &job)
{
    return job.result == RESULT_KEYS && job.records == NULL && job.in == job.out;
}

/* Writes the rank of element `at` of the array: it is at place `r` of its sorted segment, its ties
 * are the places first to end - 1, and `dense` is its dense rank. */
template <typename BITS>
static DEVICE void segment_rank(const segment_job<BITS> &job, uint64_t at, uint64_t r,
                                uint64_t first, uint64_t end, uint64_t dense)
{
    uint64_t const rank = ordo_tie_rank(job.ties, first, end, dense, r);
    if (job.real_ranks)
        ((double *)job.out)[at] = (double)rank * ordo_tie_unit(job.ties);
    else
        store_sized<uint64_t>((char *)job.out + at * job.out_size, job.out_size, rank);
}

/* Writes the ranks of places begin to end - 1 of a sorted segment of `length` records; at(r) is
 * record r, and `dense` the number of different keys before `begin`. */
template <typename KIND, typename AT, typename BITS = typename KIND::BITS>
static DEVICE void segment_ranks(const segment_job<BITS> &job, segment where, uint64_t begin,
                                 uint64_t end, uint64_t dense, AT &&at)
{
    uint64_t first = 0, last = 0; /* the ties of the current key: first to last - 1 */
    for (uint64_t r = begin; r < end; r++) {
        typename KIND::K const record = at(r);
        BITS const             bits = KIND::bits(record);
        bool const             head = r == 0 || KIND::bits(at(r - 1)) != bits;
        dense += head;
        if (head || r == begin) {
            uint64_t lo = 0, hi = head ? 0 : r; /* the first place with these bits is <= hi */
            while (lo < hi) {
                uint64_t const middle = (lo + hi) / 2;
                bool const     below = KIND::bits(at(middle)) < bits;
                lo = below ? middle + 1 : lo;
                hi = below ? hi : middle;
            }
            first = head ? r : lo;
            lo = r + 1;
            hi = lo < where.length && KIND::bits(at(lo)) == bits ? where.length : lo;
            while (lo < hi) {
                uint64_t const middle = (lo + hi) / 2;
                bool const     tied = KIND::bits(at(middle)) == bits;
                lo = tied ? middle + 1 : lo;
                hi = tied ? hi : middle;
            }
            last = lo;
        }
        if (KIND::index(record) < where.length) /* always, unless segments overlap */
            segment_rank(job, where.start + KIND::index(record), r, first, last, dense);
    }
}

#endif

/* dev_segments_order.cu - is_sorted and runs of every segment (segment_measure.cuh).
 *
 * Every key is compared with its left neighbour in the segment. Memory moved: the keys once.
 * Scratch: the list of long segments. is_sorted waits only if the host asks for the first segment
 * that is not sorted. */
#include "cuda/runtime/cuda_keys.cuh"
#include "cuda/runtime/cuda_dev.cuh"
#include "cuda/segments/segments.cuh"
#include "cuda/segments/segment_measure.cuh"

/* Whether key j of the segment comes before its left neighbour. */
template <typename CODE>
static DEVICE bool falls(const CODE &code, const typename CODE::BITS *keys, const segment &s,
                         uint64_t j)
{
    return j > 0 && code.encode(keys[s.start + j]) < code.encode(keys[s.start + j - 1]);
}

template <typename CODE> struct first_fall {
    typedef scan_min<unsigned long long> OP;
    typedef unsigned long long           ACC;

    CODE                       code;
    const typename CODE::BITS *keys;
    int                       *sorted;   /* results of the segments; NULL: not wanted */
    unsigned long long        *where;    /* the same */
    unsigned long long        *unsorted; /* the first segment that is not sorted; NULL: not
                                          * wanted */

    DEVICE ACC value(const segment &s, uint64_t j) const
    {
        return falls(code, keys, s, j) ? j : OP::identity();
    }
    DEVICE void set(uint64_t number, const segment &s, ACC first) const
    {
        bool const none = first == OP::identity();
        if (sorted != NULL)
            sorted[number] = none;
        if (where != NULL)
            where[number] = none ? s.length : first;
        if (unsorted != NULL && !none)
            atomicMin(unsorted, (unsigned long long)number);
    }
    DEVICE void join(uint64_t number, const segment &, ACC first) const
    {
        if (sorted != NULL)
            sorted[number] = 0;
        if (where != NULL)
            atomicMin(where + number, first);
        if (unsorted != NULL)
            atomicMin(unsorted, (unsigned long long)number);
    }
};

template <typename CODE> struct all_falls {
    typedef scan_add<unsigned long long> OP;
    typedef unsigned long long           ACC;

    CODE                       code;
    const typename CODE::BITS *keys;
    unsigned long long        *runs;

    DEVICE ACC  value(const segment &s, uint64_t j) const { return falls(code, keys, s, j); }
    DEVICE void set(uint64_t number, const segment &s, ACC found) const
    {
        runs[number] = s.length > 0 ? found + 1 : 0;
    }
    DEVICE void join(uint64_t number, const segment &, ACC found) const
    {
        atomicAdd(runs + number, found);
    }
};

struct order_work {
    segment_classes     classes;
    unsigned long long *unsorted;
};

template <typename JOB> static order_work order_layout(cuda_scratch *scratch, const JOB *job)
{
    order_work work;
    work.classes = measure_layout(scratch, job->segments, job->n);
    work.unsorted = scratch_take<unsigned long long>(scratch, 1);
    return work;
}

size_t dev_segments_is_sorted_scratch(const ordo_order_job *job)
{
    return scratch_of(order_layout<ordo_order_job>, job);
}

ordo_status dev_segments_is_sorted(cuda_call *call, const ordo_order_job *job)
{
    order_work const work = order_layout(&call->scratch, job);
    call->exec->algorithm = "segments";
    TRY(segment_classes_fill(call, work.classes));
    if (job->unsorted != NULL)
        CUDA_TRY(call->exec,
                 cudaMemsetAsync(work.unsorted, 0xff, sizeof *work.unsorted, call->stream));
    TRY(with_key_code(job->type, job->descending, KEY_FOLDED, [&](auto code) {
        typedef decltype(code)      CODE;
        typedef typename CODE::BITS BITS;
        first_fall<CODE> const      measure = {code, (const BITS *)job->keys, job->sorted,
                                               (unsigned long long *)job->where,
                                          job->unsorted != NULL ? work.unsorted : NULL};
        return measure_segments(call, measure, work.classes);
    }));
    if (job->unsorted == NULL)
        return ORDO_OK;
    uint64_t first = UINT64_MAX;
    TRY(call_fetch(call, &first, work.unsorted, sizeof first));
    *job->unsorted = ordo_min(first, (uint64_t)job->segments->count);
    return ORDO_OK;
}

size_t dev_segments_runs_scratch(const ordo_runs_job *job)
{
    return scratch_of(order_layout<ordo_runs_job>, job);
}

ordo_status dev_segments_runs(cuda_call *call, const ordo_runs_job *job)
{
    order_work const work = order_layout(&call->scratch, job);
    call->exec->algorithm = "segments";
    TRY(segment_classes_fill(call, work.classes));
    return with_key_code(job->type, job->descending, KEY_FOLDED, [&](auto code) {
        typedef decltype(code)      CODE;
        typedef typename CODE::BITS BITS;
        all_falls<CODE> const       measure = {code, (const BITS *)job->keys,
                                               (unsigned long long *)job->runs};
        return measure_segments(call, measure, work.classes);
    });
}

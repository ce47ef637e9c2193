/* dev_segments_scan.cu - prefix sums, products, minima and maxima of every segment
 * (segment_scan.cuh; products of floats: dev_product.cu).
 *
 * Rows that are long enough for the streamed scan of dev_scan.cu are scanned by one launch each.
 * Segments of that length with offsets are scanned by look-back, so their float sums may differ
 * from a separate call in the last bits. Memory moved: each element once. Scratch: 16 or 32 bytes
 * per tile of a long segment. */
#include "cuda/scan/dev_scan_ops.cuh"
#include "cuda/runtime/cuda_dev.cuh"
#include "cuda/segments/segment_alone.cuh"
#include "cuda/segments/segment_scan.cuh"

/* The smallest tile of a streamed scan, times CUDA_TUNE_STREAM_FROM (dev_scan_stream.cuh). */
static constexpr size_t SCAN_ALONE =
    CUDA_TUNE_STREAM_FROM * (size_t)CUDA_TUNE_STREAM_SCANNERS * CUDA_TUNE_STREAM_ROWS * 32 * 2;

template <typename OP_> struct scan_problem {
    typedef OP_              OP;
    typedef typename OP::RAW RAW;
    typedef typename OP::OUT OUT;
    typedef typename OP::ACC ACC;

    static constexpr unsigned VECTOR = segment_shape<ACC>::VECTOR;

    const RAW *in;
    OUT       *out;
    OP         op;
    ACC        first;
    bool       exclusive, first_given; /* the first result is first_result */
    OUT        first_result;

    DEVICE ACC  start(void) const { return first; }
    DEVICE void get(const segment &s, uint64_t j, ACC (&v)[VECTOR]) const
    {
        typedef vector_of<RAW, VECTOR> MANY;
        const RAW *const               from = in + s.start + j;
        if (j + VECTOR <= s.length && (uintptr_t)from % sizeof(MANY) == 0) {
            MANY const raw = *(const MANY *)from;
#pragma unroll
            for (unsigned e = 0; e < VECTOR; e++)
                v[e] = op.enter(raw.at[e]);
            return;
        }
#pragma unroll
        for (unsigned e = 0; e < VECTOR; e++)
            v[e] = j + e < s.length ? op.enter(from[e]) : OP::identity();
    }
    DEVICE void put(const segment &s, uint64_t j, ACC base, const ACC (&v)[VECTOR]) const
    {
        typedef vector_of<OUT, VECTOR> MANY;
        OUT *const                     to = out + s.start + j;
        MANY                           result;
        ACC                            sum = v[0];
        result.at[0] = op.leave(exclusive ? base : OP::add(base, sum));
#pragma unroll
        for (unsigned e = 1; e < VECTOR; e++) {
            ACC const next = OP::add(sum, v[e]);
            result.at[e] = op.leave(OP::add(base, exclusive ? sum : next));
            sum = next;
        }
        if (first_given && j == 0)
            result.at[0] = first_result;
        if (j + VECTOR <= s.length && (uintptr_t)to % sizeof(MANY) == 0) {
            *(MANY *)to = result;
            return;
        }
#pragma unroll
        for (unsigned e = 0; e < VECTOR; e++)
            if (j + e < s.length)
                to[e] = result.at[e];
    }
};

static bool goes_alone(const ordo_scan_job *job)
{
    return job->segments->offsets == NULL && job->segments->length >= SCAN_ALONE;
}

/* Only counts scratch if call is NULL. */
static ordo_status scan_all(cuda_call *call, const ordo_scan_job *job, cuda_scratch *scratch)
{
    if (is_float_product(job))
        return call == NULL ? ORDO_OK : dev_product(call, job);
    if (goes_alone(job)) {
        ordo_scan_job const first = segment_alone(ordo_verb_scan, job, 0);
        if (call != NULL)
            return segments_each_alone(call, ordo_verb_scan, job, dev_scan);
        scratch->used += dev_scan_scratch(&first);
        return ORDO_OK;
    }
    return with_scan_op(job, [&](auto op, bool first_given, auto first) -> ordo_status {
        typedef decltype(op)         OP;
        typedef typename OP::ACC     ACC;
        segment_scan_work<ACC> const work =
            segment_scan_layout<ACC>(scratch, job->segments, job->n);
        scan_problem<OP> const problem = {(const typename OP::RAW *)job->in,
                                          (typename OP::OUT *)job->out,
                                          op,
                                          OP::start(job->exclusive),
                                          job->exclusive,
                                          first_given && job->exclusive,
                                          first};
        if (call == NULL)
            return ORDO_OK;
        TRY(segment_classes_fill(call, work.classes));
        return scan_segments(call, problem, work);
    });
}

size_t dev_segments_scan_scratch(const ordo_scan_job *job)
{
    cuda_scratch counted = {};
    (void)scan_all(NULL, job, &counted);
    return counted.used;
}

ordo_status dev_segments_scan(cuda_call *call, const ordo_scan_job *job)
{
    if (job->algorithm != ORDO_ALGORITHM_AUTO)
        return ordo_fail(call->exec, ORDO_E_UNSUPPORTED,
                         "algorithm ballot cannot scan segments; expected auto");
    call->exec->algorithm = "segments";
    return scan_all(call, job, &call->scratch);
}

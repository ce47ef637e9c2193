/* dev_segments_scan.cu - prefix sums, products, minima and maxima of every segment
 * (segment_scan.cuh; products of floats: dev_product.cu).
 *
 * Rows that are long enough for the streamed scan of dev_scan.cu are scanned by one launch each.
 * Segments of that length with offsets are scanned by look-back, so their float sums may differ
 * from a separate call in the last bits. Segments with a step are copied to rows and back. Memory
 * moved: each element once, or three times with a step. Scratch: 16 or 32 bytes per tile of a long
 * segment; rows of a layout with a step. */
#include "cuda/scan/dev_scan_ops.cuh"
#include "cuda/runtime/cuda_dev.cuh"
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

struct scan_rows { /* rows of a layout with a step */
    void *in, *out;
};

static scan_rows rows_layout(cuda_scratch *scratch, const ordo_scan_job *job)
{
    size_t const cells = job->segments->count * job->segments->length;
    scan_rows    rows;
    rows.in = scratch_take<char>(scratch, cells * cuda_type_size(job->type));
    rows.out = scratch_take<char>(scratch, cells * cuda_type_size(job->out_type));
    return rows;
}

static bool has_step(const ordo_scan_job *job)
{
    return job->segments->offsets == NULL && job->segments->step != 1;
}

static bool goes_alone(const ordo_scan_job *job)
{
    return job->segments->offsets == NULL && job->segments->length >= SCAN_ALONE;
}

/* The job of a separate scan of segment i; the arrays are NULL in a scratch query. */
static ordo_scan_job scan_of(const ordo_scan_job *job, size_t i)
{
    ordo_scan_job one = *job;
    size_t const  start = ordo_segment_start(job->segments, i);
    one.segments = NULL;
    one.n = job->segments->length;
    if (job->in != NULL) {
        one.in = (const char *)job->in + start * cuda_type_size(job->type);
        one.out = (char *)job->out + start * cuda_type_size(job->out_type);
    }
    return one;
}

/* Segments without a step; only counts scratch if call is NULL. */
static ordo_status scan_neighbours(cuda_call *call, const ordo_scan_job *job, cuda_scratch *scratch)
{
    if (is_float_product(job))
        return call == NULL ? ORDO_OK : dev_product(call, job);
    if (goes_alone(job)) {
        ordo_scan_job const first = scan_of(job, 0);
        size_t const        used = scratch->used;
        for (size_t i = 0; call != NULL && i < job->segments->count; i++) {
            ordo_scan_job const one = scan_of(job, i);
            TRY(dev_scan(call, &one));
            call->scratch.used = used; /* the next scan runs later on the stream, so it can reuse
                                        * the scratch */
        }
        scratch->used = used + dev_scan_scratch(&first);
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

static ordo_scan_job scan_of_rows(const ordo_scan_job *job, const ordo_segment_view *view,
                                  const scan_rows &rows)
{
    ordo_scan_job inner = *job;
    inner.segments = view;
    inner.in = rows.in;
    inner.out = rows.out;
    inner.n = view->count * view->length;
    return inner;
}

static ordo_status scan_all(cuda_call *call, const ordo_scan_job *job, cuda_scratch *scratch)
{
    if (!has_step(job))
        return scan_neighbours(call, job, scratch);
    scan_rows const         rows = rows_layout(scratch, job);
    ordo_segment_view const view = segment_rows(job->segments);
    ordo_scan_job const     inner = scan_of_rows(job, &view, rows);
    if (call == NULL)
        return scan_neighbours(NULL, &inner, scratch);
    TRY(segments_to_rows(call, job->segments, job->in, cuda_type_size(job->type), rows.in));
    TRY(scan_neighbours(call, &inner, scratch));
    return segments_from_rows(call, job->segments, rows.out, cuda_type_size(job->out_type),
                              job->out);
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

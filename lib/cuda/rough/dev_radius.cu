/* dev_radius.cu - the radius of an array: the largest distance between two keys out of order.
 *
 * T. Altman and Y. Igarashi, "Roughly sorting: sequential and parallel approach" (1989), use prefix
 * maxima, suffix minima and a walk along both. Here one read is enough: the radius is the maximum
 * of j - min{i: P[i] > a[j]} with prefix maxima P. If r is the largest distance so far, one
 * comparison shows whether a key has a larger one. radius_near (radius.cuh) measures inside spans,
 * up to the size of a ring in shared memory, and fills a table of patches of about 120 keys. The
 * other kernels (radius_far.cuh) measure across spans from the table and read again only the
 * patches that may hold a larger radius. Exact. Reads each key once, apart from these patches.
 * Scratch: two keys and 4 bytes per patch. */
#include "backend/papers.h"
#include "cuda/runtime/cuda_dev.cuh"
#include "cuda/rough/dev_rough.cuh"
#include "cuda/rough/radius_far.cuh"

struct radius_words { /* results on the device */
    uint64_t radius;
    unsigned listed, within;
};

struct radius_pieces { /* parts of scratch */
    radius_words *words;
    void         *high, *low, *before;
    uint32_t     *patches;
};

template <typename BITS> static size_t radius_steps(size_t n)
{
    /* The padding before an unaligned array counts too. */
    return ordo_div_up(n + 16 / sizeof(BITS) - 1, radius_shape<BITS>::STEP);
}

template <typename BITS> static radius_pieces radius_layout(cuda_scratch *scratch, size_t n)
{
    size_t const  patches = radius_steps<BITS>(n) * radius_shape<BITS>::PATCHES;
    radius_pieces pieces;
    pieces.words = scratch_take<radius_words>(scratch, 1);
    pieces.before = scratch_take<BITS>(scratch, RADIUS_SPANS);
    pieces.high = scratch_take<BITS>(scratch, patches);
    pieces.low = scratch_take<BITS>(scratch, patches);
    pieces.patches = scratch_take<uint32_t>(scratch, patches);
    return pieces;
}

/* The single-read method does not compute the sequences LR, RL and DM. */
static bool by_sequences(const ordo_radius_job *job)
{
    return job->algorithm == ORDO_ALGORITHM_SCANS || ordo_wants_sequences(job);
}

size_t dev_radius_scratch(const ordo_radius_job *job)
{
    if (job->algorithm == ORDO_ALGORITHM_PREFIX)
        return ordo_cuda_papers_table()->roughsort.radius_scratch(job);
    if (by_sequences(job))
        return dev_sequences_scratch(job);
    cuda_scratch counted = {NULL, 0};
    (void)with_key_code(job->type, false, KEY_TOTAL, [&](auto code) {
        (void)radius_layout<typename decltype(code)::BITS>(&counted, job->n);
        return ORDO_OK;
    });
    return counted.used;
}

template <typename CODE, typename BITS = typename CODE::BITS>
static ordo_status radius_enqueue(cuda_call *call, const ordo_radius_job *job, CODE code,
                                  size_t limit, const uint64_t **radius)
{
    typedef radius_shape<BITS> SHAPE;
    radius_pieces const        pieces = radius_layout<BITS>(&call->scratch, job->n);
    size_t const               pad = ((uintptr_t)job->keys & 15) / sizeof(BITS);
    radius_view<CODE> const    view = {code, (const BITS *)job->keys - pad, pad, job->n + pad};
    size_t const               steps = ordo_div_up(view.end, SHAPE::STEP);

    CUDA_TRY(call->exec, cudaMemsetAsync(pieces.words, 0, sizeof *pieces.words, call->stream));
    *radius = &pieces.words->radius;
    if (job->n < 2)
        return ORDO_OK;

    TRY(cuda_allow_shared(call, radius_near<CODE>, SHAPE::BYTES));
    size_t const blocks =
        ordo_min((size_t)call->facts->sms * CUDA_TUNE_RADIUS_RESIDENT, RADIUS_SPANS);
    size_t const span_steps = ordo_div_up(steps, ordo_min(steps, blocks));
    size_t const spans = ordo_div_up(steps, span_steps);
    size_t const patches = steps * SHAPE::PATCHES;

    radius_table<BITS> table;
    table.high = (BITS *)pieces.high;
    table.low = (BITS *)pieces.low;
    table.before = (BITS *)pieces.before;
    table.patches = pieces.patches;
    table.radius = &pieces.words->radius;
    table.listed = &pieces.words->listed;
    table.within = &pieces.words->within;
    table.steps = steps;
    table.span_steps = span_steps;
    table.limit = limit;

    TRY(CUDA_LAUNCH(call, radius_near<CODE>, spans, SHAPE::THREADS, SHAPE::BYTES, view, table));
    if (spans == 1 && view.end <= SHAPE::REACH)
        return ORDO_OK; /* the ring held all pairs */
    TRY(CUDA_LAUNCH(call, radius_settle<BITS>, 1, RADIUS_SPANS, 0, table, (unsigned)spans));
    TRY(CUDA_LAUNCH(call, radius_bound<BITS>, ordo_div_up(patches, 256), 256, 0, table));
    TRY(CUDA_LAUNCH(call, radius_list<BITS>, ordo_div_up(patches, 256), 256, 0, table));
    size_t const open = ordo_min((size_t)call->facts->sms * CUDA_TUNE_RADIUS_OPEN,
                                 ordo_div_up(patches, RADIUS_OPEN_WARPS));
    return CUDA_LAUNCH(call, radius_open<CODE>, open, RADIUS_OPEN_WARPS * 32, 0, view, table);
}

ordo_status dev_radius_enqueue(cuda_call *call, const ordo_radius_job *job, key_ties ties,
                               size_t limit, const uint64_t **radius)
{
    return with_key_code(job->type, job->descending, ties,
                         [&](auto code) { return radius_enqueue(call, job, code, limit, radius); });
}

ordo_status dev_radius(cuda_call *call, const ordo_radius_job *job)
{
    const uint64_t *radius;
    uint64_t        found = 0;
    if (job->algorithm == ORDO_ALGORITHM_SEQUENTIAL)
        return ordo_fail(
            call->exec, ORDO_E_UNSUPPORTED,
            "algorithm sequential cannot measure a radius on a GPU; use the CPU backend");
    if (job->algorithm == ORDO_ALGORITHM_PREFIX)
        return ordo_cuda_papers_table()->roughsort.radius(call, job);
    if (by_sequences(job)) {
        TRY(dev_sequences_enqueue(call, job, &radius));
        call->exec->algorithm = "scans";
    } else {
        TRY(dev_radius_enqueue(call, job, KEY_FOLDED, SIZE_MAX - 1, &radius));
        call->exec->algorithm = "pieces";
    }
    TRY(call_fetch(call, &found, radius, sizeof found));
    *job->radius = (size_t)found;
    return ORDO_OK;
}

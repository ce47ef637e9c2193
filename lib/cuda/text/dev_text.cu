/* dev_text.cu - the text slots of the CUDA backend: copies of host arrays, many texts, the choice
 * of the algorithm, the transform of a sorted text, and indices of 64 bits. */
#include "cuda/runtime/cuda_arrays.cuh"
#include "cuda/text/text.cuh"
#include "ordo_text.h"

/* ---- Many texts ---- */

text_room text_layout(cuda_scratch *scratch, const ordo_text_job *job)
{
    text_room room = {};
    if (job->count == 0)
        return room;
    room.offsets = scratch_take<uint64_t>(scratch, job->count + 1);
    room.ends = scratch_take<uint32_t>(scratch, job->n / 32 + 1);
    return room;
}

static __global__ void __launch_bounds__(TEXT_THREADS)
    mark_ends(const uint64_t *offsets, size_t count, uint32_t *ends)
{
    grid_each(count, [&](size_t i) {
        uint64_t const end = offsets[i + 1];
        atomicOr(ends + end / 32, 1u << end % 32);
    });
}

ordo_status text_open(cuda_call *call, const ordo_text_job *job, const text_room &room,
                      text_view *view)
{
    *view = {job->text, job->n, room.offsets, ordo_max(job->count, 1), room.ends, 0};
    if (room.offsets == NULL)
        return ORDO_OK;
    CUDA_TRY(call->exec,
             cudaMemcpyAsync(room.offsets, job->offsets, (job->count + 1) * sizeof *room.offsets,
                             cudaMemcpyHostToDevice, call->stream));
    CUDA_TRY(call->exec,
             cudaMemsetAsync(room.ends, 0, (job->n / 32 + 1) * sizeof *room.ends, call->stream));
    return CUDA_LAUNCH(call, mark_ends, text_grid(call, job->count), TEXT_THREADS, 0, room.offsets,
                       job->count, room.ends);
}

/* ---- Suffix array and transform ---- */

static ordo_status check_job(ordo_exec *exec, const ordo_text_job *job)
{
    if (job->n + job->count >= UINT32_MAX - 1)
        return ordo_fail(exec, ORDO_E_UNSUPPORTED,
                         "n and the number of texts are %zu and %zu; a GPU takes fewer than "
                         "2^32 - 2 bytes and texts together; expected a context that may use the "
                         "CPU",
                         job->n, job->count);
    if (job->algorithm == ORDO_TEXT_INDUCED)
        return ordo_fail(exec, ORDO_E_UNSUPPORTED,
                         "induced sorting runs on the CPU only; expected auto, doubling or msd "
                         "for a GPU");
    return ORDO_OK;
}

static bool is_wide(const ordo_text_job *job) { return job->index_type == ORDO_U64; }

static size_t sort_scratch(const ordo_text_job *job)
{
    return job->algorithm == ORDO_TEXT_MSD ? dev_msd_scratch(job) : dev_suffix_scratch(job);
}

static ordo_status sort_suffixes(cuda_call *call, const ordo_text_job *job, const text_view &view,
                                 uint32_t *sa)
{
    return job->algorithm == ORDO_TEXT_MSD ? dev_msd(call, view, sa) : dev_suffix(call, view, sa);
}

static __global__ void __launch_bounds__(TEXT_THREADS)
    widen(const uint32_t *from, size_t n, uint64_t *to)
{
    grid_each(n, [&](size_t i) { to[i] = from[i]; });
}

static size_t suffix_scratch(const ordo_text_job *job)
{
    return (is_wide(job) ? ordo_round_up(job->n * sizeof(uint32_t), CUDA_SCRATCH_ALIGN) : 0) +
           sort_scratch(job);
}

static ordo_status suffix_run(cuda_call *call, const ordo_text_job *job, const text_view &view)
{
    uint32_t *const sa =
        is_wide(job) ? scratch_take<uint32_t>(&call->scratch, job->n) : (uint32_t *)job->sa;
    TRY(sort_suffixes(call, job, view, sa));
    return is_wide(job) ? CUDA_LAUNCH(call, widen, text_grid(call, job->n), TEXT_THREADS, 0, sa,
                                      job->n, (uint64_t *)job->sa)
                        : ORDO_OK;
}

static __global__ void __launch_bounds__(TEXT_THREADS)
    find_whole(const uint32_t *sa, size_t n, uint64_t *whole)
{
    grid_each(n, [&](size_t i) {
        if (sa[i] == 0)
            *whole = i;
    });
}

/* The byte before each row but that of the whole text, which is place *whole of sa. */
static __global__ void __launch_bounds__(TEXT_THREADS)
    bytes_before(const uint8_t *text, const uint32_t *sa, size_t n, const uint64_t *whole,
                 uint8_t *bwt)
{
    size_t const skipped = *whole;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        bwt[0] = text[n - 1];
    grid_each(n, [&](size_t i) {
        if (i != skipped)
            bwt[i + (i < skipped)] = text[sa[i] - 1];
    });
}

struct bwt_room {
    uint32_t *sa;
    uint64_t *whole;
};

static bwt_room bwt_layout(cuda_scratch *scratch, const ordo_text_job *job)
{
    bwt_room room = {};
    room.sa = scratch_take<uint32_t>(scratch, job->n);
    room.whole = scratch_take<uint64_t>(scratch, 1);
    return room;
}

static size_t bwt_scratch(const ordo_text_job *job)
{
    return scratch_of(bwt_layout, job) + sort_scratch(job);
}

static ordo_status bwt_run(cuda_call *call, const ordo_text_job *job)
{
    bwt_room const  room = bwt_layout(&call->scratch, job);
    text_view const view = {job->text, job->n, NULL, 1, NULL, 0};
    size_t const    n = job->n, grid = text_grid(call, n);
    uint64_t        whole;
    TRY(sort_suffixes(call, job, view, room.sa));
    TRY(CUDA_LAUNCH(call, find_whole, grid, TEXT_THREADS, 0, room.sa, n, room.whole));
    TRY(CUDA_LAUNCH(call, bytes_before, grid, TEXT_THREADS, 0, job->text, room.sa, n, room.whole,
                    job->bwt));
    TRY(call_fetch(call, &whole, room.whole, sizeof whole));
    *job->primary = whole + 1;
    return ORDO_OK;
}

/* ---- The calls ---- */

/* Verbs on one or many texts: their scratch, and their work on the opened view. */
template <size_t (*SCRATCH)(const ordo_text_job *)>
static size_t view_scratch(const ordo_text_job *job)
{
    return scratch_of(text_layout, job) + SCRATCH(job);
}

template <ordo_status (*RUN)(cuda_call *, const ordo_text_job *, const text_view &)>
static ordo_status view_run(cuda_call *call, const ordo_text_job *job)
{
    text_room const room = text_layout(&call->scratch, job);
    text_view       view;
    TRY(text_open(call, job, room, &view));
    return RUN(call, job, view);
}

/* The arrays that a job has; sa is written by suffix_array and read by other calls. inverse: `text`
 * is the transform that is read, and `bwt` the text that is written. */
static job_arrays text_arrays(ordo_text_job *job, bool writes_sa, bool inverse)
{
    job_arrays   list = {};
    size_t const bytes = job->n * cuda_type_size(job->index_type);
    add(&list, &job->text, job->n, READ, inverse ? "bwt" : "text");
    if (job->sa != NULL)
        add(&list, &job->sa, bytes, writes_sa ? WRITTEN : READ, "sa");
    if (job->lcp != NULL)
        add(&list, &job->lcp, bytes, WRITTEN, "lcp");
    if (job->bwt != NULL)
        add(&list, &job->bwt, job->n, WRITTEN, inverse ? "text" : "bwt");
    return list;
}

struct text_verb {
    size_t (*scratch)(const ordo_text_job *job);
    ordo_status (*run)(cuda_call *call, const ordo_text_job *job);
    bool writes_sa, inverse; /* see text_arrays */
};

static constexpr text_verb suffix_array = {view_scratch<suffix_scratch>, view_run<suffix_run>, true,
                                           false};
static constexpr text_verb suffix_check = {view_scratch<dev_suffix_check_scratch>,
                                           view_run<dev_suffix_check>, false, false};
static constexpr text_verb lcp = {view_scratch<dev_lcp_scratch>, view_run<dev_lcp>, false, false};
static constexpr text_verb bwt = {bwt_scratch, bwt_run, false, false};
static constexpr text_verb unbwt = {dev_unbwt_scratch, dev_unbwt, false, true};
static constexpr text_verb rotate = {dev_rotate_scratch, dev_rotate, false, false};

/* Runs a verb on device memory, with copies of host arrays. */
template <const text_verb &VERB>
static ordo_status slot(void *state, const ordo_text_job *given, ordo_exec *exec)
{
    TRY(check_job(exec, given));
    ordo_text_job    job = *given;
    job_arrays const arrays = text_arrays(&job, VERB.writes_sa, VERB.inverse);
    return with_arrays(state, exec, &arrays, VERB.scratch(given), [&](cuda_call *call) {
        TRY(call_may_answer(call));
        return VERB.run(call, &job);
    });
}

const ordo_text_slots cuda_text = {slot<suffix_array>, slot<suffix_check>, slot<lcp>,
                                   slot<bwt>,          slot<unbwt>,        slot<rotate>};

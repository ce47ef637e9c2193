/* dev_rough.cu - sorts arrays in which no key is far from its place.
 *
 * A. Pfaff and J. Treadwell, "Parallel sorting of roughly-sorted sequences" (2016), sort windows of
 * twice the radius, then windows shifted by it. Here the array is cut into spans, each of which a
 * warp (dev_rough_warp.cu, small radii) or a block (dev_rough_block.cu) sorts in one walk with a
 * sliding window; what is out of order then is at most a radius away from a border between two
 * spans, and is merged there (rough.cuh). All in place: one read and one write of the keys, and one
 * read more to measure a radius that the job does not name (dev_radius.cu).
 *
 * A radius that the job does not name is guessed from a look at parts of the array
 * (dev_rough_look.cu) if that shows one well below what it can see: windows show whether the guess
 * was right, and if so the measurement is saved. Otherwise, or if it was not, it is measured.
 *
 * The radius is that of the total order, in which -0 is before +0 and NaNs have an order too: then
 * windows give the bytes that every sort gives.
 *
 * Scratch: that of the radius, of the look, and a word. Waits for the host: for the look, for the
 * word that says whether a guess or a given radius was large enough, or for the radius. Called by
 * dev_sort.cu and dev_rough_auto.cu. */
#include "cuda/runtime/cuda_dev.cuh"
#include "cuda/runtime/cuda_tuning.cuh"
#include "cuda/rough/dev_rough.cuh"

static ordo_radius_job rough_radius_job(const ordo_sort_job *job)
{
    ordo_radius_job const radius = {job->type,       job->keys,           job->n,
                                    job->descending, ORDO_ALGORITHM_AUTO, NULL};
    return radius;
}

size_t dev_rough_scratch(const ordo_sort_job *job)
{
    ordo_radius_job const radius = rough_radius_job(job);
    return CUDA_SCRATCH_ALIGN + dev_radius_scratch(&radius) + rough_look_scratch();
}

static ordo_status rough_measure(cuda_call *call, const ordo_sort_job *job, size_t most,
                                 uint64_t *radius)
{
    ordo_radius_job const measured = rough_radius_job(job);
    const uint64_t       *word;
    TRY(dev_radius_enqueue(call, &measured, KEY_TOTAL, most, &word));
    return call_fetch(call, radius, word, sizeof *radius);
}

/* Sorts in windows of a radius. */
static ordo_status rough_windows(cuda_call *call, const ordo_sort_job *job, size_t radius,
                                 unsigned *unsorted)
{
    call->exec->changed = true;
    CUDA_TRY(call->exec, cudaMemsetAsync(unsorted, 0, sizeof *unsorted, call->stream));
    return (radius <= rough_warp_most() ? rough_warp : rough_block)(call, job, radius, unsorted);
}

static void record_windows(ordo_exec *exec, size_t radius)
{
    exec->facts.input = ORDO_INPUT_ROUGH;
    exec->facts.strategy = ORDO_STRATEGY_WINDOWS;
    exec->facts.radius = radius;
}

/* Sorts in windows of a radius that may be too small; *done is false then. */
static ordo_status rough_try(cuda_call *call, const ordo_sort_job *job, size_t radius,
                             unsigned *unsorted, bool *done)
{
    unsigned failed = 0;
    TRY(rough_windows(call, job, radius, unsorted));
    TRY(call_fetch(call, &failed, unsorted, sizeof failed));
    *done = !failed;
    if (*done) {
        call->exec->algorithm = "rough";
        record_windows(call->exec, radius);
    }
    return ORDO_OK;
}

/* The windows to try when a look has seen a radius: an eighth more, up to what a network is for;
 * beyond that twice as much, since the windows of blocks cost nearly the same whatever their
 * radius, up to the half of what a look can see. */
static size_t rough_guess(size_t seen)
{
    size_t const wanted = seen + seen / 8 + 1;
    size_t const most = rough_warp_most();
    for (size_t guess = 16; seen > 0 && guess <= most; guess *= 2)
        if (wanted <= guess)
            return guess;
    return seen > 0 && seen <= CUDA_TUNE_ROUGH_GUESS ? 2 * seen : 0;
}

ordo_status rough_sort_unknown(cuda_call *call, const ordo_sort_job *job, size_t seen, bool *done)
{
    ordo_exec *const exec = call->exec;
    size_t const     guess = rough_guess(seen), most = rough_block_most(call, job->type);
    unsigned *const  unsorted = scratch_take<unsigned>(&call->scratch, 1);
    uint64_t         radius = 0;
    if (guess > 0) {
        TRY(rough_try(call, job, guess, unsorted, done));
        if (*done)
            return ORDO_OK;
    }
    TRY(rough_measure(call, job, most, &radius));
    if (radius > most)
        return ORDO_OK;
    if (radius > 0)
        TRY(rough_windows(call, job, (size_t)radius, unsorted));
    *done = true;
    exec->algorithm = radius == 0 && job->algorithm == ORDO_ALGORITHM_AUTO ? "sorted" : "rough";
    if (radius == 0)
        exec->facts.input = ORDO_INPUT_SORTED;
    else
        record_windows(exec, (size_t)radius);
    return ORDO_OK;
}

static ordo_status rough_sort(cuda_call *call, const ordo_sort_job *job, bool *done)
{
    rough_look look = {0, 0, 0, 0};
    if (job->radius == 0) {
        if (job->n >= rough_look_least())
            TRY(rough_look_at(call, job, &look));
        return rough_sort_unknown(call, job, look.far_falls == 0 ? look.radius : 0, done);
    }
    if (job->radius <= rough_block_most(call, job->type))
        TRY(rough_try(call, job, job->radius, scratch_take<unsigned>(&call->scratch, 1), done));
    return ORDO_OK;
}

ordo_status dev_rough_keys(cuda_call *call, const ordo_sort_job *job, bool *done)
{
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    size_t const            used = call->scratch.used;
    *done = false;
    CUDA_TRY(call->exec, cudaStreamIsCapturing(call->stream, &capture));
    if (capture != cudaStreamCaptureStatusNone || cuda_type_size(job->type) < sizeof(uint32_t))
        return ORDO_OK;
    if (job->n < 2) {
        *done = true;
        call->exec->algorithm = "rough";
        return ORDO_OK;
    }
    ordo_status const status = rough_sort(call, job, done);
    call->scratch.used = used;
    return status;
}

/* cpu_count_nans.c - counts the NaNs of an array: one read, no scratch. */
#include "core/keybits.h"
#include "core/lists.h"
#include "cpu/base/cpu.h"

typedef struct nan_work {
    const ordo_count_job *job;
    atomic_size_t         nans;
} nan_work;

/* The count of a block fits the width of a key, so that the loop adds vectors of that width. */
enum {
    BLOCK = 4096
};

static size_t nans_f32(const float *keys, size_t lo, size_t hi)
{
    size_t nans = 0;
    for (size_t at = lo; at < hi; at += BLOCK) {
        uint32_t block = 0;
        for (size_t i = at, end = at + ordo_min(BLOCK, hi - at); i < end; i++)
            block += (uint32_t)key_is_nan_f32(keys[i]);
        nans += block;
    }
    return nans;
}

static size_t nans_f64(const double *keys, size_t lo, size_t hi)
{
    size_t nans = 0;
    for (size_t i = lo; i < hi; i++)
        nans += (size_t)key_is_nan_f64(keys[i]);
    return nans;
}

static void nan_piece(void *arg, size_t lo, size_t hi)
{
    nan_work *const work = arg;
    size_t const    nans = work->job->type == ORDO_F32 ? nans_f32(work->job->keys, lo, hi)
                                                       : nans_f64(work->job->keys, lo, hi);
    if (nans > 0)
        atomic_fetch_add_explicit(&work->nans, nans, memory_order_relaxed);
}

ordo_status cpu_count_nans(void *state, const ordo_count_job *job, ordo_exec *exec)
{
    (void)state;
    nan_work work = {.job = job};
    atomic_init(&work.nans, 0);
    exec->algorithm = "count";
    exec->isa = "generic";
    if (ordo_is_float(job->type) && !ordo_loop(exec, job->n, cpu_grain(job->n), nan_piece, &work))
        return ORDO_E_CANCELLED;
    *job->nans = atomic_load_explicit(&work.nans, memory_order_relaxed);
    return ORDO_OK;
}

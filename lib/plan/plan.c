/* plan.c - see plan.h. */
#include "plan/plan.h"

#include "plan/tuning.h"

#include <stdio.h>
#include <unistd.h>

ordo_status ordo_plan_open(ordo_plan *plan, ordo_where where, const ordo_backend_wishes *wishes,
                           const char *directory, char *why, size_t why_size)
{
    plan->where = where;
    plan->wishes = *wishes;
    plan->wishes.isa = NULL;
    if (directory == NULL)
        directory = "";
    if ((size_t)snprintf(plan->directory, sizeof plan->directory, "%s", directory) >=
        sizeof plan->directory) {
        snprintf(why, why_size, "ORDO_BACKEND_DIR is longer than %d bytes", PLAN_DIRECTORY);
        return ORDO_E_ARG;
    }
    plan->device = DEVICE_UNTRIED;
    plan->forgone = 0;
    plan->cpu = ordo_cpu_backend();
    return plan->cpu->open(&plan->cpu_state, wishes, why, why_size);
}

void ordo_plan_close(ordo_plan *plan)
{
    if (plan->device == DEVICE_OPEN && plan->opened_by == (long)getpid())
        plan->cuda->close(plan->cuda_state);
    plan->cpu->close(plan->cpu_state);
}

/* Whether there is a GPU to work with; tries to open it once. */
static bool device_there(ordo_plan *plan)
{
    if (plan->device == DEVICE_OPEN && plan->opened_by != (long)getpid()) {
        plan->device = DEVICE_ABSENT;
        snprintf(plan->why, sizeof plan->why,
                 "the GPU was opened before fork(); make a new context in the child");
    }
    if (plan->device != DEVICE_UNTRIED)
        return plan->device == DEVICE_OPEN;

    plan->device = DEVICE_ABSENT;
    plan->opened_by = (long)getpid();
    plan->cuda = ordo_backend_load(plan->directory, plan->why, sizeof plan->why);
    if (plan->cuda == NULL ||
        plan->cuda->open(&plan->cuda_state, &plan->wishes, plan->why, sizeof plan->why) != ORDO_OK)
        return false;
    plan->device = DEVICE_OPEN;
    plan->why[0] = '\0';
    return true;
}

const char *ordo_plan_cuda(ordo_plan *plan)
{
    (void)device_there(plan);
    return plan->why;
}

const char *ordo_plan_devices(ordo_plan *plan)
{
    (void)device_there(plan);
    plan->devices[0] = '\0';
    if (plan->cuda != NULL && plan->cuda->devices != NULL)
        plan->cuda->devices(plan->devices, sizeof plan->devices);
    return plan->devices;
}

size_t ordo_plan_held(const ordo_plan *plan)
{
    return plan->device == DEVICE_OPEN && plan->cuda->held != NULL
               ? plan->cuda->held(plan->cuda_state)
               : 0;
}

/* ---- When a GPU pays ---- */

static double per_key(ordo_type type)
{
    switch (ordo_type_size(type)) {
    case 1:
    case 2:
        return ORDO_TUNE_CPU_NARROW;
    case 4:
        return ORDO_TUNE_CPU_32;
    default:
        return ORDO_TUNE_CPU_64;
    }
}

ordo_load ordo_load_sort(ordo_type type, size_t n, size_t value_size)
{
    double const moved = ORDO_TUNE_CPU_VALUE * (double)value_size;
    return (ordo_load){(double)n * (per_key(type) + moved) * 1e-3,
                       (double)n * 2 * (double)(ordo_type_size(type) + value_size)};
}

ordo_load ordo_load_argsort(ordo_type type, size_t n, ordo_type index_type)
{
    double const bytes = (double)(ordo_type_size(type) + ordo_type_size(index_type));
    return (ordo_load){(double)n * (per_key(type) + ORDO_TUNE_CPU_INDEX) * 1e-3, (double)n * bytes};
}

ordo_load ordo_load_rank(ordo_type type, size_t n, ordo_type rank_type)
{
    double const bytes = (double)(ordo_type_size(type) + ordo_type_size(rank_type));
    return (ordo_load){(double)n * (per_key(type) + ORDO_TUNE_CPU_RANK) * 1e-3, (double)n * bytes};
}

/* What the threads read of the strings they read in either case. Even no string is worth it: the
 * verbs of strings are those of lib/hybrid wherever there is a GPU. */
ordo_load ordo_load_strings(size_t n)
{
    double const bytes = 2.0 * (sizeof(uint64_t) + sizeof(uint32_t));
    double const strings = n == 0 ? 1 : (double)n;
    return (ordo_load){strings * ORDO_TUNE_CPU_STRING * 1e-3, strings * bytes};
}

/* Seconds that a GPU would save. Arrays go through pinned memory, which several threads fill. */
static double gain(const ordo_exec *exec, const ordo_load *load)
{
    double const threads = (double)exec->threads;
    double const cpu = load->cpu_ns * 1e-9 / threads;
    double const copied = threads * ORDO_TUNE_STAGE_THREAD * 1e6;
    double const rate = copied < ORDO_TUNE_STAGE_ALL * 1e6 ? copied : ORDO_TUNE_STAGE_ALL * 1e6;
    return cpu - load->link_bytes / rate - ORDO_TUNE_DEVICE_CALL * 1e-6;
}

/* Whether `auto` takes the GPU. */
static bool device_wins(ordo_plan *plan, const ordo_exec *exec, const ordo_load *load)
{
    if (load->cpu_ns <= 0 || plan->device == DEVICE_ABSENT)
        return false;
    double const saved = gain(exec, load);
    if (saved <= 0)
        return false;
    if (plan->device == DEVICE_UNTRIED) {
        plan->forgone += saved;
        if (plan->forgone < ORDO_TUNE_DEVICE_OPEN * 1e-3)
            return false;
    }
    return device_there(plan);
}

ordo_status ordo_plan_choose(ordo_plan *plan, ordo_exec *exec, const ordo_load *load,
                             ordo_choice *choice)
{
    choice->backend = plan->cpu;
    choice->state = plan->cpu_state;
    if (exec->on_device && plan->where == ORDO_CPU)
        return ordo_fail(exec, ORDO_E_ARG,
                         "ORDO_ON_DEVICE, but the context was made for the CPU alone");
    if (plan->where == ORDO_HYBRID && !exec->on_device && load->cpu_ns <= 0)
        return ORDO_OK; /* not worth the way to the device */
    if (plan->where == ORDO_CUDA || plan->where == ORDO_HYBRID || exec->on_device) {
        if (!device_there(plan))
            return ordo_fail(exec, ORDO_E_UNSUPPORTED, "device %s: %s",
                             plan->where == ORDO_HYBRID ? "hybrid" : "cuda", plan->why);
    } else if (plan->where == ORDO_CPU || !device_wins(plan, exec, load)) {
        return ORDO_OK;
    }
    choice->backend = plan->cuda;
    choice->state = plan->cuda_state;
    if (load->cpu_ns > 0 && !exec->on_device) {
        bool const hybrid = plan->where == ORDO_HYBRID;
        plan->both = (ordo_both){plan->cpu,
                                 plan->cuda,
                                 plan->cpu_state,
                                 plan->cuda_state,
                                 plan->where != ORDO_CUDA,
                                 hybrid ? plan->wishes.cpu_share : -1,
                                 plan->where != ORDO_CUDA};
        choice->backend = hybrid ? ordo_hybrid_backend() : ordo_stream_backend();
        choice->state = &plan->both;
    }
    return ORDO_OK;
}

bool ordo_plan_again(const ordo_plan *plan, ordo_exec *exec, ordo_status failed,
                     ordo_choice *choice)
{
    if (plan->where != ORDO_AUTO || exec->on_device || choice->backend == plan->cpu ||
        exec->changed)
        return false;
    if (failed != ORDO_E_DEVICE && failed != ORDO_E_NOMEM && failed != ORDO_E_UNSUPPORTED)
        return false;
    choice->backend = plan->cpu;
    choice->state = plan->cpu_state;
    exec->isa = plan->cpu->isa(plan->cpu_state);
    exec->phase = 0;
    exec->phases = 1;
    return true;
}

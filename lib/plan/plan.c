/* plan.c - the choice of the backend (see plan.h). */
#define _GNU_SOURCE /* memmem */
#include "plan/plan.h"
#include "core/forked.h"

#include <stdio.h>
#include <string.h>

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
    plan->part_count = 0;
    plan->forgone = 0;
    plan->checked = false;
    plan->cpu = ordo_cpu_backend();
    return plan->cpu->open(&plan->cpu_state, wishes, why, why_size);
}

void ordo_plan_close(ordo_plan *plan)
{
    if (plan->device == DEVICE_OPEN && plan->opened_by == ordo_process_number()) {
        for (size_t i = 1; i < plan->part_count; i++)
            plan->cuda->close(plan->parts[i].state);
        plan->cuda->close(plan->cuda_state);
    }
    plan->cpu->close(plan->cpu_state);
}

static atomic_bool opened_once;

bool ordo_plan_opened_once(void) { return atomic_load(&opened_once); }

/* Whether the GPU is usable; tries to open it once. */
static bool device_there(ordo_plan *plan)
{
    if (plan->device == DEVICE_OPEN && plan->opened_by != ordo_process_number()) {
        plan->device = DEVICE_ABSENT;
        snprintf(plan->why, sizeof plan->why,
                 "the GPU was opened before fork(); make a new context in the child");
    }
    if (plan->device != DEVICE_UNTRIED)
        return plan->device == DEVICE_OPEN;

    plan->device = DEVICE_ABSENT;
    plan->opened_by = ordo_process_number();
    plan->cuda = ordo_backend_load(plan->directory, plan->why, sizeof plan->why);
    if (plan->cuda == NULL ||
        plan->cuda->open(&plan->cuda_state, &plan->wishes, plan->why, sizeof plan->why) != ORDO_OK)
        return false;
    plan->device = DEVICE_OPEN;
    atomic_store(&opened_once, true);
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

/* ---- The choice ---- */

void ordo_plan_calibration(ordo_plan *plan, const char *place)
{
    ordo_calibration_place(&plan->calibration, place, plan->cpu->isa(plan->cpu_state),
                           plan->wishes.device);
}

const char *ordo_plan_device_line(ordo_plan *plan)
{
    size_t const wish = plan->wishes.device;
    const char  *line = ordo_plan_devices(plan);
    for (size_t i = 1; *line != '\0'; i++) {
        size_t const length = strcspn(line, "\n");
        if (wish != 0 ? i == wish : memmem(line, length, "not usable", 10) == NULL)
            break;
        line += length + (line[length] != '\0');
    }
    return line;
}

const ordo_calibration *ordo_plan_costs(ordo_plan *plan)
{
    ordo_calibration *const costs = &plan->calibration;
    ordo_calibration_read(costs);
    if (plan->device == DEVICE_OPEN && costs->device[0] != '\0' && !plan->checked) {
        plan->checked = true;
        (void)ordo_calibration_check_device(costs, ordo_plan_device_line(plan));
    }
    return costs;
}

static void predict(ordo_plan *plan, const ordo_exec *exec, const ordo_load *load)
{
    plan->forecast = ordo_predict(&plan->calibration, load, exec->threads);
    if (plan->where == ORDO_CPU || plan->device == DEVICE_ABSENT)
        plan->forecast.device = plan->forecast.hybrid = 0;
}

/* Predicts the times of a job; false if the job is too small for that. */
static bool weigh(ordo_plan *plan, const ordo_exec *exec, const ordo_load *load)
{
    if (!ordo_worth_weighing(load, exec->threads))
        return false;
    (void)ordo_plan_costs(plan);
    predict(plan, exec, load);
    return true;
}

/* Opens the device, and predicts again if the calibration is for another device. */
static bool open_and_check(ordo_plan *plan, const ordo_exec *exec, const ordo_load *load)
{
    if (!device_there(plan))
        return false;
    if (plan->forecast.cpu > 0 && !plan->checked) {
        (void)ordo_plan_costs(plan);
        predict(plan, exec, load);
    }
    return true;
}

static double least(double a, double b) { return a > 0 && (b <= 0 || a < b) ? a : b; }

/* Whether AUTO uses the GPU. */
static bool device_wins(ordo_plan *plan, const ordo_exec *exec, const ordo_load *load)
{
    const ordo_forecast *const by = &plan->forecast;
    if (!weigh(plan, exec, load) || plan->device == DEVICE_ABSENT)
        return false;
    double const saved = by->cpu - least(by->hybrid, by->device);
    if (saved <= 0)
        return false;
    if (plan->device == DEVICE_UNTRIED) {
        plan->forgone += saved;
        if (plan->forgone < (double)plan->calibration.value[COST_DEVICE_OPEN] * 1e-3)
            return false;
    }
    return open_and_check(plan, exec, load) && by->cpu > least(by->hybrid, by->device);
}

/* The CPU share of a hybrid sort: as given, else as measured; 0: lib/hybrid decides. */
static double share_of(const ordo_plan *plan)
{
    if (plan->wishes.cpu_share != 0)
        return plan->wishes.cpu_share;
    return plan->calibration.measured[COST_HYBRID_SHARE]
               ? (double)plan->calibration.value[COST_HYBRID_SHARE] * 1e-3
               : 0;
}

/* The same for the sample sort, where the built-in share is used if none was measured. */
static double sample_share_of(const ordo_plan *plan)
{
    if (plan->wishes.cpu_share != 0)
        return plan->wishes.cpu_share < 0 ? -1 : plan->wishes.cpu_share;
    return (double)plan->calibration.value[COST_SAMPLE_SHARE] * 1e-3;
}

typedef enum side {
    SIDE_CPU,
    SIDE_DEVICE,
    SIDE_BOTH
} side;

/* HYBRID: a given share is used unless the job is small. Otherwise the faster side does all. */
static side side_of_hybrid(ordo_plan *plan, const ordo_exec *exec, const ordo_load *load)
{
    double const               given = plan->wishes.cpu_share;
    const ordo_forecast *const by = &plan->forecast;
    bool const                 weighed = weigh(plan, exec, load);
    (void)open_and_check(plan, exec, load);
    if (given >= 1)
        return SIDE_CPU;
    if (load->sampled)
        return SIDE_BOTH;
    if (given < 0 || (given > 0 && (ordo_is_streamed(load) ||
                                    (load->record_bytes != 0 && load->n >= ORDO_TUNE_SHARE_LEAST))))
        return SIDE_BOTH;
    if (!weighed || by->cpu <= least(by->hybrid, by->device))
        return SIDE_CPU;
    return by->hybrid > 0 && by->hybrid <= by->device ? SIDE_BOTH : SIDE_DEVICE;
}

/* For a job on host arrays that a device may do. */
static side side_of(ordo_plan *plan, const ordo_exec *exec, const ordo_load *load)
{
    switch (plan->where) {
    case ORDO_HYBRID:
        return side_of_hybrid(plan, exec, load);
    case ORDO_AUTO:
        if (!device_wins(plan, exec, load))
            return SIDE_CPU;
        return plan->forecast.hybrid > 0 && plan->forecast.hybrid < plan->forecast.device
                   ? SIDE_BOTH
                   : SIDE_DEVICE;
    case ORDO_CPU:
        (void)weigh(plan, exec, load);
        return SIDE_CPU;
    case ORDO_CUDA:
        break;
    }
    (void)weigh(plan, exec, load);
    (void)open_and_check(plan, exec, load);
    return SIDE_DEVICE;
}

/* Opens the other GPUs of a list and gives the sample sort all of them. */
static ordo_status use_parts(ordo_plan *plan, ordo_exec *exec)
{
    const ordo_backend_wishes *const wishes = &plan->wishes;
    double                           left = 1;
    for (size_t i = plan->part_count; i < wishes->device_count; i++) {
        ordo_backend_wishes one = *wishes;
        ordo_part *const    part = &plan->parts[i];
        char                why[PLAN_WHY] = "";
        one.device = (size_t)wishes->devices[i].device;
        *part = (ordo_part){plan->cuda, plan->cuda_state, wishes->devices[i].share};
        if (i > 0 && plan->cuda->open(&part->state, &one, why, sizeof why) != ORDO_OK)
            return ordo_fail(exec, ORDO_E_ARG, "GPU %zu of the list: %s", one.device - 1, why);
        plan->part_count = i + 1;
    }
    for (size_t i = 0; i < plan->part_count; i++)
        left -= plan->parts[i].share;
    plan->both.parts = plan->parts;
    plan->both.part_count = plan->part_count;
    plan->both.sample_share = left > 1e-9 ? left : 0;
    return ORDO_OK;
}

ordo_status ordo_plan_choose(ordo_plan *plan, ordo_exec *exec, const ordo_load *load,
                             ordo_choice *choice)
{
    bool const weighed = load->cpu_ns > 0 && !exec->on_device;
    choice->backend = plan->cpu;
    choice->state = plan->cpu_state;
    plan->forecast.cpu = 0;
    if (exec->on_device && plan->where == ORDO_CPU)
        return ordo_fail(exec, ORDO_E_ARG,
                         "ORDO_ON_DEVICE is set, but the context is for the CPU only");
    bool const free_to_choose = plan->where == ORDO_AUTO || plan->where == ORDO_CPU;
    if (!exec->on_device && (free_to_choose ? !ordo_worth_weighing(load, exec->threads)
                                            : !weighed && plan->where != ORDO_CUDA))
        return ORDO_OK; /* too small for a device */

    side const who = weighed ? side_of(plan, exec, load) : SIDE_DEVICE;
    if ((plan->where == ORDO_CUDA || plan->where == ORDO_HYBRID || exec->on_device) &&
        !device_there(plan))
        return ordo_fail(exec, ORDO_E_UNSUPPORTED, "device %s: %s",
                         plan->where == ORDO_HYBRID ? "hybrid" : "cuda", plan->why);
    if (who == SIDE_CPU)
        return ORDO_OK;
    choice->backend = plan->cuda;
    choice->state = plan->cuda_state;
    if (weighed) {
        plan->both = (ordo_both){.cpu = plan->cpu,
                                 .device = plan->cuda,
                                 .cpu_state = plan->cpu_state,
                                 .device_state = plan->cuda_state,
                                 .keep = plan->where != ORDO_CUDA,
                                 .share = who == SIDE_BOTH ? share_of(plan) : -1,
                                 .asked = who == SIDE_BOTH && plan->wishes.cpu_share > 0,
                                 .packs = plan->where != ORDO_CUDA,
                                 .sample_share = who == SIDE_BOTH ? sample_share_of(plan) : -1};
        if (load->sampled && plan->wishes.device_count != 0 && who == SIDE_BOTH)
            TRY(use_parts(plan, exec));
        choice->backend = who == SIDE_BOTH ? ordo_hybrid_backend() : ordo_streamed_backend();
        choice->state = &plan->both;
    }
    return ORDO_OK;
}

bool ordo_plan_again(const ordo_plan *plan, ordo_exec *exec, ordo_status failed,
                     ordo_choice *choice)
{
    if (plan->where == ORDO_CUDA || exec->on_device || choice->backend == plan->cpu ||
        exec->changed || !ordo_device_gave_up(failed))
        return false;
    choice->backend = plan->cpu;
    choice->state = plan->cpu_state;
    ordo_restart_on_cpu(exec, plan->cpu->isa(plan->cpu_state), failed);
    return true;
}

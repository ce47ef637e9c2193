/* plan.c - predictions of times (see predict.h) and the choice of the backend (see plan.h). */
#define _GNU_SOURCE /* memmem */
#include "plan/plan.h"
#include "core/forked.h"

#include <stdio.h>
#include <string.h>

/* ---- Loads ---- */

static ordo_cost_id cost_of_key(ordo_type type)
{
    size_t const size = ordo_type_size(type);
    return size <= 2 ? COST_CPU_16 : size == 4 ? COST_CPU_32 : COST_CPU_64;
}

static double cost_of(const long *value, const ordo_load *load) /* ps of one thread, per key */
{
    return (double)value[load->key] + (double)value[load->with] +
           (double)value[COST_CPU_VALUE] * (double)load->value_size;
}

static double cost_of_string(const long *value, const ordo_load *load)
{
    return (double)value[COST_CPU_STRING] + load->further * (double)value[COST_CPU_STRING_MORE];
}

/* The time in ps by the built-in costs, which are constants: reading the table of costs may miss
 * the cache. */
static double built_in(const ordo_load *load)
{
    int const key = load->key == COST_CPU_32   ? STANDARD_CPU_32
                    : load->key == COST_CPU_64 ? STANDARD_CPU_64
                                               : STANDARD_CPU_16;
    int const with = load->with == COST_NONE        ? 0
                     : load->with == COST_CPU_INDEX ? STANDARD_CPU_INDEX
                                                    : STANDARD_CPU_RANK;
    return (double)(key + with) + STANDARD_CPU_VALUE * (double)load->value_size;
}

/* Records of keys and `with`, where a record has `more` bytes beside the key. The link carries
 * `bytes` for each record. */
static ordo_load load_of(ordo_type type, size_t n, ordo_cost_id with, size_t more, size_t bytes)
{
    if (n < ORDO_TUNE_WEIGH_KEYS)
        return (ordo_load){.cpu_ns = (double)n};
    ordo_load load = {.n = n,
                      .value_size = with == COST_NONE ? more : 0,
                      .record_bytes = n * (ordo_type_size(type) + more),
                      .link_bytes = (double)n * (double)bytes,
                      .key = cost_of_key(type),
                      .with = with};
    load.cpu_ns = (double)n * built_in(&load) * 1e-3;
    return load;
}

ordo_load ordo_load_sort(ordo_type type, size_t n, size_t value_size)
{
    return load_of(type, n, COST_NONE, value_size, 2 * (ordo_type_size(type) + value_size));
}

ordo_load ordo_load_argsort(ordo_type type, size_t n, ordo_type index_type)
{
    size_t const index = ordo_type_size(index_type);
    return load_of(type, n, COST_CPU_INDEX, index, ordo_type_size(type) + index);
}

ordo_load ordo_load_rank(ordo_type type, size_t n, ordo_type rank_type)
{
    size_t const number = n <= ORDO_TUNE_RANK_NARROW ? sizeof(uint32_t) : sizeof(uint64_t);
    size_t const home =
        ordo_rank_is_streamed(type, n, rank_type) ? number : ordo_type_size(rank_type);
    return load_of(type, n, COST_CPU_RANK, number, ordo_type_size(type) + home);
}

/* The number of further reads per string beyond its first key, including work of the same cost: a
 * common prefix is skipped at the speed of memory, and a copy costs about as much as a read. */
static double further_reads(const ordo_string_look *look, double copied)
{
    double reads = look->further;
    if (copied > 0)
        reads += 0.4 + copied / 400;
    if (look->common >= 7)
        reads += 0.4 + look->common / 300;
    return reads;
}

/* The threads read the strings in both cases. Even an empty array has a load, because with a GPU
 * all string verbs go through lib/hybrid. */
ordo_load ordo_load_strings(const ordo_strings *strings, size_t n, uint64_t copied, uint64_t seed)
{
    double const bytes = 2.0 * (sizeof(uint64_t) + sizeof(uint32_t));
    double const count = n == 0 ? 1 : (double)n;
    ordo_load    load = {.n = n == 0 ? 1 : n, .key = COST_CPU_STRING, .link_bytes = count * bytes};
    if (strings != NULL && n >= ORDO_TUNE_WEIGH_KEYS) {
        ordo_string_look const look = ordo_look_at_strings(strings, n, seed);
        load.further = further_reads(&look, (double)copied / count);
    }
    double const ps = STANDARD_CPU_STRING + load.further * STANDARD_CPU_STRING_MORE;
    load.cpu_ns = count * ps * 1e-3;
    load.host_ns = count * (STANDARD_CPU_STRING - ORDO_TUNE_CPU_STRING_SAVED) * 1e-3;
    return load;
}

/* ---- Forecasts ---- */

/* The cost of a key with `used` threads, relative to the cost with all threads. */
static double rise(const ordo_calibration *c, double used)
{
    double const alone = (double)c->value[COST_CPU_ALONE] * 1e-2;
    double const all = (double)c->value[COST_THREADS];
    return used >= all ? 1 : alone + (1 - alone) * (used - 1) / (all - 1);
}

static double predict_cpu(const ordo_calibration *c, const ordo_load *load, unsigned threads)
{
    const long *const value = c->value;
    double const ps = load->key == COST_CPU_STRING ? (double)load->n * cost_of_string(value, load)
                      : load->key != COST_NONE
                          ? (double)load->n * cost_of(value, load)
                          : load->cpu_ns * 1e3 * (double)value[COST_CPU_64] / STANDARD_CPU_64;
    if (load->key == COST_CPU_STRING && ordo_is_small(load))
        return ps * 1e-12;
    if (ordo_is_small(load))
        return ps * (double)value[COST_CPU_SMALL] * 1e-14;
    /* Threads beyond the number that was measured add no speed. */
    double const all = (double)value[COST_THREADS];
    double const used = c->measured[COST_THREADS] && threads > all ? all : (double)threads;
    double const call = used <= 1 ? 0 : used >= all ? 1 : (used - 1) / (all - 1);
    /* A thread that sorts strings waits for memory, not for its share of the bandwidth, so more
     * threads do not slow each other down. */
    double const shared = load->key == COST_CPU_STRING ? 1 : rise(c, used);
    return call * (double)value[COST_CPU_CALL] * 1e-6 + ps * shared / used * 1e-12;
}

static double predict_device(const ordo_calibration *c, const ordo_load *load, unsigned threads)
{
    const long *const value = c->value;
    bool const        streamed = ordo_is_streamed(load);
    double const      call = (double)value[streamed ? COST_STREAM_CALL : COST_DEVICE_CALL];
    double const      most = (double)value[streamed ? COST_STAGE_ALL : COST_STAGE_WHOLE];
    double const      filled = (double)threads * (double)value[COST_STAGE_THREAD];
    return call * 1e-6 + load->host_ns / (double)threads * 1e-9 +
           load->link_bytes / ((filled < most ? filled : most) * 1e6);
}

/* The time of the CPU for keys in that order, at most `unordered`. Only keys alone are sorted in
 * windows. */
static double predict_ordered(const ordo_calibration *c, const ordo_load *load, unsigned threads,
                              ordo_key_order order, double unordered)
{
    bool const alone = load->value_size == 0 && load->with == COST_NONE;
    if (order == KEYS_UNORDERED || (order == KEYS_NEARLY_RISING && !alone))
        return unordered;
    ordo_load ordered = *load;
    ordered.key = COST_NONE; /* only cpu_ns is known */
    ordered.cpu_ns = (double)load->record_bytes * ORDO_TUNE_CPU_ORDERED * 1e-3;
    double const seconds = predict_cpu(c, &ordered, threads);
    return seconds < unordered ? seconds : unordered;
}

ordo_forecast ordo_predict(const ordo_calibration *c, const ordo_load *load, unsigned threads)
{
    double const device = predict_device(c, load, threads);
    double const hybrid = device * (double)c->value[COST_HYBRID_TIME] * 1e-2;
    return (ordo_forecast){predict_cpu(c, load, threads), device,
                           ordo_is_streamed(load) ? hybrid : 0};
}

/* ---- Open and close ---- */

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

size_t ordo_plan_sms(const ordo_plan *plan)
{
    return plan->device == DEVICE_OPEN && plan->cuda->sms != NULL
               ? plan->cuda->sms(plan->cuda_state)
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
    size_t const wanted = plan->wishes.device;
    const char  *line = ordo_plan_devices(plan);
    for (size_t i = 1; *line != '\0'; i++) {
        size_t const length = strcspn(line, "\n");
        if (wanted != 0 ? i == wanted : memmem(line, length, "not usable", 10) == NULL)
            break;
        line += length + (line[length] != '\0');
    }
    return line;
}

const ordo_calibration *ordo_plan_costs(ordo_plan *plan)
{
    ordo_calibration *const costs = &plan->calibration;
    if (!costs->tried)
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

/* Seconds to open the GPU. */
static double time_to_open(const ordo_plan *plan)
{
    double const alone = (double)plan->calibration.value[COST_DEVICE_OPEN] * 1e-3;
    double const joined = ORDO_TUNE_DEVICE_JOIN * 1e-3;
    return joined < alone && ordo_device_is_in_use(plan->wishes.device) ? joined : alone;
}

/* Whether AUTO uses the GPU. */
static bool device_wins(ordo_plan *plan, const ordo_exec *exec, const ordo_load *load)
{
    ordo_forecast *const by = &plan->forecast;
    if (!weigh(plan, exec, load) || plan->device == DEVICE_ABSENT ||
        by->cpu <= least(by->hybrid, by->device))
        return false;
    ordo_key_order const order =
        load->keys == NULL ? KEYS_UNORDERED : ordo_look_at_keys(load, exec->seed);
    by->cpu = predict_ordered(&plan->calibration, load, exec->threads, order, by->cpu);
    double const saved = by->cpu - least(by->hybrid, by->device);
    if (saved <= 0)
        return false;
    if (plan->device == DEVICE_UNTRIED) {
        plan->forgone += saved;
        if (plan->forgone < time_to_open(plan))
            return false;
    }
    if (!open_and_check(plan, exec, load))
        return false;
    by->cpu = predict_ordered(&plan->calibration, load, exec->threads, order, by->cpu);
    return by->cpu > least(by->hybrid, by->device);
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
static double sample_share_of(ordo_plan *plan)
{
    if (plan->wishes.cpu_share != 0)
        return plan->wishes.cpu_share < 0 ? -1 : plan->wishes.cpu_share;
    return (double)ordo_plan_costs(plan)->value[COST_SAMPLE_SHARE] * 1e-3;
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
    if (ordo_names_sample(load->algorithm))
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
        if (!load->segmented)
            return side_of_hybrid(plan, exec, load);
        (void)open_and_check(plan, exec, load);
        return device_wins(plan, exec, load) ? SIDE_DEVICE : SIDE_CPU;
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
            return ordo_fail(exec, ORDO_E_ARG, "a share is for GPU cuda:%zu: %s", one.device - 1,
                             why);
        plan->part_count = i + 1;
    }
    for (size_t i = 0; i < plan->part_count; i++)
        left -= plan->parts[i].share;
    plan->both.parts = plan->parts;
    plan->both.part_count = plan->part_count;
    plan->both.sample_share = left > 1e-9 ? left : 0;
    return ORDO_OK;
}

/* Refuses shares that a sort of one host array would not use. lib/hybrid refuses the algorithms
 * that cannot share a sort of numbers. */
static ordo_status check_shares(const ordo_plan *plan, ordo_exec *exec, const ordo_load *load)
{
    if (!ordo_plan_shares(plan) || exec->on_device || ordo_names_sample(load->algorithm) ||
        load->segmented || load->n < ORDO_TUNE_SHARE_LEAST)
        return ORDO_OK;
    if (plan->wishes.device_count != 0)
        return ordo_fail(exec, ORDO_E_ARG,
                         "the context has shares for %zu GPUs, but this sort cannot use them; "
                         "expected algorithm sample",
                         plan->wishes.device_count);
    if (load->key == COST_CPU_STRING)
        return ordo_fail(exec, ORDO_E_ARG,
                         "cpu_share is %g, but this algorithm does not share strings between the "
                         "CPU and the GPU; expected algorithm sample",
                         plan->wishes.cpu_share);
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
                         "ORDO_ON_DEVICE is set, but the context is for the CPU only; expected "
                         "where = ORDO_AUTO, ORDO_CUDA or ORDO_HYBRID");
    bool const free_to_choose = plan->where == ORDO_AUTO || plan->where == ORDO_CPU;
    if (!exec->on_device && (free_to_choose ? !ordo_worth_weighing(load, exec->threads)
                                            : !weighed && plan->where != ORDO_CUDA))
        return ORDO_OK; /* too small for a device, or a call that the CPU always does */

    TRY(check_shares(plan, exec, load));
    side const who = weighed ? side_of(plan, exec, load) : SIDE_DEVICE;
    if ((plan->where == ORDO_CUDA || plan->where == ORDO_HYBRID || exec->on_device) &&
        !device_there(plan))
        return ordo_fail(exec, ORDO_E_UNSUPPORTED, "device %s: %s",
                         plan->where == ORDO_HYBRID ? "hybrid" : "cuda", plan->why);
    if (who == SIDE_CPU)
        return ORDO_OK;
    choice->backend = plan->cuda;
    choice->state = plan->cuda_state;
    if (weighed && !load->segmented) {
        plan->both = (ordo_both){.cpu = plan->cpu,
                                 .device = plan->cuda,
                                 .cpu_state = plan->cpu_state,
                                 .device_state = plan->cuda_state,
                                 .keep = plan->where != ORDO_CUDA,
                                 .share = who == SIDE_BOTH ? share_of(plan) : -1,
                                 .asked = who == SIDE_BOTH && plan->wishes.cpu_share > 0,
                                 .packs = plan->where != ORDO_CUDA,
                                 .sample_share = who == SIDE_BOTH ? sample_share_of(plan) : -1};
        if (ordo_names_sample(load->algorithm) && plan->wishes.device_count != 0 &&
            who == SIDE_BOTH)
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

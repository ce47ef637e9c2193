/* hybrid_strings.c - argsort, rank and sort of strings, and sort of pointers to strings, with a
 * device.
 *
 * The rounds (hybrid_strings.h) find the order of all strings except within groups. The CPU's verb
 * then continues from this order. The rounds do not change the caller's arrays, so the CPU can do
 * the whole job if the device or memory fails. The scratch of the CPU's verb is taken first and
 * also serves the rounds. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/strings/hybrid_strings.h"

#include <stdio.h>
#include <string.h>

enum {
    CPU_BYTES = 32, /* scratch of the CPU's verb, bytes per string */
    PHASES = 8      /* phases of progress: sending, fetching and six for the CPU */
};

static bool uses_device(const ordo_both *both, size_t n, ordo_algorithm algorithm,
                        const ordo_exec *exec)
{
    const ordo_backend *const device = both->device;
    if (algorithm == ORDO_ALGORITHM_SAMPLE)
        return both->sample_share < 1 && hybrid_may_sample(both, n, exec);
    return n >= ORDO_STRINGS_STREAM && both->share < 1 && device->link != NULL &&
           device->sort_pairs != NULL && device->sort_pairs_scratch != NULL;
}

/* ---- Memory ---- */

static ordo_status reserve_host(hybrid_string_order *order)
{
    size_t room, all;
    if (!ordo_size_mul(order->n, CPU_BYTES, &room) ||
        !ordo_size_mul(order->n, CPU_BYTES + order->id_size, &all))
        return ordo_fail(order->call.exec, ORDO_E_NOMEM,
                         "the scratch of %zu strings exceeds SIZE_MAX", order->n);
    TRY_SCRATCH(order->call.exec, all, order->keys);
    order->labels = (uint32_t *)(void *)(order->keys + order->n);
    order->index = (char *)order->keys + room;
    order->known.room = order->keys;
    order->known.room_bytes = room;
    return ORDO_OK;
}

static ordo_status reserve_device(hybrid_string_order *order)
{
    hybrid_call *const call = &order->call;
    size_t const       scratch = hybrid_sort_records_scratch(call->both->device, &order->records,
                                                             order->n, &call->device.exec);
    size_t             bytes = 0, used = 0;
    char              *base;
    (void)hybrid_carve(NULL, &bytes, order->n * sizeof(uint64_t));
    (void)hybrid_carve(NULL, &bytes, order->n * order->id_size);
    TRY(hybrid_reserve_device(call, bytes, scratch, &base));
    order->device_keys = hybrid_carve(base, &used, order->n * sizeof(uint64_t));
    order->device_ids = hybrid_carve(base, &used, order->n * order->id_size);
    return ORDO_OK;
}

/* ---- Rounds ---- */

static ordo_status run_rounds(hybrid_string_order *order)
{
    ordo_exec *const exec = order->call.exec;
    order->all = (tied_group){.count = order->n, .depth = order->shared};
    order->groups = &order->all;
    order->group_count = 1;
    order->entries = order->n;
    (void)string_choose_layout(order, 0);
    while (order->entries > 0) {
        order->rounds++;
        TRY(string_round(order));
        TRY(string_find_groups(order));
        exec->phase = 2;
        if (order->entries > 0 && !string_choose_layout(order, order->group_count))
            return ordo_fail(exec, ORDO_E_UNSUPPORTED, "%zu groups leave no room for a letter",
                             order->group_count);
    }
    return ORDO_OK;
}

typedef struct string_request {
    const ordo_strings *strings;
    size_t              n;
    bool                descending, equal_wanted;
    ordo_algorithm      algorithm;
} string_request;

/* Surveys the strings, reserves device memory and runs the rounds. */
static ordo_status find_by_rounds(hybrid_string_order *order, const ordo_both *both,
                                  ordo_exec *exec)
{
    if (!string_survey(order, ordo_max(1, order->n / ORDO_TUNE_STRINGS_SAMPLE)))
        return ORDO_E_CANCELLED;
    TRY(reserve_device(order));
    order->survey_s = string_seconds(order);
    ordo_status const status = run_rounds(order);
    ordo_status const ended = order->call.link->end(both->device_state, exec);
    return status == ORDO_OK ? ended : status;
}

static ordo_status find_order(hybrid_string_order *order, const ordo_both *both,
                              const string_request *request, ordo_exec *exec)
{
    size_t const n = request->n;
    order->n = n;
    order->view = string_view_of(request->strings, n, request->descending);
    order->equal_wanted = request->equal_wanted;
    order->far_apart = order->view.offsets == NULL ||
                       (order->view.offsets[n] - order->view.offsets[0]) / n >= 2 * ORDO_CACHE_LINE;
    order->id_type = (uint64_t)n <= UINT64_C(1) << 32 ? ORDO_U32 : ORDO_U64;
    order->id_size = ordo_type_size(order->id_type);
    order->records = (hybrid_records){
        .type = ORDO_U64, .n = n, .key_size = sizeof(uint64_t), .value_size = order->id_size};
    hybrid_call_open(&order->call, both, &order->records, exec);
    (void)string_seconds(order);
    exec->phase = 0;
    exec->phases = PHASES;
    ordo_status status = reserve_host(order);
    if (status == ORDO_OK)
        status = request->algorithm == ORDO_ALGORITHM_SAMPLE
                     ? exec->papers->hybrid.strings_shared(both, order, exec)
                     : find_by_rounds(order, both, exec);
    hybrid_call_close(&order->call);
    if (status == ORDO_OK) {
        order->known.index_type = order->id_type;
        order->known.index = order->index;
    }
    return status;
}

/* Finds the order. If that fails and both->keep is set, order->known brings only scratch, and the
 * CPU sorts from the beginning. A failed sample sort returns its error instead: the caller repeats
 * the call on the CPU, which takes the scratch of its own sample sort. */
static ordo_status prepare(hybrid_string_order *order, const ordo_both *both,
                           const string_request *request, ordo_exec *exec)
{
    order->n = 0;
    order->known.room = NULL;
    if (!uses_device(both, request->n, request->algorithm, exec))
        return ORDO_OK;
    memset(order, 0, sizeof *order);
    ordo_status const status = find_order(order, both, request, exec);
    if (!both->keep || !ordo_device_gave_up(status) || request->algorithm == ORDO_ALGORITHM_SAMPLE)
        return status;
    order->known.part_count = 0;
    ordo_restart_on_cpu(exec, both->cpu->isa(both->cpu_state), status);
    return ORDO_OK;
}

/* Phase I includes the time to make the keys, phase IV the time for groups of equal keys. */
static ordo_status report_sample(hybrid_string_order *order, ordo_exec *exec)
{
    exec->algorithm = "sample";
    exec->isa = order->isa;
    exec->facts = order->sampled;
    exec->facts.groups = order->left;
    ordo_sample_add_cpu(&exec->facts, 0, order->survey_s);
    ordo_sample_add_cpu(&exec->facts, 3, order->groups_s + string_seconds(order));
    return ORDO_OK;
}

static ordo_status report(hybrid_string_order *order, ordo_exec *exec, ordo_status status)
{
    if (status != ORDO_OK || order->n == 0 || order->known.index == NULL)
        return status;
    if (order->sampled.strategy == ORDO_STRATEGY_PHASES)
        return report_sample(order, exec);
    exec->isa = order->call.device.exec.isa;
    exec->facts =
        (ordo_facts){.strategy = ORDO_STRATEGY_STREAMED,
                     .rounds = order->rounds,
                     .letter_bits = order->alphabet.bits,
                     .surveys = order->surveys,
                     .groups = order->left,
                     .phase_seconds = {order->survey_s, order->send_s[0], order->send_s[1],
                                       order->fetch_s, order->groups_s, string_seconds(order)}};
    return status;
}

/* ---- Slots ---- */

/* Finds the order of the strings, then runs the CPU's verb, which continues from this order or, if
 * there is none, sorts from the beginning. */
#define SLOT(verb, job_type, given, wants_equal)                                                   \
    ordo_status hybrid_##verb(void *state, const job_type *job, ordo_exec *exec)                   \
    {                                                                                              \
        const ordo_both *const both = state;                                                       \
        string_request const   request = {given, job->n, job->descending, wants_equal,             \
                                          job->algorithm};                                         \
        job_type               with_order = *job;                                                  \
        hybrid_string_order    order;                                                              \
        TRY(prepare(&order, both, &request, exec));                                                \
        with_order.known = order.known.room != NULL ? &order.known : NULL;                         \
        return report(&order, exec, both->cpu->verb(both->cpu_state, &with_order, exec));          \
    }

SLOT(argsort_strings, ordo_strings_job, &job->strings, false)
SLOT(rank_strings, ordo_string_rank_job, &job->strings, true)
SLOT(sort_strings, ordo_string_copy_job, &job->strings, false)
SLOT(sort_pointers, ordo_pointers_job,
     (&(ordo_strings){sizeof(ordo_strings), NULL, NULL, (const char *const *)job->pointers}), false)

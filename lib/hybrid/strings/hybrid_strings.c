/* strings.c - argsort, rank, sort of strings and of pointers to them, with a device's help.
 *
 * The rounds (strings.h) find an order of the strings that is right but inside groups; with that
 * the CPU's own verb begins. Whatever goes wrong before, with the device or for want of memory, the
 * CPU does all of it where it may (ordo_both's keep): nothing of the caller's has been changed by
 * then. So the scratch that the CPU needs is taken first, and serves the rounds meanwhile. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/strings/strings.h"

#include <stdio.h>
#include <string.h>

enum {
    CPU_BYTES = 32, /* of scratch that the CPU takes for a string */
    PHASES = 8      /* of progress: keys out and home are two, the rest the CPU's */
};

static bool is_worth_it(const ordo_both *both, size_t n)
{
    const ordo_backend *const device = both->device;
    return n >= ORDO_TUNE_STRINGS_STREAM && both->share < 1 && device->link != NULL &&
           device->sort_pairs != NULL && device->sort_pairs_scratch != NULL;
}

/* ---- Memory ---- */

static ordo_status hold_host(string_run *s)
{
    size_t room, all;
    void  *memory;
    if (!ordo_size_mul(s->n, CPU_BYTES, &room) ||
        !ordo_size_mul(s->n, CPU_BYTES + s->id_size, &all))
        return ordo_fail(s->run.exec, ORDO_E_NOMEM,
                         "%zu strings need more scratch than can be counted", s->n);
    TRY(ordo_scratch(s->run.exec, all, &memory));
    s->keys = memory;
    s->labels = (uint32_t *)(void *)(s->keys + s->n);
    s->index = (char *)memory + room;
    s->known.room = memory;
    s->known.room_bytes = room;
    return ORDO_OK;
}

static ordo_status hold_device(string_run *s)
{
    hybrid_run *const    run = &s->run;
    ordo_pairs_job const job = {
        {.type = ORDO_U64, .n = s->n, .algorithm = ORDO_ALGORITHM_RADIX}, NULL, s->id_size};
    size_t const scratch = run->both->device->sort_pairs_scratch(&job, &run->device.exec);
    size_t       bytes = 0, used = 0;
    char        *base;
    (void)hybrid_take(NULL, &bytes, s->n * sizeof(uint64_t));
    (void)hybrid_take(NULL, &bytes, s->n * s->id_size);
    TRY(hybrid_hold_device(run, bytes, scratch, &base));
    s->device_keys = hybrid_take(base, &used, s->n * sizeof(uint64_t));
    s->device_ids = hybrid_take(base, &used, s->n * s->id_size);
    return ORDO_OK;
}

/* ---- The rounds ---- */

static ordo_status rounds(string_run *s)
{
    ordo_exec *const exec = s->run.exec;
    s->all = (string_tie){.count = s->n, .depth = s->shared};
    s->ties = &s->all;
    s->tie_count = 1;
    s->entries = s->n;
    (void)string_coder_make(s, 0);
    while (s->entries > 0) {
        s->rounds++;
        TRY(string_round(s));
        TRY(string_ties(s));
        exec->phase = 2;
        if (s->entries > 0 && !string_coder_make(s, s->tie_count)) /* more groups than strings */
            return ordo_fail(exec, ORDO_E_UNSUPPORTED, "%zu groups", s->tie_count);
    }
    return ORDO_OK;
}

typedef struct strings_ask {
    const ordo_strings *strings;
    size_t              n;
    bool                descending, equal_wanted;
} strings_ask;

static ordo_status find_order(string_run *s, const ordo_both *both, const strings_ask *ask,
                              ordo_exec *exec)
{
    size_t const n = ask->n;
    s->n = n;
    s->view = string_view_of(ask->strings, n, ask->descending);
    s->equal_wanted = ask->equal_wanted;
    s->apart = s->view.offsets == NULL ||
               (s->view.offsets[n] - s->view.offsets[0]) / n >= 2 * ORDO_CACHE_LINE;
    s->id_type = (uint64_t)n <= UINT64_C(1) << 32 ? ORDO_U32 : ORDO_U64;
    s->id_size = ordo_type_size(s->id_type);
    s->records = (hybrid_records){
        .type = ORDO_U64, .n = n, .key_size = sizeof(uint64_t), .value_size = s->id_size};
    hybrid_open(&s->run, both, &s->records, exec);
    (void)string_lap(s);
    exec->phase = 0;
    exec->phases = PHASES;
    ordo_status status = hold_host(s);
    if (status == ORDO_OK && !string_survey(s, ordo_max(1, n / ORDO_TUNE_STRINGS_SAMPLE)))
        status = ORDO_E_CANCELLED;
    if (status == ORDO_OK)
        status = hold_device(s);
    s->survey_s = string_lap(s);
    if (status == ORDO_OK) {
        status = rounds(s);
        ordo_status const ended = s->run.link->end(both->device_state, exec);
        status = status == ORDO_OK ? ended : status;
    }
    hybrid_close(&s->run);
    if (status == ORDO_OK) {
        s->known.index_type = s->id_type;
        s->known.index = s->index;
    }
    return status;
}

/* The order; where the CPU may do the job, nothing but the room for it; what else went wrong. */
static ordo_status prepare(string_run *s, const ordo_both *both, const strings_ask *ask,
                           ordo_exec *exec)
{
    s->n = 0;
    s->known.room = NULL;
    if (!is_worth_it(both, ask->n))
        return ORDO_OK;
    memset(s, 0, sizeof *s);
    ordo_status const status = find_order(s, both, ask, exec);
    if (!both->keep ||
        (status != ORDO_E_DEVICE && status != ORDO_E_NOMEM && status != ORDO_E_UNSUPPORTED))
        return status;
    s->known.part_count = 0;
    exec->phase = 0;
    exec->phases = 1;
    return ORDO_OK;
}

static ordo_status report(string_run *s, ordo_exec *exec, ordo_status status)
{
    if (status != ORDO_OK || s->n == 0)
        return status;
    if (s->known.index == NULL) {
        ordo_note(exec, "by the CPU alone: %.180s",
                  s->run.why[0] != '\0' ? s->run.why : "too little memory, here or on the device");
        return status;
    }
    exec->isa = s->run.device.exec.isa;
    ordo_note(
        exec,
        "streamed in %zu rounds, %u bits a letter, %zu surveys; %zu groups left to the CPU; "
        "survey %.1f ms, keys out %.1f and %.1f ms, home %.1f ms, groups %.1f ms, CPU %.1f ms",
        s->rounds, s->alphabet.bits, s->surveys, s->left, 1e3 * s->survey_s, 1e3 * s->send_s[0],
        1e3 * s->send_s[1], 1e3 * s->home_s, 1e3 * s->ties_s, 1e3 * string_lap(s));
    return status;
}

/* ---- The verbs ---- */

#define FINISH(slot)                                                                               \
    do {                                                                                           \
        string_run s;                                                                              \
        TRY(prepare(&s, both, &ask, exec));                                                        \
        with.known = s.known.room != NULL ? &s.known : NULL;                                       \
        return report(&s, exec, both->cpu->slot(both->cpu_state, &with, exec));                    \
    } while (0)

ordo_status hybrid_argsort_strings(void *state, const ordo_strings_job *job, ordo_exec *exec)
{
    const ordo_both *const both = state;
    strings_ask const ask = {.strings = &job->strings, .n = job->n, .descending = job->descending};
    ordo_strings_job  with = *job;
    FINISH(argsort_strings);
}

ordo_status hybrid_rank_strings(void *state, const ordo_string_rank_job *job, ordo_exec *exec)
{
    const ordo_both *const both = state;
    strings_ask ask = {.strings = &job->strings, .n = job->n, .descending = job->descending};
    ordo_string_rank_job with = *job;
    ask.equal_wanted = true;
    FINISH(rank_strings);
}

ordo_status hybrid_sort_strings(void *state, const ordo_string_copy_job *job, ordo_exec *exec)
{
    const ordo_both *const both = state;
    strings_ask const ask = {.strings = &job->strings, .n = job->n, .descending = job->descending};
    ordo_string_copy_job with = *job;
    FINISH(sort_strings);
}

ordo_status hybrid_sort_pointers(void *state, const ordo_pointers_job *job, ordo_exec *exec)
{
    const ordo_both *const both = state;
    ordo_strings const     strings = {.struct_size = sizeof strings,
                                      .pointers = (const char *const *)job->pointers};
    strings_ask const      ask = {.strings = &strings, .n = job->n, .descending = job->descending};
    ordo_pointers_job      with = *job;
    FINISH(sort_pointers);
}

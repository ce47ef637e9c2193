/* failing.c - a backend that opens, but whose calls fail: sort without a change of its array,
 * sort_pairs after a change of its array, argsort for lack of memory, rank as unsupported. Other
 * verbs are missing from its table. */
#include "plugins/stub.h"

#include <stdio.h>
#include <string.h>

static ordo_status sort(void *state, const ordo_sort_job *job, ordo_exec *exec)
{
    (void)state;
    (void)job;
    return ordo_fail(exec, ORDO_E_DEVICE, "the GPU has fallen off the bus");
}

static ordo_status sort_pairs(void *state, const ordo_pairs_job *job, ordo_exec *exec)
{
    (void)state;
    exec->changed = true;
    memset(job->keys.keys, 0xee, job->keys.n);
    return ordo_fail(exec, ORDO_E_DEVICE, "the GPU has fallen off the bus, halfway");
}

static ordo_status argsort(void *state, const ordo_argsort_job *job, ordo_exec *exec)
{
    (void)state;
    return ordo_fail(exec, ORDO_E_NOMEM, "no memory for %zu keys on the GPU", job->n);
}

static ordo_status rank(void *state, const ordo_rank_job *job, ordo_exec *exec)
{
    (void)state;
    (void)job;
    return ordo_fail(exec, ORDO_E_UNSUPPORTED, "the GPU does not rank");
}

static size_t held(const void *state)
{
    (void)state;
    return 4711;
}

static void devices(char *text, size_t size) { snprintf(text, size, "a stub"); }

PLUGIN_TABLE(.sort = sort, .sort_pairs = sort_pairs, .argsort = argsort, .rank = rank,
             .devices = devices, .held = held)

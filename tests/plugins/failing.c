/* failing.c - a backend that opens and whose every call fails, each in its own way: sort with its
 * array as it was, sort_pairs with its array spoilt, argsort without memory, rank because it cannot
 * do that. What is not in the table it does not do at all. */
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

STUB_TABLE(.sort = sort, .sort_pairs = sort_pairs, .argsort = argsort, .rank = rank,
           .devices = devices, .held = held)

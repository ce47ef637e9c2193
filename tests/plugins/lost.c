/* lost.c - a backend whose device is lost during a call: it sorts half of its copy of the array (of
 * u32) and fails. The caller's array is unchanged. Reserving memory fails, too. */
#include "plugins/stub.h"

#include <stdlib.h>
#include <string.h>

static int compare_words(const void *a, const void *b)
{
    uint32_t const x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Sorts half of a copy of n words and fails. */
static ordo_status lose(const void *words, size_t n, ordo_exec *exec)
{
    uint32_t *const copy = malloc(n * sizeof *copy);
    if (copy == NULL)
        return ordo_fail(exec, ORDO_E_NOMEM, "no memory for the stub's copy");
    memcpy(copy, words, n * sizeof *copy);
    qsort(copy, n / 2, sizeof *copy, compare_words);
    free(copy);
    return ordo_fail(exec, ORDO_E_DEVICE, "the GPU was lost at work");
}

static ordo_status sort(void *state, const ordo_sort_job *job, ordo_exec *exec)
{
    (void)state;
    return lose(job->keys, job->n, exec);
}

static ordo_status sort_pairs(void *state, const ordo_pairs_job *job, ordo_exec *exec)
{
    return sort(state, &job->keys, exec);
}

static ordo_status argsort(void *state, const ordo_argsort_job *job, ordo_exec *exec)
{
    (void)state;
    return lose(job->keys, job->n, exec);
}

static ordo_status reserve(void *state, size_t bytes, ordo_exec *exec)
{
    (void)state;
    return ordo_fail(exec, ORDO_E_DEVICE, "the GPU was lost before it had %zu bytes", bytes);
}

PLUGIN_TABLE(.sort = sort, .sort_pairs = sort_pairs, .argsort = argsort, .reserve = reserve)

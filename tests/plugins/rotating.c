/* rotating.c - a backend that sorts the rotations of many texts, by comparing them. Its rows of
 * repeated words are any of the equal rows. ORDO_ROTATING_FAILS=K makes the K-th call fail. */
#define _GNU_SOURCE
#include "plugins/stub.h"

#include <stdlib.h>
#include <string.h>

typedef struct circle {
    const uint8_t *twice;
    size_t         n;
} circle;

/* Not memcmp: that of the sanitizers reads all n bytes. */
static int compare(const void *a, const void *b, void *arg)
{
    const circle *const  c = arg;
    const uint8_t *const x = c->twice + *(const uint32_t *)a;
    const uint8_t *const y = c->twice + *(const uint32_t *)b;
    size_t               i = 0;
    while (i < c->n && x[i] == y[i])
        i++;
    return i < c->n ? x[i] - y[i] : 0;
}

static bool rotate_one(const uint8_t *text, size_t n, uint8_t *column, uint64_t *row)
{
    uint8_t *const  twice = malloc(2 * n);
    uint32_t *const order = malloc(n * sizeof *order);
    bool const      ok = twice != NULL && order != NULL;
    circle          c = {twice, n};
    if (ok) {
        memcpy(twice, text, n);
        memcpy(twice + n, text, n);
        for (uint32_t i = 0; i < n; i++)
            order[i] = i;
        qsort_r(order, n, sizeof *order, compare, &c);
        for (size_t i = 0; i < n; i++) {
            *row = order[i] == 0 ? i : *row;
            column[i] = twice[order[i] + n - 1];
        }
    }
    free(twice);
    free(order);
    return ok;
}

static ordo_status rotate(void *state, const ordo_text_job *job, ordo_exec *exec)
{
    static long       calls;
    const char *const fails = getenv("ORDO_ROTATING_FAILS");
    (void)state;
    calls++;
    if (fails != NULL && strtol(fails, NULL, 10) == calls)
        return ordo_fail(exec, ORDO_E_DEVICE, "the GPU was lost at call %ld", calls);
    for (size_t i = 0; i < job->count; i++) {
        size_t const at = (size_t)job->offsets[i], n = (size_t)job->offsets[i + 1] - at;
        if (!rotate_one(job->text + at, n, job->bwt + at, &job->primary[i]))
            return ordo_fail(exec, ORDO_E_NOMEM, "no memory for the stub's rotations");
    }
    return ORDO_OK;
}

static const ordo_text_slots text = {.rotate = rotate};

PLUGIN_TABLE(.text = &text)

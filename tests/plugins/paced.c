/* paced.c - a device that sorts nothing and takes a given time: ORDO_PACE=US:NS sets US
 * microseconds for a call and NS nanoseconds for a key. */
#define _POSIX_C_SOURCE 200809L
#include "plugins/stub.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static ordo_status sort(void *state, const ordo_sort_job *job, ordo_exec *exec)
{
    const char *const pace = getenv("ORDO_PACE");
    const char *const colon = pace != NULL ? strchr(pace, ':') : NULL;
    (void)state;
    if (colon == NULL)
        return ordo_fail(exec, ORDO_E_DEVICE, "ORDO_PACE is not set");
    double const    ns = 1e3 * strtod(pace, NULL) + (double)job->n * strtod(colon + 1, NULL);
    struct timespec time = {(time_t)(ns * 1e-9), (long)ns % 1000000000L};
    while (nanosleep(&time, &time) != 0)
        continue;
    exec->isa = "sm_00";
    return ORDO_OK;
}

static void devices(char *text, size_t size)
{
    snprintf(text, size, "0: a clock, 0.0 GiB (0.0 free), usable\n");
}

PLUGIN_TABLE(.sort = sort, .devices = devices)

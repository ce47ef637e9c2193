/* calibration.c - the costs and their defaults (see calibration.h). */
#include "plan/calibration.h"

#include "plan/tuning.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MILLION = 1000000
};

const ordo_cost_fact ordo_cost_facts[COSTS] = {
    [COST_THREADS] = {"threads", "", "number of threads in the measurements", ORDO_TUNE_CPU_THREADS,
                      1, 4096},
    [COST_CPU_16] = {"cpu_16", "ps", "sorting a key of 1 or 2 bytes, time of one thread",
                     ORDO_TUNE_CPU_NARROW, 1, MILLION},
    [COST_CPU_32] = {"cpu_32", "ps", "sorting a key of 4 bytes", ORDO_TUNE_CPU_32, 1, MILLION},
    [COST_CPU_64] = {"cpu_64", "ps", "sorting a key of 8 bytes", ORDO_TUNE_CPU_64, 1, MILLION},
    [COST_CPU_VALUE] = {"cpu_value", "ps", "added for each byte of a value", ORDO_TUNE_CPU_VALUE, 1,
                        MILLION},
    [COST_CPU_INDEX] = {"cpu_index", "ps", "added for an index", ORDO_TUNE_CPU_INDEX, 1, MILLION},
    [COST_CPU_RANK] = {"cpu_rank", "ps", "added for a rank", ORDO_TUNE_CPU_RANK, 1, MILLION},
    [COST_CPU_STRING] = {"cpu_string", "ps", "sorting a string that differs in its first bytes",
                         ORDO_TUNE_CPU_STRING, 1, 10 * MILLION},
    [COST_CPU_STRING_MORE] = {"cpu_string_more", "ps", "added for each further read of a string",
                              ORDO_TUNE_CPU_STRING_MORE, 1, 10 * MILLION},
    [COST_CPU_ALONE] = {"cpu_alone", "%", "of these costs if one thread runs alone",
                        ORDO_TUNE_CPU_ALONE, 1, 1000},
    [COST_CPU_SMALL] = {"cpu_small", "%", "of these costs if one thread sorts in its cache",
                        ORDO_TUNE_CPU_SMALL, 1, 1000},
    [COST_CPU_CALL] = {"cpu_call", "us", "a call with all threads, for any n", ORDO_TUNE_CPU_CALL,
                       0, MILLION},
    [COST_DEVICE_OPEN] = {"device_open", "ms", "opening the GPU", ORDO_TUNE_DEVICE_OPEN, 0,
                          MILLION},
    [COST_DEVICE_CALL] = {"device_call", "us", "a call of the GPU, for any n",
                          ORDO_TUNE_DEVICE_CALL, 0, MILLION},
    [COST_STAGE_THREAD] = {"stage_thread", "MB/s", "copies to or from the GPU by one thread",
                           ORDO_TUNE_STAGE_THREAD, 1, 100 * MILLION},
    [COST_STAGE_WHOLE] = {"stage_whole", "MB/s", "copies of whole arrays by all threads",
                          ORDO_TUNE_STAGE_WHOLE, 1, 100 * MILLION},
    [COST_STREAM_CALL] = {"stream_call", "us", "a streamed call, for any n", ORDO_TUNE_STREAM_CALL,
                          0, MILLION},
    [COST_STAGE_ALL] = {"stage_all", "MB/s", "streamed copies by all threads", ORDO_TUNE_STAGE_ALL,
                        1, 100 * MILLION},
    [COST_HYBRID_SHARE] = {"hybrid_share", "o/oo",
                           "share of the keys that the CPU sorts in a hybrid sort",
                           ORDO_TUNE_CPU_SHARE * 10, -1000, 1000},
    [COST_HYBRID_TIME] = {"hybrid_time", "%", "time of a hybrid sort, relative to a streamed sort",
                          100, 1, 1000},
};

void ordo_calibration_standard(ordo_calibration *c)
{
    for (int id = 0; id < COSTS; id++) {
        c->value[id] = ordo_cost_facts[id].standard;
        c->measured[id] = false;
    }
    c->device[0] = '\0';
    c->tried = true;
}

void ordo_calibration_set(ordo_calibration *c, ordo_cost_id id, double value)
{
    const ordo_cost_fact *const fact = &ordo_cost_facts[id];
    if (!isfinite(value))
        return;
    value = value < (double)fact->least  ? (double)fact->least
            : value > (double)fact->most ? (double)fact->most
                                         : value;
    c->value[id] = lround(value);
    c->measured[id] = true;
}

/* Without the end "(0.5 free)", which changes. */
void ordo_calibration_name_device(const char *line, char *name, size_t size)
{
    size_t length = strcspn(line, "\n");
    for (size_t i = 1; i < length; i++)
        if (line[i] == '(')
            length = i - 1;
    snprintf(name, size, "%.*s", (int)ordo_min(length, size - 1), line);
    if (name[0] == '\0')
        snprintf(name, size, "unnamed");
}

bool ordo_calibration_check_device(ordo_calibration *c, const char *line)
{
    char name[CALIBRATION_DEVICE];
    if (c->device[0] == '\0')
        return false;
    ordo_calibration_name_device(line, name, sizeof name);
    if (strcmp(name, c->device) == 0)
        return false;
    snprintf(c->note, sizeof c->note, "it was measured with %.100s, but the device is %.100s",
             c->device, name);
    for (int id = COST_DEVICE_OPEN; id < COSTS; id++) {
        c->value[id] = ordo_cost_facts[id].standard;
        c->measured[id] = false;
    }
    c->device[0] = '\0';
    return true;
}

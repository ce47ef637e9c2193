/* plan.h - which backend does a job. Holds the opened backends of a context; no algorithm.
 *
 * The CPU is opened with the context. A GPU is opened by the first call that wants it: because the
 * caller said so, because its arrays lie there, or because `auto` expects to gain by it. Opening
 * costs most of a second, so `auto` opens it only once the calls so far would have gained that
 * much: then the price is at most doubled, whatever comes later.
 *
 * `auto` and `hybrid` give a job to whom it takes the least time there as predicted (predict.h);
 * jobs that are too small to be weighed are the CPU's. */
#ifndef ORDO_PLAN_PLAN_H
#define ORDO_PLAN_PLAN_H

#include "backend/backend.h"
#include "plan/predict.h"

enum {
    PLAN_WHY = 256,
    PLAN_DIRECTORY = 1024,
    PLAN_DEVICES = 2048
};

typedef enum ordo_device_state {
    DEVICE_UNTRIED = 0,
    DEVICE_OPEN,
    DEVICE_ABSENT /* plan->why says what is missing */
} ordo_device_state;

typedef struct ordo_plan {
    const ordo_backend *cpu;
    void               *cpu_state;
    ordo_where          where; /* what the caller wishes */

    ordo_backend_wishes wishes;
    char                directory[PLAN_DIRECTORY]; /* of the plugin; "": beside the library */
    ordo_device_state   device;
    const ordo_backend *cuda;
    void               *cuda_state;
    ordo_both           both;      /* the CPU and the GPU, for jobs on host arrays */
    uint64_t            opened_by; /* process number: a GPU does not survive fork() */
    double              forgone;   /* seconds that `auto` has not gained so far */
    char                why[PLAN_WHY];
    char                devices[PLAN_DEVICES];
    ordo_calibration    calibration; /* read by the first job that is worth weighing */
    bool                checked;     /* that it is of the device in use */
    ordo_forecast       forecast;    /* of the last job; cpu 0: none */
} ordo_plan;

typedef struct ordo_choice { /* a backend and its state, for one job */
    const ordo_backend *backend;
    void               *state;
} ordo_choice;

/* Opens the CPU. `why` says what went wrong when it fails. wishes->isa and directory (NULL:
 * beside the library) are only read here. */
ordo_status ordo_plan_open(ordo_plan *plan, ordo_where where, const ordo_backend_wishes *wishes,
                           const char *directory, char *why, size_t why_size);
/* Where the calibration is; NULL: where the environment says. */
void ordo_plan_calibration(ordo_plan *plan, const char *place);
void ordo_plan_close(ordo_plan *plan);

/* Why CUDA cannot be used, or "" if it can; looks for it if nobody has. */
const char *ordo_plan_cuda(ordo_plan *plan);
/* Every device, a line each; "" without any. */
const char *ordo_plan_devices(ordo_plan *plan);

/* That of the device in use. */
const char *ordo_plan_device_line(ordo_plan *plan);
/* Whether a device was ever opened in this process: it takes less time the next time. */
bool ordo_plan_opened_once(void);

/* The costs in use: those of the file, unless it is of another device than the one opened. */
const ordo_calibration *ordo_plan_costs(ordo_plan *plan);

/* Bytes of device memory that the context holds. */
size_t ordo_plan_held(const ordo_plan *plan);

/* The backend for a job; fails, with the reason recorded, if the one the caller asked for is not
 * there. */
ordo_status ordo_plan_choose(ordo_plan *plan, ordo_exec *exec, const ordo_load *load,
                             ordo_choice *choice);

/* After a job failed: whether `auto` or `hybrid` may give it to another backend, which *choice then
 * is. */
bool ordo_plan_again(const ordo_plan *plan, ordo_exec *exec, ordo_status failed,
                     ordo_choice *choice);

/* backend_load.c: the table of the CUDA backend, whose shared object it opens; NULL: why says why
 * not. */
const ordo_backend *ordo_backend_load(const char *directory, char *why, size_t why_size);

#endif

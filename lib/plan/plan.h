/* plan.h - chooses the backend of a job, and holds the opened backends of a context.
 *
 * The CPU is opened with the context. The GPU is opened by the first call that needs it: the caller
 * asked for the GPU, the arrays are on the GPU, or AUTO expects to save time. Opening takes a large
 * part of a second, so AUTO opens the GPU only when the calls so far would have saved that much:
 * then the cost is at most doubled, whatever calls follow. If the process has a CUDA context
 * already, for example that of PyTorch, opening takes little time, and AUTO opens the GPU sooner.
 *
 * AUTO and HYBRID give a job to the backend with the lowest predicted time (predict.h). Jobs that
 * are too small for a prediction go to the CPU. */
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
    DEVICE_ABSENT /* plan->why has the reason */
} ordo_device_state;

typedef struct ordo_plan {
    const ordo_backend *cpu;
    void               *cpu_state;
    ordo_where          where; /* the caller's choice */

    ordo_backend_wishes wishes;
    char                directory[PLAN_DIRECTORY]; /* of the plugin; "": that of the library */
    ordo_device_state   device;
    const ordo_backend *cuda;
    void               *cuda_state;
    ordo_part           parts[ORDO_MOST_DEVICES]; /* of the sample sort; the first is cuda_state */
    size_t              part_count;               /* opened so far */
    ordo_both           both;                     /* the CPU and the GPU, for jobs on host arrays */
    uint64_t            opened_by; /* process number, because an open GPU does not survive fork() */
    double              forgone;   /* seconds that AUTO could have saved so far with the GPU */
    char                why[PLAN_WHY];
    char                devices[PLAN_DEVICES];
    ordo_calibration    calibration; /* read by the first job that gets a prediction */
    bool                checked;     /* the calibration was compared with the device in use */
    ordo_forecast       forecast;    /* of the last job; cpu 0: no prediction */
} ordo_plan;

typedef struct ordo_choice { /* a backend and its state, for one job */
    const ordo_backend *backend;
    void               *state;
} ordo_choice;

/* Opens the CPU. After a failure `why` has the reason. wishes->isa and directory (NULL: that of the
 * library) are read only here. */
ordo_status ordo_plan_open(ordo_plan *plan, ordo_where where, const ordo_backend_wishes *wishes,
                           const char *directory, char *why, size_t why_size);
/* Sets the path of the calibration; NULL: from the environment. */
void ordo_plan_calibration(ordo_plan *plan, const char *place);
void ordo_plan_close(ordo_plan *plan);

/* Why CUDA is not usable, "" if it is. Opens the GPU if no call has tried to. */
const char *ordo_plan_cuda(ordo_plan *plan);
/* One line per device; "" without devices. */
const char *ordo_plan_devices(ordo_plan *plan);

/* The line of the device in use. */
const char *ordo_plan_device_line(ordo_plan *plan);
/* Whether this process has opened a device before; the next time takes less time. */
bool ordo_plan_opened_once(void);

/* The costs in use. Costs of the file for another device than the opened one are dropped. */
const ordo_calibration *ordo_plan_costs(ordo_plan *plan);

/* Bytes of device memory that the context holds. */
size_t ordo_plan_held(const ordo_plan *plan);
/* Multiprocessors of the GPU in use; 0: no GPU is open. */
size_t ordo_plan_sms(const ordo_plan *plan);

/* Whether the caller asked for shares that leave something to the CPU and to a GPU. */
static inline bool ordo_plan_shares(const ordo_plan *plan)
{
    double const given = plan->wishes.cpu_share;
    return plan->wishes.device_count != 0 || (given > 0 && given < 1);
}

/* Chooses the backend for a job. Fails if the caller asked for a backend that is not available. */
ordo_status ordo_plan_choose(ordo_plan *plan, ordo_exec *exec, const ordo_load *load,
                             ordo_choice *choice);

/* After a job failed: whether the CPU may repeat it; *choice is then the CPU. */
bool ordo_plan_again(const ordo_plan *plan, ordo_exec *exec, ordo_status failed,
                     ordo_choice *choice);

/* backend_load.c: opens the shared object of the CUDA backend and returns its table. NULL: `why`
 * has the reason. */
const ordo_backend *ordo_backend_load(const char *directory, char *why, size_t why_size);
/* Whether other code of this process, such as PyTorch, has already made the CUDA context of a
 * device (as in wishes.device; 0: the first). Loads nothing and starts nothing. */
bool ordo_device_is_in_use(size_t device);

#endif

/* cuda_watch.cu - when copies and work were done on the device, for a profile (backend/link.h): events
 * that take the time, in the lanes' streams and in the device's own. The first is waited for, and
 * says what the others mean on the host's clock. Without a watch nothing here costs anything but a
 * look at a pointer. */
#include "cuda/runtime/cuda_state.cuh"

#include <stdlib.h>
#include <time.h>

enum {
    COPIES = 3 /* of a lane that can be under way or looked at, one more than its sides */
};

struct cuda_watch {
    bool        on;
    cudaEvent_t zero;
    double      zero_seconds;
    cudaEvent_t began[CUDA_LANES][COPIES], ended[CUDA_LANES][COPIES];
    unsigned    next[CUDA_LANES]; /* copy of a lane */
    bool        open[CUDA_LANES]; /* it has begun */
    unsigned    of[CUDA_LANES][ORDO_LINK_SIDES];
    cudaEvent_t ticks[ORDO_LINK_TICKS]; /* made as they are used */
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static ordo_status make_events(cuda_watch *watch, ordo_exec *exec)
{
    CUDA_TRY(exec, cudaEventCreate(&watch->zero));
    for (int lane = 0; lane < CUDA_LANES; lane++)
        for (int i = 0; i < COPIES; i++) {
            CUDA_TRY(exec, cudaEventCreate(&watch->began[lane][i]));
            CUDA_TRY(exec, cudaEventCreate(&watch->ended[lane][i]));
        }
    return ORDO_OK;
}

/* All of it or nothing: a watch without some of its events would fail every later profile. */
static ordo_status make_watch(cuda_state *state, ordo_exec *exec)
{
    state->watch = (cuda_watch *)calloc(1, sizeof *state->watch);
    if (state->watch == NULL)
        return ordo_fail(exec, ORDO_E_NOMEM, "no memory for a profile");
    ordo_status const status = make_events(state->watch, exec);
    if (status != ORDO_OK)
        watch_close(state);
    return status;
}

ordo_status watch_begin(void *opened, ordo_exec *exec)
{
    cuda_state *const state = (cuda_state *)opened;
    CUDA_TRY(exec, cudaSetDevice(state->facts.device));
    if (state->watch == NULL)
        TRY(make_watch(state, exec));
    CUDA_TRY(exec, cudaEventRecord(state->watch->zero, state->own));
    CUDA_TRY(exec, cudaEventSynchronize(state->watch->zero));
    state->watch->zero_seconds = now();
    for (int lane = 0; lane < CUDA_LANES; lane++)
        state->watch->open[lane] = false; /* what an earlier call left undone */
    state->watch->on = true;
    return ORDO_OK;
}

void watch_end(cuda_state *state)
{
    if (state->watch != NULL)
        state->watch->on = false;
}

static void destroy(cudaEvent_t event)
{
    if (event != NULL)
        (void)cudaEventDestroy(event);
}

void watch_close(cuda_state *state)
{
    cuda_watch *const watch = state->watch;
    if (watch == NULL)
        return;
    destroy(watch->zero);
    for (int lane = 0; lane < CUDA_LANES; lane++)
        for (int i = 0; i < COPIES; i++) {
            destroy(watch->began[lane][i]);
            destroy(watch->ended[lane][i]);
        }
    for (int i = 0; i < ORDO_LINK_TICKS; i++)
        destroy(watch->ticks[i]);
    free(watch);
    state->watch = NULL;
}

/* ---- Copies ---- */

ordo_status watch_copy(cuda_state *state, ordo_exec *exec, unsigned lane)
{
    cuda_watch *const watch = state->watch;
    if (watch == NULL || !watch->on || watch->open[lane])
        return ORDO_OK;
    watch->open[lane] = true;
    CUDA_TRY(exec,
             cudaEventRecord(watch->began[lane][watch->next[lane]], state->lanes[lane].stream));
    return ORDO_OK;
}

ordo_status watch_side(cuda_state *state, ordo_exec *exec, unsigned lane, unsigned side)
{
    cuda_watch *const watch = state->watch;
    if (watch == NULL || !watch->on)
        return ORDO_OK;
    unsigned const copy = watch->next[lane];
    watch->open[lane] = false;
    watch->of[lane][side] = copy;
    watch->next[lane] = (copy + 1) % COPIES;
    CUDA_TRY(exec, cudaEventRecord(watch->ended[lane][copy], state->lanes[lane].stream));
    return ORDO_OK;
}

static bool host_time(const cuda_watch *watch, cudaEvent_t event, double *when)
{
    float ms = 0;
    if (event == NULL || cudaEventElapsedTime(&ms, watch->zero, event) != cudaSuccess) {
        (void)cudaGetLastError(); /* a time that is not known is not an error of the call */
        return false;
    }
    *when = watch->zero_seconds + 1e-3 * (double)ms;
    return true;
}

bool watch_side_times(void *opened, unsigned lane, unsigned side, double *began, double *ended)
{
    const cuda_watch *const watch = ((cuda_state *)opened)->watch;
    unsigned const          copy = watch->of[lane][side];
    return host_time(watch, watch->began[lane][copy], began) &&
           host_time(watch, watch->ended[lane][copy], ended);
}

/* ---- Work ---- */

ordo_status watch_tick(void *opened, ordo_exec *exec, unsigned number)
{
    cuda_state *const state = (cuda_state *)opened;
    cuda_watch *const watch = state->watch;
    CUDA_TRY(exec, cudaSetDevice(state->facts.device));
    if (watch->ticks[number] == NULL)
        CUDA_TRY(exec, cudaEventCreate(&watch->ticks[number]));
    CUDA_TRY(exec, cudaEventRecord(watch->ticks[number], state->own));
    return ORDO_OK;
}

bool watch_ticked(void *opened, unsigned number, double *when)
{
    const cuda_watch *const watch = ((cuda_state *)opened)->watch;
    return host_time(watch, watch->ticks[number], when);
}

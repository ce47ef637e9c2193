/* cuda_profile.cu - records when copies and kernels ran on the device, for a profile
 * (backend/link.h).
 *
 * Events in the streams of the lanes and in the device's own stream take the times. The host waits
 * for the first event, which relates the others to the host's clock. Without a profile the only
 * cost is a test of a pointer. */
#include "cuda/runtime/cuda_state.cuh"

#include <stdlib.h>
#include <time.h>

/* Number of recorded copies per lane: one more than its sides, because a copy can be read while one
 * copy per side is in progress. */
static constexpr int COPIES = 3;

struct cuda_profile {
    bool        on;
    cudaEvent_t zero;
    double      zero_seconds;
    cudaEvent_t began[CUDA_LANES][COPIES], ended[CUDA_LANES][COPIES];
    unsigned    next[CUDA_LANES]; /* index of the next copy of a lane */
    bool        open[CUDA_LANES]; /* whether that copy has begun */
    unsigned    of[CUDA_LANES][ORDO_LINK_SIDES];
    cudaEvent_t ticks[ORDO_LINK_TICKS]; /* created when first used */
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static ordo_status make_events(cuda_profile *profile, ordo_exec *exec)
{
    CUDA_TRY(exec, cudaEventCreate(&profile->zero));
    for (int lane = 0; lane < CUDA_LANES; lane++)
        for (int i = 0; i < COPIES; i++) {
            CUDA_TRY(exec, cudaEventCreate(&profile->began[lane][i]));
            CUDA_TRY(exec, cudaEventCreate(&profile->ended[lane][i]));
        }
    return ORDO_OK;
}

/* Creates all events or none: with some events missing, every later profile would fail. */
static ordo_status make_profile(cuda_state *state, ordo_exec *exec)
{
    state->profile = (cuda_profile *)calloc(1, sizeof *state->profile);
    if (state->profile == NULL)
        return ordo_fail(exec, ORDO_E_NOMEM, "out of host memory for the profile of the device");
    ordo_status const status = make_events(state->profile, exec);
    if (status != ORDO_OK)
        profile_close(state);
    return status;
}

ordo_status profile_begin(void *opened, ordo_exec *exec)
{
    cuda_state *const state = (cuda_state *)opened;
    CUDA_TRY(exec, cudaSetDevice(state->facts.device));
    if (state->profile == NULL)
        TRY(make_profile(state, exec));
    CUDA_TRY(exec, cudaEventRecord(state->profile->zero, state->own));
    CUDA_TRY(exec, cudaEventSynchronize(state->profile->zero));
    state->profile->zero_seconds = now();
    for (int lane = 0; lane < CUDA_LANES; lane++)
        state->profile->open[lane] = false; /* an earlier call that failed may have left it open */
    state->profile->on = true;
    return ORDO_OK;
}

void profile_end(cuda_state *state)
{
    if (state->profile != NULL)
        state->profile->on = false;
}

static void destroy(cudaEvent_t event)
{
    if (event != NULL)
        (void)cudaEventDestroy(event);
}

void profile_close(cuda_state *state)
{
    cuda_profile *const profile = state->profile;
    if (profile == NULL)
        return;
    destroy(profile->zero);
    for (int lane = 0; lane < CUDA_LANES; lane++)
        for (int i = 0; i < COPIES; i++) {
            destroy(profile->began[lane][i]);
            destroy(profile->ended[lane][i]);
        }
    for (int i = 0; i < ORDO_LINK_TICKS; i++)
        destroy(profile->ticks[i]);
    free(profile);
    state->profile = NULL;
}

ordo_status profile_copy(cuda_state *state, ordo_exec *exec, unsigned lane)
{
    cuda_profile *const profile = state->profile;
    if (profile == NULL || !profile->on || profile->open[lane])
        return ORDO_OK;
    profile->open[lane] = true;
    CUDA_TRY(exec,
             cudaEventRecord(profile->began[lane][profile->next[lane]], state->lanes[lane].stream));
    return ORDO_OK;
}

ordo_status profile_side(cuda_state *state, ordo_exec *exec, unsigned lane, unsigned side)
{
    cuda_profile *const profile = state->profile;
    if (profile == NULL || !profile->on)
        return ORDO_OK;
    unsigned const copy = profile->next[lane];
    profile->open[lane] = false;
    profile->of[lane][side] = copy;
    profile->next[lane] = (copy + 1) % COPIES;
    CUDA_TRY(exec, cudaEventRecord(profile->ended[lane][copy], state->lanes[lane].stream));
    return ORDO_OK;
}

static bool host_time(const cuda_profile *profile, cudaEvent_t event, double *when)
{
    float ms = 0;
    if (event == NULL || cudaEventElapsedTime(&ms, profile->zero, event) != cudaSuccess) {
        (void)cudaGetLastError(); /* an unknown time is not an error of the call */
        return false;
    }
    *when = profile->zero_seconds + 1e-3 * (double)ms;
    return true;
}

bool profile_side_times(void *opened, unsigned lane, unsigned side, double *began, double *ended)
{
    const cuda_profile *const profile = ((cuda_state *)opened)->profile;
    unsigned const            copy = profile->of[lane][side];
    return host_time(profile, profile->began[lane][copy], began) &&
           host_time(profile, profile->ended[lane][copy], ended);
}

ordo_status profile_tick(void *opened, ordo_exec *exec, unsigned number)
{
    cuda_state *const   state = (cuda_state *)opened;
    cuda_profile *const profile = state->profile;
    CUDA_TRY(exec, cudaSetDevice(state->facts.device));
    if (profile->ticks[number] == NULL)
        CUDA_TRY(exec, cudaEventCreate(&profile->ticks[number]));
    CUDA_TRY(exec, cudaEventRecord(profile->ticks[number], state->own));
    return ORDO_OK;
}

bool profile_ticked(void *opened, unsigned number, double *when)
{
    const cuda_profile *const profile = ((cuda_state *)opened)->profile;
    return host_time(profile, profile->ticks[number], when);
}

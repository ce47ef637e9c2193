/* select_order.c - answers every k of an array that is sorted or reversed: a few windows all over
 * the array rule out most others, then all keys are checked. */
#include "cpu/select/select.h"

#include <stdatomic.h>
#include <string.h>

enum {
    WINDOWS = 64,    /* looked at before all keys are checked */
    WINDOW_KEYS = 16 /* in a window */
};

typedef struct order_check {
    const void        *keys;
    cpu_first_step_fn *first_step;
    unsigned           step; /* neighbours that are not in order: cpu_step */
    atomic_bool        broken;
} order_check;

static void check_piece(void *arg, size_t lo, size_t hi)
{
    order_check *const check = arg;
    if (!atomic_load_explicit(&check->broken, memory_order_relaxed) &&
        check->first_step(check->keys, ordo_max(lo, 1), hi, check->step) < hi)
        atomic_store_explicit(&check->broken, true, memory_order_relaxed);
}

/* Whether the keys of windows all over the array are in order, and the first keys of the windows
 * are. Almost every array that is not in order fails here, after a few comparisons. */
static bool seems_ordered(const selector *s, const order_check *check)
{
    uint64_t     firsts[WINDOWS];
    size_t const size = s->key_size, stride = (s->job->n - WINDOW_KEYS) / WINDOWS;
    for (size_t w = 0; w < WINDOWS; w++) {
        const char *const window = (const char *)check->keys + w * stride * size;
        if (check->first_step(window, 1, WINDOW_KEYS, check->step) < WINDOW_KEYS)
            return false;
        memcpy((char *)firsts + w * size, window, size);
    }
    return check->first_step(firsts, 1, WINDOWS, check->step) == WINDOWS;
}

ordo_status select_by_place(const selector *s, bool *done)
{
    const ordo_select_job *const job = s->job;
    unsigned const               down = job->descending ? CPU_STEP_DOWN : 0;
    for (unsigned reversed = 0; reversed <= 1 && !*done; reversed++) {
        order_check check = {.keys = job->keys,
                             .first_step = s->kernels->loops->first_step[job->type],
                             .step = down | (reversed ? CPU_STEP_RISE : 0)};
        atomic_init(&check.broken, false);
        if (!seems_ordered(s, &check))
            continue;
        s->exec->phases++;
        if (!ordo_loop(s->exec, job->n, cpu_grain(job->n), check_piece, &check))
            return ORDO_E_CANCELLED;
        s->exec->phase++;
        *done = !atomic_load_explicit(&check.broken, memory_order_relaxed);
        for (size_t j = 0; *done && j < job->count; j++) {
            size_t const at = reversed ? job->n - 1 - job->k[j] : job->k[j];
            memcpy((char *)job->out + j * s->key_size, (const char *)job->keys + at * s->key_size,
                   s->key_size);
        }
        s->exec->facts.input = !*done     ? s->exec->facts.input
                               : reversed ? ORDO_INPUT_REVERSED
                                          : ORDO_INPUT_SORTED;
    }
    if (*done)
        s->exec->algorithm = "sorted";
    return ORDO_OK;
}

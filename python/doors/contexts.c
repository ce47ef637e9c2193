/* contexts.c - keeps contexts in places that threads empty and fill by one atomic exchange,
 * so that no lock can be held during a fork(). Every door has its own. */
#define _GNU_SOURCE

#include "contexts.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    KEPT = 64,           /* contexts of one thread that wait for their next call, at most */
    WIDE_LEAST = 1 << 15 /* calls on fewer elements gain little by more threads */
};

static _Atomic(ordo_ctx *) narrow[KEPT], wide;
static atomic_bool         wide_made;
static atomic_int          told;      /* threads, as ordo_door_tell takes them */
static atomic_int          wide_told; /* the same when the wide context was made */

static ordo_status make(uint32_t where, uint32_t threads, ordo_ctx **out)
{
    ordo_ctx_opts const opts = {.struct_size = sizeof opts, .where = where, .threads = threads};
    return ordo_ctx_create(out, &opts);
}

/* ---- Threads ---- */

static long usable_cpus(void)
{
    cpu_set_t usable;
    if (sched_getaffinity(0, sizeof usable, &usable) == 0)
        return CPU_COUNT(&usable);
    return sysconf(_SC_NPROCESSORS_ONLN);
}

int ordo_door_usual_threads(int is_worker)
{
    const char *const own = getenv("ORDO_THREADS"), *const limit = getenv("OMP_NUM_THREADS");
    long const most = limit != NULL ? strtol(limit, NULL, 10) : 0;
    if (own != NULL && own[0] != '\0')
        return 0;
    if (most > 0)
        return most <= usable_cpus() ? (int)most : 0;
    return is_worker != 0 ? 1 : 0;
}

void ordo_door_tell(int threads) { atomic_store(&told, threads); }

static uint32_t threads_told(int threads)
{
    return (uint32_t)(threads > 0 ? threads : ordo_door_usual_threads(threads < 0));
}

uint32_t door_threads(void) { return threads_told(atomic_load(&told)); }

/* ---- Contexts ---- */

/* Makes the wide context, in place of one that was made before the door was told otherwise. */
static ordo_status make_wide(int now, ordo_ctx *former, ordo_ctx **out)
{
    ordo_ctx_free(former);
    ordo_status const status = make(ORDO_AUTO, threads_told(now), out);
    atomic_store(&wide_told, now);
    if (status != ORDO_OK)
        atomic_store(&wide_made, false);
    return status;
}

ordo_status door_borrow(size_t n, door_context *out)
{
    if (n >= WIDE_LEAST) {
        int const now = atomic_load(&told);
        *out = (door_context){atomic_exchange(&wide, NULL), true};
        if (out->ctx != NULL && atomic_load(&wide_told) == now)
            return ORDO_OK;
        if (out->ctx != NULL || !atomic_exchange(&wide_made, true))
            return make_wide(now, out->ctx, &out->ctx);
    }
    *out = (door_context){NULL, false};
    for (size_t i = 0; i < KEPT && out->ctx == NULL; i++)
        if (atomic_load_explicit(&narrow[i], memory_order_relaxed) != NULL)
            out->ctx = atomic_exchange(&narrow[i], NULL);
    return out->ctx != NULL ? ORDO_OK : make(ORDO_CPU, 1, &out->ctx);
}

void door_return(door_context context)
{
    if (context.is_wide) {
        atomic_store(&wide, context.ctx);
        return;
    }
    for (size_t i = 0; i < KEPT; i++) {
        ordo_ctx *empty = NULL;
        if (atomic_compare_exchange_strong(&narrow[i], &empty, context.ctx))
            return;
    }
    ordo_ctx_free(context.ctx);
}

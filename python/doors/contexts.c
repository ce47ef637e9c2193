/* contexts.c - keeps contexts in places that threads empty and fill by one atomic exchange,
 * so that no lock can be held during a fork(). */
#define _POSIX_C_SOURCE 200809L

#include "contexts.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    KEPT = 64,           /* contexts of one thread that wait for their next call, at most */
    WIDE_LEAST = 1 << 15 /* calls on fewer elements gain little by more threads */
};

static _Atomic(ordo_ctx *) narrow[KEPT], wide;
static atomic_bool         wide_made;

static ordo_status make(uint32_t where, uint32_t threads, ordo_ctx **out)
{
    ordo_ctx_opts const opts = {.struct_size = sizeof opts, .where = where, .threads = threads};
    return ordo_ctx_create(out, &opts);
}

/* 0: the library decides, by ORDO_THREADS or the CPUs. joblib and Dask set OMP_NUM_THREADS in their
 * workers, so that all workers together have one thread for each CPU. */
static uint32_t usual_threads(void)
{
    const char *const own = getenv("ORDO_THREADS"), *const limit = getenv("OMP_NUM_THREADS");
    long const most = limit != NULL ? strtol(limit, NULL, 10) : 0;
    long const cpus = sysconf(_SC_NPROCESSORS_ONLN);
    if (most <= 0 || most >= cpus || (own != NULL && own[0] != '\0'))
        return 0;
    return (uint32_t)most;
}

ordo_status door_borrow(size_t n, door_context *out)
{
    if (n >= WIDE_LEAST) {
        *out = (door_context){atomic_exchange(&wide, NULL), true};
        if (out->ctx != NULL)
            return ORDO_OK;
        if (!atomic_exchange(&wide_made, true)) {
            ordo_status const status = make(ORDO_AUTO, usual_threads(), &out->ctx);
            if (status != ORDO_OK)
                atomic_store(&wide_made, false);
            return status;
        }
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

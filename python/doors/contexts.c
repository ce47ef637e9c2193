/* contexts.c - keeps contexts in places that threads empty and fill by one atomic exchange,
 * so that no lock can be held during a fork(). */
#include "contexts.h"

#include <stdatomic.h>

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

ordo_status door_borrow(size_t n, door_context *out)
{
    if (n >= WIDE_LEAST) {
        *out = (door_context){atomic_exchange(&wide, NULL), true};
        if (out->ctx != NULL)
            return ORDO_OK;
        if (!atomic_exchange(&wide_made, true)) {
            ordo_status const status = make(ORDO_AUTO, 0, &out->ctx);
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

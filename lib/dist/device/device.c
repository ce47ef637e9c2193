/* device.c - memory and work of a call on a device (see device.h). */
#define _POSIX_C_SOURCE 200809L
#include "dist/device/device.h"

#include <string.h>

ordo_status device_open(dist_call *c)
{
    ordo_exec *const exec = c->exec;
    ordo_choice      choice;
    TRY(api_choose(c->ctx, exec, NULL, &choice));
    FAIL_IF(choice.backend->dist == NULL || choice.backend->link == NULL, ORDO_E_UNSUPPORTED,
            "the backend '%s' has no calls over many ranks; expected arrays in host memory",
            choice.backend->name);
    c->device = (dist_device){.backend = choice.backend, .state = choice.state};
    return ORDO_OK;
}

/* ---- Memory ---- */

static ordo_status give_back(dist_call *c)
{
    dist_device *const d = &c->device;
    if (d->memory == NULL)
        return ORDO_OK;
    d->memory = NULL;
    return d->backend->link->end(d->state, c->exec);
}

void device_close(dist_call *c)
{
    if (!dist_on_device(c))
        return;
    char error[sizeof c->ctx->error]; /* of the call: the next steps must not replace it */
    memcpy(error, c->ctx->error, sizeof error);
    (void)device_finish(c);
    (void)give_back(c);
    memcpy(c->ctx->error, error, sizeof error);
}

ordo_status device_memory(dist_call *c, size_t bytes)
{
    dist_device *const d = &c->device;
    unsigned           lanes = 0;
    char              *memory;
    void              *stream; /* of the backend; this call uses that of the caller */
    TRY(give_back(c));
    size_t const all = device_size(bytes);
    TRY(d->backend->link->begin(d->state, c->exec, all, 0, &lanes, &memory, &stream));
    d->memory = memory;
    d->bytes = all;
    d->used = 0;
    return ORDO_OK;
}

void *device_take(dist_call *c, size_t bytes)
{
    dist_device *const d = &c->device;
    void *const        piece = d->memory + d->used;
    d->used += device_size(bytes);
    return piece;
}

ordo_status device_copy(dist_call *c, void *to, const void *from, size_t bytes)
{
    ordo_copy_job const job = {to, from, bytes};
    if (bytes == 0)
        return ORDO_OK;
    if (dist_on_device(c))
        return c->device.backend->copy(c->device.state, &job, c->exec);
    memcpy(to, from, bytes);
    return ORDO_OK;
}

ordo_status device_finish(dist_call *c)
{
    return dist_on_device(c) ? c->device.backend->dist->finish(c->device.state, c->exec) : ORDO_OK;
}

/* ---- Work ---- */

ordo_status device_sort(dist_call *c, void *keys, size_t n, void *values, size_t value_size)
{
    const dist_device *const d = &c->device;
    ordo_sort_job const sort = {.type = c->type, .keys = keys, .n = n, .descending = c->descending};
    ordo_pairs_job const pairs = {sort, values, value_size};
    if (n == 0)
        return ORDO_OK;
    return values == NULL ? d->backend->sort(d->state, &sort, c->exec)
                          : d->backend->sort_pairs(d->state, &pairs, c->exec);
}

ordo_status device_sort_orders(dist_call *c, uint64_t *orders, size_t n)
{
    ordo_sort_job const job = {.type = ORDO_U64, .keys = orders, .n = n};
    return n == 0 ? ORDO_OK : c->device.backend->sort(c->device.state, &job, c->exec);
}

ordo_status device_iota(dist_call *c, void *out, size_t n, ordo_type type, uint64_t first)
{
    return c->device.backend->link->iota(c->device.state, c->exec, out, n, type, first);
}

ordo_status device_orders(dist_call *c, const ordo_order_of *order, const void *keys,
                          const uint64_t *places, size_t count, uint64_t *orders)
{
    ordo_orders_job const job = {*order, keys, places, orders, count};
    for (size_t i = 0; i < count && !dist_on_device(c); i++)
        orders[i] = cells_order_of(order, keys, (size_t)places[i]);
    if (!dist_on_device(c))
        return ORDO_OK;
    return count == 0 ? ORDO_OK : c->device.backend->dist->orders(c->device.state, &job, c->exec);
}

ordo_status device_places(dist_call *c, const ordo_order_of *order, const void *keys,
                          const ordo_place_target *targets, size_t count, uint64_t *places)
{
    ordo_places_job const job = {*order, keys, targets, places, count};
    for (size_t i = 0; i < count && !dist_on_device(c); i++)
        places[i] = cells_place(order, keys, (size_t)targets[i].from, (size_t)targets[i].to,
                                targets[i].order, targets[i].above != 0);
    if (!dist_on_device(c))
        return ORDO_OK;
    return count == 0 ? ORDO_OK : c->device.backend->dist->places(c->device.state, &job, c->exec);
}

ordo_status device_cells(dist_call *c, cells_pass *pass)
{
    uint64_t             kept_count = 0;
    ordo_cells_job const job = {.order = pass->order,
                                .keys = pass->keys,
                                .n = pass->n,
                                .boundaries = pass->cells->boundaries,
                                .boundary_count = pass->cells->count,
                                .keep = pass->keep,
                                .kept = pass->kept,
                                .capacity = pass->capacity,
                                .counts = pass->counts,
                                .kept_count = &kept_count};
    TRY(c->device.backend->dist->cells(c->device.state, &job, c->exec));
    atomic_store(&pass->kept_count, (size_t)kept_count);
    return ORDO_OK;
}

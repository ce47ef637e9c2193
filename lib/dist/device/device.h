/* device.h - arrays of a call that are memory of a device: the call's own memory there, small
 * copies, work of the backend, and the exchange between the processes.
 *
 * A call with ORDO_ON_DEVICE uses the slots of the backend on the arrays themselves. Only samples,
 * counts and results that belong to the host are copied there. */
#ifndef ORDO_DIST_DEVICE_DEVICE_H
#define ORDO_DIST_DEVICE_DEVICE_H

#include "dist/call/dist_call.h"
#include "external/cells.h"

/* Memory of the call: device_memory reserves it and waits for earlier work of the stream; a second
 * call frees what was taken. device_take never fails if the sum of device_size() was reserved. */
static inline size_t device_size(size_t bytes) { return ordo_round_up(bytes + 1, 256); }
ordo_status          device_memory(dist_call *c, size_t bytes);
void                *device_take(dist_call *c, size_t bytes);

/* Copies between arrays of any kind, also in a call without a device. The host may use its array
 * when the call returns. */
ordo_status device_copy(dist_call *c, void *to, const void *from, size_t bytes);
/* Waits for all work of the call. Host arrays: does nothing. */
ordo_status device_finish(dist_call *c);

/* Sorts the keys of the call's type and order in place; values NULL: keys alone. */
ordo_status device_sort(dist_call *c, void *keys, size_t n, void *values, size_t value_size);
/* Sorts u64 ascending. */
ordo_status device_sort_orders(dist_call *c, uint64_t *orders, size_t n);
/* Writes first, first + 1, ... */
ordo_status device_iota(dist_call *c, void *out, size_t n, ordo_type type, uint64_t first);

/* The orders of keys at places, and searches in sorted keys; also in a call without a device. Lists
 * are on the host. */
ordo_status device_orders(dist_call *c, const ordo_order_of *order, const void *keys,
                          const uint64_t *places, size_t count, uint64_t *orders);
ordo_status device_places(dist_call *c, const ordo_order_of *order, const void *keys,
                          const ordo_place_target *targets, size_t count, uint64_t *places);
/* cells_run for keys of the device; pass->kept is device memory. */
ordo_status device_cells(dist_call *c, cells_pass *pass);

/* The exchange of device arrays. Collective; all processes return the same status. The entries of
 * this process in send_bytes and receive_bytes may change. */
ordo_status device_exchange(dist_call *c, const char *send, const uint64_t *send_at,
                            uint64_t *send_bytes, char *receive, const uint64_t *receive_at,
                            uint64_t *receive_bytes);

#endif

/* cells.c - divides keys into cells (see cells.h). One read of the keys; with labels
 * also a write of 2 bytes for each key. */
#define _POSIX_C_SOURCE 200809L
#include "external/cells.h"

#include "core/keybits.h"

#include <string.h>

#define ORDO_TEMPLATE "external/cells.t.h"
#include "core/for_each_type.h"

enum {
    BLOCK = 1024, /* keys whose orders are computed together */
    LEAST_CHUNK = ORDO_TUNE(1 << 16, 64),
    SLOTS_PER_BOUNDARY = 8,
    MOST_SLOTS = 1 << 16
};

uint64_t cells_order_of(const ordo_order_of *order, const void *keys, size_t i)
{
    return BY_TYPE(order->type, order_at, (order, keys, i));
}

size_t cells_place(const ordo_order_of *order, const void *sorted, size_t from, size_t to,
                   uint64_t wanted, bool above)
{
    return BY_TYPE(order->type, place, (order, sorted, from, to, wanted, above));
}

void cells_put_key(const ordo_order_of *order, uint64_t key, void *out)
{
    BY_TYPE(order->type, put_order, (order, key, out));
}

void cells_orders_of(const ordo_order_of *order, const void *keys, size_t from, size_t n,
                     uint64_t *out)
{
    const char *const at = (const char *)keys + from * ordo_type_size(order->type);
    BY_TYPE(order->type, orders, (order, (const void *)at, n, out));
}

/* ---- The search ---- */

ordo_status cells_make(ordo_exec *exec, size_t most, cells *out)
{
    *out = (cells){.slots = 1};
    size_t const padding = ordo_min((size_t)1 << ordo_bit_length(most), CELLS_PADDING);
    TRY_SCRATCH(exec, (most + padding) * sizeof *out->boundaries, out->boundaries);
    while (out->slots < most * SLOTS_PER_BOUNDARY && out->slots < MOST_SLOTS)
        out->slots *= 2;
    TRY_SCRATCH(exec, (out->slots + 1) * sizeof *out->first, out->first);
    return ORDO_OK;
}

void cells_index(cells *c)
{
    size_t const   padding = (size_t)1 << ordo_bit_length(c->count);
    uint64_t const last = c->count > 0 ? c->boundaries[c->count - 1] : 0;
    for (size_t i = 0; i < padding; i++)
        c->boundaries[c->count + i] = UINT64_MAX;
    c->base = c->count > 0 ? c->boundaries[0] : 0;
    c->shift = 0;
    while ((last - c->base) >> c->shift >= c->slots)
        c->shift++;
    size_t at = 0, longest = 0;
    for (size_t slot = 0; slot < c->slots; slot++) {
        size_t const before = at;
        c->first[slot] = (uint32_t)at;
        while (at < c->count && (c->boundaries[at] - c->base) >> c->shift == slot)
            at++;
        longest = ordo_max(longest, at - before);
    }
    c->steps = ordo_bit_length(longest);
}

void cells_spread(cells *c, const uint64_t *sample, size_t size, size_t wanted)
{
    for (size_t i = 0; i < wanted && size > 0; i++) {
        uint64_t const order = sample[(2 * i + 1) * size / (2 * wanted)];
        if (c->count == 0 || c->boundaries[c->count - 1] != order)
            c->boundaries[c->count++] = order;
    }
    cells_index(c);
}

/* ---- The pass ---- */

/* Reserves places for the keys of kept cells; several threads do so at once. False if there are
 * none, or no place is left. */
static bool reserve(cells_pass *p, const uint16_t *labels, size_t n, size_t *at)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += p->keep[labels[i]];
    if (count == 0)
        return false;
    *at = atomic_fetch_add(&p->kept_count, count);
    return *at <= p->capacity && count <= p->capacity - *at;
}

static void keep(cells_pass *p, const uint64_t *orders, const uint16_t *labels, size_t n)
{
    size_t at;
    if (!reserve(p, labels, n, &at))
        return;
    for (size_t i = 0; i < n; i++)
        if (p->keep[labels[i]])
            p->kept[at++] = orders[i];
}

static inline __attribute__((always_inline)) void label(const cells *c, const uint64_t *orders,
                                                        uint16_t *labels, size_t n, unsigned steps)
{
    for (size_t i = 0; i < n; i++)
        labels[i] = (uint16_t)cells_search(c, orders[i], steps);
}

/* Even keys need few steps. */
static void label_block(const cells *c, const uint64_t *orders, uint16_t *labels, size_t n)
{
    switch (c->steps) {
    case 1:
        label(c, orders, labels, n, 1);
        break;
    case 2:
        label(c, orders, labels, n, 2);
        break;
    case 3:
        label(c, orders, labels, n, 3);
        break;
    default:
        label(c, orders, labels, n, c->steps);
        break;
    }
}

static void pass_body(void *arg, size_t lo, size_t hi)
{
    cells_pass *const p = arg;
    size_t const      from = lo * p->chunk, to = ordo_min(hi * p->chunk, p->n);
    bool const      as_orders = p->order.type == ORDO_U64 && !p->order.descending && p->stride == 0;
    uint64_t *const counts = p->chunk_counts + lo * p->count;
    uint64_t        block_orders[BLOCK];
    uint16_t        block_labels[BLOCK] = {0};
    for (size_t at = from; at < to; at += BLOCK) {
        size_t const          n = ordo_min(BLOCK, to - at);
        uint16_t *const       labels = p->labels != NULL ? p->labels + at : block_labels;
        const uint64_t *const orders = as_orders ? (const uint64_t *)p->keys + at : block_orders;
        if (p->stride != 0)
            BY_TYPE(
                p->order.type, orders_apart,
                (&p->order, (const char *)p->keys + at * p->stride, p->stride, n, block_orders));
        else if (!as_orders)
            cells_orders_of(&p->order, p->keys, at, n, block_orders);
        if (p->label != NULL)
            p->label(p->map, orders, labels, n);
        else
            label_block(p->cells, orders, labels, n);
        for (size_t i = 0; i < n; i++)
            counts[labels[i]]++;
        if (p->keep != NULL)
            keep(p, orders, labels, n);
    }
}

static size_t choose_chunk(const ordo_exec *exec, size_t n)
{
    return ordo_max(ordo_div_up(n, (size_t)exec->threads * 4), LEAST_CHUNK);
}

ordo_status cells_room(ordo_exec *exec, cells_pass *p, size_t n, size_t most)
{
    p->chunk = choose_chunk(exec, n);
    size_t const chunks = ordo_div_up(n, p->chunk);
    TRY_SCRATCH(exec, (chunks + 1) * most * sizeof *p->chunk_counts, p->chunk_counts);
    return ORDO_OK;
}

void cells_clear(cells_pass *p)
{
    if (p->label == NULL)
        p->count = 2 * p->cells->count + 1;
    memset(p->counts, 0, p->count * sizeof *p->counts);
    atomic_store(&p->kept_count, 0);
}

bool cells_add(ordo_exec *exec, cells_pass *p)
{
    size_t const chunks = ordo_div_up(p->n, p->chunk);
    memset(p->chunk_counts, 0, (chunks + 1) * p->count * sizeof *p->chunk_counts);
    if (!ordo_loop(exec, chunks, 1, pass_body, p))
        return false;
    for (size_t i = 0; i < chunks; i++)
        for (size_t cell = 0; cell < p->count; cell++)
            p->counts[cell] += p->chunk_counts[i * p->count + cell];
    return true;
}

ordo_status cells_run(ordo_exec *exec, cells_pass *p)
{
    cells_clear(p);
    TRY(cells_room(exec, p, p->n, p->count));
    return cells_add(exec, p) ? ORDO_OK
                              : ordo_fail(exec, ORDO_E_CANCELLED, "the call was cancelled");
}

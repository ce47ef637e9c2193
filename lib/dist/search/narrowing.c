/* narrowing.c - the keys that a read keeps (see narrowing.h). */
#define _POSIX_C_SOURCE 200809L
#include "dist/search/narrowing.h"

#include "dist/device/device.h"

#include <string.h>

ordo_status narrowing_room(narrowing *s, size_t capacity)
{
    size_t const size = ordo_type_size(s->part.order.type);
    atomic_store(&s->kept_count, 0);
    if (dist_on_device(s->call)) {
        TRY(device_memory(s->call, capacity * sizeof(uint64_t)));
        s->kept = device_take(s->call, capacity * sizeof(uint64_t));
        s->capacity = capacity;
        return ORDO_OK;
    }
    if (s->kept != NULL && s->kept != s->part.keys) {
        if (capacity <= s->capacity)
            return ORDO_OK;
        dist_give_back(s->call, s->kept, (s->capacity + 1) * size);
    }
    s->kept = NULL;
    TRY_SCRATCH(s->call->exec, (capacity + 1) * size, s->kept);
    s->capacity = capacity;
    return ORDO_OK;
}

void narrowing_append(narrowing *s, const void *words, size_t count)
{
    size_t const size = ordo_type_size(s->part.order.type);
    size_t const to = atomic_fetch_add(&s->kept_count, count);
    if (to <= s->capacity && count <= s->capacity - to)
        memcpy(s->kept + to * size, words, count * size);
}

ordo_status narrowing_restart(narrowing *s)
{
    size_t room = 0;
    for (size_t i = 0; i < s->span_count; i++)
        room += s->spans[i].keeps ? (size_t)s->spans[i].here : 0;
    return narrowing_room(s, room);
}

/* ---- On a device ---- */

/* The cells of span i: of a band its first order, its last order and what is between them. */
static size_t cells_of(const narrowing *s, size_t i)
{
    return i % 2 == 1 && s->spans[i].lo != s->spans[i].hi ? 3 : 1;
}

ordo_status narrowing_on_device(narrowing *s)
{
    ordo_exec *const exec = s->call->exec;
    cells            ends = {0};
    cells_pass       pass = {
              .cells = &ends, .order = s->part.order, .keys = s->part.keys, .n = s->part.n};
    uint8_t *keep;
    TRY_SCRATCH(exec, s->span_count * sizeof *ends.boundaries, ends.boundaries);
    for (size_t i = 1; i < s->span_count; i += 2) {
        ends.boundaries[ends.count++] = s->spans[i].lo;
        if (cells_of(s, i) > 1)
            ends.boundaries[ends.count++] = s->spans[i].hi;
    }
    TRY_SCRATCH(exec, 2 * ends.count + 1, keep);
    TRY_SCRATCH(exec, (2 * ends.count + 1) * sizeof *pass.counts, pass.counts);
    for (size_t i = 0, cell = 0; i < s->span_count; i++)
        for (size_t end = cell + cells_of(s, i); cell < end; cell++)
            keep[cell] = s->spans[i].keeps;
    if (s->kept != NULL) {
        pass.keep = keep;
        pass.kept = (void *)s->kept;
        pass.capacity = s->capacity;
    }
    TRY(device_cells(s->call, &pass));
    for (size_t i = 0, cell = 0; i < s->span_count; i++) {
        s->spans[i].here = 0;
        for (size_t end = cell + cells_of(s, i); cell < end; cell++)
            s->spans[i].here += pass.counts[cell];
    }
    atomic_store(&s->kept_count, atomic_load(&pass.kept_count));
    return ORDO_OK;
}

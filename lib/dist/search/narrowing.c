/* narrowing.c - the keys that a read keeps (see narrowing.h). */
#define _POSIX_C_SOURCE 200809L
#include "dist/search/narrowing.h"

#include <string.h>

ordo_status narrowing_room(narrowing *s, size_t capacity)
{
    size_t const size = ordo_type_size(s->part.order.type);
    atomic_store(&s->kept_count, 0);
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

/* api_profile.c - the spans of the last call (backend/profile.h), for contexts that want them. */
#define _POSIX_C_SOURCE 200809L
#include "api/api_profile.h"

#include "core/base.h"

#include <string.h>

enum {
    MOST_SPANS = 1 << 16
};

bool api_profile_open(ordo_profile *profile, const ordo_alloc *source)
{
    profile->spans = source->alloc(source->user, MOST_SPANS * sizeof *profile->spans);
    profile->capacity = MOST_SPANS;
    atomic_init(&profile->count, 0);
    return profile->spans != NULL;
}

void api_profile_close(ordo_profile *profile, const ordo_alloc *source)
{
    if (profile->spans != NULL)
        source->release(source->user, profile->spans);
}

void api_profile_begin(ordo_profile *profile)
{
    atomic_store_explicit(&profile->count, 0, memory_order_relaxed);
    profile->zero = ordo_profile_clock();
}

size_t api_profile_copy(const ordo_profile *profile, ordo_span *spans, size_t room)
{
    size_t const count =
        ordo_min(atomic_load_explicit(&profile->count, memory_order_relaxed), profile->capacity);
    if (spans != NULL)
        memcpy(spans, profile->spans, ordo_min(count, room) * sizeof *spans);
    return count;
}

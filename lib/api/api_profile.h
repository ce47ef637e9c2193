/* api_profile.h - the spans that a context keeps of its last call. */
#ifndef ORDO_API_API_PROFILE_H
#define ORDO_API_API_PROFILE_H

#include "core/arena.h"
#include "backend/profile.h"

bool api_profile_open(ordo_profile *profile, const ordo_alloc *source);
void api_profile_close(ordo_profile *profile, const ordo_alloc *source);
/* A call begins. */
void api_profile_begin(ordo_profile *profile);
/* Copies up to `room` spans; returns how many there are. */
size_t api_profile_copy(const ordo_profile *profile, ordo_span *spans, size_t room);

#endif

/* profile.h - --profile, --profile-json, --profile-svg: what a streamed call spent its time on. */
#ifndef ORDO_CLI_UI_PROFILE_H
#define ORDO_CLI_UI_PROFILE_H

#include "cli/ui/options.h"

#include "ordo_machine.h"
#include <stdio.h>

bool profile_wanted(const common_options *common);

/* The profile of the last call as a table on stderr, as JSON, as a picture: what is wanted. False
 * after a message. */
bool profile_print(const ordo_ctx *ctx, const common_options *common);

/* ---- What the files of a profile share ---- */

enum {
    PROFILE_PHASES = 3
};

typedef struct profile_part { /* of the call: a phase, or all of it */
    double   began, ended;
    double   in, out, both_ways; /* seconds that the link was busy */
    double   work;               /* of the GPU */
    double   device_idle;        /* neither link nor work */
    double   threads;            /* busy, on the average of them */
    uint64_t bytes_in, bytes_out;
} profile_part;

typedef struct profile {
    ordo_span   *spans;
    size_t       count;
    unsigned     threads;
    profile_part phases[PROFILE_PHASES], whole;
} profile;

extern const char *const profile_phase_names[PROFILE_PHASES];
bool                     profile_is_host(uint32_t kind);

/* profile_svg.c: the picture. */
void profile_draw(FILE *to, const profile *p);

#endif

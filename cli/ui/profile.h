/* profile.h - --profile, --profile-json, --profile-svg: what a streamed call spent its time on. */
#ifndef ORDO_CLI_UI_PROFILE_H
#define ORDO_CLI_UI_PROFILE_H

#include "cli/ui/options.h"

bool profile_wanted(const common_options *common);

/* Prints the profile of the last call in the forms that are wanted. False after a message. */
bool profile_print(const ordo_ctx *ctx, const common_options *common);

#endif

/* stub.h - the common part of the plugins that open and have no state but the number of openings.
 * PLUGIN_TABLE (table.h) defines the backend table. */
#ifndef ORDO_TESTS_PLUGINS_STUB_H
#define ORDO_TESTS_PLUGINS_STUB_H

#include "plugins/table.h"

static int opened;

static ordo_status open(void **state, const ordo_backend_wishes *wishes, char *why, size_t why_size)
{
    (void)wishes;
    (void)why;
    (void)why_size;
    opened++;
    *state = &opened;
    return ORDO_OK;
}

static void close(void *state) { --*(int *)state; }

#endif

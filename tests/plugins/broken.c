/* broken.c - plugins that libordo must refuse. The build makes one plugin for each macro below. */
#include "backend/backend.h"

#include <stdio.h>

#if defined(PLUGIN_no_entry) /* not a backend: the entry function is missing */

int ordo_something_else(void);
int ordo_something_else(void) { return 1; }

#else

__attribute__((visibility("default"))) const ordo_backend *ordo_backend_table(uint32_t abi);

#if defined(PLUGIN_refusing) /* the plugin refuses the version of its caller */

const ordo_backend *ordo_backend_table(uint32_t abi)
{
    (void)abi;
    return NULL;
}

#elif defined(PLUGIN_other_abi) /* of another version, but it accepts every caller */

const ordo_backend *ordo_backend_table(uint32_t abi)
{
    static ordo_backend table = {.struct_size = sizeof table, .name = "cuda"};
    table.abi = abi + 1;
    return &table;
}

#elif defined(PLUGIN_short_table) /* of the right version, but its table is too short */

const ordo_backend *ordo_backend_table(uint32_t abi)
{
    static ordo_backend table = {.struct_size = offsetof(ordo_backend, open), .name = "cuda"};
    table.abi = abi;
    return &table;
}

#else /* PLUGIN_not_opening: finds no device */

static ordo_status open(void **state, const ordo_backend_wishes *wishes, char *why, size_t why_size)
{
    (void)state;
    snprintf(why, why_size, "the slot for GPU %zu is empty", wishes->device);
    return ORDO_E_DEVICE;
}

const ordo_backend *ordo_backend_table(uint32_t abi)
{
    static const ordo_backend table = {
        .abi = ORDO_BACKEND_ABI, .struct_size = sizeof table, .name = "cuda", .open = open};
    return abi == ORDO_BACKEND_ABI ? &table : NULL;
}

#endif
#endif

/* not_opening.c - a backend that finds no device. */
#include "backend/backend.h"

#include <stdio.h>

__attribute__((visibility("default"))) const ordo_backend *ordo_backend_table(uint32_t abi);

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

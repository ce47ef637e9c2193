/* table.h - the entry of a plugin. PLUGIN_TABLE(.slot = function, ...) defines the backend table
 * with the functions open, close and isa of the file and the verbs of the plugin. */
#ifndef ORDO_TESTS_PLUGINS_TABLE_H
#define ORDO_TESTS_PLUGINS_TABLE_H

#include "backend/backend.h"

__attribute__((visibility("default"))) const ordo_backend *ordo_backend_table(uint32_t abi);

static const char *isa(const void *state)
{
    (void)state;
    return "sm_00";
}

#define PLUGIN_TABLE(...)                                                                          \
    const ordo_backend *ordo_backend_table(uint32_t abi)                                           \
    {                                                                                              \
        static const ordo_backend table = {.abi = ORDO_BACKEND_ABI,                                \
                                           .struct_size = sizeof table,                            \
                                           .name = "cuda",                                         \
                                           .open = open,                                           \
                                           .close = close,                                         \
                                           .isa = isa,                                             \
                                           .isa_all = isa,                                         \
                                           __VA_ARGS__};                                           \
        return abi == ORDO_BACKEND_ABI ? &table : NULL;                                            \
    }

#endif

/* stub.h - the common part of the plugins that open. STUB_TABLE(.slot = function, ...) defines the
 * backend table with the verbs of the plugin. */
#ifndef ORDO_TESTS_PLUGINS_STUB_H
#define ORDO_TESTS_PLUGINS_STUB_H

#include "backend/backend.h"

__attribute__((visibility("default"))) const ordo_backend *ordo_backend_table(uint32_t abi);

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

static const char *isa(const void *state)
{
    (void)state;
    return "sm_00";
}

#define STUB_TABLE(...)                                                                            \
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

/* short_table.c - a backend of the right version whose table ends too early. */
#include "backend/backend.h"

__attribute__((visibility("default"))) const ordo_backend *ordo_backend_table(uint32_t abi);

const ordo_backend *ordo_backend_table(uint32_t abi)
{
    static ordo_backend table = {.struct_size = offsetof(ordo_backend, open), .name = "cuda"};
    table.abi = abi;
    return &table;
}

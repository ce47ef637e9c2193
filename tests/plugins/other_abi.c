/* other_abi.c - a backend of another version, which does not notice that its caller is not its
 * own: the caller must. */
#include "backend/backend.h"

__attribute__((visibility("default"))) const ordo_backend *ordo_backend_table(uint32_t abi);

const ordo_backend *ordo_backend_table(uint32_t abi)
{
    static ordo_backend table = {.struct_size = sizeof table, .name = "cuda"};
    table.abi = abi + 1;
    return &table;
}

/* refusing.c - a backend that says it was built for another version. */
#include "backend/backend.h"

__attribute__((visibility("default"))) const ordo_backend *ordo_backend_table(uint32_t abi);

const ordo_backend *ordo_backend_table(uint32_t abi)
{
    (void)abi;
    return NULL;
}

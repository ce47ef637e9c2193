/* cpu_runs.c - see cpu_runs.h. */
#include "cpu/rank/cpu_runs.h"

#include "core/keybits.h"

#define ORDO_TEMPLATE "core/search.t.h"
#include "core/for_each_type.h"

bool cpu_same_run(ordo_type type, const void *keys, size_t i, size_t j)
{
    switch (type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        return tied_##tag(keys, i, j) != 0;
#include "core/types.def"
    }
    return false;
}

size_t cpu_run_start(ordo_type type, const void *keys, size_t i)
{
    switch (type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        return tie_start_##tag(keys, i);
#include "core/types.def"
    }
    return i;
}

size_t cpu_run_end(ordo_type type, const void *keys, size_t n, size_t i)
{
    switch (type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        return tie_end_##tag(keys, n, i);
#include "core/types.def"
    }
    return n;
}

size_t cpu_nan_start(ordo_type type, const void *keys, size_t n)
{
    switch (type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        return nan_start_##tag(keys, n);
#include "core/types.def"
    }
    return n;
}

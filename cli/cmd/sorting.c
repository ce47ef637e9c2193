/* sorting.c - options of sorting commands (see sorting.h). */
#include "cli/cmd/sorting.h"

const char *sorting_wrong(const sorting_options *o, bool text)
{
    const bool rough =
        o->algorithm == ORDO_ALGORITHM_ROUGH || o->algorithm == ORDO_ALGORITHM_HALVING;

    if (o->radius != OPTION_UNSET && !rough)
        return "-k goes with --algorithm rough or halving only";
    if (text && o->algorithm != ORDO_ALGORITHM_AUTO)
        return "--algorithm is for numbers: --text has one way only";
    return NULL;
}

ordo_sort_opts sorting_library_options(const sorting_options *o)
{
    const uint64_t descending = o->descending ? ORDO_DESCENDING : 0;
    const uint64_t stable = o->stable ? ORDO_STABLE : 0;

    return ORDO_OPTS(ordo_sort_opts, .flags = descending | stable,
                     .radius = o->radius != OPTION_UNSET ? o->radius : 0,
                     .algorithm = (uint32_t)o->algorithm);
}

/* sorting.h - the options that `ordo sort` and `ordo argsort` share. */
#ifndef ORDO_CLI_CMD_SORTING_H
#define ORDO_CLI_CMD_SORTING_H

#include "cli/ui/options.h"

typedef struct sorting_options {
    int      algorithm;
    uint64_t radius; /* OPTION_UNSET: not given */
    bool     descending, stable;
} sorting_options;

#define SORTING_OPTIONS(sorting)                                                                   \
    OPTION_FLAG_AT("descending", 0, &(sorting).descending),                                        \
        OPTION_FLAG_AT("stable", 0, &(sorting).stable),                                            \
        OPTION_CHOICE_AT("algorithm", 0, &(sorting).algorithm, sort_algorithm_choices),            \
        OPTION_COUNT_AT("k", 'k', &(sorting).radius, 0, UINT64_MAX - 1)

/* What is wrong with them, for lines (text) or numbers; NULL if nothing is. */
const char *sorting_wrong(const sorting_options *o, bool text);

/* The same as the library takes them. */
ordo_sort_opts sorting_library_options(const sorting_options *o);

#endif

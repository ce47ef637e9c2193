/* arrays.h - small things that commands do to arrays before and after the library's work. */
#ifndef ORDO_CLI_IO_ARRAYS_H
#define ORDO_CLI_IO_ARRAYS_H

#include "cli/cli.h"

bool   is_nan(ordo_type type, const void *value);
size_t count_nans(ordo_type type, const void *keys, size_t n);

/* The least i > 0 such that keys i - 1 and i tie (-0 and +0 do, and all NaNs), or n. */
size_t first_tie(ordo_type type, const void *keys, size_t n);

/* Keeps the first of every stretch of keys that tie, in order; returns how many those are. */
size_t drop_ties(ordo_type type, void *keys, size_t n);

/* Adds 1 to indices of type ORDO_U32 or ORDO_U64. */
void add_one(ordo_type type, void *indices, size_t n);

#endif

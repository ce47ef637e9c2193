/* duckdb_door.h - what the functions for DuckDB share: types, registration, rows, errors. */
#ifndef ORDO_DUCKDB_DOOR_H
#define ORDO_DUCKDB_DOOR_H

#include "contexts.h"
#include "ordo.h"

#include <duckdb_extension.h>
#include <string.h>

DUCKDB_EXTENSION_EXTERN

/* ---- Types ---- */

/* A column type whose values are keys of the library. */
typedef struct door_type {
    duckdb_type sql;
    ordo_type   keys;
} door_type;

enum {
    DOOR_NUMBERS = 10, /* the first types; the others are dates and times */
    DOOR_TYPES = 17
};

extern const door_type door_types[DOOR_TYPES];

/* A type, or a list of it. DUCKDB_TYPE_INVALID: no parameter. */
typedef struct door_shape {
    duckdb_type of;
    bool        is_list;
} door_shape;

typedef struct door_signature {
    door_shape  result, parameters[2];
    const void *extra; /* for the callbacks; static */
} door_signature;

typedef struct door_callbacks {
    duckdb_aggregate_state_size state_size;
    duckdb_aggregate_init_t     init;
    duckdb_aggregate_update_t   update;
    duckdb_aggregate_combine_t  combine;
    duckdb_aggregate_finalize_t finalize;
    duckdb_aggregate_destroy_t  destroy;
} door_callbacks;

/* Register one function with several signatures. False: DuckDB refused it. */
bool door_add_aggregate(duckdb_connection connection, const char *name,
                        const door_callbacks *callbacks, const door_signature *signatures,
                        size_t count);
bool door_add_scalar(duckdb_connection connection, const char *name,
                     duckdb_scalar_function_t function, const door_signature *signatures,
                     size_t count);

/* The functions of each file. */
bool door_add_quantiles(duckdb_connection connection);
bool door_add_topk(duckdb_connection connection);
bool door_add_rank(duckdb_connection connection);

/* ---- Errors ---- */

/* End an aggregate with an error: always false. */
bool door_fail(duckdb_function_info info, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool door_fail_memory(duckdb_function_info info);
/* Ends it if a call of the library failed. */
bool door_check(duckdb_function_info info, const ordo_ctx *ctx, ordo_status status);

/* ---- Rows ---- */

static inline bool door_is_valid(const uint64_t *validity, size_t row)
{
    return validity == NULL || (validity[row / 64] >> row % 64 & 1) != 0;
}

void door_set_null(duckdb_vector result, size_t row);
/* Returns the place of `n` more elements of all lists of a result, and their first index. NULL:
 * memory ran out. */
void *door_add_elements(duckdb_vector result, size_t n, size_t size, size_t *first);

/* Whether all n elements of `size` bytes are the same. */
static inline bool door_same(const void *elements, size_t n, size_t size)
{
    return memcmp(elements, (const char *)elements + size, (n - 1) * size) == 0;
}

enum {
    DOOR_PIECE = 1024 /* rows that are copied at once to leave NULLs out */
};

/* Reads the rows of a chunk whose first column is not NULL: begin, then next until it is false.
 * Rows are in the arrays of the chunk, or in `kept` if some are NULL. */
typedef struct door_rows {
    size_t      n;      /* rows that were read */
    const char *values; /* of the first column */
    void      **states; /* of their groups     */

    size_t                  size, end, at;
    const char             *column;
    const uint64_t         *validity;
    duckdb_aggregate_state *all_states;
    uint64_t                kept[DOOR_PIECE];
    void                   *kept_states[DOOR_PIECE];
} door_rows;

void door_begin(door_rows *rows, duckdb_data_chunk chunk, duckdb_aggregate_state *states,
                size_t size);
bool door_next(door_rows *rows);

#endif

/* polars_column.h - a series of Polars as keys without nulls, and results as a series. */
#ifndef ORDO_POLARS_COLUMN_H
#define ORDO_POLARS_COLUMN_H

#include "polars_abi.h"

#include <ordo.h>

#include <stdbool.h>

/* What the elements of a series are. */
typedef struct polars_type {
    ordo_type type;    /* of the keys: dates and times are their integers, booleans are bytes */
    bool      is_text; /* strings or bytes, which have no type */
    bool      is_number;
} polars_type;

/* The type of the elements; false: expressions cannot take them. */
bool polars_type_of(const arrow_schema *field, polars_type *out);

typedef struct polars_column {
    polars_type  kind;
    size_t       n, valid;  /* rows; rows that are not null */
    uint8_t     *validity;  /* a bit for each row; NULL: no row is null */
    const void  *keys;      /* of the valid rows, in order; numbers */
    ordo_strings strings;   /* the same; strings */
    void        *memory[3]; /* for malloc's free() */
} polars_column;

/* Reads a series. The keys may lie in its buffers, so release it after the column. */
ordo_status polars_read_column(const polars_series *series, polars_column *column);
void        polars_free_column(polars_column *column);

static inline bool polars_is_valid(const uint8_t *validity, size_t row)
{
    return validity == NULL || (validity[row / 8] >> row % 8 & 1) != 0;
}

/* A column of results. */
typedef struct polars_result {
    const char *name, *format;
    size_t      n, nulls;
    uint8_t    *validity; /* NULL: no row is null */
    void       *values;   /* of malloc(), as validity; of strings: n + 1 offsets */
    char       *bytes;    /* of strings */
} polars_result;

/* Makes a series, which owns the arrays of the result; they are freed if memory runs out. */
ordo_status polars_export(const polars_result *result, polars_series *out);
/* Makes the schema of a result; false: memory ran out. */
bool polars_export_field(const char *name, const char *format, arrow_schema *out);

#endif

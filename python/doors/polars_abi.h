/* polars_abi.h - what Polars and a plugin of expressions exchange: series of the Arrow C data
 * interface, by version 0.1 of Polars' plugin interface. */
#ifndef ORDO_POLARS_ABI_H
#define ORDO_POLARS_ABI_H

#include <stddef.h>
#include <stdint.h>

/* The Arrow C data interface. The owner of a struct calls release once; released: it is NULL. */
typedef struct arrow_schema arrow_schema;
struct arrow_schema {
    const char    *format, *name, *metadata;
    int64_t        flags;
    int64_t        child_count;
    arrow_schema **children, *dictionary;
    void (*release)(arrow_schema *);
    void *private_data;
};

typedef struct arrow_array arrow_array;
struct arrow_array {
    int64_t       length, null_count, offset; /* null_count < 0: not counted */
    int64_t       buffer_count, child_count;
    const void  **buffers; /* [0]: bits of the elements that are not null, or NULL */
    arrow_array **children, *dictionary;
    void (*release)(arrow_array *);
    void *private_data;
};

enum {
    ARROW_NULLABLE = 2 /* of arrow_schema.flags */
};

/* A series: one array for each chunk. Who takes a series releases its arrays, then the series. A
 * result without private_data is an error. */
typedef struct polars_series polars_series;
struct polars_series {
    arrow_schema *field;
    arrow_array **chunks;
    size_t        count;
    void (*release)(polars_series *);
    void *private_data;
};

#endif

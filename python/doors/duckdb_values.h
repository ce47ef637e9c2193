/* duckdb_values.h - the values of a group while DuckDB reads its rows.
 *
 * A few values are in the struct itself, others in a block of at least 160 bytes that doubles. So a
 * value takes at most twice its size beside these. Joining two groups copies short ones and shares
 * the blocks of others, because DuckDB keeps both. DuckDB moves states, so no pointer points into
 * one. */
#ifndef ORDO_DUCKDB_VALUES_H
#define ORDO_DUCKDB_VALUES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct values_block values_block;

/* Of zeros: no values. */
typedef struct values {
    size_t        n;
    values_block *last; /* NULL: all values are in `few` */
    char         *next; /* the place of the next value in `last`, */
    size_t        room; /* and the bytes from there on            */
    char          few[32];
} values;

/* As realloc(). Large memory is in huge pages where the system has them: faults of small pages took
 * four fifths of the CPU time of a median of 10^7 rows. */
void *values_reallocate(void *memory, size_t bytes);

void *values_grow(values *v, size_t count, size_t size);

/* Returns the place of `count` > 0 more values of `size` bytes. NULL: memory ran out, and nothing
 * has changed. */
static inline void *values_add(values *v, size_t count, size_t size)
{
    size_t const bytes = count * size;
    if (v->room < bytes)
        return values_grow(v, count, size);
    void *const place = v->next;
    v->n += count;
    v->next += bytes;
    v->room -= bytes;
    return place;
}

/* Adds the values of `from`, which does not change: several threads may read it. False: memory ran
 * out, and nothing has changed. */
bool values_join(values *to, const values *from, size_t size);
/* Returns the values where they are; NULL: they are in several blocks. */
const void *values_whole(const values *v);
void        values_copy(const values *v, size_t size, void *out);
void        values_free(values *v);

#endif

/* duckdb.c - a loadable extension of DuckDB: ordo_median, ordo_quantile, ordo_topk, ordo_bottomk
 * and ordo_rank, by the stable C interface of extensions, version 1.2.0.
 *
 * NULLs are no values, and NaN is the largest number, as in DuckDB. */
#define DUCKDB_EXTENSION_NAME ordo
#include "duckdb_door.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- Types ---- */

const door_type door_types[DOOR_TYPES] = {
    {DUCKDB_TYPE_TINYINT, ORDO_I8},       {DUCKDB_TYPE_SMALLINT, ORDO_I16},
    {DUCKDB_TYPE_INTEGER, ORDO_I32},      {DUCKDB_TYPE_BIGINT, ORDO_I64},
    {DUCKDB_TYPE_UTINYINT, ORDO_U8},      {DUCKDB_TYPE_USMALLINT, ORDO_U16},
    {DUCKDB_TYPE_UINTEGER, ORDO_U32},     {DUCKDB_TYPE_UBIGINT, ORDO_U64},
    {DUCKDB_TYPE_FLOAT, ORDO_F32},        {DUCKDB_TYPE_DOUBLE, ORDO_F64},
    {DUCKDB_TYPE_DATE, ORDO_I32},         {DUCKDB_TYPE_TIME, ORDO_I64},
    {DUCKDB_TYPE_TIMESTAMP, ORDO_I64},    {DUCKDB_TYPE_TIMESTAMP_S, ORDO_I64},
    {DUCKDB_TYPE_TIMESTAMP_MS, ORDO_I64}, {DUCKDB_TYPE_TIMESTAMP_NS, ORDO_I64},
    {DUCKDB_TYPE_TIMESTAMP_TZ, ORDO_I64},
};

static duckdb_logical_type make_type(door_shape shape)
{
    duckdb_logical_type type = duckdb_create_logical_type(shape.of);
    if (!shape.is_list)
        return type;
    duckdb_logical_type list = duckdb_create_list_type(type);
    duckdb_destroy_logical_type(&type);
    return list;
}

/* ---- Registration ---- */

static bool add_signature(duckdb_aggregate_function_set set, const char *name,
                          const door_callbacks *callbacks, const door_signature *signature)
{
    duckdb_aggregate_function function = duckdb_create_aggregate_function();
    duckdb_logical_type       result = make_type(signature->result);
    duckdb_aggregate_function_set_name(function, name);
    duckdb_aggregate_function_set_return_type(function, result);
    duckdb_destroy_logical_type(&result);
    for (size_t i = 0; i < 2 && signature->parameters[i].of != DUCKDB_TYPE_INVALID; i++) {
        duckdb_logical_type type = make_type(signature->parameters[i]);
        duckdb_aggregate_function_add_parameter(function, type);
        duckdb_destroy_logical_type(&type);
    }
    duckdb_aggregate_function_set_functions(function, callbacks->state_size, callbacks->init,
                                            callbacks->update, callbacks->combine,
                                            callbacks->finalize);
    duckdb_aggregate_function_set_destructor(function, callbacks->destroy);
    duckdb_aggregate_function_set_extra_info(function, (void *)signature->extra, NULL);
    bool const added = duckdb_add_aggregate_function_to_set(set, function) == DuckDBSuccess;
    duckdb_destroy_aggregate_function(&function);
    return added;
}

bool door_add_aggregate(duckdb_connection connection, const char *name,
                        const door_callbacks *callbacks, const door_signature *signatures,
                        size_t count)
{
    duckdb_aggregate_function_set set = duckdb_create_aggregate_function_set(name);
    bool                          good = true;
    for (size_t i = 0; i < count; i++)
        good = good && add_signature(set, name, callbacks, &signatures[i]);
    good = good && duckdb_register_aggregate_function_set(connection, set) == DuckDBSuccess;
    duckdb_destroy_aggregate_function_set(&set);
    return good;
}

bool door_add_scalar(duckdb_connection connection, const char *name,
                     duckdb_scalar_function_t callback, const door_signature *signatures,
                     size_t count)
{
    duckdb_scalar_function_set set = duckdb_create_scalar_function_set(name);
    bool                       good = true;
    for (size_t i = 0; i < count; i++) {
        duckdb_scalar_function function = duckdb_create_scalar_function();
        duckdb_logical_type    result = make_type(signatures[i].result);
        duckdb_scalar_function_set_name(function, name);
        duckdb_scalar_function_set_return_type(function, result);
        duckdb_destroy_logical_type(&result);
        for (size_t p = 0; p < 2 && signatures[i].parameters[p].of != DUCKDB_TYPE_INVALID; p++) {
            duckdb_logical_type type = make_type(signatures[i].parameters[p]);
            duckdb_scalar_function_add_parameter(function, type);
            duckdb_destroy_logical_type(&type);
        }
        duckdb_scalar_function_set_special_handling(function); /* the callback reads NULLs */
        duckdb_scalar_function_set_function(function, callback);
        duckdb_scalar_function_set_extra_info(function, (void *)signatures[i].extra, NULL);
        good = good && duckdb_add_scalar_function_to_set(set, function) == DuckDBSuccess;
        duckdb_destroy_scalar_function(&function);
    }
    good = good && duckdb_register_scalar_function_set(connection, set) == DuckDBSuccess;
    duckdb_destroy_scalar_function_set(&set);
    return good;
}

DUCKDB_EXTENSION_ENTRYPOINT(duckdb_connection connection, duckdb_extension_info info,
                            struct duckdb_extension_access *access)
{
    if (door_add_quantiles(connection) && door_add_topk(connection) && door_add_rank(connection))
        return true;
    access->set_error(info, "ordo: DuckDB refused a function");
    return false;
}

/* ---- Errors ---- */

bool door_fail(duckdb_function_info info, const char *format, ...)
{
    char    message[256];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    duckdb_aggregate_function_set_error(info, message);
    return false;
}

bool door_fail_memory(duckdb_function_info info)
{
    return door_fail(info, "ordo: no memory for the values of a group");
}

bool door_check(duckdb_function_info info, const ordo_ctx *ctx, ordo_status status)
{
    return status == ORDO_OK || door_fail(info, "ordo: %s", ordo_last_error(ctx));
}

/* ---- Rows ---- */

void door_set_null(duckdb_vector result, size_t row)
{
    duckdb_vector_ensure_validity_writable(result);
    duckdb_vector_get_validity(result)[row / 64] &= ~(UINT64_C(1) << row % 64);
}

void *door_add_elements(duckdb_vector result, size_t n, size_t size, size_t *first)
{
    *first = duckdb_list_vector_get_size(result);
    if (duckdb_list_vector_reserve(result, *first + n) != DuckDBSuccess ||
        duckdb_list_vector_set_size(result, *first + n) != DuckDBSuccess)
        return NULL;
    return (char *)duckdb_vector_get_data(duckdb_list_vector_get_child(result)) + *first * size;
}

void door_begin(door_rows *rows, duckdb_data_chunk chunk, duckdb_aggregate_state *states,
                size_t size)
{
    duckdb_vector const column = duckdb_data_chunk_get_vector(chunk, 0);
    rows->size = size;
    rows->end = duckdb_data_chunk_get_size(chunk);
    rows->at = 0;
    rows->column = duckdb_vector_get_data(column);
    rows->validity = duckdb_vector_get_validity(column);
    rows->all_states = states;
}

/* Inlined for each size. */
static inline size_t keep_valid(door_rows *rows, size_t size, size_t end)
{
    size_t n = 0;
    for (size_t row = rows->at; row < end; row++) {
        memcpy((char *)rows->kept + n * size, rows->column + row * size, size);
        rows->kept_states[n] = rows->all_states[row];
        n += door_is_valid(rows->validity, row);
    }
    return n;
}

bool door_next(door_rows *rows)
{
    size_t const left = rows->end - rows->at;
    size_t const end = rows->at + (left < DOOR_PIECE ? left : DOOR_PIECE);
    if (left == 0)
        return false;
    if (rows->validity == NULL) {
        rows->n = left;
        rows->values = rows->column;
        rows->states = (void **)rows->all_states;
        rows->at = rows->end;
        return true;
    }
    rows->values = (const char *)rows->kept;
    rows->states = rows->kept_states;
    rows->n = rows->size == 1   ? keep_valid(rows, 1, end)
              : rows->size == 2 ? keep_valid(rows, 2, end)
              : rows->size == 4 ? keep_valid(rows, 4, end)
                                : keep_valid(rows, 8, end);
    rows->at = end;
    return true;
}

/* polars_column.c - reads a series of Polars without a copy if it has one chunk and no nulls. */
#include "polars_column.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- Types ---- */

bool polars_type_of(const arrow_schema *field, polars_type *out)
{
    static const struct {
        const char *format; /* or its beginning: zones and units follow */
        polars_type type;
    } known[] = {
        {"b", {ORDO_U8, false, true}},     {"c", {ORDO_I8, false, true}},
        {"C", {ORDO_U8, false, true}},     {"s", {ORDO_I16, false, true}},
        {"S", {ORDO_U16, false, true}},    {"i", {ORDO_I32, false, true}},
        {"I", {ORDO_U32, false, true}},    {"l", {ORDO_I64, false, true}},
        {"L", {ORDO_U64, false, true}},    {"f", {ORDO_F32, false, true}},
        {"g", {ORDO_F64, false, true}},    {"vu", {.is_text = true}},
        {"vz", {.is_text = true}},         {"tdD", {ORDO_I32, false, false}},
        {"ttn", {ORDO_I64, false, false}}, {"ts", {ORDO_I64, false, false}},
        {"tD", {ORDO_I64, false, false}},
    };
    if (field->dictionary != NULL)
        return false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const char *const format = known[i].format;
        bool const        is_begin = format[0] == 't' && format[2] == '\0';
        if (is_begin ? strncmp(field->format, format, 2) == 0
                     : strcmp(field->format, format) == 0) {
            *out = known[i].type;
            return true;
        }
    }
    return false;
}

/* ---- Reading ---- */

static const uint8_t *nulls_of(const arrow_array *chunk)
{
    return chunk->null_count == 0 ? NULL : chunk->buffers[0];
}

static bool is_valid_at(const arrow_array *chunk, size_t row)
{
    return polars_is_valid(nulls_of(chunk), (size_t)chunk->offset + row);
}

/* Copies n bits to zeros, up to 8 in a step; from NULL: ones. Returns how many are set. */
static size_t copy_bits(uint8_t *to, size_t to_at, const uint8_t *from, size_t from_at, size_t n)
{
    size_t set = 0;
    for (size_t step; n > 0; n -= step, to_at += step, from_at += step) {
        unsigned bits = UINT_MAX;
        step = n < 8 - to_at % 8 ? n : 8 - to_at % 8;
        if (from != NULL) {
            bits = from[from_at / 8];
            if (from_at % 8 + step > 8)
                bits |= (unsigned)from[from_at / 8 + 1] << 8;
            bits >>= from_at % 8;
        }
        bits &= (1u << step) - 1;
        to[to_at / 8] |= (uint8_t)(bits << to_at % 8);
        set += (size_t)__builtin_popcount(bits);
    }
    return set;
}

/* Counts rows and nulls. Sets the validity if there are nulls. */
static ordo_status read_validity(const polars_series *series, polars_column *column)
{
    bool nulls = false;
    for (size_t c = 0; c < series->count; c++) {
        column->n += (size_t)series->chunks[c]->length;
        nulls |= nulls_of(series->chunks[c]) != NULL;
    }
    column->valid = column->n;
    if (!nulls)
        return ORDO_OK;
    column->validity = calloc(column->n / 8 + 1, 1);
    if (column->validity == NULL)
        return ORDO_E_NOMEM;
    column->valid = 0;
    for (size_t c = 0, row = 0; c < series->count; c++) {
        const arrow_array *const chunk = series->chunks[c];
        size_t const             n = (size_t)chunk->length;
        column->valid +=
            copy_bits(column->validity, row, nulls_of(chunk), (size_t)chunk->offset, n);
        row += n;
    }
    return ORDO_OK;
}

/* Copies every key, but goes on only after those that are not null. Inlined for each size. */
static inline char *skip_nulls(const arrow_array *chunk, size_t size, char *to)
{
    size_t const         first = (size_t)chunk->offset, n = (size_t)chunk->length;
    const uint8_t *const validity = nulls_of(chunk);
    const char *const    from = chunk->buffers[1];
    for (size_t i = first; i < first + n; i++) {
        memcpy(to, from + i * size, size);
        to += polars_is_valid(validity, i) ? size : 0;
    }
    return to;
}

/* Copies the keys of a chunk that are not null; returns their end, after which one more fits. */
static char *copy_keys(const arrow_array *chunk, size_t size, char *to)
{
    if (nulls_of(chunk) == NULL) {
        size_t const bytes = (size_t)chunk->length * size;
        memcpy(to, (const char *)chunk->buffers[1] + (size_t)chunk->offset * size, bytes);
        return to + bytes;
    }
    switch (size) {
    case 1:
        return skip_nulls(chunk, 1, to);
    case 2:
        return skip_nulls(chunk, 2, to);
    case 4:
        return skip_nulls(chunk, 4, to);
    default:
        return skip_nulls(chunk, 8, to);
    }
}

/* The same for booleans, which become bytes. */
static char *copy_bools(const arrow_array *chunk, char *to)
{
    for (size_t i = 0; i < (size_t)chunk->length; i++)
        if (is_valid_at(chunk, i))
            *to++ = polars_is_valid(chunk->buffers[1], (size_t)chunk->offset + i);
    return to;
}

static ordo_status read_numbers(const polars_series *series, polars_column *column)
{
    size_t const size = ordo_type_size(column->kind.type);
    bool const   is_bits = series->field->format[0] == 'b';
    if (series->count == 1 && column->validity == NULL && !is_bits) {
        const arrow_array *const chunk = series->chunks[0];
        column->keys = (const char *)chunk->buffers[1] + (size_t)chunk->offset * size;
        return ORDO_OK;
    }
    char *to = malloc((column->valid + 1) * size);
    if (to == NULL)
        return ORDO_E_NOMEM;
    column->keys = column->memory[0] = to;
    for (size_t c = 0; c < series->count; c++)
        if (series->chunks[c]->length > 0)
            to = is_bits ? copy_bools(series->chunks[c], to)
                         : copy_keys(series->chunks[c], size, to);
    return ORDO_OK;
}

/* A string of a view array: up to 12 bytes stand in the view, others in a buffer. */
static const char *view_of(const arrow_array *chunk, size_t row, size_t *length)
{
    struct view {
        int32_t length;
        char    start[4];
        int32_t buffer, offset;
    } view;
    const char *const at =
        (const char *)chunk->buffers[1] + ((size_t)chunk->offset + row) * sizeof view;
    memcpy(&view, at, sizeof view);
    *length = (size_t)view.length;
    if (*length <= 12)
        return at + offsetof(struct view, start);
    return (const char *)chunk->buffers[2 + view.buffer] + view.offset;
}

static ordo_status read_strings(const polars_series *series, polars_column *column)
{
    size_t    all = 0, length, k = 0;
    uint64_t *offsets = column->memory[0] = malloc((column->valid + 1) * sizeof *offsets);
    if (offsets == NULL)
        return ORDO_E_NOMEM;
    offsets[0] = 0;
    for (size_t c = 0; c < series->count; c++)
        for (size_t i = 0; i < (size_t)series->chunks[c]->length; i++)
            if (is_valid_at(series->chunks[c], i)) {
                (void)view_of(series->chunks[c], i, &length);
                offsets[++k] = all += length;
            }
    char *bytes = column->memory[1] = malloc(all + 1);
    if (bytes == NULL)
        return ORDO_E_NOMEM;
    column->strings = (ordo_strings){sizeof column->strings, bytes, offsets, NULL};
    for (size_t c = 0; c < series->count; c++)
        for (size_t i = 0; i < (size_t)series->chunks[c]->length; i++)
            if (is_valid_at(series->chunks[c], i)) {
                const char *const text = view_of(series->chunks[c], i, &length);
                memcpy(bytes, text, length);
                bytes += length;
            }
    return ORDO_OK;
}

ordo_status polars_read_column(const polars_series *series, polars_column *column)
{
    *column = (polars_column){0};
    if (!polars_type_of(series->field, &column->kind))
        return ORDO_E_UNSUPPORTED;
    ordo_status const status = read_validity(series, column);
    if (status != ORDO_OK)
        return status;
    return column->kind.is_text ? read_strings(series, column) : read_numbers(series, column);
}

void polars_free_column(polars_column *column)
{
    free(column->validity);
    for (size_t i = 0; i < sizeof column->memory / sizeof *column->memory; i++)
        free(column->memory[i]);
}

/* ---- Results ---- */

/* A series, its schema and its only array in one piece of memory. */
typedef struct exported {
    arrow_schema field;
    arrow_array  array, *chunk;
} exported;

static void free_schema(arrow_schema *schema)
{
    free(schema->private_data);
    schema->release = NULL;
}

/* The buffers of an array, and the same as its owner has them. */
typedef struct held {
    const void *buffers[3];
    void       *owned[3];
} held;

static void free_array(arrow_array *array)
{
    held *const all = array->private_data;
    for (size_t i = 0; i < sizeof all->owned / sizeof *all->owned; i++)
        free(all->owned[i]);
    free(all);
    array->release = NULL;
}

static void free_series(polars_series *series)
{
    exported *const all = series->private_data;
    if (all->field.release != NULL)
        all->field.release(&all->field);
    free(all);
    series->release = NULL;
}

bool polars_export_field(const char *name, const char *format, arrow_schema *out)
{
    size_t const name_size = strlen(name) + 1, format_size = strlen(format) + 1;
    char *const  text = malloc(name_size + format_size);
    if (text == NULL)
        return false;
    memcpy(text, name, name_size);
    memcpy(text + name_size, format, format_size);
    *out = (arrow_schema){.format = text + name_size,
                          .name = text,
                          .flags = ARROW_NULLABLE,
                          .release = free_schema,
                          .private_data = text};
    return true;
}

ordo_status polars_export(const polars_result *result, polars_series *out)
{
    exported *const all = calloc(1, sizeof *all);
    held *const     memory = calloc(1, sizeof *memory);
    if (all == NULL || memory == NULL ||
        !polars_export_field(result->name, result->format, &all->field)) {
        free(all);
        free(memory);
        free(result->validity);
        free(result->values);
        free(result->bytes);
        return ORDO_E_NOMEM;
    }
    *memory = (held){{result->validity, result->values, result->bytes},
                     {result->validity, result->values, result->bytes}};
    all->array = (arrow_array){.length = (int64_t)result->n,
                               .null_count = (int64_t)result->nulls,
                               .buffer_count = result->bytes != NULL ? 3 : 2,
                               .buffers = memory->buffers,
                               .release = free_array,
                               .private_data = memory};
    all->chunk = &all->array;
    *out = (polars_series){&all->field, &all->chunk, 1, free_series, all};
    return ORDO_OK;
}

/* duckdb_rank.c - the function ordo_rank(list [, ties]) of DuckDB: the ranks of the elements of
 * each list.
 *
 * One call of the library ranks the lists of a chunk that have the same tie rule, as segments. */
#include "duckdb_door.h"
#include "ties.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The lists of a chunk, and their ranks. */
typedef struct lists {
    duckdb_function_info     info;
    ordo_type                type, rank_type;
    size_t                   n; /* lists */
    const duckdb_list_entry *entries;
    const uint64_t          *validity;          /* of the lists */
    const char              *elements;          /* of all lists, also of other chunks */
    const uint64_t          *elements_validity; /* NULL: no element is NULL */
    duckdb_list_entry       *out_entries;
    duckdb_vector            out; /* the ranks */
} lists;

static bool fail(const lists *l, const char *message)
{
    duckdb_scalar_function_set_error(l->info, message);
    return false;
}

static size_t length_of(const lists *l, size_t row)
{
    return door_is_valid(l->validity, row) ? l->entries[row].length : 0;
}

/* Places for the ranks of all lists, in the order of the lists. */
static bool make_places(lists *l, duckdb_vector result)
{
    size_t all = 0, first;
    l->out_entries = duckdb_vector_get_data(result);
    for (size_t row = 0; row < l->n; row++) {
        size_t const length = length_of(l, row);
        l->out_entries[row] = (duckdb_list_entry){all, length};
        all += length;
        if (!door_is_valid(l->validity, row))
            door_set_null(result, row);
    }
    if (door_add_elements(result, all, sizeof(uint64_t), &first) == NULL)
        return fail(l, "ordo_rank: no memory for the ranks");
    for (size_t row = 0; row < l->n; row++)
        l->out_entries[row].offset += first;
    l->out = duckdb_list_vector_get_child(result);
    return true;
}

/* Copies the keys of lists side by side. Returns their number. */
static size_t copy_keys(const lists *l, size_t first, size_t end, char *keys, uint64_t *offsets)
{
    size_t const size = ordo_type_size(l->type);
    size_t       n = 0;
    for (size_t row = first; row < end; row++) {
        duckdb_list_entry const list = {l->entries[row].offset, length_of(l, row)};
        offsets[row - first] = n;
        if (l->elements_validity == NULL) {
            memcpy(keys + n * size, l->elements + list.offset * size, list.length * size);
            n += list.length;
            continue;
        }
        for (size_t i = list.offset; i < list.offset + list.length; i++)
            if (door_is_valid(l->elements_validity, i))
                memcpy(keys + n++ * size, l->elements + i * size, size);
    }
    offsets[end - first] = n;
    return n;
}

/* Moves the ranks of elements that are not NULL to their places; the others become NULL. */
static void place_ranks(const lists *l, size_t first, size_t end, const uint64_t *ranks)
{
    uint64_t *const out = duckdb_vector_get_data(l->out);
    for (size_t row = first; row < end; row++) {
        size_t const from = l->entries[row].offset, to = l->out_entries[row].offset;
        for (size_t i = 0; i < length_of(l, row); i++)
            if (door_is_valid(l->elements_validity, from + i))
                out[to + i] = *ranks++;
            else
                door_set_null(l->out, to + i);
    }
}

/* Ranks have 8 bytes: i64 or f64. */
static bool rank_keys(const lists *l, size_t count, const uint64_t *offsets, const void *keys,
                      uint32_t ties, void *ranks)
{
    ordo_segments const  segments = {sizeof segments, count, offsets, 0, 0, 0, 0, 0};
    ordo_rank_opts const opts = {.struct_size = sizeof opts, .ties = ties, .segments = &segments};
    size_t const         n = offsets[count];
    door_context         context;
    if (door_borrow(n, &context) != ORDO_OK)
        return fail(l, ordo_last_error(NULL));
    bool const good =
        ordo_rank(context.ctx, l->type, keys, n, l->rank_type, ranks, &opts) == ORDO_OK ||
        fail(l, ordo_last_error(context.ctx));
    door_return(context);
    return good;
}

static bool rank_lists(const lists *l, size_t first, size_t end, uint32_t ties)
{
    size_t const n = l->out_entries[end - 1].offset + l->out_entries[end - 1].length -
                     l->out_entries[first].offset;
    uint64_t *const offsets = malloc((end - first + 1) * sizeof *offsets);
    char *const     keys = malloc(n * ordo_type_size(l->type) + 1);
    uint64_t *const kept = calloc(l->elements_validity == NULL ? 1 : n + 1, sizeof *kept);
    bool            good = offsets != NULL && keys != NULL && kept != NULL;
    if (!good)
        (void)fail(l, "ordo_rank: no memory for the ranks");
    if (good && copy_keys(l, first, end, keys, offsets) > 0) {
        uint64_t *const out = duckdb_vector_get_data(l->out);
        good = rank_keys(l, end - first, offsets, keys, ties,
                         l->elements_validity == NULL ? out + l->out_entries[first].offset : kept);
    }
    if (good && l->elements_validity != NULL)
        place_ranks(l, first, end, kept);
    free(offsets);
    free(keys);
    free(kept);
    return good;
}

static bool read_ties(const lists *l, duckdb_vector column, size_t row, uint32_t *ties)
{
    char message[128];
    if (!door_is_valid(duckdb_vector_get_validity(column), row))
        return fail(l, "ordo_rank: the tie rule is NULL");
    duckdb_string_t  *text = (duckdb_string_t *)duckdb_vector_get_data(column) + row;
    const char *const name = duckdb_string_t_data(text);
    size_t const      length = duckdb_string_t_length(*text);
    if (door_find_ties(name, length, ties))
        return true;
    snprintf(message, sizeof message,
             "ordo_rank: ties is '%.*s'; expected min, max, dense, ordinal or average",
             length < 32 ? (int)length : 32, name);
    return fail(l, message);
}

static void rank_chunk(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector result)
{
    const door_type *const type = duckdb_scalar_function_get_extra_info(info);
    bool const             has_ties = duckdb_data_chunk_get_column_count(chunk) > 1;
    duckdb_vector const    column = duckdb_data_chunk_get_vector(chunk, 0);
    duckdb_vector const    rules = has_ties ? duckdb_data_chunk_get_vector(chunk, 1) : NULL;
    duckdb_vector const    elements = duckdb_list_vector_get_child(column);
    lists                  l = {.info = info,
                                .type = type->keys,
                                .rank_type = has_ties ? ORDO_F64 : ORDO_U64,
                                .n = duckdb_data_chunk_get_size(chunk),
                                .entries = duckdb_vector_get_data(column),
                                .validity = duckdb_vector_get_validity(column),
                                .elements = duckdb_vector_get_data(elements),
                                .elements_validity = duckdb_vector_get_validity(elements)};
    if (!make_places(&l, result))
        return;
    for (size_t first = 0, end; first < l.n; first = end) {
        uint32_t ties = ORDO_TIES_MIN, next = ORDO_TIES_MIN;
        if (has_ties && !read_ties(&l, rules, first, &ties))
            return;
        for (end = first + 1; end < l.n; end++)
            if (has_ties && (!read_ties(&l, rules, end, &next) || next != ties))
                break;
        if (!rank_lists(&l, first, end, ties))
            return;
    }
}

bool door_add_rank(duckdb_connection connection)
{
    door_signature signatures[2 * DOOR_TYPES];
    for (size_t i = 0; i < DOOR_TYPES; i++) {
        door_shape const list = {door_types[i].sql, true};
        signatures[2 * i] = (door_signature){{DUCKDB_TYPE_BIGINT, true}, {list}, &door_types[i]};
        signatures[2 * i + 1] = (door_signature){
            {DUCKDB_TYPE_DOUBLE, true}, {list, {DUCKDB_TYPE_VARCHAR, false}}, &door_types[i]};
    }
    return door_add_scalar(connection, "ordo_rank", rank_chunk, signatures, 2 * DOOR_TYPES);
}

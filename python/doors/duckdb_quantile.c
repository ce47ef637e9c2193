/* duckdb_quantile.c - the aggregates ordo_median(x) and ordo_quantile(x, q) of DuckDB.
 *
 * The rows of a group are kept until its end. Then one call of the library selects in many groups:
 * their values are copied side by side unless there is one group in one block. */
#include "duckdb_door.h"
#include "duckdb_values.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    TOGETHER = 1 << 17, /* values of several groups in one call, at most */
    AHEAD = 8           /* rows between a prefetch and its use */
};

/* The q of a group. Groups of the same chunk share one. */
typedef struct fractions {
    atomic_size_t references;
    size_t        n;
    bool          is_list; /* the result is one, too */
    double        at[];
} fractions;

typedef struct quantile_state {
    values     values;
    fractions *q; /* NULL: a median, or no row yet */
} quantile_state;

static fractions *refer(fractions *q)
{
    atomic_fetch_add_explicit(&q->references, 1, memory_order_relaxed);
    return q;
}

static void release(fractions *q)
{
    if (q != NULL && atomic_fetch_sub_explicit(&q->references, 1, memory_order_acq_rel) == 1)
        free(q);
}

static bool same_fractions(const fractions *a, const fractions *b)
{
    return a == b || (a != NULL && b != NULL && a->n == b->n &&
                      memcmp(a->at, b->at, a->n * sizeof *a->at) == 0);
}

/* ---- The column q ---- */

typedef struct fraction_column {
    const void     *rows; /* of `size` bytes: doubles, or entries of lists */
    size_t          size;
    const uint64_t *validity;
    duckdb_vector   child; /* of lists; else NULL */
} fraction_column;

static fraction_column open_fractions(duckdb_vector column)
{
    fraction_column     out = {.rows = duckdb_vector_get_data(column), .size = sizeof(double)};
    duckdb_logical_type type = duckdb_vector_get_column_type(column);
    out.validity = duckdb_vector_get_validity(column);
    if (duckdb_get_type_id(type) == DUCKDB_TYPE_LIST) {
        out.child = duckdb_list_vector_get_child(column);
        out.size = sizeof(duckdb_list_entry);
    }
    duckdb_destroy_logical_type(&type);
    return out;
}

/* Returns the q of a row; NULL: it is refused, or memory ran out. */
static fractions *read_fractions(duckdb_function_info info, const fraction_column *c, size_t row)
{
    duckdb_list_entry entry = {row, 1};
    const double     *from = c->rows;
    const uint64_t   *validity = c->validity;
    if (!door_is_valid(validity, row)) {
        (void)door_fail(info, "ordo_quantile: q is NULL; expected a number from 0 to 1");
        return NULL;
    }
    if (c->child != NULL) {
        entry = ((const duckdb_list_entry *)c->rows)[row];
        from = duckdb_vector_get_data(c->child);
        validity = duckdb_vector_get_validity(c->child);
    }
    fractions *const q = malloc(sizeof *q + entry.length * sizeof *q->at);
    if (q == NULL) {
        (void)door_fail_memory(info);
        return NULL;
    }
    atomic_init(&q->references, 1);
    q->n = entry.length;
    q->is_list = c->child != NULL;
    for (size_t i = 0; i < q->n; i++) {
        size_t const at = entry.offset + i;
        bool const   is_null = !door_is_valid(validity, at);
        q->at[i] = is_null ? 0 : from[at];
        if (!is_null && q->at[i] >= 0 && q->at[i] <= 1)
            continue;
        if (is_null)
            (void)door_fail(info, "ordo_quantile: an element of q is NULL");
        else
            (void)door_fail(info, "ordo_quantile: q is %g; expected 0 to 1", q->at[i]);
        free(q);
        return NULL;
    }
    return q;
}

static bool is_same_row(const fraction_column *c, size_t row, size_t other)
{
    const char *const rows = c->rows;
    return door_is_valid(c->validity, row) &&
           memcmp(rows + row * c->size, rows + other * c->size, c->size) == 0;
}

static bool set_fractions(duckdb_function_info info, quantile_state *state, fractions *q)
{
    if (state->q == NULL)
        state->q = refer(q);
    return same_fractions(state->q, q) ||
           door_fail(info, "ordo_quantile: q differs between rows of a group");
}

/* Gives the states their q and compares it with that of other rows of the group. */
static bool read_column(duckdb_function_info info, duckdb_data_chunk chunk,
                        duckdb_aggregate_state *states)
{
    fraction_column const q = open_fractions(duckdb_data_chunk_get_vector(chunk, 1));
    const uint64_t *const validity =
        duckdb_vector_get_validity(duckdb_data_chunk_get_vector(chunk, 0));
    size_t const n = duckdb_data_chunk_get_size(chunk);
    bool const   one_q = q.validity == NULL && door_same(q.rows, n, q.size);
    bool const   one_group = one_q && door_same(states, n, sizeof *states);
    fractions   *last = NULL;
    bool         good = true;
    for (size_t row = 0, last_row = 0; row < n && good; row++) {
        __builtin_prefetch(states[row + AHEAD < n ? row + AHEAD : row], 1);
        if (!door_is_valid(validity, row))
            continue;
        if (last == NULL || (!one_q && !is_same_row(&q, row, last_row))) {
            release(last);
            last = read_fractions(info, &q, row);
            last_row = row;
        }
        good = last != NULL && set_fractions(info, (quantile_state *)states[row], last);
        if (one_group)
            break;
    }
    release(last);
    return good;
}

/* ---- Rows ---- */

/* Inlined for each size. */
static inline bool add_rows(const door_rows *rows, size_t size)
{
    quantile_state **const states = (quantile_state **)rows->states;
    for (size_t i = 0; i < rows->n; i++) {
        if (i + 2 * AHEAD < rows->n) {
            __builtin_prefetch(states[i + 2 * AHEAD], 1);
            __builtin_prefetch(states[i + AHEAD]->values.next, 1);
        }
        void *const place = values_add(&states[i]->values, 1, size);
        if (place == NULL)
            return false;
        memcpy(place, rows->values + i * size, size);
    }
    return true;
}

static bool add_piece(const door_rows *rows, size_t size)
{
    if (rows->n > 0 && door_same(rows->states, rows->n, sizeof *rows->states)) {
        quantile_state *const state = rows->states[0];
        void *const           place = values_add(&state->values, rows->n, size);
        if (place != NULL)
            memcpy(place, rows->values, rows->n * size);
        return place != NULL;
    }
    switch (size) {
    case 1:
        return add_rows(rows, 1);
    case 2:
        return add_rows(rows, 2);
    case 4:
        return add_rows(rows, 4);
    default:
        return add_rows(rows, 8);
    }
}

static size_t size_of(duckdb_function_info info)
{
    const door_type *const type = duckdb_aggregate_function_get_extra_info(info);
    return ordo_type_size(type->keys);
}

static void update(duckdb_function_info info, duckdb_data_chunk chunk,
                   duckdb_aggregate_state *states)
{
    door_rows rows;
    if (duckdb_data_chunk_get_size(chunk) == 0)
        return;
    if (duckdb_data_chunk_get_column_count(chunk) > 1 && !read_column(info, chunk, states))
        return;
    door_begin(&rows, chunk, states, size_of(info));
    while (door_next(&rows))
        if (!add_piece(&rows, rows.size)) {
            (void)door_fail_memory(info);
            return;
        }
}

static idx_t state_size(duckdb_function_info info)
{
    (void)info;
    return sizeof(quantile_state);
}

static void init(duckdb_function_info info, duckdb_aggregate_state state)
{
    (void)info;
    memset(state, 0, sizeof(quantile_state));
}

static void combine(duckdb_function_info info, duckdb_aggregate_state *source,
                    duckdb_aggregate_state *target, idx_t count)
{
    size_t const size = size_of(info);
    for (idx_t i = 0; i < count; i++) {
        const quantile_state *const from = (const quantile_state *)source[i];
        quantile_state *const       to = (quantile_state *)target[i];
        __builtin_prefetch(source[i + AHEAD < count ? i + AHEAD : i]);
        __builtin_prefetch(target[i + AHEAD < count ? i + AHEAD : i], 1);
        if (from->q != NULL && !set_fractions(info, to, from->q))
            return;
        if (!values_join(&to->values, &from->values, size)) {
            (void)door_fail_memory(info);
            return;
        }
    }
}

static void destroy(duckdb_aggregate_state *states, idx_t count)
{
    for (idx_t i = 0; i < count; i++) {
        quantile_state *const state = (quantile_state *)states[i];
        values_free(&state->values);
        release(state->q);
        state->q = NULL;
    }
}

/* ---- Results ---- */

/* Groups that one call selects in. */
typedef struct batch {
    quantile_state **states;
    size_t           count, n; /* groups; their values */
    size_t           results;  /* of each group */
    uint64_t        *offsets;
    void            *copies;
    double          *out;
} batch;

static bool make_arrays(batch *b, size_t size, const void **keys)
{
    *keys = b->count == 1 ? values_whole(&b->states[0]->values) : NULL;
    b->offsets = malloc((b->count + 1) * sizeof *b->offsets);
    b->out = calloc(b->count * b->results + 1, sizeof *b->out);
    b->copies = values_reallocate(NULL, *keys == NULL ? b->n * size + 1 : 1);
    if (b->offsets == NULL || b->out == NULL || b->copies == NULL)
        return false;
    b->offsets[0] = 0;
    for (size_t i = 0; i < b->count; i++) {
        const values *const v = &b->states[i]->values;
        if (*keys == NULL)
            values_copy(v, size, (char *)b->copies + b->offsets[i] * size);
        b->offsets[i + 1] = b->offsets[i] + v->n;
    }
    *keys = *keys == NULL ? b->copies : *keys;
    return true;
}

/* Half the sum of the middle keys has DuckDB's rounding of a median. */
static bool select_batch(duckdb_function_info info, const batch *b, ordo_type type,
                         const void *keys, const fractions *q)
{
    ordo_segments const      groups = {sizeof groups, b->count, b->offsets, 0, 0, 0, 0, 0};
    ordo_quantile_opts const opts = {.struct_size = sizeof opts,
                                     .method = q == NULL ? ORDO_METHOD_HALF_SUM : 0,
                                     .segments = b->count == 1 ? NULL : &groups};
    door_context             context;
    if (!door_check(info, NULL, door_borrow(b->n, &context)))
        return false;
    ordo_status const status =
        q == NULL ? ordo_median(context.ctx, type, keys, b->n, b->out, &opts)
                  : ordo_quantiles(context.ctx, type, keys, b->n, q->at, q->n, b->out, &opts);
    bool const good = door_check(info, context.ctx, status);
    door_return(context);
    return good;
}

static void set_number(duckdb_vector result, size_t row, ordo_type type, double x)
{
    void *const at = duckdb_vector_get_data(result);
    if (type == ORDO_F32)
        ((float *)at)[row] = (float)x;
    else
        ((double *)at)[row] = x;
}

/* Writes the results of a batch to the rows from `first` on. */
static bool write_batch(duckdb_function_info info, const batch *b, ordo_type type, bool is_list,
                        duckdb_vector result, size_t first)
{
    for (size_t i = 0; i < b->count; i++) {
        size_t const row = first + i;
        size_t       element = 0;
        if (b->states[i]->values.n == 0) {
            door_set_null(result, row);
        } else if (!is_list) {
            set_number(result, row, type, b->out[i]);
        } else {
            if (door_add_elements(result, b->results, 1, &element) == NULL)
                return door_fail_memory(info);
            for (size_t k = 0; k < b->results; k++)
                set_number(duckdb_list_vector_get_child(result), element + k, type,
                           b->out[i * b->results + k]);
            ((duckdb_list_entry *)duckdb_vector_get_data(result))[row] =
                (duckdb_list_entry){element, b->results};
        }
    }
    return true;
}

static bool finish_batch(duckdb_function_info info, batch *b, const fractions *q,
                         duckdb_vector result, size_t first)
{
    const door_type *const type = duckdb_aggregate_function_get_extra_info(info);
    const void            *keys;
    b->results = q == NULL ? 1 : q->n;
    bool const good =
        (make_arrays(b, ordo_type_size(type->keys), &keys) || door_fail_memory(info)) &&
        (b->n == 0 || b->results == 0 || select_batch(info, b, type->keys, keys, q)) &&
        write_batch(info, b, type->keys, q != NULL && q->is_list, result, first);
    free(b->offsets);
    free(b->out);
    free(b->copies);
    return good;
}

static void finalize(duckdb_function_info info, duckdb_aggregate_state *source,
                     duckdb_vector result, idx_t count, idx_t offset)
{
    quantile_state **const states = (quantile_state **)source;
    for (size_t i = 0; i < count;) {
        batch            b = {.states = states + i};
        const fractions *q = NULL;
        for (; i < count; i++, b.count++) {
            const quantile_state *const next = states[i];
            if (b.n > 0 && (b.n + next->values.n > TOGETHER ||
                            (next->values.n > 0 && !same_fractions(q, next->q))))
                break;
            q = next->values.n > 0 ? next->q : q;
            b.n += next->values.n;
        }
        if (!finish_batch(info, &b, q, result, offset + i - b.count))
            return;
    }
}

bool door_add_quantiles(duckdb_connection connection)
{
    static const door_callbacks callbacks = {state_size, init, update, combine, finalize, destroy};
    door_signature              medians[DOOR_NUMBERS], quantiles[2 * DOOR_NUMBERS];
    for (size_t i = 0; i < DOOR_NUMBERS; i++) {
        door_shape const  x = {door_types[i].sql, false};
        duckdb_type const result = x.of == DUCKDB_TYPE_FLOAT ? x.of : DUCKDB_TYPE_DOUBLE;
        medians[i] = (door_signature){{result, false}, {x}, &door_types[i]};
        for (size_t k = 0; k < 2; k++)
            quantiles[2 * i + k] = (door_signature){
                {result, k == 1}, {x, {DUCKDB_TYPE_DOUBLE, k == 1}}, &door_types[i]};
    }
    return door_add_aggregate(connection, "ordo_median", &callbacks, medians, DOOR_NUMBERS) &&
           door_add_aggregate(connection, "ordo_quantile", &callbacks, quantiles, 2 * DOOR_NUMBERS);
}

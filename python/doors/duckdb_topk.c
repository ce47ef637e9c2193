/* duckdb_topk.c - the aggregates ordo_topk(x, k) and ordo_bottomk(x, k) of DuckDB.
 *
 * Values become u64 keys, of which the largest are kept: for bottomk the complements. If k is
 * small the keys of a group are kept sorted. Otherwise up to 2 k keys are collected, and then the k
 * largest are selected. Keys that are not greater than the k-th largest so far are left out. */
#include "duckdb_door.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SORTED_MOST = 32, /* keys that are kept sorted, or sorted here at the end */
    FEW = 4,
    AHEAD = 8 /* rows between a prefetch and its use */
};

static int64_t const K_MOST = INT64_C(1) << 40;

typedef struct top_function {
    door_type type;
    bool      smallest;
} top_function;

typedef struct top_state {
    uint64_t *all;     /* NULL: the keys are in `few` */
    size_t    n, size; /* keys; places for keys       */
    uint64_t  bar;     /* once n >= k: smaller keys, and further keys like it, are not results */
    uint64_t  k;       /* 0: no row yet */
    uint64_t  few[FEW];
} top_state;

/* ---- Keys ---- */

static uint64_t const sign = UINT64_C(1) << 63;

static uint64_t key_of_float(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return isnan(x) ? UINT64_MAX : (bits & sign) != 0 ? ~bits : bits | sign;
}

static double float_of_key(uint64_t key)
{
    uint64_t const bits = (key & sign) != 0 ? key & ~sign : ~key;
    double         x;
    memcpy(&x, &bits, sizeof x);
    return key == UINT64_MAX ? (double)NAN : x;
}

#define EACH(type, key)                                                                            \
    for (size_t i = 0; i < n; i++) {                                                               \
        type const x = ((const type *)values)[i];                                                  \
        out[i] = (key);                                                                            \
    }                                                                                              \
    break

static void make_keys(const top_function *f, const void *values, size_t n, uint64_t *out)
{
    switch (f->type.keys) {
    case ORDO_I8:
        EACH (int8_t, (uint64_t)x ^ sign)
            ;
    case ORDO_I16:
        EACH (int16_t, (uint64_t)x ^ sign)
            ;
    case ORDO_I32:
        EACH (int32_t, (uint64_t)x ^ sign)
            ;
    case ORDO_I64:
        EACH (int64_t, (uint64_t)x ^ sign)
            ;
    case ORDO_U8:
        EACH (uint8_t, x)
            ;
    case ORDO_U16:
        EACH (uint16_t, x)
            ;
    case ORDO_U32:
        EACH (uint32_t, x)
            ;
    case ORDO_U64:
        EACH (uint64_t, x)
            ;
    case ORDO_F32:
        EACH (float, key_of_float((double)x))
            ;
    default:
        EACH (double, key_of_float(x))
            ;
    }
    for (size_t i = 0; f->smallest && i < n; i++)
        out[i] = ~out[i];
}

static void write_values(const top_function *f, const uint64_t *keys, size_t n, void *out)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t const key = f->smallest ? ~keys[i] : keys[i];
        bool const     is_unsigned = f->type.keys == ORDO_U8 || f->type.keys == ORDO_U16 ||
                                 f->type.keys == ORDO_U32 || f->type.keys == ORDO_U64;
        uint64_t const bits = is_unsigned ? key : key ^ sign;
        if (f->type.keys == ORDO_F32)
            ((float *)out)[i] = (float)float_of_key(key);
        else if (f->type.keys == ORDO_F64)
            ((double *)out)[i] = float_of_key(key);
        else if (ordo_type_size(f->type.keys) == 1)
            ((uint8_t *)out)[i] = (uint8_t)bits;
        else if (ordo_type_size(f->type.keys) == 2)
            ((uint16_t *)out)[i] = (uint16_t)bits;
        else if (ordo_type_size(f->type.keys) == 4)
            ((uint32_t *)out)[i] = (uint32_t)bits;
        else
            ((uint64_t *)out)[i] = bits;
    }
}

/* ---- The largest keys of a group ---- */

static void insert(uint64_t *keys, size_t n, uint64_t key)
{
    for (; n > 0 && keys[n - 1] < key; n--)
        keys[n] = keys[n - 1];
    keys[n] = key;
}

static uint64_t *keys_of(top_state *top) { return top->all == NULL ? top->few : top->all; }

static bool enlarge(duckdb_function_info info, top_state *top)
{
    size_t const    most = top->k <= SORTED_MOST ? (size_t)top->k : 2 * (size_t)top->k;
    size_t const    size = 2 * top->size < most ? 2 * top->size : most;
    uint64_t *const all = realloc(top->all, size * sizeof *all);
    if (all == NULL)
        return door_fail_memory(info);
    if (top->all == NULL)
        memcpy(all, top->few, sizeof top->few);
    top->all = all;
    top->size = size;
    return true;
}

/* Sorts the largest of the keys, at most k, to the front and forgets the others. */
static bool select_largest(duckdb_function_info info, top_state *top)
{
    ordo_select_opts const opts = {.struct_size = sizeof opts, .flags = ORDO_DESCENDING};
    size_t const           k = top->k < top->n ? (size_t)top->k : top->n;
    uint64_t *const        largest = malloc(top->size * sizeof *largest);
    door_context           context;
    if (largest == NULL)
        return door_fail_memory(info);
    bool good = door_check(info, NULL, door_borrow(top->n, &context));
    if (good) {
        good = door_check(info, context.ctx,
                          ordo_topk(context.ctx, ORDO_U64, top->all, top->n, k, largest, ORDO_U64,
                                    NULL, NULL, &opts));
        door_return(context);
    }
    free(good ? top->all : largest);
    if (good) {
        top->all = largest;
        top->bar = top->n >= top->k ? largest[k - 1] : 0;
        top->n = k;
    }
    return good;
}

static inline bool add_key(duckdb_function_info info, top_state *top, uint64_t key)
{
    if (top->n >= top->k && key <= top->bar)
        return true;
    if (top->k <= SORTED_MOST) {
        if (top->n == top->size && top->n < top->k && !enlarge(info, top))
            return false;
        top->n -= top->n == top->k;
        insert(keys_of(top), top->n++, key);
        top->bar = keys_of(top)[top->n - 1];
        return true;
    }
    if (top->n == top->size) {
        bool const is_full = top->size == 2 * top->k;
        if (is_full ? !select_largest(info, top) : !enlarge(info, top))
            return false;
    }
    keys_of(top)[top->n++] = key;
    return true;
}

static bool finish(duckdb_function_info info, top_state *top)
{
    if (top->k <= SORTED_MOST)
        return true;
    if (top->n > SORTED_MOST)
        return select_largest(info, top);
    for (size_t i = 1; i < top->n; i++)
        insert(keys_of(top), i, keys_of(top)[i]);
    return true;
}

/* ---- The aggregate ---- */

static bool set_k(duckdb_function_info info, top_state *top, const top_function *f, int64_t k)
{
    const char *const name = f->smallest ? "ordo_bottomk" : "ordo_topk";
    if (k < 1 || k > K_MOST)
        return door_fail(info, "%s: k is %lld; expected 1 to 2^40", name, (long long)k);
    if (top->k == 0)
        top->k = (uint64_t)k;
    return top->k == (uint64_t)k || door_fail(info, "%s: k differs between rows of a group", name);
}

static bool read_column(duckdb_function_info info, const top_function *f, duckdb_data_chunk chunk,
                        duckdb_aggregate_state *states)
{
    duckdb_vector const   column = duckdb_data_chunk_get_vector(chunk, 1);
    const int64_t *const  k = duckdb_vector_get_data(column);
    const uint64_t *const validity = duckdb_vector_get_validity(column);
    const uint64_t *const has_x =
        duckdb_vector_get_validity(duckdb_data_chunk_get_vector(chunk, 0));
    size_t const n = duckdb_data_chunk_get_size(chunk);
    bool const   is_one =
        validity == NULL && door_same(k, n, sizeof *k) && door_same(states, n, sizeof *states);
    for (size_t row = 0; row < n; row++) {
        __builtin_prefetch(states[row + AHEAD < n ? row + AHEAD : row], 1);
        if (!door_is_valid(has_x, row))
            continue;
        if (!door_is_valid(validity, row))
            return door_fail(info, "%s: k is NULL; expected 1 to 2^40",
                             f->smallest ? "ordo_bottomk" : "ordo_topk");
        top_state *const top = (top_state *)states[row];
        if (top->k != (uint64_t)k[row] || top->k == 0)
            if (!set_k(info, top, f, k[row]))
                return false;
        if (is_one)
            break;
    }
    return true;
}

static void update(duckdb_function_info info, duckdb_data_chunk chunk,
                   duckdb_aggregate_state *states)
{
    const top_function *const f = duckdb_aggregate_function_get_extra_info(info);
    size_t const              size = ordo_type_size(f->type.keys);
    uint64_t                  keys[DOOR_PIECE];
    door_rows                 rows;
    if (duckdb_data_chunk_get_size(chunk) == 0 || !read_column(info, f, chunk, states))
        return;
    door_begin(&rows, chunk, states, size);
    while (door_next(&rows))
        for (size_t start = 0; start < rows.n; start += DOOR_PIECE) {
            size_t const n = rows.n - start < DOOR_PIECE ? rows.n - start : DOOR_PIECE;
            make_keys(f, rows.values + start * size, n, keys);
            for (size_t i = 0; i < n; i++) {
                __builtin_prefetch(rows.states[start + (i + AHEAD < n ? i + AHEAD : i)], 1);
                if (!add_key(info, rows.states[start + i], keys[i]))
                    return;
            }
        }
}

static idx_t state_size(duckdb_function_info info)
{
    (void)info;
    return sizeof(top_state);
}

static void init(duckdb_function_info info, duckdb_aggregate_state state)
{
    (void)info;
    memset(state, 0, sizeof(top_state));
    ((top_state *)state)->size = FEW;
}

static void combine(duckdb_function_info info, duckdb_aggregate_state *source,
                    duckdb_aggregate_state *target, idx_t count)
{
    const top_function *const f = duckdb_aggregate_function_get_extra_info(info);
    for (idx_t i = 0; i < count; i++) {
        top_state *const from = (top_state *)source[i];
        top_state *const to = (top_state *)target[i];
        __builtin_prefetch(source[i + AHEAD < count ? i + AHEAD : i]);
        __builtin_prefetch(target[i + AHEAD < count ? i + AHEAD : i], 1);
        if (from->k != 0 && !set_k(info, to, f, (int64_t)from->k))
            return;
        for (size_t key = 0; key < from->n; key++)
            if (!add_key(info, to, keys_of(from)[key]))
                return;
    }
}

static void destroy(duckdb_aggregate_state *states, idx_t count)
{
    for (idx_t i = 0; i < count; i++) {
        top_state *const top = (top_state *)states[i];
        free(top->all);
        top->all = NULL;
        top->n = 0;
    }
}

static void finalize(duckdb_function_info info, duckdb_aggregate_state *source,
                     duckdb_vector result, idx_t count, idx_t offset)
{
    const top_function *const f = duckdb_aggregate_function_get_extra_info(info);
    for (idx_t i = 0; i < count; i++) {
        top_state *const top = (top_state *)source[i];
        size_t           first;
        if (top->n == 0) {
            door_set_null(result, offset + i);
            continue;
        }
        if (!finish(info, top))
            return;
        void *const place = door_add_elements(result, top->n, ordo_type_size(f->type.keys), &first);
        if (place == NULL) {
            (void)door_fail_memory(info);
            return;
        }
        write_values(f, keys_of(top), top->n, place);
        ((duckdb_list_entry *)duckdb_vector_get_data(result))[offset + i] =
            (duckdb_list_entry){first, top->n};
    }
}

bool door_add_topk(duckdb_connection connection)
{
    static const door_callbacks callbacks = {state_size, init, update, combine, finalize, destroy};
    static top_function         functions[2][DOOR_TYPES];
    for (size_t smallest = 0; smallest < 2; smallest++) {
        door_signature signatures[DOOR_TYPES];
        for (size_t i = 0; i < DOOR_TYPES; i++) {
            duckdb_type const sql = door_types[i].sql;
            functions[smallest][i] = (top_function){door_types[i], smallest == 1};
            signatures[i] = (door_signature){
                {sql, true}, {{sql, false}, {DUCKDB_TYPE_BIGINT, false}}, &functions[smallest][i]};
        }
        if (!door_add_aggregate(connection, smallest == 1 ? "ordo_bottomk" : "ordo_topk",
                                &callbacks, signatures, DOOR_TYPES))
            return false;
    }
    return true;
}

/* api_python_calls.c - calls on short arrays that Python makes without running Python code.
 *
 * A Python function takes 0.4 to 0.8 us before it calls the library, several times the work on ten
 * keys. CPython 3.12 and later let a function object have another vectorcall. The functions of this
 * file are such vectorcalls: they check that a call is of the most frequent kind, create the result
 * and call the library. For all other calls they run the code of the Python function, which has the
 * same results and raises the errors. */
#include "api/python_objects.h"
#include "core/lists.h"

#include <math.h>
#include <string.h>

enum {
    SHORT = 2048 /* as in python/ordo/_quick.py */
};

/* CPython sets the highest bit of the count if the callee may change args[-1]. */
#define COUNT_MASK (SIZE_MAX >> 1)

/* Python calls these functions with the GIL held, so neither needs an atomic access. */
static const ordo_python_calls *calls;
static uintptr_t                changes; /* of contexts, by ordo_python_forget */

static _Thread_local struct {
    ordo_ctx *ctx;
    uintptr_t changes; /* the value when ctx was set; ctx is valid until it changes */
} used;

/* Stores the address that an int holds. */
static void read_address(const ordo_python *python, void *object, void *to)
{
    uintptr_t const address = (uintptr_t)python->number(object);
    memcpy(to, &address, sizeof address);
}

void *ordo_python_install(void *self, void *const *args, intptr_t count)
{
    const ordo_python *const python = python_of(self);
    if (count == 1)
        read_address(python, args[0], &calls);
    return python->integer(0);
}

void *ordo_python_use(void *self, void *const *args, intptr_t count)
{
    const ordo_python *const python = python_of(self);
    if (count == 1) {
        read_address(python, args[0], &used.ctx);
        used.changes = changes;
    }
    return python->integer(0);
}

void *ordo_python_forget(void *self, void *const *args, intptr_t count)
{
    (void)args;
    (void)count;
    changes++;
    return python_of(self)->integer(0);
}

/* ---- Arguments and results ---- */

typedef struct call {
    void        *function;
    void *const *args;
    size_t       count;
    void        *names;
} call;

typedef struct short_keys {
    ordo_ctx     *ctx;
    void         *data;
    size_t        n;
    ordo_type     type;
    array_object *result;
} short_keys;

/* Whether the arguments are a short plain array, `more` other arguments, and perhaps an axis. */
static bool is_short(const call *c, size_t more, bool has_axis, short_keys *keys)
{
    size_t const count = c->count & COUNT_MASK;
    keys->result = NULL;
    if (c->names != NULL || used.ctx == NULL || used.changes != changes)
        return false;
    if (count != 1 + more &&
        !(has_axis && count == 2 + more && is_axis(calls->python, c->args[1 + more])))
        return false;
    const array_object *const array = c->args[0];
    keys->type = python_type_of(calls->python, array);
    if (keys->type == 0 || array->shape[0] >= SHORT)
        return false;
    keys->ctx = used.ctx;
    keys->data = array->data;
    keys->n = (size_t)array->shape[0];
    return true;
}

static void *dtype_of(ordo_type type) { return (void *)calls->python->dtypes[type - ORDO_I8]; }

/* Creates the result: as many elements of a type as there are keys. */
static bool has_result(short_keys *keys, ordo_type type)
{
    void *const    dtype = dtype_of(type);
    intptr_t const n = (intptr_t)keys->n;
    calls->keep(dtype); /* new_array takes the reference */
    keys->result = calls->new_array(calls->python->array, dtype, 1, &n, NULL, NULL, 0, NULL);
    if (keys->result == NULL)
        calls->clear();
    return keys->result != NULL;
}

/* Reads args[1], a position. A negative one counts from the end. */
static bool is_position(const call *c, size_t n, size_t *k)
{
    int overflow = 0;
    if (((const array_object *)c->args[1])->type != calls->integers)
        return false;
    long long const given = calls->whole(c->args[1], &overflow);
    if (overflow != 0 || given < -(long long)n || given >= (long long)n)
        return false;
    *k = given < 0 ? (size_t)(given + (long long)n) : (size_t)given;
    return true;
}

static void *run_code(const call *c, const short_keys *keys)
{
    if (keys->result != NULL)
        calls->drop(keys->result);
    return calls->code(c->function, c->args, c->count, c->names);
}

/* Returns a new NumPy number with a copy of the value. */
static void *number_of(ordo_type type, const void *value)
{
    uint64_t    copy = 0; /* a key of any type */
    void *const dtype = dtype_of(type);
    memcpy(&copy, value, ordo_type_size(type));
    /* cppcheck-suppress returnDanglingLifetime ; the number has a copy of its own */
    return calls->scalar(&copy, dtype, NULL);
}

/* Returns a median or quantile: f32 for keys of that type, else f64. */
static void *real_of(ordo_type type, double value)
{
    float const narrow = (float)value;
    return type == ORDO_F32 ? number_of(ORDO_F32, &narrow) : number_of(ORDO_F64, &value);
}

/* ---- sort, argsort, partition, argpartition, select ---- */

static bool sorted_copy(short_keys *keys)
{
    if (!has_result(keys, keys->type))
        return false;
    memcpy(keys->result->data, keys->data, keys->n * ordo_type_size(keys->type));
    return ordo_sort(keys->ctx, keys->type, keys->result->data, keys->n, NULL) == ORDO_OK;
}

static bool sorting_indices(short_keys *keys)
{
    return has_result(keys, ORDO_I64) &&
           ordo_argsort(keys->ctx, keys->type, keys->data, keys->n, ORDO_U64, keys->result->data,
                        NULL) == ORDO_OK;
}

void *ordo_python_sort(void *function, void *const *args, size_t count, void *names)
{
    call const c = {function, args, count, names};
    short_keys keys;
    if (is_short(&c, 0, true, &keys) && sorted_copy(&keys))
        return keys.result;
    return run_code(&c, &keys);
}

void *ordo_python_argsort(void *function, void *const *args, size_t count, void *names)
{
    call const c = {function, args, count, names};
    short_keys keys;
    if (is_short(&c, 0, true, &keys) && sorting_indices(&keys))
        return keys.result;
    return run_code(&c, &keys);
}

static const ordo_select_opts any_order = {.struct_size = sizeof any_order,
                                           .flags = ORDO_ANY_ORDER};

static bool split_copy(short_keys *keys, size_t k)
{
    if (keys->n <= calls->few_to_split)
        return sorted_copy(keys);
    return has_result(keys, keys->type) &&
           ordo_nth(keys->ctx, keys->type, keys->data, keys->n, k, keys->result->data, ORDO_U64,
                    NULL, &any_order) == ORDO_OK;
}

static bool splitting_indices(short_keys *keys, size_t k)
{
    if (keys->n <= calls->few_to_split)
        return sorting_indices(keys);
    return has_result(keys, ORDO_I64) &&
           ordo_nth(keys->ctx, keys->type, keys->data, keys->n, k, NULL, ORDO_U64,
                    keys->result->data, &any_order) == ORDO_OK;
}

void *ordo_python_partition(void *function, void *const *args, size_t count, void *names)
{
    call const c = {function, args, count, names};
    short_keys keys;
    size_t     k;
    if (is_short(&c, 1, true, &keys) && is_position(&c, keys.n, &k) && split_copy(&keys, k))
        return keys.result;
    return run_code(&c, &keys);
}

void *ordo_python_argpartition(void *function, void *const *args, size_t count, void *names)
{
    call const c = {function, args, count, names};
    short_keys keys;
    size_t     k;
    if (is_short(&c, 1, true, &keys) && is_position(&c, keys.n, &k) && splitting_indices(&keys, k))
        return keys.result;
    return run_code(&c, &keys);
}

void *ordo_python_select(void *function, void *const *args, size_t count, void *names)
{
    call const c = {function, args, count, names};
    short_keys keys;
    size_t     k;
    uint64_t   found = 0; /* a key of any type */
    if (is_short(&c, 1, true, &keys) && is_position(&c, keys.n, &k) &&
        ordo_select(keys.ctx, keys.type, keys.data, keys.n, &k, 1, &found, NULL) == ORDO_OK)
        return number_of(keys.type, &found);
    return run_code(&c, &keys);
}

/* ---- rankdata, median, nanmedian, quantile ---- */

void *ordo_python_rankdata(void *function, void *const *args, size_t count, void *names)
{
    static const ordo_rank_opts average = {.struct_size = sizeof average,
                                           .ties = ORDO_TIES_AVERAGE};
    call const                  c = {function, args, count, names};
    short_keys                  keys;
    if (is_short(&c, 0, false, &keys) && !python_has_nan(keys.type, keys.data, keys.n) &&
        has_result(&keys, ORDO_F64) &&
        ordo_rank(keys.ctx, keys.type, keys.data, keys.n, ORDO_F64, keys.result->data, &average) ==
            ORDO_OK)
        return keys.result;
    return run_code(&c, &keys);
}

static const ordo_quantile_opts propagate = {
    .struct_size = sizeof propagate, .nans = ORDO_NANS_PROPAGATE, .method = ORDO_METHOD_LINEAR};

/* The bytes of numpy.median. */
static bool median_of(const short_keys *keys, uint32_t nans, double *found)
{
    ordo_quantile_opts const opts = {
        .struct_size = sizeof opts, .nans = nans, .method = ORDO_METHOD_HALF_SUM};
    return keys->n > 0 &&
           ordo_median(keys->ctx, keys->type, keys->data, keys->n, found, &opts) == ORDO_OK;
}

void *ordo_python_median(void *function, void *const *args, size_t count, void *names)
{
    call const c = {function, args, count, names};
    short_keys keys;
    double     found = 0;
    if (is_short(&c, 0, true, &keys) && median_of(&keys, ORDO_NANS_PROPAGATE, &found))
        return real_of(keys.type, found);
    return run_code(&c, &keys);
}

void *ordo_python_nanmedian(void *function, void *const *args, size_t count, void *names)
{
    call const c = {function, args, count, names};
    short_keys keys;
    double     found = 0;
    if (is_short(&c, 0, true, &keys) && median_of(&keys, ORDO_NANS_OMIT, &found) &&
        !isnan(found)) /* without elements the Python function issues a warning */
        return real_of(keys.type, found);
    return run_code(&c, &keys);
}

void *ordo_python_quantile(void *function, void *const *args, size_t count, void *names)
{
    call const c = {function, args, count, names};
    short_keys keys;
    double     found = 0;
    if (is_short(&c, 1, true, &keys) && keys.n > 0 &&
        ((const array_object *)args[1])->type == calls->reals) {
        double const q = calls->real(args[1]);
        if (ordo_quantiles(keys.ctx, keys.type, keys.data, keys.n, &q, 1, &found, &propagate) ==
            ORDO_OK)
            return real_of(keys.type, found);
    }
    return run_code(&c, &keys);
}

/* ---- cumsum, cumprod, cummax, cummin, is_sorted ---- */

/* The type of sums and products: integers have 64 bits, as in NumPy. */
static ordo_type sum_type(ordo_type type)
{
    if (ordo_is_float(type))
        return type;
    bool const is_signed =
        type == ORDO_I8 || type == ORDO_I16 || type == ORDO_I32 || type == ORDO_I64;
    return is_signed ? ORDO_I64 : ORDO_U64;
}

static bool scanned(short_keys *keys, ordo_op op, ordo_type out)
{
    return has_result(keys, out) && ordo_scan(keys->ctx, op, keys->type, keys->data, keys->n, out,
                                              keys->result->data, NULL) == ORDO_OK;
}

static void *sums(const call *c, ordo_op op)
{
    short_keys keys;
    if (is_short(c, 0, true, &keys) && scanned(&keys, op, sum_type(keys.type)))
        return keys.result;
    return run_code(c, &keys);
}

void *ordo_python_cumsum(void *function, void *const *args, size_t count, void *names)
{
    return sums(&(call){function, args, count, names}, ORDO_SUM);
}

void *ordo_python_cumprod(void *function, void *const *args, size_t count, void *names)
{
    return sums(&(call){function, args, count, names}, ORDO_PRODUCT);
}

void *ordo_python_cummax(void *function, void *const *args, size_t count, void *names)
{
    call const c = {function, args, count, names};
    short_keys keys;
    if (is_short(&c, 0, true, &keys) && scanned(&keys, ORDO_MAX, keys.type))
        return keys.result;
    return run_code(&c, &keys);
}

void *ordo_python_cummin(void *function, void *const *args, size_t count, void *names)
{
    call const c = {function, args, count, names};
    short_keys keys;
    /* NaNs are the largest keys, so the library's minimum skips them. */
    if (is_short(&c, 0, true, &keys) && !python_has_nan(keys.type, keys.data, keys.n) &&
        scanned(&keys, ORDO_MIN, keys.type))
        return keys.result;
    return run_code(&c, &keys);
}

void *ordo_python_is_sorted(void *function, void *const *args, size_t count, void *names)
{
    call const c = {function, args, count, names};
    short_keys keys;
    int        found = 0;
    if (is_short(&c, 0, true, &keys) &&
        ordo_is_sorted(keys.ctx, keys.type, keys.data, keys.n, &found, NULL, NULL) == ORDO_OK) {
        void *const answer = calls->truth[found != 0];
        calls->keep(answer);
        return answer;
    }
    return run_code(&c, &keys);
}

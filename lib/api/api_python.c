/* api_python.c - what the Python package calls without ctypes (ordo_python.h): any function of the
 * library, and the most frequent functions on short arrays without running Python code.
 *
 * A Python function takes 0.4 to 0.8 us before it calls the library, several times the work on ten
 * keys. CPython 3.12 and later let a function object have another vectorcall. The second half of
 * this file has such vectorcalls: they check that a call is of the most frequent kind, create the
 * result and call the library. For all other calls they run the code of the Python function, which
 * has the same results and raises the errors. */
#include "core/lists.h"
#include "ordo_python.h"

#include <math.h>
#include <string.h>

/* ---- The layout of objects ----
 *
 * An object of CPython begins with two words: its reference count and its type. The fields of a
 * NumPy array follow in the order of array_object, in NumPy 1 and 2. The package checks both before
 * it makes a function object (python/ordo/_quick.py). */

typedef struct array_object { /* the first fields of PyArrayObject */
    intptr_t        references;
    const void     *type;
    void           *data;
    int             dimensions;
    const intptr_t *shape, *strides;
    const void     *base;
    const void     *dtype;
    int             flags;
} array_object;

enum {
    PYTHON_USABLE = 0x0101 /* NPY_ARRAY_C_CONTIGUOUS and NPY_ARRAY_ALIGNED */
};

static const ordo_python *python_of(const void *self) { return ((const array_object *)self)->data; }

/* Returns the type of the elements of a plain array, see ordo_python_type; else 0. */
static ordo_type python_type_of(const ordo_python *python, const array_object *array)
{
    if (array->type != python->array || array->dimensions != 1 ||
        (array->flags & PYTHON_USABLE) != PYTHON_USABLE)
        return 0;
    for (int type = ORDO_I8; type <= ORDO_TYPES; type++)
        if (array->dtype == python->dtypes[type - ORDO_I8])
            return (ordo_type)type;
    return 0;
}

static bool is_axis(const ordo_python *python, const void *object)
{
    return object == python->none || object == python->axes[0] || object == python->axes[1];
}

/* ---- Any function ---- */

typedef uintptr_t word;

static word word_of(const ordo_python *python, void *object)
{
    const array_object *const array = object;
    if (array->type == python->array)
        return (word)array->data;
    return object == python->none ? 0 : (word)python->number(object);
}

/* The arguments of a function of ordo are pointers, sizes and enums. The calling conventions of
 * x86-64 and AArch64 pass each of them in one register or in eight bytes of the stack, which the
 * caller frees, so a function ignores words after its last argument. */
typedef int function_fn(word, word, word, word, word, word, word, word, word, word);

void *ordo_python_call(void *self, void *const *args, intptr_t count)
{
    const ordo_python *const python = python_of(self);
    word                     w[1 + ORDO_PYTHON_MOST] = {0};
    int                      status = ORDO_E_ARG;
    if (count > 1 && count <= 1 + ORDO_PYTHON_MOST) {
        for (intptr_t i = 0; i < count; i++)
            w[i] = word_of(python, args[i]);
        function_fn *function;
        memcpy(&function, w, sizeof function);
        status = function(w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10]);
    }
    return python->integer(status);
}

void *ordo_python_type(void *self, void *const *args, intptr_t count)
{
    const ordo_python *const python = python_of(self);
    bool const               known = count == 1 || (count == 2 && is_axis(python, args[1]));
    return python->integer(known ? (long)python_type_of(python, args[0]) : 0);
}

/* The bits of a float above those of infinity, apart from the sign, are those of a NaN. */
static bool has_nan_f32(const uint32_t *bits, size_t n)
{
    uint32_t found = 0;
    for (size_t i = 0; i < n; i++)
        found |= (bits[i] & UINT32_C(0x7fffffff)) > UINT32_C(0x7f800000);
    return found != 0;
}

static bool has_nan_f64(const uint64_t *bits, size_t n)
{
    uint64_t found = 0;
    for (size_t i = 0; i < n; i++)
        found |= (bits[i] & (UINT64_MAX >> 1)) > UINT64_C(0x7ff0000000000000);
    return found != 0;
}

static bool has_nan(ordo_type type, const void *data, size_t n)
{
    return type == ORDO_F64 ? has_nan_f64(data, n) : type == ORDO_F32 && has_nan_f32(data, n);
}

void *ordo_python_has_nan(void *self, void *const *args, intptr_t count)
{
    const ordo_python *const  python = python_of(self);
    const array_object *const array = count > 0 ? args[0] : self;
    ordo_type const           type = python_type_of(python, array);
    return python->integer(type != 0 && has_nan(type, array->data, (size_t)array->shape[0]));
}

/* ---- Calls on short arrays ---- */

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
    size_t       more;     /* arguments between the array and the axis */
    bool         has_axis; /* an axis may follow */
} call;

typedef struct short_keys {
    void *const  *args;
    ordo_ctx     *ctx;
    void         *data;
    size_t        n;
    ordo_type     type;
    array_object *result;
} short_keys;

/* Whether the arguments are a short plain array, `more` other arguments, and perhaps an axis. */
static bool is_short(const call *c, short_keys *keys)
{
    size_t const count = c->count & COUNT_MASK;
    keys->result = NULL;
    if (c->names != NULL || used.ctx == NULL || used.changes != changes)
        return false;
    if (count != 1 + c->more &&
        !(c->has_axis && count == 2 + c->more && is_axis(calls->python, c->args[1 + c->more])))
        return false;
    const array_object *const array = c->args[0];
    keys->type = python_type_of(calls->python, array);
    if (keys->type == 0 || array->shape[0] >= SHORT)
        return false;
    keys->args = c->args;
    keys->ctx = used.ctx;
    keys->data = array->data;
    keys->n = (size_t)array->shape[0];
    return true;
}

/* A call by the library: returns the result, or NULL if the Python code must do the call. */
typedef void *library_fn(short_keys *keys);

static inline void *do_call(call c, library_fn *by_library)
{
    short_keys  keys;
    void *const result = is_short(&c, &keys) ? by_library(&keys) : NULL;
    if (result != NULL)
        return result;
    if (keys.result != NULL)
        calls->drop(keys.result);
    return calls->code(c.function, c.args, c.count, c.names);
}

/* The vectorcall of a function of the package. */
#define PYTHON_CALL(name, more, has_axis)                                                          \
    void *ordo_python_##name(void *function, void *const *args, size_t count, void *names)         \
    {                                                                                              \
        return do_call((call){function, args, count, names, more, has_axis}, name);                \
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

/* The result of a call of the library that has filled it. */
static void *filled(const short_keys *keys, ordo_status status)
{
    return status == ORDO_OK ? keys->result : NULL;
}

/* Reads args[1], a position. A negative one counts from the end. */
static bool is_position(const short_keys *keys, size_t *k)
{
    int          overflow = 0;
    size_t const n = keys->n;
    void *const  object = keys->args[1];
    if (((const array_object *)object)->type != calls->integers)
        return false;
    long long const given = calls->whole(object, &overflow);
    if (overflow != 0 || given < -(long long)n || given >= (long long)n)
        return false;
    *k = given < 0 ? (size_t)(given + (long long)n) : (size_t)given;
    return true;
}

/* Returns a new NumPy number with a copy of the value; NULL if there is no memory. */
static void *number_of(ordo_type type, const void *value)
{
    uint64_t    copy = 0; /* a key of any type */
    void *const dtype = dtype_of(type);
    memcpy(&copy, value, ordo_type_size(type));
    /* cppcheck-suppress returnDanglingLifetime ; the number has a copy of its own */
    void *const number = calls->scalar(&copy, dtype, NULL);
    if (number == NULL)
        calls->clear();
    return number;
}

/* Returns a median or quantile: f32 for keys of that type, else f64. */
static void *real_of(ordo_type type, double value)
{
    float const narrow = (float)value;
    return type == ORDO_F32 ? number_of(ORDO_F32, &narrow) : number_of(ORDO_F64, &value);
}

/* ---- sort, argsort, partition, argpartition, select ---- */

static void *sort(short_keys *keys)
{
    if (!has_result(keys, keys->type))
        return NULL;
    memcpy(keys->result->data, keys->data, keys->n * ordo_type_size(keys->type));
    return filled(keys, ordo_sort(keys->ctx, keys->type, keys->result->data, keys->n, NULL));
}
PYTHON_CALL(sort, 0, true)

static void *argsort(short_keys *keys)
{
    if (!has_result(keys, ORDO_I64))
        return NULL;
    return filled(keys, ordo_argsort(keys->ctx, keys->type, keys->data, keys->n, ORDO_U64,
                                     keys->result->data, NULL));
}
PYTHON_CALL(argsort, 0, true)

static const ordo_select_opts any_order = {.struct_size = sizeof any_order,
                                           .flags = ORDO_ANY_ORDER};

static void *partition(short_keys *keys)
{
    size_t k;
    if (!is_position(keys, &k))
        return NULL;
    if (keys->n <= calls->few_to_split)
        return sort(keys);
    if (!has_result(keys, keys->type))
        return NULL;
    return filled(keys, ordo_nth(keys->ctx, keys->type, keys->data, keys->n, k, keys->result->data,
                                 ORDO_U64, NULL, &any_order));
}
PYTHON_CALL(partition, 1, true)

static void *argpartition(short_keys *keys)
{
    size_t k;
    if (!is_position(keys, &k))
        return NULL;
    if (keys->n <= calls->few_to_split)
        return argsort(keys);
    if (!has_result(keys, ORDO_I64))
        return NULL;
    return filled(keys, ordo_nth(keys->ctx, keys->type, keys->data, keys->n, k, NULL, ORDO_U64,
                                 keys->result->data, &any_order));
}
PYTHON_CALL(argpartition, 1, true)

static void *select(short_keys *keys)
{
    size_t   k;
    uint64_t found = 0; /* a key of any type */
    if (!is_position(keys, &k) ||
        ordo_select(keys->ctx, keys->type, keys->data, keys->n, &k, 1, &found, NULL) != ORDO_OK)
        return NULL;
    return number_of(keys->type, &found);
}
PYTHON_CALL(select, 1, true)

/* ---- rankdata, median, nanmedian, quantile ---- */

static void *rankdata(short_keys *keys)
{
    static const ordo_rank_opts average = {.struct_size = sizeof average,
                                           .ties = ORDO_TIES_AVERAGE};
    if (has_nan(keys->type, keys->data, keys->n) || !has_result(keys, ORDO_F64))
        return NULL;
    return filled(keys, ordo_rank(keys->ctx, keys->type, keys->data, keys->n, ORDO_F64,
                                  keys->result->data, &average));
}
PYTHON_CALL(rankdata, 0, false)

/* The bytes of numpy.median. */
static bool median_of(const short_keys *keys, uint32_t nans, double *found)
{
    ordo_quantile_opts const opts = {
        .struct_size = sizeof opts, .nans = nans, .method = ORDO_METHOD_HALF_SUM};
    return keys->n > 0 &&
           ordo_median(keys->ctx, keys->type, keys->data, keys->n, found, &opts) == ORDO_OK;
}

static void *median(short_keys *keys)
{
    double found = 0;
    return median_of(keys, ORDO_NANS_PROPAGATE, &found) ? real_of(keys->type, found) : NULL;
}
PYTHON_CALL(median, 0, true)

static void *nanmedian(short_keys *keys)
{
    double found = 0;
    if (!median_of(keys, ORDO_NANS_OMIT, &found) || isnan(found))
        return NULL; /* without elements the Python function issues a warning */
    return real_of(keys->type, found);
}
PYTHON_CALL(nanmedian, 0, true)

static void *quantile(short_keys *keys)
{
    static const ordo_quantile_opts propagate = {
        .struct_size = sizeof propagate, .nans = ORDO_NANS_PROPAGATE, .method = ORDO_METHOD_LINEAR};
    double found = 0;
    if (keys->n == 0 || ((const array_object *)keys->args[1])->type != calls->reals)
        return NULL;
    double const      q = calls->real(keys->args[1]);
    ordo_status const status =
        ordo_quantiles(keys->ctx, keys->type, keys->data, keys->n, &q, 1, &found, &propagate);
    return status == ORDO_OK ? real_of(keys->type, found) : NULL;
}
PYTHON_CALL(quantile, 1, true)

/* ---- cumsum, cumprod, cummax, cummin, is_sorted ---- */

/* The type of sums and products: integers have 64 bits, as in NumPy. */
static ordo_type sum_type(ordo_type type)
{
    return ordo_is_float(type) ? type : ordo_type_wide(type);
}

static void *scanned(short_keys *keys, ordo_op op, ordo_type out)
{
    if (!has_result(keys, out))
        return NULL;
    return filled(keys, ordo_scan(keys->ctx, op, keys->type, keys->data, keys->n, out,
                                  keys->result->data, NULL));
}

static void *cumsum(short_keys *keys) { return scanned(keys, ORDO_SUM, sum_type(keys->type)); }
PYTHON_CALL(cumsum, 0, true)

static void *cumprod(short_keys *keys) { return scanned(keys, ORDO_PRODUCT, sum_type(keys->type)); }
PYTHON_CALL(cumprod, 0, true)

static void *cummax(short_keys *keys) { return scanned(keys, ORDO_MAX, keys->type); }
PYTHON_CALL(cummax, 0, true)

/* NaNs are the largest keys, so the library's minimum skips them. */
static void *cummin(short_keys *keys)
{
    return has_nan(keys->type, keys->data, keys->n) ? NULL : scanned(keys, ORDO_MIN, keys->type);
}
PYTHON_CALL(cummin, 0, true)

static void *is_sorted(short_keys *keys)
{
    int found = 0;
    if (ordo_is_sorted(keys->ctx, keys->type, keys->data, keys->n, &found, NULL, NULL) != ORDO_OK)
        return NULL;
    void *const answer = calls->truth[found != 0];
    calls->keep(answer);
    return answer;
}
PYTHON_CALL(is_sorted, 0, true)

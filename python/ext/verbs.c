/* verbs.c - calls on one short plain array. */
#include "ext.h"

#include <math.h>
#include <string.h>

/* ---- Arguments ---- */

bool is_plain(const module_state *state, PyObject *array, keys *found)
{
    if (array == NULL || !PyArray_CheckExact(array))
        return false;
    PyArrayObject *const a = (PyArrayObject *)array;
    if (PyArray_NDIM(a) != 1 || !PyArray_IS_C_CONTIGUOUS(a) || !PyArray_ISALIGNED(a))
        return false;
    int type = ORDO_F64;
    while (type >= 0 && PyArray_DESCR(a) != state->dtypes[type])
        type--;
    *found = (keys){PyArray_DATA(a), (size_t)PyArray_DIM(a, 0), (ordo_type)type};
    return type >= 0;
}

bool is_short(call *c)
{
    bool const plain = is_plain(c->state, c->values[0], &c->keys);
    c->n = c->keys.n;
    return plain && c->keys.type != 0 && c->n < SHORT;
}

/* Reads an int. */
static bool is_int(PyObject *object, long long *number)
{
    int overflow = 0;
    if (object == NULL || !PyLong_CheckExact(object))
        return false;
    *number = PyLong_AsLongLongAndOverflow(object, &overflow);
    return overflow == 0;
}

bool is_short_with_axis(call *c)
{
    long long       axis;
    PyObject *const given = c->values[1];
    return (given == Py_None || (is_int(given, &axis) && (axis == 0 || axis == -1))) && is_short(c);
}

bool is_flag(PyObject *object, bool *flag)
{
    *flag = object == Py_True;
    return *flag || object == Py_False;
}

/* Reads a position. A negative one counts from the end. */
static bool is_position(PyObject *object, size_t n, size_t *k)
{
    long long given;
    if (!is_int(object, &given) || given < -(long long)n || given >= (long long)n)
        return false;
    *k = given < 0 ? (size_t)(given + (long long)n) : (size_t)given;
    return true;
}

static bool is_name(PyObject *object, const char *name)
{
    return PyUnicode_CheckExact(object) && PyUnicode_CompareWithASCIIString(object, name) == 0;
}

/* The bits of a float above those of infinity, apart from the sign, are those of a NaN. */
bool has_nan(const keys *of)
{
    uint64_t found = 0;
    if (of->type == ORDO_F64)
        for (size_t i = 0; i < of->n; i++)
            found |= (((const uint64_t *)of->data)[i] & (UINT64_MAX >> 1)) >
                     UINT64_C(0x7ff0000000000000);
    if (of->type == ORDO_F32)
        for (size_t i = 0; i < of->n; i++)
            found |= (((const uint32_t *)of->data)[i] & (UINT32_MAX >> 1)) > UINT32_C(0x7f800000);
    return found != 0;
}

/* ---- Results ---- */

PyObject *new_row(const call *c, ordo_type type, size_t n)
{
    PyArray_Descr *const dtype = c->state->dtypes[type];
    npy_intp const       shape = (npy_intp)n;
    Py_INCREF(dtype); /* the array takes it */
    return PyArray_NewFromDescr(&PyArray_Type, dtype, 1, &shape, NULL, NULL, 0, NULL);
}

static PyObject *copy_of(const call *c, const keys *of)
{
    PyObject *const result = new_row(c, of->type, of->n);
    if (result != NULL)
        memcpy(data_of(result), of->data, of->n * ordo_type_size(of->type));
    return result;
}

PyObject *pair_of(PyObject *class, PyObject *first, PyObject *second)
{
    PyObject *const pair = Py_BuildValue("(NN)", first, second);
    if (pair == NULL || class == NULL)
        return pair;
    PyObject *const args = Py_BuildValue("(N)", pair);
    PyObject *const made =
        args != NULL ? PyTuple_Type.tp_new((PyTypeObject *)class, args, NULL) : NULL;
    Py_XDECREF(args);
    return made;
}

/* Returns a NumPy number with a copy of the value. */
static PyObject *number_of(const call *c, ordo_type type, void *value)
{
    return PyArray_Scalar(value, c->state->dtypes[type], NULL);
}

/* Returns a median or quantile: f32 for keys of that type, else f64. */
static PyObject *real_of(const call *c, double value)
{
    float narrow = (float)value;
    return c->keys.type == ORDO_F32 ? number_of(c, ORDO_F32, &narrow)
                                    : number_of(c, ORDO_F64, &value);
}

/* ---- sort, argsort, sort_pairs ---- */

static const ordo_sort_opts *direction(bool descending)
{
    static const ordo_sort_opts down = {.struct_size = sizeof down, .flags = ORDO_DESCENDING};
    return descending ? &down : NULL;
}

static PyObject *sorted(const call *c, bool descending)
{
    PyObject *const result = copy_of(c, &c->keys);
    ordo_status     status = ORDO_E_NOMEM;
    if (result != NULL)
        RUN(c, status,
            ordo_sort(c->ctx, c->keys.type, data_of(result), c->n, direction(descending)));
    return filled(result, status);
}

static PyObject *sorting_indices(const call *c, bool descending)
{
    PyObject *const result = new_row(c, ORDO_I64, c->n);
    ordo_status     status = ORDO_E_NOMEM;
    if (result != NULL)
        RUN(c, status,
            ordo_argsort(c->ctx, c->keys.type, c->keys.data, c->n, ORDO_U64, data_of(result),
                         direction(descending)));
    return filled(result, status);
}

static PyObject *sort(call *c)
{
    bool descending;
    return is_flag(c->values[2], &descending) ? sorted(c, descending) : NULL;
}

static PyObject *argsort(call *c)
{
    bool descending;
    return is_flag(c->values[2], &descending) ? sorting_indices(c, descending) : NULL;
}

static PyObject *sort_pairs(call *c)
{
    bool descending;
    keys values;
    if (!is_flag(c->values[2], &descending) || !is_plain(c->state, c->values[1], &values) ||
        values.type == 0 || values.n != c->n)
        return NULL;
    PyObject *const first = copy_of(c, &c->keys), *const second = copy_of(c, &values);
    ordo_status status = ORDO_E_NOMEM;
    if (first != NULL && second != NULL)
        RUN(c, status,
            ordo_sort_pairs(c->ctx, c->keys.type, data_of(first), c->n, data_of(second),
                            ordo_type_size(values.type), direction(descending)));
    if (status == ORDO_OK)
        return pair_of(NULL, first, second);
    Py_XDECREF(first);
    Py_XDECREF(second);
    return NULL;
}

/* ---- partition, argpartition, select, topk ---- */

static PyObject *split(call *c, bool indices)
{
    size_t k;
    bool   descending;
    if (!is_position(c->values[2], c->n, &k) || !is_flag(c->values[3], &descending))
        return NULL;
    if (c->n <= FEW_TO_SPLIT)
        return indices ? sorting_indices(c, descending) : sorted(c, descending);
    ordo_select_opts const opts = {.struct_size = sizeof opts,
                                   .flags = ORDO_ANY_ORDER |
                                            (descending ? (uint64_t)ORDO_DESCENDING : 0)};
    PyObject *const        result = new_row(c, indices ? ORDO_I64 : c->keys.type, c->n);
    ordo_status            status = ORDO_E_NOMEM;
    if (result != NULL)
        RUN(c, status,
            ordo_nth(c->ctx, c->keys.type, c->keys.data, c->n, k, indices ? NULL : data_of(result),
                     ORDO_U64, indices ? data_of(result) : NULL, &opts));
    return filled(result, status);
}

static PyObject *partition(call *c) { return split(c, false); }

static PyObject *argpartition(call *c) { return split(c, true); }

static PyObject *selected(call *c)
{
    enum {
        FEW = 64 /* elements that are sorted faster than selected */
    };
    size_t      k;
    uint64_t    found[FEW] = {0};
    ordo_status status;
    if (!is_position(c->values[2], c->n, &k))
        return NULL;
    size_t const size = ordo_type_size(c->keys.type);
    if (c->n > FEW) {
        RUN(c, status, ordo_select(c->ctx, c->keys.type, c->keys.data, c->n, &k, 1, found, NULL));
        k = 0;
    } else {
        memcpy(found, c->keys.data, c->n * size);
        status = ordo_sort(c->ctx, c->keys.type, found, c->n, NULL);
    }
    return status == ORDO_OK ? number_of(c, c->keys.type, (char *)found + k * size) : NULL;
}

/* The first k keys and their indices. */
static PyObject *first_keys(call *c, bool has_values)
{
    long long k;
    bool      largest;
    if (!is_int(c->values[2], &k) || k < 0 || k > (long long)c->n ||
        !is_flag(c->values[3], &largest))
        return NULL;
    ordo_select_opts const opts = {.struct_size = sizeof opts,
                                   .flags = largest ? (uint64_t)ORDO_DESCENDING : 0};
    PyObject *const        values = has_values ? new_row(c, c->keys.type, (size_t)k) : NULL;
    PyObject *const        index = new_row(c, ORDO_I64, (size_t)k);
    ordo_status            status = ORDO_E_NOMEM;
    if (index != NULL && (values != NULL || !has_values))
        RUN(c, status,
            ordo_topk(c->ctx, c->keys.type, c->keys.data, c->n, (size_t)k,
                      has_values ? data_of(values) : NULL, ORDO_U64, data_of(index), NULL, &opts));
    if (status == ORDO_OK)
        return has_values ? pair_of(c->result_class, values, index) : index;
    Py_XDECREF(values);
    Py_XDECREF(index);
    return NULL;
}

static PyObject *topk(call *c) { return first_keys(c, true); }

static PyObject *argtopk(call *c) { return first_keys(c, false); }

/* ---- rankdata, median, nanmedian, quantile ---- */

static PyObject *rankdata(call *c)
{
    static const struct {
        const char *name;
        ordo_ties   ties;
    } methods[] = {{"average", ORDO_TIES_AVERAGE},
                   {"min", ORDO_TIES_MIN},
                   {"max", ORDO_TIES_MAX},
                   {"dense", ORDO_TIES_DENSE},
                   {"ordinal", ORDO_TIES_ORDINAL}};
    size_t const count = sizeof methods / sizeof methods[0];
    size_t       m = 0;
    bool         descending;
    while (m < count && !is_name(c->values[2], methods[m].name))
        m++;
    if (m == count || !is_flag(c->values[3], &descending) || has_nan(&c->keys))
        return NULL;
    ordo_rank_opts const opts = {.struct_size = sizeof opts,
                                 .flags = descending ? (uint64_t)ORDO_DESCENDING : 0,
                                 .ties = methods[m].ties};
    bool const           average = opts.ties == ORDO_TIES_AVERAGE;
    PyObject *const      result = new_row(c, average ? ORDO_F64 : ORDO_I64, c->n);
    ordo_status          status = ORDO_E_NOMEM;
    if (result != NULL)
        RUN(c, status,
            ordo_rank(c->ctx, c->keys.type, c->keys.data, c->n, average ? ORDO_F64 : ORDO_U64,
                      data_of(result), &opts));
    return filled(result, status);
}

/* The bytes of numpy.median. Without elements the Python function issues a warning. */
static PyObject *median_of(call *c, bool omit)
{
    ordo_quantile_opts const opts = {.struct_size = sizeof opts,
                                     .nans = omit ? ORDO_NANS_OMIT : ORDO_NANS_PROPAGATE,
                                     .method = ORDO_METHOD_HALF_SUM};
    double                   found = 0;
    ordo_status              status = ORDO_E_ARG;
    if (c->n > 0)
        RUN(c, status, ordo_median(c->ctx, c->keys.type, c->keys.data, c->n, &found, &opts));
    return status == ORDO_OK && !(omit && isnan(found)) ? real_of(c, found) : NULL;
}

static PyObject *median(call *c)
{
    bool const omit = is_name(c->values[2], "omit");
    return omit || c->values[2] == Py_None ? median_of(c, omit) : NULL;
}

static PyObject *nanmedian(call *c) { return median_of(c, true); }

static PyObject *quantile(call *c)
{
    static const ordo_quantile_opts opts = {
        .struct_size = sizeof opts, .nans = ORDO_NANS_PROPAGATE, .method = ORDO_METHOD_LINEAR};
    double      found = 0;
    ordo_status status;
    if (c->n == 0 || c->values[2] == NULL || !PyFloat_CheckExact(c->values[2]))
        return NULL;
    double const q = PyFloat_AS_DOUBLE(c->values[2]);
    RUN(c, status, ordo_quantiles(c->ctx, c->keys.type, c->keys.data, c->n, &q, 1, &found, &opts));
    return status == ORDO_OK ? real_of(c, found) : NULL;
}

/* ---- cumsum, cumprod, cummax, cummin, is_sorted, unique ---- */

static PyObject *scanned(call *c, ordo_op op)
{
    ordo_type out = c->keys.type;
    if ((op == ORDO_SUM || op == ORDO_PRODUCT) && out < ORDO_F32) /* 64 bits, as in NumPy */
        out = out % 2 == ORDO_I8 % 2 ? ORDO_I64 : ORDO_U64;
    PyObject *const result = new_row(c, out, c->n);
    ordo_status     status = ORDO_E_NOMEM;
    if (result != NULL)
        RUN(c, status,
            ordo_scan(c->ctx, op, c->keys.type, c->keys.data, c->n, out, data_of(result), NULL));
    return filled(result, status);
}

static PyObject *cumsum(call *c) { return scanned(c, ORDO_SUM); }

static PyObject *cumprod(call *c) { return scanned(c, ORDO_PRODUCT); }

static PyObject *cummax(call *c) { return scanned(c, ORDO_MAX); }

/* NaNs are the largest keys, so the library's minimum skips them. */
static PyObject *cummin(call *c) { return has_nan(&c->keys) ? NULL : scanned(c, ORDO_MIN); }

static PyObject *is_sorted(call *c)
{
    int         found = 0;
    ordo_status status;
    RUN(c, status, ordo_is_sorted(c->ctx, c->keys.type, c->keys.data, c->n, &found, NULL, NULL));
    return status == ORDO_OK ? PyBool_FromLong(found) : NULL;
}

static PyObject *unique(call *c)
{
    uint64_t    found[SHORT];
    size_t      count = 0;
    ordo_status status;
    RUN(c, status, ordo_unique(c->ctx, c->keys.type, c->keys.data, c->n, found, &count, NULL));
    if (status != ORDO_OK)
        return NULL;
    keys const distinct = {found, count, c->keys.type};
    return copy_of(c, &distinct);
}

const verb short_verbs[] = {
    {"sort", {"a", "axis", "descending"}, is_short_with_axis, sort},
    {"argsort", {"a", "axis", "descending"}, is_short_with_axis, argsort},
    {"sort_pairs", {"keys", "values", "descending"}, is_short, sort_pairs},
    {"partition", {"a", "axis", "kth", "descending"}, is_short_with_axis, partition},
    {"argpartition", {"a", "axis", "kth", "descending"}, is_short_with_axis, argpartition},
    {"select", {"a", "axis", "k"}, is_short_with_axis, selected},
    {"topk", {"a", "axis", "k", "largest"}, is_short_with_axis, topk},
    {"argtopk", {"a", "axis", "k", "largest"}, is_short_with_axis, argtopk},
    {"rankdata", {"a", "axis", "method", "descending"}, is_short_with_axis, rankdata},
    {"median", {"a", "axis", "nan_policy"}, is_short_with_axis, median},
    {"nanmedian", {"a", "axis"}, is_short_with_axis, nanmedian},
    {"quantile", {"a", "axis", "q"}, is_short_with_axis, quantile},
    {"cumsum", {"a", "axis"}, is_short_with_axis, cumsum},
    {"cumprod", {"a", "axis"}, is_short_with_axis, cumprod},
    {"cummax", {"a", "axis"}, is_short_with_axis, cummax},
    {"cummin", {"a", "axis"}, is_short_with_axis, cummin},
    {"is_sorted", {"a", "axis"}, is_short_with_axis, is_sorted},
    {"unique", {"ar"}, is_short, unique},
    {NULL, {NULL}, NULL, NULL}};

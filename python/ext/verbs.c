/* verbs.c - what calls on short plain arrays share; sorts, selections and ranks. */
#include "ext.h"

#include <math.h>
#include <string.h>

/* ---- Arguments ---- */

bool is_plain(const module_state *state, PyObject *array, plain_keys *found)
{
    if (array == NULL || !PyArray_CheckExact(array))
        return false;
    PyArrayObject *const a = (PyArrayObject *)array;
    if (PyArray_NDIM(a) != 1 || !PyArray_IS_C_CONTIGUOUS(a) || !PyArray_ISALIGNED(a))
        return false;
    int type = ORDO_F64;
    while (type >= 0 && PyArray_DESCR(a) != state->dtypes[type])
        type--;
    *found = (plain_keys){PyArray_DATA(a), (size_t)PyArray_DIM(a, 0), (ordo_type)type};
    return type >= 0;
}

bool is_below_limit(const call *c) { return c->n < (c->verb->most != 0 ? c->verb->most : SHORT); }

bool is_short(call *c)
{
    bool const plain = is_plain(c->state, c->values[0], &c->keys);
    c->n = c->keys.n;
    return plain && c->keys.type != 0 && is_below_limit(c);
}

bool is_int(PyObject *object, long long *number)
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

bool is_name(PyObject *object, const char *name)
{
    return PyUnicode_CheckExact(object) && PyUnicode_CompareWithASCIIString(object, name) == 0;
}

bool is_ties(PyObject *name, ordo_ties *ties)
{
    static const char *const names[] = {
#define ORDO_TIES_ROW(ID, name, rank, example) [ORDO_TIES_##ID] = #name,
#include "../../lib/core/ties.def"
    };
    int found = (int)(sizeof names / sizeof names[0]) - 1;
    while (found >= 0 && (names[found] == NULL || !is_name(name, names[found])))
        found--;
    *ties = (ordo_ties)found;
    return found >= 0;
}

/* The bits of a float above those of infinity, apart from the sign, are those of a NaN. */
bool has_nan(const plain_keys *of)
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

PyObject *copy_of(const call *c, const plain_keys *of)
{
    PyObject *const result = new_row(c, of->type, of->n);
    if (result != NULL)
        memcpy(data_of(result), of->data, of->n * ordo_type_size(of->type));
    return result;
}

PyObject *new_reals(const call *c, const double *values, size_t n)
{
    bool const      narrow = c->keys.type == ORDO_F32;
    PyObject *const result = new_row(c, narrow ? ORDO_F32 : ORDO_F64, n);
    if (result == NULL)
        return NULL;
    if (!narrow)
        memcpy(data_of(result), values, n * sizeof *values);
    for (size_t i = 0; narrow && i < n; i++)
        ((float *)data_of(result))[i] = (float)values[i];
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

static PyObject *sorted(call *c, bool descending)
{
    PyObject *const result = copy_of(c, &c->keys);
    RUN(c, result != NULL,
        ordo_sort(c->ctx, c->keys.type, data_of(result), c->n, direction(descending)));
    return filled(c, result);
}

static PyObject *sorting_indices(call *c, bool descending)
{
    PyObject *const result = new_row(c, ORDO_I64, c->n);
    RUN(c, result != NULL,
        ordo_argsort(c->ctx, c->keys.type, c->keys.data, c->n, ORDO_U64, data_of(result),
                     direction(descending)));
    return filled(c, result);
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
    bool       descending;
    plain_keys values;
    if (!is_flag(c->values[2], &descending) || !is_plain(c->state, c->values[1], &values) ||
        values.type == 0 || values.n != c->n)
        return NULL;
    PyObject *const first = copy_of(c, &c->keys), *const second = copy_of(c, &values);
    RUN(c, first != NULL && second != NULL,
        ordo_sort_pairs(c->ctx, c->keys.type, data_of(first), c->n, data_of(second),
                        ordo_type_size(values.type), direction(descending)));
    if (c->status == ORDO_OK)
        return pair_of(NULL, first, second);
    Py_XDECREF(first);
    Py_XDECREF(second);
    return NULL;
}

/* ---- partition, select, topk ---- */

enum { /* what partitions and the first k keys return */
    KEYS = 1,
    INDICES = 2
};

static PyObject *split(call *c)
{
    bool const indices = c->verb->way == INDICES;
    size_t     k;
    bool       descending;
    if (!is_position(c->values[2], c->n, &k) || !is_flag(c->values[3], &descending))
        return NULL;
    if (c->n <= FEW_TO_SPLIT)
        return indices ? sorting_indices(c, descending) : sorted(c, descending);
    ordo_select_opts const opts = {.struct_size = sizeof opts,
                                   .flags = ORDO_ANY_ORDER |
                                            (descending ? (uint64_t)ORDO_DESCENDING : 0)};
    PyObject *const        result = new_row(c, indices ? ORDO_I64 : c->keys.type, c->n);
    RUN(c, result != NULL,
        ordo_nth(c->ctx, c->keys.type, c->keys.data, c->n, k, indices ? NULL : data_of(result),
                 ORDO_U64, indices ? data_of(result) : NULL, &opts));
    return filled(c, result);
}

static PyObject *selected(call *c)
{
    enum {
        FEW = 64 /* elements that are sorted faster than selected */
    };
    size_t   k;
    uint64_t found[FEW] = {0};
    if (!is_position(c->values[2], c->n, &k))
        return NULL;
    size_t const size = ordo_type_size(c->keys.type);
    if (c->n > FEW) {
        RUN(c, true, ordo_select(c->ctx, c->keys.type, c->keys.data, c->n, &k, 1, found, NULL));
        k = 0;
    } else {
        memcpy(found, c->keys.data, c->n * size);
        RUN(c, true, ordo_sort(c->ctx, c->keys.type, found, c->n, NULL));
    }
    return c->status == ORDO_OK ? number_of(c, c->keys.type, (char *)found + k * size) : NULL;
}

/* The indices of the first k keys, or the keys and their indices. */
static PyObject *first_keys(call *c)
{
    bool const has_values = c->verb->way == (KEYS | INDICES);
    long long  k;
    bool       largest;
    if (!is_int(c->values[2], &k) || k < 0 || k > (long long)c->n ||
        !is_flag(c->values[3], &largest))
        return NULL;
    ordo_select_opts const opts = {.struct_size = sizeof opts,
                                   .flags = largest ? (uint64_t)ORDO_DESCENDING : 0};
    PyObject *const        values = has_values ? new_row(c, c->keys.type, (size_t)k) : NULL;
    PyObject *const        index = new_row(c, ORDO_I64, (size_t)k);
    RUN(c, index != NULL && (values != NULL || !has_values),
        ordo_topk(c->ctx, c->keys.type, c->keys.data, c->n, (size_t)k,
                  has_values ? data_of(values) : NULL, ORDO_U64, data_of(index), NULL, &opts));
    if (c->status == ORDO_OK)
        return has_values ? pair_of(c->result_class, values, index) : index;
    Py_XDECREF(values);
    Py_XDECREF(index);
    return NULL;
}

/* ---- rankdata, median, quantile ---- */

static PyObject *rankdata(call *c)
{
    ordo_rank_opts opts = {.struct_size = sizeof opts};
    bool           descending;
    if (!is_ties(c->values[2], &opts.ties) || !is_flag(c->values[3], &descending) ||
        has_nan(&c->keys))
        return NULL;
    opts.flags = descending ? (uint64_t)ORDO_DESCENDING : 0;
    bool const      average = opts.ties == ORDO_TIES_AVERAGE;
    PyObject *const result = new_row(c, average ? ORDO_F64 : ORDO_I64, c->n);
    RUN(c, result != NULL,
        ordo_rank(c->ctx, c->keys.type, c->keys.data, c->n, average ? ORDO_F64 : ORDO_U64,
                  data_of(result), &opts));
    return filled(c, result);
}

enum { /* ways of medians and quantiles */
    OMIT = 1,
    PERCENT = 2
};

/* The bytes of numpy.median. Without elements the Python function issues a warning. */
static PyObject *median(call *c)
{
    bool const omit = c->verb->way == OMIT || is_name(c->values[2], "omit");
    if (c->n == 0 || (!omit && c->values[2] != Py_None))
        return NULL;
    ordo_quantile_opts const opts = {.struct_size = sizeof opts,
                                     .nans = omit ? ORDO_NANS_OMIT : ORDO_NANS_PROPAGATE,
                                     .method = ORDO_METHOD_HALF_SUM};
    double                   found = 0;
    RUN(c, true, ordo_median(c->ctx, c->keys.type, c->keys.data, c->n, &found, &opts));
    return c->status == ORDO_OK && !(omit && isnan(found)) ? real_of(c, found) : NULL;
}

/* Reads a float, of percents also an int. */
static bool is_part(PyObject *object, bool percent, double *part)
{
    long long number;
    if (object != NULL && PyFloat_CheckExact(object))
        *part = PyFloat_AS_DOUBLE(object);
    else if (percent && is_int(object, &number) && number >= 0 && number <= 100)
        *part = (double)number;
    else
        return false;
    if (percent)
        *part /= 100;
    return true;
}

/* The floats of a list. Another thread may change the list, so a tuple is read. */
static size_t read_parts(PyObject *list, double *parts, size_t most)
{
    PyObject *const tuple = PyList_AsTuple(list);
    size_t const    all = tuple != NULL ? (size_t)PyTuple_GET_SIZE(tuple) : 0;
    size_t          count = 0;
    while (count < all && all <= most &&
           is_part(PyTuple_GET_ITEM(tuple, (Py_ssize_t)count), false, &parts[count]))
        count++;
    Py_XDECREF(tuple);
    return count < all ? 0 : count;
}

static PyObject *quantiles_of_list(call *c, PyObject *list, const ordo_quantile_opts *opts)
{
    double       parts[32];
    size_t const count = read_parts(list, parts, sizeof parts / sizeof parts[0]);
    if (count == 0)
        return NULL;
    PyObject *const result = new_row(c, ORDO_F64, count);
    RUN(c, result != NULL,
        ordo_quantiles(c->ctx, c->keys.type, c->keys.data, c->n, parts, count, data_of(result),
                       opts));
    return filled(c, result);
}

static PyObject *quantile(call *c)
{
    int const                way = c->verb->way;
    bool const               omit = (way & OMIT) != 0;
    ordo_quantile_opts const opts = {.struct_size = sizeof opts,
                                     .nans = omit ? ORDO_NANS_OMIT : ORDO_NANS_PROPAGATE,
                                     .method = ORDO_METHOD_LINEAR};
    double                   q, found = 0;
    if (c->n == 0 || c->values[2] == NULL)
        return NULL;
    if (way == 0 && PyList_CheckExact(c->values[2]))
        return quantiles_of_list(c, c->values[2], &opts);
    if (!is_part(c->values[2], (way & PERCENT) != 0, &q))
        return NULL;
    RUN(c, true, ordo_quantiles(c->ctx, c->keys.type, c->keys.data, c->n, &q, 1, &found, &opts));
    return c->status == ORDO_OK && !(omit && isnan(found)) ? real_of(c, found) : NULL;
}

const verb short_verbs[] = {
    {"sort", {"a", "axis", "descending"}, 0, 0, is_short_with_axis, sort},
    {"argsort", {"a", "axis", "descending"}, 0, 0, is_short_with_axis, argsort},
    {"sort_pairs", {"keys", "values", "descending"}, 0, 0, is_short, sort_pairs},
    {"partition", {"a", "axis", "kth", "descending"}, KEYS, 0, is_short_with_axis, split},
    {"argpartition", {"a", "axis", "kth", "descending"}, INDICES, 0, is_short_with_axis, split},
    {"select", {"a", "axis", "k"}, 0, 0, is_short_with_axis, selected},
    {"topk", {"a", "axis", "k", "largest"}, KEYS | INDICES, 0, is_short_with_axis, first_keys},
    {"argtopk", {"a", "axis", "k", "largest"}, INDICES, 0, is_short_with_axis, first_keys},
    {"rankdata", {"a", "axis", "method", "descending"}, 0, 0, is_short_with_axis, rankdata},
    {"median", {"a", "axis", "nan_policy"}, 0, 0, is_short_with_axis, median},
    {"nanmedian", {"a", "axis"}, OMIT, 0, is_short_with_axis, median},
    {"quantile", {"a", "axis", "q"}, 0, 0, is_short_with_axis, quantile},
    {"nanquantile", {"a", "axis", "q"}, OMIT, 0, is_short_with_axis, quantile},
    {"percentile", {"a", "axis", "q"}, PERCENT, 0, is_short_with_axis, quantile},
    {"nanpercentile", {"a", "axis", "q"}, PERCENT | OMIT, 0, is_short_with_axis, quantile},
    {NULL, {NULL}, 0, 0, NULL, NULL}};

/* verbs_rows.c - calls on rows: of columns, of groups, with flags, and records. */
#include "ext.h"

#include "ordo_groups.h"
#include "ordo_records.h"

/* ---- lexsort, lexrank ---- */

typedef struct table { /* the most important column first */
    ordo_column columns[ORDO_COLUMNS_MOST];
    size_t      count;
} table;

static bool is_columns(call *c)
{
    PyObject *const columns = c->values[0];
    if (columns == NULL || !PyTuple_CheckExact(columns) || PyTuple_GET_SIZE(columns) == 0 ||
        PyTuple_GET_SIZE(columns) > ORDO_COLUMNS_MOST ||
        !is_plain(c->state, PyTuple_GET_ITEM(columns, 0), &c->keys))
        return false;
    c->n = c->keys.n;
    return is_below_limit(c);
}

/* NumPy has the most important column last. */
static bool read_columns(const call *c, table *t)
{
    t->count = (size_t)PyTuple_GET_SIZE(c->values[0]);
    for (size_t i = 0; i < t->count; i++) {
        plain_keys column;
        PyObject  *array = PyTuple_GET_ITEM(c->values[0], (Py_ssize_t)(t->count - 1 - i));
        if (!is_plain(c->state, array, &column) || column.type == 0 || column.n != c->n)
            return false;
        t->columns[i] = (ordo_column){.keys = column.data, .type = column.type};
    }
    return true;
}

static PyObject *lexsort(call *c)
{
    table t;
    if (!read_columns(c, &t))
        return NULL;
    PyObject *const result = new_row(c, ORDO_I64, c->n);
    RUN(c, result != NULL,
        ordo_lexsort(c->ctx, t.columns, t.count, c->n, ORDO_U64, data_of(result), NULL));
    return filled(c, result);
}

static PyObject *lexrank(call *c)
{
    table          t;
    ordo_rank_opts opts = {.struct_size = sizeof opts};
    if (!read_columns(c, &t) || !is_ties(c->values[1], &opts.ties))
        return NULL;
    bool const      average = opts.ties == ORDO_TIES_AVERAGE;
    PyObject *const result = new_row(c, average ? ORDO_F64 : ORDO_I64, c->n);
    RUN(c, result != NULL,
        ordo_lexrank(c->ctx, t.columns, t.count, c->n, average ? ORDO_F64 : ORDO_U64,
                     data_of(result), &opts));
    return filled(c, result);
}

/* ---- Groups ---- */

typedef struct found_groups {
    ordo_groups groups;
    uint64_t    unique[SHORT], sizes[SHORT];
    size_t      count;
} found_groups;

/* The groups of values[0]. Rows whose group is NaN belong to no group. */
static void prepare_groups(const call *c, found_groups *found)
{
    found->groups = (ordo_groups){.struct_size = sizeof found->groups,
                                  .keys = c->keys.data,
                                  .type = c->keys.type,
                                  .nans = ORDO_NANS_OMIT,
                                  .capacity = c->n,
                                  .unique = found->unique,
                                  .sizes = found->sizes,
                                  .count = &found->count};
}

/* Returns the keys of the groups and `values`, which it takes. */
static PyObject *with_groups(const call *c, const found_groups *found, PyObject *values)
{
    plain_keys const groups = {(void *)found->unique, found->count, c->keys.type};
    return pair_of(c->result_class, copy_of(c, &groups), values);
}

static PyObject *new_numbers(const call *c, ordo_type type, const void *numbers, size_t n)
{
    plain_keys const of = {(void *)numbers, n, type};
    return copy_of(c, &of);
}

static bool is_values_of_groups(const call *c, plain_keys *values)
{
    return is_plain(c->state, c->values[1], values) && values->type != 0 && values->n == c->n;
}

static PyObject *group_count(call *c)
{
    found_groups found;
    prepare_groups(c, &found);
    RUN(c, true, ordo_group_counts(c->ctx, &found.groups, c->n, NULL));
    return c->status == ORDO_OK
               ? with_groups(c, &found, new_numbers(c, ORDO_I64, found.sizes, found.count))
               : NULL;
}

static PyObject *group_quantile(call *c)
{
    found_groups    found;
    double          q = 0.5, out[SHORT];
    plain_keys      values;
    bool const      is_median = c->verb->way == ORDO_METHOD_HALF_SUM;
    ordo_group_opts opts = {
        .struct_size = sizeof opts, .nans = ORDO_NANS_OMIT, .method = (uint32_t)c->verb->way};
    if (!is_values_of_groups(c, &values))
        return NULL;
    if (!is_median) {
        if (c->values[2] == NULL || !PyFloat_CheckExact(c->values[2]))
            return NULL;
        q = PyFloat_AS_DOUBLE(c->values[2]);
    }
    prepare_groups(c, &found);
    RUN(c, true,
        ordo_group_quantiles(c->ctx, &found.groups, values.type, values.data, c->n, &q, 1, out,
                             &opts));
    return c->status == ORDO_OK ? with_groups(c, &found, new_numbers(c, ORDO_F64, out, found.count))
                                : NULL;
}

/* Rows of no group are not in the result. The Python function leaves them out. */
static PyObject *group_argsort(call *c)
{
    bool         descending;
    plain_keys   values;
    found_groups found;
    if (!is_flag(c->values[2], &descending) || !is_values_of_groups(c, &values) ||
        has_nan(&c->keys))
        return NULL;
    prepare_groups(c, &found);
    found.groups.unique = NULL; /* to save the time to find them */
    found.groups.sizes = NULL;
    ordo_group_opts const opts = {.struct_size = sizeof opts,
                                  .flags = descending ? (uint64_t)ORDO_DESCENDING : 0};
    PyObject *const       result = new_row(c, ORDO_I64, c->n);
    RUN(c, result != NULL,
        ordo_group_argsort(c->ctx, &found.groups, values.type, values.data, c->n, ORDO_U64,
                           data_of(result), &opts));
    return filled(c, result);
}

static PyObject *group_rank(call *c)
{
    bool         descending;
    ordo_ties    ties;
    plain_keys   values;
    found_groups found;
    if (!is_ties(c->values[2], &ties) || !is_flag(c->values[3], &descending) ||
        !is_values_of_groups(c, &values))
        return NULL;
    prepare_groups(c, &found);
    found.groups.unique = NULL;
    found.groups.sizes = NULL;
    ordo_group_opts const opts = {.struct_size = sizeof opts,
                                  .flags = descending ? (uint64_t)ORDO_DESCENDING : 0,
                                  .ties = ties};
    bool const            average = ties == ORDO_TIES_AVERAGE;
    PyObject *const       result = new_row(c, average ? ORDO_F64 : ORDO_I64, c->n);
    RUN(c, result != NULL,
        ordo_group_rank(c->ctx, &found.groups, values.type, values.data, c->n,
                        average ? ORDO_F64 : ORDO_U64, data_of(result), &opts));
    return filled(c, result);
}

/* ---- scan_bits, split_by_flags ---- */

static bool is_flags(call *c)
{
    bool const plain = is_plain(c->state, c->values[0], &c->keys) && c->keys.type == 0;
    c->n = c->keys.n;
    return plain && is_below_limit(c);
}

static PyObject *scan_bits(call *c)
{
    PyObject *const result = new_row(c, ORDO_I64, c->n);
    RUN(c, result != NULL,
        ordo_scan_bits(c->ctx, ORDO_FLAG_BYTES, c->keys.data, c->n, ORDO_U64, data_of(result), NULL,
                       NULL));
    return filled(c, result);
}

/* Returns a view of `count` elements of a row from its element `first` on. */
static PyObject *part_of(PyObject *row, size_t first, size_t count)
{
    PyArrayObject *const array = (PyArrayObject *)row;
    PyArray_Descr *const dtype = PyArray_DESCR(array);
    npy_intp const       shape = (npy_intp)count;
    Py_INCREF(dtype);
    PyObject *const part = PyArray_NewFromDescr(
        &PyArray_Type, dtype, 1, &shape, NULL,
        PyArray_BYTES(array) + (npy_intp)first * PyArray_ITEMSIZE(array), NPY_ARRAY_CARRAY, NULL);
    if (part == NULL)
        return NULL;
    Py_INCREF(row);
    if (PyArray_SetBaseObject((PyArrayObject *)part, row) == 0)
        return part;
    Py_DECREF(part);
    return NULL;
}

static PyObject *split_by_flags(call *c)
{
    plain_keys flags;
    size_t     first = 0;
    if (!is_plain(c->state, c->values[1], &flags) || flags.type != 0 || flags.n != c->n)
        return NULL;
    PyObject *result = new_row(c, c->keys.type, c->n), *pair = NULL;
    RUN(c, result != NULL,
        ordo_partition(c->ctx, ORDO_FLAG_BYTES, flags.data, c->keys.data, c->n,
                       ordo_type_size(c->keys.type), data_of(result), &first, NULL));
    if (c->status == ORDO_OK)
        pair = pair_of(NULL, part_of(result, 0, first), part_of(result, first, c->n - first));
    Py_XDECREF(result);
    return pair;
}

/* ---- sort_records ---- */

static bool is_records(call *c)
{
    if (c->values[0] == NULL || !PyArray_CheckExact(c->values[0]))
        return false;
    PyArrayObject *const a = (PyArrayObject *)c->values[0];
    PyArray_Descr *const dtype = PyArray_DESCR(a);
    c->n = PyArray_NDIM(a) == 1 ? (size_t)PyArray_DIM(a, 0) : SHORT;
    return is_below_limit(c) && PyDataType_HASFIELDS(dtype) && !PyDataType_REFCHK(dtype);
}

/* The field of a number of the library, by its name. */
static bool is_field(const call *c, PyObject *name, ordo_type *type, size_t *offset)
{
    PyObject *const fields = PyDataType_FIELDS(PyArray_DESCR((PyArrayObject *)c->values[0]));
    PyObject *const field =
        PyUnicode_CheckExact(name) ? PyDict_GetItemWithError(fields, name) : NULL;
    if (field == NULL || PyTuple_GET_SIZE(field) != 2) /* else it may be the title of a field */
        return false;
    for (int t = ORDO_I8; t <= ORDO_F64; t++)
        if (PyTuple_GET_ITEM(field, 0) == (PyObject *)c->state->dtypes[t]) {
            *type = (ordo_type)t;
            *offset = PyLong_AsSize_t(PyTuple_GET_ITEM(field, 1));
            return true;
        }
    return false;
}

static PyObject *sort_records(call *c)
{
    static const ordo_sort_opts down = {.struct_size = sizeof down, .flags = ORDO_DESCENDING};
    ordo_type                   type;
    size_t                      offset;
    bool                        descending;
    PyArrayObject *const        a = (PyArrayObject *)c->values[0];
    if (!is_flag(c->values[2], &descending) || !is_field(c, c->values[1], &type, &offset))
        return NULL;
    PyObject *const result = PyArray_NewCopy(a, NPY_CORDER);
    RUN(c, result != NULL,
        ordo_sort_records(c->ctx, data_of(result), c->n, (size_t)PyArray_ITEMSIZE(a), offset, type,
                          descending ? &down : NULL));
    return filled(c, result);
}

const verb row_verbs[] = {
    {"lexsort", {"keys"}, 0, 0, is_columns, lexsort},
    {"lexrank", {"keys", "method"}, 0, 0, is_columns, lexrank},
    {"group_count", {"groups"}, 0, 0, is_short, group_count},
    {"group_median", {"groups", "a"}, ORDO_METHOD_HALF_SUM, 0, is_short, group_quantile},
    {"group_quantile", {"groups", "a", "q"}, ORDO_METHOD_LINEAR, 0, is_short, group_quantile},
    {"group_argsort", {"groups", "a", "descending"}, 0, 0, is_short, group_argsort},
    {"group_rank", {"groups", "a", "method", "descending"}, 0, 0, is_short, group_rank},
    {"scan_bits", {"flags"}, 0, ONE_PASS, is_flags, scan_bits},
    {"split_by_flags", {"a", "flags"}, 0, ONE_PASS, is_short, split_by_flags},
    {"sort_records", {"a", "field", "descending"}, 0, 0, is_records, sort_records},
    {NULL, {NULL}, 0, 0, NULL, NULL}};

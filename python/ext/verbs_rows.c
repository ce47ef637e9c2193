/* verbs_rows.c - calls on several short arrays: rows of columns, groups, flags and records. */
#include "ext.h"

#include "ordo_groups.h"
#include "ordo_records.h"

/* ---- lexsort, group_argsort ---- */

enum {
    COLUMNS = 16 /* the most of a call of the library */
};

static bool is_columns(call *c)
{
    PyObject *const columns = c->values[0];
    return columns != NULL && PyTuple_CheckExact(columns) && PyTuple_GET_SIZE(columns) > 0 &&
           PyTuple_GET_SIZE(columns) <= COLUMNS &&
           is_plain(c->state, PyTuple_GET_ITEM(columns, 0), &c->keys) && (c->n = c->keys.n) < SHORT;
}

/* The library has the most important column first. */
static PyObject *lexsort(call *c)
{
    ordo_column  columns[COLUMNS];
    size_t const count = (size_t)PyTuple_GET_SIZE(c->values[0]);
    for (size_t i = 0; i < count; i++) {
        keys      column;
        PyObject *array = PyTuple_GET_ITEM(c->values[0], (Py_ssize_t)(count - 1 - i));
        if (!is_plain(c->state, array, &column) || column.type == 0 || column.n != c->n)
            return NULL;
        columns[i] = (ordo_column){.keys = column.data, .type = column.type};
    }
    PyObject *const result = new_row(c, ORDO_I64, c->n);
    ordo_status     status = ORDO_E_NOMEM;
    if (result != NULL)
        RUN(c, status, ordo_lexsort(c->ctx, columns, count, c->n, ORDO_U64, data_of(result), NULL));
    return filled(result, status);
}

/* Rows whose group is NaN are left out by the Python function. */
static PyObject *group_argsort(call *c)
{
    bool descending;
    keys values;
    if (!is_flag(c->values[2], &descending) || !is_plain(c->state, c->values[1], &values) ||
        values.type == 0 || values.n != c->n || has_nan(&c->keys))
        return NULL;
    ordo_groups const     groups = {.struct_size = sizeof groups,
                                    .keys = c->keys.data,
                                    .type = c->keys.type,
                                    .nans = ORDO_NANS_OMIT,
                                    .capacity = c->n};
    ordo_group_opts const opts = {.struct_size = sizeof opts,
                                  .flags = descending ? (uint64_t)ORDO_DESCENDING : 0};
    PyObject *const       result = new_row(c, ORDO_I64, c->n);
    ordo_status           status = ORDO_E_NOMEM;
    if (result != NULL)
        RUN(c, status,
            ordo_group_argsort(c->ctx, &groups, values.type, values.data, c->n, ORDO_U64,
                               data_of(result), &opts));
    return filled(result, status);
}

/* ---- scan_bits, split_by_flags ---- */

static bool is_flags(call *c)
{
    return is_plain(c->state, c->values[0], &c->keys) && c->keys.type == 0 &&
           (c->n = c->keys.n) < SHORT;
}

static PyObject *scan_bits(call *c)
{
    PyObject *const result = new_row(c, ORDO_I64, c->n);
    ordo_status     status = ORDO_E_NOMEM;
    if (result != NULL)
        RUN(c, status,
            ordo_scan_bits(c->ctx, ORDO_FLAG_BYTES, c->keys.data, c->n, ORDO_U64, data_of(result),
                           NULL, NULL));
    return filled(result, status);
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
    keys   flags;
    size_t first = 0;
    if (!is_plain(c->state, c->values[1], &flags) || flags.type != 0 || flags.n != c->n)
        return NULL;
    PyObject   *result = new_row(c, c->keys.type, c->n), *pair = NULL;
    ordo_status status = ORDO_E_NOMEM;
    if (result != NULL)
        RUN(c, status,
            ordo_partition(c->ctx, ORDO_FLAG_BYTES, flags.data, c->keys.data, c->n,
                           ordo_type_size(c->keys.type), data_of(result), &first, NULL));
    if (status == ORDO_OK)
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
    return c->n < SHORT && PyDataType_HASFIELDS(dtype) && !PyDataType_REFCHK(dtype);
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
    ordo_status     status = ORDO_E_NOMEM;
    if (result != NULL)
        RUN(c, status,
            ordo_sort_records(c->ctx, data_of(result), c->n, (size_t)PyArray_ITEMSIZE(a), offset,
                              type, descending ? &down : NULL));
    return filled(result, status);
}

const verb row_verbs[] = {{"lexsort", {"keys"}, is_columns, lexsort},
                          {"group_argsort", {"groups", "a", "descending"}, is_short, group_argsort},
                          {"scan_bits", {"flags"}, is_flags, scan_bits},
                          {"split_by_flags", {"a", "flags"}, is_short, split_by_flags},
                          {"sort_records", {"a", "field", "descending"}, is_records, sort_records},
                          {NULL, {NULL}, NULL, NULL}};

/* verbs_pass.c - calls that read one array, or a window that moves over it, from start to end. */
#include "ext.h"

#include "ordo_measure.h"
#include "ordo_sets.h"
#include "ordo_windows.h"

/* ---- cumsum, cumprod, cummax, cummin ---- */

/* NaNs are the largest keys, so the library's minimum skips them. */
static PyObject *scanned(call *c)
{
    ordo_op const op = (ordo_op)c->verb->way;
    ordo_type     out = c->keys.type;
    if (op == ORDO_MIN && has_nan(&c->keys))
        return NULL;
    if ((op == ORDO_SUM || op == ORDO_PRODUCT) && out < ORDO_F32) /* 64 bits, as in NumPy */
        out = out % 2 == ORDO_I8 % 2 ? ORDO_I64 : ORDO_U64;
    PyObject *const result = new_row(c, out, c->n);
    RUN(c, result != NULL,
        ordo_scan(c->ctx, op, c->keys.type, c->keys.data, c->n, out, data_of(result), NULL));
    return filled(c, result);
}

/* ---- is_sorted, radius, rank_sorted, unique ---- */

static PyObject *is_sorted(call *c)
{
    int found = 0;
    RUN(c, true, ordo_is_sorted(c->ctx, c->keys.type, c->keys.data, c->n, &found, NULL, NULL));
    return c->status == ORDO_OK ? PyBool_FromLong(found) : NULL;
}

static PyObject *radius(call *c)
{
    size_t found = 0;
    RUN(c, true, ordo_radius(c->ctx, c->keys.type, c->keys.data, c->n, &found, NULL));
    return c->status == ORDO_OK ? PyLong_FromSize_t(found) : NULL;
}

static PyObject *rank_sorted(call *c)
{
    ordo_rank_opts opts = {.struct_size = sizeof opts};
    bool           descending;
    if (!is_ties(c->values[2], &opts.ties) || !is_flag(c->values[3], &descending))
        return NULL;
    opts.flags = ORDO_CHECK | (descending ? (uint64_t)ORDO_DESCENDING : 0);
    bool const      average = opts.ties == ORDO_TIES_AVERAGE;
    PyObject *const result = new_row(c, average ? ORDO_F64 : ORDO_I64, c->n);
    RUN(c, result != NULL,
        ordo_rank_sorted(c->ctx, c->keys.type, c->keys.data, c->n, average ? ORDO_F64 : ORDO_U64,
                         data_of(result), &opts));
    return filled(c, result);
}

static PyObject *unique(call *c)
{
    uint64_t found[SHORT];
    size_t   count = 0;
    RUN(c, true, ordo_unique(c->ctx, c->keys.type, c->keys.data, c->n, found, &count, NULL));
    plain_keys const distinct = {found, count, c->keys.type};
    return c->status == ORDO_OK ? copy_of(c, &distinct) : NULL;
}

/* ---- Moving windows ---- */

/* Reads the window and min_periods, which is None or at most the window. */
static bool is_window(call *c, size_t *window, size_t *least)
{
    long long length, periods;
    if (!is_int(c->values[2], &length) || length < 1)
        return false;
    periods = length;
    if (c->values[3] != Py_None &&
        (!is_int(c->values[3], &periods) || periods < 0 || periods > length))
        return false;
    *window = (size_t)length;
    *least = periods > 0 ? (size_t)periods : 1;
    return true;
}

/* Ranks are f64. Other results of f32 keys are f32: f64 rounded once. */
static PyObject *moving(call *c)
{
    double               wide[SHORT];
    ordo_moving_op const op = (ordo_moving_op)c->verb->way;
    bool const           narrow = c->keys.type == ORDO_F32 && op != ORDO_MOVING_RANK;
    size_t               window;
    ordo_moving_opts     opts = {.struct_size = sizeof opts, .nans = ORDO_NANS_OMIT};
    if (!is_window(c, &window, &opts.min_periods))
        return NULL;
    if (op == ORDO_MOVING_MEDIAN)
        opts.method = ORDO_METHOD_HALF_SUM;
    if (op == ORDO_MOVING_QUANTILE) {
        if (c->values[4] == NULL || !PyFloat_CheckExact(c->values[4]))
            return NULL;
        opts.q = PyFloat_AS_DOUBLE(c->values[4]);
        opts.method = ORDO_METHOD_LINEAR;
    }
    if (op == ORDO_MOVING_RANK) {
        ordo_ties ties;
        if (!is_ties(c->values[4], &ties))
            return NULL;
        opts.ties = ties;
    }
    PyObject *const result = narrow ? NULL : new_row(c, ORDO_F64, c->n);
    RUN(c, narrow || result != NULL,
        ordo_moving(c->ctx, op, c->keys.type, c->keys.data, c->n, window, ORDO_F64,
                    narrow ? wide : data_of(result), &opts));
    if (narrow)
        return c->status == ORDO_OK ? new_reals(c, wide, c->n) : NULL;
    return filled(c, result);
}

/* ---- searchsorted ---- */

enum {
    FEW_NEEDLES = 256 /* NumPy searches fewer needles faster than the library starts */
};

static bool is_number_array(PyObject *object)
{
    if (object == NULL || !PyArray_CheckExact(object))
        return false;
    int const type = PyArray_TYPE((PyArrayObject *)object);
    return PyTypeNum_ISBOOL(type) || PyTypeNum_ISINTEGER(type) ||
           (PyTypeNum_ISFLOAT(type) && type != NPY_LONGDOUBLE);
}

/* A few needles in an array of any length, or numbers of its type. */
static bool is_search(call *c)
{
    PyObject *const a = c->values[0], *const needles = c->values[1];
    plain_keys wanted;
    if (!is_number_array(a) || PyArray_NDIM((PyArrayObject *)a) != 1 || needles == NULL)
        return false;
    if (PyFloat_CheckExact(needles) || PyLong_CheckExact(needles))
        return true;
    if (!is_number_array(needles))
        return false;
    c->n = (size_t)PyArray_SIZE((PyArrayObject *)needles);
    return c->n < FEW_NEEDLES ||
           (is_below_limit(c) && is_plain(c->state, a, &c->keys) && c->keys.type != 0 &&
            is_plain(c->state, needles, &wanted) && wanted.type == c->keys.type);
}

static PyObject *searchsorted(call *c)
{
    bool const right = is_name(c->values[2], "right");
    if (!right && !is_name(c->values[2], "left"))
        return NULL;
    if (c->n < FEW_NEEDLES)
        return PyArray_Return(
            (PyArrayObject *)PyArray_SearchSorted((PyArrayObject *)c->values[0], c->values[1],
                                                  right ? NPY_SEARCHRIGHT : NPY_SEARCHLEFT, NULL));
    ordo_search_opts const opts = {.struct_size = sizeof opts,
                                   .side = right ? ORDO_SIDE_RIGHT : ORDO_SIDE_LEFT};
    PyObject *const        result = new_row(c, ORDO_I64, c->n);
    RUN(c, result != NULL,
        ordo_search(c->ctx, c->keys.type, c->keys.data, c->keys.n, data_of(c->values[1]), c->n,
                    ORDO_U64, data_of(result), &opts));
    return filled(c, result);
}

#define ALONG "a", "axis"

const verb pass_verbs[] = {
    {"cumsum", {ALONG}, ORDO_SUM, ONE_PASS, is_short_with_axis, scanned},
    {"cumprod", {ALONG}, ORDO_PRODUCT, ONE_PASS, is_short_with_axis, scanned},
    {"cummax", {ALONG}, ORDO_MAX, ONE_PASS, is_short_with_axis, scanned},
    {"cummin", {ALONG}, ORDO_MIN, ONE_PASS, is_short_with_axis, scanned},
    {"is_sorted", {ALONG}, 0, ONE_PASS, is_short_with_axis, is_sorted},
    {"radius", {ALONG}, 0, ONE_PASS, is_short_with_axis, radius},
    {"rank_sorted", {ALONG, "method", "descending"}, 0, ONE_PASS, is_short_with_axis, rank_sorted},
    {"unique", {"ar"}, 0, 0, is_short, unique},
    {"moving_median",
     {ALONG, "window", "min_periods"},
     ORDO_MOVING_MEDIAN,
     0,
     is_short_with_axis,
     moving},
    {"moving_quantile",
     {ALONG, "window", "min_periods", "q"},
     ORDO_MOVING_QUANTILE,
     0,
     is_short_with_axis,
     moving},
    {"moving_rank",
     {ALONG, "window", "min_periods", "method"},
     ORDO_MOVING_RANK,
     0,
     is_short_with_axis,
     moving},
    {"moving_min",
     {ALONG, "window", "min_periods"},
     ORDO_MOVING_MIN,
     0,
     is_short_with_axis,
     moving},
    {"moving_max",
     {ALONG, "window", "min_periods"},
     ORDO_MOVING_MAX,
     0,
     is_short_with_axis,
     moving},
    {"searchsorted", {"a", "v", "side"}, 0, ONE_PASS, is_search, searchsorted},
    {NULL, {NULL}, 0, 0, NULL, NULL}};

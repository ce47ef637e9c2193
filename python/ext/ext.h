/* ext.h - the extension module ordo._ext: calls on short NumPy arrays, and memory of large results.
 *
 * A call through Python code and ctypes takes several times the work on ten keys. The functions of
 * the package are therefore objects of the type Function (function.c). A Function binds its
 * arguments. If they are short plain arrays and the usual options, it calls the library itself
 * (verbs.c, verbs_rows.c). In all other cases, also after an error, it calls the Python function,
 * which has the same results and raises the errors. */
#ifndef ORDO_EXT_H
#define ORDO_EXT_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL ordo_ext_array_api
#ifndef ORDO_EXT_IMPORTS_NUMPY /* module.c fills NumPy's table of functions */
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

#include "ordo.h"

#include <stdbool.h>

enum {
    SHORT = 2048, /* the library makes no progress callback for fewer elements                   */
    MANY = 256,   /* calls on this many elements or more release the GIL                         */
    /* Elements of one row that are sorted faster than split. The library sorts 1000 f64 in 4.3
     * microseconds and splits them in 2.4 (Sapphire Rapids). Microseconds (sorted : split), keys
     * and indices, Neoverse V1: of 64 f64 1.45 : 1.70 and 1.83 : 1.75, of 128 2.32 : 1.96 and
     * 2.33 : 2.07, of 512 5.09 : 3.25 and 5.32 : 4.09. */
#if defined __x86_64__
    FEW_TO_SPLIT = 512
#else
    FEW_TO_SPLIT = 64
#endif
};

typedef struct module_state {
    PyObject      *context;              /* _context.quick_context                             */
    PyArray_Descr *dtypes[ORDO_F64 + 1]; /* [type]: NumPy's dtype of an ordo_type; [0]: bool   */
} module_state;

/* ---- Calls ---- */

enum {
    VALUES = 4 /* the most parameters that a verb reads */
};

typedef struct keys { /* a plain array: one dimension, contiguous, aligned, a dtype of the state */
    void     *data;
    size_t    n;
    ordo_type type;
} keys;

typedef struct call {
    const module_state *state;
    PyObject           *values[VALUES]; /* arguments or defaults of the verb's parameters         */
    PyObject           *result_class;   /* of a result with several arrays, or NULL              */
    ordo_ctx           *ctx;
    keys                keys; /* of values[0] */
    size_t              n;    /* elements of the call: less than SHORT */
} call;

typedef struct verb {
    const char *name;
    const char *parameters[VALUES]; /* the names of values. Others must have their defaults.      */
    bool (*takes)(call *c);         /* whether the arrays are short and plain                    */
    PyObject *(*run)(call *c);      /* NULL, perhaps with an exception: the Python function runs  */
} verb;

extern const verb short_verbs[], row_verbs[]; /* end with a verb without a name */

bool is_plain(const module_state *state, PyObject *array, keys *found);
bool is_short(call *c);           /* values[0] is a short plain array                             */
bool is_short_with_axis(call *c); /* the same, and values[1] is its axis or None                 */
bool is_flag(PyObject *object, bool *flag);
PyObject *new_row(const call *c, ordo_type type, size_t n);
PyObject *pair_of(PyObject *class, PyObject *first, PyObject *second); /* takes the references */
bool      has_nan(const keys *of);

static inline void *data_of(PyObject *array) { return PyArray_DATA((PyArrayObject *)array); }

/* Returns `result` if the library has filled it; else drops it. */
static inline PyObject *filled(PyObject *result, ordo_status status)
{
    if (status != ORDO_OK)
        Py_CLEAR(result);
    return result;
}

/* Sets `status` to the result of a call of the library, without the GIL if there is much work. */
#define RUN(c, status, expression)                                                                 \
    do {                                                                                           \
        PyThreadState *const thread_ = (c)->n >= MANY ? PyEval_SaveThread() : NULL;                \
        (status) = (expression);                                                                   \
        if (thread_ != NULL)                                                                       \
            PyEval_RestoreThread(thread_);                                                         \
    } while (0)

/* ---- The module ---- */

/* Slots hold functions as pointers to objects. */
#define SLOT(function) __extension__(void *)(function)

extern PyType_Spec function_spec, room_spec;

/* Returns the context for short calls of this thread. NULL: the Python function must run, or an
 * exception is set. */
ordo_ctx *context_of(const module_state *state);

PyObject *free_rooms(PyObject *module, PyObject *unused); /* returns how many */

/* hooks.c */
extern PyMethodDef hook_methods[];

#endif

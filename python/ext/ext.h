/* ext.h - the extension module ordo._ext: calls on short NumPy arrays, and memory of large results.
 *
 * A call through Python code and ctypes takes several times the work on ten keys. The functions of
 * the package are therefore objects of the type Function (function.c). A Function binds its
 * arguments by a row of a table (verbs.c, verbs_pass.c, verbs_rows.c). If they are short plain
 * arrays and the usual options, it calls the library itself. In all other cases, also after an
 * error, it calls the Python function, which has the same results and raises the errors. */
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
    SHORT = 2048,       /* elements of a call, unless its row has another limit                  */
    ONE_PASS = 1 << 16, /* the limit of calls that read an array once                            */
    MANY = 256,         /* calls on this many elements or more release the GIL                   */
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
    PyObject      *fail;                 /* _context.fail: raises the error of a status        */
    PyArray_Descr *dtypes[ORDO_F64 + 1]; /* [type]: NumPy's dtype of an ordo_type; [0]: bool   */
} module_state;

/* ---- Calls ---- */

enum {
    VALUES = 5 /* the most parameters that a verb reads */
};

/* An array of one dimension that is contiguous and aligned and has a dtype of the state. */
typedef struct plain_keys {
    void     *data;
    size_t    n;
    ordo_type type;
} plain_keys;

typedef struct call {
    const module_state *state;
    const struct verb  *verb;
    PyObject           *values[VALUES]; /* arguments or defaults of the verb's parameters         */
    PyObject           *result_class;   /* of a result with several arrays, or NULL              */
    ordo_ctx           *ctx;
    ordo_status         status; /* of the library                                                */
    plain_keys          keys;   /* of values[0]                                                  */
    size_t              n;      /* elements of the call: less than the limit of the verb         */
} call;

typedef struct verb {
    const char *name;
    const char *parameters[VALUES]; /* the names of values. Others must have their defaults.      */
    int         way;                /* what `run` does, if it does several verbs                  */
    size_t      most;               /* elements; 0: SHORT                                         */
    bool (*takes)(call *c);         /* whether the arrays are short and plain                    */
    PyObject *(*run)(call *c);      /* NULL, perhaps with an exception: the Python function runs  */
} verb;

/* They end with a verb without a name. */
extern const verb short_verbs[], pass_verbs[], row_verbs[];

/* ---- Arguments ---- */

bool is_plain(const module_state *state, PyObject *array, plain_keys *found);
bool is_below_limit(const call *c);
bool is_short(call *c);           /* values[0] is a short plain array                             */
bool is_short_with_axis(call *c); /* the same, and values[1] is its axis or None                 */
bool is_flag(PyObject *object, bool *flag);
bool is_int(PyObject *object, long long *number);
bool is_name(PyObject *object, const char *name);
bool is_ties(PyObject *name, ordo_ties *ties);
bool has_nan(const plain_keys *of);

/* ---- Results ---- */

PyObject *new_row(const call *c, ordo_type type, size_t n);
PyObject *copy_of(const call *c, const plain_keys *of);
PyObject *new_reals(const call *c, const double *values, size_t n); /* f32 for keys of f32        */
PyObject *pair_of(PyObject *class, PyObject *first, PyObject *second); /* takes the references */

static inline void *data_of(PyObject *array) { return PyArray_DATA((PyArrayObject *)array); }

/* Calls the library if `ready`, without the GIL if there is much work, and stores the status. */
#define RUN(c, ready, expression)                                                                  \
    do {                                                                                           \
        if (!(ready))                                                                              \
            break;                                                                                 \
        PyThreadState *const thread_ = (c)->n >= MANY ? PyEval_SaveThread() : NULL;                \
        (c)->status = (expression);                                                                \
        if (thread_ != NULL)                                                                       \
            PyEval_RestoreThread(thread_);                                                         \
    } while (0)

/* Returns `result` if the library has filled it; else drops it. */
static inline PyObject *filled(const call *c, PyObject *result)
{
    if (c->status != ORDO_OK)
        Py_CLEAR(result);
    return result;
}

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

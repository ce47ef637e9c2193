/* ordo_python.h - calls on short NumPy arrays from Python without ctypes. Only the Python package
 * uses this file; ordo.h does not include it.
 *
 * ctypes takes 0.5 to 0.8 us for a call, several times the work on ten keys. The functions below
 * have the signature of a METH_FASTCALL method, so that Python calls them directly. They need no
 * header and no symbol of Python: the package makes the function objects at run time and passes the
 * addresses that they need. It first checks that objects have the layout that is assumed here. */
#ifndef ORDO_PYTHON_H
#define ORDO_PYTHON_H

#include "ordo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The elements of the NumPy array `self` of all functions. */
typedef struct ordo_python {
    const void *array; /* the type numpy.ndarray                                                 */
    const void *none;  /* None                                                                   */
    unsigned long long (*number)(void *object); /* PyLong_AsUnsignedLongLongMask                 */
    void *(*integer)(long value);               /* PyLong_FromLong                               */
    const void *dtypes[10];                     /* the dtypes of ORDO_I8 to ORDO_F64             */
    const void *axes[2]; /* the ints 0 and -1, of which CPython has one object each              */
} ordo_python;

/* What the functions that replace calls of Python functions need, see ordo_python_install. */
typedef void *ordo_python_vectorcall(void *function, void *const *args, size_t count, void *names);
typedef struct ordo_python_calls {
    const ordo_python      *python;
    ordo_python_vectorcall *code; /* calls the code of a Python function                         */
    void *(*new_array)(const void *type, void *dtype, int dimensions, const intptr_t *shape,
                       const intptr_t *strides, void *data, int flags,
                       void *object);                     /* PyArray_NewFromDescr             */
    void *(*scalar)(void *data, void *dtype, void *base); /* PyArray_Scalar                   */
    long long (*whole)(void *object, int *overflow);      /* PyLong_AsLongLongAndOverflow     */
    double (*real)(void *object);                         /* PyFloat_AsDouble                 */
    void (*keep)(void *object), (*drop)(void *object);    /* Py_IncRef, Py_DecRef             */
    void (*clear)(void);                                  /* PyErr_Clear                      */
    const void *integers, *reals;                         /* the types int and float          */
    void       *truth[2];                                 /* False and True                   */
    uintptr_t   few_to_split; /* the most elements that are sorted instead of split              */
} ordo_python_calls;

enum {
    ORDO_PYTHON_MOST = 10
};

/* args[0] is the address of a function of ordo that returns an ordo_status; the others are its
 * arguments, 1 to ORDO_PYTHON_MOST: ints, None for NULL, and NumPy arrays for the address of their
 * elements. Returns the status as an int. The caller's lock (the GIL) stays held.               */
ORDO_API void *ordo_python_call(void *self, void *const *args, intptr_t count);

/* args[0] is any object, and args[1], if given, an axis. Returns an int: the ordo_type of the
 * elements if the object is a NumPy array of one dimension, contiguous, aligned and of a dtype of
 * the list, and the axis is None, 0 or -1; else 0.                                               */
ORDO_API void *ordo_python_type(void *self, void *const *args, intptr_t count);

/* args[0] is an array of which ordo_python_type returns a type. Returns the int 1 if the elements
 * are floats and one of them is a NaN, else 0.                                                   */
ORDO_API void *ordo_python_has_nan(void *self, void *const *args, intptr_t count);

/* ---- Quantiles of elements that the library does not read, such as dates ---- */

/* The q[j]-quantile, 0 to 1, of n[j] > 0 sorted elements lies between elements below[j] and
 * above[j]; way[j] is the fraction of the way from the first to the second. Returns 1 if the method
 * always selects an element, else 0. method is an ordo_method; count may be 0.                   */
ORDO_API int ordo_python_places(ordo_method method, const size_t *n, const double *q, size_t count,
                                size_t *below, size_t *above, double *way);

/* ---- Calls instead of the code of Python functions ---- */

/* args[0] is the address of an ordo_python_calls, which must stay valid. Returns the int 0. The
 * functions below make no calls before.                                                         */
ORDO_API void *ordo_python_install(void *self, void *const *args, intptr_t count);

/* args[0] is the address of a context of the calling thread, or 0. The functions below use it for
 * calls of this thread until another one is set or ordo_python_forget is called. Returns the int 0.
 */
ORDO_API void *ordo_python_use(void *self, void *const *args, intptr_t count);

/* Makes every thread forget its context: before a context is freed, and after a change of the
 * settings of all threads. Returns the int 0.                                                    */
ORDO_API void *ordo_python_forget(void *self, void *const *args, intptr_t count);

/* Vectorcalls of the functions of the package with the same name. If the arguments are a short
 * plain array (see ordo_python_type), positions and an axis by position, they return the result of
 * the library. In all other cases, also after an error, they run the code of the Python function.
 * The caller's lock (the GIL) stays held.                                                        */
ORDO_API void *ordo_python_sort(void *function, void *const *args, size_t count, void *names);
ORDO_API void *ordo_python_argsort(void *function, void *const *args, size_t count, void *names);
ORDO_API void *ordo_python_rankdata(void *function, void *const *args, size_t count, void *names);
ORDO_API void *ordo_python_median(void *function, void *const *args, size_t count, void *names);
ORDO_API void *ordo_python_nanmedian(void *function, void *const *args, size_t count, void *names);
ORDO_API void *ordo_python_quantile(void *function, void *const *args, size_t count, void *names);
ORDO_API void *ordo_python_select(void *function, void *const *args, size_t count, void *names);
ORDO_API void *ordo_python_partition(void *function, void *const *args, size_t count, void *names);
ORDO_API void *ordo_python_argpartition(void *function, void *const *args, size_t count,
                                        void *names);
ORDO_API void *ordo_python_cumsum(void *function, void *const *args, size_t count, void *names);
ORDO_API void *ordo_python_cumprod(void *function, void *const *args, size_t count, void *names);
ORDO_API void *ordo_python_cummax(void *function, void *const *args, size_t count, void *names);
ORDO_API void *ordo_python_cummin(void *function, void *const *args, size_t count, void *names);
ORDO_API void *ordo_python_is_sorted(void *function, void *const *args, size_t count, void *names);

#ifdef __cplusplus
}
#endif

#endif

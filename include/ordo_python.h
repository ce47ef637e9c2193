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

#ifdef __cplusplus
}
#endif

#endif

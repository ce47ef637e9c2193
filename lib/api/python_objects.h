/* python_objects.h - the layout of Python's and NumPy's objects, for the api_python*.c.
 *
 * An object of CPython begins with two words: its reference count and its type. The fields of a
 * NumPy array follow in the order of array_object, in NumPy 1 and 2. The package checks both before
 * it makes a function object (python/ordo/_quick.py). */
#ifndef ORDO_API_PYTHON_OBJECTS_H
#define ORDO_API_PYTHON_OBJECTS_H

#include "core/lists.h"
#include "ordo_python.h"

#include <stdbool.h>

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

static inline const ordo_python *python_of(const void *self)
{
    return ((const array_object *)self)->data;
}

/* Returns the type of the elements of a plain array, see ordo_python_type; else 0. */
static inline ordo_type python_type_of(const ordo_python *python, const array_object *array)
{
    if (array->type != python->array || array->dimensions != 1 ||
        (array->flags & PYTHON_USABLE) != PYTHON_USABLE)
        return 0;
    for (int type = ORDO_I8; type <= ORDO_TYPES; type++)
        if (array->dtype == python->dtypes[type - ORDO_I8])
            return (ordo_type)type;
    return 0;
}

static inline bool is_axis(const ordo_python *python, const void *object)
{
    return object == python->none || object == python->axes[0] || object == python->axes[1];
}

/* Whether n elements are floats and one of them is a NaN. */
bool python_has_nan(ordo_type type, const void *data, size_t n);

#endif

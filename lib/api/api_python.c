/* api_python.c - the functions of ordo_python.h, which Python calls without ctypes.
 *
 * An object of CPython begins with two words: its reference count and its type. The fields of a
 * NumPy array follow in the order of array_object, in NumPy 1 and 2. The package checks both before
 * it makes a function object (python/ordo/_quick.py). */
#include "ordo_python.h"

#include <stdbool.h>
#include <string.h>

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
    USABLE = 0x0101 /* NPY_ARRAY_C_CONTIGUOUS and NPY_ARRAY_ALIGNED */
};

typedef uintptr_t word;

static const ordo_python *python_of(const void *self) { return ((const array_object *)self)->data; }

static word word_of(const ordo_python *python, void *object)
{
    const array_object *const array = object;
    if (array->type == python->array)
        return (word)array->data;
    return object == python->none ? 0 : (word)python->number(object);
}

/* The arguments of a function of ordo are pointers, sizes and enums. The calling conventions of
 * x86-64 and AArch64 pass each of them in one register or in eight bytes of the stack, which the
 * caller frees, so a function ignores words after its last argument. */
typedef int function_fn(word, word, word, word, word, word, word, word, word, word);

void *ordo_python_call(void *self, void *const *args, intptr_t count)
{
    const ordo_python *const python = python_of(self);
    word                     w[1 + ORDO_PYTHON_MOST] = {0};
    int                      status = ORDO_E_ARG;
    if (count > 1 && count <= 1 + ORDO_PYTHON_MOST) {
        for (intptr_t i = 0; i < count; i++)
            w[i] = word_of(python, args[i]);
        function_fn *function;
        memcpy(&function, w, sizeof function);
        status = function(w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10]);
    }
    return python->integer(status);
}

static ordo_type type_of(const ordo_python *python, const array_object *array)
{
    if (array->type != python->array || array->dimensions != 1 || (array->flags & USABLE) != USABLE)
        return 0;
    for (int type = ORDO_I8; type <= ORDO_F64; type++)
        if (array->dtype == python->dtypes[type - ORDO_I8])
            return (ordo_type)type;
    return 0;
}

static bool is_axis(const ordo_python *python, const void *object)
{
    return object == python->none || object == python->axes[0] || object == python->axes[1];
}

void *ordo_python_type(void *self, void *const *args, intptr_t count)
{
    const ordo_python *const python = python_of(self);
    bool const               known = count == 1 || (count == 2 && is_axis(python, args[1]));
    return python->integer(known ? (long)type_of(python, args[0]) : 0);
}

/* The bits of a float above those of infinity, apart from the sign, are those of a NaN. */
static bool has_nan_f32(const uint32_t *bits, intptr_t n)
{
    uint32_t found = 0;
    for (intptr_t i = 0; i < n; i++)
        found |= (bits[i] & UINT32_C(0x7fffffff)) > UINT32_C(0x7f800000);
    return found != 0;
}

static bool has_nan_f64(const uint64_t *bits, intptr_t n)
{
    uint64_t found = 0;
    for (intptr_t i = 0; i < n; i++)
        found |= (bits[i] & (UINT64_MAX >> 1)) > UINT64_C(0x7ff0000000000000);
    return found != 0;
}

void *ordo_python_has_nan(void *self, void *const *args, intptr_t count)
{
    const ordo_python *const  python = python_of(self);
    const array_object *const array = count > 0 ? args[0] : self;
    ordo_type const           type = type_of(python, array);
    bool const                found = type == ORDO_F64   ? has_nan_f64(array->data, array->shape[0])
                                      : type == ORDO_F32 ? has_nan_f32(array->data, array->shape[0])
                                                         : false;
    return python->integer(found);
}

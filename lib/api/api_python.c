/* api_python.c - the functions of ordo_python.h that Python calls instead of ctypes. */
#include "api/python_objects.h"

#include <string.h>

typedef uintptr_t word;

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

void *ordo_python_type(void *self, void *const *args, intptr_t count)
{
    const ordo_python *const python = python_of(self);
    bool const               known = count == 1 || (count == 2 && is_axis(python, args[1]));
    return python->integer(known ? (long)python_type_of(python, args[0]) : 0);
}

/* The bits of a float above those of infinity, apart from the sign, are those of a NaN. */
static bool has_nan_f32(const uint32_t *bits, size_t n)
{
    uint32_t found = 0;
    for (size_t i = 0; i < n; i++)
        found |= (bits[i] & UINT32_C(0x7fffffff)) > UINT32_C(0x7f800000);
    return found != 0;
}

static bool has_nan_f64(const uint64_t *bits, size_t n)
{
    uint64_t found = 0;
    for (size_t i = 0; i < n; i++)
        found |= (bits[i] & (UINT64_MAX >> 1)) > UINT64_C(0x7ff0000000000000);
    return found != 0;
}

bool python_has_nan(ordo_type type, const void *data, size_t n)
{
    return type == ORDO_F64 ? has_nan_f64(data, n) : type == ORDO_F32 && has_nan_f32(data, n);
}

void *ordo_python_has_nan(void *self, void *const *args, intptr_t count)
{
    const ordo_python *const  python = python_of(self);
    const array_object *const array = count > 0 ? args[0] : self;
    ordo_type const           type = python_type_of(python, array);
    return python->integer(type != 0 && python_has_nan(type, array->data, (size_t)array->shape[0]));
}

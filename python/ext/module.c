/* module.c - the module ordo._ext and the contexts of threads. */
#define ORDO_EXT_IMPORTS_NUMPY
#include "ext.h"

#include <stdatomic.h>

/* ---- The context of a thread ----
 *
 * The package frees a context only in the thread that uses it, and after forget_contexts. */

static atomic_size_t changes; /* of contexts or settings, by forget_contexts */

static _Thread_local struct {
    ordo_ctx *ctx;
    size_t    changes; /* the value when ctx was set; ctx is valid until it changes */
} used;

ordo_ctx *context_of(const module_state *state)
{
    if (used.ctx != NULL && used.changes == changes)
        return used.ctx;
    if (state->context == NULL)
        return NULL;
    PyObject *const address = PyObject_CallNoArgs(state->context); /* it calls use_context */
    if (address == NULL)
        return NULL;
    ordo_ctx *const ctx = PyLong_AsVoidPtr(address);
    Py_DECREF(address);
    return ctx;
}

PyDoc_STRVAR(use_context_doc, "Sets this thread's context for short calls: an address, or 0 for "
                              "none. It is used until the next change.");

static PyObject *use_context(PyObject *module, PyObject *address)
{
    (void)module;
    ordo_ctx *const ctx = PyLong_AsVoidPtr(address);
    if (ctx == NULL && PyErr_Occurred() != NULL)
        return NULL;
    used.ctx = ctx;
    used.changes = changes;
    Py_RETURN_NONE;
}

PyDoc_STRVAR(forget_contexts_doc, "Makes every thread forget its context for short calls.");

static PyObject *forget_contexts(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    changes++;
    Py_RETURN_NONE;
}

PyDoc_STRVAR(contexts_from_doc, "Sets the functions that return the address of a context, and "
                                "that raise the error of a status.");

static PyObject *contexts_from(PyObject *module, PyObject *args)
{
    module_state *const state = PyModule_GetState(module);
    PyObject           *context, *fail;
    if (!PyArg_ParseTuple(args, "OO", &context, &fail))
        return NULL;
    Py_INCREF(context);
    Py_INCREF(fail);
    Py_XSETREF(state->context, context);
    Py_XSETREF(state->fail, fail);
    Py_RETURN_NONE;
}

/* ---- The module ---- */

static bool add_type(PyObject *module, PyType_Spec *spec, const char *name)
{
    PyObject *const type = PyType_FromModuleAndSpec(module, spec, NULL);
    int const       status = type == NULL ? -1 : PyObject_SetAttrString(module, name, type);
    Py_XDECREF(type);
    return status == 0;
}

static int fill(PyObject *module)
{
    static const int numbers[ORDO_F64 + 1] = {
        [0] = NPY_BOOL,           [ORDO_I8] = NPY_INT8,    [ORDO_U8] = NPY_UINT8,
        [ORDO_I16] = NPY_INT16,   [ORDO_U16] = NPY_UINT16, [ORDO_I32] = NPY_INT32,
        [ORDO_U32] = NPY_UINT32,  [ORDO_I64] = NPY_INT64,  [ORDO_U64] = NPY_UINT64,
        [ORDO_F32] = NPY_FLOAT32, [ORDO_F64] = NPY_FLOAT64};
    module_state *const state = PyModule_GetState(module);
    import_array1(-1);
    for (int type = 0; type <= ORDO_F64; type++)
        if ((state->dtypes[type] = PyArray_DescrFromType(numbers[type])) == NULL)
            return -1;
    return PyModule_AddFunctions(module, hook_methods) == 0 &&
                   add_type(module, &function_spec, "Function") &&
                   add_type(module, &room_spec, "Room") &&
                   PyModule_AddIntMacro(module, SHORT) == 0 &&
                   PyModule_AddIntMacro(module, ONE_PASS) == 0 &&
                   PyModule_AddIntMacro(module, FEW_TO_SPLIT) == 0
               ? 0
               : -1;
}

static int visit_state(PyObject *module, visitproc visit, void *arg)
{
    module_state *const state = PyModule_GetState(module);
    Py_VISIT(state->context);
    Py_VISIT(state->fail);
    return 0;
}

static int clear_state(PyObject *module)
{
    module_state *const state = PyModule_GetState(module);
    Py_CLEAR(state->context);
    Py_CLEAR(state->fail);
    return 0;
}

static void free_state(void *module)
{
    module_state *const state = PyModule_GetState(module);
    clear_state(module);
    for (int type = 0; type <= ORDO_F64; type++)
        Py_CLEAR(state->dtypes[type]);
}

PyMODINIT_FUNC PyInit__ext(void);
PyMODINIT_FUNC PyInit__ext(void)
{
    static PyMethodDef methods[] = {
        {"use_context", use_context, METH_O, use_context_doc},
        {"forget_contexts", forget_contexts, METH_NOARGS, forget_contexts_doc},
        {"contexts_from", contexts_from, METH_VARARGS, contexts_from_doc},
        {"free_rooms", free_rooms, METH_NOARGS, "Frees the memory of rooms. Returns how many."},
        {NULL, NULL, 0, NULL}};
    static PyModuleDef_Slot slots[] = {
        {Py_mod_exec, SLOT(fill)},
#ifdef Py_mod_multiple_interpreters
        {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED}, /* as NumPy */
#endif
#ifdef Py_mod_gil
        {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
        {0, NULL}};
    static PyModuleDef definition = {.m_base = PyModuleDef_HEAD_INIT,
                                     .m_name = "ordo._ext",
                                     .m_size = sizeof(module_state),
                                     .m_methods = methods,
                                     .m_slots = slots,
                                     .m_traverse = visit_state,
                                     .m_clear = clear_state,
                                     .m_free = free_state};
    return PyModuleDef_Init(&definition);
}

/* function.c - the type Function: a Python function whose calls on short arrays the library does.
 *
 * functools.update_wrapper gives it the name, the documentation and, by __wrapped__, the signature
 * of the Python function. */
#include "ext.h"

#include <stddef.h>
#include <string.h>
#include <structmember.h>

enum {
    PARAMETERS = 16, /* the most of a Python function */
    UNREAD = 255     /* role of a parameter that a verb does not read */
};

typedef struct function {
    PyObject_HEAD vectorcallfunc vectorcall;
    const module_state          *state;
    const verb                  *verb;
    PyObject     *module;   /* has the state                                              */
    PyObject     *general;  /* the Python function                                        */
    PyObject     *names;    /* of its parameters                                          */
    PyObject     *defaults; /* dict by name                                               */
    PyObject     *result_class, *dict, *weak_references;
    Py_ssize_t    positional;        /* parameters that may be given by position       */
    PyObject     *given[PARAMETERS]; /* defaults by parameter, or NULL; borrowed       */
    unsigned char roles[PARAMETERS]; /* the index in call.values, or UNREAD            */
    PyObject     *values[VALUES];    /* defaults by role                               */
} function;

/* ---- Calls ---- */

/* Sets a parameter. An argument that the verb does not read must be the default object. */
static bool bind_one(const function *f, Py_ssize_t i, PyObject *argument, call *c)
{
    unsigned const role = f->roles[i];
    if (role == UNREAD)
        return argument == f->given[i];
    c->values[role] = argument;
    return true;
}

static bool bind(const function *f, PyObject *const *args, Py_ssize_t count, PyObject *names,
                 call *c)
{
    if (count > f->positional)
        return false;
    memcpy(c->values, f->values, sizeof c->values);
    for (Py_ssize_t i = 0; i < count; i++)
        if (!bind_one(f, i, args[i], c))
            return false;
    Py_ssize_t const named = names == NULL ? 0 : PyTuple_GET_SIZE(names);
    Py_ssize_t const all = PyTuple_GET_SIZE(f->names);
    for (Py_ssize_t k = 0; k < named; k++) {
        PyObject *const name = PyTuple_GET_ITEM(names, k); /* interned, as the parameters */
        Py_ssize_t      i = count;
        while (i < all && PyTuple_GET_ITEM(f->names, i) != name)
            i++;
        if (i == all || !bind_one(f, i, args[count + k], c))
            return false;
    }
    return true;
}

static PyObject *call_function(PyObject *self, PyObject *const *args, size_t flags, PyObject *names)
{
    const function *const f = (const function *)self;
    call                  c = {.state = f->state,
                               .verb = f->verb,
                               .result_class = f->result_class,
                               .status = ORDO_E_NOMEM};
    if (f->general == NULL) { /* the garbage collector has cleared it */
        PyErr_SetString(PyExc_RuntimeError, "the function has been deleted");
        return NULL;
    }
    if (bind(f, args, PyVectorcall_NARGS(flags), names, &c) && f->verb->takes(&c)) {
        c.ctx = context_of(f->state);
        if (c.ctx == NULL && PyErr_Occurred() != NULL)
            return NULL;
        PyObject *const result = c.ctx != NULL ? f->verb->run(&c) : NULL;
        if (result != NULL)
            return result;
        PyErr_Clear();
        if (c.status == ORDO_E_CANCELLED) /* a signal handler has raised an exception */
            return PyObject_CallFunction(f->state->fail, "i", (int)c.status);
    }
    return PyObject_Vectorcall(f->general, args, flags, names);
}

/* ---- The type ---- */

static const verb *verb_named(const char *name)
{
    const verb *const tables[] = {short_verbs, pass_verbs, row_verbs};
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++)
        for (const verb *v = tables[t]; v->name != NULL; v++)
            if (strcmp(v->name, name) == 0)
                return v;
    PyErr_Format(PyExc_ValueError, "the library does not call %s itself", name);
    return NULL;
}

/* Finds the role and the default of each parameter. Returns whether the verb's exist. */
static bool find_roles(function *f)
{
    Py_ssize_t const all = PyTuple_GET_SIZE(f->names);
    size_t           found = 0, wanted = 0;
    while (wanted < VALUES && f->verb->parameters[wanted] != NULL)
        wanted++;
    for (Py_ssize_t i = 0; i < all && i < PARAMETERS; i++) {
        PyObject *const name = PyTuple_GET_ITEM(f->names, i);
        f->given[i] = PyDict_GetItemWithError(f->defaults, name);
        f->roles[i] = UNREAD;
        for (size_t role = 0; role < wanted; role++)
            if (PyUnicode_CompareWithASCIIString(name, f->verb->parameters[role]) == 0) {
                f->roles[i] = (unsigned char)role;
                f->values[role] = f->given[i];
                found++;
            }
    }
    if (found == wanted && all <= PARAMETERS)
        return true;
    PyErr_Format(PyExc_ValueError, "%s has other parameters", f->verb->name);
    return false;
}

static PyObject *new_function(PyTypeObject *type, PyObject *args, PyObject *named)
{
    static char *names[] = {"function",   "name",   "parameters", "defaults",
                            "positional", "result", NULL};
    const char  *name;
    PyObject    *general, *parameters, *defaults, *result_class = NULL;
    Py_ssize_t   positional;
    if (!PyArg_ParseTupleAndKeywords(args, named, "OsO!O!n|O", names, &general, &name,
                                     &PyTuple_Type, &parameters, &PyDict_Type, &defaults,
                                     &positional, &result_class))
        return NULL;
    const verb *const v = verb_named(name);
    function *const   f = v != NULL ? (function *)type->tp_alloc(type, 0) : NULL;
    if (f == NULL)
        return NULL;
    f->vectorcall = call_function;
    f->module = PyType_GetModule(type);
    Py_INCREF(f->module);
    f->state = PyModule_GetState(f->module);
    f->verb = v;
    Py_INCREF(general);
    f->general = general;
    Py_INCREF(parameters);
    f->names = parameters;
    Py_INCREF(defaults);
    f->defaults = defaults;
    Py_XINCREF(result_class);
    f->result_class = result_class;
    f->positional = positional;
    if (find_roles(f))
        return (PyObject *)f;
    Py_DECREF(f);
    return NULL;
}

static int visit_function(PyObject *self, visitproc visit, void *arg)
{
    function *const f = (function *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(f->module);
    Py_VISIT(f->general);
    Py_VISIT(f->names);
    Py_VISIT(f->defaults);
    Py_VISIT(f->result_class);
    Py_VISIT(f->dict);
    return 0;
}

/* What a call reads stays. */
static int clear_function(PyObject *self)
{
    function *const f = (function *)self;
    Py_CLEAR(f->general);
    Py_CLEAR(f->result_class);
    Py_CLEAR(f->dict);
    return 0;
}

static void free_function(PyObject *self)
{
    function *const     f = (function *)self;
    PyTypeObject *const type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (f->weak_references != NULL)
        PyObject_ClearWeakRefs(self);
    clear_function(self);
    Py_CLEAR(f->names);
    Py_CLEAR(f->defaults);
    Py_CLEAR(f->module);
    type->tp_free(self);
    Py_DECREF(type);
}

/* As a function, it is a method of an object in whose class it is. */
static PyObject *bind_to(PyObject *self, PyObject *object, PyObject *type)
{
    (void)type;
    if (object != NULL && object != Py_None)
        return PyMethod_New(self, object);
    Py_INCREF(self);
    return self;
}

static PyObject *function_text(PyObject *self)
{
    return PyUnicode_FromFormat("<function %s of ordo>", ((const function *)self)->verb->name);
}

/* Pickles the name. */
static PyObject *reduce(PyObject *self, PyObject *unused)
{
    (void)unused;
    return PyObject_GetAttrString(self, "__qualname__");
}

static PyMethodDef function_methods[] = {{"__reduce__", reduce, METH_NOARGS, NULL},
                                         {NULL, NULL, 0, NULL}};
static PyGetSetDef function_attributes[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyMemberDef function_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(function, vectorcall), READONLY, NULL},
    {"__dictoffset__", T_PYSSIZET, offsetof(function, dict), READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(function, weak_references), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};
static PyType_Slot function_slots[] = {{Py_tp_new, SLOT(new_function)},
                                       {Py_tp_call, SLOT(PyVectorcall_Call)},
                                       {Py_tp_traverse, SLOT(visit_function)},
                                       {Py_tp_clear, SLOT(clear_function)},
                                       {Py_tp_dealloc, SLOT(free_function)},
                                       {Py_tp_descr_get, SLOT(bind_to)},
                                       {Py_tp_repr, SLOT(function_text)},
                                       {Py_tp_methods, function_methods},
                                       {Py_tp_getset, function_attributes},
                                       {Py_tp_members, function_members},
                                       {0, NULL}};
PyType_Spec        function_spec = {.name = "ordo._ext.Function",
                                    .basicsize = sizeof(function),
                                    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                                             Py_TPFLAGS_HAVE_VECTORCALL,
                                    .slots = function_slots};

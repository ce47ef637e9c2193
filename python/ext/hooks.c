/* hooks.c - NumPy's own sorts by the library: np.sort, np.argsort, the methods of arrays, and all
 * that calls them, such as pandas.
 *
 * NumPy 2.0 to 2.4 call the functions in a public table of each dtype, from any thread and without
 * the GIL. The functions here replace those of the default and of the stable kind. They sort in
 * place, without scratch if memory is short. After every failure NumPy's own function sorts.
 *
 * All state is atomic, as threads may sort, hook and unhook at the same time without the GIL. At
 * any moment a place of a table has the function of NumPy, or one of ours whose original is known:
 * an original is stored before the function that needs it, and is not forgotten. */
#include "ext.h"

#include "contexts.h"
#include "ordo_external.h"

#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

_Static_assert(sizeof(npy_intp) == 8 && sizeof(long) == 8, "indices are u64");

/* NumPy's types and those of the library. */
#define TYPES(ROW)                                                                                 \
    ROW(BYTE, I8)                                                                                  \
    ROW(UBYTE, U8)                                                                                 \
    ROW(SHORT, I16)                                                                                \
    ROW(USHORT, U16)                                                                               \
    ROW(INT, I32)                                                                                  \
    ROW(UINT, U32)                                                                                 \
    ROW(LONG, I64)                                                                                 \
    ROW(ULONG, U64)                                                                                \
    ROW(LONGLONG, I64)                                                                             \
    ROW(ULONGLONG, U64)                                                                            \
    ROW(FLOAT, F32)                                                                                \
    ROW(DOUBLE, F64)

enum kind {
    QUICK,
    STABLE,
    KINDS
};
static const NPY_SORTKIND numpy_kind[KINDS] = {NPY_QUICKSORT, NPY_STABLESORT};

enum row {
#define ROW(NUMBER, TYPE) ROW_##NUMBER,
    TYPES(ROW)
#undef ROW
    ROWS
};

static struct original {
    _Atomic(PyArray_SortFunc *)    sort[KINDS];
    _Atomic(PyArray_ArgSortFunc *) argsort[KINDS];
} originals[ROWS];

static _Atomic(npy_intp) sort_least, argsort_least; /* elements for which the library is called */
static atomic_bool       may_be_hooked;
static _Atomic(size_t)   calls, elements, nanoseconds; /* of the library */

static size_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (size_t)t.tv_sec * 1000000000 + (size_t)t.tv_nsec;
}

/* Ends a call of the library; returns whether it did its work. */
static bool count(ordo_status status, size_t n, size_t begun)
{
    if (status != ORDO_OK)
        return false;
    atomic_fetch_add(&calls, 1);
    atomic_fetch_add(&elements, n);
    atomic_fetch_add(&nanoseconds, now() - begun);
    return true;
}

/* ---- Contexts ---- */

enum {
    LARGE = 1 << 26 /* bytes of scratch that a context should not keep after the call */
};

typedef struct lent {
    door_context door;
    bool         large; /* the context ends with the call */
} lent;

static _Atomic(pid_t) large_owner; /* the process in which a large call has all threads */

/* Lends a context for n elements that take `bytes` of scratch. A context keeps its scratch, so a
 * large call has its own. That may hold a part of the free memory; with less than it wants the
 * library sorts in place. One large call at a time has all threads. */
static ordo_status borrow(size_t n, size_t bytes, lent *out)
{
    *out = (lent){.large = bytes > LARGE};
    if (!out->large)
        return door_borrow(n, &out->door);
    pid_t const self = getpid(); /* after fork() the owner may be a thread that is not here */
    out->door.is_wide = atomic_exchange(&large_owner, self) != self;

    ordo_ctx_opts const opts = {
        .struct_size = sizeof opts,
        .where = out->door.is_wide ? ORDO_AUTO : ORDO_CPU,
        .threads = out->door.is_wide ? door_threads() : 1,
        .mem_limit = (size_t)ordo_external_memory(),
    };
    ordo_status const status = ordo_ctx_create(&out->door.ctx, &opts);
    if (status != ORDO_OK && out->door.is_wide)
        atomic_store(&large_owner, 0);
    return status;
}

static void give_back(lent c)
{
    if (!c.large) {
        door_return(c.door);
        return;
    }
    ordo_ctx_free(c.door.ctx);
    if (c.door.is_wide)
        atomic_store(&large_owner, 0);
}

/* ---- Sorts ---- */

static int sort(enum row row, enum kind kind, ordo_type type, void *data, npy_intp n, void *array)
{
    lent         c;
    bool const   is_long = n >= sort_least;
    size_t const begun = is_long ? now() : 0;
    size_t const bytes = (size_t)n * ordo_type_size(type);
    if (is_long && borrow((size_t)n, bytes, &c) == ORDO_OK) {
        ordo_status const status = ordo_sort(c.door.ctx, type, data, (size_t)n, NULL);
        give_back(c);
        if (count(status, (size_t)n, begun))
            return 0;
    }
    atomic_thread_fence(memory_order_acquire); /* NumPy has read its table without order */
    return originals[row].sort[kind](data, n, array);
}

/* np.lexsort passes the order of the keys before. */
static bool is_identity(const npy_intp *order, npy_intp n)
{
    npy_intp wrong = 0;
    for (npy_intp i = 0; i < n; i++)
        wrong |= order[i] ^ i;
    return wrong == 0;
}

static int argsort(enum row row, enum kind kind, ordo_type type, void *data, npy_intp *order,
                   npy_intp n, void *array)
{
    lent         c;
    bool const   is_long = n >= argsort_least;
    size_t const begun = is_long ? now() : 0;
    size_t const bytes = (size_t)n * (ordo_type_size(type) + sizeof *order);
    if (is_long && is_identity(order, n) && borrow((size_t)n, bytes, &c) == ORDO_OK) {
        ordo_status const status =
            ordo_argsort(c.door.ctx, type, data, (size_t)n, ORDO_U64, order, NULL);
        give_back(c);
        if (count(status, (size_t)n, begun))
            return 0;
        for (npy_intp i = 0; i < n; i++)
            order[i] = i;
    }
    atomic_thread_fence(memory_order_acquire);
    return originals[row].argsort[kind](data, order, n, array);
}

#define HOOKS(NUMBER, TYPE, kind)                                                                  \
    static int sort_##NUMBER##_##kind(void *data, npy_intp n, void *array)                         \
    {                                                                                              \
        return sort(ROW_##NUMBER, kind, ORDO_##TYPE, data, n, array);                              \
    }                                                                                              \
    static int argsort_##NUMBER##_##kind(void *data, npy_intp *order, npy_intp n, void *array)     \
    {                                                                                              \
        return argsort(ROW_##NUMBER, kind, ORDO_##TYPE, data, order, n, array);                    \
    }
#define ROW(NUMBER, TYPE) HOOKS(NUMBER, TYPE, QUICK) HOOKS(NUMBER, TYPE, STABLE)
TYPES(ROW)
#undef ROW

static const struct hook {
    int                  number;
    PyArray_SortFunc    *sort[KINDS];
    PyArray_ArgSortFunc *argsort[KINDS];
} hooks[ROWS] = {
#define ROW(NUMBER, TYPE)                                                                          \
    {NPY_##NUMBER,                                                                                 \
     {sort_##NUMBER##_QUICK, sort_##NUMBER##_STABLE},                                              \
     {argsort_##NUMBER##_QUICK, argsort_##NUMBER##_STABLE}},
    TYPES(ROW)
#undef ROW
};

/* Puts a hook, or what it has replaced, into a place of a table, which NumPy reads meanwhile. */
#define SET(place, hook, original, ours)                                                           \
    do {                                                                                           \
        __typeof__(*(place)) const there_ = __atomic_load_n((place), __ATOMIC_ACQUIRE);            \
        if ((ours) && there_ != (hook)) {                                                          \
            atomic_store(&(original), there_);                                                     \
            __atomic_store_n((place), (hook), __ATOMIC_RELEASE);                                   \
        } else if (!(ours) && there_ == (hook)) {                                                  \
            __atomic_store_n((place), atomic_load(&(original)), __ATOMIC_RELEASE);                 \
        }                                                                                          \
    } while (0)

/* Puts the hooks, or what they replaced, into NumPy's tables. */
static bool set_tables(bool ours)
{
    for (size_t row = 0; row < ROWS; row++) {
        PyArray_Descr *const dtype = PyArray_DescrFromType(hooks[row].number);
        if (dtype == NULL)
            return false;
        PyArray_ArrFuncs *const table = PyDataType_GetArrFuncs(dtype);
        for (size_t k = 0; k < KINDS; k++) {
            NPY_SORTKIND const at = numpy_kind[k];
            SET(&table->sort[at], hooks[row].sort[k], originals[row].sort[k], ours);
            SET(&table->argsort[at], hooks[row].argsort[k], originals[row].argsort[k], ours);
        }
        Py_DECREF(dtype);
    }
    return true;
}

/* Whether every function that the hooks replace exists. */
static bool has_tables(void)
{
    for (size_t row = 0; row < ROWS; row++) {
        PyArray_Descr *const dtype = PyArray_DescrFromType(hooks[row].number);
        if (dtype == NULL)
            return false;
        const PyArray_ArrFuncs *const table = PyDataType_GetArrFuncs(dtype);
        bool                          all = true;
        for (size_t k = 0; k < KINDS; k++)
            all =
                all && table->sort[numpy_kind[k]] != NULL && table->argsort[numpy_kind[k]] != NULL;
        Py_DECREF(dtype);
        if (!all)
            return false;
    }
    return true;
}

static PyObject *hook_sorts(PyObject *module, PyObject *args)
{
    Py_ssize_t least, least_order;
    (void)module;
    if (!PyArg_ParseTuple(args, "nn", &least, &least_order))
        return NULL;
    sort_least = least;
    argsort_least = least_order;
    bool const hooked = has_tables();
    if (hooked) {
        may_be_hooked = true;
        (void)set_tables(true);
    }
    if (PyErr_Occurred() != NULL)
        return NULL;
    return PyBool_FromLong(hooked);
}

static PyObject *unhook_sorts(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    if (may_be_hooked && !set_tables(false)) /* else NumPy may have no tables */
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *sorts_hooked(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return Py_BuildValue("nnd", (Py_ssize_t)calls, (Py_ssize_t)elements,
                         (double)nanoseconds * 1e-9);
}

PyMethodDef hook_methods[] = {
    {"hook_sorts", hook_sorts, METH_VARARGS,
     "Lets NumPy sort arrays of at least so many elements, and argsort, by the library. Returns "
     "whether NumPy has tables of sorts."},
    {"unhook_sorts", unhook_sorts, METH_NOARGS, "Gives NumPy its sorts back."},
    {"sorts_hooked", sorts_hooked, METH_NOARGS,
     "Returns how many calls and elements the library has sorted for NumPy, and the seconds."},
    {NULL, NULL, 0, NULL}};

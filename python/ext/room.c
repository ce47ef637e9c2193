/* room.c - the type Room: memory of a large result, which is kept for a later result.
 *
 * A Room is the base of an array. Views, buffers and DLPack capsules refer to it, so it is deleted
 * when nothing can read its memory any more; nothing can revive it then. The memory of the last
 * ROOMS of them is kept. The kernel may take the kept pages at any time (MADV_FREE), so that other
 * uses can have them. Their addresses stay in use and count against RLIMIT_AS and a strict limit on
 * overcommitted memory; a Room frees them if it finds no memory. */
#include "ext.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
    ROOMS = 2 /* a loop that replaces its last result uses two arrays in turn */
};
#define HUGE_PAGE ((size_t)1 << 21)

typedef struct memory {
    void  *start;
    size_t bytes;
} memory;

typedef struct room {
    PyObject_HEAD memory *memory;
} room;

/* The last one first. Threads exchange whole pointers, so there is no lock that a fork may leave
 * locked. */
static _Atomic(memory *) kept[ROOMS];

static void free_memory(memory *m)
{
    if (m != NULL)
        munmap(m->start, m->bytes);
    free(m);
}

static void keep(memory *m)
{
    if (madvise(m->start, m->bytes, MADV_FREE) == 0)
        for (int i = 0; i < ROOMS && m != NULL; i++)
            m = atomic_exchange(&kept[i], m);
    free_memory(m);
}

/* Returns kept memory of about `bytes`, or NULL. */
static memory *kept_memory(size_t bytes)
{
    for (int i = ROOMS - 1; i >= 0; i--) {
        memory *const m = atomic_exchange(&kept[i], NULL);
        if (m != NULL && bytes <= m->bytes && m->bytes <= bytes + bytes / 4)
            return m;
        if (m != NULL) /* another thread may have filled the place */
            free_memory(atomic_exchange(&kept[i], m));
    }
    return NULL;
}

/* Returns how many it has freed. */
static long free_kept(void)
{
    long freed = 0;
    for (int i = 0; i < ROOMS; i++) {
        memory *const m = atomic_exchange(&kept[i], NULL);
        freed += m != NULL;
        free_memory(m);
    }
    return freed;
}

PyObject *free_rooms(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return PyLong_FromLong(free_kept());
}

static memory *new_memory(size_t bytes)
{
    size_t const  whole = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    memory *const m = malloc(sizeof *m);
    if (m == NULL)
        return NULL;
    *m = (memory){mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
                  whole};
    if (m->start == MAP_FAILED) {
        free(m);
        return NULL;
    }
    madvise(m->start, whole, MADV_HUGEPAGE);
    return m;
}

static PyObject *new_room(PyTypeObject *type, PyObject *args, PyObject *named)
{
    static char *names[] = {"bytes", NULL};
    Py_ssize_t   bytes;
    if (!PyArg_ParseTupleAndKeywords(args, named, "n", names, &bytes))
        return NULL;
    if (bytes <= 0) {
        PyErr_Format(PyExc_ValueError, "bytes is %zd; expected at least 1", bytes);
        return NULL;
    }
    memory *m = kept_memory((size_t)bytes);
    if (m == NULL && (m = new_memory((size_t)bytes)) == NULL) {
        free_kept();
        if ((m = new_memory((size_t)bytes)) == NULL)
            return PyErr_NoMemory();
    }
    room *const self = (room *)type->tp_alloc(type, 0);
    if (self == NULL)
        free_memory(m);
    else
        self->memory = m;
    return (PyObject *)self;
}

static void free_room(PyObject *self)
{
    PyTypeObject *const type = Py_TYPE(self);
    keep(((room *)self)->memory);
    type->tp_free(self);
    Py_DECREF(type);
}

static int get_buffer(PyObject *self, Py_buffer *view, int flags)
{
    memory *const m = ((room *)self)->memory;
    return PyBuffer_FillInfo(view, self, m->start, (Py_ssize_t)m->bytes, 0, flags);
}

static PyType_Slot room_slots[] = {{Py_tp_new, SLOT(new_room)},
                                   {Py_tp_dealloc, SLOT(free_room)},
                                   {Py_bf_getbuffer, SLOT(get_buffer)},
                                   {0, NULL}};
PyType_Spec        room_spec = {.name = "ordo._ext.Room",
                                .basicsize = sizeof(room),
                                .flags = Py_TPFLAGS_DEFAULT,
                                .slots = room_slots};

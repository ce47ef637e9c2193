/* workers.c - threads of the command (see workers.h). */
#define _GNU_SOURCE /* sched_getaffinity */

#include "cli/base/workers.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_size_t limit;

void workers_limit(size_t n) { limit = n; }

size_t workers_count(void)
{
    cpu_set_t set;
    size_t    n = limit;

    if (n == 0) { /* the set is too small for machines with more than 1024 CPUs */
        n = (size_t)(sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                                 : sysconf(_SC_NPROCESSORS_ONLN));
        limit = n;
    }
    return n < 1 ? 1 : n > WORKERS_MOST ? WORKERS_MOST : n;
}

size_t workers_parts(size_t size, size_t least, unsigned threads)
{
    size_t n = size / least;

    n = n < threads ? n : threads;
    n = n < WORKERS_MOST ? n : WORKERS_MOST;
    return n > 0 ? n : 1;
}

/* Starts up to n threads and returns how many there are. */
static size_t start_threads(pthread_t *threads, size_t n, void *(*run)(void *), void *user)
{
    sigset_t all, before;
    size_t   started = 0;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (started < n && pthread_create(&threads[started], NULL, run, user) == 0)
        started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static void join_threads(const pthread_t *threads, size_t n)
{
    for (size_t i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
}

/* ---- Tasks in any order ---- */

typedef struct task_list {
    atomic_size_t next;
    size_t        n;
    void (*task)(void *user, size_t i);
    void *user;
} task_list;

static void *run_tasks(void *list)
{
    task_list *const t = list;

    for (size_t i; (i = atomic_fetch_add(&t->next, 1)) < t->n;)
        t->task(t->user, i);
    return NULL;
}

void workers_run(size_t tasks, void (*task)(void *user, size_t i), void *user)
{
    pthread_t    threads[WORKERS_MOST];
    task_list    list = {.n = tasks, .task = task, .user = user};
    const size_t wanted = workers_count() < tasks ? workers_count() : tasks;
    const size_t n = wanted > 1 ? start_threads(threads, wanted - 1, run_tasks, &list) : 0;

    run_tasks(&list);
    join_threads(threads, n);
}

typedef struct part_list {
    void (*work)(void *part);
    char  *parts;
    size_t size;
} part_list;

static void run_part(void *list, size_t i)
{
    const part_list *const l = list;
    l->work(l->parts + i * l->size);
}

void workers_each(void *parts, size_t n, size_t size, void (*work)(void *part))
{
    workers_run(n, run_part, &(part_list){work, parts, size});
}

/* ---- Sums ---- */

typedef struct sum_list {
    const workers_array *array;
    size_t               each; /* elements of a piece */
    char                *parts;
    size_t               bytes;
    void (*add)(void *total, const void *data, size_t n);
} sum_list;

static void add_array_piece(void *list, size_t i)
{
    const sum_list *const      l = list;
    const workers_array *const a = l->array;
    const size_t               first = i * l->each, left = a->n - first;

    l->add(l->parts + i * l->bytes, (const char *)a->data + first * a->size,
           left < l->each ? left : l->each);
}

void workers_add(const workers_array *array, void *total, const void *zero, size_t bytes,
                 void (*add)(void *total, const void *data, size_t n),
                 void (*join)(void *total, const void *part))
{
    const size_t n = array->n;
    const size_t tasks = workers_parts(n, array->least, 4 * (unsigned)workers_count());
    char *const  parts = tasks > 1 ? malloc(tasks * bytes) : NULL;

    if (parts == NULL) {
        add(total, array->data, n);
        return;
    }
    const size_t each = n / tasks + 1, used = (n + each - 1) / each;
    for (size_t i = 0; i < used; i++)
        memcpy(parts + i * bytes, zero, bytes);
    workers_run(used, add_array_piece, &(sum_list){array, each, parts, bytes, add});
    for (size_t i = 0; i < used; i++)
        join(total, parts + i * bytes);
    free(parts);
}

/* ---- Blocks in order ----
 *
 * Block i uses slot i % slots. A worker takes the next block once the block before it in the same
 * slot is drained. */

typedef struct slot {
    ordered_buffer buffer;
    bool           full;
} slot;

typedef struct pipeline {
    const ordered_work *w;
    pthread_mutex_t     mutex;
    pthread_cond_t      changed;
    slot                slots[2 * WORKERS_MOST];
    size_t              slot_count, next, drained;
    bool                failed;
} pipeline;

static void *fill_blocks(void *user)
{
    pipeline *const p = user;

    pthread_mutex_lock(&p->mutex);
    while (!p->failed && p->next < p->w->blocks) {
        const size_t i = p->next;
        if (i >= p->drained + p->slot_count) {
            pthread_cond_wait(&p->changed, &p->mutex);
            continue;
        }
        slot *const s = &p->slots[i % p->slot_count];
        p->next++;
        pthread_mutex_unlock(&p->mutex);
        const bool ok = p->w->fill(p->w->user, i, &s->buffer);
        pthread_mutex_lock(&p->mutex);
        s->full = true;
        p->failed |= !ok;
        pthread_cond_broadcast(&p->changed);
    }
    pthread_mutex_unlock(&p->mutex);
    return NULL;
}

static void drain_blocks(pipeline *p)
{
    pthread_mutex_lock(&p->mutex);
    while (!p->failed && p->drained < p->w->blocks) {
        slot *const s = &p->slots[p->drained % p->slot_count];
        if (!s->full) {
            pthread_cond_wait(&p->changed, &p->mutex);
            continue;
        }
        pthread_mutex_unlock(&p->mutex);
        const bool ok = p->w->drain(p->w->to, p->drained, &s->buffer);
        pthread_mutex_lock(&p->mutex);
        s->full = false;
        p->drained++;
        p->failed |= !ok;
        pthread_cond_broadcast(&p->changed);
    }
    pthread_mutex_unlock(&p->mutex);
}

/* With one thread, or if no other can be created. */
static bool fill_and_drain(const ordered_work *w, ordered_buffer *b)
{
    for (size_t i = 0; i < w->blocks; i++)
        if (!w->fill(w->user, i, b) || !w->drain(w->to, i, b))
            return false;
    return true;
}

bool buffer_room(ordered_buffer *b, size_t n)
{
    if (n <= b->room)
        return true;
    char *const data = realloc(b->data, n + n / 4);
    if (data == NULL)
        return false;
    b->data = data;
    b->room = n + n / 4;
    return true;
}

bool workers_ordered(const ordered_work *w)
{
    const size_t wanted = workers_count() < w->blocks ? workers_count() : w->blocks;
    pthread_t    threads[WORKERS_MOST];
    pipeline     p = {.w = w, .slot_count = 2 * wanted};
    bool         ok;

    pthread_mutex_init(&p.mutex, NULL);
    pthread_cond_init(&p.changed, NULL);
    const size_t n = wanted > 1 ? start_threads(threads, wanted, fill_blocks, &p) : 0;
    if (n > 0) {
        drain_blocks(&p);
        join_threads(threads, n);
        ok = !p.failed;
    } else {
        ok = fill_and_drain(w, &p.slots[0].buffer);
    }
    pthread_cond_destroy(&p.changed);
    pthread_mutex_destroy(&p.mutex);
    for (size_t i = 0; i < 2 * WORKERS_MOST; i++)
        free(p.slots[i].buffer.data);
    return ok;
}

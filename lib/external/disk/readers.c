/* readers.c - threads and the order of runs that are read side by side (see readers.h). */
#define _GNU_SOURCE
#include "external/disk/readers.h"

#include "core/base.h"

#include <stdlib.h>

static void *system_alloc(void *user, size_t bytes) { return (void)user, malloc(bytes); }
static void  system_release(void *user, void *block) { (void)user, free(block); }

bool readers_open(run_readers *r, size_t runs, unsigned threads, size_t bytes)
{
    ordo_alloc const source = {system_alloc, system_release, NULL};
    unsigned const   wanted = (unsigned)ordo_min(threads, READERS_MOST);
    pthread_mutex_init(&r->lock, NULL);
    r->heap = malloc((runs + 1) * sizeof *r->heap);
    r->pool = ordo_pool_create(&source, wanted);
    bool has_all = r->heap != NULL && r->pool != NULL;
    for (; has_all && r->threads < wanted; r->threads++)
        has_all = (r->buffers[r->threads] = malloc(bytes)) != NULL;
    r->free_buffers = r->threads;
    return has_all;
}

void readers_close(run_readers *r)
{
    if (r->pool != NULL)
        ordo_pool_free(r->pool);
    for (unsigned i = 0; i < READERS_MOST; i++)
        free(r->buffers[i]);
    free(r->heap);
    pthread_mutex_destroy(&r->lock);
}

/* ---- The heap ---- */

static void sink(run_readers *r)
{
    for (size_t at = 0, first = 0;; at = first) {
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < r->in_heap; child++)
            if (r->first(r->user, r->heap[child], r->heap[first]))
                first = child;
        if (first == at)
            return;
        size_t const moved = r->heap[at];
        r->heap[at] = r->heap[first];
        r->heap[first] = moved;
    }
}

void readers_add(run_readers *r, size_t run)
{
    size_t at = r->in_heap++;
    for (; at > 0 && r->first(r->user, run, r->heap[(at - 1) / 2]); at = (at - 1) / 2)
        r->heap[at] = r->heap[(at - 1) / 2];
    r->heap[at] = run;
}

void readers_next(run_readers *r, bool ended)
{
    if (ended)
        r->heap[0] = r->heap[--r->in_heap];
    sink(r);
}

/* ---- Reading ---- */

static void read_runs(void *arg, size_t lo, size_t hi)
{
    run_readers *const r = arg;
    pthread_mutex_lock(&r->lock);
    char *const buffer = r->buffers[--r->free_buffers];
    pthread_mutex_unlock(&r->lock);
    for (size_t i = lo; i < hi && r->read(r->user, i, buffer); i++)
        continue;
    pthread_mutex_lock(&r->lock);
    r->buffers[r->free_buffers++] = buffer;
    pthread_mutex_unlock(&r->lock);
}

static void ignore_tick(void *user, double share) { (void)user, (void)share; }

void readers_read(run_readers *r, size_t count)
{
    ordo_pool_loop(r->pool, count, 1, read_runs, r, &r->stop, ignore_tick, NULL);
}

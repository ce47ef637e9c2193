/* readers.h - what reads several sorted runs side by side: threads with a buffer each, and a heap
 * of the runs by their next blocks. */
#ifndef ORDO_EXTERNAL_READERS_H
#define ORDO_EXTERNAL_READERS_H

#include "core/pool.h"

#include <pthread.h>

enum {
    READERS_MOST = 8 /* threads */
};

typedef struct run_readers {
    ordo_pool      *pool;
    atomic_int      stop;
    pthread_mutex_t lock;
    char           *buffers[READERS_MOST];
    unsigned        threads, free_buffers;
    size_t         *heap; /* runs that have blocks, the one whose block comes first at the top */
    size_t          in_heap;

    /* Set by the caller. `first` says whether the next block of run i comes before that of run j,
     * `read` reads what a run has to give, by a buffer; false after a failure. */
    void *user;
    bool (*first)(const void *user, size_t i, size_t j);
    bool (*read)(void *user, size_t i, char *buffer);
} run_readers;

/* For up to `runs` runs, by up to READERS_MOST threads with buffers of `bytes` bytes. False if the
 * system refuses memory. Call readers_close() in any case. */
bool readers_open(run_readers *r, size_t runs, unsigned threads, size_t bytes);
void readers_close(run_readers *r);

/* Adds a run whose next block is known. */
void readers_add(run_readers *r, size_t run);
/* The next block of the top is another one; `ended`: it has none. */
void readers_next(run_readers *r, bool ended);

/* Reads runs [0, count) by all threads. */
void readers_read(run_readers *r, size_t count);

#endif

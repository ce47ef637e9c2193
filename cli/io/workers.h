/* workers.h - threads of the command, for reading, writing and small passes over arrays.
 *
 * Threads exist only during a call. They block all signals, so that handlers run in the main thread.
 * If a thread cannot be created, the others do its work. */
#ifndef ORDO_CLI_IO_WORKERS_H
#define ORDO_CLI_IO_WORKERS_H

#include <stdbool.h>
#include <stddef.h>

/* At most n threads from now on; 0: as many as CPUs that this process may use. */
void   workers_limit(size_t n);
size_t workers_count(void);

/* Calls task(user, i) for i in [0, tasks), each once, in any order, on several threads. */
void workers_run(size_t tasks, void (*task)(void *user, size_t i), void *user);

typedef struct ordered_work {
    size_t blocks;
    size_t room; /* bytes that `fill` may write for a block */
    /* Fills a buffer with block i and returns its length, or SIZE_MAX on failure. Several calls run
     * at the same time. */
    size_t (*fill)(void *user, size_t i, char *buffer);
    /* Takes the blocks in order, in the thread of the caller. False ends the work. */
    bool (*drain)(void *user, size_t i, const char *data, size_t length);
    void *user;
} ordered_work;

typedef enum ordered_result {
    ORDERED_OK,
    ORDERED_NO_MEMORY,
    ORDERED_FAILED
} ordered_result;

/* Fills all blocks and drains them in order. FAILED: `fill` or `drain` failed. */
ordered_result workers_ordered(const ordered_work *w);

#endif

/* workers.h - threads of the command, for reading, writing and small passes over arrays.
 *
 * Threads exist only during a call. They block all signals, so that handlers run in the main
 * thread. If a thread cannot be created, the others do its work. */
#ifndef ORDO_CLI_BASE_WORKERS_H
#define ORDO_CLI_BASE_WORKERS_H

#include <stdbool.h>
#include <stddef.h>

enum {
    WORKERS_MOST = 64
};

/* At most n threads from now on; 0: as many as CPUs that this process may use. */
void   workers_limit(size_t n);
size_t workers_count(void);

/* How many parts to make of `size` items: at most one for each of `threads`, each of at least
 * `least` items; at least 1, at most WORKERS_MOST. */
size_t workers_parts(size_t size, size_t least, unsigned threads);

/* Calls task(user, i) for i in [0, tasks), each once, in any order, on several threads. */
void workers_run(size_t tasks, void (*task)(void *user, size_t i), void *user);

/* The same with work(part) for each of n elements of `size` bytes at `parts`. */
void workers_each(void *parts, size_t n, size_t size, void (*work)(void *part));

typedef struct workers_array {
    const void *data;
    size_t      n, size; /* elements, and bytes of one           */
    size_t      least;   /* elements of a piece that a thread adds */
} workers_array;

/* Adds an array to *total: add(total, data, n), or for a large array add() of its pieces to copies
 * of *zero on several threads, then join(total, copy) of each. Both have `bytes` bytes. */
void workers_add(const workers_array *array, void *total, const void *zero, size_t bytes,
                 void (*add)(void *total, const void *data, size_t n),
                 void (*join)(void *total, const void *part));

typedef struct ordered_buffer {
    char  *data;
    size_t length, room;
} ordered_buffer;

/* Sets `length` and fills data with block i; buffer_room() makes room. False on failure. Several
 * calls run at the same time. */
typedef bool (*ordered_fill)(void *user, size_t i, ordered_buffer *b);

typedef struct ordered_work {
    size_t       blocks;
    ordered_fill fill;
    void        *user; /* of fill */
    /* Takes the blocks in order, in the thread of the caller. False ends the work. */
    bool (*drain)(void *to, size_t i, const ordered_buffer *b);
    void *to;
} ordered_work;

/* Makes room for n bytes. False if there is not enough memory. */
bool buffer_room(ordered_buffer *b, size_t n);

/* Fills all blocks and drains them in order. False if `fill` or `drain` failed. */
bool workers_ordered(const ordered_work *w);

#endif

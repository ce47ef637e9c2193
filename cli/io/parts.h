/* parts.h - divides work among threads of the command itself. */
#ifndef ORDO_CLI_IO_PARTS_H
#define ORDO_CLI_IO_PARTS_H

#include <stddef.h>

enum {
    PARTS_MOST = 64
};

/* Calls work(arg, 0) on this thread and work(arg, 1) to work(arg, n - 1) each on its own, and
 * waits for all; n is at most PARTS_MOST. A thread that cannot be started is replaced by this one
 * after work(arg, 0), so parts must not wait for each other. The threads take no signals. */
void parts_run(size_t n, void (*work)(void *arg, size_t part), void *arg);

/* How many parts to make of `size` items: at most one for each thread, each of at least `least`
 * items; at least 1. */
size_t parts_of(size_t size, size_t least, unsigned threads);

#endif

/* forked.h - tells a process from the parent that it was forked from.
 *
 * Threads and an opened GPU do not survive fork(), so what owns them remembers the number of its
 * process. Process ids are no such number: parent and child may both be process 1, each of its own
 * PID namespace. */
#ifndef ORDO_CORE_FORKED_H
#define ORDO_CORE_FORKED_H

#include <stdint.h>

/* A number that differs from those of all processes this one descends from; never 0. */
uint64_t ordo_process_number(void);

#endif

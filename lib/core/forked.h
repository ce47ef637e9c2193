/* forked.h - a process number that changes in the child of a fork().
 *
 * Threads and an open GPU do not survive fork(), so their owner stores the number of its process.
 * Process ids do not work: parent and child may both be process 1 in their own PID namespaces. */
#ifndef ORDO_CORE_FORKED_H
#define ORDO_CORE_FORKED_H

#include <stdint.h>

/* A number that differs from the numbers of all ancestors of this process; never 0. */
uint64_t ordo_process_number(void);

#endif

/* tapes.h - sources and sinks of external calls in memory: callbacks that read and write an array
 * in uneven parts, and fail on demand. */
#ifndef ORDO_TESTS_TAPES_H
#define ORDO_TESTS_TAPES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct tape {
    char  *bytes;
    size_t size, at;
    size_t calls, fail_at; /* this call fails; 0: none */
    int    error;          /* errno of the failure */
    bool   lies;           /* a failing call returns more than it may */
} tape;

/* For ordo_source and ordo_sink; `user` is a tape. */
ptrdiff_t tape_read(void *user, void *into, size_t bytes);
ptrdiff_t tape_write(void *user, const void *from, size_t bytes);

#endif

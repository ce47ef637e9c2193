/* failure.h - the first failure of several threads that work together, with its message. */
#ifndef ORDO_EXTERNAL_FAILURE_H
#define ORDO_EXTERNAL_FAILURE_H

#include "core/base.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
    FAILURE_TEXT = 480
};

typedef struct failure {
    pthread_mutex_t lock;
    atomic_int      status; /* an ordo_status; ORDO_OK: no failure */
    char            text[FAILURE_TEXT];
} failure;

#define FAILURE_NONE                                                                               \
    {                                                                                              \
        .lock = PTHREAD_MUTEX_INITIALIZER                                                          \
    }

static inline bool failure_seen(failure *f)
{
    return atomic_load_explicit(&f->status, memory_order_acquire) != ORDO_OK;
}

/* Records a failure unless there is one already. Returns false, for `return
 * failure_record(...)`. */
__attribute__((format(printf, 3, 4))) bool failure_record(failure *f, ordo_status status,
                                                          const char *format, ...);

/* The same for a system call that failed with `error`: status ORDO_E_IO, and the text of the error
 * follows the message. */
__attribute__((format(printf, 3, 4))) bool failure_record_errno(failure *f, int error,
                                                                const char *format, ...);

/* Makes an array of malloc() large enough for `count` elements of `size` bytes; it grows by a
 * quarter at least. *capacity is the number of elements that it has room for. */
bool failure_grow(failure *f, void **array, size_t *capacity, size_t count, size_t size);

#endif

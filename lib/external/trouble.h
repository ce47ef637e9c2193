/* trouble.h - the first failure of threads that work together, and its message. */
#ifndef ORDO_EXTERNAL_TROUBLE_H
#define ORDO_EXTERNAL_TROUBLE_H

#include "core/base.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
    TROUBLE_TEXT = 400
};

typedef struct trouble {
    pthread_mutex_t lock;
    atomic_int      status; /* an ordo_status; ORDO_OK: none */
    char            text[TROUBLE_TEXT];
} trouble;

#define TROUBLE_NONE                                                                               \
    {                                                                                              \
        .lock = PTHREAD_MUTEX_INITIALIZER                                                          \
    }

static inline bool trouble_is(trouble *t)
{
    return atomic_load_explicit(&t->status, memory_order_acquire) != ORDO_OK;
}

/* Records the failure if it is the first one. Always false, for `return trouble_set(...)`. */
__attribute__((format(printf, 3, 4))) bool trouble_set(trouble *t, ordo_status status,
                                                       const char *format, ...);

/* The same for a system call that failed with `error`: the text and the reason, as ORDO_E_IO. */
__attribute__((format(printf, 3, 4))) bool trouble_errno(trouble *t, int error, const char *format,
                                                         ...);

#endif

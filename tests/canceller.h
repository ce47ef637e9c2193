/* canceller.h - a thread that cancels whatever a context does, again and again, until it is told to
 * stop: so a call meets it wherever it then is. */
#ifndef ORDO_TESTS_CANCELLER_H
#define ORDO_TESTS_CANCELLER_H

#include "ordo.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef struct canceller {
    ordo_ctx   *ctx;
    atomic_bool over;
    pthread_t   thread;
} canceller;

/* False, and a failed check, if there is no thread to be had. */
bool canceller_start(canceller *with);
void canceller_end(canceller *with);

#endif

/* canceller.c - see canceller.h. */
#define _POSIX_C_SOURCE 200809L
#include "canceller.h"

#include "testkit.h"

#include <sched.h>

static void *keep_cancelling(void *arg)
{
    canceller *const with = arg;
    while (!atomic_load(&with->over)) {
        ordo_cancel(with->ctx);
        sched_yield();
    }
    return NULL;
}

bool canceller_start(canceller *with)
{
    atomic_init(&with->over, false);
    return CHECK(pthread_create(&with->thread, NULL, keep_cancelling, with) == 0);
}

void canceller_end(canceller *with)
{
    atomic_store(&with->over, true);
    pthread_join(with->thread, NULL);
}

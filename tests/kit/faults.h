/* faults.h - fault injection for a context: refuse the k-th request for scratch, or cancel the
 * running call at its k-th check; and cancellation by a thread.
 *
 * A check is the start of a loop, the start of each piece of a loop, and each poll of a piece. A
 * call with one thread therefore stops at the same place for the same k, independent of time. */
#ifndef ORDO_TESTS_FAULTS_H
#define ORDO_TESTS_FAULTS_H

#include "ordo.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Replaces the services of one context at a time. */
void faults_attach(ordo_ctx *ctx);
void faults_detach(void);

/* Each resets the counts below. at == 0: no fault. */
void faults_refuse(size_t at, bool only_one); /* that request, or it and all later requests */
void faults_cancel(size_t at);

size_t faults_checks(void);  /* number of checks */
bool   faults_refused(void); /* a request was refused */

/* Cancels the calls of a context: at one check, or by a thread again and again. */
typedef struct canceller {
    ordo_ctx   *ctx;
    size_t      at;    /* the check; 0: by a thread */
    long        pause; /* pause of the thread, in nanoseconds */
    pthread_t   thread;
    atomic_bool over;
} canceller;

/* The check for round 0, 1, ... of a test: other places in even rounds, the first one in round 0,
 * so that at least one call is cancelled; a thread in odd rounds. */
#define CANCEL_AT(round) ((round) % 2 != 0 ? 0 : 1 + (size_t)(round) * (size_t)(round))

/* False if the thread did not start, which is a failed check. */
bool canceller_start(canceller *with);
void canceller_end(canceller *with);

#endif

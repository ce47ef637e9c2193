/* faults.h - fault injection for a context: refuse the k-th request for scratch, or cancel the
 * running call at its k-th check; and a thread that cancels again and again.
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

/* A thread that cancels the calls of a context again and again, with a pause between two. */
typedef struct canceller {
    ordo_ctx   *ctx;
    long        pause; /* nanoseconds */
    pthread_t   thread;
    atomic_bool over;
} canceller;

/* False if the thread did not start, which is a failed check. */
bool canceller_start(canceller *with);
void canceller_end(canceller *with);

#endif

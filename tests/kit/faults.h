/* faults.h - faults that a test puts into a context: it refuses the k-th request for scratch, or
 * cancels the running call at its k-th check.
 *
 * A check is the start of a loop, the start of each piece of a loop, and each poll by a piece. So
 * the same k stops a call of one thread at the same place every time, whatever the clock says. */
#ifndef ORDO_TESTS_FAULTS_H
#define ORDO_TESTS_FAULTS_H

#include "ordo.h"

#include <stdbool.h>

/* Puts itself between the context and the library, for one context at a time. */
void faults_attach(ordo_ctx *ctx);
void faults_detach(void);

/* Each sets the counts below to 0. at == 0: no fault. */
void faults_refuse(size_t at, bool only_one); /* that request, or that one and all later ones */
void faults_cancel(size_t at);

size_t faults_checks(void);  /* so far */
bool   faults_refused(void); /* whether a request was */

#endif

/* sweep.h - calls of every verb with every algorithm it accepts, on keys of every type and shape,
 * for tests that disturb each of them in many ways. */
#ifndef ORDO_TESTS_SWEEP_H
#define ORDO_TESTS_SWEEP_H

#include "verbs_table.h"

typedef struct sweep_call {
    verb_entry     entry;
    size_t         number; /* of the calls so far, for tests that disturb each in some ways only */
    verb_data     *data;
    unsigned char *expected, *keys_before;
    uint64_t       expected_scalar;
} sweep_call;

typedef void sweep_fn(const sweep_call *call, void *user);

typedef struct sweep_plan {
    size_t n;        /* 1 more than a multiple of MOST_CHOSEN - 1 */
    size_t pairs_of; /* every so-many-th pair of a shape and a type */
    size_t named_of; /* of each pair all calls by AUTO, and every so-many-th by a named algorithm */
} sweep_plan;

/* Makes the calls that read keys, every third pair descending as well, then those that read flags,
 * elements or strings. Slow calls are left out where n is large. */
void sweep_calls(const sweep_plan *plan, sweep_fn *visit, void *user);

/* Makes the call, and checks what does not depend on its status: the input is as it was. */
ordo_status sweep_run(const sweep_call *call, ordo_ctx *ctx);

/* After ORDO_OK: the results are the oracle's. */
bool sweep_right(const sweep_call *call);
/* After an error: nothing was written, or what ordo.h says of the call. For every error but
 * ORDO_E_CANCELLED. */
bool sweep_unharmed(const sweep_call *call);

#endif

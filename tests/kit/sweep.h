/* sweep.h - calls of every verb with every algorithm, on keys of every type and shape, for tests
 * that inject faults into each call. */
#ifndef ORDO_TESTS_SWEEP_H
#define ORDO_TESTS_SWEEP_H

#include "kit/verbs/verbs_table.h"

typedef struct sweep_call {
    verb_entry     entry;
    size_t         number; /* number of this call, for tests that inject only some faults into each
                            * call */
    verb_data     *data;
    unsigned char *expected, *keys_before;
    uint64_t       expected_scalar;
} sweep_call;

typedef void sweep_fn(const sweep_call *call, void *user);

typedef struct sweep_plan {
    size_t n;        /* 1 more than a multiple of MOST_CHOSEN - 1           */
    size_t pairs_of; /* take one of this many pairs of shape and type       */
    size_t named_of; /* take one of this many calls with a named algorithm; take all with AUTO */
} sweep_plan;

/* Visits the calls that read keys (every third pair also descending), then those that read flags,
 * elements or strings. Leaves out slow calls if n is large. */
void sweep_calls(const sweep_plan *plan, sweep_fn *visit, void *user);

/* Makes the call and checks that it has not changed its input. */
ordo_status sweep_run(const sweep_call *call, ordo_ctx *ctx);

/* After ORDO_OK: the results equal the oracle's. */
bool sweep_right(const sweep_call *call);
/* After an error other than ORDO_E_CANCELLED: the call has written nothing, unless ordo.h allows
 * it. */
bool sweep_unchanged(const sweep_call *call);

#endif

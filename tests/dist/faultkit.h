/* faultkit.h - a transport that delays its operations and makes one of them fail. */
#ifndef ORDO_TESTS_FAULTKIT_H
#define ORDO_TESTS_FAULTKIT_H

#include "distkit.h"

#include <sched.h>

typedef struct wrapped { /* a transport whose operation number `fails_at` fails */
    ordo_comm inner;
    size_t    made, fails_at;
    uint64_t  delay;
} wrapped;

static wrapped ranks_of[DISTKIT_RANKS];
static size_t  failing_rank, fails_at;

/* Gives other ranks a different number of turns before each operation. */
static inline bool begin(wrapped *w)
{
    w->delay = w->delay * UINT64_C(6364136223846793005) + 1442695040888963407u;
    for (uint64_t i = 0; i < w->delay >> 62; i++)
        sched_yield();
    return ++w->made == w->fails_at;
}

static inline int wrapped_allgather(void *user, const void *mine, const uint64_t *bytes_of,
                                    void *all)
{
    wrapped *const w = user;
    return begin(w) ? 1 : w->inner.allgather(w->inner.user, mine, bytes_of, all);
}

static inline int wrapped_sum(void *user, uint64_t *values, size_t count)
{
    wrapped *const w = user;
    return begin(w) ? 1 : w->inner.sum(w->inner.user, values, count);
}

static inline int wrapped_prefix(void *user, uint64_t *values, size_t count)
{
    wrapped *const w = user;
    return begin(w) ? 1 : w->inner.prefix(w->inner.user, values, count);
}

static inline int wrapped_exchange(void *user, const char *send, const uint64_t *send_at,
                                   const uint64_t *send_bytes, char *receive,
                                   const uint64_t *receive_at, const uint64_t *receive_bytes)
{
    wrapped *const w = user;
    return begin(w) ? 1
                    : w->inner.exchange(w->inner.user, send, send_at, send_bytes, receive,
                                        receive_at, receive_bytes);
}

static inline void wrapped_give_up(void *user)
{
    wrapped *const w = user;
    w->inner.give_up(w->inner.user);
}

/* For distkit.wrap. */
static inline ordo_comm wrap(void *user, const ordo_comm *comm)
{
    wrapped *const w = &ranks_of[comm->rank];
    (void)user;
    *w = (wrapped){.inner = *comm, .delay = (uint64_t)comm->rank + fails_at};
    w->fails_at = (size_t)comm->rank == failing_rank ? fails_at : 0;
    return ORDO_OPTS(ordo_comm, .rank = comm->rank, .size = comm->size, .user = w,
                     .allgather = wrapped_allgather, .sum = wrapped_sum, .prefix = wrapped_prefix,
                     .exchange = wrapped_exchange, .give_up = wrapped_give_up);
}

/* Fails operation 1, 2, ... of a rank until a call makes fewer operations than that. */
static inline void faultkit_each(distkit *kit, size_t rank, size_t most)
{
    bool failed = true;
    failing_rank = rank;
    for (fails_at = 1; failed && fails_at < most; fails_at++) {
        testkit_case("operation %zu of rank %zu fails", fails_at, rank);
        CHECK(ordo_dist_threads((int32_t)kit->ranks, distkit_body, kit) == ORDO_OK);
        failed = ranks_of[rank].made >= fails_at;
        for (size_t r = 0; r < kit->ranks; r++) {
            CHECK(kit->status[r] == (failed ? ORDO_E_IO : ORDO_OK) ||
                  (failed && kit->status[r] == ORDO_OK)); /* its call had already ended */
            CHECK(kit->status[r] == ORDO_OK || strstr(kit->message[r], "transport") != NULL);
        }
        CHECK(!failed || kit->status[rank] == ORDO_E_IO);
    }
    CHECK(fails_at > 3 && fails_at < most);
}

#endif

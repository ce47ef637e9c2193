/* distkit.h - a global array divided over ranks that are threads, for the tests of calls over many
 * ranks. */
#ifndef ORDO_TESTS_DISTKIT_H
#define ORDO_TESTS_DISTKIT_H

#include "inputs.h"
#include "ordo_dist.h"
#include "testkit.h"

#include <stdlib.h>
#include <string.h>

enum {
    DISTKIT_RANKS = 64,
    DISTKIT_SPLITS = 5,
    DISTKIT_MESSAGE = 200
};

/* How the keys are divided: 0 evenly, 1 all on one rank, 2 the first rank has none, 3 at random, 4
 * every other rank has none. Writes the first key of each rank and the end. */
static inline void distkit_split(size_t how, size_t n, size_t ranks, uint64_t seed, size_t *starts)
{
    size_t weights[DISTKIT_RANKS], all = 0, at = 0;
    for (size_t r = 0; r < ranks; r++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        weights[r] = how == 1   ? r == ranks / 2
                     : how == 2 ? r > 0 || ranks == 1
                     : how == 3 ? (size_t)(seed >> 60)
                     : how == 4 ? r % 2 == 0
                                : 1;
        all += weights[r];
    }
    for (size_t r = 0, sum = 0; r < ranks; r++) {
        starts[r] = at;
        sum += weights[r];
        at = all > 0 ? n * sum / all : at;
    }
    starts[ranks] = n;
}

/* Floats whose sums are exact. */
static inline void distkit_small_numbers(ordo_type type, void *keys, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (type == ORDO_F32)
            ((float *)keys)[i] = (float)(i * 7 % 11);
        else
            ((double *)keys)[i] = (double)(i * 7 % 11);
}

/* A test call on all ranks: `call` makes it on one rank, whose status and message are recorded. */
typedef struct distkit {
    size_t   ranks, starts[DISTKIT_RANKS + 1];
    unsigned threads; /* of each rank */
    uint32_t where;   /* of each rank; 0: the CPU */
    uint64_t seed;    /* of the samples of each rank; 0: a new one for each call */
    ordo_comm (*wrap)(void *user, const ordo_comm *comm);
    ordo_status (*call)(void *user, ordo_ctx *ctx, const ordo_comm *comm, size_t rank);
    void       *user;
    ordo_status status[DISTKIT_RANKS];
    char        message[DISTKIT_RANKS][DISTKIT_MESSAGE];
} distkit;

static inline void distkit_body(void *user, ordo_comm *comm)
{
    distkit *const  kit = user;
    size_t const    rank = (size_t)comm->rank;
    ordo_ctx       *ctx;
    ordo_comm const used = kit->wrap != NULL ? kit->wrap(kit->user, comm) : *comm;
    kit->status[rank] = ordo_ctx_create(
        &ctx, &ORDO_OPTS(ordo_ctx_opts, .where = kit->where != 0 ? kit->where : ORDO_CPU,
                         .threads = kit->threads, .seed = kit->seed));
    if (kit->status[rank] != ORDO_OK)
        return;
    kit->status[rank] = kit->call(kit->user, ctx, &used, rank);
    strncpy(kit->message[rank], ordo_last_error(ctx), DISTKIT_MESSAGE - 1);
    ordo_ctx_free(ctx);
}

/* Runs the call on all ranks. True if every rank returned `expected`. */
static inline bool distkit_run(distkit *kit, ordo_status expected)
{
    bool ok = CHECK(ordo_dist_threads((int32_t)kit->ranks, distkit_body, kit) == ORDO_OK);
    for (size_t r = 0; r < kit->ranks; r++) {
        if (kit->status[r] != expected)
            testkit_case("rank %zu of %zu: %s", r, kit->ranks, kit->message[r]);
        ok = CHECK(kit->status[r] == expected) && ok;
    }
    return ok;
}

#endif

/* test_dist_reread.c - the memory of a selection that reads its keys again.
 *
 * The seed fixes the sample, so the test knows which keys are drawn. These are spread, and all
 * other keys lie between two of them, in a bracket of a position: each rank keeps far more keys
 * than its part of the sample promised and reads again. It must not hold the room of the first read
 * then. The tiny variant draws another sample, and checks only the results. */
#define _GNU_SOURCE
#include "core/random.h"
#include "distkit.h"

#include <math.h>
#include <stdio.h>

enum {
    KEYS = 300000,
    RANKS = 2,
    PART = KEYS / RANKS,
    POSITIONS = 8,
    SEED = 5
};

typedef struct meter { /* an allocator that counts */
    size_t held, most;
} meter;

static uint64_t         keys[KEYS], expected[KEYS], found[RANKS][POSITIONS], positions[POSITIONS];
static meter            meters[RANKS];
static ordo_dist_report reports[RANKS];
static ordo_status      status[RANKS];

static void *take(void *user, size_t bytes)
{
    meter *const  m = user;
    size_t *const block = malloc(bytes + 64);
    if (block == NULL)
        return NULL;
    *block = bytes;
    m->held += bytes;
    m->most = m->held > m->most ? m->held : m->most;
    return block + 8;
}

static void release(void *user, void *block)
{
    meter *const m = user;
    if (block == NULL)
        return;
    m->held -= ((size_t *)block)[-8];
    free((size_t *)block - 8);
}

static void body(void *user, ordo_comm *comm)
{
    size_t const rank = (size_t)comm->rank;
    ordo_ctx    *ctx;
    (void)user;
    reports[rank] = ORDO_OPTS(ordo_dist_report, .total = 0);
    status[rank] = ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CPU, .threads = 1,
                                                    .seed = SEED, .alloc = take, .release = release,
                                                    .alloc_user = &meters[rank]));
    if (status[rank] != ORDO_OK)
        return;
    status[rank] =
        ordo_dist_select(ctx, comm, ORDO_U64, keys + rank * PART, PART, positions, POSITIONS,
                         found[rank], &ORDO_OPTS(ordo_dist_opts, .report = &reports[rank]));
    ordo_ctx_free(ctx);
}

/* Keys between two drawn ones, and the drawn keys: those of both ranks alternate. */
static size_t fill(void)
{
    size_t const drawn = 1 + (size_t)((double)((size_t)pow(KEYS, 2.0 / 3) + 1) / RANKS);
    for (size_t i = 0; i < KEYS; i++)
        keys[i] = ((uint64_t)RANKS * drawn / 2) * 1000000 + 1 + i;
    for (size_t r = 0; r < RANKS; r++) {
        uint64_t const sequence = ordo_random_sequence(SEED, r);
        for (size_t i = 0; i < drawn; i++)
            keys[r * PART + ordo_random_below(ordo_random_at(sequence, i), PART)] =
                (RANKS * i + r) * 1000000;
    }
    return drawn;
}

static int by_value(const void *a, const void *b)
{
    uint64_t const x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

int main(void)
{
    testkit_start();
    size_t const drawn = fill();
    memcpy(expected, keys, sizeof keys);
    qsort(expected, KEYS, sizeof *expected, by_value);
    for (size_t i = 0; i < POSITIONS; i++)
        positions[i] = (i + 1) * KEYS / (POSITIONS + 1);
    CHECK(ordo_dist_threads(RANKS, body, NULL) == ORDO_OK);
    for (size_t r = 0; r < RANKS; r++) {
        testkit_case("rank %zu", r);
        CHECK(status[r] == ORDO_OK);
        for (size_t i = 0; i < POSITIONS; i++)
            CHECK_EQ_U64(expected[positions[i]], found[r][i]);
#ifndef ORDO_TINY
        /* Parts of the array: the kept keys 0.98, their sort 1, the samples 0.2. The room of the
         * first read is 0.47. */
        double const held = (double)meters[r].most / (PART * sizeof *keys);
        CHECK(reports[r].kept > PART - 2 * drawn);
        if (!CHECK(held < 2.4))
            printf("rank %zu held %.2f times its part\n", r, held);
#else
        (void)drawn;
#endif
    }
    return testkit_done();
}

/* test_alloc.c - every allocation fails in turn, in ordo_ctx_create and in each verb. The call
 * succeeds, or fails with ORDO_E_NOMEM and writes nothing. Nothing leaks, and the next call on the
 * context is correct. */
#include "core/arena.h"
#include "testkit.h"
#include "kit/verbs/verbs.h"

#include <stdlib.h>

enum {
    ENOUGH = 1000 /* more allocations than any call makes */
};

static void test_create(unsigned threads)
{
    size_t fail_at = 0;
    bool   refused = true;
    while (refused && ++fail_at < ENOUGH) {
        test_allocator      allocator = {.fail_at = fail_at, .only_one = true};
        ordo_ctx           *ctx = (ordo_ctx *)&allocator;
        ordo_ctx_opts const opts =
            ORDO_OPTS(ordo_ctx_opts, .threads = threads, ALLOCATOR(&allocator));
        testkit_case("create, allocation %zu fails, threads=%u", fail_at, threads);
        ordo_status const status = ordo_ctx_create(&ctx, &opts);
        refused = atomic_load(&allocator.refused) != 0;
        if (status != ORDO_OK) {
            CHECK_STATUS(ORDO_E_NOMEM, status, NULL);
            CHECK(refused && ctx == NULL);
            CHECK(ordo_last_error(NULL)[0] != '\0');
        }
        ordo_ctx_free(ctx);
        CHECK_EQ_U64(0, atomic_load(&allocator.live));
    }
    testkit_case("create, threads=%u", threads);
    CHECK(fail_at > 1 && fail_at < ENOUGH);
}

/* The k-th allocation of the call fails, alone or with all later ones. Returns whether the call
 * asked for it. */
static bool try_failing(size_t verb, verb_data *data, unsigned threads, size_t k, bool only_one)
{
    test_allocator  allocator = {0};
    ordo_ctx *const ctx = CONTEXT(.threads = threads, ALLOCATOR(&allocator));
    if (ctx == NULL)
        return false;
    testkit_case("%s n=%zu threads=%u, allocation %zu fails%s", verb_name(verb), data->n, threads,
                 k, only_one ? "" : " and all after it");
    allocator.only_one = only_one;
    allocator.fail_at = atomic_load(&allocator.calls) + k;
    ordo_status const status = verb_run(verb, ctx, data);
    bool const        refused = atomic_load(&allocator.refused) != 0;
    if (status == ORDO_OK) {
        CHECK(verb_right(verb, data));
    } else {
        CHECK_STATUS(ORDO_E_NOMEM, status, ctx);
        CHECK(refused);
        CHECK(verb_untouched(data));
        CHECK(ordo_last_error(ctx)[0] != '\0');
    }
    allocator.fail_at = 0;
    CHECK_STATUS(ORDO_OK, verb_run(verb, ctx, data), ctx);
    CHECK(verb_right(verb, data));
    ordo_ctx_free(ctx);
    CHECK_EQ_U64(0, atomic_load(&allocator.live));
    return refused;
}

static void test_verbs(size_t n, unsigned threads)
{
    verb_data data = verb_data_make(n);
    for (size_t v = 0; v < VERBS; v += VERB_STEP)
        for (int only_one = 0; only_one < 2; only_one++) {
            size_t k = 1;
            while (k < ENOUGH && try_failing(v, &data, threads, k, only_one != 0))
                k++;
            CHECK(k < ENOUGH);
        }
    verb_data_free(&data);
}

/* The second of two equal calls allocates nothing. A seed makes the samples of both calls equal, so
 * that both take the same path. */
static void test_warm(void)
{
    test_allocator  allocator = {0};
    ordo_ctx *const ctx = CONTEXT(.threads = 4, .seed = 1, ALLOCATOR(&allocator));
    verb_data       data = verb_data_make(100000);
    for (size_t v = 0; v < VERBS; v += VERB_STEP) {
        testkit_case("%s for the second time", verb_name(v));
        CHECK_STATUS(ORDO_OK, verb_run(v, ctx, &data), ctx);
        size_t const calls = atomic_load(&allocator.calls);
        CHECK_STATUS(ORDO_OK, verb_run(v, ctx, &data), ctx);
        CHECK_EQ_U64(calls, atomic_load(&allocator.calls));
        CHECK(verb_right(v, &data));
    }
    verb_data_free(&data);
    ordo_ctx_free(ctx);
    CHECK_EQ_U64(0, atomic_load(&allocator.live));
}

/* Calls of two sizes and of all verbs that take turns allocate nothing in the second round. */
static void test_turns(void)
{
    test_allocator  allocator = {0};
    ordo_ctx *const ctx = CONTEXT(.threads = 4, .seed = 1, ALLOCATOR(&allocator));
    verb_data       large = verb_data_make(100000), small = verb_data_make(7000);
    size_t          calls[2];
    for (size_t v = 0; v < VERBS; v += VERB_STEP) {
        testkit_case("%s of two sizes in turn", verb_name(v));
        for (size_t round = 0; round < 2; round++) {
            CHECK_STATUS(ORDO_OK, verb_run(v, ctx, &large), ctx);
            CHECK(verb_right(v, &large));
            CHECK_STATUS(ORDO_OK, verb_run(v, ctx, &small), ctx);
            CHECK(verb_right(v, &small));
            calls[round] = atomic_load(&allocator.calls);
        }
        CHECK_EQ_U64(calls[0], calls[1]);
    }
    verb_data_free(&large);
    verb_data_free(&small);
    ordo_ctx_free(ctx);
    CHECK_EQ_U64(0, atomic_load(&allocator.live));
}

static void *untouched_alloc(void *user, size_t bytes)
{
    (void)user;
    return malloc(bytes);
}

static void untouched_release(void *user, void *block)
{
    (void)user;
    free(block);
}

static void take_after_reset(ordo_arena *arena, size_t count, size_t bytes)
{
    ordo_arena_reset(arena);
    for (size_t i = 0; i < count; i++)
        CHECK(ordo_arena_take(arena, bytes) != NULL);
}

/* A call that needs a new block leaves at most the stated bytes and blocks that it does not use,
 * and those are the ones used last. */
static void test_kept(void)
{
    size_t const mib = (size_t)1 << 20;
    ordo_arena   arena = {.source = {untouched_alloc, untouched_release, NULL}};
    testkit_case("bytes that an arena keeps");
    take_after_reset(&arena, 1, 100 * mib);
    take_after_reset(&arena, 1, 40 * mib);
    CHECK_EQ_U64(ordo_arena_cost(100 * mib) + ordo_arena_cost(40 * mib), arena.held);
    take_after_reset(&arena, 1, 100 * mib);
    take_after_reset(&arena, 1, 15 * mib);
    CHECK_EQ_U64(ordo_arena_cost(100 * mib) + ordo_arena_cost(15 * mib), arena.held);
    take_after_reset(&arena, 2, 30 * mib);
    CHECK_EQ_U64(ordo_arena_cost(100 * mib) + ordo_arena_cost(15 * mib) +
                     2 * ordo_arena_cost(30 * mib),
                 arena.held);
    take_after_reset(&arena, 1, mib);
    CHECK(arena.held <= ORDO_ARENA_KEPT_BYTES + ordo_arena_cost(mib));
    ordo_arena_free(&arena);
    CHECK_EQ_U64(0, arena.held);

    testkit_case("blocks that an arena keeps");
    take_after_reset(&arena, 2 * ORDO_ARENA_KEPT_BLOCKS, 102400);
    take_after_reset(&arena, 1, mib);
    CHECK_EQ_U64(ORDO_ARENA_KEPT_BLOCKS * ordo_arena_cost(102400) + ordo_arena_cost(mib),
                 arena.held);
    ordo_arena_free(&arena);

    testkit_case("a lean arena keeps nothing");
    arena.lean = true;
    take_after_reset(&arena, 2, mib);
    take_after_reset(&arena, 1, 2 * mib);
    CHECK_EQ_U64(ordo_arena_cost(2 * mib), arena.held);
    ordo_arena_free(&arena);
}

/* Unused blocks are released if the limit or the allocator leaves no room for a new one. */
static void test_kept_under_limit(void)
{
    test_allocator allocator = {.only_one = true};
    ordo_arena     arena = {.source = {test_alloc, test_release, &allocator}, .limit = 400000};
    testkit_case("blocks that an arena keeps under a limit");
    take_after_reset(&arena, 3, 102400);
    take_after_reset(&arena, 1, 204800);
    CHECK_EQ_U64(ordo_arena_cost(102400) + ordo_arena_cost(204800), arena.held);
    take_after_reset(&arena, 1, 390400);
    CHECK_EQ_U64(ordo_arena_cost(390400), arena.held);
    CHECK(ordo_arena_take(&arena, 102400) == NULL);

    testkit_case("blocks that an arena keeps if the allocator refuses");
    arena.limit = 0;
    allocator.fail_at = atomic_load(&allocator.calls) + 1;
    take_after_reset(&arena, 1, 1000000);
    CHECK_EQ_U64(1, atomic_load(&allocator.refused));
    CHECK_EQ_U64(1, atomic_load(&allocator.live));
    CHECK_EQ_U64(ordo_arena_cost(1000000), arena.held);
    ordo_arena_free(&arena);
    CHECK_EQ_U64(0, atomic_load(&allocator.live));
}

/* Equal requests after a reset need no new block, even if empty blocks would fit more closely. */
static void test_arena(void)
{
    static const size_t first[] = {800000, 1033408};
    static const size_t then[] = {800000, 800000, 100096, 5824,  200000,
                                  16704,  100096, 5824,   200000};
    test_allocator      allocator = {0};
    size_t              calls[2];
    ordo_arena          arena = {.source = {test_alloc, test_release, &allocator}};
    testkit_case("the same requests after a reset of the arena");
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        CHECK(ordo_arena_take(&arena, first[i]) != NULL);
    for (size_t round = 0; round < 2; round++) {
        ordo_arena_reset(&arena);
        for (size_t i = 0; i < sizeof then / sizeof *then; i++)
            CHECK(ordo_arena_take(&arena, then[i]) != NULL);
        calls[round] = atomic_load(&allocator.calls);
    }
    CHECK_EQ_U64(calls[0], calls[1]);
    ordo_arena_free(&arena);
    CHECK_EQ_U64(0, atomic_load(&allocator.live));
}

/* A piece that is given back makes room for a larger one under the limit, and a piece that others
 * follow in its block stays. */
static void test_give_back(void)
{
    enum {
        SMALL = 1 << 16,
        LARGE = 1 << 20
    };
    test_allocator allocator = {0};
    ordo_arena     arena = {.source = {test_alloc, test_release, &allocator},
                            .limit = 2 * LARGE + 3 * SMALL};
    testkit_case("pieces of an arena that are given back");
    char *const other = ordo_arena_take(&arena, SMALL), *const piece =
                                                            ordo_arena_take(&arena, LARGE);
    CHECK(other != NULL && piece != NULL);
    CHECK(ordo_arena_take(&arena, 2 * LARGE) == NULL);
    ordo_arena_give_back(&arena, piece, LARGE);
    CHECK_EQ_U64(SMALL, arena.taken);
    CHECK_EQ_U64(ordo_arena_cost(SMALL), arena.held);
    char *const larger = ordo_arena_take(&arena, 2 * LARGE);
    CHECK(larger != NULL && arena.held <= arena.limit);
    CHECK_EQ_U64(SMALL + 2 * LARGE, arena.taken);
    ordo_arena_give_back(&arena, larger, LARGE); /* not the end of its block */
    CHECK_EQ_U64(SMALL + 2 * LARGE, arena.taken);
    ordo_arena_free(&arena);
    CHECK_EQ_U64(0, atomic_load(&allocator.live));
}

int main(void)
{
    testkit_start();
    test_create(1);
    test_create(8);
    test_verbs(50, 1);
    test_verbs(3000, 3);
    test_verbs(TESTKIT_ASAN ? 20000 : 100000, 4);
    test_warm();
    test_turns();
    test_arena();
    test_kept();
    test_kept_under_limit();
    test_give_back();
    return testkit_done();
}

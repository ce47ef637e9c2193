/* test_stream_stack.c - streamed calls (lib/hybrid) from a thread with a small stack: a sort, a
 * sort in rounds, pairs with a share for the CPU, a rank and strings. The device is the one of
 * streamkit.h; the results are compared with those of the CPU. */
#define _POSIX_C_SOURCE 200809L
#include "streamkit.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    N = 6007,
    LETTERS = 12,              /* of a string */
    STACK = 64 << 10,          /* bytes; musl's default is 128 KB */
    SANITIZED_STACK = 16 << 20 /* sanitizers enlarge every frame */
};

static uint64_t input[N], keys[2][N];
static uint32_t values[2][N], ranks[2][N], order[2][N];
static char     letters[N * LETTERS];
static uint64_t offsets[N + 1];

static void fill(void)
{
    test_rng rng = {1};
    for (size_t i = 0; i < N; i++)
        input[i] = test_rng_next(&rng);
    for (size_t i = 0; i < sizeof letters; i++)
        letters[i] = "ACGT"[test_rng_next(&rng) >> 62];
    for (size_t i = 0; i <= N; i++)
        offsets[i] = i * LETTERS;
}

typedef enum verb {
    SORT,
    PAIRS,
    RANK,
    STRINGS,
    VERBS
} verb;

static ordo_status call(ordo_ctx *ctx, verb what, int out)
{
    ordo_strings const strings = {
        .struct_size = sizeof strings, .bytes = letters, .offsets = offsets};
    memcpy(keys[out], input, sizeof input);
    for (uint32_t i = 0; i < N; i++)
        values[out][i] = i;
    switch (what) {
    case SORT:
        return ordo_sort(ctx, ORDO_U64, keys[out], N, NULL);
    case PAIRS:
        return ordo_sort_pairs(ctx, ORDO_U64, keys[out], N, values[out], 4, NULL);
    case RANK:
        return ordo_rank(ctx, ORDO_U64, keys[out], N, ORDO_U32, ranks[out], NULL);
    default:
        return ordo_argsort_strings(ctx, &strings, N, ORDO_U32, order[out], NULL);
    }
}

typedef struct small_call {
    ordo_ctx   *ctx;
    verb        what;
    ordo_status status;
} small_call;

static void *run(void *arg)
{
    small_call *const small = arg;
    small->status = call(small->ctx, small->what, 1);
    return NULL;
}

static void in_small_thread(ordo_ctx *ctx, verb what)
{
    small_call     small = {.ctx = ctx, .what = what};
    long const     least = sysconf(_SC_THREAD_STACK_MIN);
    size_t const   wanted = TESTKIT_SANITIZED ? SANITIZED_STACK : STACK;
    size_t const   bytes = least > 0 && (size_t)least > wanted ? (size_t)least : wanted;
    pthread_attr_t attr;
    pthread_t      thread;
    if (!CHECK(pthread_attr_init(&attr) == 0))
        return;
    if (CHECK(pthread_attr_setstacksize(&attr, bytes) == 0) &&
        CHECK(pthread_create(&thread, &attr, run, &small) == 0)) {
        pthread_join(thread, NULL);
        CHECK_STATUS(ORDO_OK, small.status, ctx);
        CHECK(was_streamed(ctx));
    }
    pthread_attr_destroy(&attr);
}

static void compare(ordo_ctx *cpu, unsigned threads, double share, const char *memory)
{
    ordo_ctx *const ctx = play_context(ORDO_HYBRID, threads, share);
    for (verb what = SORT; what < VERBS; what++) {
        if (memory != NULL && what >= RANK) /* these have no rounds of ranges */
            continue;
        if (share > 0 && what == STRINGS) /* refused: only the sample sort shares strings */
            continue;
        testkit_case("verb %d, %u threads, share %.1f, memory %s", (int)what, threads, share,
                     memory != NULL ? memory : "enough");
        CHECK_STATUS(ORDO_OK, call(cpu, what, 0), cpu);
        play_memory(memory);
        in_small_thread(ctx, what);
        play_memory(NULL);
        CHECK_BYTES(keys[0], keys[1], sizeof keys[0], sizeof keys[0][0]);
        CHECK_BYTES(values[0], values[1], sizeof values[0], sizeof values[0][0]);
        CHECK_BYTES(ranks[0], ranks[1], sizeof ranks[0], sizeof ranks[0][0]);
        CHECK_BYTES(order[0], order[1], sizeof order[0], sizeof order[0][0]);
    }
    ordo_ctx_free(ctx);
}

int main(void)
{
    testkit_start();
    play_start_streamed();
    fill();
    ordo_ctx *const cpu = play_context(ORDO_CPU, 1, 0);
    for (unsigned threads = 1; threads <= 2; threads++) {
        compare(cpu, threads, -1, NULL);
        compare(cpu, threads, 0.4, NULL);
        compare(cpu, threads, -1, "60000");
    }
    ordo_ctx_free(cpu);
    return testkit_done();
}

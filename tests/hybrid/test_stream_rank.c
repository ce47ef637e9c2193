/* test_stream_rank.c - ranks of host arrays streamed through a device
 * (lib/hybrid/stream/rank_streamed.c), on machines without one (streamkit.h). The results equal the
 * CPU's bytes for every type, shape, tie rule, direction, rank type and share of the CPU. If a
 * device function fails or device memory is too small, the CPU does the job; a context for the
 * device only reports the device's error. A cancelled call ends. */
#define _POSIX_C_SOURCE 200809L
#include "inputs.h"
#include "streamkit.h"

#include <string.h>

enum {
    MOST = 6007,
    RULES = ORDO_TIES_RULES,
    FEWER = TESTKIT_SANITIZED ? 7 : 1 /* test one of this many combinations */
};

typedef struct question {
    ordo_type type, rank_type;
    size_t    n, shape;
    ordo_ties ties;
    uint64_t  flags;
} question;

static ordo_ctx     *cpu;
static unsigned char keys[MOST * 8], kept[MOST * 8], expected[MOST * 8], ranks[MOST * 8 + 8];

static ordo_status call(ordo_ctx *ctx, const question *q, void *out)
{
    return ordo_rank(ctx, q->type, keys, q->n, q->rank_type, out,
                     &ORDO_OPTS(ordo_rank_opts, .flags = q->flags, .ties = q->ties));
}

static void prepare(const question *q)
{
    inputs_fill(q->shape, q->type, keys, q->n, q->n + q->shape);
    memcpy(kept, keys, sizeof kept);
    CHECK_STATUS(ORDO_OK, call(cpu, q, expected), cpu);
}

/* Ranks, and compares the ranks, the bytes after them and the keys. */
static void check(ordo_ctx *ctx, const question *q)
{
    size_t const size = ordo_type_size(q->rank_type);
    memset(ranks, 0x5a, sizeof ranks);
    CHECK_STATUS(ORDO_OK, call(ctx, q, ranks), ctx);
    CHECK_BYTES(expected, ranks, q->n * size, size);
    size_t end = q->n * size;
    while (end < sizeof ranks && ranks[end] == 0x5a)
        end++;
    CHECK(end == sizeof ranks);
    CHECK_BYTES(kept, keys, sizeof keys, 1);
}

static question pick(size_t t, size_t shape, size_t rule)
{
    static const ordo_type rank_types[] = {ORDO_F64, ORDO_U32, ORDO_U64};
    size_t const           mix = t * 5 + shape * 3 + rule;
    bool const             halves = rule == ORDO_TIES_AVERAGE;
    return (question){.type = inputs_types[t],
                      .rank_type = halves ? ORDO_F64 : rank_types[mix % 3],
                      .n = MOST - (mix * 613) % 3500,
                      .shape = shape,
                      .ties = (ordo_ties)rule,
                      .flags = mix % 4 < 2 ? ORDO_DESCENDING : 0};
}

/* Tests one of every `of` combinations. Returns how many were streamed; *shared: how many with
 * buckets for the CPU. */
static size_t same_bytes(ordo_ctx *ctx, size_t of, size_t *shared)
{
    size_t streamed = 0, number = 0;
    *shared = 0;
    for (size_t t = 0; t < INPUTS_TYPES; t++)
        for (size_t shape = 0; shape < inputs_count(); shape++)
            for (size_t rule = 0; rule < RULES; rule++) {
                question const q = pick(t, shape, rule);
                if (number++ % (of * FEWER) != 0)
                    continue;
                testkit_case("%s of %s, n = %zu, rule %zu, ranks %s, flags %d", inputs_name(shape),
                             ordo_type_name(q.type), q.n, rule, ordo_type_name(q.rank_type),
                             (int)q.flags);
                prepare(&q);
                check(ctx, &q);
                streamed += was_streamed(ctx);
                *shared += was_streamed(ctx) && facts_of(ctx).buckets > 0;
            }
    return streamed;
}

/* ---- Failures ---- */

/* A context for the device only reports the error. In other contexts the CPU does the job. */
static void lose_device(const char *function, int at, ordo_where where, double share,
                        ordo_ties ties)
{
    ordo_ctx *const ctx = play_context(where, 4, share);
    question const  q = {.type = ORDO_F32,
                         .rank_type = ORDO_F64,
                         .n = MOST - 2000,
                         .shape = inputs_find("random bits"),
                         .ties = ties};
    testkit_case("device %d, lost in call %d of %s, share %.1f, rule %d", (int)where, at, function,
                 share, (int)ties);
    play_fail(function, at, false);
    prepare(&q);
    /* Every function is called; iota only if the device has all keys. */
    bool const called = at == 1 && (share <= 0 || strcmp(function, "iota") != 0);
    if (where == ORDO_CUDA) {
        ordo_status const status = call(ctx, &q, ranks);
        CHECK(status != ORDO_OK || !called);
        if (status != ORDO_OK && CHECK_STATUS(ORDO_E_DEVICE, status, ctx))
            CHECK(strstr(ordo_last_error(ctx), function) != NULL);
    } else {
        check(ctx, &q);
        CHECK(facts_of(ctx).device_status == ORDO_E_DEVICE || !called);
    }
    /* The next call works again. */
    play_without_failures();
    check(ctx, &q);
    CHECK(was_streamed(ctx));
    ordo_ctx_free(ctx);
}

static void lose_devices(void)
{
    static const char *const functions[] = {"begin", "copy_in", "close_side", "wait_side",
                                            "join",  "sort",    "iota",       "put_ranks",
                                            "mark",  "await",   "copy_out",   "end"};
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
        for (int at = 1; at <= 40; at += at < 4 && FEWER == 1 ? 1 : 18) {
            lose_device(functions[f], at, ORDO_CUDA, 0, ORDO_TIES_AVERAGE);
            lose_device(functions[f], at, ORDO_HYBRID, -1, ORDO_TIES_MAX);
            lose_device(functions[f], at, ORDO_HYBRID, 0.3, ORDO_TIES_DENSE);
        }
    /* The last copies of the call fetch the last index of a batch, for dense ranks. */
    for (int at = 40; at < 60 && FEWER == 1; at++)
        lose_device("copy_out", at, ORDO_HYBRID, 0.3, ORDO_TIES_DENSE);
}

/* Device memory: far too little; enough for one batch; enough for two batches. */
static void little_memory(void)
{
    static const struct {
        const char *bytes;
        ordo_status device;
        uint64_t    batches;
    } memories[] = {{"100", ORDO_E_NOMEM, 0}, {"110000", ORDO_OK, 1}, {"160000", ORDO_OK, 2}};
    question const q = {.type = ORDO_I32,
                        .rank_type = ORDO_U32,
                        .n = 4999,
                        .shape = inputs_find("random bits"),
                        .ties = ORDO_TIES_MAX};
    prepare(&q);
    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++) {
        ordo_ctx *const ctx = play_context(ORDO_HYBRID, 2, -1);
        testkit_case("%s bytes of device memory", memories[i].bytes);
        play_memory(memories[i].bytes);
        check(ctx, &q);
        ordo_facts const facts = facts_of(ctx);
        CHECK(facts.device_status == memories[i].device);
        CHECK_EQ_U64(memories[i].batches, facts.batches);
        ordo_ctx_free(ctx);
    }
    testkit_case("too little memory, device only");
    ordo_ctx *const alone = play_context(ORDO_CUDA, 2, 0);
    play_memory("100");
    CHECK_STATUS(ORDO_E_NOMEM, call(alone, &q, ranks), alone);
    CHECK(strstr(ordo_last_error(alone), "the device has 100 bytes") != NULL);
    ordo_ctx_free(alone);
    play_memory(NULL);
}

/* Host memory below what the call wants: ORDO_E_NOMEM or correct ranks. If the CPU may do the job,
 * it can do with less. */
static void little_scratch(void)
{
    question const q = {.type = ORDO_U64,
                        .rank_type = ORDO_U64,
                        .n = MOST,
                        .shape = inputs_find("random bits"),
                        .ties = ORDO_TIES_DENSE};
    size_t         done = 0, limits = 0;
    prepare(&q);
    for (size_t limit = 1 << 12; limit <= 1 << 21; limit += limit / 2) {
        testkit_case("%zu bytes of scratch", limit);
        bool const      alone = limits++ % 2 == 0;
        ordo_ctx *const ctx = CONTEXT(.where = alone ? ORDO_CUDA : ORDO_HYBRID, .threads = 2,
                                      .cpu_share = alone ? 0 : 0.4, .mem_limit = limit);
        if (ctx == NULL)
            return;
        ordo_status const status = call(ctx, &q, ranks);
        done += status == ORDO_OK;
        if (status == ORDO_OK)
            CHECK_BYTES(expected, ranks, q.n * 8, 8);
        else
            CHECK_STATUS(ORDO_E_NOMEM, status, ctx);
        ordo_ctx_free(ctx);
    }
    CHECK(done > 0);
}

/* A call that is cancelled anywhere ends, and the next one works. */
static void cancel(ordo_where where, double share)
{
    question const q = {.type = ORDO_U64,
                        .rank_type = ORDO_U32,
                        .n = MOST,
                        .shape = inputs_find("random bits"),
                        .ties = ORDO_TIES_MIN};
    int            cancelled = 0;
    testkit_case("cancelled, device %d", (int)where);
    prepare(&q);
    for (int round = 0; round < 200 && cancelled < 20; round++) {
        canceller with = {.ctx = play_context(where, 3, share), .at = CANCEL_AT(round)};
        if (!canceller_start(&with))
            return;
        ordo_status const status = call(with.ctx, &q, ranks);
        canceller_end(&with);
        cancelled += status == ORDO_E_CANCELLED;
        if (status == ORDO_OK)
            CHECK_BYTES(expected, ranks, q.n * 4, 4);
        else
            CHECK_STATUS(ORDO_E_CANCELLED, status, with.ctx);
        check(with.ctx, &q);
        ordo_ctx_free(with.ctx);
    }
    CHECK(cancelled > 0);
}

int main(void)
{
    static const double shares[] = {0, -1, 0.15, 0.5, 0.9, 0.999, 1};
    testkit_start();
    play_start_streamed();
    cpu = play_context(ORDO_CPU, 1, 0);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        ordo_ctx *const ctx =
            play_context(i == 0 ? ORDO_CUDA : ORDO_HYBRID, 1 + (unsigned)i % 4, shares[i]);
        size_t       shared;
        size_t const streamed = same_bytes(ctx, i == 0 ? 1 : 4, &shared);
        testkit_case("streamed, share %.3f", shares[i]);
        CHECK((streamed > 0) == (shares[i] < 1));
        CHECK((shared > 0) == (shares[i] > 0 && shares[i] < 1));
        ordo_ctx_free(ctx);
    }
    lose_devices();
    little_memory();
    little_scratch();
    cancel(ORDO_CUDA, 0);
    cancel(ORDO_HYBRID, 0.3);
    ordo_ctx_free(cpu);
    return testkit_done();
}

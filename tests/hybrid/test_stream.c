/* test_stream.c - sorts of host arrays streamed through a device (lib/hybrid), on machines without
 * one (streamkit.h). The results equal the CPU's bytes for every type, shape, direction and verb.
 * Profiles account for every byte. If any device function fails, at its first use or later, no data
 * is lost, or the status says so. A cancelled call ends and reports the state of the array
 * correctly. */
#define _POSIX_C_SOURCE 200809L
#include "inputs.h"
#include "streamkit.h"
#include "ordo_machine.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST = 6007,
    VALUE_MOST = 16,
    FEWER = TESTKIT_SANITIZED ? 7 : 1 /* test one of this many combinations */
};

static ordo_ctx     *cpu;
static unsigned char before[MOST * 8], keys[MOST * 8], expected[MOST * 8];
static unsigned char values_before[MOST * VALUE_MOST], values[MOST * VALUE_MOST],
    values_expected[MOST * VALUE_MOST];

typedef enum verb {
    SORT,
    FROM, /* sorts `before` into another array */
    PAIRS,
    ARGSORT,
    VERBS
} verb;

static ordo_status call(ordo_ctx *ctx, verb what, ordo_type type, void *k, size_t n, void *v,
                        size_t value_size, uint64_t flags)
{
    ordo_sort_opts const opts = ORDO_OPTS(ordo_sort_opts, .flags = flags);
    ordo_sort_opts const from = ORDO_OPTS(ordo_sort_opts, .flags = flags, .source = before);
    switch (what) {
    case SORT:
        return ordo_sort(ctx, type, k, n, &opts);
    case FROM:
        return ordo_sort(ctx, type, k, n, &from);
    case PAIRS:
        return ordo_sort_pairs(ctx, type, k, n, v, value_size, &opts);
    default:
        return ordo_argsort(ctx, type, k, n, value_size == 4 ? ORDO_U32 : ORDO_U64, v, &opts);
    }
}

static void fill_values(size_t n, size_t size)
{
    test_rng rng = {n + size};
    for (size_t i = 0; i < n * size; i++)
        values_before[i] = (unsigned char)test_rng_next(&rng);
}

/* Fills the arrays and computes the expected result. */
static void prepare(verb what, size_t shape, ordo_type type, size_t n, size_t value_size,
                    uint64_t flags)
{
    size_t const size = ordo_type_size(type);
    inputs_fill(shape, type, before, n, n + shape);
    fill_values(n, value_size);
    memcpy(expected, before, n * size);
    memcpy(values_expected, values_before, n * value_size);
    CHECK_STATUS(ORDO_OK, call(cpu, what, type, expected, n, values_expected, value_size, flags),
                 cpu);
    memcpy(keys, before, n * size);
    memcpy(values, values_before, n * value_size);
    if (what == FROM) {
        memset(keys, 0xee, n * size);
        memcpy(values_expected, before, n * size);
    }
}

/* Tests one of every `of` combinations. */
static void same_bytes(ordo_ctx *ctx, bool streams, size_t of)
{
    static const size_t value_sizes[] = {4, 8, 1, 3, 16};
    size_t              streamed = 0;
    for (size_t t = 0; t < INPUTS_TYPES; t++)
        for (size_t shape = 0; shape < inputs_count(); shape++)
            for (verb what = SORT; what < VERBS; what++) {
                ordo_type const type = inputs_types[t];
                size_t const    size = ordo_type_size(type);
                size_t const    pick = t + shape + (size_t)what;
                size_t const    value_size = what <= FROM    ? 0
                                             : what == PAIRS ? value_sizes[pick % 5]
                                                             : value_sizes[pick % 2];
                size_t const    n = MOST - (pick * 613) % 3000;
                uint64_t const  flags = pick % 3 == 0 ? ORDO_DESCENDING : 0;
                if (pick % (of * FEWER) != 0)
                    continue;
                testkit_case("verb %d, %s of %s, n = %zu, values of %zu, flags %d", (int)what,
                             inputs_name(shape), ordo_type_name(type), n, value_size, (int)flags);
                prepare(what, shape, type, n, value_size, flags);
                if (what == ARGSORT && !STREAMED) /* the device has no argsort of its own */
                    continue;
                CHECK_STATUS(ORDO_OK, call(ctx, what, type, keys, n, values, value_size, flags),
                             ctx);
                CHECK_BYTES(what == ARGSORT ? before : expected, keys, n * size, size);
                if (value_size != 0)
                    CHECK_BYTES(values_expected, values, n * value_size, value_size);
                else if (what == FROM)
                    CHECK_BYTES(values_expected, before, n * size, size);
                streamed += was_streamed(ctx);
                if (was_streamed(ctx)) /* facts of an inner sort are not reported */
                    CHECK_EQ_U64(0, facts_of(ctx).record_bytes);
            }
    testkit_case("streamed");
    CHECK((streamed > 0) == streams);
}

/* Dense keys use fewer bytes on the link if the CPU may unpack them, and only then. */
static void packed(ordo_where where)
{
    ordo_ctx *const ctx = play_context(where, 4, -1);
    testkit_case("packed, device %d", (int)where);
    prepare(SORT, inputs_find("random bits"), ORDO_U64, MOST, 0, 0);
    CHECK_STATUS(ORDO_OK, call(ctx, SORT, ORDO_U64, keys, MOST, NULL, 0, 0), ctx);
    CHECK_BYTES(expected, keys, (size_t)MOST * 8, 8);
    double const share = facts_of(ctx).packed;
    CHECK((share > 0) == (where == ORDO_HYBRID));
    CHECK(share < 0.95);
    ordo_ctx_free(ctx);
}

/* The device sorts the rest of a share that is too large for the CPU. */
static void handed_over(void)
{
    ordo_ctx *const ctx = play_context(ORDO_HYBRID, 1, 0.6);
    testkit_case("buckets handed over to the device");
    for (verb what = SORT; what < VERBS; what++) {
        prepare(what, inputs_find("random bits"), ORDO_U32, MOST, what <= FROM ? 0 : 4, 0);
        CHECK_STATUS(ORDO_OK, call(ctx, what, ORDO_U32, keys, MOST, values, 4, 0), ctx);
        CHECK_BYTES(what == ARGSORT ? before : expected, keys, (size_t)MOST * 4, 4);
        if (what > FROM)
            CHECK_BYTES(values_expected, values, (size_t)MOST * 4, 4);
        CHECK(facts_of(ctx).handed_over > 0);
    }
    ordo_ctx_free(ctx);
}

/* Sums the bytes of the spans of each kind for one sort of pairs. Their keys are too short for
 * packing. */
static void profile(ordo_where where, unsigned threads, double share, uint64_t *bytes)
{
    static ordo_span spans[1 << 14];
    ordo_ctx *const  ctx = CONTEXT(.where = where, .threads = threads, .cpu_share = share,
                                   .profile = 1, .seed = 1); /* the spans depend on the sample */
    prepare(PAIRS, inputs_find("random bits"), ORDO_U16, MOST, 4, 0);
    CHECK_STATUS(ORDO_OK, call(ctx, PAIRS, ORDO_U16, keys, MOST, values, 4, 0), ctx);
    size_t const count = ordo_last_profile(ctx, spans, sizeof spans / sizeof *spans);
    CHECK(count > 0 && count <= sizeof spans / sizeof *spans);
    memset(bytes, 0, (ORDO_SPAN_WORK + 1) * sizeof *bytes);
    for (size_t i = 0; i < count; i++) {
        CHECK(spans[i].kind >= ORDO_SPAN_PHASE_I && spans[i].kind <= ORDO_SPAN_WORK);
        CHECK(spans[i].began >= 0 && spans[i].began <= spans[i].ended);
        bytes[spans[i].kind] += spans[i].bytes;
    }
    ordo_ctx_free(ctx);
}

/* The spans of the threads and of the link add up to the bytes of the array. */
static void profiled(void)
{
    enum {
        ALL = MOST * 6
    };
    uint64_t  bytes[ORDO_SPAN_WORK + 1];
    ordo_span none;
    testkit_case("profile");
    profile(ORDO_CUDA, 3, 0, bytes);
    CHECK_EQ_U64(ALL, bytes[ORDO_SPAN_DIVIDE]);
    CHECK_EQ_U64(ALL, bytes[ORDO_SPAN_IN]);
    CHECK_EQ_U64(ALL, bytes[ORDO_SPAN_OUT]);
    CHECK_EQ_U64(ALL, bytes[ORDO_SPAN_PUT]);
    CHECK_EQ_U64(2 * ALL, bytes[ORDO_SPAN_WORK]); /* in a batch and in a segment */
    CHECK_STATUS(ORDO_OK, call(cpu, SORT, ORDO_U32, keys, MOST, NULL, 0, 0), cpu);
    CHECK(ordo_last_profile(cpu, &none, 1) == 0);

    testkit_case("profile of a share that is handed over");
    profile(ORDO_HYBRID, 1, 0.6, bytes);
    uint64_t const in = bytes[ORDO_SPAN_IN];
    /* Handed-over records are sorted once on the device, the others twice. */
    uint64_t const handed_over = 2 * in - bytes[ORDO_SPAN_WORK];
    CHECK(in <= ALL && handed_over > 0 && handed_over < in);
    CHECK_EQ_U64(in, bytes[ORDO_SPAN_OUT]);
    CHECK_EQ_U64(in, bytes[ORDO_SPAN_PUT]);
    CHECK_EQ_U64(ALL, bytes[ORDO_SPAN_PUT] + bytes[ORDO_SPAN_BUCKET]);
    CHECK_EQ_U64(ALL + handed_over, bytes[ORDO_SPAN_DIVIDE]); /* they are moved once more */
}

/* ---- Failures ---- */

static const char *const functions[] = {"begin", "copy_in",  "close_side", "wait_side", "join",
                                        "sort",  "iota",     "search",     "copy",      "mark",
                                        "await", "copy_out", "end",        "pack"};

static void lose_device(const char *function, int at, verb what)
{
    testkit_case("verb %d, lost in call %d of %s", (int)what, at, function);
    play_fail(function, at, false);
    for (int hybrid = 0; hybrid < 2; hybrid++) {
        ordo_ctx *const ctx = play_context(hybrid ? ORDO_HYBRID : ORDO_CUDA, 4, 0.3);
        prepare(what, inputs_find("random bits"), ORDO_F32, MOST, what <= FROM ? 0 : 4, 0);
        ordo_status const status = call(ctx, what, ORDO_F32, keys, MOST, values, 4, 0);
        bool const        lost = status != ORDO_OK;
        if (hybrid)
            CHECK(!lost);
        else if (at == 1) /* only ARGSORT calls iota, only hybrid calls pack */
            CHECK(lost || (what != ARGSORT && strcmp(function, "iota") == 0) ||
                  strcmp(function, "pack") == 0);
        if (lost) {
            CHECK_STATUS(ORDO_E_DEVICE, status, ctx);
            CHECK(strstr(ordo_last_error(ctx), function) != NULL);
        } else {
            CHECK_BYTES(what == ARGSORT ? before : expected, keys, (size_t)MOST * 4, 4);
            if (what > FROM)
                CHECK_BYTES(values_expected, values, (size_t)MOST * 4, 4);
        }
        /* The next call works again. */
        play_without_failures();
        memcpy(keys, before, sizeof before);
        memcpy(values, values_before, sizeof values);
        CHECK_STATUS(ORDO_OK, call(ctx, what, ORDO_F32, keys, MOST, values, 4, 0), ctx);
        CHECK_BYTES(what == ARGSORT ? before : expected, keys, (size_t)MOST * 4, 4);
        play_fail(function, at, false);
        ordo_ctx_free(ctx);
    }
    play_without_failures();
}

static void lose_devices(void)
{
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
        for (verb what = SORT; what < VERBS; what++)
            for (int at = 1; at <= 16; at += at < 3 && FEWER == 1 ? 1 : 13)
                if (testkit_run_case(3))
                    lose_device(functions[f], at, what);
}

/* Device memory runs out at any point. The array is unchanged, or the status is ORDO_E_DEVICE;
 * under `hybrid` the CPU sorts. */
static void no_memory_there(void)
{
    size_t refused = 0, changed = 0;
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
        for (int at = 1; at <= 13; at += FEWER == 1 ? 6 : 12) {
            for (int hybrid = 0; hybrid < 2; hybrid++) {
                if (!testkit_run_case(3))
                    continue;
                ordo_ctx *const ctx = play_context(hybrid ? ORDO_HYBRID : ORDO_CUDA, 3, 0.3);
                testkit_case("device %d, no memory in call %d of %s", hybrid, at, functions[f]);
                prepare(PAIRS, inputs_find("random bits"), ORDO_I32, MOST, 4, 0);
                play_fail(functions[f], at, true);
                ordo_status const status = call(ctx, PAIRS, ORDO_I32, keys, MOST, values, 4, 0);
                play_without_failures();
                if (hybrid || status == ORDO_OK) {
                    CHECK_STATUS(ORDO_OK, status, ctx);
                    CHECK_BYTES(expected, keys, (size_t)MOST * 4, 4);
                    CHECK_BYTES(values_expected, values, (size_t)MOST * 4, 4);
                } else if (status == ORDO_E_NOMEM) {
                    CHECK_BYTES(before, keys, (size_t)MOST * 4, 4);
                    CHECK_BYTES(values_before, values, (size_t)MOST * 4, 4);
                    refused++;
                } else {
                    CHECK_STATUS(ORDO_E_DEVICE, status, ctx);
                    changed++;
                }
                ordo_ctx_free(ctx);
            }
        }
    CHECK(refused > 0 && changed > 0);
}

/* Host memory runs out: one allocation fails, or all from one on, with and without rounds. A
 * context for the device only takes all its memory before the array changes. */
static void no_memory_here(void)
{
    static const char *const rooms[] = {NULL, "40000"};
    for (size_t i = 0; i < 4; i++) {
        bool more = true;
        play_memory(rooms[i % 2]);
        for (size_t at = 2; more; at += 1 + FEWER / 2) { /* the first allocation is the context */
            test_allocator allocator = {.fail_at = at, .only_one = i < 2};
            ordo_ctx      *ctx = NULL;
            if (ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CUDA, .threads = 2,
                                                 ALLOCATOR(&allocator))) != ORDO_OK)
                continue;
            testkit_case("memory %zu, host allocation %zu fails", i, at);
            prepare(PAIRS, inputs_find("random bits"), ORDO_I32, MOST, 4, 0);
            ordo_status const status = call(ctx, PAIRS, ORDO_I32, keys, MOST, values, 4, 0);
            if (status == ORDO_OK) {
                CHECK_BYTES(expected, keys, (size_t)MOST * 4, 4);
                CHECK_BYTES(values_expected, values, (size_t)MOST * 4, 4);
            } else if (CHECK_STATUS(ORDO_E_NOMEM, status, ctx)) {
                CHECK_BYTES(before, keys, (size_t)MOST * 4, 4);
                CHECK_BYTES(values_before, values, (size_t)MOST * 4, 4);
            }
            more = allocator.refused > 0;
            ordo_ctx_free(ctx);
        }
        CHECK(!more);
    }
    play_memory(NULL);
}

/* The number of host allocations does not depend on the number of rounds: all ranges share their
 * scratch. */
static void scratch_of_rounds(void)
{
    static const char *const rooms[] = {"45000", "12000"};
    size_t                   taken[2];
    uint64_t                 rounds[2];
    testkit_case("scratch of rounds");
    for (int i = 0; i < 2; i++) {
        test_allocator  allocator = {0};
        ordo_ctx *const ctx =
            CONTEXT(.where = ORDO_CUDA, .threads = 2, .seed = 1, ALLOCATOR(&allocator));
        play_memory(rooms[i]);
        prepare(SORT, inputs_find("random bits"), ORDO_U64, MOST, 0, 0);
        CHECK_STATUS(ORDO_OK, call(ctx, SORT, ORDO_U64, keys, MOST, NULL, 0, 0), ctx);
        rounds[i] = facts_of(ctx).rounds;
        taken[i] = atomic_load(&allocator.calls);
        ordo_ctx_free(ctx);
    }
    play_memory(NULL);
    CHECK(rounds[0] > 1 && rounds[1] >= 3 * rounds[0]);
    CHECK_EQ_U64(taken[0], taken[1]);
}

/* Device memory from far too little to nearly enough. */
static void little_memory(void)
{
    static const char *const rooms[] = {"100", "12000", "30000", "60000", "90000"};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        play_memory(rooms[i]);
        ordo_ctx *const ctx = play_context(ORDO_HYBRID, 1 + (unsigned)i % 4, i % 2 == 0 ? -1 : 0.2);
        same_bytes(ctx, i > 0, 6);
        ordo_ctx_free(ctx);
    }
    play_memory("40000");
    for (verb what = SORT; what < VERBS; what++)
        for (int at = 1; at <= 61; at += 20) {
            lose_device("sort", at, what);
            lose_device("copy_out", at, what);
        }
    testkit_case("too little memory");
    play_memory("100");
    ordo_ctx *const ctx = play_context(ORDO_CUDA, 2, 0);
    prepare(SORT, inputs_find("random bits"), ORDO_U32, MOST, 0, 0);
    CHECK_STATUS(ORDO_E_NOMEM, call(ctx, SORT, ORDO_U32, keys, MOST, NULL, 0, 0), ctx);
    CHECK_BYTES(before, keys, (size_t)MOST * 4, 4);
    ordo_ctx_free(ctx);
    play_memory(NULL);
}

/* A call that is cancelled anywhere ends and reports the state of the array correctly; the next
 * call works. */
static void cancel(ordo_where where, double share)
{
    int cancelled = 0;
    testkit_case("cancelled, device %d", (int)where);
    for (int round = 0; round < 200 && cancelled < 20; round++) {
        canceller with = {.ctx = play_context(where, 3, share), .at = CANCEL_AT(round)};
        prepare(PAIRS, inputs_find("random bits"), ORDO_U64, MOST, 4, 0);
        if (!canceller_start(&with))
            return;
        ordo_status const status = call(with.ctx, PAIRS, ORDO_U64, keys, MOST, values, 4, 0);
        canceller_end(&with);
        cancelled += status == ORDO_E_CANCELLED;
        if (status == ORDO_OK) {
            CHECK_BYTES(expected, keys, (size_t)MOST * 8, 8);
        } else if (CHECK_STATUS(ORDO_E_CANCELLED, status, with.ctx) &&
                   strstr(ordo_last_error(with.ctx), "unchanged") != NULL) {
            CHECK_BYTES(before, keys, (size_t)MOST * 8, 8);
            CHECK_BYTES(values_before, values, (size_t)MOST * 4, 4);
        }
        memcpy(keys, before, sizeof before);
        memcpy(values, values_before, sizeof values);
        CHECK_STATUS(ORDO_OK, call(with.ctx, PAIRS, ORDO_U64, keys, MOST, values, 4, 0), with.ctx);
        CHECK_BYTES(expected, keys, (size_t)MOST * 8, 8);
        ordo_ctx_free(with.ctx);
    }
    CHECK(cancelled > 0);
}

/* An allocator that cancels the call at its at-th allocation. */
typedef struct cancelling {
    ordo_ctx *ctx;
    size_t    asked, at;
} cancelling;

static void *alloc_and_cancel(void *user, size_t bytes)
{
    cancelling *const with = user;
    if (++with->asked == with->at && with->ctx != NULL)
        ordo_cancel(with->ctx);
    return malloc(bytes);
}

static void release(void *user, void *block)
{
    (void)user;
    free(block);
}

/* The device fails after the array has changed, and the CPU, which continues, is cancelled. If the
 * error says that the array is unchanged, it is, even if the copy it was restored from has another
 * order. */
static void cancel_after_loss(double share)
{
    size_t cancelled = 0;
    bool   more = true;
    for (size_t at = 1; more; at += FEWER) {
        cancelling      with = {.at = at};
        ordo_ctx *const ctx =
            CONTEXT(.where = ORDO_HYBRID, .threads = 2, .cpu_share = share,
                    .alloc = alloc_and_cancel, .release = release, .alloc_user = &with);
        testkit_case("the device was lost, cancelled at allocation %zu, share %.1f", at, share);
        with.ctx = ctx;
        prepare(SORT, inputs_find("random bits"), ORDO_U32, MOST, 0, 0);
        play_fail("copy_out", 20, false);
        ordo_status const status = call(ctx, SORT, ORDO_U32, keys, MOST, NULL, 0, 0);
        play_without_failures();
        cancelled += status == ORDO_E_CANCELLED;
        if (status == ORDO_OK)
            CHECK_BYTES(expected, keys, (size_t)MOST * 4, 4);
        else if (CHECK_STATUS(ORDO_E_CANCELLED, status, ctx) &&
                 strstr(ordo_last_error(ctx), "unchanged") != NULL)
            CHECK_BYTES(before, keys, (size_t)MOST * 4, 4);
        more = with.asked >= at;
        ordo_ctx_free(ctx);
    }
    CHECK(cancelled > 0);
}

int main(void)
{
    testkit_start();
    play_start();
    cpu = play_context(ORDO_CPU, 1, 0);
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        ordo_ctx *const ctx = play_context(ORDO_CUDA, threads, 0);
        same_bytes(ctx, STREAMED, threads);
        ordo_ctx_free(ctx);
    }
    static double const shares[] = {-1, 0.15, 0.5, 0.9, 1, 0};
    for (size_t i = 0; i < sizeof shares / sizeof *shares && STREAMED; i++) {
        ordo_ctx *const ctx = play_context(ORDO_HYBRID, 1 + (unsigned)i % 4, shares[i]);
        same_bytes(ctx, shares[i] < 1, 4);
        ordo_ctx_free(ctx);
    }
    if (STREAMED) {
        packed(ORDO_CUDA);
        packed(ORDO_HYBRID);
        handed_over();
        profiled();
        lose_devices();
        little_memory();
        no_memory_there();
        no_memory_here();
        scratch_of_rounds();
        cancel_after_loss(0.3);
        cancel_after_loss(-1);
        cancel(ORDO_CUDA, 0);
        cancel(ORDO_HYBRID, 0.3);
    }
    ordo_ctx_free(cpu);
    return testkit_done();
}

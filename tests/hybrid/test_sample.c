/* test_sample.c - the hybrid sample sort (lib/papers/hybrid), on machines without a device
 * (streamkit.h). The results equal the bytes of the CPU's own sort for every type, shape,
 * direction, share and verb. If any device function or step fails, the CPU sorts, or the caller's
 * arrays are unchanged unless results have begun to replace them. The same holds for memory, for
 * cancelled calls and for pinned arrays. */
#define _POSIX_C_SOURCE 200809L
#include "plan/calibration.h"
#include "inputs.h"
#include "streamkit.h"
#include "ordo_gen.h"
#include "ordo_machine.h"

#include <stdlib.h>
#include <string.h>

enum {
#ifdef ORDO_TINY
    MOST = 6007,
#else
    MOST = (1 << 16) + 1,
#endif
    LEAST = 9, /* fewer keys are left to the CPU */
    VALUE_MOST = 16,
    FEWER = TESTKIT_SANITIZED ? 5 : 1 /* test one of this many combinations */
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

static ordo_status call(ordo_ctx *ctx, verb what, ordo_algorithm algorithm, ordo_type type, void *k,
                        size_t n, void *v, size_t value_size, uint64_t flags)
{
    ordo_sort_opts const opts =
        ORDO_OPTS(ordo_sort_opts, .flags = flags, .algorithm = (uint32_t)algorithm,
                  .source = what == FROM ? before : NULL);
    switch (what) {
    case SORT:
    case FROM:
        return ordo_sort(ctx, type, k, n, &opts);
    case PAIRS:
        return ordo_sort_pairs(ctx, type, k, n, v, value_size, &opts);
    default:
        return ordo_argsort(ctx, type, k, n, value_size == 4 ? ORDO_U32 : ORDO_U64, v, &opts);
    }
}

/* The arrays as the input filled `before`; computes the expected result. */
static void expect(verb what, ordo_type type, size_t n, size_t value_size, uint64_t flags)
{
    size_t const size = ordo_type_size(type);
    test_rng     rng = {n + value_size};
    for (size_t i = 0; i < n * value_size; i++)
        values_before[i] = (unsigned char)test_rng_next(&rng);
    memcpy(expected, before, n * size);
    memcpy(values_expected, values_before, n * value_size);
    CHECK_STATUS(
        ORDO_OK,
        call(cpu, what, ORDO_ALGORITHM_AUTO, type, expected, n, values_expected, value_size, flags),
        cpu);
    memcpy(keys, before, n * size);
    memcpy(values, values_before, n * value_size);
    if (what == FROM)
        memset(keys, 0xee, n * size);
}

static void check_result(verb what, ordo_type type, size_t n, size_t value_size)
{
    size_t const size = ordo_type_size(type);
    CHECK_BYTES(what == ARGSORT ? before : expected, keys, n * size, size);
    if (value_size != 0)
        CHECK_BYTES(values_expected, values, n * value_size, value_size);
}

static void check_unchanged(ordo_type type, size_t n, size_t value_size)
{
    CHECK_BYTES(before, keys, n * ordo_type_size(type), ordo_type_size(type));
    CHECK_BYTES(values_before, values, n * value_size, value_size);
}

static bool ran_in_phases(const ordo_ctx *ctx)
{
    return facts_of(ctx).strategy == ORDO_STRATEGY_PHASES;
}

static void same(ordo_ctx *ctx, verb what, ordo_type type, size_t n, size_t value_size,
                 uint64_t flags)
{
    static const ordo_algorithm algorithms[] = {ORDO_ALGORITHM_INTERVALS, ORDO_ALGORITHM_SAMPLE};
    for (size_t a = 0; a < sizeof algorithms / sizeof *algorithms; a++) {
        expect(what, type, n, value_size, flags);
        CHECK_STATUS(ORDO_OK,
                     call(ctx, what, algorithms[a], type, keys, n, values, value_size, flags), ctx);
        check_result(what, type, n, value_size);
    }
}

/* ---- Results ---- */

static size_t value_size_of(verb what, size_t pick)
{
    static const size_t sizes[] = {4, 8, 1, 3, 16, 2, 12};
    return what <= FROM ? 0 : sizes[pick % (what == PAIRS ? 7 : 2)];
}

/* Every type and shape of the test inputs; one of every `of` combinations. */
static void shapes(ordo_where where, double share, unsigned threads, size_t of)
{
    ordo_ctx *const ctx = play_context(where, threads, share);
    size_t          phases = 0;
    for (size_t t = 0; t < INPUTS_TYPES; t++)
        for (size_t shape = 0; shape < inputs_count(); shape++)
            for (verb what = SORT; what < VERBS; what++) {
                size_t const    pick = t + shape + (size_t)what;
                ordo_type const type = inputs_types[t];
                size_t const    n = MOST - (pick * 613) % 3000;
                uint64_t const  flags = pick % 3 == 0 ? ORDO_DESCENDING : 0;
                if (pick % (of * FEWER) != 0)
                    continue;
                testkit_case("where %d, share %g, verb %d, %s of %s, n = %zu, flags %d", (int)where,
                             share, (int)what, inputs_name(shape), ordo_type_name(type), n,
                             (int)flags);
                inputs_fill(shape, type, before, n, n + shape);
                same(ctx, what, type, n, value_size_of(what, pick), flags);
                phases += ran_in_phases(ctx);
            }
    testkit_case("ran in phases");
    CHECK((phases > 0) == (share < 1));
    ordo_ctx_free(ctx);
}

/* The distributions of the paper and of its comparison. */
static void distributions(double share)
{
    static const ordo_dist dists[] = {ORDO_DIST_UNIFORM, ORDO_DIST_ZERO,     ORDO_DIST_FEW,
                                      ORDO_DIST_SORTED,  ORDO_DIST_GAUSSIAN, ORDO_DIST_STAGGERED,
                                      ORDO_DIST_BUCKET,  ORDO_DIST_DUPES};
    static const ordo_type types[] = {ORDO_U32, ORDO_F32, ORDO_U64, ORDO_F64, ORDO_I32};
    ordo_ctx *const        ctx = play_context(ORDO_HYBRID, 3, share);
    for (size_t d = 0; d < sizeof dists / sizeof *dists; d++)
        for (verb what = SORT; what < VERBS; what++) {
            ordo_type const type = types[(d + (size_t)what) % 5];
            testkit_case("distribution %d, %s, verb %d, share %g", (int)dists[d],
                         ordo_type_name(type), (int)what, share);
            CHECK_STATUS(ORDO_OK,
                         ordo_gen(cpu, dists[d], type, before, MOST,
                                  &ORDO_OPTS(ordo_gen_opts, .seed = 1 + d)),
                         cpu);
            same(ctx, what, type, MOST, value_size_of(what, d), 0);
            CHECK(ran_in_phases(ctx));
        }
    ordo_ctx_free(ctx);
}

/* The labels of few keys: the CPU's come first, and greater keys have no smaller label. */
static void passes(double share)
{
    ordo_ctx *const ctx = play_context(ORDO_HYBRID, 2, share);
    for (size_t n = LEAST - 1; n <= ORDO_PASS_MOST + 1; n++) {
        const uint32_t *const numbers = (const uint32_t *)(const void *)before;
        testkit_case("labels, share %g, n = %zu", share, n);
        inputs_fill(inputs_find("random bits"), ORDO_U32, before, n, n);
        memcpy(before, before + sizeof *numbers, sizeof *numbers); /* two keys tie */
        same(ctx, SORT, ORDO_U32, n, 0, 0);
        ordo_facts const facts = facts_of(ctx);
        CHECK_EQ_U64(n < LEAST || n > ORDO_PASS_MOST ? 0 : n, facts.pass_n);
        if (facts.pass_n == 0)
            continue;
        CHECK_EQ_U64((size_t)(facts.cpu_share * (double)n + 0.5), facts.pass_cpu);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                unsigned const a = facts.pass_labels[i], b = facts.pass_labels[j];
                CHECK(a > b ? numbers[i] > numbers[j]
                            : a < b || a % 2 == 0 || numbers[i] == numbers[j]);
            }
    }
    ordo_ctx_free(ctx);
}

static void sizes(double share)
{
    static const size_t ns[] = {0,  1,   2,   LEAST - 1, LEAST,    LEAST + 1, 64,
                                65, 300, 513, 1024,      MOST - 2, MOST - 1,  MOST};
    ordo_ctx *const     ctx = play_context(ORDO_HYBRID, 2, share);
    for (size_t i = 0; i < sizeof ns / sizeof *ns; i++)
        for (verb what = SORT; what < VERBS; what++) {
            testkit_case("n = %zu, verb %d, share %g", ns[i], (int)what, share);
            inputs_fill(inputs_find("random bits"), ORDO_F64, before, ns[i], i);
            same(ctx, what, ORDO_F64, ns[i], what <= FROM ? 0 : 8, 0);
            CHECK(ran_in_phases(ctx) == (ns[i] >= LEAST));
        }
    ordo_ctx_free(ctx);
}

/* ---- Shares and times ---- */

static void shares(void)
{
    static const double asked[] = {0.01, 0.3, 0.5, 0.99, -1, 0};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        ordo_ctx *const ctx = play_context(ORDO_HYBRID, 2, asked[i]);
        testkit_case("share %g", asked[i]);
        inputs_fill(inputs_find("random bits"), ORDO_U32, before, MOST, i);
        same(ctx, SORT, ORDO_U32, MOST, 0, 0);
        double const used = facts_of(ctx).cpu_share, built_in = STANDARD_SAMPLE_SHARE / 1000.0;
        double const wanted = asked[i] < 0 ? 0 : asked[i] > 0 ? asked[i] : built_in;
        CHECK(used > wanted - 0.001 && used < wanted + 0.001);
        ordo_ctx_free(ctx);
    }
    ordo_ctx *out = NULL;
    testkit_case("shares outside 0 to 1");
    CHECK(ordo_ctx_create(&out, &ORDO_OPTS(ordo_ctx_opts, .where = ORDO_HYBRID,
                                           .cpu_share = 1.01)) == ORDO_E_ARG);
    CHECK(strstr(ordo_last_error(NULL), "cpu_share") != NULL);
}

/* A share that is asked for is used by every algorithm that can, or refused with the reason. */
static void shares_of_others(unsigned threads)
{
    static const ordo_algorithm algorithms[] = {ORDO_ALGORITHM_AUTO, ORDO_ALGORITHM_RADIX,
                                                ORDO_ALGORITHM_MERGE, ORDO_ALGORITHM_BITONIC};
    ordo_ctx *const             ctx = play_context(ORDO_HYBRID, threads, 0.25);
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++)
        for (verb what = SORT; what < VERBS; what++) {
            size_t const value_size = what <= FROM ? 0 : 4;
            testkit_case("algorithm %d, verb %d", (int)algorithms[i], (int)what);
            inputs_fill(inputs_find("random bits"), ORDO_U32, before, MOST, i);
            expect(what, ORDO_U32, MOST, value_size, 0);
            ordo_status const status =
                call(ctx, what, algorithms[i], ORDO_U32, keys, MOST, values, value_size, 0);
            if (i < 2) {
                CHECK_STATUS(ORDO_OK, status, ctx);
                check_result(what, ORDO_U32, MOST, value_size);
                CHECK(was_streamed(ctx));
                double const share = facts_of(ctx).cpu_share;
                CHECK(share > 0.1 && share < 0.4);
            } else {
                CHECK_STATUS(ORDO_E_ARG, status, ctx);
                CHECK(strstr(ordo_last_error(ctx), "cpu_share") != NULL);
                if (what != FROM)
                    check_unchanged(ORDO_U32, MOST, value_size);
            }
        }
    ordo_ctx_free(ctx);
}

/* Several devices: the input is cut into one part for each, and every part is a device's share. */
static void several_devices(void)
{
    static const ordo_device_share lists[][3] = {
        {{1, 0.4}, {2, 0.3}}, {{1, 0.5}, {1, 0.5}}, {{3, 0.2}, {1, 0.2}, {2, 0.2}}, {{2, 0.9}}};
    static const size_t counts[] = {2, 2, 3, 1};
    for (size_t i = 0; i < 4; i++) {
        ordo_ctx *const ctx = CONTEXT(.where = ORDO_HYBRID, .threads = 3, .devices = lists[i],
                                      .device_count = counts[i]);
        double          rest = 1;
        for (size_t d = 0; d < counts[i]; d++)
            rest -= lists[i][d].share;
        for (size_t t = 0; t < INPUTS_TYPES; t++)
            for (size_t shape = 0; shape < inputs_count(); shape++) {
                size_t const pick = t * 5 + shape * 3 + i;
                verb const   what = (verb)(pick % VERBS);
                if (pick % (MOST > 10000 ? 37 : 7) != 0)
                    continue;
                testkit_case("list %zu, verb %d, %s of %s", i, (int)what, inputs_name(shape),
                             ordo_type_name(inputs_types[t]));
                inputs_fill(shape, inputs_types[t], before, MOST, pick);
                same(ctx, what, inputs_types[t], MOST, value_size_of(what, pick),
                     pick % 2 ? ORDO_DESCENDING : 0);
                CHECK(ran_in_phases(ctx));
                CHECK_EQ_U64(counts[i], facts_of(ctx).devices);
                double const share = facts_of(ctx).cpu_share;
                CHECK(share > rest - 0.001 && share < rest + 0.001);
            }
        ordo_ctx_free(ctx);
    }
}

static void bad_device_lists(void)
{
    static const ordo_device_share lists[][2] = {
        {{0, 0.5}, {1, 0.5}}, {{1, 0.6}, {2, 0.6}}, {{1, 0}, {2, 0.5}}, {{1, -0.1}, {2, 0.5}}};
    for (size_t i = 0; i < 4; i++) {
        ordo_ctx *ctx = NULL;
        testkit_case("bad list %zu", i);
        CHECK(ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .where = ORDO_HYBRID,
                                               .devices = lists[i], .device_count = 2)) ==
              ORDO_E_ARG);
        CHECK(strlen(ordo_last_error(NULL)) > 0);
    }
    static const ordo_device_share absent[] = {{1, 0.5}, {9, 0.5}};
    ordo_ctx *const ctx = CONTEXT(.where = ORDO_HYBRID, .devices = absent, .device_count = 2);
    testkit_case("a device that is not there");
    inputs_fill(inputs_find("random bits"), ORDO_U32, before, MOST, 1);
    expect(SORT, ORDO_U32, MOST, 0, 0);
    CHECK_STATUS(ORDO_E_ARG,
                 call(ctx, SORT, ORDO_ALGORITHM_SAMPLE, ORDO_U32, keys, MOST, NULL, 0, 0), ctx);
    check_unchanged(ORDO_U32, MOST, 0);
    ordo_ctx_free(ctx);
}

/* A limit of multiprocessors reaches the device, and the context reports the rounded number. */
static void multiprocessors(void)
{
    static const uint32_t asked[] = {0, 1, 8, 9, 24};
    static const uint64_t used[] = {24, 8, 8, 16, 24};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        ordo_ctx *const ctx = CONTEXT(.where = ORDO_HYBRID, .threads = 2, .device_sms = asked[i]);
        testkit_case("%u multiprocessors", asked[i]);
        CHECK_EQ_U64(used[i], info_of(ctx).device_sms);
        inputs_fill(inputs_find("random bits"), ORDO_U32, before, MOST, i);
        same(ctx, SORT, ORDO_U32, MOST, 0, 0);
        ordo_ctx_free(ctx);
    }
    ordo_ctx *const ctx = CONTEXT(.where = ORDO_HYBRID, .device_sms = 25);
    testkit_case("more multiprocessors than the device has");
    inputs_fill(inputs_find("random bits"), ORDO_U32, before, MOST, 1);
    expect(SORT, ORDO_U32, MOST, 0, 0);
    CHECK_STATUS(ORDO_E_UNSUPPORTED,
                 call(ctx, SORT, ORDO_ALGORITHM_SAMPLE, ORDO_U32, keys, MOST, NULL, 0, 0), ctx);
    CHECK(strstr(ordo_last_error(ctx), "device_sms is 25") != NULL &&
          strstr(ordo_last_error(ctx), "24 multiprocessors") != NULL);
    check_unchanged(ORDO_U32, MOST, 0);
    CHECK_EQ_U64(0, info_of(ctx).device_sms);
    ordo_ctx_free(ctx);
    ordo_ctx *out = NULL;
    CHECK(ordo_ctx_create(&out, &ORDO_OPTS(ordo_ctx_opts, .reserved = 1)) == ORDO_E_VERSION);
}

static void check_times(const ordo_facts *facts, bool cpu_computes)
{
    for (int i = 0; i < 4; i++) {
        CHECK(facts->sample_seconds[i] >= facts->cpu_seconds[i]);
        CHECK(facts->sample_seconds[i] >= facts->device_seconds[i]);
        CHECK(facts->sample_seconds[i] > 0);
        CHECK(i == 0 || (facts->cpu_seconds[i] > 0) == cpu_computes);
    }
    CHECK(facts->cpu_idle_seconds >= 0 && facts->device_idle_seconds >= 0);
}

/* The four phases have times on the CPU alone, on the device alone and on both. The spans of a
 * profile cover them. */
static void times(void)
{
    static ordo_span spans[1 << 12];
    static const struct {
        ordo_where where;
        double     share;
    } sides[] = {{ORDO_CPU, 0}, {ORDO_CUDA, 0}, {ORDO_HYBRID, 0.4}};
    for (size_t i = 0; i < 3; i++) {
        ordo_ctx *const ctx = CONTEXT(.where = (uint32_t)sides[i].where, .threads = 2, .seed = 1,
                                      .cpu_share = sides[i].share, .profile = 1);
        testkit_case("times, where %d", (int)sides[i].where);
        inputs_fill(inputs_find("random bits"), ORDO_U32, before, MOST, 1);
        same(ctx, SORT, ORDO_U32, MOST, 0, 0);
        ordo_facts const facts = facts_of(ctx);
        check_times(&facts, i != 1);
        CHECK((facts.copy_seconds > 0) == (i != 0));
        size_t const count = ordo_last_profile(ctx, spans, sizeof spans / sizeof *spans);
        unsigned     kinds = 0;
        for (size_t s = 0; s < count; s++) {
            CHECK(spans[s].began >= 0 && spans[s].began <= spans[s].ended);
            kinds |= 1u << spans[s].kind;
        }
        unsigned const phases = 1u << ORDO_SPAN_PHASE_I | 1u << ORDO_SPAN_PHASE_II |
                                1u << ORDO_SPAN_PHASE_III | 1u << ORDO_SPAN_PHASE_IV |
                                1u << ORDO_SPAN_WORK;
        CHECK(i == 0 || (kinds & phases) == phases);
        ordo_ctx_free(ctx);
    }
}

/* ---- Failures ---- */

static const char *const functions[] = {"begin", "copy_in",  "close_side",   "wait_side", "join",
                                        "label", "count",    "scatter",      "place",     "mark",
                                        "await", "copy_out", "sort_buckets", "result",    "end",
                                        "tick",  "watch"};

/* Whether a failure of the function may come when results have begun to replace the input. */
static bool is_late(const char *function, verb what)
{
    static const char *const early[] = {"begin", "copy_in", "label", "count", "scatter", "place"};
    for (size_t i = 0; i < sizeof early / sizeof *early; i++)
        if (strcmp(function, early[i]) == 0)
            return false;
    return what == SORT || what == PAIRS;
}

static void lose_device(const char *function, int at, verb what, bool memory)
{
    size_t const value_size = what <= FROM ? 0 : 4;
    for (int hybrid = 0; hybrid < 2; hybrid++) {
        ordo_ctx *const ctx = play_context(hybrid ? ORDO_HYBRID : ORDO_CUDA, 3, 0.3);
        testkit_case("verb %d, where %d, lost in call %d of %s, memory %d", (int)what, hybrid, at,
                     function, memory);
        inputs_fill(inputs_find("random bits"), ORDO_F32, before, MOST, (uint64_t)at);
        expect(what, ORDO_F32, MOST, value_size, 0);
        play_fail(function, at, memory);
        ordo_status const status =
            call(ctx, what, ORDO_ALGORITHM_SAMPLE, ORDO_F32, keys, MOST, values, value_size, 0);
        play_without_failures();
        if (hybrid)
            CHECK(status == ORDO_OK || (status == ORDO_E_DEVICE && is_late(function, what)));
        else if (at == 1) /* one device has nothing to exchange */
            CHECK(status != ORDO_OK || strcmp(function, "place") == 0);
        if (status == ORDO_OK) {
            check_result(what, ORDO_F32, MOST, value_size);
        } else {
            CHECK(status == ORDO_E_DEVICE || (memory && status == ORDO_E_NOMEM));
            CHECK(strstr(ordo_last_error(ctx), function) != NULL);
            if ((what == SORT || what == PAIRS) && !is_late(function, what))
                check_unchanged(ORDO_F32, MOST, value_size);
        }
        /* The next call works again. */
        same(ctx, what, ORDO_F32, MOST, value_size, 0);
        CHECK(ran_in_phases(ctx));
        ordo_ctx_free(ctx);
    }
}

static void lose_devices(size_t of)
{
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
        for (verb what = SORT; what < VERBS; what++)
            for (int at = 1; at <= 15; at += FEWER == 1 ? 7 : 14)
                if ((f + (size_t)what) % of == 0 && testkit_run_case(2))
                    lose_device(functions[f], at, what, (f + (size_t)at) % 3 == 0);
}

/* The device has too little memory: the CPU sorts, or the call is refused and changes nothing. */
static void little_memory(void)
{
    play_memory("10000");
    for (int hybrid = 0; hybrid < 2; hybrid++) {
        ordo_ctx *const ctx = play_context(hybrid ? ORDO_HYBRID : ORDO_CUDA, 2, 0.3);
        testkit_case("little device memory, where %d", hybrid);
        inputs_fill(inputs_find("random bits"), ORDO_U64, before, MOST, 1);
        expect(PAIRS, ORDO_U64, MOST, 4, 0);
        ordo_status const status =
            call(ctx, PAIRS, ORDO_ALGORITHM_SAMPLE, ORDO_U64, keys, MOST, values, 4, 0);
        CHECK_STATUS(hybrid ? ORDO_OK : ORDO_E_NOMEM, status, ctx);
        if (hybrid)
            check_result(PAIRS, ORDO_U64, MOST, 4);
        else
            check_unchanged(ORDO_U64, MOST, 4);
        ordo_ctx_free(ctx);
    }
    play_memory(NULL);
}

/* One host allocation fails, or all from one on. */
static void no_host_memory(bool only_one)
{
    bool more = true;
    for (size_t at = 2; more; at++) { /* the first allocation is the context */
        test_allocator allocator = {.fail_at = at, .only_one = only_one};
        ordo_ctx      *ctx = NULL;
        if (ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .where = ORDO_HYBRID, .threads = 2,
                                             .cpu_share = 0.3, ALLOCATOR(&allocator))) != ORDO_OK)
            continue;
        testkit_case("host allocation %zu fails, only one: %d", at, only_one);
        inputs_fill(inputs_find("random bits"), ORDO_I32, before, MOST, at);
        expect(PAIRS, ORDO_I32, MOST, 4, 0);
        ordo_status const status =
            call(ctx, PAIRS, ORDO_ALGORITHM_SAMPLE, ORDO_I32, keys, MOST, values, 4, 0);
        if (status == ORDO_OK)
            check_result(PAIRS, ORDO_I32, MOST, 4);
        else if (CHECK_STATUS(ORDO_E_NOMEM, status, ctx))
            check_unchanged(ORDO_I32, MOST, 4);
        more = allocator.refused > 0;
        ordo_ctx_free(ctx);
    }
}

static void cancel(ordo_where where)
{
    int cancelled = 0;
    testkit_case("cancelled, where %d", (int)where);
    for (int round = 0; round < 200 && cancelled < 20; round++) {
        canceller with = {.ctx = play_context(where, 3, 0.3), .at = CANCEL_AT(round)};
        inputs_fill(inputs_find("random bits"), ORDO_U64, before, MOST, (uint64_t)round);
        expect(PAIRS, ORDO_U64, MOST, 4, 0);
        if (!canceller_start(&with))
            return;
        ordo_status const status =
            call(with.ctx, PAIRS, ORDO_ALGORITHM_SAMPLE, ORDO_U64, keys, MOST, values, 4, 0);
        canceller_end(&with);
        cancelled += status == ORDO_E_CANCELLED;
        if (status == ORDO_OK)
            check_result(PAIRS, ORDO_U64, MOST, 4);
        else if (CHECK_STATUS(ORDO_E_CANCELLED, status, with.ctx) &&
                 strstr(ordo_last_error(with.ctx), "unchanged") != NULL)
            check_unchanged(ORDO_U64, MOST, 4);
        same(with.ctx, PAIRS, ORDO_U64, MOST, 4, 0);
        ordo_ctx_free(with.ctx);
    }
    CHECK(cancelled > 0);
}

/* The copies of a sort, as its profile shows them. A pinned input crosses the link in one copy;
 * other copies are not larger than a staging buffer. */
static void copies(bool pinned)
{
    enum {
        BUFFER = 1024 /* of the simulated device */
    };
    static ordo_span spans[1 << 12];
    ordo_ctx *const  ctx =
        CONTEXT(.where = ORDO_HYBRID, .threads = 2, .seed = 1, .cpu_share = 0.4, .profile = 1);
    size_t whole = 0, large = 0;
    testkit_case("copies, pinned %d", pinned);
    inputs_fill(inputs_find("random bits"), ORDO_U32, before, MOST, 1);
    same(ctx, SORT, ORDO_U32, MOST, 0, 0);
    size_t const count = ordo_last_profile(ctx, spans, sizeof spans / sizeof *spans);
    size_t const sent = MOST - (size_t)(facts_of(ctx).cpu_share * MOST + 0.5);
    CHECK(count > 0 && count < sizeof spans / sizeof *spans);
    for (size_t s = 0; s < count; s++) {
        whole += spans[s].kind == ORDO_SPAN_IN && spans[s].bytes == sent * sizeof(uint32_t);
        large += (spans[s].kind == ORDO_SPAN_IN || spans[s].kind == ORDO_SPAN_OUT) &&
                 spans[s].bytes > BUFFER;
    }
    CHECK_EQ_U64(pinned, whole);
    CHECK((large > 0) == pinned);
    ordo_ctx_free(ctx);
}

/* Arrays in pinned memory: the device copies from and to them without staging. */
static void pinned_arrays(size_t of)
{
    copies(false);
    play_pinned(true);
    copies(true);
    shapes(ORDO_CUDA, 0, 3, of);
    shapes(ORDO_HYBRID, 0.3, 1, of);
    shapes(ORDO_HYBRID, 0.5, 4, of);
    several_devices();
    if (STREAMED) {
        lose_devices(3);
        cancel(ORDO_HYBRID);
    }
    play_pinned(false);
}

int main(void)
{
    static const double some[] = {0.01, 0.3, 0.5, 0.99};
    size_t const        of = MOST > 10000 ? 23 : 5;
    testkit_start();
    play_start();
    cpu = play_context(ORDO_CPU, 1, 0);
    shapes(ORDO_CUDA, 0, 3, of);
    shapes(ORDO_HYBRID, 1, 2, 4 * of);
    shapes(ORDO_HYBRID, 0, 2, of);
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        shapes(ORDO_HYBRID, some[i], 1 + (unsigned)i, of);
        distributions(some[i]);
        sizes(some[i]);
        passes(some[i]);
    }
    shares();
    shares_of_others(1);
    shares_of_others(2);
    several_devices();
    bad_device_lists();
    multiprocessors();
    times();
    if (STREAMED) {
        lose_devices(1);
        little_memory();
        no_host_memory(false);
        no_host_memory(true);
        cancel(ORDO_CUDA);
        cancel(ORDO_HYBRID);
    }
    pinned_arrays(of);
    ordo_ctx_free(cpu);
    return testkit_done();
}

/* test_external_rank.c - ordo_external_rank: every type, tie rule and rank type, shapes with long
 * ties, files and callbacks, little memory, failures and wrong arguments. The expected ranks are
 * those of ordo_rank on all keys in memory. */
#define _GNU_SOURCE
#include "inputs.h"
#include "ordo_external.h"
#include "tapes.h"
#include "testkit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST = 4000,
    MOST_SIZE = 14
};

enum {
#ifdef ORDO_TINY
    LEAST_MEMORY = 48 << 10 /* of test_less_memory() */
#else
    LEAST_MEMORY = 8 << 20
#endif
};

static char keys[MOST * 8], input[MOST * MOST_SIZE], expected[MOST * 8], result[MOST * 8];

typedef struct rank_case {
    ordo_type type;
    rank_rule rule;
    size_t    n, size, offset;
    bool      descending, in_file;
} rank_case;

static void fill(const rank_case *e, size_t shape)
{
    size_t const key_size = ordo_type_size(e->type);
    inputs_fill(shape, e->type, keys, e->n, e->n + shape);
    memset(input, 0x77, sizeof input);
    for (size_t i = 0; i < e->n; i++)
        memcpy(input + i * e->size + e->offset, keys + i * key_size, key_size);
}

static void expect(ordo_ctx *ctx, const rank_case *e)
{
    ordo_rank_opts const opts = ORDO_OPTS(ordo_rank_opts, .ties = (uint32_t)e->rule.ties,
                                          .flags = e->descending ? ORDO_DESCENDING : 0);
    CHECK_STATUS(ORDO_OK, ordo_rank(ctx, e->type, keys, e->n, e->rule.rank_type, expected, &opts),
                 ctx);
}

/* Memory for about a quarter of the elements; the test library accepts so little. */
static uint64_t little_memory(ordo_ctx *ctx, const rank_case *e)
{
#ifdef ORDO_TINY
    size_t const n = e->n / 4 + 50;
    size_t       scratch = 0;
    CHECK_STATUS(ORDO_OK, ordo_rank_scratch(ctx, e->type, n, e->rule.rank_type, NULL, &scratch),
                 ctx);
    /* Sorts of 16-bit keys count all values. */
    size_t const counters = ordo_type_size(e->type) == 2 ? 1 << 20 : 0;
    return (16 << 10) + counters + scratch * 5 / 4 + n * (3 * 8 + 40);
#else
    return (void)ctx, (void)e, 8 << 20;
#endif
}

static ordo_status rank(ordo_ctx *ctx, const rank_case *e, tape *from, tape *to, uint64_t memory,
                        ordo_external_report *report)
{
    ordo_elements const      elements = ORDO_OPTS(ordo_elements, .type = (uint32_t)e->type,
                                                  .size = e->size, .key_offset = e->offset);
    ordo_external_opts const opts =
        ORDO_OPTS(ordo_external_opts, .memory = memory,
                  .flags = ORDO_SPILL_IN_MEMORY | (e->descending ? ORDO_DESCENDING : 0));
    ordo_source     source = ORDO_OPTS(ordo_source, .read = tape_read, .user = from);
    ordo_sink const sink = ORDO_OPTS(ordo_sink, .write = tape_write, .user = to);
    if (e->in_file) {
        char name[] = "external-XXXXXX";
        source.fd = mkstemp(name);
        source.read = NULL;
        CHECK(source.fd >= 0 && unlink(name) == 0);
        CHECK(write(source.fd, input, from->size) == (ssize_t)from->size);
        CHECK(lseek(source.fd, 0, SEEK_SET) == 0);
    }
    ordo_status const status = ordo_external_rank(ctx, &elements, &source, e->rule.ties,
                                                  e->rule.rank_type, &sink, &opts, report);
    if (e->in_file)
        close(source.fd);
    return status;
}

/* Returns the report. If `refused` is not NULL, the memory may be too small: it says so. */
static ordo_external_report check_less(ordo_ctx *ctx, const rank_case *e, uint64_t memory,
                                       bool *refused)
{
    size_t const         bytes = e->n * ordo_type_size(e->rule.rank_type);
    tape                 from = {.bytes = input, .size = e->n * e->size};
    tape                 to = {.bytes = result, .size = bytes};
    ordo_external_report report = ORDO_OPTS(ordo_external_report, .n = 0);
    memset(result, 0xee, sizeof result);
    ordo_status const status = rank(ctx, e, &from, &to, memory, &report);
    if (refused != NULL && status == ORDO_E_NOMEM) {
        *refused = true;
    } else if (CHECK_STATUS(ORDO_OK, status, ctx)) {
        CHECK_EQ_U64(bytes, to.at);
        CHECK_EQ_U64(e->n, report.n);
        CHECK_BYTES(expected, result, bytes, ordo_type_size(e->rule.rank_type));
    }
    return report;
}

static ordo_external_report check_ranks(ordo_ctx *ctx, const rank_case *e, uint64_t memory)
{
    return check_less(ctx, e, memory, NULL);
}

static void test_all(void)
{
    static const size_t ns[] = {0, 1, 2, 100, MOST};
    size_t              turn = 0, several = 0;
    for (size_t t = 0; t < INPUTS_TYPES; t++)
        for (size_t rule = 0; rule < INPUTS_RULES; rule++)
            for (size_t i = 0; i < sizeof ns / sizeof *ns; i++, turn++) {
                const test_context *const with = next_context();
                ordo_type const           type = inputs_types[t];
                size_t const              extra = turn % 3 == 0 ? 6 : 0;
                rank_case const           e = {.type = type,
                                               .rule = inputs_rule(rule),
                                               .n = ns[i],
                                               .size = ordo_type_size(type) + extra,
                                               .offset = extra / 2,
                                               .descending = turn % 2 == 1,
                                               .in_file = turn % 4 < 2 && ns[i] > 0};
                size_t const              shape = turn % inputs_count();
                if (!testkit_run_case(7))
                    continue;
                testkit_case("%s %s ties=%d n=%zu turn=%zu threads=%u", ordo_type_name(type),
                             inputs_name(shape), (int)e.rule.ties, e.n, turn, with->threads);
                fill(&e, shape);
                expect(with->ctx, &e);
                several += check_ranks(with->ctx, &e, little_memory(with->ctx, &e)).runs > 1;
            }
#ifdef ORDO_TINY
    CHECK(several > 0);
#else
    CHECK_EQ_U64(0, several);
#endif
}

/* Whether the report has a phase of that name. */
static bool has_phase(const ordo_external_report *report, const char *name)
{
    for (size_t i = 0; i < report->steps && i < ORDO_EXTERNAL_STEPS; i++)
        if (strcmp(report->step[i].name, name) == 0)
            return true;
    return false;
}

/* From too little memory on: pairs are sorted, then groups of runs are joined, then all runs are
 * read at once. Keys of 1 and 2 bytes need no groups, so their steps are large. Without the shrunk
 * thresholds the keys fit. */
static void test_less_memory(void)
{
    ordo_ctx *const ctx = test_context_make(1);
    size_t          turn = 0, grouped = 0, paired = 0;
    for (size_t shape = 0; shape < inputs_count(); shape += 5)
        for (size_t rule = 0; rule < INPUTS_RULES; rule++, turn++) {
            ordo_type const type = inputs_types[turn % INPUTS_TYPES];
            rank_case const e = {.type = type,
                                 .rule = inputs_rule(rule),
                                 .n = MOST,
                                 .size = ordo_type_size(type),
                                 .descending = turn % 2 == 1,
                                 .in_file = turn % 4 < 2};
            if (!testkit_run_case(7))
                continue;
            fill(&e, shape);
            expect(ctx, &e);
            bool many = true;
            for (uint64_t memory = LEAST_MEMORY; many && memory < 40 * LEAST_MEMORY;
                 memory += memory / (e.size < 4 ? 2 : 18)) {
                bool refused = false;
                testkit_case("%llu bytes %s %s ties=%d", (unsigned long long)memory,
                             ordo_type_name(type), inputs_name(shape), (int)e.rule.ties);
                ordo_external_report const report = check_less(ctx, &e, memory, &refused);
                bool const                 groups = has_phase(&report, "ranks of runs");
                many = refused || report.levels > 1;
                grouped += groups;
                paired += !groups && report.levels > 1; /* two sorts */
            }
            CHECK(!many);
        }
#ifdef ORDO_TINY
    CHECK(grouped > 0 && paired > 0);
#else
    CHECK_EQ_U64(0, grouped + paired);
#endif
    ordo_ctx_free(ctx);
}

/* Every shape with every tie rule: ties that fill many ranges, and no ties. */
static void test_shapes(void)
{
    ordo_ctx *const ctx = test_context_make(1);
    for (size_t shape = 0; shape < inputs_count(); shape++) {
        rank_case e = {.type = shape % 2 ? ORDO_F32 : ORDO_I64, .n = MOST, .in_file = true};
        e.size = ordo_type_size(e.type);
        e.rule.ties = (ordo_ties)(shape % ORDO_TIES_RULES);
        e.rule.rank_type = ORDO_F64;
        testkit_case("%s ties=%d", inputs_name(shape), (int)e.rule.ties);
        fill(&e, shape);
        expect(ctx, &e);
        check_ranks(ctx, &e, little_memory(ctx, &e));
    }
    ordo_ctx_free(ctx);
}

static void test_failures(void)
{
    ordo_ctx *const ctx = test_context_make(2);
    rank_case const e = {.type = ORDO_U32, .rule = {ORDO_TIES_MIN, ORDO_U64}, .n = MOST, .size = 4};
    fill(&e, inputs_find("few distinct"));
    for (size_t at = 1; at < 30; at += 4)
        for (int side = 0; side < 2; side++) {
            tape        from = {.bytes = input, .size = e.n * 4};
            tape        to = {.bytes = result, .size = e.n * 8};
            tape *const failing = side == 0 ? &from : &to;
            failing->fail_at = at;
            failing->error = EIO;
            testkit_case("%s fails at call %zu", side == 0 ? "source" : "sink", at);
            CHECK_STATUS(ORDO_E_IO, rank(ctx, &e, &from, &to, little_memory(ctx, &e), NULL), ctx);
            CHECK(strstr(ordo_last_error(ctx), strerror(EIO)));
        }
    tape from = {.bytes = input, .size = e.n * 4}, to = {.bytes = result, .size = e.n * 8};
    testkit_case("refusals");
    rank_case wrong = e;
    wrong.rule.rank_type = ORDO_F32;
    CHECK_STATUS(ORDO_E_ARG, rank(ctx, &wrong, &from, &to, 8 << 20, NULL), ctx);
    wrong.rule = (rank_rule){ORDO_TIES_AVERAGE, ORDO_U32};
    CHECK_STATUS(ORDO_E_ARG, rank(ctx, &wrong, &from, &to, 8 << 20, NULL), ctx);
    wrong.rule = (rank_rule){(ordo_ties)99, ORDO_U32};
    CHECK_STATUS(ORDO_E_ARG, rank(ctx, &wrong, &from, &to, 8 << 20, NULL), ctx);
    CHECK_EQ_U64(0, from.calls + to.calls);
    ordo_ctx_free(ctx);
}

int main(void)
{
    testkit_start();
    test_contexts_start();
    test_all();
    test_shapes();
    test_less_memory();
    test_failures();
    return testkit_done();
}

/* test_external_sort.c - ordo_external_sort and ordo_external_topk: every type, elements with and
 * without a payload, files, pipes and callbacks, little memory, several directories, failures of
 * every step and cancellation.
 *
 * The expected bytes are those of ordo_sort and ordo_sort_records on all data in memory. The tiny
 * library accepts a few kilobytes of memory, so a few thousand elements pass through every
 * phase. */
#define _GNU_SOURCE
#include "inputs.h"
#include "oracle.h"
#include "ordo_external.h"
#include "ordo_records.h"
#include "tapes.h"
#include "testkit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST = 6000,
    MOST_SIZE = 40,
#ifdef ORDO_TINY
    MEMORY = 24 << 10,
    SPILLING = 240 << 10, /* of one thread: less than MOST keys need */
#else
    MEMORY = 8 << 20,
    SPILLING = 8 << 20,
#endif
};

static char keys[MOST * 8], input[MOST * MOST_SIZE], expected[MOST * MOST_SIZE],
    result[MOST * MOST_SIZE];

typedef struct elements_case {
    ordo_type type;
    size_t    n, size, offset;
    bool      descending;
} elements_case;

static void fill(const elements_case *e, size_t shape)
{
    size_t const key_size = ordo_type_size(e->type);
    inputs_fill(shape, e->type, keys, e->n, e->n + shape);
    for (size_t i = 0; i < e->n; i++) {
        for (size_t b = 0; b < e->size; b++)
            input[i * e->size + b] = (char)(b < 8 ? i >> 8 * b : i * 7 + b);
        memcpy(input + i * e->size + e->offset, keys + i * key_size, key_size);
    }
}

static void expect(ordo_ctx *ctx, const elements_case *e)
{
    ordo_sort_opts const opts =
        ORDO_OPTS(ordo_sort_opts, .flags = e->descending ? ORDO_DESCENDING : 0);
    memcpy(expected, input, e->n * e->size);
    CHECK_STATUS(ORDO_OK,
                 e->size == ordo_type_size(e->type)
                     ? ordo_sort(ctx, e->type, expected, e->n, &opts)
                     : ordo_sort_records(ctx, expected, e->n, e->size, e->offset, e->type, &opts),
                 ctx);
}

static ordo_elements elements_of(const elements_case *e)
{
    return ORDO_OPTS(ordo_elements, .type = (uint32_t)e->type, .size = e->size,
                     .key_offset = e->offset);
}

static ordo_external_opts opts_of(const elements_case *e, uint64_t memory)
{
    return ORDO_OPTS(ordo_external_opts,
                     .flags = ORDO_SPILL_IN_MEMORY | (e->descending ? ORDO_DESCENDING : 0),
                     .memory = memory);
}

/* Sorts from tape to tape. `known`: the source says its size. */
static ordo_status sort_tapes(ordo_ctx *ctx, const elements_case *e, tape *from, tape *to,
                              bool known, uint64_t memory, ordo_external_report *report)
{
    ordo_elements const      elements = elements_of(e);
    ordo_external_opts const opts = opts_of(e, memory);
    ordo_source const        source = ORDO_OPTS(ordo_source, .read = tape_read, .user = from,
                                                .bytes = known ? from->size : 0, .name = "tape");
    ordo_sink const sink = ORDO_OPTS(ordo_sink, .write = tape_write, .user = to, .name = "paper");
    return ordo_external_sort(ctx, &elements, &source, &sink, &opts, report);
}

/* Memory that holds about a quarter of the elements. */
static uint64_t little_memory(ordo_ctx *ctx, const elements_case *e)
{
    size_t const n = e->n / 4 + 100;
    size_t       scratch = 0;
    CHECK_STATUS(
        ORDO_OK,
        e->size == ordo_type_size(e->type)
            ? ordo_sort_scratch(ctx, e->type, n, NULL, &scratch)
            : ordo_sort_records_scratch(ctx, n, e->size, e->offset, e->type, NULL, &scratch),
        ctx);
    return MEMORY + scratch * 5 / 4 + 3 * n * e->size;
}

static ordo_external_report check_sorted(ordo_ctx *ctx, const elements_case *e, bool known,
                                         uint64_t memory)
{
    size_t const         bytes = e->n * e->size;
    tape                 from = {.bytes = input, .size = bytes};
    tape                 to = {.bytes = result, .size = bytes};
    ordo_external_report report = ORDO_OPTS(ordo_external_report, .n = 0);
    memset(result, 0xee, sizeof result);
    if (CHECK_STATUS(ORDO_OK, sort_tapes(ctx, e, &from, &to, known, memory, &report), ctx)) {
        CHECK_EQ_U64(bytes, to.at);
        CHECK_EQ_U64(e->n, report.n);
        CHECK_BYTES(expected, result, bytes, e->size);
    }
    return report;
}

/* ---- Results ---- */

static void test_all(void)
{
    static const size_t ns[] = {0, 1, 2, 3, 100, 1000, MOST};
    static const size_t extra[] = {0, 1, 8, 13, 32};
    size_t              turn = 0, spilled = 0;
    for (size_t t = 0; t < INPUTS_TYPES; t++)
        for (size_t x = 0; x < sizeof extra / sizeof *extra; x++)
            for (size_t i = 0; i < sizeof ns / sizeof *ns; i++, turn++) {
                const test_context *const with = next_context();
                ordo_type const           type = inputs_types[t];
                elements_case             e = {.type = type, .n = ns[i]};
                if (!testkit_run_case(3))
                    continue;
                e.size = ordo_type_size(type) + extra[x];
                e.offset = turn % (extra[x] + 1);
                e.descending = turn % 3 == 1;
                testkit_case("%s n=%zu size=%zu offset=%zu turn=%zu threads=%u",
                             ordo_type_name(type), e.n, e.size, e.offset, turn, with->threads);
                fill(&e, turn % inputs_count());
                expect(with->ctx, &e);
                spilled +=
                    check_sorted(with->ctx, &e, turn % 2 == 0, little_memory(with->ctx, &e)).runs >
                    1;
            }
    CHECK(spilled > 0 || MEMORY > 1 << 20);
}

/* All shapes of input, which differ in ties, order and skew, with several amounts of memory. */
static void test_shapes(void)
{
    static const uint64_t times[] = {2, 3, 5};
    for (size_t shape = 0; shape < inputs_count(); shape++) {
        const test_context *const with = next_context();
        elements_case const       e = {.type = shape % 2 ? ORDO_F64 : ORDO_U32,
                                       .n = MOST,
                                       .size = shape % 3 == 0 ? 12
                                               : shape % 2    ? 8
                                                              : 4};
        testkit_case("%s threads=%u", inputs_name(shape), with->threads);
        fill(&e, shape);
        expect(with->ctx, &e);
        check_sorted(with->ctx, &e, shape % 5 != 0,
                     little_memory(with->ctx, &e) * times[shape % 3] / 2);
    }
}

/* Keeps the first of tied elements of `expected`; returns their number. */
static size_t drop_expected_ties(const elements_case *e)
{
    size_t const key_size = ordo_type_size(e->type);
    size_t       kept = 0;
    for (size_t i = 0; i < e->n; i++)
        memcpy(keys + i * key_size, expected + i * e->size + e->offset, key_size);
    for (size_t i = 0; i < e->n; i++)
        if (i == 0 || oracle_compare(e->type, keys, i - 1, keys, i, e->descending) != 0)
            memmove(expected + kept++ * e->size, expected + i * e->size, e->size);
    return kept;
}

static void test_unique(void)
{
    for (size_t shape = 0; shape < inputs_count(); shape++) {
        const test_context *const with = next_context();
        elements_case const       e = {.type = inputs_types[shape % INPUTS_TYPES],
                                       .n = MOST / 2,
                                       .size = ordo_type_size(inputs_types[shape % INPUTS_TYPES]) +
                                               (shape % 3 == 0 ? 4 : 0),
                                       .descending = shape % 2 == 1};
        tape                      from = {.bytes = input, .size = e.n * e.size};
        tape                      to = {.bytes = result, .size = e.n * e.size};
        ordo_elements const       elements = elements_of(&e);
        ordo_external_opts        opts = opts_of(&e, little_memory(with->ctx, &e));
        ordo_source const         source =
            ORDO_OPTS(ordo_source, .read = tape_read, .user = &from, .bytes = from.size);
        ordo_sink const sink = ORDO_OPTS(ordo_sink, .write = tape_write, .user = &to);
        opts.flags |= ORDO_UNIQUE;
        testkit_case("unique %s %s threads=%u", ordo_type_name(e.type), inputs_name(shape),
                     with->threads);
        fill(&e, shape);
        expect(with->ctx, &e);
        size_t const bytes = drop_expected_ties(&e) * e.size;
        if (CHECK_STATUS(ORDO_OK,
                         ordo_external_sort(with->ctx, &elements, &source, &sink, &opts, NULL),
                         with->ctx)) {
            CHECK_EQ_U64(bytes, to.at);
            CHECK_BYTES(expected, result, bytes, e.size);
        }
    }
}

/* Keys alone as ordo_topk returns them, in which -0 and +0 tie. */
static void expect_top(ordo_ctx *ctx, const elements_case *e, size_t k)
{
    ordo_select_opts const opts =
        ORDO_OPTS(ordo_select_opts, .flags = e->descending ? ORDO_DESCENDING : 0);
    size_t found = 0;
    if (e->size != ordo_type_size(e->type))
        expect(ctx, e);
    else
        CHECK_STATUS(ORDO_OK,
                     ordo_topk(ctx, e->type, input, e->n, k < e->n ? k : e->n, expected, ORDO_U32,
                               NULL, &found, &opts),
                     ctx);
}

static void test_topk(void)
{
    static const size_t ks[] = {0, 1, 7, 100, MOST / 4, MOST / 2 - 1, MOST / 2, MOST};
    size_t              turn = 0;
    for (size_t t = 0; t < INPUTS_TYPES; t++)
        for (size_t i = 0; i < sizeof ks / sizeof *ks; i++, turn++) {
            const test_context *const with = next_context();
            ordo_type const           type = inputs_types[t];
            elements_case             e = {.type = type, .n = MOST / 2};
            if (!testkit_run_case(3))
                continue;
            e.size = ordo_type_size(type) + (turn % 3 == 0 ? 6 : 0);
            e.offset = turn % 3 == 0 ? 3 : 0;
            e.descending = turn % 2 == 0;
            tape                from = {.bytes = input, .size = e.n * e.size};
            tape                to = {.bytes = result, .size = e.n * e.size};
            ordo_elements const elements = elements_of(&e);
            ordo_external_opts  opts = opts_of(&e, little_memory(with->ctx, &e));
            ordo_source const   source = ORDO_OPTS(ordo_source, .read = tape_read, .user = &from,
                                                   .bytes = turn % 4 ? from.size : 0);
            ordo_sink const     sink = ORDO_OPTS(ordo_sink, .write = tape_write, .user = &to);
            testkit_case("top %zu %s turn=%zu threads=%u", ks[i], ordo_type_name(type), turn,
                         with->threads);
            fill(&e, turn % inputs_count());
            expect_top(with->ctx, &e, ks[i]);
            size_t const bytes = (ks[i] < e.n ? ks[i] : e.n) * e.size;
            if (CHECK_STATUS(
                    ORDO_OK,
                    ordo_external_topk(with->ctx, &elements, &source, ks[i], &sink, &opts, NULL),
                    with->ctx)) {
                CHECK_EQ_U64(bytes, to.at);
                CHECK_BYTES(expected, result, bytes, e.size);
            }
        }
}

/* What the report says about the phases. */
static void test_report(void)
{
    ordo_ctx *const     ctx = test_context_make(1);
    elements_case const e = {.type = ORDO_U64, .n = MOST, .size = 8};
    testkit_case("report");
    fill(&e, inputs_find("random bits"));
    expect(ctx, &e);
    ordo_external_report const all = check_sorted(ctx, &e, true, 64 << 20);
    CHECK_EQ_U64(0, all.runs);
    CHECK_EQ_U64(0, all.levels);
    CHECK_EQ_U64(0, all.spilled);
    CHECK_EQ_U64(64 << 20, all.memory);
#ifdef ORDO_TINY
    ordo_external_report const one = check_sorted(ctx, &e, true, SPILLING);
    CHECK(one.runs > 1);
    CHECK(one.levels >= 1);
    CHECK(one.ranges >= one.runs);
    CHECK(one.spilled > 0);
    for (uint64_t memory = 16 << 10; memory < 40 << 10; memory += 4 << 10) {
        /* The size of the source is not known, so blocks are small and runs are many. */
        ordo_external_report const more = check_sorted(ctx, &e, false, memory);
        CHECK(more.levels >= one.levels && more.runs > one.runs);
    }
#endif
    ordo_ctx_free(ctx);
}

/* ---- Files ---- */

static int temporary(void)
{
    char      name[] = "external-XXXXXX";
    int const fd = mkstemp(name);
    if (!CHECK(fd >= 0))
        exit(1);
    unlink(name);
    return fd;
}

static void test_files(void)
{
    ordo_ctx *const          ctx = test_context_make(2);
    elements_case const      e = {.type = ORDO_I32, .n = MOST, .size = 4};
    ordo_elements const      elements = elements_of(&e);
    ordo_external_opts const opts = opts_of(&e, little_memory(ctx, &e));
    size_t const             bytes = e.n * e.size, skipped = 10;
    int const                in = temporary(), out = temporary();
    ordo_source const        from = ORDO_OPTS(ordo_source, .fd = in);
    ordo_sink const          to = ORDO_OPTS(ordo_sink, .fd = out);
    fill(&e, inputs_find("random bits"));
    expect(ctx, &e);
    testkit_case("file to file, from and to their positions");
    CHECK(write(in, "0123456789", skipped) == (ssize_t)skipped);
    CHECK(write(in, input, bytes) == (ssize_t)bytes);
    CHECK(lseek(in, (off_t)skipped, SEEK_SET) == (off_t)skipped);
    CHECK(write(out, "head", 4) == 4);
    CHECK_STATUS(ORDO_OK, ordo_external_sort(ctx, &elements, &from, &to, &opts, NULL), ctx);
    CHECK(pread(out, result, sizeof result, 0) == (ssize_t)bytes + 4);
    CHECK_BYTES("head", result, 4, 1);
    CHECK_BYTES(expected, result + 4, bytes, e.size);

    testkit_case("pipe to pipe");
    int           in_pipe[2] = {-1, -1}, out_pipe[2] = {-1, -1};
    elements_case few = e;
    few.n = 1500; /* fits the buffers of both pipes */
    fill(&few, inputs_find("random bits"));
    expect(ctx, &few);
    CHECK(pipe(in_pipe) == 0 && pipe(out_pipe) == 0);
    CHECK(write(in_pipe[1], input, few.n * 4) == (ssize_t)(few.n * 4));
    close(in_pipe[1]);
    ordo_source const from_pipe = ORDO_OPTS(ordo_source, .fd = in_pipe[0]);
    ordo_sink const   to_pipe = ORDO_OPTS(ordo_sink, .fd = out_pipe[1]);
    CHECK_STATUS(ORDO_OK, ordo_external_sort(ctx, &elements, &from_pipe, &to_pipe, &opts, NULL),
                 ctx);
    CHECK(read(out_pipe[0], result, few.n * 4) == (ssize_t)(few.n * 4));
    CHECK_BYTES(expected, result, few.n * 4, 4);
    close(in_pipe[0]);
    close(out_pipe[0]);
    close(out_pipe[1]);
    close(in);
    close(out);
    ordo_ctx_free(ctx);
}

/* ---- Failures ---- */

static void test_failing_callbacks(void)
{
    ordo_ctx *const     ctx = test_context_make(2);
    elements_case const e = {.type = ORDO_U64, .n = MOST, .size = 8};
    size_t const        bytes = e.n * e.size;
    fill(&e, inputs_find("random bits"));
    for (size_t at = 1; at < 30; at += 3)
        for (int side = 0; side < 4; side++) {
            tape from = {.bytes = input, .size = bytes}, to = {.bytes = result, .size = bytes};
            tape *const failing = side % 2 == 0 ? &from : &to;
            failing->fail_at = at;
            failing->error = EIO;
            failing->lies = side >= 2;
            testkit_case("%s fails at call %zu%s", side % 2 == 0 ? "source" : "sink", at,
                         side >= 2 ? " with a wrong count" : "");
            CHECK_STATUS(ORDO_E_IO,
                         sort_tapes(ctx, &e, &from, &to, true, little_memory(ctx, &e), NULL), ctx);
            CHECK(strstr(ordo_last_error(ctx), side % 2 == 0 ? "reading tape" : "writing paper"));
            CHECK(strstr(ordo_last_error(ctx), strerror(side >= 2 ? EINVAL : EIO)));
        }
    expect(ctx, &e); /* the context still works */
    check_sorted(ctx, &e, true, little_memory(ctx, &e));
    ordo_ctx_free(ctx);
}

static void test_part_of_an_element(void)
{
    ordo_ctx *const     ctx = test_context_make(1);
    elements_case const e = {.type = ORDO_U64, .n = 100, .size = 8};
    tape                from = {.bytes = input, .size = 803}, to = {.bytes = result, .size = 803};
    testkit_case("three bytes too many");
    fill(&e, 0);
    CHECK_STATUS(ORDO_E_ARG, sort_tapes(ctx, &e, &from, &to, true, little_memory(ctx, &e), NULL),
                 ctx);
    CHECK(strstr(ordo_last_error(ctx), "3 bytes follow element 100"));
    CHECK_EQ_U64(0, to.at);
    ordo_ctx_free(ctx);
}

static void test_directories(void)
{
    ordo_ctx *const          ctx = test_context_make(1);
    elements_case const      e = {.type = ORDO_U64, .n = MOST, .size = 8};
    static const char *const good[] = {".", "..", "."};
    static const char *const missing[] = {"./no-such-directory"};
    fill(&e, inputs_find("random bits"));
    expect(ctx, &e);
    for (int which = 0; which < 2; which++) {
        tape from = {.bytes = input, .size = e.n * 8}, to = {.bytes = result, .size = e.n * 8};
        ordo_elements const elements = elements_of(&e);
        ordo_external_opts  opts = opts_of(&e, SPILLING);
        ordo_source const   source =
            ORDO_OPTS(ordo_source, .read = tape_read, .user = &from, .bytes = from.size);
        ordo_sink const sink = ORDO_OPTS(ordo_sink, .write = tape_write, .user = &to);
        opts.directories = which == 0 ? good : missing;
        opts.directory_count = which == 0 ? 3 : 1;
        testkit_case("directories %d", which);
        ordo_external_report report = ORDO_OPTS(ordo_external_report, .n = 0);
        ordo_status const    status =
            ordo_external_sort(ctx, &elements, &source, &sink, &opts, &report);
        if (which == 0 || report.runs == 0) {
#ifdef ORDO_TINY
            if (CHECK_STATUS(which == 0 ? ORDO_OK : ORDO_E_IO, status, ctx) && which == 0)
                CHECK_BYTES(expected, result, e.n * 8, 8);
            if (which == 1)
                CHECK(strstr(ordo_last_error(ctx), missing[0]));
#else
            CHECK_STATUS(ORDO_OK, status, ctx);
            CHECK_BYTES(expected, result, e.n * 8, 8);
#endif
        }
    }
    ordo_ctx_free(ctx);
}

typedef struct stopping {
    size_t calls, at;
} stopping;

static int stop_at(void *user, double done)
{
    stopping *const s = user;
    (void)done;
    return ++s->calls >= s->at;
}

static void test_cancel(void)
{
    elements_case const e = {.type = ORDO_U64, .n = MOST, .size = 8};
    fill(&e, inputs_find("random bits"));
    size_t cancelled = 0;
    for (size_t at = 1; at < 60; at += 6) {
        stopping        when = {.at = at};
        ordo_ctx *const ctx = CONTEXT(.threads = 2, .progress = stop_at, .progress_user = &when,
                                      .progress_interval = -1);
        tape from = {.bytes = input, .size = e.n * 8}, to = {.bytes = result, .size = e.n * 8};
        testkit_case("stopped at callback %zu", at);
        ordo_status const status =
            sort_tapes(ctx, &e, &from, &to, true, little_memory(ctx, &e), NULL);
        CHECK(status == ORDO_E_CANCELLED || (status == ORDO_OK && when.calls < at));
        cancelled += status == ORDO_E_CANCELLED;
        ordo_ctx_free(ctx);
    }
    CHECK(cancelled > 0);
}

static void test_refusals(void)
{
    ordo_ctx *const     ctx = test_context_make(1);
    elements_case const e = {.type = ORDO_U64, .n = 10, .size = 8};
    tape                from = {.bytes = input, .size = 80}, to = {.bytes = result, .size = 80};
    ordo_elements const good = elements_of(&e);
    ordo_source const   source = ORDO_OPTS(ordo_source, .read = tape_read, .user = &from);
    ordo_sink const     sink = ORDO_OPTS(ordo_sink, .write = tape_write, .user = &to);
    ordo_external_opts  opts = opts_of(&e, 0);
    fill(&e, 0);
    testkit_case("refusals");
    CHECK_STATUS(ORDO_E_ARG, ordo_external_sort(ctx, NULL, &source, &sink, &opts, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_external_sort(ctx, &good, NULL, &sink, &opts, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_external_sort(ctx, &good, &source, NULL, &opts, NULL), ctx);
    ordo_elements bad = good;
    bad.type = 77;
    CHECK_STATUS(ORDO_E_ARG, ordo_external_sort(ctx, &bad, &source, &sink, &opts, NULL), ctx);
    bad = good;
    bad.key_offset = 1;
    CHECK_STATUS(ORDO_E_ARG, ordo_external_sort(ctx, &bad, &source, &sink, &opts, NULL), ctx);
    bad = good;
    bad.size = 7;
    CHECK_STATUS(ORDO_E_ARG, ordo_external_sort(ctx, &bad, &source, &sink, &opts, NULL), ctx);
    bad = good;
    bad.reserved = 1;
    CHECK_STATUS(ORDO_E_VERSION, ordo_external_sort(ctx, &bad, &source, &sink, &opts, NULL), ctx);
    opts.memory = 1;
    CHECK_STATUS(ORDO_E_ARG, ordo_external_sort(ctx, &good, &source, &sink, &opts, NULL), ctx);
    opts = opts_of(&e, 0);
    opts.flags = UINT64_C(1) << 60;
    CHECK_STATUS(ORDO_E_VERSION, ordo_external_sort(ctx, &good, &source, &sink, &opts, NULL), ctx);
    opts = opts_of(&e, 0);
    opts.directory_count = 1;
    CHECK_STATUS(ORDO_E_ARG, ordo_external_sort(ctx, &good, &source, &sink, &opts, NULL), ctx);
    CHECK_EQ_U64(0, from.calls + to.calls);
    ordo_external_report report = {.struct_size = sizeof report};
    uint64_t const       all = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    CHECK_STATUS(ORDO_OK, ordo_external_sort(ctx, &good, &source, &sink, NULL, &report), ctx);
    CHECK(report.memory > 0 && report.memory <= all);
    CHECK(ordo_external_memory() > 0 && ordo_external_memory() <= all);
    ordo_ctx_free(ctx);
}

int main(void)
{
    testkit_start();
    test_contexts_start();
    test_all();
    test_shapes();
    test_unique();
    test_topk();
    test_report();
    test_files();
    test_failing_callbacks();
    test_part_of_an_element();
    test_directories();
    test_cancel();
    test_refusals();
    return testkit_done();
}

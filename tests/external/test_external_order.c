/* test_external_order.c - ordo_external_argsort, ordo_external_merge, ordo_external_unique: every
 * type and shape of input, elements with and without a payload, little memory, refused arguments.
 *
 * The expected results are those of ordo_argsort, ordo_sort and ordo_sort_records in memory. */
#define _GNU_SOURCE
#include "inputs.h"
#include "oracle.h"
#include "ordo_external.h"
#include "ordo_records.h"
#include "tapes.h"
#include "testkit.h"

#include <stdlib.h>
#include <string.h>

enum {
    N = 4000,
    MOST_SIZE = 24,
    MOST_SOURCES = 40,
#ifdef ORDO_TINY
    MEMORY = 96 << 10
#else
    MEMORY = 8 << 20
#endif
};

static char     keys[N * 8], input[N * MOST_SIZE], expected[N * MOST_SIZE], result[N * MOST_SIZE];
static uint64_t counts[N + 1], got_counts[N + 1], indices[N], got_indices[N];

typedef struct order_case {
    ordo_type type;
    size_t    n, size, offset;
    bool      descending;
} order_case;

static order_case make_case(size_t turn, size_t shape)
{
    ordo_type const type = inputs_types[turn % INPUTS_TYPES];
    order_case      e = {.type = type, .n = N - turn % 7 * 500, .descending = turn % 3 == 1};
    e.size = ordo_type_size(type) + (turn % 4 == 3 ? 9 : 0);
    e.offset = turn % 4 == 3 ? 5 : 0;
    inputs_fill(shape, type, keys, e.n, turn);
    for (size_t i = 0; i < e.n; i++) {
        memset(input + i * e.size, (int)i, e.size);
        memcpy(input + i * e.size + e.offset, keys + i * ordo_type_size(type),
               ordo_type_size(type));
    }
    return e;
}

static uint64_t direction(const order_case *e) { return e->descending ? ORDO_DESCENDING : 0; }

/* Sorts elements in memory. */
static void sort_elements(ordo_ctx *ctx, const order_case *e, char *elements, size_t n)
{
    ordo_sort_opts const opts = ORDO_OPTS(ordo_sort_opts, .flags = direction(e));
    CHECK_STATUS(ORDO_OK,
                 e->size == ordo_type_size(e->type)
                     ? ordo_sort(ctx, e->type, elements, n, &opts)
                     : ordo_sort_records(ctx, elements, n, e->size, e->offset, e->type, &opts),
                 ctx);
}

static ordo_elements elements_of(const order_case *e)
{
    return ORDO_OPTS(ordo_elements, .type = (uint32_t)e->type, .size = e->size,
                     .key_offset = e->offset);
}

/* Sorts of 16-bit keys count all values, in memory that does not shrink with n. */
static ordo_external_opts opts_of(const order_case *e)
{
    bool const has_counts = e->size == 2;
    return ORDO_OPTS(ordo_external_opts, .flags = ORDO_SPILL_IN_MEMORY | direction(e),
                     .memory = has_counts ? 8 << 20 : MEMORY);
}

/* ---- Argsort ---- */

static void check_argsort(const test_context *with, const order_case *e, ordo_type index_type)
{
    ordo_elements const      elements = elements_of(e);
    ordo_external_opts const opts = opts_of(e);
    size_t const             bytes = e->n * ordo_type_size(index_type);
    tape                     from = {.bytes = input, .size = e->n * e->size};
    tape                     to = {.bytes = (char *)got_indices, .size = bytes};
    ordo_source const        source = ORDO_OPTS(ordo_source, .read = tape_read, .user = &from);
    ordo_sink const          sink = ORDO_OPTS(ordo_sink, .write = tape_write, .user = &to);
    CHECK_STATUS(ORDO_OK,
                 ordo_argsort(with->ctx, e->type, keys, e->n, index_type, indices,
                              &ORDO_OPTS(ordo_sort_opts, .flags = direction(e))),
                 with->ctx);
    if (CHECK_STATUS(
            ORDO_OK,
            ordo_external_argsort(with->ctx, &elements, &source, index_type, &sink, &opts, NULL),
            with->ctx)) {
        CHECK_EQ_U64(bytes, to.at);
        CHECK_BYTES(indices, got_indices, bytes, ordo_type_size(index_type));
    }
}

static void test_argsort(void)
{
    size_t turn = 0;
    for (size_t shape = 0; shape < inputs_count(); shape++)
        for (size_t t = 0; t < 4; t++, turn++) {
            const test_context *const with = next_context();
            if (!testkit_run_case(3))
                continue;
            order_case const e = make_case(turn, shape);
            testkit_case("argsort %s %s n=%zu size=%zu threads=%u", ordo_type_name(e.type),
                         inputs_name(shape), e.n, e.size, with->threads);
            check_argsort(with, &e, t % 2 ? ORDO_U32 : ORDO_U64);
        }
}

/* ---- Merge ---- */

typedef struct sources {
    tape        tapes[MOST_SOURCES];
    ordo_source all[MOST_SOURCES];
    size_t      count;
} sources;

/* Divides the input into sorted parts of uneven sizes; some are empty. */
static void divide(ordo_ctx *ctx, const order_case *e, sources *s, size_t count)
{
    size_t at = 0;
    s->count = count;
    for (size_t i = 0; i < count; i++) {
        size_t const left = e->n - at;
        size_t const n = i + 1 == count ? left : i % 5 == 2 ? 0 : left / (count - i) / (1 + i % 2);
        char *const  elements = input + at * e->size;
        sort_elements(ctx, e, elements, n);
        s->tapes[i] = (tape){.bytes = elements, .size = n * e->size};
        s->all[i] = ORDO_OPTS(ordo_source, .read = tape_read, .user = &s->tapes[i],
                              .bytes = i % 2 ? n * e->size : 0, .name = "part");
        at += n;
    }
}

static ordo_status merge(ordo_ctx *ctx, const order_case *e, sources *s, tape *to,
                         ordo_external_report *report)
{
    ordo_elements const      elements = elements_of(e);
    ordo_external_opts const opts = opts_of(e);
    ordo_sink const          sink = ORDO_OPTS(ordo_sink, .write = tape_write, .user = to);
    *to = (tape){.bytes = result, .size = sizeof result};
    return ordo_external_merge(ctx, &elements, s->all, s->count, &sink, &opts, report);
}

static void test_merge(void)
{
    static const size_t source_counts[] = {1, 2, 3, 7, MOST_SOURCES};
    static sources      s;
    size_t              turn = 0;
    for (size_t shape = 0; shape < inputs_count(); shape++)
        for (size_t i = 0; i < 5; i++, turn++) {
            const test_context *const with = next_context();
            if (!testkit_run_case(3))
                continue;
            tape                 to;
            order_case const     e = make_case(turn, shape);
            ordo_external_report report = ORDO_OPTS(ordo_external_report, .n = 0);
            testkit_case("merge %s %s n=%zu size=%zu sources=%zu threads=%u",
                         ordo_type_name(e.type), inputs_name(shape), e.n, e.size, source_counts[i],
                         with->threads);
            divide(with->ctx, &e, &s, source_counts[i]);
            memcpy(expected, input, e.n * e.size); /* ties in the sequence of the sources */
            sort_elements(with->ctx, &e, expected, e.n);
            if (CHECK_STATUS(ORDO_OK, merge(with->ctx, &e, &s, &to, &report), with->ctx)) {
                CHECK_EQ_U64(e.n * e.size, to.at);
                CHECK_EQ_U64(e.n, report.n);
                CHECK_BYTES(expected, result, to.at, e.size);
            }
        }
}

/* The message names the source and the element that is out of order. */
static void test_unsorted(void)
{
    static sources  s;
    ordo_ctx *const ctx = test_context_make(1);
    order_case      e = {.type = ORDO_U64, .n = 1000, .size = 8};
    tape            to;
    for (size_t i = 0; i < e.n; i++)
        ((uint64_t *)(void *)input)[i] = i;
    testkit_case("unsorted sources");
    divide(ctx, &e, &s, 2);
    s.all[1].name = "second";
    ((uint64_t *)(void *)s.tapes[1].bytes)[100] = 3;
    CHECK_STATUS(ORDO_E_ARG, merge(ctx, &e, &s, &to, NULL), ctx);
    CHECK(strstr(ordo_last_error(ctx), "second is not sorted: element 100") != NULL);
    s.count = 0;
    CHECK_STATUS(ORDO_OK, merge(ctx, &e, &s, &to, NULL), ctx);
    CHECK_EQ_U64(0, to.at);
    ordo_ctx_free(ctx);
}

/* ---- Unique ---- */

/* Keeps the first of tied elements of `expected` and counts the ties. */
static size_t count_ties(const order_case *e)
{
    size_t const width = ordo_type_size(e->type);
    size_t       kept = 0;
    for (size_t i = 0; i < e->n; i++)
        memcpy(keys + i * width, expected + i * e->size + e->offset, width);
    for (size_t i = 0; i < e->n; i++) {
        if (i > 0 && oracle_compare(e->type, keys, i - 1, keys, i, e->descending) == 0) {
            counts[kept - 1]++;
            continue;
        }
        counts[kept] = 1;
        memmove(expected + kept++ * e->size, expected + i * e->size, e->size);
    }
    return kept;
}

static void test_unique(void)
{
    for (size_t shape = 0; shape < inputs_count(); shape++) {
        const test_context *const with = next_context();
        order_case const          e = make_case(shape, shape);
        ordo_elements const       elements = elements_of(&e);
        ordo_external_opts const  opts = opts_of(&e);
        tape                      from = {.bytes = input, .size = e.n * e.size};
        tape                      to = {.bytes = result, .size = sizeof result};
        tape              numbers = {.bytes = (char *)got_counts, .size = sizeof got_counts};
        ordo_source const source = ORDO_OPTS(ordo_source, .read = tape_read, .user = &from);
        ordo_sink const   sink = ORDO_OPTS(ordo_sink, .write = tape_write, .user = &to);
        ordo_sink const   tally = ORDO_OPTS(ordo_sink, .write = tape_write, .user = &numbers);
        testkit_case("unique %s %s", ordo_type_name(e.type), inputs_name(shape));
        memcpy(expected, input, e.n * e.size);
        sort_elements(with->ctx, &e, expected, e.n);
        size_t const n = count_ties(&e);
        if (CHECK_STATUS(
                ORDO_OK,
                ordo_external_unique(with->ctx, &elements, &source, &sink, &tally, &opts, NULL),
                with->ctx)) {
            CHECK_EQ_U64(n * e.size, to.at);
            CHECK_EQ_U64(n * sizeof *counts, numbers.at);
            CHECK_BYTES(expected, result, to.at, e.size);
            CHECK_BYTES(counts, got_counts, numbers.at, sizeof *counts);
        }
    }
}

/* ---- Refusals and progress ---- */

static void test_refusals(void)
{
    ordo_ctx *const     ctx = test_context_make(1);
    order_case const    e = {.type = ORDO_U64, .n = 10, .size = 8};
    ordo_elements const elements = elements_of(&e);
    ordo_external_opts  opts = opts_of(&e);
    tape                from = {.bytes = input, .size = 80}, to = {.bytes = result, .size = 80};
    tape                broken = {.bytes = result, .size = 80, .fail_at = 1, .error = 28};
    ordo_source const   source = ORDO_OPTS(ordo_source, .read = tape_read, .user = &from);
    ordo_sink const     sink = ORDO_OPTS(ordo_sink, .write = tape_write, .user = &to);
    ordo_sink const     full = ORDO_OPTS(ordo_sink, .write = tape_write, .user = &broken);
    testkit_case("refusals");
    CHECK_STATUS(ORDO_E_ARG,
                 ordo_external_argsort(ctx, &elements, &source, ORDO_F64, &sink, &opts, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_external_merge(ctx, &elements, NULL, 2, &sink, &opts, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG,
                 ordo_external_unique(ctx, &elements, &source, &sink, NULL, &opts, NULL), ctx);
    CHECK_STATUS(ORDO_E_IO,
                 ordo_external_unique(ctx, &elements, &source, &sink, &full, &opts, NULL), ctx);
    broken = (tape){.bytes = result, .size = 80, .fail_at = 1, .error = 28};
    from.at = 0;
    CHECK_STATUS(ORDO_E_IO,
                 ordo_external_argsort(ctx, &elements, &source, ORDO_U64, &full, &opts, NULL), ctx);
    opts.resume_directory = "never-made";
    from.at = 0;
    CHECK_STATUS(ORDO_E_UNSUPPORTED,
                 ordo_external_topk(ctx, &elements, &source, 1, &sink, &opts, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG,
                 ordo_external_argsort(ctx, &elements, &source, ORDO_U64, &sink, &opts, NULL), ctx);
    CHECK(strstr(ordo_last_error(ctx), "not a regular file") != NULL);
    CHECK_STATUS(
        ORDO_E_ARG,
        ordo_external_rank(ctx, &elements, &source, ORDO_TIES_MIN, ORDO_U64, &sink, &opts, NULL),
        ctx);
    CHECK(strstr(ordo_last_error(ctx), "not a regular file") != NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_external_sort(ctx, &elements, &source, &sink, &opts, NULL), ctx);
    CHECK(strstr(ordo_last_error(ctx), "not a regular file") != NULL);
    ordo_ctx_free(ctx);
}

typedef struct watched {
    size_t      calls;
    const char *wrong;
} watched;

static void watch(void *user, const ordo_external_phase *phase)
{
    watched *const w = user;
    w->calls++;
    if (phase->name == NULL || phase->name[0] == '\0' || phase->seconds < 0)
        w->wrong = "phase";
}

/* The report has the phases, and opts.watch is called in them. */
static void test_phases(void)
{
    ordo_ctx *const      ctx = test_context_make(1);
    order_case const     e = make_case(inputs_count() * 40 + 3, inputs_find("random bits"));
    ordo_elements const  elements = elements_of(&e);
    ordo_external_opts   opts = opts_of(&e);
    watched              seen = {.calls = 0};
    tape                 from = {.bytes = input, .size = e.n * e.size};
    tape                 to = {.bytes = result, .size = sizeof result};
    ordo_source const    source = ORDO_OPTS(ordo_source, .read = tape_read, .user = &from);
    ordo_sink const      sink = ORDO_OPTS(ordo_sink, .write = tape_write, .user = &to);
    ordo_external_report report = ORDO_OPTS(ordo_external_report, .n = 0);
    opts.watch = watch;
    opts.watch_user = &seen;
    testkit_case("phases");
    CHECK_STATUS(ORDO_OK, ordo_external_sort(ctx, &elements, &source, &sink, &opts, &report), ctx);
    CHECK(seen.calls > 0 && seen.wrong == NULL);
    CHECK(report.steps >= 1 && strcmp(report.step[0].name, "runs") == 0);
    CHECK_EQ_U64(e.n * e.size + report.spilled, report.read);
    CHECK_EQ_U64(report.read, report.written);
    CHECK(report.runs == 0 || report.packed > 0);
    ordo_ctx_free(ctx);
}

int main(void)
{
    testkit_start();
    test_contexts_start();
    test_argsort();
    test_merge();
    test_unsorted();
    test_unique();
    test_refusals();
    test_phases();
    return testkit_done();
}

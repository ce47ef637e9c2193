/* test_external_select.c - ordo_external_select, ordo_external_quantiles and ordo_external_median:
 * every type, shape, method and rule for NaNs, files and callbacks, little memory, and wrong
 * arguments. The expected values are those of ordo_select, ordo_quantiles and ordo_median. */
#define _GNU_SOURCE
#include "inputs.h"
#include "ordo_external.h"
#include "tapes.h"
#include "testkit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    POSITIONS = 9,
    POSITION_BYTES = 64, /* of the memory limit, for each wanted position */
#ifdef ORDO_TINY
    MOST = 3000,
    MEMORY = 64 << 10 /* for fewer keys than MOST */
#else
    MOST = 20000,
    MEMORY = 8 << 20
#endif
};

static char keys[MOST * 8], records[MOST * 13];

/* Data on a tape or in a file, with the key at an offset of a record or alone. */
typedef struct data {
    ordo_type     type;
    size_t        n, size, offset;
    bool          in_file;
    tape          tape;
    int           fd;
    ordo_elements elements;
    ordo_source   source;
} data;

static void make(data *d, size_t shape)
{
    size_t const key_size = ordo_type_size(d->type);
    inputs_fill(shape, d->type, keys, d->n, shape + d->n);
    memset(records, 0x5a, sizeof records);
    for (size_t i = 0; i < d->n; i++)
        memcpy(records + i * d->size + d->offset, keys + i * key_size, key_size);
    d->elements = ORDO_OPTS(ordo_elements, .type = (uint32_t)d->type, .size = d->size,
                            .key_offset = d->offset);
    d->tape = (tape){.bytes = records, .size = d->n * d->size};
    d->source = ORDO_OPTS(ordo_source, .read = tape_read, .user = &d->tape);
    if (d->in_file) {
        char name[] = "external-XXXXXX";
        d->fd = mkstemp(name);
        CHECK(d->fd >= 0 && unlink(name) == 0);
        CHECK(write(d->fd, records, d->tape.size) == (ssize_t)d->tape.size);
        CHECK(lseek(d->fd, 0, SEEK_SET) == 0);
        d->source = ORDO_OPTS(ordo_source, .fd = d->fd);
    }
}

/* The next call reads the data again. */
static void rewind_data(data *d)
{
    d->tape.at = 0;
    if (d->in_file)
        CHECK(lseek(d->fd, 0, SEEK_SET) == 0);
}

static void drop(const data *d)
{
    if (d->in_file)
        close(d->fd);
}

static ordo_external_opts opts_of(bool descending)
{
    return ORDO_OPTS(ordo_external_opts, .memory = MEMORY,
                     .flags = ORDO_SPILL_IN_MEMORY | (descending ? ORDO_DESCENDING : 0));
}

static void check_select(ordo_ctx *ctx, data *d, bool descending)
{
    ordo_external_opts const opts = opts_of(descending);
    ordo_select_opts const   inner =
        ORDO_OPTS(ordo_select_opts, .flags = descending ? ORDO_DESCENDING : 0);
    size_t const         count = d->n > 0 ? POSITIONS : 0, key_size = ordo_type_size(d->type);
    size_t               k[POSITIONS];
    uint64_t             wanted[POSITIONS];
    uint64_t             expected[POSITIONS] = {0}, got[POSITIONS] = {0};
    ordo_external_report report = ORDO_OPTS(ordo_external_report, .n = 0);
    for (size_t j = 0; j < count; j++)
        wanted[j] = k[j] = (j * 7 % POSITIONS) * (d->n - 1) / (POSITIONS - 1);
    CHECK_STATUS(ORDO_OK, ordo_select(ctx, d->type, keys, d->n, k, count, expected, &inner), ctx);
    rewind_data(d);
    if (CHECK_STATUS(
            ORDO_OK,
            ordo_external_select(ctx, &d->elements, &d->source, wanted, count, got, &opts, &report),
            ctx)) {
        CHECK_BYTES(expected, got, count * key_size, key_size);
        CHECK_EQ_U64(d->n, report.n);
        CHECK(report.passes <= 65 && (report.passes > 0 || d->n == 0));
        CHECK(d->in_file ? report.spilled == 0 : report.spilled == d->n * d->size);
    }
}

static void check_quantiles(ordo_ctx *ctx, data *d, ordo_nans nans, ordo_method method)
{
    static const double      q[] = {0.5, 0, 1, 0.25, 0.1, 0.999, 1 / 3.0};
    size_t const             count = sizeof q / sizeof *q;
    ordo_external_opts const opts = opts_of(false);
    ordo_quantile_opts const inner =
        ORDO_OPTS(ordo_quantile_opts, .nans = (uint32_t)nans, .method = (uint32_t)method);
    double expected[sizeof q / sizeof *q], got[sizeof q / sizeof *q];
    CHECK_STATUS(ORDO_OK, ordo_quantiles(ctx, d->type, keys, d->n, q, count, expected, &inner),
                 ctx);
    rewind_data(d);
    if (CHECK_STATUS(ORDO_OK,
                     ordo_external_quantiles(ctx, &d->elements, &d->source, q, count, got, nans,
                                             method, &opts, NULL),
                     ctx))
        CHECK_BYTES(expected, got, sizeof got, sizeof *got);
    ordo_quantile_opts const middle = ORDO_OPTS(ordo_quantile_opts, .nans = (uint32_t)nans);
    CHECK_STATUS(ORDO_OK, ordo_median(ctx, d->type, keys, d->n, expected, &middle), ctx);
    rewind_data(d);
    if (CHECK_STATUS(ORDO_OK,
                     ordo_external_median(ctx, &d->elements, &d->source, got, nans, &opts, NULL),
                     ctx))
        CHECK_BYTES(expected, got, sizeof *got, sizeof *got);
}

static void test_all(void)
{
    static const size_t ns[] = {0, 1, 2, 63, 64, 500, MOST};
    size_t              turn = 0;
    for (size_t t = 0; t < INPUTS_TYPES; t++)
        for (size_t i = 0; i < sizeof ns / sizeof *ns; i++)
            for (size_t file = 0; file < 2; file++, turn++) {
                const test_context *const with = next_context();
                ordo_type const           type = inputs_types[t];
                size_t const              extra = turn % 3 == 0 ? 5 : 0;
                data                      d = {.type = type,
                                               .n = ns[i],
                                               .size = ordo_type_size(type) + extra,
                                               .offset = extra / 2,
                                               .in_file = file == 1 && ns[i] > 0};
                size_t const              shape = turn % inputs_count();
                if (!testkit_run_case(5))
                    continue;
                testkit_case("%s %s n=%zu size=%zu file=%d threads=%u", ordo_type_name(type),
                             inputs_name(shape), d.n, d.size, d.in_file, with->threads);
                make(&d, shape);
                check_select(with->ctx, &d, turn % 2 == 1);
                check_quantiles(with->ctx, &d, (ordo_nans)(turn % 3),
                                (ordo_method)(turn % (ORDO_METHODS + 1)));
                drop(&d);
            }
}

/* Every shape, whose keys may be sorted, equal, or crowded in a small part of the range. */
static void test_shapes(void)
{
    for (size_t shape = 0; shape < inputs_count(); shape++) {
        const test_context *const with = next_context();
        data                      d = {.type = shape % 2 ? ORDO_F64 : ORDO_U32, .n = MOST};
        if (!testkit_run_case(5))
            continue;
        d.size = ordo_type_size(d.type);
        d.in_file = shape % 4 != 0;
        testkit_case("%s %s threads=%u", ordo_type_name(d.type), inputs_name(shape), with->threads);
        make(&d, shape);
        check_select(with->ctx, &d, shape % 3 == 0);
        check_quantiles(with->ctx, &d, ORDO_NANS_OMIT, ORDO_METHOD_DEFAULT);
        drop(&d);
    }
}

/* More positions than one pass looks for. */
static void test_many_positions(void)
{
    enum {
        COUNT = MOST / 7
    };
    ordo_ctx *const    ctx = test_context_make(2);
    data               d = {.type = ORDO_I64, .n = MOST, .size = 8, .in_file = true};
    static uint64_t    wanted[COUNT], got[COUNT];
    static int64_t     sorted[MOST];
    ordo_external_opts opts = opts_of(false);
    testkit_case("%d positions", COUNT);
    make(&d, inputs_find("random bits"));
    memcpy(sorted, keys, sizeof sorted);
    CHECK_STATUS(ORDO_OK, ordo_sort(ctx, ORDO_I64, sorted, MOST, NULL), ctx);
    for (size_t j = 0; j < COUNT; j++)
        wanted[j] = j * 6 + j % 3;
    opts.memory += (uint64_t)COUNT * POSITION_BYTES;
    CHECK_STATUS(ORDO_OK,
                 ordo_external_select(ctx, &d.elements, &d.source, wanted, COUNT, got, &opts, NULL),
                 ctx);
    size_t wrong = 0;
    for (size_t j = 0; j < COUNT; j++)
        wrong += (int64_t)got[j] != sorted[wanted[j]];
    CHECK_EQ_U64(0, wrong);
    drop(&d);
    ordo_ctx_free(ctx);
}

/* Many quantiles of records with NaN and both zeros, from a callback: few passes, then a sort. */
static void test_many_quantiles(ordo_nans nans, bool in_file)
{
    enum {
        COUNT = 1500
    };
    ordo_ctx *const      ctx = test_context_make(2);
    data                 d = {.type = ORDO_F64, .n = MOST, .size = 13, .offset = 3};
    static double        q[COUNT], expected[COUNT], got[COUNT];
    ordo_external_opts   opts = opts_of(true); /* the direction does not matter */
    ordo_external_report report = ORDO_OPTS(ordo_external_report, .n = 0);
    testkit_case("%d quantiles, nans %d, %s", COUNT, (int)nans, in_file ? "file" : "callback");
    d.in_file = in_file;
    make(&d, inputs_find("random bits"));
    for (size_t j = 0; j < COUNT; j++)
        q[j] = (double)(j * 7 % COUNT) / (COUNT - 1);
    opts.memory += (uint64_t)2 * COUNT * POSITION_BYTES;
    CHECK_STATUS(ORDO_OK,
                 ordo_quantiles(ctx, ORDO_F64, keys, MOST, q, COUNT, expected,
                                &ORDO_OPTS(ordo_quantile_opts, .nans = (uint32_t)nans)),
                 ctx);
    if (CHECK_STATUS(ORDO_OK,
                     ordo_external_quantiles(ctx, &d.elements, &d.source, q, COUNT, got, nans,
                                             ORDO_METHOD_DEFAULT, &opts, &report),
                     ctx)) {
        CHECK_BYTES(expected, got, sizeof got, sizeof *got);
        CHECK_EQ_U64(MOST, report.n);
        CHECK_EQ_U64(opts.memory, report.memory);
        CHECK(report.passes <= 2);
    }
    drop(&d);
    ordo_ctx_free(ctx);
}

/* Positions may have three quarters of the memory. */
static void test_too_many_positions(void)
{
    enum {
        COUNT = MEMORY / 4 * 3 / POSITION_BYTES + 1
    };
    ordo_ctx *const          ctx = test_context_make(1);
    data                     d = {.type = ORDO_U32, .n = 100, .size = 4};
    ordo_external_opts const opts = opts_of(false);
    uint64_t *const          k = calloc(COUNT, sizeof *k);
    uint32_t *const          got = calloc(COUNT, sizeof *got);
    testkit_case("%d positions", COUNT);
    CHECK(k != NULL && got != NULL);
    make(&d, 0);
    CHECK_STATUS(ORDO_E_NOMEM,
                 ordo_external_select(ctx, &d.elements, &d.source, k, COUNT, got, &opts, NULL),
                 ctx);
    CHECK(strstr(ordo_last_error(ctx), "more than three quarters of the memory limit"));
    CHECK_EQ_U64(0, d.tape.calls);
    free(k);
    free(got);
    ordo_ctx_free(ctx);
}

static void test_refusals(void)
{
    ordo_ctx *const          ctx = test_context_make(1);
    data                     d = {.type = ORDO_F32, .n = 100, .size = 4};
    ordo_external_opts const opts = opts_of(false);
    uint64_t                 k = 100;
    double                   q = 0.5, out = 7;
    float                    key;
    testkit_case("refusals");
    make(&d, 0);
#define QUANTILES(q, out, nans, method)                                                            \
    ordo_external_quantiles(ctx, &d.elements, &d.source, q, 1, out, (ordo_nans)(nans),             \
                            (ordo_method)(method), &opts, NULL)
    CHECK_STATUS(ORDO_E_ARG, QUANTILES(NULL, &out, 0, 0), ctx);
    CHECK_STATUS(ORDO_E_ARG, QUANTILES(&q, NULL, 0, 0), ctx);
    CHECK_STATUS(ORDO_E_ARG, QUANTILES(&q, &out, 3, 0), ctx);
    CHECK_STATUS(ORDO_E_ARG, QUANTILES(&q, &out, 0, 99), ctx);
    q = 1.5;
    CHECK_STATUS(ORDO_E_ARG, QUANTILES(&q, &out, 0, 0), ctx);
    CHECK_EQ_U64(0, d.tape.calls);
    CHECK(out == 7);
    CHECK_STATUS(ORDO_E_ARG,
                 ordo_external_select(ctx, &d.elements, &d.source, &k, 1, &key, &opts, NULL), ctx);
    CHECK(strstr(ordo_last_error(ctx), "k[0] is 100"));
    rewind_data(&d);
    d.tape.fail_at = d.tape.calls + 2;
    d.tape.error = 5;
    q = 0.5;
    CHECK_STATUS(ORDO_E_IO, QUANTILES(&q, &out, 0, 0), ctx);
    CHECK(out == 7);
    ordo_ctx_free(ctx);
}

int main(void)
{
    testkit_start();
    test_contexts_start();
    test_all();
    test_shapes();
    test_many_positions();
    test_many_quantiles(ORDO_NANS_OMIT, false);
    test_many_quantiles(ORDO_NANS_LAST, true);
    test_too_many_positions();
    test_refusals();
    return testkit_done();
}

/* test_external_refusals.c - a report of a wrong struct_size is refused before any work: nothing is
 * read from the source, nothing is written to a sink, a file or an array.
 *
 * Every call that takes a report of ordo_external.h, ordo_external_lines.h or ordo_bz.h is made
 * with wrong sizes. The same calls with a right size succeed, so the other arguments are fine. */
#define _POSIX_C_SOURCE 200809L
#include "ordo_bz.h"
#include "ordo_external.h"
#include "ordo_external_lines.h"
#include "tapes.h"
#include "testkit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    N = 100,
    ROOM = 8192
};

typedef struct room { /* the arguments of a call, and everything that it may write */
    ordo_ctx   *ctx;
    tape        in, out, counts;
    ordo_source from;
    ordo_sink   to;
    char        results[ROOM];
    size_t      written;
    union {
        size_t               struct_size;
        ordo_external_report external;
        ordo_bz_report       bz;
    } report;
} room;

static const ordo_elements numbers = {.struct_size = sizeof numbers, .type = ORDO_U64};
static uint64_t            keys[N];
static char                packed[ROOM];
static size_t              packed_bytes;

/* ---- Calls ---- */

static ordo_status sort(room *r)
{
    return ordo_external_sort(r->ctx, &numbers, &r->from, &r->to, NULL, &r->report.external);
}

static ordo_status unique(room *r)
{
    ordo_sink const counts = ORDO_OPTS(ordo_sink, .write = tape_write, .user = &r->counts);
    return ordo_external_unique(r->ctx, &numbers, &r->from, &r->to, &counts, NULL,
                                &r->report.external);
}

static ordo_status merge(room *r)
{
    return ordo_external_merge(r->ctx, &numbers, &r->from, 1, &r->to, NULL, &r->report.external);
}

static ordo_status merge_nothing(room *r)
{
    return ordo_external_merge(r->ctx, &numbers, NULL, 0, &r->to, NULL, &r->report.external);
}

static ordo_status argsort(room *r)
{
    return ordo_external_argsort(r->ctx, &numbers, &r->from, ORDO_U32, &r->to, NULL,
                                 &r->report.external);
}

static ordo_status topk(room *r)
{
    return ordo_external_topk(r->ctx, &numbers, &r->from, 5, &r->to, NULL, &r->report.external);
}

static ordo_status rank(room *r)
{
    return ordo_external_rank(r->ctx, &numbers, &r->from, ORDO_TIES_MIN, ORDO_U64, &r->to, NULL,
                              &r->report.external);
}

static ordo_status select(room *r)
{
    uint64_t const k = 3;
    return ordo_external_select(r->ctx, &numbers, &r->from, &k, 1, r->results, NULL,
                                &r->report.external);
}

static ordo_status quantiles(room *r)
{
    double const q = 0.25;
    return ordo_external_quantiles(r->ctx, &numbers, &r->from, &q, 1, (double *)(void *)r->results,
                                   ORDO_NANS_PROPAGATE, (ordo_method)0, NULL, &r->report.external);
}

static ordo_status median(room *r)
{
    return ordo_external_median(r->ctx, &numbers, &r->from, (double *)(void *)r->results,
                                ORDO_NANS_PROPAGATE, NULL, &r->report.external);
}

static ordo_status sort_lines(room *r)
{
    return ordo_external_sort_lines(r->ctx, &ORDO_OPTS(ordo_line_format, .end = '\n'), &r->from,
                                    &r->to, NULL, &r->report.external);
}

static ordo_status compress(room *r)
{
    return ordo_bz_compress(r->ctx, keys, sizeof keys, r->results, ROOM, &r->written, NULL,
                            &r->report.bz);
}

static ordo_status decompress(room *r)
{
    return ordo_bz_decompress(r->ctx, packed, packed_bytes, r->results, ROOM, &r->written, NULL,
                              &r->report.bz);
}

static ordo_status compress_stream(room *r)
{
    return ordo_bz_compress_stream(r->ctx, &r->from, &r->to, NULL, &r->report.bz);
}

static ordo_status decompress_stream(room *r)
{
    return ordo_bz_decompress_stream(r->ctx, &r->from, &r->to, NULL, &r->report.bz);
}

static const struct call {
    const char *name;
    ordo_status (*make)(room *);
    size_t report; /* bytes of its report */
} calls[] = {{"sort", sort, sizeof(ordo_external_report)},
             {"unique", unique, sizeof(ordo_external_report)},
             {"merge", merge, sizeof(ordo_external_report)},
             {"merge of nothing", merge_nothing, sizeof(ordo_external_report)},
             {"argsort", argsort, sizeof(ordo_external_report)},
             {"topk", topk, sizeof(ordo_external_report)},
             {"rank", rank, sizeof(ordo_external_report)},
             {"select", select, sizeof(ordo_external_report)},
             {"quantiles", quantiles, sizeof(ordo_external_report)},
             {"median", median, sizeof(ordo_external_report)},
             {"sort of lines", sort_lines, sizeof(ordo_external_report)},
             {"compress", compress, sizeof(ordo_bz_report)},
             {"decompress", decompress, sizeof(ordo_bz_report)},
             {"compress stream", compress_stream, sizeof(ordo_bz_report)},
             {"decompress stream", decompress_stream, sizeof(ordo_bz_report)}};

/* ---- Checks ---- */

static void furnish(room *r, ordo_ctx *ctx, const struct call *call, size_t report)
{
    bool const    unpacks = call->make == decompress_stream;
    static char   out[ROOM], counts[ROOM];
    unsigned char untouched = 0xa5;
    memset(r, 0, sizeof *r);
    memset(r->results, untouched, sizeof r->results);
    r->ctx = ctx;
    r->in = (tape){.bytes = unpacks ? packed : (char *)keys,
                   .size = unpacks ? packed_bytes : sizeof keys};
    r->out = (tape){.bytes = out, .size = ROOM};
    r->counts = (tape){.bytes = counts, .size = ROOM};
    r->from = ORDO_OPTS(ordo_source, .read = tape_read, .user = &r->in);
    r->to = ORDO_OPTS(ordo_sink, .write = tape_write, .user = &r->out);
    memset(&r->report, untouched, sizeof r->report);
    r->report.struct_size = report;
}

static void check_refused(room *r, const struct call *call, size_t size)
{
    testkit_case("%s with a report of %zu bytes", call->name, size);
    CHECK_STATUS(ORDO_E_ARG, call->make(r), r->ctx);
    CHECK(strstr(ordo_last_error(r->ctx), "report->struct_size is ") != NULL);
    CHECK_EQ_U64(0, r->in.calls);
    CHECK_EQ_U64(0, r->out.calls);
    CHECK_EQ_U64(0, r->counts.calls);
    CHECK_EQ_U64(0, test_bytes_not(r->results, ROOM, 0xa5));
    CHECK_EQ_U64(0, r->written);
    CHECK_EQ_U64(size, r->report.struct_size);
    CHECK_EQ_U64(
        0, test_bytes_not((char *)&r->report + sizeof size, sizeof r->report - sizeof size, 0xa5));
}

/* The sink is a file with earlier bytes. */
static void check_file(room *r, const struct call *call)
{
    FILE *const file = tmpfile();
    char        now[16] = "";
    testkit_case("%s to a file", call->name);
    if (!CHECK(file != NULL) || !CHECK(fputs("before", file) >= 0) || !CHECK(fflush(file) == 0))
        exit(1);
    rewind(file);
    r->to = ORDO_OPTS(ordo_sink, .fd = fileno(file));
    CHECK_STATUS(ORDO_E_ARG, call->make(r), r->ctx);
    CHECK_EQ_U64(6, pread(fileno(file), now, sizeof now, 0));
    CHECK(strcmp(now, "before") == 0);
    (void)fclose(file);
}

int main(void)
{
    static const size_t sizes[] = {0, 1, sizeof(size_t) - 1, 5000, SIZE_MAX};
    static room         r;
    ordo_ctx           *ctx = NULL;
    testkit_start();
    for (size_t i = 0; i < N; i++)
        keys[i] = i; /* sorted, for the merge */
    CHECK_STATUS(ORDO_OK, ordo_ctx_create(&ctx, NULL), NULL);
    CHECK_STATUS(ORDO_OK,
                 ordo_bz_compress(ctx, keys, sizeof keys, packed, ROOM, &packed_bytes, NULL, NULL),
                 ctx);
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            furnish(&r, ctx, &calls[c], sizes[i]);
            check_refused(&r, &calls[c], sizes[i]);
        }
        furnish(&r, ctx, &calls[c], 1);
        check_file(&r, &calls[c]);
        testkit_case("%s with a right report", calls[c].name);
        furnish(&r, ctx, &calls[c], calls[c].report);
        CHECK_STATUS(ORDO_OK, calls[c].make(&r), ctx);
    }
    ordo_ctx_free(ctx);
    return testkit_done();
}

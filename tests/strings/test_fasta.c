/* test_fasta.c - ordo_parse_fasta: records of texts with every kind of line, texts and arguments
 * that are refused, cancellation, and sorts of the records by AUTO and SAMPLE. */
#include "testkit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ordo_ctx *ctx;

static ordo_fasta counted(const char *text, size_t length)
{
    ordo_fasta f = ORDO_OPTS(ordo_fasta, .n = 0);
    CHECK_STATUS(ORDO_OK, ordo_parse_fasta(ctx, text, length, &f), ctx);
    CHECK(f.bad_line == 0 && f.why == NULL);
    return f;
}

static void give_arrays(ordo_fasta *f)
{
    f->starts = test_keep((f->n + 1) * sizeof *f->starts);
    f->header_offsets = test_keep((f->n + 1) * sizeof *f->header_offsets);
    f->sequence_offsets = test_keep((f->n + 1) * sizeof *f->sequence_offsets);
    f->headers = test_keep((size_t)f->header_bytes + 1);
    f->sequences = test_keep((size_t)f->sequence_bytes + 1);
}

static ordo_fasta parsed(const char *text, size_t length)
{
    ordo_fasta f = counted(text, length);
    give_arrays(&f);
    CHECK_STATUS(ORDO_OK, ordo_parse_fasta(ctx, text, length, &f), ctx);
    return f;
}

/* ---- Texts ---- */

/* Appends "header|sequence|record;" of record i to `to`, which is long enough. */
static void describe(const char *text, const ordo_fasta *f, size_t i, char *to)
{
    sprintf(to + strlen(to), "%.*s|%.*s|%.*s;",
            (int)(f->header_offsets[i + 1] - f->header_offsets[i]),
            f->headers + f->header_offsets[i],
            (int)(f->sequence_offsets[i + 1] - f->sequence_offsets[i]),
            f->sequences + f->sequence_offsets[i], (int)(f->starts[i + 1] - f->starts[i]),
            text + f->starts[i]);
}

static void test_texts(void)
{
    static const struct {
        const char *text, *records;
    } cases[] = {
        {"", ""},
        {"\n\r\n\n", ""},
        {">a\nAC\nGT\n>b\nT\n", "a|ACGT|>a\nAC\nGT\n;b|T|>b\nT\n;"},
        {">a\r\nAC\r\nGT\r\n>b\r\nT", "a|ACGT|>a\r\nAC\r\nGT\r\n;b|T|>b\r\nT;"},
        {"\n\n>a one two\n\nA\n\nC\n", "a one two|AC|>a one two\n\nA\n\nC\n;"},
        {">a\n>b\n>c", "a||>a\n;b||>b\n;c||>c;"},
        {">\n>\r\n>\r", "||>\n;||>\r\n;||>\r;"},
        {">a\nA>C\n >x\n", "a|A>C >x|>a\nA>C\n >x\n;"},
        {">a\nA\rC\r\nG\r", "a|A\rCG|>a\nA\rC\r\nG\r;"},
        {">>a\n;b\n", ">a|;b|>>a\n;b\n;"},
    };

    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        char             found[200] = "";
        const char      *text = cases[c].text;
        const ordo_fasta f = parsed(text, strlen(text));
        testkit_case("text %zu", c);
        for (size_t i = 0; i < f.n; i++)
            describe(text, &f, i, found);
        CHECK(strcmp(found, cases[c].records) == 0);
        CHECK_EQ_U64(strlen(text), f.starts[f.n]);
        CHECK_EQ_U64(f.header_bytes, f.header_offsets[f.n]);
        CHECK_EQ_U64(f.sequence_bytes, f.sequence_offsets[f.n]);
    }
}

static void refused(const char *text, size_t length, size_t line, const char *words)
{
    ordo_fasta f = ORDO_OPTS(ordo_fasta, .n = 0);
    char       place[40];

    snprintf(place, sizeof place, "line %zu of the text: ", line);
    CHECK_STATUS(ORDO_E_ARG, ordo_parse_fasta(ctx, text, length, &f), ctx);
    CHECK_EQ_U64(line, f.bad_line);
    CHECK(f.why != NULL && strstr(f.why, words) != NULL);
    CHECK(strstr(ordo_last_error(ctx), place) != NULL);
    CHECK(strstr(ordo_last_error(ctx), words) != NULL);
}

static void test_refused_texts(void)
{
    testkit_case("texts that are refused");
    refused("ACGT\n>a\n", 8, 1, "expected a header");
    refused("\n\r\n x\n>a\n", 9, 3, "expected a header");
    refused("ACGT", 4, 1, "expected a header");
    refused(";comment\n>a\nA\n", 14, 1, "expected a header");
    refused("\0", 1, 1, "zero byte");
    refused(">a\nAC\0GT\n", 9, 2, "zero byte");
    refused(">a\nA\n>b\0\n", 9, 3, "zero byte");
    refused(">a\nA\n\0", 6, 3, "zero byte");
    refused("x\n>a\0", 5, 2, "zero byte");    /* before the missing header */
    CHECK_EQ_U64(1, counted(">a\nA\n", 5).n); /* bad_line and why are cleared */
}

/* ---- Arguments ---- */

static const char two[] = ">a\nAC\n>bc\nGTT\n";

static void refused_records(ordo_fasta f, const char *words)
{
    CHECK_STATUS(ORDO_E_ARG, ordo_parse_fasta(ctx, two, sizeof two - 1, &f), ctx);
    CHECK(strstr(ordo_last_error(ctx), words) != NULL);
    CHECK(f.bad_line == 0 && f.why == NULL);
}

static void test_numbers(void)
{
    const ordo_fasta right = parsed(two, sizeof two - 1);

    testkit_case("numbers of another text");
    for (unsigned which = 0; which < 6; which++) {
        const int  add = which % 2 == 0 ? -1 : 1;
        ordo_fasta f = right;
        f.n += which / 2 == 0 ? (size_t)add : 0;
        f.header_bytes += which / 2 == 1 ? (uint64_t)add : 0;
        f.sequence_bytes += which / 2 == 2 ? (uint64_t)add : 0;
        give_arrays(&f);
        refused_records(f, "not those of the text");
    }
}

static void test_arguments(void)
{
    const ordo_fasta right = parsed(two, sizeof two - 1);
    ordo_fasta       f;

    testkit_case("arguments");
    CHECK_STATUS(ORDO_E_ARG, ordo_parse_fasta(ctx, two, 4, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_parse_fasta(NULL, two, 4, &(ordo_fasta){.n = 0}), NULL);
    f = ORDO_OPTS(ordo_fasta, .n = 0);
    CHECK_STATUS(ORDO_E_ARG, ordo_parse_fasta(ctx, NULL, 4, &f), ctx);
    CHECK_STATUS(ORDO_OK, ordo_parse_fasta(ctx, NULL, 0, &f), ctx);
    f = right, f.struct_size = 4;
    refused_records(f, "struct_size");
    f = right, f.header_offsets = NULL;
    refused_records(f, "headers is given without its offsets");
    f = right, f.sequences = NULL;
    refused_records(f, "the offsets of sequences are given without sequences");
    f = right, f.starts = (uint64_t *)(void *)((char *)f.starts + 1);
    refused_records(f, "starts");
    f = right, f.sequences = f.headers;
    refused_records(f, "overlap");
    f = right, f.headers = (char *)two; /* refused before a write */
    refused_records(f, "text and headers overlap");
    f = right, f.n = SIZE_MAX;
    refused_records(f, "more than memory can hold");
    f = right, f.sequence_bytes = UINT64_MAX;
    refused_records(f, "more");

    testkit_case("a part of the arrays");
    f = right, f.headers = NULL, f.header_offsets = NULL, f.starts = NULL;
    CHECK_STATUS(ORDO_OK, ordo_parse_fasta(ctx, two, sizeof two - 1, &f), ctx);
    CHECK_BYTES("ACGTT", f.sequences, 5, 1);
    f = right, f.sequences = NULL, f.sequence_offsets = NULL;
    CHECK_STATUS(ORDO_OK, ordo_parse_fasta(ctx, two, sizeof two - 1, &f), ctx);
    CHECK_BYTES("abc", f.headers, 3, 1);
}

static int stop(void *user, double done)
{
    (void)user;
    return done >= 0;
}

static void test_cancel(void)
{
    enum {
        LENGTH = 1 << 18
    };
    const ordo_ctx_opts opts =
        ORDO_OPTS(ordo_ctx_opts, .threads = 1, .progress = stop, .progress_interval = 1e-9);
    ordo_ctx  *own;
    ordo_fasta f = ORDO_OPTS(ordo_fasta, .n = 0);
    char      *text = test_keep(LENGTH);

    testkit_case("cancellation");
    memset(text, '\n', LENGTH);
    CHECK_STATUS(ORDO_OK, ordo_ctx_create(&own, &opts), NULL);
    CHECK_STATUS(ORDO_E_CANCELLED, ordo_parse_fasta(own, text, LENGTH, &f), own);
    ordo_ctx_free(own);
}

/* ---- Sorts ---- */

/* Writes n generated proteins as FASTA, in lines of 1 to 60 residues. Returns the length. */
static size_t write_text(size_t n, char *to)
{
    uint64_t *const offsets = test_keep((n + 1) * sizeof *offsets);
    char *const     residues = test_keep(n * 120);
    char *const     start = to;

    CHECK_STATUS(ORDO_OK,
                 ordo_gen_strings(ctx, ORDO_DIST_FASTA, n, offsets, residues, n * 120, NULL), ctx);
    for (size_t i = 0; i < n; i++) {
        to += sprintf(to, ">id%zu%s", i * 7919 % n, i % 3 == 0 ? "\r\n" : "\n");
        for (uint64_t at = offsets[i], end = offsets[i + 1], size; at < end; at += size) {
            size = i % 60 + 1 < end - at ? i % 60 + 1 : end - at;
            to += sprintf(to, "%.*s\n", (int)size, residues + at);
        }
    }
    return (size_t)(to - start);
}

/* The order of the records by a slow stable sort. */
static void insertion_order(const char *bytes, const uint64_t *offsets, size_t n, uint32_t *order)
{
    for (size_t i = 0; i < n; i++) {
        size_t j = i;
        for (; j > 0; j--) {
            const size_t a = order[j - 1];
            const size_t a_size = (size_t)(offsets[a + 1] - offsets[a]);
            const size_t size = (size_t)(offsets[i + 1] - offsets[i]);
            const int    c =
                memcmp(bytes + offsets[a], bytes + offsets[i], a_size < size ? a_size : size);
            if (c < 0 || (c == 0 && a_size <= size))
                break;
            order[j] = order[j - 1];
        }
        order[j] = (uint32_t)i;
    }
}

static void test_sorts(void)
{
    enum {
        N = 1500
    };
    char *const      text = test_keep((size_t)N * 300);
    const size_t     length = write_text(N, text);
    const ordo_fasta f = parsed(text, length);
    uint32_t *const  expected = test_keep(N * sizeof *expected);
    uint32_t *const  order = test_keep(N * sizeof *order);

    CHECK_EQ_U64(N, f.n);
    for (int by = 0; by < 2; by++) {
        const char *const     bytes = by ? f.headers : f.sequences;
        const uint64_t *const offsets = by ? f.header_offsets : f.sequence_offsets;
        const ordo_strings    strings = ORDO_OPTS(ordo_strings, .bytes = bytes, .offsets = offsets);
        insertion_order(bytes, offsets, N, expected);
        for (int sample = 0; sample < 2; sample++) {
            const ordo_sort_opts opts = ORDO_OPTS(
                ordo_sort_opts, .algorithm = sample ? ORDO_ALGORITHM_SAMPLE : ORDO_ALGORITHM_AUTO);
            testkit_case("sort by %s, %s", by ? "header" : "sequence", sample ? "sample" : "auto");
            CHECK_STATUS(ORDO_OK, ordo_argsort_strings(ctx, &strings, N, ORDO_U32, order, &opts),
                         ctx);
            CHECK_BYTES(expected, order, N * sizeof *order, sizeof *order);
        }
    }
}

int main(void)
{
    testkit_start();
    ctx = test_context_make(2);
    test_texts();
    test_refused_texts();
    test_numbers();
    test_arguments();
    test_cancel();
    test_sorts();
    ordo_ctx_free(ctx);
    return testkit_done();
}

/* fuzz_fasta.c - ordo_parse_fasta and the command's reader of FASTA records.
 *
 * The arrays have exactly the size that the first call says, so that ASan sees every byte too many.
 * Counts that differ from those of the text are refused. Records that the command writes in the
 * order of the input are the input, byte for byte. Records written in reverse order can be read
 * again and have the same keys in reverse order. */
#include "fuzz.h"

#include "cli/io/input/fasta.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST =
        1 << 16 /* bytes of an input: less than the buffer of an output, which is never flushed */
};

const fuzz_seed fuzz_seeds[] = {
    FUZZ_SEED(">a\nACGT\n>b\nAC\nGT\n"),
    FUZZ_SEED(">a\r\nACGT\r\nA\r\n>b\r\nAC\r\nGT"),
    FUZZ_SEED("\n\r\n>a one\n\nAC\n\n\n>b\n>\nacgt*-\n>b"),
    FUZZ_SEED(">a\nMK\nVL\n>a\nMKVL\n>a\nMKV\nL\r"),
    FUZZ_SEED("ACGT\n>a\n"),
    FUZZ_SEED(">a\nAC\0GT\n"),
    FUZZ_SEED(""),
};
const size_t fuzz_seed_count = sizeof fuzz_seeds / sizeof fuzz_seeds[0];

const char *const fuzz_words[] = {"\n", "\r\n", "\r", ">", ">\n", "\n>", "\n\n", "A", ">>", " "};
const size_t      fuzz_word_count = sizeof fuzz_words / sizeof fuzz_words[0];

static ordo_ctx *context(void)
{
    static ordo_ctx    *ctx;
    const ordo_ctx_opts opts = ORDO_OPTS(ordo_ctx_opts, .threads = 1, .where = ORDO_CPU);

    FUZZ_CHECK(ctx != NULL || ordo_ctx_create(&ctx, &opts) == ORDO_OK);
    return ctx;
}

static void *exact(size_t bytes)
{
    void *const p = malloc(bytes);
    FUZZ_CHECK(p != NULL || bytes == 0);
    return p;
}

/* ---- The library ---- */

static ordo_fasta arrays_for(const ordo_fasta *counted)
{
    ordo_fasta f = *counted;

    f.starts = exact((f.n + 1) * sizeof *f.starts);
    f.header_offsets = exact((f.n + 1) * sizeof *f.header_offsets);
    f.sequence_offsets = exact((f.n + 1) * sizeof *f.sequence_offsets);
    f.headers = exact((size_t)f.header_bytes);
    f.sequences = exact((size_t)f.sequence_bytes);
    return f;
}

static void free_arrays(const ordo_fasta *f)
{
    free(f->starts);
    free(f->header_offsets);
    free(f->sequence_offsets);
    free(f->headers);
    free(f->sequences);
}

/* Each record has its header and its residues in this order, and only line ends besides. */
static void check_record(const char *text, const ordo_fasta *f, size_t i)
{
    const char *const start = text + f->starts[i], *const end = text + f->starts[i + 1];
    const size_t header = (size_t)(f->header_offsets[i + 1] - f->header_offsets[i]);
    const size_t residues = (size_t)(f->sequence_offsets[i + 1] - f->sequence_offsets[i]);
    const char  *expected = f->sequences + f->sequence_offsets[i];
    const char  *at = start + 1 + header;
    size_t       found = 0;

    FUZZ_CHECK(*start == '>' && 1 + header + residues <= (size_t)(end - start));
    FUZZ_CHECK(header == 0 || memcmp(start + 1, f->headers + f->header_offsets[i], header) == 0);
    for (; at < end; at++) {
        if (found < residues && *at == expected[found])
            found++;
        else
            FUZZ_CHECK(*at == '\n' || *at == '\r');
    }
    FUZZ_CHECK(found == residues);
}

/* Counts that differ from those of the text must be refused. Arrays are of the smaller size. */
static void check_wrong_numbers(const char *text, size_t size, const ordo_fasta *counted)
{
    for (unsigned which = 0; which < 3; which++) {
        ordo_fasta wrong = *counted;
        if (which == 0 && wrong.n > 0)
            wrong.n--;
        else if (which == 1 && wrong.header_bytes > 0)
            wrong.header_bytes--;
        else if (which == 2 && wrong.sequence_bytes > 0)
            wrong.sequence_bytes--;
        else
            continue;
        ordo_fasta f = arrays_for(&wrong);
        FUZZ_CHECK(ordo_parse_fasta(context(), text, size, &f) == ORDO_E_ARG && f.why == NULL);
        free_arrays(&f);
    }
}

/* Returns whether the text is FASTA. */
static bool check_library(const char *text, size_t size)
{
    ordo_fasta counted = ORDO_OPTS(ordo_fasta, .n = 0);

    const ordo_status status = ordo_parse_fasta(context(), text, size, &counted);
    FUZZ_CHECK((status == ORDO_OK) == (counted.why == NULL));
    FUZZ_CHECK((status == ORDO_OK) == (counted.bad_line == 0));
    if (status != ORDO_OK) {
        FUZZ_CHECK(status == ORDO_E_ARG);
        return false;
    }
    ordo_fasta f = arrays_for(&counted);
    FUZZ_CHECK(ordo_parse_fasta(context(), text, size, &f) == ORDO_OK);
    FUZZ_CHECK(f.n == counted.n && f.starts[f.n] == size);
    FUZZ_CHECK(f.header_offsets[f.n] == f.header_bytes);
    FUZZ_CHECK(f.sequence_offsets[f.n] == f.sequence_bytes);
    for (size_t i = 0; i < f.n; i++)
        check_record(text, &f, i);
    free_arrays(&f);
    check_wrong_numbers(text, size, &counted);
    return true;
}

/* ---- The command ---- */

static bool parse(const void *data, size_t size, fasta_key by, fasta *out)
{
    char *const text = exact(size + 1); /* malloc(0) may be NULL */

    memcpy(text, data, size);
    return fasta_parse(context(), "fuzz", text, size, by, out);
}

/* Writes the records in ascending or descending order of their indices. */
static output write_all(const fasta *f, bool reverse)
{
    uint64_t *const order = exact((f->n + 1) * sizeof *order);
    output          out = {.name = "memory", .fd = -1, .buffer = exact(4 * (size_t)MOST)};

    for (size_t i = 0; i < f->n; i++)
        order[i] = reverse ? f->n - 1 - i : i;
    FUZZ_CHECK(fasta_write(f, ORDO_U64, order, false, &out));
    free(order);
    return out;
}

static bool same_key(const fasta *a, size_t i, const fasta *b, size_t j)
{
    const size_t size = (size_t)(a->offsets[i + 1] - a->offsets[i]);
    return b->offsets[j + 1] - b->offsets[j] == size &&
           (size == 0 || memcmp(a->keys + a->offsets[i], b->keys + b->offsets[j], size) == 0);
}

static void check_key(const void *data, size_t size, fasta_key by)
{
    fasta f, back;

    FUZZ_CHECK(parse(data, size, by, &f));
    output same = write_all(&f, false), reverse = write_all(&f, true);
    FUZZ_CHECK(same.used == size && (size == 0 || memcmp(same.buffer, data, size) == 0));
    FUZZ_CHECK(reverse.used >= size && reverse.used <= size + 2);
    FUZZ_CHECK(parse(reverse.buffer, reverse.used, by, &back) && back.n == f.n);
    for (size_t i = 0; i < f.n; i++) {
        size_t            length, back_length;
        const char *const header = fasta_header(&f, i, &length);
        const char *const there = fasta_header(&back, f.n - 1 - i, &back_length);
        FUZZ_CHECK(same_key(&f, i, &back, f.n - 1 - i));
        FUZZ_CHECK(length == back_length && memcmp(header, there, length) == 0);
    }
    free(same.buffer);
    free(reverse.buffer);
    fasta_free(&f);
    fasta_free(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > MOST)
        return 0;
    char *const text = exact(size); /* without a byte after it */
    if (size > 0)
        memcpy(text, data, size);
    if (check_library(text, size)) {
        check_key(data, size, FASTA_SEQUENCE);
        check_key(data, size, FASTA_HEADER);
    }
    free(text);
    return 0;
}

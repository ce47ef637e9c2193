/* fuzz_fasta.c - the reader of FASTA records. Records written in the order of the input are the
 * input, byte for byte, whether keys are sequences or headers. Both readers find the same records
 * and give the same reason for a refusal. Records written in reverse order can be read again and
 * have the same keys in reverse order. */
#include "fuzz.h"

#include "cli/io/fasta.h"

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

static bool parse(const void *data, size_t size, fasta_key by, fasta *out)
{
    char *const bytes = malloc(size + 1);

    FUZZ_CHECK(bytes != NULL);
    memcpy(bytes, data, size);
    bytes[size] = '\0';
    return fasta_parse(bytes, size, by, out);
}

/* Writes the records in ascending or descending order of their indices. */
static output write_all(const fasta *f, bool reverse)
{
    uint64_t *const order = malloc((f->n + 1) * sizeof *order);
    output          out = {.name = "memory", .fd = -1, .buffer = malloc(4 * MOST)};

    FUZZ_CHECK(order != NULL && out.buffer != NULL);
    for (size_t i = 0; i < f->n; i++)
        order[i] = reverse ? f->n - 1 - i : i;
    FUZZ_CHECK(fasta_write(f, ORDO_U64, order, false, &out));
    free(order);
    return out;
}

static void check_key(const uint8_t *data, size_t size, fasta_key by)
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
        FUZZ_CHECK(strcmp(f.keys[i], back.keys[f.n - 1 - i]) == 0);
        FUZZ_CHECK(length == back_length && memcmp(header, there, length) == 0);
    }
    free(same.buffer);
    free(reverse.buffer);
    fasta_free(&f);
    fasta_free(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fasta by_sequence, by_header;

    if (size > MOST)
        return 0;
    const bool ok = parse(data, size, FASTA_SEQUENCE, &by_sequence);
    FUZZ_CHECK(parse(data, size, FASTA_HEADER, &by_header) == ok);
    FUZZ_CHECK(by_sequence.n == by_header.n && by_sequence.bad_line == by_header.bad_line);
    FUZZ_CHECK(ok || (by_sequence.bad_line > 0 && by_sequence.why == by_header.why));
    FUZZ_CHECK(ok == (by_sequence.why == NULL));
    fasta_free(&by_sequence);
    fasta_free(&by_header);
    if (ok) {
        check_key(data, size, FASTA_SEQUENCE);
        check_key(data, size, FASTA_HEADER);
    }
    return 0;
}

/* api_fasta.c - ordo_parse_fasta: the records of a FASTA text as bytes and offsets.
 *
 * One loop over the lines both counts and fills: it adds every header and every line of a sequence
 * to the totals, and copies it if the caller gave an array. The totals never exceed the caller's
 * numbers, so that a text that changed between two calls cannot overflow an array. */
#define _POSIX_C_SOURCE 200809L
#include "api/api.h"

#include <string.h>

enum {
    ZERO_BLOCK = 1 << 24, /* bytes searched for a zero byte between two polls */
    POLL_LINES = 1 << 14
};

typedef struct fasta_walk {
    const char *at, *text, *end;
    size_t      line;   /* the number of the line at `at`, from 1   */
    size_t      record; /* bytes of the current record before `at`  */
    ordo_fasta *out;    /* the caller's arrays and their sizes       */
    size_t      n;      /* found so far                              */
    uint64_t    header_bytes, sequence_bytes;
    bool        fill;
} fasta_walk;

static ordo_status refuse_line(ordo_exec *exec, ordo_fasta *out, size_t line, const char *why)
{
    out->bad_line = line;
    out->why = why;
    return ordo_fail(exec, ORDO_E_ARG, "line %zu of the text: %s", line, why);
}

static ordo_status refuse_numbers(ordo_exec *exec, const ordo_fasta *out)
{
    return ordo_fail(
        exec, ORDO_E_ARG,
        "records has n = %zu, header_bytes = %llu and sequence_bytes = %llu, which are "
        "not those of the text; call ordo_parse_fasta without arrays first",
        out->n, (unsigned long long)out->header_bytes, (unsigned long long)out->sequence_bytes);
}

static size_t count_newlines(const char *at, const char *end)
{
    size_t count = 0;
    while (at < end && (at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
        count++;
        at++;
    }
    return count;
}

static ordo_status find_zero(ordo_exec *exec, const char *text, size_t length, ordo_fasta *out)
{
    for (size_t at = 0; at < length; at += ZERO_BLOCK) {
        const char *const zero = memchr(text + at, '\0', ordo_min(length - at, ZERO_BLOCK));
        if (zero != NULL)
            return refuse_line(exec, out, 1 + count_newlines(text, zero),
                               "the line contains a zero byte");
        if (ordo_poll(exec, (double)at / (double)length))
            return ORDO_E_CANCELLED;
    }
    return ORDO_OK;
}

/* Adds `length` bytes to a total and copies them if there is an array. False if they do not fit. */
static bool append(const fasta_walk *w, char *to, uint64_t room, uint64_t *total, const char *from,
                   size_t length)
{
    if (w->fill && length > room - *total)
        return false;
    if (to != NULL && length > 0)
        memcpy(to + *total, from, length);
    *total += length;
    return true;
}

/* Writes where record w->n begins, or after the last record where all of them end. */
static void mark_start(const fasta_walk *w)
{
    const ordo_fasta *const out = w->out;
    if (out->starts != NULL)
        out->starts[w->n] = (uint64_t)(w->at - w->text);
    if (out->header_offsets != NULL)
        out->header_offsets[w->n] = w->header_bytes;
    if (out->sequence_offsets != NULL)
        out->sequence_offsets[w->n] = w->sequence_bytes;
}

/* Starts a record whose header is header[0..length). False if there is no place for it. */
static bool add_header(fasta_walk *w, const char *header, size_t length)
{
    if (w->fill && w->n == w->out->n)
        return false;
    mark_start(w);
    w->n++;
    w->record = 0;
    return append(w, w->out->headers, w->out->header_bytes, &w->header_bytes, header, length);
}

/* Reads the line at w->at and goes to the next one. */
static ordo_status next_line(ordo_exec *exec, fasta_walk *w)
{
    const char *const newline = memchr(w->at, '\n', (size_t)(w->end - w->at));
    const size_t      size = (size_t)((newline != NULL ? newline + 1 : w->end) - w->at);
    size_t            length = newline != NULL ? size - 1 : size;
    bool              fits = true;

    if (length > 0 && w->at[length - 1] == '\r')
        length--;
    if (w->at[0] == '>')
        fits = add_header(w, w->at + 1, length - 1);
    else if (w->n > 0)
        fits =
            append(w, w->out->sequences, w->out->sequence_bytes, &w->sequence_bytes, w->at, length);
    else if (length > 0)
        return refuse_line(exec, w->out, w->line,
                           "expected a header, which is a line that starts with '>'");
    if (!fits)
        return refuse_numbers(exec, w->out);
    w->record += size;
    if (w->n > 0 && w->record > UINT32_MAX)
        return refuse_line(exec, w->out, w->line,
                           "the record has 4 GiB or more, which is not supported");
    w->at += size;
    w->line++;
    return ORDO_OK;
}

static ordo_status walk(ordo_exec *exec, const char *text, size_t length, ordo_fasta *out,
                        bool fill)
{
    fasta_walk w = {
        .at = text, .text = text, .end = text + length, .line = 1, .out = out, .fill = fill};

    while (w.at < w.end) {
        if (w.line % POLL_LINES == 0 && ordo_poll(exec, (double)(w.at - text) / (double)length))
            return ORDO_E_CANCELLED;
        TRY(next_line(exec, &w));
    }
    if (fill && (w.n != out->n || w.header_bytes != out->header_bytes ||
                 w.sequence_bytes != out->sequence_bytes))
        return refuse_numbers(exec, out);
    out->n = w.n;
    out->header_bytes = w.header_bytes;
    out->sequence_bytes = w.sequence_bytes;
    mark_start(&w);
    return ORDO_OK;
}

/* Checks the n + 1 offsets of an array of strings and the array, which are given together. */
static ordo_status check_strings(ordo_exec *exec, const ordo_fasta *out, const uint64_t *offsets,
                                 const char *bytes, uint64_t size, const char *what)
{
    FAIL_IF(bytes != NULL && offsets == NULL, ORDO_E_ARG, "%s is given without its offsets", what);
    FAIL_IF(bytes == NULL && offsets != NULL && size > 0, ORDO_E_ARG,
            "the offsets of %s are given without %s", what, what);
    FAIL_IF(size > SIZE_MAX, ORDO_E_ARG, "%s has more bytes than memory can hold", what);
    TRY(api_check_aligned(exec, offsets, offsets != NULL ? out->n + 1 : 0, sizeof *offsets, what));
    return api_check_array(exec, bytes, bytes != NULL ? (size_t)size : 0, 1, what);
}

/* Rejects arrays that overlap the text or each other. */
static ordo_status check_apart(ordo_exec *exec, const ordo_fasta *out, const char *text,
                               size_t length)
{
    const size_t offsets = (out->n + 1) * sizeof(uint64_t);
    const struct {
        const void *p;
        size_t      bytes;
        const char *what;
    } arrays[] = {{text, length, "text"},
                  {out->starts, offsets, "starts"},
                  {out->header_offsets, offsets, "header_offsets"},
                  {out->headers, (size_t)out->header_bytes, "headers"},
                  {out->sequence_offsets, offsets, "sequence_offsets"},
                  {out->sequences, (size_t)out->sequence_bytes, "sequences"}};

    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        for (size_t j = 0; j < i; j++)
            if (arrays[i].p != NULL && arrays[j].p != NULL)
                TRY(api_check_apart(exec, arrays[j].p, arrays[j].bytes, arrays[j].what, arrays[i].p,
                                    arrays[i].bytes, arrays[i].what));
    return ORDO_OK;
}

static ordo_status check_arrays(ordo_exec *exec, const ordo_fasta *out, const char *text,
                                size_t length)
{
    size_t count;
    FAIL_IF(!ordo_size_add(out->n, 1, &count), ORDO_E_ARG,
            "records.n is %zu; n + 1 offsets are more than memory can hold", out->n);
    TRY(api_check_aligned(exec, out->starts, out->starts != NULL ? count : 0, sizeof *out->starts,
                          "starts"));
    TRY(check_strings(exec, out, out->header_offsets, out->headers, out->header_bytes, "headers"));
    TRY(check_strings(exec, out, out->sequence_offsets, out->sequences, out->sequence_bytes,
                      "sequences"));
    return check_apart(exec, out, text, length);
}

static ordo_status parse_checked(ordo_exec *exec, const char *text, size_t length,
                                 ordo_fasta *records)
{
    ordo_fasta out;

    FAIL_IF(records == NULL, ORDO_E_ARG, "records is NULL; expected an ordo_fasta");
    TRY(api_read_struct(exec, &out, sizeof out, records, "records"));
    TRY(api_check_array(exec, text, length, 1, "text"));
    const bool fill = out.starts != NULL || out.headers != NULL || out.header_offsets != NULL ||
                      out.sequences != NULL || out.sequence_offsets != NULL;
    if (fill)
        TRY(check_arrays(exec, &out, text, length));
    out.bad_line = 0;
    out.why = NULL;
    exec->algorithm = "fasta";
    exec->isa = "generic";
    exec->phases = 2;
    text = text != NULL ? text : "";
    ordo_status status = find_zero(exec, text, length, &out);
    exec->phase = 1;
    if (status == ORDO_OK)
        status = walk(exec, text, length, &out, fill);
    const ordo_status copied = api_copy_out(exec, records, &out, sizeof out);
    return status != ORDO_OK ? status : copied;
}

ordo_status ordo_parse_fasta(ordo_ctx *ctx, const char *text, size_t length, ordo_fasta *records)
{
    API_CALL("parse_fasta", (ordo_type)0, length, parse_checked(exec, text, length, records));
}

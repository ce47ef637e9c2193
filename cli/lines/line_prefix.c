/* line_prefix.c - sorts whole lines by their first eight bytes (see line_sort.h).
 *
 * Each thread cuts a part of the text. The words are sorted with their places as payload. Lines
 * with equal words are then sorted by all their bytes. Memory: 16 bytes a line and the scratch of a
 * sort of pairs. */
#define _POSIX_C_SOURCE 200809L

#include "cli/base/workers.h"
#include "cli/io/text/text_lines.h"
#include "cli/lines/line_sort.h"

#include <stdatomic.h>
#include <stdlib.h>

enum {
    WORD = LINE_WORD,
    PLACE_BITS = 64 - PLACE_SIZE_BITS,
    LEAST_BYTES = 1 << 20, /* of a text that is worth it; estimate */
    SAMPLE = 4096,         /* lines */
    TIES_SHARE = 64,       /* of them that may have another one with the same word */
    AHEAD = 16             /* lines fetched ahead of the one that is written; estimate */
};

static size_t size_at(const line_prefixes *p, size_t i)
{
    return (size_t)(p->places[i] & ((UINT64_C(1) << PLACE_SIZE_BITS) - 1));
}

static const char *line_at(const line_prefixes *p, size_t i)
{
    return p->text + (p->places[i] >> PLACE_SIZE_BITS);
}

/* ---- Words ---- */

/* The size of the line at `line`, whose end is in the `room` bytes from there on. */
static size_t size_of_line(const char *line, size_t room, char line_end)
{
    const uint64_t ones = UINT64_MAX / 255, ends = ones * (unsigned char)line_end;

    if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && room >= 2 * WORD)
        for (size_t at = 0; at < 2 * WORD; at += WORD) {
            uint64_t word;
            memcpy(&word, line + at, WORD);
            word ^= ends;
            const uint64_t found = (word - ones) & ~word & ones << 7; /* the lowest one is right */
            if (found != 0)
                return at + (size_t)__builtin_ctzll(found) / 8;
        }
    return (size_t)((const char *)memchr(line, line_end, room) - line);
}

static int compare_words(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

bool line_prefix_fits(const line_prefixes *p)
{
    uint64_t words[SAMPLE];
    size_t   n = 0, ties = 0, samples = 0;

    if (p->length < LEAST_BYTES || (uint64_t)p->length >> PLACE_BITS != 0)
        return false;
    for (size_t i = 0, at = 0; i < SAMPLE; i++) {
        const size_t from = p->length / SAMPLE * i;
        if (from < at) /* in the line of the sample before: a long line is searched once */
            continue;
        const char *const before = memchr(p->text + from, p->line_end, p->length - from);
        at = (size_t)(before - p->text) + 1;
        samples++;
        if (p->length - at > WORD && memchr(p->text + at, p->line_end, WORD + 1) == NULL)
            words[n++] = line_word(p->text + at, WORD, WORD);
    }
    qsort(words, n, sizeof *words, compare_words);
    for (size_t i = 1; i < n; i++)
        ties += words[i] == words[i - 1];
    return ties * TIES_SHARE <= samples;
}

/* ---- Cutting ---- */

typedef struct cut_job {
    line_prefixes *p;
    line_parts     parts;
    atomic_bool    too_long;
} cut_job;

static void cut_lines(void *user, size_t i)
{
    cut_job *const       job = user;
    line_prefixes *const p = job->p;
    size_t               line = job->parts.firsts[i];

    for (size_t at = job->parts.begins[i]; at < job->parts.begins[i + 1]; line++) {
        const size_t size = size_of_line(p->text + at, p->length - at, p->line_end);
        if (size >> PLACE_SIZE_BITS != 0)
            job->too_long = true;
        p->words[line] = line_word(p->text + at, size, p->length - at);
        p->places[line] = (uint64_t)at << PLACE_SIZE_BITS | size;
        at += size + 1;
    }
}

prefix_result line_prefix_cut(line_prefixes *p)
{
    cut_job job = {.p = p};

    lines_count_parts(&job.parts, p->text, p->length, p->line_end, p->threads);
    p->n = job.parts.firsts[job.parts.n];
    p->words = cli_alloc(p->n, sizeof *p->words, "the first bytes of the lines");
    p->places =
        p->words != NULL ? cli_alloc(p->n, sizeof *p->places, "the places of the lines") : NULL;
    if (p->places == NULL) {
        line_prefix_free(p);
        return PREFIX_FAILED;
    }
    workers_run(job.parts.n, cut_lines, &job);
    if (job.too_long)
        line_prefix_free(p);
    return job.too_long ? PREFIX_TOO_LONG : PREFIX_MADE;
}

void line_prefix_free(line_prefixes *p)
{
    free(p->words);
    free(p->places);
    p->words = p->places = NULL;
}

/* ---- Sorting ---- */

static line_ties ties_of(const line_prefixes *p)
{
    return (line_ties){.n = p->n,
                       .words = p->words,
                       .type = ORDO_U64,
                       .index = p->places,
                       .text = p->text,
                       .whole = WORD,
                       .descending = p->descending};
}

ordo_status line_prefix_sort(ordo_ctx *ctx, line_prefixes *p, const ordo_sort_opts *opts)
{
    const ordo_status status =
        ordo_sort_pairs(ctx, ORDO_U64, p->words, p->n, p->places, sizeof *p->places, opts);

    p->descending = (opts->flags & ORDO_DESCENDING) != 0;
    const line_ties ties = ties_of(p);
    return status == ORDO_OK ? line_ties_sort(ctx, &ties, opts) : status;
}

void line_prefix_unique(line_prefixes *p)
{
    const line_ties ties = ties_of(p);
    p->n = line_ties_drop(&ties, true);
}

/* ---- Writing ---- */

static size_t batch_size(const void *user, size_t first, size_t end)
{
    const line_prefixes *const p = user;
    size_t                     bytes = end - first;

    for (size_t i = first; i < end; i++)
        bytes += size_at(p, i);
    return bytes;
}

/* Short lines come from their words, the others from the text. */
static void copy_batch(const void *user, size_t first, size_t end, char *to, const char *stop)
{
    const line_prefixes *const p = user;
    const char *const          text_end = p->text + p->length;

    for (size_t i = first; i < end; i++) {
        if (i + AHEAD < end && size_at(p, i + AHEAD) > WORD)
            __builtin_prefetch(line_at(p, i + AHEAD));
        const size_t      size = size_at(p, i);
        const char *const line = line_at(p, i);
        const size_t      room = (size_t)(stop - to);
        if (size <= WORD && room >= WORD) {
            const uint64_t word = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
                                      ? __builtin_bswap64(p->words[i])
                                      : p->words[i];
            memcpy(to, &word, WORD);
        } else if (room >= size + LINE_CHUNK && (size_t)(text_end - line) >= size + LINE_CHUNK) {
            line_copy(to, line, size);
        } else {
            memcpy(to, line, size);
        }
        to += size;
        *to++ = p->line_end;
    }
}

bool line_prefix_write(const line_prefixes *p, output *out)
{
    return line_batches_write(
        &(line_batches){
            .n = p->n, .bytes = p->length, .size = batch_size, .copy = copy_batch, .user = p},
        out);
}

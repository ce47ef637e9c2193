/* line_prefix.c - sorts whole lines by their first eight bytes (see line_prefix.h).
 *
 * Each thread cuts a part of the text. The words are sorted with their places as payload. Lines
 * with equal words are then sorted by all their bytes: a few by insertion, more by the sort of
 * strings. Memory: 16 bytes a line and the scratch of a sort of pairs. */
#define _POSIX_C_SOURCE 200809L

#include "cli/lines/line_prefix.h"

#include "cli/base/workers.h"
#include "cli/io/text/line_batches.h"

#include <pthread.h>
#include <stdlib.h>

enum {
    WORD = 8, /* bytes */
    SIZE_BITS = 24,
    PLACE_BITS = 64 - SIZE_BITS,
    LEAST_BYTES = 1 << 20, /* of a text that is worth it; estimate */
    SAMPLE = 4096,         /* lines */
    TIES_SHARE = 64,       /* of them that may have another one with the same word */
    PART_LEAST = 1 << 18,  /* bytes that are worth a thread; estimate */
    SCAN = 1 << 14,        /* lines in which a thread looks for ties at once */
    INSERTION_MOST = 24,   /* tied lines that are sorted by insertion; estimate */
    AHEAD = 16             /* lines fetched ahead of the one that is written; estimate */
};

static size_t size_at(const line_prefixes *p, size_t i)
{
    return (size_t)(p->places[i] & ((UINT64_C(1) << SIZE_BITS) - 1));
}

static const char *line_at(const line_prefixes *p, size_t i)
{
    return p->text + (p->places[i] >> SIZE_BITS);
}

/* ---- Words ---- */

/* The word of a line. `room` bytes of the text follow its beginning. */
static uint64_t word_of(const char *line, size_t size, size_t room)
{
    unsigned char first[WORD] = {0};
    uint64_t      word = 0;

    if (room >= WORD) {
        memcpy(&word, line, WORD);
        word = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? __builtin_bswap64(word) : word;
        return size >= WORD ? word : word & ~(UINT64_MAX >> 8 * size);
    }
    memcpy(first, line, size < WORD ? size : WORD);
    for (size_t i = 0; i < WORD; i++)
        word = word << 8 | first[i];
    return word;
}

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
            words[n++] = word_of(p->text + at, WORD, WORD);
    }
    qsort(words, n, sizeof *words, compare_words);
    for (size_t i = 1; i < n; i++)
        ties += words[i] == words[i - 1];
    return ties * TIES_SHARE <= samples;
}

/* ---- Cutting ---- */

typedef struct cut_part {
    size_t from, to; /* of the text; whole lines */
    size_t first, n; /* lines */
    bool   too_long;
} cut_part;

typedef struct cut_job {
    line_prefixes *p;
    cut_part       parts[WORKERS_MOST];
} cut_job;

static void count_lines(void *user, size_t i)
{
    cut_job *const  job = user;
    cut_part *const c = &job->parts[i];
    c->n = lines_count_ends(job->p->text + c->from, c->to - c->from, job->p->line_end);
}

static void cut_lines(void *user, size_t i)
{
    cut_job *const       job = user;
    cut_part *const      c = &job->parts[i];
    line_prefixes *const p = job->p;
    size_t               line = c->first;

    for (size_t at = c->from; at < c->to; line++) {
        const size_t size = size_of_line(p->text + at, p->length - at, p->line_end);
        c->too_long |= size >> SIZE_BITS != 0;
        p->words[line] = word_of(p->text + at, size, p->length - at);
        p->places[line] = (uint64_t)at << SIZE_BITS | size;
        at += size + 1;
    }
}

static size_t divide(cut_job *job)
{
    const line_prefixes *const p = job->p;
    const size_t               parts = workers_parts(p->length, PART_LEAST, p->threads);
    size_t                     from = 0;

    for (size_t i = 0; i < parts; i++) {
        size_t to = p->length / parts * (i + 1);
        if (to < from)
            to = from;
        if (i + 1 == parts)
            to = p->length;
        else if (to > 0 && to < p->length)
            to = (size_t)((char *)memchr(p->text + to - 1, p->line_end, p->length - to + 1) -
                          p->text) +
                 1;
        job->parts[i] = (cut_part){.from = from, .to = to};
        from = to;
    }
    return parts;
}

prefix_result line_prefix_cut(line_prefixes *p)
{
    cut_job      job = {.p = p};
    const size_t parts = divide(&job);
    bool         too_long = false;

    workers_run(parts, count_lines, &job);
    p->n = 0;
    for (size_t i = 0; i < parts; i++) {
        job.parts[i].first = p->n;
        p->n += job.parts[i].n;
    }
    p->words = cli_alloc(p->n, sizeof *p->words, "the first bytes of the lines");
    p->places =
        p->words != NULL ? cli_alloc(p->n, sizeof *p->places, "the places of the lines") : NULL;
    if (p->places == NULL) {
        line_prefix_free(p);
        return PREFIX_FAILED;
    }
    workers_run(parts, cut_lines, &job);
    for (size_t i = 0; i < parts; i++)
        too_long |= job.parts[i].too_long;
    if (too_long)
        line_prefix_free(p);
    return too_long ? PREFIX_TOO_LONG : PREFIX_MADE;
}

void line_prefix_free(line_prefixes *p)
{
    free(p->words);
    free(p->places);
    p->words = p->places = NULL;
}

/* ---- Ties ---- */

typedef struct tie_group { /* lines [first, end) */
    size_t first, end;
} tie_group;

typedef struct tie_job {
    line_prefixes  *p;
    pthread_mutex_t lock;
    tie_group      *large; /* groups that are left */
    size_t          count, capacity;
    bool            failed;
} tie_job;

static int compare_lines(const line_prefixes *p, uint64_t a, uint64_t b)
{
    const uint64_t sizes = (UINT64_C(1) << SIZE_BITS) - 1;
    const int      order = lines_compare(p->text + (a >> SIZE_BITS), (size_t)(a & sizes),
                                         p->text + (b >> SIZE_BITS), (size_t)(b & sizes));
    return p->descending ? -order : order;
}

static void sort_few(line_prefixes *p, size_t first, size_t end)
{
    for (size_t i = first + 1; i < end; i++) {
        const uint64_t place = p->places[i];
        size_t         at = i;
        for (; at > first && compare_lines(p, p->places[at - 1], place) > 0; at--)
            p->places[at] = p->places[at - 1];
        p->places[at] = place;
    }
}

static void keep_large(tie_job *job, size_t first, size_t end)
{
    pthread_mutex_lock(&job->lock);
    if (job->count == job->capacity) {
        const size_t     capacity = 2 * job->capacity + 64;
        tie_group *const larger = realloc(job->large, capacity * sizeof *larger);
        if (larger != NULL) {
            job->large = larger;
            job->capacity = capacity;
        }
    }
    if (job->count < job->capacity)
        job->large[job->count++] = (tie_group){first, end};
    else
        job->failed = true;
    pthread_mutex_unlock(&job->lock);
}

/* Whether the word of all these lines is the whole of each. */
static bool all_short(const line_prefixes *p, size_t first, size_t end)
{
    const size_t size = size_at(p, first);
    bool         same = size <= WORD;

    for (size_t i = first + 1; i < end && same; i++)
        same = size_at(p, i) == size;
    return same;
}

/* Handles the groups of ties that begin in a part of the lines. */
static void scan_part(void *user, size_t part)
{
    tie_job *const       job = user;
    line_prefixes *const p = job->p;
    size_t               first = part * SCAN, end;
    const size_t         stop = p->n - first < SCAN ? p->n : first + SCAN;

    while (first > 0 && first < stop && p->words[first] == p->words[first - 1])
        first++; /* the group began in an earlier part */
    for (; first < stop; first = end) {
        for (end = first + 1; end < p->n && p->words[end] == p->words[first];)
            end++;
        if (end - first == 1 || all_short(p, first, end))
            continue;
        if (end - first <= INSERTION_MOST)
            sort_few(p, first, end);
        else
            keep_large(job, first, end);
    }
}

/* Sorts a group as strings. */
static ordo_status sort_large(ordo_ctx *ctx, line_prefixes *p, tie_group g,
                              const ordo_sort_opts *opts)
{
    const size_t n = g.end - g.first;
    size_t       bytes = 0;
    for (size_t i = g.first; i < g.end; i++)
        bytes += size_at(p, i);
    char *const     text = malloc(bytes + 1);
    uint64_t *const offsets = malloc((n + 1) * sizeof *offsets);
    uint64_t *const places = malloc(n * sizeof *places);
    uint64_t *const order = malloc(n * sizeof *order);
    ordo_status     status = ORDO_E_NOMEM;

    if (text != NULL && offsets != NULL && places != NULL && order != NULL) {
        offsets[0] = 0;
        for (size_t i = 0; i < n; i++) {
            const size_t size = size_at(p, g.first + i);
            memcpy(text + offsets[i], line_at(p, g.first + i), size);
            offsets[i + 1] = offsets[i] + size;
        }
        memcpy(places, p->places + g.first, n * sizeof *places);
        status =
            ordo_argsort_strings(ctx, &ORDO_OPTS(ordo_strings, .bytes = text, .offsets = offsets),
                                 n, ORDO_U64, order, opts);
        for (size_t i = 0; i < n && status == ORDO_OK; i++)
            p->places[g.first + i] = places[order[i]];
    }
    free(text);
    free(offsets);
    free(places);
    free(order);
    return status;
}

ordo_status line_prefix_sort(ordo_ctx *ctx, line_prefixes *p, const ordo_sort_opts *opts)
{
    tie_job     job = {.p = p, .lock = PTHREAD_MUTEX_INITIALIZER};
    ordo_status status =
        ordo_sort_pairs(ctx, ORDO_U64, p->words, p->n, p->places, sizeof *p->places, opts);

    p->descending = (opts->flags & ORDO_DESCENDING) != 0;
    if (status == ORDO_OK)
        workers_run((p->n + SCAN - 1) / SCAN, scan_part, &job);
    if (job.failed)
        status = ORDO_E_NOMEM;
    for (size_t i = 0; i < job.count && status == ORDO_OK; i++)
        status = sort_large(ctx, p, job.large[i], opts);
    free(job.large);
    return status;
}

void line_prefix_unique(line_prefixes *p)
{
    size_t kept = 0;

    for (size_t i = 0; i < p->n; i++) {
        const size_t size = size_at(p, i);
        const bool   tie = kept > 0 && p->words[i] == p->words[kept - 1] &&
                         size == size_at(p, kept - 1) &&
                         (size <= WORD || memcmp(line_at(p, i), line_at(p, kept - 1), size) == 0);
        if (tie)
            continue;
        p->words[kept] = p->words[i];
        p->places[kept++] = p->places[i];
    }
    p->n = kept;
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
        p->threads, out);
}

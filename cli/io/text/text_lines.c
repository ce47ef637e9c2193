/* text_lines.c - the lines of a text (see text_lines.h).
 *
 * The files are read into one block. The lines are then moved together in place, without their
 * ends: the library takes adjacent strings, and a newline at the end of a string would sort
 * above the control characters below it. Each thread moves the lines of a part of the block
 * together; then the parts are. */
#define _POSIX_C_SOURCE 200809L

#include "cli/io/text/text_lines.h"

#include "cli/io/npy.h"
#include "cli/io/workers.h"
#include "cli/io/source.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = 16,
    AHEAD = 16,            /* lines fetched ahead of the one that is written; estimate */
    SPLIT_LEAST = 1 << 18, /* bytes that are worth a thread; estimate                  */
    WRITE_BATCH = 1 << 14  /* lines that a thread writes at once; estimate             */
};

/* Counts in bytes, which the compiler turns into vectors. */
size_t lines_count_ends(const char *text, size_t length, char line_end)
{
    size_t n = 0;

    for (size_t at = 0; at < length;) {
        const size_t stop = length - at < UINT8_MAX ? length : at + UINT8_MAX;
        uint8_t      found = 0;
        for (; at < stop; at++)
            found = (uint8_t)(found + (text[at] == line_end));
        n += found;
    }
    return n;
}

/* memmove() for short lines: copies CHUNK bytes at a time, up to CHUNK - 1 behind the line. Both
 * `to` and `from` must have that room, and if they overlap, `to` is at least CHUNK bytes before
 * `from`. */
static inline void copy_line(char *to, const char *from, size_t size)
{
    size_t at = 0;
    do {
        char chunk[CHUNK];
        memcpy(chunk, from + at, CHUNK);
        memcpy(to + at, chunk, CHUNK);
        at += CHUNK;
    } while (at < size);
}

/* ---- Splitting ---- */

typedef struct split_part { /* a piece of the text */
    size_t at, length;
    size_t first; /* the number of its first end */
    size_t ends;
} split_part;

typedef struct split_job {
    lines     *out;
    split_part parts[WORKERS_MOST];
} split_job;

static void count_part(void *arg, size_t part)
{
    split_job *const  job = arg;
    split_part *const p = &job->parts[part];
    p->ends = lines_count_ends(job->out->bytes + p->at, p->length, job->out->line_end);
}

/* Moves the bytes of the part, without the ends of lines, to its beginning, and sets the offsets of
 * the lines that end in it. */
static void split_part_lines(void *arg, size_t part)
{
    const split_job *const  job = arg;
    const split_part *const s = &job->parts[part];
    lines *const            l = job->out;
    const char             *p = l->bytes + s->at;
    const char *const       end = p + s->length;
    char                   *to = l->bytes + s->at;

    for (size_t i = s->first; p < end; i++) {
        const char *const stop = memchr(p, l->line_end, (size_t)(end - p));
        const size_t      size = (size_t)((stop != NULL ? stop : end) - p);
        if (p - to >= CHUNK && (size_t)(end - p) >= size + CHUNK)
            copy_line(to, p, size);
        else if (p != to)
            memmove(to, p, size);
        to += size;
        p += size;
        if (stop != NULL) {
            l->offsets[i + 1] = (size_t)(p - l->bytes) - i;
            p++;
        }
    }
}

/* Whether every line is shorter than 2^32 bytes; false after a message. */
static bool check_lengths(const lines *l)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->offsets[i + 1] - l->offsets[i] > UINT32_MAX)
            return cli_fail("%s: line %zu of the input has %llu bytes; at most 2^32 - 1 are "
                            "supported",
                            l->name, i + 1,
                            (unsigned long long)(l->offsets[i + 1] - l->offsets[i]));
    return true;
}

/* Splits bytes[0..length), which ends with the end of a line, with several threads. */
static bool split(lines *out, size_t length, unsigned threads)
{
    split_job    job = {.out = out};
    const size_t n = workers_parts(length, SPLIT_LEAST, threads);
    size_t       used = 0;

    for (size_t i = 0; i < n; i++) {
        const size_t at = length / n * i;
        job.parts[i] =
            (split_part){.at = at, .length = (i + 1 < n ? length / n * (i + 1) : length) - at};
    }
    progress_start("splitting");
    workers_run(n, count_part, &job);
    out->n = 0;
    for (size_t i = 0; i < n; i++) {
        job.parts[i].first = out->n;
        out->n += job.parts[i].ends;
    }
    out->offsets = cli_alloc(out->n + 1, sizeof *out->offsets, "the offsets of the lines");
    if (out->offsets != NULL) {
        out->offsets[0] = 0;
        workers_run(n, split_part_lines, &job);
        for (size_t i = 0; i < n; i++) {
            const size_t size = job.parts[i].length - job.parts[i].ends;
            if (used != job.parts[i].at)
                memmove(out->bytes + used, out->bytes + job.parts[i].at, size);
            used += size;
        }
    }
    progress_end();
    return out->offsets != NULL && (length <= UINT32_MAX || check_lengths(out));
}

/* ---- Reading ---- */

bool lines_append(lines *l, const char *name, char *block, size_t size, size_t *length)
{
    if (l->bytes == NULL) {
        l->bytes = block;
        *length = size;
        return true;
    }
    char *const joined = realloc(l->bytes, *length + size + 1);
    if (joined == NULL) {
        free(block);
        return cli_fail("%s: not enough memory to read it", name);
    }
    memcpy(joined + *length, block, size + 1);
    free(block);
    l->bytes = joined;
    *length += size;
    return true;
}

/* Appends the bytes of a file, whose last line gets its end. */
static bool append_file(const char *path, const char *option, lines *out, size_t *length)
{
    source     s;
    const bool opened = source_open(&s, path);
    char      *block = opened ? source_take(&s) : NULL;
    size_t     size = s.end;

    out->name = s.name;
    source_close(&s);
    if (block == NULL)
        return false;
    if (option != NULL && npy_is(block, size)) {
        free(block);
        return cli_fail(
            "%s: this is an .npy file, but %s is for lines; leave out %s to sort numbers, or "
            "give --text to sort lines",
            s.name, option, option);
    }
    if (size > 0 && block[size - 1] != out->line_end) {
        char *const longer = realloc(block, size + 2);
        if (longer == NULL) {
            free(block);
            return cli_fail("%s: not enough memory to read it", s.name);
        }
        block = longer;
        block[size++] = out->line_end;
        block[size] = '\0';
    }
    return lines_append(out, s.name, block, size, length);
}

bool lines_load(const lines_request *request, lines *out, size_t *length)
{
    bool ok = true;

    *length = 0;
    *out = (lines){.line_end = request->line_end};
    progress_start("reading");
    for (size_t f = 0; ok && f < request->n; f++)
        ok = append_file(request->paths[f], request->option, out, length);
    progress_end();
    if (!ok)
        lines_free(out);
    return ok;
}

bool lines_cut(lines *out, size_t length, unsigned threads)
{
    const bool ok = split(out, length, threads);
    if (!ok)
        lines_free(out);
    return ok;
}

bool lines_read(const lines_request *request, lines *out)
{
    size_t length;
    return lines_load(request, out, &length) && lines_cut(out, length, request->threads);
}

void lines_free(lines *l)
{
    free(l->bytes);
    free(l->offsets);
    *l = (lines){.n = 0};
}

ordo_strings lines_strings(const lines *l)
{
    return ORDO_OPTS(ordo_strings, .bytes = l->bytes, .offsets = l->offsets);
}

/* The first 8 bytes as a number whose order is theirs. */
static uint64_t first_bytes(const char *line)
{
    uint64_t word;
    memcpy(&word, line, sizeof word);
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? __builtin_bswap64(word) : word;
}

int lines_compare(const char *a, size_t a_length, const char *b, size_t b_length)
{
    if (a_length >= sizeof(uint64_t) && b_length >= sizeof(uint64_t)) {
        const uint64_t x = first_bytes(a), y = first_bytes(b);
        if (x != y)
            return x < y ? -1 : 1;
    }
    const int bytes = memcmp(a, b, a_length < b_length ? a_length : b_length);
    return bytes != 0 ? bytes : (a_length > b_length) - (a_length < b_length);
}

static size_t size_of(const lines *l, size_t i)
{
    return (size_t)(l->offsets[i + 1] - l->offsets[i]);
}

bool lines_write_one(const lines *l, size_t i, output *out)
{
    return output_bytes(out, l->bytes + l->offsets[i], size_of(l, i)) &&
           output_bytes(out, &l->line_end, 1);
}

/* ---- Writing in another order ---- */

typedef struct write_job { /* threads copy batches of lines together and write them in turn */
    const lines    *l;
    ordo_type       type;
    const void     *index;
    size_t          n;
    output         *out;
    pthread_mutex_t lock;
    pthread_cond_t  turned;
    size_t          next; /* the batch that no thread has taken */
    size_t          turn; /* the batch that is written next     */
    bool            failed;
} write_job;

/* Copies a batch of lines to *buffer, which grows, and returns their bytes; SIZE_MAX if there is
 * not enough memory. The lines lie anywhere in memory: their offsets are fetched before their
 * bytes, and these before they are copied. */
static size_t gather(const write_job *job, size_t first, size_t end, char **buffer,
                     size_t *capacity)
{
    const lines *const l = job->l;
    const size_t       used = l->n > 0 ? (size_t)l->offsets[l->n] : 0;
    size_t             bytes = end - first;

    for (size_t i = first; i < end; i++) {
        if (i + AHEAD < end)
            __builtin_prefetch(&l->offsets[index_at(job->type, job->index, i + AHEAD)]);
        bytes += size_of(l, index_at(job->type, job->index, i));
    }
    if (*buffer == NULL || bytes + CHUNK > *capacity) {
        free(*buffer);
        *capacity = bytes + bytes / 4 + CHUNK;
        *buffer = malloc(*capacity);
        if (*buffer == NULL)
            return SIZE_MAX;
    }
    char *to = *buffer;
    for (size_t i = first; i < end; i++) {
        if (i + AHEAD < end)
            __builtin_prefetch(l->bytes + l->offsets[index_at(job->type, job->index, i + AHEAD)]);
        const size_t line = index_at(job->type, job->index, i), at = (size_t)l->offsets[line];
        const size_t size = (size_t)l->offsets[line + 1] - at;
        if (at + size + CHUNK <= used)
            copy_line(to, l->bytes + at, size);
        else
            memcpy(to, l->bytes + at, size);
        to += size;
        *to++ = l->line_end;
    }
    return bytes;
}

/* Writes a batch when its turn has come. */
static void write_in_turn(write_job *job, size_t batch, const char *buffer, size_t bytes)
{
    pthread_mutex_lock(&job->lock);
    while (job->turn != batch)
        pthread_cond_wait(&job->turned, &job->lock);
    if (!job->failed && bytes == SIZE_MAX)
        job->failed = !cli_fail("not enough memory to write the lines");
    else if (!job->failed)
        job->failed = !output_bytes(job->out, buffer, bytes);
    job->turn++;
    progress_at((double)batch * WRITE_BATCH / (double)job->n);
    pthread_cond_broadcast(&job->turned);
    pthread_mutex_unlock(&job->lock);
}

static size_t take_batch(write_job *job)
{
    pthread_mutex_lock(&job->lock);
    const size_t batch = job->next++;
    pthread_mutex_unlock(&job->lock);
    return batch;
}

/* Takes batches until there are no more. */
static void write_part(void *arg, size_t part)
{
    write_job *const job = arg;
    char            *buffer = NULL;
    size_t           capacity = 0, first;

    (void)part;
    for (size_t batch; (first = (batch = take_batch(job)) * WRITE_BATCH) < job->n;) {
        const size_t end = job->n - first < WRITE_BATCH ? job->n : first + WRITE_BATCH;
        const size_t bytes = gather(job, first, end, &buffer, &capacity);
        write_in_turn(job, batch, buffer, bytes);
    }
    free(buffer);
}

bool lines_write_index(const lines *l, ordo_type type, const void *index, size_t n,
                       unsigned threads, output *out)
{
    write_job job = {.l = l,
                     .type = type,
                     .index = index,
                     .n = n,
                     .out = out,
                     .lock = PTHREAD_MUTEX_INITIALIZER,
                     .turned = PTHREAD_COND_INITIALIZER};

    progress_start("writing");
    workers_run(workers_parts(n, WRITE_BATCH, threads), write_part, &job);
    progress_end();
    return !job.failed;
}

bool lines_write(const lines *l, output *out)
{
    bool ok = true;

    progress_start("writing");
    for (size_t i = 0; ok && i < l->n; i++) {
        ok = lines_write_one(l, i, out);
        progress_count(i, l->n);
    }
    progress_end();
    return ok;
}

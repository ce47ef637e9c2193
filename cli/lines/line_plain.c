/* line_plain.c - reads lines that are whole numbers (see line_sort.h).
 *
 * Threads take chunks of the text. A chunk has the lines that begin in it; its ends of lines are
 * counted, so that it knows how much of the array it takes, and then its numbers are read. The
 * first chunk says whether all numbers may have at most 9 digits and no sign: they are u32 then. If
 * a later number does not fit, all text is read again as i64. */
#define _POSIX_C_SOURCE 200809L

#include "cli/lines/line_sort.h"

#include "cli/base/workers.h"
#include "cli/io/number/digits.h"
#include "cli/io/source.h"
#include "cli/io/tempfile.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    CHUNK = 1 << 18, /* bytes; estimate: fits the second cache                         */
    AHEAD = 24,      /* bytes behind a chunk that are read, longer than any plain line */
    SPACE = 16,      /* bytes behind these that words of eight may touch               */
    MOST_DIGITS = 18,
    FILES_MOST = 64
};

typedef struct plain_part { /* a file, or a text in memory */
    int         fd;
    const char *text; /* NULL: a file */
    size_t      size;
    size_t      first; /* of its chunks, the number of the first one */
} plain_part;

typedef struct plain_job {
    plain_part    parts[FILES_MOST];
    size_t        count, chunks;
    char          line_end;
    bool          wide; /* i64, otherwise u32 */
    void         *values;
    size_t        room;
    atomic_size_t next, used;
    atomic_bool   failed;
} plain_job;

typedef struct plain_chunk { /* text[begin .. end) has the first bytes of its lines */
    const char *begin, *end;
    size_t      n; /* lines */
} plain_chunk;

bool line_plain_fits(const line_order *order)
{
    const line_key *const key = &order->keys[0];
    return order->n == 1 && key->kind == KEY_NUMERIC && key->first_field == 0 &&
           key->first_byte == 0 && key->last_field == 0;
}

/* ---- Numbers ---- */

/* Reads n lines of up to 9 digits. False if one is something else. */
static bool read_narrow(const char *p, size_t n, char line_end, uint32_t *to)
{
    bool ok = true;

    for (size_t i = 0; i < n; i++) {
        const char *const first = p;
        const uint64_t    eight = digits_load(p);
        const unsigned    count = digits_count(eight);
        uint32_t          value = (uint32_t)digits_value(eight, count);
        p += count;
        if (count == 8 && is_digit(*p))
            value = 10 * value + (uint32_t)(*p++ - '0');
        ok &= count > 0 && *p == line_end && (*first != '0' || p == first + 1);
        to[i] = value;
        p++;
    }
    return ok;
}

/* Reads n lines of up to MOST_DIGITS digits, perhaps with a minus. */
static bool read_wide(const char *p, size_t n, char line_end, int64_t *to)
{
    bool ok = true;

    for (size_t i = 0; i < n; i++) {
        const bool minus = *p == '-';
        p += minus;
        const char *const first = p;
        uint64_t          value = 0;
        p = digits_read(p, 3, &value);
        ok &= p > first && p - first <= MOST_DIGITS && *p == line_end &&
              (*first != '0' || (p == first + 1 && !minus));
        to[i] = (int64_t)(minus ? 0 - value : value);
        p++;
    }
    return ok;
}

/* ---- Chunks ---- */

/* Copies chunk number `which` to buffer[0..CHUNK + AHEAD + SPACE + 1), from the byte before it. */
static bool load_chunk(const plain_job *job, size_t which, char *buffer, plain_chunk *c)
{
    const plain_part *part = &job->parts[job->count - 1];
    while (part->first > which)
        part--;
    const size_t at = (which - part->first) * CHUNK, before = at > 0;
    const size_t length = part->size - at < CHUNK ? part->size - at : CHUNK;
    const size_t ahead = part->size - at - length < AHEAD ? part->size - at - length : AHEAD;
    const size_t bytes = before + length + ahead;

    if (part->text != NULL)
        memcpy(buffer, part->text + at - before, bytes);
    else if (!spool_read(part->fd, at - before, buffer, bytes))
        return false;
    memset(buffer + bytes, '/', SPACE); /* no digit, and no end of a line */
    if (ahead < AHEAD)
        buffer[bytes] = job->line_end; /* the last line may have none */
    c->begin = buffer + before;
    c->end = c->begin + length;
    if (before > 0 && buffer[0] != job->line_end) {
        const char *const stop = memchr(c->begin, job->line_end, length);
        c->begin = stop != NULL ? stop + 1 : c->end;
    }
    c->n = lines_count_ends(c->begin, (size_t)(c->end - c->begin), job->line_end);
    c->n += c->end > c->begin && c->end[-1] != job->line_end;
    return true;
}

static bool read_chunk(plain_job *job, size_t which, char *buffer)
{
    plain_chunk c;

    if (!load_chunk(job, which, buffer, &c))
        return false;
    const size_t at = atomic_fetch_add(&job->used, c.n);
    if (at + c.n > job->room)
        return false;
    return job->wide ? read_wide(c.begin, c.n, job->line_end, (int64_t *)job->values + at)
                     : read_narrow(c.begin, c.n, job->line_end, (uint32_t *)job->values + at);
}

/* Takes chunks until there are no more; with `part` SIZE_MAX only one. */
static void read_chunks(void *user, size_t part)
{
    plain_job *const job = user;
    char *const      buffer = malloc(1 + CHUNK + AHEAD + SPACE);
    bool             ok = buffer != NULL;

    for (size_t which; ok && !atomic_load(&job->failed) &&
                       (which = atomic_fetch_add(&job->next, 1)) < job->chunks;) {
        ok = read_chunk(job, which, buffer);
        if (part == SIZE_MAX)
            break;
    }
    if (!ok)
        atomic_store(&job->failed, true);
    free(buffer);
}

/* ---- All text ---- */

static bool read_as(plain_job *job, bool wide)
{
    job->wide = wide;
    atomic_store(&job->next, 0);
    atomic_store(&job->used, 0);
    atomic_store(&job->failed, false);
    job->values = cli_alloc_quiet(job->room, wide ? sizeof(int64_t) : sizeof(uint32_t));
    if (job->values == NULL)
        return false;
    read_chunks(job, SIZE_MAX);
    if (!atomic_load(&job->failed) && job->chunks > 1)
        workers_run(workers_parts(job->chunks, 1, WORKERS_MOST), read_chunks, job);
    if (!atomic_load(&job->failed))
        return true;
    free(job->values);
    return false;
}

static plain_result read_all(plain_job *job, plain_numbers *out)
{
    job->room = 1;
    for (size_t i = 0; i < job->count; i++) {
        job->parts[i].first = job->chunks;
        job->chunks += (job->parts[i].size + CHUNK - 1) / CHUNK;
        job->room +=
            job->parts[i].size / 2 + 1; /* a number and its end; untouched pages are free */
    }
    if (!read_as(job, false) && !read_as(job, true))
        return PLAIN_NOT;
    *out = (plain_numbers){.type = job->wide ? ORDO_I64 : ORDO_U32,
                           .values = job->values,
                           .n = atomic_load(&job->used)};
    return PLAIN_MADE;
}

/* Whether the file is a regular one that begins as a number does. */
static bool open_part(const char *path, plain_part *part)
{
    struct stat st;
    char        first = '\0';

    if (source_is_stdin(path))
        return false;
    part->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (part->fd < 0 || fstat(part->fd, &st) != 0 || !S_ISREG(st.st_mode) ||
        pread(part->fd, &first, 1, 0) != 1)
        return false;
    part->size = (size_t)st.st_size;
    return is_digit(first) || first == '-';
}

plain_result line_plain_files(const lines_request *request, plain_numbers *out)
{
    plain_job *const job = calloc(1, sizeof *job);
    bool             seen = request->n <= FILES_MOST;

    if (job == NULL)
        return PLAIN_UNSEEN;
    for (; seen && job->count < request->n; job->count++) {
        job->parts[job->count].fd = -1;
        seen = open_part(request->paths[job->count], &job->parts[job->count]);
    }
    job->line_end = request->line_end;
    progress_start("reading");
    const plain_result result = seen ? read_all(job, out) : PLAIN_UNSEEN;
    progress_end();
    for (size_t i = 0; i < job->count; i++)
        if (job->parts[i].fd >= 0)
            close(job->parts[i].fd);
    free(job);
    return result;
}

plain_result line_plain_text(const lines *text, size_t length, plain_numbers *out)
{
    plain_job *const job = calloc(1, sizeof *job);

    if (job == NULL)
        return PLAIN_NOT;
    job->parts[0] = (plain_part){.fd = -1, .text = text->bytes, .size = length};
    job->count = 1;
    job->line_end = text->line_end;
    const plain_result result = read_all(job, out);
    free(job);
    return result;
}

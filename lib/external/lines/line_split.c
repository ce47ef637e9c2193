/* line_split.c - the first half of the work on a buffer: splits it into lines and encodes their
 * keys.
 *
 * Lines move together without their ends, because the string sort takes adjacent strings. A byte of
 * the text that has i ends before it moves by i places, so each chunk of the text can be copied by
 * its own thread once the ends of the chunks before it are counted. Each thread encodes the keys of
 * a share of the lines into a share of the memory. If a share is too small, one thread encodes all
 * keys, up to the line where the memory ends. */
#define _GNU_SOURCE
#include "external/lines/line_work.h"

#include "backend/exec.h"

#include <errno.h>
#include <stdlib.h>

enum {
    GRAIN = 32, /* chunks of a piece of a loop over the text */
    MOST_PARTS = 64
};

/* ---- Keys ---- */

bool line_key(const ordo_line_format *format, line_view line, key_room *room, failure *f,
              line_view *key)
{
    *key = line;
    while (format->key != NULL) {
        ptrdiff_t const size =
            format->key(format->user, line.bytes, line.length, room->bytes, room->capacity);
        if (size < 0)
            return failure_record_errno(f, errno, "the function that encodes keys failed");
        if ((size_t)size <= room->capacity) {
            *key = (line_view){room->bytes, (size_t)size};
            return true;
        }
        char *const larger = realloc(room->bytes, (size_t)size);
        if (larger == NULL)
            return failure_record(f, ORDO_E_NOMEM, "the system refused %zu bytes for a key",
                                  (size_t)size);
        *room = (key_room){larger, (size_t)size};
    }
    return true;
}

typedef struct key_part { /* a share of the lines, for one thread */
    size_t first, end;    /* its lines */
    char  *at;            /* its memory for keys */
    size_t room, used;
    size_t moved; /* where its keys are after all */
    bool   failed;
} key_part;

typedef struct key_job {
    line_work *w;
    key_part   parts[MOST_PARTS];
} key_job;

/* Encodes the keys of a part's lines, with offsets that count from the part's memory. */
static void encode_share(void *arg, size_t lo, size_t hi)
{
    key_job *const                job = arg;
    line_work *const              w = job->w;
    const ordo_line_format *const format = &w->format;
    for (size_t t = lo; t < hi; t++) {
        key_part *const p = &job->parts[t];
        p->used = 0;
        for (size_t i = p->first; i < p->end && !p->failed; i++) {
            w->key_offsets[i] = p->used;
            ptrdiff_t const size = format->key(format->user, w->lines + w->offsets[i],
                                               (size_t)(w->offsets[i + 1] - w->offsets[i]),
                                               p->at + p->used, p->room - p->used);
            p->failed = size < 0 || (size_t)size > p->room - p->used;
            p->used += p->failed ? 0 : (size_t)size;
        }
    }
}

static void shift_share(void *arg, size_t lo, size_t hi)
{
    const key_job *const job = arg;
    for (size_t t = lo; t < hi; t++)
        for (size_t i = job->parts[t].first; i < job->parts[t].end; i++)
            job->w->key_offsets[i] += job->parts[t].moved;
}

/* False if a part had too little memory, or after a failure. */
static bool encode_parallel(line_work *w)
{
    ordo_exec *const exec = w->call->exec;
    size_t const     count = ordo_min(ordo_max(exec->threads, 1), MOST_PARTS);
    size_t const     share = w->limits.keys / count;
    key_job          job = {.w = w};
    for (size_t t = 0; t < count; t++)
        job.parts[t] = (key_part){.first = w->n / count * t,
                                  .end = t + 1 < count ? w->n / count * (t + 1) : w->n,
                                  .at = w->keys + t * share,
                                  .room = share};
    if (!ordo_loop(exec, count, 1, encode_share, &job))
        return failure_record(&w->call->failure, ORDO_E_CANCELLED, "cancelled");
    size_t used = 0;
    for (size_t t = 0; t < count; t++) {
        key_part *const p = &job.parts[t];
        if (p->failed)
            return false;
        memmove(w->keys + used, p->at, p->used);
        p->moved = used;
        used += p->used;
    }
    w->key_offsets[w->n] = used;
    return ordo_loop(exec, count, 1, shift_share, &job) ||
           failure_record(&w->call->failure, ORDO_E_CANCELLED, "cancelled");
}

static bool encode_in_turn(line_work *w)
{
    failure *const f = &w->call->failure;
    uint64_t       used = 0;
    for (size_t i = 0; i < w->n; i++) {
        line_view const line = {w->lines + w->offsets[i],
                                (size_t)(w->offsets[i + 1] - w->offsets[i])};
        line_view       key;
        if (!line_key(&w->format, line, &w->scratch, f, &key))
            return false;
        if (i == 0 && key.length > w->limits.keys)
            return failure_record(f, ORDO_E_NOMEM,
                                  "the key of a line has %zu bytes; with the given limit of the "
                                  "memory at most %zu are possible",
                                  key.length, w->limits.keys);
        if (key.length > w->limits.keys - used)
            w->n = i;
        else if (key.length > 0)
            memcpy(w->keys + used, key.bytes, key.length);
        w->key_offsets[i] = used;
        used += i < w->n ? key.length : 0;
    }
    w->key_offsets[w->n] = used;
    return true;
}

/* ---- Lines ---- */

typedef struct split_job {
    line_work  *w;
    const char *text;
    size_t      length;
} split_job;

static size_t count_ends(const char *text, size_t length, char end)
{
    size_t n = 0;
    for (size_t at = 0; at < length;) { /* counts in bytes, which become vectors */
        size_t const stop = ordo_min(length, at + UINT8_MAX);
        uint8_t      found = 0;
        for (; at < stop; at++)
            found = (uint8_t)(found + (text[at] == end));
        n += found;
    }
    return n;
}

static size_t chunk_length(const split_job *job, size_t chunk)
{
    return ordo_min(LINE_CHUNK, job->length - chunk * LINE_CHUNK);
}

static void count_chunks(void *arg, size_t lo, size_t hi)
{
    const split_job *const job = arg;
    for (size_t c = lo; c < hi; c++)
        job->w->chunks[c] =
            count_ends(job->text + c * LINE_CHUNK, chunk_length(job, c), (char)job->w->format.end);
}

/* Copies the chunks without their ends; chunks[c] is the number of ends before chunk c. */
static void copy_chunks(void *arg, size_t lo, size_t hi)
{
    const split_job *const job = arg;
    line_work *const       w = job->w;
    for (size_t c = lo; c < hi; c++) {
        size_t       i = w->chunks[c], at = c * LINE_CHUNK;
        size_t const stop = at + chunk_length(job, c);
        while (at < stop) {
            const char *const from = job->text + at;
            const char *const end = memchr(from, (int)w->format.end, stop - at);
            size_t const      size = end != NULL ? (size_t)(end - from) : stop - at;
            memcpy(w->lines + at - i, from, size);
            at += size;
            if (end != NULL) {
                w->offsets[i + 1] = at - i;
                i++;
                at++;
            }
        }
    }
}

/* Takes lines that end with the first end byte. */
static bool take_plain(line_work *w, const char *text, size_t length)
{
    ordo_exec *const exec = w->call->exec;
    split_job        job = {w, text, length};
    size_t           chunks = ordo_div_up(length, LINE_CHUNK), used = 0;
    if (!ordo_loop(exec, chunks, GRAIN, count_chunks, &job))
        return failure_record(&w->call->failure, ORDO_E_CANCELLED, "cancelled");
    w->n = 0;
    for (; used < chunks && w->n + w->chunks[used] <= w->limits.lines; used++) {
        size_t const found = w->chunks[used];
        w->chunks[used] = w->n;
        w->n += found;
    }
    return ordo_loop(exec, used, GRAIN, copy_chunks, &job) ||
           failure_record(&w->call->failure, ORDO_E_CANCELLED, "cancelled");
}

/* Takes lines that the caller's function finds. */
static bool take_split(line_work *w, const char *text, size_t length)
{
    size_t at = 0;
    for (w->n = 0; at < length && w->n < w->limits.lines; w->n++) {
        size_t const found = w->format.split(w->format.user, text + at, length - at);
        size_t const size = found != 0 && found < length - at ? found : length - at;
        if (text[at + size - 1] != (char)w->format.end)
            return failure_record(&w->call->failure, ORDO_E_ARG,
                                  "the function that splits lines returned %zu bytes, which do "
                                  "not end with byte %u",
                                  size, (unsigned)w->format.end);
        memcpy(w->lines + w->offsets[w->n], text + at, size - 1);
        w->offsets[w->n + 1] = w->offsets[w->n] + size - 1;
        at += size;
    }
    return true;
}

bool line_work_take(line_work *w, const char *text, size_t length, size_t *taken)
{
    w->offsets[0] = 0;
    if (!(w->format.split != NULL ? take_split : take_plain)(w, text, length))
        return false;
    if (w->keys != NULL && !encode_parallel(w) &&
        (failure_seen(&w->call->failure) || !encode_in_turn(w)))
        return false;
    *taken = (size_t)w->offsets[w->n] + w->n;
    return true;
}

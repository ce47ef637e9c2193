/* text_lines.c - the lines of a text (see text_lines.h).
 *
 * The files are read into one block. The lines are then moved together in place, without their
 * ends: the library takes adjacent strings, and a newline at the end of a string would sort
 * above the control characters below it. Each thread moves the lines of a part of the block
 * together; then the parts are. */
#define _POSIX_C_SOURCE 200809L

#include "cli/io/text/text_lines.h"

#include "cli/io/source.h"

#include <stdlib.h>
#include <string.h>

/* ---- Batches of lines, in order ---- */

enum {
    BATCH = 1 << 14 /* lines that a thread writes at once; estimate */
};

typedef struct write_job {
    const line_batches *b;
    size_t             *ends; /* mapped: of each batch in the file */
    char               *to;   /* the first one */
} write_job;

static size_t end_of(const line_batches *b, size_t batch)
{
    return b->n - batch * BATCH < BATCH ? b->n : (batch + 1) * BATCH;
}

static bool fill_batch(void *user, size_t batch, ordered_buffer *to)
{
    const line_batches *const b = user;
    const size_t              first = batch * BATCH, end = end_of(b, batch);
    const size_t              bytes = b->size(b->user, first, end);

    if (!buffer_room(to, bytes + LINE_CHUNK))
        return false;
    b->copy(b->user, first, end, to->data, to->data + to->room);
    to->length = bytes;
    return true;
}

/* ---- In a mapped file ---- */

static void measure_batch(void *user, size_t batch)
{
    const write_job *const job = user;
    job->ends[batch] = job->b->size(job->b->user, batch * BATCH, end_of(job->b, batch));
}

static void place_batch(void *user, size_t batch)
{
    const write_job *const job = user;
    job->b->copy(job->b->user, batch * BATCH, end_of(job->b, batch),
                 job->to + (batch > 0 ? job->ends[batch - 1] : 0), job->to + job->ends[batch]);
}

static bool write_mapped(const line_batches *b, size_t batches, char *to)
{
    write_job job = {.b = b, .ends = malloc((batches + 1) * sizeof *job.ends), .to = to};

    if (job.ends == NULL)
        return cli_fail("not enough memory to write the lines");
    workers_run(batches, measure_batch, &job);
    for (size_t i = 1; i < batches; i++)
        job.ends[i] += job.ends[i - 1];
    workers_run(batches, place_batch, &job);
    free(job.ends);
    return true;
}

bool line_batches_write(const line_batches *b, output *out)
{
    line_batches   copy = *b;
    const size_t   batches = (b->n + BATCH - 1) / BATCH;
    output_mapping map = {.to = NULL};
    bool           told = true;

    if (out->reserved != NULL && !output_map(out, b->bytes, &map))
        return false;
    progress_start("writing");
    const bool ok = map.to != NULL ? write_mapped(b, batches, map.to)
                                   : output_blocks(out, batches, fill_batch, &copy, &told);
    progress_end();
    return ok ? map.to == NULL || output_unmap(out, &map)
              : !told && cli_fail("not enough memory to write the lines");
}

enum {
    AHEAD = 16,           /* lines fetched ahead of the one that is written; estimate */
    SPLIT_LEAST = 1 << 18 /* bytes that are worth a thread; estimate                  */
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

void lines_divide(const char *text, size_t length, char line_end, size_t parts, size_t *begins)
{
    begins[0] = 0;
    for (size_t i = 1; i <= parts; i++) {
        const size_t      at = i < parts ? length / parts * i : length;
        const bool        inside = at > begins[i - 1] && at < length;
        const char *const stop = inside ? memchr(text + at - 1, line_end, length - at + 1) : NULL;
        begins[i] = stop != NULL          ? (size_t)(stop - text) + 1
                    : at <= begins[i - 1] ? begins[i - 1]
                                          : length;
    }
}

static void count_part(void *parts, size_t i)
{
    line_parts *const p = parts;
    p->firsts[i + 1] =
        lines_count_ends(p->text + p->begins[i], p->begins[i + 1] - p->begins[i], p->line_end);
}

void lines_count_parts(line_parts *out, const char *text, size_t length, char line_end,
                       unsigned threads)
{
    out->text = text;
    out->n = workers_parts(length, SPLIT_LEAST, threads);
    out->line_end = line_end;
    out->firsts[0] = 0;
    lines_divide(text, length, line_end, out->n, out->begins);
    workers_run(out->n, count_part, out);
    for (size_t i = 0; i < out->n; i++)
        out->firsts[i + 1] += out->firsts[i];
}

/* ---- Splitting ---- */

typedef struct split_job {
    lines     *out;
    line_parts parts;
} split_job;

/* Moves the bytes of the part, without the ends of lines, to its beginning, and sets the offsets of
 * the lines that end in it. */
static void split_part_lines(void *arg, size_t part)
{
    const split_job *const job = arg;
    lines *const           l = job->out;
    const char            *p = l->bytes + job->parts.begins[part];
    const char *const      end = l->bytes + job->parts.begins[part + 1];
    char                  *to = l->bytes + job->parts.begins[part];

    for (size_t i = job->parts.firsts[part]; p < end; i++) {
        const char *const stop = memchr(p, l->line_end, (size_t)(end - p));
        const size_t      size = (size_t)(stop - p);
        if (p - to >= LINE_CHUNK && (size_t)(end - p) >= size + LINE_CHUNK)
            line_copy(to, p, size);
        else if (p != to)
            memmove(to, p, size);
        to += size;
        l->offsets[i + 1] = (size_t)(stop - l->bytes) - i;
        p = stop + 1;
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
    split_job               job = {.out = out};
    const line_parts *const parts = &job.parts;
    size_t                  used = 0;

    progress_start("splitting");
    lines_count_parts(&job.parts, out->bytes, length, out->line_end, threads);
    out->n = parts->firsts[parts->n];
    out->offsets = cli_alloc(out->n + 1, sizeof *out->offsets, "the offsets of the lines");
    if (out->offsets != NULL) {
        out->offsets[0] = 0;
        workers_run(parts->n, split_part_lines, &job);
        for (size_t i = 0; i < parts->n; i++) {
            const size_t size =
                parts->begins[i + 1] - parts->begins[i] - (parts->firsts[i + 1] - parts->firsts[i]);
            if (used != parts->begins[i])
                memmove(out->bytes + used, out->bytes + parts->begins[i], size);
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

bool lines_load(const lines_request *request, lines *out, size_t *length)
{
    source s;

    progress_start("reading");
    const bool opened =
        source_open_lines(&s, request->paths, request->n, request->line_end, request->option);
    *out = (lines){.line_end = request->line_end, .bytes = opened ? source_take(&s) : NULL};
    out->name = s.name;
    *length = s.end;
    progress_end();
    source_close(&s);
    return out->bytes != NULL;
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

    if (!lines_load(request, out, &length))
        return false;
    const uint64_t n = lines_count_ends(out->bytes, length, request->line_end);
    if (!source_allows(out->name, length + n * sizeof *out->offsets)) {
        lines_free(out);
        return false;
    }
    return lines_cut(out, length, request->threads);
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

int lines_compare(const char *a, size_t a_length, const char *b, size_t b_length)
{
    if (a_length >= LINE_WORD && b_length >= LINE_WORD) {
        const uint64_t x = line_word(a, LINE_WORD, LINE_WORD);
        const uint64_t y = line_word(b, LINE_WORD, LINE_WORD);
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

size_t lines_size(const lines *l) { return l->n > 0 ? (size_t)l->offsets[l->n] + l->n : 0; }

/* ---- Writing in another order ---- */

typedef struct picked_lines {
    const lines *l;
    ordo_type    type;
    const void  *index;
} picked_lines;

/* The lines lie anywhere in memory: their offsets are fetched here, and their bytes before they are
 * copied. */
static size_t batch_size(const void *user, size_t first, size_t end)
{
    const picked_lines *const p = user;
    size_t                    bytes = end - first;

    for (size_t i = first; i < end; i++) {
        if (i + AHEAD < end)
            __builtin_prefetch(&p->l->offsets[index_at(p->type, p->index, i + AHEAD)]);
        bytes += size_of(p->l, index_at(p->type, p->index, i));
    }
    return bytes;
}

static void gather(const void *user, size_t first, size_t end, char *to, const char *stop)
{
    const picked_lines *const p = user;
    const lines *const        l = p->l;
    const size_t              used = l->n > 0 ? (size_t)l->offsets[l->n] : 0;

    for (size_t i = first; i < end; i++) {
        if (i + AHEAD < end)
            __builtin_prefetch(l->bytes + l->offsets[index_at(p->type, p->index, i + AHEAD)]);
        const size_t line = index_at(p->type, p->index, i), at = (size_t)l->offsets[line];
        const size_t size = (size_t)l->offsets[line + 1] - at;
        if (at + size + LINE_CHUNK <= used && size + LINE_CHUNK <= (size_t)(stop - to))
            line_copy(to, l->bytes + at, size);
        else
            memcpy(to, l->bytes + at, size);
        to += size;
        *to++ = l->line_end;
    }
}

bool lines_write_index(const lines *l, ordo_type type, const void *index, size_t n, output *out)
{
    const picked_lines p = {l, type, index};
    return line_batches_write(
        &(line_batches){
            .n = n, .bytes = lines_size(l), .size = batch_size, .copy = gather, .user = &p},
        out);
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

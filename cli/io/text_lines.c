/* text_lines.c - the lines of a text (see text_lines.h).
 *
 * The files are read into one block. The lines are then moved together, without their ends: the
 * library takes adjacent strings, and a newline at the end of a string would sort
 * above the control characters below it. */
#include "cli/io/text_lines.h"

#include "cli/io/npy.h"
#include "cli/io/source.h"
#include "cli/io/workers.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = 16,
    AHEAD = 16,              /* lines fetched ahead of the one that is written; estimate */
    WRITE_BLOCK = 1 << 14,   /* lines that one thread copies                */
    FIRST_ROOM = 1 << 18,    /* bytes of the buffer of a thread             */
    PARALLEL_LEAST = 1 << 20 /* bytes that several threads split            */
};

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

static bool too_long(const char *name, size_t number, size_t size)
{
    return cli_fail("%s:%zu: the line has %zu bytes; at most 2^32 - 1 are supported", name, number,
                    size);
}

/* Sets the offsets of n lines from line `first` on. Their text is bytes[at..at + length); moves the
 * lines to bytes[*used..), which grows. */
static bool split(const char *name, lines *out, size_t first, size_t n, size_t at, size_t length,
                  size_t *used)
{
    const char       *p = out->bytes + at;
    const char *const end = p + length;

    for (size_t i = first; i < first + n; i++) {
        const char *const stop = memchr(p, out->line_end, (size_t)(end - p));
        const size_t      size = (size_t)((stop != NULL ? stop : end) - p);
        if (size > UINT32_MAX)
            return too_long(name, i - first + 1, size);
        out->offsets[i] = *used;
        char *const to = out->bytes + *used;
        if (p - to >= CHUNK && (size_t)(end - p) >= size + CHUNK)
            copy_line(to, p, size);
        else
            memmove(to, p, size);
        *used += size;
        p += size + 1;
        progress_count(i, first + n);
    }
    return true;
}

/* ---- The same by several threads, to other memory ---- */

typedef struct splitting {
    const fast_text *f;
    char            *to;        /* the lines of f, one after another     */
    uint64_t        *offsets;   /* of the lines of f                     */
    uint64_t         base;      /* the first of them                     */
    atomic_size_t    long_line; /* from 1; 0: none is too long         */
} splitting;

/* Each line before the chunk is one byte shorter without its end. */
static void split_chunk(void *user, size_t i)
{
    splitting *const        s = user;
    const fast_chunk *const c = &s->f->chunk[i];
    const char *p = s->f->text + c->begin, *const end = s->f->text + c->end;
    const bool   ends = c->end > c->begin && end[-1] == s->f->line_end;
    size_t       used = c->begin - c->first;
    const size_t stop_at = used + (c->end - c->begin) - c->n + !ends;

    for (size_t line = c->first; line < c->first + c->n; line++) {
        const char *const stop = memchr(p, s->f->line_end, (size_t)(end - p));
        const size_t      size = (size_t)((stop != NULL ? stop : end) - p);
        if (size > UINT32_MAX)
            atomic_store(&s->long_line, line + 1);
        s->offsets[line] = s->base + used;
        if ((size_t)(end - p) >= size + CHUNK && used + size + CHUNK <= stop_at)
            copy_line(s->to + used, p, size);
        else
            memcpy(s->to + used, p, size);
        used += size;
        p += size + 1;
    }
}

/* Appends the lines of f to to[*used..), and their offsets from line `first` on. */
static bool split_parallel(const char *name, const fast_text *f, lines *out, size_t first, char *to,
                           size_t *used)
{
    splitting s = {.f = f, .to = to + *used, .offsets = out->offsets + first, .base = *used};

    workers_run(f->chunks, split_chunk, &s);
    const bool ends = f->length > 0 && f->text[f->length - 1] == f->line_end;
    *used += f->length - f->lines + (f->length > 0 && !ends);
    const size_t line = atomic_load(&s.long_line);
    return line == 0 || too_long(name, line, SIZE_MAX);
}

bool lines_take(lines *l, char *block, const fast_text *f, const char *name)
{
    size_t used = 0;

    *l = (lines){
        .name = name, .line_end = f->line_end, .n = f->lines, .bytes = malloc(f->length + 1)};
    l->offsets = malloc((f->lines + 1) * sizeof *l->offsets);
    const bool memory = l->bytes != NULL && l->offsets != NULL;
    const bool ok = memory ? split_parallel(name, f, l, 0, l->bytes, &used)
                           : cli_fail("%s: not enough memory for the lines", name);
    if (ok)
        l->offsets[l->n] = used;
    free(block);
    return ok;
}

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

/* Appends the bytes of a file. */
static bool append_file(const char *path, const char *option, lines *out, size_t *length)
{
    source      s;
    const bool  opened = source_open(&s, path);
    char *const block = opened ? source_take(&s) : NULL;

    out->name = s.name;
    source_close(&s);
    if (block == NULL)
        return false;
    if (option == NULL || !npy_is(block, s.end))
        return lines_append(out, s.name, block, s.end, length);
    free(block);
    return cli_fail(
        "%s: this is an .npy file, but %s is for lines; leave out %s to sort numbers, or "
        "give --text to sort lines",
        s.name, option, option);
}

/* Splits the files, whose ends are in ends[], into out->offsets and moves their lines together: to
 * memory of its own with several threads if that can be had, or in place. */
static bool split_files(const lines_request *request, lines *out, const size_t *ends, size_t length)
{
    const bool  several = workers_count() > 1 && length >= PARALLEL_LEAST;
    char *const moved = several ? malloc(length + 1) : NULL;
    size_t      used = 0;
    bool        ok = true;

    for (size_t f = 0; ok && f < request->n; f++) {
        const size_t      first = f > 0 ? out->file_ends[f - 1] : 0, at = f > 0 ? ends[f - 1] : 0;
        const char *const name = request->paths[f] != NULL ? request->paths[f] : "stdin";
        fast_text         text = {
                    .text = out->bytes + at, .length = ends[f] - at, .line_end = out->line_end};
        if (moved != NULL)
            fast_split(&text);
        ok = moved != NULL
                 ? split_parallel(name, &text, out, first, moved, &used)
                 : split(name, out, first, out->file_ends[f] - first, at, ends[f] - at, &used);
    }
    if (moved != NULL) {
        free(out->bytes);
        out->bytes = moved;
    }
    if (ok)
        out->offsets[out->n] = used;
    return ok;
}

bool lines_read(const lines_request *request, lines *out)
{
    size_t *const ends = malloc((request->n + 1) * sizeof *ends); /* bytes up to a file's end */
    size_t        length = 0;
    bool          ok;

    *out = (lines){.line_end = request->line_end, .files = request->n};
    out->file_ends = malloc((request->n + 1) * sizeof *out->file_ends);
    ok = (ends != NULL && out->file_ends != NULL) || cli_fail("not enough memory for the files");
    progress_start("reading");
    for (size_t f = 0; ok && f < request->n; f++) {
        const size_t before = length;
        ok = append_file(request->paths[f], request->option, out, &length);
        if (ok) {
            fast_text text = {
                .text = out->bytes + before, .length = length - before, .line_end = out->line_end};
            fast_split(&text);
            out->n += text.lines;
        }
        ends[f] = length;
        out->file_ends[f] = out->n;
    }
    progress_end();
    if (ok)
        out->offsets = cli_alloc(out->n + 1, sizeof *out->offsets, "the offsets of the lines");
    progress_start("splitting");
    ok = ok && out->offsets != NULL && split_files(request, out, ends, length);
    progress_end();
    free(ends);
    if (!ok)
        lines_free(out);
    return ok;
}

void lines_free(lines *l)
{
    free(l->bytes);
    free(l->offsets);
    free(l->file_ends);
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

typedef struct writing {
    const lines *l;
    ordo_type    type;
    const void  *index; /* NULL: all lines in order */
    size_t       n;
    output      *out;
    bool         wrong; /* after a message */
} writing;

static size_t line_at(const writing *w, size_t i)
{
    return w->index != NULL ? index_at(w->type, w->index, i) : i;
}

/* The lines lie anywhere in memory: their offsets are fetched before their bytes, and these before
 * they are copied. */
static bool fill_lines(void *user, size_t block, ordered_buffer *b)
{
    const writing *const w = user;
    const lines *const   l = w->l;
    const size_t         first = block * WRITE_BLOCK;
    const size_t         end = w->n - first < WRITE_BLOCK ? w->n : first + WRITE_BLOCK;
    const size_t         all = (size_t)l->offsets[l->n];

    b->length = 0;
    for (size_t i = first; i < end; i++) {
        if (i + 2 * AHEAD < end)
            __builtin_prefetch(&l->offsets[line_at(w, i + 2 * AHEAD)]);
        if (i + AHEAD < end)
            __builtin_prefetch(l->bytes + l->offsets[line_at(w, i + AHEAD)]);
        const size_t line = line_at(w, i), at = (size_t)l->offsets[line];
        const size_t size = (size_t)l->offsets[line + 1] - at;
        if (b->length + size + CHUNK > b->room &&
            !buffer_room(b, 2 * b->length + size + FIRST_ROOM))
            return false;
        char *const to = b->data + b->length;
        if (at + size + CHUNK <= all)
            copy_line(to, l->bytes + at, size);
        else
            memcpy(to, l->bytes + at, size);
        to[size] = l->line_end;
        b->length += size + 1;
    }
    return true;
}

static bool drain_lines(void *user, size_t block, const ordered_buffer *b)
{
    writing *const w = user;

    progress_at((double)block * WRITE_BLOCK / (double)w->n);
    w->wrong = !output_bytes(w->out, b->data, b->length);
    return !w->wrong;
}

static bool write_many(const lines *l, ordo_type type, const void *index, size_t n, output *out)
{
    writing            w = {l, type, index, n, out, false};
    const ordered_work work = {.blocks = (n + WRITE_BLOCK - 1) / WRITE_BLOCK,
                               .fill = fill_lines,
                               .drain = drain_lines,
                               .user = &w};

    progress_start("writing");
    const bool ok = workers_ordered(&work) || (!w.wrong && output_trouble(out, ENOMEM));
    progress_end();
    return ok;
}

bool lines_write_index(const lines *l, ordo_type type, const void *index, size_t n, output *out)
{
    return write_many(l, type, index, n, out);
}

bool lines_write(const lines *l, output *out) { return write_many(l, ORDO_U64, NULL, l->n, out); }

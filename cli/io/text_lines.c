/* text_lines.c - the lines of a text (see text_lines.h).
 *
 * The files are read into one block. The lines are then moved together in place, without their
 * ends: the library takes adjacent strings, and a newline at the end of a string would sort
 * above the control characters below it. */
#include "cli/io/text_lines.h"

#include "cli/io/npy.h"
#include "cli/io/source.h"

#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = 16,
    AHEAD = 16 /* lines fetched ahead of the one that is written; estimate */
};

/* Counts in bytes, which the compiler turns into vectors. */
static size_t count_lines(const char *text, size_t length, char line_end)
{
    size_t n = length > 0 && text[length - 1] != line_end;

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
            return cli_fail("%s:%zu: the line has %zu bytes; at most 2^32 - 1 are supported", name,
                            i - first + 1, size);
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

bool lines_read(const lines_request *request, lines *out)
{
    size_t *const ends = malloc((request->n + 1) * sizeof *ends); /* bytes up to a file's end */
    size_t        length = 0, used = 0;
    bool          ok;

    *out = (lines){.line_end = request->line_end, .files = request->n};
    out->file_ends = malloc((request->n + 1) * sizeof *out->file_ends);
    ok = (ends != NULL && out->file_ends != NULL) || cli_fail("not enough memory for the files");
    progress_start("reading");
    for (size_t f = 0; ok && f < request->n; f++) {
        const size_t before = length;
        ok = append_file(request->paths[f], request->option, out, &length);
        if (ok)
            out->n += count_lines(out->bytes + before, length - before, out->line_end);
        ends[f] = length;
        out->file_ends[f] = out->n;
    }
    progress_end();
    if (ok)
        out->offsets = cli_alloc(out->n + 1, sizeof *out->offsets, "the offsets of the lines");
    ok = ok && out->offsets != NULL;
    progress_start("splitting");
    for (size_t f = 0; ok && f < request->n; f++) {
        const size_t first = f > 0 ? out->file_ends[f - 1] : 0, at = f > 0 ? ends[f - 1] : 0;
        ok = split(request->paths[f] != NULL ? request->paths[f] : "stdin", out, first,
                   out->file_ends[f] - first, at, ends[f] - at, &used);
    }
    progress_end();
    free(ends);
    if (!ok)
        lines_free(out);
    else
        out->offsets[out->n] = used;
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

/* The lines lie anywhere in memory: their offsets are fetched before their bytes, and these before
 * they are written. */
bool lines_write_index(const lines *l, ordo_type type, const void *index, size_t n, output *out)
{
    const size_t used = l->n > 0 ? (size_t)l->offsets[l->n] : 0;
    bool         ok = true;

    progress_start("writing");
    for (size_t i = 0; ok && i < n; i++) {
        if (i + 2 * AHEAD < n)
            __builtin_prefetch(&l->offsets[index_at(type, index, i + 2 * AHEAD)]);
        if (i + AHEAD < n)
            __builtin_prefetch(l->bytes + l->offsets[index_at(type, index, i + AHEAD)]);
        const size_t line = index_at(type, index, i), at = (size_t)l->offsets[line];
        const size_t size = (size_t)l->offsets[line + 1] - at;
        char *const  to = at + size + CHUNK <= used ? output_room(out, size + CHUNK) : NULL;
        if (to != NULL) {
            copy_line(to, l->bytes + at, size);
            to[size] = l->line_end;
            out->used += size + 1;
        } else {
            ok = lines_write_one(l, line, out);
        }
        progress_count(i, n);
    }
    progress_end();
    return ok;
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

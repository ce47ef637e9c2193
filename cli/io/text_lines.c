/* text_lines.c - the lines of a text (see text_lines.h).
 *
 * The text is read as one block. The lines are then moved together in place, without their
 * newlines: the library takes adjacent strings, and a newline at the end of a string would sort
 * above the control characters below it. */
#include "cli/io/text_lines.h"

#include "cli/io/source.h"

#include <stdlib.h>
#include <string.h>

static size_t count_lines(const char *text, size_t length)
{
    const char *const end = text + length;
    size_t            n = length > 0 && end[-1] != '\n';
    for (const char *p = text; (p = memchr(p, '\n', (size_t)(end - p))) != NULL; p++)
        n++;
    return n;
}

/* Fills out->offsets and moves the lines in out->bytes together. */
static bool split(size_t length, lines *out)
{
    const char       *p = out->bytes;
    const char *const end = p + length;
    size_t            used = 0;

    for (size_t i = 0; i < out->n; i++) {
        const char *const newline = memchr(p, '\n', (size_t)(end - p));
        const size_t      size = (size_t)((newline != NULL ? newline : end) - p);
        if (size > UINT32_MAX)
            return cli_fail("%s:%zu: the line has %zu bytes; at most 2^32 - 1 are supported",
                            out->name, i + 1, size);
        out->offsets[i] = used;
        memmove(out->bytes + used, p, size);
        used += size;
        p += size + 1;
        progress_count(i, out->n);
    }
    out->offsets[out->n] = used;
    return true;
}

bool lines_read(const char *path, lines *out)
{
    source s;

    bool ok = source_open(&s, path);
    *out = (lines){.name = s.name};
    progress_start("reading");
    out->bytes = ok ? source_take(&s) : NULL;
    progress_end();
    source_close(&s);
    if (out->bytes == NULL)
        return false;
    out->n = count_lines(out->bytes, s.end);
    out->offsets = cli_alloc(out->n + 1, sizeof *out->offsets, "the offsets of the lines");
    progress_start("splitting");
    ok = out->offsets != NULL && split(s.end, out);
    progress_end();
    if (!ok)
        lines_free(out);
    return ok;
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

static bool equals_previous(const lines *l, size_t i)
{
    return i > 0 && lines_compare(l->bytes + l->offsets[i - 1], size_of(l, i - 1),
                                  l->bytes + l->offsets[i], size_of(l, i)) == 0;
}

bool lines_write_one(const lines *l, size_t i, output *out)
{
    return output_line(out, l->bytes + l->offsets[i], size_of(l, i));
}

bool lines_write(const lines *l, bool unique, output *out)
{
    bool ok = true;

    progress_start("writing");
    for (size_t i = 0; ok && i < l->n; i++) {
        if (!unique || !equals_previous(l, i))
            ok = lines_write_one(l, i, out);
        progress_count(i, l->n);
    }
    progress_end();
    return ok;
}

/* lines.c - lines of a text (see lines.h).
 *
 * The text is read as one block. Its newlines are then squeezed out in place: the library takes
 * strings that lie next to each other, and a newline left at a string's end would sort above the
 * control characters below it. */
#include "cli/io/lines.h"

#include "cli/io/input.h"
#include "cli/ui/progress.h"

#include <stdlib.h>
#include <string.h>

enum {
    LINES_PER_TICK = 1 << 16
};

static size_t count_lines(const char *text, size_t length)
{
    size_t n = 0;
    for (const char *p = text, *const end = text + length; p < end; n++) {
        const char *const newline = memchr(p, '\n', (size_t)(end - p));
        p = newline != NULL ? newline + 1 : end;
    }
    return n;
}

/* Fills out->offsets and moves the lines in out->bytes together. */
static bool squeeze(size_t length, lines *out)
{
    const char       *p = out->bytes;
    const char *const end = p + length;
    size_t            used = 0;

    for (size_t i = 0; i < out->n; i++) {
        const char *const newline = memchr(p, '\n', (size_t)(end - p));
        const size_t      size = (size_t)((newline != NULL ? newline : end) - p);
        if (size > UINT32_MAX) {
            cli_error("%s:%zu: a line of %zu bytes is too long: 2^32 - 1 is the most", out->name,
                      i + 1, size);
            return false;
        }
        out->offsets[i] = used;
        memmove(out->bytes + used, p, size);
        used += size;
        p += size + 1;
        if (i % LINES_PER_TICK == 0)
            progress_at((double)i / (double)out->n);
    }
    out->offsets[out->n] = used;
    return true;
}

bool lines_read(const char *path, lines *out)
{
    size_t length;

    *out = (lines){.name = input_name(path)};
    if (!input_bytes(path, out->name, &out->bytes, &length))
        return false;
    out->n = count_lines(out->bytes, length);
    out->offsets = cli_alloc(out->n + 1, sizeof *out->offsets, "the offsets of the lines");
    progress_start("splitting");
    const bool ok = out->offsets != NULL && squeeze(length, out);
    progress_end();
    if (!ok)
        lines_free(out);
    return ok;
}

void lines_free(lines *l)
{
    free(l->bytes);
    free(l->offsets);
    l->bytes = NULL;
    l->offsets = NULL;
}

ordo_strings lines_strings(const lines *l)
{
    return ORDO_OPTS(ordo_strings, .bytes = l->bytes, .offsets = l->offsets);
}

static size_t size_of(const lines *l, size_t i)
{
    return (size_t)(l->offsets[i + 1] - l->offsets[i]);
}

int lines_compare(const lines *l, size_t i, size_t j)
{
    const size_t a = size_of(l, i);
    const size_t b = size_of(l, j);
    const int    bytes = memcmp(l->bytes + l->offsets[i], l->bytes + l->offsets[j], a < b ? a : b);
    return bytes != 0 ? bytes : (a > b) - (a < b);
}

bool lines_write(const lines *l, bool unique, output *out)
{
    bool ok = true;

    progress_start("writing");
    for (size_t i = 0; ok && i < l->n; i++) {
        if (!unique || i == 0 || lines_compare(l, i - 1, i) != 0)
            ok = output_line(out, l->bytes + l->offsets[i], size_of(l, i));
        if (i % LINES_PER_TICK == 0)
            progress_at((double)i / (double)l->n);
    }
    progress_end();
    return ok;
}

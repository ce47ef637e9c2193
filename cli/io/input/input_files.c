/* input_files.c - the numbers of several files as one array, and the lines they stand in (see
 * input.h).
 *
 * The first file decides between text and binary data. The text of all files is kept as one block;
 * each line is moved to the front of the block once its number has been read. Lines of a single
 * file that number_format() can make again are not kept. */
#include "cli/io/input/input.h"

#include "cli/base/workers.h"
#include "cli/io/text/text_numbers.h"

#include <stdlib.h>

typedef struct line_keeper {
    lines *l;
    size_t used, capacity; /* bytes and offsets in use */
} line_keeper;

/* Moves the current line of s, which lies behind the lines kept so far, to their end. */
static bool keep_line(void *user, const source *s)
{
    line_keeper *const k = user;

    if (!cli_grow(&k->l->offsets, k->l->n + 2, &k->capacity, sizeof *k->l->offsets))
        return cli_fail("%s: not enough memory for the offsets of the lines", s->name);
    memmove(k->l->bytes + k->used, source_line(s), s->length);
    k->used += s->length;
    k->l->offsets[0] = 0;
    k->l->offsets[++k->l->n] = k->used;
    return true;
}

/* Reads the numbers of one source; `length` is that of the text so far. */
static bool add_text(const input_request *request, source *s, text_numbers *t, lines *l,
                     size_t *length)
{
    const size_t at = *length;
    source       memory = {.name = s->name, .fd = -1, .line_end = '\n', .ended = true};

    if (request->keep_lines) {
        char *const block = source_take(s);
        if (block == NULL || !lines_append(l, s->name, block, s->end, length))
            return false;
        memory.block = l->bytes + at;
        memory.end = memory.capacity = *length - at;
        s = &memory;
    }
    text_continue(t, s);
    const bool ok = text_read(t);
    return text_print_notes(t, request->others) && ok;
}

/* Reads the only file with several threads and keeps its lines, unless the output would have the
 * same text for every number. *plain: false if some line is not plain; its text is then appended to
 * out->kept, to be read in the other way. */
static bool read_plain(const input_request *request, source *s, text_numbers *t, input *out,
                       bool *plain)
{
    fast_text   f;
    char *const block = source_take(s);

    *plain = false;
    if (block == NULL)
        return false;
    t->judge = true;
    const text_kind kind = text_plain(t, block, s->end, &f);
    *plain = kind == TEXT_PLAIN;
    if (kind == TEXT_NO_MEMORY) {
        free(block);
        return false;
    }
    if (*plain && !fast_own_text(&f)) {
        free(block);
        return text_print_notes(t, request->others);
    }
    if (!*plain) {
        s->block = block;
        return true;
    }
    if (block[s->end - 1] != '\n')
        block[s->end++] = '\n'; /* in place of the NUL */
    out->kept = (lines){.name = s->name, .bytes = block, .line_end = '\n'};
    return lines_cut(&out->kept, s->end, (unsigned)workers_count()) &&
           text_print_notes(t, request->others);
}

static bool read_whole_text(const input_request *request, const char *const *paths, size_t n,
                            int type, source *first, input *out)
{
    text_numbers t;
    size_t       length = 0;
    line_keeper  keeper = {.l = &out->kept};

    out->kept = (lines){.line_end = '\n'};
    text_start(&t, first, type, request->skip_bad);
    t.each = request->keep_lines ? keep_line : NULL;
    t.user = &keeper;
    bool plain = false;
    bool ok = n > 1 || !request->keep_lines || read_plain(request, first, &t, out, &plain);
    ok = ok && (plain || add_text(request, first, &t, &out->kept, &length));
    out->ends[0] = t.n;
    for (size_t f = 1; ok && f < n; f++) {
        source s;
        ok = source_open(&s, paths[f]) && add_text(request, &s, &t, &out->kept, &length);
        source_close(&s);
        out->ends[f] = t.n;
    }
    if (ok && out->kept.offsets == NULL && request->keep_lines)
        ok = (out->kept.offsets = calloc(1, sizeof *out->kept.offsets)) != NULL ||
             cli_fail("not enough memory for the offsets of the lines");
    text_end(&t);
    out->type = t.type;
    out->n = t.n;
    out->data = out->block = t.values;
    return ok;
}

/* Appends the array `more` to *out. */
static bool append_array(const input *more, input *out)
{
    const size_t size = ordo_type_size(out->type);

    if (more->format == FORMAT_TEXT || more->type != out->type)
        return cli_fail("%s: its numbers are %s%s, but those of %s are %s; files that are read as "
                        "one need the same type",
                        more->name, more->format == FORMAT_TEXT ? "text of " : "",
                        ordo_type_name(more->type), out->name, ordo_type_name(out->type));
    char *const joined = cli_alloc(out->n + more->n, size, "the numbers of all files");
    if (joined == NULL)
        return false;
    memcpy(joined, out->data, out->n * size);
    memcpy(joined + out->n * size, more->data, more->n * size);
    free(out->block);
    out->block = out->data = joined;
    out->n += more->n;
    return true;
}

static bool read_arrays(const input_request *request, const char *const *paths, size_t n,
                        source *first, input *out)
{
    size_t *const ends = out->ends;
    bool          ok = input_from(request, first, out);

    out->ends = ends;
    ends[0] = out->n;
    for (size_t f = 1; ok && f < n; f++) {
        input_request next = *request;
        input         more;
        next.path = paths[f];
        ok = input_read(&next, &more) && append_array(&more, out);
        input_free(&more);
        ends[f] = out->n;
    }
    return ok;
}

bool input_read_files(const input_request *request, const char *const *paths, size_t n, input *out)
{
    input_request first = *request;
    source        s;
    int           type;
    bool          ok = false;

    first.path = paths[0];
    *out = (input){.name = ""};
    progress_start("reading");
    if (source_open(&s, paths[0]) && input_type(request, &type) && source_fill(&s, INPUT_HEADER)) {
        *out = (input){.name = s.name,
                       .format = input_format(&first, s.block, s.end),
                       .ends = malloc(n * sizeof *out->ends)};
        ok = out->ends == NULL ? cli_fail("not enough memory for the files")
             : !input_allows_bits(request, s.name, out->format) ? false
             : out->format == FORMAT_TEXT ? read_whole_text(request, paths, n, type, &s, out)
                                          : read_arrays(&first, paths, n, &s, out);
    }
    progress_end();
    source_close(&s);
    if (!ok)
        input_free(out);
    return ok;
}

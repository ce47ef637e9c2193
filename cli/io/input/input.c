/* input.c - reading an array (see input.h).
 *
 * Binary input is read into one block. The data stay where they are in it, unless the .npy header
 * has an odd length. */
#include "cli/io/input/input.h"

#include "cli/base/workers.h"
#include "cli/io/names.h"
#include "cli/io/number/keys.h"
#include "cli/io/text/text_numbers.h"

#include <stdlib.h>

/* Of a name without the end of a compressed file. */
static bool ends_with(const char *name, const char *end)
{
    const size_t length = codec_stem(name), size = strlen(end);
    return length >= size && memcmp(name + length - size, end, size) == 0;
}

file_format format_of_name(const char *name)
{
    const bool raw = ends_with(name, ".bin") || ends_with(name, ".raw");
    const bool text =
        ends_with(name, ".txt") || ends_with(name, ".text") || ends_with(name, ".csv");

    return ends_with(name, ".npy") ? FORMAT_NPY
           : raw                   ? FORMAT_RAW
           : text                  ? FORMAT_TEXT
                                   : FORMAT_AUTO;
}

file_format input_format(const input_request *request, const char *block, size_t length)
{
    if (request->format != FORMAT_AUTO)
        return (file_format)request->format;
    const bool raw = request->path != NULL && format_of_name(request->path) == FORMAT_RAW;
    return npy_is(block, length) ? FORMAT_NPY : raw ? FORMAT_RAW : FORMAT_TEXT;
}

void input_swap_bytes(void *data, size_t n, size_t size)
{
    unsigned char *element = data;
    for (size_t i = 0; i < n; i++, element += size)
        for (size_t j = 0; j < size / 2; j++) {
            const unsigned char byte = element[j];
            element[j] = element[size - 1 - j];
            element[size - 1 - j] = byte;
        }
}

int type_of_name(const char *option, const char *name, bool allow_bits)
{
    const int type = ordo_type_parse(name);
    if (type == 0)
        cli_error("%s: '%s' is not one of: i8, u8, i16, u16, i32, u32, i64, u64, f32, f64%s",
                  option, cli_quoted(name), allow_bits ? ", bits" : "");
    return type;
}

static bool wants_bits(const input_request *request)
{
    return request->allow_bits && request->dtype != NULL && strcmp(request->dtype, "bits") == 0;
}

bool input_type(const input_request *request, int *type)
{
    *type = 0;
    return request->dtype == NULL || wants_bits(request) ||
           (*type = type_of_name(request->dtype_option, request->dtype, request->allow_bits)) != 0;
}

bool input_find_array(const input_request *request, const char *name, file_format format, int type,
                      const char *block, size_t length, npy_array *a)
{
    const char *const option = request->dtype_option;

    if (format == FORMAT_NPY && !npy_parse(block, length, a))
        return cli_fail("%s: %s", name, a->why);
    if (format == FORMAT_NPY)
        return type == 0 || (ordo_type)type == a->type ||
               cli_fail("%s: %s asks for %s, but the file holds %s; leave out %s", name, option,
                        ordo_type_name((ordo_type)type), ordo_type_name(a->type), option);
    if (type == 0 && option == NULL)
        return cli_fail("%s: raw input does not say its type; expected an .npy or a text file",
                        name);
    if (type == 0)
        return cli_fail("%s: raw input does not say its type: give %s (" NAMES_TYPES ")", name,
                        option);
    const size_t size = ordo_type_size((ordo_type)type);
    *a = (npy_array){.type = (ordo_type)type, .n = length / size};
    return length % size == 0 ||
           cli_fail("%s: %zu bytes are not a multiple of %zu, the size of an element of type %s",
                    name, length, size, ordo_type_name((ordo_type)type));
}

static bool from_bits(size_t length, input *out)
{
    if (length > SIZE_MAX / 8)
        return cli_fail("%s: the input has too many bits", out->name);
    out->bits = true;
    out->type = ORDO_U8;
    out->n = length * 8;
    out->data = out->block;
    return true;
}

static bool from_array(const input_request *request, int type, size_t length, input *out)
{
    npy_array a;

    if (!input_find_array(request, out->name, out->format, type, out->block, length, &a))
        return false;
    const size_t size = ordo_type_size(a.type);
    char        *data = (char *)out->block + a.offset;
    if (a.offset % size != 0)
        data = memmove(out->block, data, a.n * size);
    if (a.swapped)
        input_swap_bytes(data, a.n, size);
    out->type = a.type;
    out->n = a.n;
    out->data = data;
    return true;
}

static bool input_allows_bits(const input_request *request, const char *name, file_format format)
{
    return !wants_bits(request) || format == FORMAT_RAW ||
           cli_fail("%s: %s bits is for raw input: %s", name, request->dtype_option,
                    strcmp(request->dtype_option, "--dtype") == 0
                        ? "give --from raw"
                        : "let the name of the file end in .bin or .raw");
}

bool input_from(const input_request *request, source *s, input *out)
{
    int type;

    *out = (input){.name = s->name};
    if (!input_type(request, &type) || !source_fill(s, INPUT_HEADER))
        return false;
    out->format = input_format(request, s->block, s->end);
    const bool ok =
        (out->block = source_take(s)) != NULL &&
        (wants_bits(request) ? from_bits(s->end, out) : from_array(request, type, s->end, out));
    if (!ok)
        input_free(out);
    return ok;
}

bool input_read(const input_request *request, input *out)
{
    return input_read_files(request, &request->path, 1, out);
}

void input_free(input *in)
{
    free(in->block);
    free(in->ends);
    lines_free(&in->kept);
    in->block = in->data = NULL;
    in->ends = NULL;
}

/* Byte i is not after element i. */
bool input_to_flags(input *in, const char *option)
{
    const size_t         size = ordo_type_size(in->type);
    unsigned char *const bytes = in->data;

    if (type_is_float(in->type))
        return cli_fail("%s: %s needs integers, but the numbers have type %s", in->name, option,
                        ordo_type_name(in->type));
    for (size_t i = 0; size > 1 && i < in->n; i++)
        bytes[i] = key_load(size, bytes + i * size) != 0;
    return true;
}

/* ---- Several files as one array, and the lines they stand in ----
 *
 * The first file decides between text and binary data. The text of all files is kept as one block;
 * each line is moved to the front of the block once its number has been read. Lines of a single
 * file that number_format() can make again are not kept. */

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
                            int type, source *first, size_t *ends, input *out)
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
    ends[0] = t.n;
    for (size_t f = 1; ok && f < n; f++) {
        source s;
        ok = source_open(&s, paths[f]) && add_text(request, &s, &t, &out->kept, &length);
        source_close(&s);
        ends[f] = t.n;
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
                        source *first, size_t *ends, input *out)
{
    bool ok = input_from(request, first, out);

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
    size_t *const ends = malloc(n * sizeof *ends);
    bool          ok = false;

    first.path = paths[0];
    *out = (input){.name = ""};
    progress_start("reading");
    if (source_open(&s, paths[0]) && input_type(request, &type) && source_fill(&s, INPUT_HEADER)) {
        *out = (input){.name = s.name, .format = input_format(&first, s.block, s.end)};
        ok = ends == NULL ? cli_fail("not enough memory for the files")
             : !input_allows_bits(request, s.name, out->format) ? false
             : out->format == FORMAT_TEXT ? read_whole_text(request, paths, n, type, &s, ends, out)
                                          : read_arrays(&first, paths, n, &s, ends, out);
    }
    progress_end();
    source_close(&s);
    if (!ok)
        input_free(out);
    out->ends = ok ? ends : NULL;
    if (!ok)
        free(ends);
    return ok;
}

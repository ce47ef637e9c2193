/* input.c - reading an array (see input.h).
 *
 * The whole input is read into one block. Binary data stay where they are in it, unless the .npy
 * header has an odd length; text becomes a second block. A file may grow or shrink while it is
 * read: the size the system tells is a hint, the end of the file is what counts. */
#define _POSIX_C_SOURCE 200809L

#include "cli/io/input.h"

#include "cli/io/npy.h"
#include "cli/ui/options.h"
#include "cli/ui/progress.h"
#include "cli/io/textread.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    READ_CHUNK = 16 << 20,
    FIRST_BLOCK = 1 << 20
};

typedef struct bytes { /* block[length] is a NUL */
    char  *block;
    size_t length;
} bytes;

static bool grow(bytes *b, size_t *capacity, const char *name)
{
    size_t      larger;
    char *const block =
        __builtin_mul_overflow(*capacity, (size_t)2, &larger) ? NULL : realloc(b->block, larger);
    if (block == NULL) {
        cli_error("%s: not enough memory for more than %zu bytes of input", name, b->length);
        return false;
    }
    b->block = block;
    *capacity = larger;
    return true;
}

/* Reads to the end of fd. `expected` is 0 where the size is not known. */
static bool read_all(int fd, const char *name, size_t expected, bytes *out)
{
    size_t capacity = expected > 0 ? expected : FIRST_BLOCK;
    bytes  b = {NULL, 0};

    if (__builtin_add_overflow(capacity, (size_t)2, &capacity) || /* a NUL, and room to see EOF */
        (b.block = malloc(capacity)) == NULL) {
        cli_error("%s: not enough memory for %zu bytes of input", name, expected);
        return false;
    }
    for (;;) {
        if (capacity - b.length < 2 && !grow(&b, &capacity, name))
            break;
        const size_t  room = capacity - b.length - 1;
        const ssize_t got = read(fd, b.block + b.length, room < READ_CHUNK ? room : READ_CHUNK);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            cli_error("%s: cannot read: %s", name, strerror(errno));
            break;
        }
        if (got == 0) {
            b.block[b.length] = '\0';
            *out = b;
            return true;
        }
        b.length += (size_t)got;
        if (expected > 0)
            progress_at(b.length < expected ? (double)b.length / (double)expected : 1);
    }
    free(b.block);
    return false;
}

static bool is_stdin(const char *path) { return path == NULL || strcmp(path, "-") == 0; }

const char *input_text_hint(const input_request *request)
{
    return request->text_too && request->dtype == NULL ? "; give --text for lines" : "";
}

const char *input_name(const char *path) { return is_stdin(path) ? "stdin" : path; }

int input_open(const char *path, const char *name)
{
    const int fd = is_stdin(path) ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        cli_error("%s: cannot open: %s", name, strerror(errno));
    return fd;
}

static bool read_source(const char *path, const char *name, bytes *out)
{
    const int   fd = input_open(path, name);
    struct stat st;

    if (fd < 0)
        return false;
    const bool regular = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
    progress_start("reading");
    const bool ok = read_all(fd, name, regular ? (size_t)st.st_size : 0, out);
    progress_end();
    if (!is_stdin(path))
        close(fd);
    return ok;
}

bool input_bytes(const char *path, const char *name, char **block, size_t *length)
{
    bytes b;
    if (!read_source(path, name, &b))
        return false;
    *block = b.block;
    *length = b.length;
    return true;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text);
    return length >= strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

file_format format_of_name(const char *name)
{
    if (ends_with(name, ".npy"))
        return FORMAT_NPY;
    if (ends_with(name, ".bin") || ends_with(name, ".raw"))
        return FORMAT_RAW;
    if (ends_with(name, ".txt") || ends_with(name, ".text") || ends_with(name, ".csv"))
        return FORMAT_TEXT;
    return FORMAT_AUTO;
}

file_format input_format(const input_request *request, const char *block, size_t length)
{
    if (request->format != FORMAT_AUTO)
        return (file_format)request->format;
    if (npy_is(block, length))
        return FORMAT_NPY;
    if (request->path != NULL && format_of_name(request->path) == FORMAT_RAW)
        return FORMAT_RAW;
    return FORMAT_TEXT;
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

bool input_check_npy(const char *name, int type, const char *block, size_t length, npy_array *a)
{
    if (!npy_parse(block, length, a)) {
        cli_error("%s: %s", name, a->why);
        return false;
    }
    if (type != 0 && (ordo_type)type != a->type) {
        cli_error("%s: --dtype asks for %s, but the file holds %s; leave out --dtype", name,
                  ordo_type_name((ordo_type)type), ordo_type_name(a->type));
        return false;
    }
    return true;
}

static bool from_npy(int type, bytes *b, input *out)
{
    npy_array a;
    if (!input_check_npy(out->name, type, b->block, b->length, &a))
        return false;
    const size_t size = ordo_type_size(a.type);
    char        *data = b->block + a.offset;
    if (a.offset % size != 0)
        data = memmove(b->block, data, a.n * size);
    if (a.swapped)
        input_swap_bytes(data, a.n, size);
    out->type = a.type;
    out->n = a.n;
    out->data = data;
    out->block = b->block;
    return true;
}

bool input_check_raw(const char *name, int type, size_t length, size_t *n)
{
    const size_t size = type != 0 ? ordo_type_size((ordo_type)type) : 0;
    if (size == 0) {
        cli_error("%s: raw input says nothing about its type: give --dtype (i8 u8 i16 u16 i32 u32 "
                  "i64 u64 f32 f64)",
                  name);
        return false;
    }
    if (length % size != 0) {
        cli_error("%s: %zu bytes are no whole number of %s elements of %zu bytes", name, length,
                  ordo_type_name((ordo_type)type), size);
        return false;
    }
    *n = length / size;
    return true;
}

static bool from_raw(int type, bool bits, bytes *b, input *out)
{
    if (bits && b->length > SIZE_MAX / 8) {
        cli_error("%s: too many bits", out->name);
        return false;
    }
    if (bits)
        out->n = b->length * 8;
    else if (!input_check_raw(out->name, type, b->length, &out->n))
        return false;
    out->bits = bits;
    out->type = bits ? ORDO_U8 : (ordo_type)type;
    out->data = out->block = b->block;
    return true;
}

static bool from_text(const input_request *request, int type, bytes *b, input *out)
{
    text_array a;
    progress_start("parsing");
    const bool ok = text_read(b->block, b->length, type, request->skip_bad, &a);
    progress_end();
    if (!ok) {
        if (a.bad_line > 0)
            cli_error("%s:%zu: %s%s", out->name, a.bad_line, a.why,
                      a.no_number && a.bad_line == 1 ? input_text_hint(request) : "");
        return false;
    }
    const text_notes notes = {a.type, a.n, a.skipped, a.first_skipped, a.rounded, a.first_rounded};
    if (!text_print_notes(out->name, &notes)) {
        free(a.values);
        return false;
    }
    out->type = a.type;
    out->n = a.n;
    out->data = out->block = a.values;
    free(b->block);
    return true;
}

static bool wants_bits(const input_request *request)
{
    return request->bits_too && request->dtype != NULL && strcmp(request->dtype, "bits") == 0;
}

bool input_parse(const input_request *request, char *block, size_t length, input *out)
{
    const bool bits = wants_bits(request);
    bytes      b = {block, length};
    bool       ok = false;
    const int  type =
        request->dtype != NULL && !bits ? option_dtype(request->dtype, request->bits_too) : 0;

    *out = (input){.name = input_name(request->path)};
    out->format = input_format(request, block, length);
    if (request->dtype != NULL && !bits && type == 0)
        ok = false;
    else if (bits && out->format != FORMAT_RAW)
        cli_error("%s: --dtype bits is for raw input: give --from raw", out->name);
    else if (out->format == FORMAT_NPY)
        ok = from_npy(type, &b, out);
    else if (out->format == FORMAT_RAW)
        ok = from_raw(type, bits, &b, out);
    else
        ok = from_text(request, type, &b, out);
    if (!ok)
        free(b.block);
    return ok;
}

bool input_read(const input_request *request, input *out)
{
    bytes b;

    *out = (input){.name = input_name(request->path)};
    if (request->dtype != NULL && !wants_bits(request) &&
        option_dtype(request->dtype, request->bits_too) == 0)
        return false;
    return read_source(request->path, out->name, &b) &&
           input_parse(request, b.block, b.length, out);
}

void input_free(input *in)
{
    free(in->block);
    in->block = in->data = NULL;
}

/* check.c - whether an input is sorted (see check.h). check_text.c does numbers in text. */
#define _POSIX_C_SOURCE 200809L

#include "cli/cmd/check.h"

#include "cli/io/arrays.h"
#include "cli/cmd/check_text.h"
#include "cli/io/npy.h"
#include "cli/ui/options.h"
#include "cli/ui/progress.h"
#include "cli/ui/session.h"
#include "cli/io/textnum.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    HEADER_BYTES = 1 << 17, /* read first: holds the header of any .npy file that is usual */
    PIECE_BYTES = 1 << 22   /* of an array in a file, checked together                     */
};

void check_complain(const char *name, size_t number, const char *text, size_t length)
{
    char shown[80];
    cli_note("%s:%zu: disorder: %s", name, number,
             cli_printable(text, length, shown, sizeof shown));
}

/* The first 8 bytes as a number that is ordered as they are. */
static uint64_t first_bytes(const char *line)
{
    uint64_t word;
    memcpy(&word, line, sizeof word);
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? __builtin_bswap64(word) : word;
}

static int compare_lines(const char *a, size_t a_length, const char *b, size_t b_length)
{
    if (a_length >= sizeof(uint64_t) && b_length >= sizeof(uint64_t)) {
        const uint64_t x = first_bytes(a), y = first_bytes(b);
        if (x != y)
            return x < y ? -1 : 1;
    }
    const int bytes = memcmp(a, b, a_length < b_length ? a_length : b_length);
    return bytes != 0 ? bytes : (a_length > b_length) - (a_length < b_length);
}

static bool check_lines(const check_request *request, linestream *s, bool *sorted)
{
    linestream_result r;

    while ((r = linestream_next(s)) == LINESTREAM_LINE) {
        if (s->number == 1)
            continue;
        const int order = compare_lines(linestream_previous(s), s->previous_length,
                                        linestream_line(s), s->length);
        *sorted = order == 0 ? !request->unique : (order < 0) != request->descending;
        if (!*sorted) {
            check_complain(s->name, s->number, linestream_line(s), s->length);
            return true;
        }
    }
    return r == LINESTREAM_END;
}

/* ---- Arrays ----------------------------------------------------------------------------- */

/* *where is the first of n keys out of order, n if there is none. */
static bool find_disorder(ordo_ctx *ctx, const check_request *request, ordo_type type,
                          const void *keys, size_t n, size_t *where)
{
    int            in_order = 0;
    const uint64_t flags = request->descending ? ORDO_DESCENDING : 0;

    *where = n;
    session_begin("checking");
    if (!session_end(ordo_is_sorted(ctx, type, keys, n, &in_order, where,
                                    &ORDO_OPTS(ordo_order_opts, .flags = flags))))
        return false;
    if (request->unique)
        *where = first_tie(type, keys, *where);
    return true;
}

static void complain_of_key(const char *name, ordo_type type, const void *key, size_t number)
{
    char text[NUMBER_TEXT_MAX];
    check_complain(name, number, text, number_format(type, key, text));
}

bool check_array(ordo_ctx *ctx, const check_request *request, const input *in, bool *sorted)
{
    size_t where;

    if (!find_disorder(ctx, request, in->type, in->data, in->n, &where))
        return false;
    *sorted = where == in->n;
    if (!*sorted)
        complain_of_key(in->name, in->type,
                        (const char *)in->data + where * ordo_type_size(in->type), where + 1);
    return true;
}

typedef struct array_file { /* an array in a regular file */
    const char *name;
    int         fd;
    off_t       offset; /* of its first element */
    ordo_type   type;
    size_t      n;
    bool        swapped;
} array_file;

static bool read_keys(const array_file *f, size_t first, size_t n, char *out)
{
    const size_t size = ordo_type_size(f->type);

    for (size_t done = 0; done < n * size;) {
        const ssize_t got =
            pread(f->fd, out + done, n * size - done, f->offset + (off_t)(first * size + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            cli_error("%s: cannot read: %s", f->name,
                      got < 0 ? strerror(errno) : "the file became shorter");
            return false;
        }
        done += (size_t)got;
    }
    if (f->swapped)
        input_swap_bytes(out, n, size);
    return true;
}

/* Pieces overlap by one key. */
static bool check_pieces(ordo_ctx *ctx, const check_request *request, const array_file *f,
                         char *keys, bool *sorted)
{
    const size_t size = ordo_type_size(f->type);
    const size_t most = PIECE_BYTES / size;

    for (size_t first = 0; first + 1 < f->n && *sorted; first += most - 1) {
        const size_t n = f->n - first < most ? f->n - first : most;
        size_t       where;
        if (!read_keys(f, first, n, keys) || !find_disorder(ctx, request, f->type, keys, n, &where))
            return false;
        *sorted = where == n;
        if (!*sorted)
            complain_of_key(f->name, f->type, keys + where * size, first + where + 1);
    }
    return true;
}

static bool check_array_file(ordo_ctx *ctx, const check_request *request, const array_file *f,
                             bool *sorted)
{
    char *const keys = cli_alloc(PIECE_BYTES, 1, "a piece of the input");
    const bool  ok = keys != NULL && check_pieces(ctx, request, f, keys, sorted);
    free(keys);
    return ok;
}

/* Describes the array in the regular file of s, whose beginning is in s->block. False after a
 * message. */
static bool find_array(const check_request *request, const linestream *s, file_format format,
                       array_file *f)
{
    int type = 0;

    *f = (array_file){.name = s->name, .fd = s->fd};
    if (request->in.dtype != NULL && (type = option_dtype(request->in.dtype, false)) == 0)
        return false;
    if (format == FORMAT_RAW) {
        f->type = (ordo_type)type;
        return input_check_raw(s->name, type, s->size, &f->n);
    }
    npy_array a;
    if (!input_check_npy(s->name, type, s->block, s->size, &a))
        return false;
    f->offset = (off_t)a.offset;
    f->type = a.type;
    f->n = a.n;
    f->swapped = a.swapped;
    return true;
}

/* ---- Any input -------------------------------------------------------------------------- */

/* The rest of a pipe is read, too. */
static bool check_whole(ordo_ctx *ctx, const check_request *request, linestream *s, bool *sorted)
{
    input in;

    if (!linestream_fill(s, SIZE_MAX))
        return false;
    const bool ok = input_parse(&request->in, s->block, s->end, &in);
    s->block = NULL;
    if (!ok)
        return false;
    const bool checked = check_array(ctx, request, &in, sorted);
    input_free(&in);
    return checked;
}

static bool check_numbers(ordo_ctx *ctx, const check_request *request, linestream *s, bool *sorted)
{
    array_file f;

    if (!linestream_fill(s, HEADER_BYTES))
        return false;
    const file_format format = input_format(&request->in, s->block, s->end);
    if (format == FORMAT_TEXT)
        return check_text_numbers(request, s, sorted);
    const off_t at = lseek(s->fd, 0, SEEK_CUR); /* stdin may not be at its beginning */
    const bool  from_start = s->size > 0 && at >= 0 && (size_t)at == s->end;
    if (!from_start || !npy_header_fits(s->block, s->end))
        return check_whole(ctx, request, s, sorted);
    return find_array(request, s, format, &f) && check_array_file(ctx, request, &f, sorted);
}

bool check_input(ordo_ctx *ctx, const check_request *request, bool *sorted)
{
    linestream s;

    *sorted = true;
    bool ok = linestream_open(&s, request->in.path);
    progress_start("checking");
    ok = ok && (request->text ? check_lines(request, &s, sorted)
                              : check_numbers(ctx, request, &s, sorted));
    progress_end();
    linestream_close(&s);
    return ok;
}

/* external_input.c - elements of .npy, raw and record files, one file after another, as a source of
 * the library. A single regular file is read by the library itself. */
#define _POSIX_C_SOURCE 200809L

#include "cli/cmd/external/external.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool has_records(const execution *e) { return e->o.record_size != 0; }

/* Whether the file is regular and s.block holds its beginning. */
static bool is_whole_file(const source *s)
{
    const off_t at = lseek(s->fd, 0, SEEK_CUR);
    return s->size > 0 && at >= 0 && (size_t)at == s->end;
}

/* Finds the elements of a binary file that is open; its beginning is in s.block. */
static bool find_elements(external_input *in, const input_request *request, int type)
{
    source *const s = &in->s;
    const bool    whole = is_whole_file(s);
    npy_array     a = {.type = (ordo_type)type};

    in->left = UINT64_MAX;
    in->at = s->next = 0;
    if (has_records(in->e)) {
        in->left = whole ? s->size : UINT64_MAX;
        return true;
    }
    if (in->format == FORMAT_RAW && !whole && type != 0)
        return true;
    if (!npy_header_fits(s->block, s->end))
        return cli_fail("%s: the .npy header is larger than %d bytes", s->name, INPUT_HEADER);
    if (in->format == FORMAT_NPY && !whole) {
        if (!npy_parse_start(s->block, s->end, &a))
            return cli_fail("%s: %s", s->name, a.why);
    } else if (!input_find_array(request, s->name, in->format, type, s->block, s->size, &a)) {
        return false;
    }
    in->at = s->next = a.offset;
    in->left = a.n * ordo_type_size(a.type);
    in->swapped = a.swapped;
    if (in->file > 0 && a.type != in->type)
        return cli_fail(
            "%s: its numbers are %s, but those of %s are %s; files that are read as one "
            "need the same type",
            s->name, ordo_type_name(a.type), in->e->paths[0], ordo_type_name(in->type));
    in->type = a.type;
    return true;
}

static bool open_file(external_input *in)
{
    const execution *const e = in->e;
    input_request          request = input_request_of(e);
    int                    type = 0;

    request.path = e->paths[in->file];
    if (in->is_open)
        source_close(&in->s);
    in->is_open = true;
    if (!source_open(&in->s, request.path) || !input_type(&request, &type) ||
        !source_fill(&in->s, INPUT_HEADER))
        return false;
    const file_format format =
        has_records(e) ? FORMAT_RAW : input_format(&request, in->s.block, in->s.end);
    if (in->file > 0 && (format == FORMAT_TEXT) != (in->format == FORMAT_TEXT))
        return cli_fail("%s: text and binary numbers cannot be read as one", in->s.name);
    in->format = format;
    if (has_records(e))
        type = (int)in->type;
    if (type != 0)
        in->type = (ordo_type)type;
    return format == FORMAT_TEXT ? external_text_open(in, &request, type)
                                 : find_elements(in, &request, type);
}

bool external_open(external_input *in, const execution *e)
{
    in->e = e;
    in->spool = -1;
    in->n = UINT64_MAX;
    in->limit = external_limit(e);
    if (has_records(e)) {
        in->type = (ordo_type)type_of_name("--key-type", e->o.key_type, false);
        if (in->type == 0)
            return false;
    }
    if (!open_file(in))
        return false;
    if (in->format == FORMAT_TEXT)
        return true;
    in->element = has_records(e) ? (size_t)e->o.record_size : ordo_type_size(in->type);
    if (e->path_count == 1 && in->left != UINT64_MAX)
        in->n = in->left / in->element;
    if (is_whole_file(&in->s) && e->path_count == 1)
        in->bytes = in->left;
    return true;
}

void external_close(external_input *in)
{
    if (in->is_open)
        source_close(&in->s);
    if (in->spool >= 0)
        close(in->spool);
    free(in->values);
    free(in->starts);
}

static ptrdiff_t fail_at(external_input *in, const char *what)
{
    snprintf(in->why, sizeof in->why, "%s: %s", in->s.name, what);
    errno = EIO;
    return -1;
}

/* Bytes of the current file. */
static ptrdiff_t read_file(external_input *in, char *into, size_t bytes)
{
    size_t got = 0;
    if (bytes > in->left)
        bytes = (size_t)in->left;
    if (bytes > 0 && !source_read(&in->s, into, bytes, &got)) {
        in->why[0] = '\n'; /* it has printed why */
        errno = EIO;
        return -1;
    }
    return (ptrdiff_t)got;
}

/* Fills `into` with whole elements if there are so many. */
static ptrdiff_t read_elements(void *user, void *into, size_t bytes)
{
    external_input *const in = user;
    const size_t          wanted = bytes / in->element * in->element;
    size_t                done = 0;

    while (done < wanted) {
        const ptrdiff_t got = read_file(in, (char *)into + done, wanted - done);
        if (got < 0)
            return -1;
        done += (size_t)got;
        if (in->left != UINT64_MAX)
            in->left -= (uint64_t)got;
        if (got > 0)
            continue;
        if (in->left != UINT64_MAX && in->left > 0)
            return fail_at(in, "the data end before the number of elements in the .npy header");
        if (done % in->element != 0)
            return fail_at(in, "the file ends inside an element");
        if (in->file + 1 >= in->e->path_count)
            break;
        in->file++;
        if (!open_file(in)) { /* it has printed why */
            in->why[0] = '\n';
            errno = EIO;
            return -1;
        }
    }
    if (in->swapped)
        input_swap_bytes(into, done / in->element, in->element);
    return (ptrdiff_t)done;
}

bool external_rewind(external_input *in, ordo_source *from)
{
    *from = ORDO_OPTS(ordo_source, .user = in, .name = in->s.name, .fd = in->s.fd);
    if (in->format == FORMAT_TEXT) {
        from->read = external_text_read;
        from->bytes = in->n != UINT64_MAX ? in->n * in->element : 0;
        return external_text_rewind(in);
    }
    if (in->bytes != 0 && !in->swapped)
        return lseek(in->s.fd, (off_t)in->at, SEEK_SET) >= 0 ||
               cli_fail("%s: cannot read: %s", in->s.name, strerror(errno));
    from->read = read_elements;
    from->bytes = in->n != UINT64_MAX ? in->n * in->element : 0;
    return true;
}

/* external_output.c - results of the library as .npy, raw or text, as they come. */
#define _POSIX_C_SOURCE 200809L

#include "cli/cmd/external/external.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum {
    BUFFER = 1 << 18,
    LINE_HEAD = 10 /* see external_text.c */
};

static bool write_fully(int fd, const char *bytes, size_t n)
{
    while (n > 0) {
        const ssize_t wrote = write(fd, bytes, n);
        if (wrote < 0 && errno != EINTR)
            return false;
        bytes += wrote < 0 ? 0 : wrote;
        n -= wrote < 0 ? 0 : (size_t)wrote;
    }
    return true;
}

static bool flush(external_output *out)
{
    const size_t used = out->used;
    out->used = 0;
    return write_fully(out->e->out.fd, out->buffer, used);
}

static bool put(external_output *out, const char *bytes, size_t n)
{
    if (n > BUFFER - out->used && !flush(out))
        return false;
    memcpy(out->buffer + out->used, bytes, n);
    out->used += n;
    return true;
}

/* Whether a line ties with the one before it: the same order, or -0 and +0. */
static bool is_tie(external_output *out, uint64_t order)
{
    const ordo_type type = out->in->type;
    const uint64_t  zero = UINT64_C(1) << (8 * ordo_type_size(type) - 1);
    const bool      is_float = type == ORDO_F32 || type == ORDO_F64;
    uint64_t        folded = order;

    if (is_float && out->e->o.descending && order == ~(zero - 1))
        folded = ~zero;
    else if (is_float && !out->e->o.descending && order == zero - 1)
        folded = zero;
    const bool tie = !out->is_first && folded == out->last;
    out->is_first = false;
    out->last = folded;
    return tie;
}

static bool put_line(external_output *out, const char *element)
{
    uint64_t order;
    uint16_t length;

    memcpy(&order, element, sizeof order);
    memcpy(&length, element + sizeof order, sizeof length);
    if (out->unique && is_tie(out, order))
        return true;
    out->n++;
    return put(out, element + LINE_HEAD, length) && put(out, "\n", 1);
}

static bool put_number(external_output *out, const char *element)
{
    char     text[NUMBER_TEXT_MAX + 1];
    uint64_t value;

    if (out->drop_nans && count_nans(out->type, element, 1) > 0)
        return true;
    out->n++;
    memcpy(&value, element, out->element);
    if (out->add_one)
        add_one(out->type, &value, 1);
    if (out->e->out.format != FORMAT_TEXT)
        return put(out, (const char *)&value, out->element);
    const size_t length = number_format(out->type, &value, text);
    text[length] = '\n';
    return put(out, text, length + 1);
}

/* Elements that go through the buffer one by one. */
static ptrdiff_t write_each(void *user, const void *from, size_t bytes)
{
    external_output *const out = user;
    const char            *element = from;
    const size_t           n = bytes / out->element;

    for (size_t i = 0; i < n; i++, element += out->element)
        if (!(out->lines ? put_line : put_number)(out, element))
            return -1;
    return (ptrdiff_t)(n * out->element);
}

/* Elements as they are. */
static ptrdiff_t write_all(void *user, const void *from, size_t bytes)
{
    external_output *const out = user;
    const ssize_t          wrote = write(out->e->out.fd, from, bytes);
    if (wrote < 0 && errno == EINTR)
        return write_all(user, from, bytes);
    out->n += wrote > 0 ? (uint64_t)wrote : 0; /* bytes, until the end */
    return wrote;
}

/* Refuses an output that its file system has no space for. */
static bool check_space(const execution *e, uint64_t bytes)
{
    struct statvfs space;
    if (!e->out.replaces || fstatvfs(e->out.fd, &space) != 0)
        return true;
    const uint64_t there = (uint64_t)space.f_bavail * space.f_frsize;
    return bytes <= there ||
           cli_fail("%s: the output needs %llu bytes, but its file system has only %llu bytes of "
                    "free space; free some space or write to another file system",
                    e->out.name, (unsigned long long)bytes, (unsigned long long)there);
}

static bool write_header(external_output *out, uint64_t n)
{
    char         header[NPY_HEADER_MAX];
    const size_t length = npy_write_header(out->type, (size_t)n, header);
    return write_fully(out->e->out.fd, header, length) ||
           cli_fail("%s: cannot write: %s", out->e->out.name, strerror(errno));
}

bool external_output_open(external_output *out, execution *e, uint64_t expected, ordo_sink *to)
{
    const bool known = expected != UINT64_MAX;
    const bool each = e->out.format == FORMAT_TEXT || out->add_one || out->drop_nans || out->lines;

    out->e = e;
    out->is_first = true;
    out->start = lseek(e->out.fd, 0, SEEK_CUR);
    out->buffer = malloc(BUFFER);
    if (out->buffer == NULL)
        return cli_fail("not enough memory for the output");
    *to = ORDO_OPTS(ordo_sink, .write = each ? write_each : write_all, .user = out,
                    .name = e->out.name);
    if (known && e->out.format != FORMAT_TEXT && !check_space(e, expected * out->element))
        return false;
    if (e->out.format != FORMAT_NPY)
        return true;
    if (!known && out->start < 0)
        return cli_fail("%s: an .npy file begins with the number of its elements, which is known "
                        "only at the end: give -o FILE or --format raw",
                        e->out.name);
    return write_header(out, known ? expected : 0);
}

bool external_output_end(external_output *out)
{
    output *const to = &out->e->out;
    if (!flush(out))
        return cli_fail("%s: cannot write: %s", to->name, strerror(errno));
    const bool by_bytes = !(to->format == FORMAT_TEXT || out->add_one || out->drop_nans);
    if (to->format != FORMAT_NPY || out->start < 0)
        return true;
    const uint64_t n = by_bytes ? out->n / out->element : out->n;
    const off_t    end = lseek(to->fd, 0, SEEK_CUR);
    return end >= 0 && lseek(to->fd, out->start, SEEK_SET) >= 0 && write_header(out, n) &&
           lseek(to->fd, end, SEEK_SET) >= 0;
}

void external_output_close(external_output *out) { free(out->buffer); }

/* external_output.c - results of the library as .npy, raw or text, as they come. */
#define _POSIX_C_SOURCE 200809L

#include "cli/cmd/external/external.h"

#include "cli/io/number/number.h"

#include <errno.h>
#include <sys/statvfs.h>
#include <unistd.h>

bool external_put(external_output *out, const void *bytes, size_t n)
{
    out->told = !output_bytes(&out->e->out, bytes, n);
    return !out->told;
}

/* Whether a line ties with the one before it: the same order, or -0 and +0. */
static bool is_tie(external_output *out, uint64_t order)
{
    const ordo_type type = out->in->type;
    const uint64_t  zero = UINT64_C(1) << (8 * ordo_type_size(type) - 1);
    const bool      is_float = type_is_float(type);
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
    return external_put(out, element + EXTERNAL_LINE_HEAD, length) && external_put(out, "\n", 1);
}

/* As output_load: the result that the library gives as `element`. */
static bool load_number(const void *user, const void *element, uint64_t *value)
{
    const external_output *const out = user;

    if (out->drop_nans && count_nans(out->type, element, 1) > 0)
        return false;
    memcpy(value, element, out->element);
    if (out->add_one)
        add_one(out->type, value, 1);
    return true;
}

static bool put_number(external_output *out, const char *element)
{
    uint64_t value;

    if (!load_number(out, element, &value))
        return true;
    out->n++;
    return external_put(out, &value, out->element);
}

/* Elements that go through the buffer one by one. */
static ptrdiff_t write_each(void *user, const void *from, size_t bytes)
{
    external_output *const out = user;
    const char            *element = from;
    const size_t           n = bytes / out->element;

    errno = EIO;
    for (size_t i = 0; i < n; i++, element += out->element)
        if (!(out->lines ? put_line : put_number)(out, element))
            return -1;
    return (ptrdiff_t)(n * out->element);
}

/* Elements as they are. */
static ptrdiff_t write_all(void *user, const void *from, size_t bytes)
{
    external_output *const out = user;

    errno = EIO;
    out->n += bytes / out->element;
    return external_put(out, from, bytes) ? (ptrdiff_t)bytes : -1;
}

/* Numbers as text. */
static ptrdiff_t write_text(void *user, const void *from, size_t bytes)
{
    external_output *const out = user;
    const size_t           n = bytes / out->element;
    const bool             changed = out->add_one || out->drop_nans;

    errno = EIO;
    out->told =
        !output_text(&out->e->out, out->type, from, n, '\n', changed ? load_number : NULL, out);
    return out->told ? -1 : (ptrdiff_t)(n * out->element);
}

/* ---- Begin and end ---- */

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
    char header[NPY_HEADER_MAX];
    return external_put(out, header, npy_write_header(out->type, (size_t)n, header));
}

/* Makes the file itself the sink, so that the library can find what an earlier command wrote. */
static bool library_writes(external_output *out, ordo_sink *to)
{
    output *const file = &out->e->out;

    if (!output_flush(file))
        return false;
    out->data = lseek(file->fd, 0, SEEK_CUR);
    *to = ORDO_OPTS(ordo_sink, .fd = file->fd, .name = file->name);
    return out->data >= 0 || output_trouble(file, errno);
}

bool external_output_open(external_output *out, execution *e, uint64_t expected, ordo_sink *to)
{
    const bool known = expected != UINT64_MAX, is_text = e->out.format == FORMAT_TEXT;
    const bool each = out->lines || (!is_text && (out->add_one || out->drop_nans));

    out->e = e;
    out->is_first = true;
    out->start = e->out.pack == CODEC_NONE ? lseek(e->out.fd, 0, SEEK_CUR) : -1;
    *to = ORDO_OPTS(ordo_sink,
                    .write = each      ? write_each
                             : is_text ? write_text
                                       : write_all,
                    .user = out, .name = e->out.name);
    if (known && !is_text && e->out.pack == CODEC_NONE && !check_space(e, expected * out->element))
        return false;
    if (e->out.format != FORMAT_NPY)
        return !out->kept || library_writes(out, to);
    if (!known && out->start < 0)
        return cli_fail("%s: an .npy file begins with the number of its elements, which is known "
                        "only at the end: give -o FILE, not compressed, or --format raw",
                        e->out.name);
    return write_header(out, known ? expected : 0) && (!out->kept || library_writes(out, to));
}

bool external_output_end(external_output *out)
{
    output *const to = &out->e->out;

    if (out->kept) { /* an earlier command may have left more bytes */
        const off_t at = lseek(to->fd, 0, SEEK_CUR);
        temp_keep(&to->temp, false);
        if (at < 0 || ftruncate(to->fd, at) != 0)
            return output_trouble(to, errno);
        out->n = (uint64_t)(at - out->data) / out->element;
    }
    if (to->format != FORMAT_NPY || out->start < 0)
        return true;
    if (!output_flush(to))
        return false;
    const off_t end = lseek(to->fd, 0, SEEK_CUR);
    if (end < 0 || lseek(to->fd, out->start, SEEK_SET) < 0)
        return output_trouble(to, errno);
    return write_header(out, out->n) && output_flush(to) &&
           (lseek(to->fd, end, SEEK_SET) >= 0 || output_trouble(to, errno));
}

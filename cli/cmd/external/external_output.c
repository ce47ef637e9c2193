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

/* ---- `ordo topk --index` and `--with-index` ----
 *
 * The library chooses among records of a key and its position. Positions, or positions and keys, of
 * the records that it returns are the output. */

static ptrdiff_t read_keys(const indexed_keys *x, void *into, size_t bytes)
{
    ssize_t got;

    if (x->from.read != NULL)
        return x->from.read(x->from.user, into, bytes);
    do
        got = read(x->from.fd, into, bytes);
    while (got < 0 && errno == EINTR);
    return got;
}

/* As ordo_source.read: records of the keys in x->from. */
static ptrdiff_t read_records(void *user, void *into, size_t bytes)
{
    indexed_keys *const x = user;
    const size_t        key = ordo_type_size(x->type), size = key + sizeof(uint64_t);
    const size_t        most = sizeof x->chunk / key, n = bytes / size < most ? bytes / size : most;
    size_t              got = 0;

    while (got == 0 || got % key != 0) { /* a pipe may give a part of a key */
        const ptrdiff_t now = read_keys(x, x->chunk + got, n * key - got);
        if (now < 0)
            return -1;
        got += (size_t)now;
        if (now == 0)
            break;
    }
    for (size_t i = 0; i < got / key; i++) {
        memcpy((char *)into + i * size, x->chunk + i * key, key);
        memcpy((char *)into + i * size + key, &x->next, sizeof x->next);
        x->next++;
    }
    if (got % key == 0)
        return (ptrdiff_t)(got / key * size);
    errno = EINVAL;
    return -1;
}

static bool put_record(external_output *out, const char *key, uint64_t position)
{
    output *const  to = &out->e->out;
    const uint32_t narrow = (uint32_t)position;
    char           line[NUMBER_TEXT_MAX];

    if (to->format != FORMAT_TEXT)
        return out->type == ORDO_U32 ? external_put(out, &narrow, sizeof narrow)
                                     : external_put(out, &position, sizeof position);
    out->told = out->e->o.with_index
                    ? !output_pair(to, ORDO_U64, &position, out->in->type, key)
                    : !output_line(to, line, number_format(ORDO_U64, &position, line));
    return !out->told;
}

/* As ordo_sink.write, of records. */
static ptrdiff_t write_records(void *user, const void *from, size_t bytes)
{
    external_output *const out = user;
    const ordo_type        type = out->in->type;
    const size_t           key = ordo_type_size(type), size = key + sizeof(uint64_t);

    for (size_t at = 0; at + size <= bytes; at += size) {
        const char *const record = (const char *)from + at;
        uint64_t          position, value = 0;
        memcpy(&value, record, key);
        memcpy(&position, record + key, sizeof position);
        position += out->e->o.one_based;
        if (out->drop_nans && count_nans(type, &value, 1) > 0)
            continue;
        if (out->type == ORDO_U32 && position > UINT32_MAX) {
            out->told = !cli_fail("topk: an index is larger than u32 holds: give --index-type u64");
            errno = ERANGE;
            return -1;
        }
        out->n++;
        errno = EIO;
        if (!put_record(out, (const char *)&value, position))
            return -1;
    }
    return (ptrdiff_t)(bytes / size * size);
}

void external_index(indexed_keys *x, external_output *out, ordo_source *from, ordo_sink *to,
                    ordo_elements *elements)
{
    x->from = *from;
    x->type = out->in->type;
    x->next = 0;
    elements->size = ordo_type_size(x->type) + sizeof(uint64_t);
    from->read = read_records;
    from->user = x;
    from->bytes = out->in->n != UINT64_MAX ? out->in->n * elements->size : 0;
    to->write = write_records;
    to->user = out;
}

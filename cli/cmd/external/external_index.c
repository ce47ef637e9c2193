/* external_index.c - `ordo topk --index` and `--with-index` of data larger than memory.
 *
 * The library chooses among records of a key and its position. Positions, or positions and keys, of
 * the records that it returns are the output. */
#define _POSIX_C_SOURCE 200809L

#include "cli/cmd/external/external.h"

#include "cli/io/number/number.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

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
    const execution *const e = out->e;
    const uint32_t         narrow = (uint32_t)position;
    char                   line[2 * NUMBER_TEXT_MAX + 2];
    size_t                 length = 0;

    if (e->out.format != FORMAT_TEXT)
        return out->type == ORDO_U32 ? external_put(out, &narrow, sizeof narrow)
                                     : external_put(out, &position, sizeof position);
    length = number_format(ORDO_U64, &position, line);
    if (e->o.with_index) {
        line[length++] = ' ';
        length += number_format(out->in->type, key, line + length);
    }
    line[length++] = '\n';
    return external_put(out, line, length);
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

/* external_unique.c - `ordo unique --count` and `--counts` of data larger than memory: counts ties
 * as the sorted numbers pass. */
#define _POSIX_C_SOURCE 200809L

#include "cli/cmd/external/external.h"

#include "cli/io/number/number.h"

#include <errno.h>

bool external_count_end(tie_counter *t)
{
    char line[2 * NUMBER_TEXT_MAX + 2];

    if (!t->begun || !t->prints)
        return true;
    size_t length = number_format(ORDO_U64, &t->times, line);
    line[length++] = ' ';
    length += number_format(t->out->in->type, &t->value, line + length);
    line[length++] = '\n';
    return external_put(t->out, line, length);
}

/* As ordo_sink.write. */
static ptrdiff_t count_ties(void *user, const void *from, size_t bytes)
{
    tie_counter *const t = user;
    const ordo_type    type = t->out->in->type;
    const size_t       size = ordo_type_size(type);

    errno = EIO;
    for (size_t at = 0; at + size <= bytes; at += size) {
        const char *const number = (const char *)from + at;
        const uint64_t    order = key_order(type, number);
        if (t->begun && order == t->order) {
            t->times++;
            continue;
        }
        if (!external_count_end(t))
            return -1;
        t->begun = true;
        t->order = order;
        t->times = 1;
        t->distinct++;
        memcpy(&t->value, number, size);
    }
    return (ptrdiff_t)(bytes / size * size);
}

void external_count(tie_counter *t, external_output *out, bool prints, ordo_sink *to)
{
    *t = (tie_counter){.out = out, .prints = prints};
    *to = ORDO_OPTS(ordo_sink, .write = count_ties, .user = t, .name = out->e->out.name);
}

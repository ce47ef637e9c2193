/* external_text.c - numbers in text as elements of fixed size.
 *
 * The text is read twice: the first time for its type, the number of numbers and whether the lines
 * can be made again from the numbers. If they can, or if the output is not text, an element is a
 * number. Otherwise it is the order of the number (8 bytes), the length of the line (2 bytes) and
 * the line. A pipe that does not fit in a quarter of the memory limit is copied to a temporary file
 * first. */
#define _POSIX_C_SOURCE 200809L

#include "cli/cmd/external/external.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    HEAD = 10, /* bytes before a line */
    MOST_LINE = 4000
};

/* ---- Pipes ---- */

static bool write_spool(external_input *in, const char *bytes, size_t n)
{
    while (n > 0) {
        const ssize_t wrote = write(in->spool.fd, bytes, n);
        if (wrote < 0 && errno != EINTR)
            return cli_fail("%s: cannot copy it to a temporary file: %s", in->s.name,
                            strerror(errno));
        bytes += wrote < 0 ? 0 : wrote;
        n -= wrote < 0 ? 0 : (size_t)wrote;
    }
    return true;
}

static const char *spool_directory(const execution *e)
{
    const char *const named = getenv("TMPDIR");
    return e->o.directories.n > 0              ? e->o.directories.texts[0]
           : named != NULL && named[0] != '\0' ? named
                                               : "/var/tmp";
}

/* Copies the rest of a pipe to a temporary file and makes it the source. */
static bool spool_pipe(external_input *in)
{
    source *const     s = &in->s;
    const char *const folder = spool_directory(in->e);
    char              beside[4096];

    snprintf(beside, sizeof beside, "%s/ordo", folder);
    if (!temp_create(&in->spool, beside, 0600)) {
        in->spool.fd = -1;
        return cli_fail("%s: cannot create a temporary file: %s", folder, strerror(errno));
    }
    if (!write_spool(in, s->block, s->end))
        return false;
    for (;;) {
        const ssize_t got = read(s->fd, s->block, s->capacity);
        if (got == 0)
            break;
        if (got < 0 && errno != EINTR)
            return cli_fail("%s: cannot read: %s", s->name, strerror(errno));
        if (got > 0 && !write_spool(in, s->block, (size_t)got))
            return false;
    }
    return true;
}

/* Makes text that can be read twice: a file, a block or a copy. */
static bool hold_text(external_input *in)
{
    source *const  s = &in->s;
    const uint64_t limit = in->e->o.common.memory_limit;
    const bool     is_file = s->size > 0 && lseek(s->fd, 0, SEEK_CUR) >= 0;

    if (is_file) {
        in->text_at = lseek(s->fd, 0, SEEK_CUR) - (off_t)s->end;
        return true;
    }
    if (!source_fill(s, limit > 0 ? (size_t)limit / 4 : SIZE_MAX))
        return false;
    in->in_block = s->ended;
    return s->ended || spool_pipe(in);
}

/* Begins to read a file again. False after a message. */
static bool restart(external_input *in, size_t file)
{
    source *const     s = &in->s;
    const char *const name = s->name;

    if (in->in_block) {
        *s = (source){.name = name,
                      .fd = s->fd,
                      .line_end = '\n',
                      .ended = true,
                      .block = s->block,
                      .capacity = s->capacity,
                      .end = s->end};
        return true;
    }
    if (in->spool.fd < 0) {
        source_close(s);
        return source_open(s, in->e->paths[file]) &&
               (s->fd != STDIN_FILENO || lseek(s->fd, in->text_at, SEEK_SET) >= 0 ||
                cli_fail("stdin: cannot read it again: %s", strerror(errno)));
    }
    const int fd = dup(in->spool.fd);
    source_close(s);
    if (fd < 0 || lseek(fd, 0, SEEK_SET) < 0 || !source_open(s, "/dev/null"))
        return cli_fail("%s: cannot read its copy: %s", name, strerror(errno));
    close(s->fd);
    s->fd = fd;
    s->name = name;
    return true;
}

/* ---- The first reading ---- */

/* Whether the line is the text that the output would have for its number. Of integers the text
 * says that: digits without a zero in front, or a minus and such digits. */
static bool is_plain(const external_input *in, const void *value)
{
    const ordo_type   type = in->numbers.type;
    const char *const line = source_line(&in->s);
    const size_t      minus = line[0] == '-';

    if (type != ORDO_F32 && type != ORDO_F64)
        return minus + strspn(line + minus, "0123456789") == in->s.length &&
               ((line[minus] >= '1' && line[minus] <= '9') ||
                (line[0] == '0' && in->s.length == 1));

    char         text[NUMBER_TEXT_MAX];
    const size_t length = number_format(type, value, text);
    return length == in->s.length && memcmp(text, line, length) == 0;
}

/* Reads all numbers of the current file. */
static bool survey(external_input *in, const char *hint)
{
    text_numbers *const t = &in->numbers;
    text_result         r;
    uint64_t            value = 0;
    ordo_type           before = t->type;

    while ((r = text_next(t, &value)) == TEXT_NUMBER) {
        if (in->longest < in->s.length)
            in->longest = in->s.length;
        in->lines = in->lines || (in->e->keep_lines &&
                                  ((t->type != before && t->n > 1) || !is_plain(in, &value)));
        before = t->type;
        progress_at(in->s.size > 0 ? (double)in->s.done / (double)in->s.size : 0);
    }
    return text_print_notes(t, hint) && r == TEXT_END;
}

bool external_text_open(external_input *in, const input_request *request, int type)
{
    const execution *const e = in->e;

    for (size_t f = 0; f < e->path_count && e->path_count > 1; f++)
        if (e->paths[f] == NULL || strcmp(e->paths[f], "-") == 0)
            return cli_fail("stdin and files cannot be read as one with -S");
    if (!hold_text(in))
        return false;
    progress_start("reading");
    text_start(&in->numbers, &in->s, type, request->skip_bad);
    bool ok = restart(in, 0) && survey(in, request->text_hint);
    for (size_t f = 1; ok && f < e->path_count; f++) {
        ok = restart(in, f);
        text_continue(&in->numbers, &in->s);
        ok = ok && survey(in, request->text_hint);
    }
    progress_end();
    in->type = in->numbers.type;
    in->n = in->numbers.n;
    in->element = in->lines ? HEAD + in->longest : ordo_type_size(in->type);
    if (ok && in->lines && in->longest > MOST_LINE)
        return cli_fail("%s: a line has %zu bytes; with -S numbers may have lines of at most %d",
                        in->s.name, in->longest, MOST_LINE);
    return ok;
}

/* ---- Elements ---- */

bool external_text_rewind(external_input *in)
{
    in->file = 0;
    if (!restart(in, 0))
        return false;
    text_start(&in->numbers, &in->s, (int)in->type, in->e->o.skip_bad);
    return true;
}

/* An integer in the order of the sort: -0 before +0, NaN last in both directions. */
static uint64_t order_of_line(const external_input *in, const void *value)
{
    const size_t   size = ordo_type_size(in->type);
    const bool     is_float = in->type == ORDO_F32 || in->type == ORDO_F64;
    const uint64_t order = key_order(in->type, value), sign = UINT64_C(1) << (8 * size - 1);

    if (is_float && order == KEY_ORDER_NAN)
        return order;
    const bool     is_negative = is_float && (key_load(size, value) & sign) != 0;
    const uint64_t fine = order - is_negative;
    return in->e->o.descending ? ~fine : fine;
}

static bool next_number(external_input *in, void *value)
{
    for (;;) {
        const text_result r = text_next(&in->numbers, value);
        if (r == TEXT_NUMBER)
            return true;
        if (r == TEXT_FAILED) {
            snprintf(in->why, sizeof in->why, "%s:%zu: the text has changed while it was read",
                     in->s.name, in->numbers.bad_line);
            return false;
        }
        if (in->file + 1 >= in->e->path_count)
            return false;
        if (!restart(in, ++in->file)) {
            in->why[0] = '\n';
            return false;
        }
        text_continue(&in->numbers, &in->s);
    }
}

ptrdiff_t external_text_read(void *user, void *into, size_t bytes)
{
    external_input *const in = user;
    char                 *to = into;
    uint64_t              value = 0;

    for (; bytes >= in->element; bytes -= in->element, to += in->element) {
        if (!next_number(in, &value))
            break;
        if (!in->lines) {
            memcpy(to, &value, in->element);
            continue;
        }
        const uint64_t order = order_of_line(in, &value);
        const uint16_t length = (uint16_t)in->s.length;
        if (in->s.length > in->longest) {
            snprintf(in->why, sizeof in->why, "%s:%zu: the text has changed while it was read",
                     in->s.name, in->s.number);
            break;
        }
        memset(to, 0, in->element);
        memcpy(to, &order, sizeof order);
        memcpy(to + sizeof order, &length, sizeof length);
        memcpy(to + HEAD, source_line(&in->s), in->s.length);
    }
    errno = EIO;
    return in->why[0] != '\0' ? -1 : to - (char *)into;
}

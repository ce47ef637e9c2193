/* external_input.c - elements of .npy, raw and record files, one file after another, as a source of
 * the library. A single regular file is read by the library itself. */
#define _POSIX_C_SOURCE 200809L

#include "cli/cmd/external/external.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Numbers in text: what is known of them before the library reads them ----
 *
 * The first piece of the text is a guess for the rest: its type, and that the output can write the
 * lines again from the numbers. If a later piece differs, nothing has been written yet, and all of
 * the text is read for its type, the number of numbers and the longest line. The library then reads
 * it again (external_feed.c). A pipe that does not fit in a quarter of the memory limit is copied
 * to a temporary file first. */

enum {
    MOST_LINE = 4000,
    MEMORY_OF_NUMBER = 2, /* times its size: what a sort in memory takes */
    HELD_SHARE = 8        /* of the limit that the text of a pipe may take */
};

#define MOST_SHORT_INDEX ((uint64_t)2 * UINT32_MAX) /* bytes of text with fewer than 2^32 lines */

/* ---- Pipes ---- */

/* Makes text that can be read twice: a file, a block or a copy. */
static bool hold_text(external_input *in)
{
    source *const  s = &in->s;
    const uint64_t limit = in->e->o.common.memory_limit;

    in->text_at = s->start;
    if (s->start >= 0)
        return true;
    if (!source_fill(s, limit > 0 ? (size_t)limit / HELD_SHARE : SIZE_MAX))
        return false;
    in->in_block = s->ended;
    in->spool = s->ended ? -1 : pieces_copy(in->e, s);
    return s->ended || in->spool >= 0;
}

bool external_text_restart(external_input *in, size_t file)
{
    source *const     s = &in->s;
    const char *const name = s->name;

    in->next = in->ready = in->slow_to = 0;
    if (in->in_block) {
        *s = (source){.name = name,
                      .fd = s->fd,
                      .start = -1,
                      .line_end = '\n',
                      .ended = true,
                      .looked = true,
                      .codec = s->codec,
                      .packed = s->packed,
                      .block = s->block,
                      .capacity = s->capacity,
                      .end = s->end};
        return true;
    }
    if (in->spool < 0) {
        source_close(s);
        return source_open(s, in->e->paths[file]) &&
               (s->fd != STDIN_FILENO || lseek(s->fd, in->text_at, SEEK_SET) >= 0 ||
                cli_fail("stdin: cannot read it again: %s", strerror(errno)));
    }
    const int fd = dup(in->spool);
    source_close(s);
    if (fd < 0 || lseek(fd, 0, SEEK_SET) < 0 || !source_open(s, "/dev/null"))
        return cli_fail("%s: cannot read its copy: %s", name, strerror(errno));
    close(s->fd);
    s->fd = fd;
    s->name = name;
    return true;
}

/* ---- The first reading ---- */

/* Reads the lines of a piece one by one. */
static text_result survey_lines(external_input *in)
{
    text_numbers *const t = &in->numbers;
    text_result         r = TEXT_NUMBER;
    uint64_t            value = 0;
    ordo_type           before = t->type;

    while (in->s.number < in->slow_to && (r = text_next(t, &value)) == TEXT_NUMBER) {
        if (in->longest < in->s.length)
            in->longest = in->s.length;
        in->lines =
            in->lines || (in->e->keep_lines &&
                          ((t->type != before && t->n > 1) ||
                           !fast_is_output(t->type, source_line(&in->s), in->s.length, &value)));
        before = t->type;
    }
    return r;
}

/* Reads all numbers of the current file. */
static bool survey_file(external_input *in)
{
    const size_t size = in->s.size;
    text_result  r = TEXT_NUMBER;
    piece_result piece = PIECE_READ;

    while (r == TEXT_NUMBER && (piece = external_next_piece(in)) != PIECE_END) {
        if (piece == PIECE_FAILED)
            return false;
        if (piece == PIECE_SLOW) {
            r = survey_lines(in);
        } else {
            const size_t longest = fast_longest(&in->split);
            in->longest = longest > in->longest ? longest : in->longest;
            in->lines = in->lines || (in->e->keep_lines && fast_own_text(&in->split));
        }
        progress_at(size > 0 ? (double)in->s.done / (double)size : 0);
    }
    return text_print_notes(&in->numbers, in->others) && r != TEXT_FAILED;
}

bool external_text_survey(external_input *in)
{
    const execution *const e = in->e;

    in->guessed = in->guess_wrong = false;
    in->why[0] = '\0';
    progress_start("reading");
    bool ok = external_text_restart(in, 0);
    text_start(&in->numbers, &in->s, in->asked_type, e->o.skip_bad);
    in->numbers.judge = true;
    ok = ok && survey_file(in);
    for (size_t f = 1; ok && f < e->path_count; f++) {
        ok = external_text_restart(in, f);
        text_continue(&in->numbers, &in->s);
        ok = ok && survey_file(in);
    }
    progress_end();
    in->type = in->numbers.type;
    in->n = in->numbers.n;
    in->element = in->lines ? EXTERNAL_LINE_HEAD + in->longest : ordo_type_size(in->type);
    if (ok && in->lines && in->longest > MOST_LINE)
        return cli_fail("%s: a line has %zu bytes; with -S numbers may have lines of at most %d",
                        in->s.name, in->longest, MOST_LINE);
    return ok;
}

/* ---- The guess ---- */

/* The bytes of the text, before a guess is made; UINT64_MAX: not known. */
static uint64_t bytes_of_text(const external_input *in)
{
    struct stat st;

    if (in->in_block)
        return in->s.end;
    if (in->spool >= 0)
        return fstat(in->spool, &st) == 0 ? (uint64_t)st.st_size : UINT64_MAX;
    const uint64_t bytes = source_bytes(in->e->paths, in->e->path_count);
    return in->s.fd == STDIN_FILENO && bytes != UINT64_MAX ? bytes - (uint64_t)in->text_at : bytes;
}

/* Counts the lines of all files; 0 after a message. */
static uint64_t count_lines(external_input *in)
{
    uint64_t n = 0;

    progress_start("counting");
    for (size_t f = 0; f < in->e->path_count; f++) {
        size_t length = external_text_restart(in, f) ? 0 : SIZE_MAX;
        while (length != SIZE_MAX && (length = external_find_piece(in)) > 0 && length != SIZE_MAX) {
            text_split(&in->numbers, in->s.block + in->s.next, length, &in->split);
            source_skip(&in->s, length, in->split.lines);
            n += in->split.lines;
        }
        if (length == SIZE_MAX) {
            progress_end();
            return 0;
        }
    }
    progress_end();
    return n;
}

/* Whether a command can work without the number of numbers, and its messages are those of the
 * survey. */
static bool may_guess(const external_input *in)
{
    const execution *const e = in->e;
    const bool             indexed = e->command == &command_rank || e->command == &command_argsort;

    return e->command != &command_select && !e->o.skip_bad && format_asked(&e->o) != FORMAT_NPY &&
           !(indexed && in->text_bytes >= MOST_SHORT_INDEX);
}

/* Reads the first piece. *made is false if it is no guess for the rest. False after a message. */
static bool guess(external_input *in, bool *made)
{
    text_numbers *const t = &in->numbers;

    *made = false;
    if (!may_guess(in))
        return true;
    if (!external_text_restart(in, 0))
        return false;
    text_start(t, &in->s, in->asked_type, false);
    t->judge = true;
    const piece_result r = external_next_piece(in);
    if (r == PIECE_FAILED)
        return false;
    *made = r == PIECE_READ && !(in->e->keep_lines && fast_own_text(&in->split));
    if (!*made)
        return true;
    in->guessed = true;
    in->type = t->type;
    in->element = ordo_type_size(in->type);
    const double share = (double)in->split.length / (double)in->text_bytes;
    const double bytes = (double)in->split.lines / share * (double)in->element;
    if (in->text_bytes == UINT64_MAX || bytes * MEMORY_OF_NUMBER > (double)in->limit)
        return true;
    in->n = count_lines(in); /* so that the library can sort in memory */
    return in->n > 0;
}

static bool external_text_open(external_input *in, const input_request *request, int type)
{
    const execution *const e = in->e;
    bool                   guessed = false;

    for (size_t f = 0; f < e->path_count && e->path_count > 1; f++)
        if (source_is_stdin(e->paths[f]))
            return cli_fail("stdin and files cannot be read as one with -S");
    in->asked_type = type;
    in->others = request->others;
    if (!hold_text(in))
        return false;
    in->text_bytes = bytes_of_text(in);
    return guess(in, &guessed) && (guessed || external_text_survey(in));
}

static bool external_text_rewind(external_input *in)
{
    in->file = 0;
    if (!external_text_restart(in, 0))
        return false;
    text_start(&in->numbers, &in->s, (int)in->type, in->e->o.skip_bad);
    in->numbers.choose = in->asked_type == 0;
    in->numbers.judge = true;
    atomic_store(&in->text_read, 0);
    return true;
}

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

/* external_feed.c - the numbers of a text in pieces, as elements of fixed size (see external.h).
 *
 * Several threads read a piece of whole lines if all of them are plain (text_fast.c). The lines of
 * other pieces are read one by one. An element is a number, or the order of the number (8 bytes),
 * the length of the line (2 bytes) and the line. */
#define _GNU_SOURCE /* memrchr */

#include "cli/cmd/external/external.h"

#include "cli/base/workers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    TASK_LINES = 1 << 12, /* lines that one thread makes elements of */
    PIECE_SHARE = 64,     /* of the limit that a piece may take */
    LEAST_PIECE = 1 << 18,
    MOST_PIECE = 4 << 20
};

static size_t piece_bytes(const external_input *in)
{
    const uint64_t part = in->limit / PIECE_SHARE;
    return part < LEAST_PIECE ? LEAST_PIECE : part < MOST_PIECE ? (size_t)part : MOST_PIECE;
}

/* A piece, and for a digit and a newline of it a number of 8 bytes and a start of 4, each with a
 * quarter more (make_room()). */
uint64_t external_text_memory(const external_input *in)
{
    return (uint64_t)piece_bytes(in) * (1 + (8 + 4) / 2 * 5 / 4);
}

/* ---- Pieces ---- */

size_t external_find_piece(external_input *in)
{
    source *const s = &in->s;
    const size_t  piece = piece_bytes(in);

    if (!s->ended)
        return source_piece(s, piece);
    const size_t left = s->end - s->next;
    if (left <= piece)
        return left;
    const char *const begin = s->block + s->next, *const last = memrchr(begin, '\n', piece);
    return last != NULL ? (size_t)(last - begin) + 1 : 0;
}

static bool make_room(void **array, size_t *room, size_t n, size_t size)
{
    if (n <= *room)
        return true;
    void *const larger = realloc(*array, (n + n / 4) * size);
    if (larger == NULL)
        return cli_fail("not enough memory for a piece of the text");
    *array = larger;
    *room = n + n / 4;
    return true;
}

piece_result external_next_piece(external_input *in)
{
    source *const       s = &in->s;
    text_numbers *const t = &in->numbers;
    const size_t        length = t->blanks == 0 ? external_find_piece(in) : 0;

    in->next = in->ready = 0;
    if (length == SIZE_MAX)
        return PIECE_FAILED;
    if (s->ended && s->next == s->end) /* blank lines at the end do not count */
        return PIECE_END;
    if (length == 0) {
        in->slow_to = s->number + 1;
        return PIECE_SLOW;
    }
    in->text = s->block + s->next;
    text_split(t, in->text, length, &in->split);
    if (!make_room(&in->values, &in->values_room, in->split.lines, sizeof(uint64_t)))
        return PIECE_FAILED;
    in->split.values = in->values;
    if (!text_read_split(t, &in->split)) {
        in->slow_to = s->number + in->split.lines;
        return PIECE_SLOW;
    }
    in->ready = in->split.lines;
    atomic_fetch_add(&in->text_read, length);
    source_skip(s, length, in->split.lines);
    return PIECE_READ;
}

/* ---- Elements ---- */

/* An integer in the order of the sort: -0 before +0, NaN last in both directions. */
static uint64_t order_of_line(const external_input *in, const void *value)
{
    const size_t   size = ordo_type_size(in->type);
    const bool     is_float = type_is_float(in->type);
    const uint64_t order = key_order(in->type, value), sign = UINT64_C(1) << (8 * size - 1);

    if (is_float && order == KEY_ORDER_NAN)
        return order;
    const bool     is_negative = is_float && (key_load(size, value) & sign) != 0;
    const uint64_t fine = order - is_negative;
    return in->e->o.descending ? ~fine : fine;
}

static void make_element(const external_input *in, const void *value, const char *line,
                         size_t length, char *to)
{
    const uint64_t order = order_of_line(in, value);
    const uint16_t bytes = (uint16_t)length;

    memset(to, 0, in->element);
    memcpy(to, &order, sizeof order);
    memcpy(to + sizeof order, &bytes, sizeof bytes);
    memcpy(to + EXTERNAL_LINE_HEAD, line, length);
}

static void find_starts(void *user, size_t i)
{
    external_input *const   in = user;
    const fast_chunk *const c = &in->split.chunk[i];
    const char *p = in->text + c->begin, *const end = in->text + c->end;

    for (size_t line = c->first; line < c->first + c->n; line++) {
        const char *const stop = memchr(p, '\n', (size_t)(end - p));
        in->starts[line] = (uint32_t)(p - in->text);
        p = stop != NULL ? stop + 1 : end + 1;
    }
    if (i + 1 == in->split.chunks)
        in->starts[in->ready] = (uint32_t)(p - in->text);
}

typedef struct element_task {
    const external_input *in;
    char                 *to;
    size_t                n; /* elements */
} element_task;

static void make_elements(void *user, size_t i)
{
    const element_task *const   task = user;
    const external_input *const in = task->in;
    const size_t                size = ordo_type_size(in->type), first = i * TASK_LINES;
    const size_t                end = task->n - first < TASK_LINES ? task->n : first + TASK_LINES;

    for (size_t j = first; j < end; j++) {
        const size_t line = in->next + j;
        make_element(in, (const char *)in->values + line * size, in->text + in->starts[line],
                     in->starts[line + 1] - in->starts[line] - 1, task->to + j * in->element);
    }
}

/* Delivers up to n elements of the piece; returns how many. */
static size_t deliver(external_input *in, char *to, size_t n)
{
    const size_t now = n < in->ready - in->next ? n : in->ready - in->next;
    element_task task = {in, to, now};

    if (!in->lines)
        memcpy(to, (const char *)in->values + in->next * in->element, now * in->element);
    else
        workers_run((now + TASK_LINES - 1) / TASK_LINES, make_elements, &task);
    in->next += now;
    return now;
}

static ptrdiff_t fail_changed(external_input *in, size_t line)
{
    snprintf(in->why, sizeof in->why, "%s:%zu: the text has changed while it was read", in->s.name,
             line);
    return -1;
}

/* Reads one line. Returns how many elements that makes, or -1. */
static ptrdiff_t read_slowly(external_input *in, char *to)
{
    uint64_t          value = 0;
    const text_result r = text_next(&in->numbers, &value);

    if (r == TEXT_FAILED)
        return fail_changed(in, in->numbers.bad_line);
    if (r == TEXT_END) {
        in->slow_to = 0;
        return 0;
    }
    if (!in->lines)
        memcpy(to, &value, in->element);
    else if (in->s.length > in->longest)
        return fail_changed(in, in->s.number);
    else
        make_element(in, &value, source_line(&in->s), in->s.length, to);
    return 1;
}

/* Whether the piece that was read is as guessed (see external_text_open()). */
static bool is_as_guessed(const external_input *in)
{
    return in->numbers.type == in->type && !(in->e->keep_lines && fast_own_text(&in->split));
}

/* Reads the next piece, perhaps of the next file. 1: go on; 0: the end; -1: see in->why. */
static int read_on(external_input *in)
{
    const piece_result r = external_next_piece(in);

    in->guess_wrong = in->guessed && (r == PIECE_SLOW || (r == PIECE_READ && !is_as_guessed(in)));
    if (r == PIECE_END && in->file + 1 >= in->e->path_count)
        return 0;
    if (r == PIECE_FAILED || in->guess_wrong ||
        (r == PIECE_END && !external_text_restart(in, ++in->file))) {
        in->why[0] = '\n'; /* a message has been printed, or is not needed */
        return -1;
    }
    if (r == PIECE_END)
        text_continue(&in->numbers, &in->s);
    if (r != PIECE_READ || !in->lines)
        return 1;
    if (fast_longest(&in->split) > in->longest)
        return (int)fail_changed(in, in->s.number);
    void      *starts = in->starts;
    const bool ok = make_room(&starts, &in->starts_room, in->ready + 1, sizeof *in->starts);
    in->starts = starts;
    if (!ok) {
        in->why[0] = '\n';
        return -1;
    }
    workers_run(in->split.chunks, find_starts, in);
    return 1;
}

ptrdiff_t external_text_read(void *user, void *into, size_t bytes)
{
    external_input *const in = user;
    char                 *to = into;
    ptrdiff_t             more = 1;

    while (bytes >= in->element && more >= 0) {
        size_t now = 0;
        if (in->next < in->ready) {
            now = deliver(in, to, bytes / in->element);
        } else if (in->s.number < in->slow_to) {
            more = read_slowly(in, to);
            now = more > 0;
        } else if ((more = read_on(in)) == 0) {
            break;
        }
        to += now * in->element;
        bytes -= now * in->element;
    }
    errno = EIO;
    return more < 0 ? -1 : to - (char *)into;
}

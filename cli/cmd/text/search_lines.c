/* search_lines.c - the lines around positions of an indexed text, as grep prints them. A window
 * moves over the text: it is extended by as many bytes as the index stores a position for, so a
 * line takes its length and at most two such parts. */
#include "cli/cmd/text/search_lines.h"

#include <stdlib.h>
#include <string.h>

typedef struct window { /* the bytes [from, from + length) of the text are at room + at */
    ordo_ctx      *ctx;
    const ordo_fm *fm;
    uint64_t       n, part;
    uint64_t       from;
    size_t         length, at, size;
    char          *room;
} window;

static uint64_t end_of(const window *w) { return w->from + w->length; }

static const char *byte_at(const window *w, uint64_t position)
{
    return w->room + w->at + (position - w->from);
}

/* Makes room for a part on both sides. */
static bool make_room(window *w)
{
    const size_t part = (size_t)w->part;

    if (w->at >= part && w->size - w->at - w->length >= part)
        return true;
    const size_t size = 2 * (w->length + 2 * part);
    char *const  room = cli_alloc(size, 1, "the lines");
    if (room == NULL)
        return false;
    const size_t at = (size - w->length) / 2;
    if (w->length > 0)
        memcpy(room + at, w->room + w->at, w->length);
    free(w->room);
    w->room = room;
    w->size = size;
    w->at = at;
    return true;
}

static bool extend_back(window *w)
{
    const uint64_t from = (w->from - 1) / w->part * w->part;
    const size_t   more = (size_t)(w->from - from);

    if (!make_room(w) ||
        !call_end(ordo_fm_extract(w->ctx, w->fm, from, more, w->room + w->at - more)))
        return false;
    w->from = from;
    w->at -= more;
    w->length += more;
    return true;
}

static bool extend(window *w)
{
    const uint64_t end = end_of(w), next = (end / w->part + 1) * w->part;
    const size_t   more = (size_t)((next < w->n ? next : w->n) - end);

    if (!make_room(w) ||
        !call_end(ordo_fm_extract(w->ctx, w->fm, end, more, w->room + w->at + w->length)))
        return false;
    w->length += more;
    return true;
}

/* Moves *at, which is in the window or at its end, behind the next line end. */
static bool to_line_end(window *w, uint64_t *at)
{
    while (*at < w->n) {
        if (*at == end_of(w) && !extend(w))
            return false;
        const size_t      left = (size_t)(end_of(w) - *at);
        const char *const found = memchr(byte_at(w, *at), '\n', left);
        if (found != NULL) {
            *at += (uint64_t)(found - byte_at(w, *at)) + 1;
            return true;
        }
        *at += left;
    }
    return true;
}

/* Moves *at back to the beginning of its line, or to `least`, where a line begins. */
static bool to_line_begin(window *w, uint64_t least, uint64_t *at)
{
    for (;; --*at) {
        while (w->from > *at || (w->from == *at && *at > least))
            if (!extend_back(w))
                return false;
        if (*at <= least || *byte_at(w, *at - 1) == '\n')
            return true;
    }
}

/* Begins a window at a position that is not in it, and forgets what was printed. */
static bool move_to(window *w, uint64_t position, uint64_t printed)
{
    if (position < end_of(w)) {
        const size_t gone = (size_t)(printed > w->from ? printed - w->from : 0);
        w->from += gone;
        w->at += gone;
        w->length -= gone;
        return true;
    }
    w->from = position / w->part * w->part;
    w->length = 0;
    w->at = w->size / 2;
    return extend(w);
}

typedef struct printer {
    output  *out;
    window   w;
    uint64_t printed;  /* a line begins there */
    uint64_t context;  /* lines around a match */
    uint64_t after;    /* lines of context to print from `printed` on */
    bool     separate; /* "--" between lines that are apart */
    bool     any;
} printer;

static bool print_to(printer *p, uint64_t end)
{
    const uint64_t from = p->printed;

    p->printed = end;
    if (!output_bytes(p->out, byte_at(&p->w, from), (size_t)(end - from)))
        return false;
    return end < p->w.n || *byte_at(&p->w, end - 1) == '\n' || output_bytes(p->out, "\n", 1);
}

/* Prints the lines of context behind the last match that end at `most` or before. */
static bool print_after(printer *p, uint64_t most)
{
    for (; p->after > 0 && p->printed < most; p->after--) {
        uint64_t end = p->printed;
        if (!to_line_end(&p->w, &end))
            return false;
        if (end > most)
            return true;
        if (!print_to(p, end))
            return false;
    }
    return true;
}

/* Prints the line of a position that is not printed yet, and the lines before it. */
static bool print_match(printer *p, uint64_t position)
{
    uint64_t end = position, begin = position;

    if (!move_to(&p->w, position, p->printed) || !to_line_end(&p->w, &end) ||
        !to_line_begin(&p->w, p->printed, &begin))
        return false;
    for (uint64_t k = 0; k < p->context && begin > p->printed; k++) {
        begin--; /* the end of the line before */
        if (!to_line_begin(&p->w, p->printed, &begin))
            return false;
    }
    if (p->separate && p->any && begin > p->printed && !output_bytes(p->out, "--\n", 3))
        return false;
    p->printed = begin;
    p->any = true;
    p->after = p->context;
    return print_to(p, end);
}

bool search_print_lines(output *out, ordo_ctx *ctx, const ordo_fm *fm, const uint64_t *positions,
                        size_t count, const uint64_t *context)
{
    ordo_fm_facts facts = {.struct_size = sizeof facts};
    printer       p = {.out = out,
                       .context = context != NULL ? *context : 0,
                       .separate = context != NULL,
                       .w = {.ctx = ctx, .fm = fm}};
    bool          ok = call_end(ordo_fm_describe(fm, &facts));

    p.w.n = facts.n;
    p.w.part = facts.sample;
    for (size_t i = 0; i < count && ok; i++)
        if (positions[i] >= p.printed)
            ok = print_after(&p, positions[i]) && print_match(&p, positions[i]);
    ok = ok && print_after(&p, facts.n);
    free(p.w.room);
    return ok;
}

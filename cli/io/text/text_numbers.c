/* text_numbers.c - numbers from text (see text_numbers.h).
 *
 * The text is read once. If the type is to be chosen, numbers are read as i64 until a line needs
 * u64 or f64; the numbers before it are then converted. The places of integers written -0 are
 * remembered, because they become -0.0. */
#include "cli/io/text/text_numbers.h"

#include "cli/base/cli.h"
#include "cli/io/number/number.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    SAFE_LENGTH = 15, /* f64 holds every integer of this many characters */
    FIRST_NUMBERS = 1 << 12,
    PIECE = 64 << 20, /* bytes of text that several threads read together */
    PIECE_SHARE = 16  /* of a limit of memory that they may take          */
};

typedef struct text_line {
    const char *begin, *end; /* without blanks around; *end is readable */
} text_line;

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* The current line without CR and blanks; empty if there is nothing else. */
static text_line current_line(const source *s)
{
    const char *begin = source_line(s), *end = begin + s->length;

    if (end > begin && end[-1] == '\r')
        end--;
    while (end > begin && is_blank(end[-1]))
        end--;
    while (begin < end && is_blank(*begin))
        begin++;
    const char *p = begin;
    while (p < end && (is_blank(*p) || *p == '\r'))
        p++;
    return (text_line){begin, p < end ? end : begin};
}

/* Writes why a line is no value of `type` to why. True if the line is no number. */
static bool describe(char *why, ordo_type type, bool type_given, text_line l)
{
    const char *const   name = ordo_type_name(type);
    char                quoted[48]; /* short enough for why[] to hold the longest message */
    uint64_t            ignored;
    const number_result r = number_parse(type, l.begin, l.end, &ignored);

    cli_printable(l.begin, (size_t)(l.end - l.begin), quoted, sizeof quoted);
    if (l.begin == l.end)
        snprintf(why, TEXT_WHY, "empty line where a number was expected");
    else if (r == NUMBER_INEXACT)
        snprintf(why, TEXT_WHY,
                 "the lines together need %s, which cannot hold this integer: '%s'; give --dtype "
                 "%s to round it",
                 name, quoted, name);
    else if (r == NUMBER_RANGE)
        snprintf(why, TEXT_WHY, "out of range of %s: '%s'%s", name, quoted,
                 type == ORDO_F64 ? "" : "; give a --dtype that holds it");
    else if (r == NUMBER_NOT_INTEGER)
        snprintf(why, TEXT_WHY, "not an integer (%s): '%s'; give --dtype f64 for fractions", name,
                 quoted);
    else if (type_given)
        snprintf(why, TEXT_WHY, "not a number (%s): '%s'", name, quoted);
    else
        snprintf(why, TEXT_WHY, "not a number: '%s'", quoted);
    return r == NUMBER_BAD && l.begin != l.end;
}

void text_start(text_numbers *t, source *s, int type, bool skip_bad)
{
    *t = (text_numbers){.s = s,
                        .type = type != 0 ? (ordo_type)type : ORDO_I64,
                        .choose = type == 0,
                        .skip_bad = skip_bad};
}

/* The wider type that holds a line which is no value of t->type; 0 if no type does. */
static int wider_type(const text_numbers *t, text_line l)
{
    uint64_t u;
    double   d;
    if (t->type == ORDO_I64 && !t->any_negative &&
        number_parse(ORDO_U64, l.begin, l.end, &u) == NUMBER_OK)
        return ORDO_U64;
    const number_result r = number_parse(ORDO_F64, l.begin, l.end, &d);
    return t->type != ORDO_F64 && (r == NUMBER_OK || r == NUMBER_INEXACT) ? ORDO_F64 : 0;
}

static size_t count_byte(const char *p, const char *end, char byte)
{
    size_t n = 0;
    while (p < end && (p = memchr(p, byte, (size_t)(end - p))) != NULL) {
        n++;
        p++;
    }
    return n;
}

/* The byte that seems to separate columns: the bad line has some, and the next line as many. '\0':
 * there is none. */
static char find_separator(const source *s, text_line l)
{
    static const char candidates[] = "\t;,|";
    const char *const next = s->block + s->next, *const end = s->block + s->end;
    const char *const stop = next < end ? memchr(next, '\n', (size_t)(end - next)) : NULL;

    for (const char *c = candidates; *c != '\0'; c++) {
        const size_t n = count_byte(l.begin, l.end, *c);
        if (n > 0 && (next >= end || count_byte(next, stop != NULL ? stop : end, *c) == n))
            return *c;
    }
    return '\0';
}

/* Counts line `number` as skipped, or keeps why it is bad. */
static bool skip_line(text_numbers *t, text_line l, size_t number, bool skip)
{
    if (!skip) {
        t->bad_line = number;
        t->no_number = describe(t->why, t->choose ? ORDO_F64 : t->type, !t->choose, l);
        t->separator = t->no_number ? find_separator(t->s, l) : '\0';
    } else if (t->skipped++ == 0) {
        t->first_skipped = number;
    }
    return skip;
}

/* Blank lines are bad unless nothing follows them. */
static bool skip_blanks(text_numbers *t, text_line l)
{
    for (; t->blanks > 0; t->blanks--, t->blank++)
        if (!skip_line(t, (text_line){l.begin, l.begin}, t->blank, t->skip_bad))
            return false;
    return true;
}

/* Keeps what to say if a later line needs f64 and f64 cannot hold this integer. */
static void note_inexact(text_numbers *t, text_line l)
{
    double rounded;

    if (t->choose && t->type != ORDO_F64 && t->inexact_line == 0 && l.end - l.begin > SAFE_LENGTH &&
        number_parse(ORDO_F64, l.begin, l.end, &rounded) == NUMBER_INEXACT) {
        t->inexact_line = t->s->number;
        t->inexact_name = t->s->name;
        (void)describe(t->inexact, ORDO_F64, false, l);
    }
}

/* TEXT_END: the line was skipped. */
static text_result parse_line(text_numbers *t, text_line l, void *value)
{
    number_result r = number_parse(t->type, l.begin, l.end, value);
    const int     wider = r != NUMBER_OK && t->choose ? wider_type(t, l) : 0;

    if (wider != 0) {
        t->type = (ordo_type)wider;
        r = number_parse(t->type, l.begin, l.end, value);
    }
    if (wider == ORDO_F64 && t->inexact_line > 0) {
        t->bad_line = t->inexact_line;
        t->bad_name = t->inexact_name;
        snprintf(t->why, sizeof t->why, "%s", t->inexact);
        return TEXT_FAILED;
    }
    if (r == NUMBER_INEXACT && !t->choose && t->rounded++ == 0)
        t->first_rounded = t->s->number;
    if (r != NUMBER_OK && (r != NUMBER_INEXACT || t->choose))
        return skip_line(t, l, t->s->number, t->skip_bad && r != NUMBER_INEXACT) ? TEXT_END
                                                                                 : TEXT_FAILED;
    note_inexact(t, l);
    t->any_negative |= *l.begin == '-';
    t->n++;
    t->text = l.begin;
    t->length = (size_t)(l.end - l.begin);
    return TEXT_NUMBER;
}

text_result text_next(text_numbers *t, void *value)
{
    source_result r = SOURCE_END;
    text_result   parsed = TEXT_END;

    while (parsed == TEXT_END && (r = source_next(t->s)) == SOURCE_LINE) {
        const text_line l = current_line(t->s);
        if (l.begin == l.end)
            t->blank = t->blanks++ == 0 ? t->s->number : t->blank;
        else if (!skip_blanks(t, l))
            parsed = TEXT_FAILED;
        else
            parsed = parse_line(t, l, value);
    }
    return parsed == TEXT_END && r == SOURCE_FAILED ? TEXT_FAILED : parsed;
}

void text_convert(ordo_type from, ordo_type to, void *values, size_t n)
{
    union {
        int64_t  i64;
        uint64_t u64;
        double   f64;
    } *const v = values;

    for (size_t i = 0; to == ORDO_F64 && i < n; i++)
        v[i].f64 = from == ORDO_I64 ? (double)v[i].i64 : (double)v[i].u64;
}

/* Makes room for n numbers. */
static bool make_room(text_numbers *t, size_t n, size_t size)
{
    size_t larger = t->capacity > 0 ? 2 * t->capacity : FIRST_NUMBERS;

    if (n <= t->capacity)
        return true;
    larger = larger < n ? n : larger;
    if (!source_allows(t->s->name, (uint64_t)n * size))
        return false;
    void *const values = larger <= SIZE_MAX / size ? realloc(t->values, larger * size) : NULL;
    if (values == NULL)
        return cli_fail("%s: not enough memory for more than %zu numbers", t->s->name, t->n);
    t->values = values;
    t->capacity = larger;
    return true;
}

/* ---- Integers written -0 ---- */

static bool note_minus_zero(text_numbers *t, size_t at)
{
    if (!cli_grow(&t->minus_zeros, t->minus_zero_count + 1, &t->minus_zero_room, sizeof at))
        return cli_fail("%s: not enough memory for the places of -0", t->s->name);
    t->minus_zeros[t->minus_zero_count++] = at;
    return true;
}

/* The same for all lines of a plain text, which are integers; `before` numbers come before it. */
static bool note_minus_zeros(text_numbers *t, const fast_text *f, size_t before)
{
    const uint64_t *const values = f->values;

    for (size_t i = 0; i < f->chunks; i++) {
        const fast_chunk *const c = &f->chunk[i];
        const char             *line = f->text + c->begin;
        for (size_t k = c->first; c->minus_zero && k < c->first + c->n; k++) {
            if (*line == '-' && values[k] == 0 && !note_minus_zero(t, before + k))
                return false;
            const char *const end = memchr(line, '\n', (size_t)(f->text + c->end - line));
            line = end != NULL ? end + 1 : f->text + c->end;
        }
    }
    return true;
}

/* Converts the first n values, which were of the type `from`. */
static void convert_values(text_numbers *t, ordo_type from, size_t n)
{
    double *const reals = t->values;

    text_convert(from, t->type, t->values, n);
    for (size_t i = 0; t->type == ORDO_F64 && i < t->minus_zero_count; i++)
        reals[t->minus_zeros[i]] = -0.0;
}

void text_end(text_numbers *t)
{
    free(t->minus_zeros);
    t->minus_zeros = NULL;
    t->minus_zero_count = t->minus_zero_room = 0;
}

/* ---- All numbers ---- */

/* Keeps the first integer of a text that f64 cannot hold, as note_inexact() does. */
static void note_first_inexact(text_numbers *t, const fast_text *f, size_t before)
{
    for (size_t i = 0; i < f->chunks && t->inexact_line == 0; i++) {
        const fast_chunk *const c = &f->chunk[i];
        if (c->inexact == 0)
            continue;
        text_line l = {c->inexact_text, c->inexact_text + strcspn(c->inexact_text, "\r\n")};
        t->inexact_line = before + c->first + c->inexact;
        t->inexact_name = t->s->name;
        (void)describe(t->inexact, ORDO_F64, false, l);
    }
}

void text_split(const text_numbers *t, const char *text, size_t length, fast_text *f)
{
    *f = (fast_text){
        .text = text, .length = length, .type = t->type, .choose = t->choose, .judge = t->judge};
    fast_split(f);
}

bool text_read_split(text_numbers *t, fast_text *f)
{
    if (!fast_read(f, t->any_negative, t->n > 0 && t->type != ORDO_F64))
        return false;
    for (size_t i = 0; i < f->chunks; i++)
        t->any_negative |= f->chunk[i].negative;
    if (t->choose && f->type != ORDO_F64)
        note_first_inexact(t, f, t->s->number);
    t->type = f->type;
    t->n += f->lines;
    return true;
}

text_kind text_plain(text_numbers *t, const char *text, size_t length, fast_text *f)
{
    const size_t size = ordo_type_size(t->type), before = t->n;

    text_split(t, text, length, f);
    if (!make_room(t, before + f->lines, size))
        return TEXT_NO_MEMORY;
    f->values = (char *)t->values + before * size;
    if (!text_read_split(t, f))
        return TEXT_OTHER;
    const bool integers = t->choose && t->type != ORDO_F64;
    return !integers || note_minus_zeros(t, f, before) ? TEXT_PLAIN : TEXT_NO_MEMORY;
}

/* After text_next() has read value n: converts the values before it if it needs another type, and
 * keeps its line. */
static bool take_value(text_numbers *t, ordo_type before, size_t n)
{
    if (t->type != before)
        convert_values(t, before, n);
    if (t->choose && t->type != ORDO_F64 && *t->text == '-' &&
        ((const uint64_t *)t->values)[n] == 0 && !note_minus_zero(t, n))
        return false;
    return t->each == NULL || t->each(t->user, t->s);
}

/* Reads numbers with text_next() until the source has gone over `length` bytes. */
static text_result read_lines(text_numbers *t, size_t length)
{
    const size_t size = ordo_type_size(t->type), end = t->s->next + length;
    text_result  r = TEXT_NUMBER;

    while (r == TEXT_NUMBER && (length == SIZE_MAX || t->s->next < end)) {
        const ordo_type type = t->type;
        const size_t    n = t->n;
        r = make_room(t, n + 1, size) ? text_next(t, (char *)t->values + n * size) : TEXT_FAILED;
        if (r == TEXT_NUMBER && !take_value(t, type, n))
            r = TEXT_FAILED;
    }
    return r;
}

/* Reads a piece of the text with several threads if its lines are plain, otherwise line by line. */
static text_result read_piece(text_numbers *t)
{
    fast_text    f;
    const size_t length = t->each == NULL && t->blanks == 0
                              ? source_piece(t->s, source_piece_bytes(PIECE, PIECE_SHARE))
                              : 0;

    if (length == SIZE_MAX)
        return TEXT_FAILED;
    if (length == 0)
        return read_lines(t, SIZE_MAX);
    const text_kind kind = text_plain(t, t->s->block, length, &f);
    if (kind == TEXT_OTHER)
        return read_lines(t, length);
    if (kind == TEXT_PLAIN)
        source_skip(t->s, length, f.lines);
    return kind == TEXT_PLAIN ? TEXT_NUMBER : TEXT_FAILED;
}

bool text_read(text_numbers *t)
{
    text_result r = TEXT_NUMBER;

    while (r == TEXT_NUMBER)
        r = read_piece(t);
    if (r == TEXT_END)
        return true;
    free(t->values);
    t->values = NULL;
    return false;
}

void text_continue(text_numbers *t, source *s)
{
    t->s = s;
    t->blanks = t->skipped = t->rounded = 0;
}

/* The option that reads this text, for the end of a message. */
static const char *hint(const text_numbers *t, unsigned others)
{
    if (!t->no_number || t->bad_line != 1)
        return "";
    if ((others & TEXT_AS_ROWS) != 0 && t->separator != '\0')
        return t->separator == ','    ? "; give --csv to read rows"
               : t->separator == '\t' ? "; give --tsv to read rows"
               : t->separator == ';'  ? "; give --csv -t ';' to read rows"
                                      : "; give --csv -t '|' to read rows";
    return (others & TEXT_AS_LINES) != 0 ? "; give --text to read lines" : "";
}

bool text_print_notes(const text_numbers *t, unsigned others)
{
    const char *const name = t->s->name;

    if (t->bad_line > 0)
        return cli_fail("%s:%zu: %s%s", t->bad_name != NULL ? t->bad_name : name, t->bad_line,
                        t->why, hint(t, others));
    if (t->skipped > 0)
        cli_error("%s: skipped %zu bad line%s, the first is line %zu", name, t->skipped,
                  t->skipped == 1 ? "" : "s", t->first_skipped);
    if (t->skipped > 0 && t->n == 0)
        return cli_fail("%s: no number is left: every line is bad", name);
    if (t->rounded > 0)
        cli_error("%s: rounded %zu integer%s that %s cannot hold, the first in line %zu", name,
                  t->rounded, t->rounded == 1 ? "" : "s", ordo_type_name(t->type),
                  t->first_rounded);
    return true;
}

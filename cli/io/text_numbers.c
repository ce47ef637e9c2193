/* text_numbers.c - an array from text with one number a line (see text_numbers.h).
 *
 * The lines are counted first, so the array is allocated once. If the type is to be chosen, the
 * text is read as i64 and, at the first line that needs it, again as u64 or f64: text of one kind
 * is read once, and any text at most three times. */
#include "cli/io/text_numbers.h"

#include "cli/cli.h"
#include "cli/io/number.h"
#include "cli/io/text_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* The length of the text without the blank lines at its end. */
static size_t trimmed_length(const char *text, size_t length)
{
    while (length > 0 &&
           (is_blank(text[length - 1]) || text[length - 1] == '\n' || text[length - 1] == '\r'))
        length--;
    return length;
}

static text_line trim_blanks(const char *begin, const char *end)
{
    while (end > begin && is_blank(end[-1]))
        end--;
    while (begin < end && is_blank(*begin))
        begin++;
    return (text_line){begin, end};
}

/* Takes the line at *p and moves *p past its newline. */
static text_line next_line(const char **p, const char *text_end)
{
    const char *const begin = *p;
    const char *const newline = memchr(begin, '\n', (size_t)(text_end - begin));
    const char       *end = newline != NULL ? newline : text_end;

    *p = newline != NULL ? newline + 1 : text_end;
    if (newline != NULL && end > begin && end[-1] == '\r')
        end--;
    return trim_blanks(begin, end);
}

text_line text_trim(const char *begin, const char *end)
{
    if (end > begin && end[-1] == '\r')
        end--;
    const text_line l = trim_blanks(begin, end);
    const char     *p = l.begin;
    while (p < l.end && (is_blank(*p) || *p == '\r'))
        p++;
    return p < l.end ? l : (text_line){l.begin, l.begin};
}

bool text_describe(char *why, ordo_type type, bool type_given, text_line l)
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

text_result text_parse_line(text_numbers *t, text_line l, size_t number, void *value)
{
    const number_result r = number_parse(t->type, l.begin, l.end, value);

    if (r == NUMBER_INEXACT && !t->choose && t->rounded++ == 0)
        t->first_rounded = number;
    if (r == NUMBER_OK || (r == NUMBER_INEXACT && !t->choose)) {
        t->any_negative |= *l.begin == '-';
        t->n++;
        return TEXT_NUMBER;
    }
    const int wider = t->choose ? wider_type(t, l) : 0;
    if (wider != 0) {
        t->type = (ordo_type)wider;
        return TEXT_WIDER;
    }
    if (t->skip_bad && r != NUMBER_INEXACT) {
        if (t->skipped++ == 0)
            t->first_skipped = number;
        return TEXT_SKIPPED;
    }
    t->bad_line = number;
    t->no_number = text_describe(t->why, t->choose ? ORDO_F64 : t->type, !t->choose, l);
    return TEXT_BAD;
}

/* Reads every line as t->type into t->values; stops at a line that is bad or needs a wider type. */
static text_result read_lines(const char *text, size_t length, text_numbers *t)
{
    const char *const end = text + length;
    const size_t      size = ordo_type_size(t->type);
    text_result       r = TEXT_NUMBER;

    t->n = t->skipped = t->first_skipped = t->rounded = 0;
    t->any_negative = false;
    const char *p = text;
    for (size_t number = 1; p < end && (r == TEXT_NUMBER || r == TEXT_SKIPPED); number++) {
        const text_line l = next_line(&p, end);
        r = text_parse_line(t, l, number, (char *)t->values + t->n * size);
        if (number % 65536 == 0)
            progress_at((double)(p - text) / (double)length);
    }
    return r;
}

bool text_read(const char *text, size_t length, int type, bool skip_bad, text_numbers *out)
{
    text_result r = TEXT_WIDER;

    *out = (text_numbers){
        .type = type != 0 ? (ordo_type)type : ORDO_I64, .choose = type == 0, .skip_bad = skip_bad};
    length = trimmed_length(text, length);
    out->values =
        cli_alloc(lines_count(text, length), ordo_type_size(out->type), "the numbers of the text");
    while (out->values != NULL && r == TEXT_WIDER)
        r = read_lines(text, length, out);
    if (r == TEXT_NUMBER || r == TEXT_SKIPPED)
        return true;
    free(out->values);
    out->values = NULL;
    return false;
}

bool text_print_notes(const char *name, const text_numbers *t, const char *hint)
{
    if (t->bad_line > 0)
        return cli_fail("%s:%zu: %s%s", name, t->bad_line, t->why,
                        t->no_number && t->bad_line == 1 ? hint : "");
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

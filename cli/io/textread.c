/* textread.c - an array from text with one number a line (see textread.h).
 *
 * The lines are counted first, so the array is allocated once. When the type is to be chosen, the
 * text is read as i64 and, at the first line that needs it, again as u64 or f64: text of one kind
 * is read once, and three times at worst. */
#include "cli/io/textread.h"

#include "cli/cli.h"
#include "cli/ui/progress.h"
#include "cli/io/textnum.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINES_PER_TICK = 1 << 16
};

typedef enum pass_result {
    PASS_DONE,
    PASS_RETRY,
    PASS_FAILED
} pass_result;

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* Text without the blank lines at its end. */
static size_t trimmed_length(const char *text, size_t length)
{
    while (length > 0 &&
           (is_blank(text[length - 1]) || text[length - 1] == '\n' || text[length - 1] == '\r'))
        length--;
    return length;
}

static size_t count_lines(const char *text, size_t length)
{
    const char *const end = text + length;
    size_t            n = length > 0;
    for (const char *p = text; (p = memchr(p, '\n', (size_t)(end - p))) != NULL; p++)
        n++;
    return n;
}

static text_line trim_blanks(const char *begin, const char *end)
{
    while (end > begin && is_blank(end[-1]))
        end--;
    while (begin < end && is_blank(*begin))
        begin++;
    return (text_line){begin, end};
}

/* Takes the line at *p and moves *p behind its newline. */
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

int text_wider_type(ordo_type type, text_line l, bool any_negative)
{
    uint64_t u;
    double   d;
    if (type == ORDO_I64 && !any_negative &&
        number_parse(ORDO_U64, l.begin, l.end, &u) == NUMBER_OK)
        return ORDO_U64;
    const number_result r = number_parse(ORDO_F64, l.begin, l.end, &d);
    return type != ORDO_F64 && (r == NUMBER_OK || r == NUMBER_INEXACT) ? ORDO_F64 : 0;
}

bool text_describe(char *why, ordo_type type, bool type_given, text_line l)
{
    const char *const   name = ordo_type_name(type);
    char                quoted[48]; /* why[] holds it and the longest message */
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

/* Reads every line as out->type into out->values. */
static pass_result read_pass(const char *text, size_t length, bool choose, bool skip_bad,
                             text_array *out)
{
    const char *const end = text + length;
    const size_t      size = ordo_type_size(out->type);
    bool              any_negative = false;
    char             *value = out->values;
    size_t            number = 0;

    out->n = out->skipped = out->first_skipped = out->rounded = 0;
    for (const char *p = text; p < end;) {
        const text_line     l = next_line(&p, end);
        const number_result r = number_parse(out->type, l.begin, l.end, value);
        if (++number % LINES_PER_TICK == 0)
            progress_at((double)(p - text) / (double)length);
        if (r == NUMBER_INEXACT && !choose && out->rounded++ == 0)
            out->first_rounded = number;
        if (r == NUMBER_OK || (r == NUMBER_INEXACT && !choose)) {
            any_negative |= *l.begin == '-';
            value += size;
            out->n++;
            continue;
        }
        const int wider = choose ? text_wider_type(out->type, l, any_negative) : 0;
        if (wider != 0) {
            out->type = (ordo_type)wider;
            return PASS_RETRY;
        }
        if (!skip_bad || r == NUMBER_INEXACT) {
            out->bad_line = number;
            out->no_number = text_describe(out->why, choose ? ORDO_F64 : out->type, !choose, l);
            return PASS_FAILED;
        }
        if (out->skipped++ == 0)
            out->first_skipped = number;
    }
    return PASS_DONE;
}

bool text_read(const char *text, size_t length, int type, bool skip_bad, text_array *out)
{
    const bool choose = type == 0;

    *out = (text_array){.type = choose ? ORDO_I64 : (ordo_type)type};
    length = trimmed_length(text, length);
    const size_t lines = count_lines(text, length);
    out->values = cli_alloc(lines, ordo_type_size(out->type), "the numbers of the text");
    if (out->values == NULL)
        return false;

    pass_result r;
    do
        r = read_pass(text, length, choose, skip_bad, out);
    while (r == PASS_RETRY);
    if (r == PASS_DONE)
        return true;
    free(out->values);
    out->values = NULL;
    return false;
}

bool text_print_notes(const char *name, const text_notes *notes)
{
    if (notes->skipped > 0)
        cli_note("%s: skipped %zu bad line%s, the first is line %zu", name, notes->skipped,
                 notes->skipped == 1 ? "" : "s", notes->first_skipped);
    if (notes->skipped > 0 && notes->n == 0) {
        cli_error("%s: no number is left: every line is bad", name);
        return false;
    }
    if (notes->rounded > 0)
        cli_note("%s: rounded %zu integer%s that %s cannot hold, the first in line %zu", name,
                 notes->rounded, notes->rounded == 1 ? "" : "s", ordo_type_name(notes->type),
                 notes->first_rounded);
    return true;
}

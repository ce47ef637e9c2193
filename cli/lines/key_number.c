/* key_number.c - reads numbers and months (see line_order.h). -g is strtold(), which needs a copy
 * that ends with NUL. */
#include "cli/lines/line_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_digits(const char *p, const char *end)
{
    while (p < end && is_digit(*p))
        p++;
    return p;
}

decimal_key decimal_read(key_span span, bool human, const uint8_t *image)
{
    static const char units[] = "KMGTPEZYRQ";
    const char *const begin = skip_blanks(span.begin, span.end), *const end = span.end;
    const bool        minus = begin < end && *begin == '-';
    const char *const digits = begin + minus;
    decimal_key       d = {.whole = digits, .end = begin};

    while (d.whole < end && *d.whole == '0')
        d.whole++;
    const char *p = d.whole_end = skip_digits(d.whole, end);
    bool        any = p > digits;
    d.fraction = d.fraction_end = p;
    if (p < end && *p == '.') {
        d.fraction = p + 1;
        p = d.fraction_end = skip_digits(d.fraction, end);
        any |= p > d.fraction;
        while (d.fraction_end > d.fraction && d.fraction_end[-1] == '0')
            d.fraction_end--;
    }
    d.zero = d.whole == d.whole_end && d.fraction == d.fraction_end;
    d.negative = minus && !d.zero;
    if (!any)
        return d;
    d.end = p;
    if (human && p < end) {
        const char        suffix = image != NULL ? (char)image[(unsigned char)*p] : *p;
        const char *const unit = suffix == 'k'    ? units
                                 : suffix == '\0' ? NULL
                                                  : strchr(units, suffix);
        d.end += unit != NULL;
        d.unit = unit != NULL && !d.zero ? (int)(unit - units) + 1 : 0;
    }
    return d;
}

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* Whether strtold() may read past c. */
static bool in_number(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
           c == '+' || c == '-' || c == '(' || c == ')' || c == '_';
}

/* The end of the number; the first byte of the span if there is none. */
static const char *read_general(key_span span, char *room, long double *value)
{
    const char *p = span.begin;
    size_t      length = 0;
    char       *stop;

    while (p < span.end && is_space(*p))
        p++;
    while (p + length < span.end && in_number(p[length]))
        length++;
    memcpy(room, p, length);
    room[length] = '\0';
    *value = strtold(room, &stop);
    return stop > room ? p + (stop - room) : span.begin;
}

general_class general_read(key_span span, char *room, long double *value)
{
    const char *const end = read_general(span, room, value);
    return end == span.begin ? GENERAL_NONE : isnan(*value) ? GENERAL_NAN : GENERAL_NUMBER;
}

const char *general_end(key_span span)
{
    char *const       room = malloc((size_t)(span.end - span.begin) + 1);
    long double       value;
    const char *const end = room != NULL ? read_general(span, room, &value) : span.begin;
    free(room);
    return end;
}

int month_read(key_span span)
{
    static const char names[] = "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC";
    const char *const p = skip_blanks(span.begin, span.end);
    char              word[3];

    if (span.end - p < 3)
        return 0;
    for (int i = 0; i < 3; i++)
        word[i] = (char)(p[i] >= 'a' && p[i] <= 'z' ? p[i] - 'a' + 'A' : p[i]);
    for (int month = 1; month <= 12; month++)
        if (memcmp(names + 3 * (month - 1), word, 3) == 0)
            return month;
    return 0;
}

const char *month_end(key_span span)
{
    return month_read(span) > 0 ? skip_blanks(span.begin, span.end) + 3 : span.begin;
}

/* key_find.c - where the bytes of a key are in a line (see line_order.h).
 *
 * With a separator, field f is what lies between separators f - 1 and f. Without one, a field
 * starts with its blanks. A position beyond the line is the end of the line, and a key that ends
 * before it begins is empty. --debug shows an empty key where GNU sort does. */
#include "cli/lines/line_order.h"

#include "cli/lines/key_number.h"

#include <string.h>

/* The end of the field that begins at p. */
static const char *field_end(int separator, const char *p, const char *end)
{
    if (separator >= 0) {
        const char *const found = memchr(p, separator, (size_t)(end - p));
        return found != NULL ? found : end;
    }
    p = skip_blanks(p, end);
    while (p < end && !is_blank(*p))
        p++;
    return p;
}

/* The beginning of field `count`, from 0. */
static const char *field_begin(int separator, const char *p, const char *end, size_t count)
{
    for (; count > 0 && p < end; count--) {
        p = field_end(separator, p, end);
        if (separator >= 0 && p < end)
            p++;
    }
    return p;
}

static const char *forward(const char *p, const char *end, size_t count)
{
    return count < (size_t)(end - p) ? p + count : end;
}

/* The positions of a key, which may end before it begins. Moves the cursor to the field after
 * it. */
static key_span locate(const line_order *order, const line_key *key, const char *line,
                       size_t length, key_cursor *cursor)
{
    const int         separator = order->separator;
    const char *const line_end = line + length;
    const key_cursor  from =
        cursor->field <= key->first_field ? *cursor : (key_cursor){.field = 0, .at = line};
    const char *begin = field_begin(separator, from.at, line_end, key->first_field - from.field);
    const char *end = line_end;

    if (key->last_field > 0) {
        const size_t last = key->last_field - 1;
        end = last >= key->first_field
                  ? field_begin(separator, begin, line_end, last - key->first_field)
                  : field_begin(separator, line, line_end, last);
        if (key->last_byte == 0) {
            end = field_end(separator, end, line_end);
            *cursor = (key_cursor){last + 1, end + (separator >= 0 && end < line_end)};
        } else if (key->last_blanks) {
            end = skip_blanks(end, line_end);
        }
        end = forward(end, line_end, key->last_byte);
    }
    if (key->first_blanks)
        begin = skip_blanks(begin, line_end);
    begin = forward(begin, line_end, key->first_byte);
    const bool from_start = key->first_field == 0 && key->first_byte == 0;
    return (key_span){from_start && end < begin ? end : begin, end};
}

key_span key_find_next(const line_order *order, const line_key *key, const char *line,
                       size_t length, key_cursor *cursor)
{
    const key_span span = locate(order, key, line, length, cursor);
    return (key_span){span.begin, span.end < span.begin ? span.begin : span.end};
}

key_span key_find(const line_order *order, const line_key *key, const char *line, size_t length)
{
    key_cursor cursor = {.field = 0, .at = line};
    return key_find_next(order, key, line, length, &cursor);
}

key_span key_shown(const line_order *order, const line_key *key, const char *line, size_t length)
{
    key_cursor cursor = {.field = 0, .at = line};
    key_span   span = locate(order, key, line, length, &cursor);
    const bool empty = span.end < span.begin;

    if (key->kind != KEY_BYTES && key->kind != KEY_VERSION && key->kind != KEY_RANDOM) {
        span.begin = skip_blanks(span.begin, empty ? line + length : span.end);
        span.end = empty                    ? span.begin
                   : key->kind == KEY_MONTH ? month_end(span)
                   : key->kind == KEY_GENERAL
                       ? general_end(span)
                       : decimal_read(span, key->kind == KEY_HUMAN, NULL).end;
    }
    return (key_span){span.begin, empty ? span.begin : span.end};
}

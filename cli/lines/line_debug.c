/* line_debug.c - shows the keys of a line for --debug (see line_sort.h). A tab is shown as '>', and
 * other control characters take no column, so that the marks stand below their bytes. A shown line
 * ends with a newline, also with -z. */
#include "cli/lines/line_sort.h"

#include <string.h>

static bool put_repeated(output *out, char c, size_t n)
{
    bool ok = true;
    while (ok && n-- > 0)
        ok = output_bytes(out, &c, 1);
    return ok;
}

static size_t columns(const char *p, const char *end)
{
    size_t n = 0;
    for (; p < end; p++)
        n += *p == '\t' || ((unsigned char)*p >= ' ' && *p != 0x7f);
    return n;
}

static bool mark(output *out, const char *line, key_span span)
{
    static const char none[] = "^ no match for key";
    const size_t      width = columns(span.begin, span.end);

    return put_repeated(out, ' ', columns(line, span.begin)) &&
           (width > 0 ? put_repeated(out, '_', width) : output_bytes(out, none, sizeof none - 1)) &&
           output_bytes(out, "\n", 1);
}

bool line_show_keys(const line_order *order, const char *line, size_t length, output *out)
{
    bool ok = true;

    for (size_t j = 0; ok && j < length; j++)
        ok = output_bytes(out, line[j] == '\t' ? ">" : &line[j], 1);
    ok = ok && output_bytes(out, "\n", 1);
    for (size_t k = 0; ok && k < order->n; k++)
        ok = mark(out, line, key_shown(order, &order->keys[k], line, length));
    if (ok && (order->last_resort || order->n == 0))
        ok = mark(out, line, (key_span){line, line + length});
    return ok;
}

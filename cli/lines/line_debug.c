/* line_debug.c - shows the keys of a line for --debug (see line_sort.h). A tab is shown as '>', so
 * that the marks stand below their bytes. */
#include "cli/lines/line_sort.h"

#include <string.h>

static bool put_repeated(output *out, char c, size_t n)
{
    bool ok = true;
    while (ok && n-- > 0)
        ok = output_bytes(out, &c, 1);
    return ok;
}

static bool mark(output *out, const char *line, key_span span)
{
    static const char none[] = "^ no match for key";
    const size_t      length = (size_t)(span.end - span.begin);

    return put_repeated(out, ' ', (size_t)(span.begin - line)) &&
           (length > 0 ? put_repeated(out, '_', length)
                       : output_bytes(out, none, sizeof none - 1)) &&
           output_bytes(out, "\n", 1);
}

bool line_show_keys(const line_order *order, const char *line, size_t length, output *out)
{
    bool ok = true;

    for (size_t j = 0; ok && j < length; j++)
        ok = output_bytes(out, line[j] == '\t' ? ">" : &line[j], 1);
    ok = ok && output_bytes(out, &order->line_end, 1);
    for (size_t k = 0; ok && k < order->n; k++)
        ok = mark(out, line, key_shown(order, &order->keys[k], line, length));
    if (ok && (order->last_resort || order->n == 0))
        ok = mark(out, line, (key_span){line, line + length});
    return ok;
}

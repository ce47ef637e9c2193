/* line_memory.c - the memory of a sort of lines (see line_memory.h).
 *
 * In memory a sort of whole lines holds the text, for each line its first bytes and its place (16
 * bytes) and the scratch of a sort of pairs (36), and perhaps the mapped output. A sort by keys
 * holds the text, the offsets of the lines (8), their order (4), the scratch of the string sort
 * (32), the bytes of the keys, up to twice while they are copied together, and their offsets
 * (8). */
#include "cli/lines/external/line_memory.h"

enum {
    WHOLE_LINE = 16 + 36,        /* of memory for each line */
    KEYED_LINE = 8 + 4 + 32 + 8, /* the same with keys */
    KEYED_TEXT = 4,              /* times the text: itself, keys, and keys while they are copied */
    KEY_TEXT = 6                 /* the same of a key of any kind: -V takes most */
};

uint64_t line_memory_needed(const line_order *order, uint64_t bytes, uint64_t lines, bool most)
{
    const double text = (double)bytes, n = (double)lines;
    const double copies = most ? 1 + (double)order->n * KEY_TEXT : KEYED_TEXT;
    const double needed = order->n > 0 ? text * copies + n * KEYED_LINE : 2 * text + n * WHOLE_LINE;

    return needed < 1e18 ? (uint64_t)needed : UINT64_MAX;
}

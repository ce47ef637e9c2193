/* line_memory.c - the memory of a sort of lines (see line_memory.h).
 *
 * In memory a sort of whole lines holds the text, for each line its first bytes and its place (16
 * bytes) and the scratch of a sort of pairs (36), and perhaps the mapped output. A sort by keys
 * holds the text, the offsets of the lines (8), their order (4), the scratch of the string sort
 * (32), the bytes of the keys, up to twice while they are copied together, and their offsets
 * (8). */
#define _POSIX_C_SOURCE 200809L

#include "cli/lines/external/line_memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    WHOLE_LINE = 16 + 36,        /* of memory for each line */
    KEYED_LINE = 8 + 4 + 32 + 8, /* the same with keys */
    KEYED_TEXT = 4,              /* times the text: itself, keys, and keys while they are copied */
    KEY_TEXT = 6                 /* the same of a key of any kind: -V takes most */
};

/* The first number in a file, behind `name` if that is not NULL; UINT64_MAX if there is none. */
static uint64_t number_in(const char *path, const char *name)
{
    FILE *const file = fopen(path, "re");
    char        line[256];
    uint64_t    value = UINT64_MAX;

    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const size_t skip = name != NULL ? strlen(name) : 0;
        if (name != NULL && strncmp(line, name, skip) != 0)
            continue;
        char                    *end;
        const unsigned long long found = strtoull(line + skip, &end, 10);
        if (end != line + skip)
            value = found;
        break;
    }
    if (file != NULL)
        fclose(file);
    return value;
}

uint64_t line_memory_default(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t all = pages > 0 && page > 0 ? (uint64_t)pages / 2 * (uint64_t)page : (uint64_t)1 << 30;
    const uint64_t kilobytes = number_in("/proc/meminfo", "MemAvailable:");
    const uint64_t most = number_in("/sys/fs/cgroup/memory.max", NULL);
    const uint64_t used = number_in("/sys/fs/cgroup/memory.current", NULL);

    if (kilobytes != UINT64_MAX)
        all = kilobytes * 1024;
    if (most != UINT64_MAX && used != UINT64_MAX && most > used && most - used < all)
        all = most - used;
    return all / 4 * 3;
}

uint64_t line_memory_needed(const line_order *order, uint64_t bytes, uint64_t lines, bool most)
{
    const double text = (double)bytes, n = (double)lines;
    const double copies = most ? 1 + (double)order->n * KEY_TEXT : KEYED_TEXT;
    const double needed = order->n > 0 ? text * copies + n * KEYED_LINE : 2 * text + n * WHOLE_LINE;

    return needed < 1e18 ? (uint64_t)needed : UINT64_MAX;
}

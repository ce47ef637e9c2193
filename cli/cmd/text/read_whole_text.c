/* read_whole_text.c - the bytes of a whole file, for commands on text. */
#include "cli/cmd/command.h"

#include <stdlib.h>

char *read_whole_text(execution *e, size_t i, size_t *n)
{
    source s;
    char  *bytes = NULL;
    size_t slot = 0;

    if (source_open(&s, e->paths[i]))
        bytes = source_take(&s);
    *n = s.end;
    source_close(&s);
    while (slot + 1 < MOST_RESULTS && e->results[slot] != NULL)
        slot++;
    e->results[slot] = bytes;
    timing_mark(&e->t, "read");
    return bytes != NULL && hold_memory(e, *n) ? bytes : NULL;
}

/* csv_blocks.c - the rows of the input in blocks that can be read again: all rows in memory are one
 * block (see csv_command.h). */
#include "cli/cmd/csv/csv_command.h"

/* With -S the arrays of the command count for the limit, beside what csv_large_open() keeps. */
static void limit_arrays(csv_blocks *b)
{
    const uint64_t asked = b->e->o.common.memory_limit;

    b->own = asked > b->x.limit ? asked - b->x.limit : 0;
    b->e->held += b->own;
    b->e->limited = asked != 0;
}

bool csv_blocks_open(csv_blocks *b, execution *e)
{
    *b = (csv_blocks){.e = e, .large = csv_is_large(e), .beginning = &e->table};
    b->keys.bad = csv_bad_of(e);
    if (!b->large)
        return csv_read(e);
    b->beginning = &b->x.feed.stream.beginning;
    if (!csv_large_open(&b->x, e, false, true))
        return false;
    limit_arrays(b);
    return true;
}

bool csv_blocks_next(csv_blocks *b)
{
    if (b->large) {
        b->table = &b->x.feed.stream.table;
        const bool ok = csv_stream_next(&b->x.feed.stream, NULL, 0);
        b->failed |= b->x.feed.stream.failed;
        return ok;
    }
    const bool first = b->table == NULL;
    b->table = &b->e->table;
    return first;
}

bool csv_blocks_again(csv_blocks *b)
{
    b->table = NULL;
    b->bad = (csv_bad_rows){.n = 0};
    return !b->large || csv_stream_again(&b->x.feed.stream);
}

bool csv_blocks_rows(csv_blocks *b, csv_rows *rows)
{
    if (!csv_rows_read(b->table, &b->keys, rows)) {
        b->failed = true;
        return false;
    }
    csv_bad_count(&b->bad, rows, 0);
    return true;
}

void csv_blocks_leave(csv_blocks *b)
{
    const uint64_t arrays = b->e->held - b->own, limit = b->x.limit;

    if (b->e->limited)
        b->x.limit = limit > arrays + EXTERNAL_LEAST ? limit - arrays : EXTERNAL_LEAST;
}

void csv_blocks_close(csv_blocks *b)
{
    if (b->large)
        (void)csv_large_close(&b->x, false);
}

/* lines_steps.c - the table that counts lines: with a hash that gives every line the same number,
 * with too little memory for all lines, and merged from two tables. Counts of a line add up to how
 * often it occurs, and no entry is lost. */
#include "cli/lines/line_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINES = 20000,
    LINE_BYTES = 6,
    DISTINCT = 700 /* more than the slots that are looked at for a line */
};

static char   text[LINES * LINE_BYTES];
static size_t wrong;

static void expect(const char *what, size_t wanted, size_t found)
{
    if (wanted != found) {
        printf("%s: expected %zu, got %zu\n", what, wanted, found);
        wrong++;
    }
}

/* Adds the counts of the entries to sums, by the number that the line is. */
static void add_up(const line_table *t, size_t next, size_t *sums)
{
    for (const line_entry *e; (e = line_table_next(t, &next)) != NULL;) {
        char line[LINE_BYTES] = {0};
        memcpy(line, e->line, e->size);
        sums[atoi(line)] += e->times;
    }
}

static void expect_all(const char *what, const size_t *sums)
{
    for (size_t i = 0; i < DISTINCT; i++)
        expect(what, (size_t)LINES / DISTINCT + (i < LINES % DISTINCT), sums[i]);
}

/* All lines, in a table that is emptied whenever it is full. */
static void count_all(const char *what, uint64_t limit, uint64_t key, bool full, bool twice)
{
    line_table t = {.limit = limit, .key = {key, key}};
    size_t     sums[DISTINCT] = {0}, emptied = 0;

    for (size_t at = 0;;) {
        at += line_table_count(&t, text + at, sizeof text - at, '\n');
        add_up(&t, 0, sums);
        if (at == sizeof text)
            break;
        expect("a full table has entries", true, t.n > 0);
        line_table_clear(&t);
        emptied++;
    }
    expect_all(what, sums);
    expect(what, full, emptied > 0);
    expect(what, twice, t.twice);
    if (!twice && !full)
        expect(what, DISTINCT, t.n);
    line_table_free(&t);
}

/* Two halves, merged as far as the memory allows. */
static void merge(const char *what, uint64_t limit, bool whole)
{
    line_table   a = {.limit = 1 << 20, .key = {1, 2}}, b = a;
    const size_t half = sizeof text / 2;
    size_t       sums[DISTINCT] = {0}, next = 0;

    expect(what, half, line_table_count(&a, text, half, '\n'));
    expect(what, half, line_table_count(&b, text + half, half, '\n'));
    line_table to = {.limit = limit, .key = {1, 2}};
    size_t     first = 0;
    expect(what, whole, line_table_merge(&to, &a, &first) && line_table_merge(&to, &b, &next));
    add_up(&to, 0, sums);
    add_up(&a, first, sums);
    add_up(&b, next, sums);
    expect_all(what, sums);
    line_table_free(&a);
    line_table_free(&b);
    line_table_free(&to);
}

int main(void)
{
    for (size_t i = 0; i < LINES; i++) {
        char line[LINE_BYTES + 1];
        snprintf(line, sizeof line, "%0*zu\n", LINE_BYTES - 1, i % DISTINCT);
        memcpy(text + i * LINE_BYTES, line, LINE_BYTES);
    }
    count_all("enough memory", 1 << 20, 1, false, false);
    count_all("little memory", 20 << 10, 1, true, false);
    count_all("one hash", 8 << 20, 0, false, true); /* a key of 0 makes every hash 0 */
    count_all("one hash, little memory", 64 << 10, 0, true, true);
    merge("merged", 1 << 20, true);
    merge("merged in part", 20 << 10, false);
    return wrong != 0;
}

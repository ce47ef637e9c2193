/* unique_lines.c - `ordo unique --text`: the distinct lines and how often each occurs.
 *
 * Each thread counts the lines of its part of a piece of the input in a table of its own. At the
 * end, and when a table is full, the external sort of lines takes the entries as lines "COUNT LINE"
 * and brings those of the same line together. An order by count is a second sort of such lines; if
 * one table holds all lines, it is the only one. */
#define _POSIX_C_SOURCE 200809L

#include "cli/cmd/external/external.h"

#include "cli/base/workers.h"
#include "cli/lines/line_table.h"
#include "ordo_external_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    PIECE = 16 << 20,     /* bytes of the input that are counted at a time        */
    PIECE_SHARE = 64,     /* under a limit at most this share of it               */
    PART_LEAST = 1 << 18, /* bytes for a thread; estimate                         */
    TABLES_SHARE = 8,     /* of the limit, for the tables; merged they have twice */
    COUNT_BYTES = 8       /* of a key                                             */
};

typedef struct count_part {
    line_table  table;
    const char *text; /* of the piece: lines that are not counted yet */
    size_t      length;
    size_t      next; /* the entry that the sort gets next            */
    char        line_end;
} count_part;

typedef struct line_counter {
    execution *e;
    source     from;
    size_t     piece, wanted;           /* bytes of a piece, and of the next one     */
    bool       ended;                   /* the tables have all lines that are left   */
    bool       emptied;                 /* a table was full                          */
    bool       failed;                  /* after a message                           */
    size_t     most, parts;             /* parts of a piece, and those that were used */
    uint64_t   least_times, most_times; /* entries with other counts are not printed */
    size_t     giving;                  /* the part whose entries the sort gets; parts: none */
    count_part part[WORKERS_MOST];

    char        head[NUMBER_TEXT_MAX + 1]; /* of the line that the sort gets */
    const char *line;
    size_t      head_length, length, given;

    char    *last; /* the line that came from the sort */
    size_t   last_length, last_room;
    uint64_t times, distinct;
    FILE    *sums; /* for lines "COUNT LINE"; NULL: they go to the output */
} line_counter;

/* ---- Counting ---- */

static void count_lines_of(void *part)
{
    count_part *const p = part;
    const size_t      done = line_table_count(&p->table, p->text, p->length, p->line_end);

    p->text += done;
    p->length -= done;
}

/* Divides the next piece among the threads. False after a message. */
static bool next_piece(line_counter *c)
{
    source *const s = &c->from;
    const size_t  got = source_piece(s, c->wanted);
    size_t        begins[WORKERS_MOST + 1];

    if (got == SIZE_MAX)
        return false;
    const size_t n = workers_parts(got, PART_LEAST, (unsigned)c->most);
    lines_divide(s->block, got, s->line_end, n, begins);
    for (size_t i = 0; i < n; i++) {
        c->part[i].text = s->block + begins[i];
        c->part[i].length = begins[i + 1] - begins[i];
    }
    c->parts = n > c->parts ? n : c->parts;
    c->ended = got == 0 && s->ended;
    c->wanted = got > 0 ? c->piece : 2 * c->wanted; /* a line may be longer than a piece */
    source_skip(s, got, 0);
    return true;
}

typedef struct merge_step {
    line_counter *c;
    size_t        distance; /* of the parts that are merged */
} merge_step;

static void merge_parts(void *user, size_t i)
{
    const merge_step *const s = user;
    count_part *const       to = &s->c->part[2 * i * s->distance];
    count_part *const       from = to + s->distance;

    to->table.limit += from->table.limit;
    if (line_table_merge(&to->table, &from->table, &from->next))
        line_table_free(&from->table);
}

static void merge_tables(line_counter *c)
{
    for (size_t distance = 1; distance < c->parts; distance *= 2)
        workers_run((c->parts + distance - 1) / (2 * distance), merge_parts,
                    &(merge_step){c, distance});
}

static void give(line_counter *c, uint64_t times, const char *line, size_t length)
{
    c->head_length = number_format(ORDO_U64, &times, c->head);
    c->head[c->head_length++] = ' ';
    c->line = line;
    c->length = length;
    c->given = 0;
}

/* Gives a line that is too long for a table. */
static bool give_long(line_counter *c)
{
    for (count_part *p = c->part; p < c->part + c->parts; p++)
        if (p->length > 0 && p->table.n == 0) {
            const char *const end = memchr(p->text, p->line_end, p->length);
            give(c, 1, p->text, (size_t)(end - p->text));
            p->length -= c->length + 1;
            p->text = end + 1;
            return true;
        }
    return false;
}

static bool is_full(const line_counter *c)
{
    for (size_t i = 0; i < c->parts; i++)
        if (c->part[i].length > 0)
            return true;
    return false;
}

/* Counts until a table is full or the input ends; then the sort gets the entries. False after a
 * message. */
static bool count_more(line_counter *c)
{
    for (;;) {
        workers_each(c->part, c->parts, sizeof c->part[0], count_lines_of);
        if (is_full(c)) {
            c->emptied = true;
            c->giving = give_long(c) ? c->parts : 0;
            return true;
        }
        if (c->ended) {
            if (!c->emptied)
                merge_tables(c);
            c->giving = 0;
            return true;
        }
        if (!next_piece(c))
            return false;
    }
}

/* The next entry of the table that may be printed. */
static const line_entry *next_entry(const line_counter *c, count_part *p)
{
    const line_entry *entry;

    do
        entry = line_table_next(&p->table, &p->next);
    while (entry != NULL && (entry->times < c->least_times || entry->times > c->most_times));
    return entry;
}

/* Gives the next entry of the tables. */
static bool give_entry(line_counter *c)
{
    for (; c->giving < c->parts; c->giving++) {
        count_part *const       p = &c->part[c->giving];
        const line_entry *const entry = next_entry(c, p);
        if (entry != NULL) {
            give(c, entry->times, entry->line, entry->size);
            return true;
        }
        line_table_clear(&p->table);
        p->next = 0;
    }
    return false;
}

/* Whether the table of the first part has an entry for each distinct line. */
static bool is_whole(const line_counter *c)
{
    bool whole = c->ended && !c->emptied && !c->part[0].table.twice;

    for (size_t i = 1; i < c->parts; i++)
        whole &= c->part[i].table.n == 0;
    return whole;
}

/* ---- The sort ---- */

/* Copies what fits of bytes [from, from + length) of the line, which are `at` bytes behind its
 * beginning. */
static size_t copy_part(line_counter *c, size_t at, const char *from, size_t length, char *into,
                        size_t room)
{
    const size_t skipped = c->given - at;
    const size_t left = skipped < length ? length - skipped : 0;
    const size_t size = left < room ? left : room;

    if (size > 0)
        memcpy(into, from + skipped, size);
    c->given += size;
    return size;
}

/* As ordo_source.read. */
static ptrdiff_t read_counts(void *user, void *into, size_t bytes)
{
    line_counter *const c = user;
    char *const         to = into;
    size_t              n = 0;

    errno = EIO;
    while (n < bytes) {
        n += copy_part(c, 0, c->head, c->head_length, to + n, bytes - n);
        n += copy_part(c, c->head_length, c->line, c->length, to + n, bytes - n);
        n += copy_part(c, c->head_length + c->length, &c->from.line_end, 1, to + n, bytes - n);
        if (n == bytes || give_entry(c))
            continue;
        if (c->ended)
            break;
        c->failed = !count_more(c);
        if (c->failed)
            return -1;
    }
    return (ptrdiff_t)n;
}

/* The count of a line "COUNT LINE"; moves *line to its text. */
static uint64_t take_count(const char **line)
{
    const char *p = *line;
    uint64_t    times = 0;

    for (; *p != ' '; p++)
        times = times * 10 + (uint64_t)(*p - '0');
    *line = p + 1;
    return times;
}

/* As ordo_line_format.key: the line. */
static ptrdiff_t key_of_line(void *user, const char *line, size_t length, void *into, size_t room)
{
    const char *text = line;

    (void)user;
    (void)take_count(&text);
    length -= (size_t)(text - line);
    if (length > 0 && length <= room)
        memcpy(into, text, length);
    return (ptrdiff_t)length;
}

/* The same: the count, the highest one first, then the line. */
static ptrdiff_t key_of_count(void *user, const char *line, size_t length, void *into, size_t room)
{
    uint8_t *const to = into;
    const size_t   head = room < COUNT_BYTES ? room : COUNT_BYTES;
    const char    *text = line;
    const uint64_t order = ~take_count(&text);

    for (size_t i = 0; i < head; i++)
        to[i] = (uint8_t)(order >> 8 * (COUNT_BYTES - 1 - i));
    return COUNT_BYTES + key_of_line(user, line, length, to + head, room - head);
}

/* Writes the last line and its count. */
static bool write_last(line_counter *c)
{
    const options *const o = &c->e->o;
    const char           end = c->from.line_end;
    char                 head[NUMBER_TEXT_MAX + 1];
    size_t               length = number_format(ORDO_U64, &c->times, head);

    if (c->distinct == 0 || (c->sums == NULL && (o->only || c->distinct > o->k)))
        return true;
    head[length++] = ' ';
    if (c->sums != NULL)
        return (fwrite(head, 1, length, c->sums) == length &&
                fwrite(c->last, 1, c->last_length, c->sums) == c->last_length &&
                fputc((unsigned char)end, c->sums) != EOF) ||
               cli_fail("unique: cannot write a temporary file: %s", strerror(errno));
    return (!o->runs || output_bytes(&c->e->out, head, length)) &&
           output_bytes(&c->e->out, c->last, c->last_length) && output_bytes(&c->e->out, &end, 1);
}

/* As ordo_sink.write: adds up the counts of each line. */
static ptrdiff_t add_counts(void *user, const void *from, size_t bytes)
{
    line_counter *const c = user;
    const char         *at = from;

    for (const char *const stop = at + bytes; !c->failed && at < stop;) {
        const uint64_t    times = take_count(&at);
        const char *const end = memchr(at, c->from.line_end, (size_t)(stop - at));
        const size_t      length = (size_t)(end - at);
        if (c->distinct > 0 && length == c->last_length && memcmp(at, c->last, length) == 0) {
            c->times += times;
        } else {
            c->failed = !write_last(c) || (!cli_grow(&c->last, length + 1, &c->last_room, 1) &&
                                           !cli_fail("unique: not enough memory for a line"));
            if (c->failed)
                break;
            memcpy(c->last, at, length);
            c->last_length = length;
            c->times = times;
            c->distinct++;
        }
        at = end + 1;
    }
    errno = EIO;
    return c->failed ? -1 : (ptrdiff_t)bytes;
}

/* Sorts lines "COUNT LINE" by the line or the count, and adds up counts of the same line. */
static bool sort_counts(line_counter *c, bool by_count, const ordo_source *from, uint64_t own,
                        ordo_external_report *report)
{
    execution *const       e = c->e;
    ordo_external_opts     opts = pieces_opts(e, external_limit(e), own);
    const ordo_line_format format =
        ORDO_OPTS(ordo_line_format, .key = by_count ? key_of_count : key_of_line,
                  .end = (unsigned char)c->from.line_end, .user = c);

    opts.flags = c->sums == NULL ? descending_flag(e) : 0;
    progress_start("sorting");
    const ordo_status status = ordo_external_sort_lines(
        e->ctx, &format, from,
        &ORDO_OPTS(ordo_sink, .write = add_counts, .user = c, .name = e->out.name), &opts, report);
    return pieces_called(e, status, c->failed) && write_last(c);
}

/* ---- The command ---- */

/* Excludes the entries of a whole table that are not among the first --top by count. Without the
 * memory for that, the sort gets all entries. */
static void keep_top(line_counter *c)
{
    const line_table *const t = &c->part[0].table;
    const uint64_t          top = c->e->o.k;
    uint64_t *const   times = top > 0 && top < t->n ? cli_alloc_quiet(t->n, sizeof *times) : NULL;
    const line_entry *entry;
    uint64_t          bound;

    if (times == NULL)
        return;
    for (size_t next = 0, i = 0; (entry = line_table_next(t, &next)) != NULL; i++)
        times[i] = entry->times;
    const bool   reversed = descending_flag(c->e) != 0; /* the least frequent line is the first */
    const size_t place = reversed ? (size_t)top - 1 : t->n - (size_t)top;
    if (ordo_select(c->e->ctx, ORDO_U64, times, t->n, &place, 1, &bound, NULL) == ORDO_OK)
        *(reversed ? &c->most_times : &c->least_times) = bound;
    free(times);
}

/* Sorts by count what the first sort gave by line. */
static bool sort_sums(line_counter *c, uint64_t own, ordo_external_report *report)
{
    FILE *const       sums = c->sums;
    const ordo_source from = ORDO_OPTS(ordo_source, .fd = fileno(sums), .name = "a temporary file");

    if (fflush(sums) != 0 || lseek(fileno(sums), 0, SEEK_SET) != 0)
        return cli_fail("unique: cannot write a temporary file: %s", strerror(errno));
    for (size_t i = 0; i < c->parts; i++)
        line_table_free(&c->part[i].table);
    c->distinct = 0;
    c->sums = NULL;
    const bool ok = sort_counts(c, true, &from, own, report);
    c->sums = sums;
    return ok;
}

static bool open_sums(line_counter *c)
{
    const int fd = pieces_temporary(c->e);

    c->sums = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (fd >= 0 && c->sums == NULL)
        close(fd);
    return c->sums != NULL;
}

/* Finds the distinct lines, and writes them if they are wanted. */
static bool find_distinct(line_counter *c, ordo_external_report *report)
{
    const options *const o = &c->e->o;
    const ordo_source    from =
        ORDO_OPTS(ordo_source, .read = read_counts, .user = c, .name = "the input");
    const bool     by_count = o->line.word == SORT_BY_COUNT && !o->only;
    const bool     whole = is_whole(c);
    const uint64_t own = pieces_own(c->e, &c->from);
    const uint64_t held = 2 * (c->piece + c->most * c->part[0].table.limit);

    if (o->only && whole) {
        c->distinct = c->part[0].table.n;
        return true;
    }
    if (by_count && whole)
        keep_top(c);
    if (!by_count || whole)
        return sort_counts(c, by_count, &from, own + held, report);
    return open_sums(c) && sort_counts(c, false, &from, own + held, report) &&
           sort_sums(c, own, report);
}

static bool start(line_counter *c)
{
    execution *const e = c->e;
    const uint64_t   limit = external_limit(e);
    uint64_t         key[2];

    c->piece = c->wanted = source_piece_bytes(PIECE, PIECE_SHARE);
    c->most = workers_parts(c->piece, PART_LEAST, thread_count(e));
    c->given = 1; /* there is no line yet */
    c->most_times = UINT64_MAX;
    line_table_key(key);
    for (size_t i = 0; i < c->most; i++)
        c->part[i] = (count_part){
            .line_end = e->o.line.zero ? '\0' : '\n',
            .table = {.limit = limit / TABLES_SHARE / c->most, .key = {key[0], key[1]}}};
    return source_open_lines(&c->from, e->paths, e->path_count, c->part[0].line_end, NULL);
}

bool unique_lines(execution *e)
{
    line_counter *const  c = calloc(1, sizeof *c);
    ordo_external_report report = ORDO_OPTS(ordo_external_report, .n = 0);

    if (c == NULL)
        return cli_fail("unique: not enough memory");
    c->e = e;
    bool ok = start(c);
    progress_start("counting");
    ok = ok && count_more(c);
    progress_end();
    timing_mark(&e->t, "count");
    ok = ok && find_distinct(c, &report);
    if (ok && e->o.only)
        ok = put_measures(e, ORDO_U64, &c->distinct, 1);
    source_close(&c->from);
    for (size_t i = 0; i < c->most; i++)
        line_table_free(&c->part[i].table);
    if (c->sums != NULL)
        (void)fclose(c->sums);
    free(c->last);
    free(c);
    return ok && pieces_finish(e, true, &report);
}

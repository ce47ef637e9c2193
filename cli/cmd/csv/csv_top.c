/* csv_top.c - `ordo topk --csv`: the first k rows in order, of all rows or of each group; `ordo
 * select --csv`: the rows at given places of the order.
 *
 * topk of all rows takes one pass. The k best rows so far stand before each block of new rows.
 * Their keys are read together; only rows that come before the last of the k are sorted with them.
 * Memory holds a block and the k rows. If k rows may not fit, all rows are sorted with temporary
 * files. */
#include "cli/cmd/csv/csv_command.h"

#include <stdlib.h>

enum {
    KEPT_SHARE = 8,   /* of the limit that the k rows may take           */
    BLOCK_OF_KEPT = 4 /* times their bytes: the least bytes of a block */
};

typedef struct top {
    execution *e;
    csv_large  x;
    key_bytes  kept; /* rows in order */
    size_t     n;
} top;

/* The rows of a block that may be among the first k: index[0..*found). */
static void find_candidates(const top *t, const csv_rows *rows, uint64_t *index, size_t *found)
{
    const bool   skip = t->x.keys.bad == CSV_BAD_SKIP && rows->bad > 0;
    const bool   full = t->n >= t->e->o.k;
    const size_t last = t->n - 1; /* of the kept rows, if there are any */

    *found = 0;
    for (size_t i = 0; i < t->n; i++)
        index[(*found)++] = i;
    for (size_t i = t->n; i < rows->n; i++)
        if (!(skip && rows->is_bad[i]) &&
            (!full || (t->n > 0 && csv_rows_compare(rows, i, last) < 0)))
            index[(*found)++] = i;
}

/* Keeps the first k of the candidates. */
static bool keep_first(top *t, const csv_rows *rows, const uint64_t *index, size_t found)
{
    csv_rows        some;
    const size_t    k = t->e->o.k < found ? (size_t)t->e->o.k : found;
    uint64_t *const order = cli_alloc(found, sizeof *order, "the order of the rows");
    bool            ok = order != NULL && csv_rows_gather(rows, index, found, &some);

    if (ok) {
        call_begin("sorting");
        ok = call_end(csv_rows_sort(t->e->ctx, &some, ORDO_U64, order));
        csv_rows_free(&some);
    }
    t->kept.used = 0;
    for (size_t i = 0; ok && i < k; i++) {
        const uint64_t *const row = rows->offsets + index[order[i]];
        ok = csv_append_bytes(&t->kept, rows->table->bytes + row[0], (size_t)(row[1] - row[0])) ||
             cli_fail("topk: not enough memory for %zu rows", k);
    }
    t->n = k;
    free(order);
    return ok;
}

static bool take_block(top *t, const csv_table *table)
{
    csv_rows rows;
    size_t   found = 0;

    if (!csv_rows_read(table, &t->x.keys, &rows))
        return false;
    uint64_t *const index = cli_alloc(rows.n, sizeof *index, "the order of the rows");
    bool            ok = index != NULL;
    if (ok) {
        csv_bad_count(&t->x.feed.bad, &rows, t->n);
        find_candidates(t, &rows, index, &found);
        ok = found == t->n || keep_first(t, &rows, index, found);
    }
    free(index);
    csv_rows_free(&rows);
    return ok;
}

static bool take_all(top *t, size_t least)
{
    csv_stream *const stream = &t->x.feed.stream;
    bool              ok = true;

    stream->block_bytes = least;
    progress_start("reading rows");
    while (ok && csv_stream_next(stream, (const char *)t->kept.data, t->kept.used)) {
        ok = take_block(t, &stream->table);
        stream->block_bytes =
            t->kept.used > least / BLOCK_OF_KEPT ? t->kept.used * BLOCK_OF_KEPT : least;
    }
    progress_end();
    timing_mark(&t->e->t, "select");
    return ok && !stream->failed;
}

/* Whether the k rows may take more than their share of the limit. */
static bool may_exceed_share(const execution *e, uint64_t limit)
{
    const uint64_t all = source_bytes(e->paths, e->path_count), share = limit / KEPT_SHARE;
    char           sample[PIECES_SAMPLE];
    const size_t   got = pieces_sample(e->paths[0], sample);
    const uint64_t rows = csv_count_lines(sample, sample + got) + 1;

    return all > share && e->o.k > share / (got / rows + 1);
}

static bool top_of_all(execution *e)
{
    const uint64_t limit = pieces_limit(e->o.common.memory_limit);
    const size_t   least = csv_top_block(e, limit, e->o.line.keys.n);
    top            t = {.e = e};

    if (may_exceed_share(e, limit))
        return csv_in_order_large(e, &(csv_job){.first = true});
    bool ok = csv_large_open(&t.x, e, true, false) && take_all(&t, least);

    ok = ok && finish_output(e, csv_write_header(&t.x.feed.stream.beginning, &e->out) &&
                                    output_bytes(&e->out, t.kept.data, t.kept.used));
    key_bytes_free(&t.kept);
    return csv_large_close(&t.x, ok);
}

bool csv_topk(execution *e)
{
    return e->o.csv.by.n == 0 ? top_of_all(e) : csv_in_order(e, &(csv_job){.first = true});
}

/* ---- select ---- */

static bool too_large(uint64_t k, uint64_t n, const char *name)
{
    return cli_fail("select: -k %llu is too large; expected at most %llu, the number of rows in %s",
                    (unsigned long long)k, (unsigned long long)n, name);
}

typedef struct place_picker {
    execution       *e;
    uint64_t         seen;
    key_bytes       *rows;  /* of each place */
    const csv_table *table; /* with the header and the first rows */
} place_picker;

static bool begin_rows(void *user, const csv_table *table)
{
    place_picker *const p = user;

    p->table = table;
    return json_results_wanted(p->e) || csv_write_header(table, &p->e->out);
}

static bool keep_row(void *user, csv_item *item)
{
    place_picker *const   p = user;
    const uint64_t *const k = p->e->o.list;

    p->seen++;
    for (size_t i = 0; i < p->e->o.count; i++)
        if (k[i] == p->seen && !csv_append_bytes(&p->rows[i], item->text, item->length))
            return cli_fail("select: not enough memory for a row");
    return true;
}

/* The rows as objects; columns of numbers have numbers. */
static bool put_rows(const place_picker *p)
{
    const csv_table *const table = p->table;
    csv_json               json = {.n = 0};
    key_bytes              names = {.used = 0};
    size_t *const          numbers = cli_alloc(table->columns, sizeof *numbers, "the columns");
    size_t                 count = 0;
    bool                   ok = numbers != NULL && csv_number_columns(table, NULL, numbers, &count);

    for (size_t i = 0; ok && i < table->columns; i++)
        ok = (i == 0 || csv_append_bytes(&names, &table->dialect.separator, 1)) &&
             csv_append_name(table, i, &names);
    ok = ok && csv_append_bytes(&names, "\n", 1) && csv_json_begin(&json, p->e, table, &names);
    for (size_t i = 0; ok && i < count; i++)
        json.is_number[numbers[i]] = true;
    for (size_t i = 0; ok && i < p->e->o.count; i++)
        ok = csv_json_row(&json, (const char *)p->rows[i].data, p->rows[i].used);
    ok = ok && json_end(&json.results);
    csv_json_free(&json);
    key_bytes_free(&names);
    free(numbers);
    return ok;
}

static bool write_kept(void *user, const csv_table *table)
{
    const place_picker *const p = user;
    const uint64_t *const     k = p->e->o.list;
    bool                      ok = true;

    for (size_t i = 0; i < p->e->o.count; i++)
        if (k[i] > p->seen)
            return too_large(k[i], p->seen, table->files[0].name);
    if (json_results_wanted(p->e))
        return put_rows(p);
    for (size_t i = 0; ok && i < p->e->o.count; i++)
        ok = output_bytes(&p->e->out, p->rows[i].data, p->rows[i].used);
    return ok;
}

bool csv_select(execution *e)
{
    place_picker picker = {.e = e, .rows = cli_alloc(e->o.count, sizeof *picker.rows, "the rows")};

    if (picker.rows == NULL)
        return false;
    memset(picker.rows, 0, e->o.count * sizeof *picker.rows);
    const bool ok = csv_in_order(
        e,
        &(csv_job){.header = begin_rows, .visit = keep_row, .finish = write_kept, .user = &picker});
    for (size_t i = 0; i < e->o.count; i++)
        key_bytes_free(&picker.rows[i]);
    free(picker.rows);
    return ok;
}

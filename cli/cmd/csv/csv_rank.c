/* csv_rank.c - `ordo rank --csv`: adds a column with the rank of each row, in all rows or in the
 * groups of --by; `ordo argsort --csv`: the positions of the rows in the order of their keys,
 * counted without the header.
 *
 * Ranks of rows larger than memory: the rows are sorted by their keys; only keys and positions go
 * to temporary files. The sorted positions with their ranks are written to a file, which is read
 * from its end: there the last row of a tie comes first, so its place is known to the others. Pairs
 * of position and rank are sorted by position, and the input is read again to add a rank to each
 * row. */
#include "cli/cmd/csv/csv_command.h"

#include <errno.h>
#include <stdlib.h>

enum {
    BATCH = 4096,          /* places that are read at a time  */
    OUTPUT_BYTES = 1 << 20 /* rows that are written at a time */
};

typedef struct ranked {
    const csv_rows *rows;
    ordo_type       type;
    const char     *ranks;
    bool            skip; /* bad rows */
} ranked;

bool csv_append_column(const csv_dialect *dialect, const char *row, const char *end, csv_span value,
                       key_bytes *to)
{
    const char *text_end = end - 1;

    text_end -= text_end > row && text_end[-1] == '\r';
    return csv_append_bytes(to, row, (size_t)(text_end - row)) &&
           csv_append_bytes(to, &dialect->separator, 1) && csv_append_value(dialect, value, to) &&
           csv_append_bytes(to, text_end, (size_t)(end - text_end));
}

static bool append_ranked(const void *user, size_t i, key_bytes *to)
{
    const ranked *const r = user;
    char                text[NUMBER_TEXT_MAX];

    if (r->skip && r->rows->is_bad[i])
        return true;
    const size_t      length = number_format(r->type, r->ranks + i * ordo_type_size(r->type), text);
    const char *const bytes = r->rows->table->bytes;
    return csv_append_column(&r->rows->table->dialect, bytes + r->rows->offsets[i],
                             bytes + r->rows->offsets[i + 1], (csv_span){text, text + length}, to);
}

bool csv_write_wider_header(const csv_table *table, const char *name, output *out)
{
    key_bytes line = {.used = 0};

    if (!table->dialect.header)
        return csv_write_header(table, out);
    const bool ok = csv_append_column(&table->dialect, table->bytes, table->bytes + table->body,
                                      (csv_span){name, name + strlen(name)}, &line) &&
                    output_bytes(out, line.data, line.used);
    key_bytes_free(&line);
    return ok;
}

static bool write_rows(execution *e, const csv_rows *rows, ordo_type type, const void *ranks)
{
    const ranked r = {.rows = rows,
                      .type = type,
                      .ranks = ranks,
                      .skip = csv_bad_of(e) == CSV_BAD_SKIP && rows->bad > 0};
    const size_t row_bytes = rows->n > 0 ? e->table.size / rows->n : 0;

    csv_note_bad(e, rows);
    return finish_output(e, csv_write_wider_header(&e->table, csv_new_column(e, "rank"), &e->out) &&
                                csv_write_rows(&e->out, rows->n, row_bytes, append_ranked, &r));
}

/* Ranks inside groups: the ranks of all rows are the keys. */
static bool rank_groups(execution *e, const csv_rows *rows, ordo_type type, void *ranks)
{
    const uint32_t ties = (uint32_t)e->o.ties;
    csv_groups     groups;
    bool           ok = csv_find_groups(e, &groups);

    if (!ok)
        return false;
    uint64_t *const keys = new_results(e, ORDO_U64, rows->n, "the order of the rows");
    ok = keys != NULL;
    call_begin("ranking");
    ok = ok && call_done(e, "rank", csv_rows_rank(e->ctx, rows, ORDO_TIES_DENSE, ORDO_U64, keys));
    if (ok) {
        const ordo_groups g =
            ORDO_OPTS(ordo_groups, .keys = groups.numbers, .type = ORDO_U64, .capacity = rows->n);
        call_begin("ranking");
        ok = call_done(e, "rank",
                       ordo_group_rank(e->ctx, &g, ORDO_U64, keys, rows->n, type, ranks,
                                       &ORDO_OPTS(ordo_group_opts, .ties = ties)));
    }
    csv_rows_free(&groups.rows);
    return ok;
}

/* ---- Larger than memory ---- */

typedef struct place { /* of a row in its group, from 1 */
    uint64_t row;
    uint64_t first, own; /* of the first row that ties, and its own */
    uint64_t dense;      /* number of the tie                       */
} place;

typedef struct pair {
    uint64_t row, rank; /* rank: an f64 or an integer */
} pair;

typedef struct ranking {
    csv_large *x;
    csv_spill  places;
    place      batch[BATCH]; /* of places that are read */
    size_t     filled;       /* of batch */
    uint64_t   n;            /* places in the file, or those that are left to read */
    place      now;          /* the last one */
    uint64_t   last;         /* reading: the place of the last row of the tie */
    ordo_ties  ties;
    ordo_type  type;
    csv_reader reader; /* of rows, to add ranks */
    uint64_t   row;    /* rows read */
    key_bytes  out;
    bool       failed; /* after a message */
} ranking;

/* ---- Places, in order ---- */

static bool add_place(void *user, csv_item *p)
{
    ranking *const r = user;

    if (!p->same_group)
        r->now = (place){.own = 0};
    r->now.row = p->value;
    r->now.own++;
    if (!p->same) {
        r->now.first = r->now.own;
        r->now.dense++;
    }
    r->n++;
    return csv_spill_append(&r->places, &r->now, sizeof r->now);
}

/* ---- Pairs, from the end ---- */

static bool read_batch(ranking *r)
{
    const size_t count = r->n < BATCH ? (size_t)r->n : BATCH;

    r->n -= count;
    r->filled = count;
    return csv_spill_read(&r->places, r->n * sizeof(place), r->batch, count * sizeof(place));
}

/* The rank of a place as 8 bytes. Places come from the end. */
static uint64_t rank_of(ranking *r, const place *p)
{
    uint64_t bits, rank = 0;

    if (p->first != r->now.first || p->own >= r->now.own)
        r->last = p->own;
    r->now = *p;
    const uint64_t begin = p->first - 1, end = r->last, groups = p->dense, own = p->own - 1;
    switch (r->ties) {
#define ORDO_TIES_ROW(ID, name, formula, example)                                                  \
    case ORDO_TIES_##ID:                                                                           \
        rank = formula;                                                                            \
        break;
#include "lib/core/ties.def"
    }
    const bool   average = r->ties == ORDO_TIES_AVERAGE; /* then this is twice the rank */
    const double real = average ? (double)rank / 2 : (double)rank;
    memcpy(&bits, &real, sizeof bits);
    return average || r->type == ORDO_F64 ? bits : rank;
}

/* As ordo_source.read, of pairs. */
static ptrdiff_t read_pairs(void *user, void *into, size_t bytes)
{
    ranking *const r = user;
    pair *const    to = into;
    size_t         used = 0;

    for (; used < bytes / sizeof *to && (r->filled > 0 || r->n > 0); used++) {
        if (r->filled == 0 && !read_batch(r)) {
            r->failed = true;
            errno = EIO;
            return -1;
        }
        const place *const p = &r->batch[--r->filled];
        const pair         made = {p->row, rank_of(r, p)};
        memcpy(to + used, &made, sizeof made);
    }
    return (ptrdiff_t)(used * sizeof *to);
}

/* ---- Rows with ranks ---- */

/* Goes to the row of a pair; rows before it are left out. */
static bool find_row(ranking *r, uint64_t row)
{
    csv_stream *const stream = &r->x->feed.stream;

    while (r->row <= row) {
        if (r->reader.end != NULL && csv_next(&r->reader)) {
            r->row++;
            continue;
        }
        if (!csv_stream_next(stream, NULL, 0))
            return stream->failed
                       ? false
                       : cli_fail("%s: the file has fewer rows than before", stream->s.name);
        csv_start(&r->reader, &stream->dialect, stream->table.bytes,
                  stream->table.bytes + stream->table.size, NULL, 0, NULL);
    }
    return true;
}

static bool write_out(ranking *r)
{
    const bool ok = output_bytes(&r->x->e->out, r->out.data, r->out.used);
    r->out.used = 0;
    return ok;
}

static bool write_ranked(ranking *r, const pair *p)
{
    char text[NUMBER_TEXT_MAX];

    if (!find_row(r, p->row))
        return false;
    const size_t length = number_format(r->type, &p->rank, text);
    if (!csv_append_column(&r->x->feed.stream.dialect, r->reader.row, r->reader.next,
                           (csv_span){text, text + length}, &r->out))
        return cli_fail("rank: not enough memory for a row");
    return r->out.used < OUTPUT_BYTES || write_out(r);
}

/* As ordo_sink.write, of pairs. */
static ptrdiff_t take_pairs(void *user, const void *from, size_t bytes)
{
    ranking *const r = user;
    const size_t   n = bytes / sizeof(pair);

    for (size_t i = 0; i < n; i++) {
        pair p;
        memcpy(&p, (const pair *)from + i, sizeof p);
        if (!write_ranked(r, &p)) {
            r->failed = true;
            errno = EIO;
            return -1;
        }
    }
    return (ptrdiff_t)(n * sizeof(pair));
}

/* ---- The steps ---- */

/* Sorts the pairs by position and writes the rows. */
static bool write_pairs(ranking *r)
{
    execution *const         e = r->x->e;
    ordo_external_report     report = ORDO_OPTS(ordo_external_report, .n = 0);
    const ordo_external_opts opts = pieces_opts(e, r->x->limit, 0);

    r->now = (place){.own = 0};
    if (!csv_stream_again(&r->x->feed.stream) ||
        !csv_write_wider_header(&r->x->feed.stream.beginning, csv_new_column(e, "rank"), &e->out))
        return false;
    call_begin("writing ranks");
    const ordo_status status = ordo_external_sort(
        e->ctx, &ORDO_OPTS(ordo_elements, .type = ORDO_U64, .size = sizeof(pair)),
        &ORDO_OPTS(ordo_source, .read = read_pairs, .user = r, .bytes = sizeof(pair) * r->n,
                   .name = "a temporary file"),
        &ORDO_OPTS(ordo_sink, .write = take_pairs, .user = r, .name = e->out.name), &opts, &report);
    const bool written = status == ORDO_OK && write_out(r);
    return pieces_finish(e, pieces_called(e, status, r->failed) && written, &report);
}

static bool rank_large(execution *e)
{
    csv_large            x;
    ordo_external_report report;
    ranking *const       r = cli_alloc(1, sizeof *r, "the ranks");

    if (r == NULL)
        return false;
    *r = (ranking){.x = &x,
                   .places.fd = -1,
                   .ties = e->o.ties != 0 ? (ordo_ties)e->o.ties : ORDO_TIES_MIN,
                   .type = e->o.index_type == ORDO_F64 ? ORDO_F64 : ORDO_U64};
    bool ok = csv_large_open(&x, e, true, true) && csv_spill_open(&r->places, e, SPILL_BYTES) &&
              csv_positions_sort(&x, add_place, r, &report) && csv_spill_flush(&r->places);

    ok = ok && write_pairs(r);
    csv_spill_close(&r->places);
    key_bytes_free(&r->out);
    free(r);
    return csv_large_close(&x, ok);
}

bool csv_rank(execution *e)
{
    csv_rows  rows = {.n = 0};
    ordo_type type = ORDO_U64;
    void     *ranks = NULL;

    if (csv_is_large(e))
        return rank_large(e);
    bool ok = csv_read(e) && csv_read_keys(e, &rows);
    if (ok) {
        type = index_type(e->o.index_type, rows.n);
        ranks = new_results(e, type, rows.n, "the ranks");
        ok = ranks != NULL;
    }
    if (ok && e->o.csv.by.n > 0) {
        ok = rank_groups(e, &rows, type, ranks);
    } else if (ok) {
        const ordo_ties ties = e->o.ties != 0 ? (ordo_ties)e->o.ties : ORDO_TIES_MIN;
        call_begin("ranking");
        ok = call_done(e, "rank", csv_rows_rank(e->ctx, &rows, ties, type, ranks));
    }
    ok = ok && write_rows(e, &rows, type, ranks);
    csv_rows_free(&rows);
    return ok;
}

/* ---- argsort ---- */

static bool argsort_in_memory(execution *e)
{
    csv_order order;

    if (!csv_order_find(e, e->o.index_type, &order))
        return false;
    csv_note_bad(e, &order.rows);
    if (e->o.one_based)
        add_one(order.type, order.index, order.n);
    const bool ok = write_results(e, order.type, order.index, order.n);
    csv_rows_free(&order.rows);
    return ok;
}

static bool write_position(void *user, csv_item *position)
{
    execution *const e = user;
    const uint64_t   shown = position->value + e->o.one_based;
    char             text[NUMBER_TEXT_MAX];

    return output_line(&e->out, text, number_format(ORDO_U64, &shown, text));
}

static bool argsort_large(execution *e)
{
    csv_large            x;
    ordo_external_report report;

    return csv_large_close(&x, csv_large_open(&x, e, true, false) &&
                                   csv_positions_sort(&x, write_position, e, &report) &&
                                   pieces_finish(e, true, &report));
}

bool csv_argsort(execution *e) { return csv_is_large(e) ? argsort_large(e) : argsort_in_memory(e); }

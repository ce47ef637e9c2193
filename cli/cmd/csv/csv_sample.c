/* csv_sample.c - `ordo shuffle --csv` and `ordo sample --csv`: rows chosen at random, in random
 * order.
 *
 * The choice depends on the number of rows alone. Rows larger than memory: the rows are counted,
 * then read again; those that were chosen are sorted by their places in the output. */
#include "cli/cmd/csv/csv_command.h"

#include <stdlib.h>

enum {
    PLACE_BYTES = 8 /* of a key */
};

typedef struct sampling {
    csv_blocks in;
    uint64_t   n; /* rows that may be chosen */
    ordo_type  type;
    void      *places; /* the row of each place of the output */
    size_t     k;
    uint64_t  *order; /* the places in the order of their rows */
    size_t     at;    /* of order */
    uint64_t   row;   /* that comes next */
} sampling;

static bool choose(sampling *s)
{
    if (s->n == 0 && s->in.e->o.only && s->in.e->o.k > 0)
        return cli_fail("sample: there are no rows in %s", s->in.beginning->files[0].name);
    s->places = sample_places(s->in.e, (size_t)s->n, &s->type, &s->k);
    timing_mark(&s->in.e->t, s->in.e->command->name);
    return s->places != NULL;
}

/* Replaces the numbers of rows that are not bad by those of all rows. */
static bool count_bad_rows(sampling *s, const csv_rows *rows)
{
    size_t          good = 0;
    uint64_t *const numbers = cli_alloc((size_t)s->n, sizeof *numbers, "the rows");

    for (size_t i = 0; numbers != NULL && i < rows->n; i++)
        if (!rows->is_bad[i])
            numbers[good++] = i;
    for (size_t i = 0; numbers != NULL && i < s->k; i++)
        index_put(s->type, s->places, i, (size_t)numbers[index_at(s->type, s->places, i)]);
    free(numbers);
    return numbers != NULL;
}

static bool sample_in_memory(sampling *s)
{
    execution *const e = s->in.e;
    csv_rows         rows = {.n = 0};

    if (!csv_blocks_next(&s->in) || !csv_blocks_rows(&s->in, &rows))
        return false;
    s->n = rows.n - rows.bad;
    const bool          ok = choose(s) && (rows.bad == 0 || count_bad_rows(s, &rows));
    const csv_selection chosen = {.rows = &rows, .type = s->type, .index = s->places, .n = s->k};
    const bool          written =
        ok && csv_write_header(&e->table, &e->out) && csv_write_selection(&chosen, &e->out);
    csv_rows_free(&rows);
    return finish_output(e, written);
}

/* ---- Larger than memory ---- */

static bool count_rows(sampling *s)
{
    csv_rows rows;

    progress_start("counting rows");
    while (csv_blocks_next(&s->in) && csv_blocks_rows(&s->in, &rows)) {
        s->n += rows.n - rows.bad;
        csv_rows_free(&rows);
    }
    progress_end();
    return !s->in.failed;
}

static bool order_places(sampling *s)
{
    s->order = new_results(s->in.e, ORDO_U64, s->k, "the order of the rows");
    if (s->order == NULL)
        return false;
    call_begin("sorting");
    return call_done(
        s->in.e, "sort",
        ordo_argsort(s->in.e->ctx, s->type, s->places, s->k, ORDO_U64, s->order, NULL));
}

/* Appends a record for each place of the row. */
static bool append_places(sampling *s, const char *row, size_t length, key_bytes *ready)
{
    for (; s->at < s->k && index_at(s->type, s->places, (size_t)s->order[s->at]) == s->row;
         s->at++) {
        const uint64_t place = s->order[s->at];
        const size_t   begin = ready->used;
        uint8_t        key[PLACE_BYTES];
        for (size_t i = 0; i < PLACE_BYTES; i++)
            key[i] = (uint8_t)(place >> (56 - 8 * i));
        const bool   begun = csv_record_begin(ready) && csv_append_bytes(ready, key, sizeof key);
        const size_t end = ready->used;
        if (!begun || !csv_append_bytes(ready, row, length) ||
            !csv_record_end(ready, begin, end, end, place))
            return cli_fail("%s: not enough memory for a row", s->in.e->command->name);
    }
    s->row++;
    return true;
}

static bool more_rows(void *user, key_bytes *ready)
{
    sampling *const s = user;
    csv_rows        rows;
    bool            ok = true;

    if (s->at == s->k || !csv_blocks_next(&s->in))
        return false;
    if (!csv_blocks_rows(&s->in, &rows)) {
        s->in.x.feed.stream.failed = true;
        return false;
    }
    for (size_t i = 0; ok && i < rows.n; i++)
        if (rows.bad == 0 || !rows.is_bad[i])
            ok = append_places(s, rows.table->bytes + rows.offsets[i],
                               (size_t)(rows.offsets[i + 1] - rows.offsets[i]), ready);
    csv_rows_free(&rows);
    s->in.x.feed.stream.failed |= !ok;
    return ok;
}

static bool write_row(void *user, csv_item *item)
{
    return output_bytes(user, item->rest, item->rest_length);
}

static bool sample_large(sampling *s)
{
    execution *const     e = s->in.e;
    ordo_external_report report;

    if (!count_rows(s) || !choose(s) || !order_places(s) || !csv_blocks_again(&s->in) ||
        !csv_write_header(s->in.beginning, &e->out))
        return false;
    csv_blocks_leave(&s->in);
    const csv_record_job job = {
        .x = &s->in.x, .more = more_rows, .user = s, .visit = write_row, .visitor = &e->out};
    bool ok = csv_records_sort(&job, &report);
    if (ok && s->at < s->k)
        ok = cli_fail("%s: the file has fewer rows than before", s->in.beginning->files[0].name);
    return pieces_finish(e, ok, &report);
}

bool csv_sample(execution *e)
{
    sampling   s = {.n = 0};
    const bool ok =
        csv_blocks_open(&s.in, e) && (s.in.large ? sample_large(&s) : sample_in_memory(&s));

    if (ok)
        csv_print_bad(&s.in.bad, s.in.keys.bad);
    csv_blocks_close(&s.in);
    return ok;
}

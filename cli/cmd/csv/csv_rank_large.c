/* csv_rank_large.c - `ordo rank --csv` of rows larger than memory.
 *
 * The rows are sorted by their keys; only keys and positions go to temporary files. The sorted
 * positions with their ranks are written to a file, which is read from its end: there the last row
 * of a tie comes first, so its place is known to the others. Pairs of position and rank are sorted
 * by position, and the input is read again to add a rank to each row. */
#include "cli/cmd/csv/csv_records.h"

#include <errno.h>
#include <stdlib.h>

enum {
    BATCH = 4096,           /* places that are read at a time            */
    OUTPUT_BYTES = 1 << 20, /* rows that are written at a time           */
    PAIR = 16               /* bytes of a pair                           */
};

typedef struct place { /* of a row in its group, from 1 */
    uint64_t row;
    uint64_t first, own; /* of the first row that ties, and its own */
    uint64_t dense;      /* number of the tie                       */
} place;

typedef struct ranking {
    csv_large *x;
    csv_spill  places;
    place      batch[BATCH]; /* of places that are read */
    size_t     filled;       /* of batch */
    uint64_t   n;            /* places in the file, or those that are left to read */
    place      now;          /* the last one */
    uint64_t   last;         /* reading: the place of the last row of the tie */
    key_bytes  key;          /* of the last row */
    size_t     group;        /* bytes of its group */
    ordo_ties  ties;
    ordo_type  type;
    char       pair[PAIR]; /* that is read in part */
    size_t     pair_used;
    bool       failed;
} ranking;

typedef struct row_writer {
    csv_large *x;
    ordo_type  type;
    char       pair[PAIR]; /* that is taken in part */
    size_t     pair_used;
    csv_reader reader; /* of rows   */
    uint64_t   row;    /* rows read */
    key_bytes  out;
    bool       failed;
} row_writer;

/* ---- Places, in order ---- */

static bool add_place(void *user, const csv_record *p)
{
    ranking *const r = user;
    const bool     any = r->n > 0;
    const bool     same_group =
        any && r->group == p->group && memcmp(r->key.data, p->bytes, p->group) == 0;
    const bool same =
        same_group && r->key.used == p->key && memcmp(r->key.data, p->bytes, p->key) == 0;

    if (!same_group)
        r->now = (place){.own = 0};
    r->now.row = p->value;
    r->now.own++;
    if (!same) {
        r->now.first = r->now.own;
        r->now.dense++;
        r->group = p->group;
        r->key.used = 0;
        if (!csv_append_bytes(&r->key, p->bytes, p->key))
            return cli_fail("rank: not enough memory for the key of a row");
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

/* The rank of a place as 8 bytes: an f64 or an integer. Places come from the end. */
static uint64_t rank_of(ranking *r, const place *p)
{
    uint64_t rank, bits;

    if (p->first != r->now.first || p->own >= r->now.own)
        r->last = p->own;
    r->now = *p;
    if (r->ties == ORDO_TIES_AVERAGE) {
        const double mean = ((double)p->first + (double)r->last) / 2;
        memcpy(&bits, &mean, sizeof bits);
        return bits;
    }
    rank = r->ties == ORDO_TIES_MAX       ? r->last
           : r->ties == ORDO_TIES_DENSE   ? p->dense
           : r->ties == ORDO_TIES_ORDINAL ? p->own
                                          : p->first;
    const double real = (double)rank;
    memcpy(&bits, &real, sizeof bits);
    return r->type == ORDO_F64 ? bits : rank;
}

/* As ordo_source.read. */
static ptrdiff_t read_pairs(void *user, void *into, size_t bytes)
{
    ranking *const r = user;
    char *const    to = into;
    size_t         used = 0;

    while (used < bytes) {
        if (r->pair_used == 0) {
            if (r->filled == 0 && r->n == 0)
                break;
            if (r->filled == 0 && !read_batch(r)) {
                r->failed = true;
                errno = EIO;
                return -1;
            }
            const place *const p = &r->batch[--r->filled];
            const uint64_t     rank = rank_of(r, p);
            memcpy(r->pair, &p->row, sizeof p->row);
            memcpy(r->pair + sizeof p->row, &rank, sizeof rank);
        }
        const size_t left = PAIR - r->pair_used, n = left < bytes - used ? left : bytes - used;
        memcpy(to + used, r->pair + r->pair_used, n);
        used += n;
        r->pair_used = (r->pair_used + n) % PAIR;
    }
    return (ptrdiff_t)used;
}

/* ---- Rows with ranks ---- */

/* Goes to the row of a pair; rows before it are left out. */
static bool find_row(row_writer *w, uint64_t row)
{
    csv_stream *const stream = &w->x->feed.stream;

    while (w->row <= row) {
        if (w->reader.end != NULL && csv_next(&w->reader)) {
            w->row++;
            continue;
        }
        if (!csv_stream_next(stream, NULL, 0))
            return stream->failed
                       ? false
                       : cli_fail("%s: the file has fewer rows than before", stream->s.name);
        csv_start(&w->reader, &stream->dialect, stream->table.bytes,
                  stream->table.bytes + stream->table.size, NULL, 0, NULL);
    }
    return true;
}

static bool write_out(row_writer *w)
{
    const bool ok = output_bytes(&w->x->e->out, w->out.data, w->out.used);
    w->out.used = 0;
    return ok;
}

static bool write_ranked(row_writer *w)
{
    uint64_t row, rank;
    char     text[NUMBER_TEXT_MAX];

    memcpy(&row, w->pair, sizeof row);
    memcpy(&rank, w->pair + sizeof row, sizeof rank);
    if (!find_row(w, row))
        return false;
    const size_t length = number_format(w->type == ORDO_F64 ? ORDO_F64 : ORDO_U64, &rank, text);
    if (!csv_append_column(&w->x->feed.stream.dialect, w->reader.row, w->reader.next,
                           (csv_span){text, text + length}, &w->out))
        return cli_fail("rank: not enough memory for a row");
    return w->out.used < OUTPUT_BYTES || write_out(w);
}

/* As ordo_sink.write. */
static ptrdiff_t take_pairs(void *user, const void *from, size_t bytes)
{
    row_writer *const w = user;
    const char *const pairs = from;

    for (size_t used = 0; used < bytes;) {
        const size_t left = PAIR - w->pair_used, n = left < bytes - used ? left : bytes - used;
        memcpy(w->pair + w->pair_used, pairs + used, n);
        used += n;
        w->pair_used = (w->pair_used + n) % PAIR;
        if (w->pair_used == 0 && !write_ranked(w)) {
            w->failed = true;
            errno = EIO;
            return -1;
        }
    }
    return (ptrdiff_t)bytes;
}

/* ---- The steps ---- */

/* Sorts the pairs by position and writes the rows. */
static bool write_rows(ranking *r)
{
    execution *const         e = r->x->e;
    ordo_external_report     report = ORDO_OPTS(ordo_external_report, .n = 0);
    const ordo_external_opts opts = pieces_opts(e, r->x->limit, 0);
    row_writer               writer = {.x = r->x, .type = r->type};

    r->now = (place){.own = 0};
    if (!csv_stream_again(&r->x->feed.stream) ||
        !csv_write_wider_header(&r->x->feed.stream.beginning, csv_new_column(e, "rank"), &e->out))
        return false;
    call_begin("writing ranks");
    const ordo_status status = ordo_external_sort(
        e->ctx, &ORDO_OPTS(ordo_elements, .type = ORDO_U64, .size = PAIR),
        &ORDO_OPTS(ordo_source, .read = read_pairs, .user = r, .bytes = PAIR * r->n,
                   .name = "a temporary file"),
        &ORDO_OPTS(ordo_sink, .write = take_pairs, .user = &writer, .name = e->out.name), &opts,
        &report);
    const bool told = r->failed || writer.failed;
    const bool written = status != ORDO_OK || write_out(&writer);
    key_bytes_free(&writer.out);
    return pieces_end(e, written ? status : ORDO_E_IO, told || !written, &report);
}

bool csv_rank_large(execution *e)
{
    csv_large            x;
    ordo_external_report report = ORDO_OPTS(ordo_external_report, .n = 0);
    ranking *const       r = cli_alloc(1, sizeof *r, "the ranks");

    if (r == NULL)
        return false;
    *r = (ranking){.x = &x,
                   .places.fd = -1,
                   .ties = e->o.ties != 0 ? (ordo_ties)e->o.ties : ORDO_TIES_MIN,
                   .type = e->o.index_type == ORDO_F64 ? ORDO_F64 : ORDO_U64};
    bool ok = csv_large_open(&x, e, true, true) && csv_spill_open(&r->places, e, SPILL_BYTES) &&
              csv_positions_sort(&x, add_place, r, &report) && csv_spill_flush(&r->places);

    ok = ok && write_rows(r);
    if (ok)
        csv_large_note_bad(&x);
    csv_spill_close(&r->places);
    key_bytes_free(&r->key);
    free(r);
    csv_large_close(&x);
    return ok;
}

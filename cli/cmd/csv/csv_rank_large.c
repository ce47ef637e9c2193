/* csv_rank_large.c - `ordo rank --csv` of rows larger than memory.
 *
 * The rows are sorted by their keys; only keys and positions go to temporary files. The sorted
 * positions with their ranks are written to a file, which is read from its end: there the last row
 * of a tie comes first, so its place is known to the others. Pairs of position and rank are sorted
 * by position, and the input is read again to add a rank to each row. */
#define _POSIX_C_SOURCE 200809L

#include "cli/cmd/csv/csv_positions.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    BATCH = 4096,           /* places that are written or read at a time */
    OUTPUT_BYTES = 1 << 20, /* rows that are written at a time           */
    PAIR = 16               /* bytes of a pair                           */
};

typedef struct place {   /* of a row in its group, from 1 */
    uint64_t row;
    uint64_t first, own; /* of the first row that ties, and its own */
    uint64_t dense;      /* number of the tie                       */
} place;

typedef struct ranking {
    csv_large *x;
    int        fd;            /* the file of places */
    place     *batch;
    size_t     filled;        /* of batch */
    uint64_t   n;             /* places in the file, or those that are left to read */
    place      now;           /* the last one */
    uint64_t   last;          /* reading: the place of the last row of the tie */
    key_bytes  key;           /* of the last row */
    size_t     group;         /* bytes of its group */
    ordo_ties  ties;
    ordo_type  type;
    char       pair[PAIR];    /* that is read or written in part */
    size_t     pair_used;
    csv_reader reader;        /* of rows */
    uint64_t   row;           /* rows read */
    key_bytes  out;
    bool       failed;
} ranking;

static bool io_failed(ranking *r, const char *what)
{
    return cli_fail("%s: cannot %s a temporary file: %s", r->x->e->command->name, what,
                    strerror(errno));
}

/* ---- Places, in order ---- */

static bool write_batch(ranking *r)
{
    const char *from = (const char *)r->batch;
    size_t      left = r->filled * sizeof(place);

    while (left > 0) {
        const ssize_t done = write(r->fd, from, left);
        if (done < 0 && errno != EINTR)
            return io_failed(r, "write");
        from += done > 0 ? done : 0;
        left -= done > 0 ? (size_t)done : 0;
    }
    r->n += r->filled;
    r->filled = 0;
    return true;
}

static bool add_place(void *user, const csv_position *p)
{
    ranking *const r = user;
    const bool     any = r->n + r->filled > 0;
    const bool     same_group =
        any && r->group == p->group && memcmp(r->key.data, p->key, p->group) == 0;
    const bool same = same_group && r->key.used == p->length &&
                      memcmp(r->key.data, p->key, p->length) == 0;

    if (!same_group)
        r->now = (place){.own = 0};
    r->now.row = p->row;
    r->now.own++;
    if (!same) {
        r->now.first = r->now.own;
        r->now.dense++;
        r->group = p->group;
        r->key.used = 0;
        if (!csv_append_bytes(&r->key, p->key, p->length))
            return cli_fail("rank: not enough memory for the key of a row");
    }
    r->batch[r->filled++] = r->now;
    return r->filled < BATCH || write_batch(r);
}

/* ---- Pairs, from the end ---- */

static bool read_batch(ranking *r)
{
    const size_t count = r->n < BATCH ? (size_t)r->n : BATCH;
    char        *to = (char *)r->batch;
    size_t       left = count * sizeof(place);

    r->n -= count;
    for (off_t at = (off_t)(r->n * sizeof(place)); left > 0;) {
        const ssize_t done = pread(r->fd, to, left, at);
        if (done == 0)
            errno = EIO;
        if (done <= 0 && errno != EINTR)
            return io_failed(r, "read");
        to += done > 0 ? done : 0;
        at += done > 0 ? done : 0;
        left -= done > 0 ? (size_t)done : 0;
    }
    r->filled = count;
    return true;
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

static bool write_ranked(ranking *r)
{
    uint64_t row, rank;
    char     text[NUMBER_TEXT_MAX];

    memcpy(&row, r->pair, sizeof row);
    memcpy(&rank, r->pair + sizeof row, sizeof rank);
    if (!find_row(r, row))
        return false;
    const size_t length =
        number_format(r->type == ORDO_F64 ? ORDO_F64 : ORDO_U64, &rank, text);
    if (!csv_append_column(&r->x->feed.stream.dialect, r->reader.row, r->reader.next,
                           (csv_span){text, text + length}, &r->out))
        return cli_fail("rank: not enough memory for a row");
    return r->out.used < OUTPUT_BYTES || write_out(r);
}

/* As ordo_sink.write. */
static ptrdiff_t take_pairs(void *user, const void *from, size_t bytes)
{
    ranking *const    r = user;
    const char *const pairs = from;

    for (size_t used = 0; used < bytes;) {
        const size_t left = PAIR - r->pair_used, n = left < bytes - used ? left : bytes - used;
        memcpy(r->pair + r->pair_used, pairs + used, n);
        used += n;
        r->pair_used = (r->pair_used + n) % PAIR;
        if (r->pair_used == 0 && !write_ranked(r)) {
            r->failed = true;
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
    const ordo_external_opts opts = pieces_opts(e, r->x->limit);
    ranking                  writer = {.x = r->x, .type = r->type};

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
    ranking              r = {.x = &x,
                              .fd = -1,
                              .ties = e->o.ties != 0 ? (ordo_ties)e->o.ties : ORDO_TIES_MIN,
                              .type = e->o.index_type == ORDO_F64 ? ORDO_F64 : ORDO_U64,
                              .batch = cli_alloc(BATCH, sizeof *r.batch, "the ranks")};
    bool ok = csv_large_open(&x, e, true, true) && r.batch != NULL &&
              (r.fd = pieces_temporary(e)) >= 0 && csv_positions_sort(&x, add_place, &r, &report) &&
              write_batch(&r);

    ok = ok && write_rows(&r);
    if (ok)
        csv_large_note_bad(&x);
    if (r.fd >= 0)
        close(r.fd);
    free(r.batch);
    key_bytes_free(&r.key);
    csv_large_close(&x);
    return ok;
}

/* string_pieces.c - the exchange of strings (see string_pieces.h). */
#define _POSIX_C_SOURCE 200809L
#include "dist/strings/string_pieces.h"

#include "dist/strings/string_keys.h"

#include <string.h>

typedef struct moving {
    string_part   *part;
    string_pieces *out;
    bool           ordered;
    uint32_t      *sent_lengths, *got_lengths; /* of the strings */
} moving;

/* Memory for what is known about each string, when the pieces have a size. */
static ordo_status take_lengths(moving *m)
{
    dist_call *const   c = &m->part->c;
    string_list *const got = &m->out->received;
    got->n = m->out->p.received;
    TRY_SCRATCH(c->exec, (c->n + 1) * sizeof *m->sent_lengths, m->sent_lengths);
    TRY_SCRATCH(c->exec, (got->n + 1) * sizeof *m->got_lengths, m->got_lengths);
    TRY_SCRATCH(c->exec, (got->n + 1) * sizeof *got->offsets, got->offsets);
    return ORDO_OK;
}

static ordo_status take_memory(moving *m, const uint64_t *wanted)
{
    string_pieces *const out = m->out;
    TRY(pieces_open(&m->part->c, NULL, wanted, &out->p));
    TRY(take_lengths(m));
    return string_part_sort(m->part, m->ordered ? NULL : &out->sent);
}

static ordo_status copy_sent(moving *m)
{
    string_list *const sent = &m->out->sent;
    if (m->ordered)
        TRY(string_part_copy(m->part, m->part->c.n, sent));
    for (size_t i = 0; i < sent->n; i++)
        m->sent_lengths[i] = (uint32_t)(sent->offsets[i + 1] - sent->offsets[i]);
    return ORDO_OK;
}

/* The offsets and the memory of the strings that arrive. */
static ordo_status take_received(moving *m)
{
    dist_call *const   c = &m->part->c;
    string_list *const got = &m->out->received;
    uint64_t           at = 0;
    for (size_t i = 0; i < got->n; i++) {
        got->offsets[i] = at;
        at += m->got_lengths[i];
    }
    got->offsets[got->n] = at;
    TRY_SCRATCH(c->exec, (size_t)at + 1, got->bytes);
    return ORDO_OK;
}

/* Sends the lengths and then the bytes of the strings. */
static ordo_status move_strings(moving *m)
{
    string_pieces *const s = m->out;
    pieces *const        p = &s->p;
    dist_call *const     c = p->call;
    TRY(pieces_exchange(p, m->sent_lengths, sizeof *m->sent_lengths, m->got_lengths));
    TRY(dist_agree(c, take_received(m)));
    double const started = dist_clock();
    for (int32_t r = 0; r < c->comm.size; r++) {
        p->bytes[0][r] = s->sent.offsets[p->send_at[r]];
        p->bytes[1][r] = s->sent.offsets[p->send_at[r] + p->send_n[r]] - p->bytes[0][r];
        p->bytes[2][r] = s->received.offsets[p->receive_at[r]];
        p->bytes[3][r] = s->received.offsets[p->receive_at[r] + p->receive_n[r]] - p->bytes[2][r];
    }
    TRY(dist_exchange(c, s->sent.bytes, p->bytes[0], p->bytes[1], s->received.bytes, p->bytes[2],
                      p->bytes[3]));
    c->report.exchange_seconds += dist_clock() - started;
    return ORDO_OK;
}

ordo_status string_pieces_move(string_part *part, const uint64_t *wanted, bool ordered,
                               string_pieces *out)
{
    dist_call *const c = &part->c;
    moving           m = {.part = part, .out = out, .ordered = ordered};
    TRY(dist_agree(c, take_memory(&m, wanted)));
    TRY(string_cuts_find(part, out->p.borders, out->p.border_count));
    TRY(dist_agree(c, copy_sent(&m)));
    TRY(pieces_at(&out->p));
    return move_strings(&m);
}

/* ---- Strings that are not sorted ---- */

enum {
    TOGETHER = 8 /* 1 / TOGETHER of the mean part of a process may have one key */
};

/* Finds the pieces of keys. *fits is false if a cut goes through strings of one key. */
static ordo_status divide(string_part *part, string_pieces *out, bool *fits)
{
    dist_call *const c = &part->c;
    double const     started = dist_clock();
    string_keys      keys;
    TRY(dist_agree(c, string_keys_open(part, &keys)));
    TRY(string_keys_find(&keys));
    c->report.cut_seconds += dist_clock() - started;
    c->type = ORDO_U64;
    c->keys = keys.keys;
    TRY(pieces_near(c, false, c->total / (uint64_t)c->comm.size / TOGETHER, &out->p));
    *fits = true;
    for (int32_t r = 0; r + 1 < c->comm.size; r++)
        *fits = *fits && out->p.cuts[r].left == 0;
    return ORDO_OK;
}

/* Copies the strings to their pieces. */
static ordo_status scatter_sent(moving *m)
{
    dist_call *const      c = &m->part->c;
    string_pieces *const  out = m->out;
    string_list *const    sent = &out->sent;
    const uint64_t *const offsets = m->part->strings.offsets;
    double const          started = dist_clock();
    uint64_t             *starts;
    uint32_t             *lengths;
    sent->n = c->n;
    TRY(take_lengths(m));
    TRY_SCRATCH(c->exec, (c->n + 1) * sizeof *sent->offsets, sent->offsets);
    TRY_SCRATCH(c->exec, (size_t)(offsets[c->n] - offsets[0]) + 1, sent->bytes);
    TRY_SCRATCH(c->exec, (c->n + 1) * sizeof *starts, starts);
    TRY_SCRATCH(c->exec, (c->n + 1) * sizeof *lengths, lengths);
    for (size_t i = 0; i < c->n; i++)
        lengths[i] = (uint32_t)(offsets[i + 1] - offsets[i]);
    TRY(pieces_scatter(&out->p, lengths, sizeof *lengths, m->sent_lengths));
    TRY(pieces_scatter(&out->p, offsets, sizeof *offsets, starts));
    sent->offsets[0] = 0;
    for (size_t i = 0; i < c->n; i++)
        sent->offsets[i + 1] = sent->offsets[i] + m->sent_lengths[i];
    TRY(string_copy(c, m->part->strings.bytes, starts, sent));
    c->report.scatter_seconds += dist_clock() - started;
    return ORDO_OK;
}

ordo_status string_pieces_divide(string_part *part, string_pieces *out, bool *moved)
{
    dist_call *const c = &part->c;
    moving           m = {.part = part, .out = out};
    TRY(divide(part, out, moved));
    if (!*moved)
        return ORDO_OK;
    TRY(dist_agree(c, scatter_sent(&m)));
    return move_strings(&m);
}

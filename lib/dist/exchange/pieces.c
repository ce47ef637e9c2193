/* pieces.c - the pieces of a process's keys for the other processes (see pieces.h). Each key is
 * read once for its label and once to be scattered. */
#define _POSIX_C_SOURCE 200809L
#include "dist/exchange/pieces.h"

#include "backend/copy.h"
#include "backend/tuning.h"
#include "dist/device/device.h"

#include <string.h>

enum {
    SMALL_PIECE = 4096 /* mean elements of a piece from which on counts take 8 bytes */
};

static size_t chunks_of(const pieces *p) { return ordo_div_up(p->call->n, p->keys.chunk); }

/* Turns the counts of classes in chunks into places in the scattered array. */
static void place_classes(pieces *p)
{
    uint64_t at = 0;
    for (size_t class = 0; class < p->keys.class_count; class ++)
        for (size_t i = 0; i < chunks_of(p); i++) {
            uint64_t *const here = &p->keys.counts[i * p->keys.class_count + class];
            uint64_t const  count = *here;
            *here = at;
            at += count;
        }
}

/* ---- Pieces ---- */

ordo_status pieces_wanted(dist_call *c, uint64_t mine, const char *name, const char *elements,
                          uint64_t **wanted)
{
    ordo_exec *const exec = c->exec;
    void            *memory;
    uint64_t         sum = 0;
    TRY(dist_agree(c, ordo_scratch(exec, (size_t)c->comm.size * sizeof mine, &memory)));
    *wanted = memory;
    TRY(dist_allgather(c, &mine, sizeof mine, *wanted));
    for (int32_t r = 0; r < c->comm.size; r++)
        FAIL_IF(__builtin_add_overflow(sum, (*wanted)[r], &sum), ORDO_E_ARG,
                "%s of ranks 0 to %d is more than 2^64 in all", name, (int)r);
    FAIL_IF(sum != c->total, ORDO_E_ARG,
            "%s of all ranks is %llu in all; expected %llu, the number of %s", name,
            (unsigned long long)sum, (unsigned long long)c->total, elements);
    return ORDO_OK;
}

ordo_status pieces_open(dist_call *c, const uint64_t *begins, const uint64_t *wanted, pieces *p)
{
    size_t const size = (size_t)c->comm.size;
    uint64_t    *all;
    *p = (pieces){.call = c, .received = (size_t)wanted[c->comm.rank]};
    TRY_SCRATCH(p->call->exec, 8 * size * sizeof *all, all);
    p->send_at = all;
    p->send_n = all + size;
    p->receive_at = all + 2 * size;
    p->receive_n = all + 3 * size;
    for (size_t i = 0; i < 4; i++)
        p->bytes[i] = all + (4 + i) * size;
    TRY_SCRATCH(c->exec, 2 * size * sizeof *p->borders, p->borders);
    TRY_SCRATCH(c->exec, 2 * size * sizeof *p->ends, p->ends);
    uint64_t last = 0; /* border */
    for (size_t i = 0; i < 2 * size; i++) {
        uint64_t const position = i % 2 == 1       ? p->ends[i - 1] + wanted[i / 2]
                                  : begins != NULL ? begins[i / 2]
                                  : i > 0          ? p->ends[i - 1]
                                                   : 0;
        p->ends[i] = position;
        if (position > last && position < c->total)
            p->borders[p->border_count++] = (cut){.position = last = position};
    }
    p->begin = p->ends[2 * c->comm.rank];
    return ORDO_OK;
}

/* The bytes of a count, the same on every process. Counts of small pieces are a large part of what
 * is sent, so they are narrow if all of them allow it. */
static ordo_status count_width(const pieces *p, size_t *width)
{
    dist_call *const c = p->call;
    uint64_t const   size = (uint64_t)c->comm.size;
    uint64_t         wide[2] = {0}; /* counts that need more than one byte, than two bytes */
    *width = sizeof(uint64_t);
    if (c->total / size / size >= SMALL_PIECE)
        return ORDO_OK;
    for (size_t r = 0; r < size; r++) {
        wide[0] += p->send_n[r] > UINT8_MAX;
        wide[1] += p->send_n[r] > UINT16_MAX;
    }
    TRY(dist_sum(c, wide, 2));
    *width = wide[0] == 0 ? 1 : wide[1] == 0 ? 2 : sizeof(uint64_t);
    return ORDO_OK;
}

/* Both on machines whose lowest byte is the first one. */
static void narrow(uint64_t *numbers, size_t count, size_t width)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t const wide = numbers[i]; /* its own bytes may be the first to change */
        memcpy((char *)numbers + i * width, &wide, width);
    }
}

static void widen(uint64_t *numbers, size_t count, size_t width)
{
    for (size_t i = count; i-- > 0;) {
        uint64_t wide = 0;
        memcpy(&wide, (const char *)numbers + i * width, width);
        numbers[i] = wide;
    }
}

ordo_status pieces_swap(pieces *p)
{
    size_t const    size = (size_t)p->call->comm.size;
    uint64_t *const at = p->bytes[0], *const each = p->bytes[1], *const sent = p->bytes[2];
    size_t width;
    TRY(count_width(p, &width));
    for (size_t r = 0; r < size; r++) {
        at[r] = r * width;
        each[r] = width;
    }
    memcpy(sent, p->send_n, size * sizeof *sent);
    narrow(sent, size, width);
    TRY(dist_exchange(p->call, sent, at, each, p->receive_n, at, each));
    widen(p->receive_n, size, width);
    uint64_t sum = 0;
    for (size_t r = 0; r < size; r++) {
        p->receive_at[r] = sum;
        sum += p->receive_n[r];
    }
    return ORDO_OK;
}

ordo_status pieces_at(pieces *p)
{
    dist_call *const c = p->call;
    uint64_t         places[2];
    size_t           j = 0;
    for (size_t i = 0; i < 2 * (size_t)c->comm.size; i++) {
        uint64_t const position = p->ends[i];
        while (j < p->border_count && p->borders[j].position < position)
            j++;
        places[i % 2] = position == 0 ? 0 : position >= c->total ? c->n : cut_place(&p->borders[j]);
        p->send_at[i / 2] = places[0];
        p->send_n[i / 2] = places[i % 2] - places[0];
    }
    return pieces_swap(p);
}

ordo_status pieces_of_sorted(dist_call *c, bool folded, const void *sorted, const uint64_t *begins,
                             const uint64_t *wanted, pieces *out)
{
    cut_keys const keys = {{c->type, c->descending, folded}, sorted, c->n, dist_on_device(c)};
    TRY(dist_agree(c, pieces_open(c, begins, wanted, out)));
    TRY(cuts_of_keys(c, &keys, c->total, out->borders, out->border_count));
    return pieces_at(out);
}

border_ties pieces_ties(const pieces *p, bool end)
{
    size_t const   border = (size_t)p->call->comm.rank + end;
    uint64_t const position = p->begin + (end ? p->received : 0);
    if (p->cuts != NULL && border > 0 && border < (size_t)p->call->comm.size) {
        const division_cut *const at = &p->cuts[border - 1];
        return (border_ties){at->position - at->left, at->left > 0 ? at->tied : 0};
    }
    for (size_t j = 0; j < p->border_count && p->cuts == NULL; j++)
        if (p->borders[j].position == position)
            return (border_ties){p->borders[j].less, p->borders[j].tied};
    return (border_ties){position, 0};
}

/* The pieces between the cuts, one for each border between two processes. */
static void set_pieces(pieces *p)
{
    dist_call *const c = p->call;
    size_t const     size = (size_t)c->comm.size;
    uint64_t         begin = 0;
    for (size_t r = 0; r < size; r++) {
        uint64_t const end = r + 1 < size ? p->cuts[r].place : c->n;
        p->send_at[r] = begin;
        p->send_n[r] = end - begin;
        begin = end;
    }
    uint64_t const from = c->comm.rank == 0 ? 0 : p->cuts[c->comm.rank - 1].position;
    uint64_t const to = c->comm.rank + 1 < c->comm.size ? p->cuts[c->comm.rank].position : c->total;
    p->begin = from;
    p->received = (size_t)(to - from);
}

static ordo_status take_near(dist_call *c, pieces *p)
{
    TRY(pieces_open(c, NULL, c->counts, p));
    TRY_SCRATCH(c->exec, (size_t)c->comm.size * sizeof *p->cuts, p->cuts);
    return ORDO_OK;
}

ordo_status pieces_near(dist_call *c, bool folded, uint64_t together, pieces *out)
{
    uint64_t position = 0;
    TRY(dist_agree(c, take_near(c, out)));
    for (size_t r = 0; r + 1 < (size_t)c->comm.size; r++) {
        position += c->counts[r];
        out->cuts[r] = (division_cut){.position = position};
    }
    TRY(division_find(c, folded, together, out->cuts, (size_t)c->comm.size - 1, &out->keys));
    place_classes(out);
    set_pieces(out);
    return pieces_swap(out);
}

/* ---- Scatter and gather ---- */

typedef struct movement {
    const pieces *p;
    const char   *from;
    char         *to;
    size_t        size;
} movement;

typedef struct move_job {
    movement  m;
    bool      gathers;
    uint64_t *places; /* a copy of the places of all chunks */
    size_t    stride; /* between chunks: threads count in different cache lines */
} move_job;

/* Inlined with a constant size, so that an element is one load and one store. */
static inline __attribute__((always_inline)) void move_elements(const movement *m, uint64_t *places,
                                                                size_t from, size_t to, size_t size,
                                                                bool gathers)
{
    const uint16_t *const labels = m->p->keys.labels, *const class_of = m->p->keys.class_of;
    for (size_t i = from; i < to; i++) {
        size_t const there = (size_t)places[class_of[labels[i]]]++;
        memcpy(m->to + (gathers ? i : there) * size, m->from + (gathers ? there : i) * size, size);
    }
}

static void move(const move_job *job, uint64_t *places, size_t from, size_t to)
{
    const movement *const m = &job->m;
    if (job->gathers && m->size == 4)
        move_elements(m, places, from, to, 4, true);
    else if (job->gathers)
        move_elements(m, places, from, to, 8, true);
    else if (m->size == 1)
        move_elements(m, places, from, to, 1, false);
    else if (m->size == 2)
        move_elements(m, places, from, to, 2, false);
    else if (m->size == 4)
        move_elements(m, places, from, to, 4, false);
    else
        move_elements(m, places, from, to, 8, false);
}

static void move_chunk(void *arg, size_t lo, size_t hi)
{
    const move_job *const job = arg;
    const pieces *const   p = job->m.p;
    move(job, job->places + lo * job->stride, lo * p->keys.chunk,
         ordo_min(hi * p->keys.chunk, p->call->n));
}

static ordo_status move_all(const pieces *p, const void *from, size_t size, void *to, bool gathers)
{
    ordo_exec *const exec = p->call->exec;
    size_t const     classes = p->keys.class_count;
    double const     started = dist_clock();
    move_job         job = {.m = {p, from, to, size}, .gathers = gathers};
    job.stride =
        ordo_round_up(classes * sizeof *job.places, 2 * ORDO_CACHE_LINE) / sizeof *job.places;
    TRY_SCRATCH(exec, (chunks_of(p) + 1) * job.stride * sizeof *job.places, job.places);
    for (size_t i = 0; i < chunks_of(p); i++)
        memcpy(job.places + i * job.stride, p->keys.counts + i * classes,
               classes * sizeof *job.places);
    TRY(dist_loop(p->call, chunks_of(p), 1, move_chunk, &job));
    p->call->report.scatter_seconds += dist_clock() - started;
    return ORDO_OK;
}

ordo_status pieces_scatter(const pieces *p, const void *from, size_t size, void *to)
{
    return move_all(p, from, size, to, false);
}

ordo_status pieces_gather(const pieces *p, const void *from, size_t size, void *to)
{
    return move_all(p, from, size, to, true);
}

/* ---- Exchange ---- */

enum {
    COPY_GRAIN = ORDO_TUNE(1 << 20, 64) /* bytes */
};

static void in_bytes(const pieces *p, size_t size)
{
    const uint64_t *const of[4] = {p->send_at, p->send_n, p->receive_at, p->receive_n};
    for (size_t i = 0; i < 4; i++)
        for (size_t r = 0; r < (size_t)p->call->comm.size; r++)
            p->bytes[i][r] = of[i][r] * size;
}

/* Copies the piece that stays on this process by all threads, so that the transport does not do it
 * by one. A cancelled call still copies all of it: the other processes learn of it later. */
static void copy_own(dist_call *c, const char *send, const uint64_t *send_at, uint64_t *send_bytes,
                     char *receive, const uint64_t *receive_at, uint64_t *receive_bytes)
{
    size_t const me = (size_t)c->comm.rank, bytes = (size_t)send_bytes[me];
    if (c->exec->threads == 1 || bytes < 2 * COPY_GRAIN)
        return;
    const char *const from = send + send_at[me];
    char *const       to = receive + receive_at[me];
    if (!ordo_copy_bytes(c->exec, to, from, bytes, COPY_GRAIN))
        memcpy(to, from, bytes);
    send_bytes[me] = receive_bytes[me] = 0;
}

/* Arrays are where those of the call are. */
static ordo_status exchange(dist_call *c, const void *send, const uint64_t *send_at,
                            uint64_t *send_bytes, void *receive, const uint64_t *receive_at,
                            uint64_t *receive_bytes)
{
    double const started = dist_clock();
    if (!dist_on_device(c))
        copy_own(c, send, send_at, send_bytes, receive, receive_at, receive_bytes);
    TRY((dist_on_device(c)
             ? device_exchange(c, send, send_at, send_bytes, receive, receive_at, receive_bytes)
             : dist_exchange(c, send, send_at, send_bytes, receive, receive_at, receive_bytes)));
    c->report.exchange_seconds += dist_clock() - started;
    return ORDO_OK;
}

ordo_status pieces_exchange(const pieces *p, const void *scattered, size_t size, void *received)
{
    in_bytes(p, size);
    return exchange(p->call, scattered, p->bytes[0], p->bytes[1], received, p->bytes[2],
                    p->bytes[3]);
}

ordo_status pieces_back(const pieces *p, const void *received, size_t size, void *scattered)
{
    in_bytes(p, size);
    return exchange(p->call, received, p->bytes[2], p->bytes[3], scattered, p->bytes[0],
                    p->bytes[1]);
}

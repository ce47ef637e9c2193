/* pieces.c - the pieces of a rank's keys for the other ranks (see pieces.h). Each key is read once
 * for its class and once to be scattered. */
#define _POSIX_C_SOURCE 200809L
#include "dist/pieces.h"

#include "backend/tuning.h"
#include "dist/device/device.h"

#include <string.h>

enum {
    LEAST_CHUNK = ORDO_TUNE(1 << 16, 64),
    SMALL_PIECE = 4096 /* mean elements of a piece from which on counts take 8 bytes */
};

typedef struct class_pass {
    pieces      *p;
    const cells *cells;
    cells_order  order;
    uint64_t    *borders; /* orders of the cuts, without ties */
    size_t       border_count;
    uint16_t    *of_cell; /* the class of each cell; UNKNOWN: look at the key */
} class_pass;

enum {
    UNKNOWN = UINT16_MAX
};

/* ---- Classes ---- */

/* The class of an order: 2 i + 1 if it is border i, 2 i if it is between borders i - 1 and i. */
static size_t class_of(const class_pass *w, uint64_t order)
{
    size_t low = 0, high = w->border_count;
    while (low < high) {
        size_t const middle = low + (high - low) / 2;
        if (w->borders[middle] < order)
            low = middle + 1;
        else
            high = middle;
    }
    return 2 * low + (low < w->border_count && w->borders[low] == order);
}

/* A cell of one key has the class of that key; a cell between boundaries has one class unless a
 * border is inside. */
static void class_cells(class_pass *w)
{
    const cells *const c = w->cells;
    for (size_t cell = 0; cell <= 2 * c->count; cell++) {
        if (cell % 2 == 1) {
            w->of_cell[cell] = (uint16_t)class_of(w, c->boundaries[cell / 2]);
            continue;
        }
        size_t const below = cell == 0 ? 0 : class_of(w, c->boundaries[cell / 2 - 1]);
        size_t const above =
            cell == 2 * c->count ? 2 * w->border_count : class_of(w, c->boundaries[cell / 2]);
        size_t const first = below + below % 2, last = above - above % 2; /* of the open interval */
        w->of_cell[cell] = (uint16_t)(first == last ? first : UNKNOWN);
    }
}

static void classify(void *arg, size_t lo, size_t hi)
{
    class_pass *const w = arg;
    pieces *const     p = w->p;
    size_t const      from = lo * p->chunk, to = ordo_min(hi * p->chunk, p->call->n);
    uint64_t *const   counts = p->starts + lo * p->class_count;
    for (size_t i = from; i < to; i++) {
        uint16_t class = w->of_cell[p->classes[i]];
        if (class == UNKNOWN)
            class = (uint16_t)class_of(w, cells_order_of(&w->order, p->call->keys, i));
        p->classes[i] = class;
        counts[class]++;
    }
}

static ordo_status cancelled(ordo_exec *exec)
{
    return ordo_fail(exec, ORDO_E_CANCELLED, "the call was cancelled");
}

static size_t chunks_of(const pieces *p) { return ordo_div_up(p->call->n, p->chunk); }

/* Turns the counts of classes in chunks into places in the scattered array; totals gets the place
 * of each class. */
static void place_classes(pieces *p, uint64_t *totals)
{
    uint64_t at = 0;
    for (size_t class = 0; class < p->class_count; class ++) {
        totals[class] = at;
        for (size_t i = 0; i < chunks_of(p); i++) {
            uint64_t *const here = &p->starts[i * p->class_count + class];
            uint64_t const  count = *here;
            *here = at;
            at += count;
        }
    }
}

static ordo_status find_classes(pieces *p, class_pass *w, const cut *cuts, size_t count)
{
    ordo_exec *const exec = p->call->exec;
    TRY_SCRATCH(exec, (count + 1) * sizeof *w->borders, w->borders);
    TRY_SCRATCH(exec, (2 * w->cells->count + 1) * sizeof *w->of_cell, w->of_cell);
    for (size_t j = 0; j < count; j++)
        if (j == 0 || cuts[j].order != cuts[j - 1].order)
            w->borders[w->border_count++] = cuts[j].order;
    p->class_count = 2 * w->border_count + 1;
    p->chunk = ordo_max(ordo_div_up(p->call->n, (size_t)exec->threads * 4), LEAST_CHUNK);
    size_t const places = chunks_of(p) * p->class_count + 1;
    TRY_SCRATCH(exec, places * sizeof *p->starts, p->starts);
    memset(p->starts, 0, places * sizeof *p->starts);
    class_cells(w);
    return ordo_loop(exec, chunks_of(p), 1, classify, w) ? ORDO_OK : cancelled(exec);
}

/* ---- Pieces ---- */

/* The place of a cut in the scattered array. */
static uint64_t place_of(const class_pass *w, const uint64_t *totals, const cut *at)
{
    return totals[class_of(w, at->order)] + cut_left(at);
}

ordo_status pieces_open(dist_call *c, const uint64_t *wanted, pieces *p)
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
    return ORDO_OK;
}

/* The bytes of a count, the same on every rank. Counts of small pieces are a large part of what is
 * sent, so they are narrow if all of them allow it. */
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

static void narrow(uint64_t *numbers, size_t count, size_t width)
{
    char *const to = (char *)numbers;
    for (size_t i = 0; i < count; i++) {
        uint64_t const wide = numbers[i]; /* its own bytes may be the first to change */
        for (size_t b = 0; b < width; b++)
            to[i * width + b] = (char)(wide >> (8 * b));
    }
}

static void widen(uint64_t *numbers, size_t count, size_t width)
{
    const unsigned char *const from = (const unsigned char *)numbers;
    for (size_t i = count; i-- > 0;) {
        uint64_t wide = 0;
        for (size_t b = 0; b < width; b++)
            wide |= (uint64_t)from[i * width + b] << (8 * b);
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

/* The cuts between the parts of the ranks. Positions 0 and total have no key and no cut. */
static size_t list_cuts(const dist_call *c, const uint64_t *wanted, cut *cuts)
{
    uint64_t position = 0;
    size_t   count = 0;
    for (size_t r = 0; r + 1 < (size_t)c->comm.size; r++) {
        position += wanted[r];
        if (position > 0 && position < c->total)
            cuts[count++] = (cut){.position = position};
    }
    return count;
}

ordo_status pieces_at(pieces *p, const uint64_t *wanted, const uint64_t *places)
{
    dist_call *const c = p->call;
    size_t const     size = (size_t)c->comm.size;
    uint64_t         position = 0, begin = 0;
    for (size_t r = 0, j = 0; r < size; r++) {
        position += wanted[r];
        bool const     inside = r + 1 < size && position > 0 && position < c->total;
        uint64_t const end = inside ? places[j++] : position == 0 ? 0 : c->n;
        p->send_at[r] = begin;
        p->send_n[r] = end - begin;
        begin = end;
    }
    return pieces_swap(p);
}

/* Memory of the pieces, and of the cuts, with as many numbers behind them as `numbers`. */
static ordo_status take_cuts(dist_call *c, const uint64_t *wanted, pieces *p, size_t numbers,
                             cut **cuts)
{
    size_t const size = (size_t)c->comm.size;
    void        *memory;
    TRY(pieces_open(c, wanted, p));
    TRY(ordo_scratch(c->exec, (size + 1) * sizeof **cuts + numbers * sizeof(uint64_t), &memory));
    *cuts = memory;
    return ORDO_OK;
}

/* The place of each cut in this rank's sorted keys. On a device it is collective. */
static ordo_status place_cuts(dist_call *c, const cut_keys *keys, const cut *cuts, size_t count,
                              uint64_t *places)
{
    void *memory = NULL;
    if (keys->on_device) {
        ordo_status status = ordo_scratch(c->exec, (count + 1) * sizeof(ordo_place_wish), &memory);
        ordo_place_wish *const wishes = memory;
        for (size_t j = 0; j < count && status == ORDO_OK; j++)
            wishes[j] = (ordo_place_wish){0, keys->n, cuts[j].order, 0};
        if (status == ORDO_OK)
            status = device_places(c, &keys->order, keys->sorted, wishes, count, places);
        TRY(dist_agree(c, status));
    } else {
        for (size_t j = 0; j < count; j++)
            places[j] = cells_place(&keys->order, keys->sorted, 0, keys->n, cuts[j].order, false);
    }
    for (size_t j = 0; j < count; j++)
        places[j] += cut_left(&cuts[j]);
    return ORDO_OK;
}

ordo_status pieces_of_sorted(dist_call *c, bool folded, const void *sorted, const uint64_t *wanted,
                             pieces *out)
{
    size_t const   size = (size_t)c->comm.size;
    cut_keys const keys = {{c->type, c->descending, folded}, sorted, c->n, dist_on_device(c)};
    cut           *cuts = NULL;
    TRY(dist_agree(c, take_cuts(c, wanted, out, size, &cuts)));
    uint64_t *const places = (uint64_t *)(cuts + size + 1);
    size_t const    count = list_cuts(c, wanted, cuts);
    TRY(cuts_of_sorted(c, &keys.order, sorted, cuts, count));
    TRY(place_cuts(c, &keys, cuts, count, places));
    return pieces_at(out, wanted, places);
}

ordo_status pieces_find(dist_call *c, bool folded, const uint64_t *wanted, pieces *out)
{
    size_t const size = (size_t)c->comm.size;
    cells        boundaries = {0};
    cut         *cuts = NULL;
    void        *memory = NULL;
    ordo_status  status = take_cuts(c, wanted, out, 3 * size, &cuts);
    if (status == ORDO_OK)
        status = ordo_scratch(c->exec, c->n * sizeof *out->classes + 2, &memory);
    TRY(dist_agree(c, status));
    out->classes = memory;
    uint64_t *const totals = (uint64_t *)(cuts + size + 1), *const places = totals + 2 * size;
    size_t const count = list_cuts(c, wanted, cuts);
    class_pass   w = {.p = out, .cells = &boundaries, .order = {c->type, c->descending, folded}};
    if (count > 0)
        TRY(cuts_find(c, folded, cuts, count, out->classes, &boundaries));
    else
        memset(out->classes, 0, c->n * sizeof *out->classes);
    double const started = dist_clock();
    TRY(dist_agree(c, find_classes(out, &w, cuts, count)));
    place_classes(out, totals);
    for (size_t j = 0; j < count; j++)
        places[j] = place_of(&w, totals, &cuts[j]);
    c->report.scatter_seconds += dist_clock() - started;
    return pieces_at(out, wanted, places);
}

/* ---- Scatter and gather ---- */

typedef struct movement {
    const pieces *p;
    const char   *from;
    char         *to;
    size_t        size;
} movement;

/* Inlined with a constant size, so that an element is one load and one store. */
static inline __attribute__((always_inline)) void scatter(const movement *m, uint64_t *places,
                                                          size_t from, size_t to, size_t size)
{
    const uint16_t *const classes = m->p->classes;
    for (size_t i = from; i < to; i++)
        memcpy(m->to + places[classes[i]]++ * size, m->from + i * size, size);
}

static inline __attribute__((always_inline)) void gather(const movement *m, uint64_t *places,
                                                         size_t from, size_t to, size_t size)
{
    const uint16_t *const classes = m->p->classes;
    for (size_t i = from; i < to; i++)
        memcpy(m->to + i * size, m->from + places[classes[i]]++ * size, size);
}

static void scatter_1(const movement *m, uint64_t *places, size_t from, size_t to)
{
    scatter(m, places, from, to, 1);
}

static void scatter_2(const movement *m, uint64_t *places, size_t from, size_t to)
{
    scatter(m, places, from, to, 2);
}

static void scatter_4(const movement *m, uint64_t *places, size_t from, size_t to)
{
    scatter(m, places, from, to, 4);
}

static void scatter_8(const movement *m, uint64_t *places, size_t from, size_t to)
{
    scatter(m, places, from, to, 8);
}

static void gather_4(const movement *m, uint64_t *places, size_t from, size_t to)
{
    gather(m, places, from, to, 4);
}

static void gather_8(const movement *m, uint64_t *places, size_t from, size_t to)
{
    gather(m, places, from, to, 8);
}

typedef void move_fn(const movement *m, uint64_t *places, size_t from, size_t to);

typedef struct move_job {
    movement  m;
    move_fn  *move;
    uint64_t *places; /* a copy of the places of all chunks */
} move_job;

static void move_chunk(void *arg, size_t lo, size_t hi)
{
    const move_job *const job = arg;
    const pieces *const   p = job->m.p;
    job->move(&job->m, job->places + lo * p->class_count, lo * p->chunk,
              ordo_min(hi * p->chunk, p->call->n));
}

static ordo_status move_all(const pieces *p, movement m, move_fn *move)
{
    ordo_exec *const exec = p->call->exec;
    size_t const     bytes = chunks_of(p) * p->class_count * sizeof *p->starts;
    double const     started = dist_clock();
    move_job         job = {.m = m, .move = move};
    job.m.p = p;
    TRY_SCRATCH(exec, bytes + 8, job.places);
    memcpy(job.places, p->starts, bytes);
    if (!ordo_loop(exec, chunks_of(p), 1, move_chunk, &job))
        return cancelled(exec);
    p->call->report.scatter_seconds += dist_clock() - started;
    return ORDO_OK;
}

ordo_status pieces_scatter(const pieces *p, const void *from, size_t size, void *to)
{
    move_fn *const move = size == 1   ? scatter_1
                          : size == 2 ? scatter_2
                          : size == 4 ? scatter_4
                                      : scatter_8;
    return move_all(p, (movement){.from = from, .to = to, .size = size}, move);
}

ordo_status pieces_gather(const pieces *p, const void *from, size_t size, void *to)
{
    return move_all(p, (movement){.from = from, .to = to, .size = size},
                    size == 4 ? gather_4 : gather_8);
}

/* ---- Exchange ---- */

static void in_bytes(const pieces *p, size_t size)
{
    const uint64_t *const of[4] = {p->send_at, p->send_n, p->receive_at, p->receive_n};
    for (size_t i = 0; i < 4; i++)
        for (size_t r = 0; r < (size_t)p->call->comm.size; r++)
            p->bytes[i][r] = of[i][r] * size;
}

/* Arrays are where those of the call are. */
static ordo_status exchange(dist_call *c, const void *send, const uint64_t *send_at,
                            uint64_t *send_bytes, void *receive, const uint64_t *receive_at,
                            uint64_t *receive_bytes)
{
    double const started = dist_clock();
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

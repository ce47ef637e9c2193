/* select_passes.c - finds keys at exact positions in about one read of the data.
 *
 * A random sample gives for each position an interval of the order that contains the key with high
 * probability. One pass over the data counts the elements below, inside and above all intervals and
 * keeps the elements inside, so the counts prove whether the key was kept. If it was not, or if too
 * many elements were inside, the counts give a narrower interval for another pass. Every later pass
 * also halves the interval, so there are at most 65 passes; one is usual. */
#define _GNU_SOURCE
#include "external/select_passes.h"

#include "backend/tuning.h"
#include "core/random.h"

#include <math.h>
#include <stdlib.h>

enum {
    SAMPLE_BLOCK = 64,                        /* elements of the sample that are read at once */
    SAMPLE_MOST = ORDO_TUNE(1 << 20, 1 << 9), /* elements of the sample */
    SAMPLE_LEAST_STRIDE = 4,                  /* blocks of the data for each sampled block */
    MOST_BOUNDARIES = 1536,                   /* of the cells of a pass */
    MOST_CELLS = 2 * MOST_BOUNDARIES + 1,
    TARGETS_OF_PASS = MOST_BOUNDARIES / 6, /* positions that one pass looks for */
    MANY_TARGETS = 4 * TARGETS_OF_PASS,    /* more are found by a sort */
    HEAVY = 8,                             /* equal keys in the sample: a cell of its own */
    BUFFER_BYTES = ORDO_TUNE(4 << 20, 1 << 11),
    LEAST_CAPACITY = ORDO_TUNE(1 << 12, 32)
};
#define DEVIATIONS 4.0 /* half of an interval, in standard deviations of the sample's position */

/* ---- Sample ---- */

/* How much more the sample scatters than one of independent elements: 1 if neighbours in the data
 * are independent, SAMPLE_BLOCK if each block has equal keys. It compares the shares of
 * neighbouring blocks that are below the quartiles: keys in order differ little from block to
 * block. */
static double scatter_of(const selector *s, const uint64_t *drawn, size_t blocks)
{
    double most = 1;
    for (size_t quartile = 1; quartile < 4 && blocks > 1; quartile++) {
        uint64_t const limit = s->sample[quartile * s->sample_n / 4];
        double const   share = (double)quartile / 4, usual = share * (1 - share) / SAMPLE_BLOCK;
        double         before = 0, sum = 0;
        for (size_t b = 0; b < blocks; b++) {
            size_t below = 0;
            for (size_t j = 0; j < SAMPLE_BLOCK; j++)
                below += drawn[b * SAMPLE_BLOCK + j] < limit;
            double const here = (double)below / SAMPLE_BLOCK;
            sum += b > 0 ? (here - before) * (here - before) : 0;
            before = here;
        }
        most = fmax(most, sum / (2 * (double)(blocks - 1)) / usual);
    }
    return most;
}

/* Reads a block of elements from each of equal parts of the data. */
static bool draw_sample(selector *s)
{
    external_call *const c = &s->call;
    const element_kind  *kind = &c->kind;
    uint64_t const       all = s->data.n / SAMPLE_BLOCK;
    size_t const         blocks =
        (size_t)ordo_min(all / SAMPLE_LEAST_STRIDE, s->sample_most / SAMPLE_BLOCK);
    uint64_t const stride = blocks > 0 ? all / blocks : 0;
    char          *elements = c->buffers[0];
    for (size_t i = 0; i < blocks; i++) {
        uint64_t const draw = ordo_random_at(c->exec->seed, i);
        uint64_t const block = i * stride + ordo_random_below(draw, stride);
        if (!replay_read(&s->data, block * SAMPLE_BLOCK, elements, SAMPLE_BLOCK))
            return false;
        for (size_t j = 0; j < SAMPLE_BLOCK; j++)
            s->sample[s->sample_n++] = element_order(kind, elements + j * kind->size);
        if (i % 256 == 0 && ordo_poll(c->exec, 0))
            return failure_record(&c->failure, ORDO_E_CANCELLED, "cancelled");
    }
    uint64_t *const drawn = s->pass.kept; /* a copy in the order of the blocks */
    size_t const    copied = ordo_min(s->sample_n, s->pass.capacity);
    memcpy(drawn, s->sample, copied * sizeof *drawn);
    ordo_status const status = ordo_sort(c->inner, ORDO_U64, s->sample, s->sample_n, NULL);
    s->scatter = scatter_of(s, drawn, copied / SAMPLE_BLOCK);
    return external_inner_done(c, status);
}

/* The number of sampled orders below `order`. */
static size_t sample_below(const selector *s, uint64_t order)
{
    element_kind const number = {.size = sizeof order, .type = ORDO_U64, .keys_only = true};
    return elements_below(&number, (const char *)s->sample, s->sample_n, order, false);
}

/* ---- The cells of a pass ---- */

static int compare_orders(const void *a, const void *b)
{
    uint64_t const x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void add_boundary(selector *s, uint64_t order)
{
    if (s->cells.count < MOST_BOUNDARIES)
        s->cells.boundaries[s->cells.count++] = order;
}

typedef struct bracket { /* the orders in which a target's key is expected */
    uint64_t first, last;
    double   mass; /* elements expected in it */
} bracket;

/* The bracket of a target by the sample. Its ends become cells of their own: a frequent key at an
 * end then does not fill the bracket. */
static bracket add_bracket(selector *s, const target *t)
{
    size_t const lo = sample_below(s, t->first);
    size_t const hi = t->last < UINT64_MAX ? sample_below(s, t->last + 1) : s->sample_n;
    double const inside = (double)(hi - lo), n = (double)t->inside;
    double const share = ((double)(t->rank - t->below) + 0.5) / n;
    double const reach = DEVIATIONS * sqrt(inside * share * (1 - share) * s->scatter) + 2;
    double const from = (double)lo + inside * share - reach, to = from + 2 * reach;
    bracket      b = {t->first, t->last, n};
    if ((double)t->inside <= 0.8 * (double)s->pass.capacity || hi - lo < 2 * HEAVY)
        return b;
    if (from >= (double)lo) {
        b.first = s->sample[(size_t)from];
        add_boundary(s, b.first);
    }
    if (to < (double)hi) {
        b.last = s->sample[(size_t)to];
        add_boundary(s, b.last);
    }
    b.mass = n * fmin(1, 2 * reach / inside);
    /* Frequent keys inside the bracket. */
    size_t const begin = from >= (double)lo ? (size_t)from : lo;
    size_t const end = to < (double)hi ? (size_t)to : hi;
    for (size_t i = begin; i + HEAVY <= end; i += HEAVY)
        if (s->sample[i] == s->sample[i + HEAVY - 1] && s->sample[i] > b.first &&
            s->sample[i] < b.last)
            add_boundary(s, s->sample[i]);
    return b;
}

/* Sorts the boundaries and removes equal ones. */
static void order_boundaries(cells *c)
{
    size_t n = 0;
    qsort(c->boundaries, c->count, sizeof *c->boundaries, compare_orders);
    for (size_t i = 0; i < c->count; i++)
        if (n == 0 || c->boundaries[i] != c->boundaries[n - 1])
            c->boundaries[n++] = c->boundaries[i];
    c->count = n;
    cells_index(c);
}

/* The order of the first NaN; UINT64_MAX for integers, which have none. */
static uint64_t first_nan(ordo_type type)
{
    return type == ORDO_F32   ? (uint64_t)KEY_INF_F32 + 1
           : type == ORDO_F64 ? KEY_INF_F64 + 1
                              : UINT64_MAX;
}

/* Chooses the cells of a pass: for up to TARGETS_OF_PASS targets that are not found, their bounds
 * and brackets. Brackets are kept as long as their expected elements fit. */
static void choose_cells(selector *s)
{
    cells *const   c = &s->cells;
    uint64_t const nan = first_nan(s->call.kind.type);
    bracket        kept[TARGETS_OF_PASS] = {{.mass = 0}};
    size_t         brackets = 0;
    double         mass = 0;
    c->count = 0;
    if (s->passes == 0 && nan != UINT64_MAX)
        add_boundary(s, nan - 1);
    for (size_t i = 0, seen = 0; i < s->count && seen < TARGETS_OF_PASS; i++) {
        const target *const t = &s->targets[i];
        if (t->done || c->count + 64 > MOST_BOUNDARIES)
            continue;
        seen++;
        if (t->first > 0)
            add_boundary(s, t->first - 1);
        if (t->last < UINT64_MAX)
            add_boundary(s, t->last + 1);
        if (s->passes > 0)
            add_boundary(s, t->first + (t->last - t->first) / 2);
        bracket const b = add_bracket(s, t);
        bool const    is_same = brackets > 0 && kept[brackets - 1].first == b.first &&
                             kept[brackets - 1].last == b.last;
        if (mass + b.mass <= 0.8 * (double)s->pass.capacity && !is_same) {
            kept[brackets++] = b;
            mass += b.mass;
        }
    }
    order_boundaries(c);
    memset(s->keep, 0, MOST_CELLS);
    for (size_t cell = 0; cell < 2 * c->count + 1; cell += 2)
        for (size_t j = 0; j < brackets && !s->keep[cell]; j++)
            s->keep[cell] =
                cells_first(c, cell) >= kept[j].first && cells_last(c, cell) <= kept[j].last;
    cells_clear(&s->pass);
}

/* ---- A pass ---- */

static bool read_piece(void *user, piece *p)
{
    selector *const s = user;
    p->n = (size_t)ordo_min(s->call.capacity, s->data.n - s->next);
    p->ended = p->n == 0;
    if (!replay_read(&s->data, s->next, p->elements, p->n))
        return false;
    s->next += p->n;
    return true;
}

static bool count_piece(void *user, piece *p)
{
    selector *const      s = user;
    external_call *const c = &s->call;
    s->pass.keys = p->elements + c->kind.key_offset;
    s->pass.n = p->n;
    return cells_add(c->exec, &s->pass) ||
           failure_record(&c->failure, ORDO_E_CANCELLED, "cancelled");
}

static bool drop_piece(void *user, const piece *p)
{
    selector *const s = user;
    atomic_fetch_add(&s->call.written, s->passes == 0 ? p->n : 0);
    return true;
}

/* Finds a target in the counted cells: its order, or a narrower interval. before[i] counts the
 * elements before cell i, kept_before[i] the survivors before it. */
static void find_target(selector *s, target *t, const uint64_t *before, const uint64_t *kept_before)
{
    size_t cell = 0;
    while (before[cell + 1] <= t->rank)
        cell++;
    t->first = cells_first(&s->cells, cell);
    t->last = cells_last(&s->cells, cell);
    t->below = before[cell];
    t->inside = before[cell + 1] - before[cell];
    t->done = true;
    if (t->first == t->last)
        t->order = t->first;
    else if (s->keep[cell] && s->pass.kept_count <= s->pass.capacity)
        t->order = s->pass.kept[kept_before[cell] + (t->rank - before[cell])];
    else
        t->done = false;
}

/* Sorts the survivors. */
static bool sort_survivors(selector *s)
{
    external_call *const c = &s->call;
    size_t const         n = s->pass.kept_count;
    if (n > s->pass.capacity)
        return true;
    return external_inner_done(c, ordo_sort(c->inner, ORDO_U64, s->pass.kept, n, NULL));
}

/* Looks for every target in the counted cells. */
static void find_targets(selector *s)
{
    const cells_pass *const p = &s->pass;
    uint64_t                before[MOST_CELLS + 1] = {0}, kept_before[MOST_CELLS + 1] = {0};
    for (size_t i = 0; i < p->count; i++) {
        before[i + 1] = before[i] + p->counts[i];
        kept_before[i + 1] = kept_before[i] + (s->keep[i] ? p->counts[i] : 0);
    }
    for (size_t i = 0; i < s->count; i++)
        if (!s->targets[i].done)
            find_target(s, &s->targets[i], before, kept_before);
}

/* Counts the NaNs: the elements from the cell of the first NaN on. */
static uint64_t count_nans(const selector *s)
{
    uint64_t const nan = first_nan(s->call.kind.type);
    uint64_t       nans = 0;
    for (size_t i = cells_find(&s->cells, nan); i < s->pass.count && nan != UINT64_MAX; i++)
        nans += s->pass.counts[i];
    return nans;
}

static size_t wanted_targets(const selector *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++)
        n += !s->targets[i].done;
    return n;
}

bool select_is_done(const selector *s) { return wanted_targets(s) == 0; }

static void reset_targets(selector *s)
{
    for (size_t i = 0; i < s->count; i++) {
        target *const t = &s->targets[i];
        *t = (target){.rank = t->rank, .last = UINT64_MAX, .inside = s->data.n};
    }
}

bool select_run(selector *s)
{
    external_call *const c = &s->call;
    if (!replay_open(&s->data, c) || !draw_sample(s))
        return false;
    if (s->data.n == 0)
        return s->place(s, 0);
    size_t const   nans = s->sample_n - sample_below(s, first_nan(c->kind.type));
    uint64_t const expected =
        s->sample_n > 0 ? (uint64_t)((double)s->data.n * (double)nans / (double)s->sample_n) : 0;
    s->place(s, s->data.n - (first_nan(c->kind.type) == UINT64_MAX ? 0 : expected));
    reset_targets(s);
    if (first_nan(c->kind.type) == UINT64_MAX && s->count > MANY_TARGETS)
        return true;
    do {
        choose_cells(s);
        s->next = 0;
        external_phase(c, "pass", s->data.n * c->kind.size);
        if (!external_pipeline(c, s, read_piece, count_piece, drop_piece) || !sort_survivors(s))
            return false;
        if (s->passes == 0) {
            s->nans = count_nans(s);
            if (!s->place(s, s->data.n - s->nans))
                return false;
        }
        find_targets(s);
        s->passes++;
    } while (!select_is_done(s) && wanted_targets(s) <= MANY_TARGETS);
    return true;
}

/* ---- Memory ---- */

static ordo_status take_cells(selector *s)
{
    external_call *const c = &s->call;
    ordo_exec *const     exec = c->exec;
    TRY(cells_make(exec, MOST_BOUNDARIES, &s->cells));
    TRY_SCRATCH(exec, MOST_CELLS, s->keep);
    TRY_SCRATCH(exec, MOST_CELLS * sizeof *s->pass.counts, s->pass.counts);
    s->pass.keep = s->keep;
    return cells_room(exec, &s->pass, c->capacity, MOST_CELLS);
}

ordo_status select_plan(selector *s)
{
    external_call *const c = &s->call;
    size_t const         size = c->kind.size, memory = (size_t)c->opts.memory;
    size_t const         buffer = ordo_min(BUFFER_BYTES, memory / 16) / size;
    TRY(external_buffers(c, ordo_max(buffer, ordo_max(LEAST_CAPACITY, SAMPLE_BLOCK)), size));
    size_t const sample = ordo_min(SAMPLE_MOST, ordo_max(memory / 128, SAMPLE_BLOCK));
    size_t const used = PIPELINE_BUFFERS * c->capacity * size + sample * sizeof *s->sample;
    size_t       survivors = used < memory ? (memory - used) / sizeof(uint64_t) : 0;
    for (size_t scratch = SIZE_MAX; survivors > 0; survivors -= ordo_div_up(survivors, 4)) {
        TRY(ordo_sort_scratch(c->inner, ORDO_U64, survivors, NULL, &scratch));
        if (used + survivors * sizeof(uint64_t) + scratch <= memory)
            break;
    }
    if (survivors < LEAST_CAPACITY)
        return ordo_fail(c->exec, ORDO_E_NOMEM,
                         "%zu bytes of memory are too few to select from elements of %zu bytes",
                         memory, size);
    s->sample_most = sample;
    s->sample = malloc(sample * sizeof *s->sample);
    s->pass = (cells_pass){.cells = &s->cells,
                           .order = {c->kind.type, c->kind.descending, false},
                           .stride = size == ordo_type_size(c->kind.type) ? 0 : size,
                           .kept = malloc(survivors * sizeof(uint64_t)),
                           .capacity = survivors};
    TRY(take_cells(s));
    if (s->sample == NULL || s->pass.kept == NULL)
        return ordo_fail(c->exec, ORDO_E_NOMEM, "the system refused memory to select");
    return ORDO_OK;
}

void select_free(selector *s)
{
    external_free_buffers(&s->call);
    free(s->sample);
    free(s->pass.kept);
    s->sample = NULL;
    s->pass.kept = NULL;
}

void select_end(selector *s)
{
    select_free(s);
    replay_close(&s->data);
}

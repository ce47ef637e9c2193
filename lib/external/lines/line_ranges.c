/* line_ranges.c - reads the next range of the final order from sorted runs of lines. */
#define _GNU_SOURCE
#include "external/lines/line_ranges.h"

#include "external/disk/crc32c.h"

#include <stdlib.h>

enum {
    MOST_READERS = 8
};

typedef struct line_cursor { /* of one run */
    size_t    block, end;    /* its next block, and the end of its blocks */
    size_t    taken;         /* blocks of this range, from `block` on */
    char     *at;            /* where its lines are */
    size_t    bytes;         /* of them */
    size_t    rest;          /* where its last segment begins: a block, or what stayed */
    size_t    rest_n;        /* lines of that segment */
    uint32_t *starts;        /* and where they begin in it */
    char     *left;          /* what stays for the next range: bytes, lines */
    size_t    left_bytes, left_n;
    uint64_t  left_keys; /* bytes of their keys, at most */
    spill_gap gap;       /* blocks that were read */
} line_cursor;

struct line_ranges {
    const line_runs        *runs;
    const ordo_line_format *format;
    line_limits             limits;
    bool                    descending;
    size_t                  from, count;
    line_cursor            *cursors;
    size_t                 *heap; /* runs that have blocks, the first cut at the top */
    size_t                  in_heap;
    char                   *left; /* memory of all cursors */
    uint32_t               *starts;
    key_room                key;

    ordo_pool      *pool; /* of reading threads */
    atomic_int      stop;
    pthread_mutex_t lock;
    char           *buffers[MOST_READERS];
    unsigned        free_buffers, readers;
};

size_t line_ranges_most(const line_runs *r, const line_limits *limits)
{
    size_t most = limits->bytes / ordo_max(2 * r->most_raw, 1);
    most = ordo_min(most, limits->lines / ordo_max(2 * r->most_n, 1));
    return r->most_keys == 0 ? most : ordo_min(most, limits->keys / (2 * r->most_keys));
}

/* ---- The order of the next blocks ---- */

static int compare(const line_ranges *g, line_view a, line_view b)
{
    return g->descending ? line_compare(b, a) : line_compare(a, b);
}

/* Whether the next block of run i comes before that of run j. */
static bool comes_first(const line_ranges *g, size_t i, size_t j)
{
    const line_cursor *const a = &g->cursors[i], *const b = &g->cursors[j];
    int const order = compare(g, line_runs_cut(g->runs, a->block + a->taken),
                              line_runs_cut(g->runs, b->block + b->taken));
    return order != 0 ? order < 0 : i < j;
}

static void sink(line_ranges *g, size_t at)
{
    for (;;) {
        size_t first = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < g->in_heap; child++)
            if (comes_first(g, g->heap[child], g->heap[first]))
                first = child;
        if (first == at)
            return;
        size_t const moved = g->heap[at];
        g->heap[at] = g->heap[first];
        g->heap[first] = moved;
        at = first;
    }
}

/* ---- Begin and end ---- */

static void *system_alloc(void *user, size_t bytes) { return (void)user, malloc(bytes); }
static void  system_release(void *user, void *block) { (void)user, free(block); }

static bool take_memory(line_ranges *g, unsigned threads)
{
    ordo_alloc const       source = {system_alloc, system_release, NULL};
    const line_runs *const r = g->runs;
    unsigned const         readers = (unsigned)ordo_min(threads, MOST_READERS);
    g->cursors = calloc(g->count, sizeof *g->cursors);
    g->heap = malloc(g->count * sizeof *g->heap);
    g->left = malloc(g->count * r->most_raw);
    g->starts = malloc(g->count * r->most_n * sizeof *g->starts);
    g->pool = ordo_pool_create(&source, readers);
    bool has_all = g->cursors != NULL && g->heap != NULL && g->left != NULL && g->starts != NULL &&
                   g->pool != NULL;
    for (; has_all && g->readers < readers; g->readers++) {
        g->buffers[g->readers] = malloc(r->most_bytes);
        has_all = g->buffers[g->readers] != NULL;
    }
    g->free_buffers = g->readers;
    return has_all;
}

line_ranges *line_ranges_open(const line_runs *r, size_t from, size_t to,
                              const ordo_line_format *format, const line_limits *limits,
                              bool descending, unsigned threads)
{
    line_ranges *const g = calloc(1, sizeof *g);
    if (g != NULL) {
        *g = (line_ranges){.runs = r,
                           .format = format,
                           .limits = *limits,
                           .descending = descending,
                           .from = from,
                           .count = to - from};
        pthread_mutex_init(&g->lock, NULL);
    }
    if (g == NULL || !take_memory(g, threads)) {
        failure_record(r->failure, ORDO_E_NOMEM, "the system refused memory to read the runs");
        line_ranges_close(g);
        return NULL;
    }
    for (size_t i = 0; i < g->count; i++) {
        const line_run *const one = &r->all[from + i];
        g->cursors[i] = (line_cursor){.block = one->block,
                                      .end = one->block + one->blocks,
                                      .left = g->left + i * r->most_raw,
                                      .starts = g->starts + i * r->most_n};
        if (one->blocks > 0)
            g->heap[g->in_heap++] = i;
    }
    for (size_t at = g->in_heap / 2; at-- > 0;)
        sink(g, at);
    return g;
}

void line_ranges_close(line_ranges *g)
{
    if (g == NULL)
        return;
    if (g->pool != NULL)
        ordo_pool_free(g->pool);
    for (unsigned i = 0; i < MOST_READERS; i++)
        free(g->buffers[i]);
    free(g->cursors);
    free(g->heap);
    free(g->left);
    free(g->starts);
    free(g->key.bytes);
    pthread_mutex_destroy(&g->lock);
    free(g);
}

/* ---- Blocks of a range ---- */

/* Takes blocks in the order of their cuts, as many as fit with what stayed. */
static void take_blocks(line_ranges *g)
{
    size_t   bytes = 0, n = 0;
    uint64_t keys = 0;
    for (size_t i = 0; i < g->count; i++) {
        line_cursor *const c = &g->cursors[i];
        c->taken = 0;
        c->bytes = c->left_bytes;
        bytes += c->left_bytes;
        n += c->left_n;
        keys += c->left_keys;
    }
    while (g->in_heap > 0) {
        line_cursor *const c = &g->cursors[g->heap[0]];
        line_block const   b = line_runs_block(g->runs, c->block + c->taken);
        bytes += b.raw;
        n += b.n;
        keys += b.keys;
        if (bytes > g->limits.bytes || n > g->limits.lines || keys > g->limits.keys)
            return;
        c->taken++;
        c->bytes += b.raw;
        if (c->block + c->taken == c->end)
            g->heap[0] = g->heap[--g->in_heap];
        sink(g, 0);
    }
}

static char *take_buffer(line_ranges *g)
{
    pthread_mutex_lock(&g->lock);
    char *const buffer = g->buffers[--g->free_buffers];
    pthread_mutex_unlock(&g->lock);
    return buffer;
}

static void return_buffer(line_ranges *g, char *buffer)
{
    pthread_mutex_lock(&g->lock);
    g->buffers[g->free_buffers++] = buffer;
    pthread_mutex_unlock(&g->lock);
}

/* Reads the blocks that a run has in this range behind what stayed. */
static bool read_run(const line_ranges *g, line_cursor *c, char *buffer)
{
    const line_runs *const r = g->runs;
    char                  *to = c->at + c->left_bytes;
    c->rest = 0;
    c->rest_n = c->left_n;
    for (; c->taken > 0; c->taken--, c->block++) {
        line_block const b = line_runs_block(r, c->block);
        if (failure_seen(r->failure) || !spill_read(r->spill, b.file, buffer, b.bytes, b.offset))
            return false;
        if (crc32c(buffer, b.bytes) != b.crc ||
            !line_block_read(buffer, b.bytes, b.n, (char)g->format->end, to, b.raw, c->starts))
            return spill_damaged(r->spill, b.file, b.offset);
        spill_pass(r->spill, &c->gap, b.file, b.offset, b.bytes);
        c->rest = (size_t)(to - c->at);
        c->rest_n = b.n;
        c->left_keys = b.keys;
        to += b.raw;
    }
    if (c->block == c->end)
        spill_release(r->spill, &c->gap);
    return true;
}

static void read_runs(void *arg, size_t lo, size_t hi)
{
    line_ranges *const g = arg;
    char *const        buffer = take_buffer(g);
    for (size_t i = lo; i < hi; i++)
        if (!read_run(g, &g->cursors[i], buffer))
            break;
    return_buffer(g, buffer);
}

static void ignore_tick(void *user, double share) { (void)user, (void)share; }

/* Puts what stayed and the new blocks of each run side by side. */
static bool fill(line_ranges *g, char *text)
{
    for (size_t i = 0; i < g->count; i++) {
        line_cursor *const c = &g->cursors[i];
        c->at = text;
        memcpy(text, c->left, c->left_bytes);
        text += c->bytes;
    }
    ordo_pool_loop(g->pool, g->count, 1, read_runs, g, &g->stop, ignore_tick, NULL);
    return !failure_seen(g->runs->failure);
}

/* ---- The cut ---- */

/* How many lines of the last segment of run i come before the cut of the block at the top of the
 * heap, whose run is `owner`. */
static bool lines_before(line_ranges *g, size_t i, size_t owner, size_t *before)
{
    const line_cursor *const c = &g->cursors[i];
    const line_cursor *const top = &g->cursors[owner];
    line_view const          cut = line_runs_cut(g->runs, top->block + top->taken);
    size_t                   lo = 0, hi = c->rest_n;
    if (i == owner)
        lo = hi;
    while (lo < hi) {
        size_t const middle = lo + (hi - lo) / 2;
        size_t const begin = c->starts[middle];
        size_t const end = middle + 1 < c->rest_n ? c->starts[middle + 1] : c->bytes - c->rest;
        line_view    key;
        if (!line_key(g->format, (line_view){c->at + c->rest + begin, end - begin - 1}, &g->key,
                      g->runs->failure, &key))
            return false;
        int const order = compare(g, key, cut);
        if (order < 0 || (order == 0 && i < owner))
            lo = middle + 1;
        else
            hi = middle;
    }
    *before = lo;
    return true;
}

/* Moves the lines before the cut together and keeps the others. */
static bool divide(line_ranges *g, char *text, size_t *bytes)
{
    size_t const owner = g->heap[0];
    char        *to = text;
    for (size_t i = 0; i < g->count; i++) {
        line_cursor *const c = &g->cursors[i];
        size_t             n;
        if (!lines_before(g, i, owner, &n))
            return false;
        size_t const first = n < c->rest_n ? c->starts[n] : c->bytes - c->rest;
        size_t const given = c->rest + first;
        c->left_bytes = c->bytes - given;
        c->left_n = c->rest_n - n;
        c->left_keys = c->left_n > 0 ? c->left_keys : 0;
        memcpy(c->left, c->at + given, c->left_bytes);
        for (size_t j = 0; j < c->left_n; j++)
            c->starts[j] = c->starts[n + j] - (uint32_t)first;
        memmove(to, c->at, given);
        to += given;
    }
    *bytes = (size_t)(to - text);
    return true;
}

/* Gives all lines: no block is left. */
static void give_all(line_ranges *g, size_t *bytes)
{
    *bytes = 0;
    for (size_t i = 0; i < g->count; i++) {
        line_cursor *const c = &g->cursors[i];
        *bytes += c->bytes;
        c->bytes = c->left_bytes = c->left_n = c->rest_n = 0;
        c->left_keys = 0;
    }
}

bool line_ranges_next(line_ranges *g, char *text, size_t *bytes)
{
    for (;;) {
        take_blocks(g);
        if (!fill(g, text))
            return false;
        if (g->in_heap == 0) {
            give_all(g, bytes);
            return true;
        }
        if (!divide(g, text, bytes))
            return false;
        if (*bytes > 0) /* a cut that is shorter than the keys may be before all of them */
            return true;
    }
}

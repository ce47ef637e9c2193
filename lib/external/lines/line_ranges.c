/* line_ranges.c - reads the next range of the final order from sorted runs of lines. */
#define _GNU_SOURCE
#include "external/lines/line_ranges.h"

#include "external/disk/crc32c.h"
#include "external/disk/readers.h"

#include <stdlib.h>

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
    char                   *left; /* memory of all cursors */
    uint32_t               *starts;
    key_room                key;
    run_readers             readers;
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

/* The cut of the next block of a run. */
static line_view next_cut(const line_ranges *g, size_t i)
{
    return line_runs_cut(g->runs, g->cursors[i].block + g->cursors[i].taken);
}

static bool comes_first(const void *user, size_t i, size_t j)
{
    int const order = compare(user, next_cut(user, i), next_cut(user, j));
    return order != 0 ? order < 0 : i < j;
}

/* ---- Begin and end ---- */

static bool read_run(void *user, size_t i, char *buffer);

static bool take_memory(line_ranges *g, unsigned threads)
{
    const line_runs *const r = g->runs;
    g->readers = (run_readers){.user = g, .first = comes_first, .read = read_run};
    g->cursors = calloc(g->count, sizeof *g->cursors);
    g->left = malloc(g->count * r->most_raw);
    g->starts = malloc(g->count * r->most_n * sizeof *g->starts);
    return readers_open(&g->readers, g->count, threads, r->most_bytes) && g->cursors != NULL &&
           g->left != NULL && g->starts != NULL;
}

line_ranges *line_ranges_open(const line_runs *r, size_t from, size_t to,
                              const ordo_line_format *format, const line_limits *limits,
                              bool descending, unsigned threads)
{
    line_ranges *const g = calloc(1, sizeof *g);
    if (g != NULL)
        *g = (line_ranges){.runs = r,
                           .format = format,
                           .limits = *limits,
                           .descending = descending,
                           .from = from,
                           .count = to - from};
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
            readers_add(&g->readers, i);
    }
    return g;
}

void line_ranges_close(line_ranges *g)
{
    if (g == NULL)
        return;
    readers_close(&g->readers);
    free(g->cursors);
    free(g->left);
    free(g->starts);
    free(g->key.bytes);
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
    while (g->readers.in_heap > 0) {
        line_cursor *const c = &g->cursors[g->readers.heap[0]];
        line_block const   b = line_runs_block(g->runs, c->block + c->taken);
        bytes += b.raw;
        n += b.n;
        keys += b.keys;
        if (bytes > g->limits.bytes || n > g->limits.lines || keys > g->limits.keys)
            return;
        c->taken++;
        c->bytes += b.raw;
        readers_next(&g->readers, c->block + c->taken == c->end);
    }
}

/* Reads the blocks that a run has in this range behind what stayed. */
static bool read_run(void *user, size_t i, char *buffer)
{
    line_ranges *const     g = user;
    line_cursor *const     c = &g->cursors[i];
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

/* Puts what stayed and the new blocks of each run side by side. */
static bool fill(line_ranges *g, char *text)
{
    for (size_t i = 0; i < g->count; i++) {
        line_cursor *const c = &g->cursors[i];
        c->at = text;
        memcpy(text, c->left, c->left_bytes);
        text += c->bytes;
    }
    readers_read(&g->readers, g->count);
    return !failure_seen(g->runs->failure);
}

/* ---- The cut ---- */

/* How many lines of the last segment of run i come before the cut of the block at the top of the
 * heap; all of them if no block is left. */
static bool lines_before(line_ranges *g, size_t i, size_t *before)
{
    const line_cursor *const c = &g->cursors[i];
    bool const               ends = g->readers.in_heap == 0;
    size_t const             owner = ends ? i : g->readers.heap[0];
    size_t                   lo = i == owner ? c->rest_n : 0, hi = c->rest_n;
    line_view const          cut = ends ? (line_view){NULL, 0} : next_cut(g, owner);
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
    char *to = text;
    for (size_t i = 0; i < g->count; i++) {
        line_cursor *const c = &g->cursors[i];
        size_t             n;
        if (!lines_before(g, i, &n))
            return false;
        size_t const first = n < c->rest_n ? c->starts[n] : c->bytes - c->rest;
        size_t const given = c->rest + first;
        c->left_bytes = c->bytes - given;
        c->left_n = c->rest_n - n;
        c->left_keys = c->left_n > 0 ? c->left_keys : 0;
        memcpy(c->left, c->at + given, c->left_bytes);
        for (size_t j = 0; j < c->left_n; j++)
            c->starts[j] = c->starts[n + j] - (uint32_t)first;
        if (to != c->at)
            memmove(to, c->at, given);
        to += given;
    }
    *bytes = (size_t)(to - text);
    return true;
}

bool line_ranges_next(line_ranges *g, char *text, size_t *bytes)
{
    do {
        take_blocks(g);
        if (!fill(g, text) || !divide(g, text, bytes))
            return false;
        /* A cut that is shorter than the keys may be before all of them. */
    } while (*bytes == 0 && g->readers.in_heap > 0);
    return true;
}

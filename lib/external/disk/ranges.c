/* ranges.c - reads the next range of the final order from sorted runs. */
#define _GNU_SOURCE
#include "external/disk/ranges.h"

#include "backend/tuning.h"
#include "external/disk/crc32c.h"
#include "external/disk/readers.h"

#include <stdlib.h>

typedef struct cursor { /* of one run */
    size_t    block;    /* its next block */
    size_t    end;      /* of its blocks */
    size_t    extent;   /* the extent of that block */
    uint64_t  offset;   /* where that block is in the file of the extent */
    spill_gap gap;      /* what was read before it */
    size_t    taken;    /* blocks of this range that are not read yet */
    size_t    carried;  /* elements that the last range left over */
    size_t    n;        /* elements of this range before the cut is known */
    char     *at;       /* where they are */
    size_t    given;    /* elements of the last range */
} cursor;

struct ranges {
    const runs *runs;
    size_t      from, count; /* the first run, and how many */
    size_t      next;        /* blocks that were taken */
    size_t      capacity;
    cursor     *cursors;
    char       *carry; /* elements that were left over, by runs */
    size_t      carried;
    size_t      staging; /* bytes of a reader's buffer */
    run_readers readers;
};

static size_t staging_of(const element_kind *kind, size_t block_n, size_t staging)
{
    return ordo_max(staging, block_most(kind, block_n));
}

size_t ranges_memory(const element_kind *kind, size_t count, size_t block_n, size_t staging,
                     unsigned threads)
{
    return count * (sizeof(cursor) + sizeof(size_t) + block_n * kind->size) +
           ordo_min(threads, READERS_MOST) * staging_of(kind, block_n, staging);
}

/* The order of the first element of the next block of a run. */
static uint64_t next_order(const ranges *g, size_t i)
{
    return g->runs->index[g->cursors[i].block + g->cursors[i].taken].first;
}

static bool comes_first(const void *user, size_t i, size_t j)
{
    uint64_t const a = next_order(user, i), b = next_order(user, j);
    return a < b || (a == b && i < j);
}

static bool read_run(void *user, size_t i, char *buffer);

static bool take_memory(ranges *g, unsigned threads)
{
    const runs *const r = g->runs;
    g->readers = (run_readers){.user = g, .first = comes_first, .read = read_run};
    g->staging = staging_of(&r->kind, r->block_n, r->staging_bytes);
    g->cursors = calloc(g->count, sizeof *g->cursors);
    g->carry = malloc(g->count * r->block_n * r->kind.size);
    return readers_open(&g->readers, g->count, threads, g->staging) && g->cursors != NULL &&
           g->carry != NULL;
}

ranges *ranges_open(const runs *r, size_t from, size_t to, size_t capacity, unsigned threads)
{
    ranges *const g = calloc(1, sizeof *g);
    if (g != NULL)
        *g = (ranges){.runs = r, .from = from, .count = to - from, .capacity = capacity};
    if (g == NULL || !take_memory(g, threads)) {
        failure_record(r->failure, ORDO_E_NOMEM, "the system refused memory to read the runs");
        ranges_close(g);
        return NULL;
    }
    for (size_t i = 0; i < g->count; i++) {
        const run *const one = &r->all[from + i];
        g->cursors[i] =
            (cursor){.block = one->block, .end = one->block + one->blocks, .extent = one->extent};
        if (one->blocks == 0)
            continue;
        g->cursors[i].offset = r->extents[one->extent].offset;
        readers_add(&g->readers, i);
    }
    return g;
}

void ranges_close(ranges *g)
{
    if (g == NULL)
        return;
    readers_close(&g->readers);
    free(g->cursors);
    free(g->carry);
    free(g);
}

/* ---- Blocks of a range ---- */

/* Takes as many blocks as fit with the elements that were left over. */
static void take_blocks(ranges *g)
{
    size_t n = g->carried;
    for (; g->readers.in_heap > 0; g->next++) {
        cursor *const c = &g->cursors[g->readers.heap[0]];
        size_t const  count = g->runs->index[c->block + c->taken].n;
        if (n + count > g->capacity)
            break;
        n += count;
        c->taken++;
        c->n += count;
        readers_next(&g->readers, c->block + c->taken == c->end);
    }
}

/* How many of the blocks at the cursor one read takes: the blocks of this range and extent that fit
 * the staging buffer. *bytes is their length. */
static size_t blocks_of_read(const ranges *g, const cursor *c, size_t *bytes)
{
    const runs *const r = g->runs;
    bool const        is_last = c->extent + 1 == r->extent_count;
    size_t const      extent_end = is_last ? r->blocks : r->extents[c->extent + 1].block;
    size_t const      end = ordo_min(c->block + c->taken, extent_end);
    size_t            block = c->block;
    *bytes = 0;
    while (block < end && *bytes + r->index[block].bytes <= g->staging)
        *bytes += r->index[block++].bytes;
    return block - c->block;
}

/* Moves the cursor behind the blocks of a read. */
static void advance(const ranges *g, cursor *c, size_t count, size_t bytes)
{
    const runs *const r = g->runs;
    spill_pass(r->spill, &c->gap, r->extents[c->extent].file, c->offset, bytes);
    c->block += count;
    c->taken -= count;
    c->offset += bytes;
    bool const is_last = c->extent + 1 == r->extent_count;
    bool const ends = c->block == (is_last ? r->blocks : r->extents[c->extent + 1].block);
    if (ends)
        spill_release(r->spill, &c->gap);
    if (ends && !is_last)
        c->offset = r->extents[++c->extent].offset;
}

/* Unpacks a block that was read. False if it is not the block that was written. */
static bool unpack(const runs *r, size_t block, const char *packed, char *elements)
{
    return crc32c(packed, r->index[block].bytes) == r->index[block].crc &&
           block_unpack(&r->kind, packed, r->index[block].bytes, r->index[block].n, elements) &&
           element_order(&r->kind, elements) == r->index[block].first;
}

/* Reads blocks at the cursor into the buffer and unpacks them to *to, which moves on. */
static bool read_blocks(const ranges *g, cursor *c, char *buffer, char **to)
{
    const runs *const r = g->runs;
    unsigned const    file = r->extents[c->extent].file;
    size_t            bytes, at = 0;
    size_t const      count = blocks_of_read(g, c, &bytes);
    if (!spill_read(r->spill, file, buffer, bytes, c->offset))
        return false;
    for (size_t block = c->block; block < c->block + count; block++) {
        if (!unpack(r, block, buffer + at, *to))
            return spill_damaged(r->spill, file, c->offset + at);
        at += r->index[block].bytes;
        *to += r->index[block].n * r->kind.size;
    }
    advance(g, c, count, bytes);
    return true;
}

/* Reads the blocks that a run has in this range. */
static bool read_run(void *user, size_t i, char *buffer)
{
    ranges *const g = user;
    cursor *const c = &g->cursors[i];
    char         *to = c->at + c->carried * g->runs->kind.size;
    while (c->taken > 0)
        if (failure_seen(g->runs->failure) || !read_blocks(g, c, buffer, &to))
            return false;
    return true;
}

/* Puts what was left over and the new blocks of each run side by side. */
static bool fill(ranges *g, char *elements)
{
    size_t const size = g->runs->kind.size;
    const char  *left = g->carry;
    char        *to = elements;
    for (size_t i = 0; i < g->count; i++) {
        cursor *const c = &g->cursors[i];
        c->at = to;
        memcpy(to, left, c->carried * size);
        left += c->carried * size;
        c->n += c->carried;
        to += c->n * size;
    }
    readers_read(&g->readers, g->count);
    return !failure_seen(g->runs->failure);
}

/* ---- The cut ---- */

/* How many of the n elements of run i come before the cut: the first element of the first block
 * that was not read. */
static size_t before_cut(const ranges *g, size_t i, const char *elements, size_t n)
{
    size_t const *const owner = g->readers.heap;
    return g->readers.in_heap == 0 || i == *owner
               ? n
               : elements_below(&g->runs->kind, elements, n, next_order(g, *owner), i < *owner);
}

/* Moves the elements before the cut together and the others to g->carry; returns the number of the
 * former. */
static size_t divide(ranges *g, char *elements)
{
    size_t const size = g->runs->kind.size;
    char        *to = elements, *left = g->carry;
    g->carried = 0;
    for (size_t i = 0; i < g->count; i++) {
        cursor *const c = &g->cursors[i];
        size_t const  n = before_cut(g, i, c->at, c->n);
        c->given = n;
        c->carried = c->n - n;
        memcpy(left, c->at + n * size, c->carried * size);
        if (to != c->at)
            memmove(to, c->at, n * size);
        left += c->carried * size;
        to += n * size;
        g->carried += c->carried;
        c->n = 0;
    }
    return (size_t)(to - elements) / size;
}

bool ranges_next(ranges *g, char *elements, size_t *n)
{
    take_blocks(g);
    if (!fill(g, elements))
        return false;
    *n = divide(g, elements);
    return true;
}

size_t ranges_given(const ranges *g, size_t i) { return g->cursors[i].given; }

/* ---- Places ---- */

size_t ranges_tell(const ranges *g) { return g->next; }

/* Reads the block before the cursor to `elements`. */
static bool read_last(ranges *g, const cursor *c, char *elements)
{
    const runs *const r = g->runs;
    size_t const      block = c->block - 1, bytes = r->index[block].bytes;
    unsigned const    file = r->extents[c->extent].file;
    uint64_t const    offset = c->offset - bytes;
    char *const       buffer = g->readers.buffers[0];
    return spill_read(r->spill, file, buffer, bytes, offset) &&
           (unpack(r, block, buffer, elements) || spill_damaged(r->spill, file, offset));
}

/* Divides the last block that was taken of each run at the cut, as divide() did. */
static bool divide_again(ranges *g, char *block, uint64_t *last)
{
    const runs *const r = g->runs;
    size_t const      size = r->kind.size;
    char             *to = g->carry;
    for (size_t i = 0; i < g->count; i++) {
        cursor *const c = &g->cursors[i];
        if (c->block == r->all[g->from + i].block)
            continue;
        if (!read_last(g, c, block))
            return false;
        size_t const n = r->index[c->block - 1].n, below = before_cut(g, i, block, n);
        *last = ordo_max(*last, element_tie(&r->kind, block + (below - 1) * size));
        c->carried = n - below;
        memcpy(to, block + below * size, c->carried * size);
        to += c->carried * size;
        g->carried += c->carried;
    }
    return true;
}

bool ranges_seek(ranges *g, size_t next, uint64_t *passed, uint64_t *last)
{
    const runs *const r = g->runs;
    *passed = *last = 0;
    for (; g->next < next && g->readers.in_heap > 0; g->next++) {
        cursor *const c = &g->cursors[g->readers.heap[0]];
        *passed += r->index[c->block].n;
        c->offset += r->index[c->block++].bytes;
        readers_next(&g->readers, c->block == c->end);
    }
    if (g->next < next)
        return failure_record(r->failure, ORDO_E_IO,
                              "the place where the sort goes on is behind its last block");
    char *const block = malloc(r->block_n * r->kind.size);
    bool const  ok = block != NULL ? divide_again(g, block, last)
                                   : failure_record(r->failure, ORDO_E_NOMEM,
                                                    "the system refused memory to read the runs");
    free(block);
    *passed -= g->carried;
    return ok;
}

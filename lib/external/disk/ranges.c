/* ranges.c - reads the next range of the final order from sorted runs. */
#define _GNU_SOURCE
#include "external/disk/ranges.h"

#include "backend/tuning.h"
#include "external/disk/crc32c.h"

#include <stdlib.h>

enum {
    MOST_THREADS = 8
};

typedef struct cursor { /* of one run */
    size_t    block;    /* its next block */
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
    const runs     *runs;
    size_t          from, count; /* the first run, and how many */
    const uint32_t *order;
    size_t          next, blocks; /* in order */
    size_t          capacity;
    cursor         *cursors;
    char           *carry; /* elements that were left over, by runs */
    size_t          carried;

    ordo_pool      *pool; /* of reading threads */
    atomic_int      stop;
    size_t          staging; /* bytes of a buffer */
    pthread_mutex_t lock;
    char           *buffers[MOST_THREADS];
    unsigned        free_buffers, threads;
};

size_t ranges_memory(const element_kind *kind, size_t count, size_t block_n, size_t staging,
                     unsigned threads)
{
    return count * (sizeof(cursor) + block_n * kind->size) +
           ordo_min(threads, MOST_THREADS) * ordo_max(staging, block_most(kind, block_n));
}

static void *system_alloc(void *user, size_t bytes) { return (void)user, malloc(bytes); }
static void  system_release(void *user, void *block) { (void)user, free(block); }

ranges *ranges_open(const runs *r, size_t from, size_t to, const uint32_t *order, size_t capacity,
                    unsigned threads)
{
    ordo_alloc const source = {system_alloc, system_release, NULL};
    ranges *const    g = calloc(1, sizeof *g);
    bool             has_all = g != NULL;
    if (has_all) {
        g->runs = r;
        g->from = from;
        g->count = to - from;
        g->order = order;
        g->capacity = capacity;
        g->staging = ordo_max(r->staging_bytes, block_most(&r->kind, r->block_n));
        pthread_mutex_init(&g->lock, NULL);
        g->cursors = calloc(g->count, sizeof *g->cursors);
        g->carry = malloc(g->count * r->block_n * r->kind.size);
        g->pool = ordo_pool_create(&source, (unsigned)ordo_min(threads, MOST_THREADS));
        has_all = g->cursors != NULL && g->carry != NULL && g->pool != NULL;
        for (g->threads = 0; has_all && g->threads < ordo_min(threads, MOST_THREADS);
             g->threads++) {
            g->buffers[g->threads] = malloc(g->staging);
            has_all = g->buffers[g->threads] != NULL;
        }
        g->free_buffers = g->threads;
    }
    if (!has_all) {
        failure_record(r->failure, ORDO_E_NOMEM, "the system refused memory to read the runs");
        ranges_close(g);
        return NULL;
    }
    for (size_t i = 0; i < g->count; i++) {
        const run *const one = &r->all[from + i];
        g->cursors[i] = (cursor){.block = one->block, .extent = one->extent};
        if (one->blocks > 0)
            g->cursors[i].offset = r->extents[one->extent].offset;
        g->blocks += one->blocks;
    }
    return g;
}

void ranges_close(ranges *g)
{
    if (g == NULL)
        return;
    if (g->pool != NULL)
        ordo_pool_free(g->pool);
    for (unsigned i = 0; i < MOST_THREADS; i++)
        free(g->buffers[i]);
    free(g->cursors);
    free(g->carry);
    pthread_mutex_destroy(&g->lock);
    free(g);
}

/* ---- Blocks of a range ---- */

/* Which of the runs has a block. */
static size_t run_of_block(const ranges *g, size_t block)
{
    const run *const all = g->runs->all + g->from;
    size_t           lo = 0, hi = g->count;
    while (hi - lo > 1) {
        size_t const middle = lo + (hi - lo) / 2;
        if (all[middle].block <= block)
            lo = middle;
        else
            hi = middle;
    }
    return lo;
}

/* Takes as many blocks as fit; returns the elements of the range, those left over included. */
static size_t take_blocks(ranges *g)
{
    size_t n = g->carried;
    for (; g->next < g->blocks; g->next++) {
        size_t const block = g->order[g->next], i = run_of_block(g, block);
        size_t const count = g->runs->n[block];
        if (n + count > g->capacity)
            break;
        n += count;
        g->cursors[i].taken++;
        g->cursors[i].n += count;
    }
    return n;
}

static char *take_buffer(ranges *g)
{
    pthread_mutex_lock(&g->lock);
    char *const buffer = g->buffers[--g->free_buffers];
    pthread_mutex_unlock(&g->lock);
    return buffer;
}

static void return_buffer(ranges *g, char *buffer)
{
    pthread_mutex_lock(&g->lock);
    g->buffers[g->free_buffers++] = buffer;
    pthread_mutex_unlock(&g->lock);
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
    while (block < end && *bytes + r->bytes[block] <= g->staging)
        *bytes += r->bytes[block++];
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
    return crc32c(packed, r->bytes[block]) == r->crc[block] &&
           block_unpack(&r->kind, packed, r->bytes[block], r->n[block], elements) &&
           element_order(&r->kind, elements) == r->first[block];
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
        at += r->bytes[block];
        *to += r->n[block] * r->kind.size;
    }
    advance(g, c, count, bytes);
    return true;
}

/* Reads the blocks that runs [lo, hi) have in this range. */
static void read_runs(void *arg, size_t lo, size_t hi)
{
    ranges *const g = arg;
    char *const   buffer = take_buffer(g);
    for (size_t i = lo; i < hi; i++) {
        cursor *const c = &g->cursors[i];
        char         *to = c->at + c->carried * g->runs->kind.size;
        while (c->taken > 0 && !failure_seen(g->runs->failure) && read_blocks(g, c, buffer, &to))
            continue;
    }
    return_buffer(g, buffer);
}

static void ignore_tick(void *user, double share) { (void)user, (void)share; }

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
    ordo_pool_loop(g->pool, g->count, 1, read_runs, g, &g->stop, ignore_tick, NULL);
    return !failure_seen(g->runs->failure);
}

/* ---- The cut ---- */

/* Moves the elements before the cut together and the others to g->carry; returns the number of the
 * former. Block `cut` is the first one that was not read. */
static size_t divide(ranges *g, char *elements, size_t cut)
{
    const runs *const r = g->runs;
    size_t const      size = r->kind.size, owner = run_of_block(g, cut);
    uint64_t const    order = r->first[cut];
    char             *to = elements, *left = g->carry;
    g->carried = 0;
    for (size_t i = 0; i < g->count; i++) {
        cursor *const c = &g->cursors[i];
        size_t const  n =
            i == owner ? c->n : elements_below(&r->kind, c->at, c->n, order, i < owner);
        c->given = n;
        c->carried = c->n - n;
        memcpy(left, c->at + n * size, c->carried * size);
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
    *n = take_blocks(g);
    if (!fill(g, elements))
        return false;
    if (g->next < g->blocks) {
        *n = divide(g, elements, g->order[g->next]);
        return true;
    }
    g->carried = 0;
    for (size_t i = 0; i < g->count; i++) {
        cursor *const c = &g->cursors[i];
        c->given = c->n;
        c->carried = c->n = 0;
    }
    return true;
}

size_t ranges_given(const ranges *g, size_t i) { return g->cursors[i].given; }

/* ---- Places ---- */

size_t ranges_tell(const ranges *g) { return g->next; }

/* Reads the block before the cursor to `elements`. */
static bool read_last(ranges *g, const cursor *c, char *elements)
{
    const runs *const r = g->runs;
    size_t const      block = c->block - 1, bytes = r->bytes[block];
    unsigned const    file = r->extents[c->extent].file;
    uint64_t const    offset = c->offset - bytes;
    return spill_read(r->spill, file, g->buffers[0], bytes, offset) &&
           (unpack(r, block, g->buffers[0], elements) || spill_damaged(r->spill, file, offset));
}

/* Divides the last block that was taken of each run at the cut, as divide() did. */
static bool divide_again(ranges *g, char *block, uint64_t *last)
{
    const runs *const r = g->runs;
    size_t const      size = r->kind.size;
    bool const        is_end = g->next == g->blocks;
    size_t const      owner = is_end ? 0 : run_of_block(g, g->order[g->next]);
    char             *to = g->carry;
    for (size_t i = 0; i < g->count; i++) {
        cursor *const c = &g->cursors[i];
        if (c->block == r->all[g->from + i].block)
            continue;
        if (!read_last(g, c, block))
            return false;
        size_t const n = r->n[c->block - 1];
        size_t const below =
            is_end || i == owner
                ? n
                : elements_below(&r->kind, block, n, r->first[g->order[g->next]], i < owner);
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
    if (next > g->blocks)
        return failure_record(r->failure, ORDO_E_IO,
                              "the place where the sort goes on is behind its last block");
    for (; g->next < next; g->next++) {
        size_t const  block = g->order[g->next];
        cursor *const c = &g->cursors[run_of_block(g, block)];
        c->block++;
        c->offset += r->bytes[block];
        *passed += r->n[block];
    }
    char *const block = malloc(r->block_n * r->kind.size);
    bool const  ok = block != NULL ? divide_again(g, block, last)
                                   : failure_record(r->failure, ORDO_E_NOMEM,
                                                    "the system refused memory to read the runs");
    free(block);
    *passed -= g->carried;
    return ok;
}

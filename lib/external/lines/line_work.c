/* line_work.c - the second half of the work on a buffer: the order of its lines, and the lines in
 * order, as text or as packed blocks. */
#define _GNU_SOURCE
#include "external/disk/crc32c.h"
#include "external/lines/line_work.h"

#include "backend/exec.h"

#include <stdlib.h>

enum {
    AHEAD = 16,         /* lines fetched before they are used; estimate */
    GATHER_GRAIN = 4096 /* lines of a piece of the loop that copies them */
};

size_t line_work_memory(bool keyed)
{
    size_t const sort = 32; /* scratch of the string sort */
    return sizeof(uint64_t) + (keyed ? sizeof(uint64_t) : 0) + sizeof(uint32_t) + sort;
}

bool line_work_open(line_work *w, external_call *c, const ordo_line_format *format,
                    const line_limits *limits)
{
    size_t const chunks = ordo_max(limits->bytes / LINE_CHUNK, limits->lines / GATHER_GRAIN) + 2;
    bool const   keyed = format->key != NULL;
    *w = (line_work){.call = c,
                     .format = *format,
                     .limits = *limits,
                     .descending = (c->opts.flags & ORDO_DESCENDING) != 0,
                     .unique = (c->opts.flags & ORDO_UNIQUE) != 0,
                     .lines = malloc(limits->bytes + 1),
                     .offsets = malloc((limits->lines + 1) * sizeof *w->offsets),
                     .keys = keyed ? malloc(limits->keys) : NULL,
                     .key_offsets =
                         keyed ? malloc((limits->lines + 1) * sizeof *w->key_offsets) : NULL,
                     .index = malloc(limits->lines * sizeof *w->index),
                     .chunks = malloc(chunks * sizeof *w->chunks)};
    bool const has_all = w->lines != NULL && w->offsets != NULL && w->index != NULL &&
                         w->chunks != NULL &&
                         (!keyed || (w->keys != NULL && w->key_offsets != NULL));
    return has_all || failure_record(&c->failure, ORDO_E_NOMEM,
                                     "the system refused memory for %zu lines", limits->lines);
}

void line_work_close(line_work *w)
{
    free(w->lines);
    free(w->offsets);
    free(w->keys);
    free(w->key_offsets);
    free(w->index);
    free(w->scratch.bytes);
    free(w->chunks);
    free(w->last.bytes);
    *w = (line_work){0};
}

static line_view line_at(const line_work *w, size_t i)
{
    return (line_view){w->lines + w->offsets[i], (size_t)(w->offsets[i + 1] - w->offsets[i])};
}

static line_view key_at(const line_work *w, size_t i)
{
    return w->keys == NULL ? line_at(w, i)
                           : (line_view){w->keys + w->key_offsets[i],
                                         (size_t)(w->key_offsets[i + 1] - w->key_offsets[i])};
}

/* ---- The order ---- */

/* Keeps the lines in order whose key differs from the one before. */
static void drop_ties(line_work *w)
{
    line_view before = {w->last.bytes, w->last_length};
    bool      has_before = w->has_last;
    w->kept = 0;
    for (size_t i = 0; i < w->n; i++) {
        if (i + AHEAD < w->n)
            __builtin_prefetch(key_at(w, w->index[i + AHEAD]).bytes);
        line_view const key = key_at(w, w->index[i]);
        if (has_before && line_compare(before, key) == 0)
            continue;
        before = key;
        has_before = true;
        w->index[w->kept++] = w->index[i];
    }
}

bool line_work_sort(line_work *w)
{
    external_call *const c = w->call;
    bool const           keyed = w->keys != NULL;
    ordo_strings const   strings = ORDO_OPTS(ordo_strings, .bytes = keyed ? w->keys : w->lines,
                                             .offsets = keyed ? w->key_offsets : w->offsets);
    ordo_status const    status = ordo_argsort_strings(
           c->inner, &strings, w->n, ORDO_U32, w->index,
           &ORDO_OPTS(ordo_sort_opts, .flags = w->descending ? ORDO_DESCENDING : 0));
    if (!external_inner_done(c, status))
        return false;
    w->kept = w->n;
    if (w->unique)
        drop_ties(w);
    return true;
}

/* Remembers the last key. */
static bool keep_last(line_work *w)
{
    if (w->kept == 0)
        return true;
    line_view const key = key_at(w, w->index[w->kept - 1]);
    if (key.length > w->last.capacity) {
        free(w->last.bytes);
        w->last = (key_room){malloc(key.length), key.length};
        if (w->last.bytes == NULL) {
            w->last.capacity = 0;
            return failure_record(&w->call->failure, ORDO_E_NOMEM,
                                  "the system refused %zu bytes for a key", key.length);
        }
    }
    if (key.length > 0)
        memcpy(w->last.bytes, key.bytes, key.length);
    w->last_length = key.length;
    w->has_last = true;
    return true;
}

/* ---- Text ---- */

typedef struct gather_job {
    line_work *w;
    char      *to;
} gather_job;

/* The bytes of lines first to end - 1 in order, with their ends. */
static size_t bytes_of(const line_work *w, size_t first, size_t end)
{
    size_t bytes = end - first;
    for (size_t i = first; i < end; i++) {
        if (i + AHEAD < end)
            __builtin_prefetch(&w->offsets[w->index[i + AHEAD]]);
        bytes += line_at(w, w->index[i]).length;
    }
    return bytes;
}

static void count_bytes(void *arg, size_t lo, size_t hi)
{
    line_work *const w = arg;
    for (size_t c = lo; c < hi; c++)
        w->chunks[c] = bytes_of(w, c * GATHER_GRAIN, ordo_min(w->kept, (c + 1) * GATHER_GRAIN));
}

static void copy_lines(void *arg, size_t lo, size_t hi)
{
    const gather_job *const job = arg;
    line_work *const        w = job->w;
    size_t const            end = ordo_min(w->kept, hi * GATHER_GRAIN);
    char                   *to = job->to + w->chunks[lo];
    for (size_t i = lo * GATHER_GRAIN; i < end; i++) {
        if (i + AHEAD < end)
            __builtin_prefetch(w->lines + w->offsets[w->index[i + AHEAD]]);
        line_view const line = line_at(w, w->index[i]);
        memcpy(to, line.bytes, line.length);
        to += line.length;
        *to++ = (char)w->format.end;
    }
}

bool line_work_gather(line_work *w, char *to, size_t *bytes)
{
    ordo_exec *const exec = w->call->exec;
    gather_job       job = {w, to};
    size_t const     chunks = ordo_div_up(w->kept, GATHER_GRAIN);
    *bytes = 0;
    bool ok = ordo_loop(exec, chunks, 1, count_bytes, w);
    for (size_t c = 0; ok && c < chunks; c++) {
        size_t const found = w->chunks[c];
        w->chunks[c] = *bytes;
        *bytes += found;
    }
    ok = ok && ordo_loop(exec, chunks, 1, copy_lines, &job);
    return ok ? keep_last(w) : failure_record(&w->call->failure, ORDO_E_CANCELLED, "cancelled");
}

/* ---- Blocks ---- */

typedef struct pack_job {
    line_work  *w;
    char       *to;
    line_block *blocks;
    size_t      at;    /* the position of `to` in its buffer */
    size_t      count; /* blocks; until a block is packed, its `crc` is the number of its first
                        * line in order */
} pack_job;

/* Sets the cut of a block between neighbours. The first key has none before it and is its own
 * cut. */
static void make_cut(const line_work *w, bool has_before, line_view before, line_view key,
                     line_block *b)
{
    size_t const common = has_before ? line_common(before, key) : 0;
    line_view    from = key;
    if (has_before && (common < key.length || common < before.length)) {
        from = w->descending ? before : key;
        from.length = common + 1;
    }
    b->owned = malloc(from.length + 1);
    if (b->owned == NULL) {
        failure_record(&w->call->failure, ORDO_E_NOMEM, "the system refused memory for a key");
        return;
    }
    if (from.length > 0)
        memcpy(b->owned, from.bytes, from.length);
    b->cut = (line_view){b->owned, from.length};
}

static void pack_block(pack_job *job, line_block *b)
{
    line_work *const w = job->w;
    size_t const     first = b->crc;
    char *const      begin = job->to + (b->offset - job->at);
    char            *to = begin;
    line_view        before = {NULL, 0};
    bool const       has_before = first > 0 || w->has_last;
    make_cut(w, has_before,
             first > 0 ? key_at(w, w->index[first - 1])
                       : (line_view){w->last.bytes, w->last_length},
             key_at(w, w->index[first]), b);
    b->is_first = !has_before;
    for (size_t i = first; i < first + b->n; i++) {
        if (i + AHEAD < first + b->n)
            __builtin_prefetch(w->lines + w->offsets[w->index[i + AHEAD]]);
        line_view const line = line_at(w, w->index[i]);
        to = line_block_put(to, before, line);
        before = line;
    }
    b->bytes = (uint32_t)(to - begin);
    b->crc = crc32c(begin, b->bytes);
}

static void pack_blocks(void *arg, size_t lo, size_t hi)
{
    pack_job *const job = arg;
    for (size_t k = lo; k < hi; k++)
        pack_block(job, &job->blocks[k]);
}

/* Divides the lines in order into blocks and appends them to *blocks. A block has no larger share
 * of the limits of lines and keys than of that of bytes. */
static bool divide(line_work *w, size_t at, line_blocks *blocks, size_t *end)
{
    const line_limits *const limits = &w->limits;
    double const             share = (double)limits->block / (double)limits->bytes;
    size_t const             most_n = (size_t)((double)limits->lines * share) + 1;
    size_t const             most_keys = (size_t)((double)limits->keys * share) + 1;
    size_t                   raw = 0, keys = 0, first = 0;
    *end = at;
    for (size_t i = 0; i < w->kept; i++) {
        if (i + AHEAD < w->kept)
            __builtin_prefetch(&w->offsets[w->index[i + AHEAD]]);
        size_t const size = line_at(w, w->index[i]).length + 1;
        if (size > limits->line)
            return failure_record(&w->call->failure, ORDO_E_NOMEM,
                                  "a line of %s has %zu bytes; with %llu bytes of memory at most "
                                  "%zu are possible; expected a larger limit of the memory",
                                  w->call->from.name, size,
                                  (unsigned long long)w->call->opts.memory, limits->line);
        raw += size;
        keys += w->keys != NULL ? key_at(w, w->index[i]).length : 0;
        if (raw < limits->block && keys < most_keys && i + 1 - first < most_n && i + 1 < w->kept)
            continue;
        line_block const block = {.offset = *end,
                                  .crc = (uint32_t)first,
                                  .raw = (uint32_t)raw,
                                  .keys = (uint32_t)keys,
                                  .n = (uint32_t)(i + 1 - first)};
        if (!failure_grow(&w->call->failure, (void **)&blocks->all, &blocks->capacity,
                          blocks->count + 1, sizeof block))
            return false;
        blocks->all[blocks->count++] = block;
        *end += line_block_most(raw);
        first = i + 1;
        raw = keys = 0;
    }
    return true;
}

bool line_work_pack(line_work *w, char *to, size_t at, line_blocks *blocks, size_t *bytes)
{
    size_t const before = blocks->count;
    size_t       end;
    if (!divide(w, at, blocks, &end))
        return false;
    pack_job job = {w, to, blocks->all + before, at, blocks->count - before};
    *bytes = end - at;
    bool const ok = ordo_loop(w->call->exec, job.count, 1, pack_blocks, &job) ||
                    failure_record(&w->call->failure, ORDO_E_CANCELLED, "cancelled");
    return ok && !failure_seen(&w->call->failure) && keep_last(w);
}

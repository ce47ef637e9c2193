/* runs.c - writes sorted runs to disk as blocks, through a staging buffer. */
#include "external/disk/runs.h"

#include "external/disk/crc32c.h"

#include <stdlib.h>

bool runs_resize(runs *r)
{
    free(r->staging);
    r->staging = malloc(r->staging_bytes + block_most(&r->kind, r->block_n));
    return r->staging != NULL ||
           failure_record(r->failure, ORDO_E_NOMEM, "the system refused memory for a buffer");
}

bool runs_open(runs *r, const element_kind *kind, size_t block_n, size_t staging, spill *s)
{
    *r = (runs){.kind = *kind,
                .block_n = block_n,
                .spill = s,
                .failure = s->failure,
                .staging_bytes = staging};
    return runs_resize(r);
}

void runs_close(runs *r)
{
    free(r->all);
    free(r->extents);
    free(r->index);
    free(r->staging);
    *r = (runs){0};
}

bool runs_begin(runs *r)
{
    if (!failure_grow(r->failure, (void **)&r->all, &r->capacity, r->count + 1, sizeof *r->all))
        return false;
    spill_turn(r->spill);
    r->all[r->count++] = (run){.block = r->blocks, .extent = r->extent_count};
    r->staged_block = r->blocks;
    return true;
}

/* Notes where the staged blocks are. They continue the last extent of the run or begin a new
 * one. */
static bool note_extent(runs *r, unsigned file, uint64_t offset)
{
    const run *const one = &r->all[r->count - 1];
    if (r->extent_count > one->extent && r->extents[r->extent_count - 1].file == file &&
        r->end == offset)
        return true;
    if (!failure_grow(r->failure, (void **)&r->extents, &r->extent_capacity, r->extent_count + 1,
                      sizeof *r->extents))
        return false;
    r->extents[r->extent_count++] = (extent){r->staged_block, file, offset};
    return true;
}

static bool flush(runs *r)
{
    unsigned file;
    uint64_t offset;
    if (r->staged == 0)
        return true;
    if (!spill_append(r->spill, r->staging, r->staged, &file, &offset) ||
        !note_extent(r, file, offset))
        return false;
    r->end = offset + r->staged;
    r->staged = 0;
    r->staged_block = r->blocks;
    return true;
}

bool runs_reserve(runs *r, size_t count)
{
    return failure_grow(r->failure, (void **)&r->index, &r->block_capacity, r->blocks + count,
                        sizeof *r->index);
}

/* Notes what memory holds about the block that was packed last. */
static bool note_block(runs *r, const char *elements, size_t n, size_t bytes)
{
    if (!runs_reserve(r, 1))
        return false;
    r->index[r->blocks++] = (run_block){.first = element_order(&r->kind, elements),
                                        .n = (uint32_t)n,
                                        .bytes = (uint32_t)bytes,
                                        .crc = crc32c(r->staging + r->staged, bytes)};
    return true;
}

bool runs_append(runs *r, const char *elements, size_t n)
{
    run *const one = &r->all[r->count - 1];
    for (size_t at = 0; at < n; at += r->block_n) {
        size_t const      count = ordo_min(r->block_n, n - at);
        const char *const from = elements + at * r->kind.size;
        size_t const      bytes = block_pack(&r->kind, from, count, r->staging + r->staged);
        if (!note_block(r, from, count, bytes))
            return false;
        r->staged += bytes;
        one->blocks++;
        one->n += count;
        if (r->staged >= r->staging_bytes && !flush(r))
            return false;
    }
    return true;
}

bool runs_end(runs *r) { return flush(r); }

bool runs_restore(runs *r, uint64_t n, size_t blocks, uint64_t offset, const void *index)
{
    if (!runs_begin(r) || !note_extent(r, 0, offset) || !runs_reserve(r, blocks))
        return false;
    memcpy(r->index + r->blocks, index, blocks * sizeof *r->index);
    r->all[r->count - 1].n = n;
    r->all[r->count - 1].blocks = blocks;
    r->blocks += blocks;
    return true;
}

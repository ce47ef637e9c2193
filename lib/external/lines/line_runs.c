/* line_runs.c - writes blocks of lines to the temporary files and keeps their index. */
#include "external/lines/line_runs.h"

#include <stdlib.h>

enum {
    MOST_WRITE = 1 << 20, /* bytes that are written at once, unless one block is larger */
    FILE_SHIFT = 56       /* of the file in line_entry.place */
};

struct line_entry {
    uint32_t place[2]; /* offset and file, lower half first */
    uint32_t bytes, raw, n, keys, crc;
    uint32_t cut, cut_length; /* in line_runs.cuts */
};

_Static_assert(sizeof(line_entry) == LINE_ENTRY, "the memory of an entry is planned");

void line_runs_open(line_runs *r, size_t limit, spill *s)
{
    *r = (line_runs){
        .spill = s, .failure = s->failure, .limit = (size_t)ordo_min(limit, UINT32_MAX)};
}

void line_runs_close(line_runs *r)
{
    free(r->entries);
    free(r->cuts);
    free(r->all);
    *r = (line_runs){0};
}

line_view line_runs_cut(const line_runs *r, size_t i)
{
    return (line_view){r->cuts + r->entries[i].cut, r->entries[i].cut_length};
}

line_block line_runs_block(const line_runs *r, size_t i)
{
    const line_entry *const e = &r->entries[i];
    uint64_t const          place = (uint64_t)e->place[1] << 32 | e->place[0];
    return (line_block){.offset = place & (((uint64_t)1 << FILE_SHIFT) - 1),
                        .file = (unsigned)(place >> FILE_SHIFT),
                        .bytes = e->bytes,
                        .raw = e->raw,
                        .n = e->n,
                        .keys = e->keys,
                        .crc = e->crc,
                        .cut = line_runs_cut(r, i)};
}

static bool check_limit(const line_runs *r)
{
    size_t const used =
        r->capacity * sizeof *r->entries + r->cut_capacity + r->run_capacity * sizeof *r->all;
    return used <= r->limit ||
           failure_record(r->failure, ORDO_E_NOMEM,
                          "the index of the temporary files needs more than %zu bytes: the data "
                          "are too large for the memory, or long lines begin alike; expected a "
                          "larger limit of the memory",
                          r->limit);
}

/* Copies the cut of a block behind the others, unless it is that of the block before. */
static bool note_cut(line_runs *r, const line_block *block, line_entry *e)
{
    line_view const before = r->blocks > 0 ? line_runs_cut(r, r->blocks - 1) : (line_view){NULL, 0};
    e->cut_length = (uint32_t)block->cut.length;
    if (r->blocks > 0 && line_compare(before, block->cut) == 0) {
        e->cut = r->entries[r->blocks - 1].cut;
        return true;
    }
    if (!failure_grow(r->failure, (void **)&r->cuts, &r->cut_capacity,
                      r->cut_bytes + block->cut.length, 1) ||
        !check_limit(r))
        return false;
    if (block->cut.length > 0)
        memcpy(r->cuts + r->cut_bytes, block->cut.bytes, block->cut.length);
    e->cut = (uint32_t)r->cut_bytes;
    r->cut_bytes += block->cut.length;
    return true;
}

/* Notes a block that was written. */
static bool note(line_runs *r, const line_block *block)
{
    uint64_t const place = block->offset | (uint64_t)block->file << FILE_SHIFT;
    line_entry     e = {.place = {(uint32_t)place, (uint32_t)(place >> 32)},
                        .bytes = block->bytes,
                        .raw = block->raw,
                        .n = block->n,
                        .keys = block->keys,
                        .crc = block->crc};
    failure *const f = r->failure;
    if (!failure_grow(f, (void **)&r->entries, &r->capacity, r->blocks + 1, sizeof e) ||
        !failure_grow(f, (void **)&r->all, &r->run_capacity, r->count + 1, sizeof *r->all) ||
        !note_cut(r, block, &e))
        return false;
    if (block->is_first)
        r->all[r->count++] = (line_run){.block = r->blocks};
    r->entries[r->blocks++] = e;
    r->all[r->count - 1].blocks++;
    r->most_raw = ordo_max(r->most_raw, block->raw);
    r->most_n = ordo_max(r->most_n, block->n);
    r->most_keys = ordo_max(r->most_keys, block->keys);
    r->most_bytes = ordo_max(r->most_bytes, block->bytes);
    return check_limit(r);
}

/* Moves blocks together until there are enough for one write; returns their number. */
static size_t collect(char *buffer, const line_block *blocks, size_t count, size_t *bytes)
{
    char *const to = buffer + blocks[0].offset;
    size_t      n = 0;
    for (*bytes = 0; n < count; n++) {
        if (n > 0 && (blocks[n].is_first || *bytes + blocks[n].bytes > MOST_WRITE))
            break;
        memmove(to + *bytes, buffer + blocks[n].offset, blocks[n].bytes);
        *bytes += blocks[n].bytes;
    }
    return n;
}

static bool write_blocks(line_runs *r, char *buffer, line_block *blocks, size_t count)
{
    for (size_t done = 0, n; done < count; done += n) {
        line_block *const some = blocks + done;
        size_t            bytes;
        unsigned          file;
        uint64_t          offset;
        if (some->is_first)
            spill_turn(r->spill);
        n = collect(buffer, some, count - done, &bytes);
        if (!spill_append(r->spill, buffer + some->offset, bytes, &file, &offset))
            return false;
        for (size_t i = 0; i < n; i++) {
            some[i].offset = offset;
            some[i].file = file;
            offset += some[i].bytes;
            if (!note(r, &some[i]))
                return false;
        }
    }
    return true;
}

bool line_runs_append(line_runs *r, char *buffer, line_block *blocks, size_t count)
{
    bool const ok = write_blocks(r, buffer, blocks, count);
    for (size_t i = 0; i < count; i++)
        free(blocks[i].owned);
    return ok;
}

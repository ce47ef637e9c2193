/* runs.c - writes sorted runs to disk as blocks, through a staging buffer. */
#include "external/runs.h"

#include "external/crc32c.h"

#include <stdlib.h>

bool runs_open(runs *r, const element_kind *kind, size_t block_n, size_t bound, spill *s)
{
    *r = (runs){.kind = *kind,
                .block_n = block_n,
                .bound = bound,
                .spill = s,
                .trouble = s->trouble,
                .staging = malloc(RUNS_STAGING + block_most(kind, block_n))};
    return r->staging != NULL ||
           trouble_set(s->trouble, ORDO_E_NOMEM, "the system refused memory for a buffer");
}

void runs_close(runs *r)
{
    free(r->all);
    free(r->first);
    free(r->n);
    free(r->bytes);
    free(r->crc);
    free(r->staging);
    *r = (runs){0};
}

/* Makes room for n items of `size` bytes in *array. */
static bool grow(void **array, size_t n, size_t size)
{
    void *const more = realloc(*array, n * size);
    if (more != NULL)
        *array = more;
    return more != NULL;
}

static bool no_memory(const runs *r)
{
    return trouble_set(r->trouble, ORDO_E_NOMEM, "the system refused memory for the runs");
}

bool runs_begin(runs *r)
{
    if (r->count == r->room) {
        size_t const room = ordo_max(16, 2 * r->room);
        if (!grow((void **)&r->all, room, sizeof *r->all))
            return no_memory(r);
        r->room = room;
    }
    run *const one = &r->all[r->count];
    *one = (run){.block = r->blocks};
    if (!spill_begin(r->spill, &one->file))
        return false;
    one->offset = r->spill->files[one->file].size;
    r->count++;
    return true;
}

static bool flush(runs *r)
{
    uint64_t     offset;
    size_t const bytes = r->staged;
    r->staged = 0;
    return bytes == 0 ||
           spill_append(r->spill, r->all[r->count - 1].file, r->staging, bytes, &offset);
}

static bool describe(runs *r, const char *elements, size_t n, size_t bytes)
{
    if (r->blocks == r->block_room) {
        size_t const room = ordo_max(1024, 2 * r->block_room);
        if (r->blocks >= r->bound)
            return trouble_set(r->trouble, ORDO_E_NOMEM,
                               "the memory limit is too small for the data: no room to describe "
                               "more than %zu blocks",
                               r->bound);
        if (!grow((void **)&r->first, room, sizeof *r->first) ||
            !grow((void **)&r->n, room, sizeof *r->n) ||
            !grow((void **)&r->bytes, room, sizeof *r->bytes) ||
            !grow((void **)&r->crc, room, sizeof *r->crc))
            return no_memory(r);
        r->block_room = room;
    }
    r->first[r->blocks] = element_order(&r->kind, elements);
    r->n[r->blocks] = (uint32_t)n;
    r->bytes[r->blocks] = (uint32_t)bytes;
    r->crc[r->blocks] = crc32c(r->staging + r->staged, bytes);
    r->blocks++;
    return true;
}

bool runs_append(runs *r, const char *elements, size_t n)
{
    run *const one = &r->all[r->count - 1];
    for (size_t at = 0; at < n; at += r->block_n) {
        size_t const      count = ordo_min(r->block_n, n - at);
        const char *const from = elements + at * r->kind.size;
        size_t const      bytes = block_pack(&r->kind, from, count, r->staging + r->staged);
        if (!describe(r, from, count, bytes))
            return false;
        r->staged += bytes;
        one->blocks++;
        one->n += count;
        if (r->staged >= RUNS_STAGING && !flush(r))
            return false;
    }
    return true;
}

bool runs_end(runs *r) { return flush(r); }

/* replay.c - reads a source several times, from its file or from a copy. */
#define _GNU_SOURCE
#include "external/replay.h"

#include "external/disk/files.h"

#include <stdlib.h>
#include <unistd.h>

typedef struct copier {
    external_call *call;
    replay        *to;
    bool           ended;
} copier;

static bool read_chunk(void *user, piece *p)
{
    copier *const copy = user;
    if (!copy->ended && !external_read(copy->call, p->elements, &p->n))
        return false;
    copy->ended = p->n < copy->call->capacity;
    p->ended = p->n == 0;
    return true;
}

static bool keep_chunk(void *user, piece *p) { return (void)user, (void)p, true; }

static bool write_chunk(void *user, const piece *p)
{
    copier *const        copy = user;
    external_call *const c = copy->call;
    replay *const        r = copy->to;
    r->n += p->n;
    return spill_list_append(&r->chunks, &c->spill, p->elements, p->n * c->kind.size);
}

bool replay_open(replay *r, external_call *c)
{
    size_t const size = c->kind.size;
    *r = (replay){.call = c, .chunk_n = c->capacity};
    if (c->from.read == NULL && c->source_bytes != 0) { /* a regular file that is not empty */
        r->start = (uint64_t)lseek(c->from.fd, 0, SEEK_CUR);
        r->n = c->source_bytes / size;
        if (c->source_bytes % size != 0)
            return failure_record(&c->failure, ORDO_E_ARG,
                                  "%s ends inside an element: %llu bytes follow element %llu; "
                                  "expected a multiple of %zu bytes",
                                  c->from.name, (unsigned long long)(c->source_bytes % size),
                                  (unsigned long long)r->n, size);
        return true;
    }
    copier copy = {.call = c, .to = r};
    external_phase(c, "copy", c->source_bytes);
    return external_pipeline(c, &copy, read_chunk, keep_chunk, write_chunk);
}

void replay_close(replay *r)
{
    free(r->chunks.places);
    *r = (replay){0};
}

bool replay_read(const replay *r, uint64_t first, char *elements, size_t n)
{
    external_call *const c = r->call;
    size_t const         size = c->kind.size;
    if (r->chunks.places == NULL) {
        atomic_fetch_add(&c->bytes_in, n * size);
        return read_at(c->from.fd, c->from.name, elements, n * size, r->start + first * size,
                       &c->failure);
    }
    while (n > 0) {
        const spill_place *const chunk = &r->chunks.places[first / r->chunk_n];
        uint64_t const           skipped = first % r->chunk_n;
        size_t const             now = ordo_min(n, r->chunk_n - skipped);
        if (!spill_read(&c->spill, chunk->file, elements, now * size,
                        chunk->offset + skipped * size))
            return false;
        elements += now * size;
        first += now;
        n -= now;
    }
    return true;
}

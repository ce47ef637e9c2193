/* select_sorted.c - keys at many exact positions, by an external sort of the keys.
 *
 * The intervals of many positions together have most of the data, so passes (select_passes.c) would
 * find only some of them each. A sort reads the data once more and its temporary files once; the
 * keys at the positions are picked as the sorted keys pass. */
#define _GNU_SOURCE
#include "external/select_passes.h"

#include <errno.h>
#include <stdlib.h>

enum {
    CHUNK_BYTES = 64 << 10, /* of elements that are read at once */
    OWN_MEMORY = 256 << 10  /* bytes of memory that the sort does not get */
};

typedef struct picker {
    selector     *s;
    external_call work;   /* the sort of the keys */
    target      **wanted; /* targets that are not found, by their ranks */
    size_t        count, next;
    uint64_t      at;    /* rank of the next key that the sort writes */
    uint64_t      first; /* the next element that the sort reads */
    char         *chunk;
} picker;

static int compare_ranks(const void *a, const void *b)
{
    uint64_t const x = (*(target *const *)a)->rank, y = (*(target *const *)b)->rank;
    return (x > y) - (x < y);
}

/* As ordo_source.read: the keys of the elements. */
static ptrdiff_t read_keys(void *user, void *into, size_t bytes)
{
    picker *const             p = user;
    const element_kind *const kind = &p->s->call.kind;
    size_t const              key = p->work.kind.size;
    size_t const n = (size_t)ordo_min(ordo_min(bytes / key, ordo_max(CHUNK_BYTES / kind->size, 1)),
                                      p->s->data.n - p->first);
    if (!replay_read(&p->s->data, p->first, p->chunk, n)) {
        errno = EIO;
        return -1;
    }
    for (size_t i = 0; i < n; i++)
        memcpy((char *)into + i * key, p->chunk + i * kind->size + kind->key_offset, key);
    p->first += n;
    return (ptrdiff_t)(n * key);
}

/* As ordo_sink.write: picks the keys at the wanted ranks. */
static ptrdiff_t pick(void *user, const void *from, size_t bytes)
{
    picker *const             p = user;
    const element_kind *const kind = &p->work.kind;
    uint64_t const            end = p->at + bytes / kind->size;
    for (; p->next < p->count && p->wanted[p->next]->rank < end; p->next++) {
        target *const t = p->wanted[p->next];
        t->order = element_order(kind, (const char *)from + (t->rank - p->at) * kind->size);
        t->done = true;
    }
    p->at = end;
    return (ptrdiff_t)bytes;
}

static ordo_status sort_keys(picker *p)
{
    external_call *const c = &p->s->call, *const work = &p->work;
    size_t const key = ordo_type_size(c->kind.type);
    *work = (external_call){.failure = FAILURE_NONE,
                            .source_bytes = p->s->data.n * key,
                            .kind = {.size = key,
                                     .type = c->kind.type,
                                     .descending = c->kind.descending,
                                     .keys_only = true}};
    work->from = ORDO_OPTS(ordo_source, .read = read_keys, .user = p, .name = c->from.name);
    work->to = ORDO_OPTS(ordo_sink, .write = pick, .user = p, .name = "the positions");
    ordo_status const status =
        external_sort_part(c, work, OWN_MEMORY, p->wanted[p->count - 1]->rank + 1);
    return failure_seen(&c->failure) ? external_status(c) : status;
}

ordo_status select_by_sort(selector *s)
{
    size_t const chunk = ordo_max(CHUNK_BYTES, s->call.kind.size);
    ordo_status  status = ORDO_OK;
    select_free(s); /* the sort gets its memory */
    picker p = {.s = s, .wanted = malloc(s->count * sizeof *p.wanted), .chunk = malloc(chunk)};
    if (p.wanted == NULL || p.chunk == NULL) {
        status = ordo_fail(s->call.exec, ORDO_E_NOMEM, "the system refused memory to select");
    } else {
        for (size_t i = 0; i < s->count; i++)
            if (!s->targets[i].done)
                p.wanted[p.count++] = &s->targets[i];
        qsort(p.wanted, p.count, sizeof *p.wanted, compare_ranks);
        status = sort_keys(&p);
    }
    free(p.wanted);
    free(p.chunk);
    return status;
}

/* rank_pairs.c - ranks with little memory, by two sorts of pairs.
 *
 * The first sort orders pairs of a key and its position. Its result is kept in temporary files. It
 * is read again with two cursors: one finds the end of each group of ties, the other one gives
 * pairs of a position and a rank to the second sort. That sort orders them by position, and the
 * ranks go to the sink. Any memory that can sort is enough. Volume for each element: 16 bytes are
 * written and read three times, where external_rank.c moves about 7. */
#define _GNU_SOURCE
#include "external/rank/rank_pairs.h"

#include "backend/tuning.h"
#include "core/ties.h"

#include <stdlib.h>

typedef struct pair { /* of a key and a position, or of a position and a rank */
    uint64_t first, second;
} pair;

enum {
    CHUNK = ORDO_TUNE(1 << 13, 32), /* pairs that are written or read at once */
    OWN_MEMORY = ORDO_TUNE(1 << 20, 4 << 10)
};

typedef struct tape { /* pairs in temporary files, in chunks */
    spill     *spill;
    spill_list chunks;
    pair       staging[CHUNK];
    size_t     staged;
    uint64_t   n;
} tape;

typedef struct cursor {
    const tape *tape;
    uint64_t    at;
    bool        releases; /* the disk space of chunks that were read */
    pair        chunk[CHUNK];
    spill_gap   gap; /* chunks that were read for the last time */
} cursor;

typedef struct pairs {
    external_call *call; /* of the caller */
    external_call  work; /* the sort that runs */
    const replay  *data;
    ordo_ties      ties;
    ordo_type      rank_type;
    uint64_t       next; /* the element that is read next */
    char          *elements;
    tape           tape;
    cursor         ahead, behind;
    uint64_t       group_begin, group_end, groups;
} pairs;

/* ---- Tape ---- */

static bool tape_flush(tape *t)
{
    size_t const bytes = t->staged * sizeof *t->staging;
    t->staged = 0;
    return bytes == 0 || spill_list_append(&t->chunks, t->spill, t->staging, bytes);
}

static bool tape_put(tape *t, const pair *one)
{
    t->staging[t->staged++] = *one;
    t->n++;
    return t->staged < CHUNK || tape_flush(t);
}

/* The pair at the cursor. NULL after a failure. */
static const pair *cursor_get(cursor *c)
{
    const tape *const t = c->tape;
    size_t const      chunk = (size_t)(c->at / CHUNK), in_chunk = (size_t)(c->at % CHUNK);
    if (in_chunk == 0) {
        size_t const             bytes = (size_t)ordo_min(CHUNK, t->n - c->at) * sizeof(pair);
        const spill_place *const from = &t->chunks.places[chunk];
        if (!spill_read(t->spill, from->file, c->chunk, bytes, from->offset))
            return NULL;
        if (c->releases)
            spill_pass(t->spill, &c->gap, from->file, from->offset, bytes);
    }
    return &c->chunk[in_chunk];
}

/* ---- The first sort: keys with positions ---- */

static ptrdiff_t read_keys(void *user, void *into, size_t bytes)
{
    pairs *const              p = user;
    const element_kind *const kind = &p->call->kind;
    uint64_t const            left = p->data->n - p->next;
    size_t const              n = (size_t)ordo_min(ordo_min(bytes / sizeof(pair), CHUNK), left);
    if (n > 0 && !replay_read(p->data, p->next, p->elements, n))
        return external_hand_on(&p->work, p->call);
    for (size_t i = 0; i < n; i++) {
        pair const one = {element_tie(kind, p->elements + i * kind->size), p->next++};
        memcpy((pair *)into + i, &one, sizeof one);
    }
    return (ptrdiff_t)(n * sizeof(pair));
}

static ptrdiff_t write_tape(void *user, const void *from, size_t bytes)
{
    pairs *const p = user;
    for (size_t i = 0; i < bytes / sizeof(pair); i++) {
        pair one;
        memcpy(&one, (const pair *)from + i, sizeof one);
        if (!tape_put(&p->tape, &one))
            return external_hand_on(&p->work, p->call);
    }
    return (ptrdiff_t)bytes;
}

/* ---- The second sort: positions with ranks ---- */

/* Finds the end of the group of ties that begins at the cursor ahead. */
static bool find_group(pairs *p)
{
    cursor *const     ahead = &p->ahead;
    const pair *const first = cursor_get(ahead);
    const pair       *one = first;
    if (first == NULL)
        return false;
    uint64_t const key = first->first;
    p->group_begin = ahead->at++;
    p->groups++;
    for (; ahead->at < p->tape.n; ahead->at++) {
        one = cursor_get(ahead);
        if (one == NULL || one->first != key)
            break;
    }
    p->group_end = ahead->at;
    return one != NULL;
}

/* The rank of the element at position i of the order; for averages twice the rank. */
static uint64_t rank_of(const pairs *p, uint64_t i)
{
    return ordo_tie_rank(p->ties, p->group_begin, p->group_end, p->groups, i);
}

static ptrdiff_t read_ranks(void *user, void *into, size_t bytes)
{
    pairs *const  p = user;
    cursor *const behind = &p->behind;
    size_t        n = 0;
    for (; n < bytes / sizeof(pair) && behind->at < p->tape.n; n++, behind->at++) {
        /* The cursor ahead reads first, because the one behind releases what it reads. */
        if (behind->at == p->group_end && !find_group(p))
            return external_hand_on(&p->work, p->call);
        const pair *const one = cursor_get(behind);
        if (one == NULL)
            return external_hand_on(&p->work, p->call);
        pair const ranked = {one->second, rank_of(p, behind->at)};
        memcpy((pair *)into + n, &ranked, sizeof ranked);
    }
    return (ptrdiff_t)(n * sizeof(pair));
}

static ptrdiff_t write_ranks(void *user, const void *from, size_t bytes)
{
    pairs *const p = user;
    size_t const n = ordo_min(bytes / sizeof(pair), CHUNK);
    size_t const width = ordo_type_size(p->rank_type);
    char *const  out = (char *)p->tape.staging;
    for (size_t i = 0; i < n; i++) {
        pair one;
        memcpy(&one, (const pair *)from + i, sizeof one);
        uint32_t const    narrow = (uint32_t)one.second;
        double const      value = (double)one.second * ordo_tie_unit(p->ties);
        const void *const rank = p->rank_type == ORDO_U32   ? (const void *)&narrow
                                 : p->rank_type == ORDO_U64 ? (const void *)&one.second
                                                            : (const void *)&value;
        memcpy(out + i * width, rank, width);
    }
    return external_write(p->call, out, n * width) ? (ptrdiff_t)(n * sizeof(pair))
                                                   : external_hand_on(&p->work, p->call);
}

/* ---- Both ---- */

/* Sorts pairs by their first number. */
static ordo_status sort_pairs(pairs *p, ptrdiff_t (*read)(void *, void *, size_t),
                              ptrdiff_t (*write)(void *, const void *, size_t))
{
    external_call *const c = p->call;
    external_call *const work = &p->work;
    *work = (external_call){.failure = FAILURE_NONE,
                            .source_bytes = p->data->n * sizeof(pair),
                            .kind = {.size = sizeof(pair), .type = ORDO_U64}};
    work->from = ORDO_OPTS(ordo_source, .read = read, .user = p, .name = c->from.name);
    work->to = ORDO_OPTS(ordo_sink, .write = write, .user = p, .name = c->to.name);
    return external_sort_part(c, work, OWN_MEMORY, UINT64_MAX);
}

static ordo_status rank_with(pairs *p)
{
    external_call *const c = p->call;
    p->elements = malloc(CHUNK * c->kind.size);
    if (p->elements == NULL)
        return ordo_fail(c->exec, ORDO_E_NOMEM, "the system refused memory to rank");
    TRY(sort_pairs(p, read_keys, write_tape));
    if (!tape_flush(&p->tape))
        return external_status(c);
    p->ahead.tape = p->behind.tape = &p->tape;
    p->behind.releases = true;
    return sort_pairs(p, read_ranks, write_ranks);
}

ordo_status rank_pairs(external_call *c, const replay *data, ordo_ties ties, ordo_type rank_type)
{
    pairs *const p = calloc(1, sizeof *p);
    if (p == NULL)
        return ordo_fail(c->exec, ORDO_E_NOMEM, "the system refused memory to rank");
    p->call = c;
    p->data = data;
    p->ties = ties;
    p->rank_type = rank_type;
    p->tape.spill = &c->spill;
    ordo_status const status = rank_with(p);
    free(p->tape.chunks.places);
    free(p->elements);
    free(p);
    return status;
}

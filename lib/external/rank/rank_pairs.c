/* rank_pairs.c - ranks with little memory, by two sorts of pairs.
 *
 * The first sort orders pairs of a key and its position. The positions are kept in temporary files,
 * and read by two readers: one finds the end of each group of ties, the other one gives pairs of a
 * position and a rank to the second sort. That sort orders them by position, and the ranks go to
 * the sink. Any memory that can sort is enough. Volume for each element: 40 bytes are written and
 * 48 read, where external_rank.c moves about 7. */
#define _GNU_SOURCE
#include "backend/tuning.h"
#include "external/rank/rank_work.h"

#include <stdlib.h>

typedef struct pair { /* of a key and a position, or of a position and a rank */
    uint64_t first, second;
} pair;

enum {
    CHUNK = ORDO_TUNE(1 << 13, 32), /* pairs that are read or written at once */
    OWN_MEMORY = ORDO_TUNE(1 << 20, 4 << 10)
};

typedef struct pairs {
    external_call *call; /* of the caller */
    external_call  work; /* the sort that runs */
    const replay  *data;
    ordo_ties      ties;
    ordo_type      rank_type;
    uint64_t       next;          /* the element that is read next */
    char          *staging;       /* CHUNK elements, or ranks */
    lanes          order;         /* positions in the order of their keys: see write_order() */
    uint64_t       ordered;       /* of them */
    uint64_t       key;           /* of the last one */
    lane_reader    ahead, behind; /* of the order */
    uint64_t       at;            /* the next position that is read from it */
    uint64_t       group_begin, group_end, groups;
} pairs;

/* ---- The first sort: keys with positions ---- */

static ptrdiff_t read_keys(void *user, void *into, size_t bytes)
{
    pairs *const              p = user;
    const element_kind *const kind = &p->call->kind;
    uint64_t const            left = p->data->n - p->next;
    size_t const              n = (size_t)ordo_min(ordo_min(bytes / sizeof(pair), CHUNK), left);
    if (n > 0 && !replay_read(p->data, p->next, p->staging, n))
        return external_hand_on(&p->work, p->call);
    for (size_t i = 0; i < n; i++) {
        pair const one = {element_tie(kind, p->staging + i * kind->size), p->next++};
        memcpy((pair *)into + i, &one, sizeof one);
    }
    return (ptrdiff_t)(n * sizeof(pair));
}

/* A number of the order is twice a position, and one more if a group of ties begins there. */
static ptrdiff_t write_order(void *user, const void *from, size_t bytes)
{
    pairs *const p = user;
    for (size_t i = 0; i < bytes / sizeof(pair); i++) {
        pair one;
        memcpy(&one, (const pair *)from + i, sizeof one);
        bool const begins = p->ordered++ == 0 || one.first != p->key;
        p->key = one.first;
        if (!lanes_append(&p->order, 0, one.second << 1 | begins, 1))
            return external_hand_on(&p->work, p->call);
    }
    return (ptrdiff_t)bytes;
}

/* ---- The second sort: positions with ranks ---- */

/* Finds the end of the next group of ties. The reader ahead has read where it begins. */
static bool find_group(pairs *p)
{
    uint64_t number;
    p->groups++;
    p->group_begin = p->group_end++;
    if (p->group_begin == 0 && !lane_next(&p->ahead, &number))
        return false;
    for (; p->group_end < p->ordered; p->group_end++) {
        if (!lane_next(&p->ahead, &number))
            return false;
        if (number % 2 == 1)
            break;
    }
    return true;
}

/* The rank of the element at position i of the order; for averages twice the rank. */
static uint64_t rank_of(const pairs *p, uint64_t i)
{
    return ordo_tie_rank(p->ties, p->group_begin, p->group_end, p->groups, i);
}

static ptrdiff_t read_ranks(void *user, void *into, size_t bytes)
{
    pairs *const p = user;
    size_t       n = 0;
    for (; n < bytes / sizeof(pair) && p->at < p->ordered; n++, p->at++) {
        uint64_t number;
        /* The reader ahead comes first, because the one behind releases what it reads. */
        if ((p->at == p->group_end && !find_group(p)) || !lane_next(&p->behind, &number))
            return external_hand_on(&p->work, p->call);
        pair const ranked = {number >> 1, rank_of(p, p->at)};
        memcpy((pair *)into + n, &ranked, sizeof ranked);
    }
    return (ptrdiff_t)(n * sizeof(pair));
}

static ptrdiff_t write_ranks(void *user, const void *from, size_t bytes)
{
    pairs *const p = user;
    size_t const n = ordo_min(bytes / sizeof(pair), CHUNK);
    size_t const width = ordo_type_size(p->rank_type);
    for (size_t i = 0; i < n; i++) {
        pair one;
        memcpy(&one, (const pair *)from + i, sizeof one);
        rank_store(p->ties, p->rank_type, p->staging, i, one.second);
    }
    return external_write(p->call, p->staging, n * width) ? (ptrdiff_t)(n * sizeof(pair))
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
    p->staging = malloc(CHUNK * ordo_max(c->kind.size, sizeof(uint64_t)));
    if (p->staging == NULL)
        return ordo_fail(c->exec, ORDO_E_NOMEM, "the system refused memory to rank");
    if (!lanes_open(&p->order, 1, CHUNK, &c->spill))
        return external_status(c);
    TRY(sort_pairs(p, read_keys, write_order));
    p->ahead.lanes = p->behind.lanes = &p->order;
    p->behind.releases = true;
    if (!lanes_end(&p->order) || !lane_reader_open(&p->ahead) || !lane_reader_open(&p->behind))
        return external_status(c);
    return sort_pairs(p, read_ranks, write_ranks);
}

ordo_status rank_pairs(const ranker *r)
{
    pairs *const p = calloc(1, sizeof *p);
    if (p == NULL)
        return ordo_fail(r->call->exec, ORDO_E_NOMEM, "the system refused memory to rank");
    p->call = r->call;
    p->data = &r->data;
    p->ties = r->ties;
    p->rank_type = r->rank_type;
    ordo_status const status = rank_with(p);
    lane_reader_close(&p->ahead);
    lane_reader_close(&p->behind);
    lanes_close(&p->order);
    free(p->staging);
    free(p);
    return status;
}

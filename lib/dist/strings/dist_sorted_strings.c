/* dist_sorted_strings.c - ordo_dist_is_sorted_strings.
 *
 * Each process compares its neighbouring strings. The last string of a process goes to the next
 * process that has strings, which compares it with its first. */
#define _POSIX_C_SOURCE 200809L
#include "dist/strings/string_part.h"

#include <string.h>

enum {
    GRAIN = 1 << 14 /* strings that a thread compares at a time */
};

typedef struct looking {
    string_part   part;
    atomic_size_t where;   /* the first string that is before its predecessor; n: none */
    uint64_t     *numbers; /* 5 for each process */
} looking;

static bool is_before(const looking *l, const char *a, uint64_t a_length, const char *b,
                      uint64_t b_length)
{
    size_t const both = (size_t)(a_length < b_length ? a_length : b_length);
    int          order = both == 0 ? 0 : memcmp(a, b, both);
    if (order == 0)
        order = (a_length > b_length) - (a_length < b_length);
    return l->part.c.descending ? order > 0 : order < 0;
}

static void look(void *arg, size_t lo, size_t hi)
{
    looking *const            l = arg;
    const ordo_strings *const s = &l->part.strings;
    const uint64_t *const     at = s->offsets;
    for (size_t i = lo > 0 ? lo : 1; i < hi; i++) {
        if (!is_before(l, s->bytes + at[i], at[i + 1] - at[i], s->bytes + at[i - 1],
                       at[i] - at[i - 1]))
            continue;
        size_t seen = atomic_load(&l->where);
        while (i < seen && !atomic_compare_exchange_weak(&l->where, &seen, i))
            continue;
        return;
    }
}

static ordo_status look_here(looking *l)
{
    dist_call *const c = &l->part.c;
    TRY(string_part_flatten(&l->part));
    TRY_SCRATCH(c->exec, 5 * (size_t)c->comm.size * sizeof *l->numbers, l->numbers);
    atomic_store(&l->where, c->n);
    return dist_loop(c, c->n, GRAIN, look, l);
}

/* The nearest rank with strings in the direction `step`; -1: there is none. */
static int32_t neighbour(const dist_call *c, int32_t step)
{
    int32_t r = c->comm.rank + step;
    while (r >= 0 && r < c->comm.size && c->counts[r] == 0)
        r += step;
    return r >= 0 && r < c->comm.size ? r : -1;
}

/* Sends the last string to the next process with strings. `lengths` are those of the last
 * strings. */
static ordo_status compare_border(looking *l, const uint64_t *lengths)
{
    dist_call *const      c = &l->part.c;
    const ordo_strings   *s = &l->part.strings;
    const uint64_t *const at = s->offsets;
    size_t const          size = (size_t)c->comm.size;
    uint64_t *const no_place = l->numbers + size, *const sent = l->numbers + 2 * size;
    uint64_t *const received = l->numbers + 3 * size;
    int32_t const   next = c->n > 0 ? neighbour(c, 1) : -1;
    int32_t const   before = c->n > 0 ? neighbour(c, -1) : -1;
    void           *memory = NULL;
    memset(no_place, 0, 3 * size * sizeof *no_place);
    if (next >= 0)
        sent[next] = lengths[c->comm.rank];
    if (before >= 0)
        received[before] = lengths[before];
    uint64_t const length = before >= 0 ? lengths[before] : 0;
    TRY(dist_agree(c, ordo_scratch(c->exec, (size_t)length + 1, &memory)));
    TRY(dist_exchange(c, s->bytes + (c->n > 0 ? at[c->n - 1] : 0), no_place, sent, memory, no_place,
                      received));
    if (before >= 0 && is_before(l, s->bytes + at[0], at[1] - at[0], memory, length))
        atomic_store(&l->where, 0);
    return ORDO_OK;
}

static ordo_status run(looking *l, int *sorted, uint64_t *where)
{
    dist_call *const c = &l->part.c;
    TRY(dist_agree(c, look_here(l)));
    const uint64_t *const at = l->part.strings.offsets;
    uint64_t const        length = c->n > 0 ? at[c->n] - at[c->n - 1] : 0;
    TRY(dist_allgather(c, &length, sizeof length, l->numbers));
    TRY(compare_border(l, l->numbers));
    uint64_t const  here = atomic_load(&l->where);
    uint64_t const  mine = here < c->n ? c->offset + here : c->total;
    uint64_t *const all = l->numbers;
    uint64_t        first = c->total;
    TRY(dist_allgather(c, &mine, sizeof mine, all));
    for (int32_t r = 0; r < c->comm.size; r++)
        first = all[r] < first ? all[r] : first;
    *sorted = first == c->total;
    if (where != NULL)
        *where = first;
    return ORDO_OK;
}

static ordo_status check(looking *l, const ordo_strings *strings, const int *sorted,
                         const ordo_dist_opts *opts)
{
    ordo_exec *const exec = l->part.c.exec;
    TRY(string_part_check(&l->part, strings, opts));
    FAIL_IF(sorted == NULL, ORDO_E_ARG, "sorted is NULL; expected the address of an int");
    return ORDO_OK;
}

ordo_status ordo_dist_is_sorted_strings(ordo_ctx *ctx, const ordo_comm *comm,
                                        const ordo_strings *strings, size_t n, int *sorted,
                                        uint64_t *where, const ordo_dist_opts *opts)
{
    looking l = {.part = {.c = {.n = n}}};
    DIST_CALL("dist_is_sorted_strings", &l.part.c, check(&l, strings, sorted, opts),
              run(&l, sorted, where), "ordo_dist_is_sorted_strings", {0});
}

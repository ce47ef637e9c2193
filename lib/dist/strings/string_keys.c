/* string_keys.c - keys of the strings of a process (see string_keys.h). */
#define _POSIX_C_SOURCE 200809L
#include "dist/strings/string_keys.h"

#include "backend/tuning.h"

#include <string.h>

enum {
    GRAIN = ORDO_TUNE(1 << 14, 32) /* strings that a thread handles at a time */
};

static void share_bytes(void *arg, size_t lo, size_t hi)
{
    string_keys *const        s = arg;
    const ordo_strings *const all = &s->part->strings;
    size_t                    shared = atomic_load(&s->shared);
    for (size_t i = lo; i < hi && shared > 0; i++)
        shared = (size_t)string_shared(all->bytes, all->offsets, string_keys_place(s, 0),
                                       string_keys_place(s, i), s->depth, shared);
    size_t before = atomic_load(&s->shared);
    while (shared < before && !atomic_compare_exchange_weak(&s->shared, &before, shared))
        continue;
}

/* Sets the head of this process's strings. */
static ordo_status make_head(string_keys *s, string_head *out)
{
    *out = (string_head){.any = s->n > 0};
    if (s->n == 0)
        return ORDO_OK;
    const uint64_t *const at = s->part->strings.offsets + string_keys_place(s, 0);
    uint64_t const        start = at[0] + s->depth, rest = at[1] - start;
    atomic_store(&s->shared, rest < STRING_KEYS_SHARED ? (size_t)rest : STRING_KEYS_SHARED);
    TRY(dist_loop(&s->part->c, s->n, GRAIN, share_bytes, s));
    out->shared = (uint32_t)atomic_load(&s->shared);
    if (out->shared > 0)
        memcpy(out->bytes, s->part->strings.bytes + start, out->shared);
    return ORDO_OK;
}

/* The bytes that the strings of all processes share. */
static size_t shared_by_all(const string_keys *s)
{
    const string_head *first = NULL;
    size_t             shared = 0;
    for (int32_t r = 0; r < s->part->c.comm.size; r++) {
        const string_head *const at = &s->heads[r];
        if (!at->any)
            continue;
        if (first == NULL) {
            first = at;
            shared = at->shared;
        }
        size_t i = 0;
        while (i < shared && i < at->shared && at->bytes[i] == first->bytes[i])
            i++;
        shared = i;
    }
    return shared;
}

static void make_keys(void *arg, size_t lo, size_t hi)
{
    string_keys *const s = arg;
    for (size_t i = lo; i < hi; i++)
        s->keys[i] = string_key(&s->view, string_keys_place(s, i), s->depth);
}

ordo_status string_keys_open(string_part *part, string_keys *out)
{
    dist_call *const c = &part->c;
    *out = (string_keys){.part = part, .n = c->n};
    TRY(string_part_flatten(part));
    TRY_SCRATCH(c->exec, (c->n + 1) * sizeof *out->keys, out->keys);
    TRY_SCRATCH(c->exec, (size_t)c->comm.size * sizeof *out->heads, out->heads);
    out->view = string_view_of(&part->strings, c->n, false);
    return ORDO_OK;
}

ordo_status string_keys_find(string_keys *s)
{
    dist_call *const c = &s->part->c;
    string_head      mine;
    TRY(dist_agree(c, make_head(s, &mine)));
    TRY(dist_allgather(c, &mine, sizeof mine, s->heads));
    s->depth += shared_by_all(s);
    return dist_agree(c, dist_loop(c, s->n, GRAIN, make_keys, s));
}

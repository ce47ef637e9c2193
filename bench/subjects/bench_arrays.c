/* bench_arrays.c - a new array of keys in every round.
 *
 * Calls that sort or measure one array again and again let the processor learn its branches. As in
 * the Roughsort paper, whose times are averages over eight arrays, all contenders of a round get
 * the same array, and the next round has another one. The arrays are made before the clock
 * starts. */
#include "bench/harness/bench_cuda.h"
#include "bench/subjects/bench_order.h"
#include "cli/base/cli.h"

#include <stdlib.h>
#include <string.h>

enum {
    ARRAYS = 8,
    MOST_KEYS = 2000000 /* of an array that has others beside it */
};

static char *make_room(const bench *b, size_t bytes)
{
    return b->place != NULL ? b->place->alloc(bytes) : bench_host_array(bytes);
}

static void release(const bench *b, char *room)
{
    if (b->place == NULL)
        free(room);
    else if (room != NULL)
        b->place->release(room);
}

void bench_arrays_free(bench_arrays *a)
{
    release(a->b, a->all);
    free(a->host);
    free(a->now);
    *a = (bench_arrays){.b = a->b};
}

/* Generates array i in b->src and keeps it. */
static bool make_one(bench *b, bench_arrays *a, ordo_dist dist, size_t n, size_t k, size_t i)
{
    const uint64_t seed = b->set.seed;

    b->set.seed = seed + i;
    const bool made = bench_generate_k(b, dist, ORDO_U32, b->src, n, k);
    b->set.seed = seed;
    if (!made)
        return false;
    if (a->host != NULL)
        memcpy(a->host + i * a->bytes, bench_cuda_host_keys(), a->bytes);
    if (a->count == 1)
        return true;
    if (b->place != NULL)
        return b->place->copy(a->all + i * a->bytes, b->src, a->bytes);
    memcpy(a->all + i * a->bytes, b->src, a->bytes);
    return true;
}

bool bench_arrays_make(bench *b, bench_arrays *a, ordo_dist dist, size_t n, size_t k, bool on_host)
{
    const size_t rounds = b->set.repeat;
    bool         ok = true;

    *a = (bench_arrays){.b = b, .bytes = n * sizeof(uint32_t)};
    a->count = n > MOST_KEYS ? 1 : rounds < ARRAYS ? rounds : ARRAYS;
    if (a->count > 1)
        ok = (a->all = make_room(b, a->count * a->bytes)) != NULL;
    if (ok && on_host)
        ok = (a->host = cli_alloc(a->count, a->bytes, "the keys on the host")) != NULL &&
             (a->now = cli_alloc(n, sizeof *a->now, "the keys on the host")) != NULL;
    for (size_t i = 0; ok && i < a->count; i++)
        ok = make_one(b, a, dist, n, k, i);
    if (!ok)
        bench_arrays_free(a);
    return ok;
}

ordo_status bench_arrays_take(ordo_ctx *ctx, const void *what)
{
    const bench_arrays *const a = what;
    const size_t              at = a->round % a->count * a->bytes;

    if (a->now != NULL)
        memcpy(a->now, a->host + at, a->bytes);
    if (a->count == 1)
        return ORDO_OK;
    if (a->b->place == NULL)
        return ordo_copy(ctx, a->b->src, a->all + at, a->bytes);
    return a->b->place->copy(a->b->src, a->all + at, a->bytes) ? ORDO_OK : ORDO_E_DEVICE;
}

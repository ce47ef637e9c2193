/* gen_buckets.c - deterministic duplicates, staggered and bucket sorted: the inputs with which
 * Helman, Bader and JaJa try sorts that move keys between p processors.
 *
 * They are defined for n a multiple of p * p, p a power of two and 31-bit keys. Here bucket b
 * is the b-th of p shares of the array that differ by at most one key, the groups inside a
 * bucket likewise, and 2^31 becomes half the range of an integer type or 1 for floats. Where
 * the original is defined, ranges and sizes are the original's. */
#include "gen/gen.h"

#include "gen/gen_maps.h"

typedef struct gen_buckets_state {
    const ordo_gen_job *job;
    uint64_t            stream;
    gen_grid            grid; /* the keys' range in p cells */
} gen_buckets_state;

typedef struct gen_segment {
    uint64_t index;
    size_t   begin, end;
} gen_segment;

static gen_segment gen_bucket_at(const gen_buckets_state *state, size_t i)
{
    const size_t   n = state->job->n;
    const uint64_t p = state->job->k;
    const uint64_t index = gen_share_of(n, p, i);
    return (gen_segment){index, gen_share_begin(n, p, index), gen_share_begin(n, p, index + 1)};
}

/* The integer part of log2(all / left), 0 < left <= all: 0 in the first half of `all` things,
 * 1 in the next quarter, and so on. */
static unsigned gen_halvings(uint64_t all, uint64_t left)
{
    const unsigned h = gen_log2(all) - gen_log2(left);
    return left << h > all ? h - 1 : h;
}

/* log2 n in the first half of the buckets, log2(n/2) in the next quarter, and so on. */
static unsigned gen_dupes_bucket(const gen_buckets_state *state, uint64_t index)
{
    const unsigned halvings = gen_halvings(state->job->k, state->job->k - index);
    const unsigned top = gen_log2(state->job->n);
    return top > halvings ? top - halvings : 0;
}

/* The same once more inside the last bucket, from log2(n/p) on. */
static unsigned gen_dupes_last(const gen_buckets_state *state, gen_segment bucket, size_t i)
{
    const unsigned halvings = gen_halvings(bucket.end - bucket.begin, bucket.end - i);
    const uint64_t share = state->job->n / state->job->k;
    const unsigned top = share > 0 ? gen_log2(share) : 0;
    return top > halvings ? top - halvings : 0;
}

#define ORDO_TEMPLATE "gen/gen_buckets.t.h"
#include "core/for_each_type.h"

static ordo_body *gen_buckets_body(const ordo_gen_job *job)
{
    switch (job->type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        return gen_buckets_body_##tag(job->dist);
#include "core/types.def"
    }
    return NULL;
}

ordo_status ordo_gen_buckets(const ordo_gen_job *job, ordo_exec *exec)
{
    gen_buckets_state state = {.job = job,
                               .stream = gen_stream(job->seed, job->dist, GEN_DRAW),
                               .grid = gen_grid_make(UINT64_MAX, job->k)};

    return ordo_loop(exec, job->n, ORDO_GEN_BLOCK, gen_buckets_body(job), &state)
               ? ORDO_OK
               : ORDO_E_CANCELLED;
}

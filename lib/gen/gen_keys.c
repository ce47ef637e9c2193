/* gen_keys.c - distributions whose key i is a function of i, and the limits of all distributions.
 *
 * uniform, gaussian, zero, few, zipf, signed, normal and loguniform draw every key independently;
 * gen_mixes.h has timestamps, prices and sensors.
 * dupes, staggered and bucket are the inputs of Helman, Bader and JaJa for sorts that move keys
 * between p processors. The original definitions need n to be a multiple of p * p, p a power of
 * two, and 31-bit keys. Here the array has p buckets whose sizes differ by at most one key, and so
 * do the groups inside a bucket; 2^31 becomes half the range of an integer type, or 1 for floats.
 * Where the originals are defined, ranges and sizes are the same. */
#include "core/lists.h"
#include "gen/gen_mixes.h"

typedef struct gen_segment {
    uint64_t index;
    size_t   begin, end;
} gen_segment;

static gen_segment gen_bucket_at(const gen_state *state, size_t i)
{
    const size_t   n = state->job->n;
    const uint64_t p = state->job->k;
    const uint64_t index = gen_share_of(n, p, i);
    return (gen_segment){index, gen_share_begin(n, p, index), gen_share_begin(n, p, index + 1)};
}

/* The integer part of log2(all / left), 0 < left <= all: 0 in the first half, 1 in the next
 * quarter, and so on. */
static unsigned gen_halvings(uint64_t all, uint64_t left)
{
    const unsigned h = gen_log2(all) - gen_log2(left);
    return left << h > all ? h - 1 : h;
}

/* The key of a bucket of dupes is log2 n in the first half of the buckets, log2(n/2) in the next
 * quarter, and so on. The last bucket repeats this scheme for its keys, starting at log2(n/p). */
static unsigned gen_dupes(const gen_state *state, gen_segment bucket, size_t i)
{
    const uint64_t p = state->job->k;
    const bool     is_last = bucket.index + 1 == p;
    const uint64_t share = is_last ? state->job->n / p : state->job->n;
    const unsigned top = share > 0 ? gen_log2(share) : 0;
    const unsigned halvings = is_last ? gen_halvings(bucket.end - bucket.begin, bucket.end - i)
                                      : gen_halvings(p, p - bucket.index);
    return top > halvings ? top - halvings : 0;
}

#define GEN_INLINE __attribute__((always_inline)) static inline
#define ORDO_TEMPLATE "gen/gen_keys.t.h"
#include "core/for_each_type.h"

ordo_status ordo_gen_keys(const ordo_gen_job *job, ordo_exec *exec)
{
    gen_state state = {.job = job, .stream = gen_stream(job->seed, job->dist, GEN_DRAW)};

    if (job->dist == ORDO_DIST_TIMESTAMPS)
        state.grid =
            gen_grid_make(UINT64_MAX, ordo_div_up(job->n, (size_t)ordo_min(job->k, job->n)));
    else if (job->k > 0)
        state.grid = gen_grid_make(UINT64_MAX, job->k); /* the values, or a cell for each bucket */
    ordo_body *const body = BY_TYPE(job->type, gen_keys_body, (job->dist));
    return ordo_loop(exec, job->n, ORDO_GEN_BLOCK, body, &state) ? ORDO_OK : ORDO_E_CANCELLED;
}

/* ---- Limits ---- */

static uint64_t gen_last_of_width(ordo_type type)
{
    return UINT64_MAX >> (64 - 8 * ordo_type_size(type));
}

uint64_t ordo_gen_last_place(ordo_type type)
{
    bool const is_float = ordo_is_float(type);
    return gen_last_of_width(type) >> is_float;
}

uint64_t ordo_gen_last_fraction(ordo_type type)
{
    return type == ORDO_F32   ? (UINT64_C(1) << 24) - 1
           : type == ORDO_F64 ? (UINT64_C(1) << 53) - 1
                              : gen_last_of_width(type);
}

uint64_t ordo_gen_zipf_limit(ordo_type type)
{
    bool const is_signed = ordo_type_wide(type) == ORDO_I64;
    return type == ORDO_F32   ? UINT64_C(1) << 24
           : type == ORDO_F64 ? UINT64_C(1) << 53
                              : gen_last_of_width(type) >> is_signed;
}

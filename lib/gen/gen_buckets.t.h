/* gen_buckets.t.h - bodies of the three inputs that are made bucket by bucket. */

static void FN(gen_dupes)(void *arg, size_t lo, size_t hi)
{
    const gen_buckets_state *const state = arg;
    KEY *const                     out = state->job->out;

    for (size_t i = lo; i < hi;) {
        const gen_segment bucket = gen_bucket_at(state, i);
        const size_t      stop = ordo_min(bucket.end, hi);
        if (bucket.index + 1 < state->job->k) {
            const KEY key = FN(key_of_count)(gen_dupes_bucket(state, bucket.index));
            for (; i < stop; i++)
                out[i] = key;
        } else {
            for (; i < stop; i++)
                out[i] = FN(key_of_count)(gen_dupes_last(state, bucket, i));
        }
    }
}

/* Keys drawn evenly from cell `cell` of the buckets' grid. */
static void FN(gen_cell)(const gen_buckets_state *state, uint64_t cell, size_t lo, size_t hi)
{
    KEY *const     out = state->job->out;
    const uint64_t edge = gen_grid_edge(state->grid, cell);
    const uint64_t width = gen_grid_edge(state->grid, cell + 1) - edge;

    for (size_t i = lo; i < hi; i++) {
        const uint64_t draw = ordo_random_at(state->stream, i);
        out[i] = FN(key_of_half)(edge + ordo_random_below(draw, width));
    }
}

static void FN(gen_staggered)(void *arg, size_t lo, size_t hi)
{
    const gen_buckets_state *const state = arg;
    const uint64_t                 half = state->job->k / 2;

    for (size_t i = lo; i < hi;) {
        const gen_segment bucket = gen_bucket_at(state, i);
        const size_t      stop = ordo_min(bucket.end, hi);
        const uint64_t    cell =
            bucket.index < half ? 2 * bucket.index + 1 : 2 * (bucket.index - half);
        FN(gen_cell)(state, cell, i, stop);
        i = stop;
    }
}

static void FN(gen_bucket)(void *arg, size_t lo, size_t hi)
{
    const gen_buckets_state *const state = arg;

    for (size_t i = lo; i < hi;) {
        const gen_segment bucket = gen_bucket_at(state, i);
        const size_t      size = bucket.end - bucket.begin;
        const uint64_t    group = gen_share_of(size, state->job->k, i - bucket.begin);
        const size_t      end = bucket.begin + gen_share_begin(size, state->job->k, group + 1);
        const size_t      stop = ordo_min(end, hi);
        FN(gen_cell)(state, group, i, stop);
        i = stop;
    }
}

static ordo_body *FN(gen_buckets_body)(ordo_dist dist)
{
    switch ((int)dist) {
    case ORDO_DIST_DUPES:
        return FN(gen_dupes);
    case ORDO_DIST_STAGGERED:
        return FN(gen_staggered);
    default:
        return FN(gen_bucket);
    }
}

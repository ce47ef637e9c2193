/* gen_keys.t.h - the loops of gen_keys.c for one key type. */

/* One 64-bit draw gives as many keys as fit into it. */
static void FN(gen_uniform)(void *arg, size_t lo, size_t hi)
{
    const gen_state *const state = arg;
    KEY *const             out = state->job->out;
    const unsigned         width = 8 * (unsigned)sizeof(KEY);
    const size_t           lanes = 8 / sizeof(KEY);
    size_t                 i = lo;

    for (; hi - i >= lanes; i += lanes) {
        const uint64_t draw = ordo_random_at(state->stream, i / lanes);
        for (unsigned lane = 0; lane < lanes; lane++)
            out[i + lane] = FN(key_of_fraction)(draw << (64 - width * (lane + 1)));
    }
    const uint64_t draw = ordo_random_at(state->stream, i / lanes);
    for (unsigned lane = 0; i + lane < hi; lane++)
        out[i + lane] = FN(key_of_fraction)(draw << (64 - width * (lane + 1)));
}

/* The mean of four draws. The draws are aligned to the top of 64 bits; their lowest two bits are
 * added separately, so that nothing overflows. Keys of at most 16 bits take all four draws from
 * one word. */
static void FN(gen_gaussian)(void *arg, size_t lo, size_t hi)
{
    const gen_state *const state = arg;
    KEY *const             out = state->job->out;
    const unsigned         words = sizeof(KEY) <= 2 ? 1 : (unsigned)sizeof(KEY) / 2;
    const unsigned         width = words * 16;

    for (size_t i = lo; i < hi; i++) {
        uint64_t quarters = 0, rest = 0;
        for (unsigned w = 0; w < words; w++) {
            const uint64_t word = ordo_random_at(state->stream, (uint64_t)i * words + w);
            for (unsigned low = 0; low < 64; low += width) {
                const uint64_t draw = word << (64 - width - low) >> (64 - width) << (64 - width);
                quarters += draw >> 2;
                rest += draw & 3;
            }
        }
        out[i] = FN(key_of_fraction)(quarters + (rest >> 2));
    }
}

static void FN(gen_signed)(void *arg, size_t lo, size_t hi)
{
    const gen_state *const state = arg;
    KEY *const             out = state->job->out;

    for (size_t i = lo; i < hi; i++)
        out[i] = FN(key_of_around)(ordo_random_at(state->stream, i));
}

/* Keys of at most 16 bits take four draws from one word. */
static void FN(gen_normal)(void *arg, size_t lo, size_t hi)
{
    const gen_state *const state = arg;
    KEY *const             out = state->job->out;
    const unsigned         width = sizeof(KEY) <= 2 ? 16 : 8 * (unsigned)sizeof(KEY);
    const unsigned         words = 12 * width / 64;

    for (size_t i = lo; i < hi; i++)
        out[i] = FN(key_of_normal)(gen_twelve(state->stream, (uint64_t)i * words, width));
}

static void FN(gen_loguniform)(void *arg, size_t lo, size_t hi)
{
    const gen_state *const state = arg;
    KEY *const             out = state->job->out;

    for (size_t i = lo; i < hi; i++) {
        const uint64_t digits = ordo_random_at(state->stream, 2 * (uint64_t)i);
        const uint64_t draw = ordo_random_at(state->stream, 2 * (uint64_t)i + 1);
        out[i] = FN(key_of_magnitude)(digits, draw);
    }
}

static void FN(gen_few)(void *arg, size_t lo, size_t hi)
{
    const gen_state *const state = arg;
    KEY *const             out = state->job->out;

    for (size_t i = lo; i < hi; i++) {
        const uint64_t draw = ordo_random_at(state->stream, i);
        const uint64_t value = ordo_random_below(draw, state->job->k);
        out[i] = FN(key_of_fraction)(gen_grid_edge(state->grid, value));
    }
}

static void FN(gen_zipf)(void *arg, size_t lo, size_t hi)
{
    const gen_state *const state = arg;
    KEY *const             out = state->job->out;
    const unsigned         octaves = gen_log2(state->job->k) + 1;

    for (size_t i = lo; i < hi; i++) {
        const uint64_t own = ordo_random_at(state->stream, i);
        out[i] = FN(key_of_count)(gen_zipf(own, state->job->k, octaves));
    }
}

static void FN(gen_zero)(void *arg, size_t lo, size_t hi)
{
    const gen_state *const state = arg;
    memset((KEY *)state->job->out + lo, 0, (hi - lo) * sizeof(KEY));
}

/* ---- Buckets ---- */

static void FN(gen_dupes)(void *arg, size_t lo, size_t hi)
{
    const gen_state *const state = arg;
    KEY *const             out = state->job->out;

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

/* Keys drawn uniformly from one cell of the grid. */
static void FN(gen_cell)(const gen_state *state, uint64_t cell, size_t lo, size_t hi)
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
    const gen_state *const state = arg;
    const uint64_t         half = state->job->k / 2;

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
    const gen_state *const state = arg;

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

static ordo_body *FN(gen_keys_body)(ordo_dist dist)
{
    switch ((int)dist) {
    case ORDO_DIST_UNIFORM:
        return FN(gen_uniform);
    case ORDO_DIST_GAUSSIAN:
        return FN(gen_gaussian);
    case ORDO_DIST_SIGNED:
        return FN(gen_signed);
    case ORDO_DIST_NORMAL:
        return FN(gen_normal);
    case ORDO_DIST_LOGUNIFORM:
        return FN(gen_loguniform);
    case ORDO_DIST_FEW:
        return FN(gen_few);
    case ORDO_DIST_ZIPF:
        return FN(gen_zipf);
    case ORDO_DIST_DUPES:
        return FN(gen_dupes);
    case ORDO_DIST_STAGGERED:
        return FN(gen_staggered);
    case ORDO_DIST_BUCKET:
        return FN(gen_bucket);
    default:
        return FN(gen_zero);
    }
}

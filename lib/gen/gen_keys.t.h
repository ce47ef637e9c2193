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

static void FN(gen_zero)(void *arg, size_t lo, size_t hi)
{
    const gen_state *const state = arg;
    memset((KEY *)state->job->out + lo, 0, (hi - lo) * sizeof(KEY));
}

/* ---- One key ---- */

/* The mean of four draws. The draws are aligned to the top of 64 bits; their lowest two bits are
 * added separately, so that nothing overflows. Keys of at most 16 bits take all four draws from
 * one word. */
static KEY FN(gen_gaussian)(const gen_state *state, size_t i)
{
    const unsigned words = sizeof(KEY) <= 2 ? 1 : (unsigned)sizeof(KEY) / 2;
    const unsigned width = words * 16;
    uint64_t       quarters = 0, rest = 0;
    for (unsigned w = 0; w < words; w++) {
        const uint64_t word = ordo_random_at(state->stream, (uint64_t)i * words + w);
        for (unsigned low = 0; low < 64; low += width) {
            const uint64_t draw = word << (64 - width - low) >> (64 - width) << (64 - width);
            quarters += draw >> 2;
            rest += draw & 3;
        }
    }
    return FN(key_of_fraction)(quarters + (rest >> 2));
}

/* Keys of at most 16 bits take four draws from one word. */
static KEY FN(gen_normal)(const gen_state *state, size_t i)
{
    const unsigned width = sizeof(KEY) <= 2 ? 16 : 8 * (unsigned)sizeof(KEY);
    return FN(key_of_normal)(gen_twelve(state->stream, (uint64_t)i * (12 * width / 64), width));
}

/* All times are in a part of the range that starts at 5/8 of it: a quarter of the bits of a key is
 * the same in all keys, as in times of one day. */
static KEY FN(gen_timestamp)(const gen_state *state, size_t i)
{
    const unsigned same = 2 * (unsigned)sizeof(KEY);
    return FN(key_of_fraction)((UINT64_C(5) << 61) + (gen_stamp(state, i) >> same));
}

/* `dist` is a constant. */
GEN_INLINE KEY FN(gen_key)(const gen_state *state, ordo_dist dist, uint64_t k, size_t i)
{
    const uint64_t stream = state->stream;
    uint64_t       reading;
    switch ((int)dist) {
    case ORDO_DIST_GAUSSIAN:
        return FN(gen_gaussian)(state, i);
    case ORDO_DIST_SIGNED:
        return FN(key_of_around)(ordo_random_at(stream, i));
    case ORDO_DIST_NORMAL:
        return FN(gen_normal)(state, i);
    case ORDO_DIST_LOGUNIFORM:
        return FN(key_of_magnitude)(ordo_random_at(stream, 2 * (uint64_t)i),
                                    ordo_random_at(stream, 2 * (uint64_t)i + 1));
    case ORDO_DIST_FEW:
        return FN(key_of_fraction)(
            gen_grid_edge(state->grid, ordo_random_below(ordo_random_at(stream, i), k)));
    case ORDO_DIST_ZIPF:
        return FN(key_of_count)(gen_zipf(ordo_random_at(stream, i), k, gen_log2(k) + 1));
    case ORDO_DIST_TIMESTAMPS:
        return FN(gen_timestamp)(state, i);
    case ORDO_DIST_PRICES:
        return FN(key_of_cents)(gen_price(state, i, sizeof(KEY)));
    default:
        return gen_reading(state, i, &reading) ? FN(key_of_reading)(reading) : FN(key_of_missing)();
    }
}

GEN_INLINE void FN(gen_all)(const gen_state *state, ordo_dist dist, size_t lo, size_t hi)
{
    const uint64_t k = state->job->k;
    KEY *const     out = state->job->out;
    for (size_t i = lo; i < hi; i++)
        out[i] = FN(gen_key)(state, dist, k, i);
}

static void FN(gen_each)(void *arg, size_t lo, size_t hi)
{
    const gen_state *const state = arg;
    switch ((int)state->job->dist) {
#define GEN_EACH(ID)                                                                               \
    case ORDO_DIST_##ID:                                                                           \
        FN(gen_all)(state, ORDO_DIST_##ID, lo, hi);                                                \
        break;
        GEN_EACH(GAUSSIAN)
        GEN_EACH(SIGNED)
        GEN_EACH(NORMAL)
        GEN_EACH(LOGUNIFORM)
        GEN_EACH(FEW)
        GEN_EACH(ZIPF)
        GEN_EACH(TIMESTAMPS)
        GEN_EACH(PRICES)
        GEN_EACH(SENSORS)
#undef GEN_EACH
    }
}

/* ---- Buckets ---- */

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

static void FN(gen_buckets)(void *arg, size_t lo, size_t hi)
{
    const gen_state *const state = arg;
    KEY *const             out = state->job->out;
    const uint64_t         k = state->job->k, half = k / 2;
    for (size_t i = lo, stop; i < hi; i = stop) {
        const gen_segment bucket = gen_bucket_at(state, i);
        stop = ordo_min(bucket.end, hi);
        if (state->job->dist == ORDO_DIST_DUPES) {
            const KEY key = FN(key_of_count)(gen_dupes(state, bucket, i));
            if (bucket.index + 1 < k)
                for (size_t j = i; j < stop; j++)
                    out[j] = key;
            else
                for (size_t j = i; j < stop; j++)
                    out[j] = FN(key_of_count)(gen_dupes(state, bucket, j));
        } else if (state->job->dist == ORDO_DIST_STAGGERED) {
            const uint64_t cell =
                bucket.index < half ? 2 * bucket.index + 1 : 2 * (bucket.index - half);
            FN(gen_cell)(state, cell, i, stop);
        } else {
            const size_t   size = bucket.end - bucket.begin;
            const uint64_t group = gen_share_of(size, k, i - bucket.begin);
            stop = ordo_min(bucket.begin + gen_share_begin(size, k, group + 1), hi);
            FN(gen_cell)(state, group, i, stop);
        }
    }
}

static ordo_body *FN(gen_keys_body)(ordo_dist dist)
{
    return dist == ORDO_DIST_UNIFORM ? FN(gen_uniform)
                                     : dist == ORDO_DIST_ZERO
        ? FN(gen_zero)
        : dist >= ORDO_DIST_DUPES && dist <= ORDO_DIST_BUCKET
        ? FN(gen_buckets)
        : FN(gen_each);
}

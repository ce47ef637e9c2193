/* gen_keys.t.h - bodies of the distributions whose keys are drawn one by one. */

/* One 64-bit draw serves as many keys as fit into it. */
static void FN(gen_uniform)(void *arg, size_t lo, size_t hi)
{
    const gen_keys_state *const state = arg;
    KEY *const                  out = state->job->out;
    const unsigned              width = 8 * (unsigned)sizeof(KEY);
    const size_t                lanes = 8 / sizeof(KEY);
    size_t                      i = lo;

    for (; hi - i >= lanes; i += lanes) {
        const uint64_t draw = ordo_random_at(state->stream, i / lanes);
        for (unsigned lane = 0; lane < lanes; lane++)
            out[i + lane] = FN(key_of_fraction)(draw << (64 - width * (lane + 1)));
    }
    const uint64_t draw = ordo_random_at(state->stream, i / lanes);
    for (unsigned lane = 0; i + lane < hi; lane++)
        out[i + lane] = FN(key_of_fraction)(draw << (64 - width * (lane + 1)));
}

/* The mean is taken in 64 bits with the draws at the top, the lowest two bits of each added
 * apart so that nothing overflows. Keys of up to 16 bits take all four draws from one word. */
static void FN(gen_gaussian)(void *arg, size_t lo, size_t hi)
{
    const gen_keys_state *const state = arg;
    KEY *const                  out = state->job->out;
    const unsigned              words = sizeof(KEY) <= 2 ? 1 : (unsigned)sizeof(KEY) / 2;
    const unsigned              width = words * 16;

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

static void FN(gen_few)(void *arg, size_t lo, size_t hi)
{
    const gen_keys_state *const state = arg;
    KEY *const                  out = state->job->out;

    for (size_t i = lo; i < hi; i++) {
        const uint64_t draw = ordo_random_at(state->stream, i);
        const uint64_t value = ordo_random_below(draw, state->job->k);
        out[i] = FN(key_of_fraction)(gen_grid_edge(state->grid, value));
    }
}

static void FN(gen_zipf)(void *arg, size_t lo, size_t hi)
{
    const gen_keys_state *const state = arg;
    KEY *const                  out = state->job->out;
    const unsigned              octaves = gen_log2(state->job->k) + 1;

    for (size_t i = lo; i < hi; i++) {
        const uint64_t own = ordo_random_at(state->stream, i);
        out[i] = FN(key_of_count)(gen_zipf(own, state->job->k, octaves));
    }
}

static void FN(gen_zero)(void *arg, size_t lo, size_t hi)
{
    const gen_keys_state *const state = arg;
    memset((KEY *)state->job->out + lo, 0, (hi - lo) * sizeof(KEY));
}

static ordo_body *FN(gen_keys_body)(ordo_dist dist)
{
    switch ((int)dist) {
    case ORDO_DIST_UNIFORM:
        return FN(gen_uniform);
    case ORDO_DIST_GAUSSIAN:
        return FN(gen_gaussian);
    case ORDO_DIST_FEW:
        return FN(gen_few);
    case ORDO_DIST_ZIPF:
        return FN(gen_zipf);
    default:
        return FN(gen_zero);
    }
}

/* gen_mixes.t.h - the loops of gen_mixes.c for one key type. */

/* All times are in a part of the range that starts at 5/8 of it: a quarter of the bits of a key is
 * the same in all keys, as in times of one day. */
static void FN(gen_timestamps)(void *arg, size_t lo, size_t hi)
{
    const gen_state *const state = arg;
    KEY *const             out = state->job->out;
    const unsigned         same = 2 * (unsigned)sizeof(KEY);

    for (size_t i = lo; i < hi; i++)
        out[i] = FN(key_of_fraction)((UINT64_C(5) << 61) + (gen_stamp(state, i) >> same));
}

static void FN(gen_prices)(void *arg, size_t lo, size_t hi)
{
    const gen_state *const state = arg;
    KEY *const             out = state->job->out;

    for (size_t i = lo; i < hi; i++)
        out[i] = FN(key_of_cents)(gen_price(state, i, sizeof(KEY)));
}

static void FN(gen_sensors)(void *arg, size_t lo, size_t hi)
{
    const gen_state *const state = arg;
    KEY *const             out = state->job->out;

    for (size_t i = lo; i < hi; i++) {
        uint64_t reading;
        out[i] =
            gen_reading(state, i, &reading) ? FN(key_of_reading)(reading) : FN(key_of_missing)();
    }
}

static ordo_body *FN(gen_mixes_body)(ordo_dist dist)
{
    return dist == ORDO_DIST_TIMESTAMPS ? FN(gen_timestamps)
                                        : dist == ORDO_DIST_PRICES
        ? FN(gen_prices)
        : FN(gen_sensors);
}

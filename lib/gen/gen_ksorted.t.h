/* gen_ksorted.t.h - k-sorted keys by shuffling short runs, or by permuting the cells of long
 * ones; see gen_ksorted.c. */
static KEY FN(gen_cell_key)(const gen_ksorted_state *state, uint64_t cell)
{
    const uint64_t draw = ordo_random_at(state->stream, cell);
    return FN(key_of_place)(gen_grid_pick(state->grid, cell, draw));
}

/* Fisher and Yates, with one draw for each of the keys [begin, begin + count). */
static void FN(gen_shuffle)(const gen_ksorted_state *state, KEY *out, size_t begin, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        const uint64_t draw = ordo_random_at(state->shuffle, begin + i - 1);
        const size_t   other = (size_t)ordo_random_below(draw, i);
        const KEY      key = out[begin + i - 1];
        out[begin + i - 1] = out[begin + other];
        out[begin + other] = key;
    }
}

static void FN(gen_ksorted_runs)(void *arg, size_t lo, size_t hi)
{
    const gen_ksorted_state *const state = arg;
    const size_t                   length = state->length, n = state->job->n;
    KEY *const                     out = state->job->out;

    for (size_t run = lo; run < hi; run++) {
        const size_t begin = run * length;
        const size_t count = ordo_min(length, n - begin);
        for (size_t i = begin; i < begin + count; i++)
            out[i] = FN(gen_cell_key)(state, i);
        if (run != state->chosen) {
            FN(gen_shuffle)(state, out, begin, count);
        } else if (length > 1) {
            const KEY key = out[begin];
            out[begin] = out[begin + count - 1];
            out[begin + count - 1] = key;
            FN(gen_shuffle)(state, out, begin + 1, count - 2);
        }
    }
}

static void FN(gen_ksorted_cells)(void *arg, size_t lo, size_t hi)
{
    const gen_ksorted_state *const state = arg;
    KEY *const                     out = state->job->out;

    for (size_t i = lo; i < hi; i++)
        out[i] = FN(gen_cell_key)(state, gen_permuted_cell(state, i));
}

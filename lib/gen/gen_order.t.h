/* gen_order.t.h - the loops of gen_order.c for one key type. */

/* ---- Runs ---- */

/* Writes the keys of the cells [cell, cell + count) to out, out + step, ..., where step is 1 or -1.
 * Key i of them uses the random number draw + i. */
static void FN(gen_run)(const gen_state *state, KEY *out, ptrdiff_t step, uint64_t cell,
                        size_t count, uint64_t draw)
{
    uint64_t edge = gen_grid_edge(state->grid, cell);

    for (size_t i = 0; i < count; i++, out += step) {
        const uint64_t next = gen_grid_edge(state->grid, cell + i + 1);
        const uint64_t random = ordo_random_at(state->stream, draw + i);
        *out = FN(key_of_fraction)(edge + ordo_random_below(random, next - edge));
        edge = next;
    }
}

static void FN(gen_sorted)(void *arg, size_t lo, size_t hi)
{
    const gen_state *const state = arg;
    FN(gen_run)(state, (KEY *)state->job->out + lo, 1, lo, hi - lo, lo);
}

static void FN(gen_reverse)(void *arg, size_t lo, size_t hi)
{
    const gen_state *const state = arg;
    const size_t           cell = state->job->n - hi;
    FN(gen_run)(state, (KEY *)state->job->out + hi - 1, -1, cell, hi - lo, cell);
}

/* Key i is from cell min(i, n - 1 - i), so the descending half mirrors the ascending half. */
static void FN(gen_organpipe)(void *arg, size_t lo, size_t hi)
{
    const gen_state *const state = arg;
    const size_t           rising = ordo_div_up(state->job->n, 2);

    if (lo < rising)
        FN(gen_sorted)(arg, lo, ordo_min(hi, rising));
    if (hi > rising)
        FN(gen_reverse)(arg, ordo_max(lo, rising), hi);
}

static void FN(gen_sawtooth)(void *arg, size_t lo, size_t hi)
{
    const gen_state *const state = arg;
    const size_t           n = state->job->n;
    const uint64_t         teeth = state->job->k;

    for (size_t i = lo; i < hi;) {
        const uint64_t  tooth = gen_share_of(n, teeth, i);
        const size_t    begin = gen_share_begin(n, teeth, tooth);
        const size_t    end = gen_share_begin(n, teeth, tooth + 1);
        const size_t    stop = ordo_min(end, hi);
        const gen_state one = {state->job, state->stream, gen_grid_make(UINT64_MAX, end - begin)};
        FN(gen_run)(&one, (KEY *)state->job->out + i, 1, i - begin, stop - i, i);
        i = stop;
    }
}

/* Sorted keys, and a uniform draw instead of one key in k. */
static void FN(gen_outliers)(void *arg, size_t lo, size_t hi)
{
    const gen_state *const    state = arg;
    const ordo_gen_job *const job = state->job;
    KEY *const                out = job->out;
    const uint64_t            choice = gen_stream(job->seed, job->dist, GEN_CHOICE);
    const uint64_t            draw = gen_stream(job->seed, job->dist, GEN_DRAW);

    FN(gen_sorted)(arg, lo, hi);
    for (size_t i = lo; i < hi; i++)
        if (ordo_random_below(ordo_random_at(choice, i), job->k) == 0)
            out[i] = FN(key_of_fraction)(ordo_random_at(draw, i));
}

/* ---- recur ---- */

static void FN(gen_recur)(void *arg, size_t lo, size_t hi)
{
    const gen_recur_state *const state = arg;
    const ordo_gen_job *const    job = state->job;
    KEY *const                   out = job->out;

    for (size_t block = lo; block < hi; block++) {
        const size_t begin = block * ORDO_GEN_BLOCK;
        const size_t end = ordo_min(begin + ORDO_GEN_BLOCK, job->n);
        uint64_t     place = state->changes[block] * state->step;
        for (size_t i = begin; i < end; i++) {
            place += (uint64_t)gen_changes(state, i) * state->step; /* no branch */
            out[i] = FN(key_of_place)(place);
        }
    }
}

/* ---- ksorted ---- */

static KEY FN(gen_cell_key)(const gen_ksorted_state *state, uint64_t cell)
{
    const uint64_t draw = ordo_random_at(state->stream, cell);
    return FN(key_of_place)(gen_grid_pick(state->grid, cell, draw));
}

/* Fisher-Yates shuffle of the keys [begin, begin + count), with one draw for each key. */
static void FN(gen_shuffle)(uint64_t shuffle, KEY *out, size_t begin, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        const uint64_t draw = ordo_random_at(shuffle, begin + i - 1);
        const size_t   other = (size_t)ordo_random_below(draw, i);
        const KEY      key = out[begin + i - 1];
        out[begin + i - 1] = out[begin + other];
        out[begin + other] = key;
    }
}

static void FN(gen_ksorted_windows)(void *arg, size_t lo, size_t hi)
{
    const gen_ksorted_state *const state = arg;
    const size_t                   length = state->length, n = state->job->n;
    KEY *const                     out = state->job->out;

    for (size_t window = lo; window < hi; window++) {
        const size_t begin = window * length;
        const size_t count = ordo_min(length, n - begin);
        for (size_t i = begin; i < begin + count; i++)
            out[i] = FN(gen_cell_key)(state, i);
        if (window != state->chosen) {
            FN(gen_shuffle)(state->shuffle, out, begin, count);
        } else if (length > 1) {
            const KEY key = out[begin];
            out[begin] = out[begin + count - 1];
            out[begin + count - 1] = key;
            FN(gen_shuffle)(state->shuffle, out, begin + 1, count - 2);
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

/* ---- shuffled ---- */

static void FN(gen_shuffled)(void *arg, size_t lo, size_t hi)
{
    const gen_shuffle_state *const state = arg;
    const size_t                   first = state->first, last = state->last;
    const size_t                   before = ordo_div_up(first, state->length);
    KEY *const                     out = state->job->out;

    for (size_t group = lo; group < hi; group++) {
        if (group == before) {
            const KEY key = out[first];
            out[first] = out[last];
            out[last] = key;
            FN(gen_shuffle)(state->shuffle, out, first + 1, last - first - 1);
        } else {
            const size_t begin = group < before ? group * state->length
                                                : last + 1 + (group - before - 1) * state->length;
            const size_t end = group < before ? first : state->job->n;
            FN(gen_shuffle)(state->shuffle, out, begin, ordo_min(state->length, end - begin));
        }
    }
}

static ordo_body *FN(gen_order_body)(ordo_dist dist, bool in_place)
{
    switch ((int)dist) {
    case ORDO_DIST_SORTED:
        return FN(gen_sorted);
    case ORDO_DIST_REVERSE:
        return FN(gen_reverse);
    case ORDO_DIST_ORGANPIPE:
        return FN(gen_organpipe);
    case ORDO_DIST_SAWTOOTH:
        return FN(gen_sawtooth);
    case ORDO_DIST_OUTLIERS:
        return FN(gen_outliers);
    case ORDO_DIST_RECUR:
        return FN(gen_recur);
    case ORDO_DIST_SHUFFLED:
        return FN(gen_shuffled);
    default:
        return in_place ? FN(gen_ksorted_windows) : FN(gen_ksorted_cells);
    }
}

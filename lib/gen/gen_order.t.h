/* gen_order.t.h - bodies of the distributions that are runs of ascending or descending keys. */

/* The cells [cell, cell + count) written from out on, `step` (1 or -1) keys apart. The random
 * part of a cell's key is draw number `draw` + its index. */
static void FN(gen_run)(const gen_run *run, KEY *out, ptrdiff_t step, uint64_t cell, size_t count,
                        uint64_t draw)
{
    uint64_t edge = gen_grid_edge(run->grid, cell);

    for (size_t i = 0; i < count; i++, out += step) {
        const uint64_t next = gen_grid_edge(run->grid, cell + i + 1);
        const uint64_t random = ordo_random_at(run->stream, draw + i);
        *out = FN(key_of_fraction)(edge + ordo_random_below(random, next - edge));
        edge = next;
    }
}

static void FN(gen_sorted)(void *arg, size_t lo, size_t hi)
{
    const gen_run *const run = arg;
    FN(gen_run)(run, (KEY *)run->job->out + lo, 1, lo, hi - lo, lo);
}

static void FN(gen_reverse)(void *arg, size_t lo, size_t hi)
{
    const gen_run *const run = arg;
    const size_t         cell = run->job->n - hi;
    FN(gen_run)(run, (KEY *)run->job->out + hi - 1, -1, cell, hi - lo, cell);
}

/* Key i is cell min(i, n - 1 - i), so the way down mirrors the way up. */
static void FN(gen_organpipe)(void *arg, size_t lo, size_t hi)
{
    const gen_run *const run = arg;
    const size_t         rising = ordo_div_up(run->job->n, 2);

    if (lo < rising)
        FN(gen_sorted)(arg, lo, ordo_min(hi, rising));
    if (hi > rising)
        FN(gen_reverse)(arg, ordo_max(lo, rising), hi);
}

static void FN(gen_sawtooth)(void *arg, size_t lo, size_t hi)
{
    gen_run *const run = arg;
    const size_t   n = run->job->n;
    const uint64_t teeth = run->job->k;

    for (size_t i = lo; i < hi;) {
        const uint64_t tooth = gen_share_of(n, teeth, i);
        const size_t   begin = gen_share_begin(n, teeth, tooth);
        const size_t   end = gen_share_begin(n, teeth, tooth + 1);
        const size_t   stop = ordo_min(end, hi);
        const gen_run  one = {run->job, run->stream, gen_grid_make(UINT64_MAX, end - begin)};
        FN(gen_run)(&one, (KEY *)run->job->out + i, 1, i - begin, stop - i, i);
        i = stop;
    }
}

static ordo_body *FN(gen_order_body)(ordo_dist dist)
{
    switch ((int)dist) {
    case ORDO_DIST_SORTED:
        return FN(gen_sorted);
    case ORDO_DIST_REVERSE:
        return FN(gen_reverse);
    case ORDO_DIST_ORGANPIPE:
        return FN(gen_organpipe);
    default:
        return FN(gen_sawtooth);
    }
}

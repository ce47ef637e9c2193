/* moving_few.t.h - medians, quantiles and ranks of moving windows over at most MOVING_FEW elements,
 * for one type.
 *
 * The time grows with the length of the window, but there is no sort, no set of places and no
 * scratch. A rank compares the last element of the window with all of it. For a quantile the
 * observations of the window stay in order: larger ones move by one place for an element that
 * enters or leaves. */

/* Dense ranks are not found here. */
static void FN(moving_rank_few)(const ordo_moving_job *job)
{
    const KEY *const in = job->in;
    double *const    out = job->out;
    bool const       omits = job->nans != ORDO_NANS_LAST;
    BITS             codes[MOVING_FEW];
    for (size_t i = 0; i < job->n; i++)
        codes[i] = FN(key_tie_bits)(in[i], job->descending);
    for (size_t i = 0; i < job->n; i++) {
        size_t const first = moving_first(job, i), end = moving_end(job, i);
        BITS const   last = codes[end - 1];
        size_t       before = 0, ties = 0, nans = 0;
        for (size_t j = first; j < end; j++) {
            before += codes[j] < last;
            ties += codes[j] == last;
            nans += (size_t)FN(key_is_nan)(in[j]);
        }
        bool const hidden = omits && (FN(key_is_nan)(in[end - 1]) ||
                                         (nans > 0 && job->nans == ORDO_NANS_PROPAGATE));
        out[i] = hidden || end - first - (omits ? nans : 0) < job->min_periods
                     ? (double)NAN
                     : moving_rank_of(job->ties, before, ties);
    }
}

static void FN(moving_quantile_few)(const ordo_moving_job *job)
{
    const KEY *const in = job->in;
    double *const    out = job->out;
    bool const       omits = job->nans != ORDO_NANS_LAST;
    double           sorted[MOVING_FEW];
    size_t           inside = 0, nans = 0, at_count = 0;
    size_t           head = moving_first(job, 0), tail = head;
    quantile_place   at = {0};
    for (size_t i = 0; i < job->n; i++) {
        for (size_t const end = moving_end(job, i); tail < end; tail++)
            if (omits && FN(key_is_nan)(in[tail]))
                nans++;
            else
                moving_insert(sorted, inside++, (double)in[tail]);
        for (size_t const first = moving_first(job, i); head < first; head++)
            if (omits && FN(key_is_nan)(in[head]))
                nans--;
            else
                moving_remove(sorted, --inside, (double)in[head]);
        if (inside != at_count && inside > 0) {
            at_count = inside;
            at = quantile_place_of(job->method, job->q, inside);
        }
        if (inside < job->min_periods || (nans > 0 && job->nans == ORDO_NANS_PROPAGATE)) {
            out[i] = (double)NAN;
            continue;
        }
        double const below = sorted[at.below];
        out[i] = quantile_value(&at, below, at.weight == 0 ? below : sorted[at.above]);
    }
}

static void FN(moving_few)(const ordo_moving_job *job)
{
    if (job->op == ORDO_MOVING_RANK)
        FN(moving_rank_few)(job);
    else
        FN(moving_quantile_few)(job);
}

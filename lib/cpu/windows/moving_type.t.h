/* moving_type.t.h - the loops of moving.h that read keys, for one type.
 *
 * Minima and maxima: M. van Herk, "A fast algorithm for local minimum and maximum filters on
 * rectangular and octagonal kernels", 1992, and J. Gil and M. Werman, "Computing 2-D min, median,
 * and max filters", 1993. The elements are cut into blocks as long as the window. A window begins
 * in one block and ends in the next, so its maximum is the larger maximum of a suffix of the first
 * block and a prefix of the second: three comparisons per element, for any window. */

/* The codes of elements lo - back to hi + ahead: key bits, complemented for minima, so that the
 * result is always the largest code. Elements outside the array, and NaNs that are not keys, are
 * 0. */
static void FN(moving_load)(moving_chunk *chunk)
{
    const ordo_moving_job *const job = chunk->job;
    const KEY *const             in = job->in;
    BITS *const                  codes = chunk->codes;
    BITS const                   flip = job->op == ORDO_MOVING_MIN ? (BITS) ~(BITS)0 : 0;
    BITS const                   skip = job->nans != ORDO_NANS_LAST ? (BITS) ~(BITS)0 : 0;
    size_t const                 before = chunk->lo < job->back ? job->back - chunk->lo : 0;
    size_t const                 count = chunk->to - chunk->from;
    size_t const                 all = chunk->hi - chunk->lo + job->back + job->ahead;
    BITS                         nans = 0;
    for (size_t i = 0; i < before; i++)
        codes[i] = 0;
    for (size_t i = 0; i < count; i++) {
        KEY const  key = in[chunk->from + i];
        BITS const nan = (BITS)(0 - (BITS)FN(key_is_nan)(key));
        codes[before + i] = (BITS)((FN(key_bits)(key) ^ flip) & ~(nan & skip));
        nans |= nan;
    }
    for (size_t i = before + count; i < all; i++)
        codes[i] = 0;
    chunk->has_nans = nans != 0;
}

/* Replaces results of windows with too few observations, or with a NaN that propagates, by NaN, and
 * other NaNs by the default NaN. Only for results that are floats. */
static void FN(moving_hide)(moving_chunk *chunk)
{
    const ordo_moving_job *const job = chunk->job;
    const KEY *const             in = job->in;
    size_t                       head = chunk->from, tail = head, nans = 0;
    for (size_t i = chunk->lo; i < chunk->hi; i++) {
        size_t const first = moving_first(job, i), end = moving_end(job, i);
        while (tail < end)
            nans += (size_t)FN(key_is_nan)(in[tail++]);
        while (head < first)
            nans -= (size_t)FN(key_is_nan)(in[head++]);
        size_t const seen = end - first - (job->nans == ORDO_NANS_OMIT ? nans : 0);
        bool const   hidden =
            seen < job->min_periods || (nans > 0 && job->nans == ORDO_NANS_PROPAGATE);
        moving_settle(job, i, hidden);
    }
}

static void FN(moving_bounds)(moving_chunk *chunk)
{
    const ordo_moving_job *const job = chunk->job;
    size_t const                 window = job->back + job->ahead + 1, count = chunk->hi - chunk->lo;
    size_t const                 all = count + window - 1;
    BITS *const codes = chunk->codes, *const suffix = chunk->suffix;
    BITS const flip = job->op == ORDO_MOVING_MIN ? (BITS) ~(BITS)0 : 0;
    FN(moving_load)(chunk);
    for (size_t block = 0; block < count; block += window) {
        size_t const end = ordo_min(block + window, all);
        BITS         most = 0;
        for (size_t i = end; i-- > block;)
            suffix[i] = most = codes[i] > most ? codes[i] : most;
    }
    for (size_t block = 0; block < all; block += window) {
        size_t const end = ordo_min(block + window, all);
        BITS         most = 0;
        for (size_t i = block; i < end; i++)
            codes[i] = most = codes[i] > most ? codes[i] : most;
    }
    const BITS *const prefix = codes + window - 1;
    if (job->out_type == job->type) {
        KEY *const out = (KEY *)job->out + chunk->lo;
        for (size_t i = 0; i < count; i++)
            out[i] = FN(key_of)((BITS)((suffix[i] > prefix[i] ? suffix[i] : prefix[i]) ^ flip));
    } else {
        double *const out = (double *)job->out + chunk->lo;
        for (size_t i = 0; i < count; i++)
            out[i] =
                (double)FN(key_of)((BITS)((suffix[i] > prefix[i] ? suffix[i] : prefix[i]) ^ flip));
    }
    bool const clipped = chunk->lo < job->back || job->n - chunk->hi < job->ahead;
    if (chunk->has_nans || (clipped && job->min_periods > 1))
        FN(moving_hide)(chunk);
}

/* ---- Sorted places ---- */

/* Finds the ties. Dense ranks: places become numbers of groups of ties, and so does `valid`. */
static void FN(moving_ties)(moving_chunk *chunk, const KEY *in, size_t count)
{
    uint32_t *const index = chunk->index;
    bool const      dense = chunk->job->ties == ORDO_TIES_DENSE;
    uint32_t        start = 0, group = 0, nan_group = (uint32_t)count;
    for (size_t j = 0; j < count; j++) {
        if (j > 0 && FN(key_fold)(in[index[j]]) != FN(key_fold)(in[index[j - 1]])) {
            for (size_t t = start; t < j; t++)
                chunk->tie_end[t] = (uint32_t)j;
            start = (uint32_t)j;
            group++;
        }
        if (j == chunk->valid)
            nan_group = group;
        chunk->tie_start[j] = start;
        chunk->place[index[j]] = dense ? group : (uint32_t)j;
    }
    for (size_t t = start; t < count; t++)
        chunk->tie_end[t] = (uint32_t)count;
    if (dense) {
        chunk->valid = nan_group;
        memset(index, 0, count * sizeof *index);
    }
}

static void FN(moving_places)(moving_chunk *chunk)
{
    const KEY *const      in = (const KEY *)chunk->job->in + chunk->from;
    size_t const          count = chunk->to - chunk->from;
    const uint32_t *const index = chunk->index;
    size_t                valid = count;
    if (chunk->job->nans != ORDO_NANS_LAST)
        while (valid > 0 && FN(key_is_nan)(in[index[valid - 1]]))
            valid--;
    chunk->valid = valid;
    if (chunk->job->op == ORDO_MOVING_RANK) {
        FN(moving_ties)(chunk, in, count);
        return;
    }
    for (size_t j = 0; j < count; j++) {
        chunk->place[index[j]] = (uint32_t)j;
        chunk->values[j] = (double)in[index[j]];
    }
}

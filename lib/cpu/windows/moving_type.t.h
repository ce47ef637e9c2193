/* moving_type.t.h - the loops of moving.h that read keys, for one type.
 *
 * Minima and maxima of long windows: M. van Herk, "A fast algorithm for local minimum and maximum
 * filters on rectangular and octagonal kernels", 1992, and J. Gil and M. Werman, "Computing 2-D
 * min, median, and max filters", 1993. The elements are cut into blocks as long as the window. A
 * window begins in one block and ends in the next, so its maximum is the larger maximum of a suffix
 * of the first block and a prefix of the second: three comparisons per element, for any window.
 * Short windows: the maxima of 2, 4, 8, ... elements follow from each other in vectors, and two
 * that overlap cover the window: lg(window) comparisons per element. */

/* codes[i] = the key bits of element lo - back + first + i, complemented for minima, so that the
 * result is always the largest code. Elements outside the array, and NaNs that are not keys, are
 * 0. */
static void FN(moving_codes)(moving_chunk *chunk, size_t first, size_t count, BITS *codes)
{
    const ordo_moving_job *const job = chunk->job;
    BITS const                   flip = job->op == ORDO_MOVING_MIN ? (BITS) ~(BITS)0 : 0;
    BITS const                   skip = job->nans != ORDO_NANS_LAST ? (BITS) ~(BITS)0 : 0;
    size_t const                 start = chunk->lo + first;
    size_t const     before = start < job->back ? ordo_min(job->back - start, count) : 0;
    size_t const     from = start + before - job->back; /* unused if all elements are before */
    size_t const     most = before < count && from < job->n ? job->n - from : 0;
    size_t const     inside = ordo_min(most, count - before);
    const KEY *const in = (const KEY *)job->in + (inside > 0 ? from : 0);
    BITS *const      to = codes + before;
    BITS             nans = 0;
    for (size_t i = 0; i < before; i++)
        codes[i] = 0;
    for (size_t i = 0; i < inside; i++) {
        KEY const  key = in[i];
        BITS const nan = (BITS)(0 - (BITS)FN(key_is_nan)(key));
        to[i] = (BITS)((FN(key_bits)(key) ^ flip) & ~(nan & skip));
        nans |= nan;
    }
    for (size_t i = before + inside; i < count; i++)
        codes[i] = 0;
    chunk->has_nans |= nans != 0;
}

/* Results [at, at + count): the larger of a[i] and b[i]. */
static void FN(moving_store)(const moving_chunk *chunk, size_t at, size_t count, const BITS *a,
                             const BITS *b)
{
    const ordo_moving_job *const job = chunk->job;
    BITS const                   flip = job->op == ORDO_MOVING_MIN ? (BITS) ~(BITS)0 : 0;
    if (job->out_type == job->type) {
        KEY *const out = (KEY *)job->out + at;
        for (size_t i = 0; i < count; i++)
            out[i] = FN(key_of)((BITS)((a[i] > b[i] ? a[i] : b[i]) ^ flip));
    } else {
        double *const out = (double *)job->out + at;
        for (size_t i = 0; i < count; i++)
            out[i] = (double)FN(key_of)((BITS)((a[i] > b[i] ? a[i] : b[i]) ^ flip));
    }
}

static void FN(moving_bounds_short)(moving_chunk *chunk, size_t window)
{
    BITS *const  codes = chunk->codes;
    size_t const outputs = chunk->hi - chunk->lo;
    for (size_t at = 0; at < outputs; at += ORDO_TUNE_SPAN) {
        size_t const count = ordo_min(ORDO_TUNE_SPAN, outputs - at);
        size_t       covered = 1, left = count + window - 1;
        FN(moving_codes)(chunk, at, left, codes);
        for (; 2 * covered <= window; covered *= 2) {
            left -= covered;
            /* codes[i + covered] is read before it is written */
            MOVING_INDEPENDENT for (size_t i = 0; i < left; i++)
            {
                BITS const a = codes[i], b = codes[i + covered];
                codes[i] = a > b ? a : b;
            }
        }
        FN(moving_store)(chunk, chunk->lo + at, count, codes, codes + (window - covered));
    }
}

/* The prefixes and the suffixes of a block at once, because each depends on the step before. */
static void FN(moving_scan)(const BITS *codes, size_t n, BITS *prefix, BITS *suffix)
{
    BITS up = 0, down = 0;
    for (size_t i = 0; i < n; i++) {
        BITS const a = codes[i], b = codes[n - 1 - i];
        up = a > up ? a : up;
        down = b > down ? b : down;
        prefix[i] = up;
        suffix[n - 1 - i] = down;
    }
}

static void FN(moving_bounds_long)(moving_chunk *chunk, size_t window)
{
    BITS *const  codes = chunk->codes;
    BITS        *suffix = codes + window, *next = suffix + window;
    BITS *const  prefix = next + window; /* prefix[0] is that of no element */
    size_t const outputs = chunk->hi - chunk->lo;
    prefix[0] = 0;
    FN(moving_codes)(chunk, 0, window, codes);
    FN(moving_scan)(codes, window, prefix + 1, suffix);
    for (size_t at = 0, count; at < outputs; at += count) {
        count = ordo_min(window, outputs - at);
        size_t const length = at + count < outputs ? window : count - 1;
        FN(moving_codes)(chunk, at + window, length, codes);
        FN(moving_scan)(codes, length, prefix + 1, next);
        FN(moving_store)(chunk, chunk->lo + at, count, suffix, prefix);
        BITS *const last = suffix;
        suffix = next;
        next = last;
    }
}

/* Replaces results [lo, hi) of windows with too few observations, or with a NaN that propagates, by
 * NaN, and other NaNs by the default NaN. Only for results that are floats. */
static void FN(moving_hide)(const ordo_moving_job *job, size_t lo, size_t hi)
{
    const KEY *const in = job->in;
    size_t           head = moving_first(job, lo), tail = head, nans = 0;
    for (size_t i = lo; i < hi; i++) {
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
    size_t const                 window = job->back + job->ahead + 1;
    if (window <= MOVING_SHORT)
        FN(moving_bounds_short)(chunk, window);
    else
        FN(moving_bounds_long)(chunk, window);
    if (chunk->has_nans) {
        FN(moving_hide)(job, chunk->lo, chunk->hi);
    } else if (job->min_periods > 1) { /* windows that the ends of the array clip */
        size_t const whole = ordo_max(chunk->lo, ordo_min(job->back, chunk->hi));
        size_t const last = job->n - ordo_min(job->ahead, job->n);
        FN(moving_hide)(job, chunk->lo, whole);
        if (ordo_max(last, whole) < chunk->hi)
            FN(moving_hide)(job, ordo_max(last, whole), chunk->hi);
    }
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

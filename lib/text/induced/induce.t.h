/* induce.t.h - the two scans of induced sorting; induce_entry.t.h explains them. */

#if BYTES
/* Induces from the entries [lo, hi), none of which is written meanwhile. The entries that induce
 * are first collected, because whether one does cannot be predicted. */
INLINE void FN(induce_batch)(const FN(scan) * s, size_t lo, size_t hi, bool from_left)
{
    INDEX  found[TEXT_BATCH];
    size_t count = 0;
    for (size_t k = 0; k < hi - lo; k++) {
        size_t const i = from_left ? lo + k : hi - 1 - k;
        INDEX const  entry = s->sa[i];
        FN(prefetch)(s, from_left              ? ordo_min(i + TEXT_AHEAD_BYTES, s->n - 1)
                        : i > TEXT_AHEAD_BYTES ? i - TEXT_AHEAD_BYTES
                                               : 0);
        found[count] = entry - 1;
        count += entry - 1 < MARK - 1;
        s->sa[i] = from_left ? entry ^ MARK : entry & ~MARK;
    }
    for (size_t k = 0; k < count; k++) {
        SYMBOL const here = s->symbols[found[k]];
        FN(put)(s, from_left ? s->ends[here]++ : --s->ends[here], found[k], here, from_left);
    }
}

/* Induces from the next ones of `left` entries, from *i on, that nothing writes any more: with all
 * threads if they are many and w is not NULL. */
INLINE bool FN(induce_next)(ordo_exec *exec, FN(share) * w, const FN(scan) * s, size_t *i,
                                                                     size_t left, bool from_left)
{
    bool const   shares = w != NULL && left >= TEXT_SHARED;
    size_t const from = *i, count = ordo_min(left, shares ? TEXT_BLOCK : TEXT_BATCH);
    size_t const lo = from_left ? from : from - count;
    double const done = (double)from / (double)s->n;
    *i = from_left ? from + count : lo;
    if (shares) {
        w->from_left = from_left;
        return FN(share_block)(exec, w, lo, lo + count);
    }
    FN(induce_batch)(s, lo, lo + count, from_left);
    return from / TEXT_POLL == *i / TEXT_POLL || !ordo_poll(exec, from_left ? done : 1 - done);
}

/* The scans, a bucket at a time: first the suffixes of type L, whose end moves with
 * the scan, then the LMS suffixes. False if the call was cancelled. */
static bool FN(scan_left)(ordo_exec *exec, FN(share) * w, const FN(scan) * s, const INDEX *heads,
                                                                   const INDEX *lms)
{
    for (size_t c = 0; c < TEXT_BYTES; c++) {
        for (size_t i = heads[c]; i < s->ends[c];)
            if (!FN(induce_next)(exec, w, s, &i, s->ends[c] - i, true))
                return false;
        for (size_t i = lms[c]; i < heads[c + 1];)
            if (!FN(induce_next)(exec, w, s, &i, heads[c + 1] - i, true))
                return false;
    }
    return true;
}

/* `middle` of each bucket: the end of the suffixes of type L. */
static bool FN(scan_right)(ordo_exec *exec, FN(share) * w, const FN(scan) * s, const INDEX *heads,
                                                                    const INDEX *middle)
{
    for (size_t c = TEXT_BYTES; c-- > 0;) {
        for (size_t i = heads[c + 1]; i > s->ends[c];)
            if (!FN(induce_next)(exec, w, s, &i, i - s->ends[c], false))
                return false;
        for (size_t i = middle[c]; i > heads[c];)
            if (!FN(induce_next)(exec, w, s, &i, i - heads[c], false))
                return false;
    }
    return true;
}
#else
/* Prefetches what later steps read: the symbols of the entry `far`, and the end of the bucket that
 * the entry `near` induces to. */
static inline void FN(look_ahead)(const FN(scan) * s, size_t near, size_t far)
{
    INDEX const entry = s->sa[near];
    FN(prefetch)(s, far);
    TEXT_PREFETCH_WRITE(s->ends + s->symbols[entry - 1 < MARK - 1 ? entry - 1 : 0]);
}

INLINE void FN(induce_step)(const FN(scan) * s, size_t i, bool from_left)
{
    INDEX const entry = s->sa[i];
    s->sa[i] = from_left ? entry ^ MARK : entry & ~MARK;
    if (entry - 1 < MARK - 1) {
        SYMBOL const here = s->symbols[entry - 1];
        FN(put)(s, from_left ? s->ends[here]++ : --s->ends[here], entry - 1, here, from_left);
    }
}

/* The scans with one thread. False if the call was cancelled. */
static bool FN(scan_left)(ordo_exec *exec, const FN(scan) * s)
{
    size_t const n = s->n, safe = n > 2 * TEXT_AHEAD ? n - 2 * TEXT_AHEAD : 0;
    size_t       i = 0;
    while (i < safe) {
        size_t const end = ordo_min(safe, i + TEXT_POLL);
        for (; i < end; i++) {
            FN(look_ahead)(s, i + TEXT_AHEAD, i + 2 * TEXT_AHEAD);
            FN(induce_step)(s, i, true);
        }
        if (ordo_poll(exec, (double)i / (double)n))
            return false;
    }
    for (; i < n; i++)
        FN(induce_step)(s, i, true);
    return true;
}

static bool FN(scan_right)(ordo_exec *exec, const FN(scan) * s)
{
    size_t const n = s->n;
    size_t       i = n;
    while (i > 2 * TEXT_AHEAD) {
        size_t const end = ordo_max(i > TEXT_POLL ? i - TEXT_POLL : 0, 2 * TEXT_AHEAD);
        while (i-- > end) {
            FN(look_ahead)(s, i - TEXT_AHEAD, i - 2 * TEXT_AHEAD);
            FN(induce_step)(s, i, false);
        }
        i++;
        if (ordo_poll(exec, (double)(n - i) / (double)n))
            return false;
    }
    while (i-- > 0)
        FN(induce_step)(s, i, false);
    return true;
}
#endif

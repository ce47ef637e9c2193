/* induce.t.h - the two scans of induced sorting; induce_entry.t.h explains them. */

#if BYTES
/* Induces from the entries [lo, hi), none of which is written meanwhile. The entries that induce
 * are first collected, because whether one does cannot be predicted. */
static inline void FN(batch_left)(const FN(scan) * s, size_t lo, size_t hi)
{
    INDEX  found[TEXT_BATCH];
    size_t count = 0;
    for (size_t i = lo; i < hi; i++) {
        INDEX const entry = s->sa[i];
        FN(prefetch)(s, ordo_min(i + TEXT_AHEAD_BYTES, s->n - 1));
        found[count] = entry - 1;
        count += entry - 1 < MARK - 1;
        s->sa[i] = entry ^ MARK;
    }
    for (size_t k = 0; k < count; k++) {
        SYMBOL const here = s->symbols[found[k]];
        FN(put)(s, s->ends[here]++, found[k], here, true);
    }
}

/* The same from the right. */
static inline void FN(batch_right)(const FN(scan) * s, size_t lo, size_t hi)
{
    INDEX  found[TEXT_BATCH];
    size_t count = 0;
    for (size_t i = hi; i-- > lo;) {
        INDEX const entry = s->sa[i];
        FN(prefetch)(s, i > TEXT_AHEAD_BYTES ? i - TEXT_AHEAD_BYTES : 0);
        found[count] = entry - 1;
        count += entry - 1 < MARK - 1;
        s->sa[i] = entry & ~MARK;
    }
    for (size_t k = 0; k < count; k++) {
        SYMBOL const here = s->symbols[found[k]];
        FN(put)(s, --s->ends[here], found[k], here, false);
    }
}

/* Induces from the entries from *i on that nothing writes any more, which end at `end`: with all
 * threads if they are many and w is not NULL. */
static bool FN(go_left)(ordo_exec *exec, FN(share) * w, const FN(scan) * s, size_t *i, size_t end)
{
    size_t const lo = *i, most = w != NULL && end - lo >= TEXT_SHARED ? TEXT_BLOCK : TEXT_BATCH;
    *i = ordo_min(lo + most, end);
    if (most == TEXT_BLOCK) {
        w->from_left = true;
        return FN(share_block)(exec, w, lo, *i);
    }
    FN(batch_left)(s, lo, *i);
    return lo / TEXT_POLL == *i / TEXT_POLL || !ordo_poll(exec, (double)lo / (double)s->n);
}

static bool FN(go_right)(ordo_exec *exec, FN(share) * w, const FN(scan) * s, size_t *i, size_t end)
{
    size_t const hi = *i, most = w != NULL && hi - end >= TEXT_SHARED ? TEXT_BLOCK : TEXT_BATCH;
    *i = ordo_max(hi > most ? hi - most : 0, end);
    if (most == TEXT_BLOCK) {
        w->from_left = false;
        return FN(share_block)(exec, w, *i, hi);
    }
    FN(batch_right)(s, *i, hi);
    return hi / TEXT_POLL == *i / TEXT_POLL || !ordo_poll(exec, 1 - (double)hi / (double)s->n);
}

/* The scans, a bucket at a time: first the suffixes of type L, whose end moves with
 * the scan, then the LMS suffixes. False if the call was cancelled. */
static bool FN(scan_left)(ordo_exec *exec, FN(share) * w, const FN(scan) * s, const INDEX *heads,
                                                                   const INDEX *lms)
{
    for (size_t c = 0; c < TEXT_BYTES; c++) {
        for (size_t i = heads[c]; i < s->ends[c];)
            if (!FN(go_left)(exec, w, s, &i, s->ends[c]))
                return false;
        for (size_t i = lms[c]; i < heads[c + 1];)
            if (!FN(go_left)(exec, w, s, &i, heads[c + 1]))
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
            if (!FN(go_right)(exec, w, s, &i, s->ends[c]))
                return false;
        for (size_t i = middle[c]; i > heads[c];)
            if (!FN(go_right)(exec, w, s, &i, heads[c]))
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

static inline void FN(step_left)(const FN(scan) * s, size_t i)
{
    INDEX const entry = s->sa[i];
    s->sa[i] = entry ^ MARK;
    if (entry - 1 < MARK - 1) {
        SYMBOL const here = s->symbols[entry - 1];
        FN(put)(s, s->ends[here]++, entry - 1, here, true);
    }
}

static inline void FN(step_right)(const FN(scan) * s, size_t i)
{
    INDEX const entry = s->sa[i];
    s->sa[i] = entry & ~MARK;
    if (entry - 1 < MARK - 1) {
        SYMBOL const here = s->symbols[entry - 1];
        FN(put)(s, --s->ends[here], entry - 1, here, false);
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
            FN(step_left)(s, i);
        }
        if (ordo_poll(exec, (double)i / (double)n))
            return false;
    }
    for (; i < n; i++)
        FN(step_left)(s, i);
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
            FN(step_right)(s, i);
        }
        i++;
        if (ordo_poll(exec, (double)(n - i) / (double)n))
            return false;
    }
    while (i-- > 0)
        FN(step_right)(s, i);
    return true;
}
#endif

/* induce.t.h - from the order of the LMS suffixes to the order of all suffixes.
 *
 * The suffixes that begin with one symbol form a bucket, first those of type L, then those of type
 * S. The LMS suffixes are put in order at the end of their buckets. A scan from the left finds at
 * each place a suffix j whose order is known, and if the suffix j - 1 has type L, writes it to the
 * first free place of its bucket. A scan from the right does the same for type S, from the end of
 * the buckets. Each suffix is used once: the mark of an entry says that the other scan, or none,
 * uses it. The access to symbol j - 1 is a cache miss, so it is prefetched.
 *
 * Entry 0 does nothing in a scan: the place is empty, or it is the suffix 0. */

typedef struct FN(scan) {
    const SYMBOL *symbols;
    size_t        n;
    INDEX        *sa;
    INDEX        *ends; /* of each symbol: the next free place (L), the end of the free ones (S) */
    uint8_t      *bwt;  /* if not NULL: the symbol before each suffix, at the suffix's place */
} FN(scan);

/* Writes suffix j to `place`. Marked if the suffix before it has the other type. */
static inline void FN(put)(const FN(scan) * s, size_t place, size_t j, SYMBOL here, bool from_left)
{
    SYMBOL const before = s->symbols[j - (j > 0)];
    bool const   other = from_left ? before < here : before > here;
    s->sa[place] = (INDEX)j | (other ? MARK : 0);
#if BYTES
    if (s->bwt != NULL)
        s->bwt[place] = before;
#endif
}

#if BYTES
/* Induces from the entries [lo, hi), none of which is written meanwhile. The entries that induce
 * are first collected, because whether one does cannot be predicted. */
static inline void FN(batch_left)(const FN(scan) * s, size_t lo, size_t hi)
{
    INDEX  found[TEXT_BATCH];
    size_t count = 0;
    for (size_t i = lo; i < hi; i++) {
        INDEX const entry = s->sa[i];
        TEXT_PREFETCH(s->symbols + (s->sa[ordo_min(i + TEXT_AHEAD_BYTES, s->n - 1)] & ~MARK));
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
        size_t const far = i > TEXT_AHEAD_BYTES ? i - TEXT_AHEAD_BYTES : 0;
        TEXT_PREFETCH(s->symbols + (s->sa[far] & ~MARK));
        found[count] = entry - 1;
        count += entry - 1 < MARK - 1;
        s->sa[i] = entry & ~MARK;
    }
    for (size_t k = 0; k < count; k++) {
        SYMBOL const here = s->symbols[found[k]];
        FN(put)(s, --s->ends[here], found[k], here, false);
    }
}

/* The scans with one thread, a bucket at a time: first the suffixes of type L, whose end moves with
 * the scan, then the LMS suffixes. False if the call was cancelled. */
static bool FN(scan_left)(ordo_exec *exec, const FN(scan) * s, const INDEX *heads,
                          const INDEX *lms)
{
    for (size_t c = 0; c < TEXT_BYTES; c++) {
        for (size_t i = heads[c], hi; i < s->ends[c]; i = hi) {
            hi = ordo_min(i + TEXT_BATCH, s->ends[c]);
            FN(batch_left)(s, i, hi);
            if (i / TEXT_POLL != hi / TEXT_POLL && ordo_poll(exec, (double)i / (double)s->n))
                return false;
        }
        for (size_t i = lms[c], hi; i < heads[c + 1]; i = hi) {
            hi = ordo_min(i + TEXT_BATCH, heads[c + 1]);
            FN(batch_left)(s, i, hi);
            if (i / TEXT_POLL != hi / TEXT_POLL && ordo_poll(exec, (double)i / (double)s->n))
                return false;
        }
    }
    return true;
}

/* `middle` of each bucket: the end of the suffixes of type L. */
static bool FN(scan_right)(ordo_exec *exec, const FN(scan) * s, const INDEX *heads,
                           const INDEX *middle)
{
    for (size_t c = TEXT_BYTES; c-- > 0;) {
        for (size_t i = heads[c + 1], lo; i > s->ends[c]; i = lo) {
            lo = ordo_max(i > TEXT_BATCH ? i - TEXT_BATCH : 0, s->ends[c]);
            FN(batch_right)(s, lo, i);
            if (i / TEXT_POLL != lo / TEXT_POLL && ordo_poll(exec, 1 - (double)i / (double)s->n))
                return false;
        }
        for (size_t i = middle[c], lo; i > heads[c]; i = lo) {
            lo = ordo_max(i > TEXT_BATCH ? i - TEXT_BATCH : 0, heads[c]);
            FN(batch_right)(s, lo, i);
            if (i / TEXT_POLL != lo / TEXT_POLL && ordo_poll(exec, 1 - (double)i / (double)s->n))
                return false;
        }
    }
    return true;
}
#else
/* Prefetches what a later step of the scan reads, the entry `ahead`. */
static inline void FN(look_ahead)(const FN(scan) * s, size_t near, size_t far)
{
    TEXT_PREFETCH(s->symbols + (s->sa[far] & ~MARK));
    INDEX const j = s->sa[near] & ~MARK;
    TEXT_PREFETCH_WRITE(s->ends + s->symbols[j > 0 ? j - 1 : 0]);
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

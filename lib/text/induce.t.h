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

/* Prefetches what a later step of the scan reads, the entry `ahead`. */
static inline void FN(look_ahead)(const FN(scan) * s, size_t near, size_t far)
{
    TEXT_PREFETCH(s->symbols + (s->sa[far] & ~MARK));
#if !BYTES
    INDEX const j = s->sa[near] & ~MARK;
    TEXT_PREFETCH_WRITE(s->ends + s->symbols[j > 0 ? j - 1 : 0]);
#else
    (void)near;
#endif
}

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

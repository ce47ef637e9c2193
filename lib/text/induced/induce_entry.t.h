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

/* Prefetches the symbols that entry i induces from; a marked entry needs none. */
static inline void FN(prefetch)(const FN(scan) * s, size_t i)
{
    INDEX const entry = s->sa[i];
    TEXT_PREFETCH(s->symbols + (entry < MARK ? entry : 0));
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

/* induce_share.t.h - the scans of bytes by several threads, a block of entries at a time.
 *
 * A block is a range of entries that the scan does not write any more. Each piece of it collects
 * what it induces and counts it by byte; sums of the counts say where each piece writes. */

#if BYTES
typedef struct FN(share) {
    const FN(scan) * scan;
    bool     from_left;
    size_t   lo, hi, grain; /* of the block; entries of a piece */
    INDEX   *entries;       /* what is induced */
    SYMBOL  *symbols;       /* of it */
    uint8_t *befores;       /* the symbols before it */
    size_t   found[TEXT_PIECES];
    INDEX (*ends)[TEXT_BYTES]; /* of each piece: where it writes */
} FN(share);

/* The suffix that an entry induces, with its mark; its symbol and the symbol before that. */
static inline INDEX FN(induced)(const FN(scan) * s, bool from_left, INDEX suffix, SYMBOL *here,
                                         SYMBOL *before)
{
    *here = s->symbols[suffix];
    *before = s->symbols[suffix - (suffix > 0)];
    return suffix | ((from_left ? *before < *here : *before > *here) ? MARK : 0);
}

static void FN(collect)(void *arg, size_t lo, size_t hi)
{
    FN(share) *const      w = arg;
    const FN(scan) *const s = w->scan;
    size_t const          piece = lo / w->grain;
    INDEX *const          counts = w->ends[piece];
    INDEX *const          entries = w->entries + lo;
    size_t                found = 0;
    memset(counts, 0, sizeof *w->ends);
    for (size_t k = lo; k < hi; k++) {
        size_t const ahead = ordo_min(k + TEXT_AHEAD_BYTES, hi - 1);
        FN(prefetch)(s, w->from_left ? w->lo + ahead : w->hi - 1 - ahead);
        size_t const i = w->from_left ? w->lo + k : w->hi - 1 - k;
        INDEX const  entry = s->sa[i];
        entries[found] = entry - 1;
        found += entry - 1 < MARK - 1;
        s->sa[i] = w->from_left ? entry ^ MARK : entry & ~MARK;
    }
    for (size_t k = 0; k < found; k++) {
        entries[k] =
            FN(induced)(s, w->from_left, entries[k], &w->symbols[lo + k], &w->befores[lo + k]);
        counts[w->symbols[lo + k]]++;
    }
    w->found[piece] = found;
}

static void FN(spread)(void *arg, size_t lo, size_t hi)
{
    const FN(share) *const w = arg;
    const FN(scan) *const  s = w->scan;
    size_t const           piece = lo / w->grain;
    INDEX *const           ends = w->ends[piece];
    (void)hi;
    for (size_t k = lo; k < lo + w->found[piece]; k++) {
        SYMBOL const here = w->symbols[k];
        size_t const place = w->from_left ? ends[here]++ : --ends[here];
        s->sa[place] = w->entries[k];
        if (s->bwt != NULL)
            s->bwt[place] = w->befores[k];
    }
}

/* Induces from the block [lo, hi) with all threads. */
static bool FN(share_block)(ordo_exec *exec, FN(share) * w, size_t lo, size_t hi)
{
    w->lo = lo;
    w->hi = hi;
    w->grain = ordo_max(TEXT_GRAIN / 4, ordo_div_up(hi - lo, TEXT_PIECES));
    if (!ordo_loop(exec, hi - lo, w->grain, FN(collect), w))
        return false;
    for (size_t piece = 0; piece < ordo_div_up(hi - lo, w->grain); piece++)
        for (size_t c = 0; c < TEXT_BYTES; c++) {
            INDEX const count = w->ends[piece][c], end = w->scan->ends[c];
            w->ends[piece][c] = end;
            w->scan->ends[c] = w->from_left ? end + count : end - count;
        }
    return ordo_loop(exec, hi - lo, w->grain, FN(spread), w);
}

/* The memory of a block. */
static ordo_status FN(share_open)(text_work *work, const FN(scan) * scan, FN(share) * *out)
{
    FN(share) * w;
    size_t const block = ordo_min(TEXT_BLOCK, scan->n);
    TRY_SCRATCH(work->exec, sizeof *w, w);
    memset(w, 0, sizeof *w);
    w->scan = scan;
    TRY_SCRATCH(work->exec, block * sizeof *w->entries, w->entries);
    TRY_SCRATCH(work->exec, block * sizeof *w->symbols, w->symbols);
    TRY_SCRATCH(work->exec, block, w->befores);
    TRY_SCRATCH(work->exec, TEXT_PIECES * sizeof *w->ends, w->ends);
    *out = w;
    return ORDO_OK;
}
#endif

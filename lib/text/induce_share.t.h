/* induce_share.t.h - the scans of induce.t.h by several threads, a block of entries at a time.
 *
 * Bytes: a block is a range of entries that the scan does not write any more. Each piece of it
 * collects what it induces and counts it by byte; sums of the counts say where each piece writes.
 *
 * Integers: there are too many buckets to count by piece. The pieces collect what each entry of the
 * block induces, one thread takes the places from the ends of the buckets, in order, and the pieces
 * write. A suffix that is induced into the block itself is collected by that one thread. */

typedef struct FN(share) {
    const FN(scan) *scan;
    bool   from_left;
    size_t lo, hi, grain; /* of the block; entries of a piece */
    INDEX *entries;       /* what is induced */
    SYMBOL *symbols;      /* of it */
    uint8_t *befores;     /* bytes: the symbol before it */
    INDEX *places;        /* integers: of each entry of the block, where; NO_PLACE: nowhere */
    size_t found[TEXT_PIECES];
    INDEX (*ends)[TEXT_BYTES]; /* bytes: of each piece: where it writes */
} FN(share);

/* The suffix that an entry induces, with its mark; its symbol and the symbol before that. */
static inline INDEX FN(induced)(const FN(scan) * s, bool from_left, INDEX suffix, SYMBOL *here,
                                SYMBOL *before)
{
    *here = s->symbols[suffix];
    *before = s->symbols[suffix - (suffix > 0)];
    return suffix | ((from_left ? *before < *here : *before > *here) ? MARK : 0);
}

#if BYTES
static void FN(collect)(void *arg, size_t lo, size_t hi)
{
    FN(share) *const w = arg;
    const FN(scan) *const s = w->scan;
    size_t const piece = lo / w->grain;
    INDEX *const counts = w->ends[piece];
    INDEX *const entries = w->entries + lo;
    size_t       found = 0;
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
        entries[k] = FN(induced)(s, w->from_left, entries[k], &w->symbols[lo + k],
                                 &w->befores[lo + k]);
        counts[w->symbols[lo + k]]++;
    }
    w->found[piece] = found;
}

static void FN(spread)(void *arg, size_t lo, size_t hi)
{
    const FN(share) *const w = arg;
    const FN(scan) *const s = w->scan;
    size_t const piece = lo / w->grain;
    INDEX *const ends = w->ends[piece];
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
    w->grain = ordo_max(TEXT_TUNE_FIND / 4, ordo_div_up(hi - lo, TEXT_PIECES));
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

#else
#define NO_PLACE ((INDEX)-1)

static void FN(collect)(void *arg, size_t lo, size_t hi)
{
    FN(share) *const w = arg;
    const FN(scan) *const s = w->scan;
    for (size_t k = lo; k < hi; k++) {
        size_t const ahead = ordo_min(k + TEXT_AHEAD, hi - 1);
        FN(prefetch)(s, w->from_left ? w->lo + ahead : w->hi - 1 - ahead);
        size_t const i = w->from_left ? w->lo + k : w->hi - 1 - k;
        INDEX const  entry = s->sa[i];
        SYMBOL       before;
        bool const   induces = entry - 1 < MARK - 1;
        s->sa[i] = w->from_left ? entry ^ MARK : entry & ~MARK;
        w->places[k] = induces ? 0 : NO_PLACE;
        if (induces)
            w->entries[k] = FN(induced)(s, w->from_left, entry - 1, &w->symbols[k], &before);
    }
}

/* Takes the places in order. A suffix that comes to the block itself induces from its place. */
static void FN(take_places)(FN(share) * w)
{
    const FN(scan) *const s = w->scan;
    size_t const n = w->hi - w->lo;
    for (size_t k = 0; k < n; k++) {
        if (k + TEXT_AHEAD < n && w->places[k + TEXT_AHEAD] != NO_PLACE)
            TEXT_PREFETCH_WRITE(s->ends + w->symbols[k + TEXT_AHEAD]);
        if (w->places[k] == NO_PLACE)
            continue;
        INDEX *const end = &s->ends[w->symbols[k]];
        INDEX const  place = w->from_left ? (*end)++ : --*end;
        w->places[k] = place;
        if (place < w->lo || place >= w->hi)
            continue;
        INDEX const  entry = w->entries[k];
        size_t const at = w->from_left ? place - w->lo : w->hi - 1 - place;
        SYMBOL       before;
        s->sa[place] = w->from_left ? entry ^ MARK : entry & ~MARK;
        w->places[k] = NO_PLACE;
        if (entry - 1 < MARK - 1) {
            w->places[at] = 0;
            w->entries[at] =
                FN(induced)(s, w->from_left, entry - 1, &w->symbols[at], &before);
        }
    }
}

static void FN(spread)(void *arg, size_t lo, size_t hi)
{
    const FN(share) *const w = arg;
    for (size_t k = lo; k < hi; k++)
        if (w->places[k] != NO_PLACE)
            w->scan->sa[w->places[k]] = w->entries[k];
}

static bool FN(share_block)(ordo_exec *exec, FN(share) * w, size_t lo, size_t hi)
{
    w->lo = lo;
    w->hi = hi;
    w->grain = ordo_max(TEXT_TUNE_FIND / 4, ordo_div_up(hi - lo, TEXT_PIECES));
    if (!ordo_loop(exec, hi - lo, w->grain, FN(collect), w))
        return false;
    FN(take_places)(w);
    return ordo_loop(exec, hi - lo, w->grain, FN(spread), w);
}
#undef NO_PLACE
#endif

/* The memory of a block. */
static ordo_status FN(share_open)(text_work *work, const FN(scan) * scan, FN(share) **out)
{
    FN(share) *w;
    size_t const block = ordo_min(TEXT_BLOCK, scan->n);
    TRY_SCRATCH(work->exec, sizeof *w, w);
    memset(w, 0, sizeof *w);
    w->scan = scan;
    TRY_SCRATCH(work->exec, block * sizeof *w->entries, w->entries);
    TRY_SCRATCH(work->exec, block * sizeof *w->symbols, w->symbols);
#if BYTES
    TRY_SCRATCH(work->exec, block, w->befores);
    TRY_SCRATCH(work->exec, TEXT_PIECES * sizeof *w->ends, w->ends);
#else
    TRY_SCRATCH(work->exec, block * sizeof *w->places, w->places);
#endif
    *out = w;
    return ORDO_OK;
}

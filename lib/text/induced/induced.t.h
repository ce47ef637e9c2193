/* induced.t.h - the suffix array of one string by induced sorting: sorts the LMS substrings, sorts
 * the string of their names by recursion if a name occurs twice, and induces the other suffixes. */

#if !BYTES
static ordo_status FN(sort_string)(text_work *work, const SYMBOL *symbols, size_t n,
                                   const INDEX *heads, size_t kinds, INDEX *sa, uint8_t *bwt);
#endif

#if BYTES
typedef struct FN(placer) {
    const FN(string) * string;
    const INDEX *order;
    INDEX       *sa;
    size_t       grain;
    uint64_t (*counts)[TEXT_BYTES];      /* of each piece: LMS suffixes that begin with each byte */
    uint64_t     before[TEXT_BYTES + 1]; /* places of LMS suffixes with a lower byte */
    const INDEX *begins;                 /* of each byte: the first place in sa */
} FN(placer);

static void FN(count_lms)(void *arg, size_t lo, size_t hi)
{
    const FN(placer) *const p = arg;
    uint64_t *const         counts = p->counts[lo / p->grain];
    memset(counts, 0, sizeof *p->counts);
    for (size_t i = lo; i < hi; i++)
        counts[p->string->symbols[p->string->starts[i]]]++;
}

static void FN(place_piece)(void *arg, size_t lo, size_t hi)
{
    const FN(placer) *const p = arg;
    size_t                  c = 0;
    for (size_t i = lo; i < hi;) {
        while (p->before[c + 1] <= i)
            c++;
        size_t const end = ordo_min(hi, (size_t)p->before[c + 1]);
        INDEX *const out = p->sa + p->begins[c] - p->before[c];
        for (; i < end; i++) {
            if (i + TEXT_AHEAD < hi)
                TEXT_PREFETCH(p->string->starts + p->order[i + TEXT_AHEAD]);
            out[i] = p->string->starts[p->order[i]];
        }
    }
}

/* Puts the LMS suffixes in order at the ends of their buckets. Sets begins[c] to the first place of
 * those that begin with byte c. */
static ordo_status FN(place_lms)(text_work *work, const FN(string) * s, const INDEX *order,
                                                           INDEX *sa, const INDEX *heads,
                                                           INDEX *begins)
{
    FN(placer) p = {.string = s, .order = order, .sa = sa, .begins = begins};
    p.grain = ordo_max(TEXT_GRAIN, ordo_div_up(s->count, 64));
    TRY_SCRATCH(work->exec, 64 * sizeof *p.counts, p.counts);
    TRY(text_loop(work, s->count, p.grain, FN(count_lms), &p));
    for (size_t c = 0; c < TEXT_BYTES; c++) {
        uint64_t sum = 0;
        for (size_t i = 0; i < ordo_div_up(s->count, p.grain); i++)
            sum += p.counts[i][c];
        begins[c] = (INDEX)(heads[c + 1] - sum);
        p.before[c + 1] = p.before[c] + sum;
    }
    return text_loop(work, s->count, p.grain, FN(place_piece), &p);
}
#else
/* Puts the LMS suffixes in order at the ends of their buckets. */
static void FN(place_lms)(const FN(string) * s, const INDEX *order, INDEX *sa, INDEX *ends)
{
    for (size_t i = s->count; i-- > 0;) {
        if (i >= TEXT_AHEAD)
            TEXT_PREFETCH(s->starts + order[i - TEXT_AHEAD]);
        if (i >= TEXT_AHEAD / 2)
            TEXT_PREFETCH(s->symbols + s->starts[order[i - TEXT_AHEAD / 2]]);
        INDEX const start = s->starts[order[i]];
        sa[--ends[s->symbols[start]]] = start;
    }
}
#endif

/* Induces all suffixes from the order of the LMS suffixes. heads[c] is the begin of bucket c, and
 * heads[kinds] is n. `ends` has room for `kinds` elements. */
static ordo_status FN(induce_all)(text_work *work, const FN(string) * s, const INDEX *order,
                                                            const INDEX *heads, size_t kinds,
                                                            INDEX *ends, INDEX *sa, uint8_t *bwt)
{
    FN(scan) const scan = {s->symbols, s->n, sa, ends, bwt};
    SYMBOL const last = s->symbols[s->n - 1];
#if BYTES
    INDEX lms[TEXT_BYTES], middle[TEXT_BYTES];
    FN(share) *w = NULL;
    if (work->exec->threads > 1 && s->n >= TEXT_SHARED)
        TRY(FN(share_open)(work, &scan, &w));
    TRY(FN(place_lms)(work, s, order, sa, heads, lms));
#else
    TRY(text_clear(work, sa, s->n * sizeof *sa));
    memcpy(ends, heads + 1, kinds * sizeof *ends);
    FN(place_lms)(s, order, sa, ends);
#endif
    text_phase(work);
    memcpy(ends, heads, kinds * sizeof *ends);
    FN(put)(&scan, ends[last]++, s->n - 1, last, true);
#if BYTES
    if (!FN(scan_left)(work->exec, w, &scan, heads, lms))
        return ORDO_E_CANCELLED;
    memcpy(middle, ends, sizeof middle);
#else
    if (!FN(scan_left)(work->exec, &scan))
        return ORDO_E_CANCELLED;
#endif
    text_phase(work);
    memcpy(ends, heads + 1, kinds * sizeof *ends);
#if BYTES
    return FN(scan_right)(work->exec, w, &scan, heads, middle) ? ORDO_OK : ORDO_E_CANCELLED;
#else
    return FN(scan_right)(work->exec, &scan) ? ORDO_OK : ORDO_E_CANCELLED;
#endif
}

/* The order of the LMS suffixes, as their numbers. `room` has n elements and is spoilt. */
static ordo_status FN(order_lms)(text_work *work, const FN(string) * s, INDEX *room, INDEX **out)
{
    size_t const count = s->count;
    size_t       kinds = 0;
    INDEX       *order, *names, *heads;
    TRY_SCRATCH(work->exec, count * sizeof(INDEX), order);
    TRY_SCRATCH(work->exec, count * sizeof(INDEX), names);
    TRY_SCRATCH(work->exec, (count + 1) * sizeof(INDEX), heads);
    *out = order;
    bool done = false;
#if BYTES
    if (work->exec->threads < TEXT_RANK_THREADS)
        TRY(FN(name_distinct)(work, s, room, order, names, heads, &kinds, &done));
#endif
    if (!done)
        TRY(FN(sort_lms)(work, s, text_as_keys(room), order, names, heads, &kinds));
    text_phase(work);
    done = kinds == count;
#if BYTES
    if (!done && sizeof(INDEX) == sizeof(uint32_t) && work->exec->threads >= TEXT_RANK_THREADS)
        TRY(text_rank_groups(work, (uint32_t *)(void *)names, (uint32_t *)(void *)heads, count,
                             TEXT_RANK_WORK * count, (uint32_t *)(void *)order, &done));
#endif
    return done ? ORDO_OK : REDUCED(sort_string)(work, names, count, heads, kinds, order, NULL);
}

/* Writes the suffix array of n > 0 symbols below `kinds` to sa. heads is as for induce_all. bwt may
 * be NULL. */
static ordo_status FN(sort_string)(text_work *work, const SYMBOL *symbols, size_t n,
                                   const INDEX *heads, size_t kinds, INDEX *sa, uint8_t *bwt)
{
    FN(string) s = {.symbols = symbols, .n = n};
    INDEX *order = NULL, *ends;
    s.bits = BYTES ? 8 : ordo_bit_length(kinds - 1) | (kinds == 1);
    s.per = 64 / s.bits;
    TRY_SCRATCH(work->exec, kinds * sizeof *ends, ends);
    TRY(FN(find_lms)(work, &s, sa));
    if (s.count > 0)
        TRY(FN(order_lms)(work, &s, sa, &order));
    return FN(induce_all)(work, &s, order, heads, kinds, ends, sa, bwt);
}

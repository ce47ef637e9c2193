/* lcp.t.h - the longest common prefixes for one width of the indices.
 *
 * phi[sa[i]] = sa[i - 1]. In the order of the text, the common prefix of position p and phi[p] is
 * at least that of p - 1 less one, so a comparison starts there and all comparisons take linear
 * time. A piece of a parallel loop starts with nothing known. */

typedef struct FN(lcp) {
    const text_args *args;
    const RECORD    *sa;
    RECORD          *phi; /* later the prefix lengths, in the order of the text */
    RECORD          *out;
    atomic_bool      outside; /* an element of sa is no position */
} FN(lcp);

#define NONE ((RECORD)-1)

static void FN(fill_phi)(void *arg, size_t lo, size_t hi)
{
    FN(lcp) *const l = arg;
    for (size_t i = lo; i < hi; i++) {
        if (l->sa[i] >= l->args->n) {
            atomic_store(&l->outside, true);
            return;
        }
        if (i + TEXT_AHEAD < hi)
            TEXT_PREFETCH_WRITE(l->phi + l->sa[i + TEXT_AHEAD]);
        RECORD const before = i > 0 ? l->sa[i - 1] : NONE;
        __atomic_store_n(&l->phi[l->sa[i]], before, __ATOMIC_RELAXED);
    }
}

/* Where the text of position p ends. */
static inline size_t FN(end_of_text)(const text_args *args, size_t p)
{
    return args->count > 0 ? (size_t)args->offsets[text_number(args, p) + 1] : args->n;
}

static void FN(compare_piece)(void *arg, size_t lo, size_t hi)
{
    const FN(lcp) *const   l = arg;
    const text_args *const args = l->args;
    const uint8_t *const   text = args->text;
    size_t                 known = 0, end = lo;
    for (size_t p = lo; p < hi; p++) {
        RECORD const other = l->phi[p];
        if (p + TEXT_AHEAD < hi)
            TEXT_PREFETCH(text + (l->phi[p + TEXT_AHEAD] != NONE ? l->phi[p + TEXT_AHEAD] : 0) +
                          known);
        if (p >= end)
            end = FN(end_of_text)(args, p);
        if (other == NONE || other >= args->n) {
            l->phi[p] = 0;
            known = 0;
            continue;
        }
        size_t const most = ordo_min(end - p, FN(end_of_text)(args, other) - other);
        known = ordo_min(known, most);
        known += text_common(text + p + known, text + other + known, most - known);
        l->phi[p] = (RECORD)known;
        known -= known > 0;
    }
}

static void FN(take_lcp)(void *arg, size_t lo, size_t hi)
{
    const FN(lcp) *const l = arg;
    for (size_t i = lo; i < hi; i++) {
        if (i + TEXT_AHEAD < hi)
            TEXT_PREFETCH(l->phi + l->sa[i + TEXT_AHEAD]);
        l->out[i] = l->phi[l->sa[i]];
    }
}

static ordo_status FN(find_lcp)(text_work *work, const text_args *args, const void *sa, void *out)
{
    ordo_exec *const exec = work->exec;
    size_t const     n = args->n;
    FN(lcp) l = {.args = args, .sa = sa, .out = out};
    exec->phases = 3;
    TRY_SCRATCH(exec, n * sizeof *l.phi, l.phi);
    TRY(text_clear(work, l.phi, n * sizeof *l.phi)); /* a wrong sa may not set all of them */
    TRY(text_share(work, n, TEXT_GRAIN, FN(fill_phi), &l));
    FAIL_IF(atomic_load(&l.outside), ORDO_E_ARG,
            "sa has an element that is not below n, which is %zu; expected a suffix array", n);
    text_phase(work);
    TRY(text_share(work, n, TEXT_GRAIN, FN(compare_piece), &l));
    text_phase(work);
    return text_share(work, n, TEXT_GRAIN, FN(take_lcp), &l);
}

#undef NONE

/* suffix_check.t.h - the checks of ordo_suffix_check for one width of the indices.
 *
 * sa is right if it is a permutation and each pair of neighbours a, b is in order: text[a] is less
 * than text[b], or they are equal and the suffix a + 1 comes before b + 1. `rank` is the inverse of
 * sa, later the rank of the next suffix; the end of text i has the rank i, and other suffixes come
 * after all ends. */

typedef struct FN(checker) {
    const text_args *args;
    const RECORD    *sa;
    RECORD          *rank;
    atomic_size_t    wrong; /* the first wrong place found; n: none */
} FN(checker);

static void FN(report)(FN(checker) * c, size_t place)
{
    size_t known = atomic_load_explicit(&c->wrong, memory_order_relaxed);
    while (place < known && !atomic_compare_exchange_weak(&c->wrong, &known, place))
        ;
}

static void FN(check_range)(void *arg, size_t lo, size_t hi)
{
    FN(checker) *const c = arg;
    for (size_t i = lo; i < hi; i++)
        if (c->sa[i] >= c->args->n) {
            FN(report)(c, i);
            return;
        }
}

/* Two threads may write the same element if sa is wrong; any of the values shows it. */
static void FN(invert)(void *arg, size_t lo, size_t hi)
{
    const FN(checker) *const c = arg;
    for (size_t i = lo; i < hi; i++) {
        if (i + TEXT_AHEAD < hi)
            TEXT_PREFETCH_WRITE(c->rank + c->sa[i + TEXT_AHEAD]);
        __atomic_store_n(&c->rank[c->sa[i]], (RECORD)i, __ATOMIC_RELAXED);
    }
}

static void FN(check_inverse)(void *arg, size_t lo, size_t hi)
{
    FN(checker) *const c = arg;
    for (size_t i = lo; i < hi; i++) {
        if (i + TEXT_AHEAD < hi)
            TEXT_PREFETCH(c->rank + c->sa[i + TEXT_AHEAD]);
        if (c->rank[c->sa[i]] != i) {
            FN(report)(c, i);
            return;
        }
    }
}

/* Turns the ranks into those of the next suffix; in place, so in order. */
static bool FN(shift_ranks)(ordo_exec *exec, const FN(checker) * c)
{
    const text_args *const args = c->args;
    size_t const           count = args->count > 0 ? args->count : 1;
    for (size_t text = 0, at = 0; text < count; text++) {
        size_t const end = args->count > 0 ? (size_t)args->offsets[text + 1] : args->n;
        for (; at < end; at++) {
            c->rank[at] = (RECORD)(at + 1 == end ? text : count + c->rank[at + 1]);
            if (at % TEXT_POLL == 0 && ordo_poll(exec, (double)at / (double)args->n))
                return false;
        }
    }
    return true;
}

static void FN(check_order)(void *arg, size_t lo, size_t hi)
{
    FN(checker) *const   c = arg;
    const uint8_t *const text = c->args->text;
    for (size_t i = ordo_max(lo, 1); i < hi; i++) {
        RECORD const a = c->sa[i - 1], b = c->sa[i];
        if (i + TEXT_AHEAD < hi) {
            TEXT_PREFETCH(text + c->sa[i + TEXT_AHEAD]);
            TEXT_PREFETCH(c->rank + c->sa[i + TEXT_AHEAD]);
        }
        if (text[a] > text[b] || (text[a] == text[b] && c->rank[a] >= c->rank[b])) {
            FN(report)(c, i);
            return;
        }
    }
}

/* Fails if a check has found a wrong place. */
static ordo_status FN(verdict)(ordo_exec *exec, FN(checker) * c, const char *why)
{
    size_t const at = atomic_load(&c->wrong);
    FAIL_IF(at < c->args->n, ORDO_E_ORDER, "sa[%zu] is %llu, which %s", at,
            (unsigned long long)c->sa[at], why);
    return ORDO_OK;
}

static ordo_status FN(check_suffixes)(text_work *work, const text_args *args, const void *sa)
{
    ordo_exec *const exec = work->exec;
    size_t const     n = args->n;
    FN(checker) c = {.args = args, .sa = sa};
    atomic_init(&c.wrong, n);
    exec->phases = 4;
    TRY(text_share(work, n, TEXT_GRAIN, FN(check_range), &c));
    TRY(FN(verdict)(exec, &c, "is no position of the text"));
    TRY_SCRATCH(exec, n * sizeof *c.rank, c.rank);
    TRY(text_share(work, n, TEXT_GRAIN, FN(invert), &c));
    text_phase(work);
    TRY(text_share(work, n, TEXT_GRAIN, FN(check_inverse), &c));
    text_phase(work);
    TRY(FN(verdict)(exec, &c, "occurs twice"));
    if (!FN(shift_ranks)(exec, &c))
        return ORDO_E_CANCELLED;
    text_phase(work);
    TRY(text_share(work, n, TEXT_GRAIN, FN(check_order), &c));
    return FN(verdict)(exec, &c, "is less than the suffix before it");
}

/* sequences.t.h - LR, RL and DM of one key type; see sequences.c. */

/* Writes LR of keys [lo, hi). On entry *most is the largest key bits before lo, 0 if there are
 * none; on return the largest before hi. */
static void FN(lr_range)(const sequences_work *work, size_t lo, size_t hi, BITS *most)
{
    const KEY *const keys = work->job->keys;
    KEY *const       lr = work->lr;
    bool const       descending = work->job->descending;
    BITS             high = *most;
    for (size_t i = lo; i < hi; i++) {
        BITS const bits = FN(key_sort_bits)(keys[i], descending);
        high = bits > high ? bits : high;
        lr[i] = FN(key_of_sort_bits)(high, descending);
    }
    *most = high;
}

/* Writes RL of keys [lo, hi). On entry *least is the smallest key bits from hi on, all ones if
 * there are none; on return the smallest from lo on. */
static void FN(rl_range)(const sequences_work *work, size_t lo, size_t hi, BITS *least)
{
    const KEY *const keys = work->job->keys;
    KEY *const       rl = work->rl;
    bool const       descending = work->job->descending;
    BITS             low = *least;
    for (size_t i = hi; i-- > lo;) {
        BITS const bits = FN(key_sort_bits)(keys[i], descending);
        low = bits < low ? bits : low;
        rl[i] = FN(key_of_sort_bits)(low, descending);
    }
    *least = low;
}

/* Whether LR[j] is greater than RL[i]; false if they tie. */
static inline bool FN(is_after)(const sequences_work *work, size_t j, size_t i)
{
    bool const descending = work->job->descending;
    return FN(key_tie_bits)(((const KEY *)work->lr)[j], descending) >
              FN(key_tie_bits)(((const KEY *)work->rl)[i], descending);
}

/* Writes DM of keys [lo, hi) and returns the largest distance. On entry *first is at most the first
 * j with LR[j] greater than RL[lo]; on return it is that j for hi - 1. */
static size_t FN(dm_range)(const sequences_work *work, size_t lo, size_t hi, size_t *first)
{
    uint64_t *const dm = work->job->dm;
    size_t          j = *first, most = 0;
    for (size_t i = lo; i < hi; i++) {
        while (j < i && !FN(is_after)(work, j, i))
            j++;
        most = ordo_max(most, i - j);
        if (dm != NULL)
            dm[i] = i - j;
    }
    *first = j;
    return most;
}

/* ---- One thread ---- */

static bool FN(sequences_walk)(sequences_work *work, ordo_exec *exec)
{
    size_t const n = work->job->n;
    BITS         most = 0, least = (BITS) ~(BITS)0;
    size_t       first = 0;
    for (size_t at = 0; at < n; at += SEQUENCES_STRIDE) {
        FN(lr_range)(work, at, ordo_min(at + SEQUENCES_STRIDE, n), &most);
        if (ordo_poll(exec, (double)at / (double)n / 3))
            return false;
    }
    for (size_t end = n; end > 0;) {
        size_t const at = end - ordo_min(SEQUENCES_STRIDE, end);
        FN(rl_range)(work, at, end, &least);
        end = at;
        if (ordo_poll(exec, 2.0 / 3 - (double)at / (double)n / 3))
            return false;
    }
    for (size_t at = 0; at < n; at += SEQUENCES_STRIDE) {
        size_t const here = FN(dm_range)(work, at, ordo_min(at + SEQUENCES_STRIDE, n), &first);
        cpu_keep_most(&work->radius, here);
        if (ordo_poll(exec, 2.0 / 3 + (double)at / (double)n / 3))
            return false;
    }
    return true;
}

/* ---- Pieces ---- */

static void FN(sequences_bounds)(void *arg, size_t lo, size_t hi)
{
    sequences_work *const work = arg;
    const KEY *const      keys = work->job->keys;
    BITS                  most = 0, least = (BITS) ~(BITS)0;
    for (size_t i = lo; i < hi; i++) {
        BITS const bits = FN(key_sort_bits)(keys[i], work->job->descending);
        most = bits > most ? bits : most;
        least = bits < least ? bits : least;
    }
    work->most[lo / work->grain] = most;
    work->least[lo / work->grain] = least;
}

static void FN(sequences_scan)(void *arg, size_t lo, size_t hi)
{
    sequences_work *const work = arg;
    BITS                  most = (BITS)work->most[lo / work->grain];
    BITS                  least = (BITS)work->least[lo / work->grain];
    FN(lr_range)(work, lo, hi, &most);
    FN(rl_range)(work, lo, hi, &least);
}

static void FN(sequences_measure)(void *arg, size_t lo, size_t hi)
{
    sequences_work *const work = arg;
    size_t                begin = 0, end = lo; /* LR never decreases */
    ORDO_BISECT(middle, begin, end, !FN(is_after)(work, middle, lo));
    size_t const most = FN(dm_range)(work, lo, hi, &begin);
    cpu_keep_most(&work->radius, most);
}

static sequences_loops FN(sequences_loops_of)(void)
{
    return (sequences_loops){FN(sequences_walk), FN(sequences_bounds), FN(sequences_scan),
                                                                          FN(sequences_measure)};
}

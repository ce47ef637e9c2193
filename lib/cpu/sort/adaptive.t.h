/* adaptive.t.h - what a look sees of one key type, in the total order of a sort of keys alone, or
 * in the order with ties that pairs and argsort keep. */
static inline BITS FN(seen)(KEY x, bool folded, bool turned)
{
    if (folded)
        return turned ? FN(key_desc)(x) : FN(key_fold)(x);
    BITS const bits = FN(key_bits)(x);
    return turned ? FN(key_turn)(bits) : bits;
}

/* Windows of neighbours all over the array. */
static adaptive_view FN(look)(const void *array, size_t n, bool folded, bool turned)
{
    const KEY *const keys = array;
    adaptive_view    view = {0};
    size_t const     windows = ordo_min(ORDO_TUNE_LOOKS, n / ORDO_TUNE_LOOK_KEYS);
    BITS             last = 0;
    for (size_t w = 0; w < windows; w++) {
        size_t const at = w * (n / windows);
        BITS         highest[ORDO_TUNE_LOOK_KEYS]; /* so far in the window */
        BITS         left = highest[0] = FN(seen)(keys[at], folded, turned);
        view.far_falls += w > 0 && left < last;
        last = left;
        for (size_t i = 1; i < ORDO_TUNE_LOOK_KEYS; i++) {
            BITS const here = FN(seen)(keys[at + i], folded, turned);
            view.falls += here < left;
            view.flats += here == left;
            left = here;
            highest[i] = highest[i - 1] > here ? highest[i - 1] : here;
            while (view.radius < i && highest[i - view.radius - 1] > here)
                view.radius++;
        }
        view.looked += ORDO_TUNE_LOOK_KEYS - 1;
    }
    return view;
}

/* Whether any key of [lo, hi), lo > 0, comes before its left neighbour; no branch on keys. */
static inline bool FN(any_fall)(const KEY *keys, size_t lo, size_t hi, bool folded, bool turned)
{
    BITS any = 0;
    for (size_t i = lo; i < hi; i++)
        any = (BITS)(any | (BITS)(FN(seen)(keys[i], folded, turned) <
                                     FN(seen)(keys[i - 1], folded, turned)));
    return any != 0;
}

/* Adds the places of [lo, hi) where a run begins, until there are too many. */
static void FN(find_falls)(adaptive_runs *runs, size_t lo, size_t hi)
{
    const KEY *const keys = runs->keys;
    enum {
        BLOCK = 1024
    };
    for (size_t at = ordo_max(lo, 1); at < hi; at += BLOCK) {
        size_t const end = ordo_min(at + BLOCK, hi);
        bool         any;
        if (runs->folded)
            any = runs->turned ? FN(any_fall)(keys, at, end, true, true)
                               : FN(any_fall)(keys, at, end, true, false);
        else
            any = runs->turned ? FN(any_fall)(keys, at, end, false, true)
                               : FN(any_fall)(keys, at, end, false, false);
        for (size_t i = at; any && i < end; i++)
            if (FN(any_fall)(keys, i, i + 1, runs->folded, runs->turned) &&
                   !adaptive_add_run(runs, i))
                return;
    }
}

/* Whether every key of [lo, hi), lo > 0, comes before its left neighbour, or ties with it where
 * ties may be turned around. */
static bool FN(all_fall)(const void *array, size_t lo, size_t hi, bool folded, bool turned)
{
    const KEY *const keys = array;
    BITS             any = 0;
    for (size_t i = lo; i < hi; i++) {
        BITS const left = FN(seen)(keys[i - 1], folded, turned);
        BITS const here = FN(seen)(keys[i], folded, turned);
        any = (BITS)(any | (BITS)(folded ? here >= left : here > left));
    }
    return any == 0;
}

/* adaptive.t.h - the look at keys of one type, in the order of a sort of keys alone, or in the
 * order with ties of pairs and argsort. */
static inline BITS FN(seen)(KEY x, bool folded, bool turned)
{
    return folded ? FN(key_tie_bits)(x, turned) : FN(key_sort_bits)(x, turned);
}

/* Compares neighbours in windows all over the array; no branch on keys. */
static inline adaptive_view FN(look_as)(const KEY *keys, size_t n, bool folded, bool turned,
                                        uint64_t seed)
{
    adaptive_view view = {0};
    size_t const  windows = ordo_min(ORDO_TUNE_LOOKS, n / ORDO_TUNE_LOOK_KEYS);
    size_t const  aside = look_aside(n, windows, seed);
    BITS          last = 0;
    for (size_t w = 0; w < windows; w++) {
        const KEY *const a = keys + w * (n / windows) + aside;
        BITS             seen[ORDO_TUNE_LOOK_KEYS], falls = 0, flats = 0;
        for (size_t i = 0; i < ORDO_TUNE_LOOK_KEYS; i++)
            seen[i] = FN(seen)(a[i], folded, turned);
        for (size_t i = 1; i < ORDO_TUNE_LOOK_KEYS; i++) {
            falls = (BITS)(falls + (seen[i] < seen[i - 1]));
            flats = (BITS)(flats + (seen[i] == seen[i - 1]));
        }
        view.falls += falls;
        view.flats += flats;
        view.far_falls += w > 0 && seen[0] < last;
        view.far_rises += w > 0 && seen[0] > last;
        last = seen[0];
        view.looked += ORDO_TUNE_LOOK_KEYS - 1;
    }
    return view;
}

static adaptive_view FN(look)(const void *keys, size_t n, bool folded, bool turned, uint64_t seed)
{
    if (folded)
        return turned ? FN(look_as)(keys, n, true, true, seed)
                      : FN(look_as)(keys, n, true, false, seed);
    return turned ? FN(look_as)(keys, n, false, true, seed)
                  : FN(look_as)(keys, n, false, false, seed);
}

/* The largest radius of the same windows, each on its own, in the order of keys alone. */
static size_t FN(look_radius)(const void *array, size_t n, bool turned, uint64_t seed)
{
    const KEY *const keys = array;
    size_t const     windows = ordo_min(ORDO_TUNE_LOOKS, n / ORDO_TUNE_LOOK_KEYS);
    size_t const     aside = look_aside(n, windows, seed);
    size_t           radius = 0;
    for (size_t w = 0; w < windows; w++) {
        const KEY *const a = keys + w * (n / windows) + aside;
        BITS             highest[ORDO_TUNE_LOOK_KEYS]; /* so far in the window */
        highest[0] = FN(seen)(a[0], false, turned);
        for (size_t i = 1; i < ORDO_TUNE_LOOK_KEYS; i++) {
            BITS const here = FN(seen)(a[i], false, turned);
            highest[i] = highest[i - 1] > here ? highest[i - 1] : here;
            while (radius < i && highest[i - radius - 1] > here)
                radius++;
        }
    }
    return radius;
}

/* 1 if here < left; with `up`, if here > left, or here >= left where ties count. */
static inline BITS FN(is_step)(BITS left, BITS here, bool up, bool folded)
{
    if (!up)
        return (BITS)(here < left);
    return folded ? (BITS)(here >= left) : (BITS)(here > left);
}

static inline void FN(see)(const KEY *keys, size_t count, bool folded, bool turned, BITS *seen)
{
    for (size_t i = 0; i < count; i++)
        seen[i] = FN(seen)(keys[i], folded, turned);
}

/* Whether any key of the block [lo, hi), lo > 0, at most LOOK_BLOCK keys, is such a step from
 * its left neighbour; no branch on keys. Keys f64 are converted in a separate loop, each once,
 * which takes less time than to convert both neighbours. All callers pass a constant order, so
 * the loops become vectors. */
static inline bool FN(any_step)(const KEY *keys, size_t lo, size_t hi, bool up, bool folded,
                                bool turned)
{
    BITS             any = 0;
    const KEY *const a = keys + lo - 1;
    size_t const     count = hi - lo;
    if ((KEY)0.5 != 0 && sizeof(KEY) == sizeof(uint64_t)) {
        BITS seen[LOOK_BLOCK + 1];
        FN(see)(a, count + 1, folded, turned, seen);
        for (size_t i = 0; i < count; i++) /* see() has written seen[0 .. count] */
            any = (BITS)(any | FN(is_step)(seen[i], seen[i + 1], up, folded)); // NOLINT
    } else {
        for (size_t i = 0; i < count; i++)
            any = (BITS)(any | FN(is_step)(FN(seen)(a[i], folded, turned),
                                              FN(seen)(a[i + 1], folded, turned), up, folded));
    }
    return any != 0;
}

static bool FN(any_step_of)(const KEY *keys, size_t lo, size_t hi, bool up, bool folded,
                            bool turned)
{
    if (up && folded)
        return turned ? FN(any_step)(keys, lo, hi, true, true, true)
                      : FN(any_step)(keys, lo, hi, true, true, false);
    if (up)
        return turned ? FN(any_step)(keys, lo, hi, true, false, true)
                      : FN(any_step)(keys, lo, hi, true, false, false);
    if (folded)
        return turned ? FN(any_step)(keys, lo, hi, false, true, true)
                      : FN(any_step)(keys, lo, hi, false, true, false);
    return turned ? FN(any_step)(keys, lo, hi, false, false, true)
                  : FN(any_step)(keys, lo, hi, false, false, false);
}

/* Adds the starts of runs in [lo, hi), until there are too many. */
static void FN(find_falls)(adaptive_runs *runs, size_t lo, size_t hi)
{
    const KEY *const keys = runs->keys;
    for (size_t at = ordo_max(lo, 1); at < hi; at += LOOK_BLOCK) {
        size_t const end = ordo_min(at + LOOK_BLOCK, hi);
        bool const   any = FN(any_step_of)(keys, at, end, false, runs->folded, runs->turned);
        for (size_t i = at; any && i < end; i++)
            if (FN(seen)(keys[i], runs->folded, runs->turned) <
                   FN(seen)(keys[i - 1], runs->folded, runs->turned) && !adaptive_add_run(runs, i))
                return;
    }
}

/* Whether every key of [lo, hi), lo > 0, is less than its left neighbour, or ties with it where
 * ties may be reversed. */
static bool FN(all_fall)(const void *array, size_t lo, size_t hi, bool folded, bool turned)
{
    bool any = false;
    for (size_t at = lo; at < hi && !any; at += LOOK_BLOCK)
        any = FN(any_step_of)(array, at, ordo_min(at + LOOK_BLOCK, hi), true, folded, turned);
    return !any;
}

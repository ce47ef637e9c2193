/* quickselect.t.h - quickselect.c for one width of words (RECORD, FN). */

/* Moves the key bits less than the pivot (or_equal: or equal to it) to the front and returns their
 * number. Every item is moved, so no branch depends on the items. */
INLINE size_t FN(split)(RECORD *a, size_t n, RECORD pivot, bool or_equal)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        RECORD const x = a[i];
        a[i] = a[count];
        a[count] = x;
        count += or_equal ? x <= pivot : x < pivot;
    }
    return count;
}

/* A word near place k: the quantile k/n of a few words drawn at random. */
static RECORD FN(choose_pivot)(const RECORD *a, size_t n, size_t k, uint64_t seed)
{
    enum {
        DRAWS = 31
    };
    RECORD         draws[DRAWS] = {0};
    size_t const   count = n < 512 ? 5 : DRAWS;
    uint64_t const stream = ordo_random_mix(seed + n);
    for (size_t i = 0; i < count; i++)
        draws[i] = a[ordo_random_below(ordo_random_at(stream, i), n)];
    FN(insertion_sort)(draws, count);
    return draws[ordo_min((size_t)((double)k / (double)n * (double)count), count - 1)];
}

/* The larger side waits on the stack while the smaller side is split, so at most lg n parts
 * wait. */
static bool FN(select)(RECORD *a, size_t n, const size_t *k, size_t count, size_t base,
                       ordo_exec *exec)
{
    stretch  waiting[64];
    unsigned depth = 0;
    waiting[depth++] = (stretch){0, n, 0, count, 16};
    for (size_t half = n; half > 1; half /= 2)
        waiting[0].rounds += 2;

    while (depth > 0) {
        stretch s = waiting[--depth];
        while (s.first < s.last) {
            size_t const len = s.hi - s.lo;
            if (len <= SMALL) {
                FN(insertion_sort)(a + s.lo, len);
                break;
            }
            if (s.rounds-- == 0) {
                FN(heap_sort)(a + s.lo, len);
                break;
            }
            if (len > LONG && ordo_poll(exec, 1))
                return false;
            size_t const wanted = k[s.first + (s.last - s.first) / 2] - base - s.lo;
            RECORD const pivot = FN(choose_pivot)(a + s.lo, len, wanted, exec->seed);
            size_t const less = s.lo + FN(split)(a + s.lo, len, pivot, false);
            size_t const left_last = first_at_least(k, s.first, s.last, base + less);
            size_t       equal = s.hi, right_first = s.last;
            if (left_last < s.last) {
                equal = less + FN(split)(a + less, s.hi - less, pivot, true);
                right_first = first_at_least(k, left_last, s.last, base + equal);
            }
            stretch const left = {s.lo, less, s.first, left_last, s.rounds};
            stretch const right = {equal, s.hi, right_first, s.last, s.rounds};
            bool const    left_waits = less - s.lo > s.hi - equal;
            waiting[depth] = left_waits ? left : right;
            depth += waiting[depth].first < waiting[depth].last;
            s = left_waits ? right : left;
        }
    }
    return true;
}

static cpu_ties FN(around)(const RECORD *a, size_t n, RECORD word)
{
    cpu_ties ties = {0};
    for (size_t i = 0; i < n; i++) {
        ties.less += a[i] < word;
        ties.equal += a[i] == word;
    }
    return ties;
}

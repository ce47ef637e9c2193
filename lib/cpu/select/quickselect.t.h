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

/* A word near place k: the quantile k/n of a few words drawn at random. A network sorts the draws,
 * because branches on them would be mispredicted. *repeats: the word was drawn more than once. */
static RECORD FN(choose_pivot)(const RECORD *a, size_t n, size_t k, uint64_t seed, bool *repeats)
{
    RECORD         x[32] = {0};
    size_t const   count = n < 512 ? 8 : 32;
    uint64_t const stream = ordo_random_mix(seed + n);
    for (size_t i = 0; i < count; i++)
        x[i] = a[ordo_random_below(ordo_random_at(stream, i), n)];
    if (count == 8) {
        NETWORK_SORT_8(0)
    } else {
        NETWORK_SORT_32(0)
    }
    size_t const at = ordo_min((size_t)((double)k / (double)n * (double)count), count - 1);
    *repeats = (at > 0 && x[at - 1] == x[at]) || (at + 1 < count && x[at + 1] == x[at]);
    return x[at];
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
            bool         repeats;
            RECORD const pivot = FN(choose_pivot)(a + s.lo, len, wanted, exec->seed, &repeats);
            size_t const less = s.lo + FN(split)(a + s.lo, len, pivot, false);
            size_t const left_last = first_at_least(k, s.first, s.last, base + less);
            size_t       equal = less, right_first = left_last;
            /* The second split pays off if many words equal the pivot. It is needed if no word is
             * less than the pivot: otherwise the part stays as it is. */
            if (left_last < s.last && (repeats || less == s.lo)) {
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

/* small.t.h - stable sort of a few records without a branch on their keys.
 *
 * Groups of 8 are put in order by counting: a record's place is the number of those before it.
 * Then neighbouring runs are merged, each step one select. n lg(n/8) + 8n comparisons. */
enum {
    FN(GROUP) = 8
};

/* Orders in[0..n), n <= GROUP, into out. */
static inline void FN(small_group)(const ITEM *in, size_t n, ITEM *out)
{
    for (size_t i = 0; i < n; i++) {
        DIGITS const key = KEY_OF(in[i]);
        size_t       place = 0;
        for (size_t j = 0; j < i; j++)
            place += KEY_OF(in[j]) <= key;
        for (size_t j = i + 1; j < n; j++)
            place += KEY_OF(in[j]) < key;
        out[place] = in[i];
    }
}

/* The same for exactly GROUP records, with loops of constant length. */
static inline void FN(small_full)(const ITEM *in, ITEM *out)
{
    DIGITS   key[FN(GROUP)];
    unsigned place[FN(GROUP)] = {0};
    for (unsigned i = 0; i < FN(GROUP); i++)
        key[i] = KEY_OF(in[i]);
    for (unsigned i = 1; i < FN(GROUP); i++)
        for (unsigned j = 0; j < i; j++) {
            unsigned const after = key[j] <= key[i];
            place[i] += after;
            place[j] += 1 - after;
        }
    for (unsigned i = 0; i < FN(GROUP); i++)
        out[place[i]] = in[i];
}

static inline void FN(small_merge)(const ITEM *a, size_t n_a, const ITEM *b, size_t n_b, ITEM *out)
{
    size_t i = 0, j = 0;
    while (i < n_a && j < n_b) {
        ITEM const   left = a[i], right = b[j];
        size_t const second = KEY_OF(right) < KEY_OF(left);
        *out++ = second ? right : left;
        j += second;
        i += 1 - second;
    }
    memcpy(out, a + i, (n_a - i) * sizeof *a);
    memcpy(out + (n_a - i), b + j, (n_b - j) * sizeof *b);
}

/* Orders items[0..n) through spare[0..n); the result is in items. */
static void FN(small_sort)(ITEM *items, ITEM *spare, size_t n)
{
    ITEM  *from = spare, *to = items;
    size_t at = 0;
    for (; n - at >= FN(GROUP); at += FN(GROUP))
        FN(small_full)(items + at, spare + at);
    FN(small_group)(items + at, n - at, spare + at);
    for (size_t run = FN(GROUP); run < n; run *= 2) {
        for (size_t lo = 0; lo < n; lo += 2 * run) {
            size_t const middle = ordo_min(lo + run, n), hi = ordo_min(lo + 2 * run, n);
            FN(small_merge)(from + lo, middle - lo, from + middle, hi - middle, to + lo);
        }
        ITEM *const swap = from;
        from = to;
        to = swap;
    }
    if (from != items)
        memcpy(items, from, n * sizeof *items);
}

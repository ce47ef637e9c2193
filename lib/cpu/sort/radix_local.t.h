/* radix_local.t.h - stable sort of records that fit the cache, by the bits in which they differ.
 *
 * One look finds the highest bit that differs; if there is none they are in order. Then two
 * stable passes, low digit first, over at most 2 x RADIX_DIGIT bits from there down. What is still
 * equal in those bits is short for keys that are spread, and is finished by insertion; a long
 * group starts again with the bits below. Records beyond the cache are first split by one
 * digit. The cost is a few ns a key whatever the keys: each level takes up at least 8 bits.
 *
 * Where the instruction set has a sort of whole words, and records may be compared as such, that
 * sort takes the place of the passes. */

/* The bits in which any key differs from the first. */
static inline DIGITS FN(differing)(const ITEM *items, size_t n)
{
    DIGITS const first = KEY_OF(items[0]);
    DIGITS       all = 0;
    for (size_t i = 1; i < n; i++)
        all |= KEY_OF(items[i]) ^ first;
    return all;
}

static inline unsigned FN(bit_length)(DIGITS bits)
{
    return bits == 0 ? 0 : 64 - (unsigned)__builtin_clzll(bits);
}

static inline unsigned FN(digit_at)(ITEM item, unsigned shift, unsigned mask)
{
    return (unsigned)(KEY_OF(item) >> shift) & mask;
}

/* Insertion sort, stable. */
static inline void FN(insertion)(ITEM *items, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        ITEM const item = items[i];
        size_t     j = i;
        for (; j > 0 && KEY_OF(item) < KEY_OF(items[j - 1]); j--)
            items[j] = items[j - 1];
        items[j] = item;
    }
}

/* Moves each record to the next place of its digit. Four are read before the first is written, for
 * the compiler cannot know that they are not overwritten. */
static inline void FN(deal)(const ITEM *from, size_t n, ITEM *to, uint32_t *places, unsigned shift,
                            unsigned mask)
{
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        ITEM const a = from[i], b = from[i + 1], c = from[i + 2], d = from[i + 3];
        to[places[FN(digit_at)(a, shift, mask)]++] = a;
        to[places[FN(digit_at)(b, shift, mask)]++] = b;
        to[places[FN(digit_at)(c, shift, mask)]++] = c;
        to[places[FN(digit_at)(d, shift, mask)]++] = d;
    }
    for (; i < n; i++) {
        ITEM const item = from[i];
        to[places[FN(digit_at)(item, shift, mask)]++] = item;
    }
}

/* Counts the digits of both passes in one read, then moves from -> through -> to. */
static void FN(two_passes)(const ITEM *from, ITEM *through, ITEM *to, size_t n, unsigned shift,
                           unsigned low_bits, unsigned high_bits)
{
    uint32_t       low[1 << RADIX_DIGIT], high[1 << RADIX_DIGIT];
    unsigned const low_mask = (1u << low_bits) - 1, high_mask = (1u << high_bits) - 1;
    unsigned const high_shift = shift + low_bits;

    memset(low, 0, sizeof *low << low_bits);
    memset(high, 0, sizeof *high << high_bits);
    for (size_t i = 0; i < n; i++) {
        low[FN(digit_at)(from[i], shift, low_mask)]++;
        high[FN(digit_at)(from[i], high_shift, high_mask)]++;
    }
    radix_offsets(low, (size_t)1 << low_bits);
    radix_offsets(high, (size_t)1 << high_bits);
    FN(deal)(from, n, through, low, shift, low_mask);
    FN(deal)(through, n, to, high, high_shift, high_mask);
}

static void FN(one_pass)(const ITEM *from, ITEM *to, size_t n, unsigned shift, unsigned bits)
{
    uint32_t       count[1 << RADIX_DIGIT];
    unsigned const mask = (1u << bits) - 1;

    memset(count, 0, sizeof *count << bits);
    for (size_t i = 0; i < n; i++)
        count[FN(digit_at)(from[i], shift, mask)]++;
    radix_offsets(count, (size_t)1 << bits);
    FN(deal)(from, n, to, count, shift, mask);
}

static void FN(local_sort)(ITEM *items, ITEM *spare, size_t n, ITEM *to, const radix_local *local);

/* items are in order but for the bits below shift: finishes each group of equal higher bits. */
static void FN(finish_groups)(ITEM *items, ITEM *spare, size_t n, unsigned shift,
                              const radix_local *local)
{
    for (size_t i = 1; i < n; i++) {
        if (KEY_OF(items[i]) >> shift != KEY_OF(items[i - 1]) >> shift)
            continue;
        size_t const first = i - 1;
        while (i < n && KEY_OF(items[i]) >> shift == KEY_OF(items[first]) >> shift)
            i++;
        if (i - first <= RADIX_INSERTION)
            FN(insertion)(items + first, i - first);
        else
            FN(local_sort)(items + first, spare + first, i - first, items + first, local);
    }
}

/* Splits by the highest digit, then sorts each part. */
static void FN(local_split)(ITEM *items, ITEM *spare, size_t n, ITEM *to, unsigned bits,
                            const radix_local *local)
{
    enum {
        DIGIT = 8
    };
    size_t         end[1 << DIGIT] = {0};
    unsigned const shift = bits > DIGIT ? bits - DIGIT : 0, mask = (1u << DIGIT) - 1;

    for (size_t i = 0; i < n; i++)
        end[FN(digit_at)(items[i], shift, mask)]++;
    size_t sum = 0;
    for (unsigned d = 0; d <= mask; d++) {
        size_t const count = end[d];
        end[d] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++) {
        ITEM const item = items[i];
        spare[end[FN(digit_at)(item, shift, mask)]++] = item;
    }
    size_t from = 0;
    for (unsigned d = 0; d <= mask && !ordo_poll(local->exec, 0); d++) {
        FN(local_sort)(spare + from, items + from, end[d] - from, to + from, local);
        from = end[d];
    }
}

/* Sorts items[0..n) through spare[0..n) into to, which may be items or spare. Stops early, with
 * anything in to, when the call is cancelled. */
static void FN(local_sort)(ITEM *items, ITEM *spare, size_t n, ITEM *to, const radix_local *local)
{
    if (local->sort_words != NULL && n <= local->most_words) {
        local->sort_words(items, spare, n);
        if (to != items)
            memcpy(to, items, n * sizeof *items);
        return;
    }
    if (n <= RADIX_SMALL) {
        if (n > 1)
            FN(small_sort)(items, spare, n);
        if (to != items)
            memcpy(to, items, n * sizeof *items);
        return;
    }
    unsigned const bits = FN(bit_length)(FN(differing)(items, n));
    bool const     large = local->sort_words != NULL || n > RADIX_LOCAL / sizeof(ITEM);
    if (large && bits > RADIX_DIGIT) {
        FN(local_split)(items, spare, n, to, bits, local);
        return;
    }
    ITEM *result = items;
    if (bits > 0) {
        /* Digits no wider than the number of records is worth. */
        unsigned const widest =
            (unsigned)ordo_min(RADIX_DIGIT, 64 - (unsigned)__builtin_clzll(n) - 1);
        if (bits <= widest) {
            result = to != items ? to : spare;
            FN(one_pass)(items, result, n, 0, bits);
        } else {
            unsigned const taken = (unsigned)ordo_min(bits, 2 * widest);
            unsigned const shift = bits - taken;
            result = shift == 0 && to != spare ? to : items;
            FN(two_passes)(items, spare, result, n, shift, taken / 2, taken - taken / 2);
            if (shift > 0)
                FN(finish_groups)(items, spare, n, shift, local);
        }
    }
    if (result != to)
        memcpy(to, result, n * sizeof *to);
}

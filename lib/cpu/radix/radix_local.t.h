/* radix_local.t.h - stable sort of records that fit the cache, by the bits in which they differ.
 *
 * One look finds the highest bit that differs; if there is none they are in order. Then two
 * stable passes, low digit first, over at most 2 x RADIX_DIGIT bits from there down. What is still
 * equal in those bits is short for keys that are spread, and is finished by insertion; a long
 * group starts again with the bits below. Records beyond the cache are first split by one
 * digit. The cost is a few ns a key whatever the keys: each level takes up at least 8 bits.
 *
 * Where the instruction set has a sort of words it takes the place of the passes: of the records
 * themselves if they may be compared as such; otherwise of words of 32 bits that stand for them. */

/* The length of the bits in which any key differs from the first. It is not above `most`, so a few
 * records of spread keys tell. */
static inline unsigned FN(differing)(const RECORD *items, size_t n, unsigned most)
{
    enum {
        STEP = 64
    };
    DIGITS const first = KEY_OF(items[0]);
    DIGITS       all = 0;
    size_t       i = 0;
    for (; i + STEP <= n && ordo_bit_length(all) < most; i += STEP)
        for (size_t j = 0; j < STEP; j++)
            all |= KEY_OF(items[i + j]) ^ first;
    for (; i < n && ordo_bit_length(all) < most; i++)
        all |= KEY_OF(items[i]) ^ first;
    return ordo_bit_length(all);
}

/* The least key, and the length of what the others are above it. That may be much shorter than the
 * bits in which they differ: neighbours on two sides of a power of two differ in all bits up to
 * it. */
static inline DIGITS FN(least)(const RECORD *items, size_t n, unsigned *bits)
{
    DIGITS low = KEY_OF(items[0]), high = low;
    for (size_t i = 1; i < n; i++) {
        DIGITS const key = KEY_OF(items[i]);
        low = key < low ? key : low;
        high = key > high ? key : high;
    }
    *bits = ordo_bit_length(high - low);
    return low;
}

static inline unsigned FN(digit_at)(RECORD item, unsigned shift, unsigned mask)
{
    return (unsigned)(KEY_OF(item) >> shift) & mask;
}

/* Moves each record to the next place of its digit. Four are read before the first is written, for
 * the compiler cannot know that they are not overwritten. */
static inline void FN(deal)(const RECORD *from, size_t n, RECORD *to, uint32_t *places,
                            unsigned shift, unsigned mask)
{
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        RECORD const a = from[i], b = from[i + 1], c = from[i + 2], d = from[i + 3];
        to[places[FN(digit_at)(a, shift, mask)]++] = a;
        to[places[FN(digit_at)(b, shift, mask)]++] = b;
        to[places[FN(digit_at)(c, shift, mask)]++] = c;
        to[places[FN(digit_at)(d, shift, mask)]++] = d;
    }
    for (; i < n; i++) {
        RECORD const item = from[i];
        to[places[FN(digit_at)(item, shift, mask)]++] = item;
    }
}

/* Counts the digits of both passes in one read, then moves from -> through -> to. */
static void FN(two_passes)(const RECORD *from, RECORD *through, RECORD *to, size_t n,
                           unsigned shift, unsigned low_bits, unsigned high_bits)
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

static void FN(one_pass)(const RECORD *from, RECORD *to, size_t n, unsigned shift, unsigned bits)
{
    uint32_t       count[1 << RADIX_DIGIT];
    unsigned const mask = (1u << bits) - 1;

    memset(count, 0, sizeof *count << bits);
    for (size_t i = 0; i < n; i++)
        count[FN(digit_at)(from[i], shift, mask)]++;
    radix_offsets(count, (size_t)1 << bits);
    FN(deal)(from, n, to, count, shift, mask);
}

static bool FN(local_sort)(RECORD *items, RECORD *spare, size_t n, RECORD *to, unsigned most,
                           const radix_local *local);

/* items are in order but for the bits below shift of what they are above base: finishes each group
 * of equal higher bits. False if the call was cancelled. */
static bool FN(finish_groups)(RECORD *items, RECORD *spare, size_t n, DIGITS base, unsigned shift,
                              const radix_local *local)
{
    unsigned const most = base == 0 ? shift : 8 * sizeof(DIGITS);
    for (size_t i = 1; i < n; i++) {
        if ((KEY_OF(items[i]) - base) >> shift != (KEY_OF(items[i - 1]) - base) >> shift)
            continue;
        size_t const first = i - 1;
        DIGITS const group = (KEY_OF(items[first]) - base) >> shift;
        while (i < n && (KEY_OF(items[i]) - base) >> shift == group)
            i++;
        if (i - first <= RADIX_INSERTION)
            FN(insertion_sort)(items + first, i - first);
        else if (!FN(local_sort)(items + first, spare + first, i - first, items + first, most,
                                 local))
            return false;
    }
    return true;
}

/* result[i] = items[numbers[i] & mask]. A record whose key is less than the one before it goes to
 * its place among those: keys that are spread have few of them. True if there were too many for
 * that, and some are where they were fetched. */
static bool FN(fetch)(const RECORD *items, const uint32_t *numbers, size_t n, uint32_t mask,
                      RECORD *result)
{
    size_t moves = 0;
    DIGITS last = 0;
    for (size_t i = 0; i < n; i++) {
        RECORD const item = items[numbers[i] & mask];
        DIGITS const key = KEY_OF(item);
        result[i] = item;
        if (ORDO_LIKELY(key >= last)) {
            last = key;
        } else if (moves < n) {
            size_t j = i;
            for (; j > 0 && key < KEY_OF(result[j - 1]); j--)
                result[j] = result[j - 1];
            result[j] = item;
            moves += i - j;
        }
    }
    return moves >= n;
}

/* Sorts words of 32 bits, each the highest bits that differ above the record's number, and fetches
 * the records in their order. The bits are those of keys less `base`, and `bits` many. Words that
 * tie but for the number keep the order of the records, so the sort is stable. The words take the
 * end of spare and are read before they are overwritten. False if the call was cancelled. */
static bool FN(packed_sort)(RECORD *items, RECORD *spare, size_t n, RECORD *to, DIGITS base,
                            unsigned bits, const radix_local *local)
{
    unsigned const  number_bits = ordo_bit_length(n - 1);
    unsigned const  taken = (unsigned)ordo_min(bits, 32 - number_bits), shift = bits - taken;
    uint32_t const  number_mask = (uint32_t)(((uint64_t)1 << number_bits) - 1);
    uint32_t *const words = (uint32_t *)(void *)(spare + n) - n;
    RECORD *const   result = to == items ? spare : to;
    for (size_t i = 0; i < n; i++)
        words[i] = (uint32_t)((KEY_OF(items[i]) - base) >> shift) << number_bits | (uint32_t)i;
    local->sort_packed(words, spare, n, words, NULL);
    if (FN(fetch)(items, words, n, number_mask, result) && shift > 0 &&
           !FN(finish_groups)(result, items, n, base, shift, local))
        return false;
    if (result != to)
        memcpy(to, result, n * sizeof *to);
    return true;
}

/* Splits by the highest digit, then sorts each part. Where parts are sorted as words the digit has
 * no more values than makes them small enough: the fewer places are written at a time, the better
 * they fit the cache. False if the call was cancelled. */
static bool FN(local_split)(RECORD *items, RECORD *spare, size_t n, RECORD *to, unsigned bits,
                            const radix_local *local)
{
    enum {
        DIGIT = 8
    };
    size_t       end[1 << DIGIT] = {0};
    size_t const part = local->sort_packed != NULL ? RADIX_PACKED / 2 : local->most_words / 2;
    unsigned     digit = part == 0 ? DIGIT : 1;
    while (digit < DIGIT && n >> digit > part)
        digit++;
    unsigned const shift = bits > digit ? bits - digit : 0, mask = (1u << digit) - 1;

    for (size_t i = 0; i < n; i++)
        end[FN(digit_at)(items[i], shift, mask)]++;
    size_t sum = 0;
    for (unsigned d = 0; d <= mask; d++) {
        size_t const count = end[d];
        end[d] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++) {
        RECORD const item = items[i];
        spare[end[FN(digit_at)(item, shift, mask)]++] = item;
    }
    size_t from = 0;
    for (unsigned d = 0; d <= mask; d++) {
        if (ordo_poll(local->exec, 0) ||
            !FN(local_sort)(spare + from, items + from, end[d] - from, to + from, shift, local))
            return false;
        from = end[d];
    }
    return true;
}

/* Sorts items[0..n), which differ in the lowest `most` bits of their keys alone, through
 * spare[0..n) into to, which may be items or spare. False if the call was cancelled: then the three
 * arrays hold anything, and nothing in them may be used, not even as an index. */
static bool FN(local_sort)(RECORD *items, RECORD *spare, size_t n, RECORD *to, unsigned most,
                           const radix_local *local)
{
    if (local->sort_words != NULL && n <= local->most_words) {
        if (n > 0)
            local->sort_words(items, spare, n, to, NULL);
        return true;
    }
    if (n <= RADIX_SMALL) {
        if (n > 1)
            FN(merge_sort)(items, spare, n, false);
        if (to != items)
            memcpy(to, items, n * sizeof *items);
        return true;
    }
    bool const packed = local->sort_packed != NULL && n <= RADIX_PACKED;
    DIGITS     base = 0;
    unsigned   bits;
    if (packed && most == 8 * sizeof(DIGITS)) /* all keys have to be looked at in any case */
        base = FN(least)(items, n, &bits);
    else
        bits = FN(differing)(items, n, most);
    if (packed && bits > 0)
        return FN(packed_sort)(items, spare, n, to, base, bits, local);
    bool const large =
        local->sort_words != NULL || local->sort_packed != NULL || n > RADIX_LOCAL / sizeof(RECORD);
    if (large && bits > RADIX_DIGIT)
        return FN(local_split)(items, spare, n, to, bits, local);
    if (local->sort_words != NULL) { /* few values */
        local->sort_words(items, spare, n, to, NULL);
        return true;
    }
    RECORD *result = items;
    if (bits > 0) {
        /* Digits no wider than the number of records is worth. */
        unsigned const widest = (unsigned)ordo_min(RADIX_DIGIT, ordo_bit_length(n) - 1);
        if (bits <= widest) {
            result = to != items ? to : spare;
            FN(one_pass)(items, result, n, 0, bits);
        } else {
            unsigned const taken = (unsigned)ordo_min(bits, 2 * widest);
            unsigned const shift = bits - taken;
            result = shift == 0 && to != spare ? to : items;
            FN(two_passes)(items, spare, result, n, shift, taken / 2, taken - taken / 2);
            if (shift > 0 && !FN(finish_groups)(items, spare, n, 0, shift, local))
                return false;
        }
    }
    if (result != to)
        memcpy(to, result, n * sizeof *to);
    return true;
}

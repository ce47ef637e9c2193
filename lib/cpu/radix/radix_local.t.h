/* radix_local.t.h - the stable sort of records of one kind that fit the cache (radix.t.h).
 *
 * One read finds the highest bit that differs; if there is none, the records are in order. Then two
 * stable passes, low digit first, sort by at most 2 x RADIX_DIGIT bits from that bit downwards.
 * Records that are still equal in those bits form groups; short groups are sorted by insertion,
 * long ones by the lower bits. Records that exceed the cache are first split by a digit. If the ISA
 * has a vector sort of words, it replaces the passes: it sorts the records themselves if they may
 * be compared as words, else 32-bit words that stand for the records. */

/* The bit length of the bits in which any key differs from the first. The length is at most `most`,
 * so the loop ends early if the keys are spread. */
static inline unsigned FN(differing)(const RECORD *records, size_t n, unsigned most)
{
    DIGITS const first = KEY_OF(records[0]);
    DIGITS       all = 0;
    size_t       i = 0;
    for (; i + RADIX_CHUNK <= n && ordo_bit_length(all) < most; i += RADIX_CHUNK)
        for (size_t j = 0; j < RADIX_CHUNK; j++)
            all |= KEY_OF(records[i + j]) ^ first;
    for (; i < n && ordo_bit_length(all) < most; i++)
        all |= KEY_OF(records[i]) ^ first;
    return ordo_bit_length(all);
}

/* The least key, and the bit length of the largest difference to it. This length may be much
 * smaller than the number of bits that differ: 2^k - 1 and 2^k differ in k + 1 bits. */
static inline DIGITS FN(least)(const RECORD *records, size_t n, unsigned *bits)
{
    DIGITS low = KEY_OF(records[0]), high = low;
    for (size_t i = 1; i < n; i++) {
        DIGITS const key = KEY_OF(records[i]);
        low = key < low ? key : low;
        high = key > high ? key : high;
    }
    *bits = ordo_bit_length(high - low);
    return low;
}

static inline unsigned FN(digit_at)(RECORD record, unsigned shift, unsigned mask)
{
    return (unsigned)(KEY_OF(record) >> shift) & mask;
}

/* Moves each record to the next place of its digit. Four records are read before the first is
 * written, because the compiler does not know that the writes leave them unchanged. */
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
        RECORD const record = from[i];
        to[places[FN(digit_at)(record, shift, mask)]++] = record;
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
    ordo_sums_before_32(low, (size_t)1 << low_bits);
    ordo_sums_before_32(high, (size_t)1 << high_bits);
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
    ordo_sums_before_32(count, (size_t)1 << bits);
    FN(deal)(from, n, to, count, shift, mask);
}

static bool FN(local_sort)(RECORD *records, RECORD *spare, size_t n, RECORD *to, unsigned most,
                           const radix_local *local);

/* The records are in order by (key - base) >> shift. Sorts each group of records that are equal in
 * this number. Returns false if the call was cancelled. */
static bool FN(finish_groups)(RECORD *records, RECORD *spare, size_t n, DIGITS base, unsigned shift,
                              const radix_local *local)
{
    unsigned const most = base == 0 ? shift : 8 * sizeof(DIGITS);
    for (size_t i = 1; i < n; i++) {
        if ((KEY_OF(records[i]) - base) >> shift != (KEY_OF(records[i - 1]) - base) >> shift)
            continue;
        size_t const first = i - 1;
        DIGITS const group = (KEY_OF(records[first]) - base) >> shift;
        while (i < n && (KEY_OF(records[i]) - base) >> shift == group)
            i++;
        if (i - first <= RADIX_INSERTION)
            FN(insertion_sort)(records + first, i - first);
        else if (!FN(local_sort)(records + first, spare + first, i - first, records + first, most,
                                 local))
            return false;
    }
    return true;
}

/* result[i] = records[numbers[i] & mask]. The numbers may be at the end of result: record i is
 * written after number i is read and ends before number i + 1. */
static void FN(fetch_ordered)(const RECORD *records, const uint32_t *numbers, size_t n,
                              uint32_t mask, RECORD *result)
{
    for (size_t i = 0; i < n; i++)
        result[i] = records[numbers[i] & mask];
}

/* The same, for numbers in the order of a part of the key bits. A record with a key less than the
 * one before it is inserted into its place; spread keys have few such records. Returns true if
 * there were too many such records; then some are not in order. */
static bool FN(fetch)(const RECORD *records, const uint32_t *numbers, size_t n, uint32_t mask,
                      RECORD *result)
{
    size_t moves = 0;
    DIGITS last = 0;
    for (size_t i = 0; i < n; i++) {
        RECORD const record = records[numbers[i] & mask];
        DIGITS const key = KEY_OF(record);
        result[i] = record;
        if (ORDO_LIKELY(key >= last)) {
            last = key;
        } else if (moves < n) {
            size_t j = i;
            for (; j > 0 && key < KEY_OF(result[j - 1]); j--)
                result[j] = result[j - 1];
            result[j] = record;
            moves += i - j;
        }
    }
    return moves >= n;
}

/* Sorts 32-bit words, each made of the highest bits of (key - base) above the number of the record,
 * and then fetches the records in that order. `bits` is the bit length of the largest key - base.
 * Words with equal key bits keep the order of their numbers, so the sort is stable. The words use
 * the end of spare and are read before they are overwritten. Returns false if the call was
 * cancelled. */
static bool FN(packed_sort)(RECORD *records, RECORD *spare, size_t n, RECORD *to, DIGITS base,
                            unsigned bits, const radix_local *local)
{
    unsigned const  number_bits = ordo_bit_length(n - 1);
    unsigned const  taken = (unsigned)ordo_min(bits, 32 - number_bits), shift = bits - taken;
    uint32_t const  number_mask = (uint32_t)(((uint64_t)1 << number_bits) - 1);
    uint32_t *const words = (uint32_t *)(void *)(spare + n) - n;
    RECORD *const   result = to == records ? spare : to;
    for (size_t i = 0; i < n; i++)
        words[i] = (uint32_t)((KEY_OF(records[i]) - base) >> shift) << number_bits | (uint32_t)i;
    local->sort_packed(words, spare, n, words, taken + number_bits, NULL);
    if (shift == 0)
        FN(fetch_ordered)(records, words, n, number_mask, result);
    else if (FN(fetch)(records, words, n, number_mask, result) &&
                !FN(finish_groups)(result, records, n, base, shift, local))
        return false;
    if (result != to)
        memcpy(to, result, n * sizeof *to);
    return true;
}

/* Splits by the highest digit, then sorts each part. If a vector sort sorts the parts, the digit
 * has only as many values as make the parts small enough, because fewer places written at a time
 * fit the cache better. At most RADIX_PACKED records have only a handful of values here. Returns
 * false if the call was cancelled. */
static bool FN(local_split)(RECORD *records, RECORD *spare, size_t n, RECORD *to, unsigned bits,
                            const radix_local *local)
{
    uint64_t     end[1 << SPLIT_DIGIT] = {0};
    bool const   vectors = local->sort_words != NULL || local->sort_packed != NULL;
    size_t const part = sizeof(RECORD) > sizeof(DIGITS) ? RADIX_PART : RADIX_PACKED / 2;
    unsigned     digit = !vectors ? SPLIT_DIGIT : n > RADIX_PACKED ? 1 : HANDFUL_DIGIT;
    while (digit < SPLIT_DIGIT && n >> digit > part)
        digit++;
    unsigned const shift = bits > digit ? bits - digit : 0, mask = (1u << digit) - 1;

    for (size_t i = 0; i < n; i++)
        end[FN(digit_at)(records[i], shift, mask)]++;
    (void)ordo_sums_before_64(end, (size_t)mask + 1);
    for (size_t i = 0; i < n; i++) {
        RECORD const record = records[i];
        spare[end[FN(digit_at)(record, shift, mask)]++] = record;
    }
    size_t from = 0;
    for (unsigned d = 0; d <= mask; d++) {
        if (ordo_poll(local->exec, 0) ||
            !FN(local_sort)(spare + from, records + from, end[d] - from, to + from, shift, local))
            return false;
        from = end[d];
    }
    return true;
}

/* The lowest bits in which records differ as words if their keys differ in the lowest `most`. */
static inline unsigned FN(word_bits)(unsigned most)
{
    return most + (unsigned)(8 * (sizeof(RECORD) - sizeof(DIGITS)));
}

/* Estimates the distribution of the keys of n records from a sample. The sample is counted in 64
 * cells of its range; the fullest cell shows how many keys share the key bits that a packed word
 * holds. Keys that repeat have few values, and few of these share those bits. The sample has no
 * fixed stride, because the keys may be periodic. Sets *range to the bit length of the sample's
 * range. */
static enum radix_spread FN(spread)(const RECORD *records, size_t n, const radix_local *local,
                                    unsigned *range)
{
    DIGITS       sample[32], low = KEY_OF(records[0]), high = low;
    uint8_t      held[64] = {0};
    size_t const stride = n / 32;
    unsigned     fullest = 0, pairs = 0;
    for (size_t i = 0; i < 32; i++) {
        DIGITS const key = KEY_OF(records[ordo_random_in_stride(local->exec->seed, i, stride)]);
        sample[i] = key;
        low = key < low ? key : low;
        high = key > high ? key : high;
    }
    unsigned const bits = ordo_bit_length(high - low), shift = bits > 6 ? bits - 6 : 0;
    *range = bits;
    for (size_t i = 0; i < 32; i++) {
        unsigned const now = ++held[(sample[i] - low) >> shift];
        fullest = now > fullest ? now : fullest;
    }
    if (fullest <= (size_t)EVEN_CELL * RADIX_PACKED / n)
        return RADIX_EVEN;
    for (size_t i = 1; i < 32; i++)
        for (size_t j = 0; j < i; j++)
            pairs += sample[i] == sample[j];
    return pairs >= HANDFUL_PAIRS  ? RADIX_HANDFUL
           : pairs >= REPEAT_PAIRS ? RADIX_REPEATS
                                   : RADIX_CROWDED;
}

/* Whether the vector sort sorts n records as words. */
static bool FN(are_words)(size_t n, const radix_local *local)
{
    return local->sort_words != NULL && n <= local->most_words;
}

/* Sorts records[0 .. n), whose keys differ in the lowest `most` bits alone, through spare[0 .. n)
 * into to, which may be records or spare. Returns false if the call was cancelled; then the three
 * arrays hold garbage, which must not be used, not even as an index. */
static bool FN(local_sort)(RECORD *records, RECORD *spare, size_t n, RECORD *to, unsigned most,
                           const radix_local *local)
{
    if (FN(are_words)(n, local)) {
        if (n > 0)
            local->sort_words(records, spare, n, to, FN(word_bits)(most), NULL);
        return true;
    }
    if (n <= RADIX_SMALL) {
        if (n > 1)
            FN(merge_sort)(records, spare, n, false);
        if (to != records)
            memcpy(to, records, n * sizeof *records);
        return true;
    }
    unsigned                range = most, bits;
    enum radix_spread const spread =
        local->sort_packed != NULL && n <= RADIX_PACKED ? FN(spread)(records, n, local, &range)
                                                        : RADIX_CROWDED;
    bool const packed = spread == RADIX_EVEN || spread == RADIX_REPEATS;
    DIGITS     base = 0;
    if (packed && most == 8 * sizeof(DIGITS)) /* all keys must be read in any case */
        base = FN(least)(records, n, &bits);
    else
        bits = FN(differing)(records, n, most);
    if (packed && base == 0 && range < bits) /* a narrow range across a multiple of 2^range */
        base = FN(least)(records, n, &bits);
    if (packed && bits > 0)
        return FN(packed_sort)(records, spare, n, to, base, bits, local);
    bool const vectors = local->sort_words != NULL || local->sort_packed != NULL;
    bool const large = n > (vectors ? RADIX_PACKED : RADIX_LOCAL / sizeof(RECORD));
    if ((large || spread == RADIX_HANDFUL) && bits > RADIX_DIGIT)
        return FN(local_split)(records, spare, n, to, bits, local);
    if (large && local->sort_words != NULL) { /* few distinct values */
        local->sort_words(records, spare, n, to, FN(word_bits)(bits), NULL);
        return true;
    }
    RECORD *result = records;
    if (bits > 0) {
        /* A digit has at most as many values as there are records. */
        unsigned const widest = (unsigned)ordo_min(RADIX_DIGIT, ordo_bit_length(n) - 1);
        if (bits <= widest) {
            result = to != records ? to : spare;
            FN(one_pass)(records, result, n, 0, bits);
        } else {
            unsigned const taken = (unsigned)ordo_min(bits, 2 * widest);
            unsigned const shift = bits - taken;
            result = shift == 0 && to != spare ? to : records;
            FN(two_passes)(records, spare, result, n, shift, taken / 2, taken - taken / 2);
            if (shift > 0 && !FN(finish_groups)(records, spare, n, 0, shift, local))
                return false;
        }
    }
    if (result != to)
        memcpy(to, result, n * sizeof *to);
    return true;
}

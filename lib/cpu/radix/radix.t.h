/* radix.t.h - the inner steps of the radix sort (radix.c) for one kind of record: the stable sort
 * of records that fit the cache, and the steps of one split.
 *
 * In the cache, one read finds the highest bit that differs; if there is none, the records are in
 * order. Then two stable passes, low digit first, sort by at most 2 x RADIX_DIGIT bits from there
 * down. Records that are still equal in those bits form groups; insertion sort finishes short ones,
 * and long ones are sorted by the bits below. Records beyond the cache are first split by a digit.
 * A vector sort of words, where the ISA has one, replaces the passes: of the records themselves if
 * they may be compared as words; otherwise of 32-bit words that stand for the records. */

enum {
    FN(HELD) = GATHER / sizeof(RECORD) /* records of a bucket's line */
};

/* The bit length of the bits in which any key differs from the first. It is at most `most`, so
 * the loop stops early for spread keys. */
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

/* The least key, and the bit length of the largest difference to it. That may be much shorter
 * than the bits that differ: two neighbours on both sides of a power of two differ in all bits
 * up to it. */
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

/* Moves each record to the next place of its digit. Four are read before the first is written,
 * because the compiler cannot know that no write hits them. */
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

/* The records are in order by (key - base) >> shift. Finishes each group that is equal in that.
 * False if the call was cancelled. */
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

/* result[i] = records[numbers[i] & mask]. A record with a key less than the one before it is
 * inserted into its place; spread keys have few such records. Returns true if there were too
 * many: then some records are not in order. */
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

/* Sorts 32-bit words, each made of the highest bits of (key - base) above the number of the
 * record, and then fetches the records in that order. `bits` is the bit length of the largest
 * key - base. Words with equal key bits keep the order of their numbers, so the sort is stable.
 * The words take the end of spare and are read before they are overwritten. False if the call
 * was cancelled. */
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
    local->sort_packed(words, spare, n, words, NULL);
    if (FN(fetch)(records, words, n, number_mask, result) && shift > 0 &&
           !FN(finish_groups)(result, records, n, base, shift, local))
        return false;
    if (result != to)
        memcpy(to, result, n * sizeof *to);
    return true;
}

/* Splits by the highest digit, then sorts each part. If a vector sort takes the parts, the digit
 * has only as many values as make the parts small enough: fewer places written at a time fit the
 * cache better. False if the call was cancelled. */
static bool FN(local_split)(RECORD *records, RECORD *spare, size_t n, RECORD *to, unsigned bits,
                            const radix_local *local)
{
    uint64_t     end[1 << SPLIT_DIGIT] = {0};
    size_t const part = local->sort_packed != NULL ? RADIX_PACKED / 2 : local->most_words / 2;
    unsigned     digit = part == 0 ? SPLIT_DIGIT : 1;
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

/* Sorts records[0 .. n), whose keys differ in the lowest `most` bits alone, through spare[0 .. n)
 * into to, which may be records or spare. False if the call was cancelled: then the three arrays
 * hold garbage, and nothing in them may be used, not even as an index. */
static bool FN(local_sort)(RECORD *records, RECORD *spare, size_t n, RECORD *to, unsigned most,
                           const radix_local *local)
{
    if (local->sort_words != NULL && n <= local->most_words) {
        if (n > 0)
            local->sort_words(records, spare, n, to, NULL);
        return true;
    }
    if (n <= RADIX_SMALL) {
        if (n > 1)
            FN(merge_sort)(records, spare, n, false);
        if (to != records)
            memcpy(to, records, n * sizeof *records);
        return true;
    }
    bool const packed = local->sort_packed != NULL && n <= RADIX_PACKED;
    DIGITS     base = 0;
    unsigned   bits;
    if (packed && most == 8 * sizeof(DIGITS)) /* all keys must be read in any case */
        base = FN(least)(records, n, &bits);
    else
        bits = FN(differing)(records, n, most);
    if (packed && bits > 0)
        return FN(packed_sort)(records, spare, n, to, base, bits, local);
    bool const large =
        local->sort_words != NULL || local->sort_packed != NULL || n > RADIX_LOCAL / sizeof(RECORD);
    if (large && bits > RADIX_DIGIT)
        return FN(local_split)(records, spare, n, to, bits, local);
    if (local->sort_words != NULL) { /* few distinct values */
        local->sort_words(records, spare, n, to, NULL);
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

/* ---- Sample and buckets ---- */

/* At most BLOCK records of a chunk: where they are, or loaded into block. */
static inline const RECORD *FN(block_of)(const radix_work *work, size_t at, size_t count,
                                         RECORD *block)
{
    if (work->from == NULL && work->io->load != NULL) {
        work->io->load(work->io, at, count, block);
        return block;
    }
    return (const RECORD *)(work->from != NULL ? (const void *)work->from : work->io->in) + at;
}

/* Draws `count` records from the whole input and sorts them; spare holds as many. Their key bits go
 * to spare, as words of 64 bits. False if the call was cancelled: then there are none. */
static bool FN(sample)(const radix_work *work, void *records, void *spare, size_t count)
{
    RECORD *const sample = records;
    size_t const  stride = work->n / count;
    for (size_t i = 0; i < count; i++) {
        uint64_t const draw = ordo_random_at(work->exec->seed, i);
        size_t const   at = i * stride + (size_t)ordo_random_below(draw, stride);
        sample[i] = *FN(block_of)(work, at, 1, &sample[i]);
    }
    if (!FN(local_sort)(sample, spare, count, sample, 8 * sizeof(DIGITS), &work->local))
        return false;
    for (size_t i = 0; i < count; i++)
        ((uint64_t *)spare)[i] = KEY_OF(sample[i]);
    return true;
}

/* The bucket of a key where the cut is even. */
static inline size_t FN(bucket_of)(const radix_cut *cut, DIGITS key)
{
    return (unsigned)(key >> cut->shift) & cut->mask;
}

INLINE void FN(label_as)(const radix_cut *cut, const DIGITS *keys, size_t count, uint16_t *labels,
                         bool logs)
{
    size_t i = 0;
#if defined(__AVX512F__) && defined(__AVX512CD__)
    if (sizeof(DIGITS) == sizeof(uint64_t))
        for (; i + 8 <= count; i += 8)
            radix_label_64(cut, keys + i, labels + i, logs);
    else
        for (; i + 16 <= count; i += 16)
            radix_label_32(cut, keys + i, labels + i, logs);
#endif
    for (; i < count; i++)
        labels[i] = (uint16_t)radix_bucket(cut, keys[i], 8 * sizeof(DIGITS), logs);
}

/* The buckets of keys where the cut is not even. */
static void FN(label)(const radix_cut *cut, const DIGITS *keys, size_t count, uint16_t *labels)
{
    if (cut->logs)
        FN(label_as)(cut, keys, count, labels, true);
    else
        FN(label_as)(cut, keys, count, labels, false);
}

/* ---- Count ---- */

/* Prefetches what is read AHEAD records after `at`, up to hi. */
static inline void FN(prefetch)(const radix_work *work, size_t at, size_t hi, bool values)
{
    const radix_io *const io = work->io;
    if (AHEAD == 0 || at + AHEAD >= hi)
        return;
    size_t const from = at + AHEAD, count = ordo_min(BLOCK, hi - from);
    if (work->from != NULL) {
        radix_prefetch(work->from + from * sizeof(RECORD), count * sizeof(RECORD));
        return;
    }
    radix_prefetch((const char *)io->in + from * io->key_size, count * io->key_size);
    if (values && io->values != NULL)
        radix_prefetch(io->values + from * io->value_size, count * io->value_size);
}

/* The key bits of at most BLOCK records: where they are, or in block or digits. */
static inline const DIGITS *FN(digits_of)(const radix_work *work, size_t at, size_t count,
                                          RECORD *block, DIGITS *digits)
{
    if (work->from == NULL && work->io->load_digits != NULL) {
        work->io->load_digits(work->io, at, count, digits);
        return digits;
    }
    const RECORD *const records = FN(block_of)(work, at, count, block);
    if (sizeof(RECORD) == sizeof(DIGITS))
        return (const DIGITS *)(const void *)records;
    for (size_t i = 0; i < count; i++)
        digits[i] = KEY_OF(records[i]);
    return digits;
}

/* Counts in two tables, so that equal neighbours do not wait for each other. */
static inline void FN(tally)(const radix_cut *cut, const DIGITS *keys, size_t count,
                             uint32_t tally[2][BUCKETS])
{
    size_t i = 0;
    for (; i + 2 <= count; i += 2) {
        tally[0][FN(bucket_of)(cut, keys[i])]++;
        tally[1][FN(bucket_of)(cut, keys[i + 1])]++;
    }
    if (i < count)
        tally[0][FN(bucket_of)(cut, keys[i])]++;
}

static void FN(count)(const radix_work *work, size_t lo, size_t hi, size_t *counts)
{
    RECORD          block[BLOCK];
    DIGITS          digits[BLOCK];
    uint16_t        some[BLOCK];
    uint32_t        tally[2][BUCKETS];
    radix_cut const cut = work->cut;

    memset(counts, 0, cut.buckets * sizeof *counts);
    memset(tally, 0, sizeof tally);
    for (size_t at = lo, blocks = 1; at < hi; at += BLOCK, blocks++) {
        FN(prefetch)(work, at, hi, false);
        size_t const        count = ordo_min(BLOCK, hi - at);
        const DIGITS *const keys = FN(digits_of)(work, at, count, block, digits);
        if (cut.even) {
            FN(tally)(&cut, keys, count, tally);
        } else {
            uint16_t *const labels = work->labels != NULL ? work->labels + at : some;
            FN(label)(&cut, keys, count, labels);
            radix_tally(labels, count, tally);
        }
        if (blocks % 4096 == 0 || at + BLOCK >= hi) {
            for (size_t b = 0; b < cut.buckets; b++) {
                counts[b] += tally[0][b];
                counts[b] += tally[1][b];
            }
            memset(tally, 0, sizeof tally);
            if (ordo_poll(work->exec, (double)at / (double)work->n))
                return;
        }
    }
}

/* ---- Scatter ---- */

/* Keys are read again after they were counted. If another thread changes them in between, the
 * result is garbage, but no place is beyond the last. */
INLINE void FN(scatter_plain)(const RECORD *records, const uint16_t *labels, size_t count,
                              RECORD *to, size_t last, size_t *places, const radix_cut *cut)
{
    for (size_t i = 0; i < count; i++) {
        RECORD const record = records[i];
        size_t const b = labels != NULL ? labels[i] : FN(bucket_of)(cut, KEY_OF(record));
        size_t const place = places[b]++;
        to[place < last ? place : last] = record;
    }
}

/* Writes the records of a bucket's line up to `end`, from the bucket's first record on. */
static inline void FN(flush_line)(RECORD *to, const RECORD *line, size_t first, size_t end)
{
    size_t const begin = ordo_max((end - 1) / FN(HELD) * FN(HELD), first);
    memcpy(to + begin, line + begin % FN(HELD), (end - begin) * sizeof *to);
}

INLINE void FN(scatter_combined)(const RECORD *records, const uint16_t *labels, size_t count,
                                 RECORD *to, size_t last, size_t *places, const size_t *firsts,
                                 RECORD *lines, const radix_cut *cut)
{
    for (size_t i = 0; i < count; i++) {
        RECORD const record = records[i];
        size_t const b = labels != NULL ? labels[i] : FN(bucket_of)(cut, KEY_OF(record));
        size_t const place = places[b]++;
        lines[b * FN(HELD) + place % FN(HELD)] = record;
        if (ORDO_UNLIKELY((place + 1) % FN(HELD) == 0) && ORDO_LIKELY(place <= last)) {
            if (ORDO_LIKELY(place + 1 - firsts[b] >= FN(HELD)))
                lines_stream(to + (place + 1 - FN(HELD)), lines + b * FN(HELD), GATHER);
            else
                FN(flush_line)(to, lines + b * FN(HELD), firsts[b], place + 1);
        }
    }
}

/* The labels of records that begin at `at`: kept from the count, or found again in `some`. */
static inline const uint16_t *FN(labels_of)(const radix_work *work, const RECORD *records,
                                            size_t at, size_t count, uint16_t *some)
{
    DIGITS digits[BLOCK];
    if (work->cut.even)
        return NULL;
    if (work->labels != NULL)
        return work->labels + at;
    for (size_t i = 0; i < count; i++)
        digits[i] = KEY_OF(records[i]);
    FN(label)(&work->cut, digits, count, some);
    return some;
}

/* Lines are aligned in memory, and `to` may not be: places count from the start of its line. */
static void FN(scatter)(const radix_work *work, size_t lo, size_t hi, size_t *places, char *buffer)
{
    RECORD          block[BLOCK];
    uint16_t        some[BLOCK];
    size_t          firsts[BUCKETS];
    radix_cut const cut = work->cut;
    RECORD         *to = (RECORD *)(void *)work->to;
    size_t const    skew = (uintptr_t)to % LINE / sizeof(RECORD);
    RECORD *const   lines = (RECORD *)(void *)buffer;
    size_t          last = work->n - 1; /* the last place */
    if (work->combine) {                /* count from the start of the line that `to` is in */
        to -= skew;
        last += skew;
        for (size_t b = 0; b < cut.buckets; b++)
            firsts[b] = places[b] += skew;
    }
    for (size_t at = lo, blocks = 1; at < hi; at += BLOCK, blocks++) {
        FN(prefetch)(work, at, hi, true);
        size_t const          count = ordo_min(BLOCK, hi - at);
        const RECORD *const   records = FN(block_of)(work, at, count, block);
        const uint16_t *const labels = FN(labels_of)(work, records, at, count, some);
        if (work->combine && cut.even)
            FN(scatter_combined)(records, NULL, count, to, last, places, firsts, lines, &cut);
        else if (work->combine)
            FN(scatter_combined)(records, labels, count, to, last, places, firsts, lines, &cut);
        else if (cut.even)
            FN(scatter_plain)(records, NULL, count, to, last, places, &cut);
        else
            FN(scatter_plain)(records, labels, count, to, last, places, &cut);
        if (blocks % 4096 == 0 && ordo_poll(work->exec, (double)at / (double)work->n))
            return;
    }
    if (work->combine) {
        for (size_t b = 0; b < cut.buckets; b++)
            if (places[b] % FN(HELD) != 0 && places[b] > firsts[b] && places[b] <= last + 1)
                FN(flush_line)(to, lines + b * FN(HELD), firsts[b], places[b]);
        lines_fence();
    }
}

/* ---- Finish ---- */

static inline void FN(store)(const radix_io *io, size_t at, size_t n, const RECORD *records)
{
    if (io->store != NULL)
        io->store(io, at, n, records);
    else if (records != (RECORD *)io->out + at)
        memcpy((RECORD *)io->out + at, records, n * sizeof *records);
}

/* Sorts records into the result. Stores nothing if the sort was cancelled: store may use a
 * record as an index. */
static void FN(sort_to_result)(const radix_io *io, const radix_local *local, RECORD *records,
                               RECORD *spare, size_t at, size_t n, unsigned most)
{
    bool const words = local->sort_words != NULL && n <= local->most_words;
    if (words && (io->store == NULL ||
                  io->map != NULL)) { /* the vector sort writes the result itself, in order */
        local->sort_words(records, spare, n, (RECORD *)io->out + at,
                          io->store != NULL ? io->map : NULL);
        return;
    }
    /* The result's memory is not in the cache, so the records are sorted in the cache first and
     * then copied. Records that are fetched in order go to the result at once. */
    RECORD *const sorted = local->sort_packed == NULL ? records
                           : io->store == NULL        ? (RECORD *)io->out + at
                                                      : spare;
    if (FN(local_sort)(records, spare, n, sorted, most, local))
        FN(store)(io, at, n, sorted);
}

/* Sorts the bucket [lo, hi) of the split and stores it. A loose bucket is stored unsorted. */
static void FN(finish)(const radix_work *work, size_t lo, size_t hi, char *buffer)
{
    const radix_io *const io = work->io;
    RECORD *const         records = (RECORD *)(void *)work->to + lo;
    size_t const          at = work->at + lo;
    if (lo == hi)
        return;
    if (io->loose)
        FN(store)(io, at, hi - lo, records);
    else
        FN(sort_to_result)(io, &work->local, records, (RECORD *)(void *)buffer, at, hi - lo,
                           work->most);
}

/* The whole job on one thread, within the cache. */
static void FN(alone)(const radix_io *io, void *room, void *spare, const radix_local *local)
{
    RECORD *const records = room;
    if (io->load != NULL)
        io->load(io, 0, io->n, records);
    else
        memcpy(records, io->in, io->n * sizeof *records);
    FN(sort_to_result)(io, local, records, spare, 0, io->n, 8 * sizeof(DIGITS));
}

static uint64_t FN(differ)(const void *array, size_t lo, size_t hi)
{
    const RECORD *const records = array;
    DIGITS const        first = KEY_OF(records[0]);
    DIGITS              all = 0;
    for (size_t i = lo; i < hi; i++)
        all |= KEY_OF(records[i]) ^ first;
    return all;
}

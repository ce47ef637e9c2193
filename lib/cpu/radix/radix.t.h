/* radix.t.h - the steps of one split of the radix sort (radix.c) for one kind of record: sample and
 * cut, count, scatter, and the finish of a bucket, which radix_local.t.h sorts. */

enum {
    FN(HELD) = GATHER / sizeof(RECORD) /* records of a bucket's line */
};

/* ---- Sample and buckets ---- */

/* Returns at most BLOCK records of a chunk: in place, or loaded into `block`. */
static inline const RECORD *FN(block_of)(const radix_work *work, size_t at, size_t count,
                                         RECORD *block)
{
    if (work->from == NULL && work->io->load != NULL) {
        work->io->load(work->io, at, count, block);
        return block;
    }
    return (const RECORD *)(work->from != NULL ? (const void *)work->from : work->io->in) + at;
}

/* Draws `count` records from the whole input and sorts them; spare has room for as many. Their key
 * bits go to spare, as 64-bit words. Returns false if the call was cancelled; then spare is
 * unspecified. */
static bool FN(sample)(const radix_work *work, void *records, void *spare, size_t count)
{
    RECORD *const sample = records;
    size_t const  stride = work->n / count;
    for (size_t i = 0; i < count; i++) {
        size_t const at = ordo_random_in_stride(work->exec->seed, i, stride);
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

/* Writes the buckets of keys where the cut is not even. */
static void FN(label)(const radix_cut *cut, const DIGITS *keys, size_t count, uint16_t *labels)
{
    if (cut->logs)
        FN(label_as)(cut, keys, count, labels, true);
    else
        FN(label_as)(cut, keys, count, labels, false);
}

/* ---- Count ---- */

/* Prefetches the data that is read AHEAD records after `at`, up to hi. */
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

/* Returns the key bits of at most BLOCK records: in place, or in `block` or `digits`. */
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
    uint16_t        some[BLOCK] = {0};
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

typedef struct FN(target) { /* where one thread scatters records */
    RECORD          *to;
    size_t           last;   /* the last place */
    size_t          *places; /* the next place of each bucket */
    const size_t    *firsts; /* combined: their first places */
    RECORD          *lines;  /* combined: a line of each bucket */
    const radix_cut *cut;
} FN(target);

/* Keys are read again after they were counted. If another thread of the program changes them in
 * between, the result is garbage, but no record is written after the last place. */
INLINE void FN(scatter_plain)(const RECORD *records, const uint16_t *labels, size_t count,
                              FN(target) t)
{
    for (size_t i = 0; i < count; i++) {
        RECORD const record = records[i];
        size_t const b = labels != NULL ? labels[i] : FN(bucket_of)(t.cut, KEY_OF(record));
        size_t const place = t.places[b]++;
        t.to[place < t.last ? place : t.last] = record;
    }
}

/* Writes the records of a bucket's line up to `end`, from the bucket's first record on. */
static inline void FN(flush_line)(RECORD *to, const RECORD *line, size_t first, size_t end)
{
    size_t const begin = ordo_max((end - 1) / FN(HELD) * FN(HELD), first);
    memcpy(to + begin, line + begin % FN(HELD), (end - begin) * sizeof *to);
}

INLINE void FN(scatter_combined)(const RECORD *records, const uint16_t *labels, size_t count,
                                 FN(target) t)
{
    for (size_t i = 0; i < count; i++) {
        RECORD const record = records[i];
        size_t const b = labels != NULL ? labels[i] : FN(bucket_of)(t.cut, KEY_OF(record));
        size_t const place = t.places[b]++;
        t.lines[b * FN(HELD) + place % FN(HELD)] = record;
        if (ORDO_UNLIKELY((place + 1) % FN(HELD) == 0) && ORDO_LIKELY(place <= t.last)) {
            if (ORDO_LIKELY(place + 1 - t.firsts[b] >= FN(HELD)))
                lines_stream(t.to + (place + 1 - FN(HELD)), t.lines + b * FN(HELD), GATHER);
            else
                FN(flush_line)(t.to, t.lines + b * FN(HELD), t.firsts[b], place + 1);
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

/* Cache lines are aligned and `to` may not be, so places count from the start of its line. */
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
    FN(target) const target = {to, last, places, firsts, lines, &cut};
    for (size_t at = lo, blocks = 1; at < hi; at += BLOCK, blocks++) {
        FN(prefetch)(work, at, hi, true);
        size_t const          count = ordo_min(BLOCK, hi - at);
        const RECORD *const   records = FN(block_of)(work, at, count, block);
        const uint16_t *const labels = FN(labels_of)(work, records, at, count, some);
        if (work->combine && cut.even)
            FN(scatter_combined)(records, NULL, count, target);
        else if (work->combine)
            FN(scatter_combined)(records, labels, count, target);
        else if (cut.even)
            FN(scatter_plain)(records, NULL, count, target);
        else
            FN(scatter_plain)(records, labels, count, target);
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
    bool const words = FN(are_words)(n, local);
    if (words && (io->store == NULL ||
                  io->map != NULL)) { /* the vector sort writes the result itself, in order */
        local->sort_words(records, spare, n, (RECORD *)io->out + at,
                          FN(word_bits)(most), io->store != NULL ? io->map : NULL);
        return;
    }
    /* The result's memory is not in the cache, so the records are sorted in the cache first and
     * then copied. Records that packed_sort fetches in order go directly to the result. Records
     * that are split first have moved to the spare memory when they are fetched. */
    RECORD *const sorted = local->sort_packed == NULL ? records
                           : io->store == NULL        ? (RECORD *)io->out + at
                           : n > RADIX_PACKED         ? records
                                                      : spare;
    if (FN(local_sort)(records, spare, n, sorted, most, local))
        FN(store)(io, at, n, sorted);
}

/* Sorts the n records of a bucket and stores them from `at` on. A loose bucket is stored
 * unsorted. */
static void FN(finish)(const radix_work *work, RECORD *records, size_t at, size_t n, RECORD *spare)
{
    const radix_io *const io = work->io;
    if (n == 0)
        return;
    if (io->loose)
        FN(store)(io, at, n, records);
    else
        FN(sort_to_result)(io, &work->local, records, spare, at, n, work->most);
}

/* Sorts and stores bucket [lo, hi) of the split. */
static void FN(finish_bucket)(const radix_work *work, size_t lo, size_t hi, char *buffer)
{
    FN(finish)(work, (RECORD *)(void *)work->to + lo, work->at + lo, hi - lo,
               (RECORD *)(void *)buffer);
}

/* The whole job on one thread. scratch NULL: the vector sort takes all keys in the memory of the
 * result, and spare is as small as it allows. */
static void FN(alone)(const radix_io *io, void *scratch, void *spare, const radix_local *local)
{
    if (scratch == NULL) {
        if (io->out != io->in)
            memcpy(io->out, io->in, io->n * sizeof(RECORD));
        local->sort_keys(io->out, spare, io->n, io->store != NULL ? io->map : NULL);
        return;
    }
    if (io->load != NULL)
        io->load(io, 0, io->n, scratch);
    else
        memcpy(scratch, io->in, io->n * sizeof(RECORD));
    FN(sort_to_result)(io, local, scratch, spare, 0, io->n, 8 * sizeof(DIGITS));
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

/* radix_blocks.t.h - the split by one thread into chains of blocks, for one kind of record. Records
 * are not counted beforehand, so the input is read once. Bucket b begins with block b and takes a
 * new block when a block is full.
 *
 * Each bucket collects BLOCK_HELD records in a line, which is then written with stores that bypass
 * the cache. The last record of the line holds the bucket's next place until that record arrives,
 * so that a record touches one or two cache lines. A place is the number of a block and of a record
 * in it. */

enum {
    FN(BLOCK_RECORDS) = BLOCK_BYTES / sizeof(RECORD),
    FN(LINE_BYTES) = BLOCK_HELD * sizeof(RECORD)
};

static inline uint32_t FN(place_of)(const RECORD *line)
{
    uint32_t place;
    memcpy(&place, line + BLOCK_HELD - 1, sizeof place);
    return place;
}

static inline void FN(set_place)(RECORD *line, uint32_t place)
{
    memcpy(line + BLOCK_HELD - 1, &place, sizeof place);
}

static inline RECORD *FN(block_at)(const radix_blocks *blocks, uint32_t place)
{
    size_t const first = blocks->buckets * FN(BLOCK_RECORDS); /* the first place in the scratch */
    return place < first ? (RECORD *)(void *)blocks->extra + place
                         : (RECORD *)(void *)blocks->scratch + (place - first);
}

/* Writes the line of bucket b, which is full. */
INLINE void FN(write_line)(radix_blocks *blocks, size_t b, RECORD *line, uint32_t place)
{
    lines_stream(FN(block_at)(blocks, place - (BLOCK_HELD - 1)), line, FN(LINE_BYTES));
    uint32_t next = place + 1;
    if (next % FN(BLOCK_RECORDS) == 0) {
        blocks->next[place / FN(BLOCK_RECORDS)] = blocks->taken;
        next = blocks->taken++ * FN(BLOCK_RECORDS);
        blocks->counts[b] += FN(BLOCK_RECORDS);
    }
    FN(set_place)(line, next);
}

INLINE void FN(to_blocks)(const RECORD *records, const uint16_t *labels, size_t count,
                          RECORD *lines, radix_blocks *blocks, const radix_cut *cut)
{
    for (size_t i = 0; i < count; i++) {
        RECORD const record = records[i];
        size_t const b = labels != NULL ? labels[i] : FN(bucket_of)(cut, KEY_OF(record));
        RECORD *const  line = lines + b * BLOCK_HELD;
        uint32_t const place = FN(place_of)(line);
        if (ORDO_LIKELY(place % BLOCK_HELD != BLOCK_HELD - 1)) {
            line[place % BLOCK_HELD] = record;
            FN(set_place)(line, place + 1);
        } else {
            line[BLOCK_HELD - 1] = record;
            FN(write_line)(blocks, b, line, place);
        }
    }
}

/* Scatters the input into blocks; `buffer` has a line for each bucket. */
static void FN(scatter_blocks)(const radix_work *work, radix_blocks *blocks, char *buffer)
{
    RECORD          block[BLOCK];
    uint16_t        some[BLOCK];
    radix_cut const cut = work->cut;
    RECORD *const   lines = (RECORD *)(void *)buffer;
    for (size_t b = 0; b < cut.buckets; b++) {
        blocks->counts[b] = 0;
        FN(set_place)(lines + b * BLOCK_HELD, (uint32_t)(b * FN(BLOCK_RECORDS)));
    }
    for (size_t at = 0, passed = 1; at < work->n; at += BLOCK, passed++) {
        FN(prefetch)(work, at, work->n, true);
        size_t const        count = ordo_min(BLOCK, work->n - at);
        const RECORD *const records = FN(block_of)(work, at, count, block);
        if (cut.even)
            FN(to_blocks)(records, NULL, count, lines, blocks, &cut);
        else
            FN(to_blocks)(records, FN(labels_of)(work, records, at, count, some), count, lines,
                                      blocks, &cut);
        if (passed % 4096 == 0 && ordo_poll(work->exec, (double)at / (double)work->n))
            return;
    }
    for (size_t b = 0; b < cut.buckets; b++) {
        RECORD *const  line = lines + b * BLOCK_HELD;
        uint32_t const place = FN(place_of)(line), held = place % BLOCK_HELD;
        if (held != 0)
            lines_stream(FN(block_at)(blocks, place - held), line, FN(LINE_BYTES));
        blocks->counts[b] += place % FN(BLOCK_RECORDS);
    }
    lines_fence();
}

/* Copies the n records of bucket b to `to`. */
static void FN(gather)(const radix_blocks *blocks, size_t b, size_t n, RECORD *to)
{
    uint32_t block = (uint32_t)b;
    for (size_t i = 0; i < n; i += FN(BLOCK_RECORDS)) {
        const RECORD *const from = FN(block_at)(blocks, block * FN(BLOCK_RECORDS));
        memcpy(to + i, from, ordo_min(n - i, FN(BLOCK_RECORDS)) * sizeof *to);
        if (n - i > FN(BLOCK_RECORDS))
            block = blocks->next[block];
    }
}

/* Prefetches a bucket that is gathered soon. */
static void FN(prefetch_bucket)(const radix_blocks *blocks, size_t b, size_t n)
{
    uint32_t block = (uint32_t)b;
    for (size_t i = 0; i < n; i += FN(BLOCK_RECORDS)) {
        radix_prefetch(FN(block_at)(blocks, block * FN(BLOCK_RECORDS)),
                                    ordo_min(n - i, FN(BLOCK_RECORDS)) * sizeof(RECORD));
        if (n - i > FN(BLOCK_RECORDS))
            block = blocks->next[block];
    }
}

/* Sorts and stores bucket b, records [lo, hi) of the result; `buffer` has room for twice work->big
 * records. A larger bucket is only gathered into work->to. */
static void FN(finish_blocks)(const radix_work *work, const radix_blocks *blocks, size_t b,
                              size_t lo, size_t hi, char *buffer)
{
    RECORD *const records = (RECORD *)(void *)buffer;
    if (hi - lo > work->big) {
        FN(gather)(blocks, b, hi - lo, (RECORD *)(void *)work->to + lo);
        return;
    }
    FN(gather)(blocks, b, hi - lo, records);
    if (b + 1 < work->cut.buckets)
        FN(prefetch_bucket)(blocks, b + 1, ordo_min(blocks->counts[b + 1], work->big));
    FN(finish)(work, records, work->at + lo, hi - lo, records + work->big);
}

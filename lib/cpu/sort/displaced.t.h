/* displaced.t.h - the scan, the join and the merge of displaced.c for one kind of record: key bits
 * in the order of the job. */

/* Reads keys [at, at + count) as records into tile. */
static void FN(displaced_read)(const radix_io *io, size_t at, size_t count, RECORD *tile)
{
    if (io->load != NULL)
        io->load(io, at, count, tile);
    else
        memcpy(tile, (const RECORD *)io->in + at, count * sizeof *tile);
}

static void FN(displaced_write)(const radix_io *io, size_t at, size_t count, const RECORD *records)
{
    if (io->store != NULL)
        io->store(io, at, count, records);
    else
        memcpy((RECORD *)io->out + at, records, count * sizeof *records);
}

/* The number of records of the sorted a[0 .. count) that are less than x or, with `equal`, not
 * greater. The search starts at the front and doubles its steps. */
static size_t FN(displaced_below)(const RECORD *a, size_t count, RECORD x, bool equal)
{
    size_t low = 0, step = 1;
    while (low + step <= count && (a[low + step - 1] < x || (equal && a[low + step - 1] == x))) {
        low += step;
        step *= 2;
    }
    size_t high = ordo_min(low + step, count);
    ORDO_BISECT(middle, low, high, a[middle] < x || (equal && a[middle] == x));
    return low;
}

/* The kept and dropped keys of a piece during its scan: kept[0 .. count), and the dropped keys from
 * the end of the same memory downwards. The memory holds both, because together they are the keys
 * read. */
typedef struct FN(displaced_state) {
    RECORD *kept, *end;
    size_t  count, drops;
} FN(displaced_state);

static inline void FN(displaced_drop)(FN(displaced_state) * s, RECORD x)
{
    s->drops++;
    s->end[-(ptrdiff_t)s->drops] = x;
}

/* Keeps x, drops x, or drops the last kept key if x fits without that key. Returns true if x was
 * dropped. */
static inline bool FN(displaced_step)(FN(displaced_state) * s, RECORD x)
{
    if (s->count == 0 || x >= s->kept[s->count - 1]) {
        s->kept[s->count++] = x;
        return false;
    }
    if (s->count >= 2 && x < s->kept[s->count - 2]) {
        FN(displaced_drop)(s, x);
        return true;
    }
    RECORD const last = s->kept[s->count - 1];
    s->kept[s->count - 1] = x;
    FN(displaced_drop)(s, last);
    return false;
}

/* Called after `row` keys in a row were dropped, the last of them x. If at most `row` kept keys are
 * greater than x, drops those instead and returns true: the row must be read again. x is the last
 * key of the row, not the first, because it changes from call to call: a first key that is far too
 * small would prevent the scan from ever dropping keys that are too large. */
static bool FN(displaced_doubt)(FN(displaced_state) * s, size_t row, RECORD x)
{
    size_t greater = 0;
    while (greater < s->count && s->kept[s->count - 1 - greater] > x)
        if (++greater > row)
            return false;
    s->drops -= row;
    for (size_t i = 0; i < greater; i++)
        FN(displaced_drop)(s, s->kept[--s->count]);
    return true;
}

/* Whether a[0 .. count) is sorted; no branch on keys. */
static inline bool FN(displaced_rises)(const RECORD *a, size_t count)
{
    RECORD falls = 0;
    for (size_t i = 1; i < count; i++)
        falls = (RECORD)(falls | (RECORD)(a[i] < a[i - 1]));
    return falls == 0;
}

static void FN(displaced_scan)(void *arg, size_t lo, size_t hi)
{
    displaced_work *const work = arg;
    size_t const          n = hi - lo;
    FN(displaced_state)
    s = {.kept = (RECORD *)work->bits + lo, .end = (RECORD *)work->bits + hi};
    size_t row = 0, doubt = FIRST_ROW, reread = REREAD_SHARE * n;
    if (atomic_load_explicit(&work->failed, memory_order_relaxed))
        return;
    for (size_t at = 0, count; at < n; at += count) {
        RECORD tile[TILE];
        count = ordo_min(TILE, n - at);
        FN(displaced_read)(&work->io, lo + at, count, tile);
        if ((s.count == 0 || tile[0] >= s.kept[s.count - 1]) && FN(displaced_rises)(tile, count)) {
            memcpy(s.kept + s.count, tile, count * sizeof *tile);
            s.count += count;
            row = 0;
            doubt = FIRST_ROW;
            continue;
        }
        for (size_t i = 0; i < count; i++) {
            if (!FN(displaced_step)(&s, tile[i])) {
                row = 0;
                doubt = FIRST_ROW;
            } else if (++row >= doubt) {
                doubt *= 2;
                if (reread >= row && FN(displaced_doubt)(&s, row, tile[i])) {
                    reread -= row;
                    count = i + 1; /* the next tile begins with the row */
                    at -= row;
                    row = 0;
                    doubt = FIRST_ROW;
                }
            }
        }
    }
    work->pieces[lo / work->grain] = (displaced_piece){.stored = s.count, .end = s.count};
    count_drops(work, n, s.drops);
}

/* Makes the kept keys of all pieces one ascending sequence, and collects the dropped keys. Returns
 * false if these are too many. */
static bool FN(displaced_join)(displaced_work *work, size_t pieces, size_t *drops)
{
    const RECORD *const bits = work->bits;
    RECORD *const       dropped = work->dropped;
    size_t last = SIZE_MAX, kept = 0, count = 0; /* last: the last piece with kept keys */
    for (size_t p = 0; p < pieces; p++) {
        displaced_piece *const here = &work->pieces[p];
        const RECORD *const    a = bits + p * work->grain;
        while (last != SIZE_MAX && here->begin < here->end) {
            displaced_piece *const before = &work->pieces[last];
            const RECORD *const    b = bits + last * work->grain;
            if (before->begin == before->end) { /* nothing is left of it */
                last = last > 0 ? last - 1 : SIZE_MAX;
                continue;
            }
            if (a[here->begin] >= b[before->end - 1])
                break;
            size_t const less = FN(displaced_below)(a + here->begin, here->end - here->begin,
                                                    b[before->end - 1], false);
            size_t const greater =
                before->end - before->begin -
                FN(displaced_below)(b + before->begin, before->end - before->begin, a[here->begin],
                                    true);
            if (greater <= less)
                before->end -= greater;
            else
                here->begin += less;
        }
        last = p;
    }
    for (size_t p = 0; p < pieces; p++)
        kept += work->pieces[p].end - work->pieces[p].begin;
    if (work->io.n - kept > work->limit)
        return false;
    for (size_t p = 0; p < pieces; p++) {
        const displaced_piece *const here = &work->pieces[p];
        const RECORD *const          a = bits + p * work->grain;
        size_t const                 length = piece_length(work, p);
        memcpy(dropped + count, a, here->begin * sizeof *a);
        count += here->begin;
        memcpy(dropped + count, a + here->end, (length - here->end) * sizeof *a);
        count += length - here->end;
    }
    *drops = count;
    return true;
}

/* Shares the sorted dropped keys among the pieces with kept keys: each piece gets those from its
 * first kept key up to the first kept key of the next such piece. */
static void FN(displaced_share)(displaced_work *work, size_t pieces, size_t drops)
{
    const RECORD *const bits = work->bits, *const dropped = work->dropped;
    displaced_piece *last = NULL;
    size_t           at = 0, from = 0;
    for (size_t p = 0; p < pieces; p++) {
        displaced_piece *const here = &work->pieces[p];
        here->at = at;
        at += here->end - here->begin;
        here->from = here->until = from;
        if (here->begin == here->end)
            continue;
        if (last != NULL) {
            RECORD const first = (bits + p * work->grain)[here->begin];
            from += FN(displaced_below)(dropped + from, drops - from, first, false);
            last->until = here->from = from;
        }
        last = here;
    }
    if (last != NULL)
        last->until = drops;
}

static void FN(displaced_merge)(void *arg, size_t lo, size_t hi)
{
    const displaced_work *const  work = arg;
    const displaced_piece *const here = &work->pieces[lo / work->grain];
    const RECORD *const kept = (const RECORD *)work->bits + lo, *const dropped = work->dropped;
    size_t out = here->at + here->from, i = here->begin;
    (void)hi;
    for (size_t d = here->from; d < here->until; d++) {
        size_t const less = FN(displaced_below)(kept + i, here->end - i, dropped[d], false);
        FN(displaced_write)(&work->io, out, less, kept + i);
        i += less;
        out += less;
        FN(displaced_write)(&work->io, out++, 1, dropped + d);
    }
    if (here->begin < here->end)
        FN(displaced_write)(&work->io, out, here->end - i, kept + i);
}

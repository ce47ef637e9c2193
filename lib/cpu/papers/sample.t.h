/* sample.t.h - sample sort of one kind of record; see sort_sample.c. */

typedef struct FN(splitters) {
    RECORD node[LEAVES]; /* node[1] is the root, the children of node j are 2j and 2j + 1 */
    RECORD last[LEAVES]; /* leaf i takes records above last[i - 1] and not above last[i] */
} FN(splitters);

/* Chooses splitters from a sample of data[0 .. n); other[0 .. n) is overwritten. */
static void FN(choose_splitters)(FN(splitters) * tree, const RECORD *data, size_t n, RECORD *other,
                                    uint64_t seed)
{
    size_t const size = sample_size(n);
    for (size_t i = 0; i < size; i++)
        other[i] = data[ordo_random_below(ordo_random_at(seed, i), n)];
    FN(merge_sort)(other, other + size, size, false);

    for (size_t i = 0; i + 1 < LEAVES; i++)
        tree->last[i] = other[(i + 1) * size / LEAVES];
    memset(&tree->last[LEAVES - 1], 0xff, sizeof(RECORD)); /* no record is above it */
    for (size_t level = 0; level < LG_LEAVES; level++) {
        size_t const nodes = (size_t)1 << level, step = LEAVES >> (level + 1);
        for (size_t i = 0; i < nodes; i++)
            tree->node[nodes + i] = tree->last[(2 * i + 1) * step - 1];
    }
    tree->node[0] = tree->node[1];
}

INLINE void FN(label_batch)(const FN(splitters) * tree, const RECORD *data, uint8_t *labels,
                                     unsigned batch)
{
    size_t at[BATCH];
    EACH (u, batch)
        at[u] = 1;
    for (unsigned level = 0; level < LG_LEAVES; level++)
        EACH (u, batch)
            at[u] = 2 * at[u] + (size_t)LESS(tree->node[at[u]], data[u]);
    EACH (u, batch) {
        size_t const leaf = at[u] - LEAVES;
        labels[u] = (uint8_t)(2 * leaf + (size_t)!LESS(data[u], tree->last[leaf]));
    }
}

/* Labels n records and adds them to counts. */
static void FN(label)(const FN(splitters) * tree, const RECORD *data, uint8_t *labels, size_t n,
                               size_t counts[BUCKETS])
{
    size_t i = 0;
    for (; i + BATCH <= n; i += BATCH)
        FN(label_batch)(tree, data + i, labels + i, BATCH);
    for (; i < n; i++)
        FN(label_batch)(tree, data + i, labels + i, 1);
    for (i = 0; i < n; i++)
        counts[labels[i]]++;
}

static void FN(scatter)(const RECORD *data, const uint8_t *labels, size_t n, size_t to[BUCKETS],
                        RECORD *out)
{
    for (size_t i = 0; i < n; i++)
        out[to[labels[i]]++] = data[i];
}

/* ---- One thread ---- */

/* Sorts data[0..n), with other[0..n) as scratch; the result is in other if to_other is set. */
static void FN(sample_sort)(RECORD *data, RECORD *other, uint8_t *labels, size_t n, bool to_other,
                            unsigned depth, ordo_exec *exec)
{
    if (n <= BASE || depth == 0) {
        FN(merge_sort)(data, other, n, to_other);
        return;
    }
    size_t starts[BUCKETS + 1] = {0}, to[BUCKETS];
    FN(splitters) tree;
    FN(choose_splitters)(&tree, data, n, other, exec->seed);
    for (size_t lo = 0; lo < n; lo += PIECE) {
        if (ordo_poll(exec, 0))
            return;
        FN(label)(&tree, data + lo, labels + lo, ordo_min(PIECE, n - lo), starts + 1);
    }
    for (size_t b = 0; b < BUCKETS; b++) {
        to[b] = starts[b];
        starts[b + 1] += starts[b];
    }
    FN(scatter)(data, labels, n, to, other);

    for (size_t b = 0; b < BUCKETS; b++) {
        size_t const at = starts[b], size = starts[b + 1] - at;
        if (b % 2 == 0)
            FN(sample_sort)(other + at, data + at, labels + at, size, !to_other, depth - 1, exec);
        else if (!to_other)
            memcpy(data + at, other + at, size * sizeof *data);
        if (ordo_poll(exec, 0))
            return;
    }
}

/* ---- All threads: the first level ---- */

typedef struct FN(sample_work) {
    RECORD  *records, *buffer;
    uint8_t *labels;
    size_t (*counts)[BUCKETS]; /* for each piece; then the places of its records */
    size_t     starts[BUCKETS + 1];
    ordo_exec *exec;
    FN(splitters) tree;
} FN(sample_work);

static void FN(label_piece)(void *arg, size_t lo, size_t hi)
{
    FN(sample_work) *const work = arg;
    size_t *const          counts = work->counts[lo / PIECE];
    memset(counts, 0, sizeof *work->counts);
    FN(label)(&work->tree, work->records + lo, work->labels + lo, hi - lo, counts);
}

static void FN(scatter_piece)(void *arg, size_t lo, size_t hi)
{
    FN(sample_work) *const work = arg;
    FN(scatter)(work->records + lo, work->labels + lo, hi - lo, work->counts[lo / PIECE],
                work->buffer);
}

static void FN(finish_bucket)(void *arg, size_t lo, size_t hi)
{
    FN(sample_work) *const work = arg;
    for (size_t b = lo; b < hi; b++) {
        size_t const at = work->starts[b], size = work->starts[b + 1] - at;
        if (b % 2 == 0)
            FN(sample_sort)(work->buffer + at, work->records + at, work->labels + at, size, true,
                            DEPTH, work->exec);
        else
            memcpy(work->records + at, work->buffer + at, size * sizeof *work->records);
    }
}

static ordo_status FN(sample_records)(const cpu_records *records, void *block, ordo_exec *exec)
{
    size_t const n = records->n;
    FN(sample_work) work = {.records = records->array, .buffer = block, .exec = exec};
    if (n <= BASE) {
        FN(merge_sort)(work.records, work.buffer, n, false);
        return ORDO_OK;
    }
    work.labels = (uint8_t *)block + ordo_round_up(n * sizeof(RECORD), ORDO_CACHE_LINE);
    work.counts = (size_t(*)[BUCKETS])(void *)(work.labels + ordo_round_up(n, ORDO_CACHE_LINE));
    exec->phase = 0;
    exec->phases = 4; /* the last phase counts twice: it is about half of the work */

    FN(choose_splitters)(&work.tree, work.records, n, work.buffer, exec->seed);
    if (!ordo_loop(exec, n, PIECE, FN(label_piece), &work))
        return ORDO_E_CANCELLED;
    cpu_counts_to_places(*work.counts, ordo_div_up(n, PIECE), BUCKETS, work.starts);
    exec->phase = 1;
    if (!ordo_loop(exec, n, PIECE, FN(scatter_piece), &work))
        return ORDO_E_CANCELLED;
    exec->phase = 2;
    return cpu_done(ordo_loop(exec, BUCKETS, 1, FN(finish_bucket), &work) && !ordo_poll(exec, 1));
}

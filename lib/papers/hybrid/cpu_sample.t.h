/* cpu_sample.t.h - the phases of the sample sort for one kind of record; see cpu_sample.c. */

/* A tree is an array: nodes, and from [leaves] on the splitters `last`. node[1] is the root, the
 * children of node j are 2j and 2j + 1; leaf i takes records greater than last[i - 1] and not
 * greater than last[i]. */

/* ---- I: splitters and labels ---- */

/* Sorts data[0..n) without a split, with other[0..n) as scratch; the result is in other if to_other
 * is set. */
static void FN(sort_base)(const sample_work *work, RECORD *data, RECORD *other, size_t n,
                          bool to_other)
{
    if (work->sort_words != NULL && n > 1)
        work->sort_words(data, other, n, to_other ? other : data, 8 * sizeof *data, NULL);
    else
        FN(merge_sort)(data, other, n, to_other);
}

/* Sorts a sample and copies the splitters from it; a sample smaller than the number of leaves is
 * the splitters, and no record is greater than those that are missing. The memory after the sample
 * has room for another sample. */
static void FN(take_splitters)(const sample_work *work, void *sample, size_t size, void *splitters)
{
    RECORD *const from = sample, *const to = splitters;
    size_t const leaves = (size_t)1 << work->lg;
    FN(sort_base)(work, from, from + size, size, false);
    for (size_t i = 0; i < leaves - 1; i++)
        if (size >= leaves)
            to[i] = from[(i + 1) * size / leaves];
        else if (i < size)
            to[i] = from[i];
        else
            memset(&to[i], 0xff, sizeof(RECORD));
}

static void FN(build_tree)(const sample_work *work, const void *splitters)
{
    size_t const  leaves = (size_t)1 << work->lg;
    RECORD *const node = work->tree, *const last = node + leaves;
    if (splitters != last)
        memcpy(last, splitters, (leaves - 1) * sizeof(RECORD));
    memset(&last[leaves - 1], 0xff, sizeof(RECORD)); /* no record is greater */
    for (unsigned level = 0; level < work->lg; level++) {
        size_t const nodes = (size_t)1 << level, step = leaves >> (level + 1);
        for (size_t i = 0; i < nodes; i++)
            node[nodes + i] = last[(2 * i + 1) * step - 1];
    }
    node[0] = node[1];
}

/* Makes the tree that splits a bucket again. The sample is random, because the records of a bucket
 * may repeat at a regular interval. other[0 .. n) is overwritten. */
static void FN(split_again)(const sample_work *work, const RECORD *data, size_t n, RECORD *other)
{
    RECORD *const last = (RECORD *)work->tree + ((size_t)1 << work->lg);
    size_t const  size = sample_size(n);
    for (size_t i = 0; i < size; i++)
        other[i] = data[ordo_random_below(ordo_random_at(work->exec->seed, i), n)];
    FN(take_splitters)(work, other, size, last);
    FN(build_tree)(work, last);
}

INLINE void FN(label_batch)(const RECORD *tree, unsigned lg, const RECORD *data, uint16_t *labels,
                            unsigned batch)
{
    size_t const        leaves = (size_t)1 << lg;
    const RECORD *const last = tree + leaves;
    size_t              at[BATCH];
    EACH (u, batch)
        at[u] = 1;
    for (unsigned level = 0; level < lg; level++)
        EACH (u, batch)
            at[u] = 2 * at[u] + (size_t)LESS(tree[at[u]], data[u]);
    EACH (u, batch) {
        size_t const leaf = at[u] - leaves;
        labels[u] = (uint16_t)(2 * leaf + (size_t)!LESS(data[u], last[leaf]));
    }
}

INLINE void FN(label_all)(const RECORD *tree, unsigned lg, const RECORD *data, uint16_t *labels,
                          size_t n)
{
    size_t i = 0;
    for (; i + BATCH <= n; i += BATCH)
        FN(label_batch)(tree, lg, data + i, labels + i, BATCH);
    for (; i < n; i++)
        FN(label_batch)(tree, lg, data + i, labels + i, 1);
}

static void FN(label)(const sample_work *work, const RECORD *data, uint16_t *labels, size_t n)
{
    if (work->lg == LG_LEAVES) {
        bool         unknown = false;
        size_t const done =
            work->label == NULL ? 0 : work->label(work->tree, data, labels, n, &unknown);
        for (size_t i = 0; unknown && i < done; i++)
            if (labels[i] == SAMPLE_UNKNOWN)
                FN(label_batch)(work->tree, LG_LEAVES, data + i, labels + i, 1);
        FN(label_all)(work->tree, LG_LEAVES, data + done, labels + done, n - done);
    } else
        FN(label_all)(work->tree, work->lg, data, labels, n);
}

static void FN(label_piece)(void *arg, size_t lo, size_t hi)
{
    const sample_work *const work = arg;
    FN(label)(work, (const RECORD *)work->data + lo, work->labels + lo, hi - lo);
}

/* ---- III: scatter ---- */

static void FN(scatter)(const RECORD *data, const uint16_t *labels, size_t n, size_t *to,
                        RECORD *out)
{
    for (size_t i = 0; i < n; i++)
        out[to[labels[i]]++] = data[i];
}

/* The same for places outside the cache: the records of a bucket wait in a line, which is written
 * as a whole. */
static void FN(scatter_lines)(size_t buckets, const RECORD *data, const uint16_t *labels, size_t n,
                              size_t *to, RECORD *out)
{
    enum {
        HELD = ORDO_CACHE_LINE / sizeof(RECORD)
    };
    _Alignas(ORDO_CACHE_LINE) RECORD lines[BUCKETS][HELD];
    size_t const                     skew = (uintptr_t)out / sizeof *out % HELD;
    size_t                           first[BUCKETS];

    memcpy(first, to, buckets * sizeof *first);
    for (size_t i = 0; i < n; i++) {
        size_t const b = labels[i], place = to[b]++, slot = (place + skew) % HELD;
        lines[b][slot] = data[i];
        if (slot < HELD - 1)
            continue;
        if (place - first[b] >= HELD - 1)
            lines_stream(out + place + 1 - HELD, lines[b], sizeof lines[b]);
        else
            memcpy(out + first[b], &lines[b][HELD - 1 - (place - first[b])],
                   (place + 1 - first[b]) * sizeof *out);
    }
    for (size_t b = 0; b < buckets; b++) {
        size_t const held = ordo_min((to[b] + skew) % HELD, to[b] - first[b]);
        memcpy(out + to[b] - held, &lines[b][(to[b] + skew) % HELD - held], held * sizeof *out);
    }
    lines_fence();
}

/* The lines of more buckets would not fit the cache. */
static void FN(scatter_span)(unsigned lg, const void *data, const uint16_t *labels, size_t n,
                             size_t *to, void *out)
{
    if (lg <= LG_LEAVES)
        FN(scatter_lines)(sample_buckets(lg), data, labels, n, to, out);
    else
        FN(scatter)(data, labels, n, to, out);
}

static void FN(scatter_piece)(void *arg, size_t lo, size_t hi)
{
    const sample_work *const work = arg;
    size_t *const            to = counts_at(work, lo);
    for (size_t b = 0; b < sample_buckets(work->lg); b++)
        to[b] += work->starts[b];
    FN(scatter_span)(work->lg, (const RECORD *)work->data + lo, work->labels + lo, hi - lo, to,
                     work->other);
}

/* ---- IV: buckets ---- */

/* Sorts data[0..n) as sort_base, with up to `depth` levels of splits, on this thread. */
static void FN(sort_alone)(const sample_work *work, RECORD *data, RECORD *other, uint16_t *labels,
                           size_t n, bool to_other, unsigned depth)
{
    ordo_exec *const exec = work->exec;
    if (n <= work->base || depth == 0) {
        FN(sort_base)(work, data, other, n, to_other);
        return;
    }
    size_t      starts[BUCKETS + 1] = {0}, to[BUCKETS];
    RECORD      tree[BUCKETS];
    sample_work split = *work;
    split.lg = LG_LEAVES;
    split.tree = tree;
    FN(split_again)(&split, data, n, other);
    for (size_t lo = 0; lo < n; lo += PIECE) {
        size_t const count = ordo_min(PIECE, n - lo);
        if (ordo_poll(exec, 0))
            return;
        FN(label)(&split, data + lo, labels + lo, count);
        count_labels(labels + lo, count, starts + 1);
    }
    for (size_t b = 0; b < BUCKETS; b++) {
        to[b] = starts[b];
        starts[b + 1] += starts[b];
    }
    FN(scatter)(data, labels, n, to, other);

    for (size_t b = 0; b < BUCKETS; b++) {
        size_t const at = starts[b], size = starts[b + 1] - at;
        if (b % 2 == 0)
            FN(sort_alone)(work, other + at, data + at, labels + at, size, !to_other, depth - 1);
        else if (!to_other)
            memcpy(data + at, other + at, size * sizeof *data);
        if (ordo_poll(exec, 0))
            return;
    }
}

static void FN(sort_bucket)(void *arg, size_t lo, size_t hi)
{
    const sample_work *const work = arg;
    RECORD *const data = work->data, *const other = work->other;
    for (size_t b = work->first_bucket + lo; b < work->first_bucket + hi; b++) {
        size_t const at = work->starts[b], size = work->starts[b + 1] - at;
        if (b % 2 == 0 && !is_split_by_all(work, size))
            FN(sort_alone)(work, data + at, other + at, work->labels + at, size, work->to_other,
                           ALONE_DEPTH);
        else if (b % 2 == 1 && work->to_other)
            memcpy(other + at, data + at, size * sizeof *data);
    }
}

/* Splits one bucket with all threads: phases I to III. The result is in `other`. */
static ordo_status FN(split_by_all)(sample_work *work)
{
    FN(split_again)(work, work->data, work->n, work->other);
    return split_labelled(work, FN(label_piece), FN(scatter_piece));
}

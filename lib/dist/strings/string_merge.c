/* string_merge.c - merges sorted runs of strings (see string_merge.h) by all threads, in blocks.
 *
 * Blocks are found as those of numbers (runs.c): every STRIDE-th string of each run is a sample,
 * and every GROUP-th of the sorted samples divides the runs. In a block the bytes that all strings
 * share are skipped. The next 7 bytes and the length are a key of 64 bits (string_view.h), and
 * records of keys are merged by pairs of runs. Strings with equal keys that continue are merged in
 * the same way behind these bytes; a few of them, or those behind MOST_LEVELS keys, by comparing
 * strings. lg(runs) comparisons of keys for a string, and each byte is read about once. */
#define _POSIX_C_SOURCE 200809L
#include "dist/strings/string_merge.h"

#include "backend/tuning.h"
#include "core/string_view.h"

typedef struct string_record {
    uint64_t key, place;
} string_record;

#define INLINE static inline __attribute__((unused))
#define PICK(take_b, a, b)                                                                         \
    ((string_record){(take_b) ? (b).key : (a).key, (take_b) ? (b).place : (a).place})
#define LESS(a, b) ((a).key < (b).key)
#define RECORD string_record
#define FN(name) name##_string
#include "core/small_sort.t.h"

#include "core/merge.t.h"
#undef FN
#undef RECORD
#undef LESS
#undef PICK

enum {
    STRIDE = ORDO_TUNE(256, 4),
    LEAST_STRIDE = ORDO_TUNE(16, 2),
    GROUP = ORDO_TUNE(128, 8),
    FEW = ORDO_TUNE(12, 2), /* so many strings are compared at once */
    MOST_LEVELS = ORDO_TUNE(32, 2)
};

typedef struct merging {
    const string_pieces *s;
    dist_call           *c;
    string_view          view;
    uint64_t            *starts; /* of the runs; runs + 1 */
    size_t               runs, n, stride, blocks, most;
    uint64_t            *splitters; /* places of strings; blocks - 1 */
    uint64_t            *cuts;      /* for each border of blocks: the place in each run */
    string_record       *buffers;   /* two for each worker */
    size_t              *ends;      /* runs + 1 for each worker and level */
    uint64_t            *order;
    atomic_size_t        next;
} merging;

typedef struct worker {
    const merging *m;
    string_record *other; /* as long as the records that are merged */
    string_record *base;  /* the first record */
    size_t        *ends;  /* of the runs; of the next level behind them */
} worker;

/* ---- Comparisons ---- */

/* In the order of the sort, behind the first `depth` bytes, which are equal. */
static int compare(const merging *m, uint64_t a, uint64_t b, uint64_t depth)
{
    bool      open;
    int const order =
        string_compare_part(&m->view, (size_t)a, (size_t)b, depth, (size_t)UINT32_MAX, &open);
    return m->view.turn != 0 ? -order : order;
}

/* How many bytes two strings share behind `depth`. */
static uint64_t shared_by(const merging *m, uint64_t a, uint64_t b, uint64_t depth, uint64_t most)
{
    const uint64_t *const at = m->view.offsets;
    const char *const x = m->view.bytes + at[a] + depth, *const y = m->view.bytes + at[b] + depth;
    uint64_t const x_rest = at[a + 1] - at[a] - depth, y_rest = at[b + 1] - at[b] - depth;
    uint64_t       all = x_rest < y_rest ? x_rest : y_rest, i = 0;
    all = all < most ? all : most;
    while (i < all && x[i] == y[i])
        i++;
    return i;
}

/* The first place of a run that is not before (`above`: behind) the string. */
static uint64_t find(const merging *m, size_t run, uint64_t string, bool above)
{
    uint64_t low = m->starts[run], high = m->starts[run + 1];
    while (low < high) {
        uint64_t const middle = low + (high - low) / 2;
        int const      order = compare(m, middle, string, 0);
        if (order < 0 || (above && order == 0))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- Blocks ---- */

/* The places of the sampled strings, then in order. */
static ordo_status sort_samples(merging *m, size_t samples, uint64_t *places)
{
    dist_call *const     c = m->c;
    ordo_sort_opts const opts =
        ORDO_OPTS(ordo_sort_opts, .flags = c->descending ? ORDO_DESCENDING : 0);
    ordo_strings const received = string_list_view(&m->s->received);
    string_list        list = {.n = samples};
    uint64_t          *order;
    TRY_SCRATCH(c->exec, (samples + 1) * sizeof *order, order);
    TRY_SCRATCH(c->exec, (samples + 1) * sizeof *list.offsets, list.offsets);
    TRY(string_measure(c, &received, places, &list));
    TRY_SCRATCH(c->exec, (size_t)list.offsets[samples] + 1, list.bytes);
    TRY(string_gather(c, &received, places, &list));
    ordo_strings const strings = string_list_view(&list);
    TRY(dist_inner(c, ordo_argsort_strings(c->inner, &strings, samples, ORDO_U64, order, &opts)));
    for (size_t i = 0; i + 1 < m->blocks; i++)
        m->splitters[i] = places[order[(i + 1) * GROUP - 1]];
    return ORDO_OK;
}

static ordo_status take_samples(merging *m)
{
    size_t    samples = 0, at = 0;
    uint64_t *places;
    for (size_t r = 0; r < m->runs; r++)
        samples += (size_t)(m->starts[r + 1] - m->starts[r]) / m->stride;
    m->blocks = samples / GROUP + 1;
    TRY_SCRATCH(m->c->exec, (samples + 1) * sizeof *places, places);
    TRY_SCRATCH(m->c->exec, m->blocks * sizeof *m->splitters, m->splitters);
    for (size_t r = 0; r < m->runs; r++)
        for (uint64_t i = m->starts[r] + m->stride; i <= m->starts[r + 1]; i += m->stride)
            places[at++] = i - 1;
    return sort_samples(m, samples, places);
}

/* The strings up to a splitter, by string, then run, then place, are before the border. */
static void cut_runs(void *arg, size_t lo, size_t hi)
{
    merging *const m = arg;
    for (size_t border = lo; border < hi; border++)
        for (size_t r = 0; r < m->runs; r++) {
            uint64_t *const at = &m->cuts[border * m->runs + r];
            uint64_t const  place =
                border == 0 || border == m->blocks ? 0 : m->splitters[border - 1];
            if (border == 0 || border == m->blocks)
                *at = m->starts[r + (border != 0)];
            else if (place >= m->starts[r] && place < m->starts[r + 1])
                *at = place + 1;
            else
                *at = find(m, r, place, place >= m->starts[r + 1]);
        }
}

/* ---- Merging ---- */

/* The ends of the parts of runs in records[0 .. n), which follow each other. */
static size_t list_parts(const merging *m, const string_record *records, size_t n, size_t *ends)
{
    size_t parts = 0, run = 0;
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || records[i].place >= m->starts[run + 1]) {
            if (i > 0)
                ends[parts++] = i;
            while (records[i].place >= m->starts[run + 1])
                run++;
        }
    }
    ends[parts++] = n;
    return parts;
}

/* Sorts a few records by comparing their strings; stable. */
static void compare_few(const merging *m, string_record *records, size_t n, uint64_t depth)
{
    for (size_t i = 1; i < n; i++) {
        string_record const record = records[i];
        size_t              at = i;
        for (; at > 0 && compare(m, record.place, records[at - 1].place, depth) < 0; at--)
            records[at] = records[at - 1];
        records[at] = record;
    }
}

/* Merges two parts by comparing their strings. */
static void merge_compared(const worker *w, const string_record *a, size_t na,
                           const string_record *b, size_t nb, string_record *out, uint64_t depth)
{
    while (na > 0 && nb > 0) {
        bool const take_b = compare(w->m, b->place, a->place, depth) < 0;
        *out++ = take_b ? *b++ : *a++;
        na -= !take_b;
        nb -= take_b;
    }
    memcpy(out, na > 0 ? a : b, (na + nb) * sizeof *out);
}

/* Merges the parts by pairs until one is left; by keys, or by strings behind `depth`. */
static void merge_parts(const worker *w, string_record *records, size_t n, size_t *ends,
                        size_t parts, bool by_keys, uint64_t depth)
{
    string_record *const scratch = w->other + (records - w->base);
    string_record       *from = records, *to = scratch;
    while (parts > 1) {
        size_t start = 0;
        for (size_t i = 0; i < parts; i += 2) {
            size_t const middle = ends[i], end = i + 1 < parts ? ends[i + 1] : middle;
            if (by_keys)
                merge_string(from + start, middle - start, from + middle, end - middle, to + start);
            else
                merge_compared(w, from + start, middle - start, from + middle, end - middle,
                               to + start, depth);
            ends[i / 2] = start = end;
        }
        parts = parts / 2 + parts % 2;
        string_record *const swap = from;
        from = to;
        to = swap;
    }
    if (from != records)
        memcpy(records, from, n * sizeof *records);
}

/* The bytes that all strings of the parts share behind `depth`: those of their ends. */
static uint64_t shared_bytes(const merging *m, const string_record *records, const size_t *ends,
                             size_t parts, uint64_t depth)
{
    uint64_t shared = UINT64_MAX;
    for (size_t i = 0, start = 0; i < parts; start = ends[i++]) {
        shared = shared_by(m, records[0].place, records[start].place, depth, shared);
        shared = shared_by(m, records[0].place, records[ends[i] - 1].place, depth, shared);
    }
    return shared;
}

/* Orders records whose strings share `depth` bytes, and which are parts of runs. */
static void merge_level(const worker *w, string_record *records, size_t n, uint64_t depth,
                        size_t level)
{
    const merging *const m = w->m;
    size_t *const        ends = w->ends + level * (m->runs + 1);
    if (n <= FEW) {
        compare_few(m, records, n, depth);
        return;
    }
    size_t const parts = list_parts(m, records, n, ends);
    if (parts == 1)
        return;
    if (level == MOST_LEVELS) {
        merge_parts(w, records, n, ends, parts, false, depth);
        return;
    }
    uint64_t const at = depth + shared_bytes(m, records, ends, parts, depth);
    for (size_t i = 0; i < n; i++)
        records[i].key = string_key(&m->view, (size_t)records[i].place, at);
    merge_parts(w, records, n, ends, parts, true, at);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && records[end].key == records[i].key; end++)
            continue;
        if (end > i + 1 && !string_ends(&m->view, records[i].key))
            merge_level(w, records + i, end - i, at + STRING_STEP, level + 1);
    }
}

static void merge_block(const merging *m, size_t block, worker *w)
{
    size_t at = 0, n = 0;
    for (size_t r = 0; r < m->runs; r++) {
        uint64_t const from = m->cuts[block * m->runs + r], to = m->cuts[(block + 1) * m->runs + r];
        at += (size_t)(from - m->starts[r]);
        for (uint64_t place = from; place < to; place++)
            w->base[n++].place = place;
    }
    merge_level(w, w->base, n, 0, 0);
    for (size_t i = 0; i < n; i++)
        m->order[at + i] = w->base[i].place;
}

static void merge_blocks(void *arg, size_t lo, size_t hi)
{
    merging *const m = arg;
    worker         w = {.m = m, .base = m->buffers + lo * 2 * m->most};
    size_t         block;
    (void)hi; /* one worker */
    w.other = w.base + m->most;
    w.ends = m->ends + lo * (MOST_LEVELS + 1) * (m->runs + 1);
    while ((block = atomic_fetch_add(&m->next, 1)) < m->blocks &&
           !ordo_poll(m->c->exec, (double)block / (double)m->blocks))
        merge_block(m, block, &w);
}

/* ---- The steps ---- */

static ordo_status list_runs(merging *m)
{
    const pieces *const p = &m->s->p;
    TRY_SCRATCH(m->c->exec, (m->runs + 1) * sizeof *m->starts, m->starts);
    memcpy(m->starts, p->receive_at, m->runs * sizeof *m->starts);
    m->starts[m->runs] = m->n;
    m->stride = ordo_max(ordo_min((size_t)GROUP * STRIDE * 4 / m->runs, STRIDE), LEAST_STRIDE);
    return ORDO_OK;
}

static ordo_status take_memory(merging *m)
{
    ordo_exec *const exec = m->c->exec;
    size_t const     workers = exec->threads, most = (GROUP + m->runs) * m->stride;
    m->most = ordo_min(most, m->n);
    TRY_SCRATCH(exec, (m->blocks + 1) * m->runs * sizeof *m->cuts, m->cuts);
    TRY_SCRATCH(exec, workers * (MOST_LEVELS + 1) * (m->runs + 1) * sizeof *m->ends, m->ends);
    TRY_SCRATCH(exec, workers * 2 * m->most * sizeof *m->buffers + 1, m->buffers);
    return ORDO_OK;
}

ordo_status string_merge(const string_pieces *s, uint64_t *order)
{
    dist_call *const   c = s->p.call;
    ordo_strings const strings = string_list_view(&s->received);
    merging            m = {.s = s, .c = c, .n = s->received.n, .order = order};
    m.runs = (size_t)c->comm.size;
    m.view = string_view_of(&strings, m.n, c->descending);
    if (m.n == 0)
        return ORDO_OK;
    TRY(list_runs(&m));
    TRY(take_samples(&m));
    TRY(take_memory(&m));
    TRY(dist_loop(c, m.blocks + 1, 1, cut_runs, &m));
    return dist_loop(c, c->exec->threads, 1, merge_blocks, &m);
}

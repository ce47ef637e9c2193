/* bins.c - phase I: who sorts what, and in which parts.
 *
 * Keys drawn at random are turned into codes, numbers in the order of the sort, and sorted. The
 * pivot is the code that leaves the CPU its share, moved to the nearer end of its equal keys, for
 * keys that tie stay together. Every so-many-th code before it is a cut of the device's part. A
 * code that two cuts or more would have is a heavy key, whose range needs no sorting: so equal keys
 * never unbalance the segments. What the CPU gets is divided into cells of equal width, of which as
 * many as hold about the same number of draws make a bin. Cost: up to 2^17 draws, by all threads;
 * without a share for the CPU, and so without bins, 2^14, which one thread sorts in its cache. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/stream/hybrid.h"

#include "core/keybits.h"
#include "core/random.h"

enum {
    MOST_DRAWS = 1 << 17,                    /* 64 for each bin */
    CUT_DRAWS = ORDO_TUNE(1 << 14, 1 << 10), /* of cuts alone: 64 for each */
    ONE_OF = ORDO_TUNE(64, 2),               /* keys that are drawn */
    GRAIN = 1 << 10
};

/* ---- Codes ---- */

#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    static inline uint64_t code_##tag(key x, bool descending, bool folded)                         \
    {                                                                                              \
        if (folded)                                                                                \
            return descending ? key_desc_##tag(x) : key_fold_##tag(x);                             \
        return descending ? key_turn_##tag(key_bits_##tag(x)) : key_bits_##tag(x);                 \
    }
#include "core/types.def"

static uint64_t code_of(const hybrid_records *records, const void *at)
{
    switch (records->type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID: {                                                                              \
        key x;                                                                                     \
        memcpy(&x, at, sizeof x);                                                                  \
        return code_##tag(x, records->descending, records->folded);                                \
    }
#include "core/types.def"
    }
    return 0;
}

static uint64_t largest_code(const hybrid_records *records)
{
    return UINT64_MAX >> (64 - 8 * records->key_size);
}

/* A folded code of floats in the order of keys alone: what is not before the one is not before the
 * other, so that of tied keys all or none are. */
static uint64_t plain_code(const hybrid_records *records, uint64_t code)
{
    if (!records->folded || (records->type != ORDO_F32 && records->type != ORDO_F64))
        return code;
    bool const     wide = records->type == ORDO_F64;
    uint64_t const inf = wide ? KEY_INF_F64 : KEY_INF_F32;
    if (code == largest_code(records))
        return inf + 1;
    if (!records->descending)
        return code == (wide ? key_bits_f64(0.0) : key_bits_f32(0.0f)) ? code - 1 : code;
    uint64_t const bits = ~(code + 1) & largest_code(records);
    bool const     zero = bits == (wide ? key_bits_f64(-0.0) : key_bits_f32(-0.0f));
    return inf - bits + zero; /* behind both zeros */
}

void hybrid_labels(const hybrid_run *run, const void *keys, size_t n, uint16_t *labels)
{
    const hybrid_records *const records = run->records;
    uint64_t const              pivot = run->pivot, last = run->cell_count - 1;
    unsigned const              shift = run->cell_shift;
    bool const                  descending = records->descending, folded = records->folded;
    switch (records->type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID: {                                                                              \
        const key *const all = keys;                                                               \
        for (size_t i = 0; i < n; i++) {                                                           \
            uint64_t const code = code_##tag(all[i], descending, folded);                          \
            uint64_t const cell = code > pivot ? (code - pivot) >> shift : 0;                      \
            labels[i] = run->cells[cell < last ? cell : last];                                     \
        }                                                                                          \
        break;                                                                                     \
    }
#include "core/types.def"
    }
}

/* ---- Draws ---- */

typedef struct draw_work {
    const hybrid_records *records;
    uint64_t             *draws, stream;
} draw_work;

static void draw(void *arg, size_t lo, size_t hi)
{
    const draw_work *const      work = arg;
    const hybrid_records *const records = work->records;
    for (size_t i = lo; i < hi; i++) {
        size_t const at = (size_t)ordo_random_below(ordo_random_at(work->stream, i), records->n);
        work->draws[i] = code_of(records, records->keys + at * records->key_size);
    }
}

/* Sorted by the CPU, whose sort of u64 is the order of codes. */
static ordo_status sorted_draws(hybrid_run *run, uint64_t *draws, size_t count)
{
    draw_work work = {run->records, draws, ordo_random_stream(run->records->n, 1)};
    if (!ordo_loop(run->exec, count, GRAIN, draw, &work))
        return ORDO_E_CANCELLED;
    ordo_sort_job const job = {.type = ORDO_U64, .keys = draws, .n = count};
    ordo_status const   status = run->both->cpu->sort(run->both->cpu_state, &job, run->exec);
    run->exec->changed = false; /* only the draws were */
    return status;
}

/* ---- The pivot ---- */

static size_t draws_below(const uint64_t *draws, size_t count, uint64_t code)
{
    size_t lo = 0, hi = count;
    while (lo < hi) {
        size_t const middle = lo + (hi - lo) / 2;
        if (draws[middle] < code)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

/* Returns how many draws are the device's. */
static size_t choose_pivot(hybrid_run *run, const uint64_t *draws, size_t count, double share)
{
    size_t const wanted = (size_t)((double)count * (1 - share));
    run->divided = false;
    run->share = 0;
    if (wanted >= count)
        return count;
    uint64_t const code = draws[wanted];
    size_t const   lower = draws_below(draws, count, code);
    size_t const   upper =
        code == largest_code(run->records) ? count : draws_below(draws, count, code + 1);
    bool const   up = upper - wanted < wanted - lower;
    size_t const below = up ? upper : lower;
    if (below == count)
        return count;
    run->divided = true;
    run->share = 1 - (double)below / (double)count;
    run->pivot = up ? code + 1 : code;
    run->plain_pivot = plain_code(run->records, run->pivot);
    return below;
}

/* ---- Cuts and bins ---- */

static void add_cut(hybrid_run *run, uint64_t code, bool equal)
{
    run->cuts[run->cut_count++] = (hybrid_cut){code, equal};
}

/* The first cut is the least code there is, so that every key lies behind one. */
static void make_cuts(hybrid_run *run, const uint64_t *draws, size_t count)
{
    run->cut_count = 0;
    add_cut(run, 0, false);
    for (size_t i = 1; i < HYBRID_CUTS && count > 0; i++) {
        uint64_t const    code = draws[i * count / HYBRID_CUTS];
        hybrid_cut *const last = &run->cuts[run->cut_count - 1];
        if (code == last->code) {
            last->equal = true;
            continue;
        }
        if (last->equal) /* where the heavy key's range ends */
            add_cut(run, last->code + 1, false);
        if (run->cuts[run->cut_count - 1].code < code)
            add_cut(run, code, false);
    }
    hybrid_cut const last = run->cuts[run->cut_count - 1];
    if (last.equal && last.code != UINT64_MAX)
        add_cut(run, last.code + 1, false);
}

/* Codes above the largest draw belong to the last cell. */
static void make_bins(hybrid_run *run, const uint64_t *draws, size_t count, size_t wanted)
{
    uint64_t const range = draws[count - 1] - run->pivot;
    size_t         cell = 0; /* cells whose bin is settled */
    run->cell_shift = 0;
    while (range >> run->cell_shift >= HYBRID_CELLS)
        run->cell_shift++;
    run->cell_count = (size_t)(range >> run->cell_shift) + 1;
    run->bins = 1;
    for (size_t i = 0; i < count; i++) {
        size_t const here = (size_t)((draws[i] - run->pivot) >> run->cell_shift);
        if (here < cell) /* as the draw before */
            continue;
        while (cell < here)
            run->cells[cell++] = (uint16_t)(run->bins - 1);
        if (i > 0 && i >= run->bins * count / wanted)
            run->bins++;
        run->cells[cell++] = (uint16_t)(run->bins - 1);
    }
}

static size_t draws_of(const hybrid_run *run, size_t most)
{
    size_t const n = run->records->n;
    return ordo_max(ordo_min(n, HYBRID_CUTS), ordo_min(most, n / ONE_OF));
}

size_t hybrid_sample_bytes(const hybrid_run *run)
{
    ordo_sort_job const job = {.type = ORDO_U64, .n = draws_of(run, CUT_DRAWS)};
    return job.n * sizeof(uint64_t) + run->both->cpu->sort_scratch(&job, run->exec) +
           (HYBRID_TAKES + 1) * ORDO_CACHE_LINE;
}

static ordo_status draw_sorted(hybrid_run *run, size_t most, uint64_t **draws, size_t *count)
{
    void *memory;
    *count = draws_of(run, most);
    TRY(ordo_scratch(run->exec, *count * sizeof(uint64_t), &memory));
    *draws = memory;
    return sorted_draws(run, *draws, *count);
}

ordo_status hybrid_bins(hybrid_run *run)
{
    uint64_t *draws;
    size_t    count;
    TRY(draw_sorted(run, run->wished > 0 ? MOST_DRAWS : CUT_DRAWS, &draws, &count));
    size_t const theirs = choose_pivot(run, draws, count, run->wished);
    make_cuts(run, draws, theirs);
    if (run->divided) {
        double const records = run->share * (double)run->records->n;
        size_t const wanted = ordo_min(HYBRID_MOST_BINS, (size_t)(records / ORDO_TUNE_BIN));
        make_bins(run, draws + theirs, count - theirs, ordo_max(1, wanted));
    }
    return ORDO_OK;
}

ordo_status hybrid_ranges(hybrid_run *run, size_t wanted)
{
    uint64_t *draws;
    size_t    count;
    TRY(draw_sorted(run, MOST_DRAWS, &draws, &count));
    run->divided = true;
    run->pivot = draws[0]; /* what comes before it is of the first cell, too */
    make_bins(run, draws, count, wanted);
    return ORDO_OK;
}

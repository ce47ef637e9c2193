/* dense_values.c - sorts numbers of which a good part lies in a narrow range: counts each value of
 * the range in a table, then writes each value as often. The values are integers, or floats that
 * are multiples of 1, 1/10, 1/100, ... or 1/2, 1/8, ..., such as whole numbers and prices.
 *
 * A sample shows the range and the share of keys outside it (strays). They are collected and
 * sorted, and come before and after the range in the result. Each thread counts in its own table:
 * of 32-bit words, or, for a wide range, of bytes whose overflows go to words that all threads
 * share. Reads the array once and writes it once. If there are more strays than the sample shows,
 * the keys are unchanged and the general sort runs. Scratch: n keys, which that sort can use. */
#include "backend/layout.h"
#include "core/bisect.h"
#include "core/random.h"
#include "cpu/radix/records.h"
#include "cpu/sort/few_values.h"
#include "cpu/sort/sort_steps.h"

#include <string.h>

enum {
    FIRST_LOOK = 16, /* sampled keys that already show most wide ranges */
    FIRST_HELD = 2,  /* the least of these keys in the range */
    SAMPLE = 1024,
    WIDEST = ORDO_TUNE_L2, /* range of a table of bytes; a table of words takes half of L2 */
    WIDEST_WORDS = ORDO_TUNE_L2 / 8,
    KEYS_A_SAMPLE = 1024, /* the sample is at most one key of this many */
    MARGIN_PART = 8,      /* each side of the sample's range is widened by range / 8 */
    RARE_PART = 32,       /* strays are rare if at most one key in this many is one */
    COST_PARTS = 6,       /* counting must save one part of this many of the estimated time */
    KEYS_A_TABLE = 4,     /* least keys per value of the range and table of words */
    PIECES = 256          /* parts of the range whose counts are added by one thread each */
};

#define FN(name) name##_32
#define W 32
#define RECORD uint32_t
#include "cpu/sort/dense_floats.t.h"
#undef RECORD
#undef W
#undef FN
#define FN(name) name##_64
#define W 64
#define RECORD uint64_t
#include "cpu/sort/dense_floats.t.h"
#undef RECORD
#undef W
#undef FN

typedef struct dense_work {
    count_run     run;
    dense_table   table;
    uint32_t     *counts; /* the words; after add_piece all counts */
    char         *end;    /* of the scratch */
    size_t        strays_before;
    size_t        piece, pieces;      /* values of a piece, and pieces */
    size_t        starts[PIECES + 1]; /* start of each piece in the result */
    size_t        distinct[PIECES];
    cpu_words_fn *sort_words; /* vector sort of the sample; NULL: there is none */
    size_t        most_words;
    size_t        sampled, outside; /* sampled keys, and those outside the range */
} dense_work;

/* ---- The range ---- */

#define RECORD uint64_t
#define LESS(a, b) ((a) < (b))
#define FN(name) dense_##name
#include "core/small_sort.t.h"
#undef FN
#undef LESS
#undef RECORD

/* The number of tables, one for each thread that counts. */
static size_t most_tables(const dense_work *work)
{
    return work->run.job->n <= ORDO_TUNE_ALONE ? 1 : work->run.exec->threads;
}

/* The widest range for tables of words, or of bytes. The words of all tables together take at most
 * a quarter of the scratch. */
static size_t widest_range(const dense_work *work, bool in_bytes)
{
    size_t const n = work->run.job->n, tables = most_tables(work);
    return in_bytes ? ordo_min(WIDEST, n / DENSE_KEYS)
                    : ordo_min(WIDEST_WORDS, n / ordo_max(DENSE_KEYS, KEYS_A_TABLE * tables));
}

static bool is_float(const dense_work *work)
{
    return work->run.job->type == ORDO_F32 || work->run.job->type == ORDO_F64;
}

/* Sets *number to key `at` as a number in the order of the values: key bits, or a multiple + 2^31.
 * Returns false if a float is not a multiple. */
static bool number_at(const dense_work *work, size_t at, uint64_t *number)
{
    float   narrow;
    double  wide;
    int32_t multiple;
    bool    equal;
    if (!is_float(work)) {
        *number = records_key_of(work->run.job->type, false)(work->run.in, at);
        return true;
    }
    if (work->run.size == sizeof narrow) {
        memcpy(&narrow, work->run.in + at * work->run.size, sizeof narrow);
        multiple = dense_multiple_32(narrow, (float)work->table.scale);
        equal = dense_equals_32(narrow, multiple, (float)work->table.scale);
    } else {
        memcpy(&wide, work->run.in + at * work->run.size, sizeof wide);
        multiple = dense_multiple_64(wide, work->table.scale);
        equal = dense_equals_64(wide, multiple, work->table.scale);
    }
    *number = (uint64_t)((int64_t)multiple + INT32_MAX + 1);
    return equal;
}

typedef struct dense_span {
    uint64_t least, most;
    size_t   held; /* sampled keys in it */
} dense_span;

/* The span of at most `widest` values that holds most keys of a sorted sample. */
static dense_span best_span(const uint64_t *sample, size_t used, size_t widest)
{
    dense_span best = {0};
    for (size_t lo = 0, hi = 0; hi < used; hi++) {
        while (sample[hi] - sample[lo] >= widest)
            lo++;
        if (hi + 1 - lo > best.held)
            best = (dense_span){sample[lo], sample[hi], hi + 1 - lo};
    }
    return best;
}

/* Draws `count` keys and sorts the numbers among them. Returns how many these are. */
static size_t look(const dense_work *work, size_t count, uint64_t *sample)
{
    uint64_t     spare[SAMPLE];
    size_t const stride = work->run.job->n / count;
    size_t       used = 0;
    for (size_t i = 0; i < count; i++) {
        size_t const at = ordo_random_in_stride(work->run.exec->seed, i, stride);
        used += number_at(work, at, &sample[used]);
        if (used == 0 && i + 1 == FIRST_LOOK / 2)
            return 0; /* floats that are not multiples */
    }
    if (work->sort_words != NULL && used <= work->most_words)
        work->sort_words(sample, spare, used, sample, 64, NULL);
    else
        dense_heap_sort(sample, used);
    return used;
}

/* The estimated time that the general sort takes for a key. */
static size_t sort_cost(const dense_work *work)
{
    return work->sort_words == NULL ? ORDO_TUNE_COST_SORT : ORDO_TUNE_COST_VECTOR * work->run.size;
}

/* Widens the span by a margin on each side and makes it the range. */
static void take_span(dense_work *work, const dense_span *span, bool in_bytes)
{
    size_t const   widest = widest_range(work, in_bytes);
    unsigned const width = is_float(work) ? 32 : 8 * (unsigned)work->run.size;
    uint64_t const wide = span->most - span->least;
    uint64_t const last = UINT64_MAX >> (64 - width), spare = widest - 1 - wide;
    uint64_t const margin = ordo_min(wide / MARGIN_PART + FIRST_LOOK, spare / 2);
    uint64_t const least = span->least - ordo_min(span->least, margin);
    uint64_t const most = span->most + ordo_min(last - span->most, margin);
    work->table.low =
        least ^ (is_float(work) ? UINT64_C(1) << 31 : dense_sign(work->run.job->type));
    work->table.range = (size_t)(most - least) + 1;
    work->table.in_bytes = in_bytes;
}

/* Whether the span holds nearly all keys of a sample. */
static bool holds_most(const dense_span *span, size_t count)
{
    return count - span->held <= count / (2 * FEW_STRAY_PART);
}

/* Chooses the range for one scale; false if the general sort is faster than counting. */
static bool choose_range(dense_work *work, double scale)
{
    uint64_t     sample[SAMPLE];
    size_t const n = work->run.job->n, wide = widest_range(work, true);
    size_t const count = ordo_max(ordo_min(SAMPLE, n / KEYS_A_SAMPLE), FIRST_LOOK);
    work->table.scale = scale;
    if (best_span(sample, look(work, FIRST_LOOK, sample), wide).held < FIRST_HELD)
        return false;
    size_t const     used = look(work, count, sample), sort = sort_cost(work);
    dense_span const words = best_span(sample, used, widest_range(work, false));
    dense_span const bytes = best_span(sample, used, wide);
    size_t const     words_cost = count * ORDO_TUNE_COST_WORDS + (count - words.held) * sort;
    size_t const     bytes_cost = count * ORDO_TUNE_COST_BYTES + (count - bytes.held) * sort;
    /* Several threads sort strays as fast as they count, so strays must be rare. */
    bool const       alone = work->run.exec->threads == 1;
    bool const       in_bytes = alone ? bytes_cost < words_cost : !holds_most(&words, count);
    dense_span const span = in_bytes ? bytes : words;
    if (alone ? ordo_min(words_cost, bytes_cost) * COST_PARTS > count * sort * (COST_PARTS - 1)
              : !holds_most(&span, count))
        return false;
    take_span(work, &span, in_bytes);
    work->sampled = count;
    work->outside = count - span.held;
    work->table.rare = work->outside * RARE_PART <= count;
    return true;
}

/* Tries every scale that floats may have: whole numbers, decimals, and binary fractions, the
 * coarsest first. */
static bool choose_values(dense_work *work)
{
    static const double scales[] = {1, 10, 100, 1000, 2, 8, 32, 128, 512};
    if (widest_range(work, false) == 0)
        return false;
    if (!is_float(work))
        return choose_range(work, 0);
    for (size_t s = 0; s < sizeof scales / sizeof *scales; s++)
        if (choose_range(work, scales[s]))
            return true;
    return false;
}

/* ---- Memory ---- */

/* The words, the numbers of strays, the strays, and the tables unless the words are the only one.
 */
static void lay_out(void *arg, ordo_layout *layout)
{
    dense_work *const work = arg;
    count_run *const  run = &work->run;
    size_t const      values = work->table.range + 1; /* the last one: strays */
    run->counts_size = work->table.in_bytes ? ordo_round_up(values, ORDO_CACHE_LINE)
                       : run->chunks > 1
                           ? ordo_round_up(values * sizeof *work->counts, ORDO_CACHE_LINE)
                           : 0;
    run->chunk = ordo_div_up(run->job->n, run->chunks);
    run->most_strays = run->chunk / work->sampled * work->outside + run->chunk / FEW_STRAY_PART;
    run->stray_room = run->most_strays + FEW_BLOCK;
    work->counts = ordo_lay_line(layout, values, sizeof *work->counts);
    run->strays = ordo_lay_line(layout, run->chunks, sizeof *run->strays);
    run->stray = ordo_lay_line(layout, run->chunks * run->stray_room, run->size);
    run->counts = ordo_lay_line(layout, run->chunks, run->counts_size);
}

/* Divides the scratch, n keys. Returns false if there are too few keys. */
static bool divide_scratch(dense_work *work, char *scratch)
{
    size_t const bytes = work->run.job->n * work->run.size;
    ordo_layout  layout = {scratch, 0};
    work->run.chunks = most_tables(work);
    while (work->run.chunks > 0 && ordo_layout_bytes(lay_out, work) > bytes)
        work->run.chunks--;
    if (work->run.chunks == 0)
        return false;
    lay_out(work, &layout);
    work->end = scratch + bytes;
    work->table.words = (_Atomic uint32_t *)(void *)work->counts;
    if (work->run.counts_size == 0)
        work->run.counts = (char *)work->counts;
    return true;
}

/* ---- Counts ---- */

/* Sets [*from, *to) to the values of piece p of the result. */
static void values_of(const dense_work *work, size_t p, size_t *from, size_t *to)
{
    size_t const piece = work->run.job->descending ? work->pieces - 1 - p : p;
    *from = piece * work->piece;
    *to = ordo_min(*from + work->piece, work->table.range);
}

/* Adds values [from, to) of table t to the words. */
static void add_table(dense_work *work, size_t t, size_t from, size_t to)
{
    const char *const     table = work->run.counts + t * work->run.counts_size;
    const uint8_t *const  bytes = (const uint8_t *)table;
    const uint32_t *const words = (const uint32_t *)(const void *)table;
    if (work->table.in_bytes)
        for (size_t v = from; v < to; v++)
            work->counts[v] += bytes[v];
    else
        for (size_t v = from; v < to; v++)
            work->counts[v] += words[v];
}

/* Adds the tables to the words, unless they are the only table. */
static void add_piece(void *arg, size_t lo, size_t hi)
{
    dense_work *const work = arg;
    for (size_t p = lo; p < hi; p++) {
        size_t from, to, sum = 0, distinct = 0;
        values_of(work, p, &from, &to);
        for (size_t t = 0; t < work->run.chunks && work->run.counts_size > 0; t++)
            add_table(work, t, from, to);
        for (size_t v = from; v < to; v++) {
            sum += work->counts[v];
            distinct += work->counts[v] != 0;
        }
        work->starts[p] = sum;
        work->distinct[p] = distinct;
    }
}

static ordo_status add_tables(dense_work *work)
{
    ordo_exec *const exec = work->run.exec;
    work->piece = ordo_div_up(work->table.range, PIECES);
    work->pieces = ordo_div_up(work->table.range, work->piece);
    if (!ordo_loop(exec, work->pieces, 1, add_piece, work))
        return ORDO_E_CANCELLED;
    exec->facts.buckets = 0;
    for (size_t p = 0, at = 0; p <= work->pieces; p++) {
        size_t const here = p < work->pieces ? work->starts[p] : 0;
        exec->facts.buckets += p < work->pieces ? work->distinct[p] : 0;
        work->starts[p] = at;
        at += here;
    }
    return ORDO_OK;
}

/* ---- Strays ---- */

/* The key bits of the first value in the order of the job. */
static uint64_t first_key(const dense_work *work, records_key_fn *key_of)
{
    size_t const   value = work->run.job->descending ? work->table.range - 1 : 0;
    uint32_t const narrow = dense_key_32(&work->table, value);
    uint64_t const wide = dense_key_64(&work->table, value);
    return work->run.size == sizeof narrow ? key_of(&narrow, 0) : key_of(&wide, 0);
}

/* Sorts the strays and finds how many come before the range. */
static ordo_status place_strays(dense_work *work)
{
    records_key_fn *const key_of = records_key_of(work->run.job->type, work->run.job->descending);
    uint64_t const        first = first_key(work, key_of);
    TRY(cpu_count_strays(&work->run, work->end));
    size_t lo = 0, hi = work->run.all_strays;
    ORDO_BISECT(middle, lo, hi, key_of(work->run.stray, middle) < first);
    work->strays_before = lo;
    return ORDO_OK;
}

/* ---- Write ---- */

/* Writes keys [lo, hi) of the range. */
static void write_piece(void *arg, size_t lo, size_t hi)
{
    const dense_work *const work = arg;
    bool const              down = work->run.job->descending;
    size_t                  p = 0, from, to;
    while (work->starts[p + 1] <= lo)
        p++;
    values_of(work, p, &from, &to);
    size_t value = down ? to - 1 : from, skip = lo - work->starts[p];
    for (; skip >= work->counts[value]; value += down ? SIZE_MAX : 1)
        skip -= work->counts[value];
    char *const  out = (char *)work->run.job->keys + work->strays_before * work->run.size;
    size_t const step = down ? SIZE_MAX : 1;
    work->table.loops->dense_write(&work->table, out, lo, hi, value, skip, step, work->counts);
}

static ordo_status write_all(dense_work *work)
{
    size_t const        inside = work->starts[work->pieces], before = work->strays_before;
    char *const         out = work->run.job->keys;
    ordo_copy_job const below = {out, work->run.stray, before * work->run.size};
    ordo_copy_job const above = {out + (before + inside) * work->run.size,
                                 work->run.stray + before * work->run.size,
                                 (work->run.all_strays - before) * work->run.size};
    work->run.exec->changed = true;
    TRY(cpu_copy(NULL, &below, work->run.exec));
    TRY(cpu_copy(NULL, &above, work->run.exec));
    return cpu_done(ordo_loop(work->run.exec, inside, cpu_grain(inside), write_piece, work));
}

/* ---- The sort ---- */

ordo_status cpu_sort_dense(const cpu_kernels *kernels, const ordo_sort_job *job, bool *done,
                           void **scratch, ordo_exec *exec)
{
    *done = false;
    if (job->n > UINT32_MAX) /* the counters have 32 bits */
        return ORDO_OK;
    dense_work work = {.run = cpu_count_begin(kernels, job, exec),
                       .sort_words = kernels->sort_words[CPU_WORDS_64],
                       .most_words = kernels->most_words[CPU_WORDS_64]};
    bool       counted;
    work.table.loops = &kernels->loops->few[work.run.size == sizeof(uint64_t)];
    work.table.bypass = cpu_bypasses_cache(job->n * work.run.size);
    if (!choose_values(&work) ||
        (*scratch == NULL && ordo_scratch(exec, job->n * work.run.size, scratch) != ORDO_OK) ||
        !divide_scratch(&work, *scratch))
        return ORDO_OK; /* without memory the general sort runs in place */
    memset(work.counts, 0, (work.table.range + 1) * sizeof *work.counts);
    work.run.table = &work.table;
    work.run.count = work.table.loops->dense_count;
    TRY(cpu_count_keys(&work.run, &counted));
    if (!counted)
        return ORDO_OK;
    TRY(add_tables(&work));
    ordo_status const status = place_strays(&work);
    if (status != ORDO_OK)
        return status == ORDO_E_NOMEM ? ORDO_OK : status;
    exec->phase++;
    TRY(write_all(&work));
    *done = true;
    cpu_count_tell(&work.run, exec->facts.buckets);
    return ORDO_OK;
}

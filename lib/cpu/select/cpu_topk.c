/* cpu_topk.c - the first k keys in order, and their indices.
 *
 * Selection finds the k-th key. The result is the keys before it, and the first ones by index among
 * the keys that tie with it. One read counts both in each piece of the array; a second read
 * collects them from the pieces that have any, which are few if k is small. Then the k records
 * (key bits with ties folded, index) are sorted; all differ, so any sort is stable. A few keys are
 * all sorted in registers.
 *
 * Scratch: that of selection, k records of 8 bytes (16 for keys of 64 bits or indices above 2^32),
 * that of the sort if it is granted, and two counts for each piece. */
#include "core/indices.h"
#include "core/keybits.h"
#include "cpu/base/paths.h"
#include "cpu/radix/radix.h"
#include "cpu/select/select.h"
#include "cpu/sort/sort_steps.h"

#include <string.h>

enum {
    SLACK = 2048,   /* bytes that several allocations from the arena may cost in addition */
    TOPK_MARKS = 32 /* words of marks of keys made at once */
};

typedef struct topk_piece { /* the records that one piece collects */
    cpu_band      band;     /* words of the keys that tie with the k-th */
    cpu_below_fn *below;
    bool          is_wide;
    void         *records;
    size_t        at, end; /* where its records go */
    size_t        ties;    /* how many of them are from the band */
} topk_piece;

typedef struct piece_count {
    size_t less, ties;
} piece_count;

typedef struct topk_work {
    const ordo_topk_job *job;
    cpu_band_fn         *count;
    cpu_below_fn        *below;
    cpu_band             band;
    size_t               key_size, grain, pieces;
    piece_count         *counts;
    cpu_records          records;
} topk_work;

#define ORDO_TEMPLATE "cpu/select/cpu_topk.t.h"
#include "core/for_each_type.h"

/* ---- The k-th key ---- */

static ordo_select_job select_of(const ordo_topk_job *job, const size_t *k, void *key)
{
    return (ordo_select_job){.type = job->type,
                             .keys = job->keys,
                             .n = job->n,
                             .k = k,
                             .count = 1,
                             .out = key,
                             .descending = job->descending,
                             .algorithm = ORDO_ALGORITHM_AUTO};
}

static ordo_status find_band(void *state, topk_work *work, ordo_exec *exec)
{
    const ordo_topk_job *const job = work->job;
    size_t const               k = job->k - 1;
    uint64_t                   key = 0;
    ordo_select_job const      select = select_of(job, &k, &key);
    uint64_t const first_nan = job->type == ORDO_F32 ? (uint64_t)KEY_INF_F32 + 1 : KEY_INF_F64 + 1;
    ordo_exec      part = *exec;
    TRY(cpu_select(state, &select, &part));
    exec->phase = part.phase;
    BY_TYPE(job->type, tied_words, (&key, job->descending, first_nan, &work->band));
    return ORDO_OK;
}

/* ---- Which keys ---- */

static void count_piece(void *arg, size_t lo, size_t hi)
{
    topk_work *const work = arg;
    cpu_band         band = work->band;
    band.below = band.inside = 0;
    work->count((const char *)work->job->keys + lo * work->key_size, hi - lo, &band, NULL);
    work->counts[lo / work->grain] = (piece_count){band.below, band.inside};
}

/* Turns the counts of each piece into the end of its records and the number of ties among them. */
static void share_out(topk_work *work)
{
    size_t less = 0, at = 0;
    for (size_t i = 0; i < work->pieces; i++)
        less += work->counts[i].less;
    size_t ties = work->job->k - less;
    for (size_t i = 0; i < work->pieces; i++) {
        piece_count *const c = &work->counts[i];
        size_t const       taken = ordo_min(c->ties, ties);
        ties -= taken;
        at += c->less + taken;
        *c = (piece_count){at, taken};
    }
}

static void collect_piece(void *arg, size_t lo, size_t hi)
{
    const topk_work *const     work = arg;
    const ordo_topk_job *const job = work->job;
    size_t const               i = lo / work->grain;
    topk_piece                 piece = {.band = work->band,
                                        .below = work->below,
                                        .is_wide = work->records.kind == RECORD_P64,
                                        .records = work->records.array,
                                        .at = i > 0 ? work->counts[i - 1].less : 0,
                                        .end = work->counts[i].less,
                                        .ties = work->counts[i].ties};
    BY_TYPE(job->type, collect, (job->keys, lo, hi, job->descending, &piece));
}

/* ---- In order ---- */

enum {
    SMALL = 1 << ORDO_TUNE_RADIX_BUCKET /* records sorted in place, on one thread */
};

static ordo_status sort_records(const cpu_kernels *kernels, const cpu_records *records,
                                ordo_exec *exec)
{
    radix_io const io = {.kernels = kernels,
                         .kind = records->kind,
                         .n = records->n,
                         .key_size = record_size(records->kind),
                         .in = records->array,
                         .out = records->array,
                         .spare = records->array,
                         .rising = true};
    if (records->n > SMALL) {
        ordo_status const status = cpu_radix(&io, exec);
        if (status != ORDO_E_NOMEM)
            return status;
        ordo_fail(exec, ORDO_OK, "%s", ""); /* no failure: the sort in place follows */
    }
    return cpu_records_inplace(records, exec);
}

static size_t index_of(const cpu_records *records, size_t i)
{
    return records->kind == RECORD_P64 ? (size_t)((const record_p64 *)records->array)[i].index
                                       : (size_t)(uint32_t)((const record_p32 *)records->array)[i];
}

/* Writes key `from` as the i-th result. */
static inline void put_key(const ordo_topk_job *job, size_t size, size_t i, size_t from)
{
    if (job->values != NULL)
        memcpy((char *)job->values + i * size, (const char *)job->keys + from * size, size);
    if (job->index != NULL)
        ordo_put_index(job->index_type, job->index, i, from);
}

static void write_piece(void *arg, size_t lo, size_t hi)
{
    const topk_work *const work = arg;
    for (size_t i = lo; i < hi; i++)
        put_key(work->job, work->key_size, i, index_of(&work->records, i));
}

/* ---- All of it ---- */

static enum record_kind kind_of(const ordo_topk_job *job)
{
    return ordo_type_size(job->type) > sizeof(uint32_t) || job->n > (size_t)UINT32_MAX + 1
               ? RECORD_P64
               : RECORD_P32;
}

size_t cpu_topk_scratch(const ordo_topk_job *job, const ordo_exec *exec)
{
    size_t const          pieces = ordo_div_up(job->n, cpu_grain(job->n));
    ordo_select_job const select = select_of(job, NULL, NULL);
    size_t bytes = job->k * record_size(kind_of(job)) + pieces * sizeof(piece_count) +
                   cpu_select_scratch(&select, exec) + SLACK;
    if (job->k > SMALL)
        bytes += cpu_radix_scratch(kind_of(job), job->k, true, exec->threads);
    return bytes;
}

/* ---- The paths ---- */

enum {
    MOST_FEW = ORDO_TUNE_WORDS_FEW_64 > ORDO_SMALL_N_64 ? ORDO_TUNE_WORDS_FEW_64 : ORDO_SMALL_N_64
};

struct cpu_look {
    const cpu_kernels   *kernels;
    const ordo_topk_job *job;
    ordo_exec           *exec;
};

static bool is_few(cpu_look *look) { return look->job->n <= MOST_FEW; }

/* All of a few keys are sorted. Declines if there are more than one sort on the stack takes. */
static ordo_status topk_few(cpu_look *look, bool *done)
{
    const ordo_topk_job *const job = look->job;
    uint32_t                   order[MOST_FEW] = {0};
    size_t const               size = ordo_type_size(job->type);
    ordo_argsort_job const     all = {.type = job->type,
                                      .keys = job->keys,
                                      .n = job->n,
                                      .descending = job->descending,
                                      .index_type = ORDO_U32,
                                      .index = order};
    *done = cpu_vector_argsort(look->kernels, &all, look->exec) ||
            cpu_small_argsort(look->kernels, &all, look->exec);
    if (!*done)
        return ORDO_OK;
    for (size_t i = 0; i < job->k; i++)
        put_key(job, size, i, order[i]);
    return ORDO_OK;
}

static ordo_status topk_select(cpu_look *look, bool *done)
{
    const cpu_kernels *const   kernels = look->kernels;
    const ordo_topk_job *const job = look->job;
    ordo_exec *const           exec = look->exec;
    topk_work                  work = {.job = job,
                                       .count = kernels->loops->band[job->type][job->descending],
                                       .below = kernels->loops->below[job->type][job->descending],
                                       .key_size = ordo_type_size(job->type),
                                       .grain = cpu_grain(job->n),
                                       .records = {kind_of(job), NULL, job->k}};
    void                      *counts;
    *done = true;
    work.pieces = ordo_div_up(job->n, work.grain);
    TRY(ordo_scratch(exec, work.pieces * sizeof *work.counts, &counts));
    TRY(ordo_scratch(exec, job->k * record_size(work.records.kind), &work.records.array));
    work.counts = counts;

    TRY(find_band((void *)kernels, &work, exec)); /* never written */
    exec->phases = exec->phase + 4;
    if (!ordo_loop(exec, job->n, work.grain, count_piece, &work))
        return ORDO_E_CANCELLED;
    share_out(&work);
    exec->phase++;
    if (!ordo_loop(exec, job->n, work.grain, collect_piece, &work))
        return ORDO_E_CANCELLED;
    exec->phase++;
    ordo_exec part = *exec;
    TRY(sort_records(kernels, &work.records, &part));
    exec->phase++;
    exec->algorithm = "select and sort";
    exec->isa = kernels->isa;
    return cpu_done(ordo_loop(exec, job->k, cpu_grain(job->k), write_piece, &work));
}

enum {
    TOPK_PATHS = 2
};

static const cpu_path paths[TOPK_PATHS] = {
    CPU_PATH("topk", "few", "few enough for registers or for one vector sort", NULL, is_few,
             topk_few),
    CPU_PATH("topk", "select", "all other keys", NULL, NULL, topk_select),
};

const cpu_paths cpu_topk_paths = {paths, TOPK_PATHS};

ordo_status cpu_topk(void *state, const ordo_topk_job *job, ordo_exec *exec)
{
    cpu_look look = {state, job, exec};
    return cpu_walk(paths, 0, TOPK_PATHS, &look, exec);
}

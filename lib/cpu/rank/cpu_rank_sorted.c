/* cpu_rank_sorted.c - ranks of a sorted array: the production path.
 *
 * The rank of a key follows from its group of ties: where the group begins, where it ends, or how
 * many groups come before it. For each piece of the array the groups at both ends are searched, as
 * each thread of the competition ranking paper does; in between, the kernels turn 64 comparisons
 * into a word of bits and the word into 64 ranks. Memory is read once and written once; no scratch.
 * Dense ranks count groups: a piece waits for the count of the pieces before it. Handled apart: the
 * first key; a few keys until the ranks begin a cache line, so that whole lines can bypass the
 * cache; and the NaNs at the end, which tie although their bits differ. */
#define _POSIX_C_SOURCE 200809L
#include "core/keybits.h"
#include "core/sequencer.h"
#include "cpu/base/cpu.h"

#include <string.h>

#define ORDO_TEMPLATE "core/search.t.h"
#include "core/for_each_type.h"

typedef struct rank_work {
    const ordo_rank_sorted_job *job;
    const cpu_kernels          *kernels;
    enum cpu_key_class class;
    enum cpu_out   out;
    size_t         key_size, rank_size;
    size_t         n;     /* without the NaNs */
    size_t         start; /* where the loop over pieces begins */
    size_t         grain;
    bool           bypass;
    uint64_t       fill; /* twice the rank of the NaNs */
    ordo_sequencer turn;
    uint64_t       groups; /* groups of ties up to the piece that has the turn */
} rank_work;

/* Integers by width: the classes begin with those of 1, 2, 4 and 8 bytes. */
static enum cpu_key_class class_of(ordo_type type)
{
    return type == ORDO_F32   ? CPU_KEY_f32
           : type == ORDO_F64 ? CPU_KEY_f64
                              : (enum cpu_key_class)(ordo_bit_length(ordo_type_size(type)) - 1);
}

size_t cpu_nan_start(ordo_type type, const void *keys, size_t n)
{
    return BY_TYPE(type, nan_start, (keys, n));
}

/* ---- Keys [lo, hi) with lo > 0, none of them NaN ---- */

static const void *key_at(const rank_work *work, size_t i)
{
    return (const char *)work->job->sorted + i * work->key_size;
}

static void *rank_at(const rank_work *work, size_t i)
{
    return (char *)work->job->ranks + i * work->rank_size;
}

/* Lowest, highest and mean ranks. The kernels need where the first group of ties of the range
 * begins and where its last group ends. */
static void rank_groups(rank_work *work, size_t lo, size_t hi)
{
    const ordo_rank_sorted_job *const job = work->job;
    size_t const                      n = work->n;
    size_t const                      first = BY_TYPE(job->type, tie_start, (job->sorted, lo - 1));
    size_t const                      last =
        job->ties == ORDO_TIES_MIN ? 0 : BY_TYPE(job->type, tie_end, (job->sorted, n, hi - 1));
    cpu_span const span = {
        .keys = key_at(work, lo),
        .n = hi - lo,
        .base = lo,
        .before = first + 1,
        .after = last,
        .bypass = work->bypass && lo >= work->start,
    };
    if (job->ties == ORDO_TIES_MIN)
        work->kernels->rank_last[work->class][work->out](&span, rank_at(work, lo));
    else if (job->ties == ORDO_TIES_MAX)
        work->kernels->rank_next[work->class][work->out](&span, rank_at(work, lo));
    else
        work->kernels->rank_mean[work->class](&span, rank_at(work, lo));
}

static void rank_dense(rank_work *work, size_t lo, size_t hi, size_t piece)
{
    uint64_t     words[CPU_PIECE_WORDS];
    size_t const heads = work->kernels->heads[work->class](key_at(work, lo), hi - lo, words);
    ordo_sequencer_wait(&work->turn, piece);
    uint64_t const before = work->groups;
    work->groups = before + heads;
    ordo_sequencer_pass(&work->turn, piece);
    work->kernels->count[work->out](words, hi - lo, before, rank_at(work, lo),
                                    work->bypass && lo >= work->start);
}

/* Every key is a group of its own: counts set bits in words of ones. */
static void rank_ordinal(rank_work *work, size_t lo, size_t hi)
{
    uint64_t words[ORDO_TUNE_SPAN / 64];
    memset(words, 0xff, sizeof words);
    for (size_t at = lo; at < hi; at += ORDO_TUNE_SPAN)
        work->kernels->count[work->out](words, ordo_min(ORDO_TUNE_SPAN, hi - at), at,
                                        rank_at(work, at), work->bypass && lo >= work->start);
}

static void rank_range(rank_work *work, size_t lo, size_t hi, size_t piece)
{
    switch (work->job->ties) {
    case ORDO_TIES_MIN:
    case ORDO_TIES_MAX:
    case ORDO_TIES_AVERAGE:
        rank_groups(work, lo, hi);
        break;
    case ORDO_TIES_DENSE:
        rank_dense(work, lo, hi, piece);
        break;
    case ORDO_TIES_ORDINAL:
        rank_ordinal(work, lo, hi);
        break;
    }
}

static void rank_piece(void *arg, size_t lo, size_t hi)
{
    rank_work *const work = arg;
    rank_range(work, work->start + lo, work->start + hi, 1 + lo / work->grain);
}

/* ---- The rest ---- */

/* Writes one rank n times. `twice` is twice the rank, because a mean may end in one half. */
static void fill_ranks(const rank_work *work, size_t at, size_t n, uint64_t twice)
{
    void *const out = rank_at(work, at);
    switch (work->out) {
    case CPU_OUT_u32:
        for (size_t i = 0; i < n; i++)
            ((uint32_t *)out)[i] = (uint32_t)(twice / 2);
        break;
    case CPU_OUT_u64:
        for (size_t i = 0; i < n; i++)
            ((uint64_t *)out)[i] = twice / 2;
        break;
    default:
        for (size_t i = 0; i < n; i++)
            ((double *)out)[i] = (double)twice * 0.5;
    }
}

static void fill_piece(void *arg, size_t lo, size_t hi)
{
    const rank_work *const work = arg;
    fill_ranks(work, work->n + lo, hi - lo, work->fill);
}

/* The NaNs are one group of ties at the end: [n, job->n). */
static bool rank_nans(rank_work *work, ordo_exec *exec)
{
    size_t const first = work->n + 1, last = work->job->n, count = last - work->n;
    if (count == 0)
        return true;
    switch (work->job->ties) {
    case ORDO_TIES_MIN:
        work->fill = 2 * (uint64_t)first;
        break;
    case ORDO_TIES_MAX:
        work->fill = 2 * (uint64_t)last;
        break;
    case ORDO_TIES_AVERAGE:
        work->fill = (uint64_t)first + last;
        break;
    case ORDO_TIES_DENSE:
        work->fill = 2 * (work->groups + 1);
        break;
    case ORDO_TIES_ORDINAL:
        return true; /* already written */
    }
    return ordo_loop(exec, count, cpu_grain(count), fill_piece, work);
}

/* Key 0, when key 1 is done: it ties with key 1, or has rank 1 by every rule. */
static void rank_first(rank_work *work)
{
    if (work->n == 0)
        return;
    if (work->n > 1 && BY_TYPE(work->job->type, tied, (work->job->sorted, 0, 1)) &&
        work->job->ties != ORDO_TIES_ORDINAL)
        memcpy(rank_at(work, 0), rank_at(work, 1), work->rank_size);
    else
        fill_ranks(work, 0, 1, 2);
}

ordo_status cpu_rank_sorted(void *state, const ordo_rank_sorted_job *job, ordo_exec *exec)
{
    const cpu_kernels *const kernels = state;
    bool const               by_index = job->ties == ORDO_TIES_ORDINAL;
    size_t const             nans = cpu_nan_start(job->type, job->sorted, job->n);
    rank_work                work = {.job = job,
                                     .kernels = kernels,
                                     .class = class_of(job->type),
                                     .out = job->rank_type == ORDO_U32   ? CPU_OUT_u32
                                            : job->rank_type == ORDO_U64 ? CPU_OUT_u64
                                                                         : CPU_OUT_f64,
                                     .key_size = ordo_type_size(job->type),
                                     .rank_size = ordo_type_size(job->rank_type),
                                     .n = by_index ? job->n : nans,
                                     .groups = 1};

    exec->algorithm = "vector";
    exec->isa = kernels->isa;
    work.bypass = cpu_bypasses_cache(job->n * work.rank_size);
    work.start = ordo_min(1, work.n);
    if (work.bypass) {
        size_t const past = (uintptr_t)rank_at(&work, 1) % ORDO_CACHE_LINE;
        size_t const aligned = 1 + (ORDO_CACHE_LINE - past) % ORDO_CACHE_LINE / work.rank_size;
        work.bypass = past % work.rank_size == 0;
        work.start = ordo_min(aligned, work.n);
    }
    if (work.start > 1)
        rank_range(&work, 1, work.start, 0);
    ordo_sequencer_pass(&work.turn, 0);
    work.grain = cpu_grain(work.n - work.start);
    if (!ordo_loop(exec, work.n - work.start, work.grain, rank_piece, &work))
        return ORDO_E_CANCELLED;
    rank_first(&work);
    if (work.n == 0)
        work.groups = 0;
    return cpu_done(rank_nans(&work, exec));
}

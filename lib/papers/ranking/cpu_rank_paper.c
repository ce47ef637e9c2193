/* cpu_rank_paper.c - ranks of a sorted array on the CPU as in J. Liang, J. Bisnett, A. Hylton, J.
 * Sang and C. Yu, "Parallel Computation of Standard Competition Rankings over a Sorted Array".
 *
 *   sequential   one loop that compares each key with the key before it
 *   threads      one segment per thread: the modified binary search finds the rank of the segment's
 *                first key, then the sequential loop
 * The paper has the loop for the least rank; the loops for the other tie rules follow it. Dense
 * ranks read each segment twice, to count the groups of ties before it. Cost: n comparisons with a
 * branch each, and lg n per segment. The loops compare with ==, as the paper does, so NaNs, which
 * end the array and tie, are ranked separately. */
#include "core/keybits.h"
#include "cpu/base/cpu.h"
#include "papers/ranking/ranking.h"

typedef struct rank_segments {
    const ordo_rank_sorted_job *job;
    size_t                      n;       /* without the NaNs */
    size_t                      segment; /* keys in a segment */
    uint64_t                   *groups;  /* groups of ties before each segment; NULL unless the
                                          * ranks are dense */
    ordo_exec                  *exec;
} rank_segments;

enum {
    POLL_KEYS = 1 << 20
}; /* keys between two checks for cancel */

#define ORDO_TEMPLATE "papers/ranking/rank_key.t.h"
#include "core/for_each_type.h"

static double rank_as_double(const ordo_rank_sorted_job *job, size_t i)
{
    switch (job->rank_type) {
    case ORDO_U32:
        return (double)((const uint32_t *)job->ranks)[i];
    case ORDO_U64:
        return (double)((const uint64_t *)job->ranks)[i];
    default:
        return ((const double *)job->ranks)[i];
    }
}

static void rank_part(const rank_segments *work, size_t lo, size_t hi, uint64_t groups)
{
    switch (work->job->type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        paper_rank_##tag(work, lo, hi, groups);                                                    \
        break;
#include "core/types.def"
    }
}

/* Ranks a segment in parts, so that a long segment can be cancelled and shows its progress. */
static void rank_segment(void *arg, size_t lo, size_t hi)
{
    const rank_segments *const work = arg;
    uint64_t                   groups = work->groups != NULL ? work->groups[lo / work->segment] : 0;
    for (size_t at = lo; at < hi; at += POLL_KEYS) {
        size_t const end = hi - at > POLL_KEYS ? at + POLL_KEYS : hi;
        if (ordo_poll(work->exec, (double)(at - lo) / (double)(hi - lo)))
            return;
        rank_part(work, at, end, groups);
        groups =
            work->job->ties == ORDO_TIES_DENSE ? (uint64_t)rank_as_double(work->job, end - 1) : 0;
    }
}

static uint64_t count_part(const rank_segments *work, size_t lo, size_t hi)
{
    switch (work->job->type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        return paper_groups_##tag(work->job->sorted, lo, hi);
#include "core/types.def"
    }
    return 0;
}

static void count_segment(void *arg, size_t lo, size_t hi)
{
    const rank_segments *const work = arg;
    uint64_t                   groups = 0;
    for (size_t at = lo; at < hi; at += POLL_KEYS) {
        if (ordo_poll(work->exec, (double)(at - lo) / (double)(hi - lo)))
            return;
        groups += count_part(work, at, hi - at > POLL_KEYS ? at + POLL_KEYS : hi);
    }
    work->groups[lo / work->segment] = groups;
}

static size_t segments_of(const ordo_rank_sorted_job *job, unsigned threads)
{
    size_t const wanted = job->algorithm == ORDO_ALGORITHM_SEQUENTIAL ? 1 : threads;
    return ordo_max(1, ordo_min(wanted, job->n));
}

size_t cpu_rank_paper_scratch(const ordo_rank_sorted_job *job, const ordo_exec *exec)
{
    bool const counts = job->algorithm == ORDO_ALGORITHM_THREADS && job->ties == ORDO_TIES_DENSE;
    return counts ? segments_of(job, exec->threads) * sizeof(uint64_t) : 0;
}

/* Counts the groups of ties of every segment and turns the counts into the number of groups before
 * each segment. */
static ordo_status count_groups(rank_segments *work, size_t segments, ordo_exec *exec)
{
    void *block;
    TRY(ordo_scratch(exec, segments * sizeof(uint64_t), &block));
    work->groups = block;
    exec->phases = 2;
    if (!ordo_loop(exec, work->n, work->segment, count_segment, work) || ordo_poll(exec, 1))
        return ORDO_E_CANCELLED;
    exec->phase = 1;
    uint64_t before = 0;
    for (size_t s = 0; s < ordo_div_up(work->n, work->segment); s++) {
        uint64_t const here = work->groups[s];
        work->groups[s] = before;
        before += here;
    }
    return ORDO_OK;
}

static void put_rank(const ordo_rank_sorted_job *job, size_t i, double rank)
{
    switch (job->rank_type) {
    case ORDO_U32:
        ((uint32_t *)job->ranks)[i] = (uint32_t)rank;
        break;
    case ORDO_U64:
        ((uint64_t *)job->ranks)[i] = (uint64_t)rank;
        break;
    default:
        ((double *)job->ranks)[i] = rank;
        break;
    }
}

static double nan_rank(const ordo_rank_sorted_job *job, size_t n)
{
    switch (job->ties) {
    case ORDO_TIES_MIN:
        return (double)n + 1;
    case ORDO_TIES_MAX:
        return (double)job->n;
    case ORDO_TIES_AVERAGE:
        return ((double)n + 1 + (double)job->n) * 0.5;
    case ORDO_TIES_DENSE:
        return n > 0 ? rank_as_double(job, n - 1) + 1 : 1;
    case ORDO_TIES_ORDINAL:
        break;
    }
    return 0;
}

/* Ranks the NaNs, keys [n, job->n). */
static ordo_status rank_nans(const rank_segments *work)
{
    const ordo_rank_sorted_job *const job = work->job;
    bool const                        ordinal = job->ties == ORDO_TIES_ORDINAL;
    double const                      rank = nan_rank(job, work->n);
    for (size_t i = work->n; i < job->n; i++) {
        if (i % POLL_KEYS == 0 && ordo_poll(work->exec, (double)i / (double)job->n))
            return ORDO_E_CANCELLED;
        put_rank(job, i, ordinal ? (double)i + 1 : rank);
    }
    return ORDO_OK;
}

ordo_status cpu_rank_paper(const ordo_rank_sorted_job *job, ordo_exec *exec)
{
    bool const    alone = job->algorithm == ORDO_ALGORITHM_SEQUENTIAL;
    size_t const  segments = segments_of(job, exec->threads);
    rank_segments work = {
        .job = job, .n = cpu_nan_start(job->type, job->sorted, job->n), .exec = exec};

    exec->algorithm = alone ? "sequential" : "threads";
    exec->isa = "generic";
    work.segment = ordo_max(1, ordo_div_up(work.n, segments));
    if (cpu_rank_paper_scratch(job, exec) > 0 && work.n > 0)
        TRY(count_groups(&work, segments, exec));
    if (!ordo_loop(exec, work.n, work.segment, rank_segment, &work) || ordo_poll(exec, 1))
        return ORDO_E_CANCELLED;
    return rank_nans(&work);
}

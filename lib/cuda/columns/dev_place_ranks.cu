/* dev_place_ranks.cu - writes the ranks of rows whose order is known to the places of the rows; and
 * dev_lexrank.
 *
 * A max-scan gives each row the start of its tie and of its group; a sum-scan counts the ties for
 * dense ranks. The head of a tie writes the end of the previous tie. One kernel then ranks all
 * rows. Scratch: one to three numbers per row. */
#include "cuda/columns/columns.cuh"

static bool needs_more(ordo_ties ties)
{
    return ties == ORDO_TIES_DENSE || ties == ORDO_TIES_MAX || ties == ORDO_TIES_AVERAGE;
}

static place_work place_layout(cuda_scratch *scratch, const place_job &job)
{
    size_t const bytes = job.n * cuda_type_size(job.index_type);
    place_work   work = {};
    work.begin = scratch_take<char>(scratch, bytes);
    if (job.grouped)
        work.group = scratch_take<char>(scratch, bytes);
    if (needs_more(job.ties))
        work.more = scratch_take<char>(scratch, bytes);
    return work;
}

size_t place_ranks_scratch(const place_job &job)
{
    ordo_scan_job const scan = column_scan(ORDO_MAX, job.index_type, NULL, job.n);
    ordo_scan_job const sum = column_scan(ORDO_SUM, job.index_type, NULL, job.n);
    return scratch_of(place_layout, job) +
           ordo_max(dev_scan_scratch(&scan), dev_scan_scratch(&sum));
}

/* Prepares the scans. `group` or `ones` may be NULL. */
template <typename INDEX>
static __global__ void mark_heads(const uint8_t *heads, INDEX *begin, INDEX *group, INDEX *ones,
                                  size_t n)
{
    grid_each(n, [&](size_t i) {
        bool const is_head = (heads[i] & ORDO_ROW_HEAD) != 0;
        begin[i] = is_head ? (INDEX)i : 0;
        if (group != NULL)
            group[i] = (heads[i] & ORDO_ROW_FIRST) != 0 ? (INDEX)i : 0;
        if (ones != NULL)
            ones[i] = is_head;
    });
}

/* ends[b] = the end of the tie that begins at row b. */
template <typename INDEX>
static __global__ void mark_ends(const uint8_t *heads, const INDEX *begin, INDEX *ends, size_t n)
{
    grid_each(n, [&](size_t i) {
        if (i > 0 && (heads[i] & ORDO_ROW_HEAD) != 0)
            ends[begin[i - 1]] = (INDEX)i;
        if (i == n - 1)
            ends[begin[i]] = (INDEX)n;
    });
}

/* Twice the rank, because an average rank can end in one half. */
template <typename INDEX>
static DEVICE uint64_t twice_rank(ordo_ties ties, uint64_t i, uint64_t group, uint64_t begin,
                                  const INDEX *more)
{
    switch (ties) {
    case ORDO_TIES_ORDINAL:
        return 2 * (i - group + 1);
    case ORDO_TIES_MAX:
        return 2 * ((uint64_t)more[begin] - group);
    case ORDO_TIES_DENSE:
        return 2 * ((uint64_t)more[i] - more[group] + 1);
    case ORDO_TIES_AVERAGE:
        return begin - group + 1 + (uint64_t)more[begin] - group;
    default:
        return 2 * (begin - group + 1);
    }
}

template <typename INDEX>
static __global__ void put_ranks(const __grid_constant__ place_job job, place_work work)
{
    const INDEX *const begin = (const INDEX *)work.begin, *const group = (const INDEX *)work.group;
    uint64_t const ranked = job.ranked == NULL ? job.n : *job.ranked;
    grid_each(job.n, [&](size_t i) {
        uint64_t const row = ((const INDEX *)job.index)[i];
        bool const     has_rank = i < ranked;
        uint64_t const twice = has_rank ? twice_rank(job.ties, i, group == NULL ? 0 : group[i],
                                                     begin[i], (const INDEX *)work.more)
                                        : 0;
        if (job.rank_type == ORDO_U32)
            ((uint32_t *)job.ranks)[row] = (uint32_t)(twice / 2);
        else if (job.rank_type == ORDO_U64)
            ((uint64_t *)job.ranks)[row] = twice / 2;
        else
            ((double *)job.ranks)[row] =
                has_rank ? (double)twice / 2 : __longlong_as_double(0x7ff8000000000000ll);
    });
}

static ordo_status scan_numbers(cuda_call *call, ordo_op op, ordo_type type, void *numbers,
                                size_t n)
{
    size_t const        used = call->scratch.used;
    ordo_scan_job const job = column_scan(op, type, numbers, n);
    TRY(dev_scan(call, &job));
    call->scratch.used = used;
    return ORDO_OK;
}

template <typename INDEX>
static ordo_status place_all(cuda_call *call, const place_job &job, const place_work &work)
{
    size_t const grid = column_grid(call, job.n);
    bool const   dense = job.ties == ORDO_TIES_DENSE;
    TRY(CUDA_LAUNCH(call, mark_heads<INDEX>, grid, COLUMN_THREADS, 0, job.heads,
                    (INDEX *)work.begin, (INDEX *)work.group,
                    dense ? (INDEX *)work.more : (INDEX *)NULL, job.n));
    TRY(scan_numbers(call, ORDO_MAX, job.index_type, work.begin, job.n));
    if (work.group != NULL)
        TRY(scan_numbers(call, ORDO_MAX, job.index_type, work.group, job.n));
    if (dense)
        TRY(scan_numbers(call, ORDO_SUM, job.index_type, work.more, job.n));
    else if (work.more != NULL)
        TRY(CUDA_LAUNCH(call, mark_ends<INDEX>, grid, COLUMN_THREADS, 0, job.heads,
                        (const INDEX *)work.begin, (INDEX *)work.more, job.n));
    return CUDA_LAUNCH(call, put_ranks<INDEX>, grid, COLUMN_THREADS, 0, job, work);
}

ordo_status place_ranks(cuda_call *call, const place_job &job)
{
    place_work const work = place_layout(&call->scratch, job);
    return job.index_type == ORDO_U32 ? place_all<uint32_t>(call, job, work)
                                      : place_all<uint64_t>(call, job, work);
}

/* ---- Ranks of rows by several columns ---- */

struct lexrank_work {
    void    *index;
    uint8_t *heads;
};

static ordo_type index_type_of(size_t n) { return n <= UINT32_MAX ? ORDO_U32 : ORDO_U64; }

static lexrank_work lexrank_layout(cuda_scratch *scratch, const ordo_lexrank_job *job)
{
    lexrank_work work;
    work.index = scratch_take<char>(scratch, job->n * cuda_type_size(index_type_of(job->n)));
    work.heads = scratch_take<uint8_t>(scratch, job->n);
    return work;
}

static ordo_lexsort_job order_of(const ordo_lexrank_job *job, const lexrank_work &work)
{
    return {job->columns, job->count, job->n, index_type_of(job->n), work.index, work.heads};
}

static place_job place_of(const ordo_lexrank_job *job, const lexrank_work &work)
{
    return {job->n,    index_type_of(job->n), work.index, work.heads, false, NULL,
            job->ties, job->rank_type,        job->ranks};
}

size_t dev_lexrank_scratch(const ordo_lexrank_job *job)
{
    ordo_lexsort_job const order = order_of(job, {});
    return scratch_of(lexrank_layout, job) +
           ordo_max(dev_lexsort_scratch(&order), place_ranks_scratch(place_of(job, {})));
}

ordo_status dev_lexrank(cuda_call *call, const ordo_lexrank_job *job)
{
    lexrank_work const     work = lexrank_layout(&call->scratch, job);
    size_t const           used = call->scratch.used;
    ordo_lexsort_job const order = order_of(job, work);
    TRY(dev_lexsort(call, &order));
    call->scratch.used = used;
    TRY(place_ranks(call, place_of(job, work)));
    call->exec->algorithm = "words";
    return ORDO_OK;
}

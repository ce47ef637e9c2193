/* dev_groups.cu - results for each group of rows: counts, order, ranks, quantiles, the first k.
 *
 * One sort of the rows by (group key, key) puts the rows of a group next to each other, in the
 * order of their keys (dev_lexsort.cu). The heads of the rows give the starts of the groups
 * (row_tiles.cuh), and every result is read from the order. The number of groups stays on the
 * device: kernels have fixed grids and loop up to this number. Scratch with 4-byte indices: 13
 * bytes per row (argsort: 9, top-k: 17; group_weights.cuh), and the scratch of the sort. */
#include "cuda/columns/weighted_groups.cuh"
#include "cuda/columns/weighted_ranks.cuh"
#include "cuda/select/dev_select.cuh"
#include "cuda/warp/first_where.cuh"

struct group_work {
    ordo_type     index_type;
    void         *index; /* the rows, sorted */
    uint8_t      *heads;
    ordo_type     number_type;
    void         *number; /* the group of each sorted row, from 0; only for the first k */
    uint64_t     *starts; /* the first sorted row of each group, then n */
    group_facts  *facts;
    uint64_t     *q; /* the quantile levels q, as bits */
    bool          is_weighted;
    group_weights weights;
    uint64_t     *ties_before; /* dense ranks with weights */
};

static bool is_argsort(const ordo_groups_job *job) { return job->verb == ORDO_GROUP_ARGSORT; }

/* weighted: NULL, or the job that contains `job`. */
static group_work group_layout(cuda_scratch *scratch, const ordo_groups_job *job,
                               const ordo_weighted_groups_job *weighted)
{
    group_work work = {};
    work.number_type = job->n <= UINT32_MAX ? ORDO_U32 : ORDO_U64;
    work.index_type = is_argsort(job) ? job->out_type : work.number_type;
    work.index = is_argsort(job)
                     ? job->out
                     : scratch_take<char>(scratch, job->n * cuda_type_size(work.index_type));
    work.heads = scratch_take<uint8_t>(scratch, job->n);
    if (job->verb == ORDO_GROUP_TOPK)
        work.number = scratch_take<char>(scratch, job->n * cuda_type_size(work.number_type));
    work.starts = scratch_take<uint64_t>(scratch, job->n + 1);
    work.facts = scratch_take<group_facts>(scratch, 1);
    work.q = scratch_take<uint64_t>(scratch, job->verb == ORDO_GROUP_QUANTILES ? job->each : 0);
    work.is_weighted = weighted != NULL;
    if (weighted != NULL)
        work.weights = group_weights_layout(scratch, weighted);
    if (work.weights.counts)
        work.ties_before = scratch_take<uint64_t>(scratch, job->n);
    return work;
}

struct group_order { /* the sort of a job; `job` points to `columns` */
    ordo_key_column  columns[2];
    ordo_lexsort_job job;
};

/* Quantiles without weights do not fold ties, as on the CPU: only the values of the keys matter. */
static void order_of(const ordo_groups_job *job, const group_work &work, group_order *order)
{
    bool const has_keys = job->verb != ORDO_GROUP_COUNTS && (job->keys != NULL || job->type != 0);
    order->columns[0] = {job->group_keys, job->group_type, false, true};
    order->columns[1] = {job->keys, job->type, job->descending,
                         job->verb != ORDO_GROUP_QUANTILES || work.is_weighted};
    order->job = {order->columns,  has_keys ? 2u : 1u, job->n,
                  work.index_type, work.index,         work.heads};
}

static place_job ranks_of(const ordo_groups_job *job, const group_work &work)
{
    return {job->n,     work.index_type,
            work.index, work.heads,
            true,       work.facts == NULL ? NULL : &work.facts->ranked,
            job->ties,  job->out_type,
            job->out};
}

/* ---- The groups ---- */

/* Writes the starts of the groups and, if `number` is not NULL, the group of each row. */
template <typename NUMBER>
static __global__ void __launch_bounds__(ROWS_THREADS)
    find_starts(const __grid_constant__ row_tiles rows, NUMBER *number, uint64_t *starts,
                group_facts *facts)
{
    each_sorted_row(rows, [&](uint64_t i, const row_place &place) {
        if (place.is_first)
            starts[place.number] = i;
        if (number != NULL)
            number[i] = (NUMBER)place.number;
        if (i == rows.n - 1) {
            starts[place.number + 1] = rows.n;
            *facts = {place.number + 1, rows.n};
        }
    });
}

/* One thread: leaves out the group of NaNs if `omit`, and stores the number of groups. */
template <typename WORD, typename INDEX>
static __global__ void settle_groups(const __grid_constant__ segment_codes<WORD> codes,
                                     const void *group_keys, const INDEX *index,
                                     const uint64_t *starts, bool omit, group_facts *facts,
                                     size_t *count)
{
    uint64_t groups = facts->groups;
    if (omit && is_nan(codes, group_keys, index[starts[groups - 1]])) {
        groups--;
        *facts = {groups, starts[groups]};
    }
    if (count != NULL)
        *count = (size_t)groups;
}

/* Writes the key and the size of each group. All zeros get one bit pattern, and all NaNs too. */
template <typename WORD, typename INDEX>
static __global__ void tell_groups(const __grid_constant__ segment_codes<WORD> codes,
                                   const void *group_keys, const INDEX *index,
                                   const uint64_t *starts, const group_facts *facts,
                                   uint64_t capacity, void *unique, uint64_t *sizes)
{
    uint64_t const count = facts->groups < capacity ? facts->groups : capacity;
    grid_each(count, [&](size_t g) {
        if (sizes != NULL)
            sizes[g] = starts[g + 1] - starts[g];
        if (unique == NULL)
            return;
        uint64_t const row = index[starts[g]];
        WORD           raw = codes.raw(group_keys, row);
        if (codes.is_float) {
            if (is_nan(codes, group_keys, row))
                raw = codes.nan();
            else if ((WORD)(raw << 1) == 0)
                raw = 0;
        }
        codes.write_raw(unique, g, raw);
    });
}

static row_tiles tiles_of(cuda_scratch *scratch, const ordo_groups_job *job, const group_work &work)
{
    return row_tiles_layout(scratch, work.heads, job->n, true);
}

static group_read read_of(const ordo_groups_job *job, const group_work &work)
{
    return {job->keys,     work.index, work.number, work.starts, work.facts,
            job->capacity, job->each,  job->nans,   work.q,      job->method};
}

/* Gathers the weights of the rows in order. */
template <typename INDEX>
static ordo_status gather(cuda_call *call, const ordo_groups_job *job, const group_work &work,
                          const row_tiles &rows)
{
    const group_weights &to = work.weights;
    CUDA_TRY(call->exec,
             cudaMemsetAsync(to.last, 0, (to.groups + 2) * sizeof *to.last, call->stream));
    return with_segment_codes(job->type, false, KEY_TOTAL, [&](auto codes) {
        typedef decltype(codes.flip) WORD;
        return CUDA_LAUNCH(call, (gather_weights<WORD, INDEX>), row_tiles_grid(call, rows),
                           ROWS_THREADS, 0, codes, rows, read_of(job, work), to);
    });
}

template <typename NUMBER>
static ordo_status number_groups(cuda_call *call, const ordo_groups_job *job,
                                 const group_work &work)
{
    size_t const    used = call->scratch.used;
    row_tiles const rows = tiles_of(&call->scratch, job, work);
    TRY(row_tiles_fill(call, rows));
    TRY(CUDA_LAUNCH(call, find_starts<NUMBER>, row_tiles_grid(call, rows), ROWS_THREADS, 0, rows,
                    (NUMBER *)work.number, work.starts, work.facts));
    if (work.is_weighted)
        TRY(gather<NUMBER>(call, job, work, rows));
    call->scratch.used = used;
    return ORDO_OK;
}

template <typename INDEX>
static ordo_status describe_groups(cuda_call *call, const ordo_groups_job *job,
                                   const group_work &work)
{
    const INDEX *const index = (const INDEX *)work.index;
    return with_segment_codes(job->group_type, false, KEY_TOTAL, [&](auto codes) -> ordo_status {
        typedef decltype(codes.flip) WORD;
        TRY(CUDA_LAUNCH(call, (settle_groups<WORD, INDEX>), 1, 1, 0, codes, job->group_keys, index,
                        (const uint64_t *)work.starts, job->omit, work.facts, job->groups));
        if (job->unique == NULL && job->sizes == NULL)
            return ORDO_OK;
        return CUDA_LAUNCH(call, (tell_groups<WORD, INDEX>), column_grid(call, job->n),
                           COLUMN_THREADS, 0, codes, job->group_keys, index,
                           (const uint64_t *)work.starts, (const group_facts *)work.facts,
                           (uint64_t)job->capacity, job->unique, job->sizes);
    });
}

/* ---- Quantiles ---- */

/* The first sorted row of a group whose key is a NaN, or `end`. */
template <typename WORD, typename INDEX>
static DEVICE uint64_t nans_begin(const segment_codes<WORD> &codes, const group_read &in,
                                  uint64_t start, uint64_t end)
{
    if (!codes.is_float)
        return end;
    return first_where(start, end, [&](uint64_t i) {
        return is_nan(codes, in.keys, ((const INDEX *)in.index)[i]);
    });
}

template <typename WORD, typename INDEX>
static __global__ void group_quantiles(const __grid_constant__ segment_codes<WORD> codes,
                                       const __grid_constant__ group_read in, double *out)
{
    grid_each(groups_with_room(in) * in.each, [&](size_t t) {
        uint64_t const g = t / in.each, start = in.starts[g], end = in.starts[g + 1];
        uint64_t const numbers =
            in.nans == ORDO_NANS_LAST ? end : nans_begin<WORD, INDEX>(codes, in, start, end);
        uint64_t const n = numbers - start;
        if (n == 0 || (numbers < end && in.nans == ORDO_NANS_PROPAGATE)) {
            out[t] = group_no_value();
            return;
        }
        quantile_place const at = quantile_place_of(in.method, group_q(in, t), (size_t)n);
        out[t] = quantile_value(&at, value_at<WORD, INDEX>(codes, in, start + at.below),
                                value_at<WORD, INDEX>(codes, in, start + at.above));
    });
}

template <typename INDEX>
static ordo_status quantiles(cuda_call *call, const ordo_groups_job *job, const group_work &work)
{
    ordo_select_job options = {};
    options.k = (const size_t *)(const void *)job->q;
    options.count = job->each;
    TRY(select_put_positions(call, &options, work.q));
    if (work.is_weighted)
        TRY(add_weights(call, work.weights, work.weights.sums, work.starts, job->n));
    return with_segment_codes(job->type, false, KEY_TOTAL, [&](auto codes) {
        typedef decltype(codes.flip) WORD;
        if (work.is_weighted)
            return CUDA_LAUNCH(call, (weighted_quantiles<WORD, INDEX>), column_grid(call, job->n),
                               COLUMN_THREADS, 0, codes, read_of(job, work), work.weights,
                               job->quantiles);
        return CUDA_LAUNCH(call, (group_quantiles<WORD, INDEX>), column_grid(call, job->n),
                           COLUMN_THREADS, 0, codes, read_of(job, work), job->quantiles);
    });
}

/* ---- Top-k ---- */

/* Sorted row i is result i - start of its group. NaNs are the last rows of a group, so the results
 * before them have no gaps. */
template <typename WORD, typename INDEX>
static __global__ void group_topk(const __grid_constant__ segment_codes<WORD> codes,
                                  const __grid_constant__ group_read in, void *values,
                                  ordo_type index_type, void *index, uint64_t *found)
{
    uint64_t const groups = groups_with_room(in);
    grid_each(groups == 0 ? 0 : in.starts[groups], [&](size_t i) {
        uint64_t const g = ((const INDEX *)in.number)[i], start = in.starts[g];
        uint64_t const row = ((const INDEX *)in.index)[i], j = i - start, at = g * in.each + j;
        bool const     omit = in.nans == ORDO_NANS_OMIT;
        if (j == 0 && found != NULL) {
            uint64_t const end = in.starts[g + 1];
            uint64_t const all =
                (omit ? nans_begin<WORD, INDEX>(codes, in, start, end) : end) - start;
            found[g] = all < in.each ? all : in.each;
        }
        if (j >= in.each || (omit && is_nan(codes, in.keys, row)))
            return;
        if (values != NULL)
            codes.write_raw(values, at, codes.raw(in.keys, row));
        if (index != NULL && index_type == ORDO_U32)
            ((uint32_t *)index)[at] = (uint32_t)row;
        else if (index != NULL)
            ((uint64_t *)index)[at] = row;
    });
}

template <typename INDEX>
static ordo_status topk(cuda_call *call, const ordo_groups_job *job, const group_work &work)
{
    return with_segment_codes(job->type, false, KEY_TOTAL, [&](auto codes) {
        typedef decltype(codes.flip) WORD;
        return CUDA_LAUNCH(call, (group_topk<WORD, INDEX>), column_grid(call, job->n),
                           COLUMN_THREADS, 0, codes, read_of(job, work), job->values, job->out_type,
                           job->out, job->found);
    });
}

/* ---- The verb ---- */

static size_t groups_scratch(const ordo_groups_job *job, const ordo_weighted_groups_job *weighted)
{
    if (job->n == 0)
        return 0;
    cuda_scratch     counted = {};
    group_work const work = group_layout(&counted, job, weighted);
    group_order      order;
    order_of(job, work, &order);
    size_t most = ordo_max(dev_lexsort_scratch(&order.job), scratch_of(tiles_of, job, work));
    if (job->verb == ORDO_GROUP_RANK)
        most = ordo_max(most, place_ranks_scratch(ranks_of(job, work)));
    if (weighted != NULL)
        most = ordo_max(most, add_weights_scratch(work.weights, job->n) +
                                  scratch_of(tiles_of, job, work));
    return counted.used + most;
}

/* For arrays in host memory, too many groups are an error, as on the CPU. */
static ordo_status check_capacity(cuda_call *call, const ordo_groups_job *job,
                                  const group_work &work)
{
    group_facts facts;
    if (call->exec->on_device)
        return ORDO_OK;
    TRY(call_fetch(call, &facts, work.facts, sizeof facts));
    if (facts.groups > job->capacity && ordo_groups_need_room(job))
        return ordo_fail(call->exec, ORDO_E_ARG, "there are %zu groups, but groups.capacity is %zu",
                         (size_t)facts.groups, job->capacity);
    return ORDO_OK;
}

/* For arrays in host memory a sum of weights that is too large is an error, as on the CPU. */
static ordo_status check_weights(cuda_call *call, const group_weights &weights)
{
    unsigned long long too_large[2];
    if (call->exec->on_device && !weights.waits)
        return ORDO_OK;
    TRY(call_fetch(call, too_large, weights.too_large, sizeof too_large));
    if (too_large[0] != 0)
        return weights_too_large(call, weights.is_float);
    if (too_large[1] != 0)
        return ordo_fail(call->exec, ORDO_E_ARG,
                         "the sum of the weights is %llu; ranks above 2^32 - 1 need rank_type u64 "
                         "or f64",
                         too_large[1]);
    return ORDO_OK;
}

template <typename INDEX>
static ordo_status rank_weighted(cuda_call *call, const ordo_groups_job *job,
                                 const group_work &work)
{
    const group_weights &weights = work.weights;
    weighted_ranks const to = {job->ties, job->out_type, job->out, work.index, work.ties_before};
    TRY(add_weights(call, weights, weights.sums, work.starts, job->n));
    row_tiles const rows = tiles_of(&call->scratch, job, work);
    size_t const    grid = row_tiles_grid(call, rows);
    TRY(row_tiles_fill(call, rows));
    if (weights.counts) {
        TRY(CUDA_LAUNCH(call, mark_weighted_ties, grid, ROWS_THREADS, 0, rows,
                        (const uint64_t *)weights.sums, work.ties_before));
        TRY(add_weights(call, weights, work.ties_before, work.starts, job->n));
    }
    TRY(CUDA_LAUNCH(call, place_weighted_ranks<INDEX>, grid, ROWS_THREADS, 0, rows, weights, to,
                    (const uint64_t *)work.starts));
    return check_weights(call, weights);
}

template <typename INDEX>
static ordo_status run(cuda_call *call, const ordo_groups_job *job, const group_work &work)
{
    TRY(work.number_type == ORDO_U32 ? number_groups<uint32_t>(call, job, work)
                                     : number_groups<uint64_t>(call, job, work));
    TRY(describe_groups<INDEX>(call, job, work));
    TRY(check_capacity(call, job, work));
    if (job->verb == ORDO_GROUP_RANK)
        return work.is_weighted ? rank_weighted<INDEX>(call, job, work)
                                : place_ranks(call, ranks_of(job, work));
    if (job->verb == ORDO_GROUP_QUANTILES && job->each > 0 && job->capacity > 0) {
        TRY(quantiles<INDEX>(call, job, work));
        return work.is_weighted ? check_weights(call, work.weights) : ORDO_OK;
    }
    if (job->verb == ORDO_GROUP_TOPK && (job->each > 0 || job->found != NULL))
        return topk<INDEX>(call, job, work);
    return ORDO_OK;
}

static ordo_status run_groups(cuda_call *call, const ordo_groups_job *job,
                              const ordo_weighted_groups_job *weighted)
{
    if (job->n == 0) {
        if (job->groups != NULL)
            CUDA_TRY(call->exec,
                     cudaMemsetAsync(job->groups, 0, sizeof *job->groups, call->stream));
        return ORDO_OK;
    }
    group_work const work = group_layout(&call->scratch, job, weighted);
    size_t const     used = call->scratch.used;
    group_order      order;
    order_of(job, work, &order);
    TRY(dev_lexsort(call, &order.job));
    call->scratch.used = used;
    if (work.is_weighted) /* see group_segments */
        CUDA_TRY(call->exec, cudaMemsetAsync(work.starts, 0xff, (job->n + 1) * sizeof *work.starts,
                                             call->stream));
    TRY(work.index_type == ORDO_U32 ? run<uint32_t>(call, job, work)
                                    : run<uint64_t>(call, job, work));
    call->exec->algorithm = "words";
    return ORDO_OK;
}

size_t dev_groups_scratch(const ordo_groups_job *job) { return groups_scratch(job, NULL); }

ordo_status dev_groups(cuda_call *call, const ordo_groups_job *job)
{
    return run_groups(call, job, NULL);
}

size_t dev_weighted_groups_scratch(const ordo_weighted_groups_job *job)
{
    return groups_scratch(&job->groups, job);
}

ordo_status dev_weighted_groups(cuda_call *call, const ordo_weighted_groups_job *job)
{
    return run_groups(call, &job->groups, job);
}

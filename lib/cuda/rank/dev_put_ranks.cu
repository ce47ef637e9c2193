/* dev_put_ranks.cu - ranks of sorted records that lie on the device, put where the records came
 * from, so that the first of them can leave while the last are still being put (lib/hybrid).
 *
 *   merge    the two sorted stretches that the records may be (merge_pairs.cuh)
 *   number   dev_rank.cu's heads of the sorted keys, and from them a rank for each place
 *   part     ranks by the high bits of their index (dev_rank_parts.cuh), all of them: part 0
 *   return   the ranks of a stretch of the result, whose buckets are parted once more and put in
 *            order in shared memory: every part
 *
 * Where not all places have a record the buckets would not be full: then, and where the result is
 * small, ranks are scattered straight, all of them in part 0.
 *
 * Device memory moved, n < 2^31 records with keys of 32 bits: 16 n by the merge, 4 n by the heads,
 * 12 n by the first parting, 28 n by all returns. Work: the merged keys, n / 8 bytes of heads, n
 * records of 8 bytes (16 with indices of 64 bits) and a part of n more. */
#include "cuda/rank/dev_rank_parts.cuh"
#include "cuda/sort/merge_pairs.cuh"

struct put_plan {             /* what job->work is */
    void       *keys, *index; /* merged; NULL: they are in order */
    heads_table table;
    bool        direct;
    void       *records[2];
    uint32_t   *taken[2];
    unsigned    shift[2];
    size_t      stretch; /* ranks of a part: whole buckets */
};

static put_plan plan_of(cuda_scratch *const work, const ordo_put_job *const job)
{
    put_plan     plan = {};
    size_t const width = cuda_type_size(job->index_type);
    plan.direct = job->n < job->total || job->total * width <= CUDA_TUNE_RANK_DIRECT;
    if (job->split < job->n) {
        plan.keys = scratch_take<char>(work, job->n * cuda_type_size(job->type));
        /* The merged indices are read before the first rank is written, unless that is at once. */
        plan.index = plan.direct ? scratch_take<char>(work, job->n * width) : job->ranks;
    }
    plan.table = heads_take(work, job->n, job->ties == ORDO_TIES_AVERAGE);
    if (plan.direct)
        return plan;
    plan.shift[0] = first_shift(job->total);
    plan.shift[1] = LEAF_LG;
    size_t const most =
        ordo_round_up(ordo_div_up(job->total, job->parts), (size_t)1 << plan.shift[0]);
    plan.stretch = ordo_min(job->total, most);
    for (int time = 0; time < 2; time++) {
        size_t const records = time == 0 ? job->total : plan.stretch;
        plan.records[time] = scratch_take<char>(work, records * 2 * width);
        plan.taken[time] = scratch_take<uint32_t>(work, buckets_of(job->total, plan.shift[time]));
    }
    return plan;
}

size_t dev_put_ranks_work(const ordo_put_job *const job)
{
    cuda_scratch counted = {};
    plan_of(&counted, job);
    return counted.used;
}

/* ---- Straight ---- */

template <rank_kind KIND, typename NUM>
static __global__ void __launch_bounds__(HEADS_THREADS)
    scatter_numbers(heads_table const table, const NUM *const index, NUM *const ranks)
{
    heads_walk<KIND, NUM> walk = walk_start<KIND, NUM>(table);
    while (walk.left > 0) {
        heads_chunk<NUM> const chunk = walk_chunk(table, &walk);
#pragma unroll 8
        for (int row = 0; row < 32; row++) {
            warp_vector<NUM, 1> const rank =
                warp_row_numbers<KIND, 1>(row, chunk.word, chunk.edges, (NUM)chunk.base);
            size_t const at = chunk.base + row * 32 + lane_id();
            if (at < table.n)
                ranks[index[at]] = rank.at[0];
        }
    }
}

/* ---- The parts ---- */

template <rank_kind KIND, typename NUM>
static ordo_status put_first(cuda_call *const call, const ordo_put_job *const job,
                             const put_plan *const plan, const NUM *const index)
{
    if (plan->direct) {
        CUDA_LAUNCH(call, (scatter_numbers<KIND, NUM>), plan->table.blocks, HEADS_THREADS, 0,
                    plan->table, index, (NUM *)job->ranks);
        return ORDO_OK;
    }
    for (int time = 0; time < 2; time++)
        CUDA_TRY(call->exec,
                 cudaMemsetAsync(plan->taken[time], 0,
                                 buckets_of(job->total, plan->shift[time]) * sizeof(uint32_t),
                                 call->stream));
    part_plan<NUM> const part = {(rank_record<NUM> *)plan->records[0], plan->taken[0],
                                 plan->shift[0], BUCKETS};
    LAUNCH_SHARED(call, (part_ranks<KIND, NUM>), plan->table.blocks, HEADS_THREADS,
                  sizeof(part_shared<NUM>), plan->table, index, part);
    return ORDO_OK;
}

/* A stretch of whole buckets is an array of its own: only the low bits of an index are looked at
 * from here on. */
template <typename NUM>
static ordo_status put_stretch(cuda_call *const call, const ordo_put_job *const job,
                               const put_plan *const plan)
{
    size_t const first = ordo_min(job->total, job->part * plan->stretch);
    size_t const count = ordo_min(job->total - first, plan->stretch);
    if (count == 0)
        return ORDO_OK;
    part_plan<NUM> const part = {(rank_record<NUM> *)plan->records[1],
                                 plan->taken[1] + (first >> plan->shift[1]), plan->shift[1],
                                 1u << (plan->shift[0] - plan->shift[1])};
    LAUNCH_SHARED(call, part_records<NUM>, ordo_div_up(count, TILE), HEADS_THREADS,
                  sizeof(part_shared<NUM>), (const rank_record<NUM> *)plan->records[0] + first,
                  count, part);
    LAUNCH_SHARED(call, (return_ranks<NUM, NUM>), ordo_div_up(count, LEAF), LEAF_THREADS,
                  LEAF * sizeof(NUM), part.records, count, false, (NUM *)job->ranks + first);
    return ORDO_OK;
}

template <typename NUM>
static ordo_status merge(cuda_call *const call, const ordo_put_job *const job,
                         const put_plan *const plan)
{
    return with_key_code(job->type, job->descending, KEY_FOLDED, [&](auto code) {
        typedef decltype(code)                   CODE;
        typedef typename CODE::BITS              BITS;
        pairs_array<const BITS, const NUM> const from = {(const BITS *)job->sorted,
                                                         (const NUM *)job->index};
        pairs_array<BITS, NUM> const             to = {(BITS *)plan->keys, (NUM *)plan->index};
        CUDA_LAUNCH(call, (merge_pairs<CODE, NUM>), ordo_div_up(job->n, PAIRS_TILE), PAIRS_THREADS,
                    0, from, job->split, job->n, code, to);
        return ORDO_OK;
    });
}

template <typename NUM>
static ordo_status put_all(cuda_call *const call, const ordo_put_job *const job,
                           const put_plan *const plan)
{
    const void *keys = job->sorted;
    const NUM  *index = (const NUM *)job->index;
    if (plan->keys != NULL) {
        TRY(merge<NUM>(call, job, plan));
        keys = plan->keys;
        index = (const NUM *)plan->index;
    }
    if (job->ties != ORDO_TIES_ORDINAL)
        TRY(dev_heads(call, &plan->table, job->type, keys));
    switch (job->ties) {
    case ORDO_TIES_MIN:
        return put_first<RANK_LAST>(call, job, plan, index);
    case ORDO_TIES_MAX:
        return put_first<RANK_NEXT>(call, job, plan, index);
    case ORDO_TIES_DENSE:
        return put_first<RANK_COUNT>(call, job, plan, index);
    case ORDO_TIES_ORDINAL:
        return put_first<RANK_INDEX>(call, job, plan, index);
    case ORDO_TIES_AVERAGE:
        return put_first<RANK_BOTH>(call, job, plan, index);
    }
    return ORDO_E_ARG;
}

template <typename NUM>
static ordo_status put_part(cuda_call *const call, const ordo_put_job *const job,
                            const put_plan *const plan)
{
    if (job->part == 0)
        TRY(put_all<NUM>(call, job, plan));
    return plan->direct ? ORDO_OK : put_stretch<NUM>(call, job, plan);
}

ordo_status dev_put_ranks(cuda_call *const call, const ordo_put_job *const job)
{
    cuda_scratch work = {(char *)job->work, 0};
    if (job->n == 0)
        return ORDO_OK;
    if (job->total > (size_t)1 << MOST_KEYS_LG)
        return ordo_fail(call->exec, ORDO_E_UNSUPPORTED,
                         "more than 2^%d keys are not ranked on a GPU", MOST_KEYS_LG);
    put_plan const plan = plan_of(&work, job);
    return job->index_type == ORDO_U32 ? put_part<uint32_t>(call, job, &plan)
                                       : put_part<uint64_t>(call, job, &plan);
}

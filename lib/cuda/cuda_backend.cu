/* cuda_backend.cu - the function table of the CUDA backend.
 *
 * Every verb takes the same steps: compute the device memory, hold it, copy host arrays in, run the
 * device verb, copy results out. Device arrays are used in place. This file lists the arrays of
 * each verb's job; the job of the device verb differs from the caller's only in these pointers. */
#include "cuda/columns/weighted_groups.cuh"
#include "cuda/dist/dist.cuh"
#include "cuda/runtime/cuda_arrays.cuh"
#include "cuda/runtime/cuda_dev.cuh"
#include "cuda/runtime/cuda_paths.cuh"
#include "cuda/runtime/cuda_state.cuh"
#include "cuda/text/text.cuh"

static size_t                         keys_of(const ordo_pairs_job *job) { return job->keys.n; }
template <typename JOB> static size_t keys_of(const JOB *job) { return job->n; }

/* ---- Segments ----
 *
 * The job gets its own copy of the layout, so that the offsets can be replaced like other arrays.
 * Result arrays are also copied in, because elements outside the segments must not change. */

typedef const ordo_segment_view *layout_pointer;

static layout_pointer *layout_of(ordo_pairs_job *job, int) { return &job->keys.segments; }
template <typename JOB> static auto layout_of(JOB *job, int) -> decltype(&job->segments)
{
    return &job->segments;
}
template <typename JOB> static layout_pointer *layout_of(JOB *, long) { return NULL; }

template <typename JOB>
static void add_segments(JOB *job, ordo_segment_view *layout, job_arrays *arrays)
{
    layout_pointer *const given = layout_of(job, 0);
    if (given == NULL || *given == NULL)
        return;
    *layout = **given;
    *given = layout;
    for (int i = 0; i < arrays->count; i++)
        arrays->at[i].use |= READ;
    if (layout->offsets != NULL && layout->count > 0)
        add(arrays, &layout->offsets, (layout->count + 1) * sizeof *layout->offsets, READ,
            "segments.offsets");
}

/* The number of segments of a job; 1 without segments. */
static size_t segments_of(const ordo_segment_view *layout)
{
    return layout == NULL ? 1 : layout->count;
}

/* Whether a job has nothing to do. Empty segments still have a result in verbs with one result per
 * segment. */
template <typename JOB> static bool is_void(const JOB *job) { return keys_of(job) == 0; }
static bool is_void(const ordo_topk_job *job) { return job->n == 0 && job->segments == NULL; }
static bool is_void(const ordo_select_job *job) { return job->n == 0 && job->segments == NULL; }
static bool is_void(const ordo_order_job *job) { return job->n == 0 && job->segments == NULL; }
static bool is_void(const ordo_radius_job *job) { return job->n == 0 && job->segments == NULL; }
static bool is_void(const ordo_runs_job *job) { return job->n == 0 && job->segments == NULL; }
static bool is_void(const ordo_move_job *job) { return job->count == 0; }
static bool is_void(const ordo_groups_job *) { return false; }
static bool is_void(const ordo_weighted_groups_job *) { return false; }
static bool is_void(const ordo_weighted_segments_job *) { return false; }

template <typename JOB, job_arrays (*list)(JOB *), size_t (*scratch)(const JOB *)>
static size_t verb_scratch(const JOB *given, const ordo_exec *exec)
{
    JOB               job = *given;
    ordo_segment_view layout;
    job_arrays        arrays = list(&job);
    add_segments(&job, &layout, &arrays);
    return is_void(given) ? 0 : arrays_bytes(&arrays, exec) + scratch(given);
}

template <typename JOB, job_arrays (*list)(JOB *), size_t (*scratch)(const JOB *),
          ordo_status (*run)(cuda_call *, const JOB *)>
static ordo_status verb(void *state, const JOB *given, ordo_exec *exec)
{
    if (is_void(given))
        return ORDO_OK;
    JOB               job = *given;
    ordo_segment_view layout;
    job_arrays        arrays = list(&job);
    cuda_frame        frame;
    add_segments(&job, &layout, &arrays);
    TRY(frame_begin(&frame, (cuda_state *)state, exec,
                    arrays_bytes(&arrays, exec) + scratch(given)));
    ordo_status status = arrays_in(&frame, &arrays);
    if (status == ORDO_OK)
        status = run(&frame.call, &job);
    if (!exec->on_device) /* only the copies on the device have changed */
        exec->changed = false;
    if (status == ORDO_OK)
        status = arrays_out(&frame, &arrays);
    if (status != ORDO_OK &&
        !exec->on_device) /* an asynchronous copy may still read a pinned array of the caller */
        (void)cudaStreamSynchronize(frame.call.stream);
    return frame_end(&frame, status);
}

/* ---- Lists of arrays ----
 *
 * A result that is not wanted is NULL and not in the list. A scratch query has no arrays: there the
 * list has every array that the verb may use. */

static job_arrays sort_arrays(ordo_sort_job *job)
{
    job_arrays   list = {};
    size_t const bytes = job->n * cuda_type_size(job->type);
    add(&list, &job->keys, bytes, READ | WRITTEN, "keys");
    if (job->source != NULL)
        add(&list, &job->source, bytes, READ, "opts.source");
    return list;
}

static job_arrays pairs_arrays(ordo_pairs_job *job)
{
    job_arrays list = sort_arrays(&job->keys);
    add(&list, &job->values, job->keys.n * job->value_size, READ | WRITTEN, "values");
    return list;
}

static job_arrays argsort_arrays(ordo_argsort_job *job)
{
    job_arrays list = {};
    add(&list, &job->keys, job->n * cuda_type_size(job->type), READ, "keys");
    add(&list, &job->index, job->n * cuda_type_size(job->index_type), WRITTEN, "index");
    return list;
}

static job_arrays rank_arrays(ordo_rank_job *job)
{
    job_arrays list = {};
    add(&list, &job->keys, job->n * cuda_type_size(job->type), READ, "keys");
    add(&list, &job->ranks, job->n * cuda_type_size(job->rank_type), WRITTEN, "ranks");
    return list;
}

static job_arrays rank_sorted_arrays(ordo_rank_sorted_job *job)
{
    job_arrays list = {};
    add(&list, &job->sorted, job->n * cuda_type_size(job->type), READ, "sorted");
    add(&list, &job->ranks, job->n * cuda_type_size(job->rank_type), WRITTEN, "ranks");
    return list;
}

static job_arrays topk_arrays(ordo_topk_job *job)
{
    job_arrays list = {};
    add(&list, &job->keys, job->n * cuda_type_size(job->type), READ, "keys");
    size_t const found = job->k * segments_of(job->segments);
    if (job->values != NULL || job->keys == NULL)
        add(&list, &job->values, found * cuda_type_size(job->type), WRITTEN, "values");
    if (job->index != NULL || job->keys == NULL)
        add(&list, &job->index, found * cuda_type_size(job->index_type), WRITTEN, "index");
    if (job->segments != NULL && (job->found != NULL || job->keys == NULL))
        add(&list, &job->found, job->segments->count * sizeof *job->found, WRITTEN, "found");
    return list;
}

static job_arrays nth_arrays(ordo_nth_job *job)
{
    job_arrays list = {};
    add(&list, &job->keys, job->n * cuda_type_size(job->type), READ, "keys");
    if (job->out != NULL || job->keys == NULL)
        add(&list, &job->out, job->n * cuda_type_size(job->type), WRITTEN, "out");
    if (job->index != NULL || job->keys == NULL)
        add(&list, &job->index, job->n * cuda_type_size(job->index_type), WRITTEN, "index");
    return list;
}

static job_arrays scan_arrays(ordo_scan_job *job)
{
    job_arrays list = {};
    add(&list, &job->in, job->n * cuda_type_size(job->type), READ, "in");
    add(&list, &job->out, job->n * cuda_type_size(job->out_type), WRITTEN, "out");
    return list;
}

static size_t flag_bytes(ordo_flags_kind kind, size_t n)
{
    return kind == ORDO_FLAG_BITS ? ordo_div_up(n, 8) : n;
}

static job_arrays bits_arrays(ordo_bits_job *job)
{
    job_arrays list = {};
    add(&list, &job->flags, flag_bytes(job->kind, job->n), READ, "flags");
    if (job->counts != NULL || job->flags == NULL)
        add(&list, &job->counts, job->n * cuda_type_size(job->count_type), WRITTEN, "counts");
    return list;
}

static job_arrays partition_arrays(ordo_partition_job *job)
{
    job_arrays list = {};
    add(&list, &job->flags, flag_bytes(job->kind, job->n), READ, "flags");
    add(&list, &job->in, job->n * job->elem_size, READ, "in");
    add(&list, &job->out, job->n * job->elem_size, WRITTEN, "out");
    return list;
}

template <typename JOB> static job_arrays keys_arrays(JOB *job)
{
    job_arrays list = {};
    add(&list, &job->keys, job->n * cuda_type_size(job->type), READ, "keys");
    return list;
}

/* Without segments the results below are single numbers, which the device verb copies to the
 * host. */

static job_arrays order_arrays(ordo_order_job *job)
{
    job_arrays list = keys_arrays(job);
    if (job->segments != NULL && job->sorted != NULL)
        add(&list, &job->sorted, job->segments->count * sizeof *job->sorted, WRITTEN, "sorted");
    if (job->segments != NULL && job->where != NULL)
        add(&list, &job->where, job->segments->count * sizeof *job->where, WRITTEN, "where");
    return list;
}

static job_arrays runs_arrays(ordo_runs_job *job)
{
    job_arrays list = keys_arrays(job);
    if (job->segments != NULL)
        add(&list, &job->runs, job->segments->count * sizeof *job->runs, WRITTEN, "runs");
    return list;
}

/* The sequences that are not wanted are NULL in scratch queries too. */
static job_arrays radius_arrays(ordo_radius_job *job)
{
    job_arrays   list = keys_arrays(job);
    size_t const bytes = job->n * cuda_type_size(job->type);
    if (job->lr != NULL)
        add(&list, &job->lr, bytes, WRITTEN, "lr");
    if (job->rl != NULL)
        add(&list, &job->rl, bytes, WRITTEN, "rl");
    if (job->dm != NULL)
        add(&list, &job->dm, job->n * sizeof *job->dm, WRITTEN, "dm");
    if (job->segments != NULL)
        add(&list, &job->radius, job->segments->count * sizeof *job->radius, WRITTEN, "radius");
    return list;
}

static job_arrays select_segments_arrays(ordo_select_job *job)
{
    job_arrays   list = keys_arrays(job);
    size_t const size = job->q != NULL ? sizeof(double) : cuda_type_size(job->type);
    add(&list, &job->out, job->segments->count * job->count * size, WRITTEN, "out");
    return list;
}

/* job->columns must be a copy of the caller's columns, because the pointers are replaced. */
template <typename JOB> static job_arrays columns_arrays(JOB *job)
{
    job_arrays             list = {};
    ordo_key_column *const columns = (ordo_key_column *)job->columns;
    for (size_t c = 0; c < job->count; c++)
        add(&list, &columns[c].keys, job->n * cuda_type_size(columns[c].type), READ, "a column");
    return list;
}

static job_arrays lexsort_arrays(ordo_lexsort_job *job)
{
    job_arrays list = columns_arrays(job);
    add(&list, &job->index, job->n * cuda_type_size(job->index_type), WRITTEN, "index");
    return list;
}

static job_arrays lexrank_arrays(ordo_lexrank_job *job)
{
    job_arrays list = columns_arrays(job);
    add(&list, &job->ranks, job->n * cuda_type_size(job->rank_type), WRITTEN, "ranks");
    return list;
}

/* Runs a job on a copy of its columns, because host arrays get other addresses on the device. */
template <typename JOB>
static ordo_status with_columns(const JOB *given,
                                ordo_status (*run)(void *, const JOB *, ordo_exec *), void *state,
                                ordo_exec *exec)
{
    ordo_key_column columns[ORDO_COLUMNS_MOST];
    JOB             job = *given;
    memcpy(columns, given->columns, given->count * sizeof *columns);
    job.columns = columns;
    return run(state, &job, exec);
}

static ordo_status lexsort(void *state, const ordo_lexsort_job *job, ordo_exec *exec)
{
    return with_columns(
        job, verb<ordo_lexsort_job, lexsort_arrays, dev_lexsort_scratch, dev_lexsort>, state, exec);
}

static ordo_status lexrank(void *state, const ordo_lexrank_job *job, ordo_exec *exec)
{
    return with_columns(
        job, verb<ordo_lexrank_job, lexrank_arrays, dev_lexrank_scratch, dev_lexrank>, state, exec);
}

/* These results are also copied in: the results of groups that do not exist must not change. */
template <typename T>
static void add_result(job_arrays *list, T **pointer, size_t bytes, const char *what)
{
    if (*pointer != NULL)
        add(list, pointer, bytes, READ | WRITTEN, what);
}

static job_arrays groups_arrays(ordo_groups_job *job)
{
    job_arrays   list = {};
    size_t const out_size = cuda_type_size(job->out_type), results = job->capacity * job->each;
    add(&list, &job->group_keys, job->n * cuda_type_size(job->group_type), READ, "groups.keys");
    if (job->keys != NULL)
        add(&list, &job->keys, job->n * cuda_type_size(job->type), READ, "keys");
    add_result(&list, &job->unique, job->capacity * cuda_type_size(job->group_type),
               "groups.unique");
    add_result(&list, &job->sizes, job->capacity * sizeof *job->sizes, "groups.sizes");
    add_result(&list, &job->groups, sizeof *job->groups, "groups.count");
    add_result(&list, &job->out, (job->verb == ORDO_GROUP_TOPK ? results : job->n) * out_size,
               job->verb == ORDO_GROUP_RANK ? "ranks" : "index");
    add_result(&list, &job->quantiles, results * sizeof *job->quantiles, "out");
    add_result(&list, &job->values, results * cuda_type_size(job->type), "values");
    add_result(&list, &job->found, job->capacity * sizeof *job->found, "found");
    return list;
}

static job_arrays weighted_groups_arrays(ordo_weighted_groups_job *job)
{
    job_arrays list = groups_arrays(&job->groups);
    add(&list, &job->weights, job->groups.n * cuda_type_size(job->weight_type), READ,
        "opts.weights");
    return list;
}

/* The quantiles of one array go to the host, see dev_weighted.cu. */
static job_arrays weighted_segments_arrays(ordo_weighted_segments_job *given)
{
    ordo_weighted_job *const job = &given->job;
    job_arrays               list = keys_arrays(job);
    add(&list, &job->weights, job->n * cuda_type_size(job->weight_type), READ, "opts.weights");
    if (job->rank_type != 0)
        add(&list, &job->ranks, job->n * cuda_type_size(job->rank_type), WRITTEN, "ranks");
    else if (given->segments != NULL)
        add(&list, &job->out, given->segments->count * job->count * sizeof *job->out, WRITTEN,
            "out");
    return list;
}

static job_arrays move_arrays(ordo_move_job *job)
{
    job_arrays   list = {};
    size_t const in_n = job->scatters ? job->count : job->n;
    size_t const out_n = job->scatters ? job->n : job->count;
    add(&list, &job->in, in_n * job->size, READ, "in");
    add(&list, &job->index, job->count * cuda_type_size(job->index_type), READ, "index");
    add(&list, &job->out, out_n * job->size, job->scatters ? READ | WRITTEN : WRITTEN, "out");
    return list;
}

static job_arrays records_arrays(ordo_records_job *job)
{
    job_arrays list = {};
    add(&list, &job->base, job->n * job->size, READ | WRITTEN, "base");
    return list;
}

static job_arrays moving_arrays(ordo_moving_job *job)
{
    job_arrays list = {};
    add(&list, &job->in, job->n * cuda_type_size(job->type), READ, "in");
    add(&list, &job->out, job->n * cuda_type_size(job->out_type), WRITTEN, "out");
    return list;
}

/* The result of a selection may go to the host although the keys are on the device; then the call
 * waits. */
static size_t select_keys_scratch(const ordo_select_job *job, const ordo_exec *exec)
{
    ordo_select_job  copy = *job;
    job_arrays const arrays = keys_arrays(&copy);
    if (job->segments != NULL)
        return verb_scratch<ordo_select_job, select_segments_arrays, dev_segments_select_scratch>(
            job, exec);
    return job->n == 0 ? 0
                       : arrays_bytes(&arrays, exec) + dev_select_scratch(job) +
                             ordo_round_up(job->count * sizeof(uint64_t), CUDA_SCRATCH_ALIGN);
}

static ordo_status select_framed(cuda_frame *frame, ordo_select_job *job, const job_arrays *arrays)
{
    ordo_exec *const exec = frame->call.exec;
    void *const      out = job->out;
    bool const       home = !exec->on_device || job->out_on_host;
    size_t const     bytes = job->count * cuda_type_size(job->type);
    TRY(arrays_in(frame, arrays));
    if (home)
        job->out = scratch_take<char>(&frame->call.scratch, bytes);
    TRY(dev_select(&frame->call, job));
    if (!home)
        return ORDO_OK;
    if (bytes <= CUDA_FETCH_BYTES)
        return call_fetch(&frame->call, out, job->out, bytes);
    return stage_out(frame, out, job->out, bytes);
}

static ordo_status select_keys(void *state, const ordo_select_job *given, ordo_exec *exec)
{
    if (given->segments != NULL)
        return verb<ordo_select_job, select_segments_arrays, dev_segments_select_scratch,
                    dev_segments_select>(state, given, exec);
    if (given->n == 0)
        return ORDO_OK;
    ordo_select_job  job = *given;
    job_arrays const arrays = keys_arrays(&job);
    cuda_frame       frame;
    TRY(frame_begin(&frame, (cuda_state *)state, exec, select_keys_scratch(given, exec)));
    return frame_end(&frame, select_framed(&frame, &job, &arrays));
}

static ordo_status copy_on_device(cuda_call *call, const ordo_copy_job *job)
{
    call->exec->algorithm = "copy";
    CUDA_TRY(call->exec,
             cudaMemcpyAsync(job->dst, job->src, job->bytes, cudaMemcpyDefault, call->stream));
    return ORDO_OK;
}

/* Copies host arrays to the device and back, for comparison with other verbs. */
static ordo_status copy(void *state, const ordo_copy_job *job, ordo_exec *exec)
{
    size_t const bytes = exec->on_device ? 0 : ordo_round_up(job->bytes, CUDA_SCRATCH_ALIGN);
    cuda_frame   frame;
    if (job->bytes == 0)
        return ORDO_OK;
    TRY(frame_begin(&frame, (cuda_state *)state, exec, bytes));
    if (exec->on_device)
        return frame_end(&frame, copy_on_device(&frame.call, job));
    char *const device = scratch_take<char>(&frame.call.scratch, job->bytes);
    ordo_status status = stage_in(&frame, device, job->src, job->bytes);
    if (status == ORDO_OK)
        status = stage_out(&frame, job->dst, device, job->bytes);
    return frame_end(&frame, status);
}

/* The jobs of put_ranks already have device arrays. */
static ordo_status put_ranks(void *state, const ordo_put_job *job, ordo_exec *exec)
{
    cuda_frame frame;
    TRY(frame_begin(&frame, (cuda_state *)state, exec, 0));
    return frame_end(&frame, dev_put_ranks(&frame.call, job));
}

/* Verbs that work on a whole array or on its segments. */
#define WITH_SEGMENTS(job_type, layout, name)                                                      \
    static size_t any_##name##_scratch(const job_type *job)                                        \
    {                                                                                              \
        return job->layout == NULL ? dev_##name##_scratch(job)                                     \
                                   : dev_segments_##name##_scratch(job);                           \
    }                                                                                              \
    static ordo_status any_##name(cuda_call *call, const job_type *job)                            \
    {                                                                                              \
        return job->layout == NULL ? dev_##name(call, job) : dev_segments_##name(call, job);       \
    }
WITH_SEGMENTS(ordo_sort_job, segments, sort)
WITH_SEGMENTS(ordo_pairs_job, keys.segments, sort_pairs)
WITH_SEGMENTS(ordo_argsort_job, segments, argsort)
WITH_SEGMENTS(ordo_rank_job, segments, rank)
WITH_SEGMENTS(ordo_rank_sorted_job, segments, rank_sorted)
WITH_SEGMENTS(ordo_topk_job, segments, topk)
WITH_SEGMENTS(ordo_scan_job, segments, scan)
WITH_SEGMENTS(ordo_radius_job, segments, radius)
WITH_SEGMENTS(ordo_order_job, segments, is_sorted)
WITH_SEGMENTS(ordo_runs_job, segments, runs)
#undef WITH_SEGMENTS

static const ordo_path *path_at(size_t i)
{
    static const cuda_paths *const tables[] = {&cuda_sort_paths, &cuda_rank_paths,
                                               &cuda_topk_paths};
    for (const cuda_paths *const paths : tables) {
        if (i < paths->count)
            return (const ordo_path *)((const char *)paths->first + i * paths->stride);
        i -= paths->count;
    }
    return NULL;
}

static const char *isa(const void *state) { return ((const cuda_state *)state)->isa; }

#define SLOT(slot, job, list, name) table.slot = verb<job, list, dev_##name##_scratch, dev_##name>

#define SLOTS(slot, job, list, name)                                                               \
    SLOT(slot, job, list, name);                                                                   \
    table.slot##_scratch = verb_scratch<job, list, dev_##name##_scratch>

#define SEGMENT_SLOT(slot, job, list, name)                                                        \
    table.slot = verb<job, list, any_##name##_scratch, any_##name>

#define SEGMENT_SLOTS(slot, job, list, name)                                                       \
    SEGMENT_SLOT(slot, job, list, name);                                                           \
    table.slot##_scratch = verb_scratch<job, list, any_##name##_scratch>

static ordo_backend make_table(void)
{
    ordo_backend table = {};
    table.abi = ORDO_BACKEND_ABI;
    table.struct_size = sizeof table;
    table.name = "cuda";
    table.open = cuda_open;
    table.close = cuda_close;
    table.isa = isa;
    table.isa_all = isa;
    table.path_at = path_at;
    SEGMENT_SLOTS(sort, ordo_sort_job, sort_arrays, sort);
    SEGMENT_SLOTS(sort_pairs, ordo_pairs_job, pairs_arrays, sort_pairs);
    SEGMENT_SLOTS(argsort, ordo_argsort_job, argsort_arrays, argsort);
    SEGMENT_SLOTS(rank, ordo_rank_job, rank_arrays, rank);
    SEGMENT_SLOTS(rank_sorted, ordo_rank_sorted_job, rank_sorted_arrays, rank_sorted);
    SEGMENT_SLOTS(topk, ordo_topk_job, topk_arrays, topk);
    SEGMENT_SLOTS(scan, ordo_scan_job, scan_arrays, scan);
    SLOTS(scan_bits, ordo_bits_job, bits_arrays, scan_bits);
    SLOTS(partition, ordo_partition_job, partition_arrays, partition);
    SEGMENT_SLOTS(radius, ordo_radius_job, radius_arrays, radius);
    SEGMENT_SLOT(is_sorted, ordo_order_job, order_arrays, is_sorted);
    SEGMENT_SLOT(runs, ordo_runs_job, runs_arrays, runs);
    SLOT(count_nans, ordo_count_job, keys_arrays<ordo_count_job>, count_nans);
    SLOTS(nth, ordo_nth_job, nth_arrays, nth);
    table.select = select_keys;
    table.select_scratch = select_keys_scratch;
    table.most_sub_array = CUDA_MOST_SUB_ARRAY;
    table.copy = copy;
    table.devices = cuda_devices;
    table.reserve = cuda_reserve;
    table.held = cuda_held;
    table.sms = cuda_sms;
    table.search = cuda_search;
    table.pack = cuda_pack;
    table.link = &cuda_link;
    table.text = &cuda_text;
    table.dist = &cuda_dist;
    table.sample = ordo_cuda_papers_table()->hybrid.steps;
    table.put_ranks = put_ranks;
    table.put_ranks_work = dev_put_ranks_work;
    table.has_segments = true;
    table.lexsort = lexsort;
    table.lexsort_scratch = verb_scratch<ordo_lexsort_job, lexsort_arrays, dev_lexsort_scratch>;
    table.lexrank = lexrank;
    table.lexrank_scratch = verb_scratch<ordo_lexrank_job, lexrank_arrays, dev_lexrank_scratch>;
    SLOTS(groups, ordo_groups_job, groups_arrays, groups);
    SLOT(weighted_groups, ordo_weighted_groups_job, weighted_groups_arrays, weighted_groups);
    SLOTS(weighted_segments, ordo_weighted_segments_job, weighted_segments_arrays,
          weighted_segments);
    SLOT(move, ordo_move_job, move_arrays, move);
    SLOTS(sort_records, ordo_records_job, records_arrays, sort_records);
    SLOTS(moving, ordo_moving_job, moving_arrays, moving);
    return table;
}

static const ordo_backend table = make_table();

extern "C" __attribute__((visibility("default"))) const ordo_backend *
ordo_backend_table(uint32_t abi)
{
    return abi == ORDO_BACKEND_ABI ? &table : NULL;
}

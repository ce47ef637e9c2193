/* cuda_backend.cu - the function table of the CUDA backend.
 *
 * Every verb takes the same steps: compute the device memory, hold it, copy host arrays in, run the
 * device verb, copy results out. Device arrays are used in place. backend/verbs.h lists the arrays
 * of each job; the job of the device verb differs from the caller's only in these pointers. */
#include "backend/verbs.h"
#include "cuda/columns/weighted_groups.cuh"
#include "cuda/dist/dist.cuh"
#include "cuda/runtime/cuda_arrays.cuh"
#include "cuda/runtime/cuda_dev.cuh"
#include "cuda/runtime/cuda_paths.cuh"
#include "cuda/runtime/cuda_state.cuh"
#include "cuda/segments/segments.cuh"
#include "cuda/text/text.cuh"

/* ---- The arrays of a job ---- */

/* `job` must have a copy of the caller's columns, because the pointers are replaced. */
static void add_columns(const ordo_lexsort_job *job, size_t n, job_arrays *list)
{
    ordo_key_column *const columns = (ordo_key_column *)job->columns;
    for (size_t c = 0; c < job->count; c++)
        add(list, &columns[c].keys, n * cuda_type_size(columns[c].type), READ, "a column");
}

/* Whether a job has an array on the device. A scratch query has no arrays: there the verb has every
 * array that it may use. */
static bool has_array(const ordo_verb &verb, const ordo_array *array, const void *job,
                      bool is_query)
{
    bool const assumed = is_query && (array->use & ORDO_COUNTED) != 0;
    bool const missing = ordo_pointer_in(job, array->field) == NULL && !assumed;
    return !(missing && (array->use & ORDO_OPTIONAL) != 0) && (array->use & ORDO_HOST) == 0 &&
           !((array->use & ORDO_HOST_ALONE) != 0 && ordo_segments_of(&verb, job) == NULL);
}

static job_arrays arrays_of(const ordo_verb &verb, void *job, bool is_query)
{
    job_arrays list = {};
    if (verb.has_columns)
        add_columns((const ordo_lexsort_job *)job, ordo_size_in(job, verb.n), &list);
    for (const ordo_array *array = verb.arrays; array < ordo_arrays_end(&verb); array++) {
        void **const pointer = (void **)((char *)job + array->field);
        if (!has_array(verb, array, job, is_query))
            continue;
        add(&list, pointer, ordo_array_count(&verb, array, job) * ordo_array_size(array, job),
            array->use & (READ | WRITTEN), array->name);
    }
    return list;
}

/* The job gets its own copy of the layout of its segments, which can be replaced. */
static void copy_segments(const ordo_verb &verb, void *job, ordo_segment_view *layout)
{
    *layout = *ordo_segments_of(&verb, job);
    memcpy((char *)job + verb.segments, &layout, sizeof layout);
}

/* Adds the offsets, which can be replaced like other arrays. Result arrays are also copied in,
 * because elements outside the segments must not change. */
static void add_segments(const ordo_verb &verb, void *job, ordo_segment_view *layout,
                         job_arrays *arrays)
{
    if (ordo_segments_of(&verb, job) == NULL)
        return;
    copy_segments(verb, job, layout);
    for (int i = 0; i < arrays->count; i++)
        arrays->at[i].use |= READ;
    if (layout->offsets != NULL && layout->count > 0)
        add(arrays, &layout->offsets, (layout->count + 1) * sizeof *layout->offsets, READ,
            "segments.offsets");
}

/* Jobs of some slots have arrays that depend on the job. */
template <typename JOB> static const ordo_verb &verb_of(const ordo_verb &usual, const JOB *)
{
    return usual;
}
static const ordo_verb &verb_of(const ordo_verb &usual, const ordo_select_job *job)
{
    return job->q != NULL ? ordo_verb_quantiles : usual;
}
static const ordo_verb &verb_of(const ordo_verb &usual, const ordo_groups_job *job)
{
    return job->verb == ORDO_GROUP_RANK ? ordo_verb_group_rank : usual;
}
static const ordo_verb &verb_of(const ordo_verb &usual, const ordo_weighted_job *job)
{
    return job->rank_type != 0 ? ordo_verb_weighted_rank : usual;
}
static const ordo_verb &verb_of(const ordo_verb &usual, const ordo_move_job *job)
{
    return job->scatters ? ordo_verb_scatter : usual;
}

/* ---- Segments as rows ----
 *
 * The verbs take segments whose elements are neighbours. Other segments are copied to rows without
 * gaps, and results are copied back. */

/* Whether the verb of a job takes other segments of a fixed layout only as rows. */
template <typename JOB> static bool needs_rows(const JOB *, const ordo_segment_view *)
{
    return false;
}
/* LR and RL have a place for each element of each segment. */
static bool needs_rows(const ordo_radius_job *, const ordo_segment_view *view)
{
    return segments_overlap(view);
}
/* The same holds for a sorted copy, or an index. */
static bool needs_rows(const ordo_select_job *job, const ordo_segment_view *view)
{
    return job->count > SEGMENT_SELECT_MOST && segments_overlap(view);
}
static bool needs_rows(const ordo_topk_job *job, const ordo_segment_view *view)
{
    return job->k > SEGMENT_TOPK_MOST && segments_overlap(view);
}
/* The segment of element i is i / length. */
static bool needs_rows(const ordo_moving_job *, const ordo_segment_view *view)
{
    return !segments_are_dense(segment_map_of(view, 0));
}
static bool needs_rows(const ordo_weighted_job *, const ordo_segment_view *view)
{
    return !segments_are_dense(segment_map_of(view, 0));
}

struct row_array {
    void **pointer; /* in the job */
    void  *given, *rows;
    size_t size; /* of an element */
    bool   is_read, is_written;
};

struct job_rows { /* count is 0 if the arrays are used as they are */
    ordo_segment_view given;
    row_array         at[ORDO_VERB_ARRAYS];
    int               count;
};

/* Takes the rows from the scratch. If there are some, they become the segments of the job, which
 * are in `layout`; the job still has its arrays. */
template <typename JOB>
static job_rows rows_layout(cuda_scratch *scratch, const ordo_verb &verb, JOB *job,
                            ordo_segment_view *layout, bool is_query)
{
    job_rows rows = {};
    if (ordo_segments_of(&verb, job) == NULL || layout->offsets != NULL ||
        (layout->step == 1 && !needs_rows(job, layout)))
        return rows;
    size_t const n = layout->count * layout->length;
    rows.given = *layout;
    for (const ordo_array *array = verb.arrays; array < ordo_arrays_end(&verb); array++) {
        void **const pointer = (void **)((char *)job + array->field);
        size_t const size = ordo_array_size(array, job);
        /* the source of a sort is read instead of the keys */
        bool const is_read =
            (array->use & READ) != 0 &&
            ((array[1].use & ORDO_INSTEAD) == 0 || ordo_pointer_in(job, array[1].field) == NULL);
        bool const assumed = is_query && (array->use & ORDO_INSTEAD) != 0;
        if ((assumed || has_array(verb, array, job, is_query)) && (array->use & ORDO_EACH) == 0)
            rows.at[rows.count++] = {pointer, *pointer, scratch_take<char>(scratch, n * size),
                                     size,    is_read,  (array->use & WRITTEN) != 0};
    }
    *layout = segment_rows(layout);
    memcpy((char *)job + verb.n, &n, sizeof n);
    return rows;
}

/* The scratch of a job on the device, and of its rows. */
template <typename JOB, size_t (*scratch)(const JOB *)>
static size_t scratch_with_rows(const ordo_verb &of, const JOB *given, bool is_query)
{
    const ordo_segment_view *const segments = ordo_segments_of(&of, given);
    JOB                            job = *given;
    ordo_segment_view              layout;
    cuda_scratch                   counted = {};
    if (segments == NULL)
        return scratch(given);
    copy_segments(of, &job, &layout);
    (void)rows_layout(&counted, of, &job, &layout, is_query);
    return counted.used + scratch(&job);
}

template <typename JOB, ordo_status (*run)(cuda_call *, const JOB *)>
static ordo_status run_with_rows(cuda_call *call, const ordo_verb &of, JOB *job,
                                 ordo_segment_view *layout)
{
    job_rows const rows = rows_layout(&call->scratch, of, job, layout, false);
    for (int i = 0; i < rows.count; i++) {
        const row_array &array = rows.at[i];
        if (array.is_read)
            TRY(segments_to_rows(call, &rows.given, array.given, array.size, array.rows));
        *array.pointer = array.rows;
    }
    TRY(run(call, job));
    for (int i = 0; i < rows.count; i++) {
        const row_array &array = rows.at[i];
        *array.pointer = array.given;
        if (array.is_written)
            TRY(segments_from_rows(call, &rows.given, array.rows, array.size, array.given));
    }
    return ORDO_OK;
}

/* ---- Verbs ---- */

template <typename JOB, const ordo_verb &VERB, size_t (*scratch)(const JOB *)>
static size_t verb_scratch(const JOB *given, const ordo_exec *exec)
{
    const ordo_verb  &of = verb_of(VERB, given);
    JOB               job = *given;
    ordo_segment_view layout;
    job_arrays        arrays = arrays_of(of, &job, true);
    add_segments(of, &job, &layout, &arrays);
    return ordo_is_void(&of, given)
               ? 0
               : arrays_bytes(&arrays, exec) + scratch_with_rows<JOB, scratch>(of, given, true);
}

template <typename JOB, const ordo_verb &VERB, size_t (*scratch)(const JOB *),
          ordo_status (*run)(cuda_call *, const JOB *)>
static ordo_status verb(void *state, const JOB *given, ordo_exec *exec)
{
    const ordo_verb &of = verb_of(VERB, given);
    if (ordo_is_void(&of, given))
        return ORDO_OK;
    JOB               job = *given;
    ordo_segment_view layout;
    job_arrays        arrays = arrays_of(of, &job, false);
    add_segments(of, &job, &layout, &arrays);
    return with_arrays(
        state, exec, &arrays, scratch_with_rows<JOB, scratch>(of, given, false),
        [&](cuda_call *call) { return run_with_rows<JOB, run>(call, of, &job, &layout); });
}

/* Runs a job on a copy of its columns, because host arrays get other addresses on the device. */
template <typename JOB, ordo_status (*run)(void *, const JOB *, ordo_exec *)>
static ordo_status with_columns(void *state, const JOB *given, ordo_exec *exec)
{
    ordo_key_column columns[ORDO_COLUMNS_MOST];
    JOB             job = *given;
    memcpy(columns, given->columns, given->count * sizeof *columns);
    job.columns = columns;
    return run(state, &job, exec);
}

/* The result of a selection may go to the host although the keys are on the device; then the call
 * waits. */
static size_t any_select_scratch(const ordo_select_job *job)
{
    return job->segments != NULL
               ? dev_segments_select_scratch(job)
               : dev_select_scratch(job) +
                     ordo_round_up(job->count * sizeof(uint64_t), CUDA_SCRATCH_ALIGN);
}

static ordo_status any_select(cuda_call *call, const ordo_select_job *job)
{
    size_t const    bytes = job->count * cuda_type_size(job->type);
    ordo_select_job copy = *job;
    if (job->segments != NULL)
        return dev_segments_select(call, job);
    if (call->exec->on_device && !job->out_on_host)
        return dev_select(call, job);
    copy.out = scratch_take<char>(&call->scratch, bytes);
    TRY(dev_select(call, &copy));
    if (bytes <= CUDA_FETCH_BYTES)
        return call_fetch(call, job->out, copy.out, bytes);
    TRY(call_may_answer(call));
    CUDA_TRY(call->exec,
             cudaMemcpyAsync(job->out, copy.out, bytes, cudaMemcpyDeviceToHost, call->stream));
    CUDA_TRY(call->exec, cudaStreamSynchronize(call->stream));
    return ORDO_OK;
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

/* The functions of the device have the prefix `dev`, or `any` with segments. */
#define SLOT(slot, job, prefix)                                                                    \
    table.slot = verb<job, ordo_verb_##slot, prefix##_##slot##_scratch, prefix##_##slot>

#define SLOTS(slot, job, prefix)                                                                   \
    SLOT(slot, job, prefix);                                                                       \
    table.slot##_scratch = verb_scratch<job, ordo_verb_##slot, prefix##_##slot##_scratch>

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
    SLOTS(sort, ordo_sort_job, any);
    SLOTS(sort_pairs, ordo_pairs_job, any);
    SLOTS(argsort, ordo_argsort_job, any);
    SLOTS(rank, ordo_rank_job, any);
    SLOTS(rank_sorted, ordo_rank_sorted_job, any);
    SLOTS(topk, ordo_topk_job, any);
    SLOTS(scan, ordo_scan_job, any);
    SLOTS(scan_bits, ordo_bits_job, dev);
    SLOTS(partition, ordo_partition_job, dev);
    SLOTS(radius, ordo_radius_job, any);
    SLOT(is_sorted, ordo_order_job, any);
    SLOT(runs, ordo_runs_job, any);
    SLOT(count_nans, ordo_count_job, dev);
    SLOTS(nth, ordo_nth_job, dev);
    SLOTS(select, ordo_select_job, any);
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
    SLOTS(lexsort, ordo_lexsort_job, dev);
    SLOTS(lexrank, ordo_lexrank_job, dev);
    table.lexsort =
        with_columns<ordo_lexsort_job,
                     verb<ordo_lexsort_job, ordo_verb_lexsort, dev_lexsort_scratch, dev_lexsort>>;
    table.lexrank =
        with_columns<ordo_lexrank_job,
                     verb<ordo_lexrank_job, ordo_verb_lexrank, dev_lexrank_scratch, dev_lexrank>>;
    SLOTS(groups, ordo_groups_job, dev);
    SLOT(weighted_groups, ordo_weighted_groups_job, dev);
    SLOTS(weighted, ordo_weighted_job, dev);
    SLOT(move, ordo_move_job, dev);
    SLOTS(sort_records, ordo_records_job, dev);
    SLOTS(moving, ordo_moving_job, dev);
    return table;
}

static const ordo_backend table = make_table();

extern "C" __attribute__((visibility("default"))) const ordo_backend *
ordo_backend_table(uint32_t abi)
{
    return abi == ORDO_BACKEND_ABI ? &table : NULL;
}

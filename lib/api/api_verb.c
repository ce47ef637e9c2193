/* api_verb.c - does the job of a verb on a whole array, on segments, or as a size query, by the
 * rows of the verb (backend/verbs.h).
 *
 * A device that has segments gets them in its job. For the CPU every segment is a job of its own: a
 * copy of the job whose arrays begin at the segment. */
#include "api/api.h"

/* ---- The slots ---- */

ordo_status api_run_slot(const api_work *work, const void *job, ordo_exec *exec)
{
    const ordo_backend *const backend = work->choice->backend;
    switch (work->verb->slot) {
#define RUN_SLOT(slot, job_type)                                                                   \
    case ORDO_SLOT_##slot:                                                                         \
        TRY(api_check_slot(exec, work->choice, backend->slot != NULL, #slot));                     \
        return backend->slot(work->choice->state, job, exec);
        ORDO_SIZED_SLOTS(RUN_SLOT)
        ORDO_OTHER_SLOTS(RUN_SLOT)
#undef RUN_SLOT
    case ORDO_SLOT_none:
        break;
    }
    return ORDO_E_UNSUPPORTED;
}

size_t api_slot_scratch(const api_work *work, const void *job, const ordo_exec *exec)
{
    const ordo_backend *const backend = work->choice->backend;
    switch (work->verb->slot) {
#define SLOT_SCRATCH(slot, job_type)                                                               \
    case ORDO_SLOT_##slot:                                                                         \
        return backend->slot##_scratch == NULL ? 0 : backend->slot##_scratch(job, exec);
        ORDO_SIZED_SLOTS(SLOT_SCRATCH)
#undef SLOT_SCRATCH
    default:
        return 0;
    }
}

static ordo_status run(const api_work *work, void *job, ordo_exec *exec)
{
    return work->run != NULL ? work->run(work, job, exec) : api_run_slot(work, job, exec);
}

static size_t scratch_of(const api_work *work, void *job, const ordo_exec *exec)
{
    return work->scratch != NULL ? work->scratch(work, job, exec)
                                 : api_slot_scratch(work, job, exec);
}

/* ---- Segments, one by one ---- */

enum {
    SMALL_JOB = 80 /* bytes; copies of jobs of up to so many bytes copy these */
};

typedef union segment_job { /* the job of any verb with segments */
    ordo_sort_job        sort;
    ordo_pairs_job       sort_pairs;
    ordo_argsort_job     argsort;
    ordo_rank_job        rank;
    ordo_rank_sorted_job rank_sorted;
    ordo_select_job      select;
    ordo_topk_job        topk;
    ordo_nth_job         nth;
    ordo_scan_job        scan;
    ordo_order_job       order;
    ordo_radius_job      radius;
    ordo_runs_job        runs;
    ordo_moving_job      moving;
    ordo_weighted_job    weighted;
} segment_job;

typedef struct each_call { /* a call on segments, for the functions that do a segment */
    const api_work   *work;
    ordo_segments_job each;
    segment_job       job;      /* has no segments */
    size_t            n;        /* where the job has the number of its elements */
    bool              is_small; /* it has at most SMALL_JOB bytes */
    size_t            places;   /* arrays of `each` */
    size_t            count;
    struct each_array {
        size_t field;   /* where the job has its pointer */
        size_t place;   /* of its elements in each.arrays */
        char  *results; /* not NULL: the results of the first segment, instead of elements */
        size_t step;    /* bytes of the results of a segment */
    } arrays[ORDO_VERB_ARRAYS];
} each_call;

/* Sets the fields of the job on segment i, which has n elements. */
static inline void point_to_segment(const each_call *call, segment_job *job, size_t i, size_t n,
                                    void *const *at)
{
    if (call->is_small)
        memcpy(job, &call->job, SMALL_JOB);
    else
        *job = call->job;
    memcpy((char *)job + call->n, &n, sizeof n);
    for (size_t a = 0; a < call->count; a++) {
        const struct each_array *const array = &call->arrays[a];
        void *const                    here =
            array->results != NULL ? array->results + i * array->step : at[array->place];
        memcpy((char *)job + array->field, &here, sizeof here);
    }
}

static ordo_status do_segment(const void *arg, size_t i, size_t n, void *const *at, ordo_exec *exec)
{
    const each_call *const call = arg;
    segment_job            job;
    point_to_segment(call, &job, i, n, at);
    return run(call->work, &job, exec);
}

static ordo_status do_rows(const void *arg, size_t i, size_t count, size_t n, void *const *at,
                           ordo_exec *exec)
{
    const each_call *const call = arg;
    const api_work *const  work = call->work;
    size_t const           most = work->rows_elements == 0 ? count : work->rows_elements / n;
    segment_job            job;
    for (size_t done = 0, rows; done < count; done += rows) {
        void *here[ORDO_SEGMENT_ARRAYS];
        for (size_t a = 0; a < call->places; a++)
            here[a] = at[a] == NULL ? NULL : (char *)at[a] + done * n * call->each.arrays[a].size;
        point_to_segment(call, &job, i + done, n, here);
        rows = ordo_min(most, count - done);
        TRY(work->rows(work, &job, rows, exec));
    }
    return ORDO_OK;
}

static size_t segment_scratch(const void *arg, size_t n, const ordo_exec *exec)
{
    const each_call *const call = arg;
    segment_job            job = call->job;
    memcpy((char *)&job + call->n, &n, sizeof n);
    return scratch_of(call->work, &job, exec);
}

/* Adds an array of the job to the arrays of the segments, or to the results. */
static void add_array(each_call *call, const ordo_array *array, const void *job)
{
    const ordo_verb *const    verb = call->work->verb;
    ordo_segment_array *const all = call->each.arrays;
    size_t const              size = ordo_array_size(array, job);
    void *const               base = ordo_pointer_in(job, array->field);
    struct each_array        *to = &call->arrays[call->count];
    if ((array->use & ORDO_EACH) != 0) {
        call->each.has_results = true;
        if (base != NULL) {
            *to = (struct each_array){array->field, 0, base,
                                      ordo_array_each(verb, array, job) * size};
            call->count++;
        }
        return;
    }
    bool const in_place = (array->use & ORDO_IN_PLACE) != 0 && base == all[0].base &&
                          size == all[0].size && base != NULL;
    *to = (struct each_array){.field = array->field, .place = in_place ? 0 : call->places};
    call->count++;
    if (in_place)
        all[0].is_written = true;
    if ((array->use & ORDO_INSTEAD) != 0 && base != NULL)
        all[call->places - 1].is_read = false;
    all[call->places++] =
        (ordo_segment_array){in_place ? NULL : base, size, (array->use & ORDO_READ) != 0,
                             (array->use & ORDO_WRITTEN) != 0};
}

/* Whether the job has nothing to read or to write: all segments are empty, and there are no results
 * for each segment. */
static bool is_void(const api_segments *segments, const ordo_segments_job *job)
{
    bool writes = false;
    for (size_t i = 0; i < ORDO_SEGMENT_ARRAYS; i++)
        writes |= job->arrays[i].is_written;
    return writes && !job->has_results && segments->longest == 0;
}

static ordo_status do_each(ordo_exec *exec, const api_work *work, const api_segments *segments,
                           size_t *bytes)
{
    static const ordo_segment_view none = {.step = 1, .group = 1};
    const ordo_choice *const       choice = work->choice;
    const ordo_verb *const         verb = work->verb;
    const void *const              whole = NULL;
    each_call                      call = {.work = work,
                                           .n = verb->n,
                                           .is_small = verb->job_bytes <= SMALL_JOB,
                                           .each = {.one = do_segment,
                                                    .rows = work->rows != NULL ? do_rows : NULL,
                                                    .rows_most = work->rows_most,
                                                    .scratch = segment_scratch,
                                                    .needs_scratch = work->needs_scratch,
                                                    .arg = &call}};
    FAIL_IF(choice->backend->segments == NULL, ORDO_E_UNSUPPORTED,
            "the %s backend cannot do this call on segments; expected CPU arrays and a context "
            "that may use the CPU",
            choice->backend->name);
    for (const ordo_array *array = verb->arrays; array < ordo_arrays_end(verb); array++)
        if ((array->use & ORDO_HOST) == 0)
            add_array(&call, array, work->job);
    memcpy(&call.job, work->job, verb->job_bytes);
    memcpy((char *)&call.job + verb->segments, &whole, sizeof whole);
    call.each.view = is_void(segments, &call.each) ? &none : &segments->view;
    if (bytes != NULL) {
        *bytes = api_scratch_total(choice->backend->segments_scratch(&call.each, exec));
        return ORDO_OK;
    }
    if (call.each.arrays[0].is_written)
        exec->changed = true;
    return choice->backend->segments(choice->state, &call.each, exec);
}

/* ---- Any job ---- */

ordo_status api_do_any(ordo_exec *exec, const api_work *work, const api_segments *segments,
                       size_t *bytes)
{
    const ordo_segment_view *const view = segments->given ? &segments->view : NULL;
    ordo_choice *const             choice = work->choice;
    bool                           written = false; /* results, by a device that failed */
    ordo_status                    status;
    memcpy((char *)work->job + work->verb->segments, &view, sizeof view);
    do {
        if (view != NULL && !choice->backend->has_segments)
            status = do_each(exec, work, segments, bytes);
        else if (bytes != NULL) {
            *bytes = api_scratch_total(view != NULL ? api_slot_scratch(work, work->job, exec)
                                                    : scratch_of(work, work->job, exec));
            return ORDO_OK;
        } else
            status =
                view != NULL ? api_run_slot(work, work->job, exec) : run(work, work->job, exec);
        if (work->keeps_keys) {
            written = written || (status == ORDO_E_DEVICE && exec->changed);
            exec->changed = false;
        }
    } while (status != ORDO_OK && bytes == NULL && work->repeats != NULL &&
             api_again(work->repeats, exec, status, choice));
    FAIL_IF(status == ORDO_E_NOMEM && written, ORDO_E_DEVICE,
            "the device failed, and the CPU has too little memory; the results are unspecified");
    return status;
}

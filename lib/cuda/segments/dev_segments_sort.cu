/* dev_segments_sort.cu - sort, sort_pairs, argsort and rank over segments.
 *
 * Each verb sorts the records of all segments (segment_sort.cuh) and differs in what it writes:
 * keys, indices or ranks. Pairs write an order of the whole array, by which keys and values are
 * then gathered. Huge segments of a fixed length are sorted one after the other by the whole-array
 * verbs. Scratch depends on n and on the number of segments only, not on the offsets. */
#include "cuda/runtime/cuda_dev.cuh"
#include "cuda/segments/dev_segments_sort.cuh"
#include "cuda/segments/segment_alone.cuh"
#include "cuda/sort/dev_radix.cuh"

static bool is_separate(const ordo_segment_view *view)
{
    return view->offsets == NULL && view->length >= CUDA_TUNE_SEGMENT_SEPARATE;
}

static bool is_empty(const ordo_segment_view *view)
{
    return view->count == 0 || (view->offsets == NULL && view->length == 0);
}

struct sort_options { /* one verb on segments whose elements are neighbours */
    ordo_type         type;
    bool              descending;
    const void       *in;
    void             *out;
    size_t            n;
    ordo_segment_view view;
    segment_result    result;
    size_t            out_size;
    ordo_ties         ties = {}; /* ranks */
    bool              real_ranks = false;
};

/* The tables for segments that are distributed over buckets. */
static segment_split split_layout(cuda_scratch *scratch, size_t n, size_t tiles, size_t record_size,
                                  const segment_limits &classes)
{
    segment_split split = {};
    split.entries = tiles * segment_split_each(record_size);
    split.splitters = scratch_take<char>(scratch, split.entries * record_size);
    split.counts = scratch_take<uint32_t>(scratch, split.entries);
    split.bounds = scratch_take<uint64_t>(scratch, split.entries);
    split.lists = segment_lists_layout(scratch, n, split.entries - 1, classes);
    return split;
}

static segment_plan plan_of(cuda_scratch *scratch, const sort_options *options)
{
    const ordo_segment_view *const view = &options->view;
    size_t const                   bits = cuda_type_size(options->type) == 8 ? 8 : 4;
    bool const                     fixed = view->offsets == NULL;
    bool const                     keys = options->result == RESULT_KEYS;
    segment_plan                   plan = {};
    plan.shortest = fixed ? view->length : 0;
    plan.longest = fixed ? view->length : options->n;
    plan.record_size = keys ? bits : bits == 4 && plan.longest < UINT32_MAX ? 8 : 16;
    segment_limits const classes = segment_sort_classes(plan.record_size);
    plan.classes = segment_classes_layout(scratch, view, options->n, classes);
    if (plan.longest <= classes.limits[SEGMENT_LISTS - 1])
        return plan;
    /* A merge of segments that overlap because of bad offsets may read beyond the end. */
    size_t const room = options->n + MERGE_TILE;
    plan.records[0] = scratch_take<char>(scratch, room * plan.record_size);
    plan.records[1] = scratch_take<char>(scratch, room * plan.record_size);
    if (options->result == RESULT_RANKS && options->ties == ORDO_TIES_DENSE)
        plan.heads = scratch_take<uint32_t>(scratch, plan.classes.most_tiles);
    if (plan.longest >= UINT32_MAX)
        return plan; /* tiles are merged */
    uint16_t *const ids = scratch_take<uint16_t>(scratch, options->n);
    size_t const    segments = segment_slots_most(plan.classes);
    plan.levels = plan.longest > CUDA_TUNE_SEGMENT_TWICE * classes.tile ? 2 : 1;
    for (size_t level = 0, tiles = plan.classes.most_tiles; level < plan.levels; level++) {
        segment_split *const split = &plan.splits[level];
        *split = split_layout(scratch, options->n, tiles, plan.record_size, classes);
        split->ids = ids;
        split->segments =
            level == 0 ? segments : (size_t)plan.splits[0].lists.room[SEGMENT_LISTS - 1];
        if (level == 0 || keys) /* records with equal keys are in no order in a bucket */
            split->falls = scratch_take<uint32_t>(scratch, split->segments + SPLIT_COUNTS);
        tiles = split->lists.tiles;
    }
    if (!keys || cuda_type_size(options->type) != 4)
        return plan;
    if (plan.shortest <= SEGMENT_EVEN_LONGEST)
        plan.even = segment_even_layout(scratch, segments, plan.classes.most_tiles);
    if (plan.longest > SEGMENT_HUGE)
        plan.huge = segment_huge_layout(scratch, options->n);
    return plan;
}

/* Calls f with the code of a type in words of 4 or 8 bytes. */
template <typename F> static ordo_status with_segment_code(const sort_options *options, F &&f)
{
    key_ties const ties = options->result == RESULT_KEYS ? KEY_TOTAL : KEY_FOLDED;
    return with_key_code(options->type, options->descending, ties, [&](auto code) {
        typedef decltype(code)                                      CODE;
        typedef typename word_of<sizeof(typename CODE::BITS)>::type WORD;
        key_code_by_width<WORD>                                     any = {};
        any.is_real = CODE::is_float;
        if constexpr (CODE::is_float)
            any.real = code;
        else
            any.integer.flip = code.flip;
        return f(any);
    });
}

static ordo_status sort_records(cuda_call *call, const sort_options *options)
{
    segment_plan const plan = plan_of(&call->scratch, options);
    call->exec->algorithm = "merge";
    call->exec->facts.strategy = ORDO_STRATEGY_SEGMENTS;
    return with_segment_code(options, [&](auto code) {
        typedef typename decltype(code)::BITS BITS;
        segment_job<BITS> const               job = {code,
                                                     options->in,
                                                     options->out,
                                                     NULL,
                                                     options->result,
                                                     options->ties,
                                                     (uint16_t)cuda_type_size(options->type),
                                                     (uint16_t)options->out_size,
                                                     options->real_ranks};
        return options->result == RESULT_KEYS ? segments_sort_keys(call, &plan, job)
                                              : segments_sort_index(call, &plan, job);
    });
}

static ordo_status check_algorithm(cuda_call *call, ordo_algorithm algorithm)
{
    if (algorithm == ORDO_ALGORITHM_AUTO)
        return ORDO_OK;
    return ordo_fail(call->exec, ORDO_E_UNSUPPORTED,
                     "a GPU sorts segments only by the algorithm auto");
}

/* ---- Verbs that read keys and write one array ---- */

template <typename JOB> struct segment_verb {
    const ordo_verb &of;
    sort_options (*options)(const JOB *job);
    size_t (*alone_scratch)(const JOB *one);
    ordo_status (*run_alone)(cuda_call *call, const JOB *one);
};

template <typename JOB> static size_t verb_scratch(const segment_verb<JOB> &verb, const JOB *job)
{
    if (is_empty(job->segments))
        return 0;
    if (is_separate(job->segments)) {
        JOB const one = segment_alone(verb.of, job, 0);
        return verb.alone_scratch(&one);
    }
    sort_options const options = verb.options(job);
    return scratch_of(plan_of, &options);
}

template <typename JOB>
static ordo_status verb_run(cuda_call *call, const segment_verb<JOB> &verb, const JOB *job)
{
    TRY(check_algorithm(call, job->algorithm));
    if (is_empty(job->segments))
        return ORDO_OK;
    sort_options const options = verb.options(job);
    return is_separate(job->segments) ? segments_each_alone(call, verb.of, job, verb.run_alone)
                                      : sort_records(call, &options);
}

/* ---- Sort ---- */

static sort_options keys_options(const ordo_sort_job *job)
{
    return {job->type,
            job->descending,
            job->source != NULL ? job->source : job->keys,
            job->keys,
            job->n,
            *job->segments,
            RESULT_KEYS,
            cuda_type_size(job->type)};
}

static ordo_status sort_alone(cuda_call *call, const ordo_sort_job *one)
{
    ordo_sort_job here = *one;
    if (one->source != NULL)
        CUDA_TRY(call->exec,
                 cudaMemcpyAsync(one->keys, one->source, one->n * cuda_type_size(one->type),
                                 cudaMemcpyDefault, call->stream));
    here.source = NULL;
    return dev_radix_keys(call, &here);
}

static const segment_verb<ordo_sort_job> sort_verb = {ordo_verb_sort, keys_options,
                                                      dev_radix_keys_scratch, sort_alone};

size_t dev_segments_sort_scratch(const ordo_sort_job *job) { return verb_scratch(sort_verb, job); }

ordo_status dev_segments_sort(cuda_call *call, const ordo_sort_job *job)
{
    if (job->algorithm == ORDO_ALGORITHM_AUTO && !is_empty(job->segments))
        call->exec->changed = true;
    return verb_run(call, sort_verb, job);
}

/* ---- Pairs ---- */

struct pairs_layout {
    sort_options   options;
    void          *order;
    size_t         order_size;
    gather_buffers gather;
};

static pairs_layout layout_pairs(cuda_scratch *scratch, const ordo_pairs_job *job)
{
    pairs_layout layout = {};
    size_t const n = job->keys.n;
    layout.order_size = n < UINT32_MAX ? sizeof(uint32_t) : sizeof(uint64_t);
    layout.order = scratch_take<char>(scratch, n * layout.order_size);
    layout.options = keys_options(&job->keys);
    layout.options.in = job->keys.keys;
    layout.options.out = layout.order;
    layout.options.result = RESULT_ORDER;
    layout.options.out_size = layout.order_size;
    size_t const start = scratch->used;
    (void)plan_of(scratch, &layout.options);
    size_t const sort_end = scratch->used;
    scratch->used = start; /* the copies are made after the sort, in the same memory */
    layout.gather = gather_layout(scratch, job);
    scratch->used = ordo_max(scratch->used, sort_end);
    return layout;
}

size_t dev_segments_sort_pairs_scratch(const ordo_pairs_job *job)
{
    if (is_empty(job->keys.segments))
        return 0;
    if (!is_separate(job->keys.segments))
        return scratch_of(layout_pairs, job);
    ordo_pairs_job const one = segment_alone(ordo_verb_sort_pairs, job, 0);
    return dev_radix_pairs_scratch(&one);
}

ordo_status dev_segments_sort_pairs(cuda_call *call, const ordo_pairs_job *job)
{
    const ordo_segment_view *const view = job->keys.segments;
    TRY(check_algorithm(call, job->keys.algorithm));
    if (is_empty(view))
        return ORDO_OK;
    call->exec->changed = true;
    if (is_separate(view))
        return segments_each_alone(call, ordo_verb_sort_pairs, job, dev_radix_pairs);
    cuda_scratch       scratch = call->scratch;
    pairs_layout const layout = layout_pairs(&scratch, job);
    size_t const       bytes = job->keys.n * layout.order_size;
    /* All ones marks elements outside the segments, which are not gathered. */
    CUDA_TRY(call->exec, cudaMemsetAsync(layout.order, 0xff, bytes, call->stream));
    /* The plan of the sort is in scratch after the order. */
    call->scratch.used = (size_t)((char *)layout.order - call->scratch.base) +
                         ordo_round_up(bytes, CUDA_SCRATCH_ALIGN);
    TRY(sort_records(call, &layout.options));
    return dev_gather_pairs(call, job, layout.order, layout.order_size == sizeof(uint64_t),
                            layout.gather);
}

/* ---- Argsort ---- */

static sort_options index_options(const ordo_argsort_job *job)
{
    return {job->type, job->descending, job->keys,    job->index,
            job->n,    *job->segments,  RESULT_INDEX, cuda_type_size(job->index_type)};
}

static const segment_verb<ordo_argsort_job> argsort_verb = {
    ordo_verb_argsort, index_options, dev_radix_argsort_scratch, dev_radix_argsort};

size_t dev_segments_argsort_scratch(const ordo_argsort_job *job)
{
    return verb_scratch(argsort_verb, job);
}

ordo_status dev_segments_argsort(cuda_call *call, const ordo_argsort_job *job)
{
    return verb_run(call, argsort_verb, job);
}

/* ---- Rank ---- */

static sort_options rank_options(const ordo_rank_job *job)
{
    return {job->type,    job->descending,
            job->keys,    job->ranks,
            job->n,       *job->segments,
            RESULT_RANKS, cuda_type_size(job->rank_type),
            job->ties,    job->rank_type == ORDO_F64};
}

static const segment_verb<ordo_rank_job> rank_verb = {ordo_verb_rank, rank_options,
                                                      dev_rank_scratch, dev_rank};

size_t dev_segments_rank_scratch(const ordo_rank_job *job) { return verb_scratch(rank_verb, job); }

ordo_status dev_segments_rank(cuda_call *call, const ordo_rank_job *job)
{
    return verb_run(call, rank_verb, job);
}

/* dev_radix.cu - the radix sort of keys, pairs and indices: which arrays are used and what moves
 * with the keys. dev_radix_run.cuh has the sort itself.
 *
 * Keys of one and two bytes without values are counted (dev_count.cu). Aligned values of 4 and 8
 * bytes move with the keys; other values of up to 8 bytes are converted to words that move with the
 * keys. For longer values an index moves, and both arrays are gathered at the end (dev_gather.cu).
 * The first step makes the indices. Indices have 32 bits during the sort if n fits; the last step
 * widens them. */
#include "cuda/sort/dev_radix.cuh"
#include "cuda/sort/dev_radix_run.cuh"

struct radix_layout {
    radix_job      job;
    radix_tables   tables;
    gather_buffers gather;
    void          *index; /* index for pairs that are gathered */
};

static ordo_status run(cuda_call *call, const radix_layout *layout, ordo_type type, bool descending)
{
    const radix_job *const job = &layout->job;
    call->exec->algorithm = "radix";
    bool const cluster = radix_fits_cluster(call, job);
    if (radix_is_small(call, job) && (!cluster || job->n <= CUDA_TUNE_RADIX_CLUSTER_ABOVE)) {
        call->exec->facts.strategy = ORDO_STRATEGY_BLOCK;
        return radix_small(call, job, type, descending);
    }
    if (cluster) {
        call->exec->facts.strategy = ORDO_STRATEGY_CLUSTER;
        return radix_cluster(call, job, type, descending);
    }
    call->exec->facts.strategy = ORDO_STRATEGY_DEVICE_DIGITS;
    if (job->value_size != 0)
        return radix_run_values(call, job, type, descending, layout->tables);
    return with_radix_code<false>(type, descending, KEY_TOTAL, [&](auto code) {
        return radix_run<radix_no_value>(call, job, code, layout->tables);
    });
}

/* Whether evenly spread keys of this type are partitioned when they are sorted alone. */
static bool serves_keys(ordo_type type)
{
    return even_serves(cuda_type_size(type), type == ORDO_F32 || type == ORDO_F64, 0);
}

static radix_job describe(ordo_type type, size_t n, size_t value_size)
{
    radix_job job;
    memset(&job, 0, sizeof job);
    job.n = n;
    job.key_size = (uint16_t)cuda_type_size(type);
    job.value_size = job.value_out = (uint16_t)value_size;
    job.finish = job.key_size >= 4;
    job.grid = job.key_size == 4 && n > CUDA_TUNE_GRID_ABOVE && n <= CUDA_TUNE_GRID_TO;
    job.leaf = n > CUDA_TUNE_LEAF_FROM && n <= CUDA_TUNE_LEAF_TO &&
               (job.key_size == 4 ? value_size <= 4 : job.key_size == 8 && value_size == 0);
    job.even = value_size == 0 && serves_keys(type) && even_codes(n, job.key_size) != 0;
    return job;
}

/* The number of elements of an array of keys or values. `even`: keys of this kind are partitioned
 * if there are enough. */
static size_t places_of(const radix_job &job, bool even, unsigned array)
{
    return even && array == job.even_to ? even_places(job.n) : job.n;
}

static radix_layout layout_keys(cuda_scratch *scratch, const ordo_sort_job *sort)
{
    radix_layout layout = {};
    layout.job = describe(sort->type, sort->n, 0);
    bool const even = serves_keys(sort->type);
    layout.job.even_to = 1;
    layout.job.keys[0] = sort->keys;
    layout.job.keys[1] =
        scratch_take<char>(scratch, places_of(layout.job, even, 1) * layout.job.key_size);
    layout.tables = radix_tables_layout(scratch, sort->n, layout.job.key_size, 0);
    return layout;
}

/* Whether keys are counted: keys of 1 or 2 bytes, too many for one block. */
static bool counted(const ordo_sort_job *job)
{
    return cuda_type_size(job->type) < 4 && job->n > CUDA_TUNE_RADIX_SMALL;
}

size_t dev_radix_keys_scratch(const ordo_sort_job *job)
{
    return counted(job) ? dev_count_keys_scratch(job) : scratch_of(layout_keys, job);
}

ordo_status dev_radix_keys(cuda_call *call, const ordo_sort_job *job)
{
    call->exec->algorithm = "radix";
    if (job->n < 2)
        return ORDO_OK;
    call->exec->changed = true;
    if (counted(job)) {
        call->exec->facts.strategy = ORDO_STRATEGY_COUNTING;
        return dev_count_keys(call, job);
    }
    radix_layout const layout = layout_keys(&call->scratch, job);
    return run(call, &layout, job->type, job->descending);
}

/* Layout of a sort of the indices of the keys into `index`, with index_size bytes each. */
static radix_layout layout_index(cuda_scratch *scratch, ordo_type type, const void *keys, size_t n,
                                 void *index, size_t index_size, bool keep_keys)
{
    size_t const carried = n <= UINT32_MAX ? 4 : 8;
    radix_layout layout = {};
    layout.job = describe(type, n, carried);
    size_t const key_bytes = ordo_max(layout.job.key_size, 4);
    layout.job.source = keys;
    layout.job.leaf = false;
    bool const even = even_serves(layout.job.key_size, false, carried);
    layout.job.even = even && even_codes(n, layout.job.key_size) != 0;
    layout.job.keep_keys = keep_keys;
    layout.job.value_out = (uint16_t)index_size;
    /* The partitions end in arrays 0, where the leaves sort in place, or, if the leaves widen the
     * indices, in arrays 1. The array of wide indices has room for a region of each bucket. */
    layout.job.even_to = index_size == carried;
    layout.job.keys[0] = scratch_take<char>(scratch, places_of(layout.job, even, 0) * key_bytes);
    layout.job.keys[1] = scratch_take<char>(scratch, places_of(layout.job, even, 1) * key_bytes);
    layout.job.values[0] = index;
    layout.job.values[1] = scratch_take<char>(scratch, places_of(layout.job, even, 1) * carried);
    layout.tables = radix_tables_layout(scratch, n, layout.job.key_size, carried);
    return layout;
}

static radix_layout layout_argsort(cuda_scratch *scratch, const ordo_argsort_job *job, bool keep)
{
    return layout_index(scratch, job->type, job->keys, job->n, job->index,
                        cuda_type_size(job->index_type), keep);
}

size_t dev_radix_argsort_scratch(const ordo_argsort_job *job)
{
    return scratch_of(layout_argsort, job, true);
}

ordo_status dev_argsort_keys(cuda_call *call, const ordo_argsort_job *job, void **sorted_bits)
{
    radix_layout const layout = layout_argsort(&call->scratch, job, sorted_bits != NULL);
    if (sorted_bits != NULL)
        *sorted_bits = layout.job.keys[0];
    call->exec->algorithm = "radix";
    return job->n == 0 ? ORDO_OK : run(call, &layout, job->type, job->descending);
}

ordo_status dev_radix_argsort(cuda_call *call, const ordo_argsort_job *job)
{
    return dev_argsort_keys(call, job, NULL);
}

enum pairs_way {
    MOVED,
    AS_WORDS,
    GATHERED
};

static pairs_way way_of(const ordo_pairs_job *pairs)
{
    size_t const size = pairs->value_size;
    bool const   word = (size == 4 || size == 8) && (uintptr_t)pairs->values % size == 0;
    return word ? MOVED : size <= 8 ? AS_WORDS : GATHERED;
}

static radix_layout layout_moved(cuda_scratch *scratch, const ordo_pairs_job *pairs, bool as_words)
{
    size_t const n = pairs->keys.n, word = pairs->value_size <= 4 ? 4 : 8;
    radix_layout layout = {};
    layout.job = describe(pairs->keys.type, n, word);
    layout.job.keys[0] = pairs->keys.keys;
    layout.job.keys[1] = scratch_take<char>(scratch, n * layout.job.key_size);
    layout.job.values[0] = as_words ? scratch_take<char>(scratch, n * word) : pairs->values;
    layout.job.values[1] = scratch_take<char>(scratch, n * word);
    layout.job.grid &= n <= CUDA_TUNE_GRID_PAIRS;
    /* Also for more keys, because scratch for n is enough for fewer. */
    if (layout.job.key_size == 4)
        layout.job.index = scratch_take<uint32_t>(scratch, ordo_min(n, CUDA_TUNE_GRID_PAIRS));
    layout.tables = radix_tables_layout(scratch, n, layout.job.key_size, word);
    return layout;
}

static radix_layout layout_gathered(cuda_scratch *scratch, const ordo_pairs_job *pairs)
{
    size_t const n = pairs->keys.n, carried = n <= UINT32_MAX ? 4 : 8;
    void *const  index = scratch_take<char>(scratch, n * carried);
    size_t const start = scratch->used;
    radix_layout layout =
        layout_index(scratch, pairs->keys.type, pairs->keys.keys, n, index, carried, false);
    size_t const sort_end = scratch->used;
    scratch->used = start; /* the copies are made after the sort, in the same memory */
    layout.gather = gather_layout(scratch, pairs);
    scratch->used = ordo_max(scratch->used, sort_end);
    layout.index = index;
    return layout;
}

size_t dev_radix_pairs_scratch(const ordo_pairs_job *job)
{
    if (job->value_size > 8)
        return scratch_of(layout_gathered, job);
    return scratch_of(layout_moved, job, true); /* the alignment of the values is not known yet */
}

ordo_status dev_radix_pairs(cuda_call *call, const ordo_pairs_job *job)
{
    ordo_type const type = job->keys.type;
    size_t const    n = job->keys.n;
    bool const      descending = job->keys.descending;
    pairs_way const way = way_of(job);
    call->exec->algorithm = "radix";
    if (n < 2)
        return ORDO_OK;
    call->exec->changed = true;
    if (way == GATHERED) {
        radix_layout const layout = layout_gathered(&call->scratch, job);
        TRY(run(call, &layout, type, descending));
        return dev_gather_pairs(call, job, layout.index, layout.job.value_out == 8, layout.gather);
    }
    radix_layout const layout = layout_moved(&call->scratch, job, way == AS_WORDS);
    if (way == MOVED)
        return run(call, &layout, type, descending);
    void *const  words = layout.job.values[0];
    size_t const word = layout.job.value_size;
    TRY(dev_values_to_words(call, words, word, job->values, job->value_size, n));
    TRY(run(call, &layout, type, descending));
    return dev_words_to_values(call, job->values, job->value_size, words, word, n);
}

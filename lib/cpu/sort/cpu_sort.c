/* cpu_sort.c - sort, sort of pairs and argsort: chooses the algorithm and the fallback without
 * memory.
 *
 * The radix sort and the counting sort of narrow keys read the keys themselves. The other
 * algorithms sort whole records (record.h): in the memory of the keys, or in scratch if keys are
 * narrow or carry an index. Pairs with small values are sorted as records; others follow an
 * argsort.
 * If scratch is refused, auto and radix sort in place; a named algorithm returns ORDO_E_NOMEM.
 * Every failure occurs before the caller's arrays change. */
#include "backend/papers.h"
#include "cpu/radix/records.h"
#include "cpu/radix/short_keys.h"
#include "cpu/rough/rough.h"
#include "cpu/sort/sort_paths.h"
#include "cpu/sort/sort_steps.h"

static bool is_narrow(ordo_type type) { return ordo_type_size(type) < sizeof(uint32_t); }

/* ---- Named algorithms ---- */

static ordo_status paper_sort(const cpu_kernels *kernels, const cpu_records *records,
                              ordo_algorithm algorithm, size_t radius, ordo_exec *exec)
{
    const ordo_papers *const papers = exec->papers;
    if (papers == NULL)
        return ordo_no_paper(exec);
    switch (algorithm) {
    case ORDO_ALGORITHM_SAMPLE:
    case ORDO_ALGORITHM_INTERVALS:
        return papers->hybrid.sample(records, algorithm == ORDO_ALGORITHM_INTERVALS, kernels, exec);
    case ORDO_ALGORITHM_BITONIC:
        return papers->median.bitonic(records, exec);
    case ORDO_ALGORITHM_SPLIT:
        return papers->ballot.split(records, exec);
    case ORDO_ALGORITHM_BUBBLE:
        return papers->roughsort.bubble(records, exec);
    case ORDO_ALGORITHM_ROUGH:
        return papers->roughsort.rough(records, radius, exec);
    default:
        return papers->roughsort.halving(records, radius, exec);
    }
}

ordo_status cpu_records_sort(const cpu_kernels *kernels, const cpu_records *records,
                             ordo_algorithm algorithm, size_t radius, ordo_exec *exec)
{
    switch (algorithm) {
    case ORDO_ALGORITHM_SAMPLE:
    case ORDO_ALGORITHM_INTERVALS:
    case ORDO_ALGORITHM_BITONIC:
    case ORDO_ALGORITHM_SPLIT:
    case ORDO_ALGORITHM_BUBBLE:
    case ORDO_ALGORITHM_ROUGH:
    case ORDO_ALGORITHM_HALVING:
        return paper_sort(kernels, records, algorithm, radius, exec);
    case ORDO_ALGORITHM_INSERTION:
    case ORDO_ALGORITHM_GLOBAL:
        return ordo_fail(exec, ORDO_E_UNSUPPORTED,
                         "algorithm %s runs only on a GPU, but this call runs on the CPU; expected "
                         "device cuda",
                         algorithm == ORDO_ALGORITHM_INSERTION ? "insertion" : "global");
    case ORDO_ALGORITHM_WINDOWS:
        return cpu_records_windows(records, kernels, radius, exec);
    default:
        return cpu_records_merge(records, exec);
    }
}

size_t cpu_records_sort_scratch(enum record_kind kind, size_t n, ordo_algorithm algorithm,
                                const ordo_exec *exec)
{
    const ordo_papers *const papers = exec->papers;
    cpu_records const        records = {kind, NULL, n};
    switch (algorithm) {
    case ORDO_ALGORITHM_SAMPLE:
    case ORDO_ALGORITHM_INTERVALS:
        return papers == NULL
                   ? 0
                   : papers->hybrid.sample_scratch(&records, algorithm == ORDO_ALGORITHM_INTERVALS);
    case ORDO_ALGORITHM_MERGE:
        return cpu_records_merge_scratch(&records);
    case ORDO_ALGORITHM_SPLIT:
        return papers == NULL ? 0 : papers->ballot.split_scratch(&records);
    case ORDO_ALGORITHM_ROUGH:
    case ORDO_ALGORITHM_HALVING:
        return papers == NULL ? 0 : papers->roughsort.halving_scratch(&records);
    case ORDO_ALGORITHM_WINDOWS:
        return cpu_records_windows_scratch(kind, n, exec->threads);
    default:
        return 0;
    }
}

/* ---- Keys ---- */

/* Sorts keys of 8 or 16 bits by a named algorithm, as records in scratch. */
static ordo_status sort_widened(const cpu_kernels *kernels, const ordo_sort_job *job,
                                ordo_exec *exec)
{
    radix_io const io = records_of_keys(kernels, job);
    cpu_records    records = {io.kind, NULL, job->n};
    TRY(ordo_scratch(exec, job->n * record_size(io.kind), &records.array));
    TRY(records_load(&io, &records, exec));
    TRY(cpu_records_sort(kernels, &records, job->algorithm, job->radius, exec));
    exec->changed = true;
    return records_store(&io, &records, exec);
}

/* Sorts keys by a named algorithm, as records in their own memory. */
static ordo_status sort_as_records(const cpu_kernels *kernels, const ordo_sort_job *job,
                                   ordo_exec *exec)
{
    radix_io const    io = records_of_keys(kernels, job);
    cpu_records const records = {io.kind, job->keys, job->n};
    exec->changed = true;
    TRY(records_load(&io, &records, exec));
    ordo_status const status =
        cpu_records_sort(kernels, &records, job->algorithm, job->radius, exec);
    if (status == ORDO_E_CANCELLED)
        return status;
    TRY(records_store(&io, &records, exec));
    return status;
}

static ordo_status sort_here(const cpu_kernels *kernels, const ordo_sort_job *job, ordo_exec *exec);

/* Keys of another array. Only the radix sort and the vector sort of a few keys read them there; for
 * any other sort they are copied to their place first. */
static ordo_status sort_from(const cpu_kernels *kernels, const ordo_sort_job *job, ordo_exec *exec)
{
    size_t const bytes = job->n * ordo_type_size(job->type);
    if (job->algorithm == ORDO_ALGORITHM_AUTO && job->n < 2 * ORDO_TUNE_LOOK_KEYS &&
        cpu_vector_sort(kernels, job, exec))
        return ORDO_OK;
    if (cpu_is_radix(job->algorithm) && !is_narrow(job->type) && bytes > ORDO_TUNE_RADIX_ALONE) {
        bool done;
        TRY(cpu_sort_from_by_path(kernels, job, &done, exec));
        if (done)
            return ORDO_OK;
    }
    ordo_copy_job const copy = {job->keys, job->source, bytes};
    ordo_sort_job       here = *job;
    here.source = NULL;
    TRY(cpu_copy(NULL, &copy, exec));
    return sort_here(kernels, &here, exec);
}

ordo_status cpu_sort(void *state, const ordo_sort_job *job, ordo_exec *exec)
{
    const cpu_kernels *const kernels = state;
    return job->source != NULL ? sort_from(kernels, job, exec) : sort_here(kernels, job, exec);
}

static ordo_status sort_here(const cpu_kernels *kernels, const ordo_sort_job *job, ordo_exec *exec)
{
    if (job->n < 2)
        return ORDO_OK;
    if (cpu_is_radix(job->algorithm))
        return cpu_sort_by_path(kernels, job, exec);
    return is_narrow(job->type) ? sort_widened(kernels, job, exec)
                                : sort_as_records(kernels, job, exec);
}

size_t cpu_sort_scratch(const ordo_sort_job *job, const ordo_exec *exec)
{
    unsigned const threads = exec->threads;
    if (job->n < 2)
        return 0;
    if (!cpu_is_radix(job->algorithm)) {
        size_t const records =
            is_narrow(job->type) ? ordo_round_up(job->n * sizeof(uint32_t), ORDO_CACHE_LINE) : 0;
        return records + cpu_records_sort_scratch(records_kind_of_keys(job->type), job->n,
                                                  job->algorithm, exec);
    }
    return cpu_sort_path_scratch(job, threads);
}

/* ---- Argsort ---- */

static ordo_status argsort_records(const cpu_kernels *kernels, const ordo_argsort_job *job,
                                   ordo_exec *exec)
{
    enum record_kind const kind = records_kind_of_argsort(job->type, job->n);
    radix_io const         io = records_of_argsort(kernels, job, kind);
    cpu_records            records = {kind, NULL, job->n};
    TRY(ordo_scratch(exec, job->n * record_size(kind), &records.array));
    TRY(records_load(&io, &records, exec));
    TRY(cpu_records_sort(kernels, &records, job->algorithm, job->radius, exec));
    return records_store(&io, &records, exec);
}

/* Sorts 64-bit keys as records of 8 bytes if possible; the fallback uses the same memory. */
static ordo_status argsort_radix(const cpu_kernels *kernels, const ordo_argsort_job *job,
                                 ordo_exec *exec)
{
    short_keys keys;
    void      *room = NULL;
    TRY(short_keys_choose(kernels, job, &keys, exec));
    if (keys.way != SHORT_NOT) {
        bool done;
        TRY(ordo_scratch(exec, short_keys_room(job->n), &room));
        radix_io const io = short_keys_io(kernels, job, &keys, room);
        TRY(short_keys_sort(&io, &done, exec));
        if (done)
            return ORDO_OK;
    }
    radix_io io = records_of_argsort(kernels, job, records_kind_of_argsort(job->type, job->n));
    io.room = room;
    return cpu_radix(&io, exec);
}

ordo_status cpu_argsort(void *state, const ordo_argsort_job *job, ordo_exec *exec)
{
    const cpu_kernels *const kernels = state;
    if (job->n == 0)
        return ORDO_OK;
    if (job->algorithm == ORDO_ALGORITHM_AUTO) {
        bool done = false;
        TRY(cpu_argsort_adaptive(kernels, job, &done, exec));
        if (done)
            return ORDO_OK;
    }
    if (!cpu_is_radix(job->algorithm))
        return argsort_records(kernels, job, exec);
    ordo_status const status = argsort_radix(kernels, job, exec);
    if (status != ORDO_E_NOMEM)
        return status;
    cpu_tell_in_place(exec);
    return cpu_argsort_inplace(job, exec);
}

size_t cpu_argsort_scratch(const ordo_argsort_job *job, const ordo_exec *exec)
{
    unsigned const         threads = exec->threads;
    enum record_kind const kind = records_kind_of_argsort(job->type, job->n);
    if (job->n == 0)
        return 0;
    if (cpu_is_radix(job->algorithm))
        return ordo_max(cpu_vector_argsort_scratch(job->n),
                        short_keys_scratch(job->type, job->n, threads) +
                            cpu_radix_scratch(kind, job->n,
                                              kind == RECORD_P32 && job->index_type == ORDO_U64,
                                              threads));
    return ordo_round_up(job->n * record_size(kind), ORDO_CACHE_LINE) +
           cpu_records_sort_scratch(kind, job->n, job->algorithm, exec);
}

/* ---- Pairs ---- */

enum {
    MOST_CARRIED = 8 /* the largest value, in bytes, that a record holds */
};

static ordo_argsort_job argsort_of_pairs(const ordo_pairs_job *job)
{
    const ordo_sort_job *const keys = &job->keys;
    ordo_type const            index_type = keys->n - 1 <= UINT32_MAX ? ORDO_U32 : ORDO_U64;
    return (ordo_argsort_job){
        keys->type, keys->keys, keys->n, keys->descending, keys->algorithm, keys->radius,
        index_type, NULL,       NULL};
}

/* Sorts pairs by an argsort, then moves both arrays into its order. */
static ordo_status pairs_by_index(const cpu_kernels *kernels, const ordo_pairs_job *job,
                                  ordo_exec *exec)
{
    ordo_argsort_job order = argsort_of_pairs(job);
    size_t const     key_size = ordo_type_size(order.type);
    size_t const     widest = ordo_max(key_size, job->value_size);
    void            *spare;
    TRY(ordo_scratch(exec, order.n * ordo_type_size(order.index_type), &order.index));
    TRY(ordo_scratch(exec, order.n * widest, &spare));
    if (order.algorithm != ORDO_ALGORITHM_AUTO || !cpu_vector_argsort(kernels, &order, exec)) {
        if (cpu_is_radix(order.algorithm)) /* the sort in place is too slow here */
            TRY(argsort_radix(kernels, &order, exec));
        else
            TRY(argsort_records(kernels, &order, exec));
    }
    exec->changed = true;
    ordo_permute_job const keys = {job->keys.keys,   order.n,     key_size,
                                   order.index_type, order.index, spare};
    ordo_permute_job const values = {job->values,      order.n,     job->value_size,
                                     order.index_type, order.index, spare};
    TRY(cpu_permute(NULL, &keys, exec));
    return cpu_permute(NULL, &values, exec);
}

/* Whether there are few records of 16 bytes. The vector sort sorts words, which hold shortened keys
 * and an index. */
static bool may_go_by_index(const ordo_pairs_job *job)
{
    return job->keys.n <= ORDO_TUNE_PAIRS_BY_INDEX &&
           records_kind_of_pairs(job->keys.type, job->value_size) == RECORD_P64;
}

static bool is_faster_by_index(const cpu_kernels *kernels, const ordo_pairs_job *job)
{
    return kernels->sort_words[CPU_WORDS_64] != NULL && may_go_by_index(job);
}

ordo_status cpu_sort_pairs(void *state, const ordo_pairs_job *job, ordo_exec *exec)
{
    const cpu_kernels *const   kernels = state;
    const ordo_sort_job *const keys = &job->keys;
    bool                       alike = false;
    ordo_status                status;
    if (keys->n < 2)
        return ORDO_OK;
    if (keys->algorithm == ORDO_ALGORITHM_AUTO) {
        bool done = false;
        TRY(cpu_pairs_adaptive(kernels, job, &done, exec));
        if (done)
            return ORDO_OK;
    }
    if (cpu_is_radix(keys->algorithm) && job->value_size <= MOST_CARRIED &&
        !is_faster_by_index(kernels, job))
        TRY(records_fold_alike(keys->type, keys->keys, keys->n, &alike, exec));
    if (alike) {
        radix_io const io = records_of_pairs(kernels, job);
        status = cpu_radix(&io, exec);
    } else {
        status = pairs_by_index(kernels, job, exec);
    }
    if (status != ORDO_E_NOMEM || !cpu_is_radix(keys->algorithm))
        return status;
    exec->changed = true;
    exec->algorithm = "merge in place";
    cpu_tell_in_place(exec);
    return cpu_pairs_inplace(job, exec);
}

size_t cpu_sort_pairs_scratch(const ordo_pairs_job *job, const ordo_exec *exec)
{
    unsigned const threads = exec->threads;
    if (job->keys.n < 2)
        return 0;
    ordo_argsort_job const order = argsort_of_pairs(job);
    size_t const           widest = ordo_max(ordo_type_size(order.type), job->value_size);
    size_t const           by_index =
        cpu_argsort_scratch(&order, exec) +
        ordo_round_up(order.n * ordo_type_size(order.index_type), ORDO_CACHE_LINE) +
        ordo_round_up(order.n * widest, ORDO_CACHE_LINE);
    bool const   carried = cpu_is_radix(order.algorithm) && job->value_size <= MOST_CARRIED;
    bool const   is_float = order.type == ORDO_F32 || order.type == ORDO_F64;
    size_t const whole = carried
                             ? cpu_radix_scratch(records_kind_of_pairs(order.type, job->value_size),
                                                 order.n, false, threads)
                             : 0;
    return !carried || is_float || may_go_by_index(job) ? ordo_max(by_index, whole) : whole;
}

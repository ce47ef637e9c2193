/* dev_sort.cu - chooses the algorithm that sorts keys, pairs or indices.
 *
 * AUTO for keys without values takes the first path of a table; for pairs and indices AUTO is the
 * radix sort. The other algorithms run only if named: they are slots of lib/papers. */
#include "backend/papers.h"
#include "cuda/rough/dev_rough.cuh"
#include "cuda/runtime/cuda_dev.cuh"
#include "cuda/runtime/cuda_paths.cuh"
#include "cuda/sort/dev_radix.cuh"

static const ordo_cuda_sorter radix = {dev_radix_keys_scratch,    dev_radix_keys,
                                       dev_radix_pairs_scratch,   dev_radix_pairs,
                                       dev_radix_argsort_scratch, dev_radix_argsort};

/* NULL: not available on a GPU. Windows sort only keys; the radix sort takes pairs and indices, and
 * keys that are not roughly sorted. */
static const ordo_cuda_sorter *sorter_of(ordo_algorithm algorithm)
{
    const ordo_cuda_papers *const papers = ordo_cuda_papers_table();
    switch (algorithm) {
    case ORDO_ALGORITHM_AUTO:
    case ORDO_ALGORITHM_RADIX:
    case ORDO_ALGORITHM_WINDOWS:
        return &radix;
    case ORDO_ALGORITHM_SPLIT:
        return papers->ballot.split;
    case ORDO_ALGORITHM_GLOBAL:
        return papers->ballot.global;
    case ORDO_ALGORITHM_BITONIC:
        return papers->median.bitonic;
    case ORDO_ALGORITHM_MERGE:
        return papers->median.merge;
    case ORDO_ALGORITHM_SAMPLE:
        return papers->hybrid.sample;
    case ORDO_ALGORITHM_INTERVALS:
        return papers->hybrid.intervals;
    case ORDO_ALGORITHM_ROUGH:
        return papers->roughsort.rough;
    case ORDO_ALGORITHM_INSERTION:
        return papers->roughsort.insertion;
    case ORDO_ALGORITHM_HALVING:
        return papers->roughsort.halving;
    default:
        return NULL;
    }
}

static ordo_status cpu_only(cuda_call *call, ordo_algorithm algorithm, const char *what)
{
    const char *const name = algorithm == ORDO_ALGORITHM_BUBBLE ? "bubble" : "asked for";
    return ordo_fail(call->exec, ORDO_E_UNSUPPORTED,
                     "algorithm %s cannot sort %s on a GPU; use the CPU backend", name, what);
}

/* ---- Keys ---- */

struct sort_look {
    cuda_call           *call;
    const ordo_sort_job *job;
    bool                 few; /* the first path saw few values */
};

static bool sees_few_values(const sort_look *look) { return look->few; }

static ordo_status sort_ordered(sort_look *look, bool *done)
{
    return dev_windows_auto(look->call, look->job, done, &look->few);
}

static ordo_status sort_few_values(sort_look *look, bool *done)
{
    return dev_distinct(look->call, look->job, done);
}

static ordo_status sort_radix(sort_look *look, bool *done)
{
    *done = true;
    return dev_radix_keys(look->call, look->job);
}

enum {
    RADIX = 2 /* the row that the algorithm RADIX takes */
};

static const cuda_path<sort_look> paths[] = {
    CUDA_PATH("sort", "ordered", "large; samples are reversed, or no key is far from its place",
              cuda_always, sort_ordered),
    CUDA_PATH("sort", "few values", "large; samples begin with few values", sees_few_values,
              sort_few_values),
    CUDA_PATH("sort", "radix",
              "all other keys; few in one block or cluster, more by digits that a kernel chooses",
              cuda_always, sort_radix)};

const cuda_paths cuda_sort_paths = CUDA_PATHS(paths);

size_t dev_sort_scratch(const ordo_sort_job *job)
{
    const ordo_cuda_sorter *const by = sorter_of(job->algorithm);
    bool const                    may_be_rough =
        job->algorithm == ORDO_ALGORITHM_AUTO || job->algorithm == ORDO_ALGORITHM_WINDOWS;
    return by == NULL
               ? 0
               : ordo_max(may_be_rough ? ordo_max(dev_windows_scratch(job), dev_distinct_scratch())
                                       : 0,
                          by->keys_scratch(job));
}

ordo_status dev_sort(cuda_call *call, const ordo_sort_job *job)
{
    const ordo_cuda_sorter *const by = sorter_of(job->algorithm);
    sort_look                     look = {call, job, false};
    bool                          done = false;
    if (by == NULL)
        return cpu_only(call, job->algorithm, "keys");
    if (by != &radix)
        return by->keys(call, job);
    if (job->algorithm == ORDO_ALGORITHM_WINDOWS)
        TRY(dev_windows_keys(call, job, &done));
    return cuda_walk(paths, job->algorithm == ORDO_ALGORITHM_AUTO ? 0 : RADIX,
                     cuda_sort_paths.count, &look, &done);
}

/* ---- Pairs and indices ---- */

size_t dev_sort_pairs_scratch(const ordo_pairs_job *job)
{
    const ordo_cuda_sorter *const by = sorter_of(job->keys.algorithm);
    return by == NULL ? 0 : by->pairs_scratch(job);
}

ordo_status dev_sort_pairs(cuda_call *call, const ordo_pairs_job *job)
{
    ordo_algorithm const          algorithm = job->keys.algorithm;
    const ordo_cuda_sorter *const by = sorter_of(algorithm);
    if (by == NULL)
        return cpu_only(call, algorithm, "pairs");
    return by->pairs(call, job);
}

size_t dev_argsort_scratch(const ordo_argsort_job *job)
{
    const ordo_cuda_sorter *const by = sorter_of(job->algorithm);
    return by == NULL ? 0 : by->argsort_scratch(job);
}

ordo_status dev_argsort(cuda_call *call, const ordo_argsort_job *job)
{
    const ordo_cuda_sorter *const by = sorter_of(job->algorithm);
    if (by == NULL)
        return cpu_only(call, job->algorithm, "indices");
    return by->argsort(call, job);
}

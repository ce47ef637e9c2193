/* cpu_backend.c - the CPU backend: always available, complete, and the reference for the others. It
 * chooses the kernels that this CPU can run.
 * Its state is a constant table of kernels, so opening it takes no memory. */
#include "cpu/columns/columns.h"
#include "backend/backend.h"
#include "cpu/base/paths.h"
#include "cpu/sets/sets.h"

#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

/* The extensions that every AVX-512 CPU since Ice Lake and Zen 4 has. */
static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512vpopcntdq");
}
#endif

static bool always(void) { return true; }

static const struct { /* the best ones last */
    const cpu_kernels *kernels;
    bool (*usable)(void);
} list[] = {
    {&cpu_kernels_generic, always},
#if defined(__aarch64__)
    {&cpu_kernels_neon, always},
#elif defined(__x86_64__)
    {&cpu_kernels_avx2, has_avx2},
    {&cpu_kernels_avx512, has_avx512},
#endif
};

enum {
    KNOWN = sizeof list / sizeof *list
};

/* The kernels of the ISA with this name, or of the best ISA of this CPU if name is NULL. NULL if
 * the CPU cannot run them. */
static const cpu_kernels *isa_choose(const char *name)
{
    for (size_t i = KNOWN; i-- > 0;) {
        if ((name == NULL || strcmp(name, list[i].kernels->isa) == 0) && list[i].usable())
            return list[i].kernels;
    }
    return NULL;
}

static const char *isa_all(const void *state)
{
    (void)state;
#if defined(__aarch64__)
    return "generic neon";
#elif defined(__x86_64__)
    return has_avx512() ? "generic avx2 avx512" : has_avx2() ? "generic avx2" : "generic";
#else
    return "generic";
#endif
}

/* ---- The table ---- */

static ordo_status open_cpu(void **state, const ordo_backend_wishes *wishes, char *why,
                            size_t why_size)
{
    const char *const        isa = wishes->isa != NULL && *wishes->isa != '\0' ? wishes->isa : NULL;
    const cpu_kernels *const kernels = isa_choose(isa);
    if (kernels == NULL) {
        snprintf(why, why_size, "ORDO_ISA is '%s'; this CPU and build have: %s", isa,
                 isa_all(NULL));
        return ORDO_E_ARG;
    }
    *state = (void *)kernels; /* never written */
    return ORDO_OK;
}

static void close_cpu(void *state) { (void)state; }

static const ordo_path *path_at(size_t i)
{
    static const cpu_paths *const tables[] = {
        &cpu_sort_paths,   &cpu_argsort_paths, &cpu_pairs_paths,   &cpu_rank_paths,
        &cpu_select_paths, &cpu_topk_paths,    &cpu_strings_paths, &cpu_segments_paths};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        if (i < tables[t]->count)
            return &tables[t]->rows[i].text;
        i -= tables[t]->count;
    }
    return NULL;
}

static const char *isa(const void *state) { return ((const cpu_kernels *)state)->isa; }

static ordo_status rank_sorted(void *state, const ordo_rank_sorted_job *job, ordo_exec *exec)
{
    if (job->algorithm >= ORDO_ALGORITHM_NAIVE)
        return ordo_fail(exec, ORDO_E_UNSUPPORTED,
                         "algorithms naive, shuffle and hybrid run only on a GPU, but this call "
                         "runs on the CPU; expected device cuda");
    if (job->algorithm == ORDO_ALGORITHM_AUTO)
        return cpu_rank_sorted(state, job, exec);
    return exec->papers == NULL ? ordo_no_paper(exec)
                                : exec->papers->ranking.rank_sorted(job, exec);
}

static size_t rank_sorted_scratch(const ordo_rank_sorted_job *job, const ordo_exec *exec)
{
    return job->algorithm == ORDO_ALGORITHM_AUTO || exec->papers == NULL
               ? 0
               : exec->papers->ranking.rank_sorted_scratch(job, exec);
}

static ordo_status weighted(void *state, const ordo_weighted_job *job, ordo_exec *exec)
{
    return (job->rank_type != 0 ? cpu_weighted_rank : cpu_weighted)(state, job, exec);
}

static size_t weighted_scratch(const ordo_weighted_job *job, const ordo_exec *exec)
{
    return (job->rank_type != 0 ? cpu_weighted_rank_scratch : cpu_weighted_scratch)(job, exec);
}

/* The scratch of a job depends on the job and the number of threads. */
#define SCRATCH(slot, job_type)                                                                    \
    static size_t slot(const job_type *job, const ordo_exec *exec)                                 \
    {                                                                                              \
        return cpu_##slot(job, exec->threads);                                                     \
    }
SCRATCH(partition_scratch, ordo_partition_job)
SCRATCH(radius_scratch, ordo_radius_job)
#undef SCRATCH

const ordo_backend *ordo_cpu_backend(void)
{
    static const ordo_backend backend = {
        .abi = ORDO_BACKEND_ABI,
        .struct_size = sizeof(ordo_backend),
        .name = "cpu",
        .open = open_cpu,
        .close = close_cpu,
        .isa = isa,
        .isa_all = isa_all,
        .path_at = path_at,
        .argsort_strings = cpu_argsort_strings,
        .rank_strings = cpu_rank_strings,
        .select_strings = cpu_select_strings,
        .sort_strings = cpu_sort_strings,
        .sort_pointers = cpu_sort_pointers,
        .sort = cpu_sort,
        .sort_scratch = cpu_sort_scratch,
        .sort_pairs = cpu_sort_pairs,
        .sort_pairs_scratch = cpu_sort_pairs_scratch,
        .argsort = cpu_argsort,
        .argsort_scratch = cpu_argsort_scratch,
        .rank = cpu_rank,
        .rank_scratch = cpu_rank_scratch,
        .sort_by = cpu_sort_by,
        .select = cpu_select,
        .select_scratch = cpu_select_scratch,
        .topk = cpu_topk,
        .topk_scratch = cpu_topk_scratch,
        .count_nans = cpu_count_nans,
        .rank_sorted = rank_sorted,
        .rank_sorted_scratch = rank_sorted_scratch,
        .scan = cpu_scan,
        .scan_bits = cpu_scan_bits,
        .partition = cpu_partition,
        .partition_scratch = partition_scratch,
        .is_sorted = cpu_is_sorted,
        .radius = cpu_radius,
        .radius_scratch = radius_scratch,
        .runs = cpu_runs,
        .copy = cpu_copy,
        .divide = cpu_divide,
        .band = cpu_count_band,
        .permute = cpu_permute,
        .segments = cpu_segments,
        .segments_scratch = cpu_segments_scratch,
        .sort_rows = cpu_sort_rows,
        .scan_rows = cpu_scan_rows,
        .sort_records = cpu_sort_records,
        .sort_records_scratch = cpu_sort_records_scratch,
        .move = cpu_move,
        .lexsort = cpu_lexsort,
        .lexsort_scratch = cpu_lexsort_scratch,
        .place_ranks = cpu_place_ranks,
        .place_ranks_scratch = cpu_place_ranks_scratch,
        .collect = cpu_collect,
        .moving = cpu_moving,
        .moving_scratch = cpu_moving_scratch,
        .weighted = weighted,
        .weighted_scratch = weighted_scratch,
        .nth = cpu_nth,
        .nth_scratch = cpu_nth_scratch,
        .unique = cpu_unique,
        .unique_scratch = cpu_unique_scratch,
        .places = cpu_places,
    };
    return &backend;
}

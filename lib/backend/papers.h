/* papers.h - the algorithms of the papers, as slots that a backend calls if the caller names one.
 *
 * lib/papers has a folder for each paper. It stands above the backends and uses their functions; no
 * backend includes its headers. A backend calls the slots of a table:
 *   ordo_papers        the CPU, and the CPU together with a device: exec->papers
 *   ordo_cuda_papers   the CUDA plugin: ordo_cuda_papers_table()
 * A table has all of its slots. Slots with _scratch in their names return bytes, read no array and
 * start no work. */
#ifndef ORDO_BACKEND_PAPERS_H
#define ORDO_BACKEND_PAPERS_H

#include "backend/exec.h"
#include "backend/job.h"
#include "backend/sample.h"

/* Types of the folders that call the slots. A sort of records sorts them in place, ascending
 * (cpu/radix/record.h); its scratch slot reads their kind and number. */
struct cpu_kernels;         /* cpu/base/kernels.h */
struct cpu_records;         /* cpu/radix/record.h */
struct string_engine;       /* cpu/strings/string_parts.h */
struct string_group;        /* the same */
struct hybrid_records;      /* hybrid/stream/hybrid_call.h */
struct hybrid_string_order; /* hybrid/strings/hybrid_strings.h */
struct ordo_both;           /* backend/backend.h */

typedef struct ordo_papers {
    /* Ranks of a sorted array: SEQUENTIAL, THREADS. */
    struct {
        ordo_status (*rank_sorted)(const ordo_rank_sorted_job *job, ordo_exec *exec);
        size_t (*rank_sorted_scratch)(const ordo_rank_sorted_job *job, const ordo_exec *exec);
    } ranking;

    /* SAMPLE, INTERVALS. On the CPU: a sort of records (kernels NULL: without the vector sort); a
     * sort of strings, which lists the large groups of equal keys in `large` and adds its phases of
     * progress to exec->phases. On the CPU and devices: a sort and ranks of records, and the order
     * of strings. They replace the input from phase IV on, and set exec->changed then. */
    struct {
        ordo_status (*sample)(const struct cpu_records *records, bool intervals,
                              const struct cpu_kernels *kernels, ordo_exec *exec);
        size_t (*sample_scratch)(const struct cpu_records *records, bool intervals);
        ordo_status (*strings)(struct string_engine *engine, struct string_group *large,
                               size_t *large_count);
        ordo_status (*sort_shared)(const struct ordo_both      *both,
                                   const struct hybrid_records *records, ordo_exec *exec);
        ordo_status (*rank_shared)(const struct ordo_both      *both,
                                   const struct hybrid_records *records, const ordo_rank_job *job,
                                   ordo_exec *exec);
        ordo_status (*strings_shared)(const struct ordo_both     *both,
                                      struct hybrid_string_order *order, ordo_exec *exec);
    } hybrid;

    /* Sorts of k-sorted records: ROUGH, HALVING, which measure a radius that is 0, and BUBBLE
     * without scratch. halving_scratch is also that of rough. */
    struct {
        ordo_status (*rough)(const struct cpu_records *records, size_t radius, ordo_exec *exec);
        ordo_status (*halving)(const struct cpu_records *records, size_t radius, ordo_exec *exec);
        size_t (*halving_scratch)(const struct cpu_records *records);
        ordo_status (*bubble)(const struct cpu_records *records, ordo_exec *exec);
    } roughsort;

    /* Sort of records without scratch: BITONIC. Selection by sorted sub-arrays, of at least one
     * record of kind K32 or K64: BITONIC, and in_pairs MERGE; *sorted becomes the records' array or
     * scratch. */
    struct {
        ordo_status (*bitonic)(const struct cpu_records *records, ordo_exec *exec);
        ordo_status (*sub_arrays)(const struct cpu_records *records, size_t sub_array,
                                  bool in_pairs, const void **sorted, ordo_exec *exec);
        size_t (*sub_arrays_scratch)(const struct cpu_records *records, size_t sub_array);
    } median;

    /* Sort of records: SPLIT. */
    struct {
        ordo_status (*split)(const struct cpu_records *records, ordo_exec *exec);
        size_t (*split_scratch)(const struct cpu_records *records);
    } ballot;
} ordo_papers;

/* The table of libordo: papers/papers.c */
const ordo_papers *ordo_papers_table(void);

/* The error of a named algorithm if exec->papers is NULL. */
static inline ordo_status ordo_no_paper(ordo_exec *exec)
{
    return ordo_fail(exec, ORDO_E_UNSUPPORTED,
                     "this build has none of the papers' algorithms; expected algorithm auto");
}

#ifdef __cplusplus

struct cuda_call;

typedef struct ordo_cuda_sorter { /* a sort of keys, pairs and indices */
    size_t (*keys_scratch)(const ordo_sort_job *job);
    ordo_status (*keys)(cuda_call *call, const ordo_sort_job *job);
    size_t (*pairs_scratch)(const ordo_pairs_job *job);
    ordo_status (*pairs)(cuda_call *call, const ordo_pairs_job *job);
    size_t (*argsort_scratch)(const ordo_argsort_job *job);
    ordo_status (*argsort)(cuda_call *call, const ordo_argsort_job *job);
} ordo_cuda_sorter;

/* Functions only enqueue work on the stream of the call unless a comment says that they wait. */
typedef struct ordo_cuda_papers {
    /* Ranks of a sorted array: NAIVE, SHUFFLE, HYBRID. */
    struct {
        ordo_status (*rank_sorted)(cuda_call *call, const ordo_rank_sorted_job *job);
        size_t (*rank_sorted_scratch)(const ordo_rank_sorted_job *job);
    } ranking;

    /* Sorts: SAMPLE, INTERVALS. The GPU's steps of the hybrid sort. */
    struct {
        const ordo_cuda_sorter  *sample, *intervals;
        const ordo_sample_slots *steps;
    } hybrid;

    /* Sorts: ROUGH, INSERTION, HALVING, which wait for the radius or for the check of a given
     * radius. Radius: PREFIX, which waits before each of its rounds. */
    struct {
        const ordo_cuda_sorter *rough, *insertion, *halving;
        ordo_status (*radius)(cuda_call *call, const ordo_radius_job *job);
        size_t (*radius_scratch)(const ordo_radius_job *job);
    } roughsort;

    /* Sorts: BITONIC, MERGE. Selection by sorted sub-arrays: BITONIC, which merges on the host and
     * so waits, and MERGE. */
    struct {
        const ordo_cuda_sorter *bitonic, *merge;
        ordo_status (*select)(cuda_call *call, const ordo_select_job *job);
        size_t (*select_scratch)(const ordo_select_job *job);
    } median;

    /* Sorts: SPLIT, GLOBAL. Counts of flags, n > 0: BALLOT, SHARED; waits if the job wants the
     * total. Sums of 32-bit integers: BALLOT. */
    struct {
        const ordo_cuda_sorter *split, *global;
        ordo_status (*scan_bits)(cuda_call *call, const ordo_bits_job *job);
        size_t (*scan_bits_scratch)(const ordo_bits_job *job);
        ordo_status (*scan)(cuda_call *call, const ordo_scan_job *job);
        size_t (*scan_scratch)(const ordo_scan_job *job);
    } ballot;
} ordo_cuda_papers;

/* The table of the CUDA plugin: papers/dev_papers.cu */
const ordo_cuda_papers *ordo_cuda_papers_table(void);

#endif

#endif

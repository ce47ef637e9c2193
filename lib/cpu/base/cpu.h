/* cpu.h - the verbs of the CPU backend, and what they share. */
#ifndef ORDO_CPU_BASE_CPU_H
#define ORDO_CPU_BASE_CPU_H

#include "backend/exec.h"
#include "cpu/base/kernels.h"
#include "backend/job.h"
#include "backend/segments.h"
#include "cpu/base/tuning.h"

ordo_status cpu_sort(void *state, const ordo_sort_job *job, ordo_exec *exec);
size_t      cpu_sort_scratch(const ordo_sort_job *job, const ordo_exec *exec);
ordo_status cpu_sort_pairs(void *state, const ordo_pairs_job *job, ordo_exec *exec);
size_t      cpu_sort_pairs_scratch(const ordo_pairs_job *job, const ordo_exec *exec);
ordo_status cpu_argsort(void *state, const ordo_argsort_job *job, ordo_exec *exec);
size_t      cpu_argsort_scratch(const ordo_argsort_job *job, const ordo_exec *exec);
ordo_status cpu_sort_by(void *state, const ordo_by_job *job, ordo_exec *exec);
ordo_status cpu_rank(void *state, const ordo_rank_job *job, ordo_exec *exec);
size_t      cpu_rank_scratch(const ordo_rank_job *job, const ordo_exec *exec);
ordo_status cpu_select(void *state, const ordo_select_job *job, ordo_exec *exec);
size_t      cpu_select_scratch(const ordo_select_job *job, const ordo_exec *exec);
typedef struct cpu_ties { /* keys before the k-th key in order, and keys with the same bits */
    size_t less, equal;
} cpu_ties;
/* cpu_select of one k, which also counts the keys around it if that takes no further read of the
 * keys; otherwise ties->equal is 0. */
ordo_status cpu_select_counted(void *state, const ordo_select_job *job, cpu_ties *ties,
                               ordo_exec *exec);
ordo_status cpu_topk(void *state, const ordo_topk_job *job, ordo_exec *exec);
size_t      cpu_topk_scratch(const ordo_topk_job *job, const ordo_exec *exec);
ordo_status cpu_count_nans(void *state, const ordo_count_job *job, ordo_exec *exec);
ordo_status cpu_argsort_strings(void *state, const ordo_strings_job *job, ordo_exec *exec);
ordo_status cpu_rank_strings(void *state, const ordo_string_rank_job *job, ordo_exec *exec);
ordo_status cpu_select_strings(void *state, const ordo_string_select_job *job, ordo_exec *exec);
ordo_status cpu_sort_strings(void *state, const ordo_string_copy_job *job, ordo_exec *exec);
ordo_status cpu_sort_pointers(void *state, const ordo_pointers_job *job, ordo_exec *exec);
ordo_status cpu_radius(void *state, const ordo_radius_job *job, ordo_exec *exec);
size_t      cpu_radius_scratch(const ordo_radius_job *job, unsigned threads);
ordo_status cpu_runs(void *state, const ordo_runs_job *job, ordo_exec *exec);
ordo_status cpu_rank_sorted(void *state, const ordo_rank_sorted_job *job, ordo_exec *exec);
/* Where the NaNs at the end of a sorted array begin; n if there are none. */
size_t      cpu_nan_start(ordo_type type, const void *keys, size_t n);
ordo_status cpu_scan(void *state, const ordo_scan_job *job, ordo_exec *exec);
ordo_status cpu_scan_bits(void *state, const ordo_bits_job *job, ordo_exec *exec);
ordo_status cpu_partition(void *state, const ordo_partition_job *job, ordo_exec *exec);
size_t      cpu_partition_scratch(const ordo_partition_job *job, unsigned threads);
ordo_status cpu_nth(void *state, const ordo_nth_job *job, ordo_exec *exec);
size_t      cpu_nth_scratch(const ordo_nth_job *job, const ordo_exec *exec);
/* cpu_nth for any_order. *done is false if cpu_nth must do it in order. */
ordo_status cpu_nth_any(void *state, const ordo_nth_job *job, bool *done, ordo_exec *exec);
size_t      cpu_nth_any_scratch(const ordo_nth_job *job, unsigned threads);
ordo_status cpu_is_sorted(void *state, const ordo_order_job *job, ordo_exec *exec);
ordo_status cpu_moving(void *state, const ordo_moving_job *job, ordo_exec *exec);
size_t      cpu_moving_scratch(const ordo_moving_job *job, const ordo_exec *exec);
ordo_status cpu_weighted(void *state, const ordo_weighted_job *job, ordo_exec *exec);
size_t      cpu_weighted_scratch(const ordo_weighted_job *job, const ordo_exec *exec);
ordo_status cpu_weighted_rank(void *state, const ordo_weighted_job *job, ordo_exec *exec);
size_t      cpu_weighted_rank_scratch(const ordo_weighted_job *job, const ordo_exec *exec);
ordo_status cpu_copy(void *state, const ordo_copy_job *job, ordo_exec *exec);
ordo_status cpu_permute(void *state, const ordo_permute_job *job, ordo_exec *exec);
ordo_status cpu_segments(void *state, const ordo_segments_job *job, ordo_exec *exec);
size_t      cpu_segments_scratch(const ordo_segments_job *job, const ordo_exec *exec);
void        cpu_sort_rows(void *state, const ordo_rows_job *job);
void        cpu_scan_rows(void *state, const ordo_scan_job *job, size_t rows);
ordo_status cpu_sort_records(void *state, const ordo_records_job *job, ordo_exec *exec);
size_t      cpu_sort_records_scratch(const ordo_records_job *job, const ordo_exec *exec);
ordo_status cpu_move(void *state, const ordo_move_job *job, ordo_exec *exec);
ordo_status cpu_lexsort(void *state, const ordo_lexsort_job *job, ordo_exec *exec);
size_t      cpu_lexsort_scratch(const ordo_lexsort_job *job, const ordo_exec *exec);
ordo_status cpu_place_ranks(void *state, const ordo_place_job *job, ordo_exec *exec);
size_t      cpu_place_ranks_scratch(const ordo_place_job *job, const ordo_exec *exec);
void        cpu_divide(void *state, const ordo_divide_job *job);
size_t      cpu_count_band(void *state, const ordo_band_job *job);

/* Where the keys of a sort are read. */
static inline const void *cpu_input(const ordo_sort_job *job)
{
    return job->source != NULL ? job->source : job->keys;
}

/* The elements in one piece of a loop over n: all of them if n is small, so that small calls wake
 * no thread. */
static inline size_t cpu_grain(size_t n)
{
    return n <= ORDO_TUNE_ALONE ? ordo_max(n, 1) : ORDO_TUNE_PIECE;
}

/* Words that hold one bit for each element of the largest piece. */
enum {
    CPU_PIECE_ITEMS = ORDO_TUNE_PIECE > ORDO_TUNE_ALONE ? ORDO_TUNE_PIECE : ORDO_TUNE_ALONE,
    CPU_PIECE_WORDS = CPU_PIECE_ITEMS / 64 + 1
};

/* Whether a result of that many bytes should be written past the cache. */
static inline bool cpu_bypasses_cache(size_t bytes) { return bytes >= ORDO_TUNE_STREAM; }

/* Flags [lo, hi) as words of 64 bits, lo a multiple of 64; unused bits of the last word are 0.
 * Returns the number of set flags. scan/cpu_scan_bits.c */
size_t cpu_bits_read(const cpu_kernels *kernels, ordo_flags_kind kind, const void *flags, size_t lo,
                     size_t hi, uint64_t *words);

/* *least and *most become at most, or at least, x. */
static inline void cpu_keep_least(_Atomic uint64_t *least, uint64_t x)
{
    uint64_t seen = atomic_load_explicit(least, memory_order_relaxed);
    while (x < seen && !atomic_compare_exchange_weak_explicit(least, &seen, x, memory_order_relaxed,
                                                              memory_order_relaxed))
        continue;
}

static inline void cpu_keep_most(_Atomic uint64_t *most, uint64_t x)
{
    uint64_t seen = atomic_load_explicit(most, memory_order_relaxed);
    while (x > seen && !atomic_compare_exchange_weak_explicit(most, &seen, x, memory_order_relaxed,
                                                              memory_order_relaxed))
        continue;
}

static inline ordo_status cpu_done(bool finished) { return finished ? ORDO_OK : ORDO_E_CANCELLED; }

#endif

/* bench_subjects.h - the sections of every subject of `ordo bench`, and the sections that a subject
 * takes from another file. A table ends with a NULL name. */
#ifndef ORDO_BENCH_SUBJECTS_BENCH_SUBJECTS_H
#define ORDO_BENCH_SUBJECTS_BENCH_SUBJECTS_H

#include "bench/harness/bench_core.h"

extern const bench_section bench_rank_sections[];
extern const bench_section bench_scan_sections[];
extern const bench_section bench_sort_sections[];
extern const bench_section bench_argsort_sections[];
extern const bench_section bench_select_sections[];
extern const bench_section bench_radius_sections[];
extern const bench_section bench_strings_sections[];
extern const bench_section bench_hybrid_sections[];
extern const bench_section bench_rows_sections[];
extern const bench_section bench_many_sections[];
extern const bench_section bench_text_sections[];

/* With --device cuda. */
extern const bench_section bench_cuda_rank_sections[];
extern const bench_section bench_cuda_scan_sections[];
extern const bench_section bench_cuda_sort_sections[];
extern const bench_section bench_cuda_argsort_sections[];
extern const bench_section bench_cuda_select_sections[];
extern const bench_section bench_cuda_radius_sections[];
extern const bench_section bench_cuda_rows_sections[];
extern const bench_section bench_cuda_many_sections[];
extern const bench_section bench_cuda_text_sections[];

bool bench_rough(bench *b);               /* bench_rough.c: section of sort               */
bool bench_rank_unsorted(bench *b);       /* bench_argsort.c: section of rank             */
bool bench_rank_unsorted_small(bench *b); /* bench_argsort.c: part of section small       */

/* bench_hybrid_sample.c: sections of hybrid. */
bool bench_sample_keys(bench *b);
bool bench_sample_pairs(bench *b);
bool bench_sample_gaussian(bench *b);
bool bench_sample_wide(bench *b);
bool bench_sample_intervals(bench *b);
bool bench_sample_gain(bench *b);
bool bench_sample_inputs(bench *b);
bool bench_sample_phases(bench *b);
bool bench_sample_platforms(bench *b);
bool bench_sample_threshold(bench *b);

void bench_hybrid_close(void); /* frees the contexts of subject hybrid */

#endif

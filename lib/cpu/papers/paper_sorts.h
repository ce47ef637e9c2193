/* paper_sorts.h - the sorts of the papers, which a caller selects by name. They sort whole records,
 * in place unless stated otherwise; sort_steps.h states the return values. */
#ifndef ORDO_CPU_PAPERS_PAPER_SORTS_H
#define ORDO_CPU_PAPERS_PAPER_SORTS_H

#include "cpu/sort/sort_steps.h"

/* kernels NULL: use no vector sort. sort_sample.c */
ordo_status cpu_records_sample(const cpu_records *records, const cpu_kernels *kernels,
                               ordo_exec *exec);

/* Progress phases of the sample sort (the last one counts twice, because it is about half of the
 * work), and the phases that the sample sort of strings adds to those of string_sort.c. */
enum {
    CPU_SAMPLE_PHASES = 4,
    CPU_STRING_SAMPLE_PHASES = 2
};

/* Sorts the keys of all strings by the sample sort, then the groups of equal keys. Large groups go
 * to large[] and are sorted by string_sort.c. string_sample.c */
struct string_engine;
struct string_group;
ordo_status cpu_strings_sample(struct string_engine *engine, struct string_group *large,
                               size_t *large_count);

/* Scratch in bytes; reads kind and n. */
size_t cpu_records_sample_scratch(const cpu_records *records);

#endif

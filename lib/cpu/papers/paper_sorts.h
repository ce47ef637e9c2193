/* paper_sorts.h - the sorts that the papers describe, which a caller asks for by name. All sort
 * whole records in place; sort_steps.h says what they return. */
#ifndef ORDO_CPU_PAPERS_PAPER_SORTS_H
#define ORDO_CPU_PAPERS_PAPER_SORTS_H

#include "cpu/sort/sort_steps.h"

cpu_records_fn cpu_records_sample;  /* sort_sample.c  */
cpu_records_fn cpu_records_bitonic; /* sort_bitonic.c: no scratch */
cpu_records_fn cpu_records_split;   /* sort_split.c   */
cpu_records_fn cpu_records_bubble;  /* sort_halving.c: no scratch */

/* k-sorted records; radius 0: it is measured. With a radius they take no scratch. sort_halving.c */
ordo_status cpu_records_halving(const cpu_records *records, size_t radius, ordo_exec *exec);
ordo_status cpu_records_rough(const cpu_records *records, size_t radius, ordo_exec *exec);

/* The most scratch each takes for n records. */
size_t cpu_records_sample_scratch(enum record_kind kind, size_t n, unsigned threads);
size_t cpu_records_split_scratch(enum record_kind kind, size_t n, unsigned threads);
/* Also of cpu_records_rough. */
size_t cpu_records_halving_scratch(enum record_kind kind, size_t n, unsigned threads);

#endif

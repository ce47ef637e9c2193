/* sample_records.h - how the keys of a job of the sample sort become records on the CPU, and how
 * sorted records become results (backend/sample.h has their forms). */
#ifndef ORDO_PAPERS_HYBRID_SAMPLE_RECORDS_H
#define ORDO_PAPERS_HYBRID_SAMPLE_RECORDS_H

#include "backend/sample.h"
#include "cpu/radix/records.h"

radix_io sample_io(const cpu_kernels *kernels, const ordo_sample_job *job);
/* Writes job->n records of the job's keys. */
void sample_load(const radix_io *io, const ordo_sample_job *job, void *records);
/* The steps RESULT and VALUES: write the results of the job from job->finished. */
void sample_store(const radix_io *io, const cpu_kernels *kernels, const ordo_sample_job *job);
void sample_store_values(const ordo_sample_job *job);

/* The records of a bucket of pairs are in job->scattered. The number in the bucket of records [at,
 * at + count) takes the place of the index, which goes to `index`: 4 bytes each for records of 8
 * bytes, else 8. */
void sample_number(const ordo_sample_job *job, size_t at, size_t count, void *index);

/* Numbered and sorted records of equal keys are to have the order of their indices. next_ties
 * returns the first of `count` such records from `at` on, or job->owned; it has sorted shorter runs
 * itself. begin_ties puts the indices in the place of the keys, so that a sort of the records
 * follows, and end_ties puts the key back. */
typedef uint64_t sample_tied;
size_t sample_next_ties(const ordo_sample_job *job, size_t at, const void *index, size_t *count);
sample_tied sample_begin_ties(const ordo_sample_job *job, size_t at, size_t count,
                              const void *index);
void        sample_end_ties(const ordo_sample_job *job, size_t at, size_t count, sample_tied key);

#endif

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

#endif

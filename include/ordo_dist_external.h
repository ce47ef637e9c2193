/* ordo_dist_external.h - data larger than the memory of all ranks: sort elements from the files,
 * pipes and callbacks of many processes. The rules of ordo_dist.h and ordo_external.h apply. */
#ifndef ORDO_DIST_EXTERNAL_H
#define ORDO_DIST_EXTERNAL_H

#include "ordo_dist.h"
#include "ordo_external.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sorts the elements of the sources of all ranks: the global array is the elements of rank 0, then
 * those of rank 1, and so on. The sink of each rank gets as many elements as its source had: those
 * at its places of the sorted array. The bytes are those that ordo_external_sort writes for all
 * sources, one after the other.
 * Memory    A rank holds at most opts.memory bytes. Its elements are sorted to temporary files
 *           without a name, first as packed runs in opts.directories, then in order in the first of
 *           them. These files are mapped; their pages in memory are cache of the file system. Then
 *           the ranks exchange their elements in rounds: in each round every rank receives, merges
 *           and writes the next part of its result.
 * Disk      Up to twice the bytes of the rank's elements; 8 more bytes for each record.
 * Failure   All ranks return the same status and message. The sources are only read. A sink may
 *           have received a part of its result.
 * opts.flags may have ORDO_DESCENDING and ORDO_SPILL_IN_MEMORY; ORDO_UNIQUE and
 * opts.resume_directory are refused. elements, opts.flags and whether opts is given are the same on
 * every rank; other arguments may differ. report (may be NULL) gets what the rank did.           */
ORDO_MUST ordo_status ordo_dist_external_sort(ordo_ctx *ctx, const ordo_comm *comm,
                                              const ordo_elements *elements,
                                              const ordo_source *from, const ordo_sink *to,
                                              const ordo_external_opts *opts,
                                              ordo_dist_report         *report);

#ifdef __cplusplus
}
#endif

#endif

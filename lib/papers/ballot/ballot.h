/* ballot.h - D. Whittaker, A. Skjellum and P. Bangalore, "Ballot Counting for Optimal Binary Prefix
 * Sum" (a poster without numbered figures). The map of the poster:
 *
 *   algorithm                file: functions; command
 *   ballot, mask, popc       block_paper_scan.cuh: warp_paper_scan
 *   inter-warp sum           block_paper_scan.cuh: block_paper_scan
 *   binary prefix sum        dev_scan_paper.cuh: paper_span_sums, paper_scan_spans
 *                            dev_scan_paper.cu: dev_bits_paper
 *                            ordo scan --bits --algorithm ballot --device cuda
 *   the scan it is compared  block_paper_scan.cuh: PAPER_SHARED
 *   with                     ordo scan --bits --algorithm shared --device cuda
 *   32-bit ballot count      dev_scan_paper.cu: dev_scan_ballot
 *   (future work)            ordo scan --algorithm ballot --device cuda
 *   radix sort by one bit    dev_split.cuh: split_place, split_tiles, split_move
 *                            dev_split.cu: dev_split
 *                            cpu_split.c: cpu_records_split
 *                            cpu_split.t.h: count_piece, move_piece
 *                            ordo sort --algorithm split
 *   suffix array by bits     text/suffix/msd.c: text_msd
 *   (future work)            cuda/text/dev_msd.cu: dev_msd
 *                            ordo suffix --algorithm msd
 *   BWT, bzip2               text/bwt.c, text/bzip2/encode/compress.c: ordo_bz_compress
 *
 *   not in the poster
 *   splits of the whole      dev_split_global.cuh: global_count, global_scan, global_scatter
 *   array                    ordo sort --algorithm global --device cuda
 *
 *   measurement              command; results
 *   block scan alone         ordo bench scan --device cuda --only block -n 268435456
 *                            h200/paper-ballot/scan.json
 *   scan of a whole array    ordo bench scan --device cuda --only poster -n 268435456
 *                            h200/paper-ballot/scan.json
 *   radix sort, 80 % faster  ordo bench sort --device cuda --only split -n 268435456
 *                            h200/paper-ballot/sort.json
 *
 * Production: cuda/scan/dev_bits.cu, cuda/scan/dev_scan.cu, cuda/sort/dev_radix.cu. */
#ifndef ORDO_PAPERS_BALLOT_BALLOT_H
#define ORDO_PAPERS_BALLOT_BALLOT_H

#include "backend/papers.h"

#ifndef __cplusplus

ordo_status cpu_records_split(const struct cpu_records *records, ordo_exec *exec);
size_t      cpu_records_split_scratch(const struct cpu_records *records);

#else

extern const ordo_cuda_sorter dev_split, dev_global;

/* BALLOT and SHARED; n is not 0. Waits for the total if the job wants it. */
ordo_status dev_bits_paper(cuda_call *call, const ordo_bits_job *job);
size_t      dev_bits_paper_scratch(const ordo_bits_job *job);
/* Sums of 32-bit integers by BALLOT. */
ordo_status dev_scan_ballot(cuda_call *call, const ordo_scan_job *job);
size_t      dev_scan_ballot_scratch(const ordo_scan_job *job);

#endif

#endif

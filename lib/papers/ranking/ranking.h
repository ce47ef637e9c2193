/* ranking.h - J. Liang, J. Bisnett, A. Hylton, J. Sang and C. Yu, "Parallel Computation of Standard
 * Competition Rankings over a Sorted Array". The map of the paper:
 *
 *   algorithm, code          file: functions; command
 *   sequential loop          cpu_rank_paper.c: cpu_rank_paper
 *                            rank_pair.t.h: paper_min
 *                            ordo rank --sorted --algorithm sequential
 *   III.D, pthreads          cpu_rank_paper.c: segments_of, rank_segment
 *                            ordo rank --sorted --algorithm threads
 *   Fig. 5, modified search  rank_key.t.h: paper_first
 *                            dev_rank_paper.cu: modified_search
 *   Fig. 1, 3, III.A, naive  dev_rank_paper.cu: naive_start, naive_step, rank_naive
 *                            ordo rank --sorted --algorithm naive --device cuda
 *   III.B, shuffle scan      dev_rank_paper.cu: taken_over, shuffle_keys, shuffle_sums
 *                            ordo rank --sorted --algorithm shuffle --device cuda
 *   Fig. 4, III.C, hybrid    dev_rank_paper.cu: rank_before, hybrid_ranks
 *                            ordo rank --sorted --algorithm hybrid --device cuda
 *   Table I, the operator    rank_operator.h: rank_joined, rank_words_joined_32
 *
 *   measurement              command; results
 *   Fig. 6                   ordo bench rank --only p -n 128e6 --threads 32 --repeat 10
 *                            h200/rank/rank_cpu.json
 *   Fig. 7, 8                ordo bench rank --device cuda --only p -n 128e6
 *                            h200/paper-ranking/rank.json
 *   Fig. 9, 10               ordo bench rank --only n -n 128e6
 *                            h200/rank/rank_cpu.json
 *   Fig. 11, 12              ordo bench rank --device cuda --only n -n 128e6
 *                            h200/paper-ranking/rank.json
 *
 * Fig. 2 shows a prefix sum of eight values (ordo scan). Production: cpu/rank/cpu_rank_sorted.c,
 * cuda/rank/dev_rank_sorted.cu. */
#ifndef ORDO_PAPERS_RANKING_RANKING_H
#define ORDO_PAPERS_RANKING_RANKING_H

#include "backend/papers.h"

#ifndef __cplusplus

ordo_status cpu_rank_paper(const ordo_rank_sorted_job *job, ordo_exec *exec);
size_t      cpu_rank_paper_scratch(const ordo_rank_sorted_job *job, const ordo_exec *exec);

#else

ordo_status dev_rank_paper(cuda_call *call, const ordo_rank_sorted_job *job);
size_t      dev_rank_paper_scratch(const ordo_rank_sorted_job *job);

#endif

#endif

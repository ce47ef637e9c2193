/* papers.c - the table of the papers' algorithms in libordo (backend/papers.h). The map of each
 * paper is at the top of the header of its folder. */
#include "papers/ballot/ballot.h"
#include "papers/hybrid/hybrid.h"
#include "papers/median/median.h"
#include "papers/ranking/ranking.h"
#include "papers/roughsort/roughsort.h"

const ordo_papers *ordo_papers_table(void)
{
    static const ordo_papers table = {
        .ranking = {.rank_sorted = cpu_rank_paper, .rank_sorted_scratch = cpu_rank_paper_scratch},
        .hybrid = {.sample = cpu_records_sample,
                   .sample_scratch = cpu_records_sample_scratch,
                   .strings = cpu_strings_sample,
                   .sort_shared = hybrid_sample_sort,
                   .rank_shared = hybrid_sample_rank,
                   .strings_shared = hybrid_sample_strings},
        .roughsort = {.rough = cpu_records_rough,
                      .halving = cpu_records_halving,
                      .halving_scratch = cpu_records_halving_scratch,
                      .bubble = cpu_records_bubble},
        .median = {.bitonic = cpu_records_bitonic,
                   .sub_arrays = cpu_sub_arrays,
                   .sub_arrays_scratch = cpu_sub_arrays_scratch},
        .ballot = {.split = cpu_records_split, .split_scratch = cpu_records_split_scratch},
    };
    return &table;
}

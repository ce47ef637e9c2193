/* dev_papers.cu - the table of the papers' algorithms in the CUDA plugin (backend/papers.h). */
#include "papers/ballot/ballot.h"
#include "papers/hybrid/hybrid.h"
#include "papers/median/median.h"
#include "papers/ranking/ranking.h"
#include "papers/roughsort/roughsort.h"

static const ordo_cuda_papers table = {
    {dev_rank_paper, dev_rank_paper_scratch},
    {&dev_sample_sort, &dev_intervals_sort, &dev_sample_steps},
    {&dev_rough, &dev_insertion, &dev_halving, dev_radius_paper, dev_radius_paper_scratch},
    {&dev_bitonic, &dev_merge, dev_select_bitonic, dev_select_bitonic_scratch},
    {&dev_split, &dev_global, dev_bits_paper, dev_bits_paper_scratch, dev_scan_ballot,
     dev_scan_ballot_scratch},
};

const ordo_cuda_papers *ordo_cuda_papers_table(void) { return &table; }

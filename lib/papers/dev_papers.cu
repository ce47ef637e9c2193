/* dev_papers.cu - the table of the papers' algorithms in the CUDA plugin (backend/papers.h). */
#include "papers/ranking/ranking.h"

static const ordo_cuda_papers table = {
    {dev_rank_paper, dev_rank_paper_scratch},
};

const ordo_cuda_papers *ordo_cuda_papers_table(void) { return &table; }

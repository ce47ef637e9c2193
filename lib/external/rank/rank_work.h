/* rank_work.h - what the files of ordo_external_rank share.
 *   rank_plan.c     the sizes of buffers, blocks and lanes for a limit of memory
 *   rank_groups.c   many runs: joins groups of runs before they are ranked, and divides the ranks
 *                   of the joined runs afterwards
 *   rank_pairs.c    still less memory: two sorts of pairs
 *   external_rank.c the call */
#ifndef ORDO_EXTERNAL_RANK_WORK_H
#define ORDO_EXTERNAL_RANK_WORK_H

#include "core/ties.h"
#include "external/disk/lanes.h"
#include "external/disk/ranges.h"
#include "external/replay.h"
#include "external/resume.h"

enum {
    RANK_WORK_BYTES = 20 /* for each element of a buffer, besides the three buffers */
};

typedef struct tie_group { /* keys that tie and may continue in the next range */
    bool     open;
    uint64_t key;
    uint64_t before; /* elements before the group */
    uint64_t count;
    uint64_t dense; /* its dense rank */
} tie_group;

typedef struct ranker {
    external_call *call;
    ordo_ties      ties;
    ordo_type      rank_type;
    element_kind   bits; /* keys as integers in whose order ties are equal */
    replay         data;
    uint64_t       next;   /* the element that a phase reads next */
    size_t         buffer; /* phase 3: the buffer that is ranked next */
    char          *work;   /* RANK_WORK_BYTES for each element of a buffer */
    runs           runs;   /* of buffers; once they are joined, the joined runs */
    resume         resume;
    ranges        *ranges;
    size_t         together;                /* runs that it reads side by side */
    lanes          lanes;                   /* the ranks of each run */
    size_t        *given[PIPELINE_BUFFERS]; /* elements of each run in the range of a buffer */
    uint64_t      *tied;                    /* elements of each run in the open tie group */
    tie_group      group;
    uint64_t       before;   /* elements in earlier ranges */
    uint64_t       distinct; /* distinct keys in earlier ranges */

    /* The plan */
    size_t run_count;   /* buffers of elements */
    size_t joined;      /* runs that become one; 1: runs are ranked as they are */
    bool   needs_pairs; /* the memory is too small for lanes */

    /* Runs that are joined */
    runs     longer;
    lanes    sources; /* of each joined run: the sums of the numbers of the runs (from 0 on in their
                       * group) that its elements come from */
    size_t   making;  /* the joined run that is made */
    uint64_t sum;
} ranker;

/* Stores a rank (of averages twice the rank) as element i of `out`. */
static inline void rank_store(ordo_ties ties, ordo_type type, void *out, size_t i, uint64_t rank)
{
    if (type == ORDO_U32)
        ((uint32_t *)out)[i] = (uint32_t)rank;
    else if (type == ORDO_U64)
        ((uint64_t *)out)[i] = rank;
    else
        ((double *)out)[i] = ordo_tie_unit(ties) * (double)rank;
}

/* rank_plan.c: makes the largest buffers that stay within the limit, or sets needs_pairs. */
ordo_status rank_plan(ranker *r);
/* The elements of a block of `count` runs that are read side by side, and the numbers of a block of
 * `count` lanes that grow side by side. */
size_t rank_block_of(const ranker *r, size_t capacity, size_t count);
size_t rank_lane_of(size_t capacity, size_t count);

/* rank_pairs.c: writes the rank of each element of r->data to the sink of the call, whose buffers
 * are not used. */
ordo_status rank_pairs(const ranker *r);

/* rank_groups.c: a step of a pipeline that reads the next range of r->ranges. */
bool rank_read_range(void *user, piece *p);
/* Makes one run of each `joined` runs. */
bool rank_join_runs(ranker *r);
/* Makes the lanes of the first runs from those of the joined runs. */
bool rank_divide_lanes(ranker *r);

#endif

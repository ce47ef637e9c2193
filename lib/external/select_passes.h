/* select_passes.h - keys at exact positions of external data. */
#ifndef ORDO_EXTERNAL_SELECT_PASSES_H
#define ORDO_EXTERNAL_SELECT_PASSES_H

#include "external/cells.h"
#include "external/replay.h"

typedef struct target { /* a wanted position */
    uint64_t rank;
    uint64_t first, last; /* orders between which its key is */
    uint64_t below;       /* elements whose order is less than `first` */
    uint64_t inside;      /* elements between them */
    uint64_t order;       /* the order of the key at the position, if done */
    bool     done;
} target;

typedef struct selector selector;
struct selector {
    external_call call;
    target       *targets;
    size_t        count;
    /* Sets the ranks of the targets. It is called with an estimate of the number of elements that
     * are not NaN, and after the first pass with their number. False after failure_record(). */
    bool (*place)(selector *s, uint64_t numbers);
    void *user;

    /* Results */
    replay   data; /* data.n: the number of elements */
    uint64_t nans;
    size_t   passes;

    /* The work */
    cells      cells;
    cells_pass pass;
    uint8_t   *keep;   /* of each cell: whether its orders are kept */
    uint64_t  *sample; /* orders, sorted */
    size_t     sample_n, sample_most;
    double     scatter; /* of the sample, compared with one of independent elements */
    uint64_t   next;    /* element that the pass reads next */
};

/* Makes the buffers within the memory limit. Call select_end() in any case. */
ordo_status select_plan(selector *s);
void        select_end(selector *s);

/* Finds the orders of all targets; if there are many, of some of them: select_by_sort() finds the
 * others. */
bool select_run(selector *s);
bool select_is_done(const selector *s);

/* Frees the buffers, the sample and the survivors of the passes. */
void select_free(selector *s);

/* select_sorted.c: finds the orders of the other targets. Their ranks are exact. */
ordo_status select_by_sort(selector *s);

#endif

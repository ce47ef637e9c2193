/* papers.h - the algorithms of the papers, as slots that a backend calls if the caller names one.
 *
 * lib/papers has a folder for each paper. It stands above the backends and uses their functions; no
 * backend includes its headers. A backend calls the slots of a table:
 *   ordo_papers        the CPU, and the CPU together with a device: exec->papers
 *   ordo_cuda_papers   the CUDA plugin: ordo_cuda_papers_table()
 * A table has all of its slots. A struct that is only named here belongs to the folder that calls
 * the slot. Slots with _scratch in their names return bytes, read no array and start no work. */
#ifndef ORDO_BACKEND_PAPERS_H
#define ORDO_BACKEND_PAPERS_H

#include "backend/exec.h"
#include "backend/job.h"

typedef struct ordo_papers {
    /* Ranks of a sorted array: SEQUENTIAL, THREADS. */
    struct {
        ordo_status (*rank_sorted)(const ordo_rank_sorted_job *job, ordo_exec *exec);
        size_t (*rank_sorted_scratch)(const ordo_rank_sorted_job *job, const ordo_exec *exec);
    } ranking;
} ordo_papers;

/* The table of libordo: papers/papers.c */
const ordo_papers *ordo_papers_table(void);

/* The error of a named algorithm if exec->papers is NULL. */
static inline ordo_status ordo_no_paper(ordo_exec *exec)
{
    return ordo_fail(exec, ORDO_E_UNSUPPORTED,
                     "this build has none of the papers' algorithms; expected algorithm auto");
}

#ifdef __cplusplus

struct cuda_call;

/* Functions only enqueue work on the stream of the call unless a comment says that they wait. */
typedef struct ordo_cuda_papers {
    /* Ranks of a sorted array: NAIVE, SHUFFLE, HYBRID. */
    struct {
        ordo_status (*rank_sorted)(cuda_call *call, const ordo_rank_sorted_job *job);
        size_t (*rank_sorted_scratch)(const ordo_rank_sorted_job *job);
    } ranking;
} ordo_cuda_papers;

/* The table of the CUDA plugin: papers/dev_papers.cu */
const ordo_cuda_papers *ordo_cuda_papers_table(void);

#endif

#endif

/* cuda_paths.cuh - tables of paths: which code of the GPU backend does a call.
 *
 * A walk calls the first row whose condition holds; a row may decline, and then the walk goes on.
 * The last row of a table does every call. A condition reads the job, facts of the device, and what
 * the host has fetched of the keys, so a walk never waits, and a graph can capture it. What kernels
 * decide on the device is no row. The rows of the CPU are in cpu/base/paths.h. */
#ifndef ORDO_CUDA_RUNTIME_CUDA_PATHS_H
#define ORDO_CUDA_RUNTIME_CUDA_PATHS_H

#include "cuda/runtime/cuda_rt.cuh"

/* LOOK: what the conditions of a table know about a call; its member `call` is the call. */
template <typename LOOK> struct cuda_path {
    ordo_path text;
    bool (*applies)(const LOOK *look);
    ordo_status (*run)(LOOK *look, bool *done); /* declines if *done stays false */
};

template <typename LOOK> static bool cuda_always(const LOOK *) { return true; } /* last rows */

#define CUDA_PATH(verb, name, when, applies, run)                                                  \
    {                                                                                              \
        {"cuda", verb, name, when, NULL}, applies, run                                             \
    }

/* Tries rows [first, end) of a table until *done, and notes the row that did the call. Scratch that
 * a row takes is free after it, because later work on the stream waits for its kernels. */
template <typename LOOK>
static inline ordo_status cuda_walk(const cuda_path<LOOK> *rows, size_t first, size_t end,
                                    LOOK *look, bool *done)
{
    cuda_call *const call = look->call;
    size_t const     used = call->scratch.used;
    for (size_t i = first; i < end && !*done; i++)
        if (rows[i].applies(look)) {
            TRY(rows[i].run(look, done));
            call->scratch.used = used;
            if (*done)
                call->exec->path = &rows[i].text;
        }
    return ORDO_OK;
}

struct cuda_paths { /* the texts of a table */
    const ordo_path *first;
    size_t           count, stride; /* bytes from one row to the next */
};

#define CUDA_PATHS(rows)                                                                           \
    {                                                                                              \
        &(rows)[0].text, sizeof(rows) / sizeof *(rows), sizeof *(rows)                             \
    }

extern const cuda_paths cuda_sort_paths; /* sort/dev_sort.cu */
extern const cuda_paths cuda_rank_paths; /* rank/dev_rank.cu */
extern const cuda_paths cuda_topk_paths; /* select/dev_topk.cu */

#endif

/* contexts.h - contexts for the threads of a host library, such as NumPy and Polars. */
#ifndef ORDO_DOORS_CONTEXTS_H
#define ORDO_DOORS_CONTEXTS_H

#include <ordo.h>

#include <stdbool.h>

typedef struct door_context {
    ordo_ctx *ctx;
    bool      is_wide;
} door_context;

/* Lends a context for work on n elements. A host may call from many threads at once: one call at a
 * time, if it has many elements, gets the context that has all threads; the others get contexts of
 * one thread. After fork() both processes go on. */
ordo_status door_borrow(size_t n, door_context *out);
void        door_return(door_context context);

/* The threads of a call that has all threads; 0: the library decides. */
uint32_t door_threads(void);

/* The same where no setting names them: by ORDO_THREADS, which the library reads, else at most
 * OMP_NUM_THREADS, which joblib, Dask and torchrun set in their workers, so that all workers
 * together have one thread for each CPU, else 1 in a worker of Python's multiprocessing, which says
 * nothing to its workers. The package calls both functions (python/ordo/_workers.py). */
ORDO_API int ordo_door_usual_threads(int is_worker);
/* Tells a door what it cannot know: the threads of a setting, or -1 in such a worker, or 0. */
ORDO_API void ordo_door_tell(int threads);

#endif

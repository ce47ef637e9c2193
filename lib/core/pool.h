/* pool.h - a thread pool for parallel loops.
 *
 * The calling thread also works, so a pool of one thread has no workers, and its loops are plain
 * loops. Workers start with the first loop that can use them and sleep between loops. If a worker
 * cannot be created, the others do its work. After fork() the child may use the pool; its workers
 * are started again. One loop runs at a time. */
#ifndef ORDO_CORE_POOL_H
#define ORDO_CORE_POOL_H

#include "core/arena.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct ordo_pool ordo_pool;

/* Called on the calling thread between its pieces, and while it waits for other threads. */
typedef void ordo_pool_tick(void *user, double share_done);

ordo_pool *ordo_pool_create(const ordo_alloc *source, unsigned threads); /* NULL: no memory */
void       ordo_pool_free(ordo_pool *pool);

/* As ordo_exec.loop. Stops handing out pieces once *stop is not 0. */
bool ordo_pool_loop(ordo_pool *pool, size_t n, size_t grain, ordo_body *body, void *arg,
                    atomic_int *stop, ordo_pool_tick *tick, void *user);

/* Wakes sleeping workers, because a loop follows within microseconds. They sleep again if it does
 * not. Does nothing before the first loop, or if there are more threads than CPUs. */
void ordo_pool_wake(ordo_pool *pool);

/* Waits for a condition that ordo_pause_init made, at most 5 ms, so that the thread can meanwhile
 * ask whether to go on. Returns whether the time ran out. */
void ordo_pause_init(pthread_cond_t *changed);
bool ordo_pause(pthread_cond_t *changed, pthread_mutex_t *lock);

#endif

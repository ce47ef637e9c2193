/* block_tile.cuh - the keys of a tile: key i of a thread is at place i * THREADS + threadIdx.x. */
#ifndef ORDO_CUDA_BLOCK_BLOCK_TILE_H
#define ORDO_CUDA_BLOCK_BLOCK_TILE_H

#include "cuda/warp/warp_alike.cuh"

/* Calls f(i, p) for each key i of this thread, at place p of a tile of `valid` keys. */
template <int THREADS, int ITEMS, typename F> static DEVICE void tile_each(uint32_t valid, F &&f)
{
    bool const whole = valid == THREADS * ITEMS;
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (whole || i * THREADS + threadIdx.x < valid)
            f(i, i * THREADS + threadIdx.x);
}

/* Adds 1 to count[counter_of(i)] for each key i, and calls f(i, counter, sum before). Called by all
 * threads of a block. */
template <int THREADS, int ITEMS, typename COUNTER, typename F>
static DEVICE void tile_count(uint32_t valid, uint32_t *count, COUNTER &&counter_of, F &&f)
{
    if (valid == THREADS * ITEMS && warp_alike(counter_of(0))) {
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            unsigned const counter = counter_of(i);
            f(i, counter, warp_add_alike(count, counter));
        }
    } else
        tile_each<THREADS, ITEMS>(valid, [&](int i, unsigned) {
            unsigned const counter = counter_of(i);
            f(i, counter, atomicAdd(count + counter, 1u));
        });
}

#endif

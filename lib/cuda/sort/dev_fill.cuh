/* dev_fill.cuh - writes a sorted array from its values and the first place of each: the last step
 * of dev_count.cu and dev_distinct.cu. A thread finds the value of its first key by binary search,
 * and writes 16 bytes at a time. */
#ifndef ORDO_CUDA_SORT_DEV_FILL_H
#define ORDO_CUDA_SORT_DEV_FILL_H

#include "cuda/runtime/cuda_rt.cuh"
#include "cuda/warp/first_where.cuh"

enum {
    FILL_THREADS = 256,
    FILL_VECTORS = 4 /* vectors per thread */
};

/* The last value in [low, high] that starts at or before place i: that of the i-th key. */
static DEVICE unsigned fill_find(const uint64_t *starts, unsigned low, unsigned high, size_t i)
{
    return first_where(low + 1, high + 1, [&](unsigned v) { return starts[v] > i; }) - 1;
}

/* VALUES: starts, the first place of each value; last(), the last value; key(v), the key of value v
 * as in memory; is_void(), whether the array stays as it is. `skip` is the number of keys from the
 * previous multiple of 16 bytes to the array. */
template <typename KEY, typename VALUES>
static __global__ void __launch_bounds__(FILL_THREADS)
    fill_sorted(KEY *keys, size_t n, VALUES const values, unsigned skip)
{
    enum {
        EACH = 16 / sizeof(KEY),
        TILE = FILL_THREADS * FILL_VECTORS * EACH
    };
    __shared__ unsigned bound[2];
    size_t const        begin = (size_t)blockIdx.x * TILE; /* position counted from `skip` keys
                                                            * before the array */
    size_t const        first = begin < skip ? 0 : begin - skip;
    size_t const        end = min(begin + TILE - skip, n);
    if (values.is_void())
        return;
    if (threadIdx.x < 2)
        bound[threadIdx.x] =
            fill_find(values.starts, 0, values.last(), threadIdx.x == 0 ? first : end - 1);
    __syncthreads();
    unsigned const low = bound[0], high = bound[1];

#pragma unroll
    for (unsigned v = 0; v < FILL_VECTORS; v++) {
        size_t const from = begin + (size_t)(v * FILL_THREADS + threadIdx.x) * EACH;
        size_t const i = from < skip ? 0 : from - skip, until = min(from + EACH - skip, n);
        if (i >= until)
            continue;
        unsigned       value = fill_find(values.starts, low, high, i);
        KEY            key = values.key(value);
        vector_16<KEY> chunk;
        auto const     key_at = [&](size_t at) {
            while (value < high && values.starts[value + 1] <= at)
                key = values.key(++value);
            return key;
        };
        if (until - i == EACH) {
#pragma unroll
            for (unsigned k = 0; k < EACH; k++)
                chunk.key[k] = key_at(i + k);
            *(uint4 *)(keys + i) = chunk.all;
        } else {
            for (size_t at = i; at < until; at++)
                keys[at] = key_at(at);
        }
    }
}

template <typename KEY, typename VALUES>
static ordo_status fill_launch(cuda_call *call, KEY *keys, size_t n, VALUES const &values)
{
    unsigned const skip = (unsigned)((uintptr_t)keys % 16 / sizeof(KEY));
    size_t const   tile = FILL_THREADS * FILL_VECTORS * 16 / sizeof(KEY);
    return CUDA_LAUNCH(call, (fill_sorted<KEY, VALUES>), ordo_div_up(n + skip, tile), FILL_THREADS,
                       0, keys, n, values, skip);
}

#endif

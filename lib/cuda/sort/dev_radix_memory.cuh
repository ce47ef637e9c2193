/* dev_radix_memory.cuh - loads and stores of the radix sort: elements of run-time size, explicit
 * accesses to global memory, words shared by blocks, and a barrier for a cooperative launch. */
#ifndef ORDO_CUDA_SORT_DEV_RADIX_MEMORY_H
#define ORDO_CUDA_SORT_DEV_RADIX_MEMORY_H

#include "cuda/runtime/cuda_rt.cuh"

struct radix_no_value {
};

template <typename VALUE> struct value_traits {
    static constexpr bool exists = true;
    static constexpr int  size = sizeof(VALUE);
};
template <> struct value_traits<radix_no_value> {
    static constexpr bool exists = false;
    static constexpr int  size = 0;
};

/* Loads an unsigned integer of 1, 2, 4 or 8 bytes. */
template <typename T> static DEVICE T load_sized(const void *from, size_t i, unsigned size)
{
    switch (size) {
    case 1:
        return __ldcg((const uint8_t *)from + i);
    case 2:
        return __ldcg((const uint16_t *)from + i);
    case 4:
        return __ldcg((const uint32_t *)from + i);
    default:
        return (T)__ldcg((const unsigned long long *)from + i);
    }
}

template <typename T> static DEVICE void store_sized(void *to, unsigned size, T value)
{
    switch (size) {
    case 1:
        *(uint8_t *)to = (uint8_t)value;
        break;
    case 2:
        *(uint16_t *)to = (uint16_t)value;
        break;
    case 4:
        *(uint32_t *)to = (uint32_t)value;
        break;
    default:
        *(uint64_t *)to = value;
    }
}

/* Keeps the compiler from keeping results computed from a value in registers: recomputing digits is
 * cheaper. */
static DEVICE void forget(uint32_t &value) { asm volatile("" : "+r"(value)); }
static DEVICE void forget(uint64_t &value) { asm volatile("" : "+l"(value)); }

/* Explicit accesses to global memory. The compiler does not know where a pointer read from shared
 * memory points, and would not move loads from shared memory before such stores. Loads bypass L1,
 * which may hold old data. */
static DEVICE void store_global(void *to, uint32_t value)
{
    asm volatile("st.global.b32 [%0], %1;" ::"l"(to), "r"(value));
}
static DEVICE void store_global(void *to, uint64_t value)
{
    asm volatile("st.global.b64 [%0], %1;" ::"l"(to), "l"(value));
}
static DEVICE void load_global(uint32_t &value, const void *from)
{
    asm volatile("ld.global.cg.b32 %0, [%1];" : "=r"(value) : "l"(from));
}
static DEVICE void load_global(uint64_t &value, const void *from)
{
    asm volatile("ld.global.cg.b64 %0, [%1];" : "=l"(value) : "l"(from));
}

/* Accesses to a word that other blocks write. */
static DEVICE uint32_t load_relaxed(const uint32_t *word)
{
    uint32_t value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    return value;
}
static DEVICE void store_relaxed(uint32_t *word, uint32_t value)
{
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

/* A barrier of all blocks of the launch; `arrived` was 0 when the launch began. */
static DEVICE void radix_barrier(uint32_t *arrived)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        uint32_t const mine = atomicAdd(arrived, 1u);
        uint32_t const all = mine - mine % gridDim.x + gridDim.x;
        while (load_relaxed(arrived) < all)
            __nanosleep(50);
        __threadfence();
    }
    __syncthreads();
}

#endif

/* block_cluster.cuh - the blocks of a cluster: who they are, their barrier, and each other's shared
 * memory (compute capability 9.0 and above; on others nothing is declared here).
 *
 * The barrier comes in two halves, so that a block can do something between them; all threads of
 * all blocks take part. Addresses are those of the shared::cluster space of PTX. A block must not
 * end while others may still read or write its memory. Used by device/dev_radix_cluster.cu. */
#ifndef ORDO_CUDA_BLOCK_BLOCK_CLUSTER_H
#define ORDO_CUDA_BLOCK_BLOCK_CLUSTER_H

#include <stdint.h>

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define HAVE_CLUSTERS 1

/* This block's number in the cluster, and how many there are. */
static __device__ __forceinline__ uint32_t cluster_block(void)
{
    uint32_t rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
static __device__ __forceinline__ uint32_t cluster_blocks(void)
{
    uint32_t blocks;
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
    return blocks;
}

/* What was written before the first is seen after the second. */
static __device__ __forceinline__ void cluster_arrive(void)
{
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
static __device__ __forceinline__ void cluster_wait(void)
{
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

/* What lies in `block` where `here` is in this one. */
static __device__ __forceinline__ uint32_t cluster_address(const void *here, uint32_t block)
{
    uint32_t address;
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(address)
        : "r"((uint32_t)__cvta_generic_to_shared(here)), "r"(block));
    return address;
}
static __device__ __forceinline__ void cluster_load(uint32_t &value, uint32_t address)
{
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
}
static __device__ __forceinline__ void cluster_load(uint64_t &value, uint32_t address)
{
    asm volatile("ld.shared::cluster.u64 %0, [%1];" : "=l"(value) : "r"(address) : "memory");
}
static __device__ __forceinline__ void cluster_store(uint32_t address, uint32_t value)
{
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
}
static __device__ __forceinline__ void cluster_store(uint32_t address, uint64_t value)
{
    asm volatile("st.shared::cluster.u64 [%0], %1;" ::"r"(address), "l"(value) : "memory");
}

#endif

#endif

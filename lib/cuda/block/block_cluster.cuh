/* block_cluster.cuh - thread-block clusters: barrier, access to the shared memory of other blocks,
 * a scan over the blocks, and launches.
 *
 * Clusters need compute capability 9.0; HAVE_CLUSTERS is defined where they exist. The barrier has
 * two halves (arrive and wait), so that a block can work between them; all threads of all blocks
 * take part. Addresses are in the shared::cluster space of PTX. A block must not end while other
 * blocks may access its shared memory. With cluster_scan one launch scans an array of few tiles and
 * needs no zeroed words in global memory. */
#ifndef ORDO_CUDA_BLOCK_BLOCK_CLUSTER_H
#define ORDO_CUDA_BLOCK_BLOCK_CLUSTER_H

#include "cuda/runtime/cuda_rt.cuh"
#include "cuda/warp/warp_scan.cuh"

static constexpr int CLUSTER_BLOCKS = 16; /* upper limit; some devices allow only 8 */

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define HAVE_CLUSTERS 1

static DEVICE uint32_t cluster_rank(void)
{
    uint32_t rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
static DEVICE uint32_t cluster_size(void)
{
    uint32_t blocks;
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
    return blocks;
}

/* Writes before cluster_arrive are visible after cluster_wait. */
static DEVICE void cluster_arrive(void)
{
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
static DEVICE void cluster_wait(void)
{
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

/* The address, in the shared memory of `block`, of the variable that is at `here` in this block. */
static DEVICE uint32_t cluster_address(const void *here, uint32_t block)
{
    uint32_t address;
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(address)
        : "r"((uint32_t)__cvta_generic_to_shared(here)), "r"(block));
    return address;
}
static DEVICE void cluster_load(uint32_t &value, uint32_t address)
{
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
}
static DEVICE void cluster_load(uint64_t &value, uint32_t address)
{
    asm volatile("ld.shared::cluster.u64 %0, [%1];" : "=l"(value) : "r"(address) : "memory");
}
static DEVICE void cluster_load(float &value, uint32_t address)
{
    asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(value) : "r"(address) : "memory");
}
static DEVICE void cluster_load(double &value, uint32_t address)
{
    asm volatile("ld.shared::cluster.f64 %0, [%1];" : "=d"(value) : "r"(address) : "memory");
}
static DEVICE void cluster_store(uint32_t address, uint32_t value)
{
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
}
static DEVICE void cluster_store(uint32_t address, uint64_t value)
{
    asm volatile("st.shared::cluster.u64 [%0], %1;" ::"r"(address), "l"(value) : "memory");
}
#endif

template <typename ACC> struct cluster_sums {
    ACC before; /* sum of the blocks before this one */
    ACC total;  /* sum of all blocks */
};

/* Sums the totals of the blocks of a grid that is one cluster. *place is shared memory that is
 * written only here. The result is valid in every thread. cluster_leave must be called before the
 * block ends. */
template <typename OP>
static DEVICE cluster_sums<typename OP::ACC> cluster_scan(typename OP::ACC  total,
                                                          typename OP::ACC *place)
{
    typedef typename OP::ACC ACC;
#ifdef HAVE_CLUSTERS
    unsigned const lane = lane_id();
    ACC            its = OP::identity();
    if (threadIdx.x == 0)
        *place = total;
    cluster_arrive();
    cluster_wait();
    if (lane < gridDim.x)
        cluster_load(its, cluster_address(place, lane));
    cluster_sums<ACC> const sums = {warp_reduce<OP>(lane < blockIdx.x ? its : OP::identity()),
                                    warp_reduce<OP>(its)};
    cluster_arrive();
    return sums;
#else
    (void)place;
    return cluster_sums<ACC>{OP::identity(), total};
#endif
}

/* Waits until no block reads the shared memory of another. */
static DEVICE void cluster_leave(void)
{
#ifdef HAVE_CLUSTERS
    cluster_wait();
#endif
}

/* Whether this many tiles can be launched as one cluster with one block per tile. */
static inline bool cluster_fits(const cuda_call *call, size_t tiles)
{
    return call->facts->capability >= 90 && tiles <= CLUSTER_BLOCKS;
}

/* The number of blocks in a cluster for this many tiles: a power of 2. */
static inline unsigned cluster_grid(size_t tiles)
{
    unsigned blocks = 1;
    while (blocks < tiles)
        blocks *= 2;
    return blocks;
}

template <typename... PARAMETERS, typename... ARGUMENTS>
static cudaError_t cluster_launch(const cuda_call *call, void (*kernel)(PARAMETERS...),
                                  unsigned blocks, unsigned threads, size_t shared,
                                  ARGUMENTS... arguments)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = blocks;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    if (blocks > 8) {
        cudaError_t const error =
            cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
        if (error != cudaSuccess)
            return error;
    }
    return cuda_launch_with(call, attribute, true, kernel, blocks, threads, shared, arguments...);
}

/* Like cluster_launch, but returns false, without an error, if the device refuses the launch. A
 * context with a limited number of multiprocessors gets them in groups of eight, so larger clusters
 * are not tried there. */
template <typename... PARAMETERS, typename... ARGUMENTS>
static bool cluster_try(const cuda_call *call, void (*kernel)(PARAMETERS...), unsigned blocks,
                        unsigned threads, ARGUMENTS... arguments)
{
    if (call->facts->limited && blocks > 8)
        return false;
    if (cluster_launch(call, kernel, blocks, threads, 0, arguments...) == cudaSuccess)
        return true;
    (void)cudaGetLastError();
    return false;
}

#endif

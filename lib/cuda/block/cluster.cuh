/* cluster.cuh - the blocks of one launch as one cluster, which see each other's shared memory: how
 * arrays of a few tiles are scanned by one launch, without words in global memory to be zeroed.
 *
 * Clusters need compute capability 9.0. A launch as a cluster is tried where the device has it
 * (cluster_launch); where it is refused, and on older devices, the caller takes its other way.
 * Cost: two barriers of the cluster, the second of which overlaps with work.
 *
 * cluster_scan is called by all threads of all blocks of the cluster; its result is valid in every
 * thread. cluster_leave must follow it before the block ends. Used by device/dev_scan.cu,
 * dev_bits.cu and dev_partition.cu. */
#ifndef ORDO_CUDA_BLOCK_CLUSTER_H
#define ORDO_CUDA_BLOCK_CLUSTER_H

#include "cuda/runtime/cuda_rt.cuh"
#include "cuda/warp/warp_scan.cuh"

enum {
    CLUSTER_BLOCKS = 16 /* at most; more than 8 not every device grants */
};

template <typename ACC> struct cluster_sums {
    ACC before; /* of the blocks before this one */
    ACC total;  /* of all blocks */
};

/* ---- Device ---- */

static __device__ __forceinline__ void cluster_arrive(void)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
}

static __device__ __forceinline__ void cluster_wait(void)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

/* What stands in block `rank` at the address that is `place` here. */
template <typename T>
static __device__ __forceinline__ T cluster_read(const T *place, unsigned rank)
{
    T value = *place;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    unsigned at = (unsigned)__cvta_generic_to_shared(place);
    asm("mapa.shared::cluster.u32 %0, %0, %1;" : "+r"(at) : "r"(rank));
    if constexpr (sizeof(T) == 8) {
        uint64_t bits;
        asm volatile("ld.shared::cluster.u64 %0, [%1];" : "=l"(bits) : "r"(at) : "memory");
        memcpy(&value, &bits, sizeof value);
    } else {
        uint32_t bits;
        asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(bits) : "r"(at) : "memory");
        memcpy(&value, &bits, sizeof value);
    }
#endif
    return value;
}

/* Sums of the totals of the blocks. *place is shared memory that nobody else writes. */
template <typename OP>
static __device__ __forceinline__ cluster_sums<typename OP::ACC>
                                  cluster_scan(typename OP::ACC total, typename OP::ACC *place)
{
    typedef typename OP::ACC ACC;
    unsigned const           lane = lane_id();
    if (threadIdx.x == 0)
        *place = total;
    cluster_arrive();
    cluster_wait();
    ACC const               its = lane < gridDim.x ? cluster_read(place, lane) : OP::identity();
    cluster_sums<ACC> const sums = {warp_reduce<OP>(lane < blockIdx.x ? its : OP::identity()),
                                    warp_reduce<OP>(its)};
    cluster_arrive();
    return sums;
}

/* No block ends while others may read its shared memory. */
static __device__ __forceinline__ void cluster_leave(void) { cluster_wait(); }

/* ---- Host ---- */

/* Whether so many tiles may be tried as a cluster, and how many blocks it then has. */
static inline bool cluster_fits(const cuda_call *call, size_t tiles)
{
    return call->facts->capability >= 90 && tiles <= CLUSTER_BLOCKS;
}

static inline unsigned cluster_blocks(size_t tiles)
{
    unsigned blocks = 1;
    while (blocks < tiles)
        blocks *= 2;
    return blocks;
}

/* Launches one cluster; false if the device would not. */
template <typename... PARAMETERS, typename... ARGUMENTS>
static bool cluster_launch(const cuda_call *call, void (*kernel)(PARAMETERS...), unsigned blocks,
                           unsigned threads, ARGUMENTS... arguments)
{
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t  config = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = blocks;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.gridDim = blocks;
    config.blockDim = threads;
    config.stream = call->stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    if ((blocks > 8 && cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed,
                                            1) != cudaSuccess) ||
        cudaLaunchKernelEx(&config, kernel, arguments...) != cudaSuccess) {
        (void)cudaGetLastError();
        return false;
    }
    return true;
}

#endif

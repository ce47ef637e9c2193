/* tile_ring.cuh - what a ring of tiles in shared memory is made of: barriers that a slot of the
 * ring waits at, and copies that bring a tile while other warps work.
 *
 * A slot's barrier is met by a fixed number of arrivals, and its phases alternate; who waits names
 * the parity of the phase, which tells it only from the phases beside it: whoever waits at a slot
 * waits there for every tile that it gets. An arrival publishes what its thread (and, after
 * __syncwarp, its warp) has written; who has waited sees it. On devices of capability 9.0 and more
 * one thread starts the copy of a whole tile, and the copy itself reports its bytes to the barrier
 * (bulk copies); older ones copy 16 bytes a lane at a time.
 *
 * Cost: a copy takes no register and next to no instructions. Used by
 * device/dev_scan_stream.cuh. */
#ifndef ORDO_CUDA_BLOCK_TILE_RING_H
#define ORDO_CUDA_BLOCK_TILE_RING_H

#include "cuda/warp/warp_ballot.cuh"

#define RING_ALIGN 16u /* of addresses and sizes of copies */

#if __CUDA_ARCH__ >= 900
#define RING_FILL WARP_LANES /* arrivals of ring_fill */
#define RING_PUTS true       /* there is ring_put */
#else
#define RING_FILL (2 * WARP_LANES)
#define RING_PUTS false
#endif

/* Where a warp is in the ring: the slot, and the parity of the phase that it waits for there. */
struct ring_place {
    unsigned slot, parity;
};

static __device__ __forceinline__ void ring_step(ring_place *place, unsigned slots)
{
    if (++place->slot == slots) {
        place->slot = 0;
        place->parity ^= 1;
    }
}

static __device__ __forceinline__ unsigned ring_address(const void *shared)
{
    return (unsigned)__cvta_generic_to_shared(shared);
}

static __device__ __forceinline__ void ring_init(uint64_t *barrier, unsigned arrivals)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(ring_address(barrier)), "r"(arrivals)
                 : "memory");
}

/* Between ring_init and the __syncthreads after it. */
static __device__ __forceinline__ void ring_init_done(void)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

static __device__ __forceinline__ void ring_arrive(uint64_t *barrier)
{
    asm volatile("{\n\t.reg .b64 state;\n\t"
                 "mbarrier.arrive.shared.b64 state, [%0];\n\t}" ::"r"(ring_address(barrier))
                 : "memory");
}

static __device__ __forceinline__ void ring_wait(uint64_t *barrier, unsigned parity)
{
    unsigned done;
    do {
        asm volatile("{\n\t.reg .pred met;\n\t"
#if __CUDA_ARCH__ >= 900
                     "mbarrier.try_wait.parity.shared.b64 met, [%1], %2;\n\t"
#else
                     "mbarrier.test_wait.parity.shared.b64 met, [%1], %2;\n\t"
#endif
                     "selp.u32 %0, 1, 0, met;\n\t}"
                     : "=r"(done)
                     : "r"(ring_address(barrier)), "r"(parity)
                     : "memory");
    } while (!done);
}

/* Ordinary writes of the calling thread to a slot come before a later bulk copy to it. */
static __device__ __forceinline__ void ring_wrote(void)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

/* Called by a whole warp: starts the copy of `bytes` (a multiple of 16) and arrives RING_FILL times
 * at the barrier, which is met when the copy is there too. What the lanes have written before is
 * published as well. */
static __device__ __forceinline__ void ring_fill(char *slot, const char *from, unsigned bytes,
                                                 uint64_t *barrier)
{
#if __CUDA_ARCH__ >= 900
    if (lane_id() == 0 && bytes > 0) {
        asm volatile("{\n\t.reg .b64 state;\n\t"
                     "mbarrier.arrive.expect_tx.shared.b64 state, [%0], %1;\n\t}" ::"r"(
                         ring_address(barrier)),
                     "r"(bytes)
                     : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%0], [%1], %2, [%3];" ::"r"(ring_address(slot)),
                     "l"(from), "r"(bytes), "r"(ring_address(barrier))
                     : "memory");
    } else {
        ring_arrive(barrier);
    }
#else
    for (unsigned at = lane_id() * RING_ALIGN; at < bytes; at += WARP_LANES * RING_ALIGN)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(ring_address(slot + at)),
                     "l"(from + at)
                     : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(ring_address(barrier))
                 : "memory");
    ring_arrive(barrier);
#endif
}

/* Starts to write `bytes` of a slot (a multiple of 16) to global memory. Called by one thread after
 * all that wrote them have called ring_wrote and met it. Only where RING_PUTS. */
static __device__ __forceinline__ void ring_put(void *out, const void *slot, unsigned bytes)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out),
                 "r"(ring_address(slot)), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#endif
}

/* What the calling thread has put has been read from its slot. */
static __device__ __forceinline__ void ring_put_read(void)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#endif
}

#endif

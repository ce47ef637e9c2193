/* tile_ring.cuh - barriers and asynchronous copies for a ring of tiles in shared memory.
 *
 * The barrier of a slot completes a phase after a fixed number of arrivals. A waiting thread names
 * the parity of the phase, so it must wait for every tile of that slot. An arrival publishes what
 * its thread (after __syncwarp, its warp) wrote. From compute capability 9.0 on, one thread starts
 * a bulk copy of a whole tile, which reports its bytes to the barrier; on older devices each lane
 * copies 16 bytes at a time. Copies take no registers and almost no instructions. */
#ifndef ORDO_CUDA_BLOCK_TILE_RING_H
#define ORDO_CUDA_BLOCK_TILE_RING_H

#include "cuda/warp/warp_scan.cuh"

#define RING_ALIGN 16u /* alignment of addresses and sizes of copies */

#if __CUDA_ARCH__ >= 900
#define RING_FILL WARP_LANES /* number of arrivals that ring_fill makes */
#define RING_PUTS true       /* whether ring_put exists */
#else
#define RING_FILL (2 * WARP_LANES)
#define RING_PUTS false
#endif

/* The position of a warp in the ring: the slot, and the parity of the phase to wait for. */
struct ring_place {
    unsigned slot, parity;
};

static DEVICE void ring_step(ring_place *place, unsigned slots)
{
    if (++place->slot == slots) {
        place->slot = 0;
        place->parity ^= 1;
    }
}

static DEVICE unsigned ring_address(const void *shared)
{
    return (unsigned)__cvta_generic_to_shared(shared);
}

static DEVICE void ring_init(uint64_t *barrier, unsigned arrivals)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(ring_address(barrier)), "r"(arrivals)
                 : "memory");
}

static DEVICE void ring_arrive(uint64_t *barrier)
{
    asm volatile("{\n\t.reg .b64 state;\n\t"
                 "mbarrier.arrive.shared.b64 state, [%0];\n\t}" ::"r"(ring_address(barrier))
                 : "memory");
}

static DEVICE void ring_wait(uint64_t *barrier, unsigned parity)
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

/* Orders the thread's ordinary writes to a slot, and its ring_init, before a later bulk copy. */
static DEVICE void ring_wrote(void)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

/* Called by a whole warp. Starts the copy of `bytes` (a multiple of 16) and arrives RING_FILL times
 * at the barrier, which completes when the copied bytes have arrived too. Also publishes earlier
 * writes of the lanes. */
static DEVICE void ring_fill(char *slot, const char *from, unsigned bytes, uint64_t *barrier)
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

/* Starts a copy of `bytes` of a slot (a multiple of 16) to global memory. Called by one thread
 * after all writers called ring_wrote and synchronised. Does nothing unless RING_PUTS. */
static DEVICE void ring_put(void *out, const void *slot, unsigned bytes)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out),
                 "r"(ring_address(slot)), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#endif
}

/* Waits until the calling thread's last ring_put has read its slot. */
static DEVICE void ring_put_read(void)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#endif
}

#endif

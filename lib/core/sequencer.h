/* sequencer.h - lets the pieces of a parallel loop pass one point in the order of their numbers.
 *
 * Example: in a scan each piece first reduces its own keys, which brings them into the cache, waits
 * for the previous piece, takes the carry, leaves the next carry, lets the next piece pass, and
 * scans its keys. So memory is read once, and the carries are combined in the same order for any
 * number of threads. There is no deadlock: a loop hands out pieces in increasing order and finishes
 * all of them, so the lowest unfinished piece never waits. A waiting thread spins, then yields,
 * then sleeps. It yields for long, because each sleep stalls all later pieces: with sleeps after 32
 * yields a scan by 16 threads was 16 times slower. */
#ifndef ORDO_CORE_SEQUENCER_H
#define ORDO_CORE_SEQUENCER_H

#include "core/base.h"

#include <sched.h>
#include <stdatomic.h>
#include <time.h>

typedef struct ordo_sequencer {
    atomic_size_t next; /* the piece that may pass; starts at 0 */
} ordo_sequencer;

static inline void ordo_cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory"); /* longer than yield, which most cores treat as a nop */
#endif
}

static inline void ordo_sequencer_wait(ordo_sequencer *sequencer, size_t piece)
{
    enum {
        SPINS = 256,
        YIELDS = 20000
    }; /* a few microseconds; tens of milliseconds */
    struct timespec const moment = {0, 100 * 1000};
    for (unsigned tries = 0; atomic_load_explicit(&sequencer->next, memory_order_acquire) != piece;
         tries++) {
        if (tries < SPINS)
            ordo_cpu_relax();
        else if (tries < SPINS + YIELDS)
            sched_yield();
        else
            nanosleep(&moment, NULL); /* the piece that may pass may need this CPU */
    }
}

static inline void ordo_sequencer_pass(ordo_sequencer *sequencer, size_t piece)
{
    atomic_store_explicit(&sequencer->next, piece + 1, memory_order_release);
}

#endif

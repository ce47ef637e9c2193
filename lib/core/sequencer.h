/* turn.h - pieces of one parallel loop take turns in the order of their numbers.
 *
 * A scan needs what all earlier pieces add up to. Each piece reduces its own keys first (which
 * brings them into the cache), waits for its turn, takes the carry, leaves the next one and
 * passes the turn on; then it scans its keys from the cache. So memory is read once, and the
 * carry is combined in one order whatever the number of threads.
 *
 * This cannot deadlock, because a loop hands pieces out in increasing order and finishes every
 * piece it handed out: the holder of the lowest unfinished piece never waits. The wait is as long
 * as an earlier piece's reduce at most; it spins briefly, then gives the CPU away, so it also
 * makes progress when threads outnumber CPUs. It sleeps only when something is badly amiss:
 * sleeping after 32 yields instead made a scan by 16 threads 16 times slower, for every sleep
 * stalls the whole chain. */
#ifndef ORDO_CORE_SEQUENCER_H
#define ORDO_CORE_SEQUENCER_H

#include "core/base.h"

#include <sched.h>
#include <stdatomic.h>
#include <time.h>

typedef struct ordo_sequencer {
    atomic_size_t next; /* the piece whose turn it is; starts at 0 */
} ordo_sequencer;

static inline void ordo_cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory"); /* longer than yield, which most cores treat as a nop */
#endif
}

static inline void ordo_sequencer_wait(ordo_sequencer *turn, size_t piece)
{
    enum {
        SPINS = 256,
        YIELDS = 20000
    }; /* a few microseconds; tens of milliseconds */
    struct timespec const moment = {0, 100 * 1000};
    for (unsigned tries = 0; atomic_load_explicit(&turn->next, memory_order_acquire) != piece;
         tries++) {
        if (tries < SPINS)
            ordo_cpu_relax();
        else if (tries < SPINS + YIELDS)
            sched_yield();
        else
            nanosleep(&moment, NULL); /* who has the turn may be starved of this CPU */
    }
}

static inline void ordo_sequencer_pass(ordo_sequencer *turn, size_t piece)
{
    atomic_store_explicit(&turn->next, piece + 1, memory_order_release);
}

#endif

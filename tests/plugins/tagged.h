/* tagged.h - addresses of the simulated device of ranking.c: host addresses with a bit set that no
 * host address has, so that a program which reads them as host memory ends at once. */
#ifndef ORDO_TESTS_PLUGINS_TAGGED_H
#define ORDO_TESTS_PLUGINS_TAGGED_H

#include <stdint.h>

#define TAGGED_BIT ((uintptr_t)1 << 52)

static inline void *tagged(const void *host) { return (void *)((uintptr_t)host | TAGGED_BIT); }
static inline int   is_tagged(const void *at) { return ((uintptr_t)at & TAGGED_BIT) != 0; }
static inline void *untagged(const void *at) { return (void *)((uintptr_t)at & ~TAGGED_BIT); }

#endif

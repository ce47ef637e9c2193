/* bench_machine.h - the machine and the build that a measurement was made with. */
#ifndef ORDO_BENCH_HARNESS_BENCH_MACHINE_H
#define ORDO_BENCH_HARNESS_BENCH_MACHINE_H

#include "ordo.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bench_machine {
    char     cpu[128];
    char     caches[96]; /* "L1d 64K, L2 1024K, L3 32768K"; "" if the system does not tell  */
    char     kernel[200];
    char     compiler[96];
    char     date[32]; /* UTC, ISO 8601                                                     */
    char     isa[16];
    char     gpus[400];   /* one after another; "" if the library finds none                 */
    char     driver[128]; /* of the GPUs; "" if there is none                               */
    uint64_t memory;      /* bytes                                                               */
    uint32_t cpus, affinity, cgroup;
} bench_machine;

/* False, after a message, if the context cannot be asked. */
bool bench_machine_read(ordo_ctx *ctx, bench_machine *out);

/* Bytes that can be allocated without swapping and within the cgroup's limit; SIZE_MAX if the
 * system does not tell. */
size_t bench_memory_available(void);

#endif

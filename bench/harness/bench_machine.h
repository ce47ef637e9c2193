/* bench_machine.h - the machine and the build a measurement was made with. */
#ifndef ORDO_BENCH_HARNESS_BENCH_MACHINE_H
#define ORDO_BENCH_HARNESS_BENCH_MACHINE_H

#include "bench/harness/bench_core.h"

#include <stdio.h>

typedef struct bench_machine {
    char     cpu[128];
    char     caches[96]; /* "L1d 64K, L2 1024K, L3 32768K"; "" if the system does not tell   */
    char     kernel[200];
    char     compiler[96];
    char     date[32]; /* UTC, ISO 8601                                                      */
    char     isa[16];
    uint64_t memory; /* bytes                                                                */
    uint32_t cpus, affinity, cgroup;
} bench_machine;

bool bench_machine_read(bench *b, bench_machine *out);
void bench_machine_print(const bench *b, const bench_machine *machine);

/* Bytes that can be taken without swapping or being killed; SIZE_MAX if the system does not
 * tell. */
size_t bench_memory_available(void);

/* Writes everything measured as one JSON document; false if the stream had an error. */
bool bench_write_json(const bench *b, const bench_machine *machine, FILE *file);

#endif

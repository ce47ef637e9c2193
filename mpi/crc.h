/* crc.h - CRC-32C (Castagnoli). */
#ifndef ORDO_MPI_CRC_H
#define ORDO_MPI_CRC_H

#include <stddef.h>
#include <stdint.h>

/* The checksum of some bytes and then of n more; `crc` is 0 at the start. */
uint32_t crc32c(uint32_t crc, const void *bytes, size_t n);

#endif

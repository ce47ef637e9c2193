/* crc32c.h - the checksum of blocks on disk: CRC-32 with the polynomial of Castagnoli. */
#ifndef ORDO_EXTERNAL_CRC32C_H
#define ORDO_EXTERNAL_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Uses the instruction of the CPU where there is one, otherwise tables. */
uint32_t crc32c(const void *data, size_t bytes);

/* The checksum of data that follow others whose checksum is `before`; 0: there are none. */
uint32_t crc32c_more(uint32_t before, const void *data, size_t bytes);

#endif

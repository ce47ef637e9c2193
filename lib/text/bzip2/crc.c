/* crc.c - the checksum of bzip2, eight bytes at a time by eight tables, which the first call
 * makes. */
#include "text/bzip2/format.h"

#include <pthread.h>

static uint32_t       tables[8][256];
static pthread_once_t made = PTHREAD_ONCE_INIT;

static void make_tables(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte << 24;
        for (unsigned bit = 0; bit < 8; bit++)
            crc = crc << 1 ^ ((crc >> 31) != 0 ? UINT32_C(0x04c11db7) : 0);
        tables[0][byte] = crc;
    }
    for (unsigned k = 1; k < 8; k++)
        for (uint32_t byte = 0; byte < 256; byte++)
            tables[k][byte] = tables[k - 1][byte] << 8 ^ tables[0][tables[k - 1][byte] >> 24];
}

uint32_t bz_crc(uint32_t crc, const uint8_t *bytes, size_t n)
{
    pthread_once(&made, make_tables);
    for (; n >= 8; n -= 8, bytes += 8) {
        uint64_t const x = bz_load64(bytes) ^ (uint64_t)crc << 32;
        crc = tables[7][x >> 56] ^ tables[6][x >> 48 & 255] ^ tables[5][x >> 40 & 255] ^
              tables[4][x >> 32 & 255] ^ tables[3][x >> 24 & 255] ^ tables[2][x >> 16 & 255] ^
              tables[1][x >> 8 & 255] ^ tables[0][x & 255];
    }
    for (; n > 0; n--)
        crc = crc << 8 ^ tables[0][crc >> 24 ^ *bytes++];
    return crc;
}

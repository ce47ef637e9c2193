/* crc.c - the checksum of bzip2, 16 bytes at a time by 16 tables, which the first call makes.
 * Twelve of the 16 searches do not wait for the bytes before them. */
#include "text/bzip2/format.h"

#include <pthread.h>

enum {
    STEP = 16
};

static uint32_t       tables[STEP][256];
static pthread_once_t made = PTHREAD_ONCE_INIT;

static void make_tables(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte << 24;
        for (unsigned bit = 0; bit < 8; bit++)
            crc = crc << 1 ^ ((crc >> 31) != 0 ? UINT32_C(0x04c11db7) : 0);
        tables[0][byte] = crc;
    }
    for (unsigned k = 1; k < STEP; k++)
        for (uint32_t byte = 0; byte < 256; byte++)
            tables[k][byte] = tables[k - 1][byte] << 8 ^ tables[0][tables[k - 1][byte] >> 24];
}

/* The part of eight bytes that `after` bytes follow in a step. */
static inline uint32_t part(uint64_t x, unsigned after)
{
    uint32_t const(*const t)[256] = (uint32_t const(*)[256])tables + after;
    return t[7][x >> 56] ^ t[6][x >> 48 & 255] ^ t[5][x >> 40 & 255] ^ t[4][x >> 32 & 255] ^
           t[3][x >> 24 & 255] ^ t[2][x >> 16 & 255] ^ t[1][x >> 8 & 255] ^ t[0][x & 255];
}

uint32_t bz_crc(uint32_t crc, const uint8_t *bytes, size_t n)
{
    pthread_once(&made, make_tables);
    for (; n >= STEP; n -= STEP, bytes += STEP)
        crc = part(bz_load64(bytes) ^ (uint64_t)crc << 32, 8) ^ part(bz_load64(bytes + 8), 0);
    for (; n > 0; n--)
        crc = crc << 8 ^ tables[0][crc >> 24 ^ *bytes++];
    return crc;
}

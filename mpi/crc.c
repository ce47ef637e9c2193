/* crc.c - CRC-32C, eight bytes at a time: table k maps a byte to its effect k bytes later. */
#include "mpi/crc.h"

static uint32_t tables[8][256];

static void fill_tables(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ (UINT32_C(0x82f63b78) & (0 - (crc & 1)));
        tables[0][i] = crc;
    }
    for (int k = 1; k < 8; k++)
        for (size_t i = 0; i < 256; i++)
            tables[k][i] = (tables[k - 1][i] >> 8) ^ tables[0][tables[k - 1][i] & 255];
}

uint32_t crc32c(uint32_t crc, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;
    if (tables[0][1] == 0)
        fill_tables();
    crc = ~crc;
    for (; n >= 8; n -= 8, at += 8) {
        crc ^=
            (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
        crc = tables[7][crc & 255] ^ tables[6][crc >> 8 & 255] ^ tables[5][crc >> 16 & 255] ^
              tables[4][crc >> 24] ^ tables[3][at[4]] ^ tables[2][at[5]] ^ tables[1][at[6]] ^
              tables[0][at[7]];
    }
    for (; n > 0; n--, at++)
        crc = (crc >> 8) ^ tables[0][(crc ^ *at) & 255];
    return ~crc;
}

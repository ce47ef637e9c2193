/* crc32c.c - the checksum of blocks on disk.
 *
 * x86-64 and AArch64 have an instruction for eight bytes. The tables serve other CPUs: table k
 * gives the effect of a byte that k more bytes follow, so eight bytes cost eight lookups. */
#define _GNU_SOURCE
#include "external/disk/crc32c.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

enum {
    STEP = 8
};
#define POLYNOMIAL UINT32_C(0x82f63b78) /* bits reversed */

static uint32_t       tables[STEP][256];
static pthread_once_t tables_made = PTHREAD_ONCE_INIT;

static void make_tables(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ (POLYNOMIAL & (0 - (crc & 1)));
        tables[0][byte] = crc;
    }
    for (int k = 1; k < STEP; k++)
        for (int byte = 0; byte < 256; byte++) {
            uint32_t const before = tables[k - 1][byte];
            tables[k][byte] = (before >> 8) ^ tables[0][before & 0xff];
        }
}

static uint32_t by_tables(uint32_t crc, const unsigned char *data, size_t bytes)
{
    pthread_once(&tables_made, make_tables);
    for (; bytes >= STEP; bytes -= STEP, data += STEP) {
        uint32_t next = 0;
        for (int k = 0; k < STEP; k++) {
            uint32_t const low = k < 4 ? (crc >> (8 * k)) & 0xff : 0;
            next ^= tables[STEP - 1 - k][data[k] ^ low];
        }
        crc = next;
    }
    for (; bytes > 0; bytes--, data++)
        crc = (crc >> 8) ^ tables[0][(crc ^ *data) & 0xff];
    return crc;
}

#if defined(__x86_64__)
static bool has_instruction(void) { return __builtin_cpu_supports("sse4.2"); }
__attribute__((target("sse4.2"))) static uint32_t
by_instruction(uint32_t crc, const unsigned char *data, size_t bytes)
{
    uint64_t sum = crc;
    for (; bytes >= STEP; bytes -= STEP, data += STEP) {
        uint64_t word;
        memcpy(&word, data, sizeof word);
        sum = __builtin_ia32_crc32di(sum, word);
    }
    return by_tables((uint32_t)sum, data, bytes);
}
#elif defined(__aarch64__)
static bool     has_instruction(void) { return (getauxval(AT_HWCAP) & (UINT64_C(1) << 7)) != 0; }
static uint32_t by_instruction(uint32_t crc, const unsigned char *data, size_t bytes)
{
    for (; bytes >= STEP; bytes -= STEP, data += STEP) {
        uint64_t word;
        memcpy(&word, data, sizeof word);
        __asm__(".arch_extension crc\n\tcrc32cx %w0, %w0, %x1" : "+r"(crc) : "r"(word));
    }
    return by_tables(crc, data, bytes);
}
#else
static bool     has_instruction(void) { return false; }
static uint32_t by_instruction(uint32_t crc, const unsigned char *data, size_t bytes)
{
    return by_tables(crc, data, bytes);
}
#endif

uint32_t crc32c_more(uint32_t before, const void *data, size_t bytes)
{
    return ~(has_instruction() ? by_instruction : by_tables)(~before, data, bytes);
}

uint32_t crc32c(const void *data, size_t bytes) { return crc32c_more(0, data, bytes); }

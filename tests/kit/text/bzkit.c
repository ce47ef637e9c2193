/* bzkit.c - see bzkit.h. Everything here is as plain as possible and shares no code with the
 * library. */
#define _GNU_SOURCE
#include "kit/text/bzkit.h"

#include "testkit.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* ---- libbz2 ---- */

typedef int compress_fn(char *, unsigned *, char *, unsigned, int, int, int);
typedef int decompress_fn(char *, unsigned *, char *, unsigned, int, int);

static void *find(const char *name)
{
    static void *library;
    if (library == NULL)
        library = dlopen("libbz2.so.1.0", RTLD_NOW);
    if (library == NULL)
        library = dlopen("libbz2.so.1", RTLD_NOW);
    return library != NULL ? dlsym(library, name) : NULL;
}

bool bzkit_has_library(void) { return find("BZ2_bzBuffToBuffCompress") != NULL; }

bool bzkit_compress(const void *in, size_t n, int level, void *out, size_t *size)
{
    compress_fn *call;
    void *const  symbol = find("BZ2_bzBuffToBuffCompress");
    unsigned     written = (unsigned)*size;
    memcpy(&call, &symbol, sizeof call);
    bool const ok = call(out, &written, (char *)(uintptr_t)in, (unsigned)n, level, 0, 0) == 0;
    *size = written;
    return ok;
}

bool bzkit_decompress(const void *in, size_t n, void *out, size_t *size)
{
    decompress_fn *call;
    void *const    symbol = find("BZ2_bzBuffToBuffDecompress");
    unsigned       written = (unsigned)*size;
    memcpy(&call, &symbol, sizeof call);
    bool const ok = call(out, &written, (char *)(uintptr_t)in, (unsigned)n, 0, 0) == 0;
    *size = written;
    return ok;
}

/* ---- Bits ---- */

void bzkit_put(bzkit_file *f, uint64_t value, unsigned count)
{
    for (unsigned i = count; i > 0; i--, f->bits++)
        if ((value >> (i - 1) & 1) != 0)
            f->bytes[f->bits / 8] |= (uint8_t)(0x80 >> f->bits % 8);
}

void bzkit_begin(bzkit_file *f, unsigned level)
{
    bzkit_put(f, 0x425a68, 24);
    bzkit_put(f, '0' + level, 8);
    f->crc = 0;
}

void bzkit_end(bzkit_file *f)
{
    bzkit_put(f, UINT64_C(0x177245385090), 48);
    bzkit_put(f, f->crc, 32);
    f->bits = (f->bits + 7) / 8 * 8;
}

size_t bzkit_size(const bzkit_file *f) { return (size_t)((f->bits + 7) / 8); }

uint32_t bzkit_crc(const uint8_t *bytes, size_t n)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        crc ^= (uint32_t)bytes[i] << 24;
        for (unsigned bit = 0; bit < 8; bit++)
            crc = crc << 1 ^ ((crc >> 31) != 0 ? UINT32_C(0x04c11db7) : 0);
    }
    return ~crc;
}

/* ---- The text of a block ---- */

/* The last column of the sorted rotations. */
static uint8_t *column_of(const bzkit_block *b, size_t *n)
{
    uint8_t *const column = test_need(1000000);
    uint8_t        list[256] = {0};
    size_t         weight = 1;
    for (unsigned i = 0; i < b->used; i++)
        list[i] = (uint8_t)(b->first + i);
    *n = 0;
    for (size_t i = 0; i < b->count; i++) {
        unsigned const symbol = b->symbols[i];
        if (symbol < 2) {
            for (size_t k = 0; k < weight << symbol; k++)
                column[(*n)++] = list[0];
            weight *= 2;
            continue;
        }
        uint8_t const byte = list[symbol - 1];
        memmove(list + 1, list, symbol - 1);
        list[0] = byte;
        column[(*n)++] = byte;
        weight = 1;
    }
    return column;
}

/* Row r is preceded by the row that holds its last byte first: count equal bytes before it. */
static uint8_t *text_of(const bzkit_block *b, size_t *n)
{
    uint8_t *const column = column_of(b, n), *const text = test_need(*n + 1);
    uint32_t *const before = test_need((*n + 1) * sizeof *before);
    uint32_t        begins[257] = {0};
    for (size_t i = 0; i < *n; i++)
        begins[column[i] + 1]++;
    for (unsigned i = 0; i < 256; i++)
        begins[i + 1] += begins[i];
    uint32_t *const after = test_need((*n + 1) * sizeof *after);
    for (size_t i = 0; i < *n; i++) {
        before[i] = begins[column[i]]++;
        after[before[i]] = (uint32_t)i;
    }
    size_t row = b->row;
    for (size_t i = 0; i < *n; i++) {
        row = after[row];
        text[i] = column[row];
    }
    free(before);
    free(after);
    free(column);
    return text;
}

static void expand(const uint8_t *from, size_t n, uint8_t *text, size_t *size)
{
    unsigned equal = 0;
    for (size_t i = 0; i < n; i++) {
        if (equal == 4) {
            memset(text + *size, from[i - 1], from[i]);
            *size += from[i];
            equal = 0;
            continue;
        }
        equal = equal > 0 && from[i] == from[i - 1] ? equal + 1 : 1;
        text[(*size)++] = from[i];
    }
}

/* ---- The bits of a block ---- */

static void put_tables(bzkit_file *f, const bzkit_block *b, const uint8_t *lengths)
{
    size_t const needed = (b->count + 1 + 49) / 50;
    bzkit_put(f, 2, 3);
    bzkit_put(f, needed + b->more_selectors, 15);
    for (size_t i = 0; i < needed + b->more_selectors; i++)
        bzkit_put(f, 0, 1); /* always table 0 */
    for (unsigned t = 0; t < 2; t++) {
        unsigned now = lengths[0];
        bzkit_put(f, now, 5);
        for (unsigned v = 0; v < b->used + 2; v++) {
            for (; now < lengths[v]; now++)
                bzkit_put(f, 2, 2);
            for (; now > lengths[v]; now--)
                bzkit_put(f, 3, 2);
            bzkit_put(f, 0, 1);
        }
    }
}

static void put_symbols(bzkit_file *f, const bzkit_block *b, const uint8_t *lengths)
{
    uint32_t codes[258] = {0}, code = 0;
    for (unsigned l = 1; l <= 20; l++, code *= 2)
        for (unsigned v = 0; v < b->used + 2; v++)
            if (lengths[v] == l)
                codes[v] = code++;
    for (size_t i = 0; i <= b->count; i++) {
        unsigned const symbol = i < b->count ? b->symbols[i] : b->used + 1;
        bzkit_put(f, codes[symbol], lengths[symbol]);
    }
}

void bzkit_put_block(bzkit_file *f, const bzkit_block *b, uint8_t *text, size_t *size)
{
    size_t         n;
    uint8_t *const plain = text_of(b, &n);
    uint8_t        lengths[258] = {0};
    size_t const   from = *size;
    for (unsigned v = 0; v < b->used + 2; v++)
        lengths[v] = b->lengths != NULL ? b->lengths[v] : (uint8_t)b->length;
    if (b->randomised && n > 617) /* the first distance is 619, the second 720 */
        plain[617] ^= 1;
    expand(plain, n, text, size);
    uint32_t const crc = bzkit_crc(text + from, *size - from) ^ b->wrong;
    bzkit_put(f, UINT64_C(0x314159265359), 48);
    bzkit_put(f, crc, 32);
    bzkit_put(f, b->randomised, 1);
    bzkit_put(f, b->row, 24);
    uint32_t rows = 0;
    for (unsigned v = b->first; v < b->first + b->used; v++)
        rows |= UINT32_C(1) << (15 - v / 16);
    bzkit_put(f, rows, 16);
    for (unsigned v = b->first / 16 * 16; v < (b->first + b->used + 15) / 16 * 16; v++)
        bzkit_put(f, v >= b->first && v < b->first + b->used, 1);
    put_tables(f, b, lengths);
    put_symbols(f, b, lengths);
    f->crc = (f->crc << 1 | f->crc >> 31) ^ crc;
    free(plain);
}

/* forge.h - changes files of a resume directory and signs them again, so that only the meaning of
 * their contents can tell that they are wrong. The formats are those of lib/external/resume.h. */
#ifndef ORDO_TESTS_FORGE_H
#define ORDO_TESTS_FORGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct forged { /* a file in memory; a 0 follows its bytes */
    char  *bytes;
    size_t size;
} forged;

/* `bytes` is NULL if the file cannot be read. */
static inline forged forge_read(const char *path)
{
    forged      f = {.bytes = NULL};
    struct stat st;
    FILE *const file = fopen(path, "rb");
    if (file != NULL && stat(path, &st) == 0 && (f.bytes = malloc((size_t)st.st_size + 1)) != NULL)
        f.bytes[f.size = fread(f.bytes, 1, (size_t)st.st_size, file)] = 0;
    if (file != NULL)
        fclose(file);
    return f;
}

static inline bool forge_write(const char *path, forged f)
{
    FILE *const file = fopen(path, "wb");
    bool const  ok = file != NULL && fwrite(f.bytes, 1, f.size, file) == f.size;
    return file != NULL && fclose(file) == 0 && ok;
}

/* CRC-32C, bit by bit. */
static inline uint32_t forge_crc(const void *bytes, size_t n)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        crc ^= ((const unsigned char *)bytes)[i];
        for (int bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ (UINT32_C(0x82f63b78) & (0 - (crc & 1)));
    }
    return ~crc;
}

/* Signs the text of a manifest, whose last line is its checksum. */
static inline void forge_manifest(forged *f)
{
    char *const  line = strstr(f->bytes, "\ncrc ");
    size_t const kept = line != NULL ? (size_t)(line - f->bytes) + 1 : f->size;
    char *const  more = realloc(f->bytes, kept + 32);
    if (more == NULL)
        return;
    f->bytes = more;
    f->size = kept + (size_t)snprintf(more + kept, 32, "crc %08lx\n",
                                      (unsigned long)forge_crc(more, kept));
}

/* Signs a point: numbers of 8 bytes, the last of which is the checksum of the others. */
static inline void forge_point(const forged *f)
{
    uint64_t const crc = f->size >= 8 ? forge_crc(f->bytes, f->size - 8) : 0;
    if (f->size >= 8)
        memcpy(f->bytes + f->size - 8, &crc, 8);
}

/* Signs the entries of an index: five numbers of 8 bytes, of which the second is the number of
 * blocks, then 20 bytes for each block and 4 bytes of checksum. */
static inline void forge_index(const forged *f)
{
    for (size_t at = 0; f->size - at >= 44;) {
        uint64_t blocks;
        memcpy(&blocks, f->bytes + at + 8, sizeof blocks);
        if (blocks > (f->size - at - 44) / 20)
            return;
        size_t const   n = 40 + (size_t)blocks * 20;
        uint32_t const crc = forge_crc(f->bytes + at, n);
        memcpy(f->bytes + at + n, &crc, sizeof crc);
        at += n + sizeof crc;
    }
}

/* Writes the times of a file into the text of a manifest. */
static inline void forge_times(forged *f, const char *path)
{
    struct stat st;
    char       *from = strstr(f->bytes, " time "), *to = strstr(f->bytes, " start ");
    if (from == NULL || to == NULL || stat(path, &st) != 0)
        return;
    char         times[128];
    size_t const rest = f->size - (size_t)(to - f->bytes), head = (size_t)(from - f->bytes);
    size_t const n = (size_t)snprintf(times, sizeof times, " time %lld.%09ld changed %lld.%09ld",
                                      (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
                                      (long long)st.st_ctim.tv_sec, st.st_ctim.tv_nsec);
    char *const  text = malloc(head + n + rest + 1);
    if (text == NULL)
        return;
    memcpy(text, f->bytes, head);
    memcpy(text + head, times, n);
    memcpy(text + head + n, to, rest + 1);
    free(f->bytes);
    f->bytes = text;
    f->size = head + n + rest;
}

#endif

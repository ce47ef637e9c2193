/* codec.h - compressed files: gzip, zstd, xz and bzip2, through the libraries of the system.
 *
 * The libraries are opened at run time, when a compressed file is read or written, so that the
 * command works without them. A file may consist of several members (gzip), frames (zstd) or
 * streams (xz, bzip2); ordo writes one for each block of PACK_BLOCK bytes, so that several threads
 * can compress. The bytes do not depend on the number of threads. */
#ifndef ORDO_CLI_IO_PACKED_CODEC_H
#define ORDO_CLI_IO_PACKED_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum codec {
    CODEC_NONE,
    CODEC_GZIP,
    CODEC_ZSTD,
    CODEC_XZ,
    CODEC_BZIP2
} codec;

enum {
    CODECS = 5,
    CODEC_MAGIC = 6, /* bytes that codec_of_bytes() looks at */
    PACK_BLOCK = 1 << 22
};

/* What the first bytes of a file, or the end of its name (.gz, .zst, .xz, .bz2), say. */
codec codec_of_bytes(const char *bytes, size_t length);
codec codec_of_name(const char *name);

/* The length of name without such an end. */
size_t codec_stem(const char *name);

const char *codec_name(codec c);

/* Opens the library. `name` is the file, for the message that says which library is missing and
 * which package has it. */
bool codec_open(codec c, const char *name);

/* ---- Reading ---- */

typedef struct unpacker unpacker;

/* Sets the most memory that decompressing may take: the share of a limit of all memory. A file that
 * needs more (a dictionary of xz, a window of zstd) is refused. */
void unpack_limit(uint64_t all);

/* Bytes that decompressing takes at most under such a limit; 0 without one. */
uint64_t unpack_memory(codec c);

/* Reads from fd, after the first bytes first[0..length), which were read before. NULL after a
 * message. The name is not copied. */
unpacker *unpack_start(codec c, const char *name, int fd, const char *first, size_t length);

/* Writes up to `most` bytes to out; *got == 0 is the end. False after a message: the data are
 * damaged, truncated, or followed by something else. */
bool unpack_read(unpacker *u, char *out, size_t most, size_t *got);
void unpack_end(unpacker *u); /* NULL is allowed */

/* ---- Writing; call codec_open() first ---- */

/* Sets a limit of all memory, of which compressing may take a share. */
void pack_limit(uint64_t all);

/* How many blocks are compressed at the same time: as many as two for each of the threads, unless
 * that exceeds the share; 0: one block does. */
size_t pack_blocks(codec c);

/* Bytes that compressing takes under such a limit; 0 without one. */
uint64_t pack_memory(codec c);

/* Bytes that `length` compressed bytes need at most. */
size_t pack_bound(codec c, size_t length);

/* Compresses data[0..length) to a member of its own in out, and returns its length; SIZE_MAX on
 * failure. */
size_t pack_block(codec c, const char *data, size_t length, char *out, size_t room);

#endif

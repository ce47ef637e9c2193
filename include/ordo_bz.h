/* ordo_bz.h - bzip2 files, compressed and decompressed by several threads.
 *
 * Format   Compressed data have the bytes that bzip2 -1 to -9 writes. The only exception: a
 *          block that is one word repeated may name another of its equal rows (docs/bzip2.md).
 *          Every legal file is decompressed: several streams, randomised blocks of bzip2 0.9,
 *          any number of selectors. Blocks are decompressed in parallel, whichever program wrote
 *          the file.
 * Memory   Scratch of the context, for each thread about 23 bytes per byte of a block to
 *          compress (21 MB with level 9), or 12 MB to decompress and 18 MB for all threads. With
 *          a limit of memory the call uses fewer threads; ORDO_E_NOMEM if the limit is too small
 *          for one. Data that expand a lot need no more memory.
 * GPU      A context that may use a GPU compresses with it if that takes less time as predicted,
 *          or if where is ORDO_CUDA: the GPU sorts the rotations of blocks in batches, and the
 *          threads do the rest. The bytes are the same. ORDO_E_DEVICE only if where is ORDO_CUDA:
 *          else the threads go on without the GPU. A batch has 16 blocks, or fewer if the limit
 *          of memory is less than about 510 MB with level 9; the report says how many. If the
 *          limit is too small for one block in a batch (about 50 MB), ORDO_E_NOMEM if where is
 *          ORDO_CUDA, else the threads do all the work. They do all the work of decompression.
 * Failure  Damaged data give ORDO_E_ARG. ordo_last_error() says what is wrong and in which
 *          block. The sink has then received the blocks before it: a caller who writes a file
 *          writes to a new file and renames it after ORDO_OK. */
#ifndef ORDO_BZ_H
#define ORDO_BZ_H

#include "ordo_external.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ordo_bz_opts {
    size_t   struct_size;
    uint32_t level;    /* compress: size of a block in units of 100000 bytes, 1 to 9; 0: 9        */
    uint32_t reserved; /* 0                                                                       */
} ordo_bz_opts;

typedef struct ordo_bz_report {
    size_t   struct_size;
    uint64_t in, out; /* bytes that were used and written                                        */
    uint64_t blocks, streams;
    uint64_t trailing; /* decompress: 1 if bytes after the last stream were ignored               */
    uint64_t batch;    /* compress: blocks that a GPU sorted at a time; 0: the threads sorted     */
} ordo_bz_report;

/* A number of bytes that suffices for n compressed bytes. SIZE_MAX if it does not fit. */
ORDO_API size_t ordo_bz_bound(size_t n);

/* Compress or decompress n bytes of memory to out[0..capacity). *written is the number of bytes.
 * ORDO_E_ARG if the capacity is too small. After an error *written is 0, and out is unspecified.
 * The report may be NULL. The size of decompressed data is not known before: use the streams
 * below. */
ORDO_MUST ordo_status ordo_bz_compress(ordo_ctx *ctx, const void *in, size_t n, void *out,
                                       size_t capacity, size_t *written, const ordo_bz_opts *opts,
                                       ordo_bz_report *report);
ORDO_MUST ordo_status ordo_bz_decompress(ordo_ctx *ctx, const void *in, size_t n, void *out,
                                         size_t capacity, size_t *written, const ordo_bz_opts *opts,
                                         ordo_bz_report *report);

/* The same from a source to a sink (ordo_external.h). `to` may be NULL in a decompression, which
 * then only tests the data. Progress is known if the source is a regular file or gives its
 * bytes. */
ORDO_MUST ordo_status ordo_bz_compress_stream(ordo_ctx *ctx, const ordo_source *from,
                                              const ordo_sink *to, const ordo_bz_opts *opts,
                                              ordo_bz_report *report);
ORDO_MUST ordo_status ordo_bz_decompress_stream(ordo_ctx *ctx, const ordo_source *from,
                                                const ordo_sink *to, const ordo_bz_opts *opts,
                                                ordo_bz_report *report);

#ifdef __cplusplus
}
#endif

#endif

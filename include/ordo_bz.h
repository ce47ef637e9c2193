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

/* ---- Data that come in pieces ----
 *
 * A writer and a reader keep their state between calls, so that a caller who gets data in pieces
 * can hand on each piece. The context may be another one in every call; one call at a time uses
 * a writer or a reader. After an error it can only be freed. Its memory comes from the allocator of
 * the context that opened it, which must exist until it is freed, and does not count as scratch. */

/* A writer makes one stream: the bytes that ordo_bz_compress makes of all pieces together. Pieces
 * wait until they fill two blocks for each thread of the context that opened the writer (64 blocks
 * at least if where is ORDO_CUDA), and all threads then compress them. A writer takes one block
 * more. With a limit of memory fewer pieces wait: an eighth of the limit, but at least one block.
 * The sink gets bytes as they are made; most calls of ordo_bz_writer_add make none.
 * ordo_bz_writer_end makes the rest; the report, which may be NULL, is about the whole stream. */
typedef struct ordo_bz_writer ordo_bz_writer;

ORDO_MUST ordo_status ordo_bz_writer_open(ordo_ctx *ctx, const ordo_bz_opts *opts,
                                          ordo_bz_writer **out);
ORDO_MUST ordo_status ordo_bz_writer_add(ordo_ctx *ctx, ordo_bz_writer *writer, const void *in,
                                         size_t n, const ordo_sink *to);
ORDO_MUST ordo_status ordo_bz_writer_end(ordo_ctx *ctx, ordo_bz_writer *writer, const ordo_sink *to,
                                         ordo_bz_report *report);
ORDO_API void         ordo_bz_writer_free(ordo_bz_writer *writer); /* NULL is allowed            */

/* A reader decompresses one stream. A call uses bytes from the front of in[0..n) and writes up to
 * `capacity` bytes. The bytes in[*used..n) were not used: the next call gets them again, with those
 * that follow them. While the state is ORDO_BZ_HAS_OUTPUT, further calls write more without new
 * input. ORDO_BZ_NEEDS_INPUT means that the input has no further complete block; a caller whose
 * data are at their end then has a truncated stream. After ORDO_BZ_ENDED, the bytes in[*used..n)
 * follow the stream, for example another stream for another reader.
 *
 * A block is written when the input has the 48 bits after it, or earlier. Blocks of one input are
 * decoded by all threads, up to two for each at a time, so large pieces take less time. A reader
 * keeps 2.1 MB for each of these blocks, with a limit of memory at most a quarter of the limit or
 * one block; 2.5 MiB or less of the input are not used if the state is ORDO_BZ_NEEDS_INPUT.
 * Scratch: up to 7.3 MB for each thread. Damaged data give ORDO_E_ARG when a call reaches their
 * block. After an error *used and *written are 0. */
typedef struct ordo_bz_reader ordo_bz_reader;

typedef enum ordo_bz_state {
    ORDO_BZ_NEEDS_INPUT = 0,
    ORDO_BZ_HAS_OUTPUT = 1,
    ORDO_BZ_ENDED = 2
} ordo_bz_state;

ORDO_MUST ordo_status  ordo_bz_reader_open(ordo_ctx *ctx, ordo_bz_reader **out);
ORDO_MUST ordo_status  ordo_bz_reader_read(ordo_ctx *ctx, ordo_bz_reader *reader, const void *in,
                                           size_t n, size_t *used, void *out, size_t capacity,
                                           size_t *written);
ORDO_API ordo_bz_state ordo_bz_reader_state(const ordo_bz_reader *reader);
ORDO_API void          ordo_bz_reader_free(ordo_bz_reader *reader); /* NULL is allowed           */

#ifdef __cplusplus
}
#endif

#endif

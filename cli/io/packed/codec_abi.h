/* codec_abi.h - what ordo uses of zlib, libzstd, liblzma and libbz2: their structures and
 * functions, as these libraries have declared them since zlib 1.2, zstd 1.0, xz 5.0 and bzip2
 * 1.0. No header of theirs is needed to build ordo. */
#ifndef ORDO_CLI_IO_PACKED_CODEC_ABI_H
#define ORDO_CLI_IO_PACKED_CODEC_ABI_H

#include <stddef.h>
#include <stdint.h>

typedef struct zlib_stream {
    const unsigned char *next_in;
    unsigned             avail_in;
    unsigned long        total_in;
    unsigned char       *next_out;
    unsigned             avail_out;
    unsigned long        total_out;
    const char          *message;
    void                *state, *allocate, *release, *opaque;
    int                  data_type;
    unsigned long        adler, reserved;
} zlib_stream;

typedef struct bzip2_stream {
    const char *next_in;
    unsigned    avail_in, total_in_low, total_in_high;
    char       *next_out;
    unsigned    avail_out, total_out_low, total_out_high;
    void       *state, *allocate, *release, *opaque;
} bzip2_stream;

typedef struct lzma_stream_state {
    const uint8_t *next_in;
    size_t         avail_in;
    uint64_t       total_in;
    uint8_t       *next_out;
    size_t         avail_out;
    uint64_t       total_out;
    const void    *allocator;
    void          *internal;
    void          *reserved_pointers[4];
    uint64_t       reserved_numbers[2];
    size_t         reserved_sizes[2];
    int            reserved_enums[2];
} lzma_stream_state;

typedef struct zstd_in {
    const void *src;
    size_t      size, pos;
} zstd_in;

typedef struct zstd_out {
    void  *dst;
    size_t size, pos;
} zstd_out;

enum { /* of these libraries */
    ZLIB_OK = 0,
    ZLIB_END = 1,
    ZLIB_BUFFER = -5,
    ZLIB_FINISH = 4,
    ZLIB_DEFLATED = 8,
    ZLIB_GZIP_WINDOW = 15 + 16,
    BZIP2_OK = 0,
    BZIP2_END = 4,
    LZMA_FINE = 0,
    LZMA_END = 1,
    LZMA_MEMORY_LIMIT = 6,
    LZMA_BUFFER = 10,
    ZSTD_WINDOW = 100, /* the parameter: binary logarithm of the largest window */
    LZMA_CHECK = 4     /* CRC64 */
};

typedef struct codec_calls {
    int (*inflate_init)(zlib_stream *s, int window, const char *version, int size);
    int (*inflate)(zlib_stream *s, int flush);
    int (*inflate_reset)(zlib_stream *s);
    int (*inflate_end)(zlib_stream *s);
    int (*deflate_init)(zlib_stream *s, int level, int method, int window, int memory, int strategy,
                        const char *version, int size);
    int (*deflate)(zlib_stream *s, int flush);
    int (*deflate_end)(zlib_stream *s);
    unsigned long (*deflate_bound)(zlib_stream *s, unsigned long length);

    void *(*zstd_create)(void);
    size_t (*zstd_release)(void *stream);
    size_t (*zstd_stream)(void *stream, zstd_out *out, zstd_in *in);
    size_t (*zstd_set)(void *stream, int parameter, int value); /* NULL: the library is older */
    unsigned (*zstd_is_error)(size_t code);
    const char *(*zstd_error)(size_t code);
    size_t (*zstd_bound)(size_t length);
    size_t (*zstd_compress)(void *out, size_t room, const void *data, size_t length, int level);

    int (*lzma_decoder)(lzma_stream_state *s, uint64_t memory, uint32_t flags);
    int (*lzma_code)(lzma_stream_state *s, int action);
    void (*lzma_end)(lzma_stream_state *s);
    uint64_t (*lzma_memory)(const lzma_stream_state *s);
    size_t (*lzma_bound)(size_t length);
    int (*lzma_encode)(uint32_t preset, int check, const void *allocator, const uint8_t *data,
                       size_t length, uint8_t *out, size_t *used, size_t room);

    int (*bzip2_init)(bzip2_stream *s, int verbosity, int small);
    int (*bzip2_decompress)(bzip2_stream *s);
    int (*bzip2_end)(bzip2_stream *s);
    /* The library declares data as char *, but does not write to it. */
    int (*bzip2_compress)(char *out, unsigned *used, const char *data, unsigned length, int blocks,
                          int verbosity, int work);
} codec_calls;

#endif

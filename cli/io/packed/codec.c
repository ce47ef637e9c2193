/* codec.c - opens the libraries of compressed files, and compresses blocks (see codec.h). */
#define _POSIX_C_SOURCE 200809L

#include "cli/io/packed/codec.h"

#include "cli/base/cli.h"
#include "cli/base/workers.h"
#include "cli/io/packed/codec_abi.h"

#include <dlfcn.h>
#include <string.h>

enum {
    GZIP_LEVEL = 6,
    ZSTD_LEVEL = 3,
    XZ_LEVEL = 6,
    BZIP2_BLOCKS = 9,
    DEFLATE_MEMORY = 8, /* zlib's default */
    PACK_SHARE = 2      /* of a limit of all memory */
};

codec_calls codec_library;

static const struct {
    const char *magic;
    size_t      length;
    const char *suffix, *name, *file, *package;
} codecs[CODECS] = {
    [CODEC_GZIP] = {"\x1f\x8b\x08", 3, ".gz", "gzip", "libz.so.1", "zlib1g"},
    [CODEC_ZSTD] = {"\x28\xb5\x2f\xfd", 4, ".zst", "zstd", "libzstd.so.1", "libzstd1"},
    [CODEC_XZ] = {"\xfd\x37zXZ\0", 6, ".xz", "xz", "liblzma.so.5", "liblzma5"},
    [CODEC_BZIP2] = {"BZh", 3, ".bz2", "bzip2", "libbz2.so.1.0", "libbz2-1.0"},
};

typedef struct symbol {
    const char *name;
    size_t      offset; /* of the pointer in codec_calls */
} symbol;

#define SYMBOL(name, field)                                                                        \
    {                                                                                              \
        name, offsetof(codec_calls, field)                                                         \
    }
static const symbol gzip_symbols[] = {SYMBOL("inflateInit2_", inflate_init),
                                      SYMBOL("inflate", inflate),
                                      SYMBOL("inflateReset", inflate_reset),
                                      SYMBOL("inflateEnd", inflate_end),
                                      SYMBOL("deflateInit2_", deflate_init),
                                      SYMBOL("deflate", deflate),
                                      SYMBOL("deflateEnd", deflate_end),
                                      SYMBOL("deflateBound", deflate_bound),
                                      {NULL, 0}};
static const symbol zstd_symbols[] = {
    SYMBOL("ZSTD_createDStream", zstd_create),    SYMBOL("ZSTD_freeDStream", zstd_release),
    SYMBOL("ZSTD_decompressStream", zstd_stream), SYMBOL("ZSTD_isError", zstd_is_error),
    SYMBOL("ZSTD_getErrorName", zstd_error),      SYMBOL("ZSTD_compressBound", zstd_bound),
    SYMBOL("ZSTD_compress", zstd_compress),       {NULL, 0}};
static const symbol        zstd_window = SYMBOL("ZSTD_DCtx_setParameter", zstd_set); /* since 1.4 */
static const symbol        xz_symbols[] = {SYMBOL("lzma_stream_decoder", lzma_decoder),
                                           SYMBOL("lzma_code", lzma_code),
                                           SYMBOL("lzma_end", lzma_end),
                                           SYMBOL("lzma_memusage", lzma_memory),
                                           SYMBOL("lzma_stream_buffer_bound", lzma_bound),
                                           SYMBOL("lzma_easy_buffer_encode", lzma_encode),
                                           {NULL, 0}};
static const symbol        bzip2_symbols[] = {SYMBOL("BZ2_bzDecompressInit", bzip2_init),
                                              SYMBOL("BZ2_bzDecompress", bzip2_decompress),
                                              SYMBOL("BZ2_bzDecompressEnd", bzip2_end),
                                              SYMBOL("BZ2_bzBuffToBuffCompress", bzip2_compress),
                                              {NULL, 0}};
static const symbol *const symbols[CODECS] = {NULL, gzip_symbols, zstd_symbols, xz_symbols,
                                              bzip2_symbols};

/* A frame of zstd that holds no data, such as those that pzstd writes. */
static bool is_skippable(const char *bytes, size_t length)
{
    return length > 3 && ((unsigned char)bytes[0] & 0xf0) == 0x50 &&
           memcmp(bytes + 1, "\x2a\x4d\x18", 3) == 0;
}

codec codec_of_bytes(const char *bytes, size_t length)
{
    if (is_skippable(bytes, length))
        return CODEC_ZSTD;
    for (int c = CODEC_GZIP; c < CODECS; c++)
        if (length >= codecs[c].length && memcmp(bytes, codecs[c].magic, codecs[c].length) == 0)
            return c != CODEC_BZIP2 || (length > 3 && bytes[3] >= '1' && bytes[3] <= '9')
                       ? (codec)c
                       : CODEC_NONE;
    return CODEC_NONE;
}

codec codec_of_name(const char *name)
{
    const size_t length = strlen(name);

    for (int c = CODEC_GZIP; c < CODECS; c++) {
        const size_t end = strlen(codecs[c].suffix);
        if (length > end && strcmp(name + length - end, codecs[c].suffix) == 0)
            return (codec)c;
    }
    return CODEC_NONE;
}

size_t codec_stem(const char *name)
{
    const codec c = codec_of_name(name);
    return strlen(name) - (c != CODEC_NONE ? strlen(codecs[c].suffix) : 0);
}

const char *codec_name(codec c) { return codecs[c].name; }

static bool find_symbol(void *library, const symbol *s)
{
    void *const function = dlsym(library, s->name);
    memcpy((char *)&codec_library + s->offset, &function, sizeof function);
    return function != NULL;
}

bool codec_open(codec c, const char *name)
{
    static bool open[CODECS];

    if (open[c])
        return true;
    void *const library = dlopen(codecs[c].file, RTLD_NOW | RTLD_LOCAL);
    bool        all = library != NULL;
    for (const symbol *s = symbols[c]; all && s->name != NULL; s++)
        all = find_symbol(library, s);
    if (all && c == CODEC_ZSTD)
        (void)find_symbol(library, &zstd_window);
    open[c] = all;
    return all || cli_fail("%s: %s files need the library %s, which %s; install it (package %s)",
                           name, codecs[c].name, codecs[c].file,
                           library == NULL ? "is not installed" : "is too old", codecs[c].package);
}

/* ---- The memory of compressing ---- */

static uint64_t memory_limit; /* of all memory; 0: none */

void pack_limit(uint64_t all) { memory_limit = all; }

/* For `blocks` blocks: their bytes, two buffers for each thread, and the state of its library. */
static uint64_t memory_of_blocks(codec c, size_t blocks)
{
    static const uint64_t states[CODECS] = {[CODEC_GZIP] = 1 << 19,
                                            [CODEC_ZSTD] = 6 << 20,
                                            [CODEC_XZ] = 96 << 20,
                                            [CODEC_BZIP2] = 8 << 20};
    const size_t          workers = workers_count(), threads = workers < blocks ? workers : blocks;
    const size_t          slots = threads > 1 ? 2 * threads : 1;

    return blocks * (uint64_t)PACK_BLOCK + slots * (PACK_BLOCK + (uint64_t)PACK_BLOCK / 3) +
           threads * states[c];
}

size_t pack_blocks(codec c)
{
    size_t blocks = 2 * workers_count();

    while (memory_limit != 0 && blocks > 0 &&
           memory_of_blocks(c, blocks) > memory_limit / PACK_SHARE)
        blocks--;
    return blocks;
}

uint64_t pack_memory(codec c)
{
    return c != CODEC_NONE && memory_limit != 0 ? memory_of_blocks(c, pack_blocks(c)) : 0;
}

/* ---- Compressing one block ---- */

static bool start_deflate(zlib_stream *s)
{
    *s = (zlib_stream){.avail_in = 0};
    return codec_library.deflate_init(s, GZIP_LEVEL, ZLIB_DEFLATED, ZLIB_GZIP_WINDOW,
                                      DEFLATE_MEMORY, 0, "1", (int)sizeof *s) == ZLIB_OK;
}

static size_t gzip_bound(size_t length)
{
    zlib_stream s;

    if (!start_deflate(&s))
        return length + length / 8 + 1024;
    const size_t bound = codec_library.deflate_bound(&s, (unsigned long)length);
    codec_library.deflate_end(&s);
    return bound;
}

static size_t pack_gzip(const char *data, size_t length, char *out, size_t room)
{
    zlib_stream s;

    if (!start_deflate(&s))
        return SIZE_MAX;
    s.next_in = (const unsigned char *)data;
    s.avail_in = (unsigned)length;
    s.next_out = (unsigned char *)out;
    s.avail_out = (unsigned)room;
    const int r = codec_library.deflate(&s, ZLIB_FINISH);
    codec_library.deflate_end(&s);
    return r == ZLIB_END ? room - s.avail_out : SIZE_MAX;
}

static size_t pack_zstd(const char *data, size_t length, char *out, size_t room)
{
    const size_t used = codec_library.zstd_compress(out, room, data, length, ZSTD_LEVEL);
    return codec_library.zstd_is_error(used) ? SIZE_MAX : used;
}

static size_t pack_xz(const char *data, size_t length, char *out, size_t room)
{
    size_t used = 0;
    return codec_library.lzma_encode(XZ_LEVEL, LZMA_CHECK, NULL, (const uint8_t *)data, length,
                                     (uint8_t *)out, &used, room) == LZMA_FINE
               ? used
               : SIZE_MAX;
}

static size_t pack_bzip2(const char *data, size_t length, char *out, size_t room)
{
    unsigned used = (unsigned)room;
    return codec_library.bzip2_compress(out, &used, data, (unsigned)length, BZIP2_BLOCKS, 0, 0) ==
                   BZIP2_OK
               ? used
               : SIZE_MAX;
}

size_t pack_bound(codec c, size_t length)
{
    return c == CODEC_GZIP   ? gzip_bound(length)
           : c == CODEC_ZSTD ? codec_library.zstd_bound(length)
           : c == CODEC_XZ   ? codec_library.lzma_bound(length)
                             : length + length / 100 + 600; /* as its manual says */
}

size_t pack_block(codec c, const char *data, size_t length, char *out, size_t room)
{
    return c == CODEC_GZIP   ? pack_gzip(data, length, out, room)
           : c == CODEC_ZSTD ? pack_zstd(data, length, out, room)
           : c == CODEC_XZ   ? pack_xz(data, length, out, room)
                             : pack_bzip2(data, length, out, room);
}

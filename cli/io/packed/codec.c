/* codec.c - reads compressed files, and compresses blocks, by the libraries of the system (see
 * codec.h). */
#define _POSIX_C_SOURCE 200809L

#include "cli/io/packed/codec.h"

#include "cli/base/cli.h"
#include "cli/base/workers.h"
#include "cli/io/packed/codec_abi.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    GZIP_LEVEL = 6,
    ZSTD_LEVEL = 3,
    XZ_LEVEL = 6,
    BZIP2_BLOCKS = 9,
    DEFLATE_MEMORY = 8, /* zlib's default */
    PACK_SHARE = 2      /* of a limit of all memory */
};

static codec_calls codec_library;

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
    if (cli_is_sort())
        return CODEC_NONE;
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

    for (int c = CODEC_GZIP; c < CODECS && !cli_is_sort(); c++) {
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

static uint64_t pack_memory_most; /* of all memory; 0: none */

void pack_limit(uint64_t all) { pack_memory_most = all; }

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

    while (pack_memory_most != 0 && blocks > 0 &&
           memory_of_blocks(c, blocks) > pack_memory_most / PACK_SHARE)
        blocks--;
    return blocks;
}

uint64_t pack_memory(codec c)
{
    return c != CODEC_NONE && pack_memory_most != 0 ? memory_of_blocks(c, pack_blocks(c)) : 0;
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

/* ---- Reading, member after member ----
 *
 * Each library gets a step: it takes bytes from the input and writes bytes to the output, until
 * one of them is used up or the member ends. A step that does neither at the end of the file means
 * that the file is truncated. */

enum {
    INPUT_SIZE = 1 << 18,
    GZIP_MEMORY = 1 << 16,   /* its window and tables */
    BZIP2_MEMORY = 15 << 18, /* 100 kB and 4 times a block of 900 kB */
    ZSTD_MEMORY = 1 << 19,   /* beside the window */
    MEMORY_SHARE = 3         /* of a limit of all memory */
};

static uint64_t memory_limit = UINT64_MAX; /* of the state of a library */

void unpack_limit(uint64_t all) { memory_limit = all / MEMORY_SHARE; }

uint64_t unpack_memory(codec c)
{
    const uint64_t state = c == CODEC_GZIP    ? GZIP_MEMORY
                           : c == CODEC_BZIP2 ? BZIP2_MEMORY
                                              : memory_limit;
    return c == CODEC_NONE || memory_limit == UINT64_MAX ? 0 : INPUT_SIZE + state;
}

typedef enum step_result {
    STEP_MORE,
    STEP_MEMBER_ENDS,
    STEP_TOO_LARGE, /* it needs more memory than the limit */
    STEP_DAMAGED
} step_result;

struct unpacker {
    codec       c;
    const char *name;
    int         fd;
    char       *input;
    size_t      at, end; /* of the bytes of input that are not used yet */
    bool        ended;   /* the end of the file has been read           */
    bool        between; /* no member has begun that has not ended      */
    size_t      members; /* that have begun                             */
    char       *out;     /* where the next byte is written              */
    size_t      room;
    bool        started; /* the state below needs to be freed           */
    const char *why;     /* what the library says is wrong; NULL: nothing */
    union {
        zlib_stream       gzip;
        bzip2_stream      bzip2;
        lzma_stream_state xz;
        void             *zstd;
    } state;
};

/* ---- The libraries ---- */

/* The largest window that fits the limit. */
static void limit_window(void *stream)
{
    int bits = 10;

    while (bits < 31 && (UINT64_C(2) << bits) + ZSTD_MEMORY <= memory_limit)
        bits++;
    if (memory_limit != UINT64_MAX && codec_library.zstd_set != NULL)
        (void)codec_library.zstd_set(stream, ZSTD_WINDOW, bits);
}

static bool start_member(unpacker *u)
{
    if (u->c == CODEC_GZIP && u->started)
        return codec_library.inflate_reset(&u->state.gzip) == ZLIB_OK;
    if (u->c == CODEC_ZSTD && u->started)
        return true;
    if (u->c == CODEC_BZIP2 && u->started)
        codec_library.bzip2_end(&u->state.bzip2);
    if (u->c == CODEC_XZ && u->started)
        codec_library.lzma_end(&u->state.xz);
    memset(&u->state, 0, sizeof u->state);
    if (u->c == CODEC_GZIP)
        u->started = codec_library.inflate_init(&u->state.gzip, ZLIB_GZIP_WINDOW, "1",
                                                (int)sizeof u->state.gzip) == ZLIB_OK;
    else if (u->c == CODEC_BZIP2)
        u->started = codec_library.bzip2_init(&u->state.bzip2, 0, 0) == BZIP2_OK;
    else if (u->c == CODEC_XZ)
        u->started = codec_library.lzma_decoder(&u->state.xz, memory_limit, 0) == LZMA_FINE;
    else
        u->started = (u->state.zstd = codec_library.zstd_create()) != NULL;
    if (u->started && u->c == CODEC_ZSTD)
        limit_window(u->state.zstd);
    return u->started;
}

static unsigned at_most_int(size_t n) { return n < INT_MAX ? (unsigned)n : INT_MAX; }

static void advance(unpacker *u, size_t taken, size_t written)
{
    u->at += taken;
    u->out += written;
    u->room -= written;
}

static step_result step_gzip(unpacker *u)
{
    zlib_stream *const s = &u->state.gzip;
    const unsigned     in = at_most_int(u->end - u->at), out = at_most_int(u->room);

    s->next_in = (const unsigned char *)u->input + u->at;
    s->avail_in = in;
    s->next_out = (unsigned char *)u->out;
    s->avail_out = out;
    const int r = codec_library.inflate(s, 0);
    advance(u, in - s->avail_in, out - s->avail_out);
    u->why = s->message;
    return r == ZLIB_END                      ? STEP_MEMBER_ENDS
           : r == ZLIB_OK || r == ZLIB_BUFFER ? STEP_MORE
                                              : STEP_DAMAGED;
}

static step_result step_bzip2(unpacker *u)
{
    bzip2_stream *const s = &u->state.bzip2;
    const unsigned      in = at_most_int(u->end - u->at), out = at_most_int(u->room);

    s->next_in = u->input + u->at;
    s->avail_in = in;
    s->next_out = u->out;
    s->avail_out = out;
    const int r = codec_library.bzip2_decompress(s);
    advance(u, in - s->avail_in, out - s->avail_out);
    return r == BZIP2_END ? STEP_MEMBER_ENDS : r == BZIP2_OK ? STEP_MORE : STEP_DAMAGED;
}

static step_result step_xz(unpacker *u)
{
    lzma_stream_state *const s = &u->state.xz;
    const size_t             in = u->end - u->at, out = u->room;

    s->next_in = (const uint8_t *)u->input + u->at;
    s->avail_in = in;
    s->next_out = (uint8_t *)u->out;
    s->avail_out = out;
    const int r = codec_library.lzma_code(s, 0);
    advance(u, in - s->avail_in, out - s->avail_out);
    return r == LZMA_END                        ? STEP_MEMBER_ENDS
           : r == LZMA_MEMORY_LIMIT             ? STEP_TOO_LARGE
           : r == LZMA_FINE || r == LZMA_BUFFER ? STEP_MORE
                                                : STEP_DAMAGED;
}

static step_result step_zstd(unpacker *u)
{
    zstd_in      in = {u->input, u->end, u->at};
    zstd_out     out = {u->out, u->room, 0};
    const size_t r = codec_library.zstd_stream(u->state.zstd, &out, &in);

    advance(u, in.pos - u->at, out.pos);
    if (codec_library.zstd_is_error(r)) {
        u->why = codec_library.zstd_error(r);
        return memory_limit != UINT64_MAX && strstr(u->why, "too much memory") != NULL
                   ? STEP_TOO_LARGE
                   : STEP_DAMAGED;
    }
    return r == 0 ? STEP_MEMBER_ENDS : STEP_MORE;
}

static step_result take_step(unpacker *u)
{
    return u->c == CODEC_GZIP    ? step_gzip(u)
           : u->c == CODEC_BZIP2 ? step_bzip2(u)
           : u->c == CODEC_XZ    ? step_xz(u)
                                 : step_zstd(u);
}

/* ---- The file ---- */

static bool too_large(const unpacker *u)
{
    char needed[64] = "a larger limit";

    if (u->c == CODEC_XZ)
        snprintf(needed, sizeof needed, "at least %llu",
                 (unsigned long long)codec_library.lzma_memory(&u->state.xz) * MEMORY_SHARE);
    return cli_fail("%s: decompressing the %s data takes more than %llu bytes of memory, 1/%d of "
                    "the memory limit; leave out -S, or give %s",
                    u->name, codec_name(u->c), (unsigned long long)memory_limit, MEMORY_SHARE,
                    needed);
}

/* Reads until the input holds at least `least` bytes or the file ends. */
static bool fill_input(unpacker *u, size_t least)
{
    memmove(u->input, u->input + u->at, u->end - u->at);
    u->end -= u->at;
    u->at = 0;
    while (!u->ended && u->end < least) {
        const ssize_t got = read(u->fd, u->input + u->end, INPUT_SIZE - u->end);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return cli_fail("%s: cannot read: %s", u->name, strerror(errno));
        u->ended = got == 0;
        u->end += (size_t)got;
    }
    return true;
}

/* Begins the next member, if there is one. Streams of xz may be followed by zero bytes. */
static bool next_member(unpacker *u)
{
    if (!fill_input(u, CODEC_MAGIC))
        return false;
    while (u->c == CODEC_XZ && u->members > 0 && u->at < u->end && u->input[u->at] == '\0') {
        u->at++;
        if (u->end - u->at < CODEC_MAGIC && !fill_input(u, CODEC_MAGIC))
            return false;
    }
    if (u->at == u->end)
        return true;
    if (codec_of_bytes(u->input + u->at, u->end - u->at) != u->c)
        return cli_fail("%s: the %s data are followed by other bytes", u->name, codec_name(u->c));
    if (!start_member(u))
        return cli_fail("%s: not enough memory to decompress it", u->name);
    u->between = false;
    u->members++;
    return true;
}

bool unpack_read(unpacker *u, char *out, size_t most, size_t *got)
{
    u->out = out;
    u->room = most;
    *got = 0;
    while (u->out == out) {
        if (u->between && !next_member(u))
            return false;
        if (u->between)
            return true;
        if (u->at == u->end && !fill_input(u, 1))
            return false;
        const size_t      before = u->at;
        const step_result r = take_step(u);
        u->between = r == STEP_MEMBER_ENDS;
        if (r == STEP_TOO_LARGE)
            return too_large(u);
        if (r == STEP_DAMAGED)
            return cli_fail("%s: the %s data are damaged%s%s", u->name, codec_name(u->c),
                            u->why != NULL ? ": " : "", u->why != NULL ? u->why : "");
        if (r == STEP_MORE && u->at == before && u->out == out && u->at == u->end && u->ended)
            return cli_fail("%s: the %s data are truncated: they end in the middle", u->name,
                            codec_name(u->c));
    }
    *got = (size_t)(u->out - out);
    return true;
}

unpacker *unpack_start(codec c, const char *name, int fd, const char *first, size_t length)
{
    if (!codec_open(c, name))
        return NULL;
    unpacker *const u = calloc(1, sizeof *u);
    char *const     input = malloc(INPUT_SIZE > length ? INPUT_SIZE : length);
    if (u == NULL || input == NULL) {
        free(u);
        free(input);
        cli_error("%s: not enough memory to decompress it", name);
        return NULL;
    }
    *u = (unpacker){.c = c, .name = name, .fd = fd, .input = input, .end = length, .between = true};
    memcpy(input, first, length);
    return u;
}

void unpack_end(unpacker *u)
{
    if (u == NULL)
        return;
    if (u->started && u->c == CODEC_GZIP)
        codec_library.inflate_end(&u->state.gzip);
    else if (u->started && u->c == CODEC_BZIP2)
        codec_library.bzip2_end(&u->state.bzip2);
    else if (u->started && u->c == CODEC_XZ)
        codec_library.lzma_end(&u->state.xz);
    else if (u->started)
        codec_library.zstd_release(u->state.zstd);
    free(u->input);
    free(u);
}

/* output_write.c - what is written to an output: bytes, lines, arrays (see output.h).
 *
 * Small pieces go through one buffer, large ones directly to write(). Numbers are turned into text,
 * and blocks are compressed, by several threads; the main thread writes the results in order. In
 * a file system in memory large arrays are copied by several threads. */
#define _GNU_SOURCE /* fallocate */

#include "cli/io/npy.h"

#include "cli/base/as_sort.h"
#include "cli/base/workers.h"
#include "cli/io/number/digits.h"
#include "cli/io/number/keys.h"
#include "cli/io/number/number.h"
#include "cli/io/output.h"
#include "cli/io/source.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

enum {
    WRITE_CHUNK = 16 << 20,
    BEHIND = 8 << 20,       /* bytes after which the disk begins to write */
    MAPPED_PIECE = 4 << 20, /* that one thread copies                */
    TEXT_BLOCK = 1 << 15,   /* numbers that one thread turns to text */
    TEXT_SHARE = 16,        /* of a limit of memory for their texts  */
    TEXT_LENGTH = NUMBER_TEXT_MAX + 1
};

bool output_trouble(const output *out, int error)
{
    const char *const advice = error == ENOSPC || error == EDQUOT
                                   ? "; free some space or write to another file system"
                               : error == EFBIG ? "; raise the file size limit (ulimit -f)"
                               : error == EROFS || error == EACCES || error == EPERM
                                   ? "; write to a folder that you may change"
                                   : "";
    if (cli_is_sort())
        return file_failed(out->fd < 0 ? "open" : "write", out->name, error);
    return cli_fail("%s: cannot write: %s%s%s", out->name, strerror(error),
                    out->replaces && out->exists ? "; the file is unchanged" : "", advice);
}

/* ---- Bytes to the file ---- */

typedef struct copying {
    char       *to;
    const char *from;
    size_t      length;
} copying;

static void copy_piece(void *user, size_t i)
{
    const copying *const c = user;
    const size_t         first = i * MAPPED_PIECE, left = c->length - first;

    memcpy(c->to + first, c->from + first, left < MAPPED_PIECE ? left : MAPPED_PIECE);
}

/* `wrote` more bytes are in the file. Lets the system write them to the disk while the command goes
 * on, so that the flush at the end has little left to wait for. */
static void write_behind(output *out, size_t wrote)
{
    out->behind += wrote;
    if (!out->replaces || out->behind < BEHIND)
        return;
    const off_t at = lseek(out->fd, 0, SEEK_CUR);
    if (at >= (off_t)out->behind)
        (void)sync_file_range(out->fd, at - (off_t)out->behind, (off_t)out->behind,
                              SYNC_FILE_RANGE_WRITE);
    out->behind = 0;
}

static bool write_all(output *out, const char *data, size_t length, bool tick)
{
    output_mapping map;

    if (!output_map(out, length, &map))
        return false;
    if (map.to != NULL) {
        copying c = {map.to, data, length};
        workers_run((length + MAPPED_PIECE - 1) / MAPPED_PIECE, copy_piece, &c);
        return output_unmap(out, &map);
    }
    if (out->fd == STDOUT_FILENO)
        progress_output();
    for (size_t done = 0; done < length;) {
        const size_t  left = length - done;
        const ssize_t wrote = write(out->fd, data + done, left < WRITE_CHUNK ? left : WRITE_CHUNK);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0)
            return output_trouble(out, errno);
        done += (size_t)wrote;
        write_behind(out, (size_t)wrote);
        if (tick)
            progress_at((double)done / (double)length);
    }
    return true;
}

/* ---- Compressed files ---- */

typedef struct pack_run {
    output *out;
    bool    wrong; /* after a message */
} pack_run;

static bool fill_packed(void *user, size_t i, ordered_buffer *b)
{
    const output *const out = user;
    const size_t        first = i * PACK_BLOCK, left = out->packing_used - first;
    const size_t        length = left < PACK_BLOCK ? left : PACK_BLOCK;

    if (!buffer_room(b, pack_bound(out->pack, length)))
        return false;
    b->length = pack_block(out->pack, out->packing + first, length, b->data, b->room);
    return b->length != SIZE_MAX;
}

static bool drain_packed(void *to, size_t i, const ordered_buffer *b)
{
    pack_run *const run = to;

    (void)i;
    run->wrong = !write_all(run->out, b->data, b->length, false);
    return !run->wrong;
}

/* Compresses and writes what waits. An empty file is one empty block. */
static bool pack_waiting(output *out, bool last)
{
    const size_t       blocks = (out->packing_used + PACK_BLOCK - 1) / PACK_BLOCK;
    pack_run           run = {out, false};
    const ordered_work w = {.blocks = last && !out->packed && blocks == 0 ? 1 : blocks,
                            .fill = fill_packed,
                            .user = out,
                            .drain = drain_packed,
                            .to = &run};
    const bool         ok = workers_ordered(&w);

    out->packed = true;
    out->packing_used = 0;
    return ok || (!run.wrong && cli_fail("%s: cannot compress: not enough memory", out->name));
}

static bool pack_bytes(output *out, const char *data, size_t length)
{
    const size_t room = pack_blocks(out->pack) * PACK_BLOCK;

    if (out->packing == NULL && (out->packing = malloc(room)) == NULL)
        return output_trouble(out, ENOMEM);
    for (size_t done = 0; done < length;) {
        const size_t left = length - done, free_room = room - out->packing_used;
        const size_t n = left < free_room ? left : free_room;
        memcpy(out->packing + out->packing_used, data + done, n);
        out->packing_used += n;
        done += n;
        if (out->packing_used == room && !pack_waiting(out, false))
            return false;
    }
    return true;
}

static bool put(output *out, const char *data, size_t length, bool tick)
{
    return out->pack != CODEC_NONE ? pack_bytes(out, data, length)
                                   : write_all(out, data, length, tick);
}

/* ---- The buffer ---- */

static bool flush_buffer(output *out)
{
    const size_t used = out->used;
    out->used = 0;
    return put(out, out->buffer, used, false);
}

bool output_flush(output *out)
{
    return flush_buffer(out) && (out->pack == CODEC_NONE || pack_waiting(out, true));
}

bool output_bytes(output *out, const void *data, size_t length)
{
    if (length > OUTPUT_BUFFER - out->used && !flush_buffer(out))
        return false;
    if (length >= OUTPUT_BUFFER)
        return put(out, data, length, true);
    if (length > 0)
        memcpy(out->buffer + out->used, data, length);
    out->used += length;
    return true;
}

bool output_line(output *out, const char *line, size_t length)
{
    return output_bytes(out, line, length) && output_bytes(out, "\n", 1);
}

bool output_pair(output *out, ordo_type a_type, const void *a, ordo_type b_type, const void *b)
{
    char   line[2 * NUMBER_TEXT_MAX + 1];
    size_t length = number_format(a_type, a, line);

    line[length++] = ' ';
    length += number_format(b_type, b, line + length);
    return output_line(out, line, length);
}

/* ---- Blocks that several threads make ---- */

typedef struct block_writer {
    output *out;
    size_t  n;
    bool    told; /* after a message */
} block_writer;

static bool drain_block(void *to, size_t i, const ordered_buffer *b)
{
    block_writer *const w = to;

    progress_at((double)i / (double)w->n);
    w->told = !output_bytes(w->out, b->data, b->length);
    return !w->told;
}

bool output_blocks(output *out, size_t n, ordered_fill fill, void *user, bool *told)
{
    block_writer w = {.out = out, .n = n};
    const bool   ok = workers_ordered(
          &(ordered_work){.blocks = n, .fill = fill, .user = user, .drain = drain_block, .to = &w});

    *told = w.told;
    return ok;
}

/* ---- Arrays ---- */

typedef struct text_array {
    ordo_type   type;
    const char *data;
    size_t      n;
    char        line_end;
    output_load load;  /* NULL: all numbers as they are */
    const void *user;  /* of load       */
    size_t      block; /* numbers        */
} text_array;

/* Inline, so that the compiler makes one version for each constant type. */
static inline char *put_integers(size_t size, bool is_signed, const char *from, size_t n, char end,
                                 char *to)
{
    const unsigned unused = (unsigned)(64 - 8 * size);

    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = key_load(size, from + i * size);
        const bool     negative = is_signed && (int64_t)(bits << unused) < 0;
        *to = '-';
        to += negative;
        to = digits_put(to, negative ? 0 - (uint64_t)((int64_t)(bits << unused) >> unused) : bits);
        *to++ = end;
    }
    return to;
}

static char *put_numbers(const text_array *a, const char *from, size_t n, char *to)
{
    const size_t size = ordo_type_size(a->type);

    for (size_t i = 0; i < n; i++) {
        const void *number = from + i * size;
        uint64_t    loaded;
        if (a->load != NULL && !a->load(a->user, number, &loaded))
            continue;
        to += number_format(a->type, a->load != NULL ? &loaded : number, to);
        *to++ = a->line_end;
    }
    return to;
}

static bool fill_text(void *user, size_t i, ordered_buffer *b)
{
    const text_array *const a = user;
    const size_t            first = i * a->block, left = a->n - first;
    const size_t            n = left < a->block ? left : a->block;
    const char *const       from = a->data + first * ordo_type_size(a->type);

    if (!buffer_room(b, n * TEXT_LENGTH))
        return false;
    const char *const end = a->load == NULL && a->type == ORDO_U32
                                ? put_integers(4, false, from, n, a->line_end, b->data)
                            : a->load == NULL && a->type == ORDO_I64
                                ? put_integers(8, true, from, n, a->line_end, b->data)
                                : put_numbers(a, from, n, b->data);
    b->length = (size_t)(end - b->data);
    return true;
}

bool output_text(output *out, ordo_type type, const void *data, size_t n, char line_end,
                 output_load load, const void *user)
{
    const size_t texts = 2 * workers_count();
    const size_t bytes = source_piece_bytes(TEXT_BLOCK * TEXT_LENGTH, TEXT_SHARE * texts);
    const size_t block = bytes / TEXT_LENGTH;
    text_array   a = {type, data, n, line_end, load, user, block};
    bool         told;

    return output_blocks(out, (n + block - 1) / block, fill_text, &a, &told) ||
           (!told && output_trouble(out, ENOMEM));
}

bool output_array(output *out, ordo_type type, const void *data, size_t n)
{
    bool ok = true;

    progress_start("writing");
    if (out->format == FORMAT_TEXT) {
        ok = output_text(out, type, data, n, '\n', NULL, NULL);
    } else {
        char header[NPY_HEADER_MAX];
        if (out->format == FORMAT_NPY)
            ok = output_bytes(out, header, npy_write_header(type, n, header));
        ok = ok && output_bytes(out, data, n * ordo_type_size(type));
    }
    progress_end();
    return ok;
}

/* ---- Files in memory that several threads write ----
 *
 * In tmpfs write() serves one thread at a time. Several threads can write to a mapping of the file.
 * Its pages are allocated first, so that a full file system is an error and no SIGBUS. If the size
 * is known before the work, a thread allocates them meanwhile. With 16 threads of a Xeon 98 MB took
 * 31 ms by write(); 8 to 15 ms to allocate and 5 ms to copy by threads. */

#define TMPFS 0x01021994 /* f_type of a file system in memory */

enum {
    MAP_LEAST = 32 << 20,   /* bytes that are worth a mapping; estimate             */
    RESERVE_LEAST = 4 << 20 /* and those that are allocated beforehand; estimate    */
};

struct output_reserved {
    pthread_t thread;
    int       fd, error;
    off_t     at;
    size_t    bytes;
};

static bool can_map(const output *out, size_t bytes, size_t least)
{
    struct statfs fs;
    return bytes >= least && out->replaces && out->pack == CODEC_NONE && workers_count() > 1 &&
           fstatfs(out->fd, &fs) == 0 && fs.f_type == TMPFS;
}

static void *allocate(void *user)
{
    output_reserved *const r = user;
    if (fallocate(r->fd, 0, r->at, (off_t)r->bytes) != 0)
        r->error = errno;
    return NULL;
}

void output_reserve(output *out, size_t bytes)
{
    sigset_t all, before;

    if (out->reserved != NULL || !can_map(out, bytes, RESERVE_LEAST))
        return;
    output_reserved *const r = malloc(sizeof *r);
    if (r == NULL)
        return;
    *r = (output_reserved){.fd = out->fd, .bytes = bytes};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&r->thread, NULL, allocate, r) == 0)
        out->reserved = r;
    else
        free(r);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

int output_reserve_end(output *out)
{
    output_reserved *const r = out->reserved;

    if (r == NULL)
        return 0;
    pthread_join(r->thread, NULL);
    const int error = r->error;
    free(r);
    out->reserved = NULL;
    return error;
}

bool output_map(output *out, size_t bytes, output_mapping *map)
{
    const bool was_reserved = out->reserved != NULL;
    int        error = output_reserve_end(out);

    *map = (output_mapping){.to = NULL};
    if (!can_map(out, bytes, was_reserved ? RESERVE_LEAST : MAP_LEAST))
        return true;
    const off_t at = lseek(out->fd, 0, SEEK_CUR);
    const long  page = sysconf(_SC_PAGESIZE);
    if (at < 0 || page <= 0)
        return true;
    if (!was_reserved && fallocate(out->fd, 0, at, (off_t)bytes) != 0)
        error = errno;
    if (error == ENOSPC || error == EDQUOT || error == EFBIG)
        return output_trouble(out, error);
    if (error != 0)
        return true;
    const size_t before = (size_t)(at % page);
    char *const  base =
        mmap(NULL, before + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, out->fd, at - (off_t)before);
    if (base != MAP_FAILED) /* otherwise write() fills the file, which has the right size already */
        *map = (output_mapping){base + before, base, bytes, before + bytes};
    return true;
}

bool output_unmap(output *out, const output_mapping *map)
{
    (void)munmap(map->base, map->mapped);
    return lseek(out->fd, (off_t)map->bytes, SEEK_CUR) >= 0 || output_trouble(out, errno);
}

/* ranges.c - files of finished key ranges (see ranges.h).
 *
 * Layout: a head of 64 bytes, the elements, and a CRC-32C for each block of about 64 KiB. The last
 * field of the head is the CRC-32C of the rest of the head and of the block checksums. Each rank
 * writes whole blocks at their places; rank 0 adds head and checksums and renames the file. */
#define _POSIX_C_SOURCE 200809L
#include "mpi/checkpoint/ranges.h"

#include "external/disk/crc32c.h"
#include "mpi/fault.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct range_head {
    char     magic[8];
    uint64_t id, range, count, element, block; /* block: elements of a block */
    uint64_t reserved;
    uint32_t zero, crc;
} range_head;

enum {
    BLOCK_BYTES = 1 << 16
};

static uint64_t block_of(const plan *p)
{
    return p->element < BLOCK_BYTES ? BLOCK_BYTES / p->element : 1;
}

static uint64_t count_of(const plan *p, size_t g)
{
    return p->cuts[g + 1].position - p->cuts[g].position;
}

static uint64_t blocks_of(const plan *p, size_t g)
{
    return (count_of(p, g) + block_of(p) - 1) / block_of(p);
}

static void path_of(const job *j, size_t g, const char *end, char path[PATH_ROOM])
{
    snprintf(path, PATH_ROOM, "%s/range-%04zu%s", j->w.checkpoint, g, end);
}

static range_head head_of(const plan *p, size_t g)
{
    return (range_head){.magic = "ordomr1",
                        .id = p->id,
                        .range = g,
                        .count = count_of(p, g),
                        .element = p->element,
                        .block = block_of(p)};
}

static uint32_t head_crc(const range_head *head, const uint32_t *sums, uint64_t blocks)
{
    uint32_t const crc = crc32c(head, offsetof(range_head, crc));
    return crc32c_more(crc, sums, (size_t)blocks * sizeof *sums);
}

/* ---- Writing ---- */

static void part_of(const plan *p, size_t g, int rank, int size, size_t *from, size_t *to)
{
    uint64_t const blocks = blocks_of(p, g), count = count_of(p, g);
    uint64_t const start = part_start(blocks, rank, size) * block_of(p);
    uint64_t const end = part_start(blocks, rank + 1, size) * block_of(p);
    *from = (size_t)(start < count ? start : count);
    *to = (size_t)(end < count ? end : count);
}

void ranges_part(const job *j, const plan *p, size_t g, size_t *from, size_t *to)
{
    part_of(p, g, j->rank, j->size, from, to);
}

/* The checksums of n elements that begin with a block. */
static uint32_t *sum_blocks(const plan *p, const char *data, size_t n)
{
    size_t const    block = (size_t)block_of(p), count = (n + block - 1) / block;
    uint32_t *const sums = malloc(count * sizeof *sums + 1);
    for (size_t b = 0; sums != NULL && b < count; b++) {
        size_t const elements = n - b * block < block ? n - b * block : block;
        sums[b] = crc32c(data + b * block * p->element, elements * (size_t)p->element);
    }
    return sums;
}

/* On rank 0: the checksums of all ranks. */
static uint32_t *gather_sums(const job *j, const plan *p, size_t g, const uint32_t *mine)
{
    size_t const    ranks = (size_t)j->size;
    size_t const    blocks = (size_t)blocks_of(p, g);
    int *const      counts = malloc(2 * ranks * sizeof *counts);
    uint32_t *const all = malloc(blocks * sizeof *all + 1);
    bool const      memory = counts != NULL && all != NULL;
    if (!all_fine(j->world, memory, "no memory for %zu checksums", blocks)) {
        free(counts);
        free(all);
        return NULL;
    }
    for (int r = 0; r < j->size; r++) {
        uint64_t const from = part_start(blocks, r, j->size);
        counts[r] = (int)(part_start(blocks, r + 1, j->size) - from);
        counts[ranks + (size_t)r] = (int)from;
    }
    MPI_Gatherv(mine, counts[j->rank], MPI_UINT32_T, all, counts, counts + ranks, MPI_UINT32_T, 0,
                j->world);
    free(counts);
    return all;
}

static bool write_file(const char *path, int flags, const void *data, uint64_t bytes, uint64_t at,
                       const range_head *head)
{
    int const fd = open(path, O_WRONLY | O_CLOEXEC | flags, 0644);
    bool      fine = fd >= 0 && write_at(fd, data, bytes, at);
    if (fine && head != NULL)
        fine = write_at(fd, head, sizeof *head, 0);
    fine = fine && fsync(fd) == 0;
    int const saved = errno;
    if (fd >= 0)
        fine = close(fd) == 0 && fine;
    errno = saved;
    return fine;
}

/* On rank 0: head and checksums, then the name. */
static bool finish(const job *j, const plan *p, size_t g, const uint32_t *sums)
{
    char           temporary[PATH_ROOM], path[PATH_ROOM];
    range_head     head = head_of(p, g);
    uint64_t const blocks = blocks_of(p, g);
    head.crc = head_crc(&head, sums, blocks);
    path_of(j, g, ".new", temporary);
    path_of(j, g, "", path);
    return write_file(temporary, 0, sums, blocks * sizeof *sums,
                      sizeof head + count_of(p, g) * p->element, &head) &&
           rename(temporary, path) == 0 && plan_sync_folder(j);
}

bool ranges_write(const job *j, const plan *p, size_t g, const char *data)
{
    char   temporary[PATH_ROOM], path[PATH_ROOM];
    size_t from, to;
    ranges_part(j, p, g, &from, &to);
    path_of(j, g, ".new", temporary);
    path_of(j, g, "", path);
    bool const created = j->rank != 0 || write_file(temporary, O_CREAT | O_TRUNC, "", 0, 0, NULL);
    if (!all_fine(j->world, created, "%s: cannot create: %s", path, strerror(errno)))
        return false;
    fault_point(j->world, "created", g);
    bool const written = write_file(temporary, 0, data, (to - from) * p->element,
                                    sizeof(range_head) + from * p->element, NULL);
    if (!all_fine(j->world, written, "%s: cannot write: %s", path, strerror(errno)))
        return false;
    fault_point(j->world, "saved", g);
    uint32_t *const mine = sum_blocks(p, data, to - from);
    uint32_t *const all = all_fine(j->world, mine != NULL, "no memory for checksums")
                              ? gather_sums(j, p, g, mine)
                              : NULL;
    bool const      finished = all != NULL && (j->rank != 0 || finish(j, p, g, all));
    bool const      fine =
        all != NULL && all_fine(j->world, finished, "%s: cannot finish: %s", path, strerror(errno));
    free(mine);
    free(all);
    fault_point(j->world, "finished", g);
    return fine;
}

/* ---- Reading ---- */

/* Memory to read ranges: the checksums of the largest range, and a block. */
typedef struct reader {
    uint32_t *sums;
    char     *block;
} reader;

/* False on every rank if a rank has no memory. Free reader.sums. */
static bool make_reader(const job *j, const plan *p, reader *out)
{
    uint64_t most = 0;
    for (size_t g = 0; g < p->ranges; g++)
        most = blocks_of(p, g) > most ? blocks_of(p, g) : most;
    size_t const sums = (size_t)(most + most % 2) * sizeof *out->sums;
    size_t const bytes = sums + (size_t)(block_of(p) * p->element);
    char *const  memory = malloc(bytes);
    *out = (reader){(void *)memory, memory != NULL ? memory + sums : NULL};
    if (all_fine(j->world, memory != NULL, "no memory for a block of a range (%zu bytes)", bytes))
        return true;
    free(memory);
    return false;
}

/* An open file of a range, and its checksums in `sums`; false if it is missing or not that of the
 * plan. */
static bool open_range(const job *j, const plan *p, size_t g, int *fd, uint32_t *sums)
{
    char             path[PATH_ROOM];
    range_head const expected = head_of(p, g);
    range_head       head;
    uint64_t const   blocks = blocks_of(p, g);
    path_of(j, g, "", path);
    *fd = open(path, O_RDONLY | O_CLOEXEC);
    if (*fd < 0)
        return false;
    if (read_at(*fd, &head, sizeof head, 0) &&
        memcmp(&head, &expected, offsetof(range_head, crc)) == 0 &&
        read_at(*fd, sums, blocks * sizeof *sums, sizeof head + head.count * head.element) &&
        head.crc == head_crc(&head, sums, blocks))
        return true;
    close(*fd);
    *fd = -1;
    return false;
}

/* Reads the blocks that overlap elements [from, to) of a range and copies these elements to `out`,
 * unless it is NULL. */
static bool read_blocks(const job *j, const plan *p, size_t g, uint64_t from, uint64_t to,
                        const reader *room, char *out)
{
    uint64_t const block = block_of(p), count = count_of(p, g);
    int            fd;
    if (!open_range(j, p, g, &fd, room->sums))
        return false;
    bool fine = true;
    for (uint64_t b = from / block; fine && b * block < to; b++) {
        uint64_t const start = b * block;
        uint64_t const end = count - start < block ? count : start + block;
        size_t const   bytes = (size_t)((end - start) * p->element);
        fine = read_at(fd, room->block, bytes, sizeof(range_head) + start * p->element) &&
               crc32c(room->block, bytes) == room->sums[b];
        uint64_t const low = start > from ? start : from, high = end < to ? end : to;
        if (fine && out != NULL)
            memcpy(out + (low - from) * p->element, room->block + (low - start) * p->element,
                   (size_t)((high - low) * p->element));
    }
    close(fd);
    return fine;
}

bool ranges_check(const job *j, const plan *p, unsigned char *finished)
{
    reader room;
    if (!make_reader(j, p, &room))
        return false;
    for (size_t g = 0; g < p->ranges; g++) {
        char path[PATH_ROOM];
        finished[g] = 0;
        if ((int)(g % (size_t)j->size) != j->rank)
            continue;
        path_of(j, g, "", path);
        finished[g] = count_of(p, g) == 0 || read_blocks(j, p, g, 0, count_of(p, g), &room, NULL);
        if (!finished[g] && access(path, F_OK) == 0)
            cli_line(stderr, "ordo-mpi: %s is damaged; its range is sorted again", path);
    }
    MPI_Allreduce(MPI_IN_PLACE, finished, (int)p->ranges, MPI_UNSIGNED_CHAR, MPI_MAX, j->world);
    free(room.sums);
    return true;
}

bool ranges_load(const job *j, const plan *p, uint64_t from, uint64_t to, char *out)
{
    reader room;
    bool   fine = true;
    size_t bad = 0;
    if (!make_reader(j, p, &room))
        return false;
    for (size_t g = 0; fine && g < p->ranges; g++) {
        uint64_t const start = p->cuts[g].position, end = p->cuts[g + 1].position;
        uint64_t const low = start > from ? start : from, high = end < to ? end : to;
        if (low < high)
            fine = read_blocks(j, p, g, low - start, high - start, &room,
                               out + (low - from) * p->element);
        bad = g;
    }
    free(room.sums);
    return all_fine(j->world, fine,
                    "%s/range-%04zu is missing or damaged; run the job again with --resume",
                    j->w.checkpoint, bad);
}

void ranges_remove(const job *j, const plan *p)
{
    char path[PATH_ROOM];
    if (j->rank != 0)
        return;
    for (size_t g = 0; g < p->ranges; g++) {
        path_of(j, g, "", path);
        unlink(path);
        path_of(j, g, ".new", path);
        unlink(path);
        fault_point(j->world, "removing", g);
    }
    snprintf(path, PATH_ROOM, "%s/manifest", j->w.checkpoint);
    unlink(path);
    rmdir(j->w.checkpoint);
}

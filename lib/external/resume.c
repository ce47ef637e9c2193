/* resume.c - writes and reads the manifest of a sort that can be resumed (see resume.h). */
#define _GNU_SOURCE
#include "external/resume.h"

#include "external/disk/crc32c.h"
#include "external/disk/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FORMAT = 1,
    TEXT_BYTES = 1024,
    SOURCE_FACTS = 6
};

static const char name_manifest[] = "manifest", name_new[] = "manifest.new", name_index[] = "index",
                  name_runs[] = "runs", name_ranges[] = "ranges";

typedef struct run_entry { /* of the index; the facts of its blocks and a checksum follow */
    uint64_t n, blocks, offset, bytes;
} run_entry;

enum {
    BLOCK_FACTS = sizeof(uint64_t) + 3 * sizeof(uint32_t)
};

static bool failed(const resume *r, int error, const char *what)
{
    return failure_record_errno(&r->call->failure, error, "%s in %s failed", what,
                                r->call->opts.resume_directory);
}

static bool refuse(const resume *r, const char *why)
{
    return failure_record(&r->call->failure, ORDO_E_ARG,
                          "the %s in %s cannot be resumed: %s; expected the source and options "
                          "of the first call, or remove the directory to begin again",
                          r->call->resumes, r->call->opts.resume_directory, why);
}

/* The source and the sink of the caller. */
static const external_call *given_of(const external_call *c)
{
    return c->outer != NULL ? c->outer->given : c;
}

/* Bytes of a result in the sink. */
static size_t result_size(const external_call *c)
{
    return c->outer != NULL ? c->outer->result : c->kind.size;
}

/* ---- The directory ---- */

static bool open_folder(resume *r)
{
    const char *const path = r->call->opts.resume_directory;
    struct stat       status;
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return failure_record_errno(&r->call->failure, errno, "making the directory %s failed",
                                    path);
    r->folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (r->folder < 0 || fstat(r->folder, &status) != 0)
        return failure_record_errno(&r->call->failure, errno, "opening the directory %s failed",
                                    path);
    if (status.st_uid != geteuid() || (status.st_mode & 077) != 0)
        return failure_record(&r->call->failure, ORDO_E_ARG,
                              "%s belongs to another user or has permissions for others; expected "
                              "a directory of mode 0700",
                              path);
    if (flock(r->folder, LOCK_EX | LOCK_NB) != 0)
        return failure_record(&r->call->failure, ORDO_E_IO,
                              "%s is in use by another process; expected one call at a time", path);
    r->index = openat(r->folder, name_index, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    return r->index >= 0 || failed(r, errno, "opening the index");
}

bool resume_find_source(external_call *c, uint64_t source[SOURCE_FACTS])
{
    const ordo_source *const from = &given_of(c)->from;
    struct stat              status;
    off_t const              start = from->read == NULL ? lseek(from->fd, 0, SEEK_CUR) : -1;
    if (start < 0 || fstat(from->fd, &status) != 0 || !S_ISREG(status.st_mode))
        return failure_record(&c->failure, ORDO_E_ARG,
                              "%s is not a regular file, so the %s could not be resumed; "
                              "expected a file, or no resume directory",
                              from->name, c->resumes);
    uint64_t const facts[SOURCE_FACTS] = {
        (uint64_t)status.st_dev,         (uint64_t)status.st_ino,          (uint64_t)status.st_size,
        (uint64_t)status.st_mtim.tv_sec, (uint64_t)status.st_mtim.tv_nsec, (uint64_t)start};
    memcpy(source, facts, sizeof facts);
    return true;
}

void resume_close(resume *r, bool done)
{
    if (r->call == NULL || r->call->opts.resume_directory == NULL)
        return;
    if (done && r->folder >= 0) {
        (void)unlinkat(r->folder, name_manifest, 0);
        (void)unlinkat(r->folder, name_new, 0);
        (void)unlinkat(r->folder, name_index, 0);
        (void)unlinkat(r->folder, name_runs, 0);
        (void)unlinkat(r->folder, name_ranges, 0);
        (void)rmdir(r->call->opts.resume_directory);
    }
    if (r->index >= 0)
        close(r->index);
    if (r->folder >= 0)
        close(r->folder);
}

/* ---- The manifest ---- */

/* Writes the lines that must be the same when the sort goes on; returns their length. */
static int print_identity(const resume *r, char *text)
{
    const element_kind *const kind = &r->call->kind, *const given = &given_of(r->call)->kind;
    uint64_t const *const s = r->source;
    return snprintf(text, TEXT_BYTES,
                    "ordo external %s %d\nlibrary %s\n"
                    "source device %llu inode %llu size %llu time %llu.%09llu start %llu\n"
                    "elements %s size %zu key %zu record %zu buffer %zu flags %llu\n",
                    r->call->resumes, FORMAT, ordo_version(), (unsigned long long)s[0],
                    (unsigned long long)s[1], (unsigned long long)s[2], (unsigned long long)s[3],
                    (unsigned long long)s[4], (unsigned long long)s[5], ordo_type_name(kind->type),
                    given->size, given->key_offset, kind->size, r->buffer,
                    (unsigned long long)(r->call->opts.flags & (ORDO_DESCENDING | ORDO_UNIQUE)));
}

/* Replaces a file of the directory. */
static bool replace_file(const resume *r, const char *name, const void *bytes, size_t n)
{
    int const fd =
        openat(r->folder, name_new, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return failed(r, errno, "making the manifest");
    int error = write_at(fd, bytes, n, 0);
    if (error == 0 && fsync(fd) != 0)
        error = errno;
    if (close(fd) != 0 && error == 0)
        error = errno;
    if (error == 0 && renameat(r->folder, name_new, r->folder, name) != 0)
        error = errno;
    if (error == 0 && fsync(r->folder) != 0 && errno != EINVAL)
        error = errno;
    return error == 0 || failed(r, error, "writing the manifest");
}

static bool write_manifest(const resume *r, const runs *all)
{
    char text[2 * TEXT_BYTES];
    int  length = print_identity(r, text);
    length += snprintf(text + length, TEXT_BYTES, "block %zu runs %zu index %llu spilled %llu\n",
                       all->block_n, all->count, (unsigned long long)r->index_bytes,
                       (unsigned long long)all->spill->sizes[0]);
    length += snprintf(text + length, TEXT_BYTES - 512, "crc %08lx\n",
                       (unsigned long)crc32c(text, (size_t)length));
    return replace_file(r, name_manifest, text, (size_t)length);
}

typedef struct progress { /* the last lines of a manifest */
    size_t             block_n, runs;
    unsigned long long index, spilled;
} progress;

/* *found is false if there is no manifest. */
static bool read_manifest(const resume *r, progress *p, bool *found)
{
    char      text[2 * TEXT_BYTES + 1], identity[TEXT_BYTES];
    int const fd = openat(r->folder, name_manifest, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    *found = fd >= 0;
    if (fd < 0)
        return errno == ENOENT || failed(r, errno, "opening the manifest");
    size_t     got = 0;
    bool const ok = read_fully(fd, name_manifest, text, sizeof text - 1, &got, &r->call->failure);
    close(fd);
    if (!ok)
        return false;
    text[got] = '\0';
    char *const   crc = strstr(text, "\ncrc ");
    unsigned long sum = 0;
    if (crc == NULL || sscanf(crc, "\ncrc %lx", &sum) != 1 ||
        sum != crc32c(text, (size_t)(crc - text) + 1))
        return refuse(r, "its manifest is damaged");
    size_t const length = (size_t)print_identity(r, identity);
    if (strncmp(text, identity, length) != 0)
        return refuse(r, "the source has changed since, or the options differ");
    return sscanf(text + length, "block %zu runs %zu index %llu spilled %llu", &p->block_n,
                  &p->runs, &p->index, &p->spilled) == 4 ||
           refuse(r, "its manifest is damaged");
}

/* ---- The index ---- */

static size_t entry_bytes(uint64_t blocks)
{
    return sizeof(run_entry) + (size_t)blocks * BLOCK_FACTS + sizeof(uint32_t);
}

/* Appends the last run to the index. */
static bool append_index(resume *r, const runs *all)
{
    const run *const one = &all->all[all->count - 1];
    size_t const     n = one->blocks, bytes = entry_bytes(n), b = one->block;
    char *const      entry = malloc(bytes);
    uint64_t         length = 0;
    if (entry == NULL)
        return failure_record(&r->call->failure, ORDO_E_NOMEM,
                              "the system refused memory for the index of a run");
    for (size_t i = 0; i < n; i++)
        length += all->bytes[b + i];
    run_entry const head = {one->n, n, all->extents[one->extent].offset, length};
    char           *at = entry;
    memcpy(at, &head, sizeof head);
    at += sizeof head;
    memcpy(at, all->first + b, n * sizeof *all->first);
    at += n * sizeof *all->first;
    const uint32_t *const facts[] = {all->n, all->bytes, all->crc};
    for (size_t i = 0; i < 3; i++, at += n * sizeof(uint32_t))
        memcpy(at, facts[i] + b, n * sizeof(uint32_t));
    uint32_t const crc = crc32c(entry, bytes - sizeof crc);
    memcpy(at, &crc, sizeof crc);
    int error = write_at(r->index, entry, bytes, r->index_bytes);
    free(entry);
    if (error == 0 && fdatasync(r->index) != 0)
        error = errno;
    r->index_bytes += bytes;
    return error == 0 || failed(r, error, "writing the index");
}

bool resume_save(resume *r, const runs *all)
{
    if (r->call->opts.resume_directory == NULL)
        return true;
    if (fdatasync(all->spill->fds[0]) != 0)
        return failed(r, errno, "writing the runs");
    return append_index(r, all) && write_manifest(r, all);
}

/* Reads the next run of the index. */
static bool load_run(resume *r, runs *all, uint64_t index_end)
{
    run_entry      head;
    failure *const f = &r->call->failure;
    if (index_end - r->index_bytes < sizeof head)
        return refuse(r, "its index is too short");
    if (!read_at(r->index, name_index, &head, sizeof head, r->index_bytes, f))
        return false;
    if (head.blocks > (index_end - r->index_bytes) / BLOCK_FACTS)
        return refuse(r, "its index is damaged");
    size_t const bytes = entry_bytes(head.blocks);
    char *const  entry = malloc(bytes);
    if (entry == NULL)
        return failure_record(f, ORDO_E_NOMEM, "the system refused memory for the index of a run");
    uint32_t   crc = 0;
    bool const read = read_at(r->index, name_index, entry, bytes, r->index_bytes, f);
    if (read)
        memcpy(&crc, entry + bytes - sizeof crc, sizeof crc);
    bool const ok = read && (crc32c(entry, bytes - sizeof crc) == crc ||
                             refuse(r, "the checksum of its index is wrong"));
    r->index_bytes += bytes;
    const char *const first = entry + sizeof head;
    size_t const      n = (size_t)head.blocks;
    bool const        added =
        ok && runs_restore(all, head.n, n, head.offset, first, first + n * sizeof(uint64_t));
    free(entry);
    return added;
}

static bool load_runs(resume *r, runs *all)
{
    external_call *const c = r->call;
    progress             p = {.runs = 0};
    bool                 found = false;
    uint64_t             done = 0;
    if (!read_manifest(r, &p, &found) || !found)
        return !found && !failure_seen(&c->failure);
    if (p.block_n == 0 || p.block_n > c->capacity / 4)
        return refuse(r, "it was begun with more memory");
    c->block_n = all->block_n = p.block_n;
    if (!runs_resize(all) || !spill_reopen(all->spill, p.spilled))
        return false;
    while (all->count < p.runs)
        if (!load_run(r, all, p.index))
            return false;
    for (size_t i = 0; i < all->count; i++)
        done += all->all[i].n;
    const external_call *const given = given_of(c);
    if (lseek(given->from.fd, (off_t)(r->source[5] + done * given->kind.size), SEEK_SET) < 0)
        return failure_record_errno(&c->failure, errno, "moving in %s failed", given->from.name);
    if (c->outer != NULL)
        c->outer->skip(c->outer->user, done);
    atomic_store(&c->read, done);
    return true;
}

bool resume_open(resume *r, external_call *c, runs *all, size_t buffer)
{
    *r = (resume){.call = c, .folder = -1, .index = -1, .buffer = buffer};
    return c->opts.resume_directory == NULL ||
           (resume_find_source(c, r->source) && open_folder(r) && load_runs(r, all));
}

/* ---- Ranges ---- */

bool resume_point_make(const resume *r, size_t run_count, resume_point *p)
{
    const external_call *const c = r->call;
    const ordo_sink *const     to = &given_of(c)->to;
    struct stat                status;
    *p = (resume_point){.runs = run_count};
    if (c->opts.resume_directory == NULL || to->write != NULL || fstat(to->fd, &status) != 0 ||
        !S_ISREG(status.st_mode))
        return true;
    off_t const start = lseek(to->fd, 0, SEEK_CUR);
    if (start < 0)
        return true;
    p->sink[0] = (uint64_t)status.st_dev;
    p->sink[1] = (uint64_t)status.st_ino;
    p->sink[2] = (uint64_t)start;
    p->carried = calloc(run_count + 1, sizeof *p->carried);
    return p->carried != NULL ||
           failure_record(&r->call->failure, ORDO_E_NOMEM, "the system refused memory to resume");
}

enum {
    POINT_NUMBERS = 8 /* of a point in its file; the numbers of the runs and a checksum follow */
};

static size_t point_bytes(uint64_t run_count)
{
    return POINT_NUMBERS * sizeof(uint64_t) + ((size_t)run_count + 1) * sizeof(uint32_t);
}

bool resume_save_point(const resume *r, const resume_point *p)
{
    size_t const   bytes = point_bytes(p->runs);
    char *const    text = malloc(bytes);
    uint64_t const numbers[POINT_NUMBERS] = {p->next,    p->results, p->has_last, p->last,
                                             p->sink[0], p->sink[1], p->sink[2],  p->runs};
    if (text == NULL)
        return failure_record(&r->call->failure, ORDO_E_NOMEM,
                              "the system refused memory to resume");
    memcpy(text, numbers, sizeof numbers);
    memcpy(text + sizeof numbers, p->carried, p->runs * sizeof *p->carried);
    uint32_t const crc = crc32c(text, bytes - sizeof crc);
    memcpy(text + bytes - sizeof crc, &crc, sizeof crc);
    bool const ok =
        (fdatasync(given_of(r->call)->to.fd) == 0 || failed(r, errno, "writing the result")) &&
        replace_file(r, name_ranges, text, bytes);
    free(text);
    return ok;
}

/* Whether the point is of these runs and this sink, which has all of its results. */
static bool fits_sink(const resume *r, const resume_point *p, const uint64_t *numbers)
{
    struct stat    status;
    uint64_t const end = numbers[6] + numbers[1] * result_size(r->call);
    return numbers[4] == p->sink[0] && numbers[5] == p->sink[1] && numbers[6] == p->sink[2] &&
           numbers[7] == p->runs && fstat(given_of(r->call)->to.fd, &status) == 0 &&
           (uint64_t)status.st_size >= end;
}

bool resume_load_point(const resume *r, resume_point *p, bool *found)
{
    size_t const bytes = point_bytes(p->runs);
    int const    fd = openat(r->folder, name_ranges, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno != ENOENT)
        return failed(r, errno, "opening the list of ranges");
    char *const text = malloc(bytes);
    uint64_t    numbers[POINT_NUMBERS] = {0};
    uint32_t    crc = 0;
    size_t      got = 0;
    *found = false;
    if (fd >= 0 && text != NULL &&
        read_fully(fd, name_ranges, text, bytes, &got, &r->call->failure) && got == bytes) {
        memcpy(numbers, text, sizeof numbers);
        memcpy(&crc, text + bytes - sizeof crc, sizeof crc);
        *found = crc == crc32c(text, bytes - sizeof crc) && fits_sink(r, p, numbers);
    }
    if (*found) {
        p->next = numbers[0];
        p->results = numbers[1];
        p->has_last = numbers[2];
        p->last = numbers[3];
        memcpy(p->carried, text + sizeof numbers, p->runs * sizeof *p->carried);
        off_t const at = (off_t)(p->sink[2] + p->results * result_size(r->call));
        if (lseek(given_of(r->call)->to.fd, at, SEEK_SET) < 0)
            failed(r, errno, "moving in the result");
    }
    if (fd >= 0)
        close(fd);
    free(text);
    return !failure_seen(&r->call->failure);
}

/* resume.c - writes and reads the manifest of a sort that can be resumed (see resume.h). */
#define _GNU_SOURCE
#include "external/resume.h"

#include "external/disk/crc32c.h"
#include "external/disk/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FORMAT = 3,
    TEXT_BYTES = 1024,
    CHECKED_BYTES = 8 << 20 /* of the source or the sink that are read again at once */
};

static const char name_manifest[] = "manifest", name_new[] = "manifest.new", name_index[] = "index",
                  name_runs[] = "runs", name_ranges[] = "ranges";

typedef struct run_entry { /* of the index; the run_block of its blocks and a checksum follow */
    uint64_t n, blocks, offset, bytes;
    uint64_t sum; /* of its elements in the source */
} run_entry;

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
static external_call *given_of(external_call *c) { return c->outer != NULL ? c->outer->given : c; }

/* Bytes of a result in the sink. */
static size_t result_size(const external_call *c)
{
    return c->outer != NULL ? c->outer->result : c->kind.size;
}

/* ---- The directory ---- */

/* The directory could not be made: says that of the one that it would be in. */
static bool no_parent(const resume *r, int error, const char *path)
{
    const char *const slash = strrchr(path, '/');
    char *const       parent = slash != NULL ? strndup(path, (size_t)(slash - path) + 1) : NULL;
    if (parent != NULL && slash > path)
        parent[slash - path] = 0;
    spill_no_directory(&r->call->failure, error, parent != NULL ? parent : ".");
    free(parent);
    return false;
}

static bool open_folder(resume *r)
{
    const char *const path = r->call->opts.resume_directory;
    struct stat       status;
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return no_parent(r, errno, path);
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

bool resume_find_source(external_call *c, uint64_t source[RESUME_FACTS])
{
    const ordo_source *const from = &given_of(c)->from;
    struct stat              status;
    off_t const              start = from->read == NULL ? lseek(from->fd, 0, SEEK_CUR) : -1;
    if (start < 0 || fstat(from->fd, &status) != 0 || !S_ISREG(status.st_mode))
        return failure_record(&c->failure, ORDO_E_ARG,
                              "%s is not a regular file, so the %s could not be resumed; "
                              "expected a file, or no resume directory",
                              from->name, c->resumes);
    uint64_t const facts[RESUME_FACTS] = {
        (uint64_t)status.st_dev,          (uint64_t)status.st_ino,
        (uint64_t)status.st_size,         (uint64_t)status.st_mtim.tv_sec,
        (uint64_t)status.st_mtim.tv_nsec, (uint64_t)status.st_ctim.tv_sec,
        (uint64_t)status.st_ctim.tv_nsec, (uint64_t)start};
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
                    "source device %llu inode %llu size %llu time %llu.%09llu changed %llu.%09llu "
                    "start %llu\n"
                    "elements %s size %zu key %zu record %zu buffer %zu flags %llu\n",
                    r->call->resumes, FORMAT, ordo_version(), (unsigned long long)s[0],
                    (unsigned long long)s[1], (unsigned long long)s[2], (unsigned long long)s[3],
                    (unsigned long long)s[4], (unsigned long long)s[5], (unsigned long long)s[6],
                    (unsigned long long)s[7], ordo_type_name(kind->type), given->size,
                    given->key_offset, kind->size, r->buffer,
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
    return sizeof(run_entry) + (size_t)blocks * sizeof(run_block) + sizeof(uint32_t);
}

/* Appends the last run to the index. */
static bool append_index(resume *r, const runs *all, uint32_t sum)
{
    const run *const one = &all->all[all->count - 1];
    size_t const     n = one->blocks, bytes = entry_bytes(n), b = one->block;
    char *const      entry = malloc(bytes);
    uint64_t         length = 0;
    if (entry == NULL)
        return failure_record(&r->call->failure, ORDO_E_NOMEM,
                              "the system refused memory for the index of a run");
    for (size_t i = 0; i < n; i++)
        length += all->index[b + i].bytes;
    run_entry const head = {one->n, n, all->extents[one->extent].offset, length, sum};
    memcpy(entry, &head, sizeof head);
    memcpy(entry + sizeof head, all->index + b, n * sizeof *all->index);
    uint32_t const crc = crc32c(entry, bytes - sizeof crc);
    memcpy(entry + bytes - sizeof crc, &crc, sizeof crc);
    int error = write_at(r->index, entry, bytes, r->index_bytes);
    free(entry);
    if (error == 0 && fdatasync(r->index) != 0)
        error = errno;
    r->index_bytes += bytes;
    return error == 0 || failed(r, error, "writing the index");
}

uint32_t resume_take_sum(external_call *c)
{
    external_call *const given = given_of(c);
    uint32_t const       sum = given->sum_in;
    given->sum_in = 0;
    return sum;
}

bool resume_save(resume *r, const runs *all, uint32_t sum)
{
    if (r->call->opts.resume_directory == NULL)
        return true;
    if (fdatasync(all->spill->fds[0]) != 0)
        return failed(r, errno, "writing the runs");
    return append_index(r, all, sum) && write_manifest(r, all);
}

/* Whether bytes [from, from + bytes) of a file have the checksum; otherwise *same is false. */
static bool compare_sum(const resume *r, int fd, const char *name, uint64_t from, uint64_t bytes,
                        uint64_t sum, bool *same)
{
    external_call *const c = r->call;
    size_t const         room = ordo_min(c->capacity * c->kind.size, CHECKED_BYTES);
    uint32_t             found = 0;
    for (uint64_t done = 0, now; done < bytes; done += now) {
        now = ordo_min(bytes - done, room);
        if (!external_goes_on(c) ||
            !read_at(fd, name, c->buffers[0], (size_t)now, from + done, &c->failure))
            return false;
        found = crc32c_more(found, c->buffers[0], (size_t)now);
        atomic_fetch_add(&c->bytes_in, now);
    }
    *same = found == sum;
    return true;
}

/* The elements of the source. */
static uint64_t source_elements(const resume *r)
{
    uint64_t const size = r->source[2], start = r->source[RESUME_FACTS - 1];
    return size > start ? (size - start) / given_of(r->call)->kind.size : 0;
}

/* Whether the numbers of an entry can be those of a run behind `done` elements: no block is larger
 * than planned, and all of them are in the source and in the runs. */
static bool entry_is_sound(const resume *r, const runs *all, const run_entry *head,
                           const char *index, uint64_t done)
{
    size_t const   blocks = (size_t)head->blocks;
    uint64_t const left = source_elements(r) - done, spilled = all->spill->sizes[0];
    uint64_t       n = 0, bytes = 0, before = 0;
    for (size_t i = 0; i < blocks; i++) {
        run_block b;
        memcpy(&b, index + i * sizeof b, sizeof b);
        if (b.n == 0 || b.n > all->block_n || b.bytes > block_most(&all->kind, b.n) ||
            b.first < before)
            return false;
        n += b.n;
        bytes += b.bytes;
        before = b.first;
    }
    return blocks > 0 && n == head->n && n <= left && bytes == head->bytes &&
           head->offset <= spilled && bytes <= spilled - head->offset &&
           (r->buffer == 0 || n == ordo_min(r->buffer, left));
}

/* Adds a run whose entry was read, if the source still has its elements. */
static bool add_run(const resume *r, runs *all, const char *entry, size_t bytes, uint64_t done)
{
    const external_call *const given = given_of(r->call);
    run_entry                  head;
    uint32_t                   crc;
    bool                       same = false;
    const char *const          index = entry + sizeof head;
    memcpy(&head, entry, sizeof head);
    memcpy(&crc, entry + bytes - sizeof crc, sizeof crc);
    if (crc32c(entry, bytes - sizeof crc) != crc)
        return refuse(r, "the checksum of its index is wrong");
    if (!entry_is_sound(r, all, &head, index, done))
        return refuse(r, "its index is damaged");
    if (!compare_sum(r, given->from.fd, given->from.name,
                     r->source[RESUME_FACTS - 1] + done * given->kind.size,
                     head.n * given->kind.size, head.sum, &same))
        return false;
    if (!same)
        return refuse(r, "the source has changed since");
    return runs_restore(all, head.n, (size_t)head.blocks, head.offset, index);
}

/* Reads the next run of the index, which follows `done` elements. */
static bool load_run(resume *r, runs *all, uint64_t index_end, uint64_t done)
{
    run_entry      head;
    failure *const f = &r->call->failure;
    if (index_end - r->index_bytes < sizeof head)
        return refuse(r, "its index is too short");
    if (!read_at(r->index, name_index, &head, sizeof head, r->index_bytes, f))
        return false;
    if (head.blocks > (index_end - r->index_bytes) / sizeof(run_block) ||
        entry_bytes(head.blocks) > index_end - r->index_bytes)
        return refuse(r, "its index is damaged");
    size_t const bytes = entry_bytes(head.blocks);
    char *const  entry = malloc(bytes);
    if (entry == NULL)
        return failure_record(f, ORDO_E_NOMEM, "the system refused memory for the index of a run");
    bool const ok = read_at(r->index, name_index, entry, bytes, r->index_bytes, f) &&
                    add_run(r, all, entry, bytes, done);
    r->index_bytes += bytes;
    free(entry);
    return ok;
}

static bool load_runs(resume *r, runs *all)
{
    external_call *const c = r->call;
    progress             p = {.runs = 0};
    bool                 found = false;
    uint64_t             done = 0;
    struct stat          status;
    if (!read_manifest(r, &p, &found) || !found)
        return !found && !failure_seen(&c->failure);
    if (p.block_n == 0 || p.block_n > c->capacity / 4)
        return refuse(r, "it was begun with more memory");
    if (fstat(r->index, &status) != 0 || p.index > (uint64_t)status.st_size)
        return refuse(r, "its index is too short");
    c->block_n = all->block_n = p.block_n;
    if (!runs_resize(all) || !spill_reopen(all->spill, p.spilled))
        return false;
    const external_call *const given = given_of(c);
    external_phase(c, "check", source_elements(r) * given->kind.size);
    while (all->count < p.runs) {
        if (!load_run(r, all, p.index, done))
            return false;
        done += all->all[all->count - 1].n;
    }
    if (lseek(given->from.fd, (off_t)(r->source[RESUME_FACTS - 1] + done * given->kind.size),
              SEEK_SET) < 0)
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

resume_point resume_point_make(const resume *r, size_t run_count)
{
    external_call *const   c = r->call;
    const ordo_sink *const to = &given_of(c)->to;
    struct stat            status;
    resume_point           p = {.runs = run_count};
    if (c->opts.resume_directory == NULL || to->write != NULL || fstat(to->fd, &status) != 0 ||
        !S_ISREG(status.st_mode))
        return p;
    off_t const start = lseek(to->fd, 0, SEEK_CUR);
    p.sink[0] = (uint64_t)status.st_dev;
    p.sink[1] = (uint64_t)status.st_ino;
    p.sink[2] = (uint64_t)start;
    p.is_kept = start >= 0;
    return p;
}

enum {
    POINT_NUMBERS = 7 /* of a point in its file; a checksum of them follows */
};

typedef struct point_text {
    uint64_t numbers[POINT_NUMBERS]; /* next, results, sum, the sink, runs */
    uint64_t crc;
} point_text;

bool resume_save_point(const resume *r, const resume_point *p)
{
    const external_call *const given = given_of(r->call);
    point_text text = {.numbers = {p->next, p->results, given->sum_out, p->sink[0], p->sink[1],
                                   p->sink[2], p->runs}};
    text.crc = crc32c(text.numbers, sizeof text.numbers);
    return (fdatasync(given->to.fd) == 0 || failed(r, errno, "writing the result")) &&
           replace_file(r, name_ranges, &text, sizeof text);
}

/* A descriptor that can read the sink, to be closed; -1: there is none. */
static int readable_sink(const ordo_sink *to)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", to->fd);
    return (fcntl(to->fd, F_GETFL) & O_ACCMODE) == O_WRONLY ? open(path, O_RDONLY | O_CLOEXEC)
                                                            : fcntl(to->fd, F_DUPFD_CLOEXEC, 0);
}

/* Whether the sink still has the results of the point. Sets p->last. */
static bool compare_results(const resume *r, resume_point *p, bool *same)
{
    external_call *const   c = r->call;
    const ordo_sink *const to = &given_of(c)->to;
    struct stat            status;
    size_t const           size = result_size(c);
    *same = false;
    if (fstat(to->fd, &status) != 0 || (uint64_t)status.st_size < p->sink[2] ||
        p->results > ((uint64_t)status.st_size - p->sink[2]) / size)
        return true;
    int const fd = readable_sink(to);
    if (fd < 0)
        return true;
    uint64_t const bytes = p->results * size;
    bool           ok = compare_sum(r, fd, to->name, p->sink[2], bytes, p->sum, same);
    if (ok && p->results > 0 && c->outer == NULL) {
        ok = read_at(fd, to->name, c->buffers[0], size, p->sink[2] + bytes - size, &c->failure);
        p->last = ok ? element_tie(&c->kind, c->buffers[0]) : 0;
    }
    close(fd);
    return ok;
}

bool resume_load_point(const resume *r, resume_point *p, bool *found)
{
    external_call *const given = given_of(r->call);
    int const            fd = openat(r->folder, name_ranges, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    point_text           text;
    size_t               got = 0;
    *found = false;
    if (fd < 0)
        return errno == ENOENT || failed(r, errno, "opening the list of ranges");
    bool const ok = read_fully(fd, name_ranges, &text, sizeof text, &got, &r->call->failure);
    close(fd);
    const uint64_t *const numbers = text.numbers;
    if (!ok || got != sizeof text || text.crc != crc32c(numbers, sizeof text.numbers) ||
        memcmp(numbers + 3, p->sink, sizeof p->sink) != 0 || numbers[6] != p->runs)
        return ok;
    p->next = numbers[0];
    p->results = numbers[1];
    p->sum = numbers[2];
    external_phase(r->call, "check", p->results * result_size(r->call));
    if (!compare_results(r, p, found) || !*found)
        return !failure_seen(&r->call->failure);
    given->sum_out = (uint32_t)p->sum;
    off_t const at = (off_t)(p->sink[2] + p->results * result_size(r->call));
    return lseek(given->to.fd, at, SEEK_SET) >= 0 || failed(r, errno, "moving in the result");
}

bool resume_point_fits(const resume *r, const resume_point *p, uint64_t passed, uint64_t last)
{
    bool const is_unique = (r->call->opts.flags & ORDO_UNIQUE) != 0;
    return (is_unique ? p->results <= passed && (p->results == 0 || p->last == last)
                      : p->results == passed) ||
           refuse(r, "its list of ranges does not fit its runs");
}

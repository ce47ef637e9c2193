/* cmd_bzip2.c - `ordo bzip2`: compresses and decompresses files with the habits of bzip2(1).
 *
 * A result is written to a temporary file, which gets the mode, owner and times of the input and
 * then its name; after that the input is removed. So a file with the final name is always
 * complete. */
#define _GNU_SOURCE

#include "cli/cmd/command.h"
#include "cli/io/tempfile.h"
#include "ordo_bz.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "Examples:\n"
    "  ordo bzip2 notes.txt             # writes notes.txt.bz2 and removes notes.txt\n"
    "  ordo bzip2 -d notes.txt.bz2      # the reverse\n"
    "  ordo bzip2 -k -9 *.log           # keeps the input files\n"
    "  ordo bzip2 -t archive.tar.bz2    # tests a file\n"
    "  tar c folder | ordo bzip2 > folder.tar.bz2\n"
    "  ordo bzip2 -dc folder.tar.bz2 | tar t\n\n"
    "Usage: ordo bzip2 [options] [FILE...]\n"
    "Compresses files as bzip2 does, to the same bytes, and decompresses any bzip2 file, with all\n"
    "threads. Without a FILE, or if FILE is '-', reads stdin and writes stdout. Of -z, -d and -t,\n"
    "and of -1 to -9, the last one counts. The words of the variables BZIP2 and BZIP come before\n"
    "those of the command line.\n\n"
    "Options:\n"
    "  -z, --compress    compress; the default\n"
    "* -d, --decompress  decompress: name.bz2 and name.bz become name, name.tbz2 and name.tbz\n"
    "                    become name.tar, any other name becomes name.out\n"
    "* -t, --test        decompress without output, to find damage\n"
    "* -1 ... -9         compress blocks of 100 kB ... 900 kB; default: 9\n"
    "  --fast, --best    the same as -1 and -9\n"
    "* -c, --stdout      write to stdout; keep the input files\n"
    "* -k, --keep        keep the input files\n"
    "* -f, --force       replace existing files, read symbolic links and files with several "
    "links;\n"
    "                    with -d, copy files that are not compressed\n"
    "  -s, --small       use less memory: one thread unless --threads is given, and blocks of at\n"
    "                    most 200 kB to compress\n"
    "* -q, --quiet       print no warnings\n"
    "* -v, --verbose     print the sizes of each file on stderr\n"
    "  -L, --license, -V, --version\n"
    "                    print the version and the license on stderr\n"
    "  --repetitive-fast, --repetitive-best\n"
    "                    no effect, as in bzip2\n"
    "* --threads N       at most N threads; default: every CPU this process may use\n"
    "  --device D        auto, cpu, or cuda: a GPU sorts the rotations of the blocks to compress,\n"
    "                    and the threads do the rest\n"
    "  --memory-limit S  use at most S bytes of scratch memory, with fewer threads if need be\n"
    "  -h, --help[=all]  print the most used options; all: this text\n\n"
    "Exit status: 0 success, 1 a file was skipped or could not be read or written, 2 a compressed\n"
    "file is damaged, or bad usage.\n";

enum {
    SMALL_LEVEL = 2, /* of --small, as in bzip2 */
    HEAD_BYTES = 4   /* that say whether a file is compressed */
};

typedef enum bzip2_mode {
    MODE_COMPRESS = 1, /* or 0: not given */
    MODE_DECOMPRESS,
    MODE_TEST
} bzip2_mode;

typedef struct job { /* one file */
    execution  *e;
    const char *path;             /* NULL: stdin */
    char        target[PATH_MAX]; /* "": none */
    int         in, out;
    struct stat status;
    tempfile    temp;
    uint8_t     head[HEAD_BYTES]; /* of the input, if it may be copied; else there are no bytes */
    size_t      head_n, head_at;
} job;

static bool tests(const options *o) { return o->bzip2.mode == MODE_TEST; }

static bool decompresses(const options *o) { return o->bzip2.mode == MODE_DECOMPRESS || tests(o); }

__attribute__((format(printf, 2, 3))) static bool skipped(const job *j, const char *format, ...)
{
    char    why[512];
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    j->e->no = true;
    return cli_fail("bzip2: %s: %s", j->path != NULL ? j->path : "stdin", why);
}

/* ---- Names ---- */

static bool ends_in(const char *name, const char *end)
{
    const size_t n = strlen(name), m = strlen(end);
    return n > m && strcmp(name + n - m, end) == 0;
}

static const struct {
    const char *packed, *plain;
} suffixes[] = {{".bz2", ""}, {".bz", ""}, {".tbz2", ".tar"}, {".tbz", ".tar"}};
#define SUFFIXES (sizeof suffixes / sizeof suffixes[0])

/* A file with one of the suffixes is not compressed again, as in bzip2. */
static bool lacks_suffix(const job *j)
{
    for (size_t i = 0; j->path != NULL && i < SUFFIXES; i++)
        if (ends_in(j->path, suffixes[i].packed))
            return skipped(j, "it already has the suffix %s; rename it to compress it again",
                           suffixes[i].packed);
    return true;
}

static bool find_target(job *j)
{
    const size_t length = strlen(j->path);
    if (length + sizeof ".bz2" > sizeof j->target)
        return skipped(j, "the name has %zu bytes; expected fewer than %zu", length,
                       sizeof j->target - sizeof ".bz2");
    strcpy(j->target, j->path);
    if (!decompresses(&j->e->o)) {
        strcat(j->target, ".bz2");
        return true;
    }
    for (size_t i = 0; i < SUFFIXES; i++) {
        if (!ends_in(j->path, suffixes[i].packed))
            continue;
        strcpy(j->target + length - strlen(suffixes[i].packed), suffixes[i].plain);
        return true;
    }
    strcat(j->target, ".out");
    if (!j->e->o.bzip2.quiet)
        cli_error("bzip2: %s: no known suffix; the output is %s", j->path, j->target);
    return true;
}

/* ---- Opening ---- */

static bool open_input(job *j)
{
    const bzip2_flags *const f = &j->e->o.bzip2;
    const bool               replaces = !f->to_stdout && !tests(&j->e->o);

    if (j->path == NULL) {
        j->in = STDIN_FILENO;
        return !decompresses(&j->e->o) || !isatty(j->in) ||
               skipped(j, "compressed data are not read from a terminal; give a file");
    }
    j->in = open(j->path, O_RDONLY | O_CLOEXEC | (f->force || !replaces ? 0 : O_NOFOLLOW));
    if (j->in < 0 && errno == ELOOP)
        return skipped(j, "it is a symbolic link; -f follows it");
    if (j->in < 0 || fstat(j->in, &j->status) != 0)
        return skipped(j, "cannot open: %s", strerror(errno));
    if (S_ISDIR(j->status.st_mode))
        return skipped(j, "it is a folder; expected a file");
    if (replaces && !S_ISREG(j->status.st_mode))
        return skipped(j, "it is not a regular file; -c writes the result to stdout");
    if (replaces && !f->force && j->status.st_nlink > 1)
        return skipped(j, "it has %lu other links; -f goes on nevertheless",
                       (unsigned long)j->status.st_nlink - 1);
    return true;
}

static bool open_target(job *j)
{
    const bzip2_flags *const f = &j->e->o.bzip2;
    struct stat              there;

    if (tests(&j->e->o))
        return true;
    if (!decompresses(&j->e->o) && !lacks_suffix(j))
        return false;
    if (f->to_stdout || j->path == NULL) {
        j->out = STDOUT_FILENO;
        progress_output();
        return decompresses(&j->e->o) || !isatty(j->out) ||
               skipped(j, "compressed data are not written to a terminal; redirect stdout");
    }
    if (!find_target(j))
        return false;
    if (!f->force && lstat(j->target, &there) == 0)
        return skipped(j, "%s exists; -f replaces it", j->target);
    temp_sweep(j->target);
    if (!temp_create(&j->temp, j->target, 0600))
        return skipped(j, "cannot write %s: %s", j->target, strerror(errno));
    j->out = j->temp.fd;
    return true;
}

/* ---- Finishing ---- */

/* The owner may be another one; then bits that give its rights to others are dropped. */
static void copy_status(const job *j)
{
    const struct timespec times[2] = {j->status.st_atim, j->status.st_mtim};
    const bool            owned = fchown(j->out, j->status.st_uid, j->status.st_gid) == 0;
    (void)fchmod(j->out, j->status.st_mode & (owned ? 07777 : 0777));
    (void)futimens(j->out, times);
}

static bool give_name(job *j)
{
    bool copied;
    if (!j->e->o.bzip2.force)
        return temp_link_as(&j->temp, j->target);
    if (!temp_link(&j->temp, &copied))
        return false;
    j->out = j->temp.fd;
    if (copied)
        copy_status(j);
    return temp_rename(&j->temp, j->target);
}

static bool finish(job *j)
{
    if (j->temp.fd < 0)
        return true;
    copy_status(j);
    if (fsync(j->out) != 0 && errno != EINVAL)
        return skipped(j, "cannot write %s: %s", j->target, strerror(errno));
    if (!give_name(j))
        return skipped(j, "cannot write %s: %s", j->target, strerror(errno));
    return j->e->o.bzip2.keep || unlink(j->path) == 0 ||
           skipped(j, "%s is complete, but the input cannot be removed: %s", j->target,
                   strerror(errno));
}

static void print_sizes(const job *j, const ordo_bz_report *r)
{
    const bool   unpacks = decompresses(&j->e->o);
    const double plain = (double)(unpacks ? r->out : r->in);
    const double packed = (double)(unpacks ? r->in : r->out);
    const char  *name = j->path != NULL ? j->path : "stdin";
    if (tests(&j->e->o))
        cli_line(stderr, "%s: ok", name);
    else if (plain == 0)
        cli_line(stderr, "%s: no data", name);
    else
        cli_line(stderr, "%s: %.3f:1, %.3f bits/byte, %.2f%% saved, %llu in, %llu out", name,
                 plain / packed, 8 * packed / plain, 100 * (1 - packed / plain),
                 (unsigned long long)r->in, (unsigned long long)r->out);
}

/* For --explain: what sorted the rotations. */
static void print_sorter(const ordo_bz_report *r)
{
    progress_hide();
    if (r->batch != 0)
        fprintf(stderr, "sorter     GPU, %llu block%s per batch\n", (unsigned long long)r->batch,
                r->batch > 1 ? "s" : "");
    else
        fprintf(stderr, "sorter     CPU\n");
}

/* ---- Files that are not compressed ---- */

static ssize_t read_some(int fd, void *into, size_t bytes)
{
    ssize_t got;
    do
        got = read(fd, into, bytes);
    while (got < 0 && errno == EINTR);
    return got;
}

/* A source: the head, then the rest of the input. */
static ptrdiff_t read_after_head(void *user, void *into, size_t bytes)
{
    job *const   j = user;
    const size_t left = j->head_n - j->head_at, now = left < bytes ? left : bytes;
    if (now == 0)
        return read_some(j->in, into, bytes);
    memcpy(into, j->head + j->head_at, now);
    j->head_at += now;
    return (ptrdiff_t)now;
}

/* Whether -d -f copies the input: its first bytes are not those of a compressed file. A file that
 * ends in these bytes is a truncated one. */
static bool is_plain(job *j)
{
    static const char magic[] = "BZh";
    ssize_t           got = 1;
    while (j->head_n < HEAD_BYTES && got > 0) {
        got = read_some(j->in, j->head + j->head_n, HEAD_BYTES - j->head_n);
        j->head_n += got > 0 ? (size_t)got : 0;
    }
    for (size_t i = 0; i < j->head_n && i < sizeof magic - 1; i++)
        if (j->head[i] != (uint8_t)magic[i])
            return true;
    return j->head_n == HEAD_BYTES && (j->head[3] < '1' || j->head[3] > '9');
}

static bool copy_input(job *j)
{
    static char bytes[1 << 16];
    for (ptrdiff_t got; (got = read_after_head(j, bytes, sizeof bytes)) != 0;) {
        if (got < 0)
            return skipped(j, "cannot read: %s", strerror(errno));
        if (!spool_write(j->out, bytes, (size_t)got))
            return skipped(j, "cannot write %s: %s", j->target[0] != '\0' ? j->target : "stdout",
                           strerror(errno));
    }
    if (j->e->o.bzip2.verbose)
        cli_line(stderr, "%s: not compressed, copied", j->path != NULL ? j->path : "stdin");
    return true;
}

/* ---- One file ---- */

/* Returns whether the data are damaged, after a message. */
static bool run(job *j, bool *done)
{
    const options *const o = &j->e->o;
    const ordo_source    from =
        ORDO_OPTS(ordo_source, .fd = j->in, .read = j->head_n > 0 ? read_after_head : NULL,
                  .user = j, .bytes = S_ISREG(j->status.st_mode) ? (uint64_t)j->status.st_size : 0,
                  .name = j->path != NULL ? j->path : "stdin");
    const ordo_sink to =
        ORDO_OPTS(ordo_sink, .fd = j->out, .name = j->target[0] != '\0' ? j->target : "stdout");
    ordo_bz_report report = {.struct_size = sizeof report};
    ordo_bz_opts   opts =
        ORDO_OPTS(ordo_bz_opts, .level = o->bzip2.level != 0 ? (uint32_t)o->bzip2.level : 9);

    if (o->bzip2.small && opts.level > SMALL_LEVEL)
        opts.level = SMALL_LEVEL;
    call_begin(decompresses(o) ? "decompressing" : "compressing");
    const ordo_status status =
        decompresses(o)
            ? ordo_bz_decompress_stream(j->e->ctx, &from, tests(o) ? NULL : &to, &opts, &report)
            : ordo_bz_compress_stream(j->e->ctx, &from, &to, &opts, &report);
    *done = call_end(status);
    if (!*done) {
        j->e->no |= status != ORDO_E_ARG;
        return status == ORDO_E_ARG;
    }
    if (report.trailing != 0 && !o->bzip2.quiet)
        cli_error("bzip2: %s: bytes after the end of the compressed data are ignored", from.name);
    if (o->bzip2.verbose)
        print_sizes(j, &report);
    if (o->common.explain && !decompresses(o))
        print_sorter(&report);
    return false;
}

static bool do_file(execution *e, const char *path)
{
    const bool stdin_named = source_is_stdin(path);
    job        j = {.e = e, .path = stdin_named ? NULL : path, .in = -1, .out = -1, .temp.fd = -1};
    bool       damaged = false, done = false;

    if (open_input(&j) && open_target(&j)) {
        if (e->o.bzip2.mode == MODE_DECOMPRESS && e->o.bzip2.force && is_plain(&j))
            done = copy_input(&j);
        else
            damaged = run(&j, &done);
        if (done)
            (void)finish(&j);
    }
    if (j.in >= 0 && j.path != NULL)
        close(j.in);
    temp_drop(&j.temp);
    return !damaged;
}

static bool print_version(void)
{
    fprintf(stderr,
            "ordo bzip2, version %s: compresses to the bytes of bzip2 1.0.8.\n"
            "Copyright (c) 2026 the ordo authors. MIT License: free to use, change and\n"
            "redistribute, without any warranty.\n",
            ordo_version());
    return true;
}

static bool work(execution *e)
{
    bool ok = true;
    if (e->o.bzip2.version)
        return print_version();
    if (e->o.bzip2.repetitive && !e->o.bzip2.quiet)
        cli_error("bzip2: --repetitive-fast and --repetitive-best have no effect");
    for (size_t i = 0; i < e->path_count; i++)
        ok = do_file(e, e->paths[i]) && ok;
    return ok;
}

#define LEVEL(digit, letter) SETS(digit, letter, bzip2.level, (letter) - '0')
static const option_spec specs[] = {SETS("compress", 'z', bzip2.mode, MODE_COMPRESS),
                                    SETS("decompress", 'd', bzip2.mode, MODE_DECOMPRESS),
                                    SETS("test", 't', bzip2.mode, MODE_TEST),
                                    LETTER("stdout", 'c', bzip2.to_stdout),
                                    LETTER("keep", 'k', bzip2.keep),
                                    LETTER("force", 'f', bzip2.force),
                                    LETTER("small", 's', bzip2.small),
                                    LETTER("quiet", 'q', bzip2.quiet),
                                    LETTER("verbose", 'v', bzip2.verbose),
                                    LETTER("license", 'L', bzip2.version),
                                    LETTER("version", 'V', bzip2.version),
                                    FLAG("repetitive-fast", bzip2.repetitive),
                                    FLAG("repetitive-best", bzip2.repetitive),
                                    SETS("fast", 0, bzip2.level, 1),
                                    SETS("best", 0, bzip2.level, 9),
                                    LEVEL("1", '1'),
                                    LEVEL("2", '2'),
                                    LEVEL("3", '3'),
                                    LEVEL("4", '4'),
                                    LEVEL("5", '5'),
                                    LEVEL("6", '6'),
                                    LEVEL("7", '7'),
                                    LEVEL("8", '8'),
                                    LEVEL("9", '9'),
                                    COMMON_OPTIONS};

const command command_bzip2 = {"bzip2", help, specs, MANY_FILES | BZIP2_WORDS, 0, NULL, work};

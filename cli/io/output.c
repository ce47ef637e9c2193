/* output.c - makes the output final, all or nothing (see output.h). What is written to it:
 * output_write.c. */
#define _GNU_SOURCE /* fallocate */

#include "cli/io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST_LINKS = 40 /* symbolic links followed, as many as Linux follows */
};

static const char saved_suffix[] = ".ordo-new";

/* ---- Replacing a file ---- */

/* What the symbolic link `path` names, relative to the same folder as path; NULL with errno. */
static char *link_target(const char *path)
{
    char          text[PATH_MAX];
    const ssize_t length = readlink(path, text, sizeof text - 1);
    if (length < 0)
        return NULL;
    text[length] = '\0';
    if (text[0] == '/')
        return strdup(text);
    char *const joined = temp_folder(path, (size_t)length);
    return joined != NULL ? strcat(joined, text) : NULL;
}

/* The file that path leads to, which need not exist; NULL with errno. */
static char *follow_links(const char *path)
{
    char       *at = strdup(path);
    struct stat st;

    for (int i = 0; at != NULL && lstat(at, &st) == 0 && S_ISLNK(st.st_mode); i++) {
        char *const next = i < MOST_LINKS ? link_target(at) : NULL;
        if (i == MOST_LINKS)
            errno = ELOOP;
        free(at);
        at = next;
    }
    return at;
}

static bool find_target(output *out)
{
    out->target = out->exists ? realpath(out->name, NULL) : follow_links(out->name);
    if (out->target == NULL)
        return output_trouble(out, errno);
    const size_t length = strlen(out->target);
    out->saved = malloc(length + sizeof saved_suffix);
    if (out->saved == NULL)
        return output_trouble(out, ENOMEM);
    memcpy(out->saved, out->target, length);
    memcpy(out->saved + length, saved_suffix, sizeof saved_suffix);
    return access(out->saved, F_OK) != 0 ||
           cli_fail("%s: %s exists: an earlier ordo was killed while it overwrote %s; %s holds its "
                    "complete result: move it to %s, or remove it",
                    out->name, out->saved, out->name, out->saved, out->name);
}

/* For a regular file, or a name that does not exist. */
static bool open_replacement(output *out, const char *path)
{
    out->replaces = true;
    if (!out->exists && errno != ENOENT)
        return output_trouble(out, errno);
    if (out->exists && access(path, W_OK) != 0 && cli_is_sort())
        return output_trouble(out, errno);
    if (out->exists && access(path, W_OK) != 0)
        return cli_fail("%s: cannot write: %s; make the file writable or name another one", path,
                        strerror(errno));
    if (!find_target(out))
        return false;
    temp_sweep(out->target);
    if (temp_create(&out->temp, out->target, out->exists ? 0600 : 0666)) {
        out->fd = out->temp.fd;
        return true;
    }
    const int error = errno;
    if (cli_is_sort())
        return output_trouble(out, error);
    return cli_fail("%s: cannot create a temporary file in its folder: %s%s", path, strerror(error),
                    error == ENOENT ? "; create the folder first"
                                    : "; write to a folder that you may change, or to stdout");
}

bool output_keep(output *out, const char *name)
{
    temp_drop(&out->temp);
    out->fd = -1;
    if (temp_open_kept(&out->temp, out->target, name, out->exists ? 0600 : 0666)) {
        out->fd = out->temp.fd;
        return true;
    }
    const int error = errno;
    return cli_fail("%s: cannot open %s in its folder, which holds the finished part: %s%s",
                    out->name, name, strerror(error),
                    error == EBUSY    ? "; wait for the other ordo that uses it"
                    : error == EEXIST ? "; remove it"
                                      : "");
}

/* Makes the names in the folder of path durable, where the file system can do that. */
static void sync_folder(const char *path)
{
    char *const folder = temp_folder(path, 1);
    if (folder == NULL)
        return;
    if (folder[0] == '\0')
        strcpy(folder, ".");
    const int fd = open(folder, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
    free(folder);
}

/* Allocates the blocks for `size` bytes before anything is overwritten. */
static bool reserve(int fd, off_t size, off_t old_size)
{
    if (size == 0 || fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, size) == 0 ||
        (errno != ENOSPC && errno != EDQUOT && errno != EFBIG))
        return true;
    const int error = errno;
    (void)!ftruncate(fd, old_size); /* frees the blocks again */
    errno = error;
    return false;
}

/* Called with out->saved in place and signals held. *damaged: the target is neither old nor new. */
static bool overwrite_target(output *out, const struct stat *old, bool *damaged)
{
    struct stat result, opened;
    const int   fd = open(out->target, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    bool        ok = fd >= 0 && fstat(fd, &opened) == 0 && fstat(out->temp.fd, &result) == 0;

    *damaged = false;
    if (ok && (opened.st_ino != old->st_ino || opened.st_dev != old->st_dev)) {
        errno = EBUSY;
        ok = false;
    }
    ok = ok && reserve(fd, result.st_size, opened.st_size);
    if (ok) {
        ok = temp_copy_to(&out->temp, fd) && ftruncate(fd, result.st_size) == 0 && fsync(fd) == 0;
        *damaged = !ok;
    }
    const int error = errno;
    if (fd >= 0)
        close(fd);
    errno = error;
    return ok;
}

/* Overwrites the target, which keeps its inode. */
static bool rewrite_target(output *out, const struct stat *old)
{
    bool damaged = false;

    signals_hold(true);
    bool ok = temp_link_as(&out->temp, out->saved);
    int  error = errno;
    if (ok) {
        sync_folder(out->target);
        ok = overwrite_target(out, old, &damaged);
        error = errno;
        if (!damaged) {
            (void)unlink(out->saved);
            sync_folder(out->target);
        }
    }
    signals_hold(false);
    if (damaged)
        return cli_fail("%s: cannot write: %s; the file is damaged; the complete result is in %s",
                        out->name, strerror(error), out->saved);
    return ok || output_trouble(out, error);
}

/* Renames the temporary file, which has the attributes of the old file if there is one. */
static bool rename_over(output *out, const struct stat *old)
{
    bool copied;

    if (old == NULL && !out->temp.named && temp_link_as(&out->temp, out->target))
        return true;
    if (!temp_link(&out->temp, &copied))
        return output_trouble(out, errno);
    if (copied && old == NULL)
        temp_set_new_mode(&out->temp);
    if (copied && old != NULL && !temp_copy_attributes(&out->temp, out->target, old))
        return rewrite_target(out, old);
    return temp_rename(&out->temp, out->target) || output_trouble(out, errno);
}

static bool replace_target(output *out)
{
    struct stat old;
    const bool  exists = stat(out->target, &old) == 0;

    if (fsync(out->temp.fd) != 0)
        return output_trouble(out, errno);
    const bool rewrite =
        exists && (old.st_nlink > 1 || !temp_copy_attributes(&out->temp, out->target, &old));
    const bool ok = rewrite ? rewrite_target(out, &old) : rename_over(out, exists ? &old : NULL);
    if (ok)
        sync_folder(out->target);
    return ok;
}

/* ---- Opening and closing ---- */

static bool open_file(output *out, const char *path)
{
    struct stat st;

    if (path[0] == '\0' && cli_is_sort())
        return output_trouble(out, ENOENT);
    if (path[0] == '\0')
        return cli_fail("--output: the name of the file is empty");
    out->exists = stat(path, &st) == 0;
    if (out->exists && S_ISDIR(st.st_mode))
        return output_trouble(out, EISDIR);
    if (!out->exists || S_ISREG(st.st_mode))
        return open_replacement(out, path);
    out->fd = open(path, O_WRONLY | O_CLOEXEC);
    return out->fd >= 0 || output_trouble(out, errno);
}

bool output_open(output *out, const char *path, file_format format)
{
    const bool to_stdout =
        path == NULL || strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;

    *out = (output){.name = to_stdout ? "stdout" : path, .fd = -1, .format = format, .temp.fd = -1};
    if (to_stdout && format != FORMAT_TEXT && isatty(STDOUT_FILENO))
        return cli_fail("stdout is a terminal, and binary output would garble it: give -o FILE or "
                        "--format text, or redirect stdout");
    out->buffer = malloc(OUTPUT_BUFFER);
    if (out->buffer == NULL)
        return output_trouble(out, ENOMEM);
    out->pack = to_stdout ? CODEC_NONE : codec_of_name(path);
    if (out->pack != CODEC_NONE && !codec_open(out->pack, path))
        return false;
    if (out->pack != CODEC_NONE && pack_blocks(out->pack) == 0)
        return cli_fail("%s: compressing it by %s takes more than half of the memory limit; leave "
                        "out -S, give a larger one, or write a file that is not compressed",
                        path, codec_name(out->pack));
    if (to_stdout) {
        out->fd = STDOUT_FILENO;
        return true;
    }
    return open_file(out, path);
}

/* For files that are not replaced. */
static bool close_direct(output *out)
{
    const int fd = out->fd;

    out->fd = -1;
    return close(fd) == 0 || output_trouble(out, errno);
}

bool output_commit(output *out)
{
    const bool ok = output_flush(out) && (out->replaces ? replace_target(out) : close_direct(out));
    if (ok)
        output_abandon(out);
    return ok;
}

void output_abandon(output *out)
{
    (void)output_reserve_end(out);
    if (out->replaces)
        temp_drop(&out->temp);
    else if (out->fd >= 0 && out->fd != STDOUT_FILENO)
        close(out->fd);
    free(out->target);
    free(out->saved);
    free(out->buffer);
    free(out->packing);
    *out = (output){.fd = -1};
}

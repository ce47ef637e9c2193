/* output.c - writing an array, all or nothing (see output.h).
 *
 * Small pieces go through one buffer, large ones straight to write(). Signals are held while the
 * temporary file is made and while it is renamed, so that a signal always finds its name. */
#define _XOPEN_SOURCE 700 /* realpath, mkstemp */

#include "cli/io/output.h"

#include "cli/io/npy.h"
#include "cli/ui/progress.h"
#include "cli/ui/session.h"
#include "cli/io/textnum.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BUFFER_SIZE = 1 << 18,
    WRITE_CHUNK = 16 << 20,
    LINES_PER_TICK = 1 << 16
};

static bool fail(const char *name, const char *what, int error)
{
    cli_error("%s: %s: %s", name, what, strerror(error));
    return false;
}

static bool write_all(output *out, const char *data, size_t length, bool tick)
{
    for (size_t done = 0; done < length;) {
        const size_t  left = length - done;
        const ssize_t wrote = write(out->fd, data + done, left < WRITE_CHUNK ? left : WRITE_CHUNK);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0)
            return fail(out->name, "cannot write", errno);
        done += (size_t)wrote;
        if (tick)
            progress_at((double)done / (double)length);
    }
    return true;
}

static bool flush_buffer(output *out)
{
    const size_t used = out->used;
    out->used = 0;
    return write_all(out, out->buffer, used, false);
}

bool output_bytes(output *out, const void *data, size_t length)
{
    if (length > BUFFER_SIZE - out->used && !flush_buffer(out))
        return false;
    if (length >= BUFFER_SIZE)
        return write_all(out, data, length, true);
    if (length > 0)
        memcpy(out->buffer + out->used, data, length);
    out->used += length;
    return true;
}

bool output_line(output *out, const char *line, size_t length)
{
    return output_bytes(out, line, length) && output_bytes(out, "\n", 1);
}

static bool write_text(output *out, ordo_type type, const void *data, size_t n)
{
    const char  *value = data;
    const size_t size = ordo_type_size(type);

    for (size_t i = 0; i < n; i++, value += size) {
        if (BUFFER_SIZE - out->used < NUMBER_TEXT_MAX + 1 && !flush_buffer(out))
            return false;
        out->used += number_format(type, value, out->buffer + out->used);
        out->buffer[out->used++] = '\n';
        if (i % LINES_PER_TICK == 0)
            progress_at((double)i / (double)n);
    }
    return true;
}

bool output_array(output *out, ordo_type type, const void *data, size_t n)
{
    bool ok = true;

    progress_start("writing");
    if (out->format == FORMAT_TEXT) {
        ok = write_text(out, type, data, n);
    } else {
        char header[NPY_HEADER_MAX];
        if (out->format == FORMAT_NPY)
            ok = output_bytes(out, header, npy_write_header(type, n, header));
        ok = ok && output_bytes(out, data, n * ordo_type_size(type));
    }
    progress_end();
    return ok;
}

/* The directory of path with a slash behind it, in fresh memory with `room` bytes more. */
static char *directory_of(const char *path, size_t room)
{
    const char *const slash = strrchr(path, '/');
    const size_t      length = slash != NULL ? (size_t)(slash - path) + 1 : 0;
    char *const       directory = malloc(length + room + 1);
    if (directory != NULL) {
        memcpy(directory, path, length);
        directory[length] = '\0';
    }
    return directory;
}

/* The mode of the file to be replaced, or that of a new file. */
static mode_t wanted_mode(const struct stat *old)
{
    if (old != NULL)
        return old->st_mode & 0777;
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Creates the temporary file beside out->target. */
static bool open_temp(output *out, const struct stat *old)
{
    static const char name[] = ".ordo-XXXXXX";

    char *const temp = directory_of(out->target, sizeof name);
    if (temp == NULL)
        return fail(out->name, "cannot write", ENOMEM);
    strcat(temp, name);
    session_hold_signals(true);
    out->fd = mkstemp(temp);
    const int error = errno;
    if (out->fd >= 0)
        session_set_temp(temp);
    session_hold_signals(false);
    if (out->fd < 0) {
        free(temp);
        return fail(out->name, "cannot create a file beside it", error);
    }
    out->temp = temp;
    if (fchmod(out->fd, wanted_mode(old)) != 0)
        return fail(out->name, "cannot set its mode", errno);
    return true;
}

static bool open_file(output *out, const char *path)
{
    struct stat st;
    const bool  exists = stat(path, &st) == 0;

    if (path[0] == '\0') {
        cli_error("--output: the name of the file is empty");
        return false;
    }
    if (!exists && errno != ENOENT)
        return fail(path, "cannot write", errno);
    if (exists && S_ISDIR(st.st_mode))
        return fail(path, "cannot write", EISDIR);
    if (exists && !S_ISREG(st.st_mode)) {
        out->fd = open(path, O_WRONLY | O_CLOEXEC);
        return out->fd >= 0 || fail(path, "cannot write", errno);
    }
    if (exists && access(path, W_OK) != 0)
        return fail(path, "cannot write", errno);
    out->target = exists ? realpath(path, NULL) : strdup(path); /* a link stays a link */
    if (out->target == NULL)
        return fail(path, "cannot write", errno);
    return open_temp(out, exists ? &st : NULL);
}

bool output_open(output *out, const char *path, file_format format)
{
    const bool to_stdout = path == NULL || strcmp(path, "-") == 0;

    *out = (output){.name = to_stdout ? "stdout" : path, .fd = -1, .format = format};
    if (to_stdout && format != FORMAT_TEXT && isatty(STDOUT_FILENO)) {
        cli_error("stdout is a terminal: binary output would garble it; give -o FILE, "
                  "--format text or redirect it");
        return false;
    }
    out->buffer = malloc(BUFFER_SIZE);
    if (out->buffer == NULL)
        return fail(out->name, "cannot write", ENOMEM);
    if (to_stdout) {
        out->fd = STDOUT_FILENO;
        return true;
    }
    return open_file(out, path);
}

/* A rename is on disk when its directory is; file systems that cannot say so are left alone. */
static void sync_directory(const char *path)
{
    char *const directory = directory_of(path, 1);
    if (directory == NULL)
        return;
    if (directory[0] == '\0')
        strcpy(directory, ".");
    const int fd = open(directory, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
    free(directory);
}

static bool replace_target(output *out)
{
    session_hold_signals(true);
    const bool renamed = rename(out->temp, out->target) == 0;
    const int  error = errno;
    if (renamed)
        session_set_temp(NULL);
    session_hold_signals(false);
    if (!renamed)
        return fail(out->name, "cannot replace it", error);
    free(out->temp);
    out->temp = NULL;
    sync_directory(out->target);
    return true;
}

bool output_commit(output *out)
{
    if (!flush_buffer(out))
        return false;
    if (out->temp != NULL && fsync(out->fd) != 0)
        return fail(out->name, "cannot write", errno);
    const int fd = out->fd;
    out->fd = -1;
    if (close(fd) != 0)
        return fail(out->name, "cannot write", errno);
    const bool ok = out->temp == NULL || replace_target(out);
    if (ok)
        output_abandon(out);
    return ok;
}

void output_abandon(output *out)
{
    if (out->fd >= 0 && out->fd != STDOUT_FILENO)
        close(out->fd);
    if (out->temp != NULL) {
        session_hold_signals(true);
        unlink(out->temp);
        session_set_temp(NULL);
        session_hold_signals(false);
    }
    free(out->temp);
    free(out->target);
    free(out->buffer);
    *out = (output){.fd = -1};
}

/* output.c - writing an array, all or nothing (see output.h). Small pieces go through one buffer,
 * large ones directly to write(). */
#define _POSIX_C_SOURCE 200809L

#include "cli/io/output.h"

#include "cli/io/npy.h"
#include "cli/io/number.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BUFFER_SIZE = 1 << 18,
    WRITE_CHUNK = 16 << 20
};

static bool trouble(const output *out, int error)
{
    return replace_trouble(out->name, error, out->replaces && out->file.exists);
}

static bool write_all(output *out, const char *data, size_t length, bool tick)
{
    for (size_t done = 0; done < length;) {
        const size_t  left = length - done;
        const ssize_t wrote = write(out->fd, data + done, left < WRITE_CHUNK ? left : WRITE_CHUNK);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0)
            return trouble(out, errno);
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
        progress_count(i, n);
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

static bool open_file(output *out, const char *path)
{
    struct stat st;

    if (path[0] == '\0')
        return cli_fail("--output: the name of the file is empty");
    const bool exists = stat(path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode))
        return cli_fail("%s: cannot write: %s", path, strerror(EISDIR));
    if (exists && !S_ISREG(st.st_mode)) {
        out->fd = open(path, O_WRONLY | O_CLOEXEC);
        return out->fd >= 0 || replace_trouble(path, errno, false);
    }
    out->replaces = true;
    const bool ok = replace_open(&out->file, path);
    out->fd = out->file.temp.fd;
    return ok;
}

bool output_open(output *out, const char *path, file_format format)
{
    const bool to_stdout =
        path == NULL || strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;

    *out = (output){.name = to_stdout ? "stdout" : path, .fd = -1, .format = format};
    if (to_stdout && format != FORMAT_TEXT && isatty(STDOUT_FILENO))
        return cli_fail("stdout is a terminal, and binary output would garble it: give -o FILE or "
                        "--format text, or redirect stdout");
    out->buffer = malloc(BUFFER_SIZE);
    if (out->buffer == NULL)
        return trouble(out, ENOMEM);
    if (to_stdout) {
        out->fd = STDOUT_FILENO;
        return true;
    }
    return open_file(out, path);
}

/* For files that are not replaced: replace_commit() closes the descriptor of those. */
static bool close_direct(output *out)
{
    const int fd = out->fd;

    out->fd = -1;
    return close(fd) == 0 || trouble(out, errno);
}

bool output_commit(output *out)
{
    const bool ok =
        flush_buffer(out) && (out->replaces ? replace_commit(&out->file) : close_direct(out));
    if (ok)
        output_abandon(out);
    return ok;
}

void output_abandon(output *out)
{
    if (out->replaces)
        replace_abandon(&out->file);
    else if (out->fd >= 0 && out->fd != STDOUT_FILENO)
        close(out->fd);
    free(out->buffer);
    *out = (output){.fd = -1};
}

/* tempfile.h - temporary files that a killed run does not leave behind for good.
 *
 * Where the file system has O_TMPFILE, the file has no name until temp_link() gives it one, and the
 * system frees it when the process dies. Elsewhere, and after temp_link(), it is called
 * .ordo-tmp-N. Its creator holds flock() on it for as long as it runs. temp_sweep() removes files
 * of that name on which nobody holds that lock: their creators are dead. */
#ifndef ORDO_CLI_IO_TEMPFILE_H
#define ORDO_CLI_IO_TEMPFILE_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct tempfile {
    int   fd;    /* read and write; -1: none                                           */
    char *path;  /* memory for its name, used by signal handlers; NULL: none           */
    bool  named; /* path is the name of the file                                       */
} tempfile;

/* The directory of path with a slash behind it ("" if path has none), in fresh memory with `room`
 * bytes more. NULL: no memory. */
char *temp_directory(const char *path, size_t room);

/* Removes what dead runs of this user left beside `beside`. Finds the first names and those that
 * follow without a gap; names that it cannot lock stay. */
void temp_sweep(const char *beside);

/* Makes an empty file in the directory of `beside`. On failure errno says why, and nothing is
 * left to close. */
bool temp_create(tempfile *t, const char *beside, mode_t mode);

/* Gives a nameless file its name; without effect if it has one. Where the system cannot do that,
 * copies it into a file with a name and the permissions 0600: *copied is then set. errno on
 * failure; the file is unchanged then. */
bool temp_link(tempfile *t, bool *copied);

/* Gives the file the name `path`, which must not exist, instead of its own. errno on failure. */
bool temp_link_as(tempfile *t, const char *path);

/* Replaces path by the file, which must have a name and loses it. errno on failure. */
bool temp_rename(tempfile *t, const char *path);

/* Writes the whole file over that of fd, from its beginning. errno on failure. */
bool temp_copy_to(const tempfile *t, int fd);

/* Removes and closes the file. */
void temp_drop(tempfile *t);

#endif

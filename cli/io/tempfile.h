/* tempfile.h - temporary files that do not stay behind when the command is killed.
 *
 * Where the file system has O_TMPFILE, the file has no name until temp_link() gives it one, and the
 * system frees it when the process dies. Elsewhere, and after temp_link(), the file is called
 * .ordo-tmp-N, and its creator holds flock() on it while it lives. temp_sweep() removes files of
 * that name that are not locked: their creators are dead. */
#ifndef ORDO_CLI_IO_TEMPFILE_H
#define ORDO_CLI_IO_TEMPFILE_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tempfile {
    int   fd;    /* read and write; -1: none                                           */
    char *path;  /* memory for its name, used by signal handlers; NULL: none           */
    bool  named; /* path is the name of the file                                       */
    bool  kept;  /* the file stays if the command fails or dies                        */
} tempfile;

/* The folder of path with a slash at the end ("" if path has none), to be freed, with room for
 * `room` more bytes. NULL: no memory. */
char *temp_folder(const char *path, size_t room);

/* Removes the files that dead processes of this user left in the folder of `beside`. Tries the
 * first names and those that follow without a gap; leaves files that it cannot lock. */
void temp_sweep(const char *beside);

/* Removes the file `path` if it belongs to this user and no process holds flock() on it. False if
 * there is no such file. */
bool temp_remove_dead(const char *path);

/* Creates an empty file in the folder of `beside`. On failure sets errno, and nothing is left to
 * close. */
bool temp_create(tempfile *t, const char *beside, mode_t mode);

/* The same with a name; errno is EEXIST if there is such a file. */
bool temp_create_as(tempfile *t, const char *path, mode_t mode);

/* Opens the file `name` in the folder of `beside`, or creates it, and locks it. It stays if the
 * command fails or dies, until temp_keep(t, false). On failure sets errno: EBUSY if another process
 * uses it, EEXIST if it is no regular file of this user. Nothing is left to close then. */
bool temp_open_kept(tempfile *t, const char *beside, const char *name, mode_t mode);
void temp_keep(tempfile *t, bool keep);

/* Gives a nameless file a name; does nothing if it has one. Where the system cannot do that, copies
 * it to a named file of mode 0600 and sets *copied. On failure sets errno and changes nothing. */
bool temp_link(tempfile *t, bool *copied);

/* Makes `path`, which must not exist, the only name of the file. Sets errno on failure. */
bool temp_link_as(tempfile *t, const char *path);

/* Renames the file, which must have a name, over `path`. Sets errno on failure. */
bool temp_rename(tempfile *t, const char *path);

/* Writes the whole file to fd, from its beginning. Sets errno on failure. */
bool temp_copy_to(const tempfile *t, int fd);

/* Gives the file the owner, group, mode, access control list, user attributes and security label of
 * the file `path`, whose status is *old. False if any of them but the label cannot be set; the file
 * then has some of them. */
bool temp_copy_attributes(tempfile *t, const char *path, const struct stat *old);

/* Gives a file of mode 0600 the mode of a new file. */
void temp_set_new_mode(tempfile *t);

/* Removes and closes the file. */
void temp_drop(tempfile *t);

/* ---- Temporary files without a name, which are written and then read ---- */

/* Where they are: `asked` if it is not NULL, otherwise $TMPDIR or the system's folder. */
const char *spool_folder(const char *asked);

/* Opens an empty one in this folder, to write and read. -1 after a failure, which sets errno. */
int spool_open(const char *folder);

/* Appends bytes; reads bytes from a place on. False after a failure, which sets errno. */
bool spool_write(int fd, const void *bytes, size_t n);
bool spool_read(int fd, uint64_t at, void *into, size_t n);

#endif

/* replace.h - a file that gets new contents as a whole, or stays as it was.
 *
 * The new contents are written to a temporary file in the same directory. replace_commit() flushes
 * it to disk and renames it to the target. Symbolic links are followed: the file that they name is
 * created or replaced. The new file has the mode, owner, group, access control list and user
 * attributes of the old one.
 *
 * A file with several hard links, or whose owner or group this process may not set, keeps its
 * identity instead: the complete result is linked as TARGET.ordo-new, the target is overwritten in
 * place with all signals held, and TARGET.ordo-new is removed. A crash in between leaves the
 * complete result in TARGET.ordo-new; replace_open() refuses to go on while that file exists.
 *
 * Every function prints its own message on failure. After one, or instead of replace_commit(), call
 * replace_abandon(). */
#ifndef ORDO_CLI_IO_REPLACE_H
#define ORDO_CLI_IO_REPLACE_H

#include "cli/io/tempfile.h"

typedef struct replacement {
    const char *name;   /* as given, for messages                                     */
    char       *target; /* the same after symbolic links                              */
    char       *saved;  /* TARGET.ordo-new                                            */
    bool        exists; /* the target did when it was opened                          */
    tempfile    temp;   /* temp.fd takes the contents                                 */
} replacement;

/* path must not exist or be a regular file. It is used, not copied. */
bool replace_open(replacement *r, const char *path);
bool replace_commit(replacement *r);
void replace_abandon(replacement *r);

/* Prints that `name` cannot be written, why, whether it is `unchanged`, and what to do. Returns
 * false. */
bool replace_trouble(const char *name, int error, bool unchanged);

#endif

/* fileattrs.h - what a file has besides its contents, given to the file that replaces it. */
#ifndef ORDO_CLI_IO_FILEATTRS_H
#define ORDO_CLI_IO_FILEATTRS_H

#include <stdbool.h>
#include <sys/stat.h>

/* Gives fd the owner, group, mode, access control list, user attributes and security label of the
 * file `path`, whose status is *old. False if owner, group, mode, list or a user attribute cannot
 * be set; fd then has some of them. */
bool fileattrs_copy_all(int fd, const char *path, const struct stat *old);

/* Gives fd, a file of mode 0600, the mode of a new file. */
void fileattrs_of_new(int fd);

#endif

/* output.h - a whole array to a file or stdout, all or nothing.
 *
 * A regular file gets new contents as a whole or stays as it was. They are written to a temporary
 * file in the same folder; output_commit() flushes it to disk and renames it to the target.
 * Symbolic links are followed. The new file has the mode, owner, group, access control list and
 * user attributes of the old one.
 *
 * A file with several hard links, or whose owner or group this process may not set, keeps its
 * inode instead: the complete result is linked as TARGET.ordo-new, the target is overwritten in
 * place with all signals held, and TARGET.ordo-new is removed. A crash in between leaves the
 * complete result in TARGET.ordo-new; output_open() refuses to go on while that file exists.
 *
 * A file whose name ends in .gz, .zst, .xz or .bz2 is compressed. Any other file than a regular one
 * (a pipe, /dev/null) is written directly. Every function prints a message on
 * failure; then, or instead of output_commit(), call output_abandon(). */
#ifndef ORDO_CLI_IO_OUTPUT_H
#define ORDO_CLI_IO_OUTPUT_H

#include "cli/base/cli.h"
#include "cli/base/workers.h"
#include "cli/io/packed/codec.h"
#include "cli/io/tempfile.h"

enum {
    OUTPUT_BUFFER = 1 << 18 /* bytes of output.buffer */
};

typedef struct output_reserved output_reserved;

typedef struct output {
    const char      *name;   /* for messages                                       */
    int              fd;     /* -1: closed                                         */
    file_format      format; /* never AUTO                                         */
    char            *buffer;
    size_t           used;
    codec            pack;    /* compressed as the name of the file says           */
    char            *packing; /* bytes that wait to be compressed; NULL: none      */
    size_t           packing_used;
    bool             packed;   /* a block has been compressed                             */
    size_t           behind;   /* bytes written that the disk was not told to write       */
    bool             replaces; /* a regular file: fd is temp.fd                    */
    bool             exists;   /* the target did when it was opened                */
    char            *target;   /* its path after symbolic links                    */
    char            *saved;    /* TARGET.ordo-new                                  */
    tempfile         temp;
    output_reserved *reserved; /* NULL: nothing                                     */
} output;

/* path NULL, "-" or "/dev/stdout" is stdout; other paths are not copied. Refuses to write binary
 * formats to a terminal. */
bool output_open(output *out, const char *path, file_format format);

/* Writes the array in the format of the output. */
bool output_array(output *out, ordo_type type, const void *data, size_t n);

/* Loads a number in another way, or leaves it out (false). Several threads call it. */
typedef bool (*output_load)(const void *user, const void *number, uint64_t *loaded);

/* Writes numbers as lines, each as `load` loads it (NULL: as it is). Several threads format. */
bool output_text(output *out, ordo_type type, const void *data, size_t n, char line_end,
                 output_load load, const void *user);

/* Writes n blocks, which several threads fill, in order. False if `fill` failed, without a message,
 * or after a message (*told). */
bool output_blocks(output *out, size_t n, ordered_fill fill, void *user, bool *told);

/* Write bytes as they are, or line[0..length) and a newline, through the buffer. */
bool output_bytes(output *out, const void *data, size_t length);
bool output_line(output *out, const char *line, size_t length);

/* Writes a line of two numbers with a blank between them. */
bool output_pair(output *out, ordo_type a_type, const void *a, ordo_type b_type, const void *b);

/* For a regular file, before anything is written: what is written goes to the file `name` in the
 * same folder, which stays if the command fails or dies (see temp_open_kept()). Its bytes so far
 * are those of an earlier command. */
bool output_keep(output *out, const char *name);

/* A part of a file in memory that several threads write. */
typedef struct output_mapping {
    char  *to;   /* where its bytes go; NULL: there is none */
    char  *base; /* the mapping, from the beginning of a page on */
    size_t bytes, mapped;
} output_mapping;

/* For a file in a file system in memory that will have exactly `bytes` bytes: begins to allocate
 * them on a thread of its own. Does nothing for other outputs. */
void output_reserve(output *out, size_t bytes);

/* Maps the next `bytes` bytes of the output. map->to is NULL if the output is not a file in memory,
 * or too small: use output_bytes() then. False after a message. */
bool output_map(output *out, size_t bytes, output_mapping *map);
bool output_unmap(output *out, const output_mapping *map);

/* Waits for output_reserve(); returns 0, or the errno of its failure. */
int output_reserve_end(output *out);

/* Writes what is in the buffer; with `pack`, ends the compressed data. */
bool output_flush(output *out);

/* Says that writing failed with this errno, and what may help. Returns false. */
bool output_trouble(const output *out, int error);

/* Makes what was written final. */
bool output_commit(output *out);

/* Drops what is not final; does nothing after output_commit(). */
void output_abandon(output *out);

#endif

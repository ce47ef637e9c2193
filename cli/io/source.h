/* source.h - the bytes of a file or of stdin: all of them, or one line after another.
 *
 * A compressed file is recognised by its first bytes and is read as what it holds, unless its name
 * ends in .npy, .bin or .raw: such data may begin with any bytes. Large files are read by several
 * threads.
 *
 * Reading line by line takes bounded memory: the source holds a chunk of the file, the current line
 * and the previous line. */
#ifndef ORDO_CLI_IO_SOURCE_H
#define ORDO_CLI_IO_SOURCE_H

#include "cli/io/packed/codec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct source {
    const char *name; /* for messages: the path, or "stdin"                               */
    int         fd;
    int64_t     start;          /* where the bytes begin in a regular file; -1: it is none   */
    bool        ended;          /* the end of the file has been read                        */
    char        line_end;       /* a newline, unless set after source_open()                */
    size_t      number;         /* of the current line, from 1; 0 before the first          */
    size_t      size, done;     /* bytes of the file (0: not known), and bytes read so far  */
    size_t      left;           /* bytes to read at most; SIZE_MAX unless set after source_open() */
    bool        looked;         /* whether the file is compressed is known                  */
    codec       codec;          /* then: how                                                */
    unpacker   *packed;         /* of a compressed file; NULL: it is not                    */
    char       *block;          /* block[end] is a NUL                                      */
    size_t      capacity, end;  /* bytes of block in use                                    */
    size_t      next, searched; /* start of the next line; no newline between next and here */
    size_t      line, length;   /* the current line, without its newline                    */
    size_t      previous, previous_length;
    bool        is_joined; /* source_open_lines(): the files to come, and whether the last */
    bool        is_open;   /* byte so far is not the end of a line */
    const char *const *more;
    size_t             more_count;
    const char        *option; /* it implies lines, so that .npy files are refused; or NULL */
} source;

typedef enum source_result {
    SOURCE_LINE,
    SOURCE_END,
    SOURCE_FAILED /* after a message */
} source_result;

/* path NULL or "-" is stdin. False after a message; call source_close() in any case. */
bool source_open(source *s, const char *path);
void source_close(source *s);

/* The same for an open file, which source_close() closes. It is not taken for a compressed one. */
bool source_open_fd(source *s, int fd, const char *name);

/* Joins n files to one text: the last line of each gets its end. With an option that implies lines
 * .npy files are refused (option). */
bool source_open_lines(source *s, const char *const *paths, size_t n, char line_end,
                       const char *option);

static inline bool source_is_stdin(const char *path)
{
    return path == NULL || strcmp(path, "-") == 0;
}

/* Sets a limit of all memory, of which what is held of a source may take half. source_allows():
 * whether so many bytes may be held. False after a message. */
void source_limit(uint64_t all);
bool source_allows(const char *name, uint64_t bytes);

/* Bytes of a piece that is read at a time: `usual`, but under a limit at most 1/share of it. */
size_t source_piece_bytes(size_t usual, size_t share);

/* The bytes of all files, NULL and "-" being stdin. UINT64_MAX: one is compressed, or is not a
 * regular file. Files that do not exist count as empty. */
uint64_t source_bytes(const char *const *paths, size_t n);

/* How many lines regular files have that are not compressed; a line may lack its end. */
uint64_t source_lines(const char *const *paths, size_t n, char line_end);

/* Whether one of the files is not a regular file, so that it can be read only once. */
bool source_is_pipe(const char *const *paths, size_t n);

/* What unpack_memory() says of the regular file that needs the most. */
uint64_t source_unpack_memory(const char *const *paths, size_t n);

/* Reads up to `most` bytes, those of the block first. *got == 0 is the end. Not with lines. False
 * after a message. */
bool source_read(source *s, char *out, size_t most, size_t *got);

/* Before the first line: reads until `length` bytes or the whole file are in block[0..end).
 * SIZE_MAX reads the whole file. False after a message. */
bool source_fill(source *s, size_t length);

/* Reads the whole file and returns block, which the caller frees. NULL after a message. */
char *source_take(source *s);

/* Makes room and reads on, so that the bytes from the next line on are at least `least`, or all
 * that are left. Returns how many of them are whole lines. SIZE_MAX after a message. Invalidates
 * the same pointers as source_next(). */
size_t source_piece(source *s, size_t least);

/* Goes over the first `length` bytes of that piece, which are `lines` whole lines. */
void source_skip(source *s, size_t length, size_t lines);

/* Goes to the next line; the current line becomes the previous one. The last line may have no
 * newline. Invalidates the pointers of source_line() and source_previous(). */
source_result source_next(source *s);

/* The current line; the byte after it is readable and is the end of the line or a NUL. */
static inline const char *source_line(const source *s) { return s->block + s->line; }
static inline const char *source_previous(const source *s) { return s->block + s->previous; }

#endif

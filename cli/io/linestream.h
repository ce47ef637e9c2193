/* linestream.h - the lines of a file or of stdin, one after another, in bounded memory.
 *
 * The stream holds a chunk of the file, the current line and the one before it. */
#ifndef ORDO_CLI_IO_LINESTREAM_H
#define ORDO_CLI_IO_LINESTREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct linestream {
    const char *name; /* for messages                                                       */
    int         fd;
    bool        ended;          /* the end of the file has been read                          */
    size_t      number;         /* of the current line, from 1; 0 before the first            */
    size_t      size, done;     /* bytes of the file (0: not known), and those read           */
    char       *block;          /* block[end] is a NUL                                        */
    size_t      capacity, end;  /* bytes of block in use                                      */
    size_t      next, searched; /* where the next line begins, and no newline is before this  */
    size_t      line, length;   /* the current line, without its newline                      */
    size_t      previous, previous_length;
} linestream;

typedef enum linestream_result {
    LINESTREAM_LINE,
    LINESTREAM_END,
    LINESTREAM_FAILED /* after a message */
} linestream_result;

/* path NULL or "-" is stdin. False after a message; linestream_close() is due all the same. */
bool linestream_open(linestream *s, const char *path);
void linestream_close(linestream *s);

/* Makes block[next..end) the current line. */
static inline void linestream_take(linestream *s, size_t end, bool newline)
{
    s->previous = s->line;
    s->previous_length = s->length;
    s->line = s->next;
    s->length = end - s->next;
    s->next = s->searched = end + newline;
    s->number++;
}

/* For linestream_next(): no newline is left in the block. */
linestream_result linestream_next_slowly(linestream *s);

/* Goes to the next line; the current one becomes the previous one. The last line may have no
 * newline. What the pointers below gave before is no longer valid. */
static inline linestream_result linestream_next(linestream *s)
{
    const char *const newline = memchr(s->block + s->searched, '\n', s->end - s->searched);
    if (newline == NULL)
        return linestream_next_slowly(s);
    linestream_take(s, (size_t)(newline - s->block), true);
    return LINESTREAM_LINE;
}

/* The current line; the byte behind it can be read and is a newline or a NUL. */
static inline const char *linestream_line(const linestream *s) { return s->block + s->line; }

static inline const char *linestream_previous(const linestream *s)
{
    return s->block + s->previous;
}

/* Before the first line: reads until `length` bytes or the whole file are in block[0..end).
 * SIZE_MAX reads the whole file. False after a message. */
bool linestream_fill(linestream *s, size_t length);

#endif

/* line_batches.h - writes many lines that lie anywhere in memory, by several threads.
 *
 * A thread takes a batch of lines, finds its size, and copies its lines to a buffer or to the
 * mapped file. Batches are written in order. */
#ifndef ORDO_CLI_IO_TEXT_LINE_BATCHES_H
#define ORDO_CLI_IO_TEXT_LINE_BATCHES_H

#include "cli/io/output.h"

#include <string.h>

enum {
    LINE_CHUNK = 16 /* bytes that line_copy() moves at once */
};

/* memmove() for short lines: copies LINE_CHUNK bytes at a time, up to LINE_CHUNK - 1 behind the
 * line. Both `to` and `from` must have that room, and if they overlap, `to` is at least LINE_CHUNK
 * bytes before `from`. */
static inline void line_copy(char *to, const char *from, size_t size)
{
    size_t at = 0;
    do {
        char chunk[LINE_CHUNK];
        memcpy(chunk, from + at, LINE_CHUNK);
        memcpy(to + at, chunk, LINE_CHUNK);
        at += LINE_CHUNK;
    } while (at < size);
}

typedef struct line_batches {
    size_t n;     /* lines */
    size_t bytes; /* of all of them; used only if space for the output was reserved */
    /* The bytes of lines [first, end) with their ends. */
    size_t (*size)(const void *user, size_t first, size_t end);
    /* Copies them to `to`, and nothing to `stop` or behind it. */
    void (*copy)(const void *user, size_t first, size_t end, char *to, const char *stop);
    const void *user;
} line_batches;

/* Writes the lines. False after a message. */
bool line_batches_write(const line_batches *b, output *out);

#endif

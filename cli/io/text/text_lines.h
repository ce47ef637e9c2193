/* text_lines.h - the lines of a text as an array of byte strings. */
#ifndef ORDO_CLI_IO_TEXT_TEXT_LINES_H
#define ORDO_CLI_IO_TEXT_TEXT_LINES_H

#include "cli/base/workers.h"
#include "cli/io/output.h"

#include <string.h>

typedef struct lines {
    const char *name; /* for messages                                                         */
    size_t      n;
    char       *bytes;    /* line i is bytes[offsets[i] .. offsets[i + 1]), without its end     */
    uint64_t   *offsets;  /* n + 1 of them, from 0                                              */
    char        line_end; /* after each line: a newline or a NUL                              */
} lines;

typedef struct lines_request {
    const char *const *paths; /* NULL or "-": stdin                                            */
    size_t             n;
    char               line_end;
    unsigned           threads; /* at most; 0: one                                              */
    const char        *option;  /* it implies lines, so that .npy files are refused; NULL: they are
                                * lines, too                                                   */
} lines_request;

/* Reads every line of the files, one after another. The last line of a file may have no end; any
 * other byte may occur. False after a message; nothing is left to free then. */
bool lines_read(const lines_request *request, lines *out);
void lines_free(lines *l);

/* The two steps of lines_read(): the text of all files, *length bytes with the end of its last
 * line, into out->bytes; and its lines. False after a message, with nothing left to free. */
bool lines_load(const lines_request *request, lines *out, size_t *length);
bool lines_cut(lines *out, size_t length, unsigned threads);

/* Appends block[0..size), which ends with a NUL, to the *length bytes of l, and frees block. False
 * after a message. */
bool lines_append(lines *l, const char *name, char *block, size_t size, size_t *length);

/* How often a byte, such as the end of lines, occurs in text[0..length). */
size_t lines_count_ends(const char *text, size_t length, char line_end);

/* Divides text[0..length) into `parts` parts of whole lines, about equal: part i is
 * text[begins[i]..begins[i + 1]). */
void lines_divide(const char *text, size_t length, char line_end, size_t parts, size_t *begins);

typedef struct line_parts { /* parts of whole lines for threads */
    const char *text;
    size_t      n;
    char        line_end;
    size_t      begins[WORKERS_MOST + 1]; /* part i is text[begins[i]..begins[i + 1])        */
    size_t      firsts[WORKERS_MOST + 1]; /* the number of its first line; at n of all lines */
} line_parts;

/* Divides text[0..length), which ends with the end of a line, and counts its lines on up to
 * `threads` threads. */
void lines_count_parts(line_parts *out, const char *text, size_t length, char line_end,
                       unsigned threads);

/* The lines in the form that the library takes, valid while l is. */
ordo_strings lines_strings(const lines *l);

/* Write the lines, or one of them, with their ends. */
bool lines_write(const lines *l, output *out);
bool lines_write_one(const lines *l, size_t i, output *out);

/* The bytes of all lines with their ends. */
size_t lines_size(const lines *l);

/* Writes the n lines whose numbers, of type ORDO_U32 or ORDO_U64, are in index. If space for the
 * output was reserved, the index must have each line once. */
bool lines_write_index(const lines *l, ordo_type type, const void *index, size_t n, output *out);

/* Element i of an index of type ORDO_U32 or ORDO_U64. */
static inline size_t index_at(ordo_type type, const void *index, size_t i)
{
    return type == ORDO_U32 ? ((const uint32_t *)index)[i] : (size_t)((const uint64_t *)index)[i];
}

/* Sets it. */
static inline void index_put(ordo_type type, void *index, size_t i, size_t value)
{
    if (type == ORDO_U32)
        ((uint32_t *)index)[i] = (uint32_t)value;
    else
        ((uint64_t *)index)[i] = value;
}

enum {
    LINE_WORD = 8 /* bytes */
};

/* The first bytes of a line as a number in the order of lines; zeros are behind its end. `room`
 * bytes from its beginning on may be read. */
static inline uint64_t line_word(const char *line, size_t size, size_t room)
{
    unsigned char first[LINE_WORD] = {0};
    uint64_t      word = 0;

    if (room >= LINE_WORD) {
        memcpy(&word, line, LINE_WORD);
        word = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? __builtin_bswap64(word) : word;
        return size >= LINE_WORD ? word : word & ~(UINT64_MAX >> 8 * size);
    }
    memcpy(first, line, size < LINE_WORD ? size : LINE_WORD);
    for (size_t i = 0; i < LINE_WORD; i++)
        word = word << 8 | first[i];
    return word;
}

/* < 0, 0, > 0: a comes before, is equal to, comes after b, byte by byte. */
int lines_compare(const char *a, size_t a_length, const char *b, size_t b_length);

/* ---- Many lines that lie anywhere in memory, written by several threads ----
 *
 * A thread takes a batch of lines, finds its size, and copies its lines to a buffer or to the
 * mapped file. Batches are written in order. */

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

/* ordo_external_lines.h - sort lines, or other texts of any length, that are larger than memory.
 *
 * The rules of ordo_external.h apply: memory, temporary files, failures. Lines are compared byte by
 * byte as unsigned numbers, a prefix before the longer line, or by keys that the caller encodes.
 * Lines that tie keep their sequence. */
#ifndef ORDO_EXTERNAL_LINES_H
#define ORDO_EXTERNAL_LINES_H

#include "ordo_external.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a line is, and its key. */
typedef struct ordo_line_format {
    size_t   struct_size;
    uint32_t end;      /* the last byte of each line, such as '\n'. The last line of the source may
                        * lack it; the sink gets it then, too                                   */
    uint32_t reserved; /* 0                                                                     */
    /* Returns the bytes of the first line of text[0..length), its end included, or 0 if the text
     * does not hold the whole line, which at the end of the data is ORDO_E_ARG. text is the
     * beginning of a line. For lines that may contain the byte `end`, such as rows of CSV. NULL: a
     * line ends with the first byte `end`.                                                      */
    size_t (*split)(void *user, const char *text, size_t length);
    /* Writes the key of line[0..length), which is given without its end, to `into` and returns its
     * bytes. If they are more than `room`, or may be, returns a number above room that is enough;
     * the call is repeated with that room. -1 with errno set after a failure. The key of a line
     * must always be the same bytes. NULL: the line is its key.                                 */
    ptrdiff_t (*key)(void *user, const char *line, size_t length, void *into, size_t room);
    void *user; /* for both functions, which several threads call at the same time                */
} ordo_line_format;

/* Sorts the lines of `from` to `to`. opts.flags: ORDO_DESCENDING; ORDO_UNIQUE keeps the first of
 * the lines whose keys tie; ORDO_SPILL_IN_MEMORY. report.n counts lines; report may be NULL.
 * Errors: as ordo_external_sort. ORDO_E_NOMEM also for a line that is too long for the memory. A
 * line of opts.memory / 600 bytes and a key as long fit, and of opts.memory / 64 bytes if lines
 * have 100 bytes or more on average. If all lines fit in the memory together, any line of less
 * than 2^32 bytes does. The sink gets whole lines, as long as it takes whole lines. */
ORDO_MUST ordo_status ordo_external_sort_lines(ordo_ctx *ctx, const ordo_line_format *format,
                                               const ordo_source *from, const ordo_sink *to,
                                               const ordo_external_opts *opts,
                                               ordo_external_report     *report);

#ifdef __cplusplus
}
#endif

#endif

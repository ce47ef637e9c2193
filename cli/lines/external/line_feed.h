/* line_feed.h - the bytes of several files as one text, for reading in pieces. The last line of
 * each file gets its end. */
#ifndef ORDO_CLI_LINES_LINE_FEED_H
#define ORDO_CLI_LINES_LINE_FEED_H

#include "cli/io/text/text_lines.h"

typedef struct line_feed {
    lines_request request;
    size_t        at;   /* the file that is read */
    int           fd;   /* -1: not open */
    bool          open; /* the last byte of the file so far is not the end of a line */
    bool          begins;
    char         *ahead; /* bytes read in advance, to be freed */
    size_t        ahead_bytes, ahead_used;
    bool          ahead_ended; /* they are the whole text */
    const char   *failed;      /* the file that cannot be read, and why; NULL: none */
    int           error;       /* an errno; 0: it is an .npy file */
} line_feed;

void line_feed_init(line_feed *f, const lines_request *request);
void line_feed_close(line_feed *f);

/* As ordo_source.read; user is the line_feed. */
ptrdiff_t line_feed_read(void *user, void *into, size_t bytes);

/* Reads up to `most` bytes in advance. False if there is not enough memory, or after a failure that
 * line_feed_complain() names. */
bool line_feed_ahead(line_feed *f, size_t most);

/* Prints why a file cannot be read; returns whether there is a reason. */
bool line_feed_complain(const line_feed *f);

/* The bytes of all files; UINT64_MAX if one is not a regular file. Files that do not exist count
 * as empty. */
uint64_t line_feed_size(const lines_request *request);

#endif

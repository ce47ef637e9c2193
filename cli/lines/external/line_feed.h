/* line_feed.h - the bytes of several files, which may be compressed, as one text, for reading in
 * pieces. The last line of each file gets its end. */
#ifndef ORDO_CLI_LINES_LINE_FEED_H
#define ORDO_CLI_LINES_LINE_FEED_H

#include "cli/io/source.h"
#include "cli/io/text/text_lines.h"

typedef struct line_feed {
    lines_request request;
    size_t        at; /* the file that is read */
    source        s;
    bool          is_open;
    bool          open; /* the last byte of the file so far is not the end of a line */
    bool          begins;
    char         *ahead; /* bytes read in advance, to be freed */
    size_t        ahead_bytes, ahead_used;
    bool          ahead_ended; /* they are the whole text */
    bool          failed;      /* after a message */
} line_feed;

void line_feed_init(line_feed *f, const lines_request *request);
void line_feed_close(line_feed *f);

/* As ordo_source.read; user is the line_feed. A failure is after a message (failed). */
ptrdiff_t line_feed_read(void *user, void *into, size_t bytes);

/* Reads up to `most` bytes in advance. False after a message. */
bool line_feed_ahead(line_feed *f, size_t most);

#endif

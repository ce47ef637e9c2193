/* line_merge.h - merges sorted files of any size in bounded memory. */
#ifndef ORDO_CLI_LINES_LINE_MERGE_H
#define ORDO_CLI_LINES_LINE_MERGE_H

#include "cli/lines/line_order.h"
#include "cli/io/packed/filter.h"
#include "cli/io/text/text_lines.h"

typedef struct merge_request {
    const line_order *order;
    lines_request     files;
    bool              unique;  /* write only the first of the lines that tie     */
    bool              debug;   /* mark the keys below each line                  */
    uint64_t          memory;  /* bytes: decides how many files are read at once */
    uint64_t          batch;   /* read at most so many files at once; 0: any number */
    const char       *folder;  /* for temporary files; NULL: $TMPDIR or the default */
    const char       *program; /* compresses temporary files; NULL: they are not compressed */
} merge_request;

typedef struct merge_file { /* an input of a merge */
    const char *path;       /* of a file of the caller                                         */
    int         fd;         /* of the temporary file of a run; -1: it has a path               */
    off_t       from;       /* of a run that is not compressed: its place in that file         */
    size_t      bytes;      /* of such a run                                                   */
    unsigned    level;      /* of a compressed run, which has a file of its own: see line_runs */
} merge_file;

/* Writes the lines of all files in order. A line that ties with one of an earlier file comes after
 * it. Files that are not sorted are merged by their next lines, as GNU sort does. More files than
 * can be read at once are first merged in groups. False after a message. */
bool line_merge(const merge_request *request, output *out);

/* Merges n files to `out` or, if that is NULL, to `file`. False after a message. */
bool line_merge_files(const merge_request *request, const merge_file *files, size_t n, output *out,
                      FILE *file);

/* How many files may be merged at once. */
size_t line_merge_most(const merge_request *request);

/* Says why there is no temporary file in the folder. Returns false. */
bool line_merge_no_file(const char *folder, int error);

/* ---- Runs that a program compresses ---- */

typedef struct line_runs { /* in their sequence; zeros at first but for the request */
    const merge_request *request;
    merge_file          *all;
    size_t               n, capacity;
    size_t               most; /* that are merged at once; 0: not known yet */
} line_runs;

typedef struct line_run_writer {
    int    fd; /* takes the sorted lines of a run; the caller closes it */
    int    file;
    filter program;
} line_run_writer;

/* Add a file, or begin a run and end it when fd is closed. If there are as many runs of a level as
 * may be merged at once, they become one of the next level. False after a message. */
bool line_runs_add(line_runs *r, merge_file file);
bool line_runs_begin(const line_runs *r, line_run_writer *w);
bool line_runs_end(line_runs *r, line_run_writer *w, bool ok);

/* Merges all runs. Frees them in any case; also if nothing is to be written (ok is false). */
bool line_runs_finish(line_runs *r, bool ok, output *out);

/* ---- The first k lines of a file in order, in one pass ---- */

typedef struct line_top {
    size_t    n;       /* at most k                                                    */
    char     *bytes;   /* of the lines, without their ends, in order                   */
    uint64_t *offsets; /* n + 1: line i is bytes[offsets[i]..offsets[i + 1])           */
    uint64_t *places;  /* of each line in the file, from 0                             */
    uint64_t  lines;   /* of the file                                                  */
} line_top;

/* Finds the first k lines of the file `path` (NULL: stdin) by their bytes, or the last k, the last
 * one first (descending). Lines that tie keep their order. Memory holds a piece of the file and
 * about 2 k lines. False after a message, or if a call of the library failed (*status); nothing is
 * left to free then. */
bool line_top_find(ordo_ctx *ctx, const char *path, uint64_t k, bool descending, line_top *out,
                   ordo_status *status);
void line_top_free(line_top *top);

#endif

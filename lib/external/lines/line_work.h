/* line_work.h - sorts the lines of one buffer: split, keys, order, and the lines in order as text
 * or as packed blocks.
 *
 * Memory is taken once, for a number of lines and of key bytes. A buffer with more of them is
 * worked on in several parts. */
#ifndef ORDO_EXTERNAL_LINE_WORK_H
#define ORDO_EXTERNAL_LINE_WORK_H

#include "backend/tuning.h"
#include "external/external_call.h"
#include "external/lines/line_runs.h"
#include "ordo_external_lines.h"

enum {
    LINE_CHUNK = ORDO_TUNE(4 << 10, 32) /* bytes of a text that one step of a loop splits */
};

typedef struct key_room { /* memory for one key, which grows */
    char  *bytes;         /* to be freed */
    size_t capacity;
} key_room;

/* The key of a line, which is in *room or the line itself. False after failure_record(). */
bool line_key(const ordo_line_format *format, line_view line, key_room *room, failure *f,
              line_view *key);

typedef struct line_limits {
    size_t bytes; /* of a buffer: lines with their ends */
    size_t lines; /* in a part */
    size_t keys;  /* bytes of the keys of a part; 0: lines are their keys */
    size_t line;  /* bytes of a line, if the data do not fit in one part */
    size_t block; /* bytes of the lines of a block, unless one line is longer */
    size_t index; /* bytes of the index of the temporary files */
} line_limits;

/* line_plan.c: how a sort divides its memory. */
enum {
    LINE_SAMPLE = ORDO_TUNE(256 << 10, 256) /* bytes at the beginning of the source */
};

typedef struct line_plan {
    line_limits limits;
    size_t      gap; /* bytes before the text in a buffer */
} line_plan;

/* Plans for lines and keys as long as those of the sample. False after failure_record(). */
bool line_plan_make(line_plan *plan, external_call *c, const ordo_line_format *format,
                    const char *sample, size_t bytes);

typedef struct line_work {
    external_call   *call;
    ordo_line_format format;
    line_limits      limits;
    bool             descending, unique;
    size_t           n;           /* lines of the part */
    size_t           kept;        /* of them, in index */
    char            *lines;       /* without their ends */
    uint64_t        *offsets;     /* of lines, n + 1 */
    char            *keys;        /* NULL: lines are their keys */
    uint64_t        *key_offsets; /* n + 1 */
    uint32_t        *index;       /* the order */
    key_room         scratch;     /* for a key, if keys are encoded by one thread */
    size_t          *chunks;      /* numbers of lines, or of bytes */
    key_room         last;        /* the last key of the part before, */
    size_t           last_length;
    bool             has_last; /* if there is one in this run or result */
} line_work;

/* Call line_work_close() in any case. */
bool line_work_open(line_work *w, external_call *c, const ordo_line_format *format,
                    const line_limits *limits);
void line_work_close(line_work *w);

/* Bytes of memory that a line takes besides its own and those of its key. */
size_t line_work_memory(bool keyed);

/* Takes the lines at the beginning of text[0..length), which ends with the end of a line, as many
 * as the limits allow. *taken gets their bytes. False after failure_record(). */
bool line_work_take(line_work *w, const char *text, size_t length, size_t *taken);

/* Finds the order of the lines. With ORDO_UNIQUE drops those that tie with the line before them,
 * also with the last line of the part before if there is one (has_last). */
bool line_work_sort(line_work *w);

/* Writes the lines in order with their ends; *bytes gets their bytes. */
bool line_work_gather(line_work *w, char *to, size_t *bytes);

/* Writes the lines in order as blocks to `to`, which has line_block_most() bytes of the text, and
 * appends the blocks to *blocks; `at` is the position of `to` in its buffer. The first block begins
 * a run unless has_last. */
typedef struct line_blocks {
    line_block *all; /* to be freed, with the cuts */
    size_t      count, capacity;
} line_blocks;
bool line_work_pack(line_work *w, char *to, size_t at, line_blocks *blocks, size_t *bytes);

#endif

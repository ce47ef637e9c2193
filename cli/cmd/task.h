/* task.h - what the commands that turn one input into one output do alike.
 *
 *     task t;
 *     bool ok = task_begin(&t, "scan", &o.task) && scan(&t, &o);
 *     return task_end(&t, &o.task, ok);
 *
 * The output is opened before the work, so that a name that cannot be written costs no time. */
#ifndef ORDO_CLI_CMD_TASK_H
#define ORDO_CLI_CMD_TASK_H

#include "cli/io/input.h"
#include "cli/io/lines.h"
#include "cli/io/output.h"
#include "cli/ui/report.h"
#include "cli/ui/session.h"

typedef struct task_options {
    input_request  in;
    const char    *out;
    int            format; /* a file_format; AUTO: by the name of the output file, else see few */
    bool           text;   /* the input is lines of bytes, not numbers                         */
    bool           few;    /* results are few: text; not few: the format of the input          */
    bool           lines;  /* results are lines of bytes: text is the only format              */
    bool           silent; /* there is no output                                               */
    common_options common;
} task_options;

#define TASK_OPTIONS(task)                                                                         \
    OPTION_CHOICE_AT("from", 0, &(task).in.format, format_choices),                                \
        OPTION_TEXT_AT("dtype", 0, &(task).in.dtype),                                              \
        OPTION_FLAG_AT("skip-bad", 0, &(task).in.skip_bad),                                        \
        OPTION_TEXT_AT("output", 'o', &(task).out),                                                \
        OPTION_CHOICE_AT("format", 0, &(task).format, format_choices),                             \
        COMMON_OPTIONS((task).common)

typedef struct task {
    ordo_ctx *ctx;
    input     in;    /* without --text */
    lines     lines; /* with it        */
    size_t    n;     /* of either      */
    output    out;
    timing    t;
} task;

/* Complains with "COMMAND: WRONG" unless wrong is NULL, and about options that do not go with
 * --text if that is set. False after a message. */
bool task_check(const char *command, const char *wrong, const task_options *o);

/* Opens session, input and output. False after a message; task_end() is due all the same. */
bool task_begin(task *t, const char *command, const task_options *o);

/* The type of n indices or counts up to n: the one asked for, or u32 while that suffices. */
ordo_type task_index_type(int asked, size_t n);

/* Writes results or lines (see lines_write()) and makes the output final. */
bool task_write(task *t, ordo_type type, const void *results, size_t n);
bool task_write_lines(task *t, const lines *l, bool unique);

/* If all is well prints the report, closes everything and returns the exit code. */
int task_end(task *t, const task_options *o, bool ok);

#endif

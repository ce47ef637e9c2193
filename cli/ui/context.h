/* context.h - the library context of a command, its calls, and the report about them: --explain,
 * --json, --time and --profile. */
#ifndef ORDO_CLI_UI_CONTEXT_H
#define ORDO_CLI_UI_CONTEXT_H

#include "cli/ui/options.h"

#include <stdio.h>

/* A context with the options of the command line, or NULL after a message. Only one at a time. */
ordo_ctx *context_open(const char *command, const common_options *common);
void      context_close(void);

/* Around every library call that may take long; `what` is the label of the progress bar. call_end()
 * returns true if status is ORDO_OK, and false after a message otherwise. The message begins with
 * the name of the command, or with the subject, such as the name of a file. */
void call_begin(const char *what);
bool call_end(ordo_status status);
bool call_end_about(const char *subject, ordo_status status);

typedef struct timing { /* how long each phase took, in the order they came */
    struct {
        const char *name;
        double      seconds;
    } phases[6];
    size_t n;
    double last; /* when the last phase ended, by cli_now() */
} timing;

void timing_mark(timing *t, const char *phase); /* what ran since the last mark */

/* Prints what the options ask for about the last call on ctx. type_name stands in where the report
 * has no type. False after a message if the library has no report. */
bool report_print(ordo_ctx *ctx, const common_options *common, const char *type_name,
                  const timing *t);

/* Keeps the numbers that a call is about to sort, and prints how its first pass divided
 * them; nothing unless there are few and the call was a sample sort. */
void pass_keep(ordo_type type, const void *keys, size_t n);

/* profile.c: prints the profile of the last call in the forms that are wanted. False after a
 * message. */
bool profile_wanted(const common_options *common);
bool profile_print(const ordo_ctx *ctx, const common_options *common);

/* Prints text as a JSON string, quotes included. */
void json_string(FILE *to, const char *text);

/* Prints "name": "value" and a comma. */
void json_field(FILE *to, const char *name, const char *value);

#endif

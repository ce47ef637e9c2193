/* cli.h - what the files of the command share: exit codes, messages, the commands themselves. */
#ifndef ORDO_CLI_CLI_H
#define ORDO_CLI_CLI_H

#include "ordo.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {              /* exit codes, as of GNU sort                                             */
    CLI_OK = 0,     /* done                                                                   */
    CLI_NO = 1,     /* the answer to a question is no                                         */
    CLI_TROUBLE = 2 /* bad usage, bad input, failed input, output or memory                   */
};

typedef enum file_format {
    FORMAT_AUTO = 0, /* by content, by name or by the other end; said where it is used        */
    FORMAT_NPY = 1,
    FORMAT_RAW = 2,
    FORMAT_TEXT = 3
} file_format;

/* Each gets its own name as argv[0] and returns an exit code. */
int cmd_sort(int argc, char **argv);
int cmd_argsort(int argc, char **argv);
int cmd_rank(int argc, char **argv);
int cmd_select(int argc, char **argv);
int cmd_median(int argc, char **argv);
int cmd_quantile(int argc, char **argv);
int cmd_topk(int argc, char **argv);
int cmd_radius(int argc, char **argv);
int cmd_scan(int argc, char **argv);
int cmd_gen(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_tune(int argc, char **argv);

/* Prints "ordo: ", the message and a newline on stderr, after wiping a progress bar. Returns
 * CLI_TROUBLE, so that `return cli_error(...)` reads well. */
__attribute__((format(printf, 1, 2))) int cli_error(const char *format, ...);

/* The same without a verdict: something the user should know. */
__attribute__((format(printf, 1, 2))) void cli_note(const char *format, ...);

/* Memory for n elements of `size` bytes, aligned to 64 bytes, to be freed with free(). NULL, with
 * a message that names `what`, if there is none. n == 0 gives memory, too. */
void *cli_alloc(size_t n, size_t size, const char *what);

/* Seconds of a clock that never jumps. */
double cli_now(void);

/* Copies bytes[0..length) into out as printable ASCII, at most capacity - 1 characters and a NUL;
 * what does not fit is replaced by "...". Returns out. */
char *cli_printable(const char *bytes, size_t length, char *out, size_t capacity);

#endif

/* cli.h - what all files of the command share: exit codes, messages, progress bar, memory,
 * signals. The other folders of the command use this file; it uses none of them. */
#ifndef ORDO_CLI_BASE_CLI_H
#define ORDO_CLI_BASE_CLI_H

#include "ordo.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { /* exit codes, the same as those of GNU sort */
    CLI_OK = 0,
    CLI_NO = 1,     /* the answer to a question is no                         */
    CLI_TROUBLE = 2 /* bad usage, bad input, failed input, output or memory   */
};

typedef enum file_format {
    FORMAT_AUTO = 0, /* not given */
    FORMAT_NPY = 1,
    FORMAT_RAW = 2,
    FORMAT_TEXT = 3
} file_format;

/* Prints one line for a person to read: the text and a newline. Bytes of the text that are not
 * printable ASCII are shown as \xNN: a file name or a variable may hold control sequences of a
 * terminal. */
__attribute__((format(printf, 2, 3))) void cli_line(FILE *to, const char *format, ...);

/* Prints "ordo: " and the message as such a line on stderr, after erasing the progress bar. Returns
 * CLI_TROUBLE, for `return cli_error(...)`. cli_fail() is the same but returns false. */
__attribute__((format(printf, 1, 2))) int cli_error(const char *format, ...);
#define cli_fail(...) (cli_error(__VA_ARGS__), false)

/* The command was called by the name of sort(1): messages begin with "sort: ", files are never
 * taken for compressed ones, and there is no progress bar. */
void cli_be_sort(void);
bool cli_is_sort(void);

/* What is added to messages that say "not enough memory": what the user can do. The text is not
 * copied; "" at first. */
void cli_set_memory_hint(const char *hint);

/* Memory for n elements of `size` bytes, aligned to 64 bytes, to be freed with free(). NULL after a
 * message that names `what`. n == 0 is allowed. */
void *cli_alloc(size_t n, size_t size, const char *what);

/* The same without a message. */
void *cli_alloc_quiet(size_t n, size_t size);

/* Makes room for n elements of `size` bytes in an array, whose address is at `array` and which
 * grows by more than that. False without a message; the array stays as it is. */
bool cli_grow(void *array, size_t n, size_t *capacity, size_t size);

/* Asks for huge pages in memory, so that it takes fewer page faults and misses of the TLB. */
void cli_huge(void *from, size_t length);

/* Seconds of a monotonic clock. */
double cli_now(void);

/* Copies bytes[0..length) into out as printable ASCII, at most capacity - 1 characters and a NUL.
 * Text that does not fit ends in "...". Returns out. */
char *cli_printable(const char *bytes, size_t length, char *out, size_t capacity);

/* The same for a string, in a static buffer that is valid until the second next call. */
const char *cli_quoted(const char *text);

/* Seconds until the progress bar appears: those of the variable ORDO_PROGRESS, by default 1. With 0
 * every step is drawn. */
double progress_delay(void);

/* The progress bar. progress_start() begins a phase; the label is not copied. The bar appears only
 * if stderr is a terminal. progress_end() ends the phase and erases the bar; it does nothing
 * without a phase. Only the main thread calls these functions. */
void progress_start(const char *label);
void progress_end(void);

/* From now on a bar with this label shows the time between phases; NULL: none does. */
void progress_command(const char *label);

/* Results will be written to stdout. If that is no regular file, the bar is drawn only when
 * progress is reported: a pager may own the terminal. If stdout is a terminal, no bar is drawn any
 * more. Any thread may call this function. */
void progress_output(void);

/* Erases the bar before a line is printed; it comes back if the phase goes on. */
void progress_hide(void);

/* Erases the bar before a signal ends the process; may be called in a handler. */
void progress_die(void);

/* 0 <= done <= 1 of the phase. Cheap; does nothing without a phase. */
void progress_at(double done);

/* A phase of a call that reports bytes: draws its label, its rate and the time left. `all` is 0 if
 * the end is not known. progress_at() does nothing from then on until progress_end(). */
void progress_bytes(const char *label, uint64_t done, uint64_t all, double seconds);

/* The same in a loop over n elements: calls progress_at() once in 65536 elements. */
static inline void progress_count(size_t i, size_t n)
{
    if (i % 65536 == 0)
        progress_at((double)i / (double)n);
}

/* Signals. A signal that ends processes (INT, TERM, HUP, QUIT, PIPE, ALRM, XCPU, XFSZ, USR1 ...)
 * removes the unfinished output file and ends the process at once. During a library call the signal
 * cancels the call, and the process ends after it. In both cases the process dies of that signal,
 * so that shells see the cause. */
void signals_catch(void);

/* A library call on ctx begins; NULL: the call has ended. */
void signals_in_call(ordo_ctx *ctx);

/* Whether a signal came during the library call. */
bool signals_pending(void);

/* Blocks (true) or unblocks (false) these signals, around steps that must not be interrupted. Calls
 * nest. Keeps errno. */
void signals_hold(bool hold);

/* The file to remove if a signal ends the process, or NULL. Call it with signals held. The string
 * is not copied. */
void signals_set_temp(const char *path);

#endif

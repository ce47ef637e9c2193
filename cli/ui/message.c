/* message.c - messages, memory and the clock: what every command needs (see cli.h). */
#define _POSIX_C_SOURCE 200809L

#include "cli/cli.h"

#include "cli/ui/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    ALIGNMENT = 64
};

static void print_message(const char *format, va_list args)
{
    progress_end();
    fflush(stdout);
    fputs("ordo: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
}

int cli_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_message(format, args);
    va_end(args);
    return CLI_TROUBLE;
}

void cli_note(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_message(format, args);
    va_end(args);
}

void *cli_alloc(size_t n, size_t size, const char *what)
{
    size_t bytes, padded;
    void  *block = NULL;

    if (!__builtin_mul_overflow(n, size, &bytes) &&
        !__builtin_add_overflow(bytes, (size_t)ALIGNMENT, &padded))
        block = aligned_alloc(ALIGNMENT, padded / ALIGNMENT * ALIGNMENT);
    if (block == NULL)
        cli_error("not enough memory for %s: %zu elements of %zu bytes", what, n, size);
    return block;
}

double cli_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

char *cli_printable(const char *bytes, size_t length, char *out, size_t capacity)
{
    static const char dots[] = "...";
    size_t            used = 0;

    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)bytes[i];
        const bool          plain = c >= 0x20 && c < 0x7f;
        const size_t        needed = plain ? 1 : 4;
        const size_t        reserve = i + 1 < length ? sizeof dots : 1;
        if (used + needed + reserve > capacity) {
            memcpy(out + used, dots, sizeof dots);
            return out;
        }
        if (plain)
            out[used] = (char)c;
        else
            snprintf(out + used, 5, "\\x%02x", c);
        used += needed;
    }
    out[used] = '\0';
    return out;
}

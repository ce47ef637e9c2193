/* progress.c - the progress bar. There is one stderr, hence one bar: its state is static. It is
 * drawn by the main thread only, at most ten times a second. */
#define _POSIX_C_SOURCE 200809L

#include "cli/ui/progress.h"

#include "cli/cli.h"

#include <stdio.h>
#include <unistd.h>

enum {
    BAR_WIDTH = 40
};

static const double first_seconds = 2.0;
static const double step_seconds = 0.1;

static struct {
    const char *label; /* NULL: no phase, or nobody looks */
    double      start, next;
    bool        drawn;
} bar;

void progress_start(const char *label)
{
    progress_end();
    if (!isatty(STDERR_FILENO))
        return;
    bar.label = label;
    bar.start = cli_now();
    bar.next = bar.start + first_seconds;
}

void progress_at(double done)
{
    if (bar.label == NULL)
        return;
    const double now = cli_now();
    if (now < bar.next)
        return;
    bar.next = now + step_seconds;
    bar.drawn = true;

    char cells[BAR_WIDTH + 1];
    for (int i = 0; i < BAR_WIDTH; i++)
        cells[i] = i < (int)(done * BAR_WIDTH) ? '#' : '.';
    cells[BAR_WIDTH] = '\0';
    fprintf(stderr, "\r%s [%s] %3d %%", bar.label, cells, (int)(done * 100));
    if (done > 0.01)
        fprintf(stderr, "  %.0f s left ", (now - bar.start) * (1 - done) / done);
    fputs("\033[K", stderr);
}

void progress_end(void)
{
    if (bar.drawn)
        fputs("\r\033[K", stderr);
    bar.label = NULL;
    bar.drawn = false;
}

/* progress.c - the progress bar on stderr (see cli.h).
 *
 * There is one stderr and so one bar, whose state is static. The main thread draws it when it
 * reports progress. A thread that sleeps most of the time draws it as well: a step that reports
 * nothing, or waits for its input, is seen, too. The delay counts from the first phase, so that
 * work of many short phases has a bar. */
#define _DEFAULT_SOURCE

#include "cli/base/cli.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char   full[] = "########################################";
static const char   empty[] = "........................................";
static const char   erase[] = "\r\033[K";
static const double usual_delay = 1.0;
static const double usual_step = 0.1;

enum {        /* what stdout is when results are written to it */
    PIPE = 1, /* a pager may own the terminal: the thread draws no more        */
    TERMINAL  /* a bar would be between the results: nothing is drawn any more */
};

static struct {
    pthread_mutex_t lock;
    const char     *label;     /* of the phase; NULL: none                           */
    const char     *command;   /* the label between phases; NULL: no bar             */
    double          delay;     /* until the first drawing; < 0: nothing is drawn     */
    double          step;      /* between two drawings                               */
    double          first;     /* start of the first phase                           */
    double          start;     /* of the phase                                       */
    double          next;      /* time of the next drawing                           */
    double          done;      /* share of the phase; < 0: not known                 */
    char            text[160]; /* of progress_bytes(); "": draw the share            */
    atomic_bool     drawn;
    bool            begun, ticking;
    atomic_int      results; /* where results go: 0: not yet known, or a file */
} bar = {.lock = PTHREAD_MUTEX_INITIALIZER};

double progress_delay(void)
{
    const char *const text = getenv("ORDO_PROGRESS");
    char             *end;
    const double      seconds = text != NULL ? strtod(text, &end) : 0;

    return text != NULL && end > text && *end == '\0' && seconds >= 0 ? seconds : usual_delay;
}

static void draw(double now)
{
    const char *const label = bar.label != NULL ? bar.label : bar.command;
    const double      seconds = now - (bar.label != NULL ? bar.start : bar.first);

    if (bar.text[0] != '\0') {
        fprintf(stderr, "\r%s: %s\033[K", label, bar.text);
    } else if (bar.done < 0) {
        fprintf(stderr, "\r%s  %.0f s\033[K", label, seconds);
    } else {
        const double done = bar.done < 1 ? bar.done : 1;
        const int    cells = (int)(done * (double)strlen(full));
        char         left[40] = "";
        if (done > 0.01)
            snprintf(left, sizeof left, "  %.0f s left", seconds * (1 - done) / done);
        fprintf(stderr, "\r%s [%.*s%s] %3d %%%s\033[K", label, cells, full, empty + cells,
                (int)(done * 100), left);
    }
    atomic_store(&bar.drawn, true);
}

/* With the lock. */
static void draw_if_due(void)
{
    const double now = cli_now();

    if ((bar.label == NULL && (bar.command == NULL || atomic_load(&bar.results) != 0)) ||
        now < bar.next)
        return;
    bar.next = now + bar.step;
    draw(now);
}

/* With the lock. */
static void wipe(void)
{
    if (atomic_exchange(&bar.drawn, false))
        fputs(erase, stderr);
}

static void *tick(void *unused)
{
    for (;;) {
        usleep((useconds_t)(usual_step * 1e6));
        pthread_mutex_lock(&bar.lock);
        if (atomic_load(&bar.results) == 0)
            draw_if_due();
        pthread_mutex_unlock(&bar.lock);
    }
    return unused;
}

/* Starts the thread that draws. It gets no signals: they are the main thread's. */
static void begin_ticks(void)
{
    pthread_t thread;
    sigset_t  all, before;

    bar.ticking = true;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, tick, NULL) == 0)
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Whether there is a bar at all. */
static bool begin(void)
{
    if (!bar.begun) {
        bar.begun = true;
        bar.delay = !cli_is_sort() && isatty(STDERR_FILENO) ? progress_delay() : -1;
        bar.step = bar.delay > 0 ? usual_step : 0;
        bar.first = cli_now();
        bar.next = bar.first + bar.delay;
        bar.done = -1;
    }
    if (bar.delay > 0 && !bar.ticking)
        begin_ticks();
    return bar.delay >= 0;
}

static void set_phase(const char *label)
{
    pthread_mutex_lock(&bar.lock);
    wipe();
    bar.label = label;
    bar.start = cli_now();
    bar.done = -1;
    bar.text[0] = '\0';
    if (bar.delay == 0 && atomic_load(&bar.results) != TERMINAL)
        draw_if_due();
    pthread_mutex_unlock(&bar.lock);
}

void progress_start(const char *label)
{
    if (begin())
        set_phase(label);
}

void progress_end(void)
{
    if (bar.label != NULL)
        set_phase(NULL);
}

void progress_command(const char *label)
{
    if (!begin())
        return;
    pthread_mutex_lock(&bar.lock);
    wipe();
    bar.command = label;
    pthread_mutex_unlock(&bar.lock);
}

void progress_output(void)
{
    struct stat s;

    if (atomic_load(&bar.results) != 0 || fstat(STDOUT_FILENO, &s) != 0 || S_ISREG(s.st_mode))
        return;
    atomic_store(&bar.results, isatty(STDOUT_FILENO) ? TERMINAL : PIPE);
    progress_hide();
}

void progress_at(double done)
{
    if (bar.label == NULL || atomic_load(&bar.results) == TERMINAL || bar.text[0] != '\0')
        return;
    pthread_mutex_lock(&bar.lock);
    bar.done = done;
    draw_if_due();
    pthread_mutex_unlock(&bar.lock);
}

void progress_bytes(const char *label, uint64_t done, uint64_t all, double seconds)
{
    const double share = all == 0 ? 0 : done < all ? (double)done / (double)all : 1;
    char         percent[16] = "", rate[32] = "", left[40] = "";

    if (bar.label == NULL || atomic_load(&bar.results) == TERMINAL)
        return;
    if (all > 0)
        snprintf(percent, sizeof percent, " %3d %%", (int)(share * 100));
    if (seconds > 0)
        snprintf(rate, sizeof rate, "  %.2f GB/s", (double)done / seconds * 1e-9);
    if (share > 0.01)
        snprintf(left, sizeof left, "  %.0f s left", seconds * (1 - share) / share);
    pthread_mutex_lock(&bar.lock);
    snprintf(bar.text, sizeof bar.text, "%.60s%s  %.1f of %.1f GB%s%s", label, percent,
             (double)done * 1e-9, (double)all * 1e-9, rate, left);
    draw_if_due();
    pthread_mutex_unlock(&bar.lock);
}

void progress_hide(void)
{
    if (!atomic_load(&bar.drawn))
        return;
    pthread_mutex_lock(&bar.lock);
    wipe();
    bar.next = cli_now() + bar.step;
    pthread_mutex_unlock(&bar.lock);
}

void progress_die(void)
{
    if (atomic_load(&bar.drawn) && write(STDERR_FILENO, erase, sizeof erase - 1) < 0)
        return; /* the process ends */
}

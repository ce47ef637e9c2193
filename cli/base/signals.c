/* signals.c - what a signal does to the command (see cli.h). The state is static because the
 * handler needs it. The handler calls only async-signal-safe functions. */
#define _XOPEN_SOURCE 700 /* SIGPOLL */

#include "cli/base/cli.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

/* Every signal that ends a process, except those of crashes. */
static const int caught_signals[] = {SIGINT,  SIGTERM,   SIGHUP,  SIGQUIT, SIGPIPE,
                                     SIGALRM, SIGXCPU,   SIGXFSZ, SIGUSR1, SIGUSR2,
                                     SIGPROF, SIGVTALRM, SIGPOLL};
#define CAUGHT_SIGNALS (sizeof caught_signals / sizeof caught_signals[0])

static ordo_ctx *volatile called; /* the context of the library call; NULL: there is none */
static const char *volatile temp_path;
static volatile sig_atomic_t pending_signal;
static volatile sig_atomic_t hold_depth;
static volatile sig_atomic_t held_signal; /* another thread got it while signals were held */

static void die_of(int signal_number)
{
    if (temp_path != NULL)
        unlink(temp_path);
    progress_die();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void on_signal(int signal_number, siginfo_t *info, void *machine)
{
    (void)machine;
    /* A write() beyond the file size limit sends SIGXFSZ; its error, EFBIG, is reported instead. */
    if (signal_number == SIGXFSZ && info->si_pid == getpid())
        return;
    if (hold_depth > 0) {
        held_signal = signal_number;
        return;
    }
    if (called == NULL || pending_signal != 0) {
        die_of(signal_number);
        return;
    }
    pending_signal = signal_number;
    ordo_cancel(called);
}

/* A signal that the parent chose to ignore (nohup) stays ignored, and a handler of another library
 * stays. */
void signals_catch(void)
{
    for (size_t i = 0; i < CAUGHT_SIGNALS; i++) {
        struct sigaction old;
        struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_RESTART | SA_SIGINFO};
        sigfillset(&action.sa_mask);
        if (sigaction(caught_signals[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            sigaction(caught_signals[i], &action, NULL);
    }
}

void signals_hold(bool hold)
{
    const int error = errno;
    sigset_t  set;

    hold_depth += hold ? 1 : -1;
    if (hold_depth != (hold ? 1 : 0))
        return;
    sigemptyset(&set);
    for (size_t i = 0; i < CAUGHT_SIGNALS; i++)
        sigaddset(&set, caught_signals[i]);
    sigprocmask(hold ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
    if (!hold && held_signal != 0)
        die_of(held_signal);
    errno = error;
}

void signals_set_temp(const char *path) { temp_path = path; }

bool signals_pending(void) { return pending_signal != 0; }

void signals_in_call(ordo_ctx *ctx)
{
    called = ctx;
    if (ctx == NULL && pending_signal != 0)
        die_of(pending_signal);
}

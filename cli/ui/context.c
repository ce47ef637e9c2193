/* context.c - context and signals (see context.h). The state is static because the signal handler
 * needs it. The handler calls only async-signal-safe functions. */
#define _XOPEN_SOURCE 700 /* SIGPOLL */

#include "cli/ui/context.h"

#include "cli/ui/report.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* Every signal that ends a process, except those of crashes. */
static const int caught_signals[] = {SIGINT,  SIGTERM,   SIGHUP,  SIGQUIT, SIGPIPE,
                                     SIGALRM, SIGXCPU,   SIGXFSZ, SIGUSR1, SIGUSR2,
                                     SIGPROF, SIGVTALRM, SIGPOLL};
enum {
    CAUGHT_SIGNALS = sizeof caught_signals / sizeof caught_signals[0]
};

static const char *command_name;
static ordo_ctx *volatile context;
static const char *volatile temp_path;
static volatile sig_atomic_t in_call;
static volatile sig_atomic_t pending_signal;
static volatile sig_atomic_t hold_depth;
static volatile sig_atomic_t held_signal; /* another thread got it while signals were held */

static void die_of(int signal_number)
{
    if (temp_path != NULL)
        unlink(temp_path);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void on_signal(int signal_number, siginfo_t *info, void *machine)
{
    (void)machine;
    /* A write() beyond the file size limit sends SIGXFSZ and fails with EFBIG, which is reported. */
    if (signal_number == SIGXFSZ && info->si_pid == getpid())
        return;
    if (hold_depth > 0) {
        held_signal = signal_number;
        return;
    }
    if (!in_call || pending_signal != 0) {
        die_of(signal_number);
        return;
    }
    pending_signal = signal_number;
    ordo_cancel(context);
}

/* A signal that the parent chose to ignore (nohup) stays ignored. */
static void catch_signals(void)
{
    for (size_t i = 0; i < CAUGHT_SIGNALS; i++) {
        struct sigaction old;
        struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_RESTART | SA_SIGINFO};
        sigfillset(&action.sa_mask);
        if (sigaction(caught_signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
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

/* Cancels again: the library may have tested for ordo_cancel() just before the signal came. */
static int on_progress(void *user, double done)
{
    (void)user;
    progress_at(done);
    return pending_signal != 0;
}

ordo_ctx *context_open(const char *command, const common_options *common)
{
    ordo_ctx         *created;
    const ordo_status status = ordo_ctx_create(
        &created,
        &ORDO_OPTS(ordo_ctx_opts,
                   .where = (uint32_t)common->device & ((1u << CLI_DEVICE_SHIFT) - 1),
                   .device = (uint64_t)common->device >> CLI_DEVICE_SHIFT,
                   .device_limit = (size_t)common->device_memory, .cpu_share = common->cpu_share,
                   .threads = (uint32_t)common->threads, .mem_limit = (size_t)common->memory_limit,
                   .progress = on_progress, .profile = profile_wanted(common)));
    command_name = command;
    if (status != ORDO_OK) {
        cli_error("%s: %s: %s", command, ordo_status_text(status), ordo_last_error(NULL));
        return NULL;
    }
    context = created;
    catch_signals();
    return created;
}

void context_close(void)
{
    ordo_ctx *const old = context;
    context = NULL;
    ordo_ctx_free(old);
}

void call_begin(const char *what)
{
    progress_start(what);
    in_call = 1;
}

bool call_end(ordo_status status)
{
    in_call = 0;
    progress_end();
    if (pending_signal != 0)
        die_of(pending_signal);
    if (status == ORDO_OK)
        return true;
    const char *const why = ordo_last_error(context);
    return cli_fail("%s: %s", command_name, why[0] != '\0' ? why : ordo_status_text(status));
}

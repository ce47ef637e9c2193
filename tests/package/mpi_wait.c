/* mpi_wait.c - a library to preload into the processes of an MPI: a process that finds no message
 * sleeps for 100 microseconds before it looks again.
 *
 * MPI libraries wait in a loop that never sleeps. The tests start more processes than there are
 * cores, so the loops would take the cores from the processes that they wait for. Replaces the
 * function that looks for messages: opal_progress of Open MPI, ucp_worker_progress of UCX, which
 * MPICH may use. Another MPI waits as before. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include <time.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int      opal_progress(void);
EXPORTED unsigned ucp_worker_progress(void *worker);

static void rest(void)
{
    struct timespec const interval = {.tv_nsec = 100000};
    nanosleep(&interval, NULL);
}

typedef void function(void);

static function *find_next(const char *name)
{
    void *const found = dlsym(RTLD_NEXT, name);
    function   *next;
    memcpy(&next, &found, sizeof next); /* ISO C has no cast from an object to a function */
    return next;
}

int opal_progress(void)
{
    static int (*next)(void);
    if (next == NULL)
        next = (int (*)(void))find_next("opal_progress");
    int const events = next();
    if (events == 0)
        rest();
    return events;
}

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*next)(void *);
    if (next == NULL)
        next = (unsigned (*)(void *))find_next("ucp_worker_progress");
    unsigned const events = next(worker);
    if (events == 0)
        rest();
    return events;
}

/* parts.c - divides work among threads (see parts.h). */
#define _POSIX_C_SOURCE 200809L

#include "cli/io/parts.h"

#include "cli/cli.h"

#include <pthread.h>

typedef struct parts_task {
    void (*work)(void *arg, size_t part);
    void  *arg;
    size_t part;
} parts_task;

static void *run_task(void *argument)
{
    const parts_task *const t = argument;
    t->work(t->arg, t->part);
    return NULL;
}

void parts_run(size_t n, void (*work)(void *arg, size_t part), void *arg)
{
    pthread_t  threads[PARTS_MOST];
    bool       started[PARTS_MOST] = {false};
    parts_task tasks[PARTS_MOST];

    signals_hold(true);
    for (size_t i = 1; i < n; i++) {
        tasks[i] = (parts_task){work, arg, i};
        started[i] = pthread_create(&threads[i], NULL, run_task, &tasks[i]) == 0;
    }
    signals_hold(false);
    work(arg, 0);
    for (size_t i = 1; i < n; i++)
        if (started[i])
            pthread_join(threads[i], NULL);
        else
            work(arg, i);
}

size_t parts_of(size_t size, size_t least, unsigned threads)
{
    size_t n = size / least;
    n = n < threads ? n : threads;
    n = n < PARTS_MOST ? n : PARTS_MOST;
    return n > 0 ? n : 1;
}

/* csv_threads.c - a thread for each part of a table (see csv_table.h). */
#define _POSIX_C_SOURCE 200809L

#include "cli/csv/csv_table.h"

#include <pthread.h>

typedef struct task {
    void (*work)(void *part);
    void *part;
} task;

static void *run_task(void *argument)
{
    const task *const t = argument;
    t->work(t->part);
    return NULL;
}

void csv_each_part(void *parts, size_t n, size_t size, void (*work)(void *part))
{
    pthread_t threads[CSV_MOST_PARTS];
    bool      started[CSV_MOST_PARTS] = {false};
    task      tasks[CSV_MOST_PARTS];

    signals_hold(true); /* the threads take no signals */
    for (size_t i = 1; i < n; i++) {
        tasks[i] = (task){work, (char *)parts + i * size};
        started[i] = pthread_create(&threads[i], NULL, run_task, &tasks[i]) == 0;
    }
    signals_hold(false);
    if (n > 0)
        work(parts);
    for (size_t i = 1; i < n; i++)
        if (started[i])
            pthread_join(threads[i], NULL);
        else
            work(tasks[i].part);
}

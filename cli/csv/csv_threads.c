/* csv_threads.c - a thread for each part of a table (see csv_table.h). */
#include "cli/csv/csv_table.h"

#include "cli/base/workers.h"

typedef struct task {
    void (*work)(void *part);
    char  *parts;
    size_t size;
} task;

static void run_task(void *argument, size_t i)
{
    const task *const t = argument;
    t->work(t->parts + i * t->size);
}

void csv_each_part(void *parts, size_t n, size_t size, void (*work)(void *part))
{
    task t = {work, parts, size};
    workers_run(n, run_task, &t);
}

/* line_batches.c - writes batches of lines in order (see line_batches.h).
 *
 * If the output is mapped, only the sizes of the batches wait for each other: the place of a batch
 * is known when the batches before it have their sizes. */
#define _POSIX_C_SOURCE 200809L

#include "cli/io/text/line_batches.h"

#include "cli/base/workers.h"

#include <pthread.h>
#include <stdlib.h>

enum {
    BATCH = 1 << 14 /* lines that a thread writes at once; estimate */
};

typedef struct write_job {
    const line_batches *b;
    output             *out;
    pthread_mutex_t     lock;
    pthread_cond_t      turned;
    size_t              next; /* the batch that no thread has taken                     */
    size_t              turn; /* the batch that is written next                         */
    bool                mapped;
    char               *to; /* where it is in the mapped file */
    bool                failed;
} write_job;

static void wait_for_turn(write_job *job, size_t batch)
{
    pthread_mutex_lock(&job->lock);
    while (job->turn != batch)
        pthread_cond_wait(&job->turned, &job->lock);
}

static void end_turn(write_job *job, size_t batch)
{
    job->turn++;
    progress_at((double)batch * BATCH / (double)job->b->n);
    pthread_cond_broadcast(&job->turned);
    pthread_mutex_unlock(&job->lock);
}

/* Writes a batch when its turn has come; NULL: there was no memory for it. */
static void write_in_turn(write_job *job, size_t batch, const char *buffer, size_t bytes)
{
    wait_for_turn(job, batch);
    if (!job->failed && buffer == NULL)
        job->failed = !cli_fail("not enough memory to write the lines");
    else if (!job->failed)
        job->failed = !output_bytes(job->out, buffer, bytes);
    end_turn(job, batch);
}

/* Where a batch is in the mapped file. */
static char *place_in_turn(write_job *job, size_t batch, size_t bytes)
{
    wait_for_turn(job, batch);
    char *const to = job->to;
    job->to += bytes;
    end_turn(job, batch);
    return to;
}

static size_t take_batch(write_job *job)
{
    pthread_mutex_lock(&job->lock);
    const size_t batch = job->next++;
    pthread_mutex_unlock(&job->lock);
    return batch;
}

/* Takes batches until there are no more. */
static void write_part(void *arg, size_t part)
{
    write_job *const          job = arg;
    const line_batches *const b = job->b;
    ordered_buffer            buffer = {.data = NULL};
    size_t                    first;

    (void)part;
    for (size_t batch; (first = (batch = take_batch(job)) * BATCH) < b->n;) {
        const size_t end = b->n - first < BATCH ? b->n : first + BATCH;
        const size_t bytes = b->size(b->user, first, end);
        if (job->mapped) {
            char *const to = place_in_turn(job, batch, bytes);
            b->copy(b->user, first, end, to, to + bytes);
        } else if (buffer_room(&buffer, bytes + LINE_CHUNK)) {
            b->copy(b->user, first, end, buffer.data, buffer.data + buffer.room);
            write_in_turn(job, batch, buffer.data, bytes);
        } else {
            write_in_turn(job, batch, NULL, 0);
        }
    }
    free(buffer.data);
}

bool line_batches_write(const line_batches *b, unsigned threads, output *out)
{
    write_job job = {
        .b = b, .out = out, .lock = PTHREAD_MUTEX_INITIALIZER, .turned = PTHREAD_COND_INITIALIZER};
    output_mapping map = {.to = NULL};

    if (out->reserved != NULL && !output_map(out, b->bytes, &map))
        return false;
    job.mapped = map.to != NULL;
    job.to = map.to;
    progress_start("writing");
    workers_run(workers_parts(b->n, BATCH, threads), write_part, &job);
    progress_end();
    return !job.failed && (map.to == NULL || output_unmap(out, &map));
}

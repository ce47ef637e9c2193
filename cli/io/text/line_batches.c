/* line_batches.c - writes batches of lines in order (see line_batches.h). */
#include "cli/io/text/line_batches.h"

#include "cli/base/workers.h"

#include <stdlib.h>

enum {
    BATCH = 1 << 14 /* lines that a thread writes at once; estimate */
};

typedef struct write_job {
    const line_batches *b;
    size_t             *ends; /* mapped: of each batch in the file */
    char               *to;   /* the first one */
} write_job;

static size_t end_of(const line_batches *b, size_t batch)
{
    return b->n - batch * BATCH < BATCH ? b->n : (batch + 1) * BATCH;
}

static bool fill_batch(void *user, size_t batch, ordered_buffer *to)
{
    const line_batches *const b = user;
    const size_t              first = batch * BATCH, end = end_of(b, batch);
    const size_t              bytes = b->size(b->user, first, end);

    if (!buffer_room(to, bytes + LINE_CHUNK))
        return false;
    b->copy(b->user, first, end, to->data, to->data + to->room);
    to->length = bytes;
    return true;
}

/* ---- In a mapped file ---- */

static void measure_batch(void *user, size_t batch)
{
    const write_job *const job = user;
    job->ends[batch] = job->b->size(job->b->user, batch * BATCH, end_of(job->b, batch));
}

static void place_batch(void *user, size_t batch)
{
    const write_job *const job = user;
    job->b->copy(job->b->user, batch * BATCH, end_of(job->b, batch),
                 job->to + (batch > 0 ? job->ends[batch - 1] : 0), job->to + job->ends[batch]);
}

static bool write_mapped(const line_batches *b, size_t batches, char *to)
{
    write_job job = {.b = b, .ends = malloc((batches + 1) * sizeof *job.ends), .to = to};

    if (job.ends == NULL)
        return cli_fail("not enough memory to write the lines");
    workers_run(batches, measure_batch, &job);
    for (size_t i = 1; i < batches; i++)
        job.ends[i] += job.ends[i - 1];
    workers_run(batches, place_batch, &job);
    free(job.ends);
    return true;
}

bool line_batches_write(const line_batches *b, output *out)
{
    line_batches   copy = *b;
    const size_t   batches = (b->n + BATCH - 1) / BATCH;
    output_mapping map = {.to = NULL};
    bool           told = true;

    if (out->reserved != NULL && !output_map(out, b->bytes, &map))
        return false;
    progress_start("writing");
    const bool ok = map.to != NULL ? write_mapped(b, batches, map.to)
                                   : output_blocks(out, batches, fill_batch, &copy, &told);
    progress_end();
    return ok ? map.to == NULL || output_unmap(out, &map)
              : !told && cli_fail("not enough memory to write the lines");
}

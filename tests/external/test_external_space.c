/* test_external_space.c - external calls give disk space back in few pieces.
 *
 * The linker sends the library's calls of fallocate to the function here. Each piece is a
 * transaction of the file system's journal: with one for each block, the threads that read wait for
 * the commits of the journal. A call may give back one piece for every 4 MiB that it wrote, and one
 * for the end of each run. Nothing is given back twice, and little is kept. */
#define _GNU_SOURCE
#include "inputs.h"
#include "ordo_external.h"
#include "ordo_external_lines.h"
#include "tapes.h"
#include "testkit.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
#ifdef ORDO_TINY
    N = 1 << 18,
    MEMORY = 1 << 20,
    PIECE = 256,
#else
    N = 3 << 20,
    MEMORY = 16 << 20,
    PIECE = 4 << 20,
#endif
    PAGE = 4096,
    MOST_PIECES = 4096
};

typedef struct piece {
    int   fd;
    off_t begin, end;
} piece;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static piece           pieces[MOST_PIECES];
static size_t          count; /* also of pieces beyond MOST_PIECES */

int __real_fallocate(int fd, int mode, off_t from, off_t bytes);
int __wrap_fallocate(int fd, int mode, off_t from, off_t bytes);

int __wrap_fallocate(int fd, int mode, off_t from, off_t bytes)
{
    if ((mode & FALLOC_FL_PUNCH_HOLE) == 0)
        return __real_fallocate(fd, mode, from, bytes);
    pthread_mutex_lock(&lock);
    if (count < MOST_PIECES)
        pieces[count] = (piece){fd, from, from + bytes};
    count++;
    pthread_mutex_unlock(&lock);
    return 0;
}

typedef enum verb {
    SORT,
    UNIQUE,
    ARGSORT,
    RANK,
    LINES,
    VERBS
} verb;

static const char *const verb_names[] = {"sort", "unique", "argsort", "rank", "lines"};

static uint64_t input[N];
static char     result[N * 8 + 1];

static ordo_status run(ordo_ctx *ctx, verb v, ordo_external_report *report)
{
    static const char *const here[] = {"."};
    ordo_external_opts const opts =
        ORDO_OPTS(ordo_external_opts, .memory = MEMORY, .directories = here, .directory_count = 1,
                  .flags = ORDO_SPILL_IN_MEMORY | (v == UNIQUE ? ORDO_UNIQUE : 0));
    ordo_elements const    elements = ORDO_OPTS(ordo_elements, .type = ORDO_U64);
    ordo_line_format const lines = ORDO_OPTS(ordo_line_format, .end = '\n');
    tape                   from = {.bytes = (char *)input, .size = sizeof input};
    tape                   to = {.bytes = result, .size = sizeof result};
    ordo_source const      source = ORDO_OPTS(ordo_source, .read = tape_read, .user = &from);
    ordo_sink const        sink = ORDO_OPTS(ordo_sink, .write = tape_write, .user = &to);
    switch (v) {
    case ARGSORT:
        return ordo_external_argsort(ctx, &elements, &source, ORDO_U64, &sink, &opts, report);
    case RANK:
        return ordo_external_rank(ctx, &elements, &source, ORDO_TIES_MIN, ORDO_U64, &sink, &opts,
                                  report);
    case LINES:
        return ordo_external_sort_lines(ctx, &lines, &source, &sink, &opts, report);
    default:
        return ordo_external_sort(ctx, &elements, &source, &sink, &opts, report);
    }
}

static int by_place(const void *a, const void *b)
{
    const piece *const x = a, *const y = b;
    return x->fd != y->fd ? (x->fd > y->fd) - (x->fd < y->fd)
                          : (x->begin > y->begin) - (x->begin < y->begin);
}

static void test_verb(ordo_ctx *ctx, verb v)
{
    ordo_external_report report = ORDO_OPTS(ordo_external_report, .n = 0);
    uint64_t             freed = 0;
    testkit_case("%s", verb_names[v]);
    count = 0;
    CHECK_STATUS(ORDO_OK, run(ctx, v, &report), ctx);
    CHECK(report.runs > 1);
    if (!CHECK(count <= report.spilled / PIECE + report.runs && count <= MOST_PIECES))
        return;
    qsort(pieces, count, sizeof *pieces, by_place);
    for (size_t i = 0; i < count; i++) {
        freed += (uint64_t)(pieces[i].end - pieces[i].begin);
        CHECK(pieces[i].begin < pieces[i].end);
        CHECK(i == 0 || pieces[i].fd != pieces[i - 1].fd || pieces[i - 1].end <= pieces[i].begin);
    }
    CHECK(freed <= report.spilled);
    if (v != RANK) /* which reads the ranks of a run again */
        CHECK(freed + 2 * PAGE * (report.spilled / PIECE + report.runs) >= report.spilled);
}

/* Keys that tie, and lines of about 24 bytes. */
static void fill(verb v)
{
    size_t   used = 0;
    char    *text = (char *)input;
    test_rng rng = {7};
    for (size_t i = 0; v != LINES && i < N; i++)
        input[i] = test_rng_next(&rng) % (UINT64_C(1) << 40);
    for (size_t i = 0; v == LINES && used + 32 < sizeof input; i++)
        used += (size_t)sprintf(text + used, "%016llx %zu\n",
                                (unsigned long long)test_rng_next(&rng), i);
    if (v == LINES)
        memset(text + used, '\n', sizeof input - used);
}

int main(void)
{
    ordo_ctx *ctx;
    testkit_start();
    ctx = test_context_make(2);
    for (verb v = SORT; v < VERBS; v++) {
        fill(v);
        test_verb(ctx, v);
    }
    ordo_ctx_free(ctx);
    return testkit_done();
}

/* test_external_scratch.c - the scratch of the calls that an external call makes, one behind the
 * other and of different sizes, is at most half of its memory: none keeps that of another. The
 * rest of the memory is for buffers, which are not scratch. An allocator counts. The tiny variant
 * has less data. */
#define _GNU_SOURCE
#include "ordo_external.h"
#include "testkit.h"

#include <pthread.h>
#include <stdlib.h>

enum {
    HEAD = 64, /* bytes before a block, which hold its size */
    MEMORY = 32 << 20,
#if defined ORDO_TINY
    BYTES = 1 << 20
#else
    BYTES = 30 << 20
#endif
};

typedef struct meter { /* an allocator that counts */
    pthread_mutex_t lock;
    size_t          held, most;
} meter;

static void *take(void *user, size_t bytes)
{
    meter *const m = user;
    char *const  block = malloc(bytes + HEAD);
    if (block == NULL)
        return NULL;
    *(size_t *)(void *)block = bytes;
    pthread_mutex_lock(&m->lock);
    m->held += bytes;
    m->most = m->held > m->most ? m->held : m->most;
    pthread_mutex_unlock(&m->lock);
    return block + HEAD;
}

static void release(void *user, void *block)
{
    meter *const m = user;
    if (block == NULL)
        return;
    char *const start = (char *)block - HEAD;
    pthread_mutex_lock(&m->lock);
    m->held -= *(size_t *)(void *)start;
    pthread_mutex_unlock(&m->lock);
    free(start);
}

typedef struct stream {
    size_t   left; /* bytes to read */
    uint64_t state;
    size_t   written;
} stream;

static ptrdiff_t make_keys(void *user, void *into, size_t bytes)
{
    stream *const   s = user;
    uint64_t *const to = into;
    size_t const    n = (bytes < s->left ? bytes : s->left) / sizeof *to;
    for (size_t i = 0; i < n; i++) {
        s->state = s->state * UINT64_C(6364136223846793005) + 1442695040888963407u;
        to[i] = s->state;
    }
    s->left -= n * sizeof *to;
    return (ptrdiff_t)(n * sizeof *to);
}

static ptrdiff_t count_bytes(void *user, const void *from, size_t bytes)
{
    (void)from;
    ((stream *)user)->written += bytes;
    return (ptrdiff_t)bytes;
}

static void check(bool ranks)
{
    meter               m = {.lock = PTHREAD_MUTEX_INITIALIZER};
    stream              s = {.left = BYTES, .state = 1};
    ordo_elements const elements = ORDO_OPTS(ordo_elements, .type = ORDO_U64);
    ordo_source const from = ORDO_OPTS(ordo_source, .read = make_keys, .user = &s, .bytes = BYTES);
    ordo_sink const   to = ORDO_OPTS(ordo_sink, .write = count_bytes, .user = &s);
    ordo_external_opts const opts =
        ORDO_OPTS(ordo_external_opts, .flags = ORDO_SPILL_IN_MEMORY, .memory = MEMORY);
    ordo_ctx *ctx;
    testkit_case("%s", ranks ? "rank" : "argsort");
    if (!CHECK(ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CPU, .threads = 2,
                                                .seed = 1, .alloc = take, .release = release,
                                                .alloc_user = &m)) == ORDO_OK))
        return;
    ordo_status const status =
        ranks ? ordo_external_rank(ctx, &elements, &from, ORDO_TIES_AVERAGE, ORDO_F64, &to, &opts,
                                   NULL)
              : ordo_external_argsort(ctx, &elements, &from, ORDO_U64, &to, &opts, NULL);
    CHECK_STATUS(ORDO_OK, status, ctx);
    CHECK_EQ_U64(BYTES, s.written);
    CHECK(m.most <= MEMORY / 2);
    ordo_ctx_free(ctx);
    CHECK_EQ_U64(0, m.held);
}

int main(void)
{
    testkit_start();
    check(false);
    check(true);
    return testkit_done();
}

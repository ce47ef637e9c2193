/* test_dist_spill.c - sorts over many ranks through local disks: arrays whose scratch exceeds the
 * limit of the context, and sources and sinks. Every type, keys and pairs, several divisions; the
 * bytes are those of one process, and the memory that a rank takes stays within its limit. */
#define _GNU_SOURCE
#include "distkit.h"
#include "ordo_dist_external.h"

#include <pthread.h>
#include <stdio.h>

enum {
    RANKS = 3,
    LIMIT = 10 << 20,
    SLACK = 1 << 19,       /* the structs of contexts and their threads' tables */
    BYTES = RANKS * LIMIT, /* of all keys */
    MEMORY = 8 << 20       /* of a sort from a source */
};

typedef struct meter { /* an allocator that counts */
    pthread_mutex_t lock;
    size_t          held, most;
} meter;

static struct {
    ordo_type        type;
    size_t           size, value_size, n, starts[DISTKIT_RANKS + 1], out_starts[DISTKIT_RANKS + 1];
    size_t           ranks;
    bool             descending, moved;
    char            *keys, *out, *values, *out_values;
    ordo_dist_report report[DISTKIT_RANKS];
    ordo_status      status[DISTKIT_RANKS];
    size_t           most[DISTKIT_RANKS];
} j;

/* With small thresholds a large array takes seconds, so only every other type has one: one type of
 * each width and each division. ORDO_TEST_BIG=1 takes all types. */
#ifdef ORDO_TINY
enum {
    LARGE_EVERY = 2
};
#else
enum {
    LARGE_EVERY = 1
};
#endif

static const char *directory;

/* ---- Memory ---- */

static void *take(void *user, size_t bytes)
{
    meter *const  m = user;
    size_t *const block = malloc(bytes + 64);
    if (block == NULL)
        return NULL;
    block[0] = bytes;
    pthread_mutex_lock(&m->lock);
    m->held += bytes;
    m->most = m->held > m->most ? m->held : m->most;
    pthread_mutex_unlock(&m->lock);
    return (char *)block + 64;
}

static void release(void *user, void *block)
{
    meter *const  m = user;
    size_t *const start = (size_t *)(void *)((char *)block - 64);
    pthread_mutex_lock(&m->lock);
    m->held -= start[0];
    pthread_mutex_unlock(&m->lock);
    free(start);
}

/* ---- Arrays ---- */

static ordo_status sort_part(ordo_ctx *ctx, const ordo_comm *comm, size_t rank)
{
    size_t const         at = j.starts[rank], n = j.starts[rank + 1] - at;
    size_t const         to = j.out_starts[rank], n_out = j.out_starts[rank + 1] - to;
    ordo_dist_opts const opts = ORDO_OPTS(
        ordo_dist_opts, .flags = (j.descending ? ORDO_DESCENDING : 0) | ORDO_SPILL_IN_MEMORY,
        .out = j.moved ? j.out + to * j.size : NULL,
        .out_values = j.moved && j.value_size > 0 ? j.out_values + to * j.value_size : NULL,
        .n_out = j.moved ? n_out : 0, .report = &j.report[rank], .directory = directory);
    char *const keys = (j.moved ? j.keys : j.out) + at * j.size;
    char *const values = (j.moved ? j.values : j.out_values) + at * j.value_size;
    return j.value_size == 0
               ? ordo_dist_sort(ctx, comm, j.type, keys, n, &opts)
               : ordo_dist_sort_pairs(ctx, comm, j.type, keys, n, values, j.value_size, &opts);
}

static void array_body(void *user, ordo_comm *comm)
{
    size_t const rank = (size_t)comm->rank;
    meter        m = {.lock = PTHREAD_MUTEX_INITIALIZER};
    ordo_ctx    *ctx;
    (void)user;
    j.report[rank] = ORDO_OPTS(ordo_dist_report, .total = 0);
    j.status[rank] = ordo_ctx_create(
        &ctx, &ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CPU, .threads = 2, .mem_limit = LIMIT,
                         .alloc = take, .release = release, .alloc_user = &m));
    if (j.status[rank] != ORDO_OK)
        return;
    j.status[rank] = sort_part(ctx, comm, rank);
    if (j.status[rank] != ORDO_OK)
        printf("rank %zu: %s\n", rank, ordo_last_error(ctx));
    j.most[rank] = m.most;
    ordo_ctx_free(ctx);
}

/* The expected keys and values. */
static void sort_alone(char *keys, char *values)
{
    ordo_ctx            *ctx;
    ordo_sort_opts const opts =
        ORDO_OPTS(ordo_sort_opts, .flags = j.descending ? ORDO_DESCENDING : 0);
    CHECK(ordo_ctx_create(&ctx, NULL) == ORDO_OK);
    memcpy(keys, j.keys, j.n * j.size);
    if (j.value_size > 0) {
        memcpy(values, j.values, j.n * j.value_size);
        CHECK_STATUS(ORDO_OK, ordo_sort_pairs(ctx, j.type, keys, j.n, values, j.value_size, &opts),
                     ctx);
    } else {
        CHECK_STATUS(ORDO_OK, ordo_sort(ctx, j.type, keys, j.n, &opts), ctx);
    }
    ordo_ctx_free(ctx);
}

static void try_arrays(ordo_type type, size_t value_size, size_t split, const char *shape)
{
    j.type = type;
    j.size = ordo_type_size(type);
    j.value_size = value_size;
    j.n = BYTES / (j.size + value_size);
    j.ranks = RANKS;
    j.descending = split % 2 == 1;
    j.moved = split == 2;
    j.keys = test_need(j.n * j.size);
    j.out = test_need(j.n * j.size);
    j.values = test_need(j.n * value_size + 1);
    j.out_values = test_need(j.n * value_size + 1);
    char *const keys = test_need(j.n * j.size), *const values = test_need(j.n * value_size + 1);
    inputs_fill(inputs_find(shape), type, j.keys, j.n, 5);
    for (uint64_t i = 0; i < j.n && value_size > 0; i++)
        memcpy(j.values + i * value_size, &i, value_size < sizeof i ? value_size : sizeof i);
    memcpy(j.out, j.keys, j.n * j.size);
    memcpy(j.out_values, j.values, j.n * value_size);
    distkit_split(split, j.n, j.ranks, 3, j.starts);
    distkit_split(j.moved ? 0 : split, j.n, j.ranks, 3, j.out_starts);
    testkit_case("%s of %s, values of %zu bytes, split %zu", shape, ordo_type_name(type),
                 value_size, split);
    sort_alone(keys, values);
    CHECK(ordo_dist_threads((int32_t)j.ranks, array_body, NULL) == ORDO_OK);
    for (size_t r = 0; r < j.ranks; r++) {
        CHECK(j.status[r] == ORDO_OK);
        CHECK(j.report[r].exchanges > 0);
        CHECK_EQ_U64(j.starts[r], j.report[r].offset);
        CHECK(j.report[r].spilled >= (j.starts[r + 1] - j.starts[r]) * (j.size + value_size));
        if (!CHECK(j.most[r] <= LIMIT + SLACK))
            printf("rank %zu took %zu bytes\n", r, j.most[r]);
    }
    CHECK_BYTES(keys, j.out, j.n * j.size, j.size);
    CHECK_BYTES(values, j.out_values, j.n * value_size, 1);
    char *const taken[] = {j.keys, j.out, j.values, j.out_values, keys, values};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        free(taken[i]);
}

/* ---- Sources and sinks ---- */

typedef struct stream {
    const char *from;
    char       *to;
    size_t      at, bytes;
} stream;

static ptrdiff_t read_stream(void *user, void *into, size_t bytes)
{
    stream *const s = user;
    size_t const  rest = s->bytes - s->at, some = rest < 4099 ? rest : 4099;
    size_t const  now = some < bytes ? some : bytes;
    memcpy(into, s->from + s->at, now);
    s->at += now;
    return (ptrdiff_t)now;
}

static ptrdiff_t write_stream(void *user, const void *from, size_t bytes)
{
    stream *const s = user;
    size_t const  now = bytes < 1021 ? bytes : 1021;
    if (s->at + now > s->bytes)
        return -1;
    memcpy(s->to + s->at, from, now);
    s->at += now;
    return (ptrdiff_t)now;
}

static void stream_body(void *user, ordo_comm *comm)
{
    size_t const             rank = (size_t)comm->rank, element = j.value_size;
    size_t const             at = j.starts[rank] * element;
    size_t const             bytes = j.starts[rank + 1] * element - at;
    stream                   in = {.from = j.keys + at, .bytes = bytes};
    stream                   out = {.to = j.out + at, .bytes = bytes};
    const size_t *const      key_offset = user;
    ordo_elements const      elements = ORDO_OPTS(ordo_elements, .type = (uint32_t)j.type,
                                                  .size = element, .key_offset = *key_offset);
    ordo_source const        from = ORDO_OPTS(ordo_source, .read = read_stream, .user = &in);
    ordo_sink const          to = ORDO_OPTS(ordo_sink, .write = write_stream, .user = &out);
    ordo_external_opts const opts = ORDO_OPTS(
        ordo_external_opts, .flags = (j.descending ? ORDO_DESCENDING : 0) | ORDO_SPILL_IN_MEMORY,
        .memory = MEMORY, .directories = &directory, .directory_count = 1);
    meter     m = {.lock = PTHREAD_MUTEX_INITIALIZER};
    ordo_ctx *ctx;
    j.report[rank] = ORDO_OPTS(ordo_dist_report, .total = 0);
    j.status[rank] =
        ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CPU, .threads = 1,
                                         .alloc = take, .release = release, .alloc_user = &m));
    if (j.status[rank] != ORDO_OK)
        return;
    j.status[rank] =
        ordo_dist_external_sort(ctx, comm, &elements, &from, &to, &opts, &j.report[rank]);
    if (j.status[rank] != ORDO_OK)
        printf("rank %zu: %s\n", rank, ordo_last_error(ctx));
    CHECK(out.at == bytes);
    if (!CHECK(m.most <= MEMORY + 2 * SLACK))
        printf("rank %zu took %zu bytes\n", rank, m.most);
    ordo_ctx_free(ctx);
}

static void try_streams(ordo_type type, size_t n, size_t record, size_t key_offset, size_t ranks,
                        size_t split)
{
    ordo_ctx    *ctx;
    size_t const key = ordo_type_size(type), element = record > 0 ? record : key;
    j.type = type;
    j.n = n;
    j.ranks = ranks;
    j.value_size = element;
    j.descending = (n + split) % 2 == 1;
    j.keys = test_need(n * element + 1);
    j.out = test_need(n * element + 1);
    char *const expected = test_need(n * element + 1), *const keys = test_need(n * key + 1);
    inputs_fill(inputs_find(split % 2 == 0 ? "random bits" : "few distinct"), type, keys, n, n);
    for (size_t i = 0; i < n; i++) {
        memset(j.keys + i * element, (int)(i & 0xff), element);
        memcpy(j.keys + i * element + key_offset, keys + i * key, key);
    }
    memcpy(expected, j.keys, n * element);
    distkit_split(split, n, ranks, 9, j.starts);
    testkit_case("%zu %s in %zu bytes, %zu ranks, split %zu", n, ordo_type_name(type), element,
                 ranks, split);
    uint64_t const flags = j.descending ? ORDO_DESCENDING : 0;
    CHECK(ordo_ctx_create(&ctx, NULL) == ORDO_OK);
    CHECK_STATUS(ORDO_OK,
                 record == 0
                     ? ordo_sort(ctx, type, expected, n, &ORDO_OPTS(ordo_sort_opts, .flags = flags))
                     : ordo_sort_records(ctx, expected, n, record, key_offset, type,
                                         &ORDO_OPTS(ordo_sort_opts, .flags = flags)),
                 ctx);
    ordo_ctx_free(ctx);
    CHECK(ordo_dist_threads((int32_t)ranks, stream_body, &key_offset) == ORDO_OK);
    for (size_t r = 0; r < ranks; r++) {
        CHECK(j.status[r] == ORDO_OK);
        CHECK_EQ_U64(n, j.report[r].total);
    }
    CHECK_BYTES(expected, j.out, n * element, element);
    free(keys);
    free(expected);
    free(j.keys);
    free(j.out);
}

int main(void)
{
    const char *const named = getenv("TMPDIR");
    directory = named != NULL && named[0] != 0 ? named : "/var/tmp";
    size_t const every = getenv("ORDO_TEST_BIG") != NULL ? 1 : LARGE_EVERY;
    testkit_start();
    for (size_t i = 0; i < INPUTS_TYPES; i++) {
        if ((i + 1) % every == 0)
            try_arrays(inputs_types[i], 0, i % DISTKIT_SPLITS,
                       i % 3 == 2 ? "few distinct" : "random bits");
        for (size_t ranks = 1; ranks <= 64; ranks *= 4) {
            try_streams(inputs_types[i], 900 * i, 0, 0, ranks, i % DISTKIT_SPLITS);
            try_streams(inputs_types[i], 50 + 300 * i, 21, 5, ranks, (i + 1) % DISTKIT_SPLITS);
        }
    }
    try_arrays(ORDO_U32, 8, 0, "few distinct");
    try_arrays(ORDO_F64, 3, 1, "random bits");
    try_arrays(ORDO_I16, 12, 2, "few distinct");
    try_streams(ORDO_U64, 3000000, 0, 0, 2, 0);
    try_streams(ORDO_U32, 1500, 16 << 10, 100, 2, 0); /* 512 records fill the memory */
    try_streams(ORDO_F64, 200, 100000, 8, 3, 1);
    return testkit_done();
}

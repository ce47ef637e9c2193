/* ranks_cuda.c - the program ordo-ranks-cuda: times calls over many ranks on arrays in the memory
 * of one GPU, beside the same calls of one context.
 *
 *     ordo-ranks-cuda [-n KEYS] [-t TYPE] [-r ROUNDS] RANKS...
 *     mpirun -n RANKS ordo-ranks-mpi [-n KEYS] [-t TYPE] [-r ROUNDS]
 *
 * The first program has ranks that are threads: "direct" copies from array to array, "staged" goes
 * through pinned host memory. The second one is this file compiled with -DRANKS_MPI and mpicc. All
 * ranks share the GPU, so a time is that of all the work of one array. The bytes of the sorts are
 * compared. Prints medians. */
#define _GNU_SOURCE
#ifdef RANKS_MPI
#include "ordo_mpi.h"
#endif
#include "bench/harness/ranks_times.h"

#include <cuda_runtime_api.h>
#include <string.h>

enum {
    CALLS = 5 /* sort, average ranks, median, prefix sums, 99 percentiles */
};

typedef struct bench {
    ordo_type        type;
    size_t           n, size, rounds;
    char            *keys, *work, *results, *expected; /* of this process, on the GPU */
    bool             staged;
    ranks_times      times[CALLS];
    ordo_dist_report report[CALLS];
    ordo_status      status;
} bench;

static void must(bool fine, const char *what)
{
    if (fine)
        return;
    fprintf(stderr, "ordo-ranks-cuda: %s failed\n", what);
    exit(2);
}

/* ---- A transport that hides that the ranks are threads ---- */

static int hidden_exchange(void *user, const char *send, const uint64_t *send_at,
                           const uint64_t *send_bytes, char *receive, const uint64_t *receive_at,
                           const uint64_t *receive_bytes)
{
    const ordo_comm *const in = user;
    return in->exchange(in->user, send, send_at, send_bytes, receive, receive_at, receive_bytes);
}

static int hidden_allgather(void *user, const void *mine, const uint64_t *bytes_of, void *all)
{
    const ordo_comm *const in = user;
    return in->allgather(in->user, mine, bytes_of, all);
}

static int hidden_sum(void *user, uint64_t *values, size_t count)
{
    const ordo_comm *const in = user;
    return in->sum(in->user, values, count);
}

static int hidden_prefix(void *user, uint64_t *values, size_t count)
{
    const ordo_comm *const in = user;
    return in->prefix(in->user, values, count);
}

static ordo_comm hidden(ordo_comm *inner)
{
    return ORDO_OPTS(ordo_comm, .rank = inner->rank, .size = inner->size, .user = inner,
                     .allgather = hidden_allgather, .sum = hidden_sum, .prefix = hidden_prefix,
                     .exchange = hidden_exchange, .give_up = NULL);
}

/* ---- The calls ---- */

/* One call on this rank's n keys at `keys`, which are copied from `source`. */
static ordo_status call(const bench *b, ordo_ctx *ctx, const ordo_comm *comm, int what, char *keys,
                        size_t n, char *results, const ordo_dist_opts *opts)
{
    double median, q[RANKS_PERCENTILES], found[RANKS_PERCENTILES];
    ranks_percentiles(q);
    switch (what) {
    case 0:
        return ordo_dist_sort(ctx, comm, b->type, keys, n, opts);
    case 1:
        return ordo_dist_rank(ctx, comm, b->type, keys, n, ORDO_TIES_AVERAGE, ORDO_F64, results,
                              opts);
    case 2:
        return ordo_dist_median(ctx, comm, b->type, keys, n, &median, ORDO_NANS_LAST, opts);
    case 3:
        return ordo_dist_scan(ctx, comm, ORDO_SUM, b->type, keys, n, b->type, results, opts);
    default:
        return ordo_dist_quantiles(ctx, comm, b->type, keys, n, q, RANKS_PERCENTILES, found,
                                   ORDO_NANS_LAST, ORDO_METHOD_DEFAULT, opts);
    }
}

static void time_call(bench *b, ordo_ctx *ctx, const ordo_comm *comm, cudaStream_t stream, int what,
                      size_t round, size_t from, size_t n)
{
    ordo_dist_report     report = ORDO_OPTS(ordo_dist_report, .total = 0);
    ordo_dist_opts const opts =
        ORDO_OPTS(ordo_dist_opts, .flags = ORDO_ON_DEVICE, .report = &report, .stream = stream);
    char *const keys = b->work + from * b->size;
    must(cudaMemcpy(keys, b->keys + from * b->size, n * b->size, cudaMemcpyDeviceToDevice) ==
                 cudaSuccess &&
             cudaDeviceSynchronize() == cudaSuccess,
         "cudaMemcpy");
    ranks_meet(comm);
    ranks_moment const begun = ranks_now();
    ordo_status const  status =
        call(b, ctx, comm, what, keys, n, b->results + from * sizeof(double), &opts);
    ranks_meet(comm);
    if (status != ORDO_OK)
        fprintf(stderr, "ordo-ranks-cuda: rank %d: %s\n", (int)comm->rank, ordo_last_error(ctx));
    must(status == ORDO_OK, "a call");
    if (comm->rank != 0)
        return;
    ranks_note(&b->times[what], round, begun);
    b->report[what] = report;
}

static void body(void *user, ordo_comm *given)
{
    bench *const    b = user;
    ordo_comm const comm = b->staged ? hidden(given) : *given;
    ordo_ctx       *ctx;
    cudaStream_t    stream;
    size_t const    size = (size_t)comm.size, rank = (size_t)comm.rank;
    size_t const    from = b->n / size * rank, to = rank + 1 == size ? b->n : from + b->n / size;
#ifdef RANKS_MPI
    size_t const start = 0; /* every process has its own arrays */
#else
    size_t const start = from;
#endif
    must(ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CUDA, .threads = 1)) ==
             ORDO_OK,
         "ordo_ctx_create");
    must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess, "a stream");
    for (int what = CALLS - 1; what >= 0; what--)
        for (size_t round = 0; round <= b->rounds; round++)
            time_call(b, ctx, &comm, stream, what, round, start, to - from);
    (void)cudaStreamDestroy(stream);
    ordo_ctx_free(ctx);
}

/* ---- Output ---- */

static void print(const char *label, bench *b)
{
    printf("%-14s", label);
    for (int what = 0; what < CALLS; what++)
        printf(" %10.2f", 1e3 * ranks_value(b->times[what].elapsed, b->rounds, 0.5));
    const ordo_dist_report *const r = &b->report[0];
    if (r->total != 0)
        printf("   sort: local %.2f cuts %.2f exchange %.2f second sort %.2f",
               1e3 * r->local_seconds, 1e3 * r->cut_seconds, 1e3 * r->exchange_seconds,
               1e3 * r->merge_seconds);
    putchar('\n');
    fflush(stdout);
}

static void print_head(const bench *b)
{
    printf("%zu %s keys on one GPU, uniform, medians of %zu rounds, ms\n", b->n,
           ordo_type_name(b->type), b->rounds);
    printf("%-14s %10s %10s %10s %10s %11s\n", "", "sort", "ranks", "median", "sums",
           "percentiles");
}

static char *make(size_t bytes)
{
    void *array = NULL;
    must(cudaMalloc(&array, bytes) == cudaSuccess, "cudaMalloc");
    return array;
}

static void read_options(bench *b, int argc, char **argv, int *at)
{
    *b = (bench){.type = ORDO_U64, .n = 100000000, .rounds = 5};
    for (*at = 1; *at + 1 < argc && argv[*at][0] == '-'; *at += 2)
        if (argv[*at][1] == 'n')
            b->n = (size_t)strtod(argv[*at + 1], NULL);
        else if (argv[*at][1] == 't')
            b->type = (ordo_type)ordo_type_parse(argv[*at + 1]);
        else if (argv[*at][1] == 'r')
            b->rounds = (size_t)strtoul(argv[*at + 1], NULL, 10);
    b->size = ordo_type_size(b->type);
    must(b->size > 0 && b->n > 0 && b->rounds > 0 && b->rounds <= RANKS_MOST_ROUNDS,
         "reading options");
}

/* Arrays of n keys; the keys begin at number `first` of one global array. */
static void make_arrays(bench *b, size_t first, size_t n)
{
    ordo_ctx   *ctx = NULL;
    char *const host = malloc((first + n) * b->size + 1);
    must(host != NULL &&
             ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CPU)) == ORDO_OK &&
             ordo_gen(ctx, ORDO_DIST_UNIFORM, b->type, host, first + n, NULL) == ORDO_OK,
         "making keys");
    ordo_ctx_free(ctx);
    b->keys = make(n * b->size + 1);
    b->work = make(n * b->size + 1);
    b->results = make(n * sizeof(double) + 1);
    must(cudaMemcpy(b->keys, host + first * b->size, n * b->size, cudaMemcpyHostToDevice) ==
             cudaSuccess,
         "cudaMemcpy");
    free(host);
}

#ifdef RANKS_MPI

int main(int argc, char **argv)
{
    static bench b;
    ordo_comm    comm;
    char         label[40];
    int          at, provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    read_options(&b, argc, argv, &at);
    must(ordo_mpi_open(MPI_COMM_WORLD, &comm) == ORDO_OK, "ordo_mpi_open");
    size_t const size = (size_t)comm.size, rank = (size_t)comm.rank;
    size_t const from = b.n / size * rank, to = rank + 1 == size ? b.n : from + b.n / size;
    make_arrays(&b, from, to - from);
    body(&b, &comm);
    if (comm.rank == 0) {
        print_head(&b);
        snprintf(label, sizeof label, "%zu %s", size,
                 comm.moves_device_memory != 0 ? "CUDA-aware" : "staged");
        print(label, &b);
    }
    ordo_mpi_close(&comm);
    MPI_Finalize();
    return 0;
}

#else

/* One call of one context, on the keys; a sort is of `expected`. */
static ordo_status call_alone(const bench *b, ordo_ctx *ctx, int what)
{
    uint64_t const flags = ORDO_ON_DEVICE;
    double median, q[RANKS_PERCENTILES], found[RANKS_PERCENTILES];
    ranks_percentiles(q);
    switch (what) {
    case 0:
        return ordo_sort(ctx, b->type, b->expected, b->n,
                         &ORDO_OPTS(ordo_sort_opts, .flags = flags));
    case 1:
        return ordo_rank(ctx, b->type, b->keys, b->n, ORDO_F64, b->results,
                         &ORDO_OPTS(ordo_rank_opts, .ties = ORDO_TIES_AVERAGE, .flags = flags));
    case 2:
        return ordo_median(ctx, b->type, b->keys, b->n, &median,
                           &ORDO_OPTS(ordo_quantile_opts, .flags = flags));
    case 3:
        return ordo_scan(ctx, ORDO_SUM, b->type, b->keys, b->n, b->type, b->results,
                         &ORDO_OPTS(ordo_scan_opts, .flags = flags));
    default:
        return ordo_quantiles(ctx, b->type, b->keys, b->n, q, RANKS_PERCENTILES, found,
                              &ORDO_OPTS(ordo_quantile_opts, .flags = flags));
    }
}

/* The calls of one context; the sorted keys stay in `expected`. */
static void alone(bench *b)
{
    ordo_ctx *ctx;
    b->expected = make(b->n * b->size);
    must(ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CUDA)) == ORDO_OK,
         "ordo_ctx_create");
    for (int what = CALLS - 1; what >= 0; what--) /* the sort is last */
        for (size_t round = 0; round <= b->rounds; round++) {
            must(cudaMemcpy(b->expected, b->keys, b->n * b->size, cudaMemcpyDeviceToDevice) ==
                         cudaSuccess &&
                     cudaDeviceSynchronize() == cudaSuccess,
                 "cudaMemcpy");
            ranks_moment const begun = ranks_now();
            must(call_alone(b, ctx, what) == ORDO_OK && cudaDeviceSynchronize() == cudaSuccess,
                 "a call of one context");
            ranks_note(&b->times[what], round, begun);
        }
    ordo_ctx_free(ctx);
    print("one context", b);
}

/* Whether two arrays of the GPU have the same bytes. */
static bool same(const bench *b)
{
    enum {
        PIECE = 1 << 24
    };
    static char a[PIECE], c[PIECE];
    for (size_t at = 0; at < b->n * b->size; at += PIECE) {
        size_t const bytes = b->n * b->size - at < PIECE ? b->n * b->size - at : PIECE;
        must(cudaMemcpy(a, b->work + at, bytes, cudaMemcpyDeviceToHost) == cudaSuccess &&
                 cudaMemcpy(c, b->expected + at, bytes, cudaMemcpyDeviceToHost) == cudaSuccess,
             "cudaMemcpy");
        if (memcmp(a, c, bytes) != 0)
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    static bench b;
    char label[40];
    int at;
    read_options(&b, argc, argv, &at);
    make_arrays(&b, 0, b.n);
    print_head(&b);
    alone(&b);
    for (; at < argc; at++)
        for (int staged = 0; staged < 2; staged++) {
            b.staged = staged != 0;
            must(ordo_dist_threads((int32_t)strtol(argv[at], NULL, 10), body, &b) == ORDO_OK,
                 "ordo_dist_threads");
            must(same(&b), "the comparison of the sorted keys");
            snprintf(label, sizeof label, "%s %s", argv[at], staged != 0 ? "staged" : "direct");
            print(label, &b);
        }
    return 0;
}

#endif

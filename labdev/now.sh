#!/bin/sh
# prune.sh - what each path of the GPU backend wins: times the jobs that a path serves with all
# paths and without that path. Run it in the repository root of a tree with prune.patch applied and
# a release build in build/. PRUNE_SECONDS: the time for all jobs (default 170).
set -eu
root=$(pwd)
work=${PRUNE_WORK:-$root/build/prune}
mkdir -p "$work"
lib=$(find "$root/build" -maxdepth 2 -name 'libordo.so' | head -n 1)
[ -n "$lib" ] || { echo "prune.sh: no build/libordo.so" >&2; exit 1; }
export ORDO_BACKEND_DIR="$(dirname "$(find "$root/build" -maxdepth 3 -name libordo_cuda.so | head -n 1)")"
cat > "$work/prune.cu" <<'CU'
#include <cuda_runtime.h>
#include <ordo.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t const error_ = (call);                                                         \
        if (error_ != cudaSuccess) {                                                               \
            printf("%s: %s\n", #call, cudaGetErrorString(error_));                                 \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

enum verb { SORT, PAIRS, PAIRS8, ARGSORT, RANK, TOPK, SELECT, SCAN, BITS, SPLIT, ORDER };
static const char *const verb_name[] = {"sort", "pairs", "pairs/8", "argsort", "rank", "topk",
                                        "select", "scan", "bits", "split", "order"};

struct job {
    verb                     what;
    ordo_type                type;
    ordo_dist                dist;
    double                   lg; /* of n */
    uint64_t                 k;  /* of the distribution */
    size_t                   count; /* positions or winners */
    std::vector<std::string> skip;
};

typedef std::vector<std::string> S;
static std::vector<job> jobs;

static void add(verb what, ordo_type type, ordo_dist dist, uint64_t k, std::vector<double> lgs,
                S skip, size_t count = 0)
{
    for (double lg : lgs)
        jobs.push_back({what, type, dist, lg, k, count, skip});
}

static void list(void)
{
    ordo_dist const U = ORDO_DIST_UNIFORM, N = ORDO_DIST_NORMAL, Z = ORDO_DIST_ZIPF;
    ordo_dist const L = ORDO_DIST_LOGUNIFORM, F = ORDO_DIST_FEW, P = ORDO_DIST_PRICES;
    S const one = {"radix/block", "radix/buckets"}, cluster = {"radix/cluster", "radix/parts"};
    S const only_cluster = {"radix/cluster"};
    add(SORT, ORDO_U32, U, 0, {8, 10, 11, 12}, one);
    add(SORT, ORDO_U32, Z, 0, {12}, one);
    add(SORT, ORDO_F32, N, 0, {12}, one);
    add(SORT, ORDO_U64, U, 0, {10, 12}, one);
    add(SORT, ORDO_U64, L, 0, {12}, one);
    add(PAIRS, ORDO_U32, U, 0, {10, 12}, one);
    add(PAIRS, ORDO_U32, F, 100, {12}, one);
    add(ARGSORT, ORDO_F32, U, 0, {10, 12}, one);
    add(SORT, ORDO_U32, U, 0, {12.5, 13, 14, 15, 16}, cluster);
    add(SORT, ORDO_F32, N, 0, {14}, cluster);
    add(SORT, ORDO_U32, Z, 0, {14}, cluster);
    add(SORT, ORDO_U64, U, 0, {13, 14, 16}, cluster);
    add(SORT, ORDO_U64, L, 0, {14}, cluster);
    add(PAIRS, ORDO_U32, U, 0, {13, 14, 16}, only_cluster);
    add(ARGSORT, ORDO_F32, U, 0, {13, 14, 16}, only_cluster);
    add(ARGSORT, ORDO_U64, U, 0, {14, 16}, only_cluster);

    add(SORT, ORDO_U32, U, 0, {16.5, 17, 18, 19}, {"radix/grid", "radix/grid short"});
    add(SORT, ORDO_U32, U, 0, {20, 21, 22}, {"radix/grid"});
    add(SORT, ORDO_U32, N, 0, {17, 19, 21}, {"radix/grid", "radix/curve"});
    add(SORT, ORDO_F32, N, 0, {17, 19, 21}, {"radix/grid", "radix/curve"});
    add(SORT, ORDO_U32, L, 0, {18, 20}, {"radix/grid", "radix/curve"});
    add(SORT, ORDO_U32, Z, 0, {17, 18}, {"radix/grid", "radix/frequent"});
    add(SORT, ORDO_U32, P, 0, {17, 18}, {"radix/grid", "radix/frequent"});
    add(SORT, ORDO_U32, F, 100, {17, 18, 20, 22}, {"radix/grid", "radix/frequent"});
    add(SORT, ORDO_U32, Z, 0, {20}, {"radix/grid", "radix/prefix"});
    add(SORT, ORDO_U32, Z, 0, {21, 22}, {"radix/middle tiles", "radix/copies", "radix/grid"});
    add(PAIRS, ORDO_U32, Z, 0, {17, 18}, {"radix/grid", "radix/frequent"});
    add(PAIRS, ORDO_U32, Z, 0, {20}, {"radix/middle tiles", "radix/grid"});
    add(PAIRS, ORDO_U32, U, 0, {17, 19}, {"radix/grid", "radix/grid short"});
    add(PAIRS, ORDO_U32, U, 0, {20, 21}, {"radix/grid"});
    add(PAIRS8, ORDO_U32, U, 0, {18, 20, 21}, {"radix/grid"});
    add(ARGSORT, ORDO_F32, U, 0, {17, 19, 20, 21, 22}, {"radix/grid"});

    add(SORT, ORDO_U64, U, 0, {18, 19}, {"radix/prefix"});
    add(SORT, ORDO_U64, U, 0, {20, 22, 24, 26},
        {"radix/prefix", "radix/leaves", "radix/wide histogram", "radix/loose"});
    add(SORT, ORDO_U64, ORDO_DIST_TIMESTAMPS, 1000, {22, 24},
        {"radix/prefix", "radix/unlike", "radix/copies", "radix/wide histogram"});
    add(SORT, ORDO_F64, U, 0, {24, 26}, {"radix/even", "radix/leaves", "radix/prefix"});
    add(SORT, ORDO_F64, N, 0, {24}, {"radix/even", "radix/leaves", "radix/prefix"});
    add(SORT, ORDO_U32, U, 0, {23, 24, 26, 28}, {"radix/even", "radix/leaves"});
    add(SORT, ORDO_U32, N, 0, {24, 28}, {"radix/even", "radix/leaves"});
    add(SORT, ORDO_F32, ORDO_DIST_SIGNED, 0, {24, 28}, {"radix/even"});
    add(SORT, ORDO_F32, N, 0, {24, 28}, {"radix/even", "radix/refine"});
    add(SORT, ORDO_U32, Z, 0, {24, 26},
        {"radix/copies", "radix/wide histogram", "radix/loose", "radix/prefix"});
    add(SORT, ORDO_U32, L, 0, {24},
        {"radix/wide histogram", "radix/loose", "radix/prefix", "radix/even", "radix/leaves"});
    add(SORT, ORDO_U32, ORDO_DIST_SENSORS, 100, {22, 24}, {"radix/unlike", "radix/copies"});
    add(PAIRS, ORDO_U32, U, 0, {22, 24, 26}, {"radix/leaves", "radix/prefix", "radix/wide histogram"});
    add(PAIRS, ORDO_U32, N, 0, {24, 27}, {"radix/leaves", "radix/large leaves"});
    add(PAIRS, ORDO_U64, U, 0, {22, 24}, {"radix/prefix"});
    add(ARGSORT, ORDO_U32, U, 0, {23, 24, 26, 28}, {"radix/even"});
    add(ARGSORT, ORDO_F32, N, 0, {24, 27}, {"radix/even", "radix/refine"});
    add(ARGSORT, ORDO_U64, U, 0, {24, 26}, {"radix/even", "radix/prefix"});
    add(ARGSORT, ORDO_F64, U, 0, {24}, {"radix/even", "radix/prefix"});
    add(SORT, ORDO_U16, U, 0, {15, 20, 24, 27}, {"radix/counting"});
    add(SORT, ORDO_U8, U, 0, {15, 20, 27}, {"radix/counting"});

    add(SORT, ORDO_U32, ORDO_DIST_SORTED, 0, {25, 27}, {"sort/ordered"});
    add(SORT, ORDO_U32, ORDO_DIST_REVERSE, 0, {25, 27}, {"sort/ordered (reversed)"});
    add(SORT, ORDO_U32, ORDO_DIST_KSORTED, 10, {27},
        {"sort/ordered", "sort/ordered (guess)", "sort/ordered (warp)"});
    add(SORT, ORDO_U32, ORDO_DIST_KSORTED, 100, {27},
        {"sort/ordered", "sort/ordered (guess)", "sort/ordered (warp)"});
    add(SORT, ORDO_U64, ORDO_DIST_KSORTED, 50, {26},
        {"sort/ordered", "sort/ordered (guess)", "sort/ordered (warp)"});
    add(SORT, ORDO_U32, ORDO_DIST_KSORTED, 400, {27}, {"sort/ordered", "sort/ordered (guess)"});
    add(SORT, ORDO_U32, ORDO_DIST_KSORTED, 5000, {27}, {"sort/ordered", "sort/ordered (measured)"});
    add(SORT, ORDO_U32, F, 100, {25, 27},
        {"sort/few values", "sort/few values (block table)"});
    add(SORT, ORDO_U32, F, 3000, {25, 27}, {"sort/few values", "sort/few values (many)"});
    add(SORT, ORDO_U64, F, 100, {26}, {"sort/few values", "sort/few values (block table)"});
    add(SORT, ORDO_U64, F, 3000, {26}, {"sort/few values", "sort/few values (many)"});

    add(RANK, ORDO_F32, U, 0, {18, 20, 21, 22}, {"rank/scatter"});
    add(TOPK, ORDO_F32, U, 0, {10, 12, 14}, {"topk/block"}, 16);
    add(TOPK, ORDO_F32, U, 0, {14}, {"topk/block"}, 1024);
    add(TOPK, ORDO_F32, U, 0, {23.5, 24, 26, 28}, {"topk/sample"}, 100);
    add(TOPK, ORDO_F32, U, 0, {26}, {"topk/sample"}, 10000);
    add(TOPK, ORDO_F32, F, 100, {22, 26}, {"topk/ties"}, 100);
    add(TOPK, ORDO_F32, U, 0, {20}, {"topk/argsort"}, 1 << 17);
    add(TOPK, ORDO_F32, U, 0, {24}, {"topk/argsort"}, 3 << 19);
    add(TOPK, ORDO_F32, U, 0, {26}, {"topk/argsort"}, 1 << 24);
    add(SELECT, ORDO_F32, U, 0, {10, 12, 14}, {"select/block"}, 1);
    add(SELECT, ORDO_F32, U, 0, {12, 14}, {"select/block"}, 9);
    add(SELECT, ORDO_F32, U, 0, {23.5, 24, 26, 28}, {"select/sample"}, 1);
    add(SELECT, ORDO_F32, U, 0, {24, 26, 28}, {"select/sample", "select/map"}, 9);
    add(SELECT, ORDO_F32, U, 0, {26, 28}, {"select/map"}, 32);
    add(SELECT, ORDO_F32, U, 0, {20, 22}, {"select/sorted copy"}, 64);
    add(SELECT, ORDO_F32, U, 0, {26}, {"select/sorted copy"}, 256);
    add(SELECT, ORDO_F32, U, 0, {26}, {"select/sorted copy"}, 1024);

    add(SCAN, ORDO_U32, U, 0, {12, 14, 16}, {"scan/cluster"});
    add(SCAN, ORDO_U32, U, 0, {20, 21, 22, 24, 26, 28}, {"scan/stream"});
    add(SCAN, ORDO_U64, U, 0, {20, 22, 24, 26}, {"scan/stream"});
    add(BITS, ORDO_U32, U, 0, {14, 16}, {"scan/cluster"});
    add(BITS, ORDO_U32, U, 0, {26, 28}, {"bits/large"});
    add(SPLIT, ORDO_U32, U, 0, {10, 13, 15}, {"scan/cluster"});
    add(ORDER, ORDO_F32, ORDO_DIST_SORTED, 0, {8, 12, 14, 15}, {"order/alone"});
}

static __global__ void differ(const uint32_t *a, const uint32_t *b, size_t n, unsigned *out)
{
    bool mine = false;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        mine |= a[i] != b[i];
    if (mine)
        *out = 1;
}

struct arrays { /* of a job, for several calls in a row */
    char  *given, *work, *values, *out, *first;
    size_t n, bytes, out_bytes, calls;
};

static ordo_ctx *cpu, *gpu;
static unsigned *flag;

static void must(ordo_status status, ordo_ctx *ctx, const char *what)
{
    if (status == ORDO_OK)
        return;
    printf("%s: %s\n", what, ordo_last_error(ctx));
    exit(1);
}

static void call(const job &j, const arrays &a, size_t c)
{
    char *const keys = a.work + c * a.bytes, *const out = a.out + c * a.out_bytes;
    ordo_sort_opts sort = {};
    sort.struct_size = sizeof sort;
    sort.flags = ORDO_ON_DEVICE;
    ordo_rank_opts rank = {};
    rank.struct_size = sizeof rank;
    rank.flags = ORDO_ON_DEVICE;
    ordo_select_opts select = {};
    select.struct_size = sizeof select;
    select.flags = ORDO_ON_DEVICE;
    ordo_scan_opts scan = {};
    scan.struct_size = sizeof scan;
    scan.flags = ORDO_ON_DEVICE;
    ordo_partition_opts split = {};
    split.struct_size = sizeof split;
    split.flags = ORDO_ON_DEVICE;
    ordo_order_opts order = {};
    order.struct_size = sizeof order;
    order.flags = ORDO_ON_DEVICE;
    static size_t k[2048];
    size_t        where;
    int           sorted;
    for (size_t i = 0; j.what == SELECT && i < j.count; i++)
        k[i] = (size_t)((double)a.n * (i + 1) / (j.count + 1));
    switch (j.what) {
    case SORT: must(ordo_sort(gpu, j.type, keys, a.n, &sort), gpu, "sort"); break;
    case PAIRS: must(ordo_sort_pairs(gpu, j.type, keys, a.n, out, 4, &sort), gpu, "pairs"); break;
    case PAIRS8: must(ordo_sort_pairs(gpu, j.type, keys, a.n, out, 8, &sort), gpu, "pairs"); break;
    case ARGSORT:
        must(ordo_argsort(gpu, j.type, keys, a.n, ORDO_U32, out, &sort), gpu, "argsort");
        break;
    case RANK: must(ordo_rank(gpu, j.type, keys, a.n, ORDO_U32, out, &rank), gpu, "rank"); break;
    case TOPK:
        must(ordo_topk(gpu, j.type, keys, a.n, j.count, NULL, ORDO_U32, out, NULL, &select), gpu,
             "topk");
        break;
    case SELECT:
        must(ordo_select(gpu, j.type, keys, a.n, k, j.count, out, &select), gpu, "select");
        break;
    case SCAN:
        must(ordo_scan(gpu, ORDO_SUM, j.type, keys, a.n, j.type, out, &scan), gpu, "scan");
        break;
    case BITS:
        must(ordo_scan_bits(gpu, ORDO_FLAG_BITS, keys, a.n, ORDO_U32, out, NULL, &scan), gpu,
             "bits");
        break;
    case SPLIT:
        must(ordo_partition(gpu, ORDO_FLAG_BITS, keys, keys, a.n, 4, out, NULL, &split), gpu,
             "split");
        break;
    case ORDER:
        must(ordo_is_sorted(gpu, j.type, keys, a.n, &sorted, &where, &order), gpu, "order");
        break;
    }
}

/* Milliseconds of one call. */
static double once(const job &j, const arrays &a, const char *skip)
{
    static cudaEvent_t begin, end;
    float              ms;
    if (begin == NULL) {
        CHECK(cudaEventCreate(&begin));
        CHECK(cudaEventCreate(&end));
    }
    setenv("ORDO_SKIP_PATH", skip, 1);
    bool const moved = j.what == SORT || j.what == PAIRS || j.what == PAIRS8;
    for (size_t c = 0; c < a.calls; c++) {
        if (moved)
            CHECK(cudaMemcpyAsync(a.work + c * a.bytes, a.given, a.bytes, cudaMemcpyDeviceToDevice));
        if (j.what == PAIRS || j.what == PAIRS8)
            CHECK(cudaMemcpyAsync(a.out + c * a.out_bytes, a.values, a.out_bytes,
                                  cudaMemcpyDeviceToDevice));
    }
    CHECK(cudaEventRecord(begin));
    for (size_t c = 0; c < a.calls; c++)
        call(j, a, c);
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    return ms / (double)a.calls;
}

static bool same(const char *a, const char *b, size_t bytes)
{
    unsigned found = 0;
    CHECK(cudaMemset(flag, 0, sizeof *flag));
    differ<<<1024, 256>>>((const uint32_t *)a, (const uint32_t *)b, bytes / 4, flag);
    CHECK(cudaMemcpy(&found, flag, sizeof found, cudaMemcpyDeviceToHost));
    return found == 0;
}

static double seconds(void)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

static size_t n_of(const job &j) { return (size_t)__builtin_exp2(j.lg); }

/* The device copy of the keys of a job; made again only if they differ from those of before. */
static char *keys_of(const job &j, size_t bytes)
{
    static std::string made;
    static char       *device;
    static size_t      room;
    char               name[80];
    snprintf(name, sizeof name, "%d %d %.2f %zu", (int)j.type, (int)j.dist, j.lg, (size_t)j.k);
    if (made == name)
        return device;
    if (bytes > room) {
        CHECK(cudaFree(device));
        CHECK(cudaMalloc(&device, room = bytes));
    }
    static std::vector<uint64_t> host;
    host.resize((bytes + 7) / 8);
    ordo_gen_opts gen = {};
    gen.struct_size = sizeof gen;
    gen.seed = 7;
    gen.k = j.k;
    must(ordo_gen(cpu, j.dist, j.type, host.data(), n_of(j), &gen), cpu, "gen");
    CHECK(cudaMemcpy(device, host.data(), bytes, cudaMemcpyHostToDevice));
    made = name;
    return device;
}

static void run(const job &j, double limit)
{
    static char  *pool[4];
    static size_t room[4];
    size_t const  pad = 256, size = ordo_type_size(j.type);
    arrays        a = {};
    a.n = n_of(j);
    size_t const n_out = j.what == TOPK || j.what == SELECT ? j.count : a.n;
    a.bytes = (a.n * size + pad - 1) / pad * pad;
    a.out_bytes = (n_out * (j.what == PAIRS8 || (j.what == SCAN && size == 8) ? 8 : 4) + pad - 1) /
                  pad * pad;
    a.calls = std::max<size_t>(1, std::min<size_t>(32, ((size_t)64 << 20) / a.bytes));
    a.given = keys_of(j, a.bytes);
    size_t const want[4] = {a.bytes * a.calls, a.out_bytes * a.calls, a.out_bytes,
                            std::max(a.bytes, a.out_bytes)};
    for (int i = 0; i < 4; i++)
        if (want[i] > room[i]) {
            CHECK(cudaFree(pool[i]));
            CHECK(cudaMalloc(&pool[i], room[i] = want[i]));
        }
    a.work = pool[0];
    a.out = pool[1];
    a.values = pool[2];
    a.first = pool[3];
    bool const moved = j.what == SORT || j.what == PAIRS || j.what == PAIRS8;
    for (size_t c = 0; !moved && c < a.calls; c++)
        CHECK(cudaMemcpy(a.work + c * a.bytes, a.given, a.bytes, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemset(a.values, 1, a.out_bytes));
    CHECK(cudaMemset(a.out, 0, a.out_bytes * a.calls));

    size_t const                     variants = 1;
    std::vector<std::vector<double>> times(variants);
    std::vector<const char *>        skip(1, "");
    std::vector<bool>                equal(variants, true);
    std::string                      path;
    for (const std::string &name : j.skip)
        skip.push_back(name.c_str());
    size_t const result_bytes = j.what == SORT ? a.bytes : a.out_bytes;
    for (size_t v = 0; v < variants; v++) {
        (void)once(j, a, skip[v]);
        (void)once(j, a, skip[v]);
        const char *const result = j.what == SORT ? a.work : a.out;
        if (v == 0)
            CHECK(cudaMemcpy(a.first, result, result_bytes, cudaMemcpyDeviceToDevice));
        else if (j.what != ORDER)
            equal[v] = same(a.first, result, result_bytes / 4 * 4);
    }
    double const start = seconds();
    for (int round = 0; round < 15 && (round < 4 || seconds() - start < limit); round++)
        for (size_t v = 0; v < variants; v++)
            times[v].push_back(once(j, a, skip[v]));
    for (size_t v = 0; v < variants; v++)
        std::sort(times[v].begin(), times[v].end());
    for (size_t v = 0; v < variants; v++) {
        double const with = times[0][times[0].size() / 2], without = times[v][times[v].size() / 2];
        char         text[80];
        ordo_dist const d = j.dist;
        snprintf(text, sizeof text, "%s %s %s", verb_name[j.what], ordo_type_name(j.type),
                 d == ORDO_DIST_UNIFORM      ? "uniform"
                 : d == ORDO_DIST_NORMAL     ? "normal"
                 : d == ORDO_DIST_ZIPF       ? "zipf"
                 : d == ORDO_DIST_LOGUNIFORM ? "loguniform"
                 : d == ORDO_DIST_FEW        ? "few"
                 : d == ORDO_DIST_PRICES     ? "prices"
                 : d == ORDO_DIST_SORTED     ? "sorted"
                 : d == ORDO_DIST_REVERSE    ? "reverse"
                 : d == ORDO_DIST_KSORTED    ? "ksorted"
                 : d == ORDO_DIST_SIGNED     ? "signed"
                 : d == ORDO_DIST_SENSORS    ? "sensors"
                 : d == ORDO_DIST_TIMESTAMPS ? "timestamps"
                                             : "?");
        printf("%-30s %-26s 2^%-5.4g %6zu %6zu %10.4f %10.4f %7.3f%s\n", j.skip.empty() ? "-" : j.skip[0].c_str(), text, j.lg,
               (size_t)j.k, j.count, with, without, without / with, equal[v] ? "" : "  DIFFERENT");
    }
    fflush(stdout);
}

int main(void)
{
    const char *const given = getenv("PRUNE_SECONDS");
    double const      budget = given != NULL ? atof(given) : 170, start = seconds();
    ordo_ctx_opts     opts = {};
    opts.struct_size = sizeof opts;
    opts.where = ORDO_CPU;
    must(ordo_ctx_create(&cpu, &opts), NULL, "context");
    opts.where = ORDO_CUDA;
    must(ordo_ctx_create(&gpu, &opts), NULL, "context of the GPU");
    CHECK(cudaMalloc(&flag, sizeof *flag));
    list();
    /* Jobs of the same keys follow each other. */
    std::stable_sort(jobs.begin(), jobs.end(), [](const job &a, const job &b) {
        return a.lg != b.lg       ? a.lg < b.lg
               : a.type != b.type ? a.type < b.type
               : a.dist != b.dist ? a.dist < b.dist
                                  : a.k < b.k;
    });
    printf("%-30s %-26s %-7s %6s %6s %10s %10s %7s\n", "row", "job", "n", "k", "count", "ms with",
           "ms without", "ratio");
    for (size_t i = 0; i < jobs.size(); i++) {
        double const left = budget - (seconds() - start);
        if (left < 0) {
            printf("out of time: %zu jobs left\n", jobs.size() - i);
            break;
        }
        run(jobs[i], std::min(0.4, 0.6 * left / (double)(jobs.size() - i)));
    }
    CHECK(cudaDeviceSynchronize());
    return 0;
}
CU
nvcc -O2 -std=c++17 -arch=native -I"$root/include" "$work/prune.cu" -o "$work/prune" \
    -L"$(dirname "$lib")" -lordo -Xlinker -rpath="$(dirname "$lib")"
"$work/prune" | tee "$work/prune.txt"

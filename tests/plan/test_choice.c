/* test_choice.c - predicted times, and the backend that a job gets: `auto` and `hybrid` choose the
 * backend with the lowest predicted time. The devices are plugins of tests/plugins: paced.c takes a
 * given time, playing.c sorts. */
#define _POSIX_C_SOURCE 200809L
#include "plan/tuning.h"
#include "tunekit.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SHORT = 1 << 17 /* keys that are sorted in milliseconds */
};

/* ---- The chosen backend ---- */

#define CPU_SLOW "threads 1\ncpu_32 1000000\ncpu_alone 100\ncpu_small 100\n"
#define CPU_FAST "threads 1\ncpu_32 1\ncpu_alone 100\n"
#define GPU_SLOW "device unnamed\ndevice_open 0\ndevice_call 1000000\nstream_call 1000000\n"
#define GPU_FAST "device unnamed\ndevice_open 0\ndevice_call 0\nstream_call 0\n"

static void chosen(ordo_where where, double share, const char *costs, const char *backend)
{
    testkit_case("where %d, share %g: %s", (int)where, share, costs);
    write_costs(costs);
    ordo_ctx *const ctx =
        CONTEXT(.where = where, .threads = 1, .cpu_share = share, .calibration = file);
    CHECK_STATUS(ORDO_OK, sort_fresh(ctx, KEYS), ctx);
    CHECK(rising(KEYS));
    (void)info_of(ctx); /* opens the device, so that the report has its predictions */
    ordo_report const report = report_of(ctx);
    if (!CHECK(strcmp(report.backend, backend) == 0))
        printf("expected %s, got %s: cpu %g, cuda %g, hybrid %g\n", backend, report.backend,
               report.predicted_cpu, report.predicted_cuda, report.predicted_hybrid);
    CHECK(report.predicted_cpu > 0 && report.predicted_cuda > 0);
    CHECK((report.predicted_hybrid > 0) == TINY); /* too small to be streamed as shipped */
    ordo_ctx_free(ctx);
}

static void test_choices(void)
{
    const char *const both = TINY ? "hybrid" : "cuda";
    USE_PLUGIN("playing");
    chosen(ORDO_AUTO, 0, CPU_SLOW GPU_FAST, "cuda");
    chosen(ORDO_AUTO, 0, CPU_FAST GPU_FAST, "cpu"); /* the transfer takes longer */
    chosen(ORDO_AUTO, 0, CPU_SLOW GPU_SLOW, "cpu");
    chosen(ORDO_AUTO, 0, CPU_SLOW GPU_FAST "hybrid_share 300\nhybrid_time 50\n", both);
    chosen(ORDO_AUTO, 0, CPU_SLOW GPU_FAST "hybrid_share 300\nhybrid_time 150\n", "cuda");
    chosen(ORDO_AUTO, 0, CPU_SLOW GPU_SLOW "hybrid_share 300\nhybrid_time 50\n", "cpu");

    chosen(ORDO_CUDA, 0, CPU_FAST GPU_SLOW, "cuda");
    chosen(ORDO_HYBRID, 0, CPU_SLOW GPU_FAST, both);
    chosen(ORDO_HYBRID, 0, CPU_SLOW GPU_FAST "hybrid_share 300\nhybrid_time 50\n", both);
    chosen(ORDO_HYBRID, 0, CPU_SLOW GPU_FAST "hybrid_share 300\nhybrid_time 150\n", "cuda");
    chosen(ORDO_HYBRID, 0, CPU_FAST GPU_FAST, "cpu");
    chosen(ORDO_HYBRID, 0, CPU_SLOW GPU_SLOW, "cpu");
    chosen(ORDO_HYBRID, 1, CPU_SLOW GPU_FAST, "cpu");
    chosen(ORDO_HYBRID, 0.3, CPU_FAST GPU_SLOW, TINY ? "hybrid" : "cpu");
    chosen(ORDO_HYBRID, 0.3, CPU_SLOW GPU_FAST, both);
    chosen(ORDO_HYBRID, -1, CPU_FAST GPU_SLOW, "hybrid");

    testkit_case("costs of another device");
    write_costs(CPU_SLOW "device another one\ndevice_open 0\nstage_all 12345\n");
    ordo_ctx *ctx = context(ORDO_AUTO, 1, file);
    CHECK(cost_of(ctx, "stage_all").value == 12345);
    CHECK_STATUS(ORDO_OK, sort_fresh(ctx, KEYS), ctx);
    CHECK(strstr(info_of(ctx).calibration_note, "another one") != NULL);
    CHECK(cost_of(ctx, "stage_all").measured == 0 && cost_of(ctx, "cpu_32").measured == 1);
    ordo_ctx_free(ctx);

    testkit_case("no prediction for small calls");
    ctx = context(ORDO_AUTO, 1, file);
    CHECK_STATUS(ORDO_OK, sort_fresh(ctx, TINY ? 0 : 100), ctx);
    CHECK(report_of(ctx).predicted_cpu == 0 && report_of(ctx).predicted_cuda == 0);
    ordo_ctx_free(ctx);
    unlink(file);
}

/* ---- The cost of opening the device ---- */

/* By the costs, a call takes KEYS / 1000 ms on the CPU, and a few microseconds on the device. */
static void opened_after(unsigned ms, unsigned device, const char *active)
{
    testkit_case("device %u is opened after %u ms: context %s", device, ms,
                 active != NULL ? active : "none");
    if (active != NULL)
        setenv("FAKE_CUDA", active, 1);
    else
        unsetenv("FAKE_CUDA");
    ordo_ctx *const ctx =
        CONTEXT(.where = ORDO_AUTO, .threads = 1, .calibration = file, .device = device);
    unsigned calls = 0;
    do
        CHECK_STATUS(ORDO_OK, sort_fresh(ctx, KEYS), ctx);
    while (strcmp(report_of(ctx).backend, "cpu") == 0 && ++calls < 1000);
    CHECK_EQ_U64(ms / (KEYS / 1000), calls);
    ordo_ctx_free(ctx);
}

static void test_opening(void)
{
    USE_PLUGIN("playing");
    write_costs(CPU_SLOW GPU_FAST "device_open 170\n"); /* the last value of a cost counts */
    opened_after(170, 0, "0");                          /* the driver is not loaded */
    void *const driver = dlopen(TEST_PLUGINS "/driver/libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    CHECK(driver != NULL);
    if (driver == NULL)
        return;
    opened_after(170, 0, NULL);
    opened_after(170, 0, "-1");
    opened_after(170, 0, "1");
    opened_after(170, 1, "1");
    opened_after(170, 3, "2"); /* there is no such device */
    opened_after(ORDO_TUNE_DEVICE_JOIN, 0, "0");
    opened_after(ORDO_TUNE_DEVICE_JOIN, 1, "0");
    opened_after(ORDO_TUNE_DEVICE_JOIN, 2, "1");
    write_costs(CPU_SLOW GPU_FAST "device_open 9\n");
    opened_after(9, 0, "0");
    dlclose(driver);
    unlink(file);
}

/* ---- Ordered keys ---- */

typedef enum order {
    RISING,
    CONSTANT,
    FALLING,
    NEARLY,    /* neighbours are swapped */
    BLOCKS,    /* rising, but the second half comes first */
    SCATTERED, /* rising, but many keys are far away */
    MIXED,
    ORDERS
} order;

static uint32_t key_at(order how, size_t i)
{
    switch (how) {
    case RISING:
        return (uint32_t)i;
    case CONSTANT:
        return 7;
    case FALLING:
        return (uint32_t)(KEYS - i);
    case NEARLY:
        return (uint32_t)(i ^ 1);
    case BLOCKS:
        return (uint32_t)((i + KEYS / 2) % KEYS);
    case SCATTERED:
        return i % 8 == 0 ? (uint32_t)(i * 2654435761u) % KEYS : (uint32_t)i;
    default:
        return before[i];
    }
}

typedef enum ordered_verb {
    ORDERED_SORT,
    ORDERED_SOURCE,
    ORDERED_PAIRS,
    ORDERED_ARGSORT,
    ORDERED_NAMED /* by the radix sort */
} ordered_verb;

static ordo_status call_ordered(ordo_ctx *ctx, ordered_verb what, const ordo_sort_opts *opts)
{
    switch (what) {
    case ORDERED_PAIRS:
        return ordo_sort_pairs(ctx, ORDO_U32, keys, KEYS, values, 4, opts);
    case ORDERED_ARGSORT:
        return ordo_argsort(ctx, ORDO_U32, keys, KEYS, ORDO_U32, values, opts);
    default:
        return ordo_sort(ctx, ORDO_U32, keys, KEYS, opts);
    }
}

/* A key in random order takes the CPU 100 ns or more and the device 40 ns (80 with a value); in
 * order, the CPU 16 ns at most (32 with a value or an index). */
static void ordered(ordered_verb what, order how, bool descending, const char *backend)
{
    ordo_ctx *const ctx = context(ORDO_AUTO, 1, file);
    ordo_sort_opts  opts = ORDO_OPTS(ordo_sort_opts, .flags = descending ? ORDO_DESCENDING : 0);
    testkit_case("verb %d, order %d, descending %d", (int)what, (int)how, (int)descending);
    for (size_t i = 0; i < KEYS; i++)
        keys[i] = key_at(how, i);
    if (what == ORDERED_SOURCE) { /* the order of the result array does not count */
        memcpy(values, keys, KEYS * sizeof *keys);
        memcpy(keys, before, KEYS * sizeof *keys);
        opts.source = values;
    }
    if (what == ORDERED_NAMED)
        opts.algorithm = ORDO_ALGORITHM_RADIX;
    CHECK_STATUS(ORDO_OK, call_ordered(ctx, what, &opts), ctx);
    if (!CHECK(strcmp(report_of(ctx).backend, backend) == 0))
        printf("expected %s, got %s: cpu %g, cuda %g\n", backend, report_of(ctx).backend,
               report_of(ctx).predicted_cpu, report_of(ctx).predicted_cuda);
    if (what != ORDERED_ARGSORT && !descending)
        CHECK(rising(KEYS));
    ordo_ctx_free(ctx);
}

static void test_ordered(void)
{
    USE_PLUGIN("playing");
    write_costs("threads 1\ncpu_32 100000\ncpu_64 160000\ncpu_alone 100\ncpu_small 100\n"
                "device unnamed\ndevice_open 0\ndevice_call 0\nstream_call 0\n"
                "stage_thread 200\nhybrid_time 150\n");
    static const char *const ascending[ORDERS] = {"cpu",  "cpu",  "cpu", "cpu",
                                                  "cuda", "cuda", "cuda"};
    for (order how = RISING; how < ORDERS; how++) {
        ordered(ORDERED_SORT, how, false, ascending[how]);
        ordered(ORDERED_SOURCE, how, false, ascending[how]);
        ordered(ORDERED_PAIRS, how, false, how == NEARLY ? "cuda" : ascending[how]);
        if (TINY) /* the device only streams it */
            ordered(ORDERED_ARGSORT, how, false, how == NEARLY ? "cuda" : ascending[how]);
        ordered(ORDERED_NAMED, how, false, "cuda");
    }
    ordered(ORDERED_SORT, RISING, true, "cpu");
    ordered(ORDERED_SORT, FALLING, true, "cpu");
    ordered(ORDERED_SORT, NEARLY, true, "cuda");
    unlink(file);
}

/* ---- Predicted times ---- */

static bool about(double expected_ms, double seconds)
{
    bool const near = seconds * 1e3 > 0.999 * expected_ms && seconds * 1e3 < 1.001 * expected_ms;
    if (!CHECK(near))
        printf("expected %g ms, got %g ms\n", expected_ms, seconds * 1e3);
    return near;
}

/* The times of 100000 keys were computed by hand. */
static void test_figures(void)
{
    enum {
        N = 100000
    };
    static const struct {
        unsigned threads;
        double   sort, pairs, argsort, rank, wide; /* ms on the CPU */
        double   whole, streamed;                  /* ms of the sort on the GPU */
    } rows[] = {{1, 0.5, 0.7, 0.65, 1.5, 0.8, 1.9, 2.3},
                {2, 0.366667, 0.5, 0.466667, 1.033333, 0.566667, 1.1, 1.5},
                {4, 0.35, 0.45, 0.425, 0.85, 0.5, 0.7, 1.5},
                {8, 0.35, 0.45, 0.425, 0.85, 0.5, 0.7, 1.5}}; /* there are four CPUs */
    USE_PLUGIN("playing");
    write_costs("threads 4\ncpu_32 10000\ncpu_64 16000\ncpu_alone 50\ncpu_call 100\n"
                "cpu_value 1000\ncpu_index 3000\ncpu_rank 20000\ndevice unnamed\n"
                "device_open 1000000\ndevice_call 300\nstage_whole 2000\nstage_thread 500\n"
                "stream_call 700\nstage_all 1000\nhybrid_time 80\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        testkit_case("predicted for %u threads", rows[i].threads);
        ordo_ctx *const ctx = context(ORDO_AUTO, rows[i].threads, file);
        CHECK_STATUS(ORDO_OK, sort_fresh(ctx, N), ctx);
        about(rows[i].sort, report_of(ctx).predicted_cpu);
        CHECK(report_of(ctx).predicted_cuda == 0 && report_of(ctx).predicted_hybrid == 0);
        CHECK_STATUS(ORDO_OK, ordo_sort_pairs(ctx, ORDO_U32, keys, N, values, 4, NULL), ctx);
        about(rows[i].pairs, report_of(ctx).predicted_cpu);
        CHECK_STATUS(ORDO_OK, ordo_argsort(ctx, ORDO_U32, keys, N, ORDO_U32, values, NULL), ctx);
        about(rows[i].argsort, report_of(ctx).predicted_cpu);
        CHECK_STATUS(ORDO_OK, ordo_rank(ctx, ORDO_U32, keys, N, ORDO_U32, values, NULL), ctx);
        about(rows[i].rank, report_of(ctx).predicted_cpu);
        CHECK_STATUS(ORDO_OK, ordo_sort(ctx, ORDO_U64, keys, N, NULL), ctx);
        about(rows[i].wide, report_of(ctx).predicted_cpu);
        CHECK(strcmp(report_of(ctx).backend, "cpu") == 0); /* opening the device costs too much */
        CHECK_STATUS(ORDO_OK, sort_fresh(ctx, N), ctx);
        (void)info_of(ctx); /* opens the device */
        about(TINY ? rows[i].streamed : rows[i].whole, report_of(ctx).predicted_cuda);
        if (TINY)
            about(0.8 * rows[i].streamed, report_of(ctx).predicted_hybrid);
        ordo_ctx_free(ctx);
    }
    unlink(file);
}

/* ---- Predicted against measured times ---- */

typedef enum verb {
    SORT,
    PAIRS,
    ARGSORT,
    RANK,
    VERBS
} verb;

static ordo_status call(ordo_ctx *ctx, verb what, ordo_type type, size_t n)
{
    memcpy(keys, before, n * ordo_type_size(type));
    switch (what) {
    case PAIRS:
        return ordo_sort_pairs(ctx, type, keys, n, values, 4, NULL);
    case ARGSORT:
        return ordo_argsort(ctx, type, keys, n, ORDO_U32, values, NULL);
    case RANK:
        return ordo_rank(ctx, type, keys, n, ORDO_U32, values, NULL);
    default:
        return ordo_sort(ctx, type, keys, n, NULL);
    }
}

/* The ratio of the measured to the predicted time, or its inverse if that is larger. */
static double off_by(ordo_ctx *ctx, verb what, ordo_type type, size_t n)
{
    double least = 1e9, predicted = 0;
    for (int round = 0; round < 9; round++) {
        CHECK_STATUS(ORDO_OK, call(ctx, what, type, n), ctx);
        ordo_report const report = report_of(ctx);
        least = report.seconds < least ? report.seconds : least;
        predicted = report.predicted_cpu;
    }
    CHECK(predicted > 0);
    return least > predicted ? least / predicted : predicted / least;
}

/* One success in four attempts is enough. */
static void try_often(bool (*attempt)(void), const char *what)
{
    bool good = false;
    for (int i = 0; i < 4 && !good; i++)
        good = attempt();
    testkit_case("%s", what);
    CHECK(good);
}

static bool predictions_hold(void)
{
    ordo_ctx *const ctx = context(ORDO_CPU, 2, "");
    double          worst = 0;
    CHECK_STATUS(ORDO_OK, calibrate(ctx, SHORT), ctx);
    for (verb what = SORT; what < VERBS; what++)
        for (size_t n = SHORT / 4; n <= SHORT; n *= 2)
            for (int wide = 0; wide < 2; wide++) {
                double const off = off_by(ctx, what, wide ? ORDO_U64 : ORDO_U32, n);
                worst = off > worst ? off : worst;
            }
    ordo_ctx_free(ctx);
    printf("predictions of the CPU are off by a factor of %.2f at most\n", worst);
    return worst < 2.5;
}

/* One CPU thread is faster for small arrays, the device for large ones. The choice is correct
 * wherever the difference is clear. */
static bool choices_hold(void)
{
    bool            right = true, both[2] = {false, false};
    ordo_ctx *const measuring = context(ORDO_AUTO, 1, file);
    CHECK_STATUS(ORDO_OK, calibrate(measuring, MOST), measuring);
    ordo_ctx_free(measuring);
    ordo_ctx *const sides[] = {context(ORDO_CPU, 1, file), context(ORDO_CUDA, 1, file)};
    ordo_ctx *const choosers[] = {context(ORDO_AUTO, 1, file), context(ORDO_HYBRID, 1, file)};
    CHECK(info_of(choosers[0]).cuda[0] == '\0'); /* opens the device */
    for (size_t n = SHORT / 8; n <= 4 * SHORT; n *= 2) {
        double seconds[2] = {1e9, 1e9};
        for (int round = 0; round < 5; round++)
            for (int side = 0; side < 2; side++) {
                CHECK_STATUS(ORDO_OK, sort_fresh(sides[side], n), sides[side]);
                double const took = report_of(sides[side]).seconds;
                seconds[side] = took < seconds[side] ? took : seconds[side];
            }
        for (int i = 0; i < 2; i++) {
            CHECK_STATUS(ORDO_OK, sort_fresh(choosers[i], n), choosers[i]);
            int const device = strcmp(report_of(choosers[i]).backend, "cpu") != 0;
            right = right && seconds[device] < 1.7 * seconds[1 - device];
            both[device] = true;
        }
    }
    for (int i = 0; i < 2; i++) {
        ordo_ctx_free(sides[i]);
        ordo_ctx_free(choosers[i]);
    }
    return right && both[0] && both[1];
}

/* A device of 1 ms a call and 1 ns a key. */
static void test_paced(void)
{
    USE_PLUGIN("paced");
    setenv("ORDO_PACE", "1000:1", 1);
    try_often(choices_hold, "the faster backend is chosen");
    testkit_case("the measured costs of the device");
    ordo_ctx *const ctx = context(ORDO_AUTO, 1, file);
    CHECK(cost_of(ctx, "device_call").value > 500 && cost_of(ctx, "device_call").value < 5000);
    CHECK(cost_of(ctx, "stage_whole").value > 2000 && cost_of(ctx, "stage_whole").value < 20000);
    CHECK(cost_of(ctx, "stage_all").measured == 0); /* this device cannot stream */
    CHECK(info_of(ctx).calibration_note[0] == '\0');
    ordo_ctx_free(ctx);
    unlink(file);
}

int main(void)
{
    testkit_start();
    USE_PLUGIN("empty");
    tune_start();
    test_choices();
    test_opening();
    test_ordered();
    test_figures();
    if (!TINY && !test_times_count()) {
        testkit_skip(
            "predicted against measured times: needs an idle machine and ORDO_TEST_TIMES=1");
    } else if (!TINY) {
        USE_PLUGIN("empty");
        try_often(predictions_hold, "predictions hold");
        test_paced();
    }
    tune_end();
    return testkit_done();
}

/* test_tune.c - the costs of a machine: the file that keeps them, the times predicted from them and
 * who gets a job by them. Damaged, old and foreign files are not used and harm nobody; predictions
 * are within a factor of what calls take; `auto` and `hybrid` take whoever is predicted, and is,
 * faster. Devices are those of tests/plugins: paced.c takes the time it is told, playing.c sorts. */
#define _POSIX_C_SOURCE 200809L
#include "testkit.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef TEST_PLUGINS
#define TEST_PLUGINS "plugins" /* the folder of the shared objects; the build knows it */
#endif

enum {
#ifdef ORDO_TINY
    TINY = 1,
#else
    TINY = 0,
#endif
    LEAST = 1 << 12, /* keys that can be calibrated with */
    KEYS = TINY ? 4000 : 20000,
    MOST = 1 << 22,
    SHORT = 1 << 17, /* sorted in milliseconds */
    TEXT = 4096
};

static char folder[64], file[96], head[512]; /* the first two lines of a file of this machine */
static uint32_t *keys, *values, *before;

/* ---- Helpers ---- */

static ordo_ctx *context(ordo_where where, unsigned threads, const char *calibration)
{
    ordo_ctx *ctx = NULL;
    CHECK_STATUS(ORDO_OK,
                 ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .where = where, .threads = threads,
                                                  .calibration = calibration)),
                 NULL);
    return ctx;
}

static ordo_info info_of(ordo_ctx *ctx)
{
    ordo_info info = {.struct_size = sizeof info};
    CHECK_STATUS(ORDO_OK, ordo_ctx_info(ctx, &info), ctx);
    return info;
}

static ordo_report report_of(const ordo_ctx *ctx)
{
    ordo_report report = {.struct_size = sizeof report};
    CHECK_STATUS(ORDO_OK, ordo_last_report(ctx, &report), ctx);
    return report;
}

static ordo_cost cost_of(ordo_ctx *ctx, const char *name)
{
    ordo_cost cost = {.struct_size = sizeof cost};
    for (size_t i = 0; ordo_calibration_cost(ctx, i, &cost) == ORDO_OK; i++)
        if (strcmp(cost.name, name) == 0)
            return cost;
    CHECK(!"a cost of that name");
    return cost;
}

static ordo_status calibrate(ordo_ctx *ctx, size_t most)
{
    return ordo_calibrate(ctx, &ORDO_OPTS(ordo_calibrate_opts, .most = most));
}

static void write_bytes(const char *path, const char *text, size_t length)
{
    FILE *const to = fopen(path, "w");
    CHECK(to != NULL && fwrite(text, 1, length, to) == length && fclose(to) == 0);
}

static void write_text(const char *path, const char *text)
{
    write_bytes(path, text, strlen(text));
}

static void write_costs(const char *lines)
{
    char text[TEXT];
    snprintf(text, sizeof text, "%s%send\n", head, lines);
    write_text(file, text);
}

static size_t read_text(const char *path, char *text)
{
    FILE *const  from = fopen(path, "r");
    size_t const length = from != NULL ? fread(text, 1, TEXT - 1, from) : 0;
    text[length] = '\0';
    if (from != NULL)
        fclose(from);
    return length;
}

static ordo_status sort_fresh(ordo_ctx *ctx, size_t n)
{
    memcpy(keys, before, n * sizeof *keys);
    return ordo_sort(ctx, ORDO_U32, keys, n, NULL);
}

static bool rising(size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (keys[i - 1] > keys[i])
            return false;
    return true;
}

static void use_plugin(const char *name)
{
    char path[TEXT];
    snprintf(path, sizeof path, "%s/%s", TEST_PLUGINS, name);
    setenv("ORDO_BACKEND_DIR", path, 1);
}

/* ---- The file ---- */

static void test_written_and_read(void)
{
    char text[TEXT];
    testkit_case("written and read");
    ordo_ctx *ctx = context(ORDO_CPU, 2, file);
    CHECK_EQ_U64(0, cost_of(ctx, "cpu_32").measured);
    CHECK_STATUS(ORDO_OK, calibrate(ctx, LEAST), ctx);
    CHECK(info_of(ctx).calibration_note[0] == '\0');
    CHECK(strcmp(info_of(ctx).calibration, file) == 0);
    double const found = cost_of(ctx, "cpu_32").value;
    CHECK(cost_of(ctx, "cpu_32").measured == 1 && cost_of(ctx, "threads").value == 2);
    CHECK(cost_of(ctx, "stage_all").measured == 0);
    ordo_ctx_free(ctx);

    CHECK(read_text(file, text) > 0);
    const char *const second = strchr(text, '\n') + 1;
    snprintf(head, sizeof head, "%.*s", (int)(strchr(second, '\n') + 1 - text), text);

    ctx = context(ORDO_AUTO, 1, file);
    CHECK(cost_of(ctx, "cpu_32").value == found && cost_of(ctx, "cpu_32").measured == 1);
    CHECK_STATUS(ORDO_OK, ordo_calibration_remove(ctx), ctx);
    CHECK(cost_of(ctx, "cpu_32").measured == 0 && access(file, F_OK) != 0);
    CHECK_STATUS(ORDO_OK, ordo_calibration_remove(ctx), ctx);
    ordo_cost cost = {.struct_size = sizeof cost};
    CHECK_STATUS(ORDO_E_ARG, ordo_calibration_cost(ctx, 1000, &cost), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_calibration_cost(ctx, 0, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, calibrate(ctx, 7), ctx);
    ordo_ctx_free(ctx);
}

/* Such a file is not used, the note says so, and calls work as without it. */
static void not_used(const char *what, const char *note)
{
    testkit_case("%s", what);
    ordo_ctx *const ctx = context(ORDO_AUTO, 1, file);
    CHECK_STATUS(ORDO_OK, sort_fresh(ctx, KEYS), ctx);
    CHECK(rising(KEYS));
    if (!CHECK(strstr(info_of(ctx).calibration_note, note) != NULL))
        printf("expected '%s' in: %s\n", note, info_of(ctx).calibration_note);
    CHECK(cost_of(ctx, "cpu_32").measured == 0);
    CHECK(cost_of(ctx, "cpu_32").value == cost_of(ctx, "cpu_32").standard);
    ordo_ctx_free(ctx);
}

static void test_damaged(void)
{
    static const struct {
        const char *lines, *note;
    } damaged[] = {{"cpu_32 12x\n", "line 3"},
                   {"cpu_32 -5\n", "line 3"},
                   {"cpu_32 99999999999999999999\n", "line 3"},
                   {"cpu_32\n", "line 3"},
                   {"cpu_32 \n", "line 3"},
                   {"cpu_64 9\nno_such_cost 7\n", "line 4"},
                   {"\n", "line 3"},
                   {"cpu_32 5\nend\nmore\n", "follows"}};
    char text[TEXT];
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        write_costs(damaged[i].lines);
        not_used(damaged[i].lines, damaged[i].note);
    }
    write_text(file, "");
    not_used("empty", "not a calibration");
    write_text(file, "PNG\n\n");
    not_used("something else", "not a calibration");
    write_text(file, "ordo-calibration 0\nmachine x\ncpu_32 7\nend\n");
    not_used("old", "another version");
    write_text(file, "ordo-calibration 1\nmachine a pocket calculator\ncpu_32 7\nend\n");
    not_used("foreign", "another machine: a pocket calculator");
    snprintf(text, sizeof text, "%scpu_32 7\n", head);
    write_text(file, text);
    not_used("no end", "end is missing");
    write_bytes(file, "ordo-calibration 1\n\0cpu", 23);
    not_used("a zero byte", "damaged");
    char long_text[9000];
    memset(long_text, 'x', sizeof long_text);
    write_bytes(file, long_text, sizeof long_text);
    not_used("long", "too long");
    unlink(file);
    CHECK(mkdir(file, 0700) == 0);
    not_used("a folder", "cannot be read");
    CHECK(rmdir(file) == 0);
}

/* Every part of a good file, cut off anywhere, is no file; whole, it is one. */
static void test_cut_off(void)
{
    char text[TEXT];
    testkit_case("cut off");
    write_costs("threads 2\ncpu_32 7000\ndevice a thing\nstage_all 5\n");
    size_t const length = read_text(file, text);
    for (size_t cut = 0; cut <= length; cut++) {
        write_bytes(file, text, cut);
        ordo_ctx *const ctx = context(ORDO_CPU, 1, file);
        CHECK(cost_of(ctx, "cpu_32").measured == (cut == length));
        ordo_ctx_free(ctx);
    }
    unlink(file);
}

static void test_places(void)
{
    char path[TEXT], deep[200];
    testkit_case("places");
    snprintf(deep, sizeof deep, "%s/a/b", folder);
    setenv("XDG_CACHE_HOME", deep, 1);
    unsetenv("ORDO_TUNE_FILE");
    ordo_ctx *ctx = context(ORDO_CPU, 1, NULL);
    CHECK_STATUS(ORDO_OK, calibrate(ctx, LEAST), ctx);
    snprintf(path, sizeof path, "%s", info_of(ctx).calibration);
    CHECK(strncmp(path, deep, strlen(deep)) == 0 && strstr(path, "/ordo/tune-") != NULL);
    CHECK(info_of(ctx).calibration_note[0] == '\0' && access(path, R_OK) == 0);
    ordo_ctx_free(ctx);
    ctx = context(ORDO_CPU, 1, NULL);
    CHECK(cost_of(ctx, "cpu_32").measured == 1);
    CHECK_STATUS(ORDO_OK, ordo_calibration_remove(ctx), ctx);
    ordo_ctx_free(ctx);
    *strrchr(path, '/') = '\0';
    for (int i = 0; i < 3; i++) {
        CHECK(rmdir(path) == 0);
        *strrchr(path, '/') = '\0';
    }

    /* Without a folder of caches: that of the home; without that: nowhere. A relative one is none. */
    setenv("XDG_CACHE_HOME", "relative", 1);
    setenv("HOME", "/no/such/home", 1);
    ctx = context(ORDO_CPU, 1, NULL);
    CHECK(strncmp(info_of(ctx).calibration, "/no/such/home/.cache/ordo/tune-", 31) == 0);
    ordo_ctx_free(ctx);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    ctx = context(ORDO_CPU, 1, NULL);
    CHECK_STATUS(ORDO_OK, calibrate(ctx, LEAST), ctx);
    CHECK(info_of(ctx).calibration[0] == '\0' && info_of(ctx).calibration_note[0] != '\0');
    CHECK(cost_of(ctx, "cpu_32").measured == 1); /* this context uses them all the same */
    ordo_ctx_free(ctx);

    setenv("ORDO_TUNE_FILE", file, 1);
    write_costs("cpu_32 4711\n");
    ctx = context(ORDO_CPU, 1, NULL);
    CHECK(cost_of(ctx, "cpu_32").value == 4711);
    ordo_ctx_free(ctx);
    ctx = context(ORDO_CPU, 1, "");
    CHECK(cost_of(ctx, "cpu_32").measured == 0 && info_of(ctx).calibration[0] == '\0');
    ordo_ctx_free(ctx);
    setenv("ORDO_TUNE_FILE", "", 1);
    ctx = context(ORDO_CPU, 1, NULL);
    CHECK(cost_of(ctx, "cpu_32").measured == 0);
    ordo_ctx_free(ctx);
    unlink(file);
}

static void test_not_writable(void)
{
    testkit_case("not writable");
    ordo_ctx *ctx = context(ORDO_CPU, 1, "/dev/null/file");
    CHECK_STATUS(ORDO_OK, calibrate(ctx, LEAST), ctx);
    CHECK(strstr(info_of(ctx).calibration_note, "cannot be written") != NULL);
    CHECK(cost_of(ctx, "cpu_32").measured == 1);
    CHECK_STATUS(ORDO_OK, sort_fresh(ctx, KEYS), ctx);
    ordo_ctx_free(ctx);

    CHECK(mkdir(file, 0700) == 0); /* a folder is in the way */
    ctx = context(ORDO_CPU, 1, file);
    CHECK_STATUS(ORDO_OK, calibrate(ctx, LEAST), ctx);
    CHECK(strstr(info_of(ctx).calibration_note, "cannot be written") != NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_calibration_remove(ctx), ctx);
    CHECK(strstr(ordo_last_error(ctx), "cannot be removed") != NULL);
    ordo_ctx_free(ctx);
    CHECK(rmdir(file) == 0); /* and nothing was left in it */
}

static void *write_again_and_again(void *unused)
{
    for (int i = 0; i < 10; i++) {
        ordo_ctx *ctx = NULL;
        if (ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CPU, .threads = 1,
                                             .calibration = file)) != ORDO_OK)
            return unused;
        if (calibrate(ctx, LEAST) != ORDO_OK)
            abort();
        ordo_ctx_free(ctx);
    }
    return NULL;
}

/* A reader sees one file or another, always a whole one. */
static void test_many_writers(void)
{
    pthread_t threads[4];
    testkit_case("many writers");
    write_costs("cpu_32 4711\n");
    for (size_t i = 0; i < 4; i++)
        CHECK(pthread_create(&threads[i], NULL, write_again_and_again, NULL) == 0);
    for (int i = 0; i < 200; i++) {
        ordo_ctx *const ctx = context(ORDO_CPU, 1, file);
        CHECK(cost_of(ctx, "cpu_32").measured == 1);
        ordo_ctx_free(ctx);
    }
    for (size_t i = 0; i < 4; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    unlink(file);
}

/* ---- Trouble while measuring ---- */

static int stop_at_once(void *user, double done)
{
    (void)user;
    return done >= 0;
}

static void test_stopped(void)
{
    ordo_ctx *ctx = NULL;
    testkit_case("stopped");
    CHECK_STATUS(ORDO_OK,
                 ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .threads = 2, .calibration = file,
                                                  .progress = stop_at_once)),
                 NULL);
    CHECK_STATUS(ORDO_E_CANCELLED, calibrate(ctx, MOST), ctx);
    CHECK(cost_of(ctx, "cpu_32").measured == 0 && access(file, F_OK) != 0);
    ordo_ctx_free(ctx);

    testkit_case("little memory");
    CHECK_STATUS(ORDO_OK,
                 ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .threads = 2, .mem_limit = 1000)),
                 NULL);
    CHECK_STATUS(ORDO_E_NOMEM, calibrate(ctx, MOST), ctx);
    ordo_ctx_free(ctx);
    CHECK_STATUS(
        ORDO_OK,
        ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .threads = 2, .mem_limit = 1 << 20)), NULL);
    CHECK_STATUS(ORDO_OK, calibrate(ctx, MOST), ctx);
    ordo_ctx_free(ctx);

    for (size_t at = 2; at < 40; at++) {
        test_allocator allocator = {.fail_at = at, .only_one = at % 2 == 0};
        testkit_case("allocation %zu fails", at);
        if (ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .threads = 2, .alloc = test_alloc,
                                             .release = test_release, .alloc_user = &allocator)) !=
            ORDO_OK)
            continue;
        ordo_status const status = calibrate(ctx, LEAST);
        CHECK(status == ORDO_OK || status == ORDO_E_NOMEM);
        ordo_ctx_free(ctx);
        CHECK_EQ_U64(0, allocator.live);
    }
}

/* ---- Choices by figures ---- */

#define CPU_SLOW "threads 1\ncpu_32 1000000\ncpu_alone 100\ncpu_small 100\n"
#define CPU_FAST "threads 1\ncpu_32 1\ncpu_alone 100\n"
#define GPU_SLOW "device unnamed\ndevice_open 0\ndevice_call 1000000\nstream_call 1000000\n"
#define GPU_FAST "device unnamed\ndevice_open 0\ndevice_call 0\nstream_call 0\n"

static void chosen(ordo_where where, double share, const char *costs, const char *backend)
{
    ordo_ctx *ctx = NULL;
    testkit_case("where %d, share %g: %s", (int)where, share, costs);
    write_costs(costs);
    CHECK_STATUS(ORDO_OK,
                 ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .where = where, .threads = 1,
                                                  .cpu_share = share, .calibration = file)),
                 NULL);
    CHECK_STATUS(ORDO_OK, sort_fresh(ctx, KEYS), ctx);
    CHECK(rising(KEYS));
    ordo_report const report = report_of(ctx);
    if (!CHECK(strcmp(report.backend, backend) == 0))
        printf("expected %s, got %s: cpu %g, cuda %g, hybrid %g\n", backend, report.backend,
               report.predicted_cpu, report.predicted_cuda, report.predicted_hybrid);
    CHECK(report.predicted_cpu > 0 && report.predicted_cuda > 0);
    CHECK((report.predicted_hybrid > 0) == TINY); /* as shipped, this is too small to be streamed */
    ordo_ctx_free(ctx);
}

static void test_choices(void)
{
    const char *const both = TINY ? "hybrid" : "cuda";
    use_plugin("playing");
    chosen(ORDO_AUTO, 0, CPU_SLOW GPU_FAST, "cuda");
    chosen(ORDO_AUTO, 0, CPU_FAST GPU_FAST, "cpu"); /* the way there takes longer */
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

    testkit_case("what opening costs");
    write_costs(CPU_SLOW GPU_FAST "device_open 70\n"); /* the last of several counts */
    ordo_ctx *ctx = context(ORDO_AUTO, 1, file);
    int       calls = 0;
    do
        CHECK_STATUS(ORDO_OK, sort_fresh(ctx, KEYS), ctx);
    while (strcmp(report_of(ctx).backend, "cpu") == 0 && ++calls < 1000);
    CHECK_EQ_U64((70 + KEYS / 1000 - 1) / (KEYS / 1000) - 1, calls);
    ordo_ctx_free(ctx);

    testkit_case("another device");
    write_costs(CPU_SLOW "device another one\ndevice_open 0\nstage_all 12345\n");
    ctx = context(ORDO_AUTO, 1, file);
    CHECK(cost_of(ctx, "stage_all").value == 12345);
    CHECK_STATUS(ORDO_OK, sort_fresh(ctx, KEYS), ctx);
    CHECK(strstr(info_of(ctx).calibration_note, "another one") != NULL);
    CHECK(cost_of(ctx, "stage_all").measured == 0 && cost_of(ctx, "cpu_32").measured == 1);
    ordo_ctx_free(ctx);

    testkit_case("small calls are not weighed");
    ctx = context(ORDO_AUTO, 1, file);
    CHECK_STATUS(ORDO_OK, sort_fresh(ctx, TINY ? 0 : 100), ctx);
    CHECK(report_of(ctx).predicted_cpu == 0 && report_of(ctx).predicted_cuda == 0);
    ordo_ctx_free(ctx);
    unlink(file);
}

/* A device that is measured, and one that is lost while it is. */
static void test_devices(void)
{
    ordo_ctx *ctx;
    if (TINY) { /* so short an array is streamed */
        testkit_case("a device is measured");
        use_plugin("playing");
        ctx = context(ORDO_AUTO, 2, file);
        CHECK_STATUS(ORDO_OK, calibrate(ctx, LEAST), ctx);
        CHECK(info_of(ctx).calibration_note[0] == '\0');
        CHECK(cost_of(ctx, "stage_thread").measured == 1);
        CHECK(cost_of(ctx, "hybrid_share").measured == 1);
        CHECK(cost_of(ctx, "hybrid_time").value <= 100);
        ordo_ctx_free(ctx);
        ctx = context(ORDO_CPU, 1, file); /* which leaves the device as it is */
        CHECK_STATUS(ORDO_OK, calibrate(ctx, LEAST), ctx);
        CHECK(cost_of(ctx, "threads").value == 1 && cost_of(ctx, "hybrid_share").measured == 1);
        ordo_ctx_free(ctx);
    }
    testkit_case("a device is lost");
    use_plugin("lost");
    ctx = context(ORDO_AUTO, 2, file);
    CHECK_STATUS(ORDO_OK, calibrate(ctx, LEAST), ctx);
    CHECK(strstr(info_of(ctx).calibration_note, "lost at work") != NULL);
    CHECK(cost_of(ctx, "cpu_32").measured == 1 && cost_of(ctx, "device_call").measured == 0);
    CHECK(ordo_last_error(ctx)[0] == '\0' && access(file, R_OK) == 0);
    ordo_ctx_free(ctx);
    unlink(file);
}

/* ---- Predictions against what calls take ---- */

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

/* How far off: measured over predicted, or the other way round. */
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

/* Whether equal calls take equal time: other programs may have the CPUs. */
static bool is_quiet(void)
{
    ordo_ctx *const ctx = context(ORDO_CPU, 2, "");
    double          least = 1e9, most = 0;
    for (int round = 0; round < 12; round++) {
        CHECK_STATUS(ORDO_OK, sort_fresh(ctx, SHORT), ctx);
        double const took = report_of(ctx).seconds;
        least = took < least ? took : least;
        most = took > most && round > 1 ? took : most;
    }
    ordo_ctx_free(ctx);
    return most < 1.5 * least;
}

/* One good attempt is enough; if none is, that counts only on a machine that is quiet. */
static void try_often(bool (*attempt)(void), const char *what)
{
    bool good = false, quiet = true;
    for (int i = 0; i < 4 && !good; i++) {
        quiet = is_quiet() && quiet;
        good = attempt();
        quiet = is_quiet() && quiet;
    }
    testkit_case("%s", what);
    if (good || quiet)
        CHECK(good);
    else
        testkit_skip("%s: other programs run here", what);
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

/* One thread of the CPU wins small arrays, the device large ones, and the choice is right wherever
 * the difference is clear. */
static bool choices_hold(void)
{
    bool            right = true, both[2] = {false, false};
    ordo_ctx *const measuring = context(ORDO_AUTO, 1, file);
    CHECK_STATUS(ORDO_OK, calibrate(measuring, MOST), measuring);
    ordo_ctx_free(measuring);
    ordo_ctx *const sides[] = {context(ORDO_CPU, 1, file), context(ORDO_CUDA, 1, file)};
    ordo_ctx *const choosers[] = {context(ORDO_AUTO, 1, file), context(ORDO_HYBRID, 1, file)};
    CHECK(info_of(choosers[0]).cuda[0] == '\0'); /* opens it */
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
    use_plugin("paced");
    setenv("ORDO_PACE", "1000:1", 1);
    try_often(choices_hold, "the faster one is chosen");
    testkit_case("what was found of the device");
    ordo_ctx *const ctx = context(ORDO_AUTO, 1, file);
    CHECK(cost_of(ctx, "device_call").value > 500 && cost_of(ctx, "device_call").value < 5000);
    CHECK(cost_of(ctx, "stage_whole").value > 2000 && cost_of(ctx, "stage_whole").value < 20000);
    CHECK(cost_of(ctx, "stage_all").measured == 0); /* it cannot stream */
    CHECK(info_of(ctx).calibration_note[0] == '\0');
    ordo_ctx_free(ctx);
    unlink(file);
}

int main(void)
{
    test_rng rng = {3};
    testkit_start();
    use_plugin("empty");
    snprintf(folder, sizeof folder, "/tmp/ordo_tune_XXXXXX");
    if (mkdtemp(folder) == NULL)
        return 2;
    snprintf(file, sizeof file, "%s/costs", folder);
    keys = malloc((size_t)MOST * 4);
    values = malloc((size_t)MOST * 4);
    before = malloc((size_t)MOST * 4);
    if (keys == NULL || values == NULL || before == NULL)
        return 2;
    for (size_t i = 0; i < MOST; i++)
        before[i] = (uint32_t)test_rng_next(&rng);
    memset(values, 0, (size_t)MOST * 4);

    test_written_and_read();
    test_damaged();
    test_cut_off();
    test_places();
    test_not_writable();
    test_many_writers();
    test_stopped();
    test_choices();
    test_devices();
    if (!TINY && !TESTKIT_SANITIZED) { /* thresholds and times as they are shipped */
        use_plugin("empty");
        try_often(predictions_hold, "predictions hold");
        test_paced();
    }
    free(keys);
    free(values);
    free(before);
    CHECK(rmdir(folder) == 0); /* nothing was left there */
    return testkit_done();
}

/* test_tune.c - calibration and its file: damaged, old and foreign files are ignored, folders may
 * be read-only, several processes may write at once, and an interrupted calibration changes
 * nothing. */
#define _POSIX_C_SOURCE 200809L
#include "tunekit.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- The file ---- */

static void test_written_and_read(void)
{
    char text[TEXT];
    testkit_case("calibration file written and read");
    ordo_ctx *ctx = context(ORDO_CPU, 2, file);
    CHECK_EQ_U64(0, cost_of(ctx, "cpu_32").measured);
    CHECK_STATUS(ORDO_OK, calibrate(ctx, LEAST), ctx);
    CHECK(info_of(ctx).calibration_note[0] == '\0');
    CHECK(strcmp(info_of(ctx).calibration, file) == 0);
    double const found = cost_of(ctx, "cpu_32").value;
    CHECK(cost_of(ctx, "cpu_32").measured == 1 && cost_of(ctx, "threads").value == 2);
    CHECK(cost_of(ctx, "stage_all").measured == 0);
    ordo_ctx_free(ctx);

    CHECK(read_text(file, text) > 0 && strncmp(text, head, strlen(head)) == 0);
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

/* The file is ignored, the note gives the reason, and calls work as without a file. */
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
                   {"cpu_32 5\nend\nmore\n", "text after the last line"}};
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
    not_used("no end", "the last line, 'end', is missing");
    write_bytes(file, "ordo-calibration 1\n\0cpu", 23);
    not_used("a zero byte", "the file has a zero byte");
    char long_text[9000];
    memset(long_text, 'x', sizeof long_text);
    write_bytes(file, long_text, sizeof long_text);
    not_used("long", "too long");
    unlink(file);
    CHECK(mkdir(file, 0700) == 0);
    not_used("a folder", "cannot be read");
    CHECK(rmdir(file) == 0);
}

/* A valid file that is cut off anywhere is ignored. */
static void test_cut_off(void)
{
    char text[TEXT];
    testkit_case("calibration file that is cut off");
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
    testkit_case("folders of the calibration file");
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

    /* Without XDG_CACHE_HOME: ~/.cache; without HOME: no file. A relative path is ignored. */
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
    CHECK(cost_of(ctx, "cpu_32").measured == 1); /* this context still uses the costs */
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
    testkit_case("calibration file that cannot be written");
    ordo_ctx *ctx = context(ORDO_CPU, 1, "/dev/null/file");
    CHECK_STATUS(ORDO_OK, calibrate(ctx, LEAST), ctx);
    CHECK(strstr(info_of(ctx).calibration_note, "cannot be written") != NULL);
    CHECK(cost_of(ctx, "cpu_32").measured == 1);
    CHECK_STATUS(ORDO_OK, sort_fresh(ctx, KEYS), ctx);
    ordo_ctx_free(ctx);

    CHECK(mkdir(file, 0700) == 0); /* a folder with the name of the file */
    ctx = context(ORDO_CPU, 1, file);
    CHECK_STATUS(ORDO_OK, calibrate(ctx, LEAST), ctx);
    CHECK(strstr(info_of(ctx).calibration_note, "cannot be written") != NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_calibration_remove(ctx), ctx);
    CHECK(strstr(ordo_last_error(ctx), "cannot be removed") != NULL);
    ordo_ctx_free(ctx);
    CHECK(rmdir(file) == 0); /* it is empty */
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

/* A reader always sees a complete file. */
static void test_many_writers(void)
{
    pthread_t threads[4];
    testkit_case("several writers of the calibration file");
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

/* ---- Failures of a calibration ---- */

static int stop_at_once(void *user, double done)
{
    (void)user;
    return done >= 0;
}

static void test_stopped(void)
{
    testkit_case("cancelled");
    ordo_ctx *ctx = CONTEXT(.threads = 2, .calibration = file, .progress = stop_at_once,
                            .progress_interval = -1);
    CHECK_STATUS(ORDO_E_CANCELLED, calibrate(ctx, MOST), ctx);
    CHECK(cost_of(ctx, "cpu_32").measured == 0 && access(file, F_OK) != 0);
    ordo_ctx_free(ctx);

    testkit_case("too little memory");
    ctx = CONTEXT(.threads = 2, .mem_limit = 1000);
    CHECK_STATUS(ORDO_E_NOMEM, calibrate(ctx, MOST), ctx);
    ordo_ctx_free(ctx);
    ctx = CONTEXT(.threads = 2, .mem_limit = 1 << 20);
    CHECK_STATUS(ORDO_OK, calibrate(ctx, MOST), ctx);
    ordo_ctx_free(ctx);

    size_t failed = 0;
    for (size_t at = 2; at < 40; at++) {
        test_allocator allocator = {.fail_at = at, .only_one = at % 2 == 0};
        testkit_case("allocation %zu fails", at);
        if (ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .threads = 2, ALLOCATOR(&allocator))) !=
            ORDO_OK)
            continue;
        ordo_status const status = calibrate(ctx, LEAST);
        CHECK(status == ORDO_OK || status == ORDO_E_NOMEM);
        failed += status != ORDO_OK;
        ordo_ctx_free(ctx);
        CHECK_EQ_U64(0, allocator.live);
    }
    CHECK(failed > 0);
}

/* A calibrated device, and a device that is lost during calibration. */
static void test_devices(void)
{
    ordo_ctx *ctx;
    if (TINY) { /* this build streams arrays this short */
        testkit_case("a device is measured");
        USE_PLUGIN("playing");
        ctx = context(ORDO_AUTO, 2, file);
        bool measured = false; /* stage_thread is a difference of times, which noise can hide */
        for (int i = 0; i < 1000 && !measured; i++) {
            CHECK_STATUS(ORDO_OK, calibrate(ctx, LEAST), ctx);
            CHECK(info_of(ctx).calibration_note[0] == '\0');
            measured = cost_of(ctx, "stage_thread").measured == 1;
        }
        CHECK(measured);
        CHECK(cost_of(ctx, "hybrid_share").measured == 1);
        CHECK(cost_of(ctx, "hybrid_time").value <= 100);
        ordo_ctx_free(ctx);
        ctx = context(ORDO_CPU, 1, file); /* keeps the costs of the device */
        CHECK_STATUS(ORDO_OK, calibrate(ctx, LEAST), ctx);
        CHECK(cost_of(ctx, "threads").value == 1 && cost_of(ctx, "hybrid_share").measured == 1);
        ordo_ctx_free(ctx);
    }
    testkit_case("a device is lost");
    USE_PLUGIN("lost");
    ctx = context(ORDO_AUTO, 2, file);
    CHECK_STATUS(ORDO_OK, calibrate(ctx, LEAST), ctx);
    CHECK(strstr(info_of(ctx).calibration_note, "lost at work") != NULL);
    CHECK(cost_of(ctx, "cpu_32").measured == 1 && cost_of(ctx, "device_call").measured == 0);
    CHECK(ordo_last_error(ctx)[0] == '\0' && access(file, R_OK) == 0);
    ordo_ctx_free(ctx);
    unlink(file);
}

int main(void)
{
    testkit_start();
    USE_PLUGIN("empty");
    tune_start();
    test_written_and_read();
    test_damaged();
    test_cut_off();
    test_places();
    test_not_writable();
    test_many_writers();
    test_stopped();
    test_devices();
    tune_end();
    return testkit_done();
}

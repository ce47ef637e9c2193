/* test_external_resume.c - what a call finds in its resume directory is compared with the source
 * and the sink before it is used.
 *
 * A call is cancelled among its runs or its ranges. Then the source, the sink or a file of the
 * directory changes in ways that the facts of the files do not show: the manifest gets the times of
 * the changed source, and changed files are signed again (forge.h). The next call either writes the
 * right result or refuses. */
#define _GNU_SOURCE
#include "forge.h"
#include "inputs.h"
#include "ordo_external.h"
#include "testkit.h"

#include <fcntl.h>
#include <unistd.h>

enum {
#ifdef ORDO_TINY
    N = 8000,
    MEMORY = 512 << 10,
    RANK_MEMORY = 320 << 10
#else
    N = 3 << 18,
    MEMORY = 8 << 20,
    RANK_MEMORY = MEMORY
#endif
};

typedef enum verb {
    SORT,
    UNIQUE,
    ARGSORT,
    RANK,
    VERBS
} verb;

static const char *const verb_names[] = {"sort", "unique", "argsort", "rank"};

static char     folder[] = "resume-XXXXXX";
static char     in_path[64], out_path[64], resume_path[64];
static uint64_t input[N], expected[N], result[N];
static size_t   expected_n;
static verb     doing;
static int      sink_mode = O_RDWR;
static char     awaited[128]; /* the file of the directory after which a call is cancelled */
static bool     was_flat;     /* the last call made no longer runs */
static char     said[512];    /* its message */

static int cancel(void *user, double done)
{
    (void)user, (void)done;
    return awaited[0] != 0 && access(awaited, F_OK) == 0;
}

static ordo_status run(const char *out)
{
    ordo_ctx *ctx;
    CHECK(ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .threads = 2, .progress = cancel,
                                           .progress_interval = -1)) == ORDO_OK);
    int const            in_fd = open(in_path, O_RDONLY);
    int const            out_fd = open(out, sink_mode | O_CREAT, 0600);
    ordo_elements const  elements = ORDO_OPTS(ordo_elements, .type = ORDO_U64);
    ordo_source const    from = ORDO_OPTS(ordo_source, .fd = in_fd);
    ordo_sink const      to = ORDO_OPTS(ordo_sink, .fd = out_fd);
    ordo_external_report report = ORDO_OPTS(ordo_external_report, .n = 0);
    ordo_external_opts   opts =
        ORDO_OPTS(ordo_external_opts, .memory = doing == RANK ? RANK_MEMORY : MEMORY,
                  .flags = ORDO_SPILL_IN_MEMORY | (doing == UNIQUE ? ORDO_UNIQUE : 0),
                  .resume_directory = resume_path);
    ordo_status const status =
        doing == RANK ? ordo_external_rank(ctx, &elements, &from, ORDO_TIES_MIN, ORDO_U64, &to,
                                           &opts, &report)
        : doing == ARGSORT
            ? ordo_external_argsort(ctx, &elements, &from, ORDO_U64, &to, &opts, &report)
            : ordo_external_sort(ctx, &elements, &from, &to, &opts, &report);
    was_flat = report.levels == 1;
    snprintf(said, sizeof said, "%s", status == ORDO_OK ? "" : ordo_last_error(ctx));
    ordo_ctx_free(ctx);
    close(in_fd);
    close(out_fd);
    return status;
}

static void write_input(void)
{
    CHECK(forge_write(in_path, (forged){(char *)input, sizeof input}));
}

static char *path_of(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", resume_path, name);
    return path;
}

static void clear(void)
{
    char command[256];
    snprintf(command, sizeof command, "rm -rf %s %s", resume_path, out_path);
    CHECK(system(command) == 0);
}

/* Leaves a directory that has the file `name`, and the result so far. */
static void interrupt(const char *name)
{
    clear();
    snprintf(awaited, sizeof awaited, "%s", path_of(name));
    CHECK(run(out_path) == ORDO_E_CANCELLED);
    CHECK(access(awaited, F_OK) == 0);
    awaited[0] = 0;
}

static void check_result(const char *path)
{
    FILE *const f = fopen(path, "rb");
    CHECK(f != NULL);
    CHECK_EQ_U64(expected_n, f != NULL ? fread(result, sizeof *result, N, f) : 0);
    CHECK_BYTES(expected, result, expected_n * sizeof *result, sizeof *result);
    if (f != NULL)
        fclose(f);
}

/* What a call without interruption writes. */
static void expect(void)
{
    clear();
    CHECK(run(out_path) == ORDO_OK);
    FILE *const f = fopen(out_path, "rb");
    expected_n = f != NULL ? fread(expected, sizeof *expected, N, f) : 0;
    CHECK(expected_n > 0 && (doing == UNIQUE || expected_n == N));
    if (f != NULL)
        fclose(f);
}

/* ---- The source ---- */

/* Another source in the same file, with the same size and times as far as the manifest knows. */
static void test_other_source(void)
{
    static const size_t places[] = {0, 10, N - 1};
    for (size_t i = 0; i < 3; i++) {
        testkit_case("%s of another source: key %zu differs", verb_names[doing], places[i]);
        interrupt("manifest");
        input[places[i]] ^= 5;
        write_input();
        CHECK(run(out_path) == ORDO_E_ARG); /* the times differ */
        forged manifest = forge_read(path_of("manifest"));
        if (!CHECK(manifest.bytes != NULL))
            return;
        forge_times(&manifest, in_path);
        forge_manifest(&manifest);
        CHECK(forge_write(path_of("manifest"), manifest));
        free(manifest.bytes);
        ordo_status const status = run(out_path);
        if (status == ORDO_OK) { /* the key is behind the runs */
            forged const got = forge_read(out_path);
            expect();
            CHECK(got.size == expected_n * sizeof *expected);
            CHECK_BYTES(expected, got.bytes, got.size, sizeof *expected);
            free(got.bytes);
        } else {
            CHECK(status == ORDO_E_ARG && strstr(said, "the source has changed since") != NULL);
        }
        CHECK(status == ORDO_E_ARG || places[i] == N - 1);
        input[places[i]] ^= 5;
        write_input();
        expect();
    }
}

/* ---- The sink ---- */

/* Two bytes in the finished part of the result, or all of it behind a place. */
static void test_changed_result(void)
{
    for (int change = 0; change < 3; change++) {
        testkit_case("%s: the result %s, mode %d", verb_names[doing],
                     change == 0   ? "is as it was"
                     : change == 1 ? "has other bytes"
                                   : "is shorter",
                     sink_mode);
        interrupt("ranges");
        int const fd = open(out_path, O_RDWR);
        if (change == 1)
            CHECK(pwrite(fd, "\xff\x7f", 2, 8 * 3) == 2);
        if (change == 2)
            CHECK(ftruncate(fd, 12) == 0);
        close(fd);
        CHECK(run(out_path) == ORDO_OK);
        check_result(out_path);
        CHECK(access(resume_path, F_OK) != 0);
    }
}

/* A point that is signed but is not the place of the results. */
static void test_wrong_point(void)
{
    for (size_t number = 0; number < 3; number++) {
        testkit_case("%s: number %zu of the point is wrong", verb_names[doing], number);
        interrupt("ranges");
        forged const point = forge_read(path_of("ranges"));
        if (!CHECK(point.bytes != NULL && point.size >= 64))
            return;
        uint64_t value;
        memcpy(&value, point.bytes + number * 8, 8);
        value += number == 0 ? 2 : 1;
        memcpy(point.bytes + number * 8, &value, 8);
        forge_point(&point);
        CHECK(forge_write(path_of("ranges"), point));
        free(point.bytes);
        ordo_status const status = run(out_path);
        CHECK(status == ORDO_OK || said[0] != 0);
        if (status == ORDO_OK)
            check_result(out_path);
        CHECK(number == 0 ? status == ORDO_E_ARG : status == ORDO_OK);
    }
}

/* A missing parent is named, with what to do, as without a resume directory. */
static void test_no_parent(void)
{
    const char *const missing = "no such folder";
    testkit_case("no parent");
    char before[sizeof resume_path];
    memcpy(before, resume_path, sizeof before);
    snprintf(resume_path, sizeof resume_path, "%s/resume", missing);
    CHECK(run(out_path) == ORDO_E_IO);
    CHECK(strstr(said, "in no such folder failed: No such file or directory; make the directory") !=
          NULL);
    memcpy(resume_path, before, sizeof before);
}

int main(void)
{
    char remove_all[64];
    testkit_start();
    CHECK(mkdtemp(folder) != NULL);
    snprintf(in_path, sizeof in_path, "%s/in", folder);
    snprintf(out_path, sizeof out_path, "%s/out", folder);
    snprintf(resume_path, sizeof resume_path, "%s/resume", folder);
    inputs_fill(inputs_find("random bits"), ORDO_U64, input, N, 1);
    for (size_t i = 0; i < N; i++)
        input[i] %= N / 2; /* some tie */
    write_input();
    for (doing = 0; doing < VERBS; doing++) {
        expect();
        CHECK(was_flat);
        test_other_source();
        if (doing == RANK) /* keeps no ranges */
            continue;
        test_changed_result();
        sink_mode = O_WRONLY;
        test_changed_result();
        sink_mode = O_RDWR;
        test_wrong_point();
    }
    doing = SORT;
    test_no_parent();
    snprintf(remove_all, sizeof remove_all, "rm -rf %s", folder);
    CHECK(system(remove_all) == 0);
    return testkit_done();
}

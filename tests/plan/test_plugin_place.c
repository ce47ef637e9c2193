/* test_plugin_place.c - the plugin is loaded only from the folder of the file that contains libordo
 * and from an absolute ORDO_BACKEND_DIR: not from the working directory, not from the folder of
 * argv[0], and not from the environment of a privileged program.
 *
 * This program is linked with libordo.a and runs itself; with the argument "report" it prints what
 * the library found. The wrong folder has the plugin `failing`, which opens if it is loaded. */
#define _GNU_SOURCE
#include "testkit.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef TEST_LIBRARY
#define TEST_LIBRARY "libordo.so" /* path of the shared library; set by the build */
#endif

#define WRONG TEST_PLUGINS "/failing"
#define PLUGIN "libordo_cuda.so"

enum {
    PATH_SIZE = 4096,
    CANNOT_RUN = 77 /* exit status of a child that could not be executed */
};

static char self[PATH_SIZE]; /* this program, its folder, and a new folder in that folder */
static char folder[PATH_SIZE];
static char temporary[PATH_SIZE];
static char said[4 * PATH_SIZE]; /* output of the last child */

/* ---- The child ---- */

/* Prints whether the program is privileged, why there is no GPU, and the calibration file. */
static int report(const char *argv0, bool removed)
{
    ordo_ctx *ctx = NULL;
    ordo_info info = {.struct_size = sizeof info};
    if (removed && unlink(argv0) != 0)
        return 3;
    printf("secure %lu\n", getauxval(AT_SECURE));
    if (ordo_ctx_create(&ctx, NULL) != ORDO_OK) {
        printf("no context: %s\n", ordo_last_error(NULL));
        return 0;
    }
    if (ordo_ctx_info(ctx, &info) != ORDO_OK)
        return 4;
    printf("cuda '%s'\ncalibration '%s'\n", info.cuda, info.calibration);
    ordo_ctx_free(ctx);
    return 0;
}

/* Runs `file` (found through PATH if it has no slash) with argv[0] = name in the folder `in` and
 * keeps its output in `said`. Returns false, and prints the reason, if it cannot be run. */
static bool run(const char *in, const char *file, const char *name, const char *what)
{
    int ends[2];
    int status = -1;
    said[0] = '\0';
    fflush(stdout);
    if (!CHECK(pipe(ends) == 0))
        return false;
    pid_t const child = fork();
    if (child == 0) {
        char *const args[] = {(char *)name, (char *)what, NULL};
        if (dup2(ends[1], STDOUT_FILENO) < 0 || chdir(in) != 0)
            _exit(5);
        execvp(file, args);
        _exit(CANNOT_RUN);
    }
    close(ends[1]);
    size_t length = 0;
    for (ssize_t got; (got = read(ends[0], said + length, sizeof said - 1 - length)) > 0;)
        length += (size_t)got;
    said[length] = '\0';
    close(ends[0]);
    if (!CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)))
        return false;
    if (WEXITSTATUS(status) == CANNOT_RUN) {
        testkit_skip("%s cannot be executed here", file);
        return false;
    }
    return CHECK_EQ_U64(0, WEXITSTATUS(status));
}

static void check_said(const char *expected, int line)
{
    if (!testkit_check(strstr(said, expected) != NULL, __FILE__, line, expected))
        printf("expected '%s' in:\n%s\n", expected, said);
}
#define SAID(expected) check_said((expected), __LINE__)

/* ---- Files ---- */

static void copy_file(const char *from, const char *to)
{
    static char block[1 << 16];
    int const   in = open(from, O_RDONLY | O_CLOEXEC);
    int const   out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
    CHECK(in >= 0 && out >= 0);
    for (ssize_t got; (got = read(in, block, sizeof block)) > 0;)
        if (!CHECK(write(out, block, (size_t)got) == got))
            break;
    close(in);
    close(out);
}

/* The path of `name` in the new folder. Two results are valid at a time. */
static const char *in_temporary(const char *name)
{
    static char path[2][2 * PATH_SIZE];
    static int  turn;
    char *const at = path[turn ^= 1];
    snprintf(at, sizeof *path, "%s/%s", temporary, name);
    return at;
}

static void make_temporary(void)
{
    ssize_t const length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (!CHECK(length > 0))
        exit(testkit_done());
    memcpy(folder, self, sizeof folder);
    *strrchr(folder, '/') = '\0';
    snprintf(temporary, sizeof temporary, "%.4000s/place.XXXXXX", folder);
    if (!CHECK(mkdtemp(temporary) != NULL && chmod(temporary, 0755) == 0))
        exit(testkit_done());
}

static void remove_temporary(void)
{
    static const char *const names[] = {"program", "gone",           "secure",   "libordo.so.0",
                                        PLUGIN,    "elsewhere/link", "elsewhere"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        (void)remove(in_temporary(names[i]));
    CHECK(rmdir(temporary) == 0);
}

/* ---- Places ---- */

/* There is no plugin beside this program, and the library looks only there. */
static void test_wrong_places(void)
{
    char expected[PATH_SIZE + 64];
    char elsewhere[PATH_SIZE];
    snprintf(expected, sizeof expected, "cuda 'no " PLUGIN " in %.160s'", folder);

    testkit_case("found through PATH, with a plugin in the working directory");
    setenv("PATH", folder, 1);
    if (run(WRONG, strrchr(self, '/') + 1, strrchr(self, '/') + 1, "report"))
        SAID(expected);

    testkit_case("argv[0] names another folder");
    snprintf(elsewhere, sizeof elsewhere, "%.4000s/x", WRONG);
    if (run("/", self, elsewhere, "report"))
        SAID(expected);

    testkit_case("argv[0] is empty");
    if (run(WRONG, self, "", "report"))
        SAID(expected);

    testkit_case("a folder that is not absolute");
    static const char *const relative[] = {"failing", "./failing", "../plugins/failing", "."};
    for (size_t i = 0; i < sizeof relative / sizeof *relative; i++) {
        setenv("ORDO_BACKEND_DIR", relative[i], 1);
        if (run(strcmp(relative[i], ".") == 0 ? WRONG : TEST_PLUGINS, self, self, "report"))
            SAID("expected an absolute path");
    }
    setenv("ORDO_BACKEND_DIR", WRONG, 1);
    if (run("/", self, self, "report"))
        SAID("cuda ''");
    unsetenv("ORDO_BACKEND_DIR");
}

/* A plugin beside the program is found for every argv[0], unless the program was removed. */
static void test_beside_program(void)
{
    copy_file(self, in_temporary("program"));
    copy_file(self, in_temporary("gone"));
    CHECK(symlink(WRONG "/" PLUGIN, in_temporary(PLUGIN)) == 0);
    CHECK(mkdir(in_temporary("elsewhere"), 0755) == 0);
    CHECK(symlink(in_temporary("program"), in_temporary("elsewhere/link")) == 0);

    testkit_case("beside the program");
    if (run("/", in_temporary("program"), "/there/is/no/such/program", "report"))
        SAID("cuda ''");
    testkit_case("beside the target of a link");
    if (run("/", in_temporary("elsewhere/link"), "link", "report"))
        SAID("cuda ''");
    testkit_case("the program was removed");
    if (run("/", in_temporary("gone"), in_temporary("gone"), "removed"))
        SAID("was removed or replaced");
}

typedef ordo_status create_fn(ordo_ctx **, const ordo_ctx_opts *);
typedef ordo_status info_fn(ordo_ctx *, ordo_info *);
typedef void        free_fn(ordo_ctx *);

static void *symbol_of(void *library, const char *name)
{
    void *const symbol = dlsym(library, name);
    if (!CHECK(symbol != NULL))
        exit(testkit_done());
    return symbol;
}

/* The shared library is opened by a relative path, then the working directory changes. */
static void test_changed_directory(void)
{
    testkit_case("dlopen(\"./libordo.so.0\"), then chdir");
    copy_file(TEST_LIBRARY, in_temporary("libordo.so.0"));
    (void)remove(in_temporary(PLUGIN));
    CHECK(chdir(temporary) == 0);
    void *const library = dlopen("./libordo.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!CHECK(library != NULL)) {
        printf("%s\n", dlerror());
        return;
    }
    create_fn *create;
    info_fn   *get_info;
    free_fn   *release;
    *(void **)&create = symbol_of(library, "ordo_ctx_create");
    *(void **)&get_info = symbol_of(library, "ordo_ctx_info");
    *(void **)&release = symbol_of(library, "ordo_ctx_free");
    ordo_ctx *ctx = NULL;
    CHECK(chdir(WRONG) == 0);
    CHECK_STATUS(ORDO_OK, create(&ctx, NULL), NULL);
    ordo_info info = {.struct_size = sizeof info};
    CHECK_STATUS(ORDO_OK, get_info(ctx, &info), NULL);
    snprintf(said, sizeof said, "%s", info.cuda);
    char expected[PATH_SIZE + 64];
    snprintf(expected, sizeof expected, "no " PLUGIN " in %.160s", temporary);
    SAID(expected);
    release(ctx);

    testkit_case("dlopen, chdir, and a plugin beside the library");
    CHECK(symlink(WRONG "/" PLUGIN, in_temporary(PLUGIN)) == 0);
    CHECK(chdir("/") == 0);
    CHECK_STATUS(ORDO_OK, create(&ctx, NULL), NULL);
    CHECK_STATUS(ORDO_OK, get_info(ctx, &info), NULL);
    CHECK(info.cuda[0] == '\0');
    release(ctx);
    (void)remove(in_temporary(PLUGIN));
}

/* ---- Privileged programs ---- */

/* Gives the file another owner or group, and the bit that runs it as such. Returns false if neither
 * is possible. */
static bool make_privileged(const char *file)
{
    gid_t     groups[64];
    int const count = getgroups(sizeof groups / sizeof *groups, groups);
    if (geteuid() == 0 && chown(file, 65534, (gid_t)-1) == 0)
        return chmod(file, 04755) == 0;
    for (int i = 0; i < count; i++)
        if (groups[i] != getgid() && groups[i] != getegid() &&
            chown(file, (uid_t)-1, groups[i]) == 0)
            return chmod(file, 02755) == 0;
    return false;
}

/* Every variable has a value that would be refused or visible if the library used it. */
static void test_privileged(void)
{
    static const char *const names[] = {"ORDO_THREADS",   "ORDO_ISA",       "ORDO_DEVICE",
                                        "ORDO_TUNE_FILE", "XDG_CACHE_HOME", "HOME"};
    testkit_case("environment of a privileged program");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        setenv(names[i], "/nonsense", 1);
    setenv("ORDO_BACKEND_DIR", WRONG, 1);
    copy_file(self, in_temporary("secure"));
    if (!make_privileged(in_temporary("secure")))
        testkit_skip("a privileged program needs root or a second group");
    else if (run("/", in_temporary("secure"), "secure", "report")) {
        if (strstr(said, "secure 0") != NULL) {
            testkit_skip("the set-user-ID bit has no effect in %s", temporary);
        } else {
            SAID("cuda 'no " PLUGIN " in ");
            SAID("calibration ''");
        }
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
    unsetenv("ORDO_BACKEND_DIR");
}

int main(int argc, char **argv)
{
    if (argc == 2) {
        int const status = report(argv[0], strcmp(argv[1], "removed") == 0);
        fflush(stdout);
        _exit(status); /* without the leak check, which fails in a privileged program */
    }
    testkit_start();
    make_temporary();
    test_wrong_places();
    test_beside_program();
    test_changed_directory();
    test_privileged();
    remove_temporary();
    return testkit_done();
}

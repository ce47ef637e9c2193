/* test_fork.c - a context after fork, in the child and in the parent: with running threads, in a
 * child with the process id of its parent, and while another thread is inside a call. Also contexts
 * in several threads at once. */
#define _GNU_SOURCE
#include "testkit.h"
#include "kit/verbs/verbs.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { /* N: enough elements for every verb to use threads */
#ifdef ORDO_TINY
    N = 30000,
#else
    N = 150000,
#endif
    CALLERS = 3,
    PATIENCE = 1800, /* seconds; the limit of ctest for a test */
    FEW = 8          /* step over the table of verbs */
};

/* Replaces the function of the C library, as if every process were the first of a PID namespace. */
static bool everyone_is_first;

pid_t getpid(void) { return everyone_is_first ? 1 : (pid_t)syscall(SYS_getpid); }

/* Runs every `step`-th verb and counts wrong results. */
static int wrong_of(ordo_ctx *ctx, verb_data *data, size_t step)
{
    int wrong = 0;
    for (size_t v = 0; v < VERBS; v += step)
        wrong += verb_run(v, ctx, data) != ORDO_OK || !verb_right(v, data);
    return wrong;
}

static int wrong_verbs(ordo_ctx *ctx, verb_data *data) { return wrong_of(ctx, data, VERB_STEP); }

/* Checks that the child ends with status 0. */
static void check_child(pid_t child)
{
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK_EQ_U64(0, WEXITSTATUS(status));
}

/* The child reports only by its exit status: its checks are not counted here. */
static void fork_and_use(ordo_ctx *ctx, verb_data *data, bool free_in_child)
{
    fflush(stdout);
    pid_t const child = fork();
    if (child == 0) {
        alarm(PATIENCE); /* ends the child if a worker is lost */
        int const wrong = wrong_verbs(ctx, data) + wrong_verbs(ctx, data);
        if (free_in_child)
            ordo_ctx_free(ctx);
        _exit(wrong);
    }
    if (!CHECK(child > 0))
        return;
    CHECK_EQ_U64(0, wrong_verbs(ctx, data)); /* while the child runs */
    check_child(child);
}

static void test_fork(unsigned threads)
{
    verb_data       data = verb_data_make(N);
    ordo_ctx *const warm = test_context_make(threads);
    ordo_ctx *const cold = test_context_make(threads);

    testkit_case("fork with %u threads", threads);
    CHECK_EQ_U64(0, wrong_verbs(warm, &data));
    fork_and_use(warm, &data, true);
    fork_and_use(warm, &data, false);
    testkit_case("fork with %u threads that never ran", threads);
    fork_and_use(cold, &data, true);
    CHECK_EQ_U64(0, wrong_verbs(cold, &data));
    ordo_ctx_free(cold);
    ordo_ctx_free(warm);
    verb_data_free(&data);
}

/* Parent and child have equal process ids; the library must still tell them apart. */
static void test_same_id(void)
{
    verb_data       data = verb_data_make(N);
    ordo_ctx *const ctx = test_context_make(4);
    testkit_case("a child with its parent's process id");
    everyone_is_first = true;
    CHECK_EQ_U64(0, wrong_of(ctx, &data, FEW));
    fflush(stdout);
    for (int uses = 0; uses < 2; uses++) { /* the child only frees the context, or uses it first */
        pid_t const child = fork();
        if (child == 0) {
            alarm(PATIENCE);
            int const wrong = uses != 0 ? wrong_of(ctx, &data, FEW) : 0;
            ordo_ctx_free(ctx);
            _exit(wrong);
        }
        if (CHECK(child > 0))
            check_child(child);
    }
    CHECK_EQ_U64(0, wrong_of(ctx, &data, FEW));
    everyone_is_first = false;
    ordo_ctx_free(ctx);
    verb_data_free(&data);
}

/* A child made by the system call, which runs no fork handlers. */
static void test_clone(void)
{
    verb_data       data = verb_data_make(N);
    ordo_ctx *const ctx = test_context_make(4);
    testkit_case("a child made by clone()");
    CHECK_EQ_U64(0, wrong_of(ctx, &data, FEW));
    fflush(stdout);
    long const child = syscall(SYS_clone, (long)SIGCHLD, 0L, 0L, 0L, 0L);
    if (child == 0) {
        alarm(PATIENCE);
        ordo_ctx_free(ctx);
        _exit(0);
    }
    if (CHECK(child > 0))
        check_child((pid_t)child);
    CHECK_EQ_U64(0, wrong_of(ctx, &data, FEW));
    ordo_ctx_free(ctx);
    verb_data_free(&data);
}

/* A call that waits in its first comparison until go_on. */
typedef struct long_call {
    ordo_ctx   *ctx;
    atomic_bool inside, go_on;
    ordo_status status;
} long_call;

static int wait_and_compare(void *user, const void *a, const void *b)
{
    long_call *const call = user;
    atomic_store(&call->inside, true);
    while (!atomic_load(&call->go_on))
        usleep(100);
    return memcmp(a, b, 1);
}

static void *run_long_call(void *user)
{
    long_call *const call = user;
    char             few[] = "dcba";
    call->status = ordo_sort_by(call->ctx, few, 4, 1, wait_and_compare, call, NULL);
    return NULL;
}

/* In the child the context stays inside that call; a new context works. */
static void test_fork_within_call(void)
{
    verb_data data = verb_data_make(N);
    long_call call = {.ctx = test_context_make(1)};
    pthread_t thread;
    testkit_case("fork while another thread is inside a call");
    if (!CHECK(pthread_create(&thread, NULL, run_long_call, &call) == 0))
        exit(testkit_done());
    while (!atomic_load(&call.inside))
        usleep(100);
    fflush(stdout);
    pid_t const child = fork();
    if (child == 0) {
        uint32_t  one[2] = {2, 1};
        ordo_info info = {.struct_size = sizeof info};
        ordo_ctx *own = NULL;
        alarm(PATIENCE);
        bool const busy = ordo_sort(call.ctx, ORDO_U32, one, 2, NULL) == ORDO_E_BUSY &&
                          strstr(ordo_last_error(NULL), "inside another call") != NULL &&
                          ordo_ctx_info(call.ctx, &info) == ORDO_E_BUSY;
        ordo_ctx_free(call.ctx); /* has no effect */
        if (ordo_ctx_create(&own, &ORDO_OPTS(ordo_ctx_opts, .threads = 4)) != ORDO_OK)
            _exit(99);
        int const wrong = wrong_of(own, &data, FEW);
        ordo_ctx_free(own);
        _exit(wrong + (busy ? 0 : 100));
    }
    if (CHECK(child > 0))
        check_child(child);
    atomic_store(&call.go_on, true);
    pthread_join(thread, NULL);
    CHECK_STATUS(ORDO_OK, call.status, call.ctx);
    ordo_ctx_free(call.ctx);
    verb_data_free(&data);
}

static void *call_all(void *user)
{
    int *const      wrong = user;
    verb_data       data = verb_data_make(N / 3);
    ordo_ctx *const ctx = test_context_make(3);
    for (int i = 0; i < 5; i++)
        *wrong += wrong_verbs(ctx, &data);
    ordo_ctx_free(ctx);
    verb_data_free(&data);
    return NULL;
}

static void test_concurrent_contexts(void)
{
    pthread_t thread[CALLERS];
    int       wrong[CALLERS] = {0};
    testkit_case("contexts in several threads");
    for (int i = 0; i < CALLERS; i++)
        if (!CHECK(pthread_create(&thread[i], NULL, call_all, &wrong[i]) == 0))
            exit(testkit_done());
    for (int i = 0; i < CALLERS; i++) {
        pthread_join(thread[i], NULL);
        CHECK_EQ_U64(0, wrong[i]);
    }
}

/* A context can be created, used and freed in different threads. */
static void *use_and_leave(void *user)
{
    verb_data  data = verb_data_make(N / 3);
    int *const failures = test_need(sizeof *failures);
    *failures = wrong_verbs(user, &data);
    verb_data_free(&data);
    return failures;
}

static void test_moved_context(void)
{
    ordo_ctx *const ctx = test_context_make(3);
    testkit_case("a context that moves between threads");
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        void     *failures = NULL;
        if (!CHECK(pthread_create(&thread, NULL, use_and_leave, ctx) == 0))
            break;
        pthread_join(thread, &failures);
        CHECK(failures != NULL && *(int *)failures == 0);
        free(failures);
    }
    ordo_ctx_free(ctx);
}

int main(void)
{
    testkit_start();
    test_fork(1);
    if (TESTKIT_TSAN) {
        testkit_skip("fork with threads: TSan cannot follow threads started in the child");
    } else {
        test_fork(4);
        test_same_id();
        test_fork_within_call();
    }
    if (TESTKIT_TSAN || TESTKIT_ASAN)
        testkit_skip("clone() without fork(): sanitizers do not know of the child");
    else
        test_clone();
    test_concurrent_contexts();
    test_moved_context();
    return testkit_done();
}

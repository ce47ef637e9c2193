/* test_fork.c - a context used after fork, in the child and in the parent, with its threads
 * already running; contexts in several threads at once. */
#define _GNU_SOURCE
#include "testkit.h"
#include "verbs.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { /* N: enough for every verb to use its threads */
#ifdef ORDO_TINY
    N = 30000,
#else
    N = 150000,
#endif
    CALLERS = 3
};

/* All verbs on ctx; how many were wrong. */
static int wrong_verbs(ordo_ctx *ctx, verb_data *data)
{
    int wrong = 0;
    for (size_t v = 0; v < VERBS; v += VERB_STEP)
        wrong += verb_run(v, ctx, data) != ORDO_OK || !verb_right(v, data);
    return wrong;
}

/* The child reports by its exit status alone: its checks would not be counted here. */
static void fork_and_use(ordo_ctx *ctx, verb_data *data, bool free_in_child)
{
    fflush(stdout);
    pid_t const child = fork();
    if (child == 0) {
        alarm(60); /* a lost worker must not hang the test */
        int const wrong = wrong_verbs(ctx, data) + wrong_verbs(ctx, data);
        if (free_in_child)
            ordo_ctx_free(ctx);
        _exit(wrong);
    }
    if (!CHECK(child > 0))
        return;
    int status = -1;
    CHECK_EQ_U64(0, wrong_verbs(ctx, data)); /* the parent goes on meanwhile */
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK_EQ_U64(0, WEXITSTATUS(status));
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

/* A context may be made in one thread, used in another and freed in a third. */
static void *use_and_leave(void *user)
{
    verb_data data = verb_data_make(N / 3);
    int      *failures = malloc(sizeof *failures);
    if (failures != NULL)
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
#ifdef TESTKIT_TSAN
    testkit_skip("fork with threads: TSan cannot follow threads started in the child");
#else
    test_fork(4);
#endif
    test_concurrent_contexts();
    test_moved_context();
    return testkit_done();
}

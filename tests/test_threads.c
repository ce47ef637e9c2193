/* test_threads.c - threads that cannot be had, threads that should sleep, CPUs that may not be
 * used. pthread_create is replaced here by one that fails on demand. */
#define _GNU_SOURCE
#include "testkit.h"
#include "verbs.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { /* enough for every verb to use its threads */
#ifdef ORDO_TINY
    N = 30000
#else
    N = 200000
#endif
};

/* TSan must see threads begin, and clang links its sanitizers into the program, where RTLD_NEXT
 * cannot find them. */
#if defined(TESTKIT_TSAN) || (TESTKIT_SANITIZED && defined(__clang__))
#define CAN_REPLACE_CREATE 0
#else
#define CAN_REPLACE_CREATE 1

typedef int create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static atomic_long creations_allowed = 1 << 20;
static atomic_long creations_asked;

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
    create_fn *real = NULL;
    void *const symbol = dlsym(RTLD_NEXT, "pthread_create");
    memcpy(&real, &symbol, sizeof real);
    atomic_fetch_add(&creations_asked, 1);
    if (real == NULL || atomic_fetch_sub(&creations_allowed, 1) <= 0)
        return EAGAIN;
    return real(thread, attr, start, arg);
}

static void test_creation_fails(verb_data *data, long allowed)
{
    ordo_ctx *const ctx = test_context_make(6);
    atomic_store(&creations_allowed, allowed);
    atomic_store(&creations_asked, 0);
    for (size_t v = 0; v < VERBS; v += VERB_STEP)
        for (int twice = 0; twice < 2; twice++) {
            testkit_case("%s with %ld threads to be had", verb_name(v), allowed);
            CHECK_STATUS(ORDO_OK, verb_run(v, ctx, data), ctx);
            CHECK(verb_right(v, data));
        }
    CHECK(atomic_load(&creations_asked) > 0);
    atomic_store(&creations_allowed, 1 << 20);
    for (size_t v = 0; v < VERBS; v += VERB_STEP) {
        testkit_case("%s when threads can be had again", verb_name(v));
        CHECK_STATUS(ORDO_OK, verb_run(v, ctx, data), ctx);
        CHECK(verb_right(v, data));
    }
    ordo_ctx_free(ctx);
}
#endif

static double cpu_seconds(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

/* Threads that have nothing to do use no CPU. */
static void test_idle(verb_data *data)
{
    struct timespec const pause = {0, 300 * 1000 * 1000};
    ordo_ctx *const       ctx = test_context_make(4);
    testkit_case("idle");
    for (size_t v = 0; v < VERBS; v += VERB_STEP) {
        CHECK_STATUS(ORDO_OK, verb_run(v, ctx, data), ctx);
        CHECK(verb_right(v, data));
    }
    double const before = cpu_seconds();
    nanosleep(&pause, NULL);
    CHECK(cpu_seconds() - before < 0.030);
    ordo_ctx_free(ctx);
}

static void test_affinity(verb_data *data)
{
    cpu_set_t all, one;
    ordo_ctx *ctx = NULL;
    ordo_info info = {.struct_size = sizeof info};

    testkit_case("one CPU by affinity");
    if (sched_getaffinity(0, sizeof all, &all) != 0) {
        testkit_skip("affinity: sched_getaffinity failed: %s", strerror(errno));
        return;
    }
    CPU_ZERO(&one);
    for (size_t cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; cpu++)
        if (CPU_ISSET(cpu, &all))
            CPU_SET(cpu, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) {
        testkit_skip("affinity: sched_setaffinity failed: %s", strerror(errno));
        return;
    }
    CHECK_STATUS(ORDO_OK, ordo_ctx_create(&ctx, NULL), NULL);
    CHECK_STATUS(ORDO_OK, ordo_ctx_info(ctx, &info), ctx);
    CHECK_EQ_U64(1, info.affinity);
    CHECK_EQ_U64(1, info.threads);
    CHECK(info.cpus >= 1);
    CHECK_STATUS(ORDO_OK, verb_run(0, ctx, data), ctx);
    CHECK(verb_right(0, data));
    ordo_ctx_free(ctx);
    CHECK(sched_setaffinity(0, sizeof all, &all) == 0);
}

/* Threads of a context end with it, also when it never had work or is made a thousand times. */
static void test_many_contexts(verb_data *data)
{
    testkit_case("many contexts");
    for (int i = 0; i < 200; i++) {
        ordo_ctx *const ctx = test_context_make(1 + (unsigned)i % 8);
        if (i % 2 != 0) {
            CHECK_STATUS(ORDO_OK, verb_run((size_t)i % VERBS, ctx, data), ctx);
            CHECK(verb_right((size_t)i % VERBS, data));
        }
        ordo_ctx_free(ctx);
    }
    ordo_ctx_free(NULL);
}

int main(void)
{
    testkit_start();
    verb_data data = verb_data_make(N);
#if CAN_REPLACE_CREATE
    test_creation_fails(&data, 0);
    test_creation_fails(&data, 2);
#else
    testkit_skip("failing thread creation: this sanitizer must see threads begin");
#endif
    test_idle(&data);
    test_affinity(&data);
    test_many_contexts(&data);
    verb_data_free(&data);
    return testkit_done();
}

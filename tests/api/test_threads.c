/* test_threads.c - thread creation that fails, idle threads, and CPU affinity. This file replaces
 * pthread_create by a function that fails on demand. */
#define _GNU_SOURCE
#include "testkit.h"
#include "kit/verbs/verbs.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { /* enough elements for every verb to use threads */
#ifdef ORDO_TINY
    N = 30000
#else
    N = 200000
#endif
};

/* TSan must see every thread start. clang links its sanitizers statically, where RTLD_NEXT does not
 * find them. */
#if TESTKIT_TSAN || (TESTKIT_SANITIZED && defined(__clang__))
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
            testkit_case("%s with %ld threads available", verb_name(v), allowed);
            CHECK_STATUS(ORDO_OK, verb_run(v, ctx, data), ctx);
            CHECK(verb_right(v, data));
        }
    CHECK(atomic_load(&creations_asked) > 0);
    atomic_store(&creations_allowed, 1 << 20);
    for (size_t v = 0; v < VERBS; v += VERB_STEP) {
        testkit_case("%s after thread creation works again", verb_name(v));
        CHECK_STATUS(ORDO_OK, verb_run(v, ctx, data), ctx);
        CHECK(verb_right(v, data));
    }
    ordo_ctx_free(ctx);
}
#endif

/* Whether every other thread of this process sleeps: the letter after the name in
 * /proc/self/task/ID/stat is S. */
static bool others_sleep(void)
{
    bool       all = true;
    DIR *const tasks = opendir("/proc/self/task");
    long const self = (long)syscall(SYS_gettid);
    for (struct dirent *entry; tasks != NULL && (entry = readdir(tasks)) != NULL;) {
        char path[300], text[300] = "";
        if (entry->d_name[0] == '.' || strtol(entry->d_name, NULL, 10) == self)
            continue;
        snprintf(path, sizeof path, "/proc/self/task/%s/stat", entry->d_name);
        FILE *const file = fopen(path, "r");
        if (file == NULL)
            continue; /* the thread has just ended */
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
        const char *const name_end = strrchr(text, ')');
        all = all && name_end != NULL && name_end[1] == ' ' && name_end[2] == 'S';
    }
    if (tasks != NULL)
        closedir(tasks);
    return all;
}

/* Idle threads sleep. On a busy machine it may take a while until they do; a thread that waits in a
 * loop never does. */
static void test_idle(verb_data *data)
{
    struct timespec const moment = {0, 1000 * 1000};
    ordo_ctx *const       ctx = test_context_make(4);
    bool                  asleep = false;
    testkit_case("idle threads sleep");
    for (size_t v = 0; v < VERBS; v += VERB_STEP) {
        CHECK_STATUS(ORDO_OK, verb_run(v, ctx, data), ctx);
        CHECK(verb_right(v, data));
    }
    for (int i = 0; i < 60000 && !asleep; i++) {
        nanosleep(&moment, NULL);
        asleep = others_sleep();
    }
    CHECK(asleep);
    ordo_ctx_free(ctx);
}

static void test_affinity(verb_data *data)
{
    cpu_set_t all, one;

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
    ordo_ctx *const ctx = CONTEXT(.threads = 0);
    ordo_info const info = info_of(ctx);
    CHECK_EQ_U64(1, info.affinity);
    CHECK_EQ_U64(1, info.threads);
    CHECK(info.cpus >= 1);
    CHECK_STATUS(ORDO_OK, verb_run(0, ctx, data), ctx);
    CHECK(verb_right(0, data));
    ordo_ctx_free(ctx);
    CHECK(sched_setaffinity(0, sizeof all, &all) == 0);
}

/* The threads of a context end with it, also if it never had work. */
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

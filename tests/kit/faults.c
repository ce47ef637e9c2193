/* faults.c - see faults.h. */
#define _POSIX_C_SOURCE 200809L
#include "faults.h"

#include "api/api_ctx.h"
#include "testkit.h"

#include <time.h>

static struct {
    ordo_ctx     *ctx;
    ordo_exec     own; /* the services of the context without faults */
    atomic_size_t checks, requests, refused;
    size_t        cancel_at, refuse_at;
    bool          only_one;
} faults;

typedef struct piece_of_loop {
    ordo_body *body;
    void      *arg;
} piece_of_loop;

static void check(void)
{
    if (atomic_fetch_add(&faults.checks, 1) + 1 == faults.cancel_at)
        ordo_cancel(faults.ctx);
}

static void checked_body(void *arg, size_t lo, size_t hi)
{
    const piece_of_loop *const piece = arg;
    check();
    piece->body(piece->arg, lo, hi);
}

static bool checked_loop(ordo_exec *exec, size_t n, size_t grain, ordo_body *body, void *arg)
{
    piece_of_loop piece = {body, arg};
    check();
    return faults.own.loop(exec, n, grain, checked_body, &piece);
}

static bool checked_poll(ordo_exec *exec, double share)
{
    check();
    return faults.own.poll(exec, share);
}

static ordo_status checked_scratch(ordo_exec *exec, size_t bytes, void **out)
{
    size_t const request = atomic_fetch_add(&faults.requests, 1) + 1, at = faults.refuse_at;
    if (at == 0 || request < at || (faults.only_one && request > at))
        return faults.own.scratch(exec, bytes, out);
    atomic_fetch_add(&faults.refused, 1);
    return ordo_fail(exec, ORDO_E_NOMEM, "request %zu for scratch is refused", request);
}

void faults_attach(ordo_ctx *ctx)
{
    ordo_exec *const exec = &ctx->exec;
    faults.ctx = ctx;
    faults.own = *exec;
    exec->loop = checked_loop;
    exec->poll = checked_poll;
    exec->scratch = checked_scratch;
    faults_cancel(0);
}

void faults_detach(void)
{
    ordo_exec *const exec = &faults.ctx->exec;
    exec->loop = faults.own.loop;
    exec->poll = faults.own.poll;
    exec->scratch = faults.own.scratch;
}

static void set(size_t refuse_at, bool only_one, size_t cancel_at)
{
    faults.refuse_at = refuse_at;
    faults.only_one = only_one;
    faults.cancel_at = cancel_at;
    atomic_store(&faults.checks, 0);
    atomic_store(&faults.requests, 0);
    atomic_store(&faults.refused, 0);
}

void faults_refuse(size_t at, bool only_one) { set(at, only_one, 0); }

void faults_cancel(size_t at) { set(0, false, at); }

size_t faults_checks(void) { return atomic_load(&faults.checks); }

bool faults_refused(void) { return atomic_load(&faults.refused) != 0; }

static void *keep_cancelling(void *arg)
{
    canceller *const      with = arg;
    struct timespec const pause = {0, with->pause};
    while (!atomic_load(&with->over)) {
        ordo_cancel(with->ctx);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

bool canceller_start(canceller *with)
{
    if (with->at != 0) {
        faults_attach(with->ctx);
        faults_cancel(with->at);
        return true;
    }
    atomic_init(&with->over, false);
    return CHECK(pthread_create(&with->thread, NULL, keep_cancelling, with) == 0);
}

void canceller_end(canceller *with)
{
    if (with->at != 0) {
        faults_detach();
        return;
    }
    atomic_store(&with->over, true);
    pthread_join(with->thread, NULL);
}

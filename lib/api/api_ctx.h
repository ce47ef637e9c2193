/* api_ctx.h - the struct behind ordo_ctx, for the files that manage it: api_ctx.c makes contexts,
 * api_call.c begins and ends calls, api_report.c reports what the last call did. */
#ifndef ORDO_API_API_CTX_H
#define ORDO_API_API_CTX_H

#include "api/api.h"
#include "backend/profile.h"
#include "core/arena.h"
#include "core/cpus.h"
#include "core/fpmode.h"
#include "core/pool.h"

#include <pthread.h>
#include <time.h>

enum {
    API_ERROR_SIZE = 512,
    API_MAX_THREADS = 4096
};

typedef struct api_running { /* the report fields that api/ fills during a call */
    const char   *operation, *backend;
    ordo_type     type;
    size_t        n;
    ordo_forecast predicted;
} api_running;

struct ordo_ctx {
    ordo_exec    exec;
    ordo_plan    plan;
    ordo_arena   arena;
    ordo_pool   *pool;
    ordo_cpus    cpus;
    ordo_alloc   source;
    api_running  running; /* the call in progress */
    ordo_report  report;  /* the last successful call */
    ordo_profile profile; /* the last call; exec.profile points here if profiles are recorded */
    bool         device_facts;  /* exec.facts may have more than CPU_FACTS (api_call.c) */
    bool         device_report; /* report.facts may have more than CPU_FACTS */
    size_t       used;          /* threads that took part in a loop of the call, at most */

    ordo_progress_fn *progress;
    void             *progress_user;
    uint64_t          started;    /* when the call began, in clock ticks */
    uint64_t          lasted;     /* ticks of the last successful call */
    uint64_t          created[2]; /* when the context was created, by api_clock_ticks and _short */
    bool              few;        /* the call has few keys and uses api_clock_short */
    bool              lasted_few; /* `lasted` is of such a call */
    uint64_t          ticked;     /* when the last callback ended */
    double            interval;   /* the caller's seconds between callbacks; 0: choose */
    double            pause;      /* seconds until the next callback */
    double            shown;      /* the last progress reported */
    bool              watched;    /* the call may run long enough for a callback */
    bool              refused;    /* the callback has cancelled the call */
    bool              size_query; /* the call in progress is a query for scratch */

    pthread_t   caller; /* the thread that made the call */
    ordo_fpmode mode;   /* the floating-point mode of that thread, to be restored */
    atomic_flag busy;
    atomic_int  stop; /* set by ordo_cancel and the progress callback */
    atomic_int  told; /* a loop body was told to stop and may have left its piece unfinished */
    char        error[API_ERROR_SIZE];
    uint64_t    seed_step; /* added to exec.seed by every call; 0: the caller fixed the seed */
};

/* Fills the services of ctx->exec. */
void api_exec_init(ordo_ctx *ctx);

/* Every call holds the context between api_occupy and api_vacate, which returns status. */
ordo_status api_occupy(ordo_ctx *ctx);
ordo_status api_vacate(ordo_ctx *ctx, ordo_status status);

/* The error of calls that fail without a context, or because the context is busy: the error text
 * of a busy context belongs to the call in progress. One text per thread: ordo_last_error(NULL). */
__attribute__((format(printf, 2, 3))) ordo_status api_fail_in_thread(ordo_status status,
                                                                     const char *format, ...);

bool api_profile_open(ordo_profile *profile, const ordo_alloc *source);
void api_profile_close(ordo_profile *profile, const ordo_alloc *source);

/* ---- The clock of reports, which every call reads twice ----
 *
 * A call on a few keys takes some tens of nanoseconds, less than two readings of CLOCK_MONOTONIC
 * (V1: 29 ns each). So on AArch64 the clock is the counter register of the CPU (V1: 7 ns); another
 * register has its rate. On other CPUs the clock is CLOCK_MONOTONIC, and on x86-64 calls on a few
 * keys read the time-stamp counter, whose rate is measured when a report is read: ordo_sort of one
 * f64 takes 72 ns instead of 93 (Emerald Rapids). */

#if defined(__aarch64__)
static inline uint64_t api_clock_ticks(void)
{
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}

static inline double api_clock_second(void) /* ticks per second */
{
    uint64_t rate;
    __asm__("mrs %0, cntfrq_el0" : "=r"(rate));
    return (double)rate;
}
#else
static inline uint64_t api_clock_ticks(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}
static inline double   api_clock_second(void) { return 1e9; }
#endif

/* The clock of calls on a few keys. It is compared only with itself. */
#if defined(__x86_64__)
static inline uint64_t api_clock_short(void) { return __builtin_ia32_rdtsc(); }
#else
static inline uint64_t api_clock_short(void) { return api_clock_ticks(); }
#endif

#endif

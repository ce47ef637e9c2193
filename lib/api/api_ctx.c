/* api_ctx.c - contexts: what they own, how they are made, how a call begins and ends.
 *
 * A context owns its threads, its scratch, its opened backends, the text of the last error and
 * the report of the last call. The environment is read here, once, when it is made. */
#define _GNU_SOURCE
#include "api/api.h"
#include "api/api_clock.h"
#include "api/api_profile.h"
#include "core/arena.h"
#include "core/cpus.h"
#include "core/fpmode.h"
#include "core/pool.h"
#include "core/random.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    ERROR_SIZE = 512,
    MAX_THREADS = 4096,
    HUGE_PAGE = 2 << 20,
    FEW_KEYS = 2048,    /* numbers that take far less time than the pause before a callback */
    CALLBACK_SHARE = 20 /* the callback gets at most 1/20 of a call's time, see tick */
};

/* Seconds between two calls of the progress callback: the usual pause, and the longest one. */
#define TICK_SECONDS 0.005
#define LONGEST_SECONDS 0.100

struct ordo_ctx {
    ordo_exec    exec; /* first, so that an exec finds its context */
    ordo_plan    plan;
    ordo_arena   arena;
    ordo_pool   *pool;
    ordo_cpus    cpus;
    ordo_alloc   source;
    ordo_report  report;  /* of the last successful call */
    ordo_report  running; /* of the call in progress */
    ordo_profile profile; /* of the last call; exec.profile points here if it is asked for */

    ordo_progress_fn *progress;
    void             *progress_user;
    uint64_t          started;     /* ticks of the report's clock */
    uint64_t          lasted;      /* ticks that the last successful call took */
    uint64_t          ticked;      /* when the last callback ended, on the same clock */
    double            pause;       /* seconds until the next callback */
    double            fixed_pause; /* the same for every callback; negative: see tick */
    double            shown;       /* the last progress reported */
    bool              watched;     /* the running call may be long enough for a callback */
    bool              refused;     /* the callback has cancelled the running call */

    pthread_t   caller; /* the thread the running call came in on */
    ordo_fpmode mode;   /* of that thread, to be restored */
    atomic_flag busy;
    atomic_int  stop; /* set by ordo_cancel and the progress callback */
    atomic_int  told; /* a body has asked and may have left its piece unfinished */
    char        error[ERROR_SIZE];
    char        detail[sizeof((ordo_exec *)0)->note]; /* of the report */
    uint64_t    seed_step; /* added to exec.seed by every call; 0: a test has fixed the seed */
};

/* For calls that fail without a context, or on a context that is busy: the error text of that
 * context belongs to the call that runs. */
static _Thread_local char thread_error[ERROR_SIZE];

/* ---- Memory ---- */

/* Large blocks begin on a huge page and ask for huge pages: random access over scratch is
 * otherwise bound by the TLB. */
static void *default_alloc(void *user, size_t bytes)
{
    void *block = NULL;
    (void)user;
    if (bytes < 2 * (size_t)HUGE_PAGE)
        return malloc(bytes);
    if (posix_memalign(&block, HUGE_PAGE, bytes) != 0)
        return NULL;
    (void)madvise(block, bytes, MADV_HUGEPAGE);
    return block;
}

static void default_release(void *user, void *block)
{
    (void)user;
    free(block);
}

static ordo_status exec_scratch(ordo_exec *exec, size_t bytes, void **out)
{
    ordo_ctx *const ctx = (ordo_ctx *)exec;
    void *const     piece = ordo_arena_take(&ctx->arena, bytes);
    if (piece == NULL) {
        if (ctx->arena.limit != 0)
            return ordo_fail(exec, ORDO_E_NOMEM,
                             "%zu bytes of scratch do not fit the memory limit of %zu bytes", bytes,
                             ctx->arena.limit);
        return ordo_fail(exec, ORDO_E_NOMEM, "the system refused %zu bytes of scratch", bytes);
    }
    *out = piece;
    return ORDO_OK;
}

/* ---- Loops, progress, errors ---- */

/* Calls the progress callback if the last call of it is long enough ago. A callback may have to
 * wait for a lock, as one in Python waits for the interpreter. The pause after it grows with the
 * time that it took, up to LONGEST_SECONDS, so that a slow callback hardly slows the call. */
static void tick(void *user, double share)
{
    ordo_ctx *const ctx = user;
    if (!ctx->watched || atomic_load_explicit(&ctx->stop, memory_order_relaxed) != 0)
        return;
    uint64_t const begin = api_clock_ticks();
    if ((double)(begin - ctx->ticked) < ctx->pause * api_clock_second())
        return;
    double const done = ((double)ctx->exec.phase + share) / (double)ctx->exec.phases;
    if (done > ctx->shown)
        ctx->shown = done < 1 ? done : 1;
    ordo_fpmode_leave(ctx->mode); /* the callback runs in the caller's mode and may change it */
    int const stop = ctx->progress(ctx->progress_user, ctx->shown);
    ctx->mode = ordo_fpmode_enter();
    if (stop != 0) {
        ctx->refused = true;
        atomic_store_explicit(&ctx->stop, 1, memory_order_relaxed);
    }
    ctx->ticked = api_clock_ticks();
    double const pause = CALLBACK_SHARE * (double)(ctx->ticked - begin) / api_clock_second();
    ctx->pause = ctx->fixed_pause >= 0     ? ctx->fixed_pause
                 : pause < TICK_SECONDS    ? TICK_SECONDS
                 : pause > LONGEST_SECONDS ? LONGEST_SECONDS
                                           : pause;
}

static bool exec_loop(ordo_exec *exec, size_t n, size_t grain, ordo_body *body, void *arg)
{
    ordo_ctx *const ctx = (ordo_ctx *)exec;
    if (n > 0 && n <= grain) { /* one piece: nothing to hand out */
        if (atomic_load_explicit(&ctx->stop, memory_order_relaxed) != 0)
            return false;
        body(arg, 0, n);
        tick(ctx, 1);
        return atomic_load_explicit(&ctx->told, memory_order_relaxed) == 0;
    }
    bool const all = ordo_pool_loop(ctx->pool, n, grain, body, arg, &ctx->stop, tick, ctx);
    return all && atomic_load_explicit(&ctx->told, memory_order_relaxed) == 0;
}

static bool exec_poll(ordo_exec *exec, double share)
{
    ordo_ctx *const ctx = (ordo_ctx *)exec;
    if (pthread_equal(pthread_self(), ctx->caller))
        tick(ctx, share);
    if (atomic_load_explicit(&ctx->stop, memory_order_relaxed) == 0)
        return false;
    atomic_store_explicit(&ctx->told, 1, memory_order_relaxed);
    return true;
}

static ordo_status exec_fail(ordo_exec *exec, ordo_status status, const char *format, va_list args)
{
    ordo_ctx *const ctx = (ordo_ctx *)exec;
    vsnprintf(ctx->error, sizeof ctx->error, format, args);
    return status;
}

void ordo_cancel(ordo_ctx *ctx)
{
    if (ctx != NULL)
        atomic_store_explicit(&ctx->stop, 1, memory_order_relaxed);
}

__attribute__((format(printf, 2, 3))) static ordo_status fail_in_thread(ordo_status status,
                                                                        const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(thread_error, sizeof thread_error, format, args);
    va_end(args);
    return status;
}

/* ---- One call at a time ---- */

static ordo_status occupy(ordo_ctx *ctx)
{
    if (ctx == NULL)
        return fail_in_thread(ORDO_E_ARG, "ctx is NULL");
    if (atomic_flag_test_and_set_explicit(&ctx->busy, memory_order_acquire))
        return fail_in_thread(ORDO_E_BUSY,
                              "the context is inside another call; only ordo_cancel may be called "
                              "meanwhile");
    return ORDO_OK;
}

static ordo_status vacate(ordo_ctx *ctx, ordo_status status)
{
    atomic_flag_clear_explicit(&ctx->busy, memory_order_release);
    return status;
}

/* ---- Creation ---- */

static ordo_status env_threads(uint32_t *threads)
{
    const char *const text = secure_getenv("ORDO_THREADS");
    if (*threads != 0 || text == NULL || *text == '\0')
        return ORDO_OK;
    char *end;
    errno = 0;
    long const value = strtol(text, &end, 10);
    if (errno != 0 || *end != '\0' || value < 1 || value > MAX_THREADS)
        return fail_in_thread(ORDO_E_ARG, "ORDO_THREADS is '%s'; expected a number from 1 to %d",
                              text, MAX_THREADS);
    *threads = (uint32_t)value;
    return ORDO_OK;
}

static ordo_status env_where(uint32_t *where, uint64_t *device)
{
    static const char *const names[] = {"auto", "cpu", "cuda", "hybrid"};
    const char *const        text = secure_getenv("ORDO_DEVICE");
    if (*where != ORDO_AUTO || text == NULL || *text == '\0')
        return ORDO_OK;
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(text, names[i]) == 0) {
            *where = i;
            return ORDO_OK;
        }
    }
    int ordinal = -1, end = 0;
    if (sscanf(text, "cuda:%4d%n", &ordinal, &end) == 1 && ordinal >= 0 && text[end] == '\0') {
        *where = ORDO_CUDA;
        *device = (uint64_t)ordinal + 1;
        return ORDO_OK;
    }
    return fail_in_thread(ORDO_E_ARG,
                          "ORDO_DEVICE is '%s'; expected auto, cpu, cuda, cuda:0 or hybrid", text);
}

static ordo_status read_ctx_opts(ordo_ctx_opts *dst, const ordo_ctx_opts *src)
{
    ordo_ctx scratch; /* only for its error text */
    memset(&scratch, 0, sizeof scratch);
    scratch.exec.fail = exec_fail;
    ordo_status const status = api_opts_read(&scratch.exec, dst, sizeof *dst, src);
    if (status != ORDO_OK)
        return fail_in_thread(status, "%s", scratch.error);
    if (dst->where > ORDO_HYBRID)
        return fail_in_thread(ORDO_E_ARG, "where is %u; no such ordo_where", dst->where);
    if (dst->threads > MAX_THREADS)
        return fail_in_thread(ORDO_E_ARG, "threads is %u; at most %d are supported", dst->threads,
                              MAX_THREADS);
    if (!(dst->cpu_share <= 1))
        return fail_in_thread(ORDO_E_ARG, "cpu_share is %g; expected at most 1", dst->cpu_share);
    if ((dst->alloc == NULL) != (dst->release == NULL))
        return fail_in_thread(ORDO_E_ARG, "alloc and release must both be set or both be NULL");
    TRY(env_threads(&dst->threads));
    return env_where(&dst->where, &dst->device);
}

static void fill_ctx(ordo_ctx *ctx, const ordo_ctx_opts *opts, const ordo_alloc *source)
{
    memset(ctx, 0, sizeof *ctx);
    ctx->source = *source;
    ctx->arena.source = *source;
    ctx->arena.limit = opts->mem_limit;
    ctx->cpus = ordo_cpus_count();
    ctx->exec.threads = opts->threads != 0 ? opts->threads : ordo_cpus_usable(&ctx->cpus);
    ctx->exec.loop = exec_loop;
    ctx->exec.poll = exec_poll;
    ctx->exec.scratch = exec_scratch;
    ctx->exec.fail = exec_fail;
    ctx->exec.seed = ordo_random_mix(api_clock_nanoseconds() ^ ordo_random_mix((uintptr_t)ctx));
    ctx->seed_step = ORDO_RANDOM_STEP;
    ctx->progress = opts->progress;
    ctx->progress_user = opts->progress_user;
    ctx->fixed_pause = -1;
    atomic_flag_clear(&ctx->busy);
    atomic_init(&ctx->stop, 0);
    atomic_init(&ctx->told, 0);
}

/* A context by wishes that have been checked. */
static ordo_status make_ctx(ordo_ctx **out, const ordo_ctx_opts *wish, const char *isa,
                            const char *directory)
{
    ordo_alloc source = {default_alloc, default_release, NULL};
    if (wish->alloc != NULL && wish->release != NULL)
        source = (ordo_alloc){wish->alloc, wish->release, wish->alloc_user};

    ordo_ctx *const ctx = source.alloc(source.user, sizeof *ctx);
    if (ctx == NULL)
        return fail_in_thread(ORDO_E_NOMEM, "no memory for a context");
    fill_ctx(ctx, wish, &source);
    if (wish->profile != 0) {
        if (!api_profile_open(&ctx->profile, &source)) {
            source.release(source.user, ctx);
            return fail_in_thread(ORDO_E_NOMEM, "no memory for a profile");
        }
        ctx->exec.profile = &ctx->profile;
    }

    ordo_backend_wishes const wishes = {.isa = isa,
                                        .device = (size_t)wish->device,
                                        .device_limit = wish->device_limit,
                                        .threads = ctx->exec.threads,
                                        .cpu_share = wish->cpu_share};
    ordo_status status = ordo_plan_open(&ctx->plan, (ordo_where)wish->where, &wishes, directory,
                                        thread_error, sizeof thread_error);
    if (status == ORDO_OK) {
        ordo_plan_calibration(&ctx->plan, wish->calibration);
        ctx->pool = ordo_pool_create(&source, ctx->exec.threads);
        if (ctx->pool != NULL) {
            *out = ctx;
            return ORDO_OK;
        }
        ordo_plan_close(&ctx->plan);
        status = fail_in_thread(ORDO_E_NOMEM, "no memory for %u threads", ctx->exec.threads);
    }
    api_profile_close(&ctx->profile, &source);
    source.release(source.user, ctx);
    return status;
}

ordo_status ordo_ctx_create(ordo_ctx **out, const ordo_ctx_opts *opts)
{
    thread_error[0] = '\0';
    if (out == NULL)
        return fail_in_thread(ORDO_E_ARG, "out is NULL");
    *out = NULL;

    ordo_ctx_opts wish;
    TRY(read_ctx_opts(&wish, opts));
    return make_ctx(out, &wish, secure_getenv("ORDO_ISA"), secure_getenv("ORDO_BACKEND_DIR"));
}

ordo_status api_sibling(ordo_ctx *ctx, const ordo_ctx_opts *other, ordo_ctx **out)
{
    ordo_ctx_opts wish = *other;
    wish.mem_limit = ctx->arena.limit / 2;
    wish.alloc = ctx->source.alloc;
    wish.release = ctx->source.release;
    wish.alloc_user = ctx->source.user;
    wish.device = ctx->plan.wishes.device;
    wish.device_limit = ctx->plan.wishes.device_limit;
    wish.calibration = "";
    *out = NULL;
    ordo_status const status =
        make_ctx(out, &wish, ctx->plan.cpu->isa(ctx->plan.cpu_state), ctx->plan.directory);
    return status == ORDO_OK ? ORDO_OK : ordo_fail(&ctx->exec, status, "%s", thread_error);
}

void api_fix_seed(ordo_ctx *ctx, uint64_t seed)
{
    ctx->exec.seed = seed;
    ctx->seed_step = 0;
}

ordo_plan *api_plan(ordo_ctx *ctx) { return &ctx->plan; }

void api_progress_pause(ordo_ctx *ctx, double seconds) { ctx->fixed_pause = seconds; }

size_t api_memory_limit(const ordo_ctx *ctx) { return ctx->arena.limit; }

void *api_alloc(ordo_ctx *ctx, size_t bytes) { return ctx->source.alloc(ctx->source.user, bytes); }

void api_release(ordo_ctx *ctx, void *block)
{
    if (block != NULL)
        ctx->source.release(ctx->source.user, block);
}

void ordo_ctx_free(ordo_ctx *ctx)
{
    if (ctx == NULL || occupy(ctx) != ORDO_OK)
        return;
    ordo_pool_free(ctx->pool);
    ordo_plan_close(&ctx->plan);
    ordo_arena_free(&ctx->arena);
    ordo_alloc const source = ctx->source;
    api_profile_close(&ctx->profile, &source);
    source.release(source.user, ctx);
}

const char *ordo_last_error(const ordo_ctx *ctx) { return ctx == NULL ? thread_error : ctx->error; }

/* ---- A call ---- */

static ordo_status enter(ordo_ctx *ctx, ordo_exec **exec)
{
    TRY(occupy(ctx));
    ctx->mode = ordo_fpmode_enter();
    ctx->error[0] = '\0';
    ctx->exec.on_device = false;
    ctx->exec.stream = NULL;
    *exec = &ctx->exec;
    return ORDO_OK;
}

static ordo_status leave(ordo_ctx *ctx, ordo_status status)
{
    ordo_fpmode const mode = ctx->mode;
    (void)vacate(ctx, status);
    ordo_fpmode_leave(mode);
    return status;
}

ordo_status api_enter(ordo_ctx *ctx, const char *operation, ordo_type type, size_t n,
                      ordo_exec **exec)
{
    TRY(enter(ctx, exec));
    ctx->running =
        (ordo_report){.operation = operation, .backend = "cpu", .type = (uint32_t)type, .n = n};
    ctx->exec.phase = 0;
    ctx->exec.phases = 1;
    ctx->exec.algorithm = "auto";
    ctx->exec.isa = ctx->plan.cpu->isa(ctx->plan.cpu_state);
    ctx->exec.detail = "";
    ctx->exec.changed = false;
    ctx->exec.seed += ctx->seed_step;
    ctx->shown = 0;
    ctx->caller = pthread_self();
    atomic_store_explicit(&ctx->stop, 0, memory_order_relaxed);
    atomic_store_explicit(&ctx->told, 0, memory_order_relaxed);
    if (ctx->exec.profile != NULL)
        api_profile_begin(ctx->exec.profile);
    ctx->started = api_clock_ticks();
    ctx->ticked = ctx->started;
    ctx->pause = ctx->fixed_pause >= 0 ? ctx->fixed_pause : TICK_SECONDS;
    ctx->watched = ctx->progress != NULL && (n >= FEW_KEYS || type == 0);
    return ORDO_OK;
}

/* The detail, wherever it lies, as the context's own: a backend's texts need not outlive the call.
 * Without snprintf, which would be most of a small call's time. */
static void keep_detail(ordo_ctx *ctx)
{
    size_t const length = strnlen(ctx->exec.detail, sizeof ctx->detail - 1);
    memcpy(ctx->detail, ctx->exec.detail, length);
    ctx->detail[length] = '\0';
    ctx->running.detail = ctx->detail;
}

/* Computes nothing in floats. A division here raised the inexact flag, which was then restored; the
 * next call raised it anew. ordo_runs of 4 keys took 319 ns so and takes 140 ns without (Sapphire
 * Rapids, November 2026). */
ordo_status api_leave(ordo_ctx *ctx, ordo_status status)
{
    if (status == ORDO_OK && ctx->refused) { /* too late to stop it; the caller still gets told */
        snprintf(ctx->error, sizeof ctx->error,
                 "%s was cancelled when it was nearly done; its results are unspecified",
                 ctx->running.operation);
        status = ORDO_E_CANCELLED;
    } else if (status == ORDO_OK) {
        ctx->running.algorithm = ctx->exec.algorithm;
        ctx->running.isa = ctx->exec.isa;
        keep_detail(ctx);
        ctx->error[0] = '\0'; /* a way that was tried and given up may have left one */
        ctx->running.threads = ctx->exec.threads;
        ctx->running.scratch_bytes = ctx->arena.taken;
        ctx->lasted = api_clock_ticks() - ctx->started;
        ctx->report = ctx->running;
    } else if (status == ORDO_E_CANCELLED && ctx->error[0] == '\0') {
        snprintf(ctx->error, sizeof ctx->error, "%s was cancelled", ctx->running.operation);
    }
    ctx->refused = false;
    ordo_arena_reset(&ctx->arena);
    return leave(ctx, status);
}

static const ordo_load no_load = {0};

ordo_status api_choose(ordo_ctx *ctx, ordo_exec *exec, const ordo_load *load, ordo_choice *choice)
{
    TRY(ordo_plan_choose(&ctx->plan, exec, load != NULL ? load : &no_load, choice));
    ctx->running.backend = choice->backend->name;
    const ordo_forecast *const predicted = &ctx->plan.forecast;
    if (predicted->cpu > 0) {
        ctx->running.predicted_cpu = predicted->cpu;
        ctx->running.predicted_cuda = predicted->device;
        ctx->running.predicted_hybrid = predicted->hybrid;
    }
    return ORDO_OK;
}

bool api_again(ordo_ctx *ctx, ordo_exec *exec, ordo_status status, ordo_choice *choice)
{
    if (!ordo_plan_again(&ctx->plan, exec, status, choice))
        return false;
    ordo_arena_reset(&ctx->arena); /* what was taken for the way that failed */
    ctx->running.backend = choice->backend->name;
    return true;
}

ordo_status api_enter_query(ordo_ctx *ctx, ordo_exec **exec) { return enter(ctx, exec); }

ordo_status api_leave_query(ordo_ctx *ctx, ordo_status status) { return leave(ctx, status); }

/* No call takes more pieces than this; each may need a block of its own. */
size_t api_scratch_total(size_t bytes)
{
    enum {
        MOST_PIECES = 16
    };
    size_t const blocks = MOST_PIECES * ordo_arena_cost(ORDO_CACHE_LINE);
    return bytes == 0 ? 0 : bytes > SIZE_MAX - blocks ? SIZE_MAX : bytes + blocks;
}

/* ---- Reports ----
 *
 * These keep the text of the last error unless they fail themselves. */

ordo_status api_copy_out(ordo_exec *exec, void *dst, const void *src, size_t known)
{
    size_t given;
    FAIL_IF(dst == NULL, ORDO_E_ARG, "out is NULL");
    memcpy(&given, dst, sizeof given);
    FAIL_IF(given < sizeof given || given > API_MAX_OPTS, ORDO_E_ARG,
            "out->struct_size is %zu; set it to the sizeof of the struct", given);
    memset((char *)dst + sizeof given, 0, given - sizeof given);
    size_t const both = ordo_min(given, known);
    memcpy((char *)dst + sizeof given, (const char *)src + sizeof given, both - sizeof given);
    return ORDO_OK;
}

/* Contexts are never constants; const in a signature says that the caller sees no change. */
static ordo_ctx *mutable(const ordo_ctx *ctx) { return (ordo_ctx *)ctx; }

ordo_status ordo_last_report(const ordo_ctx *ctx, ordo_report *out)
{
    static const ordo_report none = {
        .operation = "", .backend = "", .algorithm = "", .isa = "", .detail = ""};
    ordo_ctx *const own = mutable(ctx);
    TRY(occupy(own));
    ordo_fpmode const mode = ordo_fpmode_enter();
    ordo_report       report = none;
    if (ctx->report.operation != NULL) {
        report = ctx->report;
        report.seconds = (double)ctx->lasted / api_clock_second();
    }
    ordo_status const status = api_copy_out(&own->exec, out, &report, sizeof report);
    ordo_fpmode_leave(mode);
    return vacate(own, status);
}

size_t ordo_last_profile(const ordo_ctx *ctx, ordo_span *spans, size_t room)
{
    ordo_ctx *const own = mutable(ctx);
    if (occupy(own) != ORDO_OK)
        return 0;
    size_t const count = ctx->exec.profile == NULL
                             ? 0
                             : api_profile_copy(ctx->exec.profile, spans, spans != NULL ? room : 0);
    (void)vacate(own, ORDO_OK);
    return count;
}

ordo_status ordo_ctx_info(ordo_ctx *ctx, ordo_info *out)
{
    TRY(occupy(ctx));
    (void)ordo_plan_cuda(&ctx->plan);
    const ordo_calibration *const costs = ordo_plan_costs(&ctx->plan);
    ordo_info const               info = {.isa = ctx->plan.cpu->isa(ctx->plan.cpu_state),
                                          .isa_all = ctx->plan.cpu->isa_all(ctx->plan.cpu_state),
                                          .cuda = ordo_plan_cuda(&ctx->plan),
                                          .threads = ctx->exec.threads,
                                          .cpus = ctx->cpus.online,
                                          .affinity = ctx->cpus.affinity,
                                          .cgroup = ctx->cpus.cgroup,
                                          .mem_limit = ctx->arena.limit,
                                          .scratch_held = ctx->arena.held,
                                          .devices = ordo_plan_devices(&ctx->plan),
                                          .device_held = ordo_plan_held(&ctx->plan),
                                          .device_limit = ctx->plan.wishes.device_limit,
                                          .calibration = costs->path,
                                          .calibration_note = costs->note};
    return vacate(ctx, api_copy_out(&ctx->exec, out, &info, sizeof info));
}

/* ---- Device memory ---- */

static ordo_status reserve_checked(ordo_ctx *ctx, ordo_exec *exec, size_t bytes)
{
    ordo_choice choice;
    exec->on_device = true; /* it is for arrays that are */
    TRY(api_choose(ctx, exec, NULL, &choice));
    NEEDS(choice, reserve);
    return choice.backend->reserve(choice.state, bytes, exec);
}

ordo_status ordo_reserve(ordo_ctx *ctx, size_t bytes)
{
    ordo_exec *exec = NULL;
    TRY(api_enter(ctx, "reserve", (ordo_type)0, bytes, &exec));
    return api_leave(ctx, reserve_checked(ctx, exec, bytes));
}

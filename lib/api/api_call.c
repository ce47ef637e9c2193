/* api_call.c - how a call begins, runs and ends: the services of ordo_exec, progress, cancellation,
 * the checks that all calls share, and the choice of the backend. */
#define _GNU_SOURCE
#include "api/api_ctx.h"
#include "backend/tuning.h"
#include "core/lists.h"

#include <stdio.h>
#include <string.h>

enum {
    FEW_KEYS = 2048, /* calls on fewer keys end long before the first callback */
    /* Keys of calls without options that skip the choice of a backend; a prediction is made from
     * 10^4 keys on (ORDO_TUNE_WEIGH_LEAST). Sort of 4, 16, 64 u32 on a Neoverse V1: 98, 96, 164 ns
     * with it, 127, 125, 192 without (November 2026). */
    SHORT_KEYS = ORDO_TUNE(256, 4),
    /* The most bytes of keys for which workers are woken early. 16 threads, us with and without:
     * 10^5 keys u32 130, 166, f64 219, 262; 10^6 keys u32 709, 696, f64 1101, 1111
     * (docs/performance/cpu.md). */
    SOON_BYTES = 2 << 20,
    CALLBACK_SHARE = 20 /* the callback gets at most 1/20 of a call's time, see tick */
};

/* The usual and the longest time between two progress callbacks. */
#define PAUSE_SECONDS 0.005
#define LONGEST_SECONDS 0.100

/* ---- Errors ---- */

static _Thread_local char thread_error[API_ERROR_SIZE];

ordo_status api_fail_in_thread(ordo_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(thread_error, sizeof thread_error, format, args);
    va_end(args);
    return status;
}

static ordo_status exec_fail(ordo_exec *exec, ordo_status status, const char *format, va_list args)
{
    ordo_ctx *const ctx = exec->owner;
    vsnprintf(ctx->error, sizeof ctx->error, format, args);
    return status;
}

const char *ordo_last_error(const ordo_ctx *ctx) { return ctx == NULL ? thread_error : ctx->error; }

/* ---- Services ---- */

static ordo_status exec_scratch(ordo_exec *exec, size_t bytes, void **out)
{
    ordo_ctx *const ctx = exec->owner;
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

static double pause_after(const ordo_ctx *ctx, double callback_seconds)
{
    if (ctx->interval != 0)
        return ctx->interval;
    double const pause = CALLBACK_SHARE * callback_seconds;
    return pause < PAUSE_SECONDS     ? PAUSE_SECONDS
           : pause > LONGEST_SECONDS ? LONGEST_SECONDS
                                     : pause;
}

/* Calls the progress callback if the pause after the last callback is over. A callback may wait for
 * a lock; for example, a Python callback waits for the interpreter. The pause grows with the time
 * the callback took, up to LONGEST_SECONDS, so a slow callback takes little of the call's time. */
static void tick(void *user, double share)
{
    const ordo_exec *const exec = user;
    ordo_ctx *const        ctx = exec->owner;
    if (!ctx->watched || atomic_load_explicit(&ctx->stop, memory_order_relaxed) != 0)
        return;
    uint64_t const begin = api_clock_ticks();
    if ((double)(begin - ctx->ticked) < ctx->pause * api_clock_second())
        return;
    double const done = ((double)exec->phase + share) / (double)exec->phases;
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
    ctx->pause = pause_after(ctx, (double)(ctx->ticked - begin) / api_clock_second());
}

static bool exec_loop(ordo_exec *exec, size_t n, size_t grain, ordo_body *body, void *arg)
{
    ordo_ctx *const ctx = exec->owner;
    if (n > 0 && n <= grain) { /* one piece: no other thread is needed */
        if (atomic_load_explicit(&ctx->stop, memory_order_relaxed) != 0)
            return false;
        body(arg, 0, n);
        tick(exec, 1);
        return atomic_load_explicit(&ctx->told, memory_order_relaxed) == 0;
    }
    if (n > 0)
        ctx->used = ordo_max(ctx->used, ordo_min((n - 1) / grain + 1, exec->threads));
    bool const all = ordo_pool_loop(ctx->pool, n, grain, body, arg, &ctx->stop, tick, exec);
    tick(exec, 1); /* the workers may have taken every piece */
    return all && atomic_load_explicit(&ctx->told, memory_order_relaxed) == 0;
}

static bool exec_poll(ordo_exec *exec, double share)
{
    ordo_ctx *const ctx = exec->owner;
    if (pthread_equal(pthread_self(), ctx->caller))
        tick(exec, share);
    if (atomic_load_explicit(&ctx->stop, memory_order_relaxed) == 0)
        return false;
    atomic_store_explicit(&ctx->told, 1, memory_order_relaxed);
    return true;
}

void api_exec_init(ordo_ctx *ctx)
{
    ctx->exec.owner = ctx;
    ctx->exec.loop = exec_loop;
    ctx->exec.poll = exec_poll;
    ctx->exec.scratch = exec_scratch;
    ctx->exec.fail = exec_fail;
    ctx->exec.papers = ordo_papers_table();
}

void ordo_cancel(ordo_ctx *ctx)
{
    if (ctx != NULL)
        atomic_store_explicit(&ctx->stop, 1, memory_order_relaxed);
}

/* ---- One call at a time ---- */

ordo_status api_occupy(ordo_ctx *ctx)
{
    if (ctx == NULL)
        return api_fail_in_thread(ORDO_E_ARG, "ctx is NULL; expected a context of ordo_ctx_create");
    if (atomic_flag_test_and_set_explicit(&ctx->busy, memory_order_acquire))
        return api_fail_in_thread(ORDO_E_BUSY,
                                  "the context is inside another call; until that call "
                                  "returns, only ordo_cancel is allowed");
    return ORDO_OK;
}

ordo_status api_vacate(ordo_ctx *ctx, ordo_status status)
{
    atomic_flag_clear_explicit(&ctx->busy, memory_order_release);
    return status;
}

ordo_status api_enter_query(ordo_ctx *ctx, ordo_exec **exec)
{
    TRY(api_occupy(ctx));
    ctx->mode = ordo_fpmode_enter();
    ctx->error[0] = '\0';
    ctx->exec.on_device = false;
    ctx->exec.stream = NULL;
    ctx->size_query = false;
    *exec = &ctx->exec;
    return ORDO_OK;
}

ordo_status api_enter_size_query(ordo_ctx *ctx, const size_t *bytes, ordo_exec **exec)
{
    TRY(api_enter_query(ctx, exec));
    ctx->size_query = true;
    if (bytes == NULL)
        return api_leave_query(
            ctx, ordo_fail(*exec, ORDO_E_ARG, "bytes is NULL; expected the address of a size_t"));
    return ORDO_OK;
}

ordo_status api_leave_query(ordo_ctx *ctx, ordo_status status)
{
    ordo_fpmode const mode = ctx->mode;
    (void)api_vacate(ctx, status);
    ordo_fpmode_leave(mode);
    return status;
}

/* The CPU writes only the facts before device_status, except in sorts that split the array into
 * buckets, in sorts by a radius and in selections by sub-arrays. The other facts are cleared and
 * copied only if they may have been written, because this takes several per cent of a call on four
 * keys. */
#define CPU_FACTS offsetof(ordo_facts, device_status)

static void clear_facts(ordo_ctx *ctx)
{
    memset(&ctx->exec.facts, 0, CPU_FACTS);
    if (ctx->device_facts)
        ctx->exec.facts = (ordo_facts){0};
    ctx->device_facts = false;
}

ordo_status api_enter(ordo_ctx *ctx, const char *operation, ordo_type type, size_t n,
                      ordo_exec **exec)
{
    TRY(api_enter_query(ctx, exec));
    ctx->running = (api_running){.operation = operation, .backend = "cpu", .type = type, .n = n};
    ctx->exec.phase = 0;
    ctx->exec.phases = 1;
    ctx->exec.algorithm = "auto";
    ctx->exec.isa = ctx->plan.cpu->isa(ctx->plan.cpu_state);
    clear_facts(ctx);
    ctx->exec.changed = false;
    ctx->exec.path = NULL;
    ctx->used = 1;
    ctx->exec.seed += ctx->seed_step;
    ctx->shown = 0;
    ctx->caller = pthread_self();
    atomic_store_explicit(&ctx->stop, 0, memory_order_relaxed);
    atomic_store_explicit(&ctx->told, 0, memory_order_relaxed);
    if (ctx->exec.profile != NULL) {
        atomic_store_explicit(&ctx->profile.count, 0, memory_order_relaxed);
        ctx->profile.zero = ordo_profile_clock();
    }
    ctx->few = n < FEW_KEYS && type != 0;
    ctx->started = ctx->few ? api_clock_short() : api_clock_ticks();
    ctx->ticked = ctx->started;
    ctx->pause = ctx->interval != 0 ? ctx->interval : PAUSE_SECONDS;
    ctx->watched = ctx->progress != NULL && !ctx->few;
    return ORDO_OK;
}

/* Stores the report of a successful call, without floating-point arithmetic: a division would raise
 * the inexact flag, which must then be restored after every call. ordo_runs of 4 keys takes 319 ns
 * with a division and 140 ns without (Sapphire Rapids, November 2026). */
static void store_report(ordo_ctx *ctx)
{
    const api_running *const running = &ctx->running;
    ctx->report.operation = running->operation;
    ctx->report.backend = running->backend;
    ctx->report.algorithm = ctx->exec.algorithm;
    ctx->report.isa = ctx->exec.isa;
    ctx->report.threads = (uint32_t)ctx->used;
    ctx->report.type = (uint32_t)running->type;
    ctx->report.n = running->n;
    ctx->report.scratch_bytes = ctx->arena.taken;
    ctx->report.predicted_cpu = running->predicted.cpu;
    ctx->report.predicted_cuda = running->predicted.device;
    ctx->report.predicted_hybrid = running->predicted.hybrid;
    if (ordo_plan_shares(&ctx->plan) && ctx->exec.facts.cpu_share == 0 &&
        ctx->exec.facts.devices == 0) {
        ctx->exec.facts.shares_unused = 1;
        ctx->device_facts = true;
    }
    if (ctx->exec.facts.buckets != 0 || ctx->exec.facts.strategy == ORDO_STRATEGY_SUB_ARRAYS ||
        ctx->exec.facts.radius != 0 || ctx->exec.facts.tried_radius != 0)
        ctx->device_facts = true;
    memcpy(&ctx->report.facts, &ctx->exec.facts, CPU_FACTS);
    if (ctx->device_facts || ctx->device_report)
        ctx->report.facts = ctx->exec.facts;
    ctx->device_report = ctx->device_facts;
    uint64_t const end = ctx->few ? api_clock_short() : api_clock_ticks();
    ctx->lasted = end > ctx->started ? end - ctx->started : 0; /* a suspension may set the clock */
    ctx->lasted_few = ctx->few;
}

ordo_status api_leave(ordo_ctx *ctx, ordo_status status)
{
    if (status == ORDO_OK && ctx->refused) { /* too late to stop, but the caller must know */
        snprintf(ctx->error, sizeof ctx->error,
                 "%s was cancelled when it was nearly done; its results are unspecified",
                 ctx->running.operation);
        status = ORDO_E_CANCELLED;
    } else if (status == ORDO_OK) {
        ctx->error[0] = '\0'; /* an attempt that failed before a fallback may have set it */
        store_report(ctx);
    } else if (status == ORDO_E_CANCELLED && ctx->error[0] == '\0') {
        snprintf(ctx->error, sizeof ctx->error, "%s was cancelled", ctx->running.operation);
    }
    if (status != ORDO_OK) {
        ctx->device_facts = true; /* the next call clears the facts that this call wrote */
        ctx->exec.path = NULL;
    }
    ctx->refused = false;
    ordo_arena_reset(&ctx->arena);
    return api_leave_query(ctx, status);
}

/* ---- Checks of arguments ---- */

ordo_status api_read_struct(ordo_exec *exec, void *dst, size_t known, const void *src,
                            const char *what)
{
    size_t given = 0;
    memset(dst, 0, known);
    memcpy(&given, src, sizeof given);
    FAIL_IF(given < sizeof given || given > API_MAX_OPTS, ORDO_E_ARG,
            "%s.struct_size is %zu; set it to the sizeof of the struct", what, given);
    for (size_t i = known; i < given; i++)
        FAIL_IF(((const unsigned char *)src)[i] != 0, ORDO_E_VERSION,
                "%s uses a field at byte %zu that this version of ordo does not know", what, i);
    memcpy(dst, src, ordo_min(given, known));
    return ORDO_OK;
}

ordo_status api_opts_read(ordo_exec *exec, void *dst, size_t known, const void *src)
{
    if (src != NULL)
        return api_read_struct(exec, dst, known, src, "opts");
    memset(dst, 0, known);
    return ORDO_OK;
}

enum {
    FLAG_NAMES_SIZE = 128 /* the names of all flags fit */
};

static const char *flag_names(uint64_t flags, char *text)
{
    static const char *const names[] = {"ORDO_DESCENDING",  "ORDO_CHECK",  "ORDO_EXCLUSIVE",
                                        "ORDO_UNSET_FIRST", "ORDO_STABLE", "ORDO_ON_DEVICE",
                                        "ORDO_ANY_ORDER"};
    size_t                   used = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if ((flags >> i & 1) != 0)
            used += (size_t)snprintf(text + used, FLAG_NAMES_SIZE - used, "%s%s",
                                     used > 0 ? ", " : "", names[i]);
    return used > 0 ? text : "0";
}

ordo_status api_check_place(ordo_exec *exec, uint64_t flags, uint64_t known, void *stream)
{
    FAIL_IF((flags & ~known) != 0, ORDO_E_VERSION,
            "opts.flags has the bits 0x%llx, which this call does not know; expected only %s",
            (unsigned long long)(flags & ~known), flag_names(known, (char[FLAG_NAMES_SIZE]){0}));
    exec->on_device = (flags & ORDO_ON_DEVICE) != 0;
    exec->stream = stream;
    FAIL_IF(stream != NULL && !exec->on_device, ORDO_E_ARG,
            "opts.stream is set, but opts.flags has no ORDO_ON_DEVICE; host arrays have no stream");
    return ORDO_OK;
}

ordo_status api_check_type(ordo_exec *exec, ordo_type type, const char *what)
{
    static const char *const names[] = {
#define ORDO_TYPE(ID, tag, key, bits) [ORDO_##ID] = #ID,
#include "core/types.def"
    };
    FAIL_IF(ordo_type_size(type) == 0, ORDO_E_ARG,
            "%s is %d; expected an ordo_type, ORDO_%s (1) to ORDO_%s (%d)", what, (int)type,
            names[1], names[ORDO_TYPES], ORDO_TYPES);
    return ORDO_OK;
}

/* The largest array. On every supported 64-bit machine the addresses of a process end at 2^56 or
 * earlier. No operation takes more than 2^7 bytes of scratch per byte of its arrays, so sums of
 * sizes below this limit fit a size_t. tests/api/test_sizes.c makes all size queries at the
 * limit. */
#if SIZE_MAX > UINT32_MAX
#define MOST_BYTES ((size_t)1 << 56)
#else
#define MOST_BYTES (SIZE_MAX / 2)
#endif

bool api_is_size_query(const ordo_exec *exec)
{
    return ((const ordo_ctx *)exec->owner)->size_query;
}

/* Whether the call has arrays: size queries have none. */
static bool has_arrays(const ordo_exec *exec) { return !api_is_size_query(exec); }

/* All checks in one condition, because separate checks would slow calls on a few keys. */
static inline bool is_array(const void *p, size_t n, size_t size)
{
    size_t bytes;
    return p != NULL && ordo_size_mul(n, size, &bytes) && bytes <= MOST_BYTES &&
           (uintptr_t)p <= UINTPTR_MAX - bytes;
}

ordo_status api_check_array(ordo_exec *exec, const void *p, size_t n, size_t size, const char *what)
{
    size_t bytes;
    if (ORDO_LIKELY(is_array(p, n, size)))
        return ORDO_OK;
    FAIL_IF(p == NULL && n > 0 && has_arrays(exec), ORDO_E_ARG, "%s is NULL but n is %zu", what, n);
    FAIL_IF(!ordo_size_mul(n, size, &bytes) || bytes > MOST_BYTES, ORDO_E_ARG,
            "%s: %zu elements of %zu bytes are more than memory can hold", what, n, size);
    FAIL_IF((uintptr_t)p > UINTPTR_MAX - bytes, ORDO_E_ARG,
            "%s: %zu elements of %zu bytes reach past the end of memory", what, n, size);
    return ORDO_OK;
}

ordo_status api_check_aligned(ordo_exec *exec, const void *p, size_t n, size_t size,
                              const char *what)
{
    bool const aligned = ((uintptr_t)p & (size - 1)) == 0;
    if (ORDO_LIKELY(aligned && is_array(p, n, size)))
        return ORDO_OK;
    TRY(api_check_array(exec, p, n, size, what));
    FAIL_IF(n > 0 && !aligned, ORDO_E_ARG,
            "%s is at %p; expected an address that is a multiple of %zu", what, p, size);
    return ORDO_OK;
}

ordo_status api_check_apart(ordo_exec *exec, const void *a, size_t a_bytes, const char *a_what,
                            const void *b, size_t b_bytes, const char *b_what)
{
    uintptr_t const a_at = (uintptr_t)a, b_at = (uintptr_t)b;
    FAIL_IF(a_bytes > 0 && b_bytes > 0 && a_at < b_at + b_bytes && b_at < a_at + a_bytes &&
                has_arrays(exec),
            ORDO_E_ARG, "%s and %s overlap; they must be separate arrays", a_what, b_what);
    return ORDO_OK;
}

/* ---- Backends ---- */

static const ordo_load no_load = {0};

/* Whether the CPU sorts with several threads, after a short look at the keys on the calling thread.
 * The look at more keys takes longer than workers wait for a loop before they sleep again. */
static bool sorts_soon(const ordo_ctx *ctx, const ordo_load *load)
{
    size_t const bytes =
        load != NULL && load->keys != NULL ? ctx->running.n * ordo_type_size(load->type) : 0;
    return bytes > ORDO_RADIX_ALONE && bytes <= SOON_BYTES;
}

ordo_status api_choose(ordo_ctx *ctx, ordo_exec *exec, const ordo_load *load, ordo_choice *choice)
{
    TRY(ordo_plan_choose(&ctx->plan, exec, load != NULL ? load : &no_load, choice));
    ctx->running.backend = choice->backend->name;
    if (choice->backend != ctx->plan.cpu)
        ctx->device_facts = true;
    else if (sorts_soon(ctx, load))
        ordo_pool_wake(ctx->pool);
    if (ctx->plan.forecast.cpu > 0 && load != NULL && load->algorithm == ORDO_ALGORITHM_AUTO)
        ctx->running.predicted = ctx->plan.forecast;
    return ORDO_OK;
}

bool api_is_short(const ordo_ctx *ctx, const void *opts, size_t n, const size_t *bytes,
                  ordo_choice *choice)
{
    const ordo_plan *const plan = &ctx->plan;
    if (opts != NULL || bytes != NULL || n > SHORT_KEYS ||
        (plan->where != ORDO_AUTO && plan->where != ORDO_CPU))
        return false;
    *choice = (ordo_choice){plan->cpu, plan->cpu_state};
    return true;
}

bool api_goes_on(ordo_ctx *ctx, ordo_exec *exec, ordo_status status, ordo_choice *choice)
{
    if (!ordo_plan_again(&ctx->plan, exec, status, choice))
        return false;
    ctx->running.backend = choice->backend->name;
    return true;
}

bool api_again(ordo_ctx *ctx, ordo_exec *exec, ordo_status status, ordo_choice *choice)
{
    if (!api_goes_on(ctx, exec, status, choice))
        return false;
    ordo_arena_reset(&ctx->arena); /* the scratch of the failed attempt */
    return true;
}

/* A call takes at most MOST_PIECES pieces of scratch, each of which may need its own block. */
size_t api_scratch_total(size_t bytes)
{
    enum {
        MOST_PIECES = 16
    };
    size_t const blocks = MOST_PIECES * ordo_arena_cost(ORDO_CACHE_LINE);
    return bytes == 0 ? 0 : bytes > SIZE_MAX - blocks ? SIZE_MAX : bytes + blocks;
}

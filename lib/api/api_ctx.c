/* api_ctx.c - makes and frees contexts, and answers queries about them.
 *
 * A context owns its threads, its scratch, its opened backends, the text of the last error and the
 * report of the last call. The environment is read once, when the context is made. */
#define _GNU_SOURCE
#include "api/api_ctx.h"
#include "core/random.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- Memory ---- */

/* Large blocks start on a huge page and ask the system for huge pages, because otherwise TLB misses
 * limit random access to scratch. */
static void *default_alloc(void *user, size_t bytes)
{
    enum {
        HUGE_PAGE = 2 << 20
    };
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

/* ---- Options and environment ---- */

static ordo_status env_threads(ordo_exec *exec, uint32_t *threads)
{
    const char *const text = secure_getenv("ORDO_THREADS");
    if (*threads != 0 || text == NULL || *text == '\0')
        return ORDO_OK;
    char *end;
    errno = 0;
    long const value = strtol(text, &end, 10);
    FAIL_IF(errno != 0 || *end != '\0' || value < 1 || value > API_MAX_THREADS, ORDO_E_ARG,
            "ORDO_THREADS is '%s'; expected a number from 1 to %d", text, API_MAX_THREADS);
    *threads = (uint32_t)value;
    return ORDO_OK;
}

/* In the order of ordo_where. */
static const char *const where_names[] = {"auto", "cpu", "cuda", "hybrid"};

static ordo_status env_where(ordo_exec *exec, uint32_t *where, uint64_t *device)
{
    const char *const text = secure_getenv("ORDO_DEVICE");
    int               ordinal = -1, end = 0;
    if (*where != ORDO_AUTO || text == NULL || *text == '\0')
        return ORDO_OK;
    for (uint32_t i = 0; i < sizeof where_names / sizeof *where_names; i++) {
        if (strcmp(text, where_names[i]) == 0) {
            *where = i;
            return ORDO_OK;
        }
    }
    FAIL_IF(sscanf(text, "cuda:%4d%n", &ordinal, &end) != 1 || ordinal < 0 || text[end] != '\0',
            ORDO_E_ARG,
            "ORDO_DEVICE is '%s'; expected auto, cpu, cuda, cuda:N for GPU N from 0 on, or hybrid",
            text);
    *where = ORDO_CUDA;
    *device = (uint64_t)ordinal + 1;
    return ORDO_OK;
}

static ordo_status fail_without_context(ordo_exec *exec, ordo_status status, const char *format,
                                        va_list args)
{
    char text[API_ERROR_SIZE];
    (void)exec;
    vsnprintf(text, sizeof text, format, args);
    return api_fail_in_thread(status, "%s", text);
}

static ordo_status check_devices(ordo_exec *exec, const ordo_ctx_opts *opts)
{
    double sum = 0;
    if (opts->device_count == 0)
        return ORDO_OK;
    FAIL_IF(opts->devices == NULL, ORDO_E_ARG, "devices is NULL, but device_count is %zu",
            opts->device_count);
    FAIL_IF(opts->device_count > ORDO_MOST_DEVICES, ORDO_E_ARG,
            "there are shares for %zu GPUs; expected at most %d", opts->device_count,
            ORDO_MOST_DEVICES);
    FAIL_IF(opts->where != ORDO_HYBRID, ORDO_E_ARG,
            "there are shares for GPUs, but the device is %s; expected the device hybrid "
            "(ORDO_HYBRID)",
            where_names[opts->where]);
    FAIL_IF(opts->cpu_share != 0, ORDO_E_ARG,
            "there are shares for GPUs and for the CPU (%g); expected only those for GPUs, the CPU "
            "gets the rest",
            opts->cpu_share);
    FAIL_IF(opts->device != 0, ORDO_E_ARG,
            "device is %llu, but there is also a list of devices; expected 0",
            (unsigned long long)opts->device);
    for (size_t i = 0; i < opts->device_count; i++) {
        double const share = opts->devices[i].share;
        FAIL_IF(opts->devices[i].device == 0 || !(share > 0 && share <= 1), ORDO_E_ARG,
                "devices[%zu] is GPU %llu with share %g; expected a GPU counted from 1 and a share "
                "above 0, at most 1",
                i, (unsigned long long)opts->devices[i].device, share);
        sum += share;
    }
    FAIL_IF(sum > 1 + 1e-9, ORDO_E_ARG, "the shares of the GPUs add up to %g; expected at most 1",
            sum);
    return ORDO_OK;
}

static ordo_status read_ctx_opts(ordo_ctx_opts *dst, const ordo_ctx_opts *src)
{
    ordo_exec without = {.fail = fail_without_context}, *const exec = &without;
    TRY(api_opts_read(exec, dst, sizeof *dst, src));
    FAIL_IF(dst->where > ORDO_HYBRID, ORDO_E_ARG,
            "where is %u; expected ORDO_AUTO, ORDO_CPU, ORDO_CUDA or ORDO_HYBRID", dst->where);
    FAIL_IF(dst->threads > API_MAX_THREADS, ORDO_E_ARG, "threads is %u; expected at most %d",
            dst->threads, API_MAX_THREADS);
    FAIL_IF(!(dst->cpu_share >= 0 && dst->cpu_share <= 1) && dst->cpu_share != -1, ORDO_E_ARG,
            "cpu_share is %g; expected a number from 0 to 1, or -1 for none", dst->cpu_share);
    FAIL_IF(dst->reserved != 0, ORDO_E_VERSION, "reserved is %u; expected 0", dst->reserved);
    FAIL_IF((dst->alloc == NULL) != (dst->release == NULL), ORDO_E_ARG,
            "%s is NULL and %s is not; expected both functions, or neither",
            dst->alloc == NULL ? "alloc" : "release", dst->alloc == NULL ? "release" : "alloc");
    TRY(env_threads(exec, &dst->threads));
    TRY(env_where(exec, &dst->where, &dst->device));
    TRY(check_devices(exec, dst));
    FAIL_IF(dst->cpu_share != 0 && dst->where != ORDO_HYBRID, ORDO_E_ARG,
            "cpu_share is %g, but the device is %s; expected the device hybrid (ORDO_HYBRID)",
            dst->cpu_share, where_names[dst->where]);
    return ORDO_OK;
}

static void fill_ctx(ordo_ctx *ctx, const ordo_ctx_opts *opts, const ordo_alloc *source)
{
    memset(ctx, 0, sizeof *ctx);
    ctx->source = *source;
    ctx->arena.source = *source;
    ctx->arena.limit = opts->mem_limit;
    ctx->cpus = ordo_cpus_count();
    ctx->exec.threads = opts->threads != 0 ? opts->threads : ordo_cpus_usable(&ctx->cpus);
    api_exec_init(ctx);
    ctx->created[0] = api_clock_ticks();
    ctx->created[1] = api_clock_short();
    ctx->exec.seed = ordo_random_mix(ctx->created[0] ^ ordo_random_mix((uintptr_t)ctx));
    ctx->seed_step = ORDO_RANDOM_STEP;
    if (opts->seed != 0) {
        ctx->exec.seed = opts->seed;
        ctx->seed_step = 0;
    }
    ctx->progress = opts->progress;
    ctx->progress_user = opts->progress_user;
    ctx->interval = opts->progress_interval;
    atomic_flag_clear(&ctx->busy);
    atomic_init(&ctx->stop, 0);
    atomic_init(&ctx->told, 0);
}

/* Makes a context with options that have been checked. */
static ordo_status make_ctx(ordo_ctx **out, const ordo_ctx_opts *options, const char *isa,
                            const char *directory)
{
    ordo_alloc source = {default_alloc, default_release, NULL};
    if (options->alloc != NULL && options->release != NULL)
        source = (ordo_alloc){options->alloc, options->release, options->alloc_user};

    ordo_ctx *const ctx = source.alloc(source.user, sizeof *ctx);
    if (ctx == NULL)
        return api_fail_in_thread(ORDO_E_NOMEM, "no memory for a context");
    fill_ctx(ctx, options, &source);
    if (options->profile != 0) {
        if (!api_profile_open(&ctx->profile, &source)) {
            source.release(source.user, ctx);
            return api_fail_in_thread(ORDO_E_NOMEM, "no memory for a profile");
        }
        ctx->exec.profile = &ctx->profile;
    }

    ordo_backend_wishes wishes = {.isa = isa,
                                  .device = (size_t)options->device,
                                  .device_limit = options->device_limit,
                                  .device_sms = options->device_sms,
                                  .threads = ctx->exec.threads,
                                  .cpu_share = options->cpu_share,
                                  .device_count = options->device_count};
    if (options->device_count != 0) {
        memcpy(wishes.devices, options->devices, options->device_count * sizeof *options->devices);
        wishes.device = (size_t)options->devices[0].device;
    }
    char        why[PLAN_WHY] = "";
    ordo_status status =
        ordo_plan_open(&ctx->plan, (ordo_where)options->where, &wishes, directory, why, sizeof why);
    if (status != ORDO_OK) {
        (void)api_fail_in_thread(status, "%s", why);
    } else {
        ordo_plan_calibration(&ctx->plan, options->calibration);
        ctx->pool = ordo_pool_create(&source, ctx->exec.threads);
        if (ctx->pool != NULL) {
            *out = ctx;
            return ORDO_OK;
        }
        ordo_plan_close(&ctx->plan);
        status = api_fail_in_thread(ORDO_E_NOMEM, "no memory for %u threads", ctx->exec.threads);
    }
    api_profile_close(&ctx->profile, &source);
    source.release(source.user, ctx);
    return status;
}

ordo_status ordo_ctx_create(ordo_ctx **out, const ordo_ctx_opts *opts)
{
    (void)api_fail_in_thread(ORDO_OK, "%s", "");
    if (out == NULL)
        return api_fail_in_thread(ORDO_E_ARG, "out is NULL; expected the address of an ordo_ctx *");
    *out = NULL;

    ordo_ctx_opts options;
    TRY(read_ctx_opts(&options, opts));
    return make_ctx(out, &options, secure_getenv("ORDO_ISA"), secure_getenv("ORDO_BACKEND_DIR"));
}

ordo_status api_sibling(ordo_ctx *ctx, const ordo_ctx_opts *other, ordo_ctx **out)
{
    ordo_ctx_opts options = *other;
    options.mem_limit = ctx->arena.limit / 2;
    if (options.alloc == NULL) {
        options.alloc = ctx->source.alloc;
        options.release = ctx->source.release;
        options.alloc_user = ctx->source.user;
    }
    options.device = ctx->plan.wishes.device;
    options.device_limit = ctx->plan.wishes.device_limit;
    options.device_sms = (uint32_t)ctx->plan.wishes.device_sms;
    options.calibration = "";
    *out = NULL;
    ordo_status const status =
        make_ctx(out, &options, ctx->plan.cpu->isa(ctx->plan.cpu_state), ctx->plan.directory);
    return status == ORDO_OK ? ORDO_OK : ordo_fail(&ctx->exec, status, "%s", ordo_last_error(NULL));
}

void ordo_ctx_free(ordo_ctx *ctx)
{
    if (ctx == NULL || api_occupy(ctx) != ORDO_OK)
        return;
    ordo_pool_free(ctx->pool);
    ordo_plan_close(&ctx->plan);
    ordo_arena_free(&ctx->arena);
    ordo_alloc const source = ctx->source;
    api_profile_close(&ctx->profile, &source);
    source.release(source.user, ctx);
}

/* ---- Queries ---- */

ordo_status ordo_ctx_info(ordo_ctx *ctx, ordo_info *out)
{
    TRY(api_occupy(ctx));
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
                                          .calibration_note = costs->note,
                                          .device_sms = ordo_plan_sms(&ctx->plan)};
    return api_vacate(ctx, api_copy_out(&ctx->exec, out, &info, sizeof info));
}

/* ---- Device memory ---- */

static ordo_status reserve_checked(ordo_ctx *ctx, ordo_exec *exec, size_t bytes)
{
    ordo_choice choice;
    exec->on_device = true; /* the memory is for calls on device arrays */
    TRY(api_choose(ctx, exec, NULL, &choice));
    NEEDS(choice, reserve);
    return choice.backend->reserve(choice.state, bytes, exec);
}

ordo_status ordo_reserve(ordo_ctx *ctx, size_t bytes)
{
    API_CALL("reserve", (ordo_type)0, bytes, reserve_checked(ctx, exec, bytes));
}

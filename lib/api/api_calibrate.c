/* api_calibrate.c - measures the costs of the machine (plan/calibration.h) with the calls that are
 * predicted later: sorts of random keys in separate contexts for the CPU, the GPU and both. The
 * best time of a few rounds counts.
 *
 * The cost of a call and the cost of a key or byte are a line through two sizes. On the CPU the
 * larger size is the first that takes ENOUGH seconds, so a slow machine does not measure longer
 * than a fast one; on the GPU the sizes follow from ORDO_TUNE_STREAM_LEAST. Strings are measured by
 * an argsort of two sets: one differs in the first bytes, the other must be read further. Memory:
 * two arrays of the largest size, and the scratch of a sort. */
#define _POSIX_C_SOURCE 200809L
#include "api/api_ctx.h"
#include "core/random.h"
#include "plan/tuning.h"
#include "ordo_machine.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ENOUGH 0.02

enum {
    ROUNDS = 5,
    SAMPLE_KEYS = 1 << 22,
    SHARES = 5, /* that are tried */
    STEPS = 26, /* approximate number of measurements, for the progress */
    FIRST = 1 << 18,
    MOST_CPU = 1 << 26,
    MOST = 1 << 27,
    LEAST = 1 << 12,
    KEY = 4 /* bytes of a key; the unit of array sizes */
};

typedef enum verb {
    SORT,
    PAIRS,
    ARGSORT,
    RANK,
    SAMPLE,
    STRINGS
} verb;

typedef struct bench {
    ordo_ctx        *ctx; /* the context of the call */
    ordo_exec       *exec;
    ordo_ctx        *cpu;
    char            *from, *keys; /* `most` keys each; `keys` is sorted */
    size_t           most, filled;
    ordo_strings     strings; /* of STRINGS */
    unsigned         threads;
    ordo_calibration found;
    char             trouble[CALIBRATION_NOTE]; /* why the GPU was not measured; "" if it was */
} bench;

/* ---- One measurement ---- */

static int watch(void *user, double done)
{
    const bench *const b = user;
    return ordo_poll(b->exec, done) ? 1 : 0;
}

static ordo_status side(bench *b, ordo_where where, unsigned threads, double share, ordo_ctx **out)
{
    return api_sibling(b->ctx,
                       &ORDO_OPTS(ordo_ctx_opts, .where = (uint32_t)where, .threads = threads,
                                  .cpu_share = share, .progress = watch, .progress_user = b),
                       out);
}

/* Copies the error of one of the measuring contexts. */
static ordo_status passed_on(const bench *b, const ordo_ctx *from, ordo_status status)
{
    if (status != ORDO_OK && status != ORDO_E_CANCELLED)
        ordo_fail(b->exec, status, "%s", ordo_last_error(from));
    return status;
}

static ordo_status fill(bench *b, size_t n)
{
    if (n <= b->filled)
        return ORDO_OK;
    b->filled = n;
    return passed_on(b, b->cpu,
                     ordo_gen(b->cpu, ORDO_DIST_UNIFORM, ORDO_U32, b->from, n,
                              &ORDO_OPTS(ordo_gen_opts, .seed = 1)));
}

static ordo_status call(const bench *b, ordo_ctx *by, verb what, ordo_type type, size_t n)
{
    char *const keys = b->keys, *const behind = keys + n * ordo_type_size(type);
    switch (what) {
    case PAIRS:
        return ordo_sort_pairs(by, type, keys, n, behind, KEY, NULL);
    case ARGSORT:
        return ordo_argsort(by, type, keys, n, ORDO_U32, behind, NULL);
    case RANK:
        return ordo_rank(by, type, keys, n, ORDO_U32, behind, NULL);
    case SAMPLE:
        return ordo_sort(by, type, keys, n,
                         &ORDO_OPTS(ordo_sort_opts, .algorithm = ORDO_ALGORITHM_SAMPLE));
    case STRINGS:
        return ordo_argsort_strings(by, &b->strings, n, ORDO_U32, keys, NULL);
    case SORT:
        break;
    }
    return ordo_sort(by, type, keys, n, NULL);
}

/* The shortest time of `rounds` calls; less than 0 if the CPU did the work instead of the GPU. */
static ordo_status least_of(bench *b, ordo_ctx *by, verb what, ordo_type type, size_t n, int rounds,
                            double *seconds)
{
    size_t const more = what == SORT || what == SAMPLE ? 0 : n * KEY;
    size_t const bytes = what == STRINGS ? 0 : n * ordo_type_size(type) + more;
    const char  *cpu_isa = b->cpu->plan.cpu->isa(b->cpu->plan.cpu_state);
    *seconds = -1;
    TRY(fill(b, bytes / KEY));
    for (int round = 0; round < rounds; round++) {
        ordo_report report = {.struct_size = sizeof report};
        TRY(passed_on(b, b->cpu, ordo_copy(b->cpu, b->keys, b->from, bytes)));
        TRY(passed_on(b, by, call(b, by, what, type, n)));
        TRY(ordo_last_report(by, &report));
        if (by->plan.where != ORDO_CPU &&
            (strcmp(report.isa, cpu_isa) == 0 || report.facts.device_status != ORDO_OK))
            return ORDO_OK;
        if (*seconds < 0 || report.seconds < *seconds)
            *seconds = report.seconds;
        if (ordo_poll(b->exec, (double)round / ROUNDS))
            return ORDO_E_CANCELLED;
    }
    b->exec->phase = (unsigned)ordo_min((size_t)b->exec->phase + 1, (size_t)STEPS - 1);
    return ORDO_OK;
}

/* The shortest time of calls on n keys in a new context. */
static ordo_status least_in(bench *b, ordo_where where, unsigned threads, double share, verb what,
                            size_t n, int rounds, double *seconds)
{
    ordo_ctx *by;
    TRY(side(b, where, threads, share, &by));
    ordo_status const status = least_of(b, by, what, ORDO_U32, n, rounds, seconds);
    ordo_ctx_free(by);
    return status;
}

/* ---- The CPU ---- */

static ordo_status measure_cpu_sort(bench *b, size_t *n, double *call_seconds, double *per_key)
{
    double few, many;
    size_t large = ordo_min((size_t)FIRST * 4, b->most);
    TRY(least_of(b, b->cpu, SORT, ORDO_U32, large, ROUNDS, &many));
    while (many < ENOUGH && large < MOST_CPU && large * 2 <= b->most) {
        large *= 2;
        TRY(least_of(b, b->cpu, SORT, ORDO_U32, large, ROUNDS, &many));
    }
    size_t const small = ordo_min((size_t)FIRST, large / 4);
    TRY(least_of(b, b->cpu, SORT, ORDO_U32, small, 2 * ROUNDS, &few));
    double const slope = (many - few) / (double)(large - small);
    double const rest = few - (double)small * slope;
    *n = large;
    *call_seconds = b->threads > 1 && rest > 0 && slope > 0 ? rest : 0;
    *per_key = (many - *call_seconds) / (double)large;
    return ORDO_OK;
}

/* Measures one thread with a large array and with an array that fits its cache. `key` is the cost
 * of a key with all threads. */
static ordo_status measure_one_thread(bench *b, size_t n, double key)
{
    size_t const large = ordo_max(n / b->threads, ordo_min((size_t)FIRST, n));
    size_t const small = ordo_min((size_t)ORDO_RADIX_ALONE / (2 * KEY), n);
    double       seconds;
    TRY(least_in(b, ORDO_CPU, 1, 0, SORT, large, ROUNDS, &seconds));
    ordo_calibration_set(&b->found, COST_CPU_ALONE, 100 * seconds / (double)large / key);
    TRY(least_in(b, ORDO_CPU, 1, 0, SORT, small, 4 * ROUNDS, &seconds));
    ordo_calibration_set(&b->found, COST_CPU_SMALL, 100 * seconds / (double)small / key);
    return ORDO_OK;
}

static ordo_status measure_cpu(bench *b)
{
    static const struct {
        ordo_cost_id id;
        verb         what;
        ordo_type    type;
        ordo_cost_id beyond; /* the cost of the key alone, which is subtracted */
        double       part;   /* factor for the difference */
    } rows[] = {{COST_CPU_16, SORT, ORDO_U16, COST_NONE, 1},
                {COST_CPU_64, SORT, ORDO_U64, COST_NONE, 1},
                {COST_CPU_VALUE, PAIRS, ORDO_U32, COST_CPU_32, 1.0 / KEY},
                {COST_CPU_INDEX, ARGSORT, ORDO_U32, COST_CPU_32, 1},
                {COST_CPU_RANK, RANK, ORDO_U32, COST_CPU_32, 1}};
    double const threads = b->threads, ps = threads * 1e12;
    double       fixed, key, seconds;
    size_t       n;
    ordo_calibration_set(&b->found, COST_THREADS, threads);
    TRY(measure_cpu_sort(b, &n, &fixed, &key));
    ordo_calibration_set(&b->found, COST_CPU_CALL, fixed * 1e6);
    ordo_calibration_set(&b->found, COST_CPU_32, key * ps);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t const fit = rows[i].type == ORDO_U64 ? n / 4 : n / 2;
        TRY(least_of(b, b->cpu, rows[i].what, rows[i].type, fit, ROUNDS, &seconds));
        double const each = (seconds - fixed) / (double)fit * ps;
        ordo_calibration_set(&b->found, rows[i].id,
                             (each - (double)b->found.value[rows[i].beyond]) * rows[i].part);
    }
    return measure_one_thread(b, n, key * threads);
}

/* ---- Strings ---- */

enum {
    STRING_MOST = 1 << 17,
    STRING_BYTES = 32, /* bytes of each string */
    SYLLABLE = 4       /* letters of one of 16 syllables */
};

/* Makes n strings of STRING_BYTES letters: random letters, which differ early, or random syllables,
 * which differ late. The memory gets the offsets, then the bytes. */
static ordo_strings make_strings(char *memory, size_t n, bool syllables)
{
    uint64_t *const offsets = (uint64_t *)(void *)memory;
    char *const     bytes = memory + (n + 1) * sizeof *offsets;
    uint64_t const  sequence = ordo_random_sequence(1, syllables);
    size_t const    unit = syllables ? SYLLABLE : 1;
    for (size_t i = 0; i <= n; i++)
        offsets[i] = i * STRING_BYTES;
    for (size_t i = 0; i < n * STRING_BYTES / unit; i++) {
        uint64_t const draw = ordo_random_below(ordo_random_at(sequence, i), syllables ? 16 : 26);
        for (size_t j = 0; j < unit; j++)
            bytes[i * unit + j] = (char)('a' + (draw + j * 5) % 26);
    }
    return (ordo_strings){sizeof(ordo_strings), bytes, offsets, NULL};
}

static ordo_status measure_strings(bench *b)
{
    size_t const each = sizeof(uint64_t) + STRING_BYTES;
    size_t const n = ordo_min((KEY * b->most - sizeof(uint64_t)) / each, (size_t)STRING_MOST);
    /* Picoseconds of one thread per string. */
    double const unit = (n > ORDO_TUNE_STRINGS_LARGE ? b->threads : 1) / (double)n * 1e12;
    double       soon, late;
    b->filled = 0; /* the strings overwrite the keys */
    b->strings = make_strings(b->from, n, false);
    TRY(least_of(b, b->cpu, STRINGS, ORDO_U32, n, ROUNDS, &soon));
    b->strings = make_strings(b->from, n, true);
    TRY(least_of(b, b->cpu, STRINGS, ORDO_U32, n, ROUNDS, &late));
    ordo_load const load = ordo_load_strings(&b->strings, n, 0, 1);
    ordo_calibration_set(&b->found, COST_CPU_STRING, soon * unit);
    if (late > soon && load.further > 0.5)
        ordo_calibration_set(&b->found, COST_CPU_STRING_MORE, (late - soon) * unit / load.further);
    return ORDO_OK;
}

/* ---- The GPU ---- */

/* Sets the rate in bytes per second, both directions together, and the seconds of a call, from the
 * times of two sizes. */
static void line_through(bench *b, size_t small, double few, size_t large, double many,
                         ordo_cost_id rate, ordo_cost_id fixed)
{
    if (few < 0 || many <= few)
        return; /* noise: keep the built-in costs */
    double const bytes_a_second = 2.0 * KEY * (double)(large - small) / (many - few);
    double const rest = few - 2.0 * KEY * (double)small / bytes_a_second;
    ordo_calibration_set(&b->found, rate, bytes_a_second * 1e-6);
    ordo_calibration_set(&b->found, fixed, (rest > 0 ? rest : 0) * 1e6);
}

static ordo_status measure_whole(bench *b, ordo_ctx *gpu, double opened)
{
    size_t const large = ordo_min((size_t)ORDO_TUNE_STREAM_LEAST / 8, b->most);
    size_t const small = large / 16;
    double       first, few, many, one;
    TRY(least_of(b, gpu, SORT, ORDO_U32, small, 1, &first));
    TRY(least_of(b, gpu, SORT, ORDO_U32, small, 2 * ROUNDS, &few));
    TRY(least_of(b, gpu, SORT, ORDO_U32, large, 2 * ROUNDS, &many));
    if (opened > 0)
        ordo_calibration_set(&b->found, COST_DEVICE_OPEN, (opened + first - few) * 1e3);
    line_through(b, small, few, large, many, COST_STAGE_WHOLE, COST_DEVICE_CALL);

    TRY(least_in(b, ORDO_CUDA, 1, 0, SORT, large, ROUNDS, &one));
    double const rest = one - (double)b->found.value[COST_DEVICE_CALL] * 1e-6;
    if (rest > 0)
        ordo_calibration_set(&b->found, COST_STAGE_THREAD, 2.0 * KEY * (double)large / rest * 1e-6);
    return ORDO_OK;
}

/* Tries shares for the CPU. *best becomes the shortest time below *best, *chosen its share. */
static ordo_status best_share(bench *b, verb what, size_t n, const double shares[SHARES],
                              double *best, double *chosen)
{
    for (size_t i = 0; i < SHARES; i++) {
        double seconds;
        TRY(least_in(b, ORDO_HYBRID, b->threads, shares[i], what, n, ROUNDS, &seconds));
        if (seconds > 0 && seconds < *best) {
            *best = seconds;
            *chosen = shares[i];
        }
    }
    return ORDO_OK;
}

/* Finds the best share for the CPU in a large sort, if it beats no share by more than noise. */
static ordo_status measure_shares(bench *b, size_t n, double streamed)
{
    static const double shares[SHARES] = {0, 0.05, 0.1, 0.2, 0.35};
    double              best = streamed * 0.97, chosen = -1;
    TRY(best_share(b, SORT, n, shares, &best, &chosen));
    ordo_calibration_set(&b->found, COST_HYBRID_SHARE, chosen * 1000);
    ordo_calibration_set(&b->found, COST_HYBRID_TIME, chosen < 0 ? 100 : 100 * best / streamed);
    return ORDO_OK;
}

static ordo_status measure_streams(bench *b)
{
    size_t const small = (size_t)ORDO_TUNE_STREAM_LEAST / KEY, large = b->most;
    double       few, many;
    if (large < 2 * small)
        return ORDO_OK;
    TRY(least_in(b, ORDO_HYBRID, b->threads, -1, SORT, small, ROUNDS, &few));
    TRY(least_in(b, ORDO_HYBRID, b->threads, -1, SORT, large, ROUNDS, &many));
    line_through(b, small, few, large, many, COST_STAGE_ALL, COST_STREAM_CALL);
    return few > 0 && many > 0 ? measure_shares(b, large, many) : ORDO_OK;
}

/* Finds the best share for the CPU in the sample sort. Tries the share at which CPU and GPU would
 * take equally long, computed from their times alone, and shares around it. */
static ordo_status measure_sample_share(bench *b, ordo_ctx *gpu)
{
    static const double factors[SHARES] = {0.25, 0.5, 0.75, 1, 1.5};
    size_t const        n = ordo_min((size_t)SAMPLE_KEYS, b->most);
    double              alone, best, shares[SHARES], chosen = 0;
    TRY(least_of(b, b->cpu, SAMPLE, ORDO_U32, n, ROUNDS, &alone));
    TRY(least_of(b, gpu, SAMPLE, ORDO_U32, n, ROUNDS + 1, &best));
    ordo_report report = {.struct_size = sizeof report};
    TRY(ordo_last_report(gpu, &report));
    if (alone <= 0 || best <= 0 || report.facts.strategy != ORDO_STRATEGY_PHASES)
        return ORDO_OK; /* the GPU has no such sort */
    double const even = best / (alone + best);
    for (size_t i = 0; i < SHARES; i++)
        shares[i] = even * factors[i] < 1 ? even * factors[i] : 1;
    TRY(best_share(b, SAMPLE, n, shares, &best, &chosen));
    ordo_calibration_set(&b->found, COST_SAMPLE_SHARE, chosen * 1000);
    return ORDO_OK;
}

static ordo_status measure_device(bench *b)
{
    bool const   again = ordo_plan_opened_once();
    double const began = ordo_profile_clock();
    ordo_ctx    *gpu;
    TRY(side(b, ORDO_CUDA, b->threads, 0, &gpu));
    ordo_plan *const plan = &gpu->plan;
    bool const       there = ordo_plan_cuda(plan)[0] == '\0';
    double const     opened = again ? 0 : ordo_profile_clock() - began;
    ordo_status      status = ORDO_OK;
    if (there) {
        ordo_calibration_name_device(ordo_plan_device_line(plan), b->found.device,
                                     sizeof b->found.device);
        status = measure_whole(b, gpu, opened);
        if (status == ORDO_OK)
            status = measure_streams(b);
        if (status == ORDO_OK)
            status = measure_sample_share(b, gpu);
    }
    ordo_ctx_free(gpu);
    return status;
}

/* ---- All ---- */

static size_t most_keys(const ordo_ctx *ctx, const ordo_calibrate_opts *options)
{
    long const   pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    size_t const sixteenth = pages > 0 && page > 0 ? (size_t)pages / 16 * (size_t)page : SIZE_MAX;
    size_t const limit = ctx->arena.limit, there = ctx->plan.wishes.device_limit;
    size_t       most =
        options->most != 0 ? (size_t)options->most : ordo_min((size_t)MOST, sixteenth / KEY);
    if (limit != 0)
        most = ordo_min(most, limit / (16 * KEY)); /* ranks need the most scratch */
    if (there != 0)
        most = ordo_min(most, there / (4 * KEY));
    return most;
}

/* Takes two arrays, smaller ones if memory is too small. */
static ordo_status hold_arrays(bench *b)
{
    b->most = ordo_min(b->most, SIZE_MAX / (4 * KEY)); /* so that no size overflows */
    for (; b->most >= (size_t)LEAST; b->most /= 2) {
        size_t const bytes = ordo_round_up(KEY * b->most, ORDO_CACHE_LINE);
        b->from = b->ctx->source.alloc(b->ctx->source.user, 2 * bytes);
        if (b->from != NULL) {
            b->keys = b->from + bytes;
            return ORDO_OK;
        }
    }
    return ordo_fail(b->exec, ORDO_E_NOMEM, "no memory for two arrays of %d keys to measure with",
                     LEAST);
}

static ordo_status measure_all(bench *b)
{
    TRY(hold_arrays(b));
    TRY(side(b, ORDO_CPU, b->threads, 0, &b->cpu));
    TRY(measure_cpu(b));
    TRY(measure_strings(b));
    ordo_calibration const cpu = b->found;
    ordo_status const      status = b->ctx->plan.where == ORDO_CPU ? ORDO_OK : measure_device(b);
    if (!ordo_device_gave_up(status))
        return status;
    b->found = cpu; /* drop the costs of a GPU that fails */
    snprintf(b->trouble, sizeof b->trouble, "the GPU was not measured: %.200s",
             ordo_last_error(b->ctx));
    return ORDO_OK;
}

static ordo_status calibrate_checked(ordo_ctx *ctx, ordo_exec *exec,
                                     const ordo_calibrate_opts *opts)
{
    ordo_calibrate_opts options;
    ordo_plan *const    plan = &ctx->plan;
    TRY(api_opts_read(exec, &options, sizeof options, opts));
    FAIL_IF(options.most != 0 && (options.most < LEAST || options.most > SIZE_MAX / KEY),
            ORDO_E_ARG, "most is %llu; expected at least %d keys", (unsigned long long)options.most,
            LEAST);
    exec->phases = STEPS;
    ordo_calibration_read(&plan->calibration);
    bench b = {.ctx = ctx,
               .exec = exec,
               .most = most_keys(ctx, &options),
               .threads = exec->threads,
               .found = plan->calibration};
    if (plan->where != ORDO_CPU) /* a context without GPU keeps the GPU's costs */
        ordo_calibration_standard(&b.found);
    ordo_status const status = measure_all(&b);
    ordo_ctx_free(b.cpu);
    if (b.from != NULL)
        ctx->source.release(ctx->source.user, b.from);
    TRY(status);
    plan->calibration = b.found;
    plan->checked = plan->where != ORDO_CPU;
    if (ordo_calibration_write(&plan->calibration))
        memcpy(plan->calibration.note, b.trouble, sizeof b.trouble);
    return ORDO_OK;
}

ordo_status ordo_calibrate(ordo_ctx *ctx, const ordo_calibrate_opts *opts)
{
    API_CALL("calibrate", (ordo_type)0, 0, calibrate_checked(ctx, exec, opts));
}

ordo_status ordo_calibration_cost(ordo_ctx *ctx, size_t i, ordo_cost *out)
{
    ordo_exec *exec;
    TRY(api_enter_query(ctx, &exec));
    ordo_calibration *const now = &ctx->plan.calibration;
    ordo_status             status;
    ordo_calibration_read(now);
    if (i >= COSTS - 1) {
        status = ordo_fail(exec, ORDO_E_ARG, "i is %zu; expected at most %d, the last cost", i,
                           COSTS - 2);
    } else {
        const ordo_cost_fact *const fact = &ordo_cost_facts[i + 1];
        ordo_cost const             cost = {.name = fact->name,
                                            .unit = fact->unit,
                                            .meaning = fact->meaning,
                                            .value = (double)now->value[i + 1],
                                            .standard = (double)fact->standard,
                                            .measured = now->measured[i + 1]};
        status = api_copy_out(exec, out, &cost, sizeof cost);
    }
    return api_leave_query(ctx, status);
}

ordo_status ordo_calibration_remove(ordo_ctx *ctx)
{
    ordo_exec *exec;
    TRY(api_enter_query(ctx, &exec));
    ordo_calibration *const now = &ctx->plan.calibration;
    ordo_status             status = ORDO_OK;
    if (!ordo_calibration_forget(now))
        status = ordo_fail(exec, ORDO_E_ARG, "%s: %s", now->path, now->note);
    return api_leave_query(ctx, status);
}

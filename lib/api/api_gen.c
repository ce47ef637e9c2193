/* api_gen.c - ordo_gen and ordo_gen_strings: checks, defaults, and the call of the generator. */
#define _POSIX_C_SOURCE 200809L
#include "api/api.h"
#include "api/api_ctx.h"
#include "gen/gen.h"

enum {
    DEFAULT_FEW = 100,
    DEFAULT_ZIPF = 1 << 20,
    DEFAULT_TEETH = 16,
    DEFAULT_BUCKETS = 16,
    DEFAULT_OUTLIERS = 100,
    DEFAULT_BURST = 1000,
    DEFAULT_SENSORS = 100
};

typedef unsigned long long ull; /* for %llu */

/* ---- Keys ---- */

static void fill_defaults(ordo_gen_job *job)
{
    if (job->k != 0)
        return;
    switch ((int)job->dist) {
    case ORDO_DIST_FEW:
        job->k = DEFAULT_FEW;
        break;
    case ORDO_DIST_ZIPF:
        job->k = DEFAULT_ZIPF;
        if (job->k > ordo_gen_zipf_limit(job->type))
            job->k = ordo_gen_zipf_limit(job->type);
        break;
    case ORDO_DIST_SAWTOOTH:
        job->k = DEFAULT_TEETH;
        break;
    case ORDO_DIST_DUPES:
    case ORDO_DIST_STAGGERED:
    case ORDO_DIST_BUCKET:
        job->k = DEFAULT_BUCKETS;
        break;
    case ORDO_DIST_OUTLIERS:
        job->k = DEFAULT_OUTLIERS;
        break;
    case ORDO_DIST_TIMESTAMPS:
        job->k = DEFAULT_BURST;
        break;
    case ORDO_DIST_SENSORS:
        job->k = DEFAULT_SENSORS;
        break;
    default:
        break;
    }
}

static ordo_status check_gen_radius(ordo_exec *exec, const ordo_gen_job *job)
{
    FAIL_IF(job->n > 0 && job->k >= job->n, ORDO_E_ARG,
            "%s: radius k = %llu, but %zu keys have a radius of at most %zu",
            ordo_gen_name(job->dist), (ull)job->k, job->n, job->n - 1);
    return ORDO_OK;
}

/* Checks that the type has enough values. ordo_gen_order checks RECUR itself, because it must count
 * first. */
static ordo_status check_room(ordo_exec *exec, const ordo_gen_job *job)
{
    const char *const type = ordo_type_name(job->type);
    const uint64_t    few_last = ordo_gen_last_fraction(job->type);
    const uint64_t    zipf_last = ordo_gen_zipf_limit(job->type);
    const uint64_t    place_last = ordo_gen_last_place(job->type);

    switch ((int)job->dist) {
    case ORDO_DIST_FEW:
        FAIL_IF(job->k - 1 > few_last, ORDO_E_ARG,
                "few: k = %llu different keys, but %s offers only %llu", (ull)job->k, type,
                (ull)few_last + 1);
        break;
    case ORDO_DIST_ZIPF:
        FAIL_IF(job->k > zipf_last, ORDO_E_ARG,
                "zipf: keys up to k = %llu, but %s counts only up to %llu", (ull)job->k, type,
                (ull)zipf_last);
        break;
    case ORDO_DIST_RECUR:
        FAIL_IF(!(job->p >= 0 && job->p <= 1), ORDO_E_ARG,
                "recur: p = %g; expected a probability from 0 to 1", job->p);
        break;
    case ORDO_DIST_SHUFFLED:
        return check_gen_radius(exec, job);
    case ORDO_DIST_KSORTED:
        TRY(check_gen_radius(exec, job));
        FAIL_IF(job->n > 0 && job->n - 1 > place_last, ORDO_E_ARG,
                "ksorted: %zu different keys, but %s offers only %llu", job->n, type,
                (ull)place_last + 1);
        break;
    default:
        break;
    }
    return ORDO_OK;
}

/* Draws uniform keys, sorts and shuffles them. Every keys-only sort writes the same bytes, so the
 * result does not depend on the algorithm. */
static ordo_status gen_shuffled(ordo_ctx *ctx, ordo_exec *exec, const ordo_gen_job *job)
{
    const ordo_plan *const plan = &ctx->plan;
    ordo_gen_job           draw = *job;
    ordo_exec              part = *exec;
    const ordo_sort_job    sort = {.type = job->type, .keys = job->out, .n = job->n};
    draw.dist = ORDO_DIST_UNIFORM;
    part.phases = 3;
    TRY(ordo_gen_keys(&draw, &part));
    part.phase = 1;
    TRY(plan->cpu->sort(plan->cpu_state, &sort, &part));
    part.phase = 2;
    part.phases = 3;
    return ordo_gen_shuffled(job, &part);
}

static ordo_status gen_checked(ordo_ctx *ctx, ordo_exec *exec, ordo_gen_job *job,
                               const ordo_gen_opts *opts)
{
    ordo_gen_opts     wish;
    const char *const name = ordo_gen_name(job->dist);
    FAIL_IF(name == NULL, ORDO_E_ARG, "dist is %d; no such ordo_dist", (int)job->dist);
    FAIL_IF(job->dist == ORDO_DIST_STRINGS || job->dist == ORDO_DIST_FASTA, ORDO_E_ARG,
            "dist is %s, which makes strings; call ordo_gen_strings", name);
    TRY(api_check_type(exec, job->type, "type"));
    TRY(api_opts_read(exec, &wish, sizeof wish, opts));
    TRY(api_check_aligned(exec, job->out, job->n, ordo_type_size(job->type), "out"));
    job->seed = wish.seed;
    job->k = wish.k;
    job->p = wish.p;
    fill_defaults(job);
    TRY(check_room(exec, job));

    exec->algorithm = name;
    exec->isa = "generic";
    if (job->n == 0)
        return ORDO_OK;
    if (job->dist == ORDO_DIST_SHUFFLED)
        return gen_shuffled(ctx, exec, job);
    if ((job->dist >= ORDO_DIST_SORTED && job->dist <= ORDO_DIST_KSORTED) ||
        job->dist == ORDO_DIST_OUTLIERS)
        return ordo_gen_order(job, exec);
    if (job->dist >= ORDO_DIST_TIMESTAMPS)
        return ordo_gen_mixes(job, exec);
    return ordo_gen_keys(job, exec);
}

ordo_status ordo_gen(ordo_ctx *ctx, ordo_dist dist, ordo_type type, void *out, size_t n,
                     const ordo_gen_opts *opts)
{
    ordo_gen_job job = {.dist = dist, .type = type, .out = out, .n = n};
    API_CALL("gen", type, n, gen_checked(ctx, exec, &job, opts));
}

/* ---- Strings ---- */

static ordo_status gen_strings_checked(ordo_exec *exec, ordo_gen_text_job *job,
                                       const ordo_gen_opts *opts)
{
    ordo_gen_opts     wish;
    size_t            count;
    const char *const name = ordo_gen_name(job->dist);
    FAIL_IF(name == NULL, ORDO_E_ARG, "dist is %d; no such ordo_dist", (int)job->dist);
    FAIL_IF(job->dist != ORDO_DIST_STRINGS && job->dist != ORDO_DIST_FASTA, ORDO_E_ARG,
            "dist is %s, which makes numbers; call ordo_gen", name);
    TRY(api_opts_read(exec, &wish, sizeof wish, opts));
    FAIL_IF(!ordo_size_add(job->n, 1, &count), ORDO_E_ARG,
            "n is %zu; n + 1 offsets are more than memory can hold", job->n);
    FAIL_IF(job->offsets == NULL, ORDO_E_ARG, "offsets is NULL; expected an array of %zu offsets",
            count);
    TRY(api_check_aligned(exec, job->offsets, count, sizeof *job->offsets, "offsets"));
    TRY(api_check_array(exec, job->bytes, job->bytes != NULL ? job->capacity : 0, 1, "bytes"));
    TRY(api_check_apart(exec, job->offsets, count * sizeof *job->offsets, "offsets", job->bytes,
                        job->bytes != NULL ? job->capacity : 0, "bytes"));
    job->seed = wish.seed;

    exec->algorithm = name;
    exec->isa = "generic";
    return ordo_gen_text(job, exec);
}

ordo_status ordo_gen_strings(ordo_ctx *ctx, ordo_dist dist, size_t n, uint64_t *offsets,
                             char *bytes, size_t capacity, const ordo_gen_opts *opts)
{
    ordo_gen_text_job job = {
        .dist = dist, .n = n, .offsets = offsets, .bytes = bytes, .capacity = capacity};
    API_CALL("gen_strings", (ordo_type)0, n, gen_strings_checked(exec, &job, opts));
}

/* api_gen.c - ordo_gen and ordo_gen_strings: checks, defaults, and the call of the generator. */
#define _POSIX_C_SOURCE 200809L
#include "api/api.h"
#include "api/api_ctx.h"
#include "gen/gen.h"

typedef unsigned long long ull; /* for %llu */

typedef struct gen_dist { /* a row of dists.def */
    const char *name, *id;
    ordo_status (*make)(const ordo_gen_job *job, ordo_exec *exec);
    uint64_t k;
} gen_dist;

static const gen_dist dists[] = {
#define ORDO_DIST_ROW(ID, name, make, takes, k, help)                                              \
    [ORDO_DIST_##ID] = {#name, "ORDO_DIST_" #ID, make, k},
#include "gen/dists.def"
};

/* Finds a distribution that makes strings, or one that makes numbers. */
static ordo_status find_dist(ordo_exec *exec, ordo_dist number, bool strings, const gen_dist **dist)
{
    unsigned const last = sizeof dists / sizeof *dists - 1;
    *dist = &dists[ordo_min((unsigned)number, last)];
    FAIL_IF((unsigned)number > last || (*dist)->name == NULL, ORDO_E_ARG,
            "dist is %d; expected an ordo_dist, ORDO_DIST_UNIFORM (1) to %s (%u)", (int)number,
            dists[last].id, last);
    FAIL_IF(strings != ((*dist)->make == NULL), ORDO_E_ARG, "dist is %s, which makes %s; call %s",
            (*dist)->name, strings ? "numbers" : "strings",
            strings ? "ordo_gen" : "ordo_gen_strings");
    exec->algorithm = (*dist)->name;
    exec->isa = "generic";
    return ORDO_OK;
}

/* ---- Keys ---- */

static ordo_status check_gen_radius(ordo_exec *exec, const ordo_gen_job *job)
{
    FAIL_IF(job->n > 0 && job->k >= job->n, ORDO_E_ARG,
            "%s: k, the radius, is %llu; expected at most %zu for %zu keys", exec->algorithm,
            (ull)job->k, job->n - 1, job->n);
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
                "few: k is %llu; expected at most %llu different keys of type %s", (ull)job->k,
                (ull)few_last + 1, type);
        break;
    case ORDO_DIST_ZIPF:
        FAIL_IF(job->k > zipf_last, ORDO_E_ARG,
                "zipf: k, the largest key, is %llu; expected at most %llu for type %s", (ull)job->k,
                (ull)zipf_last, type);
        break;
    case ORDO_DIST_RECUR:
        FAIL_IF(!(job->p >= 0 && job->p <= 1), ORDO_E_ARG,
                "recur: p is %g; expected a probability from 0 to 1", job->p);
        break;
    case ORDO_DIST_SHUFFLED:
        return check_gen_radius(exec, job);
    case ORDO_DIST_KSORTED:
        TRY(check_gen_radius(exec, job));
        FAIL_IF(job->n > 0 && job->n - 1 > place_last, ORDO_E_ARG,
                "ksorted: n is %zu; expected at most %llu, because all keys of type %s differ",
                job->n, (ull)place_last + 1, type);
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
    ordo_gen_opts   options;
    const gen_dist *dist;
    TRY(find_dist(exec, job->dist, false, &dist));
    TRY(api_check_type(exec, job->type, "type"));
    TRY(api_opts_read(exec, &options, sizeof options, opts));
    TRY(api_check_aligned(exec, job->out, job->n, ordo_type_size(job->type), "out"));
    job->seed = options.seed;
    job->k = options.k != 0 ? options.k : dist->k;
    if (job->dist == ORDO_DIST_ZIPF && options.k == 0)
        job->k = ordo_min(job->k, ordo_gen_zipf_limit(job->type));
    job->p = options.p;
    TRY(check_room(exec, job));

    if (job->n == 0)
        return ORDO_OK;
    return job->dist == ORDO_DIST_SHUFFLED ? gen_shuffled(ctx, exec, job) : dist->make(job, exec);
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
    ordo_gen_opts   options;
    size_t          count;
    const gen_dist *dist;
    TRY(find_dist(exec, job->dist, true, &dist));
    TRY(api_opts_read(exec, &options, sizeof options, opts));
    FAIL_IF(!ordo_size_add(job->n, 1, &count), ORDO_E_ARG,
            "n is %zu; n + 1 offsets are more than memory can hold", job->n);
    FAIL_IF(job->offsets == NULL, ORDO_E_ARG, "offsets is NULL; expected an array of %zu offsets",
            count);
    TRY(api_check_aligned(exec, job->offsets, count, sizeof *job->offsets, "offsets"));
    TRY(api_check_array(exec, job->bytes, job->bytes != NULL ? job->capacity : 0, 1, "bytes"));
    TRY(api_check_apart(exec, job->offsets, count * sizeof *job->offsets, "offsets", job->bytes,
                        job->bytes != NULL ? job->capacity : 0, "bytes"));
    job->seed = options.seed;

    return ordo_gen_text(job, exec);
}

ordo_status ordo_gen_strings(ordo_ctx *ctx, ordo_dist dist, size_t n, uint64_t *offsets,
                             char *bytes, size_t capacity, const ordo_gen_opts *opts)
{
    ordo_gen_text_job job = {
        .dist = dist, .n = n, .offsets = offsets, .bytes = bytes, .capacity = capacity};
    API_CALL("gen_strings", (ordo_type)0, n, gen_strings_checked(exec, &job, opts));
}

/* dist_select.c - ordo_dist_select, ordo_dist_quantiles and ordo_dist_median, by the search for
 * cuts (search/cuts.h). For a few positions the last keys of the search go to every process
 * (search/brackets.c). */
#define _POSIX_C_SOURCE 200809L
#include "core/keybits.h"
#include "core/lists.h"
#include "core/quantile.h"
#include "dist/search/cuts.h"
#include "dist/device/device.h"

typedef struct positions {
    dist_call c;
    cut      *cuts; /* ascending, different positions */
    size_t    count;
    uint64_t  hash; /* of the list of the caller */
} positions;

/* Finds the keys at the positions; each is less than the total. */
static ordo_status find_positions(positions *p, const uint64_t *wanted, size_t count)
{
    dist_call *const c = &p->c;
    void            *memory;
    TRY(dist_agree(c, ordo_scratch(c->exec, (count + 1) * sizeof *p->cuts, &memory)));
    p->cuts = memory;
    p->count = cuts_of_positions(wanted, count, p->cuts);
    return p->count == 0 ? ORDO_OK : cuts_find(c, p->cuts, p->count);
}

static uint64_t order_at(const positions *p, uint64_t position)
{
    return p->cuts[cuts_position(p->cuts, p->count, position)].order;
}

/* ---- Select ---- */

static void write_keys(const positions *p, const uint64_t *k, size_t count, char *out)
{
    ordo_order_of const order = {p->c.type, p->c.descending, false};
    for (size_t i = 0; i < count; i++)
        cells_put_key(&order, order_at(p, k[i]), out + i * p->c.key_size);
}

static ordo_status write_on_device(positions *p, const uint64_t *k, size_t count, void *out)
{
    dist_call *const c = &p->c;
    void            *keys;
    TRY(ordo_scratch(c->exec, count * c->key_size + 1, &keys));
    write_keys(p, k, count, keys);
    TRY(device_copy(c, out, keys, count * c->key_size));
    return device_finish(c);
}

static ordo_status select_run(positions *p, const uint64_t *k, size_t count, void *out)
{
    dist_call *const c = &p->c;
    ordo_exec *const exec = c->exec;
    for (size_t i = 0; i < count; i++)
        FAIL_IF(k[i] >= c->total, ORDO_E_ARG,
                "k[%zu] is %llu; expected less than %llu, the keys of all ranks", i,
                (unsigned long long)k[i], (unsigned long long)c->total);
    TRY(find_positions(p, k, count));
    if (dist_on_device(c))
        return dist_agree(c, write_on_device(p, k, count, out));
    write_keys(p, k, count, out);
    return ORDO_OK;
}

static ordo_status select_check(positions *p, const uint64_t *k, size_t count, const void *out,
                                const ordo_dist_opts *opts)
{
    ordo_exec *const exec = p->c.exec;
    TRY(dist_check(&p->c, opts, ORDO_DESCENDING));
    FAIL_IF(count > 0 && (k == NULL || out == NULL), ORDO_E_ARG,
            "%s is NULL; expected %zu elements", k == NULL ? "k" : "out", count);
    p->hash = dist_hash(k, count * sizeof *k);
    return ORDO_OK;
}

ordo_status ordo_dist_select(ordo_ctx *ctx, const ordo_comm *comm, ordo_type type, const void *keys,
                             size_t n, const uint64_t *k, size_t count, void *out,
                             const ordo_dist_opts *opts)
{
    positions p = {.c = {.type = type, .keys = keys, .n = n}};
    DIST_CALL("dist_select", &p.c, select_check(&p, k, count, out, opts),
              select_run(&p, k, count, out), "ordo_dist_select", {count, p.hash});
}

/* ---- Quantiles ---- */

typedef struct quantile_options {
    const double *q;
    size_t        count;
    ordo_nans     nans;
    ordo_method   method;
    bool          is_median;
    const char   *verb;
} quantile_options;

/* NaNs of this process's keys, counted where they are. */
static ordo_status count_here(dist_call *c, size_t *nans)
{
    const ordo_plan *const    plan = &c->ctx->plan;
    bool const                there = dist_on_device(c);
    const ordo_backend *const backend = there ? c->device.backend : plan->cpu;
    ordo_count_job const      job = {c->type, c->keys, c->n, nans};
    *nans = 0;
    if (!ordo_is_float(c->type) || c->n == 0)
        return ORDO_OK;
    ordo_status const status =
        backend->count_nans(there ? c->device.state : plan->cpu_state, &job, c->exec);
    return status == ORDO_E_CANCELLED ? dist_cancelled(c) : status;
}

/* NaNs of all processes. NaNs are last in the order, so a selection need not know them unless they
 * count for nothing or make the result NaN. */
static ordo_status count_nans(dist_call *c, uint64_t *nans)
{
    size_t here;
    TRY(dist_agree(c, count_here(c, &here)));
    *nans = here;
    return dist_sum(c, nans, 1);
}

static double value_at(const positions *p, uint64_t position)
{
    ordo_order_of const order = {p->c.type, false, false};
    uint64_t            key = 0;
    cells_put_key(&order, order_at(p, position), &key);
    return quantile_key(p->c.type, &key, 0);
}

static ordo_status quantiles_run(positions *p, const quantile_options *options, double *out)
{
    dist_call *const c = &p->c;
    uint64_t         nans = 0;
    void            *memory;
    if (options->nans != ORDO_NANS_LAST)
        TRY(count_nans(c, &nans));
    uint64_t const numbers = c->total - (options->nans == ORDO_NANS_OMIT ? nans : 0);
    bool const     is_nan = numbers == 0 || (options->nans == ORDO_NANS_PROPAGATE && nans > 0);
    TRY(dist_agree(c, ordo_scratch(c->exec, (2 * options->count + 1) * sizeof(uint64_t), &memory)));
    uint64_t *const wanted = memory;
    for (size_t j = 0; j < options->count && !is_nan; j++) {
        quantile_place const at =
            quantile_place_of(options->method, options->q[j], (size_t)numbers);
        wanted[2 * j] = at.below;
        wanted[2 * j + 1] = at.above;
    }
    if (!is_nan)
        TRY(find_positions(p, wanted, 2 * options->count));
    for (size_t j = 0; j < options->count; j++) {
        out[j] = (double)NAN;
        if (is_nan)
            continue;
        quantile_place const at =
            quantile_place_of(options->method, options->q[j], (size_t)numbers);
        out[j] = quantile_value(&at, value_at(p, at.below), value_at(p, at.above));
    }
    return ORDO_OK;
}

static ordo_status quantiles_check(positions *p, const quantile_options *options, const double *out,
                                   const ordo_dist_opts *opts)
{
    ordo_exec *const exec = p->c.exec;
    TRY(dist_check(&p->c, opts, 0));
    FAIL_IF(options->count > 0 && (options->q == NULL || out == NULL), ORDO_E_ARG,
            "%s is NULL; expected %zu elements", options->q == NULL ? "q" : "out", options->count);
    TRY(api_check_method(exec, (uint32_t)options->method, options->is_median));
    TRY(api_check_nans(exec, (uint32_t)options->nans));
    TRY(api_check_q(exec, options->q, options->count));
    p->hash = dist_hash(options->q, options->count * sizeof *options->q);
    return ORDO_OK;
}

static ordo_status quantiles(ordo_ctx *ctx, const ordo_comm *comm, positions *p,
                             const quantile_options *wanted, double *out,
                             const ordo_dist_opts *opts)
{
    DIST_CALL(wanted->is_median ? "dist_median" : "dist_quantiles", &p->c,
              quantiles_check(p, wanted, out, opts), quantiles_run(p, wanted, out), wanted->verb,
              {wanted->count, (uint64_t)wanted->nans, (uint64_t)wanted->method, p->hash});
}

ordo_status ordo_dist_quantiles(ordo_ctx *ctx, const ordo_comm *comm, ordo_type type,
                                const void *keys, size_t n, const double *q, size_t count,
                                double *out, ordo_nans nans, ordo_method method,
                                const ordo_dist_opts *opts)
{
    positions              p = {.c = {.type = type, .keys = keys, .n = n}};
    quantile_options const options = {q, count, nans, method, false, "ordo_dist_quantiles"};
    return quantiles(ctx, comm, &p, &options, out, opts);
}

ordo_status ordo_dist_median(ordo_ctx *ctx, const ordo_comm *comm, ordo_type type, const void *keys,
                             size_t n, double *out, ordo_nans nans, const ordo_dist_opts *opts)
{
    double const           half = 0.5;
    positions              p = {.c = {.type = type, .keys = keys, .n = n}};
    quantile_options const options = {
        &half, 1, nans, ORDO_METHOD_DEFAULT, true, "ordo_dist_median"};
    return quantiles(ctx, comm, &p, &options, out, opts);
}

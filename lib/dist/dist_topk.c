/* dist_topk.c - ordo_dist_topk: the first k keys, gathered on every process.
 *
 * Each process finds its own first keys: these are candidates, in order and ties in the sequence of
 * their indices. They are as many as it has results if all keys are in random order, and some more;
 * if all candidates of a process are results, every process lists up to k keys instead. The
 * candidates of all processes before the cut at position k are gathered in the sequence of the
 * processes, and a stable sort orders them. */
#define _POSIX_C_SOURCE 200809L
#include "backend/tuning.h"
#include "dist/device/device.h"
#include "dist/search/cuts.h"

#include <math.h>

enum {
    MORE = ORDO_TUNE(1000, 3) /* candidates that a process lists beyond those it expects */
};

typedef struct best {
    dist_call c;
    size_t    k;      /* results */
    bool      all;    /* any key of a process may be a result */
    size_t    most;   /* candidates of this process */
    void     *values; /* of the caller; may be NULL */
    uint64_t *index;  /* of the caller; may be NULL */
    char     *mine;   /* this process's candidates */
    uint64_t *my_index;
    size_t    my_count; /* of them that are results */
    void     *gathered;
    void     *gathered_index;
} best;

/* Candidates of a process with n keys: its share of the results, and four standard deviations. */
static size_t candidates_of(const best *b, uint64_t n)
{
    size_t const limit = (size_t)(n < b->k ? n : b->k);
    double const share = (double)b->k * (double)n / (double)(b->c.total + 1);
    double const wanted = share + 4 * sqrt(share) + MORE;
    return b->all || wanted >= (double)limit ? limit : (size_t)wanted;
}

static ordo_status list_on_device(best *b, size_t most)
{
    dist_call *const c = &b->c;
    size_t const     keys = most * c->key_size, index = most * sizeof *b->my_index;
    ordo_topk_job    job = {.type = c->type,
                            .keys = c->keys,
                            .n = c->n,
                            .k = most,
                            .index_type = ORDO_U64,
                            .descending = c->descending};
    TRY(device_memory(c, device_size(keys) + device_size(index)));
    job.values = device_take(c, keys);
    job.index = device_take(c, index);
    TRY(c->device.backend->topk(c->device.state, &job, c->exec));
    TRY(device_copy(c, b->mine, job.values, keys));
    TRY(device_copy(c, b->my_index, job.index, index));
    return device_finish(c);
}

static ordo_status list_candidates(best *b)
{
    dist_call *const       c = &b->c;
    double const           started = dist_clock();
    size_t const           most = b->most = candidates_of(b, c->n);
    ordo_select_opts const opts =
        ORDO_OPTS(ordo_select_opts, .flags = c->descending ? ORDO_DESCENDING : 0);
    TRY_SCRATCH(c->exec, most * c->key_size + 1, b->mine);
    TRY_SCRATCH(c->exec, most * sizeof *b->my_index + 1, b->my_index);
    if (most == 0)
        return ORDO_OK;
    TRY(dist_on_device(c) ? list_on_device(b, most)
                          : dist_inner(c, ordo_topk(c->inner, c->type, c->keys, c->n, most, b->mine,
                                                    ORDO_U64, b->my_index, NULL, &opts)));
    for (size_t i = 0; i < most; i++)
        b->my_index[i] += c->offset;
    c->report.local_seconds += dist_clock() - started;
    return ORDO_OK;
}

/* Of the candidates those before the cut are results. *again is true if a process may have
 * others. */
static ordo_status choose_mine(best *b, bool *again)
{
    dist_call *const c = &b->c;
    cut_keys const   mine = {{c->type, c->descending, true}, b->mine, b->most, false};
    cut              end = {.position = b->k};
    uint64_t         total = 0, limits = 0;
    for (int32_t r = 0; r < c->comm.size; r++) {
        total += candidates_of(b, c->counts[r]);
        limits += c->counts[r] < b->k ? c->counts[r] : b->k;
    }
    b->my_count = b->most;
    if (b->k < total) {
        TRY(cuts_of_keys(c, &mine, total, &end, 1));
        b->my_count = (size_t)cut_place(&end);
    }
    uint64_t ended = b->my_count == b->most && b->most < ordo_min(b->k, c->n);
    if (total < limits)
        TRY(dist_sum(c, &ended, 1));
    b->all = *again = ended > 0;
    return ORDO_OK;
}

static ordo_status write_results(best *b)
{
    dist_call *const c = &b->c;
    size_t const     keys = b->values == NULL ? 0 : b->k * c->key_size;
    size_t const     index = b->index == NULL ? 0 : b->k * sizeof *b->index;
    TRY(device_copy(c, b->values, b->gathered, keys));
    TRY(device_copy(c, b->index, b->gathered_index, index));
    return device_finish(c);
}

static ordo_status run(best *b, size_t wanted, size_t *found)
{
    dist_call *const     c = &b->c;
    ordo_sort_opts const opts = dist_sort_opts(c);
    size_t               bytes;
    b->k = wanted < c->total ? wanted : (size_t)c->total;
    for (bool again = true; again;) {
        TRY(dist_agree(c, list_candidates(b)));
        TRY(choose_mine(b, &again));
    }
    TRY(dist_gather(c, b->mine, b->my_count * c->key_size, &b->gathered, &bytes));
    TRY(dist_gather(c, b->my_index, b->my_count * sizeof *b->my_index, &b->gathered_index, &bytes));
    TRY(dist_agree(c, dist_inner(c, ordo_sort_pairs(c->inner, c->type, b->gathered, b->k,
                                                    b->gathered_index, sizeof(uint64_t), &opts))));
    TRY(dist_on_device(c) ? dist_agree(c, write_results(b)) : write_results(b));
    if (found != NULL)
        *found = b->k;
    return ORDO_OK;
}

ordo_status ordo_dist_topk(ordo_ctx *ctx, const ordo_comm *comm, ordo_type type, const void *keys,
                           size_t n, size_t k, void *values, uint64_t *index, size_t *found,
                           const ordo_dist_opts *opts)
{
    best b = {.c = {.type = type, .keys = keys, .n = n}, .values = values, .index = index};
    DIST_CALL("dist_topk", &b.c, dist_check(&b.c, opts, ORDO_DESCENDING), run(&b, k, found),
              "ordo_dist_topk", {k});
}

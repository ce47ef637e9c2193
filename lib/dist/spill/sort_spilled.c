/* sort_spilled.c - a sort of arrays through local disks (see spill_sort.h): the source is the
 * caller's arrays, and so is the place of the result. All elements are in files before the first
 * result is stored, so a sort in place is possible, and a failed one gets its elements back. */
#define _GNU_SOURCE
#include "dist/exchange/pieces.h"
#include "dist/spill/spill_sort.h"

#include <string.h>

enum {
    LEAST_MEMORY = 8 << 20 /* of ordo_external_sort */
};

typedef struct spilled {
    dist_call          c;
    spill_sort         s;
    const spilled_job *job;
    size_t             key_size;
    size_t             at; /* elements that were read */
    bool               in_place, overwritten;
} spilled;

/* Reads pairs as key, value, key, value, ... and keys alone as they are. A sort asks for whole
 * elements. */
static ptrdiff_t read_elements(void *user, void *into, size_t bytes)
{
    spilled *const           x = user;
    const spilled_job *const job = x->job;
    size_t const             key = x->key_size, value = job->value_size, size = key + value;
    size_t const             n = ordo_min(bytes / size, job->n - x->at);
    const char *const        keys = (const char *)job->keys + x->at * key;
    const char *const        values = value == 0 ? NULL : (const char *)job->values + x->at * value;
    char                    *to = into;
    if (value == 0 && n > 0)
        memcpy(to, keys, n * key);
    for (size_t i = 0; i < n && value > 0; i++, to += size) {
        memcpy(to, keys + i * key, key);
        memcpy(to + key, values + i * value, value);
    }
    x->at += n;
    return (ptrdiff_t)(n * size);
}

/* What the limit of the context leaves for the sort and for each round. */
static ordo_status find_memory(spilled *x)
{
    ordo_exec *const exec = x->c.exec;
    size_t const     limit = x->c.ctx->arena.limit, held = x->c.ctx->arena.held;
    size_t const     staged = 2 * SORTED_FILE_STAGED + x->s.file.size + (64 << 10);
    if (limit == 0) /* the system refused memory; ordo_external_sort finds out what there is */
        return ORDO_OK;
    FAIL_IF(limit < held + staged + LEAST_MEMORY, ORDO_E_NOMEM,
            "mem_limit is %zu bytes; a sort through temporary files needs at least %zu", limit,
            held + staged + LEAST_MEMORY);
    x->s.opts.memory = limit - held - staged;
    return ORDO_OK;
}

static void prepare(spilled *x)
{
    const spilled_job *const job = x->job;
    dist_call *const         c = &x->c;
    spill_sort *const        s = &x->s;
    size_t const             size = x->key_size + job->value_size;
    s->c = c;
    s->elements = ORDO_OPTS(ordo_elements, .type = (uint32_t)job->type, .size = size);
    s->from = ORDO_OPTS(ordo_source, .read = read_elements, .user = x, .bytes = job->n * size,
                        .name = "the keys of this rank");
    s->opts = ORDO_OPTS(ordo_external_opts,
                        .flags = c->opts.flags & (ORDO_DESCENDING | ORDO_SPILL_IN_MEMORY),
                        .directories = &c->opts.directory, .directory_count = 1);
    s->file = (sorted_file){.size = size,
                            .key_size = x->key_size,
                            .value_at = x->key_size,
                            .value_size = job->value_size,
                            .failure = FAILURE_NONE};
    x->in_place = c->opts.out == NULL;
    s->out = x->in_place ? job->keys : c->opts.out;
    s->out_values = x->in_place ? job->values : c->opts.out_values;
}

static ordo_status run(spilled *x)
{
    static char      nothing[8];
    dist_call *const c = &x->c;
    uint64_t const   mine = x->in_place ? c->n : c->opts.n_out;
    uint64_t        *wanted;
    TRY(pieces_wanted(c, mine, "opts.n_out", "keys", &wanted));
    x->s.wanted = wanted;
    if (x->s.out == NULL)
        x->s.out = nothing; /* this process gets no elements */
    if (x->s.out_values == NULL)
        x->s.out_values = nothing;
    ordo_status status = find_memory(x);
    if (status == ORDO_OK)
        status = spill_sort_local(&x->s);
    TRY(dist_agree(c, status));
    x->overwritten = x->in_place;
    return spill_sort_rounds(&x->s);
}

/* After a failure an array that is sorted in place gets its own elements back. */
static void restore(const spilled *x)
{
    const sorted_file *const file = &x->s.file;
    if (!x->overwritten)
        return;
    if (file->keys.map != NULL)
        memcpy(x->job->keys, file->keys.map, file->keys.bytes);
    if (file->values.map != NULL)
        memcpy(x->job->values, file->values.map, file->values.bytes);
}

static ordo_status entered(ordo_ctx *ctx, ordo_exec *exec, const ordo_comm *comm, spilled *x)
{
    dist_call *const c = &x->c;
    ordo_arena_free(&ctx->arena); /* what the call before this one has left */
    TRY(dist_open(c, ctx, exec, comm));
    ordo_status const checked =
        dist_read_opts(c, x->job->opts, ORDO_DESCENDING | ORDO_SPILL_IN_MEMORY);
    prepare(x);
    dist_options const options = {"ordo_dist_sort", {x->job->value_size}};
    ordo_status        status = dist_begin(c, &options, checked);
    if (status == ORDO_OK)
        status = run(x);
    if (status != ORDO_OK)
        restore(x);
    spill_sort_close(&x->s);
    return dist_end(c, status);
}

ordo_status dist_sort_spilled(ordo_ctx *ctx, const ordo_comm *comm, const spilled_job *job)
{
    spilled x = {.c = {.type = job->type, .keys = job->keys, .n = job->n},
                 .job = job,
                 .key_size = ordo_type_size(job->type)};
    API_CALL("dist_sort", (ordo_type)0, job->n, entered(ctx, exec, comm, &x));
}

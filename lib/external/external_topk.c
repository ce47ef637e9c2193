/* external_topk.c - ordo_external_topk: the first k elements in order, in one read.
 *
 * Memory holds the best k elements so far and candidates. An element becomes a candidate if its
 * order is before the order of the k-th best element. When there is no space for more candidates,
 * all are sorted and the first k stay. If k elements and their candidates do not fit the memory
 * limit, the elements are sorted externally and the sink gets the first k. */
#define _GNU_SOURCE
#include "backend/tuning.h"
#include "core/lists.h"
#include "external/external_call.h"

#include <stdlib.h>

enum {
    BUFFER_BYTES = ORDO_TUNE(4 << 20, 1 << 10)
};

typedef struct chooser {
    external_call *call;
    size_t         k;
    char          *kept; /* the best elements, then the candidates */
    size_t         n, capacity;
    bool           has_limit;
    uint64_t       limit; /* the order of the k-th best element */
    bool           ended;
} chooser;

static bool read_piece(void *user, piece *p)
{
    chooser *const s = user;
    if (!s->ended && !external_read(s->call, p->elements, &p->n))
        return false;
    s->ended = p->n < s->call->capacity;
    p->ended = p->n == 0;
    return true;
}

/* Sorts the kept elements and drops all but the first k. */
static bool shrink(chooser *s)
{
    external_call *const c = s->call;
    piece const          all = {.elements = s->kept, .n = s->n};
    if (!external_sort_piece(c, &all))
        return false;
    s->n = ordo_min(s->n, s->k);
    if (s->n == s->k && s->k > 0) {
        s->has_limit = true;
        s->limit = element_order(&c->kind, s->kept + (s->k - 1) * c->kind.size);
    }
    return true;
}

static bool choose(void *user, piece *p)
{
    chooser *const            s = user;
    const element_kind *const kind = &s->call->kind;
    for (size_t i = 0; i < p->n && s->k > 0; i++) {
        const char *const element = p->elements + i * kind->size;
        if (s->has_limit && element_order(kind, element) >= s->limit)
            continue;
        memcpy(s->kept + s->n++ * kind->size, element, kind->size);
        if (s->n == s->capacity && !shrink(s))
            return false;
    }
    return true;
}

static bool drop(void *user, const piece *p)
{
    chooser *const s = user;
    atomic_fetch_add(&s->call->written, p->n);
    return true;
}

/* The elements that fit with their scratch beside the buffers: more than k, or 0. */
static size_t fitting(external_call *c, uint64_t k, size_t buffers)
{
    size_t const size = c->kind.size;
    size_t const most = (size_t)c->opts.memory / size;
    for (size_t n = most; n > k; n -= ordo_div_up(n, 8)) {
        size_t const scratch = external_sort_scratch(c, n);
        if (scratch <= c->opts.memory && buffers + n * size + scratch <= c->opts.memory)
            return n;
    }
    return 0;
}

static ordo_status choose_all(external_call *c, uint64_t k)
{
    size_t const size = c->kind.size;
    size_t const buffer = ordo_max(ordo_min(BUFFER_BYTES, (size_t)c->opts.memory / 16) / size, 1);
    size_t const n = fitting(c, k, PIPELINE_BUFFERS * buffer * size);
    if (n == 0)
        return external_sort_first(c, k);
    TRY(external_buffers(c, buffer, size));
    chooser s = {.call = c, .k = (size_t)k, .kept = malloc(n * size), .capacity = n};
    if (s.kept == NULL)
        return ordo_fail(c->exec, ORDO_E_NOMEM, "the system refused %zu bytes", n * size);
    external_phase(c, "choose", c->source_bytes);
    bool const ok = external_pipeline(c, &s, read_piece, choose, drop) && shrink(&s) &&
                    external_write(c, s.kept, s.n * size);
    free(s.kept);
    return ok ? ORDO_OK : external_status(c);
}

static ordo_status topk_entered(ordo_ctx *ctx, ordo_exec *exec, const ordo_elements *elements,
                                const ordo_source *from, uint64_t k, const ordo_sink *to,
                                const ordo_external_opts *opts, ordo_external_report *report)
{
    external_call c = {.ctx = ctx, .exec = exec, .failure = FAILURE_NONE};
    TRY(external_arguments(&c, elements, from, opts, report));
    TRY(external_sink(&c, to));
    FAIL_IF((c.opts.flags & ORDO_UNIQUE) != 0, ORDO_E_UNSUPPORTED,
            "top-k has no ORDO_UNIQUE; expected a sort for distinct keys");
    if (ordo_is_float(c.kind.type))
        c.kind.keys_only = false; /* -0 and +0 tie and keep their sequence, as in ordo_topk */
    ordo_status status = external_begin(&c);
    if (status == ORDO_OK)
        status = choose_all(&c, k);
    external_end(&c);
    return status == ORDO_OK ? external_report(&c) : status;
}

ordo_status ordo_external_topk(ordo_ctx *ctx, const ordo_elements *elements,
                               const ordo_source *from, uint64_t k, const ordo_sink *to,
                               const ordo_external_opts *opts, ordo_external_report *report)
{
    API_CALL("external_topk", (ordo_type)0, 0,
             topk_entered(ctx, exec, elements, from, k, to, opts, report));
}

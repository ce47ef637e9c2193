/* external_argsort.c - ordo_external_argsort: the positions of the elements in sorted order.
 *
 * Elements get their position as a payload on the way from the source: a record is the key of an
 * element and its position, of 4 or 8 bytes. Records are sorted (ties keep their sequence), and the
 * sink gets only the positions. The keys are not packed on disk: a record takes the bytes of the
 * key and of the position. */
#define _GNU_SOURCE
#include "external/external_call.h"

#include <errno.h>
#include <stdlib.h>

enum {
    STAGED = 4096 /* elements that are converted at once */
};

typedef struct indexed {
    external_call *call;       /* works on records */
    external_call  given;      /* has the source and the sink of the caller */
    size_t         key, width; /* bytes of a key and of a position */
    uint64_t       next;       /* position of the next element of the source */
    external_outer outer;
    char          *staging;
} indexed;

static void put_position(char *at, size_t width, uint64_t position)
{
    uint32_t const narrow = (uint32_t)position;
    memcpy(at, width == sizeof narrow ? (const void *)&narrow : (const void *)&position, width);
}

static ptrdiff_t read_records(void *user, void *into, size_t bytes)
{
    indexed *const            x = user;
    const element_kind *const kind = &x->given.kind;
    size_t const              record = x->key + x->width;
    char                     *to = into;
    size_t                    n = 0;
    x->given.capacity = ordo_min(bytes / record, STAGED);
    if (!external_read(&x->given, x->staging, &n))
        return external_hand_on(x->call, &x->given);
    if (x->width == sizeof(uint32_t) && x->next + n > (uint64_t)UINT32_MAX + 1) {
        failure_record(&x->call->failure, ORDO_E_ARG,
                       "%s has more than 2^32 elements; expected the index type u64",
                       x->given.from.name);
        errno = EOVERFLOW;
        return -1;
    }
    for (size_t i = 0; i < n; i++, to += record) {
        memcpy(to, x->staging + i * kind->size + kind->key_offset, x->key);
        put_position(to + x->key, x->width, x->next++);
    }
    return (ptrdiff_t)(n * record);
}

static ptrdiff_t write_positions(void *user, const void *from, size_t bytes)
{
    indexed *const x = user;
    size_t const   record = x->key + x->width, n = ordo_min(bytes / record, STAGED);
    const char    *at = (const char *)from + x->key;
    for (size_t i = 0; i < n; i++, at += record)
        memcpy(x->staging + i * x->width, at, x->width);
    return external_write(&x->given, x->staging, n * x->width)
               ? (ptrdiff_t)(n * record)
               : external_hand_on(x->call, &x->given);
}

static void skip_elements(void *user, uint64_t n)
{
    indexed *const x = user;
    x->next = n;
}

/* Makes `call`, whose arguments are read, a call on records whose positions have `width` bytes. */
static ordo_status begin(indexed *x, external_call *call, size_t width)
{
    size_t const key = ordo_type_size(call->kind.type);
    *x = (indexed){.call = call, .key = key, .width = width};
    x->given = (external_call){.exec = call->exec,
                               .kind = call->kind,
                               .from = call->from,
                               .to = call->to,
                               .sums = call->sums,
                               .failure = FAILURE_NONE};
    x->staging = malloc(STAGED * ordo_max(call->kind.size, sizeof(uint64_t)));
    if (x->staging == NULL)
        return ordo_fail(call->exec, ORDO_E_NOMEM, "the system refused memory for positions");
    call->source_bytes = call->source_bytes / call->kind.size * (key + width);
    call->kind.size = key + width;
    call->kind.key_offset = 0;
    call->kind.keys_only = false;
    call->from.read = read_records;
    call->from.user = x;
    call->to.write = write_positions;
    call->to.user = x;
    x->outer =
        (external_outer){.given = &x->given, .result = width, .skip = skip_elements, .user = x};
    call->outer = &x->outer;
    return ORDO_OK;
}

static ordo_status argsort_entered(ordo_ctx *ctx, ordo_exec *exec, const ordo_elements *elements,
                                   const ordo_source *from, ordo_type index_type,
                                   const ordo_sink *to, const ordo_external_opts *opts,
                                   ordo_external_report *report)
{
    external_call c = {.ctx = ctx, .exec = exec, .failure = FAILURE_NONE, .resumes = "argsort"};
    indexed       x = {.staging = NULL};
    TRY(external_arguments(&c, elements, from, opts, report));
    TRY(external_sink(&c, to));
    FAIL_IF(index_type != ORDO_U32 && index_type != ORDO_U64, ORDO_E_ARG,
            "index_type is %d; expected ORDO_U32 or ORDO_U64", (int)index_type);
    FAIL_IF((c.opts.flags & ORDO_UNIQUE) != 0, ORDO_E_UNSUPPORTED,
            "opts.flags has ORDO_UNIQUE; expected it only for a sort");
    ordo_status status = external_begin(&c);
    if (status == ORDO_OK)
        status = begin(&x, &c, ordo_type_size(index_type));
    if (status == ORDO_OK)
        status = external_sort_first(&c, UINT64_MAX);
    free(x.staging);
    external_end(&c);
    return status == ORDO_OK ? external_report(&c) : status;
}

ordo_status ordo_external_argsort(ordo_ctx *ctx, const ordo_elements *elements,
                                  const ordo_source *from, ordo_type index_type,
                                  const ordo_sink *to, const ordo_external_opts *opts,
                                  ordo_external_report *report)
{
    API_CALL("external_argsort", (ordo_type)0, 0,
             argsort_entered(ctx, exec, elements, from, index_type, to, opts, report));
}

/* indexed.c - adds positions to elements, and takes them from records (see indexed.h). */
#define _GNU_SOURCE
#include "external/indexed.h"

#include <errno.h>
#include <stdlib.h>

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
    x->given.capacity = ordo_min(bytes / record, INDEXED_STAGED);
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
    size_t const   record = x->key + x->width, n = ordo_min(bytes / record, INDEXED_STAGED);
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

ordo_status indexed_begin(indexed *x, external_call *call, size_t width)
{
    size_t const key = ordo_type_size(call->kind.type);
    *x = (indexed){.call = call, .key = key, .width = width};
    x->given = (external_call){.exec = call->exec,
                               .kind = call->kind,
                               .from = call->from,
                               .to = call->to,
                               .sums = call->sums,
                               .failure = FAILURE_NONE};
    x->staging = malloc(INDEXED_STAGED * ordo_max(call->kind.size, sizeof(uint64_t)));
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

void indexed_end(indexed *x) { free(x->staging); }

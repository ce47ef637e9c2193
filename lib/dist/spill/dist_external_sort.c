/* dist_external_sort.c - ordo_dist_external_sort: from sources to sinks through local disks (see
 * spill_sort.h). */
#define _GNU_SOURCE
#include "ordo_dist_external.h"

#include "dist/spill/spill_sort.h"
#include "external/disk/files.h"

#include <errno.h>
#include <string.h>

typedef struct external {
    dist_call  c;
    spill_sort s;
    ordo_sink  to;
    bool       records; /* an element is more than its key */
} external;

/* ---- The sink ---- */

static ordo_status put_bytes(external *e, const char *from, size_t bytes)
{
    ordo_exec *const  exec = e->c.exec;
    const char *const name = e->to.name != NULL ? e->to.name : "the sink";
    failure           failed = FAILURE_NONE;
    if (e->to.write == NULL)
        return write_fully(e->to.fd, name, from, bytes, &failed)
                   ? ORDO_OK
                   : ordo_fail(exec, (ordo_status)atomic_load(&failed.status), "%s", failed.text);
    while (bytes > 0) {
        ptrdiff_t const now = e->to.write(e->to.user, from, bytes);
        FAIL_IF(now < 0, ORDO_E_IO, "writing to %s failed: %s", name, strerror(errno));
        FAIL_IF(now == 0 || (size_t)now > bytes, ORDO_E_IO,
                "%s took %lld of %zu bytes; expected 1 to %zu", name, (long long)now, bytes, bytes);
        from += now;
        bytes -= (size_t)now;
    }
    return ORDO_OK;
}

static ordo_status put(void *user, const void *keys, const char *values, size_t n)
{
    external *const e = user;
    return e->records ? put_bytes(e, values, n * e->s.file.value_size)
                      : put_bytes(e, keys, n * e->s.file.key_size);
}

/* ---- Arguments ---- */

static ordo_status check_elements(external *e, const ordo_elements *given)
{
    ordo_exec *const     exec = e->c.exec;
    ordo_elements *const elements = &e->s.elements;
    sorted_file *const   file = &e->s.file;
    FAIL_IF(given == NULL, ORDO_E_ARG, "elements is NULL; expected an ordo_elements");
    TRY(api_read_struct(exec, elements, sizeof *elements, given, "elements"));
    e->c.type = (ordo_type)elements->type;
    TRY(api_check_type(exec, e->c.type, "elements.type"));
    size_t const key = ordo_type_size(e->c.type);
    size_t const size = elements->size != 0 ? elements->size : key;
    FAIL_IF(
        size < key || elements->key_offset > size - key, ORDO_E_ARG,
        "elements.key_offset is %zu; expected a key of %zu bytes inside an element of %zu bytes",
        elements->key_offset, key, size);
    e->records = size > key;
    *file = (sorted_file){.size = size,
                          .key_at = elements->key_offset,
                          .key_size = key,
                          .value_size = e->records ? size : 0,
                          .failure = FAILURE_NONE};
    return ORDO_OK;
}

static ordo_status check(external *e, const ordo_elements *elements, const ordo_source *from,
                         const ordo_sink *to, const ordo_external_opts *opts)
{
    ordo_exec *const          exec = e->c.exec;
    ordo_external_opts *const wish = &e->s.opts;
    uint64_t const            known = ORDO_DESCENDING | ORDO_SPILL_IN_MEMORY;
    TRY(api_opts_read(exec, wish, sizeof *wish, opts));
    FAIL_IF((wish->flags & ~known) != 0, ORDO_E_VERSION,
            "opts.flags is %#llx; expected only bits of %#llx", (unsigned long long)wish->flags,
            (unsigned long long)known);
    FAIL_IF(wish->resume_directory != NULL, ORDO_E_ARG,
            "opts.resume_directory is set; expected NULL: a sort over ranks keeps nothing");
    FAIL_IF(wish->directory_count > 0 && wish->directories == NULL, ORDO_E_ARG,
            "opts.directories is NULL; expected %zu names", wish->directory_count);
    FAIL_IF(from == NULL || to == NULL, ORDO_E_ARG, "%s is NULL; expected a struct",
            from == NULL ? "from" : "to");
    TRY(api_read_struct(exec, &e->s.from, sizeof e->s.from, from, "from"));
    TRY(api_read_struct(exec, &e->to, sizeof e->to, to, "to"));
    e->c.descending = (wish->flags & ORDO_DESCENDING) != 0;
    e->c.opts.flags = wish->flags;
    return check_elements(e, elements);
}

static ordo_status run(external *e)
{
    ordo_status status = dist_agree(&e->c, spill_sort_local(&e->s));
    if (status == ORDO_OK)
        status = spill_sort_rounds(&e->s);
    spill_sort_close(&e->s);
    return status;
}

ordo_status ordo_dist_external_sort(ordo_ctx *ctx, const ordo_comm *comm,
                                    const ordo_elements *elements, const ordo_source *from,
                                    const ordo_sink *to, const ordo_external_opts *opts,
                                    ordo_dist_report *report)
{
    external e = {.c = {.opts = {.report = report}}};
    e.s.c = &e.c;
    e.s.put = put;
    e.s.user = &e;
    DIST_CALL("dist_external_sort", &e.c, check(&e, elements, from, to, opts), run(&e),
              "ordo_dist_external_sort", {e.s.elements.size, e.s.elements.key_offset});
}

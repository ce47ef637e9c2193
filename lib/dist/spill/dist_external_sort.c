/* dist_external_sort.c - ordo_dist_external_sort: from sources to sinks through local disks (see
 * spill_sort.h). */
#define _GNU_SOURCE
#include "ordo_dist_external.h"

#include "dist/spill/spill_sort.h"
#include "external/external_call.h"

typedef struct external {
    dist_call     c;
    spill_sort    s;
    external_call given; /* the arguments; writes to the sink */
} external;

static ordo_status put(void *user, const void *keys, const char *values, size_t n)
{
    external *const e = user;
    size_t const    size = e->given.kind.size;
    return external_write(&e->given, e->given.kind.keys_only ? keys : values, n * size)
               ? ORDO_OK
               : external_status(&e->given);
}

static ordo_status check(external *e, const ordo_elements *elements, const ordo_source *from,
                         const ordo_sink *to, const ordo_external_opts *opts)
{
    ordo_exec *const          exec = e->c.exec;
    external_call *const      given = &e->given;
    const element_kind *const kind = &given->kind;
    *given = (external_call){.exec = exec, .failure = FAILURE_NONE, .resumes = "sort"};
    TRY(external_arguments(given, elements, from, opts, NULL));
    FAIL_IF((given->opts.flags & ORDO_UNIQUE) != 0, ORDO_E_VERSION,
            "opts.flags is %#llx; expected no ORDO_UNIQUE: a sort over ranks keeps all elements",
            (unsigned long long)given->opts.flags);
    FAIL_IF(given->opts.resume_directory != NULL, ORDO_E_ARG,
            "opts.resume_directory is set; expected NULL: a sort over ranks keeps nothing");
    TRY(external_sink(given, to));
    e->c.type = kind->type;
    e->c.descending = kind->descending;
    e->c.opts.flags = given->opts.flags;
    e->s.from = given->from;
    e->s.opts = given->opts;
    e->s.elements = ORDO_OPTS(ordo_elements, .type = (uint32_t)kind->type, .size = kind->size,
                              .key_offset = kind->key_offset);
    e->s.file = (sorted_file){.size = kind->size,
                              .key_at = kind->key_offset,
                              .key_size = ordo_type_size(kind->type),
                              .value_size = kind->keys_only ? 0 : kind->size,
                              .failure = FAILURE_NONE};
    return ORDO_OK;
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

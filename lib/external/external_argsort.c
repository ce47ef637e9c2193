/* external_argsort.c - ordo_external_argsort: the positions of the elements in sorted order.
 *
 * Sorts records of a key and its position (indexed.h). The keys are not packed on disk: a record
 * takes the bytes of the key and of the position. */
#define _GNU_SOURCE
#include "external/indexed.h"

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
        status = indexed_begin(&x, &c, ordo_type_size(index_type));
    if (status == ORDO_OK)
        status = external_sort_first(&c, UINT64_MAX);
    indexed_end(&x);
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

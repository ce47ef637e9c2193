/* lcp.c - ordo_lcp: the longest common prefixes of neighbours in a suffix array, after J.
 * Karkkainen, G. Manzini and S. Puglisi, "Permuted Longest-Common-Prefix Array". */
#include "text/text_args.h"
#include "text/text_bits.h"

#define ORDO_TEMPLATE "text/lcp.t.h"
#include "core/for_each_word.h"

static ordo_status lcp_checked(ordo_ctx *ctx, ordo_exec *exec, const void *text, size_t n,
                               ordo_type index_type, const void *sa, void *lcp,
                               const ordo_text_opts *opts)
{
    text_args args;
    text_work work;
    TRY(text_read_args(exec, text, n, opts, false, &args));
    TRY(text_check_indices(exec, &args, index_type, sa, "sa"));
    TRY(text_check_indices(exec, &args, index_type, lcp, "lcp"));
    size_t const bytes = n * ordo_type_size(index_type);
    TRY(api_check_apart(exec, sa, bytes, "sa", lcp, bytes, "lcp"));
    /* EMR, one thread, 48 MB of English: 20 ns a byte. */
    TRY(text_begin_any(ctx, exec, "common prefixes", n, 20,
                       1.0 + 2.0 * (double)ordo_type_size(index_type), &work));
    if (n == 0)
        return ORDO_OK;
    ordo_text_job job = text_device_job(&args);
    job.sa = (void *)sa; /* only read */
    job.lcp = lcp;
    TEXT_ON_DEVICE(work, lcp, job);
    return index_type == ORDO_U32 ? find_lcp_32(&work, &args, sa, lcp)
                                  : find_lcp_64(&work, &args, sa, lcp);
}

ordo_status ordo_lcp(ordo_ctx *ctx, const void *text, size_t n, ordo_type index_type,
                     const void *sa, void *lcp, const ordo_text_opts *opts)
{
    API_CALL("lcp", ORDO_U8, n, lcp_checked(ctx, exec, text, n, index_type, sa, lcp, opts));
}

/* suffix_check.c - ordo_suffix_check: verifies a suffix array in linear time, after S. Burkhardt
 * and J. Karkkainen, "Fast lightweight suffix array construction and checking". */
#include "text/text_args.h"
#include "text/text_bits.h"

#define ORDO_TEMPLATE "text/suffix/suffix_check.t.h"
#include "core/for_each_word.h"

static ordo_status check_checked(ordo_ctx *ctx, ordo_exec *exec, const void *text, size_t n,
                                 ordo_type index_type, const void *sa, const ordo_text_opts *opts)
{
    text_args args;
    text_work work;
    TRY(text_read_args(exec, text, n, opts, false, &args));
    TRY(text_check_indices(exec, &args, index_type, sa, "sa"));
    /* 20 ns for a byte is an estimate: the check reads at random as often as ordo_lcp. */
    TRY(text_begin_any(ctx, exec, "checks of suffix arrays", n, 20,
                       1.0 + (double)ordo_type_size(index_type), &work));
    if (n == 0)
        return ORDO_OK;
    ordo_text_job job = text_device_job(&args);
    job.sa = (void *)sa; /* only read */
    TEXT_ON_DEVICE(work, suffix_check, job);
    /* Ranks go up to n + count. */
    FAIL_IF(index_type == ORDO_U32 && n + ordo_max(args.count, 1) > UINT32_MAX, ORDO_E_UNSUPPORTED,
            "n and the number of texts are %zu and %zu; the check needs u64 indices", n,
            args.count);
    return index_type == ORDO_U32 ? check_suffixes_32(&work, &args, sa)
                                  : check_suffixes_64(&work, &args, sa);
}

ordo_status ordo_suffix_check(ordo_ctx *ctx, const void *text, size_t n, ordo_type index_type,
                              const void *sa, const ordo_text_opts *opts)
{
    API_CALL("suffix_check", ORDO_U8, n, check_checked(ctx, exec, text, n, index_type, sa, opts));
}

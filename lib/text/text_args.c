/* text_args.c - checks the arguments that all text calls share. */
#include "text/text_args.h"

#include "core/bisect.h"

static ordo_status check_offsets(ordo_exec *exec, const text_args *args)
{
    const uint64_t *const offsets = args->offsets;
    FAIL_IF(offsets[0] != 0, ORDO_E_ARG, "opts.offsets[0] is %llu; expected 0",
            (unsigned long long)offsets[0]);
    for (size_t i = 0; i < args->count; i++)
        FAIL_IF(offsets[i + 1] < offsets[i], ORDO_E_ARG,
                "opts.offsets[%zu] is %llu, but opts.offsets[%zu] is %llu; expected offsets that "
                "do not descend",
                i, (unsigned long long)offsets[i], i + 1, (unsigned long long)offsets[i + 1]);
    FAIL_IF(offsets[args->count] != args->n, ORDO_E_ARG,
            "opts.offsets[%zu] is %llu; expected n, which is %zu", args->count,
            (unsigned long long)offsets[args->count], args->n);
    return ORDO_OK;
}

ordo_status text_read_args(ordo_exec *exec, const void *text, size_t n, const ordo_text_opts *opts,
                           bool has_algorithm, text_args *out)
{
    ordo_text_opts options;
    TRY(api_opts_read(exec, &options, sizeof options, opts));
    TRY(api_check_place(exec, options.flags, ORDO_ON_DEVICE, options.stream));
    FAIL_IF(options.reserved != 0, ORDO_E_VERSION, "opts.reserved is not 0");
    FAIL_IF(options.algorithm > ORDO_TEXT_MSD, ORDO_E_ARG,
            "opts.algorithm is %u; expected an ordo_text_algorithm, ORDO_TEXT_AUTO (0) to "
            "ORDO_TEXT_MSD (3)",
            options.algorithm);
    FAIL_IF(options.algorithm != 0 && !has_algorithm, ORDO_E_ARG,
            "opts.algorithm is %u; this call sorts no suffixes, expected 0", options.algorithm);
    FAIL_IF(options.count > 0 && options.offsets == NULL, ORDO_E_ARG,
            "opts.offsets is NULL; expected %zu offsets for %zu texts", options.count + 1,
            options.count);
    FAIL_IF(options.count == 0 && options.offsets != NULL, ORDO_E_ARG,
            "opts.offsets is set, but opts.count is 0; expected the number of texts");
    TRY(api_check_array(exec, text, n, 1, "text"));
    FAIL_IF(n > SIZE_MAX / 16 - options.count, ORDO_E_ARG, "n is %zu; no memory holds its indices",
            n);
    *out = (text_args){.text = text,
                       .n = n,
                       .offsets = options.offsets,
                       .count = options.count,
                       .algorithm = options.algorithm};
    return options.count > 0 ? check_offsets(exec, out) : ORDO_OK;
}

ordo_status text_check_indices(ordo_exec *exec, text_args *args, ordo_type index_type,
                               const void *indices, const char *what)
{
    size_t const size = ordo_type_size(index_type);
    TRY(api_check_index_type(exec, index_type, args->n));
    args->index_type = index_type;
    TRY(api_check_aligned(exec, indices, args->n, size, what));
    return api_check_apart(exec, args->text, args->n, "text", indices, args->n * size, what);
}

ordo_status text_one_only(ordo_exec *exec, const text_args *args, const char *call)
{
    FAIL_IF(args->count > 0, ORDO_E_UNSUPPORTED, "%s takes one text; expected opts.offsets NULL",
            call);
    return ORDO_OK;
}

size_t text_number(const text_args *args, size_t at)
{
    size_t lo = 0, hi = args->count - 1;
    /* the first text that ends behind `at` */
    ORDO_BISECT(middle, lo, hi, args->offsets[middle + 1] <= at);
    return lo;
}

/* api_scan.c - ordo_scan and ordo_scan_bits with their size queries. */
#include "api/api.h"

static ordo_status check_reserved(ordo_exec *exec, const ordo_scan_opts *options)
{
    FAIL_IF(options->reserved != 0, ORDO_E_VERSION, "opts.reserved is not 0");
    return ORDO_OK;
}

static ordo_status check_scan_algorithm(ordo_exec *exec, const ordo_scan_job *job,
                                        const ordo_scan_opts *options)
{
    uint32_t const algorithm = options->algorithm;
    TRY(check_reserved(exec, options));
    FAIL_IF(algorithm != ORDO_ALGORITHM_AUTO && algorithm != ORDO_ALGORITHM_BALLOT, ORDO_E_ARG,
            "algorithm %s does not scan; expected auto or ballot", API_ALGORITHM(algorithm));
    bool const is_word = job->type == ORDO_U32 || job->type == ORDO_I32;
    FAIL_IF(algorithm == ORDO_ALGORITHM_BALLOT &&
                (job->op != ORDO_SUM || !is_word || job->out_type != job->type),
            ORDO_E_ARG,
            "algorithm ballot scans only sums of u32 to u32 and of i32 to i32; expected these "
            "types, or algorithm auto");
    return ORDO_OK;
}

/* Rejects the scans of Whittaker, Skjellum and Bangalore, "Ballot Counting for Optimal Binary
 * Prefix Sum", and their size queries, on the CPU, which is the backend without scratch for
 * scans. */
static ordo_status check_ballots(ordo_exec *exec, ordo_algorithm algorithm, bool has_scratch)
{
    FAIL_IF(algorithm != ORDO_ALGORITHM_AUTO && !has_scratch, ORDO_E_UNSUPPORTED,
            "algorithm %s runs only on a GPU, but this call runs on the CPU; expected device cuda",
            API_ALGORITHM(algorithm));
    return ORDO_OK;
}

static ordo_status scan_rows(const api_work *work, const void *job, size_t rows, ordo_exec *exec)
{
    (void)exec;
    work->choice->backend->scan_rows(work->choice->state, job, rows);
    return ORDO_OK;
}

static ordo_status scan_checked(ordo_ctx *ctx, ordo_exec *exec, ordo_scan_job *job,
                                const ordo_scan_opts *opts, size_t *bytes)
{
    ordo_type const type = job->type, out_type = job->out_type;
    size_t const    n = job->n;
    ordo_scan_opts  options;
    api_segments    segments;
    ordo_choice     choice;
    FAIL_IF(job->op < ORDO_SUM || job->op > ORDO_PRODUCT, ORDO_E_ARG,
            "op is %d; expected ORDO_SUM, ORDO_MIN, ORDO_MAX or ORDO_PRODUCT", (int)job->op);
    TRY(api_check_type(exec, type, "type"));
    TRY(api_check_type(exec, out_type, "out_type"));
    TRY(api_opts_read(exec, &options, sizeof options, opts));
    TRY(api_check_place(exec, options.flags, ORDO_EXCLUSIVE | ORDO_ON_DEVICE, options.stream));
    TRY(check_scan_algorithm(exec, job, &options));
    TRY(api_read_segments(exec, options.segments, n, true, &segments));
    FAIL_IF(out_type != type && (job->op == ORDO_MIN || job->op == ORDO_MAX), ORDO_E_ARG,
            "out_type is %s; the minima and maxima of %s are %s", ordo_type_name(out_type),
            ordo_type_name(type), ordo_type_name(type));
    FAIL_IF(out_type != type && out_type != ordo_type_wide(type), ORDO_E_ARG,
            "out_type is %s; sums and products of %s are %s or %s", ordo_type_name(out_type),
            ordo_type_name(type), ordo_type_name(type), ordo_type_name(ordo_type_wide(type)));
    TRY(api_check_arrays(exec, &ordo_verb_scan, job));
    TRY(api_choose(ctx, exec, NULL, &choice));
    job->exclusive = (options.flags & ORDO_EXCLUSIVE) != 0;
    job->algorithm = (ordo_algorithm)options.algorithm;
    TRY(check_ballots(exec, job->algorithm, choice.backend->scan_scratch != NULL));
    bool const     is_auto = job->algorithm == ORDO_ALGORITHM_AUTO;
    api_work const work = {.verb = &ordo_verb_scan,
                           .job = job,
                           .choice = &choice,
                           .rows = is_auto && choice.backend->scan_rows != NULL ? scan_rows : NULL,
                           .rows_most = ORDO_SCAN_ROW};
    return api_do(exec, &work, &segments, bytes);
}

ordo_status ordo_scan(ordo_ctx *ctx, ordo_op op, ordo_type type, const void *in, size_t n,
                      ordo_type out_type, void *out, const ordo_scan_opts *opts)
{
    ordo_scan_job job = {
        .op = op, .type = type, .in = in, .n = n, .out_type = out_type, .out = out};
    API_CALL("scan", type, n, scan_checked(ctx, exec, &job, opts, NULL));
}

ordo_status ordo_scan_scratch(ordo_ctx *ctx, ordo_op op, ordo_type type, size_t n,
                              ordo_type out_type, const ordo_scan_opts *opts, size_t *bytes)
{
    ordo_scan_job job = {.op = op, .type = type, .n = n, .out_type = out_type};
    API_SIZE_QUERY(bytes, scan_checked(ctx, exec, &job, opts, bytes));
}

/* ---- Flags ---- */

static ordo_status bits_checked(ordo_ctx *ctx, ordo_exec *exec, const ordo_bits_job *asked,
                                const ordo_scan_opts *opts, size_t *bytes)
{
    ordo_bits_job counted = *asked, *const job = &counted; /* job->total is replaced by &found */
    ordo_type const count_type = job->count_type;
    size_t const    n = job->n;
    uint64_t *const total = job->total;
    uint64_t        found = 0;
    ordo_scan_opts  options;
    ordo_choice     choice;
    FAIL_IF(job->kind != ORDO_FLAG_BITS && job->kind != ORDO_FLAG_BYTES, ORDO_E_ARG,
            "kind is %d; expected ORDO_FLAG_BITS or ORDO_FLAG_BYTES", (int)job->kind);
    TRY(api_opts_read(exec, &options, sizeof options, opts));
    TRY(api_check_place(exec, options.flags, ORDO_EXCLUSIVE | ORDO_ON_DEVICE, options.stream));
    TRY(check_reserved(exec, &options));
    TRY(api_no_segments(exec, options.segments, "ordo_scan_bits"));
    FAIL_IF(options.algorithm != ORDO_ALGORITHM_AUTO &&
                options.algorithm != ORDO_ALGORITHM_BALLOT &&
                options.algorithm != ORDO_ALGORITHM_SHARED,
            ORDO_E_ARG, "algorithm %s does not count flags; expected auto, ballot or shared",
            API_ALGORITHM(options.algorithm));
    TRY(api_check_type(exec, count_type, "count_type"));
    FAIL_IF(count_type != ORDO_U32 && count_type != ORDO_U64, ORDO_E_ARG,
            "count_type is %s; expected u32 or u64", ordo_type_name(count_type));
    FAIL_IF(count_type == ORDO_U32 && n > UINT32_MAX, ORDO_E_ARG,
            "n is %zu; counts above 2^32 - 1 need count_type u64", n);
    TRY(api_check_arrays(exec, &ordo_verb_scan_bits, job));
    TRY(api_choose(ctx, exec, NULL, &choice));
    job->total = total != NULL || !exec->on_device ? &found : NULL;
    job->exclusive = (options.flags & ORDO_EXCLUSIVE) != 0;
    job->algorithm = (ordo_algorithm)options.algorithm;
    TRY(check_ballots(exec, job->algorithm, choice.backend->scan_bits_scratch != NULL));
    if (bytes != NULL) {
        const ordo_backend *const backend = choice.backend;
        *bytes = backend->scan_bits_scratch == NULL ? 0 : backend->scan_bits_scratch(job, exec);
        return ORDO_OK;
    }
    TRY(choice.backend->scan_bits(choice.state, job, exec));
    if (total != NULL)
        *total = found;
    return ORDO_OK;
}

ordo_status ordo_scan_bits(ordo_ctx *ctx, ordo_flags_kind kind, const void *flags, size_t n,
                           ordo_type count_type, void *counts, uint64_t *total,
                           const ordo_scan_opts *opts)
{
    ordo_bits_job const job = {.kind = kind,
                               .flags = flags,
                               .n = n,
                               .count_type = count_type,
                               .counts = counts,
                               .total = total};
    API_CALL("scan_bits", (ordo_type)0, n, bits_checked(ctx, exec, &job, opts, NULL));
}

ordo_status ordo_scan_bits_scratch(ordo_ctx *ctx, ordo_flags_kind kind, size_t n,
                                   ordo_type count_type, const ordo_scan_opts *opts, size_t *bytes)
{
    ordo_bits_job const job = {.kind = kind, .n = n, .count_type = count_type};
    API_SIZE_QUERY(bytes, bits_checked(ctx, exec, &job, opts, bytes));
}

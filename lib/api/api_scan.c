/* api_scan.c - ordo_scan and ordo_scan_bits with their size queries. */
#include "api/api.h"

/* The wider type that sums of `type` may have: the 64-bit type of the same kind. */
static ordo_type wide_type(ordo_type type)
{
    switch (type) {
    case ORDO_I8:
    case ORDO_I16:
    case ORDO_I32:
    case ORDO_I64:
        return ORDO_I64;
    case ORDO_U8:
    case ORDO_U16:
    case ORDO_U32:
    case ORDO_U64:
        return ORDO_U64;
    case ORDO_F32:
    case ORDO_F64:
        return ORDO_F64;
    }
    return type;
}

static ordo_status check_scan(ordo_exec *exec, ordo_op op, ordo_type type, ordo_type out_type,
                              const ordo_scan_opts *opts, ordo_scan_opts *wish)
{
    FAIL_IF(op != ORDO_SUM && op != ORDO_MIN && op != ORDO_MAX, ORDO_E_ARG,
            "op is %d; no such ordo_op", (int)op);
    TRY(api_check_type(exec, type, "type"));
    TRY(api_check_type(exec, out_type, "out_type"));
    TRY(api_opts_read(exec, wish, sizeof *wish, opts));
    TRY(api_check_place(exec, wish->flags, ORDO_EXCLUSIVE | ORDO_ON_DEVICE, wish->stream));
    FAIL_IF(out_type != type && op != ORDO_SUM, ORDO_E_ARG,
            "out_type is %s; the minima and maxima of %s are %s", ordo_type_name(out_type),
            ordo_type_name(type), ordo_type_name(type));
    FAIL_IF(out_type != type && out_type != wide_type(type), ORDO_E_ARG,
            "out_type is %s; sums of %s are %s or %s", ordo_type_name(out_type),
            ordo_type_name(type), ordo_type_name(type), ordo_type_name(wide_type(type)));
    return ORDO_OK;
}

static ordo_status scan_checked(ordo_ctx *ctx, ordo_exec *exec, ordo_op op, ordo_type type,
                                const void *in, size_t n, ordo_type out_type, void *out,
                                const ordo_scan_opts *opts)
{
    ordo_scan_opts wish;
    ordo_choice    choice;
    TRY(check_scan(exec, op, type, out_type, opts, &wish));
    TRY(api_check_aligned(exec, in, n, ordo_type_size(type), "in"));
    TRY(api_check_aligned(exec, out, n, ordo_type_size(out_type), "out"));
    if (in != out || type != out_type)
        TRY(api_check_apart(exec, in, n * ordo_type_size(type), "in", out,
                            n * ordo_type_size(out_type), "out"));
    TRY(api_choose(ctx, exec, NULL, &choice));
    ordo_scan_job const job = {op, type, in, n, out_type, out, (wish.flags & ORDO_EXCLUSIVE) != 0};
    return choice.backend->scan(choice.state, &job, exec);
}

ordo_status ordo_scan(ordo_ctx *ctx, ordo_op op, ordo_type type, const void *in, size_t n,
                      ordo_type out_type, void *out, const ordo_scan_opts *opts)
{
    ordo_exec *exec;
    TRY(api_enter(ctx, "scan", type, n, &exec));
    return api_leave(ctx, scan_checked(ctx, exec, op, type, in, n, out_type, out, opts));
}

static ordo_status scan_scratch(ordo_ctx *ctx, ordo_exec *exec, ordo_op op, ordo_type type,
                                size_t n, ordo_type out_type, const ordo_scan_opts *opts,
                                size_t *bytes)
{
    ordo_scan_opts wish;
    ordo_choice    choice;
    TRY(check_scan(exec, op, type, out_type, opts, &wish));
    TRY(api_check_count(exec, n, ordo_type_size(type), "in"));
    TRY(api_check_count(exec, n, ordo_type_size(out_type), "out"));
    FAIL_IF(bytes == NULL, ORDO_E_ARG, "bytes is NULL");
    TRY(api_choose(ctx, exec, NULL, &choice));
    ordo_scan_job const job = {.op = op, .type = type, .n = n, .out_type = out_type};
    *bytes = choice.backend->scan_scratch == NULL ? 0 : choice.backend->scan_scratch(&job, exec);
    return ORDO_OK;
}

ordo_status ordo_scan_scratch(ordo_ctx *ctx, ordo_op op, ordo_type type, size_t n,
                              ordo_type out_type, const ordo_scan_opts *opts, size_t *bytes)
{
    ordo_exec *exec;
    TRY(api_enter_query(ctx, &exec));
    return api_leave_query(ctx, scan_scratch(ctx, exec, op, type, n, out_type, opts, bytes));
}

/* ---- Flags ---- */

static ordo_status check_bits(ordo_exec *exec, ordo_flags_kind kind, size_t n, ordo_type count_type,
                              const ordo_scan_opts *opts, ordo_scan_opts *wish)
{
    FAIL_IF(kind != ORDO_FLAG_BITS && kind != ORDO_FLAG_BYTES, ORDO_E_ARG,
            "kind is %d; no such ordo_flags_kind", (int)kind);
    TRY(api_opts_read(exec, wish, sizeof *wish, opts));
    TRY(api_check_place(exec, wish->flags, ORDO_EXCLUSIVE | ORDO_ON_DEVICE, wish->stream));
    TRY(api_check_type(exec, count_type, "count_type"));
    FAIL_IF(count_type != ORDO_U32 && count_type != ORDO_U64, ORDO_E_ARG,
            "count_type is %s; expected u32 or u64", ordo_type_name(count_type));
    FAIL_IF(count_type == ORDO_U32 && n > UINT32_MAX, ORDO_E_ARG,
            "n is %zu; counts above 2^32 - 1 need count_type u64", n);
    return ORDO_OK;
}

static ordo_status bits_checked(ordo_ctx *ctx, ordo_exec *exec, ordo_flags_kind kind,
                                const void *flags, size_t n, ordo_type count_type, void *counts,
                                uint64_t *total, const ordo_scan_opts *opts)
{
    ordo_scan_opts wish;
    ordo_choice    choice;
    uint64_t       found = 0;
    TRY(check_bits(exec, kind, n, count_type, opts, &wish));
    size_t const flag_bytes = kind == ORDO_FLAG_BITS ? ordo_div_up(n, 8) : n;
    TRY(api_check_array(exec, flags, flag_bytes, 1, "flags"));
    if (counts != NULL) {
        TRY(api_check_aligned(exec, counts, n, ordo_type_size(count_type), "counts"));
        TRY(api_check_apart(exec, flags, flag_bytes, "flags", counts,
                            n * ordo_type_size(count_type), "counts"));
    }
    TRY(api_choose(ctx, exec, NULL, &choice));
    bool const          count = total != NULL || !exec->on_device;
    ordo_bits_job const job = {kind,
                               flags,
                               n,
                               count_type,
                               counts,
                               count ? &found : NULL,
                               (wish.flags & ORDO_EXCLUSIVE) != 0};
    TRY(choice.backend->scan_bits(choice.state, &job, exec));
    if (total != NULL)
        *total = found;
    return ORDO_OK;
}

ordo_status ordo_scan_bits(ordo_ctx *ctx, ordo_flags_kind kind, const void *flags, size_t n,
                           ordo_type count_type, void *counts, uint64_t *total,
                           const ordo_scan_opts *opts)
{
    ordo_exec *exec;
    TRY(api_enter(ctx, "scan_bits", (ordo_type)0, n, &exec));
    return api_leave(ctx, bits_checked(ctx, exec, kind, flags, n, count_type, counts, total, opts));
}

static ordo_status bits_scratch(ordo_ctx *ctx, ordo_exec *exec, ordo_flags_kind kind, size_t n,
                                ordo_type count_type, const ordo_scan_opts *opts, size_t *bytes)
{
    ordo_scan_opts wish;
    ordo_choice    choice;
    TRY(check_bits(exec, kind, n, count_type, opts, &wish));
    TRY(api_check_count(exec, kind == ORDO_FLAG_BITS ? ordo_div_up(n, 8) : n, 1, "flags"));
    FAIL_IF(bytes == NULL, ORDO_E_ARG, "bytes is NULL");
    TRY(api_choose(ctx, exec, NULL, &choice));
    ordo_bits_job const job = {.kind = kind, .n = n, .count_type = count_type};
    *bytes = choice.backend->scan_bits_scratch == NULL
                 ? 0
                 : choice.backend->scan_bits_scratch(&job, exec);
    return ORDO_OK;
}

ordo_status ordo_scan_bits_scratch(ordo_ctx *ctx, ordo_flags_kind kind, size_t n,
                                   ordo_type count_type, const ordo_scan_opts *opts, size_t *bytes)
{
    ordo_exec *exec;
    TRY(api_enter_query(ctx, &exec));
    return api_leave_query(ctx, bits_scratch(ctx, exec, kind, n, count_type, opts, bytes));
}

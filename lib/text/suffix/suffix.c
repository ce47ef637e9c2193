/* suffix.c - ordo_suffix_array: chooses the algorithm and the width of the indices. */
#include "backend/copy.h"
#include "core/indices.h"
#include "text/induced/induced.h"
#include "text/induced/rank_groups.h"
#include "text/text_args.h"
#include "text/text_bits.h"

/* u32 indices of induced sorting have a mark; longer texts take u64 indices. */
#define MOST_MARKED ORDO_TUNE((size_t)1 << 31, (size_t)2800)

/* From this many bytes on, the text is copied to scratch, which has huge pages: random accesses
 * then miss the TLB less often. EMR, one thread, 105 MB of source text, four calls each: 5.9 to 7.7
 * s without the copy, 5.2 to 5.9 s with it. */
#define COPY_LEAST ORDO_TUNE((size_t)8 << 20, (size_t)100)

/* The text, or a copy of it if there is scratch for one. */
static const uint8_t *text_near(text_work *work, const text_args *args)
{
    void *room;
    if (args->n < COPY_LEAST || ordo_scratch(work->exec, args->n, &room) != ORDO_OK)
        return args->text;
    return ordo_copy_bytes(work->exec, room, args->text, args->n, COPY_LEAST / 8) ? room
                                                                                  : args->text;
}

#define ORDO_TEMPLATE "text/suffix/many.t.h"
#include "text/for_each_string.h"

static bool is_wide(const text_args *args)
{
    return args->index_type == ORDO_U64 || args->n + args->count >= MOST_MARKED;
}

typedef struct width {
    ordo_type   from_type, to_type;
    const void *from;
    void       *to;
} width;

static void convert_piece(void *arg, size_t lo, size_t hi)
{
    width const w = *(const width *)arg;
    for (size_t i = lo; i < hi; i++)
        ordo_put_index(w.to_type, w.to, i, ordo_index_at(w.from_type, w.from, i));
}

static ordo_status induced_wide(text_work *work, const text_args *args, void *sa, uint8_t *bwt)
{
    uint64_t *wide = sa;
    if (args->index_type == ORDO_U32)
        TRY_SCRATCH(work->exec, args->n * sizeof *wide, wide);
    TRY(args->count > 0 ? sort_many_i64(work, args, text_induced_i64, wide)
                        : sort_one_b64(work, args, wide, bwt));
    width w = {ORDO_U64, ORDO_U32, wide, sa};
    return args->index_type == ORDO_U32 ? text_share(work, args->n, TEXT_GRAIN, convert_piece, &w)
                                        : ORDO_OK;
}

/* Prefix doubling, for comparison and as an oracle: the suffixes in the order of their first
 * symbols, then of 2, 4, 8, ... symbols. */
static ordo_status doubling_string(text_work *work, const uint32_t *symbols, size_t n,
                                   const uint32_t *heads, size_t kinds, uint32_t *order)
{
    uint32_t *ends;
    bool      done;
    TRY_SCRATCH(work->exec, kinds * sizeof *ends, ends);
    memcpy(ends, heads, kinds * sizeof *ends);
    for (size_t i = 0; i < n; i++) {
        order[ends[symbols[i]]++] = (uint32_t)i;
        if (i % TEXT_POLL == 0 && ordo_poll(work->exec, (double)i / (double)n))
            return ORDO_E_CANCELLED;
    }
    TRY(text_rank_groups(work, symbols, heads, n, SIZE_MAX, order, &done));
    return done ? ORDO_OK
                : ordo_fail(work->exec, ORDO_E_NOMEM,
                            "doubling takes up to 57 bytes of scratch for each byte of text");
}

/* One text is the only one of many. */
static ordo_status doubling(text_work *work, const text_args *args, uint32_t *sa)
{
    ordo_exec *const exec = work->exec;
    uint64_t const   offsets[2] = {0, args->n};
    text_args        many = *args;
    if (many.count == 0) {
        many.offsets = offsets;
        many.count = 1;
    }
    FAIL_IF(many.n + many.count >= UINT32_MAX, ORDO_E_UNSUPPORTED,
            "doubling takes fewer than 2^32 - 1 bytes and texts together");
    return sort_many_i32(work, &many, doubling_string, sa);
}

/* DOUBLING and MSD, which write u32. */
static ordo_status by_name(text_work *work, const text_args *args, void *sa)
{
    ordo_exec *const exec = work->exec;
    uint32_t        *narrow = sa;
    FAIL_IF(args->n >= UINT32_MAX, ORDO_E_UNSUPPORTED,
            "doubling and msd take fewer than 2^32 - 1 bytes, but n is %zu; expected induced",
            args->n);
    if (args->index_type == ORDO_U64)
        TRY_SCRATCH(exec, args->n * sizeof *narrow, narrow);
    TRY(args->algorithm == ORDO_TEXT_MSD ? text_msd(work, args, narrow)
                                         : doubling(work, args, narrow));
    width w = {ORDO_U32, ORDO_U64, narrow, sa};
    return args->index_type == ORDO_U64 ? text_share(work, args->n, TEXT_GRAIN, convert_piece, &w)
                                        : ORDO_OK;
}

ordo_status text_suffix_sort(text_work *work, const text_args *args, void *sa, uint8_t *bwt)
{
    static const char *const names[] = {"induced", "induced", "doubling", "msd"};
    work->exec->algorithm = names[args->algorithm];
    if (args->n == 0)
        return ORDO_OK;
    if (args->algorithm > ORDO_TEXT_INDUCED)
        return by_name(work, args, sa);
    if (is_wide(args))
        return induced_wide(work, args, sa, bwt);
    return args->count > 0 ? sort_many_i32(work, args, text_induced_i32, sa)
                           : sort_one_b32(work, args, sa, bwt);
}

static ordo_status suffix_checked(ordo_ctx *ctx, ordo_exec *exec, const void *text, size_t n,
                                  ordo_type index_type, void *sa, const ordo_text_opts *opts)
{
    text_args args;
    text_work work;
    TRY(text_read_args(exec, text, n, opts, true, &args));
    TRY(text_check_indices(exec, &args, index_type, sa, "sa"));
    TRY(text_begin_any(ctx, exec, "suffix arrays", n, text_sort_ns(&args),
                       1.0 + (double)ordo_type_size(index_type), &work));
    ordo_text_job job = text_device_job(&args);
    job.sa = sa;
    if (n > 0)
        TEXT_ON_DEVICE(work, suffix_array, job);
    return text_suffix_sort(&work, &args, sa, NULL);
}

ordo_status ordo_suffix_array(ordo_ctx *ctx, const void *text, size_t n, ordo_type index_type,
                              void *sa, const ordo_text_opts *opts)
{
    API_CALL("suffix_array", ORDO_U8, n, suffix_checked(ctx, exec, text, n, index_type, sa, opts));
}

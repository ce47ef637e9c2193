/* bwt.c - ordo_bwt: the Burrows-Wheeler transform of one text.
 *
 * Induced sorting reads the byte before each suffix anyway and writes it beside the suffix, so the
 * transform costs no further random access. */
#include "text/text_args.h"
#include "text/text_bits.h"

#include <string.h>

typedef struct bwt_work {
    const uint8_t *text;
    const void    *sa;
    bool           wide;
    bool           known; /* out has the bytes already */
    uint8_t       *out;
    atomic_size_t  whole; /* the place of suffix 0 */
} bwt_work;

static void find_whole(void *arg, size_t lo, size_t hi)
{
    bwt_work *const       b = arg;
    const uint32_t *const narrow = b->sa;
    const uint64_t *const wide = b->sa;
    for (size_t i = lo; i < hi; i++) {
        uint64_t const at = b->wide ? wide[i] : narrow[i];
        if (at == 0)
            atomic_store(&b->whole, i);
        if (!b->known)
            b->out[i] = b->text[at - (at > 0)];
    }
}

ordo_status text_transform(text_work *work, const text_args *args, void *sa, uint8_t *bwt,
                           uint64_t *primary)
{
    bwt_work b = {.text = args->text,
                  .sa = sa,
                  .wide = args->index_type == ORDO_U64,
                  .known = args->algorithm <= ORDO_TEXT_INDUCED,
                  .out = bwt};
    TRY(text_suffix_sort(work, args, sa, b.known ? bwt : NULL));
    TRY(text_share(work, args->n, TEXT_GRAIN, find_whole, &b));
    size_t const whole = atomic_load(&b.whole);
    memmove(bwt + 1, bwt, whole);
    bwt[0] = args->text[args->n - 1];
    *primary = whole + 1;
    return ORDO_OK;
}

static ordo_status bwt_checked(ordo_ctx *ctx, ordo_exec *exec, const void *text, size_t n,
                               void *bwt, uint64_t *primary, const ordo_text_opts *opts)
{
    text_args args;
    text_work work;
    void     *sa;
    TRY(text_read_args(exec, text, n, opts, true, &args));
    TRY(text_one_only(exec, &args, "ordo_bwt"));
    TRY(api_check_array(exec, bwt, n, 1, "bwt"));
    TRY(api_check_apart(exec, text, n, "text", bwt, n, "bwt"));
    FAIL_IF(primary == NULL, ORDO_E_ARG, "primary is NULL; expected the address of a uint64_t");
    TRY(text_begin_any(ctx, exec, "transforms of text", n, text_sort_ns(&args), 2, &work));
    if (n == 0) {
        *primary = 0;
        return ORDO_OK;
    }
    ordo_text_job job = text_device_job(&args);
    job.bwt = bwt;
    job.primary = primary;
    TEXT_ON_DEVICE(work, bwt, job);
    args.index_type = n < (size_t)1 << 31 ? ORDO_U32 : ORDO_U64;
    TRY(ordo_scratch(exec, n * ordo_type_size(args.index_type), &sa));
    return text_transform(&work, &args, sa, bwt, primary);
}

ordo_status ordo_bwt(ordo_ctx *ctx, const void *text, size_t n, void *bwt, uint64_t *primary,
                     const ordo_text_opts *opts)
{
    API_CALL("bwt", ORDO_U8, n, bwt_checked(ctx, exec, text, n, bwt, primary, opts));
}

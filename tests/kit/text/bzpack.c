/* bzpack.c - compression by two contexts (see bzpack.h). */
#include "kit/text/bzpack.h"

#include "kit/text/bzpieces.h"
#include "testkit.h"

bzpack bzpack_open(size_t most)
{
    size_t const room = ordo_bz_bound(most);
    return (bzpack){test_keep(most), test_keep(room), test_keep(room), room};
}

size_t bzpack_compress(const bzpack *b, ordo_ctx *ctx, size_t n, uint32_t level, uint8_t *to)
{
    size_t written = 0;
    CHECK_STATUS(ORDO_OK,
                 ordo_bz_compress(ctx, b->plain, n, to, b->room, &written,
                                  &ORDO_OPTS(ordo_bz_opts, .level = level), NULL),
                 ctx);
    return written;
}

void bzpack_same(const bzpack *b, ordo_ctx *oracle, ordo_ctx *ctx, size_t n, uint32_t level)
{
    size_t const length = bzpack_compress(b, oracle, n, level, b->expected);
    CHECK_EQ_U64(length, bzpack_compress(b, ctx, n, level, b->packed));
    CHECK_BYTES(b->expected, b->packed, length, 1);
}

void bzpack_same_pieces(const bzpack *b, ordo_ctx *oracle, ordo_ctx *ctx, size_t n, uint32_t level)
{
    size_t const length = bzpack_compress(b, oracle, n, level, b->expected);
    bzpieces     w = {.in = b->plain,
                      .n = n,
                      .out = b->packed,
                      .capacity = b->room,
                      .most_in = n / 2,
                      .level = level,
                      .seed = n};
    CHECK_STATUS(ORDO_OK, bzpieces_write(ctx, &w), ctx);
    CHECK_EQ_U64(length, w.written);
    CHECK_BYTES(b->expected, b->packed, length, 1);
}

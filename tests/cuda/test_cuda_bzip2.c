/* test_cuda_bzip2.c - compression whose rotations a GPU sorts: the bytes of the CPU for every kind
 * of text, several lengths, levels and threads, and for repeated words. ORDO_TEST_SMALL=1 takes
 * shorter texts, for compute-sanitizer. */
#include "device.h"
#include "kit/text/textkit.h"
#include "ordo_bz.h"

#include <stdlib.h>

enum {
    MOST = 5000000
};

static uint8_t *plain, *packed, *expected;
static size_t   room;

static size_t compress(ordo_ctx *ctx, size_t n, uint32_t level, uint8_t *to)
{
    size_t written = 0;
    CHECK_STATUS(ORDO_OK,
                 ordo_bz_compress(ctx, plain, n, to, room, &written,
                                  &ORDO_OPTS(ordo_bz_opts, .level = level), NULL),
                 ctx);
    return written;
}

static void check_text(size_t n, uint32_t level)
{
    size_t const length = compress(cpu, n, level, expected);
    CHECK_EQ_U64(length, compress(gpu, n, level, packed));
    CHECK_BYTES(expected, packed, length, 1);
}

static void test_kinds(bool small)
{
    static const size_t sizes[] = {1, 2, 3, 40, 99982, 250000, MOST};
    size_t const        count = sizeof sizes / sizeof *sizes - (small ? 2 : 0);
    for (size_t kind = 0; kind < TEXT_KINDS; kind += small ? 5 : 1)
        for (size_t s = 0; s < count; s++) {
            testkit_case("%s n=%zu", text_kind_name(kind), sizes[s]);
            text_fill(kind, plain, sizes[s], kind + 1000 * s);
            check_text(sizes[s], 1);
            check_text(sizes[s], (uint32_t)(s % 9 + 1));
        }
}

static void test_repeats(bool small)
{
    for (size_t length = 1; length < 40; length += small ? 13 : 1)
        for (size_t copies = 1; copies < 2000; copies = copies * 5 + 1) {
            testkit_case("%zu copies of %zu letters", copies, length);
            text_fill(11, plain, length, length);
            for (size_t i = length; i < length * copies; i++)
                plain[i] = plain[i - length];
            check_text(length * copies, 9);
        }
}

int main(void)
{
    device_start();
    bool const small = getenv("ORDO_TEST_SMALL") != NULL;
    room = ordo_bz_bound(MOST);
    plain = test_keep(MOST);
    packed = test_keep(room);
    expected = test_keep(room);
    test_kinds(small);
    test_repeats(small);
    return device_done();
}

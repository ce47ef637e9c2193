/* test_cuda_bzip2.c - compression whose rotations a GPU sorts: the bytes of the CPU for every kind
 * of text, several lengths, levels and threads, and for repeated words. ORDO_TEST_SMALL=1 takes
 * shorter texts, for compute-sanitizer; ORDO_TEST_SMALL=3 a few short ones, for its race
 * checker. */
#include "device.h"
#include "kit/text/bzpack.h"
#include "kit/text/textkit.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST = 5000000
};

static bzpack pack;

static void check_text(size_t n, uint32_t level)
{
    bzpack_same(&pack, cpu, gpu, n, level);
    if (n > 1000 && n < MOST)
        bzpack_same_pieces(&pack, cpu, gpu, n, level);
}

static void test_kinds(bool small)
{
    static const size_t sizes[] = {1, 2, 3, 40, 99982, 250000, MOST};
    size_t const        count = sizeof sizes / sizeof *sizes - (small ? 2 : 0);
    for (size_t kind = 0; kind < TEXT_KINDS; kind += small ? 5 : 1)
        for (size_t s = 0; s < count; s++) {
            testkit_case("%s n=%zu", text_kind_name(kind), sizes[s]);
            text_fill(kind, pack.plain, sizes[s], kind + 1000 * s);
            check_text(sizes[s], 1);
            check_text(sizes[s], (uint32_t)(s % 9 + 1));
        }
}

static void test_repeats(bool small)
{
    for (size_t length = 1; length < 40; length += small ? 13 : 1)
        for (size_t copies = 1; copies < 2000; copies = copies * 5 + 1) {
            testkit_case("%zu copies of %zu letters", copies, length);
            text_fill(11, pack.plain, length, length);
            for (size_t i = length; i < length * copies; i++)
                pack.plain[i] = pack.plain[i - length];
            check_text(length * copies, 9);
        }
}

/* Blocks that reach each kernel. */
static void test_each_kernel(void)
{
    static const size_t kinds[] = {3, 10, 13};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        testkit_case("%s", text_kind_name(kinds[i]));
        text_fill(kinds[i], pack.plain, 3001, 1);
        check_text(3001, 1);
    }
}

int main(void)
{
    device_start();
    const char *const wanted = getenv("ORDO_TEST_SMALL");
    bool const        small = wanted != NULL;
    pack = bzpack_open(MOST);
    if (small && strcmp(wanted, "3") == 0) {
        test_each_kernel();
        return device_done();
    }
    test_kinds(small);
    test_repeats(small);
    return device_done();
}

/* test_bz_rotate.c - the order of the rotations of a block: against a sort by comparison for small
 * blocks, and by a linear check for large ones: neighbours are in order by their first byte and by
 * the ranks of what follows. */
#define _GNU_SOURCE
#include "testkit.h"
#include "text/bzip2/encode/rotate.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST = 900000
};

static bz_sorter sorter;
static uint8_t  *text; /* MOST + BZ_TEXT_PAD */
static uint32_t *rank, *sa;
static size_t    compared_n;

static int compare(const void *a, const void *b)
{
    uint32_t const i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    for (size_t k = 0; k < compared_n; k++) {
        uint8_t const x = text[(i + k) % compared_n], y = text[(j + k) % compared_n];
        if (x != y)
            return x < y ? -1 : 1;
    }
    return i > j ? -1 : i < j; /* equal rotations: the later one first */
}

/* Reads the entries of the sorter, and checks the byte in each and the transform. */
static void unpack(uint32_t n)
{
    size_t wrong = 0;
    for (uint32_t i = 0; i < n; i++) {
        sa[i] = bz_entry_at(sorter.sa[i], n);
        uint8_t const last = text[sa[i] > 0 ? sa[i] - 1 : n - 1];
        wrong += bz_entry_byte(sorter.sa[i]) != last || bz_column(&sorter)[i] != last;
    }
    CHECK_EQ_U64(0, wrong);
}

static void check_small(uint32_t n)
{
    uint32_t *const order = test_need(n * sizeof *order);
    uint8_t *const  copy = test_need(n);
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    compared_n = n;
    qsort(order, n, sizeof *order, compare);
    memcpy(copy, text, n);
    uint32_t const row = bz_rotate(&sorter, text, n);
    unpack(n);
    CHECK_BYTES(order, sa, n * sizeof *order, sizeof *order);
    CHECK_EQ_U64(0, sa[row]);
    CHECK_BYTES(copy, text, n, 1);
    free(copy);
    free(order);
}

/* Equal ranks mean equal rotations: the word is repeated. */
static void check_large(const char *what, uint32_t n)
{
    testkit_case("%s of %u bytes", what, (unsigned)n);
    uint32_t const row = bz_rotate(&sorter, text, n);
    size_t         wrong = 0;
    unpack(n);
    memset(rank, 0xff, n * sizeof *rank);
    for (uint32_t i = 0; i < n; i++) {
        wrong += sa[i] >= n || rank[sa[i]] != UINT32_MAX;
        rank[sa[i] < n ? sa[i] : 0] = i;
    }
    CHECK_EQ_U64(0, wrong);
    CHECK_EQ_U64(0, sa[row]);
    if (wrong > 0)
        return;
    for (uint32_t i = 0; i + 1 < n; i++) {
        uint32_t const a = sa[i], b = sa[i + 1];
        uint8_t const  x = text[a], y = text[b];
        wrong += x > y ||
                 (x == y && rank[(a + 1) % n] > rank[(b + 1) % n] &&
                  memcmp(text, text + (a > b ? a - b : b - a), n - (a > b ? a - b : b - a)) != 0);
    }
    CHECK_EQ_U64(0, wrong);
}

static void test_all_of_two_letters(void)
{
    uint32_t const longest = TESTKIT_SANITIZED ? 11 : 14;
    for (uint32_t n = 1; n <= longest; n++)
        for (uint32_t bits = 0; bits < UINT32_C(1) << n; bits++) {
            for (uint32_t i = 0; i < n; i++)
                text[i] = (bits >> i & 1) != 0 ? 'b' : 'a';
            testkit_case("%u letters, bits %#x", (unsigned)n, (unsigned)bits);
            check_small(n);
        }
}

static void test_random_small(void)
{
    test_rng rng = {1};
    for (unsigned round = 0; round < 600; round++) {
        uint32_t const n = 1 + (uint32_t)test_rng_below(&rng, 400);
        uint32_t const period = 1 + (uint32_t)test_rng_below(&rng, n);
        uint64_t const letters = 1 + test_rng_below(&rng, round % 3 == 0 ? 256 : 4);
        bool const     noisy = test_rng_below(&rng, 2) != 0;
        for (uint32_t i = 0; i < n; i++) {
            bool const fresh = i < period || (noisy && test_rng_below(&rng, 40) == 0);
            text[i] = fresh ? (uint8_t)(255 - test_rng_below(&rng, letters)) : text[i - period];
        }
        testkit_case("round %u, %u bytes", round, (unsigned)n);
        check_small(n);
    }
}

/* Texts of a few words repeat themselves: their LMS rotations are sorted by names. Some words are
 * longer than a key of the table, and some begin others. */
static void test_words(void)
{
    test_rng rng = {4};
    char     words[40][24];
    for (unsigned round = 0; round < 400; round++) {
        uint32_t const n = 1 + (uint32_t)test_rng_below(&rng, round % 8 == 0 ? 40000 : 3000);
        uint64_t const letters = 1 + test_rng_below(&rng, 5), many = 1 + test_rng_below(&rng, 40);
        uint64_t const longest = 1 + test_rng_below(&rng, 23);
        uint64_t const noise = 1 + test_rng_below(&rng, 200);
        for (uint64_t w = 0; w < many; w++) {
            uint64_t const length = 1 + test_rng_below(&rng, longest);
            for (uint64_t i = 0; i < length; i++)
                words[w][i] = (char)('a' + test_rng_below(&rng, letters));
            words[w][length] = '\0';
        }
        for (uint32_t i = 0; i < n;) {
            const char *word = words[test_rng_below(&rng, many)];
            while (*word != '\0' && i < n)
                text[i++] = (uint8_t)*word++;
            if (test_rng_below(&rng, noise) == 0)
                text[i - 1] = (uint8_t)test_rng_below(&rng, 256);
        }
        check_large("words", n);
    }
}

/* Each letter of the next word is replaced: a -> ab, b -> a (Fibonacci) or b -> ba (Thue-Morse). */
static uint32_t grow(uint32_t most, bool thue)
{
    uint8_t *const old = test_need(MOST);
    uint32_t       n = 1;
    text[0] = 'a';
    while (2 * n <= most) {
        memcpy(old, text, n);
        uint32_t at = 0;
        for (uint32_t i = 0; i < n; i++) {
            text[at++] = old[i];
            if (old[i] == 'a' || thue)
                text[at++] = old[i] == 'a' ? 'b' : 'a';
            if (old[i] == 'b' && !thue)
                text[at - 1] = 'a';
        }
        n = at;
    }
    free(old);
    return n;
}

/* Copies of earlier bytes with a few new ones between them, as in source text. With few letters
 * they are sorted by names. With many new bytes at the beginning there are too many names, so
 * groups of rotations that agree in many bytes are sorted by ranks. */
static void fill_with_copies(uint32_t n, uint32_t longest, uint32_t begin, uint64_t letters)
{
    test_rng rng = {3};
    for (uint32_t i = 0; i < n;) {
        uint32_t const fresh = i == 0 ? begin : 1 + (uint32_t)test_rng_below(&rng, 4);
        for (uint32_t k = 0; k < fresh && i < n; k++)
            text[i++] = (uint8_t)('a' + test_rng_below(&rng, letters));
        uint32_t const from = (uint32_t)test_rng_below(&rng, i);
        uint32_t const most = 1 + (uint32_t)test_rng_below(&rng, longest);
        for (uint32_t k = from; k < from + most && i < n; k++)
            text[i++] = text[k];
    }
}

static void test_large(void)
{
    test_rng       rng = {2};
    uint32_t const n = TESTKIT_SANITIZED ? 90000 : MOST;
    check_large("Fibonacci", grow(n, false));
    check_large("Thue-Morse", grow(n, true));
    memset(text, 'a', n);
    check_large("one letter", n);
    text[n - 1] = 'b';
    check_large("one letter and a greater one", n);
    text[n - 1] = 'A';
    check_large("one letter and a less one", n);
    for (uint32_t i = 0; i < n; i++)
        text[i] = (uint8_t)(i < n / 2 ? i * 256 / n : (n - i) * 256 / n);
    check_large("rising and falling", n);
    for (uint32_t i = 0; i < n; i++)
        text[i] = (uint8_t)test_rng_below(&rng, 256);
    check_large("random", n);
    memcpy(text + n / 2, text, n - n / 2);
    text[n - 7] ^= 1;
    check_large("nearly two copies", n);
    memcpy(text + n / 2, text, n / 2);
    check_large("two copies", n / 2 * 2);
    for (uint32_t i = 0; i < n; i++)
        text[i] = (uint8_t)("\0\0\0\0\373"[i % 5]);
    check_large("period 5", n / 5 * 5);
    check_large("nearly period 5", n / 5 * 5 - 1);
    for (uint32_t i = 0; i < n; i++)
        text[i] = (uint8_t)(i % 1000 == 999 ? 'b' + i / 1000 % 3 : 'a');
    check_large("long runs", n);
    for (unsigned many = 0; many < 2; many++)
        for (uint32_t longest = 300; longest <= 30000; longest *= 100) {
            fill_with_copies(n, longest, many ? n / 20 : n / 400, many ? 159 : 26);
            check_large(many ? "copies of many letters" : "copies", n);
        }
    memset(text + n / 3, 'e', n / 4); /* no LMS rotation in there */
    memcpy(text + n - 5000, text, 5000);
    check_large("copies and one long run", n);
}

int main(void)
{
    testkit_start();
    ordo_layout layout = {NULL, 0};
    bz_sorter_lay_out(&sorter, MOST, &layout);
    char *const memory = test_keep(layout.bytes + 64);
    layout = (ordo_layout){memory + (0 - (uintptr_t)memory) % 64, 0};
    bz_sorter_lay_out(&sorter, MOST, &layout);
    text = test_keep(MOST + BZ_TEXT_PAD);
    rank = test_keep(MOST * sizeof *rank);
    sa = test_keep(MOST * sizeof *sa);
    test_all_of_two_letters();
    test_random_small();
    test_words();
    test_large();
    return testkit_done();
}

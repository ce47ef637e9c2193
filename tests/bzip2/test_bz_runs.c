/* test_bz_runs.c - the blocks that data are cut into, and their run lengths, beside a splitter that
 * takes one byte at a time: many mixtures of runs, sizes of blocks, and pieces of the data. */
#include "testkit.h"

#include "text/bzip2/encode/runs.h"

#include <string.h>

enum {
    BYTES = 6000,
    ROOM = 8 * BYTES
};

typedef struct cut { /* all blocks, one after the other */
    uint8_t  text[ROOM];
    uint32_t ends[ROOM];
    size_t   blocks, n;
} cut;

static void add_run(cut *c, uint8_t byte, size_t run)
{
    for (size_t i = 0; i < run && i < BZ_RUN_BYTES; i++)
        c->text[c->n++] = byte;
    if (run >= BZ_RUN_BYTES)
        c->text[c->n++] = (uint8_t)(run - BZ_RUN_BYTES);
}

/* A run ends where the next byte differs or after 255 bytes. The block ends there if it is full. */
static void cut_slowly(cut *c, const uint8_t *bytes, size_t n, uint32_t full)
{
    size_t begin = 0; /* of the block */
    c->n = c->blocks = 0;
    for (size_t i = 0, run; i < n; i += run) {
        for (run = 1; i + run < n && bytes[i + run] == bytes[i] && run < BZ_MOST_RUN;)
            run++;
        add_run(c, bytes[i], run);
        if (c->n - begin >= full) {
            c->ends[c->blocks++] = (uint32_t)c->n;
            begin = c->n;
        }
    }
    if (c->n > begin)
        c->ends[c->blocks++] = (uint32_t)c->n;
}

/* In pieces of up to `most` bytes. */
static void cut_fast(cut *c, const uint8_t *bytes, size_t n, uint32_t full, size_t most,
                     test_rng *rng)
{
    static uint8_t text[ROOM];
    bz_splitter    s = {0};
    size_t         at = 0;
    c->n = c->blocks = 0;
    for (;;) {
        bz_block block = {.text = text, .full = full};
        while (at < n && block.n < full) {
            size_t const piece = 1 + test_rng_below(rng, most);
            at += bz_split(&s, &block, bytes + at, ordo_min(piece, n - at));
        }
        if (block.n < full)
            bz_split_end(&s, &block);
        if (block.n == 0)
            return;
        memcpy(c->text + c->n, text, block.n);
        c->n += block.n;
        c->ends[c->blocks++] = (uint32_t)c->n;
    }
}

/* Runs of 1 to `longest` bytes of `letters` letters, most of them short. */
static void fill(uint8_t *bytes, size_t n, size_t longest, size_t letters, test_rng *rng)
{
    for (size_t i = 0; i < n;) {
        size_t const  run = test_rng_below(rng, 4) != 0 ? 1 : 1 + test_rng_below(rng, longest);
        uint8_t const byte = (uint8_t)(test_rng_below(rng, letters) * 85);
        for (size_t j = 0; j < run && i < n; j++)
            bytes[i++] = byte;
    }
}

static void test_blocks(void)
{
    static const size_t longest[] = {1, 3, 4, 6, 12, 300, 800};
    static uint8_t      bytes[BYTES];
    static cut          slow, fast;
    for (size_t round = 0; round < 2000; round++) {
        test_rng       rng = {round};
        size_t const   n = test_rng_below(&rng, round % 10 == 0 ? BYTES : 200);
        size_t const   most = 1 + test_rng_below(&rng, round % 3 == 0 ? 9 : BYTES);
        uint32_t const full = 1 + (uint32_t)test_rng_below(&rng, round % 2 == 0 ? 30 : 3000);
        testkit_case("round %zu: %zu bytes, blocks of %u, pieces of %zu", round, n, (unsigned)full,
                     most);
        fill(bytes, n, longest[round % 7], 1 + round % 4, &rng);
        cut_slowly(&slow, bytes, n, full);
        cut_fast(&fast, bytes, n, full, most, &rng);
        CHECK_EQ_U64(slow.blocks, fast.blocks);
        CHECK_EQ_U64(slow.n, fast.n);
        CHECK_BYTES(slow.text, fast.text, slow.n, 1);
        CHECK_BYTES(slow.ends, fast.ends, slow.blocks * sizeof *slow.ends, sizeof *slow.ends);
    }
}

int main(void)
{
    testkit_start();
    test_blocks();
    return testkit_done();
}

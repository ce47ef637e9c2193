/* test_bz_hostile.c - damaged files and files made by hand: truncated at every byte, every bit
 * flipped, rare features of the format, bombs. The verdict and the bytes are compared with
 * libbz2 where it is installed. A reader gets the files in pieces, too. */
#define _GNU_SOURCE
#include "kit/text/bzkit.h"
#include "kit/text/bzpieces.h"
#include "testkit.h"

#include <stdlib.h>
#include <string.h>

enum {
    ROOM = 4 << 20
};

static ordo_ctx *ctx;
static uint8_t  *text, *again, *other;

/* Decompresses bytes that end at an inaccessible page. */
static ordo_status unpack(const uint8_t *bytes, size_t n, size_t *size, ordo_bz_report *report)
{
    guard_block       block = guard_alloc(n, GUARD_END);
    ordo_status const status =
        (memcpy(block.data, bytes, n),
         ordo_bz_decompress(ctx, block.data, n, again, ROOM, size, NULL, report));
    guard_free(&block.region);
    return status;
}

/* All streams through readers, in pieces of up to `most` bytes. Returns whether all of them
 * ended. */
static bool read_pieces(const bzkit_file *f, size_t most, size_t *size)
{
    size_t at = 0;
    *size = 0;
    while (at < bzkit_size(f)) {
        bzpieces p = {.in = f->bytes + at,
                      .n = bzkit_size(f) - at,
                      .out = again + *size,
                      .capacity = ROOM - *size,
                      .most_in = most,
                      .most_out = 50 * most,
                      .seed = most};
        if (bzpieces_read(ctx, &p) != ORDO_OK || p.state != ORDO_BZ_ENDED)
            return false;
        at += p.used;
        *size += p.written;
    }
    return true;
}

/* The bytes are the text of size n; libbz2 agrees. */
static void check_good(const bzkit_file *f, size_t n, uint64_t streams)
{
    ordo_bz_report report = {.struct_size = sizeof report};
    size_t         size = 0, theirs = ROOM;
    CHECK_STATUS(ORDO_OK, unpack(f->bytes, bzkit_size(f), &size, &report), ctx);
    CHECK_EQ_U64(n, size);
    CHECK_EQ_U64(streams, report.streams);
    CHECK_BYTES(text, again, n, 1);
    for (size_t most = 0; most <= 10000; most += 5000) {
        CHECK(read_pieces(f, most, &size));
        if (CHECK_EQ_U64(n, size))
            CHECK_BYTES(text, again, n, 1);
    }
    if (bzkit_has_library() && streams == 1) {
        CHECK(bzkit_decompress(f->bytes, bzkit_size(f), other, &theirs));
        CHECK_EQ_U64(n, theirs);
        CHECK_BYTES(text, other, n, 1);
    }
}

static void check_bad(const bzkit_file *f, const char *why)
{
    size_t size = 0, theirs = ROOM;
    CHECK_STATUS(ORDO_E_ARG, unpack(f->bytes, bzkit_size(f), &size, NULL), ctx);
    CHECK_EQ_U64(0, size);
    if (!CHECK(strstr(ordo_last_error(ctx), why) != NULL))
        testkit_case("%s", ordo_last_error(ctx));
    for (size_t most = 0; most <= 10000; most += 5000)
        CHECK(!read_pieces(f, most, &size));
    if (bzkit_has_library())
        CHECK(!bzkit_decompress(f->bytes, bzkit_size(f), other, &theirs));
}

static bzkit_file new_file(unsigned level)
{
    bzkit_file f = {.bytes = test_need(ROOM)};
    bzkit_begin(&f, level);
    return f;
}

/* ---- Damage ---- */

static size_t pack(size_t n, uint8_t *packed)
{
    size_t size = 0;
    for (size_t i = 0; i < n; i++)
        text[i] = (uint8_t)(i * i % 11 < 5 ? 'x' : 'a' + i % 7);
    CHECK_STATUS(ORDO_OK, ordo_bz_compress(ctx, text, n, packed, ROOM, &size, NULL, NULL), ctx);
    return size;
}

static void test_truncated(void)
{
    uint8_t *const packed = test_need(ROOM);
    size_t const   size = pack(3000, packed);
    size_t         got;
    for (size_t n = 0; n < size; n++) {
        testkit_case("the first %zu of %zu bytes", n, size);
        CHECK_STATUS(ORDO_E_ARG, unpack(packed, n, &got, NULL), ctx);
        /* After a whole stream, too. */
        memcpy(packed + size, packed, n);
        ordo_status const status = unpack(packed, size + n, &got, NULL);
        CHECK_EQ_U64((uint64_t)(n == 0 ? ORDO_OK : ORDO_E_ARG), (uint64_t)status);
    }
    free(packed);
}

static void test_flipped_bits(void)
{
    uint8_t *const packed = test_need(ROOM);
    size_t const   size = pack(300, packed);
    size_t         accepted = 0;
    if (!bzkit_has_library())
        testkit_skip("libbz2 is not installed: its verdicts are not compared");
    for (size_t bit = 0; bit < 8 * size; bit++) {
        size_t got = 0, theirs = ROOM;
        packed[bit / 8] ^= (uint8_t)(1U << bit % 8);
        testkit_case("bit %zu flipped", bit);
        bool const good = unpack(packed, size, &got, NULL) == ORDO_OK;
        accepted += good;
        if (bzkit_has_library()) {
            CHECK_EQ_U64(bzkit_decompress(packed, size, other, &theirs), good);
            if (good && CHECK_EQ_U64(theirs, got))
                CHECK_BYTES(other, again, got, 1);
        } else if (good) {
            CHECK_BYTES(text, again, 300, 1);
        }
        packed[bit / 8] ^= (uint8_t)(1U << bit % 8);
    }
    CHECK(accepted < 100); /* bits of the level, of padding and of a table without use */
    free(packed);
}

/* ---- Rare features ---- */

static const uint16_t some_symbols[] = {2, 3, 4, 0, 1, 5, 2, 1, 1, 3, 0, 4, 2, 2, 5, 0, 0, 0, 3, 1};
#define SOME .symbols = some_symbols, .count = sizeof some_symbols / sizeof *some_symbols

static void test_features(void)
{
    static const uint8_t uneven[] = {1, 2, 3, 4, 5, 20, 20, 20};
    static const struct {
        const char *name;
        bzkit_block block;
    } cases[] = {
        {"plain", {SOME, .first = 'a', .used = 6, .length = 3, .row = 5}},
        {"codes of 20 bits", {SOME, .first = 'a', .used = 6, .length = 20, .row = 5}},
        {"codes that are not complete",
         {SOME, .first = 'a', .used = 6, .lengths = uneven, .row = 7}},
        {"18003 selectors", {SOME, .first = 'a', .used = 6, .length = 3, .more_selectors = 18002}},
        {"32767 selectors", {SOME, .first = 'a', .used = 6, .length = 3, .more_selectors = 32766}},
        {"bytes 250 to 255", {SOME, .first = 250, .used = 6, .length = 3, .row = 1}},
        {"bytes 0 to 5", {SOME, .first = 0, .used = 6, .length = 3, .row = 2}},
        {"a short randomised block",
         {SOME, .first = 'a', .used = 6, .length = 3, .randomised = true}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        testkit_case("%s", cases[i].name);
        bzkit_file f = new_file(1);
        size_t     n = 0;
        bzkit_put_block(&f, &cases[i].block, text, &n);
        bzkit_put_block(&f, &cases[i].block, text, &n);
        bzkit_end(&f);
        check_good(&f, n, 1);
        free(f.bytes);
    }
}

/* n random symbols of an alphabet of `used` bytes, without long runs. */
static uint16_t *random_symbols(size_t n, unsigned used, uint64_t seed)
{
    uint16_t *const symbols = test_need(n * sizeof *symbols);
    test_rng        rng = {seed};
    for (size_t i = 0; i < n; i++)
        symbols[i] = (uint16_t)(2 + test_rng_below(&rng, used - 1));
    return symbols;
}

static void test_randomised(void)
{
    uint16_t *const   symbols = random_symbols(1200, 14, 3);
    bzkit_block const b = {.symbols = symbols,
                           .count = 1200,
                           .first = 'a',
                           .used = 14,
                           .length = 4,
                           .row = 77,
                           .randomised = true};
    bzkit_file        f = new_file(1);
    size_t            n = 0;
    testkit_case("a randomised block");
    bzkit_put_block(&f, &b, text, &n);
    bzkit_end(&f);
    check_good(&f, n, 1);
    free(f.bytes);
    free(symbols);
}

/* With 254 bytes and codes of 8 bits a code is its symbol, so any byte can be placed in the
 * data: the magics of a block and of the end of a stream, at several bits. */
static void test_false_magics(void)
{
    static const uint8_t magics[2][6] = {{0x31, 0x41, 0x59, 0x26, 0x53, 0x59},
                                         {0x17, 0x72, 0x45, 0x38, 0x50, 0x90}};
    for (size_t count = 1; count <= 3000; count = 5 * count + 7) {
        uint16_t *const symbols = random_symbols(30000, 254, count);
        for (size_t k = 0; k < count; k++)
            for (size_t i = 0; i < 6; i++)
                symbols[20 + k * 9 + i] = magics[k % 2][i];
        bzkit_block const b = {
            .symbols = symbols, .count = 30000, .first = 1, .used = 254, .length = 8, .row = 9};
        bzkit_file f = new_file(1);
        size_t     n = 0;
        testkit_case("%zu magics inside of blocks", count);
        bzkit_put_block(&f, &b, text, &n);
        bzkit_put_block(&f, &(bzkit_block){SOME, .first = 'a', .used = 6, .length = 3}, text, &n);
        bzkit_put_block(&f, &b, text, &n);
        bzkit_end(&f);
        check_good(&f, n, 1);
        f.bits -= 8 * 1000;
        memset(f.bytes + bzkit_size(&f), 0, 1000);
        check_bad(&f, "ends in block 3");
        free(f.bytes);
        free(symbols);
    }
}

static void test_streams(void)
{
    bzkit_block const b = {SOME, .first = 'a', .used = 6, .length = 3, .row = 5};
    bzkit_file        f = new_file(9);
    ordo_bz_report    report = {.struct_size = sizeof report};
    size_t            n = 0, size = 0;
    testkit_case("several streams, some of them empty");
    bzkit_end(&f);
    for (unsigned i = 1; i <= 9; i++) {
        bzkit_begin(&f, i);
        if (i % 3 != 0)
            bzkit_put_block(&f, &b, text, &n);
        bzkit_end(&f);
    }
    check_good(&f, n, 10);
    static const char *const trash[] = {"x", "BZx9", "BZh0", "bz", "\0\0\0\0\0\0\0\0\0\0\0\0"};
    for (size_t i = 0; i < sizeof trash / sizeof *trash; i++) {
        size_t const   length = i == 4 ? 12 : strlen(trash[i]);
        uint8_t *const bytes = test_need(bzkit_size(&f) + length);
        testkit_case("trailing bytes %zu", i);
        memcpy(bytes, f.bytes, bzkit_size(&f));
        memcpy(bytes + bzkit_size(&f), trash[i], length);
        CHECK_STATUS(ORDO_OK, unpack(bytes, bzkit_size(&f) + length, &size, &report), ctx);
        CHECK_EQ_U64(1, report.trailing);
        CHECK_EQ_U64(n, size);
        free(bytes);
    }
    free(f.bytes);
}

/* ---- What must be refused ---- */

static void check_bad_block(const bzkit_block *b, unsigned level, const char *why)
{
    bzkit_file f = new_file(level);
    size_t     n = 0;
    testkit_case("expected: %s", why);
    bzkit_put_block(&f, b, text, &n);
    bzkit_end(&f);
    check_bad(&f, why);
    free(f.bytes);
}

/* Digits of a run up to a length beyond 32 bits: the text of the kit is that of the first
 * digits. */
static void test_long_runs(void)
{
    for (unsigned digits = 20; digits <= 70; digits += 10) {
        bzkit_file f = new_file(9);
        testkit_case("a run of %u digits", digits);
        bzkit_put(&f, UINT64_C(0x314159265359), 48);
        bzkit_put(&f, 0, 32);
        bzkit_put(&f, 0, 25);
        bzkit_put(&f, UINT64_C(0x8000), 16);
        bzkit_put(&f, UINT64_C(0x8000), 16);
        bzkit_put(&f, 2, 3);
        bzkit_put(&f, 2, 15);
        bzkit_put(&f, 0, 2);
        for (unsigned t = 0; t < 2; t++) {
            bzkit_put(&f, 2, 5);
            bzkit_put(&f, 0, 3);
        }
        for (unsigned i = 0; i < digits; i++)
            bzkit_put(&f, 1, 2); /* RUNB */
        bzkit_put(&f, 2, 2);
        bzkit_end(&f);
        check_bad(&f, "more than 900000 bytes");
        free(f.bytes);
    }
}

static void test_refused(void)
{
    uint16_t *const   symbols = random_symbols(100001, 14, 3);
    bzkit_block const large = {
        .symbols = symbols, .count = 100001, .first = 'a', .used = 14, .length = 4};
    bzkit_file f = new_file(1);
    size_t     n = 0;
    check_bad_block(&(bzkit_block){SOME, .first = 'a', .used = 6, .length = 3, .wrong = 1}, 1,
                    "the checksum of the block is wrong");
    check_bad_block(&large, 1, "expected at most 100000");
    bzkit_put_block(&f, &(bzkit_block){SOME, .first = 'a', .used = 6, .length = 3}, text, &n);
    f.crc ^= 1;
    bzkit_end(&f);
    check_bad(&f, "the checksum of the stream is wrong");
    f.bits = 32;
    memset(f.bytes + 4, 0, 1000);
    bzkit_put(&f, UINT64_C(0x123456789abc), 48);
    f.bits += 1000;
    check_bad(&f, "expected a block or the end of the stream");
    f.bits = 8;
    check_bad(&f, "expected a bzip2 file");
    memcpy(f.bytes, "not bzip2, but text", 19);
    f.bits = 8 * 19;
    check_bad(&f, "is not a bzip2 file");
    free(f.bytes);
    free(symbols);
}

/* 45 MB of zeros in a block of 900 kB, many times: no memory beyond the limit. */
static void test_bomb(void)
{
    size_t const   n = (size_t)(TESTKIT_SANITIZED ? 50 : 200) << 20;
    uint8_t *const zeros = test_need(n), *const packed = test_need(ROOM);
    ordo_ctx *const limited = CONTEXT(.threads = 2, .mem_limit = (size_t)64 << 20);
    ordo_bz_report  report = {.struct_size = sizeof report};
    size_t          size = 0, got;
    testkit_case("a bomb");
    CHECK_STATUS(ORDO_OK, ordo_bz_compress(limited, zeros, n, packed, ROOM, &size, NULL, NULL),
                 limited);
    CHECK(size < 1000);
    memset(zeros, 1, n);
    CHECK_STATUS(ORDO_OK, ordo_bz_decompress(limited, packed, size, zeros, n, &got, NULL, &report),
                 limited);
    CHECK_EQ_U64(n, got);
    CHECK_EQ_U64(0, test_bytes_not(zeros, n, 0));
    CHECK_STATUS(ORDO_E_ARG,
                 ordo_bz_decompress(limited, packed, size, again, ROOM, &got, NULL, NULL), limited);
    ordo_ctx_free(limited);
    free(zeros);
    free(packed);
}

int main(void)
{
    testkit_start();
    ctx = test_context_make(2);
    text = test_keep(ROOM);
    again = test_keep(ROOM);
    other = test_keep(ROOM);
    test_truncated();
    test_flipped_bits();
    test_features();
    test_randomised();
    test_false_magics();
    test_streams();
    test_long_runs();
    test_refused();
    test_bomb();
    ordo_ctx_free(ctx);
    return testkit_done();
}

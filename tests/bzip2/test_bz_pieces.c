/* test_bz_pieces.c - data that come in pieces of random sizes, through ordo_bz_writer and
 * ordo_bz_reader, beside the calls on whole data; damage, limits of memory, faults, arguments. */
#define _GNU_SOURCE
#include "faults.h"
#include "kit/text/bzpieces.h"
#include "testkit.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST = TESTKIT_SANITIZED ? 250000 : 1200000
};

static uint8_t *plain, *packed, *again, *other;
static size_t   room;

/* Words, then runs, then bytes without a pattern. */
static void fill(size_t n)
{
    test_rng rng = {n};
    for (size_t at = 0; at < n;) {
        uint64_t const word = test_rng_below(&rng, 300);
        size_t const   length = at > n / 2 && at < n / 4 * 3 ? (size_t)word * 2 : 1 + word % 6;
        for (size_t k = 0; k < length && at < n; k++, at++)
            plain[at] = at > n / 4 * 3 ? (uint8_t)test_rng_next(&rng)
                        : at > n / 2   ? (uint8_t)word
                                       : (uint8_t)('a' + (word * 7 + k * k * 3) % 26);
    }
}

static size_t pack(ordo_ctx *ctx, size_t n, uint32_t level)
{
    ordo_bz_opts const opts = ORDO_OPTS(ordo_bz_opts, .level = level);
    size_t             size = 0;
    CHECK_STATUS(ORDO_OK, ordo_bz_compress(ctx, plain, n, packed, room, &size, &opts, NULL), ctx);
    return size;
}

static bzpieces from_packed(size_t n, size_t most_in, size_t most_out)
{
    return (bzpieces){.in = packed,
                      .n = n,
                      .out = again,
                      .capacity = MOST,
                      .most_in = most_in,
                      .most_out = most_out,
                      .seed = n + most_in};
}

static bzpieces from_plain(size_t n, size_t most, uint32_t level)
{
    return (bzpieces){.in = plain,
                      .n = n,
                      .out = other,
                      .capacity = room,
                      .most_in = most,
                      .level = level,
                      .seed = n + level};
}

/* ---- Both ways ---- */

static void check_pieces(ordo_ctx *ctx, size_t n, uint32_t level, size_t most)
{
    size_t const size = pack(ctx, n, level);
    bzpieces     w = from_plain(n, most, level);
    testkit_case("%zu bytes, level %u, pieces of %zu", n, (unsigned)level, most);
    CHECK_STATUS(ORDO_OK, bzpieces_write(ctx, &w), ctx);
    CHECK_EQ_U64(n, w.report.in);
    CHECK_EQ_U64(size, w.report.out);
    if (CHECK_EQ_U64(size, w.written))
        CHECK_BYTES(packed, other, size, 1);
    memset(packed + size, 'B', 100); /* bytes after the stream are not used */
    for (size_t most_out = 0; most_out <= 100000; most_out += 100000) {
        bzpieces r = from_packed(size + 100, most / 4 + (most != 0), most_out);
        CHECK_STATUS(ORDO_OK, bzpieces_read(ctx, &r), ctx);
        CHECK_EQ_U64(ORDO_BZ_ENDED, (uint64_t)r.state);
        CHECK_EQ_U64(size, r.used);
        if (CHECK_EQ_U64(n, r.written))
            CHECK_BYTES(plain, again, n, 1);
    }
}

static void test_pieces(void)
{
    static const size_t sizes[] = {0, 1, 4, 300, 99981, 200001, MOST};
    static const size_t pieces[] = {0, 20000, 400000};
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        ordo_ctx *const ctx = test_context_make(threads);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++) {
                fill(sizes[i]);
                check_pieces(ctx, sizes[i], sizes[i] < MOST ? 1 : (uint32_t)(3 * k) + threads,
                             pieces[k]);
            }
        fill(1000);
        check_pieces(ctx, 1000, 9, 1);
        ordo_ctx_free(ctx);
    }
}

/* Two streams, one reader for each; the data of the second begin where the first ended. */
static void test_two_streams(void)
{
    ordo_ctx *const ctx = test_context_make(2);
    fill(5000);
    size_t const size = pack(ctx, 5000, 9);
    memcpy(packed + size, packed, size);
    bzpieces first = from_packed(2 * size, 0, 0);
    CHECK_STATUS(ORDO_OK, bzpieces_read(ctx, &first), ctx);
    CHECK_EQ_U64(size, first.used);
    bzpieces second = first;
    second.in += first.used;
    second.n -= first.used;
    CHECK_STATUS(ORDO_OK, bzpieces_read(ctx, &second), ctx);
    CHECK_EQ_U64(5000, second.written);
    CHECK_BYTES(plain, again, 5000, 1);
    ordo_ctx_free(ctx);
}

/* ---- Damage ---- */

/* All at once, the verdict is that of the call on whole data. In pieces of one byte damage may be
 * noticed late, but wrong bytes are never accepted. */
static void check_damage(ordo_ctx *ctx, size_t n)
{
    size_t     size = 0;
    bool const good = ordo_bz_decompress(ctx, packed, n, other, room, &size, NULL, NULL) == ORDO_OK;
    for (size_t most = 0; most < 2; most++) {
        bzpieces          r = from_packed(n, most, 0);
        ordo_status const status = bzpieces_read(ctx, &r);
        bool const        ended = status == ORDO_OK && r.state == ORDO_BZ_ENDED;
        CHECK(status == ORDO_OK || status == ORDO_E_ARG);
        CHECK_EQ_U64(good, ended);
        if (ended && CHECK_EQ_U64(size, r.written))
            CHECK_BYTES(other, again, size, 1);
    }
}

static void test_damage(void)
{
    ordo_ctx *const ctx = test_context_make(2);
    fill(120);
    size_t const size = pack(ctx, 120, 1);
    for (size_t n = 0; n < size; n++) {
        bzpieces r = from_packed(n, 7, 0);
        testkit_case("the first %zu of %zu bytes", n, size);
        CHECK_STATUS(ORDO_OK, bzpieces_read(ctx, &r), ctx);
        CHECK_EQ_U64(ORDO_BZ_NEEDS_INPUT, (uint64_t)r.state);
    }
    for (size_t bit = 0; bit < 8 * size; bit++) {
        testkit_case("bit %zu flipped", bit);
        packed[bit / 8] ^= (uint8_t)(1U << bit % 8);
        check_damage(ctx, size);
        packed[bit / 8] ^= (uint8_t)(1U << bit % 8);
    }
    ordo_ctx_free(ctx);
}

/* The bytes of good blocks are written before the damage of a later block is reported. */
static void test_late_damage(void)
{
    ordo_ctx *const ctx = test_context_make(3);
    ordo_bz_reader *reader;
    size_t          used, written;
    fill(250000);
    size_t const size = pack(ctx, 250000, 1);
    packed[size - 40] ^= 4;
    CHECK_STATUS(ORDO_OK, ordo_bz_reader_open(ctx, &reader), ctx);
    CHECK_STATUS(ORDO_OK,
                 ordo_bz_reader_read(ctx, reader, packed, size, &used, again, 99000, &written),
                 ctx);
    CHECK_EQ_U64(99000, written);
    CHECK_BYTES(plain, again, written, 1);
    CHECK_EQ_U64(ORDO_BZ_HAS_OUTPUT, (uint64_t)ordo_bz_reader_state(reader));
    for (unsigned k = 0; k < 2; k++)
        CHECK_STATUS(ORDO_E_ARG,
                     ordo_bz_reader_read(ctx, reader, packed + used, size - used, &used, again,
                                         MOST, &written),
                     ctx);
    CHECK(strstr(ordo_last_error(ctx), "failed") != NULL);
    ordo_bz_reader_free(reader);
    ordo_ctx_free(ctx);
}

/* ---- Limits and faults ---- */

static void test_memory_limits(void)
{
    fill(240000);
    for (size_t limit = 1 << 20; limit <= (size_t)64 << 20; limit *= 2) {
        ordo_ctx *const ctx = CONTEXT(.threads = 4, .mem_limit = limit);
        bzpieces        w = from_plain(240000, 50000, 1);
        testkit_case("a limit of %zu bytes", limit);
        ordo_status status = bzpieces_write(ctx, &w);
        CHECK(status == ORDO_OK || (status == ORDO_E_NOMEM && limit <= (size_t)4 << 20));
        CHECK(report_of(ctx).scratch_bytes <= limit);
        if (status == ORDO_OK) {
            memcpy(packed, other, w.written);
            bzpieces r = from_packed(w.written, 30000, 9000);
            status = bzpieces_read(ctx, &r);
            CHECK(status == ORDO_OK || (status == ORDO_E_NOMEM && limit <= (size_t)8 << 20));
            CHECK(status != ORDO_OK || r.written == 240000);
        }
        CHECK(report_of(ctx).scratch_bytes <= limit);
        ordo_ctx_free(ctx);
    }
}

static void test_faults(void)
{
    ordo_ctx *const ctx = test_context_make(1);
    fill(240000);
    size_t const size = pack(ctx, 240000, 1);
    faults_attach(ctx);
    for (unsigned kind = 0; kind < 4; kind++)
        for (size_t at = 1;; at++) {
            bool const reads = kind / 2 != 0, refuses = kind % 2 != 0;
            bzpieces   r = from_packed(size, 70000, 0), w = from_plain(240000, 70000, 1);
            testkit_case("reads %d, refuses %d, at %zu", reads, refuses, at);
            if (refuses)
                faults_refuse(at, true);
            else
                faults_cancel(at);
            ordo_status const status = reads ? bzpieces_read(ctx, &r) : bzpieces_write(ctx, &w);
            if (status == ORDO_OK) {
                CHECK_EQ_U64(reads ? 240000 : size, reads ? r.written : w.written);
                break;
            }
            CHECK_EQ_U64((uint64_t)(refuses ? ORDO_E_NOMEM : ORDO_E_CANCELLED), (uint64_t)status);
            if (!CHECK(at < 200))
                break;
        }
    faults_detach();
    testkit_case("a sink that is full");
    bzpieces w = from_plain(240000, 70000, 1);
    w.capacity = size / 2;
    CHECK_STATUS(ORDO_E_IO, bzpieces_write(ctx, &w), ctx);
    ordo_ctx_free(ctx);
}

static void test_arguments(void)
{
    ordo_ctx *const    ctx = test_context_make(1);
    ordo_bz_opts const high = ORDO_OPTS(ordo_bz_opts, .level = 10);
    ordo_sink const    to = ORDO_OPTS(ordo_sink, .fd = -1);
    ordo_bz_writer    *writer;
    ordo_bz_reader    *reader;
    size_t             used, written;
    CHECK_STATUS(ORDO_E_ARG, ordo_bz_writer_open(ctx, &high, &writer), ctx);
    CHECK(writer == NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_bz_writer_open(ctx, NULL, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_bz_writer_open(NULL, NULL, &writer), NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_bz_writer_add(ctx, NULL, plain, 1, &to), ctx);
    CHECK_STATUS(ORDO_OK, ordo_bz_writer_open(ctx, NULL, &writer), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_bz_writer_add(ctx, writer, plain, 1, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_bz_writer_add(ctx, writer, NULL, 1, &to), ctx);
    CHECK_STATUS(ORDO_OK, ordo_bz_writer_add(ctx, writer, NULL, 0, &to), ctx);
    CHECK_STATUS(ORDO_E_IO, ordo_bz_writer_end(ctx, writer, &to, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_bz_writer_end(ctx, writer, &to, NULL), ctx);
    ordo_bz_writer_free(writer);
    ordo_bz_writer_free(NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_bz_reader_open(ctx, NULL), ctx);
    CHECK_STATUS(ORDO_OK, ordo_bz_reader_open(ctx, &reader), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_bz_reader_read(ctx, NULL, packed, 1, &used, again, 1, &written),
                 ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_bz_reader_read(ctx, reader, NULL, 1, &used, again, 1, &written),
                 ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_bz_reader_read(ctx, reader, packed, 1, NULL, again, 1, &written),
                 ctx);
    CHECK_STATUS(ORDO_E_ARG,
                 ordo_bz_reader_read(ctx, reader, packed, 9, &used, packed, 9, &written), ctx);
    size_t const size = pack(ctx, 0, 9);
    CHECK_STATUS(ORDO_OK, ordo_bz_reader_read(ctx, reader, packed, size, &used, NULL, 0, &written),
                 ctx);
    CHECK_EQ_U64(ORDO_BZ_ENDED, (uint64_t)ordo_bz_reader_state(reader));
    CHECK_STATUS(ORDO_E_ARG,
                 ordo_bz_reader_read(ctx, reader, packed, size, &used, NULL, 0, &written), ctx);
    ordo_bz_reader_free(reader);
    ordo_bz_reader_free(NULL);
    ordo_ctx_free(ctx);
}

int main(void)
{
    testkit_start();
    room = ordo_bz_bound(MOST) + 4096;
    plain = test_keep(MOST);
    packed = test_keep(room);
    again = test_keep(MOST);
    other = test_keep(room);
    test_pieces();
    test_two_streams();
    test_damage();
    test_late_damage();
    test_memory_limits();
    test_faults();
    test_arguments();
    return testkit_done();
}

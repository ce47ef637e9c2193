/* test_bz_codec.c - round trips and equality with libbz2 over inputs, levels and threads; streams,
 * limits of memory, failures of callbacks, cancellation, wrong arguments. */
#define _GNU_SOURCE
#include "kit/text/bzkit.h"
#include "faults.h"
#include "ordo_bz.h"
#include "testkit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST = TESTKIT_SANITIZED ? 250000 : 2500000
};

static uint8_t *plain, *packed, *again, *other;
static size_t   packed_room;

/* ---- Inputs ---- */

/* Words of a small dictionary, as text has them. */
static void fill_words(size_t n, uint64_t seed)
{
    test_rng rng = {seed};
    for (size_t at = 0; at < n;) {
        uint64_t const word = test_rng_below(&rng, 500) * test_rng_below(&rng, 500) / 500;
        for (uint64_t k = 0; k <= word % 7 && at < n; k++)
            plain[at++] = (uint8_t)('a' + (word * 7 + k * k * 3) % 26);
        if (at < n)
            plain[at++] = ' ';
    }
}

static void fill(unsigned kind, size_t n)
{
    test_rng rng = {kind + 1};
    switch (kind) {
    case 0:
        fill_words(n, 5);
        break;
    case 1:
        for (size_t i = 0; i < n; i++)
            plain[i] = (uint8_t)test_rng_next(&rng);
        break;
    case 2:
        memset(plain, 0, n);
        break;
    case 3: /* runs of every length around the limits */
        for (size_t at = 0; at < n;) {
            static const unsigned lengths[] = {1,   2,   3,   4,   5,   254, 255,
                                               256, 258, 259, 260, 510, 514};
            unsigned const        length = lengths[test_rng_below(&rng, 13)];
            uint8_t const         byte = (uint8_t)test_rng_below(&rng, 3);
            for (unsigned k = 0; k < length && at < n; k++)
                plain[at++] = byte;
        }
        break;
    default: /* few letters */
        for (size_t i = 0; i < n; i++)
            plain[i] = (uint8_t)(255 * (test_rng_next(&rng) >> 60 == 0));
    }
}

/* ---- Round trips ---- */

static void check_round_trip(ordo_ctx *ctx, size_t n, unsigned level)
{
    ordo_bz_opts const opts = ORDO_OPTS(ordo_bz_opts, .level = level);
    ordo_bz_report     report = {.struct_size = sizeof report};
    size_t             size = 0, back = 0;
    CHECK(ordo_bz_bound(n) <= packed_room);
    CHECK_STATUS(ORDO_OK,
                 ordo_bz_compress(ctx, plain, n, packed, ordo_bz_bound(n), &size, &opts, &report),
                 ctx);
    CHECK_EQ_U64(n, report.in);
    CHECK_EQ_U64(size, report.out);
    if (bzkit_has_library()) {
        size_t expected = packed_room;
        CHECK(bzkit_compress(plain, n, (int)level, other, &expected));
        if (CHECK_EQ_U64(expected, size))
            CHECK_BYTES(other, packed, size, 1);
    }
    CHECK_STATUS(ORDO_OK, ordo_bz_decompress(ctx, packed, size, again, n, &back, NULL, &report),
                 ctx);
    CHECK_EQ_U64(n, back);
    CHECK_EQ_U64(1, report.streams);
    CHECK_EQ_U64(0, report.trailing);
    CHECK_BYTES(plain, again, n, 1);
    if (n > 0)
        CHECK_STATUS(ORDO_E_ARG,
                     ordo_bz_decompress(ctx, packed, size, again, n - 1, &back, NULL, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_bz_compress(ctx, plain, n, packed, size - 1, &back, &opts, NULL),
                 ctx);
    CHECK_EQ_U64(0, back);
}

static void test_round_trips(void)
{
    static const size_t sizes[] = {0,   1,    2,     3,     4,     5,      255,
                                   259, 1000, 99980, 99981, 99990, 200001, MOST};
    if (!bzkit_has_library())
        testkit_skip("libbz2 is not installed: the bytes of bzip2 are not compared");
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        ordo_ctx *const ctx = test_context_make(threads);
        for (unsigned kind = 0; kind < 5; kind++)
            for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
                unsigned const level = 1 + (unsigned)((i + kind + threads) % 9);
                testkit_case("kind %u, %zu bytes, level %u, %u threads", kind, sizes[i], level,
                             threads);
                fill(kind, sizes[i]);
                check_round_trip(ctx, sizes[i], i >= 9 && i < 12 ? 1 : level);
            }
        ordo_ctx_free(ctx);
    }
}

/* A run of each length at the end of a full block of level 1 and across it. The data go on after
 * it: if the last byte fills the block, libbz2's call on buffers puts the last run into that
 * block, its streams (and the program bzip2, Python and ordo) into a block of its own. */
static void test_runs_at_block_ends(void)
{
    ordo_ctx *const       ctx = test_context_make(2);
    static const unsigned runs[] = {1, 2, 3, 4, 5, 254, 255, 256, 258, 259, 260, 511, 1000};
    for (size_t r = 0; r < sizeof runs / sizeof *runs; r++)
        for (size_t from = 99970; from <= 99985; from += TESTKIT_SANITIZED ? 5 : 1) {
            testkit_case("a run of %u at %zu", runs[r], from);
            for (size_t i = 0; i < from; i++)
                plain[i] = (uint8_t)(i * i % 251 + i % 2);
            memset(plain + from, 'r', runs[r]);
            memcpy(plain + from + runs[r], "more than the rest of the block ...", 35);
            check_round_trip(ctx, from + runs[r] + 35, 1);
        }
    ordo_ctx_free(ctx);
}

/* ---- Streams ---- */

typedef struct tape {
    uint8_t *bytes;
    size_t   n, at, step;
    size_t   fails_at; /* SIZE_MAX: never */
} tape;

static ptrdiff_t tape_read(void *user, void *into, size_t bytes)
{
    tape *const t = user;
    size_t      now = t->n - t->at < bytes ? t->n - t->at : bytes;
    if (t->at >= t->fails_at) {
        errno = EIO;
        return -1;
    }
    now = now < t->step ? now : t->step;
    memcpy(into, t->bytes + t->at, now);
    t->at += now;
    return (ptrdiff_t)now;
}

static ptrdiff_t tape_write(void *user, const void *from, size_t bytes)
{
    tape *const  t = user;
    size_t const now = bytes < t->step ? bytes : t->step;
    if (t->at >= t->fails_at || now > t->n - t->at) {
        errno = ENOSPC;
        return -1;
    }
    memcpy(t->bytes + t->at, from, now);
    t->at += now;
    return (ptrdiff_t)now;
}

static ordo_status stream(ordo_ctx *ctx, bool unpacks, tape *in, tape *out)
{
    ordo_source const  from = ORDO_OPTS(ordo_source, .read = tape_read, .user = in);
    ordo_sink const    to = ORDO_OPTS(ordo_sink, .write = tape_write, .user = out);
    ordo_bz_opts const opts = ORDO_OPTS(ordo_bz_opts, .level = 1);
    return unpacks ? ordo_bz_decompress_stream(ctx, &from, &to, NULL, NULL)
                   : ordo_bz_compress_stream(ctx, &from, &to, &opts, NULL);
}

static void test_streams(void)
{
    size_t const    n = 240000;
    ordo_ctx *const ctx = test_context_make(3);
    fill(0, n);
    for (size_t step = 7; step < n; step *= 37) {
        testkit_case("pieces of %zu bytes", step);
        tape in = {plain, n, 0, step, SIZE_MAX}, out = {packed, packed_room, 0, step, SIZE_MAX};
        CHECK_STATUS(ORDO_OK, stream(ctx, false, &in, &out), ctx);
        tape from = {packed, out.at, 0, step, SIZE_MAX}, to = {again, n, 0, step, SIZE_MAX};
        CHECK_STATUS(ORDO_OK, stream(ctx, true, &from, &to), ctx);
        CHECK_EQ_U64(n, to.at);
        CHECK_BYTES(plain, again, n, 1);
        for (unsigned unpacks = 0; unpacks < 2; unpacks++) {
            tape one = unpacks ? from : in, two = unpacks ? to : out;
            one.at = two.at = 0;
            one.fails_at = 5000;
            CHECK_STATUS(ORDO_E_IO, stream(ctx, unpacks, &one, &two), ctx);
            CHECK(strstr(ordo_last_error(ctx), "reading the source failed") != NULL);
            one.at = two.at = 0;
            one.fails_at = SIZE_MAX;
            two.fails_at = 5000;
            CHECK_STATUS(ORDO_E_IO, stream(ctx, unpacks, &one, &two), ctx);
            CHECK(strstr(ordo_last_error(ctx), "writing the sink failed") != NULL);
        }
    }
    ordo_ctx_free(ctx);
}

/* ---- Limits, faults, arguments ---- */

static void test_memory_limits(void)
{
    size_t const n = 240000;
    size_t       size, back, fitted = 0;
    fill(0, n);
    for (size_t limit = 1 << 20; limit <= (size_t)128 << 20; limit *= 2) {
        testkit_case("a limit of %zu bytes", limit);
        ordo_ctx *const    ctx = CONTEXT(.threads = 4, .mem_limit = limit);
        ordo_bz_opts const opts = ORDO_OPTS(ordo_bz_opts, .level = 1);
        ordo_status const  status =
            ordo_bz_compress(ctx, plain, n, packed, packed_room, &size, &opts, NULL);
        CHECK(status == ORDO_OK || status == ORDO_E_NOMEM);
        CHECK(status == ORDO_OK || limit <= (size_t)4 << 20);
        if (status == ORDO_OK) {
            fitted++;
            ordo_status const reverse =
                ordo_bz_decompress(ctx, packed, size, again, n, &back, NULL, NULL);
            CHECK(reverse == ORDO_OK || (reverse == ORDO_E_NOMEM && limit <= (size_t)32 << 20));
            if (reverse == ORDO_OK)
                CHECK_BYTES(plain, again, n, 1);
        }
        CHECK(report_of(ctx).scratch_bytes <= limit);
        ordo_ctx_free(ctx);
    }
    CHECK(fitted >= 4);
}

static void test_faults(void)
{
    size_t const       n = 240000;
    size_t             size = 0, back = 0;
    ordo_ctx *const    ctx = test_context_make(1);
    ordo_bz_opts const opts = ORDO_OPTS(ordo_bz_opts, .level = 1);
    fill(0, n);
    faults_attach(ctx);
    for (unsigned unpacks = 0; unpacks < 2; unpacks++)
        for (unsigned refuses = 0; refuses < 2; refuses++)
            for (size_t at = 1;; at++) {
                testkit_case("unpacks %u, refuses %u, at %zu", unpacks, refuses, at);
                if (refuses)
                    faults_refuse(at, true);
                else
                    faults_cancel(at);
                ordo_status const status =
                    unpacks
                        ? ordo_bz_decompress(ctx, packed, size, again, n, &back, NULL, NULL)
                        : ordo_bz_compress(ctx, plain, n, packed, packed_room, &size, &opts, NULL);
                if (status == ORDO_OK)
                    break;
                CHECK_EQ_U64((uint64_t)(refuses ? ORDO_E_NOMEM : ORDO_E_CANCELLED),
                             (uint64_t)status);
                if (!CHECK(at < 200))
                    break;
            }
    faults_detach();
    CHECK_EQ_U64(n, back);
    CHECK_BYTES(plain, again, n, 1);
    ordo_ctx_free(ctx);
}

static void test_arguments(void)
{
    ordo_ctx *const    ctx = test_context_make(1);
    size_t             size;
    tape               t = {packed, 100, 0, 100, SIZE_MAX};
    ordo_source const  from = ORDO_OPTS(ordo_source, .read = tape_read, .user = &t);
    ordo_bz_opts const high = ORDO_OPTS(ordo_bz_opts, .level = 10);
    CHECK_STATUS(ORDO_E_ARG, ordo_bz_compress(ctx, NULL, 1, packed, 9, &size, NULL, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_bz_compress(ctx, plain, 1, NULL, 9, &size, NULL, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_bz_compress(ctx, plain, 1, packed, 99, NULL, NULL, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_bz_compress(ctx, plain, 9, plain, 99, &size, NULL, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_bz_compress(ctx, plain, 1, packed, 99, &size, &high, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_bz_compress_stream(ctx, &from, NULL, NULL, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_bz_decompress_stream(ctx, NULL, NULL, NULL, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_bz_compress(NULL, plain, 1, packed, 99, &size, NULL, NULL), NULL);
    CHECK(ordo_bz_bound(SIZE_MAX) == SIZE_MAX && ordo_bz_bound(0) >= 14);
    ordo_ctx_free(ctx);
}

int main(void)
{
    testkit_start();
    packed_room = ordo_bz_bound(MOST);
    plain = test_keep(MOST);
    packed = test_keep(packed_room);
    again = test_keep(MOST);
    other = test_keep(packed_room);
    test_round_trips();
    test_runs_at_block_ends();
    test_streams();
    test_memory_limits();
    test_faults();
    test_arguments();
    return testkit_done();
}

/* test_gen_bytes.c - generators write the same bytes for every number of threads and on every
 * machine, and write nothing outside their array.
 *
 * The hashes are the same on aarch64 and x86-64. A changed hash means that the data of
 * a recorded seed has changed. */
#include "inputs.h"
#include "testkit.h"

#include <stdlib.h>
#include <string.h>

enum {
    SMALL = 1000,
    LARGE = 200001,
    NUMERIC = ORDO_DIST_BUCKET, /* the last distribution before those of strings */
    LATER = INPUTS_DISTS - ORDO_DIST_SHUFFLED + 1,
    TYPES = ORDO_F64
};

static bool makes_strings(ordo_dist dist)
{
    return dist == ORDO_DIST_STRINGS || dist == ORDO_DIST_FASTA;
}

/* Whether key i does not depend on n. */
static bool drawn_alone(ordo_dist dist)
{
    return dist <= ORDO_DIST_ZIPF || dist == ORDO_DIST_SIGNED || dist == ORDO_DIST_NORMAL ||
           dist == ORDO_DIST_LOGUNIFORM || dist == ORDO_DIST_PRICES || dist == ORDO_DIST_SENSORS;
}

/* Options that every type accepts. Lowers *n if the type has too few values. */
static ordo_gen_opts usual_opts(ordo_dist dist, ordo_type type, size_t *n)
{
    const size_t  size = ordo_type_size(type);
    ordo_gen_opts opts = ORDO_OPTS(ordo_gen_opts, .seed = 42);

    if (dist == ORDO_DIST_RECUR)
        opts.p = size <= 2 ? 1 - 16.0 / (double)(*n + 16) : 0.5;
    if (dist == ORDO_DIST_SHUFFLED)
        opts.k = *n / 7;
    if (dist == ORDO_DIST_KSORTED) {
        const size_t most = size == 1 ? 200 : size == 2 ? 60000 : LARGE;
        *n = *n > most ? most : *n;
        opts.k = *n / 7;
    }
    return opts;
}

static uint32_t hash_of(const void *bytes, size_t count)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    return (uint32_t)(hash ^ hash >> 32);
}

/* ---- Hashes ---- */

/* Of SMALL keys; rows are distributions, columns are types from i8 to f64. */
static const uint32_t small_hashes[NUMERIC][TYPES] = {
    /* uniform */
    {0x59e60d64, 0x4e45fc2b, 0x0db16c5f, 0xf1656147, 0xd4b1cf4d, 0x09fcc79e, 0x08cdfab7, 0x610afd2c,
     0x46c03812, 0xa196f460},
    /* gaussian */
    {0xcb91dcea, 0x8f746668, 0xca89a6c1, 0x45392110, 0xae0bdf2d, 0x3c2391c6, 0x5bd868d5, 0x3338af8a,
     0x2178bb53, 0x8fb617ed},
    /* zero */
    {0x99749c52, 0x99749c52, 0x21d8051c, 0x21d8051c, 0xaaf33102, 0xaaf33102, 0x17c67a51, 0x17c67a51,
     0xaaf33102, 0x17c67a51},
    /* few */
    {0x4c7adf2b, 0x17e4afdb, 0x23aa5ec5, 0xb6fe8253, 0xcdd7529e, 0xa7ef35b3, 0x0bf9a99f, 0x7faff2cb,
     0x6d88c152, 0x1a55622c},
    /* zipf */
    {0x330e1299, 0xae51d8f1, 0x6a8bd15b, 0x9795c033, 0xcbe628cf, 0xcbe628cf, 0x77edaf2a, 0x77edaf2a,
     0x042d8a0b, 0xa3da14dd},
    /* sorted */
    {0xd462c123, 0x496d09f6, 0xf08ae188, 0x0a50ea83, 0x21727a24, 0x468028ef, 0x9c50b65c, 0x77d8cb95,
     0xaf7ecdad, 0x02018651},
    /* reverse */
    {0x37eff576, 0xf3f144a8, 0x9ead1601, 0x0164cd6d, 0x7889c336, 0x27529628, 0x7a81ee6d, 0x0948c012,
     0x1992eff5, 0x3a2f7275},
    /* organpipe */
    {0x62bd4d80, 0xbc215207, 0xab6073fd, 0x9714fbc6, 0xbd0c2801, 0x749f91c1, 0x2b064c3e, 0xf0ee79f7,
     0x2aa8d6f8, 0x329bca14},
    /* sawtooth */
    {0xeab98211, 0xeac3088d, 0x5bff3c3f, 0xddcc1872, 0x9e04bb68, 0xcbcce6a6, 0x6fcd2353, 0x8a8f8631,
     0xc3a1e910, 0xc1eccea3},
    /* recur */
    {0xbb957479, 0x30408fa6, 0x2cff4749, 0xf3a9fa5f, 0x0c5d204d, 0x4230cdb5, 0x4ace2034, 0xf823a1e4,
     0x7d80f918, 0xd6639980},
    /* ksorted */
    {0x3a4efab3, 0x49ce03b8, 0x75059e8a, 0x4fd7c9cd, 0xf155d184, 0x82f32f9f, 0x4bab0e97, 0x7685345e,
     0xcb63b831, 0x53a78943},
    /* dupes */
    {0x891b4587, 0x891b4587, 0x73434735, 0x73434735, 0x099dbad6, 0x099dbad6, 0x700311fb, 0x700311fb,
     0x65b60d76, 0x544d554e},
    /* staggered */
    {0x694d2e6e, 0x694d2e6e, 0x9a5faa8e, 0x9a5faa8e, 0xd02dc614, 0xd02dc614, 0x13fc40af, 0x13fc40af,
     0x2ab75387, 0x48227534},
    /* bucket */
    {0x8aa7c3b5, 0x8aa7c3b5, 0x2ee09add, 0x2ee09add, 0x5a3f46dc, 0x5a3f46dc, 0x1f91dbbd, 0x1f91dbbd,
     0xf3d68d53, 0x3d36ebeb},
};

/* Of LARGE i32 keys: many blocks; the ksorted keys are one run. */
static const uint32_t large_hashes[NUMERIC] = {
    0x25fdca23, 0x6c3c381d, 0xde8feda8, 0x0bb78870, 0x4ec8d4db, 0xde9df2c7, 0xd4da96f8,
    0x2fb790e5, 0xc3f242a0, 0x56dfbb63, 0x00719ff5, 0x151bad6e, 0x94515b80, 0xe234d968};

static void test_small_hashes(ordo_ctx *ctx, void *keys)
{
    for (int d = 1; d <= NUMERIC; d++) {
        for (int t = 1; t <= TYPES; t++) {
            size_t              n = SMALL;
            const ordo_gen_opts opts = usual_opts((ordo_dist)d, (ordo_type)t, &n);
            testkit_case("distribution %d, %s", d, ordo_type_name((ordo_type)t));
            CHECK_STATUS(ORDO_OK, ordo_gen(ctx, (ordo_dist)d, (ordo_type)t, keys, n, &opts), ctx);
            CHECK_EQ_U64(small_hashes[d - 1][t - 1],
                         hash_of(keys, n * ordo_type_size((ordo_type)t)));
        }
    }
}

static void test_large_hashes(ordo_ctx *ctx, void *keys)
{
    for (int d = 1; d <= NUMERIC; d++) {
        size_t        n = LARGE;
        ordo_gen_opts opts = usual_opts((ordo_dist)d, ORDO_I32, &n);
        testkit_case("distribution %d, large", d);
        if (d == ORDO_DIST_KSORTED)
            opts.k = LARGE - 1;
        CHECK_STATUS(ORDO_OK, ordo_gen(ctx, (ordo_dist)d, ORDO_I32, keys, n, &opts), ctx);
        CHECK_EQ_U64(large_hashes[d - 1], hash_of(keys, n * sizeof(int32_t)));
    }
}

/* Of SMALL keys of the distributions from shuffled on, columns are types; then of LARGE i32. */
static const uint32_t later_hashes[][TYPES + 1] = {
    /* shuffled */
    {0x7ec84dbd, 0xda58ce96, 0x3a331513, 0xfed0906e, 0x5f83da0c, 0x3c01123f, 0xf4a95b93, 0xa159abc6,
     0x554482ef, 0xd7178653, 0x6ab221f8},
    /* signed */
    {0x677d4d67, 0x76e98b37, 0xc2e2f6ca, 0x82e4c60d, 0xa4c61a8c, 0xa98f35b0, 0x3a16c2b6, 0x1ce60880,
     0x22d24403, 0x03552d8f, 0x35b829f8},
    /* normal */
    {0x6304db73, 0x70399747, 0x0459fc20, 0x32aae148, 0x6825009d, 0xfe9ac5ba, 0x5c573a35, 0x674f77dd,
     0xf8008f4c, 0x0d6ef812, 0xaee9030e},
    /* loguniform */
    {0x1a95ce66, 0x0de60742, 0x229b7020, 0x6451e0f9, 0xdf2c59bf, 0x11e53145, 0xf54c8334, 0x9dc07a95,
     0x175460cc, 0x80fb5c41, 0xf95e7d2d},
    /* outliers */
    {0x4c8a6064, 0x72c18fd8, 0x176942ad, 0xd2e554ce, 0x6b0d7279, 0x8bbd396c, 0xb704056c, 0xcdb61a9b,
     0x95b738ed, 0x172f7368, 0x7755ced4},
    /* timestamps */
    {0x514dad10, 0x65b8adc7, 0x45e83ba4, 0x477ccb1e, 0x13d1d401, 0x69c84e9e, 0x1f1349f7, 0xcd71a23c,
     0xae237fef, 0xee9bae44, 0x698a9056},
    /* prices */
    {0x5c1ce5e7, 0x5c1ce5e7, 0xc8d2b113, 0xc8d2b113, 0xaf2d21ad, 0xaf2d21ad, 0xc2049455, 0xc2049455,
     0xe6ae523b, 0x1822f2e8, 0x4efc4c59},
    /* sensors */
    {0xf68445b6, 0xf68445b6, 0x624dbbaa, 0x624dbbaa, 0x3a101a04, 0x3a101a04, 0xde7329d6, 0xde7329d6,
     0xfeb1530b, 0xdeeb6e7a, 0x2dd50290},
};

_Static_assert(sizeof later_hashes / sizeof *later_hashes == LATER, "a row for each distribution");

static void test_later_hashes(ordo_ctx *ctx, void *keys)
{
    for (int row = 0; row < LATER; row++) {
        const ordo_dist dist = (ordo_dist)(ORDO_DIST_SHUFFLED + row);
        for (int t = 1; t <= TYPES + 1; t++) {
            const ordo_type     type = t <= TYPES ? (ordo_type)t : ORDO_I32;
            size_t              n = t <= TYPES ? SMALL : LARGE;
            const ordo_gen_opts opts = usual_opts(dist, type, &n);
            testkit_case("distribution %d, %s, n = %zu", (int)dist, ordo_type_name(type), n);
            CHECK_STATUS(ORDO_OK, ordo_gen(ctx, dist, type, keys, n, &opts), ctx);
            CHECK_EQ_U64(later_hashes[row][t - 1], hash_of(keys, n * ordo_type_size(type)));
        }
    }
}

static void test_string_hashes(ordo_ctx *ctx, ordo_dist dist, uint32_t offsets_hash,
                               uint32_t bytes_hash)
{
    const ordo_gen_opts opts = ORDO_OPTS(ordo_gen_opts, .seed = 42);
    uint64_t            offsets[SMALL + 1];
    char *const         bytes = test_need(SMALL * 500);

    testkit_case("distribution %d", (int)dist);
    CHECK_STATUS(ORDO_OK,
                 ordo_gen_strings(ctx, dist, SMALL, offsets, bytes, (size_t)SMALL * 500, &opts),
                 ctx);
    CHECK_EQ_U64(offsets_hash, hash_of(offsets, sizeof offsets));
    CHECK_EQ_U64(bytes_hash, hash_of(bytes, (size_t)offsets[SMALL]));
    free(bytes);
}

/* ---- Threads ---- */

enum {
    MOST_THREADS = 8
};

static void test_threads(ordo_ctx *const with[MOST_THREADS + 1], ordo_dist dist, ordo_type type)
{
    size_t              n = LARGE;
    const ordo_gen_opts opts = usual_opts(dist, type, &n);
    const size_t        size = ordo_type_size(type);
    void *const expected = test_need(LARGE * 8), *const got = test_need(LARGE * 8);

    CHECK_STATUS(ORDO_OK, ordo_gen(with[1], dist, type, expected, n, &opts), with[1]);
    for (unsigned threads = 2; threads <= MOST_THREADS; threads++) {
        testkit_case("distribution %d, %s, %u threads", (int)dist, ordo_type_name(type), threads);
        memset(got, 0x55, n * size);
        CHECK_STATUS(ORDO_OK, ordo_gen(with[threads], dist, type, got, n, &opts), with[threads]);
        CHECK_BYTES(expected, got, n * size, size);
    }
    free(expected);
    free(got);
}

static void test_string_threads(ordo_ctx *const with[MOST_THREADS + 1], ordo_dist dist)
{
    enum {
        N = 5000
    };
    static uint64_t expected_offsets[N + 1], offsets[N + 1];
    const size_t    capacity = (size_t)N * 500;
    char *const expected = test_need(capacity), *const bytes = test_need(capacity);

    CHECK_STATUS(ORDO_OK,
                 ordo_gen_strings(with[1], dist, N, expected_offsets, expected, capacity, NULL),
                 with[1]);
    for (unsigned threads = 2; threads <= MOST_THREADS; threads++) {
        testkit_case("distribution %d, %u threads", (int)dist, threads);
        CHECK_STATUS(ORDO_OK,
                     ordo_gen_strings(with[threads], dist, N, offsets, bytes, capacity, NULL),
                     with[threads]);
        CHECK_BYTES(expected_offsets, offsets, sizeof offsets, sizeof *offsets);
        CHECK_BYTES(expected, bytes, (size_t)offsets[N], 1);
    }
    free(expected);
    free(bytes);
}

/* ---- Bounds ---- */

/* Every small n between inaccessible pages: the call writes the whole array. Where keys are drawn
 * one by one, a shorter array is a prefix of a longer one. */
static void test_bounds(ordo_ctx *ctx)
{
    enum {
        MOST = 70
    };
    guard_region  region = guard_make(MOST * 8);
    unsigned char longest[MOST * 8], first[MOST * 8];

    for (int d = 1; d <= INPUTS_DISTS; d++) {
        for (int t = 1; t <= TYPES && !makes_strings((ordo_dist)d); t++) {
            const size_t size = ordo_type_size((ordo_type)t);
            for (size_t n = MOST + 1; n-- > 0;) {
                const ordo_gen_opts opts = usual_opts((ordo_dist)d, (ordo_type)t, &(size_t){n});
                const guard_side    side = n % 2 ? GUARD_END : GUARD_START;
                void *const         keys = guard_place(&region, n * size, side);
                testkit_case("distribution %d, %s, n = %zu", d, ordo_type_name((ordo_type)t), n);
                for (int old_byte = 0x55; old_byte <= 0xaa; old_byte += 0x55) {
                    memcpy(first, keys, n * size);
                    memset(keys, old_byte, n * size);
                    CHECK_STATUS(ORDO_OK, ordo_gen(ctx, (ordo_dist)d, (ordo_type)t, keys, n, &opts),
                                 ctx);
                }
                CHECK_BYTES(first, keys, n * size, size);
                CHECK(guard_intact(&region, n * size, side));
                if (n == MOST)
                    memcpy(longest, keys, n * size);
                else if (drawn_alone((ordo_dist)d))
                    CHECK_BYTES(longest, keys, n * size, size);
            }
        }
    }
    guard_free(&region);
}

int main(void)
{
    testkit_start();
    ordo_ctx   *with[MOST_THREADS + 1] = {NULL};
    void *const keys = test_keep(LARGE * 8);
    for (unsigned threads = 1; threads <= MOST_THREADS; threads++)
        with[threads] = test_context_make(threads);

    test_small_hashes(with[1], keys);
    test_large_hashes(with[1], keys);
    test_later_hashes(with[1], keys);
    test_string_hashes(with[1], ORDO_DIST_STRINGS, 0x555a9b57, 0x8b0d5f5a);
    test_string_hashes(with[1], ORDO_DIST_FASTA, 0xdf9b35f9, 0x8954e6c5);
    for (int d = 1; d <= INPUTS_DISTS; d++)
        for (int t = 1; t <= TYPES && !makes_strings((ordo_dist)d); t++)
            test_threads(with, (ordo_dist)d, (ordo_type)t);
    test_string_threads(with, ORDO_DIST_STRINGS);
    test_string_threads(with, ORDO_DIST_FASTA);
    test_bounds(with[1]);

    for (unsigned threads = 1; threads <= MOST_THREADS; threads++)
        ordo_ctx_free(with[threads]);
    return testkit_done();
}

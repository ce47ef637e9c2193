/* test_gen.c - the properties of generated keys: ranges, shapes, exact radii, recurrence, distinct
 * counts, buckets. test_gen_bytes.c compares their bytes, test_gen_args.c tests arguments.
 *
 * Statistical checks use fixed seeds and allow five standard deviations. */
#include "testkit.h"

#include "core/keybits.h"
#include "oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static ordo_ctx *ctx;

/* The key bits of key i. */
static uint64_t order_of(ordo_type type, const void *keys, size_t i)
{
    switch (type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        return key_bits_##tag(((const key *)keys)[i]);
#include "core/types.def"
    }
    return 0;
}

/* Key i as a fraction of the range of an integer type; a float itself. */
static double share_of(ordo_type type, const void *keys, size_t i)
{
    if (type == ORDO_F32)
        return (double)((const float *)keys)[i];
    if (type == ORDO_F64)
        return ((const double *)keys)[i];
    return ldexp((double)order_of(type, keys, i), -8 * (int)ordo_type_size(type));
}

static void *make(ordo_dist dist, ordo_type type, size_t n, uint64_t k, double p)
{
    const ordo_gen_opts opts = ORDO_OPTS(ordo_gen_opts, .seed = 7, .k = k, .p = p);
    void *const         keys = test_keep((n + 1) * ordo_type_size(type));
    testkit_case("distribution %d, %s, n = %zu, k = %llu, p = %g", (int)dist, ordo_type_name(type),
                 n, (unsigned long long)k, p);
    CHECK_STATUS(ORDO_OK, ordo_gen(ctx, dist, type, keys, n, &opts), ctx);
    return keys;
}

static bool near(double got, double mean, double deviation)
{
    return fabs(got - mean) <= 5 * deviation;
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static size_t distinct(ordo_type type, const void *keys, size_t n)
{
    uint64_t *const all = test_need(n * sizeof *all);
    size_t          count = n > 0;
    for (size_t i = 0; i < n; i++)
        all[i] = order_of(type, keys, i);
    qsort(all, n, sizeof *all, by_value);
    for (size_t i = 1; i < n; i++)
        count += all[i] != all[i - 1];
    free(all);
    return count;
}

/* ---- Draws ---- */

/* Mean and variance; for uniform keys also the frequencies of 16 equal parts of the range. */
static void test_moments(ordo_type type)
{
    enum {
        N = 100000,
        PARTS = 16
    };
    for (int d = ORDO_DIST_UNIFORM; d <= ORDO_DIST_GAUSSIAN; d++) {
        void *const  keys = make((ordo_dist)d, type, N, 0, 0);
        const double draws = d == ORDO_DIST_UNIFORM ? 1 : 4;
        double       sum = 0, squares = 0;
        unsigned     count[PARTS] = {0};
        for (size_t i = 0; i < N; i++) {
            const double x = share_of(type, keys, i);
            CHECK(x >= 0 && (x < 1 || ordo_type_size(type) == 8));
            sum += x;
            squares += (x - 0.5) * (x - 0.5);
            count[(unsigned)fmin(x * PARTS, PARTS - 1)]++;
        }
        const double variance = 1 / (12 * draws);
        const double half_step = ordo_type_size(type) == 1 ? 0.5 / 256 : 0;
        CHECK(near(sum / N + half_step, 0.5, sqrt(variance / N)));
        CHECK(near(squares / N, variance, variance * sqrt(2.0 / N) + half_step * half_step));
        for (unsigned part = 0; d == ORDO_DIST_UNIFORM && part < PARTS; part++)
            CHECK(near(count[part], N / (double)PARTS, sqrt(N / (double)PARTS)));
    }
}

static void test_zero(ordo_type type)
{
    static const unsigned char zeros[8 * 1000];
    void *const                keys = make(ORDO_DIST_ZERO, type, 1000, 0, 0);
    CHECK_BYTES(zeros, keys, 1000 * ordo_type_size(type), ordo_type_size(type));
}

static void test_few(ordo_type type, uint64_t k)
{
    enum {
        N = 20000
    };
    void *const keys = make(ORDO_DIST_FEW, type, N, k, 0);
    double      largest = 0;
    for (size_t i = 0; i < N; i++)
        largest = fmax(largest, share_of(type, keys, i));
    CHECK_EQ_U64(k == 0 ? 100 : k, distinct(type, keys, N));
    CHECK(k == 1 || largest >= 1 - 1.0 / (double)(k == 0 ? 100 : k) - 1.0 / 256);
}

static void test_zipf(ordo_type type, uint64_t k)
{
    enum {
        N = 100000,
        LOOK = 10
    };
    void *const    keys = make(ORDO_DIST_ZIPF, type, N, k, 0);
    const uint64_t last = k != 0 ? k : ordo_type_size(type) == 1 ? 127 : 32767;
    unsigned       count[LOOK + 1] = {0};
    double         harmonic = 0;

    for (size_t i = 0; i < N; i++) {
        const double x = type == ORDO_F32   ? (double)((const float *)keys)[i]
                         : type == ORDO_I16 ? ((const int16_t *)keys)[i]
                                            : ((const int8_t *)keys)[i];
        CHECK(x >= 1 && x <= (double)last && x == floor(x));
        count[x <= LOOK ? (unsigned)x : 0]++;
    }
    for (uint64_t x = last; x > 0; x--)
        harmonic += 1 / (double)x;
    for (unsigned x = 1; x <= LOOK && x <= last; x++) {
        const double share = 1 / (x * harmonic);
        CHECK(near(count[x], N * share, sqrt(N * share * (1 - share))));
    }
}

/* ---- Runs ---- */

static size_t count_descents(ordo_type type, const void *keys, size_t n)
{
    return oracle_runs(type, keys, n, false) - 1;
}

static void test_runs(ordo_type type, size_t n)
{
    const size_t size = ordo_type_size(type);
    void *const  sorted = make(ORDO_DIST_SORTED, type, n, 0, 0);
    void *const  reverse = make(ORDO_DIST_REVERSE, type, n, 0, 0);
    void *const  pipe = make(ORDO_DIST_ORGANPIPE, type, n, 0, 0);
    const size_t top = (n + 1) / 2;

    CHECK_EQ_U64(0, count_descents(type, sorted, n));
    CHECK_EQ_U64(0, count_descents(type, pipe, top));
    for (size_t i = 0; i < n; i++) {
        CHECK(order_of(type, sorted, i) == order_of(type, reverse, n - 1 - i));
        CHECK(order_of(type, pipe, i) == order_of(type, pipe, n - 1 - i));
        CHECK(fabs(share_of(type, sorted, i) - (double)i / (double)n) <= 1.0 / (double)n + 0x1p-8);
    }
    CHECK(n * size > 0 && share_of(type, pipe, top - 1) >= 1 - 1 / (double)top - 0x1p-8);

    for (uint64_t teeth = 1; teeth <= n / 2; teeth = teeth * 3 + 1) {
        void *const saw = make(ORDO_DIST_SAWTOOTH, type, n, teeth, 0);
        CHECK_EQ_U64(teeth - 1, count_descents(type, saw, n));
    }
}

/* ---- Recurrence ---- */

static void test_recur(ordo_type type, size_t n, double p)
{
    void *const  keys = make(ORDO_DIST_RECUR, type, n, 0, p);
    const double pairs = (double)(n - 1);
    size_t       repeats = 0;
    for (size_t i = 1; i < n; i++)
        repeats += order_of(type, keys, i) == order_of(type, keys, i - 1);
    CHECK_EQ_U64(0, count_descents(type, keys, n));
    CHECK(near((double)repeats, pairs * p, sqrt(pairs * p * (1 - p))));
    CHECK(p > 0 || repeats == 0);
    CHECK(p < 1 || repeats == n - 1);
}

/* ---- Radius ---- */

static size_t radius_slowly(ordo_type type, const void *keys, size_t n)
{
    size_t radius = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1 + radius; j < n; j++)
            if (order_of(type, keys, i) > order_of(type, keys, j))
                radius = j - i;
    return radius;
}

static void test_ksorted(ordo_type type, size_t n, size_t k)
{
    void *const keys = make(ORDO_DIST_KSORTED, type, n, k, 0);
    CHECK_EQ_U64(k, oracle_radius(type, keys, n, false));
    if (n <= 64)
        CHECK_EQ_U64(k, radius_slowly(type, keys, n));
    CHECK_EQ_U64(n, distinct(type, keys, n));
}

/* Whether keys [lo, hi) are those of sorted[lo .. hi) in some order. */
static bool same_keys(ordo_type type, const void *keys, const void *sorted, size_t lo, size_t hi)
{
    uint64_t *const bits = test_need((hi - lo + 1) * sizeof *bits);
    bool            same = true;
    for (size_t i = lo; i < hi; i++)
        bits[i - lo] = order_of(type, keys, i);
    qsort(bits, hi - lo, sizeof *bits, by_value);
    for (size_t i = lo; i < hi; i++)
        same = same && bits[i - lo] == order_of(type, sorted, i);
    free(bits);
    return same;
}

/* Groups of at most k + 1 keys in [lo, hi). */
static bool same_groups(ordo_type type, const void *keys, const void *sorted, size_t lo, size_t hi,
                        size_t k)
{
    bool same = true;
    for (size_t at = lo; same && at < hi; at += k + 1)
        same = same_keys(type, keys, sorted, at, at + k + 1 < hi ? at + k + 1 : hi);
    return same;
}

/* The construction of the Roughsort paper: uniform keys, sorted; keys p and p + k exchanged; groups
 * before, between and after them shuffled. The radius is at most k, and it is k if the two keys
 * differ. */
static void test_shuffled(ordo_type type, size_t n, size_t k)
{
    const void *const uniform = make(ORDO_DIST_UNIFORM, type, n, 0, 0);
    void *const       sorted = test_keep((n + 1) * ordo_type_size(type));
    const void *const keys = make(ORDO_DIST_SHUFFLED, type, n, k, 0);
    const size_t      radius = oracle_radius(type, keys, n, false);
    size_t            p = 0;
    oracle_sort(type, uniform, n, false, sorted);
    while (p + k < n && !(order_of(type, keys, p) == order_of(type, sorted, p + k) &&
                          order_of(type, keys, p + k) == order_of(type, sorted, p) &&
                          same_groups(type, keys, sorted, 0, p, k) &&
                          same_groups(type, keys, sorted, p + 1, p + k, k) &&
                          same_groups(type, keys, sorted, p + k + 1, n, k)))
        p++;
    CHECK(radius <= k);
    if (CHECK(p + k < n) && order_of(type, sorted, p) != order_of(type, sorted, p + k))
        CHECK_EQ_U64(k, radius);
}

/* All six orders of three keys are equally likely; keys of a long run move far. */
static void test_shuffle(void)
{
    enum {
        N = 60000,
        LONG = 100000
    };
    uint32_t *const short_runs = make(ORDO_DIST_KSORTED, ORDO_U32, N, 2, 0);
    unsigned        count[8] = {0};
    for (size_t i = 0; i < N; i += 3) {
        const uint32_t *const a = short_runs + i;
        count[(a[0] < a[1]) << 2 | (a[0] < a[2]) << 1 | (a[1] < a[2])]++;
    }
    for (unsigned order = 0; order < 8; order++)
        CHECK(order == 2 || order == 5 ? count[order] == 0
                                       : near(count[order], N / 18.0, sqrt(N / 18.0)));

    uint32_t *const one_run = make(ORDO_DIST_KSORTED, ORDO_U32, LONG, LONG - 1, 0);
    double          distance = 0;
    for (size_t i = 0; i < LONG; i++)
        distance += fabs(share_of(ORDO_U32, one_run, i) - (double)i / LONG);
    CHECK(near(distance / LONG, 1 / 3.0, sqrt(1 / 18.0 / LONG)));
}

/* ---- Buckets ---- */

/* As defined by Helman, Bader and JaJa, for u32, p a power of two and n a multiple of p * p. */
static void test_buckets_as_published(void)
{
    enum {
        P = 8,
        N = P * P * 64
    };
    const uint64_t  cell = (UINT64_C(1) << 31) / P;
    uint32_t *const staggered = make(ORDO_DIST_STAGGERED, ORDO_U32, N, P, 0);
    uint32_t *const sorted = make(ORDO_DIST_BUCKET, ORDO_U32, N, P, 0);
    uint32_t *const dupes = make(ORDO_DIST_DUPES, ORDO_U32, N, P, 0);

    for (size_t at = 0; at < N; at++) {
        const uint64_t i = at / (N / P) + 1, group = at % (N / P) / (N / (P * P));
        const uint64_t low = i <= P / 2 ? (2 * i - 1) * cell : (2 * i - P - 2) * cell;
        CHECK(staggered[at] >= low && staggered[at] <= low + cell - 1);
        CHECK(sorted[at] >= group * cell && sorted[at] <= (group + 1) * cell - 1);
    }
    size_t   at = 0;
    unsigned key = 12; /* log2 N */
    for (size_t buckets = P / 2; buckets > 0; buckets /= 2, key--)
        for (const size_t end = at + buckets * (N / P); at < end; at++)
            CHECK_EQ_U64(key, dupes[at]);
    for (size_t keys = N / (2 * P); keys > 0; keys /= 2, key--)
        for (const size_t end = at + keys; at < end; at++)
            CHECK_EQ_U64(key, dupes[at]);
    CHECK_EQ_U64(N - 1, at);
    CHECK_EQ_U64(0, dupes[N - 1]);
}

/* Sizes without common divisors: keys stay in half of the range and use every part of it. */
static void test_buckets_awkward(ordo_type type, size_t n, uint64_t p)
{
    const double least = type == ORDO_F32 || type == ORDO_F64 ? 0 : type % 2 ? 0.5 : 0;
    const double range = type == ORDO_F32 || type == ORDO_F64 ? 1 : 0.5;
    for (int d = ORDO_DIST_STAGGERED; d <= ORDO_DIST_BUCKET; d++) {
        void *const keys = make((ordo_dist)d, type, n, p, 0);
        uint64_t    seen = 0;
        for (size_t i = 0; i < n; i++) {
            const double x = (share_of(type, keys, i) - least) / range;
            if (CHECK(x >= 0 && x <= 1) && p < 64)
                seen |= UINT64_C(1) << (unsigned)fmin(x * (double)p, (double)p - 1);
        }
        CHECK(p >= 64 || n < 64 * p || seen == (UINT64_C(1) << p) - 1);
    }
    (void)make(ORDO_DIST_DUPES, type, n, p, 0);
}

int main(void)
{
    testkit_start();
    ctx = test_context_make(2);
    for (int t = ORDO_I8; t <= ORDO_TYPES; t++) {
        const ordo_type type = (ordo_type)t;
        test_moments(type);
        test_zero(type);
        for (uint64_t k = 0; k <= 256; k = k * 6 + 1)
            test_few(type, k);
        test_runs(type, 97);
        test_runs(type, 100);
        test_recur(type, 256, 0);
        test_recur(type, 100000, 1);
        test_recur(type, 100000, 0.9999);
        for (size_t n = 1; n <= 40; n++)
            for (size_t k = 0; k < n; k++)
                test_ksorted(type, n, k);
        for (size_t n = 1; n <= 40; n += 3)
            for (size_t k = 0; k < n; k++)
                test_shuffled(type, n, k);
        test_shuffled(type, 2000, 1);
        test_shuffled(type, 2000, 15);
        test_shuffled(type, 2000, 1999);
        for (uint64_t p = 1; p <= 1000; p = p * 3 + 2)
            for (size_t n = 1; n <= 1000; n = n * 5 + 4)
                test_buckets_awkward(type, n, p);
    }
    test_few(ORDO_U8, 256);
    test_zipf(ORDO_I8, 0);
    test_zipf(ORDO_I16, 0);
    test_zipf(ORDO_I16, 7);
    test_zipf(ORDO_F32, 1000);
    for (int eighths = 0; eighths < 8; eighths++)
        test_recur(ORDO_F32, 100000, eighths / 8.0);
    test_recur(ORDO_F64, 100000, 0.999999);
    for (size_t k = 1; k < 200000; k = k * 8 + 1)
        test_ksorted(ORDO_F32, 200000, k);
    test_ksorted(ORDO_I64, 200000, 65535);
    test_ksorted(ORDO_I64, 200000, 65536);
    test_ksorted(ORDO_U16, 65536, 65535);
    test_ksorted(ORDO_I8, 256, 100);
    test_shuffle();
    test_buckets_as_published();
    ordo_ctx_free(ctx);
    return testkit_done();
}

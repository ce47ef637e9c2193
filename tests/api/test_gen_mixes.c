/* test_gen_mixes.c - the properties of the distributions signed, normal, loguniform, outliers,
 * timestamps, prices and sensors. test_gen_bytes.c compares their bytes.
 *
 * Statistical checks use fixed seeds and allow five standard deviations. */
#include "testkit.h"

#include <math.h>
#include <stdlib.h>

enum {
    N = 100000
};

static ordo_ctx *ctx;

static void *make(ordo_dist dist, ordo_type type, uint64_t k)
{
    const ordo_gen_opts opts = ORDO_OPTS(ordo_gen_opts, .seed = 7, .k = k);
    void *const         keys = test_keep(N * ordo_type_size(type));
    testkit_case("distribution %d, %s, k = %llu", (int)dist, ordo_type_name(type),
                 (unsigned long long)k);
    CHECK_STATUS(ORDO_OK, ordo_gen(ctx, dist, type, keys, N, &opts), ctx);
    return keys;
}

/* Key i as a number. */
static double value_of(ordo_type type, const void *keys, size_t i)
{
    switch (type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        return (double)((const key *)keys)[i];
#include "core/types.def"
    }
    return 0;
}

static bool is_float(ordo_type type) { return type == ORDO_F32 || type == ORDO_F64; }

static bool is_signed(ordo_type type) { return is_float(type) || ordo_type_wide(type) == ORDO_I64; }

/* The middle of the range of a type, and its width. */
static double middle(ordo_type type)
{
    return is_signed(type) ? 0 : ldexp(0.5, 8 * (int)ordo_type_size(type));
}

static double range(ordo_type type) { return ldexp(1, 8 * (int)ordo_type_size(type)); }

static bool near(double got, double mean, double deviation)
{
    return fabs(got - mean) <= 5 * deviation;
}

/* ---- Draws ---- */

static void test_signed(ordo_type type)
{
    const void *const keys = make(ORDO_DIST_SIGNED, type, 0);
    const double      half = is_float(type) ? 1 : range(type) / 4;
    double            sum = 0, squares = 0, least = 1, most = -1;
    for (size_t i = 0; i < N; i++) {
        const double x = (value_of(type, keys, i) - middle(type)) / half;
        CHECK(x >= -1 && (x < 1 || ordo_type_size(type) == 8));
        sum += x;
        squares += x * x;
        least = fmin(least, x);
        most = fmax(most, x);
    }
    const double half_step = ordo_type_size(type) == 1 ? 1 / 128.0 : 0;
    CHECK(near(sum / N + half_step, 0, sqrt(1.0 / 3 / N)));
    CHECK(near(squares / N, 1.0 / 3, 0.3 / sqrt(N) + half_step * half_step));
    CHECK(least < -0.98 && most > 0.98);
}

/* Shares of a sum of twelve draws within one and two deviations: 0.680 and 0.955. */
static void test_normal(ordo_type type)
{
    const void *const keys = make(ORDO_DIST_NORMAL, type, 0);
    const double      deviation = is_float(type) ? 1 : range(type) / 16;
    const double      half_step = is_float(type) ? 0 : 0.5 / deviation;
    double            sum = 0, squares = 0;
    unsigned          within[3] = {0};
    for (size_t i = 0; i < N; i++) {
        const double x = (value_of(type, keys, i) - middle(type)) / deviation + half_step;
        CHECK(fabs(x) <= 6);
        sum += x;
        squares += x * x;
        within[1] += fabs(x) < 1;
        within[2] += fabs(x) < 2;
    }
    CHECK(near(sum / N, 0, sqrt(1.0 / N)));
    CHECK(near(squares / N, 1, sqrt(2.0 / N)));
    CHECK(near(within[1], 0.680 * N, 0.005 * N) && near(within[2], 0.955 * N, 0.005 * N));
}

/* Every number of leading zeros is equally likely; the sign, too. */
static void test_loguniform_integers(ordo_type type)
{
    const void *const keys = make(ORDO_DIST_LOGUNIFORM, type, 0);
    const int         width = 8 * (int)ordo_type_size(type) - is_signed(type);
    unsigned          count[65] = {0};
    size_t            negative = 0;
    for (size_t i = 0; i < N; i++) {
        const double x = value_of(type, keys, i);
        int          length = 0;
        (void)frexp(fabs(x), &length);
        /* 2^64 - 1 rounds up to 2^64 as a double. */
        count[length > width ? width : length]++;
        negative += x < 0;
    }
    const double each = (double)N / width;
    CHECK_EQ_U64(0, count[0]);
    for (int length = 1; length <= width; length++)
        CHECK(near(count[length], each, sqrt(each)));
    CHECK(is_signed(type) ? near((double)negative, N / 2.0, sqrt(N) / 2) : negative == 0);
}

static void test_loguniform_floats(ordo_type type)
{
    const void *const keys = make(ORDO_DIST_LOGUNIFORM, type, 0);
    const double      octaves = type == ORDO_F32 ? 64 : 512;
    double            sum = 0;
    size_t            negative = 0;
    for (size_t i = 0; i < N; i++) {
        const double x = value_of(type, keys, i);
        const double level = log2(fabs(x));
        CHECK(level >= -octaves && level <= octaves);
        sum += level;
        negative += x < 0;
    }
    CHECK(near(sum / N, 0, octaves / sqrt(3.0 * N)));
    CHECK(near((double)negative, N / 2.0, sqrt(N) / 2));
}

/* ---- Outliers ---- */

static void test_outliers(ordo_type type, uint64_t k)
{
    const void *const sorted = make(ORDO_DIST_SORTED, type, 0);
    const void *const keys = make(ORDO_DIST_OUTLIERS, type, k);
    const double      share = 1 / (double)(k == 0 ? 100 : k);
    size_t            changed = 0;
    for (size_t i = 0; i < N; i++)
        changed += value_of(type, keys, i) != value_of(type, sorted, i);
    /* An outlier may be equal to the key that it replaces; with 8 bits 1 in 256 is. */
    const double expected = N * share * (ordo_type_size(type) == 1 ? 255 / 256.0 : 1);
    CHECK(near((double)changed, expected, sqrt(N * share)));
}

/* ---- Mixes ---- */

/* i64: bursts of 1000 keys in the first eighth of 100 equal spans of time; a late key is up to 4
 * spans too early. */
static void test_timestamps(void)
{
    const int64_t *const keys = make(ORDO_DIST_TIMESTAMPS, ORDO_I64, 0);
    const int64_t        first = INT64_C(1) << 61, all = INT64_C(1) << 48, span = all / 100;
    size_t               late = 0, inversions = 0;
    for (size_t i = 0; i < N; i++) {
        const int64_t since = keys[i] - first - (int64_t)(i / 1000) * span;
        CHECK(keys[i] >= first && keys[i] < first + all);
        CHECK(since < span / 8 + 1 && since > -4 * span - 1);
        late += since < -1; /* the edges of spans are rounded */
        inversions += i > 0 && keys[i] < keys[i - 1];
    }
    /* A key of the first bursts cannot be early, and a delay may be less than the time inside the
     * burst. */
    CHECK((double)late > 0.8 * N / 64 && (double)late < 1.1 * N / 64);
    CHECK(inversions > N / 4 && inversions < N / 2);
}

/* All types: the leading quarter of the key bits, or of the significand of floats, is the same. */
static void test_timestamp_bits(ordo_type type)
{
    const void *const keys = make(ORDO_DIST_TIMESTAMPS, type, 0);
    const double      part = ldexp(1, -2 * (int)ordo_type_size(type));
    const double      least = is_float(type) ? 0.625 : middle(type) + range(type) / 8;
    const double      span = part * (is_float(type) ? 1 : range(type));
    for (size_t i = 0; i < N; i++) {
        const double at = value_of(type, keys, i) - (is_signed(type) ? least : range(type) * 0.625);
        CHECK(at >= 0 && at <= span);
    }
}

static int by_value(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void test_prices(void)
{
    uint32_t *const     cents = make(ORDO_DIST_PRICES, ORDO_U32, 0);
    const float *const  f32 = make(ORDO_DIST_PRICES, ORDO_F32, 0);
    const double *const f64 = make(ORDO_DIST_PRICES, ORDO_F64, 0);
    size_t              end99 = 0, from_one = 0, low = 0, distinct = 1;
    for (size_t i = 0; i < N; i++) {
        CHECK(cents[i] >= 1 && cents[i] < 1u << 24);
        CHECK(f32[i] == (float)cents[i] / 100.0f && f64[i] == cents[i] / 100.0);
        end99 += cents[i] % 100 == 99;
        from_one += cents[i] >= 99;
        low += cents[i] < 1024 || cents[i] >= 16384; /* more than a deviation from 2^12 */
    }
    qsort(cents, N, sizeof *cents, by_value);
    for (size_t i = 1; i < N; i++)
        distinct += cents[i] != cents[i - 1];
    CHECK(near((double)end99, 0.505 * (double)from_one, 0.003 * N));
    CHECK(near((double)low, 0.32 * N, 0.004 * N));
    CHECK(cents[N / 2] > 3900 && cents[N / 2] < 4300);
    CHECK(distinct > N / 10 && distinct < N / 2);
}

/* Prices of 8 and 16 bits fit the signed types, so signed and unsigned keys agree. */
static void test_small_prices(void)
{
    const int8_t *const   i8 = make(ORDO_DIST_PRICES, ORDO_I8, 0);
    const uint8_t *const  u8 = make(ORDO_DIST_PRICES, ORDO_U8, 0);
    const int16_t *const  i16 = make(ORDO_DIST_PRICES, ORDO_I16, 0);
    const uint16_t *const u16 = make(ORDO_DIST_PRICES, ORDO_U16, 0);
    for (size_t i = 0; i < N; i++)
        CHECK(i8[i] == u8[i] && i8[i] >= 2 && i16[i] == u16[i] && i16[i] >= 8);
}

static void test_sensors(size_t k)
{
    const int32_t *const  readings = make(ORDO_DIST_SENSORS, ORDO_I32, k);
    const uint64_t *const u64 = make(ORDO_DIST_SENSORS, ORDO_U64, k);
    const int8_t *const   i8 = make(ORDO_DIST_SENSORS, ORDO_I8, k);
    const float *const    f32 = make(ORDO_DIST_SENSORS, ORDO_F32, k);
    size_t                missing = 0, constant = 0;
    for (size_t i = 0; i < N; i++) {
        const int32_t x = readings[i];
        missing += x == -1;
        CHECK(x >= -1 && x < 4096 && u64[i] == (x < 0 ? UINT64_MAX : (uint64_t)x));
        CHECK(i8[i] == (x < 0 ? -1 : x / 32));
        CHECK(f32[i] == (x < 0 ? -999.0f : (float)x / 32 - 40));
    }
    for (size_t sensor = 0; sensor < k; sensor++) {
        int32_t seen = -1;
        bool    same = true;
        for (size_t i = sensor; i < N; i += k) {
            same = same && (readings[i] == -1 || seen == -1 || readings[i] == seen);
            seen = readings[i] != -1 ? readings[i] : seen;
        }
        constant += same;
    }
    CHECK(near((double)missing, N / 32.0, 4 * sqrt(N / 32.0))); /* groups of 16 */
    CHECK(near((double)constant, (double)k / 8, sqrt((double)k * 7 / 64)));
}

int main(void)
{
    testkit_start();
    ctx = test_context_make(2);
    for (int t = ORDO_I8; t <= ORDO_TYPES; t++) {
        const ordo_type type = (ordo_type)t;
        test_signed(type);
        test_normal(type);
        if (is_float(type))
            test_loguniform_floats(type);
        else
            test_loguniform_integers(type);
        for (uint64_t k = 0; k <= 1000; k = 7 * k + 1)
            test_outliers(type, k);
        test_timestamp_bits(type);
    }
    test_timestamps();
    test_prices();
    test_small_prices();
    test_sensors(100);
    test_sensors(1000);
    ordo_ctx_free(ctx);
    return testkit_done();
}

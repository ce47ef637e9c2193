/* test_pivots.c - the pivots by which a GPU searches rows of floats (pivot_steps.h), with counts
 * made here. A search that finds its keys has the right ones between its pivots, whatever the row
 * holds: ties, zeros of both signs, outliers, subnormal and huge keys. Rows with NaNs or infinities
 * are always lost. Searches in evenly spread and in normal rows are rarely lost and need few
 * counts. */
#include "cuda/segments/select/pivot_steps.h"
#include "testkit.h"

#include <stdlib.h>

enum {
    MOST = 1024,
    ROWS = TESTKIT_SANITIZED ? 40 : 200
};

enum {
    EVEN,
    NORMAL,
    SKEWED,
    FAR,         /* far from 0 for its width */
    FEW,         /* few values */
    EQUAL,       /* one value */
    ZEROS,       /* mostly zeros of both signs */
    OUTLIERS,    /* one key in a hundred is huge */
    CLUSTERS,    /* nothing in the middle */
    TINY,        /* subnormal keys */
    LOG,         /* every exponent */
    INFINITE,    /* some infinities */
    NOT_NUMBERS, /* a NaN */
    SHAPES
};
static const char *const names[SHAPES] = {"even",  "normal",   "skewed",   "far",      "few",
                                          "equal", "zeros",    "outliers", "clusters", "tiny",
                                          "log",   "infinite", "nan"};

static double part(test_rng *rng) { return (double)(test_rng_next(rng) >> 11) * 0x1p-53; }

static float key_of(int shape, test_rng *rng)
{
    double const   u = part(rng);
    uint64_t const any = test_rng_below(rng, 100);
    switch (shape) {
    case EVEN:
        return (float)(u - 0.25);
    case NORMAL:
        return (float)(u + part(rng) + part(rng) + part(rng) + part(rng) + part(rng) - 3);
    case SKEWED:
        return (float)(u * u * u);
    case FAR:
        return (float)(1000 + u);
    case FEW:
        return (float)(any % 7);
    case EQUAL:
        return -3.5f;
    case ZEROS:
        return any < 40 ? -0.0f : any < 80 ? 0.0f : (float)(u - 0.5);
    case OUTLIERS:
        return any == 0 ? 1e30f : (float)u;
    case CLUSTERS:
        return (float)(any < 50 ? u : u + 1000);
    case TINY:
        return (float)((u - 0.5) * 1e-42);
    case LOG:
        return ldexpf(any % 2 != 0 ? 1.5f : -1.5f, (int)(u * 250) - 125);
    default:
        return any > 1 ? (float)u : shape == INFINITE ? INFINITY : NAN;
    }
}

static int compare_bits(const void *a, const void *b)
{
    uint32_t const x = key_bits_f32(*(const float *)a), y = key_bits_f32(*(const float *)b);
    return (x > y) - (x < y);
}

/* The keys whose difference to a pivot has a sign bit, as the GPU counts them. */
static unsigned count_below(const float *x, unsigned n, float pivot)
{
    unsigned below = 0;
    for (unsigned i = 0; i < n; i++)
        below += key_pattern_f32(x[i] - pivot) >> 31 & (uint32_t)!key_is_nan_f32(x[i]);
    return below;
}

/* Searches one or two ranks; returns the number of counts, or 0 if the search is lost. */
static unsigned search(const float *x, const float *sorted, unsigned n, unsigned few,
                       unsigned first, unsigned last)
{
    pivot_shape const shape = pivot_shape_of(n, few);
    pivot_search      s;
    float             sum = 0, squares = 0;
    unsigned          counts = 0;
    for (unsigned i = 0; i < n; i++) {
        sum += x[i] - x[0];
        squares += (x[i] - x[0]) * (x[i] - x[0]);
    }
    pivot_verdict verdict = pivot_begin(&s, shape, x[0], sum, squares, first, last);
    for (; counts < PIVOT_COUNTS && verdict == PIVOT_AGAIN; counts++) {
        CHECK(s.low < s.high && s.low != 0 && s.high != 0);
        verdict = pivot_judge(&s, shape, count_below(x, n, s.low), count_below(x, n, s.high));
    }
    if (verdict != PIVOT_FOUND)
        return 0;
    unsigned inside = 0;
    for (unsigned i = 0; i < n; i++) /* as the GPU moves them */
        inside += x[i] >= s.low && x[i] < s.high;
    CHECK_EQ_U64(s.inside, inside);
    CHECK(inside <= few && s.below <= first && last < s.below + inside);
    CHECK(s.below == 0 || sorted[s.below - 1] < s.low);
    CHECK(sorted[s.below] >= s.low && sorted[s.below + inside - 1] < s.high);
    return counts;
}

static void test_shape(int shape, unsigned n, unsigned few)
{
    test_rng rng = {(uint64_t)shape * MOST + n};
    unsigned lost = 0, counts = 0;
    for (unsigned row = 0; row < ROWS; row++) {
        static float x[MOST], sorted[MOST];
        bool         is_finite = true;
        for (unsigned i = 0; i < n; i++) {
            x[i] = sorted[i] = key_of(shape, &rng);
            is_finite = is_finite && isfinite(x[i]);
        }
        qsort(sorted, n, sizeof *sorted, compare_bits);
        unsigned const median = search(x, sorted, n, few, (n - 1) / 2, n / 2);
        lost += median == 0;
        counts += median;
        unsigned const any = (unsigned)test_rng_below(&rng, n - 1);
        unsigned const found =
            search(x, sorted, n, few, any, any) + search(x, sorted, n, few, any, any + 1) +
            search(x, sorted, n, few, 0, 0) + search(x, sorted, n, few, n - 1, n - 1);
        CHECK(is_finite || (median == 0 && found == 0));
    }
    if (shape == EVEN || shape == NORMAL)
        CHECK(lost * 20 <= ROWS && counts * 2 <= (few == 64 || n <= 256 ? 3 : 6) * ROWS);
    if (shape == EQUAL)
        CHECK_EQ_U64(ROWS, lost);
}

int main(void)
{
    static const unsigned lengths[] = {68, 100, 128, 132, 256, 300, 512, 1000, 1024};
    testkit_start();
    for (int shape = 0; shape < SHAPES; shape++)
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            testkit_case("%s, rows of %u", names[shape], lengths[i]);
            test_shape(shape, lengths[i], 32);
            test_shape(shape, lengths[i], 64);
        }
    return testkit_done();
}

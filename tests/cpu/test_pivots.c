/* test_pivots.c - the pivots by which a GPU searches rows of floats (pivot_steps.h), with counts
 * made here. A search that finds its keys has the right ones between its pivots, whatever the row
 * holds: ties, zeros of both signs, outliers, subnormal and huge keys. Searches from the mean lose
 * all rows with NaNs or infinities; they rarely lose evenly spread and normal rows, and need few
 * counts there. Searches from a sample rarely lose rows of most kinds. */
#include "cuda/segments/select/pivot_steps.h"
#include "testkit.h"

#include <stdlib.h>

enum {
    MOST = 1024,
    MOST_SAMPLE = 64,
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

/* The keys below a pivot, as the GPU counts them. */
static unsigned count_below(const float *x, unsigned n, float pivot)
{
    pivot_compare const to_pivot = pivot_compare_of(pivot);
    float               below = 0;
    for (unsigned i = 0; i < n; i++)
        below += pivot_below(to_pivot, x[i]);
    return (unsigned)below;
}

/* A sample of few keys: every n / few-th, from a place in its part that depends on the part. */
static unsigned take_sample(const float *x, unsigned n, unsigned few, float *sample)
{
    unsigned const size = few < n ? few : n;
    for (unsigned i = 0; i < size; i++)
        sample[i] = x[(unsigned)((uint64_t)i * n / size) + i % (n / size)];
    qsort(sample, size, sizeof *sample, compare_bits);
    return size;
}

/* A found search has the wanted keys between its pivots. */
static void check_found(const pivot_search *s, pivot_verdict verdict, const float *x,
                        const float *sorted, unsigned n, unsigned few)
{
    unsigned inside = 0;
    for (unsigned i = 0; i < n; i++) /* as the GPU moves them */
        inside += x[i] >= s->low && x[i] < s->high;
    CHECK_EQ_U64(s->inside, inside);
    CHECK(s->below <= s->first && s->last < s->below + inside);
    CHECK(s->below == 0 || sorted[s->below - 1] < s->low);
    CHECK(sorted[s->below] >= s->low && sorted[s->below + inside - 1] < s->high);
    CHECK(verdict == PIVOT_TIED ? inside > few : inside <= few);
    for (unsigned i = 0; i < inside && verdict == PIVOT_TIED && s->high != PIVOT_LEAST; i++)
        CHECK(sorted[s->below + i] == s->low);
}

/* Searches one or two ranks; returns the number of counts, or 0 if the search is lost. */
static unsigned search(const float *x, const float *sorted, unsigned n, unsigned few,
                       unsigned first, unsigned last, bool by_sample)
{
    float             sample[MOST_SAMPLE], sum = 0, squares = 0;
    pivot_shape const shape = pivot_shape_of(n, few, take_sample(x, n, few, sample));
    pivot_search      s;
    unsigned          counts = 0, most = by_sample ? PIVOT_SAMPLE_COUNTS : PIVOT_COUNTS;
    for (unsigned i = 0; i < n; i++) {
        sum += x[i] - x[0];
        squares += (x[i] - x[0]) * (x[i] - x[0]);
    }
    pivot_verdict verdict = by_sample ? pivot_begin_sample(&s, &shape, sample, first, last)
                                      : pivot_begin(&s, &shape, x[0], sum, squares, first, last);
    for (; counts < most && verdict == PIVOT_AGAIN; counts++) {
        CHECK(s.low < s.high && fabsf(s.low) >= PIVOT_LEAST && fabsf(s.high) >= PIVOT_LEAST);
        verdict = pivot_judge_any(&s, &shape, sample, count_below(x, n, s.low),
                                  count_below(x, n, s.high));
    }
    if (verdict != PIVOT_FOUND && verdict != PIVOT_TIED)
        return 0;
    check_found(&s, verdict, x, sorted, n, few);
    return counts;
}

/* Whether few searches for medians in rows of a shape are to be lost. */
static bool is_easy(int shape, bool by_sample)
{
    if (!by_sample)
        return shape == EVEN || shape == NORMAL;
    return shape != CLUSTERS && shape != TINY && shape != LOG && shape < INFINITE;
}

static void test_shape(int shape, unsigned n, unsigned few, bool by_sample)
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
        if (!is_finite && by_sample) /* the GPU looks for such rows before it takes a sample */
            continue;
        qsort(sorted, n, sizeof *sorted, compare_bits);
        unsigned const median = search(x, sorted, n, few, (n - 1) / 2, n / 2, by_sample);
        lost += median == 0;
        counts += median;
        unsigned const any = (unsigned)test_rng_below(&rng, n - 1);
        unsigned const found = search(x, sorted, n, few, any, any, by_sample) +
                               search(x, sorted, n, few, any, any + 1, by_sample) +
                               search(x, sorted, n, few, 0, 0, by_sample) +
                               search(x, sorted, n, few, n - 1, n - 1, by_sample);
        CHECK(is_finite || (median == 0 && found == 0));
    }
    if (is_easy(shape, by_sample)) {
        CHECK(lost * (by_sample ? 8 : 20) <= ROWS);
        CHECK(counts * 2 <= (by_sample || (few == 32 && n > 256) ? 8 : 3) * ROWS);
    }
    if (shape == EQUAL)
        CHECK_EQ_U64(by_sample ? 0 : ROWS, lost);
}

int main(void)
{
    static const unsigned lengths[] = {68, 100, 128, 132, 256, 300, 512, 1000, 1024};
    testkit_start();
    for (int shape = 0; shape < SHAPES; shape++)
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            testkit_case("%s, rows of %u", names[shape], lengths[i]);
            for (int by_sample = 0; by_sample <= 1; by_sample++) {
                test_shape(shape, lengths[i], 32, by_sample != 0);
                test_shape(shape, lengths[i], 64, by_sample != 0);
            }
        }
    return testkit_done();
}

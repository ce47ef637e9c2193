/* test_sort_words.c - the vector sorts of words and of keys (cpu_kernels.sort_words, sort_keys) and
 * the selection of a word (nth_word) of each ISA of this CPU against a simple sort: every n up to
 * MOST, arrays that make samples and pivots bad, every place of the result, and maps. Arrays end or
 * begin at memory that cannot be accessed. */
#include "backend/backend.h"
#include "cpu/base/kernels.h"
#include "cpu/base/tuning.h"
#include "oracle.h"
#include "testkit.h"

#include <string.h>

enum {
    MOST = TESTKIT_SANITIZED ? 700 : 2100,
    LONG = TESTKIT_SANITIZED ? 3000 : 40000
};

static guard_region words, spare, other;
static uint64_t     numbers[LONG];
static uint64_t     expected[LONG];

typedef struct subject {
    const char      *isa;
    cpu_words_fn    *sort;
    cpu_keys_fn     *sort_keys;
    cpu_nth_word_fn *nth_word;
    unsigned         width; /* of a word in bits */
} subject;

/* ---- Numbers ---- */

static uint64_t at_random(test_rng *rng, size_t i, size_t n)
{
    (void)i, (void)n;
    return test_rng_next(rng);
}

static uint64_t constant(test_rng *rng, size_t i, size_t n)
{
    (void)rng, (void)i, (void)n;
    return UINT64_C(0x8000000080000000);
}

static uint64_t ascending(test_rng *rng, size_t i, size_t n)
{
    (void)rng, (void)n;
    return i * 3;
}

static uint64_t descending(test_rng *rng, size_t i, size_t n)
{
    (void)rng;
    return (n - i) * 7;
}

static uint64_t organ_pipe(test_rng *rng, size_t i, size_t n)
{
    (void)rng;
    return i < n / 2 ? i : n - i;
}

static uint64_t extremes(test_rng *rng, size_t i, size_t n)
{
    (void)i, (void)n;
    return test_rng_below(rng, 2) == 0 ? 0 : UINT64_MAX;
}

static uint64_t few(test_rng *rng, size_t i, size_t n)
{
    (void)i, (void)n;
    return test_rng_below(rng, 5) * UINT64_C(0x3333333333333333);
}

/* A random number of leading zeros in both halves. */
static uint64_t logarithmic(test_rng *rng, size_t i, size_t n)
{
    (void)i, (void)n;
    unsigned const shift = (unsigned)test_rng_below(rng, 32);
    return test_rng_next(rng) >> shift & (UINT32_MAX >> shift | UINT64_C(0xffffffff) << 32);
}

/* Constant but for one number in about a hundred. */
static uint64_t outliers(test_rng *rng, size_t i, size_t n)
{
    (void)i, (void)n;
    return test_rng_below(rng, 100) == 0 ? test_rng_next(rng) : 42;
}

/* Powers of two: the middle of the range is a bad pivot again and again. */
static uint64_t powers(test_rng *rng, size_t i, size_t n)
{
    (void)i, (void)n;
    unsigned const bit = (unsigned)test_rng_below(rng, 32);
    return UINT64_C(1) << bit | UINT64_C(1) << (2 * bit);
}

/* Whether a sample of `count` numbers takes number i of n (draw in vector_sort.t.h). */
static bool is_drawn(size_t i, size_t n, size_t count)
{
    size_t const   stride = n < count ? 1 : n / count;
    uint32_t const turn = (uint32_t)(i / stride) * UINT32_C(0x9e3779b1) >> 16;
    return i % stride == turn * stride / 65536;
}

/* The numbers that a sample takes are the least or the largest ones. */
static uint64_t sampled(test_rng *rng, size_t i, size_t n)
{
    uint64_t const number = test_rng_below(rng, UINT64_C(1) << 30);
    return is_drawn(i, n, 64) ? number >> 28 : number | UINT64_C(1) << 63 | 1u << 31;
}

/* Sampled numbers are spread, but all others agree in their highest bits. */
static uint64_t crowded(test_rng *rng, size_t i, size_t n)
{
    uint64_t const number = test_rng_next(rng);
    return is_drawn(i, n, 32) ? number : number >> 50 | UINT64_C(1) << 60;
}

/* Numbers in a few thousand places, each with its lowest bits at random. */
static uint64_t clusters(test_rng *rng, size_t i, size_t n)
{
    (void)i, (void)n;
    return test_rng_below(rng, 3000) << 45 | test_rng_below(rng, 7);
}

/* The bits of floats in [-1, 1), in both halves: uneven, but even between two powers of two. */
static uint64_t floats(test_rng *rng, size_t i, size_t n)
{
    (void)i, (void)n;
    unsigned const halvings = (unsigned)__builtin_ctzll(test_rng_next(rng) | UINT64_C(1) << 40);
    uint64_t const bits = test_rng_below(rng, 2) << 31 | (uint64_t)(126 - halvings) << 23 |
                          test_rng_below(rng, UINT64_C(1) << 23);
    return bits << 32 | bits;
}

static uint64_t (*const patterns[])(test_rng *rng, size_t i, size_t n) = {
    at_random,   constant, ascending, descending, organ_pipe, extremes, few,
    logarithmic, outliers, powers,    sampled,    crowded,    clusters, floats};

enum {
    PATTERNS = sizeof patterns / sizeof *patterns
};

/* ---- Calls ---- */

/* What kernels.h says about a map. */
static uint64_t mapped(uint64_t word, unsigned width, const cpu_words_map *map)
{
    uint64_t const sum = word + map->add;
    return sum ^ map->flip ^ ((sum >> (width - 1) & 1) == 0 ? map->flip_low : 0);
}

static void put(void *array, size_t i, unsigned width, uint64_t word)
{
    if (width == 32)
        ((uint32_t *)array)[i] = (uint32_t)word;
    else
        ((uint64_t *)array)[i] = word;
}

static uint64_t get(const void *array, size_t i, unsigned width)
{
    return width == 32 ? ((const uint32_t *)array)[i] : ((const uint64_t *)array)[i];
}

/* Sorts numbers[0 .. n), of which the lowest `bits` bits vary, into words (place 0), spare (1) or
 * other memory (2). */
static void try_sort(const subject *s, size_t n, unsigned bits, unsigned place,
                     const cpu_words_map *map, guard_side side)
{
    size_t const   size = s->width / 8, bytes = n * size;
    uint64_t const varies = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    size_t const   spare_bytes = place == 1 ? bytes : ordo_min(bytes, ORDO_TUNE_WORDS_CACHE);
    void *const a = guard_place(&words, bytes, side), *const b =
                                                          guard_place(&spare, spare_bytes, side);
    void *const c = guard_place(&other, bytes, side);
    for (size_t i = 0; i < n; i++)
        put(a, i, s->width, (numbers[i] & varies) | (UINT64_C(0xa5a5a5a5a5a5a5a5) & ~varies));
    oracle_sort(s->width == 32 ? ORDO_U32 : ORDO_U64, a, n, false, expected);
    for (size_t i = 0; i < n && map != NULL; i++)
        put(expected, i, s->width, mapped(get(expected, i, s->width), s->width, map));
    s->sort(a, b, n, place == 0 ? a : place == 1 ? b : c, bits, map);
    CHECK_BYTES(expected, place == 0 ? a : place == 1 ? b : c, bytes, size);
    CHECK(guard_intact(&words, bytes, side) && guard_intact(&spare, spare_bytes, side) &&
          guard_intact(&other, bytes, side));
}

/* Sorts numbers[0 .. n) as keys: map turns sorted words into sorted keys. */
static void try_keys(const subject *s, size_t n, const cpu_words_map *map, guard_side side)
{
    size_t const size = s->width / 8, bytes = n * size;
    size_t const room = ordo_min(bytes, ORDO_TUNE_WORDS_CACHE);
    void *const a = guard_place(&words, bytes, side), *const b = guard_place(&spare, room, side);
    for (size_t i = 0; i < n; i++)
        put(a, i, s->width, numbers[i]);
    oracle_sort(s->width == 32 ? ORDO_U32 : ORDO_U64, a, n, false, expected);
    for (size_t i = 0; i < n && map != NULL; i++) {
        put(a, i, s->width, mapped(get(a, i, s->width), s->width, map));
        put(expected, i, s->width, mapped(get(expected, i, s->width), s->width, map));
    }
    s->sort_keys(a, b, n, map);
    CHECK_BYTES(expected, a, bytes, size);
    CHECK(guard_intact(&words, bytes, side) && guard_intact(&spare, room, side));
}

/* Selects the first, the last and some other words of numbers[0 .. n). */
static void try_nth(test_rng *rng, const subject *s, size_t n, guard_side side)
{
    size_t const bytes = n * (s->width / 8);
    size_t const places[] = {0, n - 1, n / 2, test_rng_below(rng, n)};
    void *const  a = guard_place(&words, bytes, side);
    for (size_t i = 0; i < n; i++)
        put(a, i, s->width, numbers[i]);
    oracle_sort(s->width == 32 ? ORDO_U32 : ORDO_U64, a, n, false, expected);
    for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
        CHECK_EQ_U64(get(expected, places[p], s->width), s->nth_word(a, n, places[p]));
        CHECK(guard_intact(&words, bytes, side));
    }
}

/* The maps of unsigned and signed integers, of descending ones and of floats. */
static const cpu_words_map *map_of_keys(unsigned width, size_t turn)
{
    static const cpu_words_map of_32[] = {
        {0, 1u << 31, 0}, {0, UINT64_MAX, 0}, {0x007fffff, 1u << 31, INT32_MAX}};
    static const cpu_words_map of_64[] = {
        {0, UINT64_C(1) << 63, 0},
        {0, UINT64_MAX, 0},
        {UINT64_C(0x000fffffffffffff), UINT64_C(1) << 63, INT64_MAX}};
    return turn % 4 == 3 ? NULL : width == 32 ? &of_32[turn % 4] : &of_64[turn % 4];
}

static void fill(test_rng *rng, size_t pattern, size_t n)
{
    for (size_t i = 0; i < n; i++)
        numbers[i] = patterns[pattern](rng, i, n);
}

static void try_pattern(test_rng *rng, const subject *s, size_t pattern, size_t n, size_t turn)
{
    /* The map of a float, and one that has all parts. */
    static const cpu_words_map maps[] = {{0, UINT64_MAX, 0x7fffffff80000000},
                                         {UINT64_C(0x123456789abcdef), 5, 1u << 30}};
    unsigned const             bits = turn % 4 == 3   ? 1 + (unsigned)test_rng_below(rng, s->width)
                                      : turn % 4 == 2 ? s->width + 1 /* the range is measured */
                                                      : s->width;
    testkit_case("%s u%u pattern %zu n=%zu bits %u", s->isa, s->width, pattern, n, bits);
    fill(rng, pattern, n);
    try_sort(s, n, bits, (unsigned)(turn % 3), turn % 5 < 2 ? &maps[turn % 5] : NULL,
             turn % 2 == 0 ? GUARD_END : GUARD_START);
    try_keys(s, n, map_of_keys(s->width, turn), turn % 2 == 0 ? GUARD_END : GUARD_START);
    if (n > 0)
        try_nth(rng, s, n, turn % 2 == 0 ? GUARD_END : GUARD_START);
}

static void make_regions(size_t n)
{
    words = guard_make(n * sizeof *numbers);
    spare = guard_make(n * sizeof *numbers);
    other = guard_make(n * sizeof *numbers);
}

static void free_regions(void)
{
    guard_free(&words);
    guard_free(&spare);
    guard_free(&other);
}

static void test_subject(test_rng *rng, const subject *s)
{
    make_regions(MOST);
    for (size_t n = 0, turn = 0; n <= MOST; n++) {
        size_t const tries = n <= 300 ? PATTERNS : 2;
        for (size_t k = 0; k < tries; k++, turn++)
            try_pattern(rng, s, turn % PATTERNS, n, turn + n / PATTERNS);
    }
    free_regions();
    make_regions(LONG);
    for (size_t pattern = 0, turn = 0; pattern < PATTERNS; pattern++)
        for (size_t k = 0; k < 3; k++, turn++)
            try_pattern(rng, s, pattern, LONG - test_rng_below(rng, LONG / 2), turn);
    free_regions();
}

/* ---- ISAs ---- */

static const cpu_kernels *kernels_of(const char *isa)
{
    void                     *state = NULL;
    char                      why[200];
    ordo_backend_wishes const wishes = {.isa = isa};
    return ordo_cpu_backend()->open(&state, &wishes, why, sizeof why) == ORDO_OK ? state : NULL;
}

int main(void)
{
    static const char *const isas[] = {"generic", "neon", "avx2", "avx512"};
    test_rng                 rng = {17};
    testkit_start();
    CHECK(kernels_of("generic") != NULL); /* not every machine has a vector sort */
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
        const cpu_kernels *const kernels = kernels_of(isas[i]);
        for (unsigned w = 0; w < CPU_WORDS; w++) {
            if (kernels == NULL || kernels->sort_words[w] == NULL)
                continue;
            subject const s = {isas[i], kernels->sort_words[w], kernels->sort_keys[w],
                               kernels->nth_word[w], 32U << w};
            test_subject(&rng, &s);
        }
    }
    return testkit_done();
}

/* test_strings_prefixes.c - strings with long common prefixes: the order against a plain stable
 * sort, and what it cost, counted in keys and bytes. Both must stay within what the bound allows:
 * the bytes that tell the strings apart, and n lg n.
 *
 * The engine is called directly, with an ordo_exec of the test's own and several seeds. */
#define _POSIX_C_SOURCE 200809L
#include "core/random.h"
#include "cpu/strings/string_sort.h"
#include "testkit.h"

#include <stdlib.h>
#include <string.h>

enum {
    BLOCKS = 8,
    SEEDS = 3
};

/* ---- An exec of our own: one thread ---- */

typedef struct test_exec {
    ordo_exec exec; /* first */
    void     *blocks[BLOCKS];
    size_t    count;
} test_exec;

static bool exec_loop(ordo_exec *exec, size_t n, size_t grain, ordo_body *body, void *arg)
{
    (void)exec;
    for (size_t lo = 0; lo < n; lo += grain)
        body(arg, lo, lo + ordo_min(grain, n - lo));
    return true;
}

static bool exec_poll(ordo_exec *exec, double share) { return (void)exec, (void)share, false; }

static ordo_status exec_scratch(ordo_exec *exec, size_t bytes, void **out)
{
    test_exec *const t = exec->owner;
    *out = t->count < BLOCKS ? malloc(bytes) : NULL;
    if (*out == NULL)
        return ORDO_E_NOMEM;
    t->blocks[t->count++] = *out;
    return ORDO_OK;
}

static ordo_status exec_fail(ordo_exec *exec, ordo_status status, const char *format, va_list args)
{
    (void)exec, (void)format, (void)args;
    return status;
}

/* ---- Sets of strings ---- */

typedef struct set {
    char        *bytes; /* every string ends with a zero byte, which is not part of it */
    size_t       used, room, n, places;
    uint64_t    *offsets; /* of the strings without the zero bytes, as the first form wants it */
    char        *packed;  /* these strings */
    const char **pointers;
} set;

static void *must(void *memory)
{
    if (memory == NULL)
        abort();
    return memory;
}

static void add(set *s, const char *string, size_t length)
{
    if (s->n + 2 > s->places) {
        s->places = 2 * s->places + 64;
        s->offsets = must(realloc(s->offsets, s->places * sizeof *s->offsets));
    }
    while (s->room - s->used < length + 1)
        s->bytes = must(realloc(s->bytes, s->room = 2 * s->room + 4096));
    memcpy(s->bytes + s->used, string, length);
    s->bytes[s->used + length] = '\0';
    s->used += length + 1;
    s->offsets[0] = 0;
    s->offsets[s->n + 1] = s->offsets[s->n] + length;
    s->n++;
}

static void finish(set *s)
{
    s->packed = must(malloc((size_t)s->offsets[s->n] + 1));
    s->pointers = must(malloc(s->n * sizeof *s->pointers));
    const char *from = s->bytes;
    for (size_t i = 0; i < s->n; i++) {
        size_t const length = (size_t)(s->offsets[i + 1] - s->offsets[i]);
        s->pointers[i] = from;
        memcpy(s->packed + s->offsets[i], from, length);
        from += length + 1;
    }
}

static void drop(set *s)
{
    free(s->bytes);
    free(s->packed);
    free(s->pointers);
    free(s->offsets);
}

enum {
    SHRINKING, /* a, aa, aaa ... */
    RISING,    /* the same, in order */
    ONE_ODD,   /* aaa...a with a b at the place of the string's number */
    ODD_PAIRS, /* the same, two strings for each place, and a second odd byte */
    EQUAL,
    ONE_PREFIX,
    TWO_PREFIXES,
    NESTED, /* prefixes of one random string */
    LEVELS, /* nine of ten go on by 7 bytes */
    TREE,   /* half of them at every 12 bytes */
    SHAPES
};
static const char *const names[SHAPES] = {"a^i",    "a^i in order", "one b",        "two odd bytes",
                                          "equal",  "one prefix",   "two prefixes", "nested",
                                          "levels", "tree"};

static size_t make_string(int shape, size_t i, size_t n, test_rng *rng, char *out)
{
    size_t length = n;
    memset(out, 'a', n);
    switch (shape) {
    case SHRINKING:
        return i * 7919 % n; /* n is not a multiple of this prime */
    case RISING:
        return i;
    case ONE_ODD:
        out[i * 7919 % n] = 'b';
        return n;
    case ODD_PAIRS:
        out[i / 2 * 7919 % n] = 'b';
        out[n / 2 + test_rng_below(rng, n / 2)] = 'c';
        return n;
    case EQUAL:
        return n;
    case ONE_PREFIX:
    case TWO_PREFIXES:
        out[0] = shape == TWO_PREFIXES && i % 2 == 1 ? 'b' : 'a';
        for (size_t j = n - 8; j < n; j++)
            out[j] = (char)('a' + test_rng_below(rng, 26));
        return n;
    case NESTED:
        for (size_t j = 0; j < n; j++)
            out[j] = (char)('a' + ordo_random_below(ordo_random_at(3, j), 26));
        return test_rng_below(rng, n);
    case LEVELS:
        length = 7;
        while (length + 14 < n && test_rng_below(rng, 10) < 9)
            length += 7;
        break;
    default:
        for (length = 0; length + 16 < n && length < 200; length += 12)
            out[length + 11] = test_rng_below(rng, 2) == 0 ? 'b' : 'c';
        break;
    }
    out[length++] = (char)('a' + test_rng_below(rng, 26));
    return length;
}

static set make_set(int shape, size_t n)
{
    set         s = {.n = 0};
    test_rng    rng = {7};
    char *const string = must(malloc(n + 1));
    for (size_t i = 0; i < n; i++)
        add(&s, string, make_string(shape, i, n, &rng, string));
    free(string);
    finish(&s);
    return s;
}

/* ---- The order, and its cost ---- */

static const set *oracle_set; /* for qsort */
static bool       oracle_desc;

static int oracle_compare(const void *a, const void *b)
{
    uint32_t const i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    int const      order = strcmp(oracle_set->pointers[i], oracle_set->pointers[j]);
    if (order != 0)
        return (order < 0) == oracle_desc ? 1 : -1;
    return (i > j) - (i < j);
}

static uint64_t common(const set *s, uint32_t i, uint32_t j)
{
    uint64_t length = 0;
    while (s->pointers[i][length] != '\0' && s->pointers[i][length] == s->pointers[j][length])
        length++;
    return length;
}

/* The bytes that must be read of all strings to tell each from its neighbours in the order. */
static uint64_t distinguishing_bytes(const set *s, const uint32_t *order)
{
    uint64_t sum = 0, before = 0;
    for (size_t i = 0; i < s->n; i++) {
        uint64_t const after = i + 1 < s->n ? common(s, order[i], order[i + 1]) : 0;
        sum += (before > after ? before : after) + 1;
        before = after;
    }
    return sum;
}

static void try_set(const set *s, const uint32_t *expected, uint64_t bytes, bool by_pointer,
                    uint64_t seed, uint64_t lg)
{
    test_exec          t = {.exec = {.owner = &t,
                                     .threads = 1,
                                     .loop = exec_loop,
                                     .poll = exec_poll,
                                     .scratch = exec_scratch,
                                     .fail = exec_fail,
                                     .phases = STRING_SORT_PHASES,
                                     .seed = seed}};
    string_work        work = {0, 0};
    ordo_strings const strings = {sizeof strings, by_pointer ? NULL : s->packed,
                                  by_pointer ? NULL : s->offsets, by_pointer ? s->pointers : NULL};
    uint32_t *const    index = must(malloc(s->n * sizeof *index));
    string_order const order = {.view = string_view_of(&strings, s->n, oracle_desc),
                                .n = s->n,
                                .index_type = ORDO_U32,
                                .index = index,
                                .work = &work};
    CHECK(string_sort(&order, &t.exec) == ORDO_OK);
    CHECK_BYTES(expected, index, s->n * sizeof *index, sizeof *index);
    /* A string takes part in about 2 lg n passes at most, each of which loads it or compares it. */
    CHECK(atomic_load(&work.keys) <= 4 * s->n * lg);
    CHECK(atomic_load(&work.bytes) <= bytes + 16 * s->n * lg);
    free(index);
    for (size_t i = 0; i < t.count; i++)
        free(t.blocks[i]);
}

int main(void)
{
    testkit_start();
    static const size_t sizes[] = {40, 257, 3000};
    for (int shape = 0; shape < SHAPES; shape++)
        for (size_t z = 0; z < sizeof sizes / sizeof *sizes; z++) {
            size_t const    n = TESTKIT_SANITIZED ? (sizes[z] + 1) / 2 : sizes[z];
            set             s = make_set(shape, n);
            uint32_t *const expected = must(malloc(n * sizeof *expected));
            uint64_t        lg = 1;
            while (n >> lg != 0)
                lg++;
            for (unsigned form = 0; form < 4; form++) {
                oracle_set = &s;
                oracle_desc = form / 2 != 0;
                for (size_t i = 0; i < n; i++)
                    expected[i] = (uint32_t)i;
                qsort(expected, n, sizeof *expected, oracle_compare);
                uint64_t const bytes = distinguishing_bytes(&s, expected);
                for (uint64_t seed = 0; seed < SEEDS; seed++) {
                    testkit_case("%s, %zu strings, form %u, seed %d", names[shape], n, form,
                                 (int)seed);
                    try_set(&s, expected, bytes, form % 2 != 0, seed, lg);
                }
            }
            free(expected);
            drop(&s);
        }
    return testkit_done();
}

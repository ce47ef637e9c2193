/* test_strings_prefixes.c - strings with long common prefixes: their order against the oracle, and
 * the cost in keys and bytes read. The cost may not exceed the distinguishing bytes plus O(n lg n).
 *
 * The test calls string_sort directly with its own ordo_exec and several seeds. */
#define _POSIX_C_SOURCE 200809L
#include "core/random.h"
#include "cpu/strings/string_sort.h"
#include "kit/text/stringkit.h"

#include <stdlib.h>
#include <string.h>

enum {
    BLOCKS = 8,
    SEEDS = 3
};

/* ---- An exec with one thread ---- */

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

enum {
    SHRINKING, /* a, aa, aaa ..., shuffled */
    RISING,    /* the same, sorted */
    ONE_ODD,   /* aaa...a with one b, at a different place in each string */
    ODD_PAIRS, /* the same with two strings for each place, and one c */
    EQUAL,
    ONE_PREFIX,
    TWO_PREFIXES,
    NESTED, /* prefixes of one random string */
    LEVELS, /* at every 7 bytes one string of ten ends */
    TREE,   /* at every 12 bytes the strings divide in two halves */
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

static string_set make_set(int shape, size_t n)
{
    string_set  s = {.name = names[shape]};
    test_rng    rng = {7};
    char *const string = test_need(n + 1);
    for (size_t i = 0; i < n; i++)
        string_set_add(&s, string, make_string(shape, i, n, &rng, string));
    free(string);
    string_set_finish(&s);
    return s;
}

/* ---- The order, and its cost ---- */

static uint64_t common(const string_set *s, uint64_t i, uint64_t j)
{
    uint64_t length = 0;
    while (s->pointers[i][length] != '\0' && s->pointers[i][length] == s->pointers[j][length])
        length++;
    return length;
}

/* The bytes that distinguish each string from its neighbours in the sorted order. */
static uint64_t distinguishing_bytes(const string_set *s)
{
    uint64_t sum = 0, before = 0;
    for (size_t i = 0; i < s->n; i++) {
        uint64_t const after = i + 1 < s->n ? common(s, s->order[i], s->order[i + 1]) : 0;
        sum += (before > after ? before : after) + 1;
        before = after;
    }
    return sum;
}

static void try_set(const string_set *s, uint64_t bytes, int form, uint64_t seed, uint64_t lg)
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
    uint64_t *const    index = test_need(s->n * sizeof *index);
    string_order const order = {.view = string_view_of(&s->forms[form], s->n, s->desc),
                                .n = s->n,
                                .index_type = ORDO_U64,
                                .index = index,
                                .work = &work};
    CHECK(string_sort(&order, &t.exec) == ORDO_OK);
    CHECK_BYTES(s->order, index, s->n * sizeof *index, sizeof *index);
    /* A string takes part in at most about 2 lg n passes; each pass loads or compares it once. */
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
            size_t const n = TESTKIT_SANITIZED ? (sizes[z] + 1) / 2 : sizes[z];
            string_set   s = make_set(shape, n);
            uint64_t     lg = 1;
            while (n >> lg != 0)
                lg++;
            for (int desc = 0; desc < 2; desc++) {
                string_set_order(&s, desc != 0);
                uint64_t const bytes = distinguishing_bytes(&s);
                for (int form = 0; form < 2; form++)
                    for (uint64_t seed = 0; seed < SEEDS; seed++) {
                        testkit_case("%s, %zu strings, form %d, %s, seed %d", s.name, n, form,
                                     desc != 0 ? "desc" : "asc", (int)seed);
                        try_set(&s, bytes, form, seed, lg);
                    }
            }
            string_set_free(&s);
        }
    return testkit_done();
}

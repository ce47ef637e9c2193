/* test_strings.c - the five verbs of strings against the oracle: both forms of strings, both
 * directions, every tie rule, 1 to 8 threads, on bytes before an inaccessible page. */
#include "inputs.h"
#include "kit/text/stringkit.h"

#include <stdlib.h>
#include <string.h>

static ordo_ctx *of_threads[TEST_MAX_THREADS + 1]; /* of_threads[i] has i threads */

/* ---- One set of strings, every verb ---- */

static ordo_sort_opts sort_opts(const string_set *c)
{
    return ORDO_OPTS(ordo_sort_opts, .flags = c->desc ? ORDO_DESCENDING : 0);
}

static void name_case(const string_set *c, const char *what, int form, unsigned threads)
{
    testkit_case("%s: %s, n=%zu %s form=%d threads=%u", what, c->name, c->n,
                 c->desc ? "desc" : "asc", form, threads);
}

static void try_argsort(const string_set *c, int form, unsigned threads, ordo_type index_type)
{
    ordo_ctx *const      ctx = of_threads[threads];
    size_t const         size = ordo_type_size(index_type);
    ordo_sort_opts const opts = sort_opts(c);
    guard_block          out = guard_alloc(c->n * size, GUARD_END);
    size_t               wrong = 0;
    name_case(c, "argsort", form, threads);
    CHECK_STATUS(ORDO_OK,
                 ordo_argsort_strings(ctx, &c->forms[form], c->n, index_type, out.data, &opts),
                 ctx);
    for (size_t i = 0; i < c->n; i++)
        wrong += c->order[i] !=
                 (index_type == ORDO_U32 ? ((uint32_t *)out.data)[i] : ((uint64_t *)out.data)[i]);
    CHECK_EQ_U64(0, wrong);
    guard_free(&out.region);
}

static void try_rank(const string_set *c, int form, unsigned threads, rank_rule rule)
{
    ordo_ctx *const      ctx = of_threads[threads];
    size_t const         size = ordo_type_size(rule.rank_type);
    ordo_rank_opts const opts = ORDO_OPTS(ordo_rank_opts, .flags = c->desc ? ORDO_DESCENDING : 0,
                                          .ties = (uint32_t)rule.ties);
    guard_block          out = guard_alloc(c->n * size, GUARD_END);
    void *const          expected = test_need(c->n * size);
    name_case(c, "rank", form, threads);
    oracle_rank_ordered(c->n, c->order, string_set_compare, c, rule.ties, rule.rank_type, expected);
    CHECK_STATUS(ORDO_OK,
                 ordo_rank_strings(ctx, &c->forms[form], c->n, rule.rank_type, out.data, &opts),
                 ctx);
    CHECK_BYTES(expected, out.data, c->n * size, size);
    free(expected);
    guard_free(&out.region);
}

static void try_select(const string_set *c, int form, unsigned threads, size_t count)
{
    ordo_ctx *const      ctx = of_threads[threads];
    ordo_sort_opts const opts = sort_opts(c);
    test_rng             rng = {c->n + count};
    size_t *const        k = test_need(count * sizeof *k);
    uint64_t *const      index = test_need(count * sizeof *index);
    size_t               wrong = 0;
    for (size_t j = 0; j < count; j++)
        k[j] = (size_t)test_rng_below(&rng, c->n);
    name_case(c, "select", form, threads);
    CHECK_STATUS(ORDO_OK, ordo_select_strings(ctx, &c->forms[form], c->n, k, count, index, &opts),
                 ctx);
    for (size_t j = 0; j < count; j++)
        wrong += index[j] != c->order[k[j]];
    CHECK_EQ_U64(0, wrong);
    free(k);
    free(index);
}

static void try_sort_strings(const string_set *c, unsigned threads)
{
    ordo_ctx *const       ctx = of_threads[threads];
    ordo_sort_opts const  opts = sort_opts(c);
    guard_block           out = guard_alloc(c->used, GUARD_END);
    guard_block           offsets = guard_alloc((c->n + 1) * sizeof(uint64_t), GUARD_END);
    const uint64_t *const starts = offsets.data;
    size_t                wrong = 0, at = 0;
    name_case(c, "sort_strings", 0, threads);
    CHECK_STATUS(ORDO_OK, ordo_sort_strings(ctx, &c->forms[0], c->n, out.data, offsets.data, &opts),
                 ctx);
    for (size_t i = 0; i < c->n; i++) {
        size_t const from = c->order[i];
        size_t const length = (size_t)(c->offsets[from + 1] - c->offsets[from]);
        wrong += starts[i] != at ||
                 memcmp((char *)out.data + at, c->bytes + c->offsets[from], length) != 0;
        at += length;
    }
    CHECK_EQ_U64(0, wrong);
    CHECK_EQ_U64(c->used, starts[c->n]);
    guard_free(&out.region);
    guard_free(&offsets.region);
}

static void try_sort_pointers(const string_set *c, unsigned threads)
{
    ordo_ctx *const      ctx = of_threads[threads];
    ordo_sort_opts const opts = sort_opts(c);
    const char **const   sorted = test_need(c->n * sizeof *sorted);
    size_t               wrong = 0;
    memcpy(sorted, c->pointers, c->n * sizeof *sorted);
    name_case(c, "sort_pointers", 1, threads);
    CHECK_STATUS(ORDO_OK, ordo_sort_pointers(ctx, sorted, c->n, &opts), ctx);
    for (size_t i = 0; i < c->n; i++)
        wrong += sorted[i] != c->pointers[c->order[i]];
    CHECK_EQ_U64(0, wrong);
    free(sorted);
}

/* Tests every verb. The thread counts and tie rules rotate from set to set. */
static void try_set(string_set *c)
{
    static unsigned turn;
    int const       forms = c->has_zeros ? 1 : 2;
    string_set_finish(c);
    for (int desc = 0; desc < 2; desc++) {
        string_set_order(c, desc != 0);
        for (int form = 0; form < forms; form++) {
            try_argsort(c, form, 1, ORDO_U32);
            try_argsort(c, form, 1 + turn % TEST_MAX_THREADS, ORDO_U64);
            try_argsort(c, form, 1 + (turn + 3) % TEST_MAX_THREADS, ORDO_U32);
            try_rank(c, form, 1 + (turn + 1) % TEST_MAX_THREADS, inputs_rule(turn));
            try_rank(c, form, 1 + (turn + 2) % TEST_MAX_THREADS, inputs_rule(turn + 6));
            if (c->n > 0) {
                try_select(c, form, 1 + (turn + 4) % TEST_MAX_THREADS, 1 + turn % 3);
                try_select(c, form, 1 + (turn + 5) % TEST_MAX_THREADS, c->n / 2 + 1);
            }
            turn++;
        }
        try_sort_strings(c, 1 + (turn + 6) % TEST_MAX_THREADS);
        if (forms == 2)
            try_sort_pointers(c, 1 + (turn + 7) % TEST_MAX_THREADS);
    }
    string_set_free(c);
}

/* ---- Sets of strings ---- */

enum { /* enough strings for every thread; ThreadSanitizer runs with low thresholds only */
    MANY = TESTKIT_TSAN ? 20000 : TESTKIT_SANITIZED ? 70000 : 150000
};

/* n strings: a prefix, then up to `longest` letters of an alphabet. */
static void try_random(const char *name, size_t n, size_t longest, const char *alphabet,
                       size_t letters, const char *prefix, uint64_t seed)
{
    test_rng     rng = {seed};
    char         string[256];
    size_t const before = strlen(prefix);
    string_set   c = {.name = name};
    memcpy(string, prefix, before);
    for (size_t i = 0; i < n; i++) {
        size_t const length = (size_t)test_rng_below(&rng, longest + 1);
        for (size_t at = 0; at < length; at++)
            string[before + at] = alphabet[test_rng_below(&rng, letters)];
        string_set_add(&c, string, before + length);
    }
    try_set(&c);
}

static void test_random(void)
{
    static const size_t sizes[] = {0, 1, 2, 3, 5, 24, 25, 63, 64, 65, 129, 1000, 4000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t const n = sizes[i];
        try_random("letters", n, 15, "abcdefghijklmnopqrstuvwxyz", 26, "", n);
        try_random("extreme bytes", n, 40, "\0\1\377", 3, "", n + 1);
        try_random("zeros and ones", n, 9, "\0\1", 2, "", n + 2);
        try_random("only zeros", n, 30, "\0", 1, "", n + 3);
        try_random("one letter", n, 200, "a", 1, "", n + 4);
        try_random("letters of scattered bits", n, 20, "ACGT", 4, "", n + 10);
        try_random("two letters", n, 24, "ab", 2, "", n + 5);
        try_random("shared prefix", n, 6, "acgt", 4, "http://www.example.org/a/path/", n + 6);
        try_random("long shared prefix", n, 3, "\1\377", 2,
                   "0123456789012345678901234567890123456789012345678901234567890123456789"
                   "01234567890123456789012345678901234567890123456789",
                   n + 7);
        try_random("all equal", n, 0, "", 1, "the same", n + 8);
        try_random("all empty", n, 0, "", 1, "", n + 9);
    }
    try_random("many letters", MANY, 15, "abcdefghijklmnopqrstuvwxyz", 26, "", 1);
    try_random("many of few", MANY, 8, "\0\1\377", 3, "", 2);
    try_random("many equal", 70000, 0, "", 1, "the same", 4);
    try_random("many in one group", MANY, 10, "ab", 2,
               "behind the same seventy and more bytes, which have to be skipped by all threads"
               " together, ",
               3);
}

/* Every string of up to 7 letters from an alphabet of three, after 0, 7, 14 or 21 zero bytes. */
static void test_every_short_string(void)
{
    static const char letters[] = "\0\1\377";
    for (size_t before = 0; before <= 21; before += 7) {
        string_set c = {.name = "every short string"};
        for (size_t length = 0; length <= 7; length++) {
            size_t count = 1;
            for (size_t i = 0; i < length; i++)
                count *= 3;
            for (size_t number = count; number-- > 0;) {
                char   string[32];
                size_t rest = number;
                memset(string, 0, before);
                for (size_t i = 0; i < length; i++, rest /= 3)
                    string[before + i] = letters[rest % 3];
                string_set_add(&c, string, before + length);
            }
        }
        try_set(&c);
    }
}

static void test_prefixes(void)
{
    enum {
        LONGEST = TESTKIT_SANITIZED ? 300 : 1500
    };
    char *const string = test_keep(LONGEST);
    memset(string, 'x', LONGEST);
    string_set c = {.name = "every prefix of a string"};
    for (size_t i = 0; i < LONGEST; i++)
        string_set_add(&c, string, i * 7919 % LONGEST);
    try_set(&c);

    c = (string_set){.name = "strings that differ at byte 290"};
    for (size_t i = 0; i < 400; i++) {
        memset(string, 'a' + (int)(i % 40), 299);
        string[290] = (char)('0' + i % 3);
        string_set_add(&c, string, 299 - i % 5);
    }
    try_set(&c);
}

static void test_generated(void)
{
    static const ordo_dist dists[] = {ORDO_DIST_STRINGS, ORDO_DIST_FASTA};
    for (size_t d = 0; d < 2; d++) {
        enum {
            N = 3000
        };
        ordo_ctx *const ctx = of_threads[1];
        uint64_t        offsets[N + 1];
        CHECK_STATUS(ORDO_OK, ordo_gen_strings(ctx, dists[d], N, offsets, NULL, 0, NULL), ctx);
        char *const bytes = test_keep((size_t)offsets[N]);
        CHECK_STATUS(ORDO_OK,
                     ordo_gen_strings(ctx, dists[d], N, offsets, bytes, (size_t)offsets[N], NULL),
                     ctx);
        string_set c = {.name = d == 0 ? "generated strings" : "generated records"};
        for (size_t i = 0; i < N; i++)
            string_set_add(&c, bytes + offsets[i], (size_t)(offsets[i + 1] - offsets[i]));
        try_set(&c);
    }
}

/* Strings of every length that end directly before an inaccessible page; offsets that do not start
 * at 0; NULL bytes for empty strings. */
static void test_edges(void)
{
    enum {
        N = 24
    };
    ordo_ctx *const ctx = of_threads[1];
    guard_block     blocks[N];
    const char     *pointers[N];
    uint32_t        index[N];
    testkit_case("each string before an inaccessible page");
    for (size_t i = 0; i < N; i++) {
        blocks[i] = guard_alloc(i + 1, GUARD_END);
        memset(blocks[i].data, 'z', i);
        ((char *)blocks[i].data)[i] = '\0';
        pointers[N - 1 - i] = blocks[i].data;
    }
    ordo_strings const ended = {sizeof ended, NULL, NULL, pointers};
    CHECK_STATUS(ORDO_OK, ordo_argsort_strings(ctx, &ended, N, ORDO_U32, index, NULL), ctx);
    for (size_t i = 0; i < N; i++)
        CHECK_EQ_U64(N - 1 - i, index[i]);
    for (size_t i = 0; i < N; i++)
        guard_free(&blocks[i].region);

    uint64_t const     offsets[] = {5, 7, 7, 9};
    ordo_strings const later = {sizeof later, "-----babx", offsets, NULL};
    char               bytes[4];
    uint64_t           out[4];
    testkit_case("offsets that start at 5");
    CHECK_STATUS(ORDO_OK, ordo_sort_strings(ctx, &later, 3, bytes, out, NULL), ctx);
    CHECK_BYTES("babx", bytes, 4, 1);
    CHECK(out[0] == 0 && out[1] == 0 && out[2] == 2 && out[3] == 4);

    uint64_t const     none[] = {9, 9, 9};
    ordo_strings const empty = {sizeof empty, NULL, none, NULL};
    testkit_case("no bytes at all");
    CHECK_STATUS(ORDO_OK, ordo_sort_strings(ctx, &empty, 2, NULL, out, NULL), ctx);
    CHECK(out[0] == 0 && out[1] == 0 && out[2] == 0);
    CHECK_STATUS(ORDO_OK, ordo_argsort_strings(ctx, &empty, 2, ORDO_U32, index, NULL), ctx);
    CHECK(index[0] == 0 && index[1] == 1);
    CHECK_STATUS(ORDO_OK, ordo_sort_pointers(ctx, NULL, 0, NULL), ctx);
}

int main(void)
{
    testkit_start();
    for (unsigned i = 1; i <= TEST_MAX_THREADS; i++)
        of_threads[i] = test_context_make(i);
    test_random();
    test_every_short_string();
    test_prefixes();
    test_generated();
    test_edges();
    for (unsigned i = 1; i <= TEST_MAX_THREADS; i++)
        ordo_ctx_free(of_threads[i]);
    return testkit_done();
}

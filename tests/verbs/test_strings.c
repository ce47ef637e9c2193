/* test_strings.c - the five calls on strings against a plain comparison: both forms, both
 * directions, every tie rule, 1 to 8 threads, on bytes that end at a forbidden page. */
#include "testkit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RULES = 13
};

static const struct rule {
    ordo_ties ties;
    ordo_type rank_type;
} rules[RULES] = {
    {ORDO_TIES_MIN, ORDO_U32},     {ORDO_TIES_MIN, ORDO_U64},     {ORDO_TIES_MIN, ORDO_F64},
    {ORDO_TIES_MAX, ORDO_U32},     {ORDO_TIES_MAX, ORDO_U64},     {ORDO_TIES_MAX, ORDO_F64},
    {ORDO_TIES_DENSE, ORDO_U32},   {ORDO_TIES_DENSE, ORDO_U64},   {ORDO_TIES_DENSE, ORDO_F64},
    {ORDO_TIES_ORDINAL, ORDO_U32}, {ORDO_TIES_ORDINAL, ORDO_U64}, {ORDO_TIES_ORDINAL, ORDO_F64},
    {ORDO_TIES_AVERAGE, ORDO_F64},
};

static ordo_ctx *contexts[TEST_MAX_THREADS]; /* contexts[i] has i + 1 threads */

/* ---- Strings to sort ---- */

typedef struct corpus {
    const char  *name;
    char        *bytes; /* while it grows */
    size_t       used, room;
    uint64_t    *offsets;
    size_t       n, places;
    bool         zeros;         /* some string has a zero byte: only the first form can hold it */
    guard_block  packed, ended; /* the strings one after another; with zero bytes between them */
    const char **pointers;
    ordo_strings forms[2];
    size_t      *order; /* by the oracle */
    bool         desc;
} corpus;

static void *must(void *memory)
{
    if (memory == NULL) {
        fprintf(stderr, "test_strings: out of memory\n");
        exit(1);
    }
    return memory;
}

static corpus corpus_begin(const char *name)
{
    corpus c = {.name = name, .room = 1 << 12, .places = 1 << 6};
    c.bytes = must(malloc(c.room));
    c.offsets = must(malloc(c.places * sizeof *c.offsets));
    c.offsets[0] = 0;
    return c;
}

static void corpus_add(corpus *c, const void *string, size_t length)
{
    while (c->room - c->used < length)
        c->bytes = must(realloc(c->bytes, c->room *= 2));
    if (c->n + 2 > c->places)
        c->offsets = must(realloc(c->offsets, (c->places *= 2) * sizeof *c->offsets));
    if (length > 0)
        memcpy(c->bytes + c->used, string, length);
    c->zeros |= length > 0 && memchr(string, 0, length) != NULL;
    c->used += length;
    c->offsets[++c->n] = c->used;
}

/* Puts the strings where the forbidden page follows the last of them. */
static void corpus_end(corpus *c)
{
    c->packed = guard_alloc(c->used, GUARD_END);
    c->ended = guard_alloc(c->used + c->n, GUARD_END);
    c->pointers = must(malloc((c->n + 1) * sizeof *c->pointers));
    c->order = must(malloc((c->n + 1) * sizeof *c->order));
    if (c->used > 0)
        memcpy(c->packed.data, c->bytes, c->used);
    char *to = c->ended.data;
    for (size_t i = 0; i < c->n; i++) {
        size_t const length = (size_t)(c->offsets[i + 1] - c->offsets[i]);
        c->pointers[i] = memcpy(to, c->bytes + c->offsets[i], length);
        to[length] = '\0';
        to += length + 1;
    }
    c->forms[0] = (ordo_strings){sizeof(ordo_strings), c->packed.data, c->offsets, NULL};
    c->forms[1] = (ordo_strings){sizeof(ordo_strings), NULL, NULL, c->pointers};
}

static void corpus_free(corpus *c)
{
    guard_free(&c->packed.region);
    guard_free(&c->ended.region);
    free(c->bytes);
    free(c->offsets);
    free(c->pointers);
    free(c->order);
}

/* ---- The oracle ---- */

static const corpus *compared;

static int compare_strings(const corpus *c, size_t a, size_t b)
{
    const unsigned char *const x = (const unsigned char *)c->bytes + c->offsets[a];
    const unsigned char *const y = (const unsigned char *)c->bytes + c->offsets[b];
    size_t const               x_length = (size_t)(c->offsets[a + 1] - c->offsets[a]);
    size_t const               y_length = (size_t)(c->offsets[b + 1] - c->offsets[b]);
    for (size_t i = 0; i < x_length && i < y_length; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return (x_length > y_length) - (x_length < y_length);
}

static int compare_places(const void *a, const void *b)
{
    size_t const x = *(const size_t *)a, y = *(const size_t *)b;
    int const    order = compare_strings(compared, x, y);
    if (order != 0)
        return compared->desc ? -order : order;
    return (x > y) - (x < y);
}

static void oracle_order(corpus *c, bool desc)
{
    compared = c;
    c->desc = desc;
    for (size_t i = 0; i < c->n; i++)
        c->order[i] = i;
    qsort(c->order, c->n, sizeof *c->order, compare_places);
}

static void put_rank(ordo_type type, void *ranks, size_t i, double rank)
{
    if (type == ORDO_U32)
        ((uint32_t *)ranks)[i] = (uint32_t)rank;
    else if (type == ORDO_U64)
        ((uint64_t *)ranks)[i] = (uint64_t)rank;
    else
        ((double *)ranks)[i] = rank;
}

static void oracle_ranks(const corpus *c, const struct rule *rule, void *ranks)
{
    size_t groups = 0;
    for (size_t lo = 0, hi; lo < c->n; lo = hi) {
        for (hi = lo + 1; hi < c->n && compare_strings(c, c->order[lo], c->order[hi]) == 0;)
            hi++;
        groups++;
        for (size_t i = lo; i < hi; i++)
            put_rank(rule->rank_type, ranks, c->order[i],
                     rule->ties == ORDO_TIES_MIN       ? (double)(lo + 1)
                     : rule->ties == ORDO_TIES_MAX     ? (double)hi
                     : rule->ties == ORDO_TIES_DENSE   ? (double)groups
                     : rule->ties == ORDO_TIES_ORDINAL ? (double)(i + 1)
                                                       : (double)(lo + 1 + hi) / 2);
    }
}

/* ---- One corpus, every call ---- */

static ordo_sort_opts sort_opts(const corpus *c)
{
    return ORDO_OPTS(ordo_sort_opts, .flags = c->desc ? ORDO_DESCENDING : 0);
}

static void name_case(const corpus *c, const char *what, int form, unsigned threads)
{
    testkit_case("%s: %s, n=%zu %s form=%d threads=%u", what, c->name, c->n,
                 c->desc ? "desc" : "asc", form, threads);
}

static void try_argsort(const corpus *c, int form, unsigned threads, ordo_type index_type)
{
    ordo_ctx *const      ctx = contexts[threads - 1];
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

static void try_rank(const corpus *c, int form, unsigned threads, const struct rule *rule)
{
    ordo_ctx *const      ctx = contexts[threads - 1];
    size_t const         size = ordo_type_size(rule->rank_type);
    ordo_rank_opts const opts = ORDO_OPTS(ordo_rank_opts, .flags = c->desc ? ORDO_DESCENDING : 0,
                                          .ties = (uint32_t)rule->ties);
    guard_block          out = guard_alloc(c->n * size, GUARD_END);
    void *const          expected = must(malloc(c->n * size + 1));
    name_case(c, "rank", form, threads);
    oracle_ranks(c, rule, expected);
    CHECK_STATUS(ORDO_OK,
                 ordo_rank_strings(ctx, &c->forms[form], c->n, rule->rank_type, out.data, &opts),
                 ctx);
    CHECK_BYTES(expected, out.data, c->n * size, size);
    free(expected);
    guard_free(&out.region);
}

static void try_select(const corpus *c, int form, unsigned threads, size_t count)
{
    ordo_ctx *const      ctx = contexts[threads - 1];
    ordo_sort_opts const opts = sort_opts(c);
    test_rng             rng = {c->n + count};
    size_t *const        k = must(malloc((count + 1) * sizeof *k));
    uint64_t *const      index = must(malloc((count + 1) * sizeof *index));
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

static void try_sort_strings(const corpus *c, unsigned threads)
{
    ordo_ctx *const       ctx = contexts[threads - 1];
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

static void try_sort_pointers(const corpus *c, unsigned threads)
{
    ordo_ctx *const      ctx = contexts[threads - 1];
    ordo_sort_opts const opts = sort_opts(c);
    const char **const   sorted = must(malloc((c->n + 1) * sizeof *sorted));
    size_t               wrong = 0;
    memcpy(sorted, c->pointers, c->n * sizeof *sorted);
    name_case(c, "sort_pointers", 1, threads);
    CHECK_STATUS(ORDO_OK, ordo_sort_pointers(ctx, sorted, c->n, &opts), ctx);
    for (size_t i = 0; i < c->n; i++)
        wrong += sorted[i] != c->pointers[c->order[i]];
    CHECK_EQ_U64(0, wrong);
    free(sorted);
}

/* All of it with one thread, and with other numbers of threads a part that moves on from corpus
 * to corpus. */
static void try_corpus(corpus *c)
{
    static unsigned turn;
    int const       forms = c->zeros ? 1 : 2;
    corpus_end(c);
    for (int desc = 0; desc < 2; desc++) {
        oracle_order(c, desc != 0);
        for (int form = 0; form < forms; form++) {
            try_argsort(c, form, 1, ORDO_U32);
            try_argsort(c, form, 1 + turn % TEST_MAX_THREADS, ORDO_U64);
            try_argsort(c, form, 1 + (turn + 3) % TEST_MAX_THREADS, ORDO_U32);
            try_rank(c, form, 1 + (turn + 1) % TEST_MAX_THREADS, &rules[turn % RULES]);
            try_rank(c, form, 1 + (turn + 2) % TEST_MAX_THREADS, &rules[(turn + 6) % RULES]);
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
    corpus_free(c);
}

/* ---- Corpora ---- */

enum { /* strings for all threads; the shrunken thresholds, which TSan meets, ask for fewer */
#ifdef TESTKIT_TSAN
    MANY = 20000
#else
    MANY = TESTKIT_SANITIZED ? 70000 : 150000
#endif
};

/* n strings of up to `longest` bytes out of an alphabet, behind a prefix. */
static void try_random(const char *name, size_t n, size_t longest, const char *alphabet,
                       size_t letters, const char *prefix, uint64_t seed)
{
    test_rng     rng = {seed};
    char         string[256];
    size_t const before = strlen(prefix);
    corpus       c = corpus_begin(name);
    memcpy(string, prefix, before);
    for (size_t i = 0; i < n; i++) {
        size_t const length = (size_t)test_rng_below(&rng, longest + 1);
        for (size_t at = 0; at < length; at++)
            string[before + at] = alphabet[test_rng_below(&rng, letters)];
        corpus_add(&c, string, before + length);
    }
    try_corpus(&c);
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

/* Every string of up to 7 letters out of three, then the same around the ends of keys. */
static void test_every_short_string(void)
{
    static const char letters[] = "\0\1\377";
    for (size_t before = 0; before <= 21; before += 7) {
        corpus c = corpus_begin("every short string");
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
                corpus_add(&c, string, before + length);
            }
        }
        try_corpus(&c);
    }
}

static void test_prefixes(void)
{
    enum {
        LONGEST = TESTKIT_SANITIZED ? 300 : 1500
    };
    char *const string = must(malloc(LONGEST));
    memset(string, 'x', LONGEST);
    corpus c = corpus_begin("each begins the next");
    for (size_t i = 0; i < LONGEST; i++)
        corpus_add(&c, string, i * 7919 % LONGEST);
    try_corpus(&c);

    c = corpus_begin("pairs that part far behind");
    for (size_t i = 0; i < 400; i++) {
        memset(string, 'a' + (int)(i % 40), 299);
        string[290] = (char)('0' + i % 3);
        corpus_add(&c, string, 299 - i % 5);
    }
    try_corpus(&c);
    free(string);
}

static void test_generated(void)
{
    static const ordo_dist dists[] = {ORDO_DIST_STRINGS, ORDO_DIST_FASTA};
    for (size_t d = 0; d < 2; d++) {
        enum {
            N = 3000
        };
        ordo_ctx *const ctx = contexts[0];
        uint64_t        offsets[N + 1];
        CHECK_STATUS(ORDO_OK, ordo_gen_strings(ctx, dists[d], N, offsets, NULL, 0, NULL), ctx);
        char *const bytes = must(malloc((size_t)offsets[N]));
        CHECK_STATUS(ORDO_OK,
                     ordo_gen_strings(ctx, dists[d], N, offsets, bytes, (size_t)offsets[N], NULL),
                     ctx);
        corpus c = corpus_begin(d == 0 ? "generated strings" : "generated records");
        for (size_t i = 0; i < N; i++)
            corpus_add(&c, bytes + offsets[i], (size_t)(offsets[i + 1] - offsets[i]));
        try_corpus(&c);
        free(bytes);
    }
}

/* Each string alone before a forbidden page, at every distance from it; offsets that do not
 * begin at 0; bytes that are NULL where there are none. */
static void test_edges(void)
{
    enum {
        N = 24
    };
    ordo_ctx *const ctx = contexts[0];
    guard_block     blocks[N];
    const char     *pointers[N];
    uint32_t        index[N];
    testkit_case("each before its own forbidden page");
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
    testkit_case("offsets from 5");
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
    for (unsigned i = 0; i < TEST_MAX_THREADS; i++)
        contexts[i] = test_context_make(i + 1);
    test_random();
    test_every_short_string();
    test_prefixes();
    test_generated();
    test_edges();
    for (unsigned i = 0; i < TEST_MAX_THREADS; i++)
        ordo_ctx_free(contexts[i]);
    return testkit_done();
}

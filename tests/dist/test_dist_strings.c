/* test_dist_strings.c - the verbs of strings over many ranks: every set of strings, both forms,
 * both directions, 1 to 64 ranks, every division of the strings and every tie rule. The expected
 * results come from the oracle on all strings. */
#define _GNU_SOURCE
#include "distkit.h"
#include "kit/text/stringkit.h"

#include <stdio.h>

enum {
    MOST = 4000,
    EVERY = 7, /* one of so many combinations runs; prime to the lengths of all lists */
    TOP = 40,
    PICKS = 9
};

typedef enum verb {
    SORT,
    ARGSORT,
    RANK,
    SELECT,
    QUANTILES,
    MEDIAN,
    TOPK,
    SORTED,
    UNIQUE
} verb;

typedef struct answer { /* of a rank, for the verbs that answer every rank alike */
    uint64_t index[TOP], offsets[TOP + 1], count, where;
    size_t   found;
    int      sorted;
    char    *bytes;
} answer;

static string_set set;
static distkit    kit;
static verb       what;
static int        form;
static rank_rule  rule;
static ordo_type  index_type;
static size_t     out_starts[DISTKIT_RANKS + 1];
static uint64_t   picks[PICKS];
static double     shares[PICKS];
static answer     answers[DISTKIT_RANKS];
static char      *sorted_bytes[DISTKIT_RANKS];
static uint64_t   sorted_offsets[MOST + DISTKIT_RANKS + 1];
static uint64_t   results[MOST];

static size_t count_of(size_t rank) { return kit.starts[rank + 1] - kit.starts[rank]; }

static char *take(void *user, uint64_t bytes)
{
    char **const memory = user;
    *memory = malloc((size_t)bytes + 1);
    return *memory;
}

static ordo_strings strings_of(size_t rank)
{
    ordo_strings s = set.forms[form];
    if (s.pointers != NULL)
        s.pointers += kit.starts[rank];
    else if (s.offsets != NULL)
        s.offsets += kit.starts[rank];
    return s;
}

static ordo_status ask(ordo_ctx *ctx, const ordo_comm *comm, size_t rank,
                       const ordo_dist_opts *opts)
{
    answer *const        a = &answers[rank];
    size_t const         n = count_of(rank);
    ordo_strings const   s = strings_of(rank);
    ordo_dist_text const out =
        ORDO_OPTS(ordo_dist_text, .offsets = a->offsets, .take = take, .user = &a->bytes);
    switch (what) {
    case SELECT:
        return ordo_dist_select_strings(ctx, comm, &s, n, picks, PICKS, a->index, &out, opts);
    case QUANTILES:
        return ordo_dist_quantiles_strings(ctx, comm, &s, n, shares, PICKS, ORDO_METHOD_LOWER,
                                           a->index, &out, opts);
    case MEDIAN:
        return ordo_dist_median_strings(ctx, comm, &s, n, a->index, &out, opts);
    case TOPK:
        return ordo_dist_topk_strings(ctx, comm, &s, n, TOP, a->index, &out, &a->found, opts);
    case SORTED:
        return ordo_dist_is_sorted_strings(ctx, comm, &s, n, &a->sorted, &a->where, opts);
    default:
        return ordo_dist_unique_count_strings(ctx, comm, &s, n, &a->count, set.desc ? NULL : opts);
    }
}

static ordo_status call_verb(void *user, ordo_ctx *ctx, const ordo_comm *comm, size_t rank)
{
    size_t const         n = count_of(rank), out_n = out_starts[rank + 1] - out_starts[rank];
    ordo_strings const   s = strings_of(rank);
    ordo_dist_opts const opts = ORDO_OPTS(ordo_dist_opts, .flags = set.desc ? ORDO_DESCENDING : 0);
    ordo_dist_text const out =
        ORDO_OPTS(ordo_dist_text, .n = out_n, .offsets = sorted_offsets + out_starts[rank] + rank,
                  .take = take, .user = &sorted_bytes[rank]);
    size_t const at = kit.starts[rank];
    (void)user;
    if (what == SORT)
        return ordo_dist_sort_strings(ctx, comm, &s, n, &out, &opts);
    if (what == ARGSORT)
        return ordo_dist_argsort_strings(ctx, comm, &s, n, index_type,
                                         (char *)results + at * ordo_type_size(index_type), &opts);
    if (what == RANK)
        return ordo_dist_rank_strings(ctx, comm, &s, n, rule.ties, rule.rank_type,
                                      (char *)results + at * ordo_type_size(rule.rank_type), &opts);
    return ask(ctx, comm, rank, &opts);
}

/* ---- What is expected ---- */

static uint64_t length_of(uint64_t i) { return set.offsets[i + 1] - set.offsets[i]; }

/* Whether the string at `bytes` is string i of the set. */
static bool is_string(const char *bytes, uint64_t length, uint64_t i)
{
    return length == length_of(i) && memcmp(bytes, set.bytes + set.offsets[i], length) == 0;
}

static void check_sorted_strings(void)
{
    size_t wrong = 0;
    for (size_t r = 0; r < kit.ranks; r++) {
        const uint64_t *const at = sorted_offsets + out_starts[r] + r;
        wrong += at[0] != 0;
        for (size_t i = out_starts[r], j = 0; i < out_starts[r + 1]; i++, j++)
            wrong += !is_string(sorted_bytes[r] + at[j], at[j + 1] - at[j], set.order[i]);
        free(sorted_bytes[r]);
        sorted_bytes[r] = NULL;
    }
    CHECK_EQ_U64(0, wrong);
}

static void check_argsort(void)
{
    size_t wrong = 0;
    for (size_t i = 0; i < set.n; i++)
        wrong += set.order[i] !=
                 (index_type == ORDO_U32 ? ((const uint32_t *)(void *)results)[i] : results[i]);
    CHECK_EQ_U64(0, wrong);
}

static void check_ranks(void)
{
    size_t const size = ordo_type_size(rule.rank_type);
    void *const  expected = test_need(set.n * size);
    oracle_rank_ordered(set.n, set.order, string_set_compare, &set, rule.ties, rule.rank_type,
                        expected);
    CHECK_BYTES(expected, results, set.n * size, size);
    free(expected);
}

/* The strings at the places of the sorted order, on every rank. */
static void check_places(const uint64_t *places, size_t count)
{
    size_t wrong = 0;
    for (size_t r = 0; r < kit.ranks; r++) {
        answer *const a = &answers[r];
        wrong += a->offsets[0] != 0;
        for (size_t j = 0; j < count; j++)
            wrong += a->index[j] != set.order[places[j]] ||
                     !is_string(a->bytes + a->offsets[j], a->offsets[j + 1] - a->offsets[j],
                                a->index[j]);
        free(a->bytes);
        a->bytes = NULL;
    }
    CHECK_EQ_U64(0, wrong);
}

static void check_first(void)
{
    uint64_t     places[TOP];
    size_t const k = set.n < TOP ? set.n : TOP;
    for (size_t j = 0; j < k; j++)
        places[j] = j;
    for (size_t r = 0; r < kit.ranks; r++)
        CHECK_EQ_U64(k, answers[r].found);
    check_places(places, k);
}

static void check_numbers(void)
{
    uint64_t where = set.n, distinct = set.n > 0;
    for (size_t i = 1; i < set.n; i++) {
        if (where == set.n && string_set_compare(&set, i, i - 1) < 0)
            where = i;
        distinct += string_set_compare(&set, (size_t)set.order[i], (size_t)set.order[i - 1]) != 0;
    }
    for (size_t r = 0; r < kit.ranks; r++)
        if (what == SORTED) {
            CHECK(answers[r].sorted == (where == set.n));
            CHECK_EQ_U64(where, answers[r].where);
        } else {
            CHECK_EQ_U64(distinct, answers[r].count);
        }
}

static void check_answers(void)
{
    uint64_t places[PICKS] = {0};
    switch (what) {
    case SORT:
        check_sorted_strings();
        return;
    case ARGSORT:
        check_argsort();
        return;
    case RANK:
        check_ranks();
        return;
    case SELECT:
        check_places(picks, PICKS);
        return;
    case QUANTILES:
        for (size_t j = 0; j < PICKS; j++)
            places[j] = (uint64_t)(shares[j] * (double)(set.n - 1));
        check_places(places, PICKS);
        return;
    case MEDIAN:
        places[0] = (set.n - 1) / 2;
        check_places(places, 1);
        return;
    case TOPK:
        check_first();
        return;
    default:
        check_numbers();
    }
}

/* ---- Sets ---- */

static void try_verbs(size_t ranks, size_t split, size_t turn)
{
    kit = (distkit){.ranks = ranks, .threads = 1 + (unsigned)turn % 2, .call = call_verb};
    distkit_split(split, set.n, ranks, turn, kit.starts);
    distkit_split((split + turn) % DISTKIT_SPLITS, set.n, ranks, turn + 5, out_starts);
    rule = inputs_rule(turn);
    index_type = turn % 2 == 0 ? ORDO_U64 : ORDO_U32;
    for (size_t j = 0; j < PICKS && set.n > 0; j++) {
        picks[j] = j == 0 ? set.n - 1 : (turn * 2654435761u + j * 97) % set.n;
        shares[j] = (double)((turn + j * 3) % 9) / 8;
    }
    for (what = SORT; what <= UNIQUE; what++) {
        bool const needs_strings = what == SELECT || what == QUANTILES || what == MEDIAN;
        testkit_case("verb %d of %s, n=%zu %s form=%d ranks=%zu split=%zu", (int)what, set.name,
                     set.n, set.desc ? "desc" : "asc", form, ranks, split);
        if (distkit_run(&kit, needs_strings && set.n == 0 ? ORDO_E_ARG : ORDO_OK) &&
            !(needs_strings && set.n == 0))
            check_answers();
    }
}

static void try_set(void)
{
    static const size_t ranks[] = {1, 2, 3, 5, 8, 16, 64};
    static size_t       turn;
    string_set_finish(&set);
    for (int desc = 0; desc < 2; desc++) {
        string_set_order(&set, desc != 0);
        for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
            for (size_t split = 0; split < DISTKIT_SPLITS; split++) {
                form = set.has_zeros ? 0 : (int)(turn % 2);
                if (turn++ % EVERY == 0)
                    try_verbs(ranks[i], split, turn);
            }
    }
    string_set_free(&set);
}

/* n strings: a prefix of `before` letters, then up to `longest` letters of an alphabet. */
static void try_random(const char *name, size_t n, size_t before, size_t longest,
                       const char *alphabet, size_t letters, uint64_t seed)
{
    static char string[1 << 17];
    test_rng    rng = {seed};
    set = (string_set){.name = name};
    memset(string, 'p', before);
    for (size_t i = 0; i < n; i++) {
        size_t const length = (size_t)test_rng_below(&rng, longest + 1);
        for (size_t at = 0; at < length; at++)
            string[before + at] = alphabet[test_rng_below(&rng, letters)];
        string_set_add(&set, string, before + length);
    }
    try_set();
}

/* Strings that differ behind common prefixes of many lengths. */
static void try_prefixes(size_t n, uint64_t seed)
{
    static char string[700];
    test_rng    rng = {seed};
    set = (string_set){.name = "prefixes of each other"};
    for (size_t i = 0; i < n; i++) {
        size_t const length = (size_t)test_rng_below(&rng, sizeof string);
        memset(string, 'a', length);
        if (length > 0 && test_rng_below(&rng, 3) == 0)
            string[length - 1] = (char)test_rng_below(&rng, 256);
        string_set_add(&set, string, length);
    }
    try_set();
}

int main(void)
{
    static const size_t sizes[] = {0, 1, 2, 7, 64, 900, MOST};
    testkit_start();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t const n = sizes[i];
        try_random("letters", n, 0, 15, "abcdefghijklmnopqrstuvwxyz", 26, n);
        try_random("zeros and ones", n, 0, 9, "\0\1\377", 3, n + 1);
        try_random("all equal", n, 8, 0, "", 1, n + 2);
        try_random("all empty", n, 0, 0, "", 1, n + 3);
        try_random("few values", n, 3, 2, "ab", 2, n + 4);
        try_random("shared prefix", n, 100, 40, "acgt", 4, n + 5);
        try_prefixes(n, n + 6);
    }
    try_random("long shared prefix", 200, 5000, 3, "\1\377", 2, 9);
    try_random("very long prefix", 40, 70000, 6, "ab", 2, 10);
    return testkit_done();
}

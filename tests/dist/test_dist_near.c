/* test_dist_near.c - selections and top-k of so many strings that the ranks sort only those near
 * the positions (lib/dist/strings/string_near.c), and ranks of strings that are divided by keys:
 * words, shared prefixes, few values, zero bytes and one value, in both orders and both forms. The
 * expected results are those of the calls on the whole array. The memory of a search that goes on
 * behind many keys is bounded. */
#define _GNU_SOURCE
#include "distkit.h"
#include "ordo_dist_strings.h"

#include <stdio.h>

enum {
    STRINGS = 150000,
    LONGEST = 160,
    SHAPES = 8,
    COUNTS = 4,
    RULES = 8,
    LEVELS = 7, /* searches one behind the other */
    MANY = 1100 /* more positions than one read finds */
};

static distkit          kit;
static char             bytes[(size_t)STRINGS * LONGEST];
static const char      *pointers[STRINGS];
static uint64_t         offsets[STRINGS + 1], positions[MANY], expected[MANY];
static uint64_t         found[DISTKIT_RANKS][MANY];
static size_t           count;
static bool             by_pointers, descending;
static ordo_dist_report report; /* of rank 0 */
static uint64_t         held;   /* scratch of rank 0 */

static const struct rule {
    ordo_ties ties;
    ordo_type type;
} rules[] = {{ORDO_TIES_AVERAGE, ORDO_F64}, {ORDO_TIES_MIN, ORDO_U32},
             {ORDO_TIES_DENSE, ORDO_U64},   {ORDO_TIES_MAX, ORDO_F64},
             {ORDO_TIES_ORDINAL, ORDO_U64}, {ORDO_TIES_DENSE, ORDO_F64},
             {ORDO_TIES_MAX, ORDO_U64},     {ORDO_TIES_DENSE, ORDO_U32}};
static struct rule rule;
static uint64_t    ranks[STRINGS], expected_ranks[STRINGS], distinct[DISTKIT_RANKS];

static uint64_t next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return *state >> 33;
}

static size_t put_word(char *to, uint64_t seed)
{
    size_t const length = next(&seed) % 18;
    for (size_t i = 0; i < length; i++)
        to[i] = (char)('a' + next(&seed) % 26);
    return length;
}

static size_t put_shared(char *to, size_t shared, uint64_t number)
{
    memset(to, 'p', shared);
    return shared + (size_t)sprintf(to + shared, "%llu", (unsigned long long)number);
}

/* Keys that nearly all strings share, one behind the other; 1 of 128 strings differs in each. The
 * last key has digits of the number. */
static size_t put_steps(char *to, uint64_t number)
{
    size_t const shared = 7 * (LEVELS - 1);
    memset(to, 'p', shared);
    if (number % 128 < LEVELS - 1)
        to[7 * (number % 128)] = 'q';
    return shared + (size_t)sprintf(to + shared, "%llu", (unsigned long long)number / 128);
}

/* Writes a string without a zero byte, but for shape 6; returns its length. */
static size_t put_string(size_t shape, uint64_t number, char *to)
{
    switch (shape) {
    case 0:
        return put_word(to, number);
    case 1: /* a short prefix of all strings */
        return put_shared(to, 23, number);
    case 2: /* a prefix that is longer than ranks compare */
        return put_shared(to, 140, number);
    case 3: /* two prefixes, so that the strings of a key are half of all */
        to[0] = number % 2 == 0 ? 'a' : 'b';
        return 1 + put_shared(to + 1, 30, number / 2);
    case 4: /* few values */
        return put_word(to, number % 50);
    case 5: /* one value */
        return put_shared(to, 9, 5);
    case 6: /* zero bytes: strings that differ only in length */
        memset(to, 0, 20);
        return number % 20;
    case 7: /* nearly all are one value that continues behind a key */
        return put_shared(to, 20, number % 7 == 0 ? number : 1);
    default:
        return put_steps(to, number);
    }
}

static void fill(size_t shape)
{
    uint64_t state = shape;
    size_t   at = 0;
    for (size_t i = 0; i < STRINGS; i++) {
        offsets[i] = at;
        pointers[i] = bytes + at;
        at += put_string(shape, next(&state), bytes + at);
        if (by_pointers)
            bytes[at++] = 0;
    }
    offsets[STRINGS] = at;
}

static ordo_strings strings_from(size_t start)
{
    return by_pointers ? ORDO_OPTS(ordo_strings, .pointers = pointers + start)
                       : ORDO_OPTS(ordo_strings, .bytes = bytes, .offsets = offsets + start);
}

static ordo_dist_opts opts_of(ordo_dist_report *own)
{
    *own = ORDO_OPTS(ordo_dist_report, .total = 0);
    return ORDO_OPTS(ordo_dist_opts, .flags = descending ? ORDO_DESCENDING : 0, .report = own);
}

static ordo_status call_select(void *user, ordo_ctx *ctx, const ordo_comm *comm, size_t rank)
{
    size_t const         start = kit.starts[rank], n = kit.starts[rank + 1] - start;
    ordo_strings const   strings = strings_from(start);
    ordo_dist_report     own;
    ordo_dist_opts const opts = opts_of(&own);
    (void)user;
    ordo_status const status = ordo_dist_select_strings(ctx, comm, &strings, n, positions, count,
                                                        found[rank], NULL, &opts);
    ordo_info         info = ORDO_OPTS(ordo_info, .threads = 0);
    if (rank == 0 && CHECK(ordo_ctx_info(ctx, &info) == ORDO_OK)) {
        report = own;
        held = info.scratch_held;
    }
    return status;
}

static ordo_status call_topk(void *user, ordo_ctx *ctx, const ordo_comm *comm, size_t rank)
{
    size_t const         start = kit.starts[rank], n = kit.starts[rank + 1] - start;
    ordo_strings const   strings = strings_from(start);
    ordo_dist_opts const opts =
        ORDO_OPTS(ordo_dist_opts, .flags = descending ? ORDO_DESCENDING : 0);
    size_t all;
    (void)user;
    return ordo_dist_topk_strings(ctx, comm, &strings, n, MANY, found[rank], NULL, &all, &opts);
}

/* The first strings; those of the select are at equal distances. */
static void check_topk(ordo_ctx *ctx)
{
    ordo_strings const strings = strings_from(0);
    size_t             k[MANY];
    for (size_t i = 0; i < MANY; i++)
        k[i] = i;
    CHECK_STATUS(
        ORDO_OK,
        ordo_select_strings(ctx, &strings, STRINGS, k, MANY, expected,
                            &ORDO_OPTS(ordo_sort_opts, .flags = descending ? ORDO_DESCENDING : 0)),
        ctx);
    kit.call = call_topk;
    if (!distkit_run(&kit, ORDO_OK))
        return;
    for (size_t r = 0; r < kit.ranks; r++)
        CHECK_BYTES(expected, found[r], sizeof expected, sizeof *expected);
}

static ordo_status call_rank(void *user, ordo_ctx *ctx, const ordo_comm *comm, size_t rank)
{
    size_t const         start = kit.starts[rank], n = kit.starts[rank + 1] - start;
    ordo_strings const   strings = strings_from(start);
    ordo_dist_report     own;
    ordo_dist_opts const opts = opts_of(&own);
    (void)user;
    ordo_status const status =
        ordo_dist_rank_strings(ctx, comm, &strings, n, rule.ties, rule.type,
                               (char *)ranks + start * ordo_type_size(rule.type), &opts);
    if (rank == 0)
        report = own;
    return status != ORDO_OK
               ? status
               : ordo_dist_unique_count_strings(ctx, comm, &strings, n, &distinct[rank], NULL);
}

/* Ranks by one rule, and the number of distinct strings. */
static void check_ranks(ordo_ctx *ctx, struct rule wanted)
{
    ordo_strings const   strings = strings_from(0);
    size_t const         size = ordo_type_size(wanted.type);
    size_t               values;
    ordo_rank_opts const opts = ORDO_OPTS(ordo_rank_opts, .ties = (uint32_t)wanted.ties,
                                          .flags = descending ? ORDO_DESCENDING : 0);
    CHECK_STATUS(ORDO_OK,
                 ordo_rank_strings(ctx, &strings, STRINGS, ORDO_U64, expected_ranks,
                                   &ORDO_OPTS(ordo_rank_opts, .ties = ORDO_TIES_DENSE)),
                 ctx);
    values = 0;
    for (size_t i = 0; i < STRINGS; i++)
        values = expected_ranks[i] > values ? (size_t)expected_ranks[i] : values;
    CHECK_STATUS(ORDO_OK,
                 ordo_rank_strings(ctx, &strings, STRINGS, wanted.type, expected_ranks, &opts),
                 ctx);
    rule = wanted;
    kit.call = call_rank;
    if (!distkit_run(&kit, ORDO_OK))
        return;
    CHECK_BYTES(expected_ranks, ranks, STRINGS * size, size);
    for (size_t r = 0; r < kit.ranks; r++)
        CHECK_EQ_U64(values, distinct[r]);
}

static void check(ordo_ctx *ctx, size_t wanted)
{
    ordo_strings const strings = strings_from(0);
    size_t             k[MANY];
    count = wanted;
    for (size_t i = 0; i < count; i++) /* the first one again at the end */
        positions[i] = k[i] = count == 1 || i == count - 1 ? STRINGS / 2 : i * STRINGS / count;
    CHECK_STATUS(
        ORDO_OK,
        ordo_select_strings(ctx, &strings, STRINGS, k, count, expected,
                            &ORDO_OPTS(ordo_sort_opts, .flags = descending ? ORDO_DESCENDING : 0)),
        ctx);
    if (!distkit_run(&kit, ORDO_OK))
        return;
    for (size_t r = 0; r < kit.ranks; r++)
        CHECK_BYTES(expected, found[r], count * sizeof *expected, sizeof *expected);
}

/* One list of places serves all levels: 8 bytes for a key of each string, 8 for its place. */
static void check_levels(ordo_ctx *ctx)
{
    testkit_case("%d keys one behind the other", LEVELS);
    by_pointers = descending = false;
    kit = (distkit){.ranks = 1, .threads = 1, .call = call_select};
    fill(SHAPES);
    distkit_split(0, STRINGS, 1, 1, kit.starts);
    check(ctx, 1);
#ifndef ORDO_TINY
    CHECK(held < (uint64_t)STRINGS * 32);
#endif
}

int main(void)
{
    static const size_t rank_counts[] = {1, 2, 5, 16}, counts[COUNTS] = {1, 3, 40, MANY};
    ordo_ctx           *ctx;
    size_t              turn = 0;
    testkit_start();
    CHECK(ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CPU)) == ORDO_OK);
    for (size_t shape = 0; shape < SHAPES; shape++)
        for (size_t c = 0; c < COUNTS; c++) {
            turn++;
            by_pointers = turn % 3 == 0 && shape != 6;
            descending = turn / 2 % 2 == 1;
            kit = (distkit){.ranks = rank_counts[(turn + shape) % 4],
                            .threads = turn % 5 == 0 ? 2 : 1,
                            .call = call_select};
            testkit_case("shape %zu, %zu positions, %zu ranks", shape, counts[c], kit.ranks);
            fill(shape);
            distkit_split(turn % DISTKIT_SPLITS, STRINGS, kit.ranks, turn, kit.starts);
            check(ctx, counts[c]);
            check_topk(ctx);
#ifndef ORDO_TINY
            /* Medians of words look at a small part of them again. */
            if (shape == 0 && counts[c] == 1)
                CHECK(report.kept < STRINGS / 4);
#endif
            check_ranks(ctx, rules[turn % RULES]);
            check_ranks(ctx, rules[(turn + 3) % RULES]);
            if (shape <= 1 && kit.ranks > 1) /* divided by keys: no search for cuts */
                CHECK_EQ_U64(0, report.rounds);
        }
    check_levels(ctx);
    ordo_ctx_free(ctx);
    return testkit_done();
}

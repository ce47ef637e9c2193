/* test_score.c - the points of a benchmark run: which rows count, the ratio of rounds, the limits
 * of "level", the worst point, the lines of the JSON document, and the tables of lengths. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "testkit.h"

#include "bench/harness/bench_measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROUNDS = 3
};

static bench_row row_of(const char *section, size_t first, const char *name, unsigned threads,
                        bool peer, double *seconds)
{
    bench_row row = {.section = section,
                     .question = {.op = "sort", .variant = "", .n = 1000, .p = NAN, .k = NAN},
                     .name = name,
                     .role = BENCH_CONTENDER,
                     .threads = threads,
                     .peer = peer,
                     .first = first,
                     .calls = 1,
                     .seconds = seconds,
                     .median = seconds[1],
                     .over_copy = NAN,
                     .speedup = NAN};
    snprintf(row.question.label, sizeof row.question.label, "input %zu", first);
    return row;
}

static double one[] = {1, 1, 1}, two[] = {2, 2, 2}, four[] = {4, 4, 4};
static double almost[] = {0.98, 0.98, 0.98}, less[] = {0.96, 0.96, 0.96};
static double slow_phase[] = {10, 1, 1}, same_phase[] = {20, 2, 2};

static void test_points(void)
{
    const bench_row rows[] = {
        row_of("types", 0, "std::sort", 1, true, four),
        row_of("types", 0, "vqsort", 1, true, two),
        row_of("types", 0, "auto", 1, false, one), /* ahead: 2, and not 4 */
        row_of("types", 3, "vqsort", 1, true, almost),
        row_of("types", 3, "auto", 1, false, one), /* level: 0.98 */
        row_of("n", 5, "vqsort", 1, true, less),
        row_of("n", 5, "auto", 1, false, one),  /* behind: 0.96 */
        row_of("n", 7, "auto", 1, false, four), /* no peer: no point */
        row_of("n", 8, "radix", 1, false, one), /* another algorithm: no point */
        row_of("n", 8, "vqsort", 1, true, two),
    };
    const size_t      count = sizeof rows / sizeof *rows;
    const bench_score types = bench_score_rows(rows, count, ROUNDS, "types");
    const bench_score n = bench_score_rows(rows, count, ROUNDS, "n");
    const bench_score all = bench_score_rows(rows, count, ROUNDS, NULL);
    const bench_score none = bench_score_rows(rows, count, ROUNDS, "pairs");

    testkit_case("points");
    CHECK_EQ_U64(2, types.points);
    CHECK_EQ_U64(1, types.ahead);
    CHECK_EQ_U64(0, types.behind);
    CHECK(types.worst == 0.98 && types.row == &rows[4] && types.peer == &rows[3]);
    CHECK_EQ_U64(1, n.points);
    CHECK_EQ_U64(0, n.ahead);
    CHECK_EQ_U64(1, n.behind);
    CHECK(n.worst == 0.96 && n.row == &rows[6] && n.peer == &rows[5]);
    CHECK_EQ_U64(3, all.points);
    CHECK(all.ahead == 1 && all.behind == 1 && all.row == &rows[6]);
    const bench_score slow = bench_score_against(rows, count, ROUNDS, NULL, "std::sort");
    CHECK(slow.points == 1 && slow.ahead == 1 && slow.worst == 4 && slow.peer == &rows[0]);
    const bench_score fast = bench_score_against(rows, count, ROUNDS, NULL, "vqsort");
    CHECK(fast.points == 3 && fast.ahead == 1 && fast.behind == 1 && fast.worst == 0.96);
    CHECK_EQ_U64(0, bench_score_against(rows, count, ROUNDS, NULL, "another").points);
    CHECK(none.points == 0 && none.ahead == 0 && none.behind == 0 && isinf(none.worst));
}

/* A peer with fewer threads counts, one with more threads does not. */
static void test_threads(void)
{
    const bench_row rows[] = {
        row_of("threads", 0, "vqsort", 1, true, two),
        row_of("threads", 0, "gnu parallel", 8, true, one),
        row_of("threads", 0, "auto", 1, false, four),
        row_of("threads", 0, "auto", 4, false, four),
        row_of("threads", 0, "auto", 8, false, four),
    };
    const size_t      count = sizeof rows / sizeof *rows;
    const bench_score some = bench_score_rows(rows, count - 1, ROUNDS, NULL);
    const bench_score all = bench_score_rows(rows, count, ROUNDS, NULL);

    testkit_case("threads");
    CHECK(some.points == 2 && some.behind == 2 && some.worst == 0.5 && some.peer == &rows[0]);
    CHECK(all.points == 3 && all.behind == 3 && all.worst == 0.25 && all.peer == &rows[1]);
}

/* Rounds are compared one by one: a slow phase of the machine slows both rows of its round. */
static void test_rounds(void)
{
    const bench_row rows[] = {row_of("n", 0, "vqsort", 1, true, same_phase),
                              row_of("n", 0, "auto", 1, false, slow_phase)};

    testkit_case("rounds");
    CHECK(bench_score_rows(rows, 2, ROUNDS, NULL).worst == 2);
    CHECK(bench_score_rows(rows, 2, 1, NULL).worst == 2);
}

static void test_json(void)
{
    bench_row           rows[] = {row_of("n", 0, "vqsort", 1, true, less),
                                  row_of("n", 0, "auto", 1, false, one),
                                  row_of("small", 2, "auto", 1, false, one)};
    const bench         b = {.set = {.subject = "sort", .n = 1000, .repeat = ROUNDS, .threads = 1},
                             .rows = rows,
                             .row_count = 3};
    const bench_machine machine = {.cpus = 1};
    char               *text = NULL;
    size_t              length = 0;
    FILE *const         file = open_memstream(&text, &length);

    testkit_case("JSON");
    if (!CHECK(file != NULL))
        return;
    CHECK(bench_write_json(&b, &machine, file));
    CHECK(fclose(file) == 0);
    CHECK(strstr(text, "  \"scores\": [\n"
                       "    {\"score\": \"n\", \"points\": 1, \"ahead\": 0, \"behind\": 1, "
                       "\"worst_ratio\": 0.96, \"worst_label\": \"input 0\", "
                       "\"worst_peer\": \"vqsort\", \"worst_n\": 1000, \"worst_threads\": 1}\n"
                       "  ],\n  \"rows\": [\n") != NULL);
    free(text);
}

static bench_row length_of(size_t first, size_t n, const char *dist, const char *name, bool peer,
                           double *seconds)
{
    bench_row row = row_of("lengths", first, name, 1, peer, seconds);
    row.question.n = n;
    row.question.type = ORDO_U32;
    row.question.dist = dist;
    return row;
}

static void test_lengths(void)
{
    bench_row   rows[] = {row_of("n", 0, "auto", 1, false, one),
                          length_of(1, 2048, "zero", "cub radix", true, four),
                          length_of(1, 2048, "zero", "auto", false, two),
                          length_of(3, 1024, "zero", "cub radix", true, one),
                          length_of(3, 1024, "zero", "auto", false, two),
                          length_of(5, 2048, "few", "auto", false, four)};
    const bench b = {.set = {.repeat = ROUNDS},
                     .rows = rows,
                     .row_count = sizeof rows / sizeof *rows,
                     .section = "lengths",
                     .unit = 1};
    char       *text = NULL;
    size_t      length = 0;
    FILE *const file = open_memstream(&text, &length);

    testkit_case("lengths");
    if (!CHECK(file != NULL))
        return;
    bench_print_lengths(&b, file);
    CHECK(fclose(file) == 0);
    CHECK(strcmp(text, "\nTime of the best peer divided by that of auto, by the logarithm of n\n"
                       "keys                  10      11\n"
                       "u32  zero           0.50    2.00\n"
                       "u32  few               -       -\n"
                       "\nTime of auto, by the logarithm of n\n"
                       "keys                  10      11\n"
                       "u32  zero            2.0     2.0\n"
                       "u32  few               -     4.0\n") == 0);
    free(text);
}

int main(void)
{
    testkit_start();
    test_points();
    test_threads();
    test_rounds();
    test_json();
    test_lengths();
    return testkit_done();
}

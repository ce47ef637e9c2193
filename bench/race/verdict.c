/* verdict.c - races rows and decides which ones are slower.
 *
 * One run of several hundred rows has a few rows above any useful limit by chance. So a row above
 * the limit runs again, and if it is above the limit again, the old build runs against itself. Only
 * if that run stays within the limit, in both directions, is the row slower. */
#include "race.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct verdict {
    ratio       first, second, self;
    const char *word; /* NULL: fine */
} verdict;

static int compare_double(const void *a, const void *b)
{
    double const x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

ratio race(const row *r, const side *a, const side *b, size_t rounds)
{
    const side *const sides[2] = {a, b};
    double            ratios[MOST_ROUNDS] = {0};
    ratio             result = {0};
    uint64_t          digests[2];

    for (int i = 0; i < 2; i++) /* takes scratch memory, too */
        digests[i] = r->section->time(r, sides[i], true).digest;
    result.same = digests[0] == digests[1];
    for (size_t round = 0; round < rounds; round++) {
        double seconds[2];
        for (size_t turn = 0; turn < 2; turn++) {
            size_t const i = (round + turn) % 2;
            seconds[i] = r->section->time(r, sides[i], false).seconds;
            if (round == 0 || seconds[i] < result.least[i])
                result.least[i] = seconds[i];
        }
        ratios[round] = seconds[0] > 0 ? seconds[1] / seconds[0] : 1;
    }
    qsort(ratios, rounds, sizeof *ratios, compare_double);
    result.median = ratios[rounds / 2];
    return result;
}

/* The later runs have few rows, so they can afford three times the rounds. */
static size_t more_rounds(void)
{
    return 3 * set.rounds < MOST_ROUNDS ? 3 * set.rounds : MOST_ROUNDS;
}

static bool above(ratio r) { return r.median > 1 + set.limit; }

static void print_row(const row *r, ratio t)
{
    printf("%-36s %9zu %12.3f %12.3f %7.3f %7.3f%s\n", r->name, r->n, 1e6 * t.least[0],
           1e6 * t.least[1], t.least[0] > 0 ? t.least[1] / t.least[0] : 1, t.median,
           t.same ? "" : "  RESULTS DIFFER");
    fflush(stdout);
}

static void print_head(const char *what, size_t rounds)
{
    printf("\n%s: threads = %u, rounds = %zu, %s time\n", what, set.threads, rounds,
           set.cpu_time ? "CPU" : "elapsed");
    printf("%-36s %9s %12s %12s %7s %7s\n", "row", "n", "old us", "new us", "ratio", "median");
}

/* Runs a row above the limit again, and the old build against itself. */
static void decide(const row *r, verdict *v, const side *old, const side *new, const side *again)
{
    size_t const rounds = more_rounds();
    side         a, b;

    r->section->prepare(r, new);
    side_open(&a, old->lib); /* other memory: its place can cost some percent, too */
    side_open(&b, new->lib);
    v->second = race(r, &a, &b, rounds);
    old->lib->ctx_free(a.ctx);
    new->lib->ctx_free(b.ctx);
    print_row(r, v->second);
    v->first.same &= v->second.same;
    if (!above(v->second)) {
        v->word = "not again";
        return;
    }
    v->self = race(r, old, again, rounds);
    v->word =
        v->self.median > 1 + set.limit || v->self.median * (1 + set.limit) < 1 ? "noise" : "SLOWER";
}

static void print_verdict(const row *r, const verdict *v)
{
    printf("%-36s %9zu %7.3f", r->name, r->n, v->first.median);
    if (v->second.median > 0)
        printf(" %7.3f", v->second.median);
    else
        printf(" %7s", "-");
    if (v->self.median > 0)
        printf(" %7.3f", v->self.median);
    else
        printf(" %7s", "-");
    printf("  %s\n", !v->first.same ? "RESULTS DIFFER" : v->word);
}

int judge(const row_list *list, const side *old, const side *new, const side *again)
{
    verdict *const all = calloc(list->count, sizeof *all);
    size_t         suspects = 0, slower = 0, differ = 0;

    if (all == NULL)
        fail("memory", "not enough for the verdicts");
    print_head("first run, OLD against NEW", set.rounds);
    for (size_t i = 0; i < list->count; i++) {
        list->rows[i].section->prepare(&list->rows[i], new);
        all[i].first = race(&list->rows[i], old, new, set.rounds);
        print_row(&list->rows[i], all[i].first);
        suspects += above(all[i].first);
    }
    if (suspects > 0)
        print_head("second run of the rows above the limit", more_rounds());
    for (size_t i = 0; i < list->count; i++) {
        if (above(all[i].first)) {
            decide(&list->rows[i], &all[i], old, new, again);
            slower += all[i].word[0] == 'S';
        }
        differ += !all[i].first.same;
    }
    if (suspects + differ > 0)
        printf("\nverdict: median ratios, limit %.3f\n%-36s %9s %7s %7s %7s\n", 1 + set.limit,
               "row", "n", "first", "second", "old/old");
    for (size_t i = 0; i < list->count; i++)
        if (all[i].word != NULL || !all[i].first.same)
            print_verdict(&list->rows[i], &all[i]);
    printf("\n%zu rows: %zu slower, %zu above the limit in one run or by noise, %zu with results "
           "that differ\n",
           list->count, slower, suspects - slower, differ);
    free(all);
    return slower + differ > 0 ? 1 : 0;
}

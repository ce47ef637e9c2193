/* bench_score.c - how often ordo is ahead of the peers of the same run, and its worst case.
 *
 * A point is one input with one number of threads that `auto` and a peer answered. The ratio of a
 * point is the median of the rounds' ratios: time of the best peer divided by time of `auto`. A
 * peer with fewer threads counts too, because a user may choose it. */
#include "bench/harness/bench_measure.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_ours(const bench_row *row)
{
    return !row->peer && row->role == BENCH_CONTENDER && strcmp(row->name, "auto") == 0;
}

/* The peer with the least median among the answers to the question of `ours`; NULL if none.
 * `name`: this peer alone, unless it is NULL. */
static const bench_row *best_peer(const bench_row *rows, size_t count, const bench_row *ours,
                                  const char *name)
{
    const bench_row *best = NULL;

    for (size_t i = 0; i < count; i++)
        if (rows[i].peer && rows[i].first == ours->first && rows[i].threads <= ours->threads &&
            (name == NULL || strcmp(rows[i].name, name) == 0) &&
            (best == NULL || rows[i].median < best->median))
            best = &rows[i];
    return best;
}

static double median_ratio(const bench_row *slow, const bench_row *fast, unsigned rounds)
{
    double ratios[BENCH_MOST_ROUNDS];

    assert(rounds > 0 && rounds <= BENCH_MOST_ROUNDS);
    for (unsigned i = 0; i < rounds; i++)
        ratios[i] = slow->seconds[i] / fast->seconds[i];
    bench_sort_times(ratios, rounds);
    return bench_quantile(ratios, rounds, 0.5);
}

bench_score bench_score_against(const bench_row *rows, size_t count, unsigned rounds,
                                const char *section, const char *name)
{
    bench_score score = {.worst = INFINITY};

    for (size_t i = 0; i < count; i++) {
        if (!is_ours(&rows[i]) || (section != NULL && strcmp(rows[i].section, section) != 0))
            continue;
        const bench_row *const peer = best_peer(rows, count, &rows[i], name);
        if (peer == NULL)
            continue;
        const double ratio = median_ratio(peer, &rows[i], rounds);
        score.ahead += ratio > 1 / BENCH_LEVEL;
        score.behind += ratio < BENCH_LEVEL;
        score.points++;
        if (ratio < score.worst) {
            score.worst = ratio;
            score.row = &rows[i];
            score.peer = peer;
        }
    }
    return score;
}

bench_score bench_score_rows(const bench_row *rows, size_t count, unsigned rounds,
                             const char *section)
{
    return bench_score_against(rows, count, rounds, section, NULL);
}

bool bench_next_score(const bench *b, size_t *at, bench_score *score)
{
    while (*at < b->row_count) {
        const char *const section = b->rows[*at].section;
        *score = bench_score_rows(b->rows, b->row_count, b->set.repeat, section);
        while (*at < b->row_count && strcmp(b->rows[*at].section, section) == 0)
            ++*at;
        if (score->row != NULL && score->peer != NULL)
            return true;
    }
    return false;
}

static void print_score(const char *name, const bench_score *score)
{
    const size_t level = score->points - score->ahead - score->behind;
    char         count[32];

    printf("%s: %zu points: %zu ahead, %zu level, %zu behind; worst ratio %.2f: %s, n = %s, "
           "%u thread%s, %s\n",
           name, score->points, score->ahead, level, score->behind, score->worst,
           score->row->question.label, bench_count(count, score->row->question.n),
           score->row->threads, score->row->threads == 1 ? "" : "s", score->peer->name);
}

/* Whether row i is the first of its peer. */
static bool is_first_of_peer(const bench *b, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (b->rows[j].peer && strcmp(b->rows[j].name, b->rows[i].name) == 0)
            return false;
    return b->rows[i].peer;
}

/* One line for each peer that took part, over all sections. */
static void print_each_peer(const bench *b)
{
    for (size_t i = 0; i < b->row_count; i++) {
        if (!is_first_of_peer(b, i))
            continue;
        const char *const name = b->rows[i].name;
        const bench_score score =
            bench_score_against(b->rows, b->row_count, b->set.repeat, NULL, name);
        char line[96];
        snprintf(line, sizeof line, "against %s", name);
        if (score.row != NULL && score.peer != NULL)
            print_score(line, &score);
    }
}

void bench_print_scores(const bench *b)
{
    bench_score score;
    unsigned    sections = 0;

    for (size_t at = 0; bench_next_score(b, &at, &score); sections++) {
        if (sections == 0)
            printf("\nTime of the best peer divided by that of auto; level is %.2f to %.2f\n",
                   BENCH_LEVEL, 1 / BENCH_LEVEL);
        print_score(score.row->section, &score);
    }
    if (sections > 1) {
        score = bench_score_rows(b->rows, b->row_count, b->set.repeat, NULL);
        print_score("all sections", &score);
    }
    print_each_peer(b);
    if (sections == 0)
        printf("\nNo peer took part: no points\n");
}

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

/* ---- Tables of lengths -------------------------------------------------------------------- */

enum {
    MOST_LENGTHS = 40
};

/* Whether two rows are about the same keys, apart from their number. */
static bool same_keys(const bench_row *a, const bench_row *b)
{
    return a->question.type == b->question.type && strcmp(a->question.op, b->question.op) == 0 &&
           strcmp(a->question.dist, b->question.dist) == 0;
}

/* The lengths of the answers of ordo from row `first` on, ascending. Returns their number. */
static size_t list_lengths(const bench *b, size_t first, size_t *lengths)
{
    size_t count = 0;

    for (size_t i = first; i < b->row_count; i++) {
        const size_t n = b->rows[i].question.n;
        size_t       at = count;
        while (at > 0 && lengths[at - 1] >= n)
            at--;
        if (!is_ours(&b->rows[i]) || (at < count && lengths[at] == n) || count == MOST_LENGTHS)
            continue;
        memmove(lengths + at + 1, lengths + at, (count - at) * sizeof *lengths);
        lengths[at] = n;
        count++;
    }
    return count;
}

/* Prints one line: the ratios, or the times of `auto`, of the keys of row `of`. */
static void print_length_row(const bench *b, const bench_row *of, const size_t *lengths,
                             size_t count, bool times, FILE *file)
{
    fprintf(file, "%-4s %-11s", ordo_type_name(of->question.type), of->question.dist);
    for (size_t k = 0; k < count; k++) {
        double value = NAN;
        for (const bench_row *row = of; row < b->rows + b->row_count; row++)
            if (is_ours(row) && row->question.n == lengths[k] && same_keys(row, of)) {
                const bench_row *const peer = best_peer(b->rows, b->row_count, row, NULL);
                value = times          ? row->median / b->unit
                        : peer == NULL ? NAN
                                       : median_ratio(peer, row, b->set.repeat);
            }
        if (isnan(value))
            fprintf(file, "       -");
        else
            fprintf(file, times ? " %7.1f" : " %7.2f", value);
    }
    fprintf(file, "\n");
}

void bench_print_lengths(const bench *b, FILE *file)
{
    size_t lengths[MOST_LENGTHS + 1], first = 0;

    while (first < b->row_count && strcmp(b->rows[first].section, b->section) != 0)
        first++;
    const size_t count = list_lengths(b, first, lengths);
    for (int times = 0; times < 2; times++) {
        fprintf(file, "\n%s, by the logarithm of n\n%-16s",
                times ? "Time of auto" : "Time of the best peer divided by that of auto", "keys");
        for (size_t k = 0; k < count; k++)
            fprintf(file, " %7.0f", log2((double)lengths[k]));
        fprintf(file, "\n");
        for (size_t i = first; i < b->row_count; i++) {
            bool seen = !is_ours(&b->rows[i]);
            for (size_t j = first; j < i && !seen; j++)
                seen = is_ours(&b->rows[j]) && same_keys(&b->rows[i], &b->rows[j]);
            if (!seen)
                print_length_row(b, &b->rows[i], lengths, count, times != 0, file);
        }
    }
}

/* ---- Scores ------------------------------------------------------------------------------- */

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

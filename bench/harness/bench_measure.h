/* bench_measure.h - measures a question (bench_measure.c), compares ordo with the peers
 * (bench_score.c) and reports the rows as tables (bench_table.c) and as JSON (bench_json.c). */
#ifndef ORDO_BENCH_HARNESS_BENCH_MEASURE_H
#define ORDO_BENCH_HARNESS_BENCH_MEASURE_H

#include "bench/harness/bench_core.h"
#include "bench/harness/bench_machine.h"

#include <stdio.h>

/* Adds rows for the copy of question->bytes / 2 bytes, measures all pending rows and prints them.
 * False, after a message, if a call failed or two answers differ. */
bool bench_measure(bench *b, const bench_question *question);

/* Prints the pending rows, which have their times already (bench_add_times), and keeps them as the
 * answers to the question. Without pending rows it does nothing. */
void bench_take_times(bench *b, const bench_question *question);

/* A contender that uses its own context calls this function with the reason if its call fails. */
void bench_set_reason(const char *why);

/* Prints the title and the columns of a table. n is 0 if it differs from row to row. */
void bench_heading(bench *b, const char *title, size_t n, const char *label, int label_width);
void bench_print_rows(const bench *b, size_t first, size_t last);
void bench_print_skipped(const bench *b, const bench_row *row, const char *why);
void bench_print_machine(const bench *b, const bench_machine *machine);

/* Prints the worst figures of a contender in the current section and keeps them as facts. With
 * spread also the slowest question over the fastest. */
bool bench_summary(bench *b, const char *name, bool spread);

/* Between these ratios, BENCH_LEVEL and 1 / BENCH_LEVEL, ordo and a peer are level. */
#define BENCH_LEVEL 0.97

typedef struct bench_score {
    size_t           points, ahead, behind; /* the other points are level                   */
    double           worst;                 /* the smallest ratio; infinite without points */
    const bench_row *row, *peer;            /* rows of the worst point */
} bench_score;

/* The points of measured rows with `rounds` rounds: see bench_score.c. section NULL: all rows. */
bench_score bench_score_rows(const bench_row *rows, size_t count, unsigned rounds,
                             const char *section);

/* The same against the peer of this name; NULL: against the best peer of each point. */
bench_score bench_score_against(const bench_row *rows, size_t count, unsigned rounds,
                                const char *section, const char *name);

/* The score of the next section with points, from row *at on. Moves *at to the row after that
 * section. False if there is none. */
bool bench_next_score(const bench *b, size_t *at, bench_score *score);

/* Prints the ratios of the points of the current section, and the times, as tables with a column
 * for each length: the keys of a row have one type and one distribution. */
void bench_print_lengths(const bench *b, FILE *file);

/* Prints the score of every section that has points, of all, and against each peer. */
void bench_print_scores(const bench *b);

void bench_progress(const bench *b, const char *label, unsigned round);
void bench_progress_clear(const bench *b);

/* Writes 128000000 as 128,000,000. Returns the buffer. */
const char *bench_count(char buffer[32], size_t n);

/* Writes all rows as one JSON document; false if the stream had an error. */
bool bench_write_json(const bench *b, const bench_machine *machine, FILE *file);

#endif

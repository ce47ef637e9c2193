/* bench_table.c - the tables, summaries and the progress line of `ordo bench`.
 *
 * Ratios come first, because they can be compared between machines. */
#include "bench/harness/bench_measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    NAME_WIDTH = 10 /* of the column "algorithm"; twice that if there are peers */
};

const char *bench_count(char buffer[32], size_t n)
{
    char      digits[24];
    const int length = snprintf(digits, sizeof digits, "%zu", n);
    char     *to = buffer;

    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return buffer;
}

void bench_heading(bench *b, const char *title, size_t n, const char *label, int label_width)
{
    const bool micro = b->unit < 1e-4;
    char       count[32];

    b->name_width = b->peers != NULL ? 2 * NAME_WIDTH : NAME_WIDTH;
    b->label_width = label_width;
    printf("\n%s", title);
    if (n != 0)
        printf(", n = %s", bench_count(count, n));
    printf(", %u rounds\n\n", b->set.repeat);
    printf("%*s  %-*s", label_width, label, b->name_width, "algorithm");
    if (b->place == NULL)
        printf(" %7s", "threads");
    printf("  %9s %8s  %10s %10s %10s %10s  %9s %7s\n", "time/copy", "speed-up",
           micro ? "median us" : "median ms", "quartile 1", "quartile 3",
           micro ? "least us" : "least ms", "Mkeys/s", "GB/s");
}

static void print_name(const bench *b, const char *label, const bench_row *row)
{
    printf("%*s  %-*s", b->label_width, label, b->name_width, row->name);
    if (b->place == NULL)
        printf(" %7u", row->threads);
    printf("  ");
}

static void print_ratio(int width, double value)
{
    if (isnan(value))
        printf("%*s", width, "-");
    else
        printf("%*.2f", width, value);
}

void bench_print_machine(const bench *b, const bench_machine *machine)
{
    printf("ordo %s bench %s, %s\n", ordo_version(), b->set.subject, machine->date);
    printf("%s, %u CPUs, %u threads, %s\n", machine->cpu, machine->cpus, b->set.threads,
           machine->isa);
    printf("%s%s%.1f GB memory\n", machine->caches, machine->caches[0] != '\0' ? ", " : "",
           (double)machine->memory * 1e-9);
    printf("%s, %s\n", machine->kernel, machine->compiler);
    if (b->set.cpu_time)
        printf("times: CPU seconds of all threads\n");
    if (b->place != NULL)
        printf("%s\n", b->place->device);
    if (b->peers != NULL)
        printf("peers: %s\n", b->peers->libraries);
    else if (b->peers_why[0] != '\0')
        printf("peers: none: %s; 'make bench' builds them\n", b->peers_why);
}

void bench_print_rows(const bench *b, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++) {
        const bench_row *const row = &b->rows[i];
        const double           mkeys = (double)row->question.n / row->median * 1e-6;
        const double           gbytes = (double)row->question.bytes / row->median * 1e-9;
        print_name(b, i == first ? row->question.label : "", row);
        print_ratio(9, row->over_copy);
        putchar(' ');
        print_ratio(8, row->speedup);
        printf("  %10.3f %10.3f %10.3f %10.3f  %9.1f %7.2f\n", row->median / b->unit,
               row->quartiles[0] / b->unit, row->quartiles[1] / b->unit, row->least / b->unit,
               mkeys, gbytes);
    }
    if (last - first > 1)
        putchar('\n');
    fflush(stdout);
}

void bench_print_skipped(const bench *b, const bench_row *row, const char *why)
{
    print_name(b, row->question.label, row);
    printf("left out: %s\n", why);
}

/* One contender with one number of threads. */
static bool summarise(bench *b, const char *name, unsigned threads, bool spread)
{
    double slowest = 0, fastest = INFINITY, speedup = INFINITY, over_copy = 0;
    char   fact[96];

    for (size_t i = 0; i < b->row_count; i++) {
        const bench_row *const row = &b->rows[i];
        if (strcmp(row->section, b->section) != 0 || strcmp(row->name, name) != 0 ||
            row->threads != threads)
            continue;
        slowest = row->median > slowest ? row->median : slowest;
        fastest = row->median < fastest ? row->median : fastest;
        speedup = row->speedup < speedup ? row->speedup : speedup; /* false for NAN */
        over_copy = row->over_copy > over_copy ? row->over_copy : over_copy;
    }
    if (slowest == 0)
        return true;
    if (b->place == NULL)
        printf("%s, %u thread%s: ", name, threads, threads == 1 ? "" : "s");
    else
        printf("%s: ", name);
    printf("worst time/copy %.2f", over_copy);
    snprintf(fact, sizeof fact, "%s %s %u: worst time/copy", b->section, name, threads);
    if (!bench_note(b, fact, over_copy))
        return false;
    if (!isinf(speedup)) {
        printf(", least speed-up %.2f", speedup);
        snprintf(fact, sizeof fact, "%s %s %u: least speed-up", b->section, name, threads);
        if (!bench_note(b, fact, speedup))
            return false;
    }
    if (spread) {
        printf(", slowest/fastest %.2f", slowest / fastest);
        snprintf(fact, sizeof fact, "%s %s %u: slowest/fastest", b->section, name, threads);
        if (!bench_note(b, fact, slowest / fastest))
            return false;
    }
    putchar('\n');
    return true;
}

bool bench_summary(bench *b, const char *name, bool spread)
{
    if (!summarise(b, name, 1, spread))
        return false;
    return b->set.threads == 1 || summarise(b, name, b->set.threads, spread);
}

void bench_progress(const bench *b, const char *label, unsigned round)
{
    if (b->terminal)
        fprintf(stderr, "\r\033[K%s %s %s: round %u of %u", b->set.subject, b->section, label,
                round, b->set.repeat);
}

void bench_progress_clear(const bench *b)
{
    if (b->terminal)
        fprintf(stderr, "\r\033[K");
}

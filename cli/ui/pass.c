/* pass.c - the first pass of a sample sort of few numbers, step by step, for --explain (context.h):
 * figure 3.2 of the paper in lib/papers/hybrid/hybrid.h. */
#include "cli/io/number/number.h"
#include "cli/ui/context.h"

#include <string.h>

static struct {
    size_t n, width;
    char   keys[ORDO_PASS_MOST][NUMBER_TEXT_MAX + 1];
} kept;

void pass_keep(ordo_type type, const void *keys, size_t n)
{
    kept.n = n <= ORDO_PASS_MOST ? n : 0;
    kept.width = 3; /* of the names of the devices */
    for (size_t i = 0; i < kept.n; i++) {
        const char *const key = (const char *)keys + i * ordo_type_size(type);
        const size_t      length = number_format(type, key, kept.keys[i]);
        kept.keys[i][length] = '\0';
        kept.width = length > kept.width ? length : kept.width;
    }
}

static unsigned bin_of(const ordo_facts *f, size_t i) { return f->pass_labels[i] / 2u + 1; }

/* Keys that equal a splitter have odd labels. */
static void print_splitters(const ordo_facts *f)
{
    fputs("splitters ", stderr);
    for (unsigned label = 1; label < 2 * ORDO_PASS_MOST; label += 2)
        for (size_t i = 0; i < kept.n; i++)
            if (f->pass_labels[i] == label) {
                fprintf(stderr, " %s", kept.keys[i]);
                break;
            }
    fputc('\n', stderr);
}

static void print_rows(const ordo_facts *f)
{
    const int width = (int)kept.width + 1;

    fputs("keys      ", stderr);
    for (size_t i = 0; i < kept.n; i++)
        fprintf(stderr, "%*s", width, kept.keys[i]);
    fputs("\ndevices   ", stderr);
    for (size_t i = 0; i < kept.n; i++)
        fprintf(stderr, "%*s", width, i < f->pass_cpu ? "CPU" : "GPU");
    fputs("\nlabels    ", stderr);
    for (size_t i = 0; i < kept.n; i++)
        fprintf(stderr, "%*u", width, bin_of(f, i));
    fputc('\n', stderr);
}

/* The histograms, the place of each bin and its keys. */
static void print_bins(const ordo_facts *f)
{
    size_t place = 0;

    fputs("bin        CPU  GPU  place  keys\n", stderr);
    for (unsigned bin = 1; place < kept.n && bin <= UINT16_MAX / 2 + 1; bin++) {
        size_t counts[2] = {0, 0};
        for (size_t i = 0; i < kept.n; i++)
            counts[i >= f->pass_cpu] += bin_of(f, i) == bin;
        if (counts[0] + counts[1] == 0)
            continue;
        fprintf(stderr, "%-10u %3zu  %3zu  %5zu ", bin, counts[0], counts[1], place);
        for (size_t i = 0; i < kept.n; i++)
            if (bin_of(f, i) == bin)
                fprintf(stderr, " %s", kept.keys[i]);
        fputc('\n', stderr);
        place += counts[0] + counts[1];
    }
}

void pass_print(const ordo_facts *f)
{
    if (f->pass_n == 0 || f->pass_n != kept.n)
        return;
    print_rows(f);
    print_splitters(f);
    print_bins(f);
}

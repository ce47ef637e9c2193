/* deviation.c - the sample standard deviation (see deviation.h). */
#include "cli/io/deviation.h"

#include "cli/base/workers.h"
#include "cli/io/number/keys.h"

#include <math.h>

enum {
    CHUNK = 1 << 10,  /* differences on the stack                                         */
    PIECE = 1 << 16,  /* numbers of a task                                                */
    LARGEST_UP = 1000 /* exponent of the scale: 2^1000 times the least float is not small */
};

void deviation_start(deviation *d, const summary *of)
{
    double least = 0, most = 0;
    int    exponent = 0;

    *d = (deviation){.of = of, .scale = 1};
    summary_of(ORDO_F64, NULL, 0, &d->sums);
    summary_of(ORDO_F64, NULL, 0, &d->squares);
    if (of->n == 0)
        return;
    if (!type_is_float(of->type)) {
        d->middle = of->integers / (wide_sum)of->n;
        return;
    }
    summary_extremes(of, &least, &most);
    const double mean = summary_sum(of) / (double)of->n;
    (void)frexp(fmax(fabs(least), fabs(most)), &exponent);
    d->scale = ldexp(1, -exponent < LARGEST_UP ? -exponent : LARGEST_UP);
    d->center = isfinite(mean) ? mean * d->scale : least * d->scale / 2 + most * d->scale / 2;
}

/* Inline, so that the compiler makes one version for each constant size. */
static inline void subtract(const deviation *d, bool floats, bool is_signed, size_t size,
                            const char *data, size_t n, double *out)
{
    const unsigned unused = (unsigned)(64 - 8 * size);

    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = key_load(size, data + i * size);
        const wide_sum number =
            is_signed ? (wide_sum)((int64_t)(bits << unused) >> unused) : (wide_sum)bits;
        float  narrow;
        double value;
        memcpy(&narrow, data + i * size, size < sizeof narrow ? size : sizeof narrow);
        memcpy(&value, data + i * size, size < sizeof value ? size : sizeof value);
        value = size == sizeof narrow ? (double)narrow : value;
        out[i] = floats ? value * d->scale - d->center : (double)(number - d->middle);
    }
}

static void subtract_keys(const deviation *d, const char *data, size_t n, double *out)
{
    switch (d->of->type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        subtract(d, (key)0.5 > 0, (key)-1 < (key)1, sizeof(key), data, n, out);                    \
        break;
#include "lib/core/types.def"
    }
}

static void add_part(void *total, const void *data, size_t n)
{
    deviation *const d = total;
    const size_t     size = ordo_type_size(d->of->type);
    double           differences[CHUNK];

    for (size_t done = 0, m; done < n; done += m) {
        m = n - done < CHUNK ? n - done : CHUNK;
        subtract_keys(d, (const char *)data + done * size, m, differences);
        summary_take(&d->sums, differences, m);
        for (size_t i = 0; i < m; i++)
            differences[i] *= differences[i];
        summary_take(&d->squares, differences, m);
    }
}

static void join(void *total, const void *part)
{
    deviation *const       d = total;
    const deviation *const p = part;

    summary_add(&d->sums, &p->sums);
    summary_add(&d->squares, &p->squares);
}

void deviation_add(deviation *d, const void *data, size_t n)
{
    const workers_array array = {data, n, ordo_type_size(d->of->type), PIECE};
    deviation           zero;

    deviation_start(&zero, d->of);
    workers_add(&array, d, &zero, sizeof zero, add_part, join);
}

double deviation_sample(const deviation *d)
{
    const summary *const s = d->of;
    const double         n = (double)s->n;

    if (s->n < 2 || s->plus > 0 || s->minus > 0)
        return (double)NAN;
    if (s->least == s->most)
        return 0;
    const double sum = summary_sum(&d->sums);
    const double rest = summary_sum(&d->squares) - sum * sum / n;
    return rest > 0 ? sqrt(rest / (n - 1)) / d->scale : 0;
}

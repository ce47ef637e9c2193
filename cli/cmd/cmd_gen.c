/* cmd_gen.c - `ordo gen`: test data, the same for the same seed on every machine. */
#include "cli/cmd/command.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "Examples:\n"
    "  ordo gen uniform -n 10 --dtype f32\n"
    "  ordo gen recur -n 128M --dtype f32 -p 0.5 -o keys.npy   # sorted, half are ties\n"
    "  ordo gen ksorted -n 1e6 -k 1000 --seed 7 -o nearly.npy\n"
    "  ordo gen zipf -n 2^20 --dtype u64 | ordo scan --op max\n"
    "  ordo gen fasta -n 1e5 -o proteins.fasta\n\n"
    "Usage: ordo gen DIST -n N [options]\n"
    "Prints N numbers, lines or FASTA records of a distribution. The same seed gives the same\n"
    "bytes.\n\n"
    "Distributions:\n"
#define ORDO_DIST_ROW(ID, name, make, takes, k, help) help
#include "lib/gen/dists.def"
    "\n"
    "Generating:\n"
    "* -n N              how many: 1000, 1e6, 128M (10^6), 128Mi (2^20), 2^28\n"
    "* --dtype T         " NAMES_TYPES "; default: u32\n"
    "* --seed S          default: 1\n"
    "* -k K, -p P        the parameter of the distribution\n"
    "  --width W         fasta: residues per line (60); 0: each sequence is one line\n"
    "  --lines           fasta: only the sequences, one line each\n"
    "  --algorithm A     auto\n";

enum {
    FASTA_WIDTH = 60 /* residues per line */
};

typedef enum parameter {
    NOTHING,
    PROBABILITY,
    RADIUS,
    LINES
} parameter;

static const struct dist {
    const char *name;
    ordo_dist   number;
    parameter   takes;
    bool        takes_k;
} dists[] = {
#define ORDO_DIST_ROW(ID, name, make, takes, k, help)                                              \
    {#name, ORDO_DIST_##ID, takes, (k) > 0 || (takes) == RADIUS},
#include "lib/gen/dists.def"
};

enum {
    DISTS = sizeof dists / sizeof *dists
};

static const option_spec specs[] = {COUNT("n", 'n', n, 0, SIZE_MAX - 1),
                                    NAMED("dtype", dtype, option_types),
                                    COUNT("seed", 0, seed, 0, UINT64_MAX),
                                    COUNT("k", 'k', k, 0, UINT64_MAX - 1),
                                    REAL("p", 'p', p),
                                    COUNT("width", 0, width, 0, UINT64_MAX - 1),
                                    FLAG("lines", lines),
                                    OUTPUT_OPTIONS,
                                    ALGORITHM("auto"),
                                    COMMON_OPTIONS};

/* NULL if no distribution has that name. */
static const struct dist *find_distribution(const char *name)
{
    size_t i = DISTS;
    while (i > 0 && strcmp(dists[i - 1].name, name) != 0)
        i--;
    return i > 0 ? &dists[i - 1] : NULL;
}

static const char *unknown_distribution(const char *name)
{
    const char *names[DISTS];
    for (size_t i = 0; i < DISTS; i++)
        names[i] = dists[i].name;
    const char *const near = nearest_name(name, names, DISTS);
    if (near != NULL)
        cli_error("gen: unknown distribution '%s'; did you mean '%s'?", cli_quoted(name), near);
    else
        cli_error("gen: unknown distribution '%s'; 'ordo gen --help' lists the distributions",
                  cli_quoted(name));
    return "";
}

/* Says what a distribution takes or needs. */
static const char *about(const struct dist *dist, const char *what)
{
    cli_error("gen: %s %s", dist->name, what);
    return "";
}

static const char *wrong(execution *e)
{
    const options *const o = &e->o;

    if (o->operand == NULL)
        return "the distribution is missing, as in 'ordo gen uniform -n 10'; 'ordo gen --help' "
               "lists the distributions";
    const struct dist *const dist = find_distribution(o->operand);
    if (dist == NULL)
        return unknown_distribution(o->operand);
    if (o->dtype != NULL && type_of_name("--dtype", o->dtype, false) == 0)
        return "";
    const file_format format = format_asked(o);
    const bool        binary = format == FORMAT_NPY || format == FORMAT_RAW;
    const bool        strings = dist->takes == LINES;
    return o->n == OPTION_UNSET                     ? "-n N is missing: how many keys?"
           : strings && o->dtype != NULL            ? "strings have no --dtype"
           : strings && binary                      ? "strings can be written as text only"
           : o->k != OPTION_UNSET && !dist->takes_k ? about(dist, "takes no -k")
           : !isnan(o->p) && dist->takes != PROBABILITY
               ? about(dist, "takes no -p; only recur does")
           : dist->number != ORDO_DIST_FASTA && (o->lines || o->width != OPTION_UNSET)
               ? "--width and --lines are only for the distribution fasta"
           : o->lines && o->width != OPTION_UNSET ? "--lines and --width cannot be used together"
           : o->k == OPTION_UNSET && dist->takes == RADIUS ? about(dist, "needs -k K, the radius")
                                                           : NULL;
}

static bool generate_numbers(execution *e, ordo_dist dist, const ordo_gen_opts *opts)
{
    const size_t    n = (size_t)e->o.n;
    const ordo_type type = e->o.dtype != NULL ? (ordo_type)ordo_type_parse(e->o.dtype) : ORDO_U32;
    void *const     data = new_results(e, type, n, "the numbers");

    if (data == NULL)
        return false;
    call_begin("generating");
    return call_done(e, "gen", ordo_gen(e->ctx, dist, type, data, n, opts)) &&
           write_results(e, type, data, n);
}

static bool write_records(execution *e, const lines *all)
{
    const size_t width = e->o.width != OPTION_UNSET ? (size_t)e->o.width : FASTA_WIDTH;
    bool         ok = true;

    progress_start("writing");
    for (size_t i = 0; ok && i < all->n; i++) {
        const size_t length = (size_t)(all->offsets[i + 1] - all->offsets[i]);
        char         header[64];
        snprintf(header, sizeof header, "protein_%zu length=%zu", i + 1, length);
        ok = fasta_write_record(header, all->bytes + all->offsets[i], length, width, &e->out);
        progress_count(i, all->n);
    }
    progress_end();
    return finish_output(e, ok);
}

static bool generate_strings(execution *e, ordo_dist dist, const ordo_gen_opts *opts)
{
    const size_t    n = (size_t)e->o.n;
    uint64_t *const offsets = new_results(e, ORDO_U64, n + 1, "the offsets of the strings");

    if (offsets == NULL)
        return false;
    call_begin("measuring");
    if (!call_end(ordo_gen_strings(e->ctx, dist, n, offsets, NULL, 0, opts)))
        return false;
    const size_t size = (size_t)offsets[n];
    char *const  bytes = new_results(e, ORDO_U8, size, "the strings");
    if (bytes == NULL)
        return false;
    const lines all = {.n = n, .bytes = bytes, .offsets = offsets, .line_end = '\n'};
    call_begin("generating");
    return call_done(e, "gen", ordo_gen_strings(e->ctx, dist, n, offsets, bytes, size, opts)) &&
           (dist == ORDO_DIST_FASTA && !e->o.lines ? write_records(e, &all)
                                                   : finish_output(e, lines_write(&all, &e->out)));
}

static bool work(execution *e)
{
    const struct dist *const dist = find_distribution(e->o.operand);
    const ordo_gen_opts      opts =
        ORDO_OPTS(ordo_gen_opts, .seed = e->o.seed, .k = e->o.k != OPTION_UNSET ? e->o.k : 0,
                  .p = isnan(e->o.p) ? 0 : e->o.p);
    return (dist->takes == LINES ? generate_strings : generate_numbers)(e, dist->number, &opts);
}

const command command_gen = {"gen", help, specs, WRITES | FEW, 0, wrong, work};

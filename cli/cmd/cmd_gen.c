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
    "  uniform           integers: the whole range; floats: [0, 1)\n"
    "  gaussian          the mean of four uniform draws\n"
    "  zero              all 0\n"
    "  few               -k distinct values (100)\n"
    "  zipf              1 to -k (2^20 or what fits), x with probability ~ 1/x\n"
    "  sorted, reverse   ascending, descending\n"
    "  organpipe         up to the middle, then down\n"
    "  sawtooth          -k ascending teeth (16)\n"
    "  recur             sorted; each key equals the previous key with probability -p (0)\n"
    "  ksorted           a radius of exactly -k (see ordo radius)\n"
    "  shuffled          uniform keys, sorted; two keys -k apart exchanged, the others\n"
    "                    shuffled in groups of at most -k + 1\n"
    "  signed            floats: [-1, 1); integers: half of the range, around its middle\n"
    "  normal            the sum of twelve draws; floats: mean 0, deviation 1\n"
    "  loguniform        a random number of leading zeros; floats: a random exponent\n"
    "  outliers          sorted, but one key in -k (100) is uniform\n"
    "  timestamps        ascending in bursts of -k keys (1000); one key in 64 is late\n"
    "  prices            log-normal, in cents; half of the prices end in 99\n"
    "  sensors           readings of -k sensors (100): noise, constants, missing values\n"
    "  dupes, staggered, bucket   Helman, Bader and JaJa, over -k buckets (16)\n"
    "  strings           lines of 1 to 500 printable characters\n"
    "  fasta             FASTA records: proteins of up to 120 residues\n\n"
    "Generating:\n"
    "  -n N              how many: 1000, 1e6, 128M (10^6), 128Mi (2^20), 2^28\n"
    "  --dtype T         i8 u8 i16 u16 i32 u32 i64 u64 f32 f64; default: u32\n"
    "  --seed S          default: 1\n"
    "  -k K, -p P        the parameter of the distribution\n"
    "  --width W         fasta: residues per line (60); 0: each sequence is one line\n"
    "  --lines           fasta: only the sequences, one line each\n"
    "  --algorithm A     auto\n";

/* In the order of ordo_dist, which starts at 1. */
static const char *const names[] = {"",           "uniform",  "gaussian",   "zero",      "few",
                                    "zipf",       "sorted",   "reverse",    "organpipe", "sawtooth",
                                    "recur",      "ksorted",  "dupes",      "staggered", "bucket",
                                    "strings",    "fasta",    "shuffled",   "signed",    "normal",
                                    "loguniform", "outliers", "timestamps", "prices",    "sensors"};
enum {
    NAMES = sizeof names / sizeof names[0],
    TAKE_K = 1 << ORDO_DIST_FEW | 1 << ORDO_DIST_ZIPF | 1 << ORDO_DIST_SAWTOOTH |
             1 << ORDO_DIST_KSORTED | 1 << ORDO_DIST_DUPES | 1 << ORDO_DIST_STAGGERED |
             1 << ORDO_DIST_BUCKET | 1 << ORDO_DIST_SHUFFLED | 1 << ORDO_DIST_OUTLIERS |
             1 << ORDO_DIST_TIMESTAMPS | 1 << ORDO_DIST_SENSORS,
    TAKE_P = 1 << ORDO_DIST_RECUR,
    STRINGS = 1 << ORDO_DIST_STRINGS | 1 << ORDO_DIST_FASTA,
    FASTA_WIDTH = 60 /* residues per line */
};

static const option_spec specs[] = {COUNT("n", 'n', n, 0, SIZE_MAX - 1),
                                    TEXT("dtype", 0, dtype),
                                    COUNT("seed", 0, seed, 0, UINT64_MAX),
                                    COUNT("k", 'k', k, 0, UINT64_MAX - 1),
                                    REAL("p", 'p', p),
                                    COUNT("width", 0, width, 0, UINT64_MAX - 1),
                                    FLAG("lines", lines),
                                    OUTPUT_OPTIONS,
                                    ALGORITHM("auto"),
                                    COMMON_OPTIONS};

/* 0 if no distribution has that name. */
static ordo_dist find_distribution(const char *name)
{
    size_t i = NAMES - 1;
    while (i > 0 && strcmp(names[i], name) != 0)
        i--;
    return (ordo_dist)i;
}

static const char *unknown_distribution(const char *name)
{
    const char *const near = nearest_name(name, names + 1, NAMES - 1);
    if (near != NULL)
        cli_error("gen: unknown distribution '%s'; did you mean '%s'?", cli_quoted(name), near);
    else
        cli_error("gen: unknown distribution '%s'; 'ordo gen --help' lists the distributions",
                  cli_quoted(name));
    return "";
}

static const char *takes_no(const char *name, const char *option)
{
    cli_error("gen: %s takes no %s", name, option);
    return "";
}

static const char *wrong(execution *e)
{
    const options *const o = &e->o;

    if (o->operand == NULL)
        return "the distribution is missing, as in 'ordo gen uniform -n 10'; 'ordo gen --help' "
               "lists the distributions";
    const ordo_dist dist = find_distribution(o->operand);
    if (dist == 0)
        return unknown_distribution(o->operand);
    if (o->dtype != NULL && type_of_name("--dtype", o->dtype, false) == 0)
        return "";
    const file_format format = format_asked(o);
    const bool        binary = format == FORMAT_NPY || format == FORMAT_RAW;
    const int         bit = 1 << dist;
    return o->n == OPTION_UNSET                          ? "-n N is missing: how many keys?"
           : (bit & STRINGS) != 0 && o->dtype != NULL    ? "strings have no --dtype"
           : (bit & STRINGS) != 0 && binary              ? "strings can be written as text only"
           : o->k != OPTION_UNSET && (bit & TAKE_K) == 0 ? takes_no(o->operand, "-k")
           : !isnan(o->p) && (bit & TAKE_P) == 0 ? takes_no(o->operand, "-p; only recur does")
           : dist != ORDO_DIST_FASTA && (o->lines || o->width != OPTION_UNSET)
               ? "--width and --lines are only for the distribution fasta"
           : o->lines && o->width != OPTION_UNSET ? "--lines and --width cannot be used together"
           : o->k != OPTION_UNSET                 ? NULL
           : dist == ORDO_DIST_KSORTED            ? "ksorted needs -k K, the radius"
           : dist == ORDO_DIST_SHUFFLED           ? "shuffled needs -k K, the radius"
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
           (dist == ORDO_DIST_FASTA && !e->o.lines ? write_records(e, &all) : write_lines(e, &all));
}

static bool work(execution *e)
{
    const ordo_dist     dist = find_distribution(e->o.operand);
    const ordo_gen_opts opts =
        ORDO_OPTS(ordo_gen_opts, .seed = e->o.seed, .k = e->o.k != OPTION_UNSET ? e->o.k : 0,
                  .p = isnan(e->o.p) ? 0 : e->o.p);
    return (((1 << dist) & STRINGS) != 0 ? generate_strings : generate_numbers)(e, dist, &opts);
}

const command command_gen = {"gen", help, specs, WRITES | FEW, 0, wrong, work};

/* cmd_gen.c - `ordo gen`: test data, the same for the same seed on every machine. */
#include "cli/ui/help.h"
#include "cli/io/input.h"
#include "cli/io/lines.h"
#include "cli/ui/report.h"
#include "cli/ui/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Examples:\n"
    "  ordo gen uniform -n 10 --dtype f32\n"
    "  ordo gen recur -n 128M --dtype f32 -p 0.5 -o keys.npy   # sorted, half are ties\n"
    "  ordo gen ksorted -n 1e6 -k 1000 --seed 7 -o nearly.npy\n"
    "  ordo gen zipf -n 2^20 --dtype u64 | ordo scan --op max\n"
    "  ordo gen fasta -n 1e5 -o proteins.txt\n"
    "\n"
    "Usage: ordo gen DIST -n N [options]\n"
    "N numbers (or strings) of a distribution; the same seed gives the same bytes.\n"
    "\n"
    "Distributions:\n"
    "  uniform           integers: the whole range; floats: [0, 1)\n"
    "  gaussian          the mean of four uniform draws\n"
    "  zero              all 0\n"
    "  few               -k distinct values (100)\n"
    "  zipf              1 to -k (2^20 or what fits), x with probability ~ 1/x\n"
    "  sorted, reverse   ascending, descending\n"
    "  organpipe         up to the middle, then down\n"
    "  sawtooth          -k ascending teeth (16)\n"
    "  recur             sorted; each key repeats the one before with probability -p (0)\n"
    "  ksorted           no key further than -k from its place, one exactly that far\n"
    "  dupes, staggered, bucket   Helman, Bader and JaJa, over -k buckets (16)\n"
    "  strings           1 to 500 printable characters, a line each\n"
    "  fasta             protein sequences of up to 120 residues, a line each\n"
    "\n"
    "Generating:\n"
    "  -n N              how many: 1000, 1e6, 128M (10^6), 128Mi (2^20), 2^28\n"
    "  --dtype T         i8 u8 i16 u16 i32 u32 i64 u64 f32 f64; default: u32\n"
    "  --seed S          default: 1\n"
    "  -k K, -p P        the parameter of the distribution\n"
    "  -o, --output FILE replaced when all is written; default: stdout\n"
    "  --format F        npy, raw or text; default: what FILE ends in says (.npy; .bin,\n"
    "                    .raw; .txt, .text, .csv), otherwise text\n"
    "  --algorithm A     auto\n"
    "\n" HELP_COMMON;

static const option_choice algorithm_choices[] = {{"auto", ORDO_ALGORITHM_AUTO}, {NULL, 0}};

typedef struct distribution {
    const char *name;
    ordo_dist   dist;
    bool        takes_k, takes_p;
} distribution;

static const distribution distributions[] = {
    {"uniform", ORDO_DIST_UNIFORM, false, false},
    {"gaussian", ORDO_DIST_GAUSSIAN, false, false},
    {"zero", ORDO_DIST_ZERO, false, false},
    {"few", ORDO_DIST_FEW, true, false},
    {"zipf", ORDO_DIST_ZIPF, true, false},
    {"sorted", ORDO_DIST_SORTED, false, false},
    {"reverse", ORDO_DIST_REVERSE, false, false},
    {"organpipe", ORDO_DIST_ORGANPIPE, false, false},
    {"sawtooth", ORDO_DIST_SAWTOOTH, true, false},
    {"recur", ORDO_DIST_RECUR, false, true},
    {"ksorted", ORDO_DIST_KSORTED, true, false},
    {"dupes", ORDO_DIST_DUPES, true, false},
    {"staggered", ORDO_DIST_STAGGERED, true, false},
    {"bucket", ORDO_DIST_BUCKET, true, false},
    {"strings", ORDO_DIST_STRINGS, false, false},
    {"fasta", ORDO_DIST_FASTA, false, false},
};
enum {
    DISTRIBUTIONS = sizeof distributions / sizeof distributions[0]
};

typedef struct gen_options {
    const distribution *dist;
    ordo_type           type;
    bool                lines; /* strings, not numbers */
    file_format         out_format;
    const char         *dtype, *out;
    uint64_t            n, seed, k;
    double              p;
    int                 format, algorithm;
    common_options      common;
} gen_options;

static const distribution *find_distribution(const char *name)
{
    const char *names[DISTRIBUTIONS];
    for (size_t i = 0; i < DISTRIBUTIONS; i++) {
        if (strcmp(distributions[i].name, name) == 0)
            return &distributions[i];
        names[i] = distributions[i].name;
    }
    char              quoted[40];
    const char *const near = nearest_name(name, names, DISTRIBUTIONS);
    cli_printable(name, strlen(name), quoted, sizeof quoted);
    if (near != NULL)
        cli_error("gen: unknown distribution '%s'; did you mean '%s'?", quoted, near);
    else
        cli_error("gen: unknown distribution '%s'; 'ordo gen --help' lists them", quoted);
    return NULL;
}

static options_result read_options(int argc, char **argv, gen_options *o, const char **name)
{
    const option_spec specs[] = {
        OPTION_COUNT_AT("n", 'n', &o->n, 0, SIZE_MAX - 1),
        OPTION_TEXT_AT("dtype", 0, &o->dtype),
        OPTION_COUNT_AT("seed", 0, &o->seed, 0, UINT64_MAX),
        OPTION_COUNT_AT("k", 'k', &o->k, 0, UINT64_MAX - 1),
        OPTION_REAL_AT("p", 'p', &o->p),
        OPTION_TEXT_AT("output", 'o', &o->out),
        OPTION_CHOICE_AT("format", 0, &o->format, format_choices),
        OPTION_CHOICE_AT("algorithm", 0, &o->algorithm, algorithm_choices),
        COMMON_OPTIONS(o->common),
        OPTION_END,
    };
    size_t n;
    return options_parse(argc, argv, specs, help, name, 1, &n);
}

/* Makes sense of what was asked for. */
static bool resolve_options(const char *name, gen_options *o)
{
    if (name == NULL) {
        cli_error("gen: which distribution? 'ordo gen --help' lists them");
        return false;
    }
    if ((o->dist = find_distribution(name)) == NULL)
        return false;
    o->lines = o->dist->dist == ORDO_DIST_STRINGS || o->dist->dist == ORDO_DIST_FASTA;
    o->type = o->dtype != NULL ? (ordo_type)option_dtype(o->dtype, false) : ORDO_U32;
    if (o->type == 0)
        return false;
    o->out_format = (file_format)o->format;
    if (o->out_format == FORMAT_AUTO && o->out != NULL)
        o->out_format = format_of_name(o->out);
    if (o->out_format == FORMAT_AUTO)
        o->out_format = FORMAT_TEXT;

    const bool        has_k = o->k != OPTION_UNSET;
    const bool        has_p = !isnan(o->p);
    const char *const wrong =
        o->n == OPTION_UNSET                           ? "-n N is missing: how many?"
        : o->lines && o->dtype != NULL                 ? "strings have no --dtype"
        : o->lines && o->out_format != FORMAT_TEXT     ? "strings are written as text only"
        : has_k && !o->dist->takes_k                   ? "this distribution takes no -k"
        : has_p && !o->dist->takes_p                   ? "this distribution takes no -p"
        : o->dist->dist == ORDO_DIST_KSORTED && !has_k ? "ksorted needs -k K, the radius"
                                                       : NULL;
    if (wrong != NULL)
        cli_error("gen: %s", wrong);
    o->k = has_k ? o->k : 0;
    o->p = has_p ? o->p : 0;
    return wrong == NULL;
}

static bool generate_numbers(ordo_ctx *ctx, const gen_options *o, const ordo_gen_opts *opts,
                             output *out, timing *t)
{
    const size_t n = (size_t)o->n;
    void *const  data = cli_alloc(n, ordo_type_size(o->type), "the numbers");
    if (data == NULL)
        return false;
    session_begin("generating");
    bool ok = session_end(ordo_gen(ctx, o->dist->dist, o->type, data, n, opts));
    timing_mark(t, "gen");
    ok = ok && output_array(out, o->type, data, n) && output_commit(out);
    timing_mark(t, "write");
    free(data);
    return ok;
}

static bool generate_lines(ordo_ctx *ctx, const gen_options *o, const ordo_gen_opts *opts,
                           output *out, timing *t)
{
    const size_t    n = (size_t)o->n;
    uint64_t *const offsets = cli_alloc(n + 1, sizeof *offsets, "the strings' offsets");
    if (offsets == NULL)
        return false;
    char *bytes = NULL;
    session_begin("measuring");
    bool ok = session_end(ordo_gen_strings(ctx, o->dist->dist, n, offsets, NULL, 0, opts));
    if (ok) {
        const size_t size = (size_t)offsets[n];
        ok = (bytes = cli_alloc(size, 1, "the strings")) != NULL;
        session_begin("generating");
        ok = ok && session_end(ordo_gen_strings(ctx, o->dist->dist, n, offsets, bytes, size, opts));
    }
    timing_mark(t, "gen");
    const lines all = {.n = n, .bytes = bytes, .offsets = offsets};
    ok = ok && lines_write(&all, false, out) && output_commit(out);
    timing_mark(t, "write");
    free(bytes);
    free(offsets);
    return ok;
}

int cmd_gen(int argc, char **argv)
{
    gen_options          o = {.n = OPTION_UNSET, .seed = 1, .k = OPTION_UNSET, .p = NAN};
    const char          *name = NULL;
    const options_result r = read_options(argc, argv, &o, &name);
    if (r != OPTIONS_OK)
        return r == OPTIONS_HELP ? CLI_OK : CLI_TROUBLE;
    if (!resolve_options(name, &o))
        return CLI_TROUBLE;

    ordo_ctx *const ctx = session_open("gen", &o.common);
    if (ctx == NULL)
        return CLI_TROUBLE;
    const ordo_gen_opts opts = ORDO_OPTS(ordo_gen_opts, .seed = o.seed, .k = o.k, .p = o.p);
    output              out = {.fd = -1};
    timing              t;

    timing_start(&t);
    const bool ok = output_open(&out, o.out, o.out_format) &&
                    (o.lines ? generate_lines : generate_numbers)(ctx, &o, &opts, &out, &t) &&
                    report_print(ctx, &o.common, "string", &t);
    output_abandon(&out);
    session_close();
    return ok ? CLI_OK : CLI_TROUBLE;
}

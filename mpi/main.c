/* main.c - `ordo-mpi`: sort, rank and select the keys of one file with many processes.
 *
 * Each rank reads its part of the file, calls ordo_dist_* and writes its part of the result. */
#define _POSIX_C_SOURCE 200809L
#include "cli/io/text/number.h"
#include "mpi/slices.h"

#include <getopt.h>
#include <stdio.h>

static const char help[] =
    "Examples:\n"
    "  mpirun -n 8 ordo-mpi sort keys.npy -o sorted.npy\n"
    "  mpirun -n 8 ordo-mpi rank keys.npy --ties average -o ranks.npy\n"
    "  mpirun -n 8 ordo-mpi quantile keys.npy -q 0.05,0.5,0.95\n"
    "  mpirun -n 8 ordo-mpi median keys.u64.raw --dtype u64\n"
    "  mpirun -n 8 ordo-mpi topk keys.npy -k 10 --descending\n"
    "  mpirun -n 8 ordo-mpi select keys.npy -k 0,99\n\n"
    "Usage: mpirun -n RANKS ordo-mpi COMMAND FILE [options]\n"
    "Works on the keys of one file with several processes. The results are those of\n"
    "`ordo COMMAND FILE`, for any number of processes. Every process must be able to read FILE\n"
    "and to write the output.\n\n"
    "Commands:\n"
    "  sort       the keys in order, to -o FILE\n"
    "  rank       the 1-based rank of each key, to -o FILE\n"
    "  quantile   the quantiles of -q, one on a line\n"
    "  median     the median\n"
    "  select     the keys at the positions of -k, counted from 0, one on a line\n"
    "  topk       the first -k keys in order, one on a line\n\n"
    "Options:\n"
    "  -o, --output FILE  the output of sort and rank; it appears when it is complete\n"
    "  --dtype T          i8 u8 i16 u16 i32 u32 i64 u64 f32 f64; required for raw files\n"
    "  --from F           npy, raw or text; default: by the contents and the name of FILE\n"
    "  --format F         of the output: npy, raw or text; default: by its name, else npy\n"
    "  -r, --descending   largest first; NaN is still last\n"
    "  --ties T           rank: min (the default), max, dense, ordinal or average\n"
    "  -q Q,Q,...         quantile: numbers from 0 to 1\n"
    "  -k K,K,...         select: positions; topk: how many\n"
    "  --method M         quantile: as NumPy's names; default linear\n"
    "  --nans N           quantile, median: last, omit or propagate (the default)\n"
    "  --threads N        threads of each rank; default: the CPUs that it may use\n"
    "  --time             print how long reading, computing and writing took\n"
    "  -h, --help         print this text\n\n"
    "Exit status: 0 success, 2 error. One rank prints why.\n";

enum {
    MOST_NUMBERS = 1000
};

typedef struct wishes {
    const char *command, *input, *output;
    file_format from, format;
    ordo_type   type;
    bool        descending, time;
    ordo_ties   ties;
    ordo_nans   nans;
    ordo_method method;
    unsigned    threads;
    size_t      q_count, k_count;
    double      q[MOST_NUMBERS];
    uint64_t    k[MOST_NUMBERS];
} wishes;

typedef struct job {
    MPI_Comm         world;
    int              rank;
    wishes           w;
    ordo_ctx        *ctx;
    ordo_comm        comm;
    slice            in;
    ordo_dist_report report;
} job;

/* ---- Options ---- */

static bool wrong(const job *j, const char *what, const char *given, const char *expected)
{
    if (j->rank == 0)
        fprintf(stderr, "ordo-mpi: %s is '%s'; expected %s\n", what, given, expected);
    return false;
}

/* The index of `name` in the list, which ends with NULL; -1: it is not there. */
static int find_name(const char *const *list, const char *name)
{
    for (int i = 0; list[i] != NULL; i++)
        if (strcmp(list[i], name) == 0)
            return i;
    return -1;
}

static bool read_format(const job *j, const char *option, const char *text, file_format *out)
{
    static const char *const names[] = {"", "npy", "raw", "text", NULL};
    int const                found = find_name(names, text);
    if (found < 1)
        return wrong(j, option, text, "npy, raw or text");
    *out = (file_format)found;
    return true;
}

static bool read_list(job *j, char letter, const char *text)
{
    wishes *const w = &j->w;
    size_t *const count = letter == 'q' ? &w->q_count : &w->k_count;
    char         *end = NULL;
    for (const char *at = text;; at = end + 1) {
        if (*count == MOST_NUMBERS)
            return wrong(j, letter == 'q' ? "-q" : "-k", text, "at most 1000 numbers");
        if (letter == 'q')
            w->q[*count] = strtod(at, &end);
        else
            w->k[*count] = strtoull(at, &end, 10);
        if (end == at || (*end != ',' && *end != 0) || (letter == 'k' && *at == '-'))
            return wrong(j, letter == 'q' ? "-q" : "-k", text, "numbers separated by commas");
        ++*count;
        if (*end == 0)
            return true;
    }
}

enum {
    DTYPE = 256,
    FROM,
    FORMAT,
    TIES,
    METHOD,
    NANS,
    THREADS,
    TIME
};

static bool read_named(job *j, int option, const char *text)
{
    static const char *const ties[] = {"min", "max", "dense", "ordinal", "average", NULL};
    static const char *const nans[] = {"last", "omit", "propagate", NULL};
    wishes *const            w = &j->w;
    int                      found;
    switch (option) {
    case DTYPE:
        w->type = (ordo_type)ordo_type_parse(text);
        return w->type != 0 ||
               wrong(j, "--dtype", text, "i8 u8 i16 u16 i32 u32 i64 u64 f32 or f64");
    case TIES:
        found = find_name(ties, text);
        w->ties = (ordo_ties)(found < 0 ? 0 : found);
        return found >= 0 || wrong(j, "--ties", text, "min, max, dense, ordinal or average");
    case NANS:
        found = find_name(nans, text);
        w->nans = (ordo_nans)(found < 0 ? 0 : found);
        return found >= 0 || wrong(j, "--nans", text, "last, omit or propagate");
    case METHOD:
        w->method = (ordo_method)ordo_method_parse(text);
        return w->method != ORDO_METHOD_DEFAULT ||
               wrong(j, "--method", text, "a name of numpy.quantile, such as linear or hazen");
    default: {
        char               *end;
        unsigned long const threads = strtoul(text, &end, 10);
        w->threads = (unsigned)threads;
        return (*end == 0 && threads >= 1 && threads <= 4096) ||
               wrong(j, "--threads", text, "a number from 1 to 4096");
    }
    }
}

static bool read_option(job *j, int option, const char *text)
{
    wishes *const w = &j->w;
    switch (option) {
    case 'o':
        w->output = text;
        return true;
    case 'r':
        w->descending = true;
        return true;
    case TIME:
        w->time = true;
        return true;
    case 'q':
    case 'k':
        return read_list(j, (char)option, text);
    case FROM:
        return read_format(j, "--from", text, &w->from);
    case FORMAT:
        return read_format(j, "--format", text, &w->format);
    case '?':
        return false; /* getopt has printed the message */
    default:
        return read_named(j, option, text);
    }
}

static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                        {"dtype", required_argument, NULL, DTYPE},
                                        {"from", required_argument, NULL, FROM},
                                        {"format", required_argument, NULL, FORMAT},
                                        {"descending", no_argument, NULL, 'r'},
                                        {"ties", required_argument, NULL, TIES},
                                        {"method", required_argument, NULL, METHOD},
                                        {"nans", required_argument, NULL, NANS},
                                        {"threads", required_argument, NULL, THREADS},
                                        {"time", no_argument, NULL, TIME},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};

/* What is missing or does not fit the command. */
static bool complete(const job *j)
{
    const wishes *const w = &j->w;
    bool const          writes = strcmp(w->command, "sort") == 0 || strcmp(w->command, "rank") == 0;
    const char         *missing = NULL;
    if (w->input == NULL)
        missing = "the input file is missing";
    else if (writes && w->output == NULL)
        missing = "-o FILE is missing: where does the result go?";
    else if (!writes && w->output != NULL)
        missing = "-o is for sort and rank; other commands print their results";
    else if (strcmp(w->command, "quantile") == 0 && w->q_count == 0)
        missing = "-q is missing: which quantiles?";
    else if (strcmp(w->command, "select") == 0 && w->k_count == 0)
        missing = "-k is missing: which positions?";
    else if (strcmp(w->command, "topk") == 0 && w->k_count != 1)
        missing = "-k K is needed once: how many keys?";
    if (missing != NULL && j->rank == 0)
        fprintf(stderr, "ordo-mpi: %s: %s\n", w->command, missing);
    return missing == NULL;
}

static bool read_options(job *j, int argc, char **argv, bool *help_wanted)
{
    static const char *const commands[] = {"sort",   "rank", "quantile", "median",
                                           "select", "topk", NULL};
    bool                     fine = true;
    int                      option;
    opterr = j->rank == 0;
    *help_wanted = argc > 1 && (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 ||
                                strcmp(argv[1], "-h") == 0);
    if (*help_wanted)
        return true;
    if (argc < 2 || find_name(commands, argv[1]) < 0)
        return wrong(j, "the command", argc < 2 ? "" : argv[1],
                     "sort, rank, quantile, median, select or topk (see ordo-mpi --help)");
    j->w.command = argv[1];
    j->w.nans = ORDO_NANS_PROPAGATE;
    while (fine && (option = getopt_long(argc - 1, argv + 1, "o:rq:k:h", options, NULL)) != -1) {
        if (option == 'h') {
            *help_wanted = true;
            return true;
        }
        fine = read_option(j, option, optarg);
    }
    if (!fine)
        return false;
    j->w.input = optind < argc - 1 ? argv[1 + optind] : NULL;
    if (optind + 1 < argc - 1)
        return wrong(j, "the second file", argv[2 + optind], "one input file");
    return complete(j);
}

/* ---- Commands ---- */

/* Every rank has the same status; one of them prints the message. */
static bool succeeded(const job *j, ordo_status status)
{
    if (status != ORDO_OK && j->rank == 0)
        fprintf(stderr, "ordo-mpi: %s: %s\n", j->w.command, ordo_last_error(j->ctx));
    return status == ORDO_OK;
}

static void print_keys(const job *j, const void *keys, size_t n)
{
    for (size_t i = 0; i < n && j->rank == 0; i++) {
        char         text[64];
        size_t const length =
            number_format(j->in.type, (const char *)keys + i * ordo_type_size(j->in.type), text);
        printf("%.*s\n", (int)length, text);
    }
}

static file_format format_of_output(const wishes *w)
{
    file_format const named = w->format != FORMAT_AUTO ? w->format : format_of_path(w->output);
    return named != FORMAT_AUTO ? named : FORMAT_NPY;
}

static bool do_sort(job *j, const ordo_dist_opts *opts)
{
    return succeeded(j, ordo_dist_sort(j->ctx, &j->comm, j->in.type, j->in.keys, j->in.n, opts)) &&
           slice_write(j->world, j->w.output, format_of_output(&j->w), j->in.type, j->in.keys,
                       j->in.n);
}

static bool do_rank(job *j, const ordo_dist_opts *opts)
{
    ordo_type const type = j->w.ties == ORDO_TIES_AVERAGE ? ORDO_F64 : ORDO_U64;
    void *const     ranks = malloc(j->in.n * 8 + 1);
    bool const      fine =
        all_fine(j->world, ranks != NULL, "no memory for %zu ranks", j->in.n) &&
        succeeded(j, ordo_dist_rank(j->ctx, &j->comm, j->in.type, j->in.keys, j->in.n, j->w.ties,
                                    type, ranks, opts)) &&
        slice_write(j->world, j->w.output, format_of_output(&j->w), type, ranks, j->in.n);
    free(ranks);
    return fine;
}

static bool do_quantiles(job *j, const ordo_dist_opts *opts)
{
    const wishes *const w = &j->w;
    bool const          median = w->command[0] == 'm';
    size_t const        count = median ? 1 : w->q_count;
    double              out[MOST_NUMBERS];
    ordo_dist_opts      plain = *opts;
    plain.flags = 0;
    ordo_status const status =
        median ? ordo_dist_median(j->ctx, &j->comm, j->in.type, j->in.keys, j->in.n, out, w->nans,
                                  &plain)
               : ordo_dist_quantiles(j->ctx, &j->comm, j->in.type, j->in.keys, j->in.n, w->q, count,
                                     out, w->nans, w->method, &plain);
    if (!succeeded(j, status))
        return false;
    j->in.type = ORDO_F64;
    print_keys(j, out, count);
    return true;
}

static bool do_select(job *j, const ordo_dist_opts *opts)
{
    const wishes *const w = &j->w;
    char                out[MOST_NUMBERS * 8];
    if (!succeeded(j, ordo_dist_select(j->ctx, &j->comm, j->in.type, j->in.keys, j->in.n, w->k,
                                       w->k_count, out, opts)))
        return false;
    print_keys(j, out, w->k_count);
    return true;
}

static bool do_topk(job *j, const ordo_dist_opts *opts)
{
    size_t      found = 0;
    void *const out = malloc((size_t)j->w.k[0] * 8 + 1);
    bool const  fine =
        all_fine(j->world, out != NULL, "no memory for %llu keys", (unsigned long long)j->w.k[0]) &&
        succeeded(j, ordo_dist_topk(j->ctx, &j->comm, j->in.type, j->in.keys, j->in.n,
                                    (size_t)j->w.k[0], out, NULL, &found, opts));
    if (fine)
        print_keys(j, out, found);
    free(out);
    return fine;
}

static bool do_command(job *j)
{
    ordo_dist_opts const opts = ORDO_OPTS(
        ordo_dist_opts, .flags = j->w.descending ? ORDO_DESCENDING : 0, .report = &j->report);
    const char *const c = j->w.command;
    return strcmp(c, "sort") == 0     ? do_sort(j, &opts)
           : strcmp(c, "rank") == 0   ? do_rank(j, &opts)
           : strcmp(c, "select") == 0 ? do_select(j, &opts)
           : strcmp(c, "topk") == 0   ? do_topk(j, &opts)
                                      : do_quantiles(j, &opts);
}

/* ---- The program ---- */

static bool run(job *j)
{
    double const begun = cli_now();
    if (!slice_read(j->world, j->w.input, j->w.from, j->w.type, &j->in))
        return false;
    double const      read = cli_now();
    ordo_status const status =
        ordo_ctx_create(&j->ctx, &ORDO_OPTS(ordo_ctx_opts, .threads = j->w.threads));
    if (!all_fine(j->world, status == ORDO_OK, "%s", ordo_last_error(NULL)))
        return false;
    bool const opened = ordo_mpi_open(j->world, &j->comm) == ORDO_OK;
    if (!all_fine(j->world, opened, "MPI_Comm_dup failed"))
        return false;
    j->report = ORDO_OPTS(ordo_dist_report, .total = 0);
    bool const   fine = do_command(j);
    double const done = cli_now();
    if (fine && j->w.time && j->rank == 0)
        fprintf(stderr,
                "%llu keys on %d ranks  read %.3f s  rest %.3f s: cuts %.3f s in %llu rounds, "
                "scatter %.3f s, exchange %.3f s (%llu bytes sent by rank 0), local %.3f s\n",
                (unsigned long long)j->report.total, (int)j->comm.size, read - begun, done - read,
                j->report.cut_seconds, (unsigned long long)j->report.rounds,
                j->report.scatter_seconds, j->report.exchange_seconds,
                (unsigned long long)j->report.moved, j->report.local_seconds);
    ordo_mpi_close(&j->comm);
    return fine;
}

int main(int argc, char **argv)
{
    job  j = {.world = MPI_COMM_WORLD};
    int  provided;
    bool help_wanted = false, fine;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(j.world, &j.rank);
    fine = read_options(&j, argc, argv, &help_wanted);
    if (help_wanted && j.rank == 0)
        fputs(help, stdout);
    else if (fine && !help_wanted)
        fine = run(&j);
    free(j.in.keys);
    ordo_ctx_free(j.ctx);
    MPI_Finalize();
    return fine ? CLI_OK : CLI_TROUBLE;
}

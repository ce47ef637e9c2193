/* command.c - the steps that all commands share (see command.h). */
#define _POSIX_C_SOURCE 200809L

#include "cli/cmd/command.h"

#include "cli/io/text/text_numbers.h"
#include "cli/ui/help_short.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    HELD_LEAST = 1 << 20 /* bytes of data that count for a limit of memory */
};

static const char help_input[] =
    "  --from F          npy, raw or text; default: npy if the input starts with the npy\n"
    "                    signature, raw if FILE ends in .bin or .raw, otherwise text\n"
    "* --dtype T         number type: " NAMES_TYPES ";\n"
    "                    required for raw input.\n"
    "                    Default for text: i64 if all lines are integers (u64 if i64 is too\n"
    "                    small), otherwise f64; an integer that f64 cannot hold is then an\n"
    "                    error\n"
    "  --skip-bad        skip lines that are not numbers, and print on stderr how many\n"
    "Input that is compressed by gzip, zstd, xz or bzip2 is recognised by its first bytes and\n"
    "decompressed, unless FILE ends in .npy, .bin or .raw.\n";

static const char help_external[] =
    "* -S, --memory-limit S  use at most S bytes of memory: 512M, 4Gi, 50%; at least 8Mi; what\n"
    "                    does not fit goes to temporary files\n"
    "  -T, --temporary-directory D  make temporary files in D; several may be given; default:\n"
    "                    $TMPDIR or /var/tmp\n";

static const char help_resume[] =
    "  --resume          npy, raw and records: if the command fails or is killed, keep the sorted\n"
    "                    parts in D, which is made if it does not exist, and the finished part of\n"
    "                    FILE beside it (not of ranks); the same command then goes on from there\n";

static const char help_sort[] =
    "  --buffer-size S   the same as -S S\n"
    "  --batch-size N    merge at most N files or sorted parts of lines at once; default: what\n"
    "                    memory and open files allow, at most 1024\n"
    "  --compress-program P  lines: program P compresses temporary files, P -d decompresses them;\n"
    "                    default: ordo packs them\n";

static const char help_sort_files[] =
    "\nFiles and threads:\n"
    "  --files0-from F   read the files whose names, each with a NUL at its end, are in F\n"
    "  --parallel N      the same as --threads N\n"
    "  --gnu             as the first word after 'sort': only the options, messages and exit "
    "codes\n"
    "                    of GNU sort; all operands are files, of lines. The same if a link to\n"
    "                    ordo has the name 'sort'\n";

static const char help_records[] =
    "\nRecords:\n"
    "  --record-size N   the input is raw records of N bytes, not numbers\n"
    "  --key-type T      type of the key in a record: " NAMES_TYPES "\n"
    "  --key-offset K    byte of the record where the key begins; default: 0\n";

static const char help_output[] =
    "\nOutput:\n"
    "* -o, --output FILE the output file; it is replaced when all results are written;\n"
    "                    default: stdout\n"
    "  --format F        npy, raw or text; default: by the end of FILE (.npy; .bin, .raw;\n"
    "                    .txt, .text, .csv; a further .gz, .zst, .xz or .bz2 compresses the\n"
    "                    output), otherwise ";

static const char help_common[] =
    "\nCommon options:\n"
    "* --threads N       at most N threads; default: every CPU this process may use\n"
    "  --device D        auto (the lowest predicted time; see ordo tune), cpu, cuda\n"
    "                    (cuda:1 is the second GPU) or hybrid (CPU and GPU)\n"
    "  --device-memory S use at most S bytes of GPU memory\n"
    "  --cpu-share P     hybrid: the share of the keys that the CPU sorts, from 0 (none) to 1;\n"
    "                    default: the predicted best\n"
    "  --gpu-share P,Q   hybrid, algorithm sample: the shares of GPUs 0, 1, ...; the CPU gets\n"
    "                    the rest\n"
    "  --gpu-sms N       use N multiprocessors of the GPU, to measure a slower GPU; the driver\n"
    "                    rounds N up\n"
    "  --explain         print on stderr what was done: backend, algorithm, instruction set,\n"
    "                    time, reasons\n"
    "  --json            the same as one line of JSON on stderr; results with names (median,\n"
    "                    quantile, percentile, min, max, sum, count, describe, radius, select)\n"
    "                    are then JSON on stdout: NaN is null, infinities are \"inf\" and "
    "\"-inf\"\n"
    "  --time            print on stderr how long reading, computing and writing took\n"
    "  --profile         for an array streamed through a GPU: print on stderr how long the link,\n"
    "                    the GPU and the threads were busy in each phase\n"
    "  --profile-json F  write the same, and every time span, as JSON to file F, which trace\n"
    "                    viewers open\n"
    "  --profile-svg F   draw the time spans as a picture in file F\n";

static const char help_memory[] =
    "* -S, --memory-limit S  use at most S bytes of memory, such as 512M, 4Gi or 25%; data that\n"
    "                    do not fit are refused\n";

static const char help_end[] =

    "\nExit status: 0 success, 1 the answer is no (check, sort --check), 2 error (bad usage, bad\n"
    "input, not enough memory, failed output).\n";

static void print_help(const command *c, FILE *to)
{
    fputs(c->help, to);
    if ((c->flags & OWN_HELP) != 0)
        return;
    if (c == &command_sort)
        fputs(help_sort_files, to);
    csv_print_help(c, to);
    if ((c->flags & (EXTERNAL | CSV_IN)) != 0)
        fprintf(to, "\n%s larger than memory:\n%s",
                (c->flags & EXTERNAL) == 0 ? "Rows"
                : c == &command_sort       ? "Numbers, lines and rows"
                : (c->flags & CSV_IN) != 0 ? "Numbers and rows"
                                           : "Numbers",
                help_external);
    if (c == &command_sort || c == &command_argsort || c == &command_rank)
        fputs(help_resume, to);
    if (c == &command_sort)
        fputs(help_sort, to);
    if ((c->flags & RECORDS) != 0)
        fputs(help_records, to);
    if ((c->flags & READS) != 0)
        fprintf(to, "\nInput:\n  FILE              %s\n%s",
                (c->flags & MANY_FILES) != 0 ? "files, read as one; stdin if it is '-' or not given"
                                             : "a file; stdin if it is '-' or not given",
                help_input);
    if ((c->flags & WRITES) != 0) {
        if ((c->flags & NO_ARRAY) == 0 && c != &command_check)
            fprintf(to, "%s%s\n", help_output,
                    (c->flags & FEW) != 0 ? "text" : "the format of the input");
        fputs(help_common, to);
        if ((c->flags & (EXTERNAL | CSV_IN)) == 0)
            fputs(help_memory, to);
        fputs(c->flags & LETTER_H
                  ? "  --help[=all]      print the most used options; all: this text\n"
                  : "  -h, --help[=all]  print the most used options; all: this text\n",
              to);
        fputs("  --version         print the version\n", to);
        fputs(help_end, to);
    }
}

void command_print_version(void)
{
    printf(cli_is_sort() ? "sort (ordo) %s\n" : "ordo %s\n", ordo_version());
}

char *command_help(const command *c)
{
    char       *text = NULL;
    size_t      size;
    FILE *const to = open_memstream(&text, &size);

    if (to == NULL)
        return NULL;
    print_help(c, to);
    return fclose(to) == 0 ? text : NULL;
}

file_format format_asked(const options *o)
{
    return o->format != FORMAT_AUTO || o->out == NULL ? (file_format)o->format
                                                      : format_of_name(o->out);
}

const char *strings_option(const options *o)
{
    return o->fasta                 ? "--fasta"
           : !o->text               ? NULL
           : o->text_option != NULL ? o->text_option
                                    : "--text";
}

ordo_strings strings_of(const execution *e)
{
    return e->o.fasta ? fasta_strings(&e->records) : lines_strings(&e->lines);
}

const char *numbers_only(const execution *e, const char *option)
{
    cli_error("%s: %s is for numbers: it cannot be used with %s", e->command->name, option,
              strings_option(&e->o));
    return "";
}

const char *sub_array_wrong(const execution *e)
{
    const options *const o = &e->o;

    if (o->sub_array == 0)
        return NULL;
    if (o->algorithm != ORDO_ALGORITHM_BITONIC && o->algorithm != ORDO_ALGORITHM_MERGE)
        return "--sub-array needs --algorithm bitonic or merge";
    if ((o->sub_array & (o->sub_array - 1)) == 0)
        return NULL;
    cli_error("%s: --sub-array: %llu is not a power of 2", e->command->name,
              (unsigned long long)o->sub_array);
    return "";
}

/* --by of FASTA records. */
static const char *by_wrong(execution *e)
{
    options *const            o = &e->o;
    const option_texts *const by = &o->csv.by;

    if (!o->fasta || by->n == 0)
        return csv_unused(e);
    o->by = strcmp(by->texts[0], "sequence") == 0 ? FASTA_SEQUENCE
            : strcmp(by->texts[0], "header") == 0 ? FASTA_HEADER
                                                  : 0;
    if (o->by == 0)
        cli_error("%s: --by: '%s' is not one of: sequence, header", e->command->name,
                  cli_quoted(by->texts[0]));
    return o->by == 0  ? ""
           : by->n > 1 ? "--by is given twice; with --fasta expected once"
                       : csv_unused(e);
}

/* Contradictory options about --text and --fasta. */
static const char *text_wrong(const execution *e)
{
    const options *const o = &e->o;
    const char *const name = e->command->name, *const option = strings_option(o);
    const char *const holds = o->fasta ? "records" : "lines";
    const bool        to_lines = (e->command->flags & LINES_OUT) != 0 && !e->quiet;
    const file_format format = format_asked(o);
    const bool        binary_in = o->from == FORMAT_NPY || o->from == FORMAT_RAW;
    const bool        binary_out = to_lines && (format == FORMAT_NPY || format == FORMAT_RAW);

    if (o->text && o->fasta)
        return "--text and --fasta cannot be used together";
    if (option == NULL)
        return NULL;
    if (o->dtype != NULL || o->skip_bad)
        cli_error("%s: --dtype and --skip-bad are for numbers: they cannot be used with %s", name,
                  option);
    else if (binary_in)
        cli_error("%s: %s reads %s: --from npy and --from raw cannot be used with it", name, option,
                  holds);
    else if (binary_out && o->format != FORMAT_AUTO)
        cli_error("%s: %s writes %s: the only --format is text", name, option, holds);
    else if (binary_out)
        cli_error(
            "%s: %s writes %s: let the name of the output file end in %s, or give --format text",
            name, option, holds, o->fasta ? ".fasta" : ".txt");
    else
        return NULL;
    return "";
}

input_request input_request_of(const execution *e)
{
    const options *const o = &e->o;
    const unsigned       flags = o->dtype == NULL ? e->command->flags : 0;

    return (input_request){.path = e->paths[0],
                           .format = o->from,
                           .dtype = o->dtype,
                           .dtype_option = "--dtype",
                           .allow_bits = (e->command->flags & PACKED_BITS) != 0,
                           .skip_bad = o->skip_bad,
                           .keep_lines = e->keep_lines,
                           .others = ((flags & LINES_IN) != 0 ? TEXT_AS_LINES : 0u) |
                                     ((flags & CSV_IN) != 0 ? TEXT_AS_ROWS : 0u)};
}

static bool read_input(execution *e)
{
    const input_request request = input_request_of(e);

    if ((e->command->flags & READS) == 0 || e->by_pieces)
        return true;
    const fasta_key     by = e->o.by != 0 ? (fasta_key)e->o.by : FASTA_SEQUENCE;
    const lines_request text = {.paths = e->paths,
                                .n = e->path_count,
                                .line_end = e->o.line.zero ? '\0' : '\n',
                                .option = e->o.text_option};
    const bool          ok = e->o.fasta  ? fasta_read(e->ctx, request.path, by, &e->records)
                             : e->o.text ? lines_read(&text, &e->lines)
                                         : input_read_files(&request, text.paths, text.n, &e->in);
    e->n = e->o.fasta ? e->records.n : e->o.text ? e->lines.n : e->in.n;
    timing_mark(&e->t, "read");
    return ok;
}

bool open_output(execution *e)
{
    file_format format = format_asked(&e->o);

    if ((e->command->flags & WRITES) == 0 || e->quiet)
        return true;
    if (format == FORMAT_AUTO)
        format = (e->command->flags & FEW) != 0 || strings_option(&e->o) != NULL ||
                         csv_option(&e->o) != NULL
                     ? FORMAT_TEXT
                     : e->in.format;
    return output_open(&e->out, e->o.out, format);
}

/* The bytes that the input takes. */
static uint64_t input_memory(const execution *e)
{
    const fasta *const r = &e->records;

    return e->o.fasta && e->n > 0
               ? r->starts[e->n] + r->offsets[e->n] + 2 * e->n * sizeof *r->starts
           : e->o.text ? lines_size(&e->lines) + e->n * sizeof *e->lines.offsets
                       : lines_size(&e->in.kept) + e->n * ordo_type_size(e->in.type);
}

static bool print_report(execution *e)
{
    const bool strings = strings_option(&e->o) != NULL || csv_option(&e->o) != NULL ||
                         (e->command->flags & READS) == 0;

    return (e->command->flags & WRITES) == 0 || report_print(e->ctx, &e->o.common,
                                                             strings      ? "string"
                                                             : e->in.bits ? "bits"
                                                                          : "bytes",
                                                             &e->t);
}

bool hold_memory(execution *e, uint64_t bytes)
{
    const uint64_t limit = e->o.common.memory_limit;
    const uint64_t most = limit / 8 * 7; /* threads and their buffers take the rest */
    common_options common = e->o.common;

    e->held += bytes;
    if (!e->limited || e->held < HELD_LEAST)
        return true;
    if (e->held >= most)
        return cli_fail("%s: the input and the results take %llu bytes of memory, more than 7/8 of "
                        "the memory limit of %llu bytes; leave out -S, or give a larger one",
                        e->command->name, (unsigned long long)e->held, (unsigned long long)limit);
    common.memory_limit = most - e->held;
    context_close();
    return (e->ctx = context_open(e->command->name, &common)) != NULL;
}

static bool work(execution *e)
{
    return csv_option(&e->o) != NULL ? csv_work(e) : e->command->work(e);
}

static int execute(execution *e)
{
    const char *const wrong = e->command->wrong != NULL ? e->command->wrong(e) : NULL;
    const char *const by = wrong != NULL ? wrong : by_wrong(e);
    const char *const second = by != NULL ? by : text_wrong(e);
    const char *const first = second != NULL ? second : external_wrong(e);

    if (first != NULL && first[0] != '\0')
        cli_error("%s: %s", e->command->name, first);
    if (first != NULL || !find_files(e))
        return CLI_TROUBLE;
    cli_set_memory_hint(external_memory_hint(e));
    const bool     external = external_takes(e);
    common_options common = e->o.common;
    if (external) /* the limit counts all memory of the call, not only scratch */
        common.memory_limit = 0;
    if (e->o.bzip2.small && common.threads == 0)
        common.threads = 1;
    if ((e->ctx = context_open(e->command->name, &common)) == NULL)
        return CLI_TROUBLE;
    e->limited = common.memory_limit != 0 && !e->by_pieces;
    e->t.last = cli_now();
    progress_command(e->command->name);
    const bool ok =
        external ? external_work(e)
                 : read_input(e) && hold_memory(e, input_memory(e)) && open_output(e) && work(e);
    progress_command(NULL);
    return !ok || !print_report(e) ? CLI_TROUBLE : e->no ? CLI_NO : CLI_OK;
}

static void free_options(options *o)
{
    free(o->operands.texts);
    free(o->line.keys.texts);
    free(o->line.keys.made);
    free(o->csv.columns.texts);
    free(o->csv.by.texts);
    free(o->directories.texts);
    free(o->list);
    free(o->named);
}

/* Answers --help and --version. */
static int answer(const command *c, options_result asked)
{
    char        longer[64];
    char *const text = command_help(c);
    bool        ok = text != NULL;

    snprintf(longer, sizeof longer, "ordo help %s --all", c->name);
    if (asked == OPTIONS_VERSION)
        command_print_version();
    else if (ok && asked == OPTIONS_HELP && !cli_is_sort())
        ok = help_print_short(text, longer, stdout);
    else if (ok)
        help_print_long(text, stdout);
    free(text);
    return ok ? CLI_OK : cli_error("%s: not enough memory", c->name);
}

static int execute_words(const command *c, int argc, char **argv)
{
    execution            e = {.command = c,
                              .o = {.nans = c->nans,
                                    .k = OPTION_UNSET,
                                    .n = OPTION_UNSET,
                                    .seed = 1,
                                    .line.seed = OPTION_UNSET,
                                    .width = OPTION_UNSET,
                                    .context = OPTION_UNSET,
                                    .p = NAN},
                              .in.name = "",
                              .out.fd = -1};
    const size_t         most = (c->flags & MANY_FILES) != 0         ? SIZE_MAX
                                : (c->flags & (READS | WRITES)) != 0 ? 1
                                                                     : 0;
    const options_result r = options_parse(argc, argv, c->options, &e.o, &e.o.operands, most);

    if (r != OPTIONS_OK) {
        free_options(&e.o);
        return r == OPTIONS_BAD ? CLI_TROUBLE : answer(c, r);
    }
    e.o.operand = e.o.operands.n > 0 ? e.o.operands.texts[0] : NULL;
    if (e.o.common.memory_limit != 0) {
        const uint64_t limit = external_limit(&e);
        unpack_limit(limit);
        pack_limit(limit);
        source_limit(limit);
    }
    const int code = execute(&e);
    output_abandon(&e.out);
    input_free(&e.in);
    lines_free(&e.lines);
    fasta_free(&e.records);
    csv_table_free(&e.table);
    for (size_t i = 0; i < MOST_RESULTS; i++)
        free(e.results[i]);
    free(e.names);
    free(e.name_list);
    line_order_free(&e.order);
    free_options(&e.o);
    context_close();
    return code;
}

int command_execute(const command *c, int argc, char **argv)
{
    static const char *const variables[] = {"BZIP2", "BZIP", NULL};
    if ((c->flags & BZIP2_WORDS) == 0)
        return execute_words(c, argc, argv);
    char **const words = options_add_words(&argc, argv, variables);
    const int    code = words != NULL ? execute_words(c, argc, words) : CLI_TROUBLE;
    free(words);
    return code;
}

ordo_type index_type(int asked, size_t n)
{
    return asked != 0 ? (ordo_type)asked : n <= UINT32_MAX ? ORDO_U32 : ORDO_U64;
}

void *new_results(execution *e, ordo_type type, size_t n, const char *what)
{
    size_t i = 0;
    while (i + 1 < MOST_RESULTS && e->results[i] != NULL)
        i++;
    if (!hold_memory(e, (uint64_t)n * ordo_type_size(type)))
        return NULL;
    return e->results[i] = cli_alloc(n, ordo_type_size(type), what);
}

bool call_done(execution *e, const char *phase, ordo_status status)
{
    const bool ok = call_end(status);
    timing_mark(&e->t, phase);
    return ok;
}

bool finish_output(execution *e, bool ok)
{
    ok = ok && output_commit(&e->out);
    timing_mark(&e->t, "write");
    return ok;
}

bool write_results(execution *e, ordo_type type, const void *results, size_t n)
{
    return finish_output(e, output_array(&e->out, type, results, n));
}

uint64_t descending_flag(const execution *e) { return e->o.descending ? ORDO_DESCENDING : 0; }

char *read_whole_text(execution *e, size_t i, size_t *n)
{
    source s;
    char  *bytes = NULL;
    size_t slot = 0;

    if (source_open(&s, e->paths[i]))
        bytes = source_take(&s);
    *n = s.end;
    source_close(&s);
    while (slot + 1 < MOST_RESULTS && e->results[slot] != NULL)
        slot++;
    e->results[slot] = bytes;
    timing_mark(&e->t, "read");
    return bytes != NULL && hold_memory(e, *n) ? bytes : NULL;
}

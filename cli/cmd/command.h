/* command.h - what a command is, and the steps that all commands share.
 *
 * A command is a constant: its help, its options, a function that finds contradictory options, and
 * one that does the work. command_execute() parses the options, opens the context, reads the input,
 * opens the output, calls `work` and prints the report. The output is opened before the work, so
 * that a file that cannot be written costs no time. */
#ifndef ORDO_CLI_CMD_COMMAND_H
#define ORDO_CLI_CMD_COMMAND_H

#include "cli/csv/csv_table.h"
#include "cli/io/input/fasta.h"
#include "cli/io/input/input.h"
#include "cli/io/json.h"
#include "cli/io/names.h"
#include "cli/io/number/keys.h"
#include "cli/io/number/number.h"
#include "cli/io/output.h"
#include "cli/io/text/text_lines.h"
#include "cli/lines/line_order.h"
#include "cli/ui/context.h"

typedef enum command_flag {
    READS = 1,          /* the input                                                  */
    WRITES = 2,         /* an output                                                  */
    FEW = 4,            /* few results: text by default, not the format of the input  */
    LINES_IN = 8,       /* has the option --text                                      */
    LINES_OUT = 16,     /* with --text or --fasta the only format of results is text  */
    PACKED_BITS = 32,   /* has --dtype bits                                           */
    MANY_FILES = 64,    /* reads several files as one                                 */
    LETTER_H = 128,     /* -h is an option, not --help                                */
    EXTERNAL = 256,     /* takes data larger than memory: -S and -T                   */
    RECORDS = 512,      /* has --record-size                                          */
    CSV_IN = 1024,      /* has the options --csv and --tsv                            */
    CSV_GROUPS = 2048,  /* with them --by COLUMN                                      */
    NO_ARRAY = 4096,    /* the output is no array: the help describes -o, no --format  */
    BZIP2_WORDS = 8192, /* options are also in the variables BZIP2 and BZIP           */
    OWN_HELP = 16384    /* the help is whole: no shared options                       */
} command_flag;

enum {
    MOST_RESULTS = 4,
    SORT_BY_COUNT = 2 /* of --sort of lines that are counted */
};

typedef struct execution { /* of one command */
    const struct command *command;
    options               o;
    bool                  by_pieces;  /* `work` reads the input itself              */
    bool                  limited;    /* hold_memory() keeps -S                     */
    bool                  quiet;      /* there is no output                         */
    bool                  keep_lines; /* of numbers in text                        */
    bool                  no;         /* the answer is no: exit code 1              */
    ordo_ctx             *ctx;
    const char *const    *paths; /* input files; NULL: stdin                       */
    size_t                path_count;
    char                 *names; /* of --files0-from, and where each begins    */
    const char          **name_list;
    line_order            order;   /* of lines, for sort */
    input                 in;      /* without --text and --fasta */
    lines                 lines;   /* with --text                */
    fasta                 records; /* with --fasta               */
    csv_table             table;   /* with --csv and --tsv       */
    size_t                n;       /* of any of them             */
    uint64_t              held;    /* of hold_memory(), in bytes */
    output                out;
    timing                t;
    void                 *results[MOST_RESULTS]; /* of new_results() */
} execution;

typedef struct command {
    const char        *name, *help;
    const option_spec *options;
    unsigned           flags; /* of command_flag      */
    int                nans;  /* the default of --nans */

    /* What is wrong with the options; NULL if nothing is; "" after a message. May be NULL. */
    const char *(*wrong)(execution *e);
    bool (*work)(execution *e); /* false after a message */
} command;

#define ORDO_COMMAND(name, help) extern const command command_##name;
#define ORDO_OTHER(name, help)
#include "cli/cmd/commands.def"

extern const command command_gnu_sort; /* lines/gnu_sort.c: `ordo sort` under the name of sort(1) */

/* Runs the command and returns its exit code. argv[0] is the name of the command. */
int command_execute(const command *c, int argc, char **argv);

/* What --version prints. */
void command_print_version(void);

/* The help (help_text.h), to be freed. NULL: no memory. */
char *command_help(const command *c);

/* input_files.c: finds e->paths, once. False after a message. */
bool find_files(execution *e);

/* input_files.c: whether all files can be read; if not, after a message in the words of sort(1). */
bool files_readable(const execution *e);

/* ---- For `work` ---- */

/* What --format or else the name of the output file asks for; FORMAT_AUTO if neither does. */
file_format format_asked(const options *o);

/* The option that makes the input strings, such as "--text" or "--fasta"; NULL: it is numbers. */
const char *strings_option(const options *o);

/* The strings of the input, valid while e is. */
ordo_strings strings_of(const execution *e);

/* For `wrong`, if the input is strings: says that this option is for numbers. Returns "". */
const char *numbers_only(const execution *e, const char *option);

/* Options of the input as input_read() takes them. */
input_request input_request_of(const execution *e);

/* The type of n indices or counts up to n: the one asked for, else u32 if that is enough. */
ordo_type index_type(int asked, size_t n);

/* Counts bytes that are held while the library works: with -S it gets the rest for scratch. False
 * after a message. */
bool hold_memory(execution *e, uint64_t bytes);

/* Memory for n results, which command_execute() frees. At most MOST_RESULTS. NULL after a
 * message. */
void *new_results(execution *e, ordo_type type, size_t n, const char *what);

/* call_end(), then counts the time since the last phase as `phase`. */
bool call_done(execution *e, const char *phase, ordo_status status);

/* Writes results and makes the output final. */
bool write_results(execution *e, ordo_type type, const void *results, size_t n);

/* measures.c: whether few results are written as JSON: with --json, as text. */
bool json_results_wanted(const execution *e);

/* measures.c: the name of place i of quantile and percentile, as given; returns its length. */
size_t place_name(const execution *e, size_t i, char *name);

/* measures.c: writes the name of result i of this command to an object. */
bool measure_member(const execution *e, json_results *j, size_t i);

/* measures.c: writes few results, also as JSON; write_measures() makes the output final. */
bool put_measures(execution *e, ordo_type type, const void *results, size_t n);
bool write_measures(execution *e, ordo_type type, const void *results, size_t n);

/* Makes the output final if all was written (ok). */
bool finish_output(execution *e, bool ok);

/* Opens the output in the format asked for, or that of the input. False after a message. */
bool open_output(execution *e);

/* external.c: what is wrong with the options of records and of --resume, as `wrong` returns it;
 * whether the data are handled in pieces; and the work then. */
const char *external_wrong(const execution *e);
bool        external_takes(const execution *e);
const char *external_memory_hint(const execution *e); /* for cli_set_memory_hint() */
uint64_t    external_limit(const execution *e);       /* bytes: that of -S, or the default   */
bool        external_work(execution *e);

/* sort_lines.c: the option that makes the input of `sort` lines; NULL: it is numbers or FASTA. */
const char *lines_option(const options *o);

/* sort_lines.c: the first option that was given of those that order lines, except -r, or NULL. */
const char *ordering_option(const options *o);

/* sort_lines.c: contradictory options about lines, as `wrong` returns them; sets e->order. */
const char *lines_wrong(execution *e);

/* sort_lines.c: the threads that the command may use. */
unsigned thread_count(const execution *e);

/* sort_lines.c: reads, sorts or merges lines and writes them. */
bool sort_lines(execution *e, ordo_sort_opts opts);

/* unique_lines.c: counts lines and writes those that are distinct. */
bool unique_lines(execution *e);

/* csv_options.c: the option that makes the input rows, "--csv" or "--tsv"; NULL: it is not. */
const char *csv_option(const options *o);

/* csv_options.c: the work with --csv or --tsv; prints the part of the help about rows, if the
 * command reads them. */
bool csv_work(execution *e);
void csv_print_help(const command *c, FILE *to);

/* For the completion: prints the names of the columns of the file on a command line, one per line.
 * words[0] is the command. The words may have the quotes of a shell. Prints nothing if there is no
 * regular file or the words do not ask for rows. */
void csv_print_columns(char **words, int n);

/* csv_options.c: contradictory options about rows, as `wrong` returns them. csv_wrong(): with --csv
 * or --tsv; csv_unused(): options that need one of them. */
const char *csv_wrong(execution *e);
const char *csv_columns_wrong(execution *e); /* the same for commands that have no --key */
const char *running_wrong(execution *e);     /* the same for moving and scan, also without --csv */
const char *csv_unused(const execution *e);

/* cmd_sort.c: sorts numbers in memory and writes them. */
bool sort_numbers(execution *e);

typedef struct tie_counter { /* of unique --count and --counts */
    execution *e;
    ordo_type  type;
    bool       told;                /* writing failed, after a message         */
    uint64_t   order, value, times; /* of the number that came last            */
    uint64_t   distinct;            /* numbers so far; 0: none has come        */
} tie_counter;

/* cmd_unique.c: counts ties of numbers that come in order. count_ties() is as ordo_sink.write and
 * writes lines of --counts; count_ties_end() writes the last line, or the number of --count. */
void      count_ties_begin(tie_counter *t, execution *e, ordo_type type);
ptrdiff_t count_ties(void *user, const void *from, size_t bytes);
bool      count_ties_end(tie_counter *t);

/* Reads all bytes of e->paths[i]; sets *n. command_execute() frees them. NULL
 * after a message. */
char *read_whole_text(execution *e, size_t i, size_t *n);

/* check.c: checks that the input is sorted. If an element is out of order, names it on stderr and
 * sets e->no. */
bool check_sorted(execution *e);

/* check.c: whether a tie is out of order. */
bool ties_disturb(const execution *e);

/* For merge: whether the numbers or lines of a file are sorted, read in pieces, or as a part of the
 * input. False after a message. */
bool check_file_sorted(execution *e, const char *path);
bool check_part_sorted(execution *e, size_t file);

/* For merge: whether this is a file that can be read twice. False after a message. */
bool merge_may_read_twice(const execution *e, const char *path);

/* The end of a message about a file that merge finds not to be sorted. */
#define MERGE_ADVICE "; sort the file first, or use 'ordo sort' instead of 'ordo merge'"

/* cmd_sample.c: the elements that shuffle and sample choose from n, in the order of the output:
 * *k numbers of *type, from 0. From new_results(); NULL after a message. */
void *sample_places(execution *e, size_t n, ordo_type *type, size_t *k);

/* cmd_moving.c, cmd_scan.c: the work on n numbers, or on those of each segment (NULL: one). False
 * after a message. */
bool move_window(execution *e, ordo_type type, const void *data, size_t n, double *out,
                 const ordo_segments *segments);
bool scan_numbers(execution *e, ordo_type type, const void *data, size_t n, ordo_type out_type,
                  void *out, const ordo_segments *segments);

/* beside.c: reads a file with as many numbers as the input. `what` names them in messages.
 * dtype_option is the option that gave dtype; NULL: there is none. False after a message; nothing
 * is left to free then. */
bool read_beside(execution *e, const char *path, const char *dtype, const char *dtype_option,
                 const char *what, input *beside);

/* beside.c: whether the input and the file `path` of an option, which may be NULL, are both
 * stdin. */
bool both_from_stdin(const execution *e, const char *path);

/* beside.c: contradictory options of --groups, and of --groups and --then, as `wrong` returns
 * them. */
const char *groups_wrong(const execution *e);
const char *beside_wrong(const execution *e);

typedef struct beside_arrays {  /* what is read beside the input */
    ordo_groups       *groups;  /* of --groups; NULL: not given                                   */
    const ordo_column *columns; /* of --then, after the input, which is the first; NULL: the same */
    size_t             count;   /* of the columns                                                 */
} beside_arrays;

typedef bool (*beside_work)(execution *e, const beside_arrays *b);

/* beside.c: reads --then or --groups and calls `work`. */
bool with_beside(execution *e, beside_work work);

/* beside.c: count_groups() finds the number of groups and takes memory for their keys.
 * write_groups() writes a line for each group, with its key and its results; other formats than
 * text get only the results. found: how many results each group has; NULL: `each`. */
bool count_groups(execution *e, ordo_groups *groups);
bool write_groups(execution *e, const ordo_groups *groups, ordo_type type, const void *results,
                  size_t each, const uint64_t *found);

/* What is wrong with --sub-array, as `wrong` returns it. */
const char *sub_array_wrong(const execution *e);

/* cmd_quantile.c: whether --method names a method; says which there are if not. */
bool method_known(const execution *e);

/* --descending as a flag of the library. */
uint64_t descending_flag(const execution *e);

/* ---- Help that several commands share ---- */

#define HELP_GROUPS                                                                                \
    "* --groups FILE     a file with the group of each number: a result for each group\n"          \
    "  --groups-dtype T  type of raw groups: u8, i32, f64, ...\n"

#define HELP_FASTA                                                                                 \
    "  --fasta           the input is FASTA records: headers ('>') and wrapped sequences\n"        \
    "  --by K            with --fasta: compare by sequence (the default) or by header\n"

#define HELP_SELECT_ALGORITHM                                                                      \
    "  --algorithm A     auto, radix (digit by digit), bitonic (the median paper: sorts\n"         \
    "                    sub-arrays and merges them with one thread; slow) or merge (the\n"        \
    "                    same with parallel merges of pairs)\n"                                    \
    "  --sub-array N     bitonic, merge: elements of a sub-array, a power of 2, on a GPU at\n"     \
    "                    most 2048; default: 1024\n"

#endif

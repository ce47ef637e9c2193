/* cmd_sort.c - `ordo sort`: sorts numbers or FASTA records, or checks that they are sorted (lines:
 * sort_lines.c); `ordo argsort`: the indices of the elements in sorted order. */
#include "cli/cmd/command.h"

#include <stdlib.h>

#define BOTH_OPTIONS                                                                               \
    FLAG("text", text), FASTA_OPTIONS, ALGORITHM(ALL_SORT_ALGORITHMS),                             \
        COUNT("radius", 0, k, 0, UINT64_MAX - 1)
#define HELP_SORT_ALGORITHM                                                                        \
    "  --algorithm A     auto (by a sample of the keys), radix, sample, intervals, merge,\n"       \
    "                    bitonic, split, bubble, rough, halving, windows; on a GPU also\n"         \
    "                    insertion, global; with --text and --fasta: auto or sample\n"             \
    "  --radius K        of rough, halving, windows, insertion: no key is more than K\n"           \
    "                    places off; default: measured\n"

static const char sort_help[] =
    "Examples:\n"
    "  printf '3\\n10\\n-1.5\\n' | ordo sort                      # -1.5 3 10\n"
    "  ordo sort -rn sizes.txt                                 # lines by their number\n"
    "  ordo sort -t, -k2,2n -k1,1 table.csv                    # column 2, then column 1\n"
    "  ordo sort -u names.txt --text -o names.txt              # in place\n"
    "  du -h | ordo sort -h                                    # 4K 12K 1.5M 2G\n"
    "  ordo sort -m a.txt b.txt --text                         # merge sorted files\n"
    "  ordo sort keys.npy --descending --explain -o sorted.npy\n"
    "  ordo sort keys.bin --dtype f32 --check && echo sorted\n"
    "  ordo sort huge.npy -S 4Gi -T /disk -o sorted.npy        # larger than memory\n"
    "  ordo sort proteins.fasta --fasta --by header -o proteins.fasta\n"
    "  ordo gen ksorted -n 1e7 -k 50 | ordo sort --algorithm windows --radius 50\n\n"
    "Usage: ordo sort [FILE]... [options]\n"
    "Sorts numbers: -0 before 0, NaN last. Numbers in text are written as they were read. With\n"
    "--text or an option of the groups 'Order of lines' and 'Keys', sorts lines as\n"
    "LC_ALL=C sort does. With --fasta, sorts whole records; ties keep their order.\n\n"
    "Sorting:\n"
    "* -r, --reverse, --descending  largest first; the NaNs of a number sort are still last\n"
    "* -u, --unique      write only the first of several tied numbers or lines\n"
    "* -c, --check       do not sort: if the input is sorted, exit 0; if not, name the first\n"
    "                    element out of order and exit 1; with -u, a tie is also out of\n"
    "                    order\n"
    "  -C, --check=quiet the same without a message; also --check=silent\n"
    "* --text            the input is lines of any bytes, not numbers\n" HELP_FASTA
        HELP_SORT_ALGORITHM "\nOrder of lines (for all keys, or for the whole line):\n"
    "* -n, --numeric-sort          by number: -12, 0.5, 007; any number of digits\n"
    "  -g, --general-numeric-sort  by floating-point number: 1e3, -inf, nan, 0x1f\n"
    "* -h, --human-numeric-sort    by size: 2K, 1.5M, 3G\n"
    "  -M, --month-sort            by month: JAN, feb, ...\n"
    "  -V, --version-sort          by version: a1.9 before a1.10\n"
    "  -R, --random-sort           in random order, equal keys together\n"
    "  --sort WORD                 the same by name: numeric, general-numeric, human-numeric,\n"
    "                              month, version or random\n"
    "  --seed N, --random-source F the random order of number N, or of the bytes of file F\n"
    "  -f, --ignore-case           lower case as upper case\n"
    "  -d, --dictionary-order      only blanks, letters and digits count\n"
    "  -i, --ignore-nonprinting    only printable characters count\n"
    "  -b, --ignore-leading-blanks blanks at the beginning of a key do not count\n"
    "  -s, --stable                lines whose keys tie keep their order; otherwise whole\n"
    "                              lines decide; for numbers no effect: always stable\n\n"
    "Keys of lines:\n"
    "* -k, --key F[.C][OPTIONS][,F[.C][OPTIONS]]\n"
    "                    a key from byte C of field F to byte C of field F, or to the end of\n"
    "                    that field or of the line; counted from 1. OPTIONS are letters of\n"
    "                    bdfghiMnRrV and replace the options for all keys. May be given\n"
    "                    several times: the next key decides ties\n"
    "* -t, --field-separator C     the byte between fields; \\0 is NUL. Default: a field\n"
    "                              begins with the blanks before it\n"
    "  -z, --zero-terminated       lines end with NUL, not with a newline\n"
    "* -m, --merge       merge files that are sorted\n"
    "  --debug           mark the bytes of each key below its line\n";

static const char argsort_help[] =
    "Examples:\n"
    "  printf '30\\n10\\n20\\n' | ordo argsort                    # 1 2 0\n"
    "  printf '30\\n10\\n20\\n' | ordo argsort --one-based        # 2 3 1\n"
    "  ordo argsort keys.npy --descending -o order.npy\n"
    "  ordo argsort names.txt --text --one-based               # line numbers\n"
    "  ordo argsort proteins.fasta --fasta\n"
    "  ordo argsort year.npy --then month.npy,day.npy          # rows by several columns\n"
    "  ordo argsort scores.npy --groups class.npy              # by class, then by score\n"
    "  ordo argsort --csv sales.csv --key price --one-based    # row numbers without the header\n\n"
    "Usage: ordo argsort [FILE] [options]\n"
    "Prints the indices of the elements in sorted order: the first result is the index of\n"
    "the smallest element. Tied elements keep their order.\n\n"
    "Sorting:\n"
    "* -r, --descending  largest first; NaN is still last\n"
    "* --one-based       count elements from 1, not from 0\n"
    "  --index-type T    u32 or u64; default: u32, or u64 from 2^32 elements on\n"
    "* --text            the input is lines of any bytes, not numbers; the indices are\n"
    "                    text unless --format or the name of the output file says "
    "otherwise\n" HELP_FASTA "  --stable          accepted; the result is always stable\n"
    "* --then FILES      files with further keys, separated by commas; they decide ties\n"
    "* --groups FILE     a file with the group of each number: groups in ascending order,\n"
    "                    in each group the indices in sorted order; --descending does\n"
    "                    not reverse the groups\n"
    "  --groups-dtype T  type of raw groups: u8, i32, f64, ...\n" HELP_SORT_ALGORITHM;

static const option_spec sort_specs[] = {
    BOTH_OPTIONS,
    LETTER("reverse", 'r', descending),
    FLAG("descending", descending),
    LETTER("unique", 'u', unique),
    LETTER("stable", 's', stable),
    OPTION_ROW(options, "check", 'c', check, OPTION_MAYBE, "diagnose-first quiet silent",
               CHECK_REPORT, 0),
    LETTER("C", 'C', line.quiet),
    SORT_ORDERS,
    TEXT("field-separator", 't', line.separator),
    CSV_OPTIONS,
    FLAG("gnu", line.gnu),
    TEXT("random-source", 0, line.random_file),
    COUNT("seed", 0, line.seed, 0, UINT64_MAX - 1),
    COUNT("parallel", 0, common.threads, 1, 4096),
    OPTION_ROW(options, "buffer-size", 0, common.memory_limit, OPTION_SIZE, NULL, 1, 0),
    COUNT("batch-size", 0, line.batch, 2, UINT32_MAX),
    TEXT("compress-program", 0, line.compressor),
    EXTERNAL_OPTIONS,
    RESUME_OPTION,
    RECORD_OPTIONS,
    ARRAY_OPTIONS};
static const option_spec argsort_specs[] = {BOTH_OPTIONS,
                                            DESCENDING,
                                            FLAG("stable", stable),
                                            FLAG("one-based", one_based),
                                            INDEX_TYPE("index-type"),
                                            GROUPS_OPTIONS,
                                            TEXT("then", 0, then_files),
                                            CSV_OPTIONS,
                                            CSV_KEYS,
                                            EXTERNAL_OPTIONS,
                                            RESUME_OPTION,
                                            ARRAY_OPTIONS};

/* Contradictory options that both commands have. */
static const char *options_wrong(execution *e)
{
    const int  algorithm = e->o.algorithm;
    const bool rough = algorithm == ORDO_ALGORITHM_ROUGH || algorithm == ORDO_ALGORITHM_HALVING ||
                       algorithm == ORDO_ALGORITHM_WINDOWS || algorithm == ORDO_ALGORITHM_INSERTION;

    if (e->o.k != OPTION_UNSET && !rough)
        return "--radius needs --algorithm rough, halving, windows or insertion";
    if (strings_option(&e->o) != NULL && algorithm != ORDO_ALGORITHM_AUTO &&
        algorithm != ORDO_ALGORITHM_SAMPLE)
        return numbers_only(e, "an --algorithm other than auto and sample");
    return NULL;
}

static ordo_sort_opts library_options(const execution *e)
{
    return ORDO_OPTS(ordo_sort_opts, .flags = descending_flag(e) | (e->o.stable ? ORDO_STABLE : 0),
                     .radius = e->o.k != OPTION_UNSET ? e->o.k : 0,
                     .algorithm = (uint32_t)e->o.algorithm);
}

/* Contradictory options of --check. */
static const char *check_wrong(execution *e)
{
    options *const o = &e->o;

    if (o->check && o->line.quiet)
        return "-c and -C cannot be used together";
    if (o->line.quiet || o->check > CHECK_QUIET)
        o->check = CHECK_QUIET;
    if (!o->check)
        return NULL;
    if (o->out != NULL)
        return "--check writes nothing: it cannot be used with -o";
    if (o->operands.n > 1) {
        cli_error("sort: --check reads one file: unexpected operand '%s'",
                  cli_quoted(o->operands.texts[1]));
        return "";
    }
    return o->line.names_file != NULL
               ? "--check reads one file: it cannot be used with --files0-from"
               : NULL;
}

/* A report is about one library call, which needs the whole array in memory. Numbers in text are
 * written as their lines, unless another format is asked for. */
static const char *sort_wrong(execution *e)
{
    options *const    o = &e->o;
    const bool        report = o->common.explain || o->common.json;
    const char *const option = lines_option(o);
    const char       *wrong = check_wrong(e);

    if (o->line.gnu)
        return "--gnu must be the first word after 'sort'";
    if (csv_option(o) != NULL) {
        e->quiet = o->check;
        return wrong != NULL ? wrong : csv_wrong(e);
    }

    if (wrong == NULL && option != NULL && o->fasta && !o->text) {
        cli_error("sort: %s sorts lines: it cannot be used with --fasta", option);
        return "";
    }
    o->text_option = o->text ? NULL : option;
    o->text = option != NULL;
    if (o->text) { /* lines that do not fit go to temporary files; the context needs no limit */
        o->line.memory = o->common.memory_limit;
        o->common.memory_limit = 0;
    }
    e->keep_lines = format_asked(o) == FORMAT_AUTO || format_asked(o) == FORMAT_TEXT;
    e->quiet = o->check;
    e->by_pieces = (o->text && !o->fasta) ||
                   (o->check && !o->fasta && !(report || profile_wanted(&o->common)));
    if (wrong == NULL)
        wrong = options_wrong(e);
    if (wrong == NULL)
        wrong = lines_wrong(e);
    if (wrong == NULL && o->fasta && (o->operands.n > 1 || o->line.names_file != NULL))
        wrong = "--fasta reads one file";
    if (wrong != NULL || !o->check || strings_option(o) == NULL || !report)
        return wrong;
    cli_error("sort: --check %s only reads: --explain and --json have nothing to report",
              strings_option(o));
    return "";
}

static bool sort_records(execution *e)
{
    const ordo_sort_opts opts = library_options(e);
    const ordo_strings   strings = strings_of(e);
    const ordo_type      type = index_type(0, e->n);
    void *const          order = new_results(e, type, e->n, "the order of the records");

    if (order == NULL)
        return false;
    call_begin("sorting");
    return call_done(e, "sort", ordo_argsort_strings(e->ctx, &strings, e->n, type, order, &opts)) &&
           finish_output(e, fasta_write(&e->records, type, order, e->o.unique, &e->out));
}

/* Puts the indices of -0 before those of +0, or after them if the order is descending: the keys are
 * in order, in which -0 and +0 tie. Returns false if there is not enough memory. */
static bool order_zeros(const execution *e, ordo_type type, void *index)
{
    const size_t   size = ordo_type_size(e->in.type), index_size = ordo_type_size(type);
    const uint64_t negative = UINT64_C(1) << (8 * size - 1);
    const char    *keys = e->in.data;
    size_t         first = 0, end, used = 0;

    if (!type_is_float(e->in.type))
        return true;
    while (first < e->n && (key_load(size, keys + first * size) & ~negative) != 0)
        first++;
    for (end = first; end < e->n && (key_load(size, keys + end * size) & ~negative) == 0;)
        end++;
    char *const zeros = cli_alloc(end - first, index_size, "the order of the zeros");
    if (zeros == NULL)
        return false;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = first; i < end; i++)
            if ((key_load(size, keys + i * size) != 0) == ((pass == 0) != e->o.descending)) {
                memcpy(zeros + used, (char *)index + i * index_size, index_size);
                used += index_size;
            }
    memcpy((char *)index + first * index_size, zeros, used);
    free(zeros);
    return true;
}

/* Numbers in text: the lines are written as they were read. */
static bool sort_number_lines(execution *e)
{
    const ordo_sort_opts opts = library_options(e);
    const ordo_type      type = index_type(0, e->n);
    const size_t         size = ordo_type_size(type);
    char *const          index = new_results(e, type, e->n, "the order of the lines");
    size_t               n = e->n;

    if (index == NULL)
        return false;
    for (size_t i = 0; i < n; i++)
        index_put(type, index, i, i);
    pass_keep(e->in.type, e->in.data, n);
    call_begin("sorting");
    if (!call_done(e, "sort",
                   ordo_sort_pairs(e->ctx, e->in.type, e->in.data, n, index, size, &opts)) ||
        !order_zeros(e, type, index))
        return false;
    if (e->o.unique) {
        n = drop_tied_values(e->in.type, e->in.data, n, index, size);
        timing_mark(&e->t, "unique");
    }
    return finish_output(e, lines_write_index(&e->in.kept, type, index, n, &e->out));
}

bool sort_numbers(execution *e)
{
    const ordo_sort_opts opts = library_options(e);
    size_t               n = e->n;

    if (e->in.kept.bytes != NULL)
        return sort_number_lines(e);
    pass_keep(e->in.type, e->in.data, n);
    call_begin("sorting");
    if (!call_done(e, "sort", ordo_sort(e->ctx, e->in.type, e->in.data, n, &opts)))
        return false;
    if (e->o.unique) {
        n = drop_ties(e->in.type, e->in.data, n);
        timing_mark(&e->t, "unique");
    }
    return write_results(e, e->in.type, e->in.data, n);
}

static bool sort(execution *e)
{
    return e->o.check   ? check_sorted(e)
           : e->o.fasta ? sort_records(e)
           : e->o.text  ? sort_lines(e, library_options(e))
                        : sort_numbers(e);
}

static const char *argsort_wrong(execution *e)
{
    const char *const sorting = options_wrong(e);

    if (csv_option(&e->o) != NULL)
        return csv_wrong(e);
    return sorting != NULL ? sorting : beside_wrong(e);
}

/* The order inside groups, of rows of columns, or of the input if neither is given. */
static ordo_status call_argsort(execution *e, const beside_arrays *b, ordo_type type, void *index)
{
    const ordo_sort_opts opts = library_options(e);
    const ordo_strings   strings = strings_of(e);

    if (b->groups != NULL)
        return ordo_group_argsort(e->ctx, b->groups, e->in.type, e->in.data, e->n, type, index,
                                  &ORDO_OPTS(ordo_group_opts, .flags = descending_flag(e)));
    if (b->columns != NULL)
        return ordo_lexsort(e->ctx, b->columns, b->count, e->n, type, index, NULL);
    if (strings_option(&e->o) != NULL)
        return ordo_argsort_strings(e->ctx, &strings, e->n, type, index, &opts);
    return ordo_argsort(e->ctx, e->in.type, e->in.data, e->n, type, index, &opts);
}

static bool write_index(execution *e, const beside_arrays *b)
{
    const ordo_type type = index_type(e->o.index_type, e->n);
    void *const     index = new_results(e, type, e->n, "the indices");

    if (index == NULL)
        return false;
    call_begin("sorting");
    if (!call_done(e, "sort", call_argsort(e, b, type, index)))
        return false;
    if (e->o.one_based)
        add_one(type, index, e->n);
    return write_results(e, type, index, e->n);
}

static bool argsort(execution *e)
{
    if (e->o.one_based && index_type(e->o.index_type, e->n) == ORDO_U32 && e->n > UINT32_MAX)
        return cli_fail("argsort: %zu elements counted from 1 need --index-type u64", e->n);
    return with_beside(e, write_index);
}

const command command_sort = {"sort",
                              sort_help,
                              sort_specs,
                              READS | WRITES | LINES_IN | LINES_OUT | MANY_FILES | LETTER_H |
                                  EXTERNAL | RECORDS | CSV_IN,
                              0,
                              sort_wrong,
                              sort};
const command command_argsort = {
    "argsort", argsort_help,  argsort_specs, READS | WRITES | LINES_IN | EXTERNAL | CSV_IN,
    0,         argsort_wrong, argsort};

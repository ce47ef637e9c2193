/* csv_options.c - the commands that read CSV and TSV files: their work, their options and their
 * help about them, and the reading of rows and keys (see csv_command.h). */
#include "cli/cmd/csv/csv_command.h"

#include <stdio.h>

const char *csv_option(const options *o)
{
    return o->csv.csv ? "--csv" : o->csv.tsv ? "--tsv" : NULL;
}

typedef struct given {
    bool        is;
    const char *name;
} given;

static const char *first_given(const given *all, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (all[i].is)
            return all[i].name;
    return NULL;
}

/* An option that means nothing for rows; NULL: there is none. */
static const char *foreign_option(const execution *e)
{
    const options *const    o = &e->o;
    const line_flags *const f = &o->line;
    const char *const       ordered = ordering_option(o);
    const bool              one_based = o->one_based && e->command != &command_argsort;
    const given             all[] = {{o->text, "--text"},
                                     {o->fasta, "--fasta"},
                                     {o->dtype != NULL, "--dtype"},
                                     {o->from != 0, "--from"},
                                     {o->algorithm != 0, "--algorithm"},
                                     {o->groups_file != NULL, "--groups"},
                                     {o->then_files != NULL, "--then"},
                                     {o->weights_file != NULL, "--weights"},
                                     {o->sorted, "--sorted"},
                                     {o->check_order, "--check"},
                                     {o->index || o->with_index, "--index"},
                                     {one_based, "--one-based"},
                                     {o->bits, "--bits"},
                                     {o->sub_array != 0, "--sub-array"},
                                     {ordered != NULL, ordered},
                                     {f->zero, "-z"},
                                     {f->merge, "-m"},
                                     {f->debug, "--debug"}};

    return first_given(all, sizeof all / sizeof all[0]);
}

const char *csv_unused(const execution *e)
{
    const options *const o = &e->o;
    const bool  sorts_lines = e->command == &command_sort || e->command == &command_gnu_sort;
    const bool  takes_fasta = sorts_lines || e->command == &command_rank;
    const given all[] = {{o->csv.header, "--header"},
                         {o->csv.no_header, "--no-header"},
                         {o->csv.no_quotes, "--no-quotes"},
                         {o->csv.bad != 0, "--bad"},
                         {o->csv.columns.n > 0, "--column"},
                         {o->csv.as != NULL, "--as"},
                         {o->line.keys.n > 0 && !sorts_lines, "--key"},
                         {o->line.separator != NULL && !sorts_lines, "-t"}};

    if (csv_option(o) != NULL)
        return NULL;
    if (o->csv.by.n > 0 && !o->fasta)
        return (e->command->flags & CSV_GROUPS) == 0 ? "--by needs --fasta"
               : takes_fasta                         ? "--by needs --csv, --tsv or --fasta"
                                                     : "--by needs --csv or --tsv";
    const char *const name = first_given(all, sizeof all / sizeof all[0]);
    if (name == NULL)
        return NULL;
    cli_error("%s: %s needs --csv or --tsv", e->command->name, name);
    return "";
}

/* The separator of -t, or that of the format. False after a message. */
static bool find_separator(const execution *e, char *out)
{
    const char *const text = e->o.line.separator;
    static const char in_numbers[] = "0123456789.+-";

    *out = e->o.csv.tsv ? '\t' : ',';
    if (text == NULL)
        return true;
    *out = strcmp(text, "\\t") == 0 ? '\t' : text[0];
    const bool letter = (*out >= 'a' && *out <= 'z') || (*out >= 'A' && *out <= 'Z');
    if (*out == '\0' || (text[1] != '\0' && strcmp(text, "\\t") != 0))
        return cli_fail("%s: -t: '%s' is not one byte, or \\t for a tab", e->command->name,
                        cli_quoted(text));
    return (!letter && *out != '"' && *out != '\n' && *out != '\r' &&
            strchr(in_numbers, *out) == NULL) ||
           cli_fail("%s: -t: '%s' cannot separate fields: it may be a part of a number, a quote or "
                    "the end of a line",
                    e->command->name, cli_quoted(text));
}

const char *csv_new_column(const execution *e, const char *otherwise)
{
    return e->o.csv.as != NULL ? e->o.csv.as : otherwise;
}

csv_bad csv_bad_of(const execution *e)
{
    return e->o.csv.bad != 0 ? (csv_bad)e->o.csv.bad : e->o.skip_bad ? CSV_BAD_SKIP : CSV_BAD_ERROR;
}

const char *csv_wrong(execution *e)
{
    const options *const o = &e->o;
    const char *const    name = foreign_option(e);
    const file_format    format = format_asked(o);
    char                 separator;

    e->by_pieces = true;
    if (name != NULL)
        cli_error("%s: %s cannot be used with %s", e->command->name, name, csv_option(o));
    else if (format == FORMAT_NPY || format == FORMAT_RAW)
        cli_error("%s: %s writes text: --format npy and raw, and output files of these names, "
                  "cannot be used with it",
                  e->command->name, csv_option(o));
    else if (o->csv.by.n > 0 && (e->command->flags & CSV_GROUPS) == 0)
        cli_error("%s: --by makes no groups here; give its column as the first --key",
                  e->command->name);
    else if (o->csv.csv && o->csv.tsv)
        return "--csv and --tsv cannot be used together";
    else if (o->csv.header && o->csv.no_header)
        return "--header and --no-header cannot be used together";
    else if (o->skip_bad && o->csv.bad != 0 && o->csv.bad != CSV_BAD_SKIP)
        return "--skip-bad and another --bad cannot be used together";
    else if (find_separator(e, &separator))
        return NULL;
    return "";
}

const char *csv_columns_wrong(execution *e)
{
    return e->o.csv.bad == CSV_BAD_LAST || e->o.csv.bad == CSV_BAD_TEXT
               ? "--bad last and text order rows; expected error or skip"
               : csv_wrong(e);
}

const char *running_wrong(execution *e)
{
    if (csv_option(&e->o) == NULL)
        return e->o.directories.n > 0 ? "-T needs --csv or --tsv" : NULL;
    return e->o.csv.columns.n > 1 ? "--column is given twice; expected once" : csv_columns_wrong(e);
}

bool csv_dialect_of(const execution *e, csv_dialect *out)
{
    *out = (csv_dialect){.quotes = !e->o.csv.no_quotes, .header = !e->o.csv.no_header};
    return find_separator(e, &out->separator);
}

bool csv_has_rows(const csv_table *table)
{
    return table->columns > 0 ||
           cli_fail("%s: there is no row%s", table->files[0].name,
                    table->dialect.header ? "; expected at least a header" : "");
}

bool csv_read(execution *e)
{
    csv_dialect dialect;

    if (!csv_dialect_of(e, &dialect) ||
        !csv_table_read(&dialect, e->paths, e->path_count, thread_count(e), &e->table))
        return false;
    timing_mark(&e->t, "read");
    return csv_has_rows(&e->table);
}

bool csv_find_keys(const execution *e, const csv_table *table, csv_keys *keys)
{
    const bool                count = e->command == &command_count;
    const option_texts *const texts = count ? &e->o.csv.by : &e->o.line.keys;
    const bool                topk = e->command == &command_topk;
    const csv_request         request = {.command = e->command->name,
                                         .option = count ? "--by" : "--key",
                                         .texts = texts->texts,
                                         .n = texts->n,
                                         .largest = topk && !e->o.smallest,
                                         .reverse = !topk && e->o.descending,
                                         .bad = csv_bad_of(e)};

    if (texts->n == 0) {
        char names[200];
        return cli_fail("%s: --key is missing: by which column? The columns of %s are: %s%s",
                        e->command->name, table->files[0].name,
                        csv_names_shown(table, names, sizeof names), csv_separator_hint(table));
    }
    if (!csv_keys_find(table, &request, keys))
        return false;
    bool all_directed = true;
    for (size_t i = 0; i < keys->n; i++)
        all_directed &= keys->keys[i].directed;
    if (topk && all_directed && (e->o.smallest || e->o.largest))
        return cli_fail("topk: %s decides the direction of keys without :asc and :desc, but each "
                        "--key has one; leave out %s",
                        e->o.smallest ? "--smallest" : "--largest",
                        e->o.smallest ? "--smallest" : "--largest");
    return true;
}

bool csv_read_keys(execution *e, csv_rows *rows)
{
    csv_keys keys;

    if (!csv_find_keys(e, &e->table, &keys))
        return false;
    progress_start("reading keys");
    const bool ok = csv_rows_read(&e->table, &keys, rows);
    progress_end();
    e->n = ok ? rows->n : 0;
    timing_mark(&e->t, "keys");
    return ok;
}

void csv_print_bad(const csv_bad_rows *bad, csv_bad rule)
{
    if (bad->n > 0)
        cli_error("%s: %zu bad row%s %s; the first is in line %zu", bad->file, bad->n,
                  bad->n == 1 ? "" : "s", rule == CSV_BAD_LAST ? "put last" : "left out",
                  bad->line);
}

void csv_note_bad(const execution *e, const csv_rows *rows)
{
    csv_bad_rows bad = {.n = 0};

    csv_bad_count(&bad, rows, 0);
    csv_print_bad(&bad, csv_bad_of(e));
}

/* ---- Commands ---- */

static const char sort_help[] =
    "* --csv, --tsv      the input is rows of fields; fields may be in quotes. Rows are written\n"
    "                    as they were read, after the header. Rows that tie keep their order;\n"
    "                    -r reverses all keys, -u writes only the first row of a tie, -c\n"
    "                    checks the order. For example:\n"
    "                    ordo sort --csv sales.csv --key city --key price:desc -o sorted.csv\n";

static const char check_help[] =
    "* --csv, --tsv      the input is rows of fields: checks that they are in the order of 'ordo\n"
    "                    sort --csv' with the same keys; names the first row that is not by its\n"
    "                    line\n";

static const char merge_help[] =
    "* --csv, --tsv      the files are rows of fields that 'ordo sort --csv' has sorted by the\n"
    "                    same keys. Their headers must be the same; the output has one. Rows that\n"
    "                    tie keep the order of the files; -r reverses all keys, -u writes only\n"
    "                    the first row of a tie\n";

static const char argsort_help[] =
    "* --csv, --tsv      the input is rows of fields: prints the positions of the rows in order,\n"
    "                    counted without the header\n";

static const char unique_help[] =
    "* --csv, --tsv      the input is rows of fields: writes the header and, in order, the first\n"
    "                    row of those whose keys tie; --counts adds a column with their number\n"
    "  --as NAME         the name of that column; default: count\n";

static const char rank_help[] =
    "* --csv, --tsv      the input is rows of fields: writes them in their order with one more\n"
    "                    column, the rank of the row\n"
    "  --as NAME         the name of that column; default: rank\n"
    "* --by NAME|N       ranks start at 1 in each group of rows that have the same value in this\n"
    "                    column; may be given several times\n";

static const char topk_help[] =
    "* --csv, --tsv      the input is rows of fields: writes the header and the first K rows in\n"
    "                    the order of the keys. A key is compared in its own direction, :desc or\n"
    "                    :asc; without one the largest values come first, with --smallest the\n"
    "                    smallest. NaN, empty values and bad rows come after the others\n"
    "* --by NAME|N       K rows of each group of rows that have the same value in this column;\n"
    "                    may be given several times\n";

static const char select_help[] =
    "* --csv, --tsv      the input is rows of fields: writes the header and the rows at these\n"
    "                    places of the order\n";

static const char columns_help[] =
    "* --csv, --tsv      the input is rows of fields: prints a line for each column, with the\n"
    "                    name of the column. Empty values are left out\n"
    "* --column NAME|N   a column, by name or by number from 1; may be given several times.\n"
    "                    Default: all columns of numbers\n"
    "* --by NAME|N       a line for each column and group of rows that have the same value in\n"
    "                    this column; may be given several times\n"
    "  --bad B           values that are no numbers, and rows with too many or too few fields:\n"
    "                    error (stop, the default) or skip (leave them out and print on stderr\n"
    "                    how many); --skip-bad is --bad skip\n";

static const char sample_help[] =
    "* --csv, --tsv      the input is rows of fields: writes the header, then the rows\n";

static const char moving_help[] =
    "* --csv, --tsv      the input is rows of fields: writes them in their order with one more\n"
    "                    column, the results of a column of numbers\n"
    "* --column NAME|N   this column, by name or by number from 1. Rows in which it is empty get\n"
    "                    an empty result and do not count\n"
    "  --as NAME         the name of the new column; default: that of the operation\n"
    "* --by NAME|N       results begin anew in each group of rows that have the same value in "
    "this\n"
    "                    column; may be given several times\n";

static const char bad_help[] =
    "  --bad B           rows with too many or too few fields, and values that are no numbers:\n"
    "                    error (stop, the default) or skip (leave them out and print on stderr\n"
    "                    how many); --skip-bad is --bad skip\n";

static const char keys_help[] =
    "* --key NAME|N[:TYPE][:desc|:asc]\n"
    "                    the column to compare by, by name or by number from 1. May be given\n"
    "                    several times: the next key decides ties. TYPE: number, text (by\n"
    "                    bytes), date (2024-05-31, with a time and a zone if given) or natural\n"
    "                    (a9 before a10). Default: number if all values of the first 1000 rows\n"
    "                    are numbers, otherwise text. NaN, then empty numbers and dates come\n"
    "                    last, also with :desc\n"
    "  --bad B           rows with a value that is no number or date, and rows with too many or\n"
    "                    too few fields: error (stop, the default), last (put them last), skip\n"
    "                    (leave them out) or text (compare such values as text, after numbers).\n"
    "                    The number of rows left out is printed on stderr; --skip-bad is --bad\n"
    "                    skip\n";

static const char format_help[] =
    "  -t, --field-separator C\n"
    "                    the byte between fields; default: a comma, with --tsv a tab\n"
    "  --header, --no-header\n"
    "                    whether the first row names the columns; default: it does. Without a\n"
    "                    header, give columns by number\n"
    "  --no-quotes       quotes are ordinary characters\n";

static const struct row_command {
    const command *command;
    bool (*work)(execution *e);
    const char *help;
} commands[] = {
    {&command_sort, csv_sort, sort_help},
    {&command_check, csv_check, check_help},
    {&command_merge, csv_merge, merge_help},
    {&command_argsort, csv_argsort, argsort_help},
    {&command_unique, csv_unique, unique_help},
    {&command_rank, csv_rank, rank_help},
    {&command_topk, csv_topk, topk_help},
    {&command_select, csv_select, select_help},
    {&command_quantile, csv_quantile, columns_help},
    {&command_percentile, csv_quantile, columns_help},
    {&command_median, csv_quantile, columns_help},
    {&command_min, csv_summary, columns_help},
    {&command_max, csv_summary, columns_help},
    {&command_sum, csv_summary, columns_help},
    {&command_count, csv_count, columns_help},
    {&command_describe, csv_summary, columns_help},
    {&command_shuffle, csv_sample, sample_help},
    {&command_sample, csv_sample, sample_help},
    {&command_moving, csv_running, moving_help},
    {&command_scan, csv_running, moving_help},
};

static const struct row_command *find(const command *c)
{
    const struct row_command *row = commands;

    while (row->command != c)
        row++;
    return row;
}

bool csv_work(execution *e) { return find(e->command)->work(e); }

void csv_print_help(const command *c, FILE *to)
{
    if ((c->flags & CSV_IN) == 0)
        return;
    const char *const own = find(c)->help;
    const char *const more = own == columns_help                        ? ""
                             : own == sample_help || own == moving_help ? bad_help
                                                                        : keys_help;
    fprintf(to, "\nRows of CSV and TSV files:\n%s%s%s", own, more, format_help);
}

/* csv_commands.c - the commands that read CSV and TSV files: their work and their help about it. */
#include "cli/cmd/csv/csv_command.h"

#include <stdio.h>

static const char sort_help[] =
    "  --csv, --tsv      the input is rows of fields; fields may be in quotes. Rows are written\n"
    "                    as they were read, after the header. Rows that tie keep their order;\n"
    "                    -r reverses all keys, -u writes only the first row of a tie, -c\n"
    "                    checks the order. For example:\n"
    "                    ordo sort --csv sales.csv --key city --key price:desc -o sorted.csv\n";

static const char argsort_help[] =
    "  --csv, --tsv      the input is rows of fields: prints the positions of the rows in order,\n"
    "                    counted without the header\n";

static const char unique_help[] =
    "  --csv, --tsv      the input is rows of fields: writes the header and, in order, the first\n"
    "                    row of those whose keys tie; --counts adds a column with their number\n"
    "  --as NAME         the name of that column; default: count\n";

static const char rank_help[] =
    "  --csv, --tsv      the input is rows of fields: writes them in their order with one more\n"
    "                    column, the rank of the row\n"
    "  --as NAME         the name of that column; default: rank\n"
    "  --by NAME|N       ranks start at 1 in each group of rows that have the same value in this\n"
    "                    column; may be given several times\n";

static const char topk_help[] =
    "  --csv, --tsv      the input is rows of fields: writes the header and the first K rows in\n"
    "                    the order of the keys. A key is compared in its own direction, :desc or\n"
    "                    :asc; without one the largest values come first, with --smallest the\n"
    "                    smallest. NaN, empty values and bad rows come after the others\n"
    "  --by NAME|N       K rows of each group of rows that have the same value in this column;\n"
    "                    may be given several times\n";

static const char select_help[] =
    "  --csv, --tsv      the input is rows of fields: writes the header and the rows at these\n"
    "                    places of the order\n";

static const char columns_help[] =
    "  --csv, --tsv      the input is rows of fields: prints a line for each column, with the\n"
    "                    name of the column. Empty values are left out\n"
    "  --column NAME|N   a column, by name or by number from 1; may be given several times.\n"
    "                    Default: all columns of numbers\n"
    "  --by NAME|N       a line for each column and group of rows that have the same value in\n"
    "                    this column; may be given several times\n"
    "  --bad B           values that are no numbers, and rows with too many or too few fields:\n"
    "                    error (stop, the default) or skip (leave them out and print on stderr\n"
    "                    how many); --skip-bad is --bad skip\n";

static const char keys_help[] =
    "  --key NAME|N[:TYPE][:desc|:asc]\n"
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
    {&command_count, csv_summary, columns_help},
    {&command_describe, csv_summary, columns_help},
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
    fprintf(to, "\nRows of CSV and TSV files:\n%s%s%s", own, own == columns_help ? "" : keys_help,
            format_help);
}

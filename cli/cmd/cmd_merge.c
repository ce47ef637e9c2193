/* cmd_merge.c - `ordo merge`: one sorted array from sorted files; `ordo check`: whether a file is
 * sorted.
 *
 * merge reads all files, checks each of them, and sorts the whole: the library recognises sorted
 * stretches, and for more than a few files sorting takes less time than merging. With -S it checks
 * the files before it sorts them externally. Lines are checked, then merged as `ordo sort -m`
 * does. */
#include "cli/cmd/command.h"

static const char merge_help[] =
    "Examples:\n"
    "  ordo merge monday.npy tuesday.npy -o both.npy\n"
    "  ordo merge -o all.txt part-*.txt\n"
    "  ordo merge a.txt b.txt --unique\n"
    "  ordo merge --text names-*.txt\n"
    "  ordo merge --csv --key price monday.csv tuesday.csv\n\n"
    "Usage: ordo merge [FILE]... [options]\n"
    "Writes the numbers, lines or rows of sorted files in order; ties keep the order of the\n"
    "files. A file that is not sorted is an error that names its first element out of order, and\n"
    "nothing is written. Numbers in text are written as they were read.\n\n"
    "Merging:\n"
    "  -r, --descending  the files are sorted with the largest number first; NaN is still last\n"
    "  -u, --unique      write only the first of several tied elements\n"
    "  --text            the files are lines of any bytes, not numbers; each is read twice. For\n"
    "                    other orders of lines see 'ordo sort --merge'\n";

static const char check_help[] =
    "Examples:\n"
    "  ordo check keys.npy && echo sorted\n"
    "  ordo check names.txt --text\n"
    "  ordo check ids.txt --unique                             # strictly ascending\n"
    "  ordo check --csv sales.csv --key city --key price:desc\n\n"
    "Usage: ordo check [FILE] [options]\n"
    "Exits with 0 if the input is sorted. If not, names the first element out of order,\n"
    "counted from 1, on stderr and exits with 1. Reads up to that element; memory does not grow\n"
    "with the input, except for binary data from a pipe or a compressed file.\n\n"
    "Checking:\n"
    "  -r, --descending  sorted means largest first; NaN is still last\n"
    "  -u, --unique      an element that ties with the one before is out of order, too\n"
    "  -q, --quiet       print nothing\n"
    "  --text            the input is lines of any bytes, not numbers\n";

static const option_spec merge_specs[] = {DESCENDING,         LETTER("unique", 'u', unique),
                                          FLAG("text", text), CSV_OPTIONS,
                                          CSV_KEYS,           EXTERNAL_OPTIONS,
                                          ARRAY_OPTIONS};
static const option_spec check_specs[] = {DESCENDING,
                                          LETTER("unique", 'u', unique),
                                          LETTER("quiet", 'q', line.quiet),
                                          FLAG("text", text),
                                          CSV_OPTIONS,
                                          CSV_KEYS,
                                          EXTERNAL_OPTIONS,
                                          FILE_FORMAT("from", from),
                                          NAMED("dtype", dtype, option_types),
                                          FLAG("skip-bad", skip_bad),
                                          COMMON_OPTIONS};

static const char *merge_wrong(execution *e)
{
    const file_format format = format_asked(&e->o);

    if (csv_option(&e->o) != NULL)
        return csv_wrong(e);
    e->keep_lines = format == FORMAT_AUTO || format == FORMAT_TEXT;
    if (!e->o.text)
        return NULL;
    e->by_pieces = true;
    e->o.line.merge = true;
    e->o.line.memory = e->o.common.memory_limit;
    e->o.common.memory_limit = 0; /* of the context, which has no work */
    return lines_wrong(e);
}

/* Not the lines of all files together: they may be larger than memory. */
static bool merge_lines(execution *e)
{
    for (size_t f = 0; f < e->path_count; f++)
        if (!check_file_sorted(e, e->paths[f]))
            return false;
    timing_mark(&e->t, "check");
    return sort_lines(e, ORDO_OPTS(ordo_sort_opts, .flags = descending_flag(e)));
}

static bool merge_work(execution *e)
{
    if (e->o.text)
        return merge_lines(e);
    for (size_t f = 0; f < e->path_count; f++)
        if (!check_part_sorted(e, f))
            return false;
    timing_mark(&e->t, "check");
    return sort_numbers(e);
}

static const char *check_wrong(execution *e)
{
    const common_options *const c = &e->o.common;
    const bool                  report = c->explain || c->json || profile_wanted(c);

    e->o.check = e->o.line.quiet ? CHECK_QUIET : CHECK_REPORT;
    e->order.line_end = '\n';
    e->quiet = true;
    if (csv_option(&e->o) != NULL)
        return csv_wrong(e);
    if (e->o.directories.n > 0)
        return "-T needs --csv or --tsv";
    e->by_pieces = e->o.text || !report;
    return e->o.text && report ? "--text only reads: --explain, --json and --profile have nothing "
                                 "to report"
                               : NULL;
}

const command command_merge = {
    "merge",     merge_help,
    merge_specs, READS | WRITES | LINES_IN | LINES_OUT | MANY_FILES | EXTERNAL | CSV_IN,
    0,           merge_wrong,
    merge_work};
const command command_check = {
    "check", check_help,  check_specs, READS | WRITES | LINES_IN | CSV_IN,
    0,       check_wrong, check_sorted};

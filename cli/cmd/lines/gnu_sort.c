/* gnu_sort.c - `ordo sort` under the name of sort(1), and `ordo sort --gnu`: GNU sort in the C
 * locale, with its options, messages and exit codes. The sort itself: sort_lines.c. */
#include "cli/cmd/command.h"

#include "cli/base/as_sort.h"

#include <sys/resource.h>

enum {
    STANDARD_FILES = 3 /* of the files that a process may open */
};

static const char help[] =
    "Usage: sort [OPTION]... [FILE]...\n"
    "  or:  sort [OPTION]... --files0-from=F\n"
    "Sorts the lines of all FILEs, which are read as one; stdin if FILE is '-' or not given. This\n"
    "is ordo with the options of GNU sort. Lines are compared byte by byte in every locale, as\n"
    "LC_ALL=C does. 'ordo sort' also sorts numbers, CSV, FASTA and compressed files.\n\n"
    "Order:\n"
    "  -b, --ignore-leading-blanks  blanks at the beginning of a key do not count\n"
    "  -d, --dictionary-order      only blanks, letters and digits count\n"
    "  -f, --ignore-case           lower case as upper case\n"
    "  -g, --general-numeric-sort  by floating-point number: 1e3, -inf, nan, 0x1f\n"
    "  -h, --human-numeric-sort    by size: 2K, 1.5M, 3G\n"
    "  -i, --ignore-nonprinting    only printable characters count\n"
    "  -M, --month-sort            by month: JAN, feb, ...\n"
    "  -n, --numeric-sort          by number: -12, 0.5, 007; any number of digits\n"
    "  -R, --random-sort           in random order, equal keys together\n"
    "      --random-source=FILE    the random order of the bytes of FILE\n"
    "  -r, --reverse               the opposite order\n"
    "  -V, --version-sort          by version: a1.9 before a1.10\n"
    "      --sort=WORD             by general-numeric, human-numeric, month, numeric, random or\n"
    "                              version\n\n"
    "Keys and lines:\n"
    "  -k, --key=KEYDEF            sort by a key; the next key decides ties\n"
    "  -s, --stable                lines whose keys tie keep their order\n"
    "  -t, --field-separator=SEP   the byte between fields; \\0 is NUL\n"
    "  -u, --unique                only the first of several tied lines; with -c, a tie is out\n"
    "                              of order\n"
    "  -z, --zero-terminated       lines end with NUL, not with a newline\n\n"
    "Other options:\n"
    "  -c, --check, --check=diagnose-first  exit with 1 if the lines are not sorted, and name\n"
    "                              the first one out of order\n"
    "  -C, --check=quiet, --check=silent  the same without a message\n"
    "      --debug                 mark the bytes of each key below its line\n"
    "      --files0-from=F         read the files whose names, each with a NUL at its end, are\n"
    "                              in F\n"
    "  -m, --merge                 merge files that are sorted\n"
    "  -o, --output=FILE           write to FILE, which may be an input\n"
    "      --batch-size=N          merge at most N files or sorted parts at once\n"
    "      --compress-program=PROG compress temporary files by PROG, decompress by PROG -d\n"
    "  -S, --buffer-size=SIZE      use about SIZE of memory; what does not fit goes to temporary\n"
    "                              files\n"
    "  -T, --temporary-directory=DIR  make temporary files in DIR, not in $TMPDIR or /var/tmp;\n"
    "                              several may be given\n"
    "      --parallel=N            use at most N threads\n"
    "      --help                  print this text\n"
    "      --version               print the version\n\n"
    "KEYDEF is F[.C][OPTS][,F[.C][OPTS]]: from byte C of field F to byte C of field F, or to the\n"
    "end of that field or of the line; counted from 1. OPTS are letters of bdfghiMnRrV and "
    "replace\n"
    "the options of the order for that key. Without -t, a field begins with the blanks before it.\n"
    "SIZE is a number with a unit: b, K (the default), M, G, T, P, E, Z, Y, or % of the memory.\n\n"
    "Exit status: 0 success, 1 the input is not sorted (-c, -C), 2 error.\n";

/* -c, -C and --check. False after a message. */
static bool find_check(options *o)
{
    const bool report = o->line.report || o->check == CHECK_REPORT;
    const bool quiet = o->line.quiet || o->check >= CHECK_QUIET;

    if (report && quiet)
        return cli_fail("options '-cC' are incompatible");
    o->check = report ? CHECK_REPORT : quiet ? CHECK_QUIET : 0;
    return true;
}

static char check_letter(const execution *e) { return e->o.check == CHECK_REPORT ? 'c' : 'C'; }

/* Contradictions of --check. */
static bool check_fits(const execution *e)
{
    const char letter = check_letter(e);

    if (e->path_count > 1)
        return cli_fail("extra operand %s not allowed with -%c", sort_name_quoted(e->paths[1]),
                        letter);
    return e->o.out == NULL || cli_fail("options '-%co' are incompatible", letter);
}

static bool batch_fits(uint64_t batch)
{
    struct rlimit limit;

    if (batch == 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0 ||
        batch <= limit.rlim_cur - STANDARD_FILES)
        return true;
    cli_error("--batch-size argument '%llu' too large", (unsigned long long)batch);
    return cli_fail("maximum --batch-size argument with current rlimit is %llu",
                    (unsigned long long)limit.rlim_cur - STANDARD_FILES);
}

/* Checks in the order of GNU sort; all messages were printed. */
static const char *gnu_wrong(execution *e)
{
    options *const o = &e->o;

    o->text = true;
    o->format = FORMAT_TEXT;
    if (o->out != NULL && strcmp(o->out, "-") == 0)
        o->out = "./-";
    if (!find_check(o) || !batch_fits(o->line.batch) || !find_files(e))
        return "";
    e->quiet = o->check != 0;
    e->by_pieces = true;
    if (lines_wrong(e) != NULL)
        return "";
    if (o->line.debug && (o->check || o->out != NULL)) {
        cli_error("options '-%c --debug' are incompatible", o->check ? check_letter(e) : 'o');
        return "";
    }
    if (o->line.debug)
        cli_error("text ordering performed using simple byte comparison");
    return (o->check ? check_fits(e) : files_readable(e)) ? NULL : "";
}

static bool gnu_sort(execution *e)
{
    const ordo_sort_opts opts =
        ORDO_OPTS(ordo_sort_opts, .flags = descending_flag(e) | (e->o.stable ? ORDO_STABLE : 0));

    return e->o.check ? check_sorted(e) : sort_lines(e, opts);
}

const command command_gnu_sort = {"sort",
                                  help,
                                  sort_options,
                                  READS | WRITES | LINES_IN | LINES_OUT | MANY_FILES | LETTER_H |
                                      OWN_HELP,
                                  0,
                                  gnu_wrong,
                                  gnu_sort};

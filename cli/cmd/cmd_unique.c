/* cmd_unique.c - `ordo unique`: the distinct numbers in order, and how often each occurs. */
#include "cli/cmd/command.h"

static const char help[] =
    "Examples:\n"
    "  printf '30\\n10\\n30\\n' | ordo unique                     # 10 30\n"
    "  printf '30\\n10\\n30\\n' | ordo unique --count             # 2\n"
    "  printf '30\\n10\\n30\\n' | ordo unique --counts            # 1 10, 2 30\n"
    "  ordo unique keys.npy -o distinct.npy\n"
    "  ordo unique --csv sales.csv --key city --counts         # rows with a column 'count'\n\n"
    "Usage: ordo unique [FILE]... [options]\n"
    "Prints each distinct number once, in ascending order. -0 and 0 tie, and all NaN tie and are\n"
    "last; the first of them in the order of 'ordo sort' is printed. For lines see\n"
    "'ordo sort --unique --text'.\n\n"
    "Selecting:\n"
    "  --count           print only how many distinct numbers there are\n"
    "  --counts          print lines with the number of occurrences and the number (text only)\n"
    "  --descending      largest first; NaN is still last\n";

static const option_spec specs[] = {FLAG("count", only),
                                    FLAG("counts", runs),
                                    FLAG("descending", descending),
                                    CSV_OPTIONS,
                                    CSV_KEYS,
                                    TEXT("as", 0, csv.as),
                                    EXTERNAL_OPTIONS,
                                    ARRAY_OPTIONS};

static const char *wrong(execution *e)
{
    const file_format format = format_asked(&e->o);

    if (e->o.only && e->o.runs)
        return "--count and --counts cannot be used together";
    if (e->o.csv.as != NULL && !e->o.runs)
        return "--as names the column of --counts, which is missing";
    if (csv_option(&e->o) != NULL)
        return csv_wrong(e);
    return e->o.runs && (format == FORMAT_NPY || format == FORMAT_RAW)
               ? "--counts writes text only: leave out --format, or let the name of the output "
                 "file end in .txt"
               : NULL;
}

/* Lines of a count, a blank and a number, from sorted numbers. */
static bool write_counts(execution *e)
{
    const size_t      size = ordo_type_size(e->in.type);
    const char *const keys = e->in.data;
    bool              ok = true;

    e->out.format = FORMAT_TEXT;
    for (size_t i = 0, next; ok && i < e->n; i = next) {
        const uint64_t order = key_order(e->in.type, keys + i * size);
        for (next = i + 1; next < e->n && key_order(e->in.type, keys + next * size) == order;)
            next++;
        const uint64_t times = next - i;
        char           line[2 * NUMBER_TEXT_MAX + 1];
        size_t         length = number_format(ORDO_U64, &times, line);
        line[length++] = ' ';
        length += number_format(e->in.type, keys + i * size, line + length);
        ok = output_line(&e->out, line, length);
        progress_count(i, e->n);
    }
    return finish_output(e, ok);
}

static bool work(execution *e)
{
    const ordo_sort_opts opts = ORDO_OPTS(ordo_sort_opts, .flags = descending_flag(e));

    if (csv_option(&e->o) != NULL)
        return csv_unique(e);
    call_begin("sorting");
    if (!call_done(e, "sort", ordo_sort(e->ctx, e->in.type, e->in.data, e->n, &opts)))
        return false;
    if (e->o.runs)
        return write_counts(e);
    const uint64_t n = drop_ties(e->in.type, e->in.data, e->n);
    timing_mark(&e->t, "unique");
    if (!e->o.only)
        return write_results(e, e->in.type, e->in.data, n);
    if (e->o.format == FORMAT_AUTO && e->o.out == NULL)
        e->out.format = FORMAT_TEXT;
    return write_results(e, ORDO_U64, &n, 1);
}

const command command_unique = {
    "unique", help, specs, READS | WRITES | MANY_FILES | EXTERNAL | CSV_IN, 0, wrong, work};

/* cmd_unique.c - `ordo unique`: the distinct numbers or lines in order, and how often each
 * occurs. */
#include "cli/cmd/command.h"

#include <errno.h>
#include <string.h>

static const char help[] =
    "Examples:\n"
    "  printf '30\\n10\\n30\\n' | ordo unique                     # 10 30\n"
    "  printf '30\\n10\\n30\\n' | ordo unique --count             # 2\n"
    "  printf '30\\n10\\n30\\n' | ordo unique --counts            # 1 10, 2 30\n"
    "  ordo unique keys.npy -o distinct.npy\n"
    "  ordo unique --text -c --sort count --top 10 urls.txt    # the ten most frequent lines\n"
    "  ordo unique --csv sales.csv --key city --counts         # rows with a column 'count'\n\n"
    "Usage: ordo unique [FILE]... [options]\n"
    "Prints each distinct number or line once, in ascending order. -0 and 0 tie, and all NaN tie\n"
    "and are last; the first of them in the order of 'ordo sort' is printed. Lines are compared\n"
    "byte by byte.\n\n"
    "Selecting:\n"
    "  --count           print only how many distinct numbers or lines there are\n"
    "  -c, --counts      print lines with the number of occurrences, a blank, and the number or\n"
    "                    line (text only)\n"
    "  -r, --descending  the reverse order: largest first; NaN is still last\n"
    "  --text            the input is lines of any bytes, not numbers\n"
    "  -z, --zero-terminated\n"
    "                    --text: lines end with a NUL byte, not with a newline\n"
    "  --sort S          --text: order by line (the default) or by count: the most frequent\n"
    "                    line first, lines with the same count by their bytes\n"
    "  --top N           --text: print only the first N lines of that order\n";

static const option_spec specs[] = {FLAG("count", only),
                                    LETTER("counts", 'c', runs),
                                    DESCENDING,
                                    FLAG("text", text),
                                    LETTER("zero-terminated", 'z', line.zero),
                                    CHOICE("sort", line.word, 1, "line count"),
                                    COUNT("top", 0, k, 0, UINT64_MAX - 1),
                                    CSV_OPTIONS,
                                    CSV_KEYS,
                                    TEXT("as", 0, csv.as),
                                    EXTERNAL_OPTIONS,
                                    ARRAY_OPTIONS};

static const char *wrong(execution *e)
{
    const options *const o = &e->o;
    const file_format    format = format_asked(o);

    e->by_pieces = o->text;
    if (!o->text && (o->line.zero || o->line.word != 0 || o->k != OPTION_UNSET))
        return o->line.zero        ? "-z needs --text"
               : o->line.word != 0 ? "--sort needs --text"
                                   : "--top needs --text";
    if (o->only && (o->line.word != 0 || o->k != OPTION_UNSET))
        return "--count prints one number: --sort and --top cannot be used with it";
    if (o->only && o->runs)
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

void count_ties_begin(tie_counter *t, execution *e, ordo_type type)
{
    *t = (tie_counter){.e = e, .type = type};
    if (e->o.runs || (e->o.format == FORMAT_AUTO && e->o.out == NULL))
        e->out.format = FORMAT_TEXT;
}

/* A line of a count, a blank and a number. */
static bool write_count(tie_counter *t)
{
    t->told = t->distinct > 0 && t->e->o.runs &&
              !output_pair(&t->e->out, ORDO_U64, &t->times, t->type, &t->value);
    return !t->told;
}

ptrdiff_t count_ties(void *user, const void *from, size_t bytes)
{
    tie_counter *const t = user;
    const size_t       size = ordo_type_size(t->type);

    errno = EIO;
    for (size_t at = 0; at + size <= bytes; at += size) {
        const char *const number = (const char *)from + at;
        const uint64_t    order = key_order(t->type, number);
        if (t->distinct > 0 && order == t->order) {
            t->times++;
            continue;
        }
        if (!write_count(t))
            return -1;
        t->order = order;
        t->times = 1;
        t->distinct++;
        memcpy(&t->value, number, size);
    }
    return (ptrdiff_t)(bytes / size * size);
}

bool count_ties_end(tie_counter *t)
{
    return t->e->o.runs ? write_count(t) : put_measures(t->e, ORDO_U64, &t->distinct, 1);
}

static bool work(execution *e)
{
    const ordo_sort_opts opts = ORDO_OPTS(ordo_sort_opts, .flags = descending_flag(e));
    tie_counter          ties = {.e = e};

    if (e->o.text)
        return unique_lines(e);
    call_begin("sorting");
    if (!call_done(e, "sort", ordo_sort(e->ctx, e->in.type, e->in.data, e->n, &opts)))
        return false;
    if (e->o.runs || e->o.only)
        count_ties_begin(&ties, e, e->in.type);
    if (e->o.runs)
        return finish_output(e, count_ties(&ties, e->in.data, e->n * ordo_type_size(e->in.type)) >=
                                        0 &&
                                    count_ties_end(&ties));
    const size_t n = drop_ties(e->in.type, e->in.data, e->n);
    timing_mark(&e->t, "unique");
    if (!e->o.only)
        return write_results(e, e->in.type, e->in.data, n);
    ties.distinct = n;
    return finish_output(e, count_ties_end(&ties));
}

const command command_unique = {
    "unique", help,  specs, READS | WRITES | LINES_IN | LINES_OUT | MANY_FILES | EXTERNAL | CSV_IN,
    0,        wrong, work};

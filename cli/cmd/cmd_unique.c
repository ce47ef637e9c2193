/* cmd_unique.c - `ordo unique`: the distinct numbers in order, and how often each occurs. */
#include "cli/cmd/command.h"

#include <errno.h>
#include <string.h>

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
    return t->e->o.runs ? write_count(t) : output_array(&t->e->out, ORDO_U64, &t->distinct, 1);
}

static bool work(execution *e)
{
    const ordo_sort_opts opts = ORDO_OPTS(ordo_sort_opts, .flags = descending_flag(e));
    tie_counter          ties = {.e = e};

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
    "unique", help, specs, READS | WRITES | MANY_FILES | EXTERNAL | CSV_IN, 0, wrong, work};

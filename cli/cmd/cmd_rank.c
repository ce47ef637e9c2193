/* cmd_rank.c - `ordo rank`: the ranks of an array in any order, of lines, or of a sorted array. */
#include "cli/io/arrays.h"
#include "cli/ui/help.h"
#include "cli/cmd/task.h"
#include "cli/io/textnum.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Examples:\n"
    "  printf '30\\n10\\n20\\n20\\n' | ordo rank                  # 4 1 2 2\n"
    "  printf '30\\n10\\n20\\n20\\n' | ordo rank --ties average   # 4 1 2.5 2.5\n"
    "  ordo rank scores.npy --descending -o ranks.npy          # the largest is number 1\n"
    "  ordo rank keys.bin --dtype f32 --sorted --explain -o ranks.bin\n"
    "  ordo rank names.txt --text --ties dense\n"
    "\n"
    "Usage: ordo rank [FILE] [options]\n"
    "Which place each element has, from 1: equal elements get equal ranks.\n"
    "\n"
    "Ranking:\n"
    "  --ties T          min (1 2 2 4, the default), max (1 3 3 4), dense (1 2 2 3),\n"
    "                    ordinal (1 2 3 4) or average (1 2.5 2.5 4)\n"
    "  --descending      the largest is number 1; NaN is last either way\n"
    "  --sorted          the input is sorted: much faster, and wrong if it is not\n"
    "  --check           with --sorted: make sure that it is\n"
    "  --text            lines of any bytes, not numbers\n"
    "  --rank-type T     u32, u64 or f64; default: u32, u64 from 2^32 elements on, f64\n"
    "                    for average\n"
    "  --algorithm A     auto, radix, sample, merge, bitonic, split, bubble, rough or\n"
    "                    halving; with --sorted: auto, sequential (one loop), threads\n"
    "                    (a segment a thread), or on a GPU naive, shuffle or hybrid\n"
    "\n" HELP_INPUT "\n" HELP_OUTPUT "\n" HELP_COMMON;

static const option_choice ties_choices[] = {
    {"min", ORDO_TIES_MIN},         {"max", ORDO_TIES_MAX},         {"dense", ORDO_TIES_DENSE},
    {"ordinal", ORDO_TIES_ORDINAL}, {"average", ORDO_TIES_AVERAGE}, {NULL, 0}};
static const option_choice algorithm_choices[] = {{"auto", ORDO_ALGORITHM_AUTO},
                                                  {"sequential", ORDO_ALGORITHM_SEQUENTIAL},
                                                  {"threads", ORDO_ALGORITHM_THREADS},
                                                  {"radix", ORDO_ALGORITHM_RADIX},
                                                  {"sample", ORDO_ALGORITHM_SAMPLE},
                                                  {"merge", ORDO_ALGORITHM_MERGE},
                                                  {"bitonic", ORDO_ALGORITHM_BITONIC},
                                                  {"split", ORDO_ALGORITHM_SPLIT},
                                                  {"bubble", ORDO_ALGORITHM_BUBBLE},
                                                  {"rough", ORDO_ALGORITHM_ROUGH},
                                                  {"halving", ORDO_ALGORITHM_HALVING},
                                                  {"naive", ORDO_ALGORITHM_NAIVE},
                                                  {"shuffle", ORDO_ALGORITHM_SHUFFLE},
                                                  {"hybrid", ORDO_ALGORITHM_HYBRID},
                                                  {NULL, 0}};

typedef struct rank_options {
    task_options task;
    int          ties, rank_type, algorithm;
    const char  *rank_type_name; /* as given; NULL: not */
    bool         sorted, descending, check;
} rank_options;

static options_result read_options(int argc, char **argv, rank_options *o)
{
    const option_spec specs[] = {
        OPTION_CHOICE_AT("ties", 0, &o->ties, ties_choices),
        OPTION_FLAG_AT("descending", 0, &o->descending),
        OPTION_FLAG_AT("sorted", 0, &o->sorted),
        OPTION_FLAG_AT("check", 0, &o->check),
        OPTION_FLAG_AT("text", 0, &o->task.text),
        OPTION_TEXT_AT("rank-type", 0, &o->rank_type_name),
        OPTION_CHOICE_AT("algorithm", 0, &o->algorithm, algorithm_choices),
        TASK_OPTIONS(o->task),
        OPTION_END,
    };
    size_t n;
    return options_parse(argc, argv, specs, help, &o->task.in.path, 1, &n);
}

/* Average ranks are f64 only, so that the types to choose from depend on --ties. */
static bool parse_rank_type(rank_options *o)
{
    const char *const name = o->rank_type_name;
    const bool        average = o->ties == ORDO_TIES_AVERAGE;
    const int         type = name != NULL ? ordo_type_parse(name) : 0;
    char              quoted[40];

    if (name == NULL || type == ORDO_F64 || (!average && (type == ORDO_U32 || type == ORDO_U64))) {
        o->rank_type = type;
        return true;
    }
    cli_printable(name, strlen(name), quoted, sizeof quoted);
    if (average)
        cli_error("rank: --rank-type: '%s': average ranks are fractions: the type is f64", quoted);
    else
        cli_error("rank: --rank-type: '%s' is not one of: u32, u64, f64", quoted);
    return false;
}

/* Options that contradict each other. */
static bool check_options(const rank_options *o)
{
    const bool of_sorted = o->algorithm == ORDO_ALGORITHM_SEQUENTIAL ||
                           o->algorithm == ORDO_ALGORITHM_THREADS ||
                           o->algorithm >= ORDO_ALGORITHM_NAIVE;
    const bool        sorts = o->algorithm != ORDO_ALGORITHM_AUTO && !of_sorted;
    const char *const wrong =
        o->task.text && o->sorted      ? "--sorted is for numbers: it does not go with --text"
        : o->task.text && o->algorithm ? "--algorithm is for numbers: --text has one way only"
        : o->check && !o->sorted       ? "--check goes with --sorted only"
        : of_sorted && !o->sorted      ? "this --algorithm ranks sorted arrays: it needs --sorted"
        : sorts && o->sorted           ? "this --algorithm sorts: it does not go with --sorted"
                                       : NULL;
    return task_check("rank", wrong, &o->task);
}

/* Says where the order breaks; elements are counted from 1. */
static void complain(const input *in, size_t where, bool descending)
{
    const size_t      size = ordo_type_size(in->type);
    const char *const later = (const char *)in->data + where * size;
    const char *const earlier = later - size;
    char              later_text[NUMBER_TEXT_MAX + 1], earlier_text[NUMBER_TEXT_MAX + 1];
    const char       *relation = descending ? "is greater than" : "is less than";

    later_text[number_format(in->type, later, later_text)] = '\0';
    earlier_text[number_format(in->type, earlier, earlier_text)] = '\0';
    if (is_nan(in->type, earlier))
        relation = "must come before";
    cli_error("%s: not sorted: element %zu (%s) %s element %zu (%s); leave out --sorted", in->name,
              where + 1, later_text, relation, where, earlier_text);
}

static bool check_order(ordo_ctx *ctx, const input *in, bool descending)
{
    int    sorted = 0;
    size_t where = 0;

    session_begin("checking");
    const ordo_status status =
        ordo_is_sorted(ctx, in->type, in->data, in->n, &sorted, &where,
                       &ORDO_OPTS(ordo_order_opts, .flags = descending ? ORDO_DESCENDING : 0));
    if (!session_end(status))
        return false;
    if (!sorted)
        complain(in, where, descending);
    return sorted != 0;
}

static ordo_type rank_type_of(const rank_options *o, size_t n)
{
    if (o->rank_type == 0 && o->ties == ORDO_TIES_AVERAGE)
        return ORDO_F64;
    return task_index_type(o->rank_type, n);
}

static ordo_status call_library(task *t, const rank_options *o, ordo_type type, void *ranks)
{
    const ordo_rank_opts opts =
        ORDO_OPTS(ordo_rank_opts, .flags = o->descending ? ORDO_DESCENDING : 0,
                  .ties = (uint32_t)o->ties, .algorithm = (uint32_t)o->algorithm);
    const ordo_strings strings = lines_strings(&t->lines);
    const input *const in = &t->in;

    if (o->task.text)
        return ordo_rank_strings(t->ctx, &strings, t->n, type, ranks, &opts);
    if (o->sorted)
        return ordo_rank_sorted(t->ctx, in->type, in->data, in->n, type, ranks, &opts);
    return ordo_rank(t->ctx, in->type, in->data, in->n, type, ranks, &opts);
}

/* Everything between input and output. */
static bool rank(task *t, const rank_options *o)
{
    const ordo_type type = rank_type_of(o, t->n);

    if (o->check) {
        if (!check_order(t->ctx, &t->in, o->descending))
            return false;
        timing_mark(&t->t, "check");
    }
    void *const ranks = cli_alloc(t->n, ordo_type_size(type), "the ranks");
    if (ranks == NULL)
        return false;
    session_begin("ranking");
    bool ok = session_end(call_library(t, o, type, ranks));
    timing_mark(&t->t, "rank");
    ok = ok && task_write(t, type, ranks, t->n);
    free(ranks);
    return ok;
}

int cmd_rank(int argc, char **argv)
{
    rank_options         o = {.ties = ORDO_TIES_MIN, .task.in.text_too = true};
    const options_result r = read_options(argc, argv, &o);
    if (r != OPTIONS_OK)
        return r == OPTIONS_HELP ? CLI_OK : CLI_TROUBLE;
    if (!parse_rank_type(&o) || !check_options(&o))
        return CLI_TROUBLE;

    task       t;
    const bool ok = task_begin(&t, "rank", &o.task) && rank(&t, &o);
    return task_end(&t, &o.task, ok);
}

/* cmd_topk.c - `ordo topk`: the largest or smallest elements in order, and where they stand. */
#include "cli/io/arrays.h"
#include "cli/ui/help.h"
#include "cli/cmd/task.h"
#include "cli/io/textnum.h"

#include <stdlib.h>

static const char help[] =
    "Examples:\n"
    "  printf '30\\n10\\n20\\n' | ordo topk -k 2                  # 30 20\n"
    "  printf '30\\n10\\n20\\n' | ordo topk -k 2 --smallest       # 10 20\n"
    "  ordo topk scores.npy -k 100 --index -o best.npy\n"
    "  ordo topk times.txt -k 5 --with-index --one-based       # line number and value\n"
    "\n"
    "Usage: ordo topk [FILE] -k K [options]\n"
    "The K largest elements, the largest first; elements that tie in their order. If\n"
    "there are fewer than K, all of them.\n"
    "\n"
    "Selecting:\n"
    "  -k K              how many\n"
    "  --largest         the default; NaN is last\n"
    "  --smallest        the smallest, the smallest first; NaN is last, too\n"
    "  --index           where they stand, counted from 0, not what they are\n"
    "  --with-index      both: lines of an index and an element (text only)\n"
    "  --one-based       count from 1\n"
    "  --index-type T    u32 or u64; default: u32, u64 from 2^32 elements on\n"
    "  --nans N          last (NaNs come after all numbers, the default) or omit\n"
    "                    (leave NaNs out)\n"
    "  --algorithm A     auto\n"
    "\n" HELP_INPUT "\n" HELP_FEW "\n" HELP_COMMON;

static const option_choice topk_nans_choices[] = {
    {"last", ORDO_NANS_LAST}, {"omit", ORDO_NANS_OMIT}, {NULL, 0}};

static const option_choice algorithm_choices[] = {{"auto", ORDO_ALGORITHM_AUTO}, {NULL, 0}};

typedef struct topk_options {
    task_options task;
    uint64_t     k;
    int          algorithm, nans, index_type;
    bool         largest, smallest, index, with_index, one_based;
} topk_options;

static options_result read_options(int argc, char **argv, topk_options *o)
{
    const option_spec specs[] = {
        OPTION_COUNT_AT("k", 'k', &o->k, 0, UINT64_MAX - 1),
        OPTION_FLAG_AT("largest", 0, &o->largest),
        OPTION_FLAG_AT("smallest", 0, &o->smallest),
        OPTION_FLAG_AT("index", 0, &o->index),
        OPTION_FLAG_AT("with-index", 0, &o->with_index),
        OPTION_FLAG_AT("one-based", 0, &o->one_based),
        OPTION_CHOICE_AT("index-type", 0, &o->index_type, index_type_choices),
        OPTION_CHOICE_AT("nans", 0, &o->nans, topk_nans_choices),
        OPTION_CHOICE_AT("algorithm", 0, &o->algorithm, algorithm_choices),
        TASK_OPTIONS(o->task),
        OPTION_END,
    };
    size_t n;
    return options_parse(argc, argv, specs, help, &o->task.in.path, 1, &n);
}

/* Options that contradict each other. */
static bool check_options(const topk_options *o)
{
    const bool        counts = o->index || o->with_index;
    const char *const wrong =
        o->k == OPTION_UNSET        ? "-k K is missing: how many?"
        : o->largest && o->smallest ? "--largest and --smallest do not go together"
        : o->index && o->with_index ? "--index and --with-index do not go together"
        : o->one_based && !counts   ? "--one-based goes with --index or --with-index only"
        : o->index_type && !counts  ? "--index-type goes with --index or --with-index only"
                                    : NULL;
    return task_check("topk", wrong, &o->task);
}

/* Lines of an index, a blank and a value. */
static bool write_both(task *t, ordo_type index_type, const char *index, const char *values,
                       size_t n)
{
    const size_t index_size = ordo_type_size(index_type);
    const size_t size = ordo_type_size(t->in.type);
    bool         ok = true;

    for (size_t i = 0; ok && i < n; i++) {
        char   line[2 * NUMBER_TEXT_MAX + 1];
        size_t length = number_format(index_type, index + i * index_size, line);
        line[length++] = ' ';
        length += number_format(t->in.type, values + i * size, line + length);
        ok = output_line(&t->out, line, length);
    }
    ok = ok && output_commit(&t->out);
    timing_mark(&t->t, "write");
    return ok;
}

static bool find_and_write(task *t, const topk_options *o, size_t k, ordo_type index_type,
                           void *values, void *index)
{
    size_t found = 0;

    session_begin("selecting");
    if (!session_end(
            ordo_topk(t->ctx, t->in.type, t->in.data, t->n, k, values, index_type, index, &found,
                      &ORDO_OPTS(ordo_select_opts, .flags = o->smallest ? 0 : ORDO_DESCENDING,
                                 .nans = (uint32_t)o->nans, .algorithm = (uint32_t)o->algorithm))))
        return false;
    timing_mark(&t->t, "select");
    if (o->one_based)
        add_one(index_type, index, found);
    if (o->with_index)
        return write_both(t, index_type, index, values, found);
    return o->index ? task_write(t, index_type, index, found)
                    : task_write(t, t->in.type, values, found);
}

/* Everything between input and output. */
static bool topk(task *t, const topk_options *o)
{
    const ordo_type index_type = task_index_type(o->index_type, t->n);
    const size_t    k = o->k < t->n ? (size_t)o->k : t->n;
    void           *values = NULL;
    void           *index = NULL;

    if (o->with_index && t->out.format != FORMAT_TEXT) {
        cli_error("topk: --with-index writes text only");
        return false;
    }
    if (o->one_based && index_type == ORDO_U32 && t->n > UINT32_MAX) {
        cli_error("topk: %zu elements counted from 1 need --index-type u64", t->n);
        return false;
    }
    const bool ok =
        (o->index || (values = cli_alloc(k, ordo_type_size(t->in.type), "the top")) != NULL) &&
        (!(o->index || o->with_index) ||
         (index = cli_alloc(k, ordo_type_size(index_type), "the indices")) != NULL) &&
        find_and_write(t, o, k, index_type, values, index);
    free(values);
    free(index);
    return ok;
}

int cmd_topk(int argc, char **argv)
{
    topk_options         o = {.task.few = true, .k = OPTION_UNSET};
    const options_result r = read_options(argc, argv, &o);
    if (r != OPTIONS_OK)
        return r == OPTIONS_HELP ? CLI_OK : CLI_TROUBLE;
    if (!check_options(&o))
        return CLI_TROUBLE;

    task       t;
    const bool ok = task_begin(&t, "topk", &o.task) && topk(&t, &o);
    return task_end(&t, &o.task, ok);
}

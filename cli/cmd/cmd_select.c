/* cmd_select.c - `ordo select`: the k-th smallest elements, without sorting the others. */
#include "cli/io/arrays.h"
#include "cli/ui/help.h"
#include "cli/cmd/task.h"

#include <stdlib.h>

static const char help[] =
    "Examples:\n"
    "  printf '30\\n10\\n20\\n' | ordo select -k 1                # 10, the smallest\n"
    "  printf '30\\n10\\n20\\n' | ordo select -k 3,1              # 30 10\n"
    "  ordo select times.npy -k 10 --descending                # the tenth largest\n"
    "  ordo select times.npy -k 1 --nans omit --explain\n"
    "  ordo select names.txt --text -k 1000\n"
    "\n"
    "Usage: ordo select [FILE] -k K[,K...] [options]\n"
    "The K-th smallest element: 1 is the smallest. Several K give as many results, in\n"
    "the order asked for.\n"
    "\n"
    "Selecting:\n"
    "  -k K[,K...]       which, counted from 1\n"
    "  --descending      count from the largest\n"
    "  --nans N          last (NaNs come after all numbers, the default), omit (leave\n"
    "                    NaNs out) or propagate (one NaN makes every result NaN)\n"
    "  --text            lines of any bytes, not numbers\n" HELP_SELECT_ALGORITHM "\n" HELP_INPUT
    "\n" HELP_FEW "\n" HELP_COMMON;

typedef struct select_options {
    task_options task;
    const char  *k_text;
    uint64_t    *k;
    size_t       count;
    int          algorithm, nans;
    bool         descending;
} select_options;

static options_result read_options(int argc, char **argv, select_options *o)
{
    const option_spec specs[] = {
        OPTION_TEXT_AT("k", 'k', &o->k_text),
        OPTION_FLAG_AT("descending", 0, &o->descending),
        OPTION_CHOICE_AT("nans", 0, &o->nans, nans_choices),
        OPTION_FLAG_AT("text", 0, &o->task.text),
        OPTION_CHOICE_AT("algorithm", 0, &o->algorithm, select_algorithm_choices),
        TASK_OPTIONS(o->task),
        OPTION_END,
    };
    size_t n;
    return options_parse(argc, argv, specs, help, &o->task.in.path, 1, &n);
}

/* Options that contradict each other. */
static bool check_options(select_options *o)
{
    const bool        text = o->task.text;
    const char *const wrong =
        o->k_text == NULL           ? "-k K is missing: which element? 1 is the smallest"
        : text && o->algorithm != 0 ? "--algorithm is for numbers: --text has one way only"
        : text && o->nans != 0      ? "--nans is for numbers: it does not go with --text"
                                    : NULL;
    o->task.lines = text;
    return task_check("select", wrong, &o->task);
}

/* Turns the K of people, from 1, into those of the library, from 0; all must be there. */
static size_t *library_places(const task *t, const select_options *o)
{
    const bool        omit = o->nans == ORDO_NANS_OMIT && !o->task.text;
    const size_t      there = omit ? t->n - count_nans(t->in.type, t->in.data, t->n) : t->n;
    const char *const name = o->task.text ? t->lines.name : t->in.name;
    size_t *const     places = cli_alloc(o->count, sizeof *places, "the places");

    for (size_t j = 0; places != NULL && j < o->count; j++) {
        if (o->k[j] > there) {
            cli_error("select: -k %llu: %s has %zu element%s%s", (unsigned long long)o->k[j], name,
                      there, there == 1 ? "" : "s", omit ? " besides NaNs" : "");
            free(places);
            return NULL;
        }
        places[j] = (size_t)(o->k[j] - 1);
    }
    return places;
}

static bool select_keys(task *t, const select_options *o, const size_t *places)
{
    const input *const in = &t->in;
    void *const values = cli_alloc(o->count, ordo_type_size(in->type), "the selected elements");
    if (values == NULL)
        return false;
    session_begin("selecting");
    bool ok = session_end(
        ordo_select(t->ctx, in->type, in->data, in->n, places, o->count, values,
                    &ORDO_OPTS(ordo_select_opts, .flags = o->descending ? ORDO_DESCENDING : 0,
                               .nans = (uint32_t)o->nans, .algorithm = (uint32_t)o->algorithm)));
    timing_mark(&t->t, "select");
    ok = ok && task_write(t, in->type, values, o->count);
    free(values);
    return ok;
}

static bool write_lines(task *t, const uint64_t *index, size_t count)
{
    const lines *const l = &t->lines;
    bool               ok = true;

    for (size_t j = 0; ok && j < count; j++) {
        const uint64_t begin = l->offsets[index[j]];
        ok = output_line(&t->out, l->bytes + begin, (size_t)(l->offsets[index[j] + 1] - begin));
    }
    ok = ok && output_commit(&t->out);
    timing_mark(&t->t, "write");
    return ok;
}

static bool select_lines(task *t, const select_options *o, const size_t *places)
{
    const ordo_strings strings = lines_strings(&t->lines);
    uint64_t *const    index = cli_alloc(o->count, sizeof *index, "the selected lines");
    if (index == NULL)
        return false;
    session_begin("selecting");
    bool ok = session_end(ordo_select_strings(
        t->ctx, &strings, t->n, places, o->count, index,
        &ORDO_OPTS(ordo_sort_opts, .flags = o->descending ? ORDO_DESCENDING : 0)));
    timing_mark(&t->t, "select");
    ok = ok && write_lines(t, index, o->count);
    free(index);
    return ok;
}

/* Everything between input and output. */
static bool select_elements(task *t, const select_options *o)
{
    size_t *const places = library_places(t, o);
    const bool    ok = places != NULL && (o->task.text ? select_lines : select_keys)(t, o, places);
    free(places);
    return ok;
}

int cmd_select(int argc, char **argv)
{
    select_options       o = {.task.few = true, .task.in.text_too = true};
    const options_result r = read_options(argc, argv, &o);
    if (r != OPTIONS_OK)
        return r == OPTIONS_HELP ? CLI_OK : CLI_TROUBLE;
    if (!check_options(&o))
        return CLI_TROUBLE;
    o.k = option_counts("select", "-k", o.k_text, &o.count);
    if (o.k == NULL)
        return CLI_TROUBLE;

    task       t;
    const bool ok = task_begin(&t, "select", &o.task) && select_elements(&t, &o);
    const int  code = task_end(&t, &o.task, ok);
    free(o.k);
    return code;
}

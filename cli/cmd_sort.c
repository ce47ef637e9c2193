/* cmd_sort.c - `ordo sort`: numbers or lines in order, or whether they are. */
#include "arrays.h"
#include "help.h"
#include "sorting.h"
#include "task.h"
#include "textnum.h"

#include <stdlib.h>

static const char help[] =
    "Examples:\n"
    "  printf '3\\n10\\n-1.5\\n' | ordo sort                      # -1.5 3 10\n"
    "  ordo sort names.txt --text --unique -o names.txt\n"
    "  ordo sort keys.npy --descending --explain -o sorted.npy\n"
    "  ordo sort keys.bin --dtype f32 --check && echo sorted\n"
    "  ordo gen ksorted -n 1e7 -k 50 | ordo sort --algorithm rough -k 50\n"
    "\n"
    "Usage: ordo sort [FILE] [options]\n"
    "Numbers in order; -0 before 0, NaN last. With --text: lines, byte by byte, as\n"
    "LC_ALL=C sort orders them.\n"
    "\n"
    "Sorting:\n"
    "  --descending      the largest first; NaN is last all the same\n"
    "  --unique          of keys that tie keep the first\n"
    "  --stable          equal keys keep their order (they cannot be told apart)\n"
    "  --check           sort nothing: exit 0 if the input is sorted, else name the first\n"
    "                    element out of order and exit 1; with --unique ties are, too\n"
    "  --text            lines of any bytes, not numbers\n" HELP_SORT_ALGORITHM HELP_RADIUS
    "\n" HELP_INPUT "\n" HELP_OUTPUT "\n" HELP_COMMON;

typedef struct sort_options {
    task_options    task;
    sorting_options sorting;
    bool            unique, check;
} sort_options;

static options_result read_options(int argc, char **argv, sort_options *o)
{
    const option_spec specs[] = {
        SORTING_OPTIONS(o->sorting),
        OPTION_FLAG_AT("unique", 0, &o->unique),
        OPTION_FLAG_AT("check", 0, &o->check),
        OPTION_FLAG_AT("text", 0, &o->task.text),
        TASK_OPTIONS(o->task),
        OPTION_END,
    };
    size_t n;
    return options_parse(argc, argv, specs, help, &o->task.in.path, 1, &n);
}

/* Options that contradict each other. */
static bool check_options(sort_options *o)
{
    const bool  text = o->task.text;
    const bool  report = o->task.common.explain || o->task.common.json;
    const char *wrong = sorting_wrong(&o->sorting, text);

    if (wrong == NULL)
        wrong = o->check && o->task.out != NULL ? "--check writes nothing: -o does not go with it"
                : o->check && text && report
                    ? "--check --text only reads: there is nothing to --explain, nor for --json"
                    : NULL;
    o->task.silent = o->check;
    o->task.lines = text && !o->check;
    return task_check("sort", wrong, &o->task);
}

/* Says which line or element is out of order, counted from 1, in the words of GNU sort. */
static void complain_of_line(const lines *l, size_t i)
{
    char         shown[80];
    const size_t length = (size_t)(l->offsets[i + 1] - l->offsets[i]);

    cli_note("%s:%zu: disorder: %s", l->name, i + 1,
             cli_printable(l->bytes + l->offsets[i], length, shown, sizeof shown));
}

static void complain_of_key(const input *in, size_t i)
{
    const char *const key = (const char *)in->data + i * ordo_type_size(in->type);
    char              text[NUMBER_TEXT_MAX + 1];

    text[number_format(in->type, key, text)] = '\0';
    cli_note("%s:%zu: disorder: %s", in->name, i + 1, text);
}

static bool check_lines(task *t, const sort_options *o, bool *sorted)
{
    for (size_t i = 1; i < t->n && *sorted; i++) {
        const int order = lines_compare(&t->lines, i - 1, i);
        *sorted = order == 0 ? !o->unique : (order < 0) != o->sorting.descending;
        if (!*sorted)
            complain_of_line(&t->lines, i);
    }
    timing_mark(&t->t, "check");
    return true;
}

static bool check_keys(task *t, const sort_options *o, bool *sorted)
{
    const input *const in = &t->in;
    int                in_order = 0;
    size_t             where = t->n;

    session_begin("checking");
    if (!session_end(ordo_is_sorted(
            t->ctx, in->type, in->data, in->n, &in_order, &where,
            &ORDO_OPTS(ordo_order_opts, .flags = o->sorting.descending ? ORDO_DESCENDING : 0))))
        return false;
    if (o->unique)
        where = first_tie(in->type, in->data, where);
    *sorted = where == in->n;
    if (!*sorted)
        complain_of_key(in, where);
    timing_mark(&t->t, "check");
    return true;
}

static bool sort_lines(task *t, const sort_options *o)
{
    const ordo_sort_opts opts = sorting_library_options(&o->sorting);
    const ordo_strings   strings = lines_strings(&t->lines);
    const size_t         bytes = (size_t)t->lines.offsets[t->n];
    lines                sorted = {.name = t->lines.name, .n = t->n};

    sorted.bytes = cli_alloc(bytes, 1, "the sorted lines");
    sorted.offsets = cli_alloc(t->n + 1, sizeof *sorted.offsets, "the offsets of sorted lines");
    bool ok = sorted.bytes != NULL && sorted.offsets != NULL;
    if (ok) {
        session_begin("sorting");
        ok = session_end(
            ordo_sort_strings(t->ctx, &strings, t->n, sorted.bytes, sorted.offsets, &opts));
    }
    timing_mark(&t->t, "sort");
    ok = ok && task_write_lines(t, &sorted, o->unique);
    lines_free(&sorted);
    return ok;
}

static bool sort_keys(task *t, const sort_options *o)
{
    const ordo_sort_opts opts = sorting_library_options(&o->sorting);

    session_begin("sorting");
    if (!session_end(ordo_sort(t->ctx, t->in.type, t->in.data, t->n, &opts)))
        return false;
    timing_mark(&t->t, "sort");
    size_t n = t->n;
    if (o->unique) {
        n = drop_ties(t->in.type, t->in.data, n);
        timing_mark(&t->t, "unique");
    }
    return task_write(t, t->in.type, t->in.data, n);
}

int cmd_sort(int argc, char **argv)
{
    sort_options         o = {.sorting.radius = OPTION_UNSET};
    const options_result r = read_options(argc, argv, &o);
    if (r != OPTIONS_OK)
        return r == OPTIONS_HELP ? CLI_OK : CLI_TROUBLE;
    if (!check_options(&o))
        return CLI_TROUBLE;

    task t;
    bool sorted = true;
    bool ok = task_begin(&t, "sort", &o.task);
    if (o.check)
        ok = ok && (o.task.text ? check_lines : check_keys)(&t, &o, &sorted);
    else
        ok = ok && (o.task.text ? sort_lines : sort_keys)(&t, &o);
    const int code = task_end(&t, &o.task, ok);
    return code == CLI_OK && !sorted ? CLI_NO : code;
}

/* cmd_sort.c - `ordo sort`: numbers or lines in order, or whether they are. */
#include "cli/io/arrays.h"
#include "cli/cmd/check.h"
#include "cli/ui/help.h"
#include "cli/ui/profile.h"
#include "cli/cmd/sorting.h"
#include "cli/cmd/task.h"

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

static check_request check_request_of(const sort_options *o)
{
    return (check_request){.in = o->task.in,
                           .text = o->task.text,
                           .descending = o->sorting.descending,
                           .unique = o->unique};
}

/* A report is about one library call, so that the whole array must be in memory. */
static bool check_whole(task *t, const sort_options *o, bool *sorted)
{
    const check_request request = check_request_of(o);
    const bool          ok = check_array(t->ctx, &request, &t->in, sorted);
    timing_mark(&t->t, "check");
    return ok;
}

static int check_stream(const sort_options *o)
{
    const check_request   request = check_request_of(o);
    const common_options *common = &o->task.common;
    ordo_ctx *const       ctx = session_open("sort", common);
    timing                t;
    bool                  sorted = true;

    if (ctx == NULL)
        return CLI_TROUBLE;
    timing_start(&t);
    bool ok = check_input(ctx, &request, &sorted);
    timing_mark(&t, "check");
    ok = ok && report_print(ctx, common, "", &t);
    session_close();
    return !ok ? CLI_TROUBLE : sorted ? CLI_OK : CLI_NO;
}

int cmd_sort(int argc, char **argv)
{
    sort_options         o = {.sorting.radius = OPTION_UNSET, .task.in.text_too = true};
    const options_result r = read_options(argc, argv, &o);
    if (r != OPTIONS_OK)
        return r == OPTIONS_HELP ? CLI_OK : CLI_TROUBLE;
    if (!check_options(&o))
        return CLI_TROUBLE;
    const common_options *const common = &o.task.common;
    const bool                  report = common->explain || common->json || profile_wanted(common);
    if (o.check && (o.task.text || !report))
        return check_stream(&o);

    task t;
    bool sorted = true;
    bool ok = task_begin(&t, "sort", &o.task);
    if (o.check)
        ok = ok && check_whole(&t, &o, &sorted);
    else
        ok = ok && (o.task.text ? sort_lines : sort_keys)(&t, &o);
    const int code = task_end(&t, &o.task, ok);
    return code == CLI_OK && !sorted ? CLI_NO : code;
}

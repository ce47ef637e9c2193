/* cmd_argsort.c - `ordo argsort`: which element comes first, second, ... in order. */
#include "cli/io/arrays.h"
#include "cli/ui/help.h"
#include "cli/cmd/sorting.h"
#include "cli/cmd/task.h"

#include <stdlib.h>

static const char help[] =
    "Examples:\n"
    "  printf '30\\n10\\n20\\n' | ordo argsort                    # 1 2 0\n"
    "  printf '30\\n10\\n20\\n' | ordo argsort --one-based        # 2 3 1\n"
    "  ordo argsort keys.npy --descending -o order.npy\n"
    "  ordo argsort names.txt --text --one-based               # line numbers\n"
    "\n"
    "Usage: ordo argsort [FILE] [options]\n"
    "The indices of the elements in order: the first result says where the first in\n"
    "order stands. Elements that tie keep their order.\n"
    "\n"
    "Sorting:\n"
    "  --descending      the largest first; NaN is last all the same\n"
    "  --one-based       count elements from 1, not from 0\n"
    "  --index-type T    u32 or u64; default: u32, u64 from 2^32 elements on\n"
    "  --text            lines of any bytes, not numbers; indices are written as text\n"
    "                    unless --format or the name of FILE says otherwise\n"
    "  --stable          it always is\n" HELP_SORT_ALGORITHM HELP_RADIUS "\n" HELP_INPUT
    "\n" HELP_OUTPUT "\n" HELP_COMMON;

typedef struct argsort_options {
    task_options    task;
    sorting_options sorting;
    int             index_type;
    bool            one_based;
} argsort_options;

static options_result read_options(int argc, char **argv, argsort_options *o)
{
    const option_spec specs[] = {
        SORTING_OPTIONS(o->sorting),
        OPTION_FLAG_AT("one-based", 0, &o->one_based),
        OPTION_CHOICE_AT("index-type", 0, &o->index_type, index_type_choices),
        OPTION_FLAG_AT("text", 0, &o->task.text),
        TASK_OPTIONS(o->task),
        OPTION_END,
    };
    size_t n;
    return options_parse(argc, argv, specs, help, &o->task.in.path, 1, &n);
}

static bool sort_indices(task *t, const argsort_options *o, ordo_type type, void *index)
{
    const ordo_sort_opts opts = sorting_library_options(&o->sorting);
    const ordo_strings   strings = lines_strings(&t->lines);

    session_begin("sorting");
    return session_end(
        o->task.text ? ordo_argsort_strings(t->ctx, &strings, t->n, type, index, &opts)
                     : ordo_argsort(t->ctx, t->in.type, t->in.data, t->n, type, index, &opts));
}

/* Everything between input and output. */
static bool argsort(task *t, const argsort_options *o)
{
    const ordo_type type = task_index_type(o->index_type, t->n);

    if (o->one_based && type == ORDO_U32 && t->n > UINT32_MAX) {
        cli_error("argsort: %zu elements counted from 1 need --index-type u64", t->n);
        return false;
    }
    void *const index = cli_alloc(t->n, ordo_type_size(type), "the indices");
    if (index == NULL)
        return false;
    bool ok = sort_indices(t, o, type, index);
    timing_mark(&t->t, "sort");
    if (ok && o->one_based)
        add_one(type, index, t->n);
    ok = ok && task_write(t, type, index, t->n);
    free(index);
    return ok;
}

int cmd_argsort(int argc, char **argv)
{
    argsort_options      o = {.sorting.radius = OPTION_UNSET, .task.in.text_too = true};
    const options_result r = read_options(argc, argv, &o);
    if (r != OPTIONS_OK)
        return r == OPTIONS_HELP ? CLI_OK : CLI_TROUBLE;
    if (!task_check("argsort", sorting_wrong(&o.sorting, o.task.text), &o.task))
        return CLI_TROUBLE;

    task       t;
    const bool ok = task_begin(&t, "argsort", &o.task) && argsort(&t, &o);
    return task_end(&t, &o.task, ok);
}

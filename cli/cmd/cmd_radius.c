/* cmd_radius.c - `ordo radius`: how far from sorted an array is. */
#include "cli/ui/help.h"
#include "cli/cmd/task.h"

static const char help[] =
    "Examples:\n"
    "  printf '1\\n2\\n3\\n' | ordo radius                        # 0: sorted\n"
    "  printf '2\\n3\\n1\\n4\\n' | ordo radius                     # 2: 2 and 1 are 2 apart\n"
    "  ordo gen ksorted -n 1e6 -k 1000 | ordo radius --runs\n"
    "\n"
    "Usage: ordo radius [FILE] [options]\n"
    "The least K such that every two elements more than K apart are in order; 0 if the\n"
    "array is sorted. No element is further than K from its place.\n"
    "\n"
    "Measuring:\n"
    "  --descending      sorted means the largest first; NaN is last either way\n"
    "  --runs            print also, as a second number, how many maximal stretches are\n"
    "                    in order\n"
    "  --algorithm A     auto or sequential (prefix maxima and suffix minima)\n"
    "\n" HELP_INPUT "\n" HELP_FEW "\n" HELP_COMMON;

static const option_choice algorithm_choices[] = {
    {"auto", ORDO_ALGORITHM_AUTO}, {"sequential", ORDO_ALGORITHM_SEQUENTIAL}, {NULL, 0}};

typedef struct radius_options {
    task_options task;
    int          algorithm;
    bool         descending, runs;
} radius_options;

static options_result read_options(int argc, char **argv, radius_options *o)
{
    const option_spec specs[] = {
        OPTION_FLAG_AT("descending", 0, &o->descending),
        OPTION_FLAG_AT("runs", 0, &o->runs),
        OPTION_CHOICE_AT("algorithm", 0, &o->algorithm, algorithm_choices),
        TASK_OPTIONS(o->task),
        OPTION_END,
    };
    size_t n;
    return options_parse(argc, argv, specs, help, &o->task.in.path, 1, &n);
}

/* Everything between input and output. Runs come first: the report is about the last call. */
static bool radius(task *t, const radius_options *o)
{
    const input *const in = &t->in;
    const uint64_t     flags = o->descending ? ORDO_DESCENDING : 0;
    size_t             found = 0, runs = 0;

    if (o->runs) {
        session_begin("counting");
        if (!session_end(ordo_runs(t->ctx, in->type, in->data, in->n, &runs,
                                   &ORDO_OPTS(ordo_order_opts, .flags = flags))))
            return false;
        timing_mark(&t->t, "runs");
    }
    session_begin("measuring");
    if (!session_end(ordo_radius(
            t->ctx, in->type, in->data, in->n, &found,
            &ORDO_OPTS(ordo_order_opts, .flags = flags, .algorithm = (uint32_t)o->algorithm))))
        return false;
    timing_mark(&t->t, "radius");
    const uint64_t results[] = {found, runs};
    return task_write(t, ORDO_U64, results, o->runs ? 2 : 1);
}

int cmd_radius(int argc, char **argv)
{
    radius_options       o = {.task.few = true};
    const options_result r = read_options(argc, argv, &o);
    if (r != OPTIONS_OK)
        return r == OPTIONS_HELP ? CLI_OK : CLI_TROUBLE;

    task       t;
    const bool ok = task_begin(&t, "radius", &o.task) && radius(&t, &o);
    return task_end(&t, &o.task, ok);
}

/* cmd_radius.c - `ordo radius`: how far from sorted an array is. */
#include "cli/cmd/command.h"

static const char help[] =
    "Examples:\n"
    "  printf '1\\n2\\n3\\n' | ordo radius                        # 0: sorted\n"
    "  printf '2\\n3\\n1\\n4\\n' | ordo radius                     # 2: 2 and 1 are 2 apart\n"
    "  ordo gen ksorted -n 1e6 -k 1000 | ordo radius --runs\n\n"
    "Usage: ordo radius [FILE] [options]\n"
    "Prints the least K such that any two elements more than K apart are in order; 0 if\n"
    "the array is sorted. No element is further than K from its place.\n\n"
    "Measuring:\n"
    "  --descending      sorted means the largest first; NaN is still last\n"
    "  --runs            also print, as a second number, the number of runs (maximal\n"
    "                    stretches in order)\n"
    "  --algorithm A     auto or sequential (prefix maxima and suffix minima)\n";

static const option_spec specs[] = {FLAG("descending", descending), FLAG("runs", runs),
                                    ALGORITHM("auto sequential"), ARRAY_OPTIONS};

/* Runs come first: the report is about the last call. */
static bool work(execution *e)
{
    const input *const in = &e->in;
    ordo_order_opts    opts = ORDO_OPTS(ordo_order_opts, .flags = descending_flag(e));
    size_t             found = 0, runs = 0;

    if (e->o.runs) {
        call_begin("counting");
        if (!call_done(e, "runs", ordo_runs(e->ctx, in->type, in->data, in->n, &runs, &opts)))
            return false;
    }
    opts.algorithm = (uint32_t)e->o.algorithm;
    call_begin("measuring");
    if (!call_done(e, "radius", ordo_radius(e->ctx, in->type, in->data, in->n, &found, &opts)))
        return false;
    const uint64_t results[] = {found, runs};
    return write_results(e, ORDO_U64, results, e->o.runs ? 2 : 1);
}

const command command_radius = {"radius", help, specs, READS | WRITES | FEW, 0, NULL, work};

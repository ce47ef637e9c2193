/* cmd_radius.c - `ordo radius`: how far from sorted an array is. */
#include "cli/cmd/command.h"

#include <stdlib.h>

static const char help[] =
    "Examples:\n"
    "  printf '1\\n2\\n3\\n' | ordo radius                        # 0: sorted\n"
    "  printf '2\\n3\\n1\\n4\\n' | ordo radius                     # 2: 2 and 1 are 2 apart\n"
    "  ordo gen ksorted -n 1e6 -k 1000 | ordo radius --runs\n\n"
    "Usage: ordo radius [FILE] [options]\n"
    "Prints the radius: the least K such that any two elements more than K places apart are in\n"
    "order; 0 if the array is sorted. No element is more than K places from its sorted\n"
    "position.\n\n"
    "Measuring:\n"
    "  -r, --descending  sorted means largest first; NaN is still last\n"
    "  --runs            also print, as a second number, the number of runs (maximal\n"
    "                    ascending stretches)\n"
    "  --algorithm A     auto; sequential: prefix maxima LR, suffix minima RL and distances\n"
    "                    DM by one thread; on a GPU: prefix (the same in rounds of doubling) or\n"
    "                    scans\n"
    "  --lr F, --rl F, --dm F  also write the sequences LR and RL (keys) and DM (u64) to\n"
    "                    files; the end of the name decides the format: .npy; .bin, .raw;\n"
    "                    otherwise text\n";

static const option_spec specs[] = {DESCENDING,
                                    FLAG("runs", runs),
                                    ALGORITHM("auto sequential - - - - - - - - - - - - - prefix "
                                              "- - scans"),
                                    TEXT("lr", 0, lr),
                                    TEXT("rl", 0, rl),
                                    TEXT("dm", 0, dm),
                                    ARRAY_OPTIONS};

/* The sequences that the options ask for; NULL: not asked for. */
typedef struct sequences {
    void *lr, *rl, *dm;
} sequences;

static bool make_sequence(const char *path, ordo_type type, size_t n, void **array)
{
    if (path != NULL)
        *array = cli_alloc(n, ordo_type_size(type), "a sequence");
    return path == NULL || *array != NULL;
}

/* Each file is replaced as a whole or stays unchanged, as the output file does. */
static bool write_sequence(const char *path, ordo_type type, const void *array, size_t n)
{
    const file_format format = path != NULL ? format_of_name(path) : FORMAT_AUTO;
    output            out = {.fd = -1};
    bool              ok = true;

    if (path != NULL)
        ok = output_open(&out, path, format != FORMAT_AUTO ? format : FORMAT_TEXT) &&
             output_array(&out, type, array, n) && output_commit(&out);
    output_abandon(&out);
    return ok;
}

static bool measure(execution *e, ordo_order_opts *opts, sequences *s, size_t *found)
{
    const input *const in = &e->in;

    if (!make_sequence(e->o.lr, in->type, in->n, &s->lr) ||
        !make_sequence(e->o.rl, in->type, in->n, &s->rl) ||
        !make_sequence(e->o.dm, ORDO_U64, in->n, &s->dm))
        return false;
    opts->algorithm = (uint32_t)e->o.algorithm;
    opts->lr = s->lr;
    opts->rl = s->rl;
    opts->dm = s->dm;
    call_begin("measuring");
    return call_done(e, "radius", ordo_radius(e->ctx, in->type, in->data, in->n, found, opts)) &&
           write_sequence(e->o.lr, in->type, s->lr, in->n) &&
           write_sequence(e->o.rl, in->type, s->rl, in->n) &&
           write_sequence(e->o.dm, ORDO_U64, s->dm, in->n);
}

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
    sequences  s = {NULL, NULL, NULL};
    const bool ok = measure(e, &opts, &s, &found);
    free(s.lr);
    free(s.rl);
    free(s.dm);
    if (!ok)
        return false;
    const uint64_t results[] = {found, runs};
    return write_measures(e, ORDO_U64, results, e->o.runs ? 2 : 1);
}

const command command_radius = {"radius", help, specs, READS | WRITES | FEW, 0, NULL, work};

/* cmd_argsort.c - `ordo argsort`: the indices of the elements in order. */
#include "cli/cmd/command.h"
#include "cli/io/keys.h"

static const char help[] =
    "Examples:\n"
    "  printf '30\\n10\\n20\\n' | ordo argsort                    # 1 2 0\n"
    "  printf '30\\n10\\n20\\n' | ordo argsort --one-based        # 2 3 1\n"
    "  ordo argsort keys.npy --descending -o order.npy\n"
    "  ordo argsort names.txt --text --one-based               # line numbers\n"
    "\n"
    "Usage: ordo argsort [FILE] [options]\n"
    "Prints the indices of the elements in order: the first result is the index of the\n"
    "smallest element. Equal elements keep their order.\n"
    "\n"
    "Sorting:\n"
    "  --descending      the largest first; NaN is still last\n"
    "  --one-based       count elements from 1, not from 0\n"
    "  --index-type T    u32 or u64; default: u32, or u64 from 2^32 elements on\n"
    "  --text            the input is lines of any bytes, not numbers; the indices are\n"
    "                    text unless --format or the name of the output says otherwise\n"
    "  --stable          accepted; the result is always stable\n" HELP_SORT_ALGORITHM;

static const option_spec specs[] = {SORT_OPTIONS, FLAG("one-based", one_based),
                                    CHOICE("index-type", index_type, index_type_choices),
                                    ARRAY_OPTIONS, OPTION_END};

static const char *wrong(execution *e) { return sort_options_wrong(e); }

static bool work(execution *e)
{
    const ordo_sort_opts opts = sort_options_of(e);
    const ordo_strings   strings = lines_strings(&e->lines);
    const ordo_type      type = index_type(e->o.index_type, e->n);

    if (e->o.one_based && type == ORDO_U32 && e->n > UINT32_MAX)
        return cli_fail("argsort: %zu elements counted from 1 need --index-type u64", e->n);
    void *const index = new_results(e, type, e->n, "the indices");
    if (index == NULL)
        return false;
    call_begin("sorting");
    if (!call_done(e, "sort",
                   e->o.text
                       ? ordo_argsort_strings(e->ctx, &strings, e->n, type, index, &opts)
                       : ordo_argsort(e->ctx, e->in.type, e->in.data, e->n, type, index, &opts)))
        return false;
    if (e->o.one_based)
        add_one(type, index, e->n);
    return write_results(e, type, index, e->n);
}

const command command_argsort = {"argsort", help, specs, READS | WRITES | LINES_IN, 0, wrong, work};

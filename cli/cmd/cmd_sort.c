/* cmd_sort.c - `ordo sort`: numbers or lines in order, or a check that they are. */
#include "cli/cmd/check.h"
#include "cli/cmd/command.h"
#include "cli/io/keys.h"

static const char help[] =
    "Examples:\n"
    "  printf '3\\n10\\n-1.5\\n' | ordo sort                      # -1.5 3 10\n"
    "  ordo sort names.txt --text --unique -o names.txt\n"
    "  ordo sort keys.npy --descending --explain -o sorted.npy\n"
    "  ordo sort keys.bin --dtype f32 --check && echo sorted\n"
    "  ordo gen ksorted -n 1e7 -k 50 | ordo sort --algorithm rough -k 50\n"
    "\n"
    "Usage: ordo sort [FILE] [options]\n"
    "Sorts numbers: -0 before 0, NaN last. With --text, sorts lines byte by byte, in the\n"
    "order of LC_ALL=C sort.\n"
    "\n"
    "Sorting:\n"
    "  --descending      the largest first; NaN is still last\n"
    "  --unique          keep only the first of equal keys\n"
    "  --stable          equal keys keep their order (they cannot be told apart)\n"
    "  --check           do not sort: exit 0 if the input is sorted, else name the first\n"
    "                    element out of order and exit 1; with --unique, a tie is also\n"
    "                    out of order\n"
    "  --text            the input is lines of any bytes, not numbers\n" HELP_SORT_ALGORITHM;

static const option_spec specs[] = {SORT_OPTIONS, FLAG("unique", unique), FLAG("check", check),
                                    ARRAY_OPTIONS, OPTION_END};

/* A report is about one library call, which needs the whole array in memory. */
static const char *wrong(execution *e)
{
    const options *const o = &e->o;
    const bool           report = o->common.explain || o->common.json;
    const char *const    sorting = sort_options_wrong(e);

    e->quiet = o->check;
    e->by_pieces = o->check && (o->text || !(report || profile_wanted(&o->common)));
    return sorting != NULL                 ? sorting
           : o->check && o->out != NULL    ? "--check writes nothing: it cannot be used with -o"
           : o->check && o->text && report ? "--check --text only reads: --explain and --json have "
                                             "nothing to report"
                                           : NULL;
}

static bool sort_lines(execution *e)
{
    const ordo_sort_opts opts = sort_options_of(e);
    const ordo_strings   strings = lines_strings(&e->lines);
    const size_t         bytes = (size_t)e->lines.offsets[e->n];
    const lines          sorted = {
                 .n = e->n,
                 .bytes = new_results(e, ORDO_U8, bytes, "the sorted lines"),
                 .offsets = new_results(e, ORDO_U64, e->n + 1, "the offsets of the sorted lines")};

    if (sorted.bytes == NULL || sorted.offsets == NULL)
        return false;
    call_begin("sorting");
    return call_done(
               e, "sort",
               ordo_sort_strings(e->ctx, &strings, e->n, sorted.bytes, sorted.offsets, &opts)) &&
           write_lines(e, &sorted, e->o.unique);
}

static bool sort_keys(execution *e)
{
    const ordo_sort_opts opts = sort_options_of(e);
    size_t               n = e->n;

    call_begin("sorting");
    if (!call_done(e, "sort", ordo_sort(e->ctx, e->in.type, e->in.data, n, &opts)))
        return false;
    if (e->o.unique) {
        n = drop_ties(e->in.type, e->in.data, n);
        timing_mark(&e->t, "unique");
    }
    return write_results(e, e->in.type, e->in.data, n);
}

static bool check(execution *e)
{
    const check_request request = {.ctx = e->ctx,
                                   .in = input_request_of(e),
                                   .text = e->o.text,
                                   .descending = e->o.descending,
                                   .unique = e->o.unique};
    bool                sorted = true;
    const bool          ok =
        e->by_pieces ? check_input(&request, &sorted) : check_array(&request, &e->in, &sorted);
    timing_mark(&e->t, "check");
    e->no = !sorted;
    return ok;
}

static bool work(execution *e)
{
    return e->o.check ? check(e) : e->o.text ? sort_lines(e) : sort_keys(e);
}

const command command_sort = {"sort", help,  specs, READS | WRITES | LINES_IN | LINES_OUT,
                              0,      wrong, work};

/* cmd_topk.c - `ordo topk`: the largest or smallest elements in order, and their indices. */
#include "cli/cmd/command.h"

#include "cli/lines/external/line_merge.h"

#include <string.h>

static const char help[] =
    "Examples:\n"
    "  printf '30\\n10\\n20\\n' | ordo topk -k 2                  # 30 20\n"
    "  printf '30\\n10\\n20\\n' | ordo topk -k 2 --smallest       # 10 20\n"
    "  ordo topk scores.npy -k 100 --index -o best.npy\n"
    "  ordo topk times.txt -k 5 --with-index --one-based       # line number and value\n"
    "  ordo topk scores.npy -k 3 --groups class.npy            # one line per class\n"
    "  ordo topk --csv sales.csv -k 3 --key price --by city    # rows\n"
    "  ordo topk names.txt --text -k 10 --smallest             # the first names\n\n"
    "Usage: ordo topk [FILE] -k K [options]\n"
    "Prints the K largest elements, the largest first. Tied elements keep their order. If\n"
    "there are fewer than K elements, prints all of them.\n\n"
    "Selecting:\n"
    "* -k K              how many elements\n"
    "  --largest         the default; NaN is last\n"
    "* --smallest        the smallest elements, the smallest first; NaN is still last\n"
    "* --index           print the indices of the elements, from 0, instead of the elements\n"
    "* --with-index      print both: lines with an index and an element (text only)\n"
    "* --one-based       count indices from 1\n"
    "  --index-type T    u32 or u64; default: u32, or u64 from 2^32 elements on\n"
    "* --nans N          last (NaN comes after all numbers, the default) or omit (leave\n"
    "                    NaN out)\n"
    "* --text            the input is lines of any bytes, not numbers\n" HELP_GROUPS
    "  --algorithm A     auto\n";

static const option_spec specs[] = {COUNT("k", 'k', k, 0, UINT64_MAX - 1),
                                    FLAG("largest", largest),
                                    FLAG("smallest", smallest),
                                    FLAG("index", index),
                                    FLAG("with-index", with_index),
                                    FLAG("one-based", one_based),
                                    INDEX_TYPE("index-type"),
                                    NANS("last omit"),
                                    FLAG("text", text),
                                    GROUPS_OPTIONS,
                                    CSV_OPTIONS,
                                    CSV_KEYS,
                                    COLUMNS("by", csv.by),
                                    ALGORITHM("auto"),
                                    EXTERNAL_OPTIONS,
                                    RECORD_OPTIONS,
                                    ARRAY_OPTIONS};

static const char *wrong(execution *e)
{
    const options *const o = &e->o;
    const bool           indices = o->index || o->with_index;

    e->by_pieces = o->text;
    return o->k == OPTION_UNSET        ? "-k K is missing: how many elements?"
           : o->largest && o->smallest ? "--largest and --smallest cannot be used together"
           : o->index && o->with_index ? "--index and --with-index cannot be used together"
           : csv_option(o) != NULL     ? csv_wrong(e)
           : o->one_based && !indices  ? "--one-based needs --index or --with-index"
           : o->index_type && !indices ? "--index-type needs --index or --with-index"
           : o->text && o->nans != 0   ? "--nans is for numbers: it cannot be used with --text"
           : o->text && o->groups_file != NULL
               ? "--groups is for numbers: it cannot be used with --text"
           : o->text && o->algorithm != 0
               ? "--algorithm is for numbers: it cannot be used with --text"
           : o->with_index && o->groups_file != NULL
               ? "--with-index and --groups cannot be used together"
               : groups_wrong(e);
}

/* Lines of an index, a blank and a value. */
static bool write_both(execution *e, ordo_type type, const char *index, const char *values,
                       size_t n)
{
    const size_t index_size = ordo_type_size(type), size = ordo_type_size(e->in.type);
    bool         ok = true;

    for (size_t i = 0; ok && i < n; i++)
        ok = output_pair(&e->out, type, index + i * index_size, e->in.type, values + i * size);
    return finish_output(e, ok);
}

static bool find_and_write(execution *e, size_t k, ordo_type type, void *values, void *index)
{
    const options *const o = &e->o;
    size_t               found = 0;

    call_begin("selecting");
    if (!call_done(
            e, "select",
            ordo_topk(e->ctx, e->in.type, e->in.data, e->n, k, values, type, index, &found,
                      &ORDO_OPTS(ordo_select_opts, .flags = o->smallest ? 0 : ORDO_DESCENDING,
                                 .nans = (uint32_t)o->nans, .algorithm = (uint32_t)o->algorithm))))
        return false;
    if (o->one_based)
        add_one(type, index, found);
    if (o->with_index)
        return write_both(e, type, index, values, found);
    return o->index ? write_results(e, type, index, found)
                    : write_results(e, e->in.type, values, found);
}

/* Elements or indices of each group. */
static bool topk_groups(execution *e, const beside_arrays *b)
{
    ordo_groups *const    groups = b->groups;
    const options *const  o = &e->o;
    const ordo_type       type = index_type(o->index_type, e->n);
    const ordo_group_opts opts = ORDO_OPTS(
        ordo_group_opts, .flags = o->smallest ? 0 : ORDO_DESCENDING, .nans = (uint32_t)o->nans);
    const ordo_type out_type = o->index ? type : e->in.type;
    const size_t    k = o->k < e->n ? (size_t)o->k : e->n;

    if (!count_groups(e, groups))
        return false;
    void *const     out = new_results(e, out_type, groups->capacity * k, "the top elements");
    uint64_t *const found = new_results(e, ORDO_U64, groups->capacity, "the counts");
    if (out == NULL || found == NULL)
        return false;
    memset(out, 0, groups->capacity * k * ordo_type_size(out_type)); /* for groups below k */
    call_begin("selecting");
    if (!call_done(e, "select",
                   ordo_group_topk(e->ctx, groups, e->in.type, e->in.data, e->n, k,
                                   o->index ? NULL : out, type, o->index ? out : NULL, found,
                                   &opts)))
        return false;
    if (o->one_based)
        add_one(type, out, groups->capacity * k);
    return write_groups(e, groups, out_type, out, k, found);
}

/* Lines of the input, after their index and a blank if both are asked for. */
static bool write_top(execution *e, const line_top *top)
{
    bool ok = true;

    for (size_t i = 0; ok && i < top->n; i++) {
        const uint64_t shown = top->places[i] + e->o.one_based;
        char           text[NUMBER_TEXT_MAX + 1];
        const size_t   length = number_format(ORDO_U64, &shown, text);
        text[length] = ' ';
        ok = (!e->o.with_index || output_bytes(&e->out, text, length + 1)) &&
             output_line(&e->out, top->bytes + top->offsets[i],
                         (size_t)(top->offsets[i + 1] - top->offsets[i]));
    }
    return finish_output(e, ok);
}

/* The indices of the lines, in the type asked for. */
static bool write_places(execution *e, const line_top *top)
{
    const ordo_type type = index_type(e->o.index_type, top->lines);
    void *const     index = new_results(e, type, top->n, "the indices");

    if (index == NULL)
        return false;
    if (type == ORDO_U32 && top->lines + e->o.one_based > (uint64_t)UINT32_MAX + 1)
        return cli_fail("topk: %llu lines need --index-type u64", (unsigned long long)top->lines);
    for (size_t i = 0; i < top->n; i++)
        index_put(type, index, i, (size_t)top->places[i] + e->o.one_based);
    return write_results(e, type, index, top->n);
}

/* Not call_begin(): a signal ends the process at once, because the input may be a pipe. */
static bool topk_lines(execution *e)
{
    line_top    top;
    ordo_status status;

    const bool found = line_top_find(e->ctx, e->paths[0], e->o.k, !e->o.smallest, &top, &status);
    if (!call_end(status) || !found)
        return false;
    timing_mark(&e->t, "select");
    const bool ok = e->o.index ? write_places(e, &top) : write_top(e, &top);
    line_top_free(&top);
    return ok;
}

static bool work(execution *e)
{
    const options *const o = &e->o;
    const ordo_type      type = index_type(o->index_type, e->n);
    const size_t         k = o->k < e->n ? (size_t)o->k : e->n;
    void                *values = NULL, *index = NULL;

    if (o->with_index && e->out.format != FORMAT_TEXT)
        return cli_fail("topk: --with-index writes text only: leave out --format, or let the name "
                        "of the output file end in .txt");
    if (o->one_based && type == ORDO_U32 && e->n > UINT32_MAX)
        return cli_fail("topk: %zu elements counted from 1 need --index-type u64", e->n);
    if (o->text && !o->index && e->out.format != FORMAT_TEXT)
        return cli_fail("topk: --text writes lines: the only --format is text");
    if (o->text)
        return topk_lines(e);
    if (o->groups_file != NULL)
        return with_beside(e, topk_groups);
    if (!o->index && (values = new_results(e, e->in.type, k, "the top elements")) == NULL)
        return false;
    if ((o->index || o->with_index) && (index = new_results(e, type, k, "the indices")) == NULL)
        return false;
    return find_and_write(e, k, type, values, index);
}

const command command_topk = {
    "topk", help,
    specs,  READS | WRITES | FEW | LINES_IN | EXTERNAL | RECORDS | CSV_IN | CSV_GROUPS,
    0,      wrong,
    work};

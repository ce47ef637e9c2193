/* cmd_select.c - `ordo select`: the k-th smallest elements, without sorting the others. */
#include "cli/cmd/command.h"

static const char help[] =
    "Examples:\n"
    "  printf '30\\n10\\n20\\n' | ordo select -k 1                # 10, the smallest\n"
    "  printf '30\\n10\\n20\\n' | ordo select -k 3,1              # 30 10\n"
    "  ordo select times.npy -k 10 --descending                # the tenth largest\n"
    "  ordo select times.npy -k 1 --nans omit --explain\n"
    "  ordo select names.txt --text -k 1000\n"
    "  ordo select --csv sales.csv --key price -k 1,2          # the two cheapest rows\n\n"
    "Usage: ordo select [FILE] -k K[,K...] [options]\n"
    "Prints the K-th smallest element; 1 is the smallest. Several K give one result each,\n"
    "in the order given.\n\n"
    "Selecting:\n"
    "* -k K[,K...]       which elements, counted from 1 (in C and Python: from 0)\n"
    "* -r, --descending  count from the largest\n"
    "* --nans N          last (NaN comes after all numbers, the default), omit (leave NaN\n"
    "                    out) or propagate (one NaN makes every result NaN)\n"
    "* --text            the input is lines of any bytes, not numbers\n" HELP_SELECT_ALGORITHM;

static const option_spec specs[] = {
    TEXT("k", 'k', list_text), DESCENDING,       NANS("last omit propagate"),
    FLAG("text", text),        CSV_OPTIONS,      CSV_KEYS,
    SELECT_ALGORITHM,          EXTERNAL_OPTIONS, ARRAY_OPTIONS};

static const char *wrong(execution *e)
{
    options *const o = &e->o;

    if (o->list_text == NULL)
        return "-k K is missing: which element? 1 is the smallest";
    if (o->text && o->algorithm != 0)
        return "--algorithm is for numbers: it cannot be used with --text";
    if (o->text && o->sub_array != 0)
        return "--sub-array is for numbers: it cannot be used with --text";
    if (o->text && o->nans != 0)
        return "--nans is for numbers: it cannot be used with --text";
    o->list = option_list("select", "-k", o->list_text, 0, &o->count);
    return o->list == NULL ? "" : csv_option(o) != NULL ? csv_wrong(e) : sub_array_wrong(e);
}

/* The K of the command line, from 1, as indices of the library, from 0. All must exist. */
static const size_t *library_places(execution *e)
{
    const bool      omit = e->o.nans == ORDO_NANS_OMIT && !e->o.text;
    const size_t    there = omit ? e->n - count_nans(e->in.type, e->in.data, e->n) : e->n;
    const uint64_t *k = e->o.list;
    size_t *const   places = new_results(e, ORDO_U64, e->o.count, "the places");

    for (size_t j = 0; places != NULL && j < e->o.count; j++) {
        if (k[j] > there) {
            cli_error("select: -k %llu is too large; expected at most %zu, the number of elements "
                      "in %s%s",
                      (unsigned long long)k[j], there, e->o.text ? e->lines.name : e->in.name,
                      omit ? " that are not NaN" : "");
            return NULL;
        }
        places[j] = (size_t)(k[j] - 1);
    }
    return places;
}

static bool select_keys(execution *e, const size_t *places, void *values)
{
    const input *const in = &e->in;

    call_begin("selecting");
    return call_done(e, "select",
                     ordo_select(e->ctx, in->type, in->data, in->n, places, e->o.count, values,
                                 &ORDO_OPTS(ordo_select_opts, .flags = descending_flag(e),
                                            .nans = (uint32_t)e->o.nans,
                                            .algorithm = (uint32_t)e->o.algorithm,
                                            .sub_array = e->o.sub_array))) &&
           write_measures(e, in->type, values, e->o.count);
}

/* The lines as strings of JSON. */
static bool put_lines(execution *e, const uint64_t *index)
{
    const lines *const l = &e->lines;
    json_results       out;
    bool               ok = json_begin(&out, &e->out, false) && json_object(&out);

    for (size_t j = 0; ok && j < e->o.count; j++) {
        const uint64_t *const at = l->offsets + index[j];
        ok = measure_member(e, &out, j) &&
             json_text(&out, l->bytes + at[0], (size_t)(at[1] - at[0]));
    }
    return ok && json_object_end(&out) && json_end(&out);
}

static bool select_lines(execution *e, const size_t *places, uint64_t *index)
{
    const ordo_strings   strings = lines_strings(&e->lines);
    const ordo_sort_opts opts = ORDO_OPTS(ordo_sort_opts, .flags = descending_flag(e));

    call_begin("selecting");
    bool ok = call_done(
        e, "select", ordo_select_strings(e->ctx, &strings, e->n, places, e->o.count, index, &opts));
    if (json_results_wanted(e))
        return finish_output(e, ok && put_lines(e, index));
    for (size_t j = 0; ok && j < e->o.count; j++)
        ok = lines_write_one(&e->lines, index[j], &e->out);
    return finish_output(e, ok);
}

static bool work(execution *e)
{
    const size_t *const places = library_places(e);
    void *const         results = places == NULL ? NULL
                                                 : new_results(e, e->o.text ? ORDO_U64 : e->in.type,
                                                               e->o.count, "the selected elements");
    return results != NULL &&
           (e->o.text ? select_lines(e, places, results) : select_keys(e, places, results));
}

const command command_select = {
    "select", help,  specs, READS | WRITES | FEW | LINES_IN | LINES_OUT | EXTERNAL | CSV_IN,
    0,        wrong, work};

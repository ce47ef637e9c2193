/* beside.c - files beside the input: groups (--groups), further keys (--then), and the results of
 * groups. */
#define _DEFAULT_SOURCE /* strsep */
#include "cli/cmd/command.h"

#include <stdlib.h>
#include <string.h>

bool read_beside(execution *e, const char *path, const char *dtype, const char *dtype_option,
                 const char *what, input *beside)
{
    const input_request request = {.path = path, .dtype = dtype, .dtype_option = dtype_option};

    if (!input_read(&request, beside))
        return false;
    if (beside->n == e->n && hold_memory(e, e->n * ordo_type_size(beside->type)))
        return true;
    if (beside->n != e->n)
        cli_error("%s has %zu %s, but %s has %zu numbers; expected equal numbers", beside->name,
                  beside->n, what, e->in.name, e->n);
    input_free(beside);
    return false;
}

bool both_from_stdin(const execution *e, const char *path)
{
    return path != NULL && source_is_stdin(path) && source_is_stdin(e->o.operand);
}

const char *groups_wrong(const execution *e)
{
    const options *const o = &e->o;

    if (o->groups_file == NULL)
        return o->groups_dtype != NULL ? "--groups-dtype needs --groups" : NULL;
    if (strings_option(o) != NULL)
        return numbers_only(e, "--groups");
    return both_from_stdin(e, o->groups_file)
               ? "the numbers and the groups cannot both come from stdin"
           : o->algorithm != ORDO_ALGORITHM_AUTO ? "--groups accepts only --algorithm auto"
           : o->then_files != NULL               ? "--groups and --then cannot be used together"
           : o->weights_file != NULL             ? "--groups and --weights cannot be used together"
                                                 : NULL;
}

const char *beside_wrong(const execution *e)
{
    const options *const o = &e->o;
    const char *const    groups = groups_wrong(e);

    return groups != NULL || o->then_files == NULL ? groups
           : strings_option(o) != NULL             ? numbers_only(e, "--then")
           : o->algorithm != ORDO_ALGORITHM_AUTO   ? "--then accepts only --algorithm auto"
                                                   : NULL;
}

/* ---- Groups ---- */

bool count_groups(execution *e, ordo_groups *groups)
{
    call_begin("grouping");
    if (!call_done(e, "group", ordo_group_counts(e->ctx, groups, e->n, NULL)))
        return false;
    groups->capacity = *groups->count;
    groups->unique = new_results(e, (ordo_type)groups->type, groups->capacity, "the groups");
    return groups->unique != NULL;
}

/* An object for each group. */
static bool put_groups(execution *e, const ordo_groups *groups, ordo_type type, const void *results,
                       size_t each)
{
    const size_t    size = ordo_type_size(type);
    const ordo_type key_type = (ordo_type)groups->type;
    const char     *key = groups->unique, *result = results;
    json_results    j;
    bool            ok = json_begin(&j, &e->out, true);

    for (size_t g = 0; ok && g < *groups->count; g++, key += ordo_type_size(key_type)) {
        ok = json_object(&j) && json_name(&j, "group", strlen("group")) &&
             json_number(&j, key_type, key);
        for (size_t i = 0; ok && i < each; i++, result += size)
            ok = measure_member(e, &j, i) && json_number(&j, type, result);
        ok = ok && json_object_end(&j);
    }
    return ok && json_end(&j);
}

bool write_groups(execution *e, const ordo_groups *groups, ordo_type type, const void *results,
                  size_t each, const uint64_t *found)
{
    const size_t size = ordo_type_size(type), key_size = ordo_type_size((ordo_type)groups->type);
    bool         ok = true;

    if (e->out.format != FORMAT_TEXT && found == NULL)
        return write_results(e, type, results, *groups->count * each);
    if (json_results_wanted(e) && found == NULL)
        return finish_output(e, put_groups(e, groups, type, results, each));
    if (e->out.format != FORMAT_TEXT)
        return cli_fail("%s: --groups writes text only: leave out --format, or let the name of the "
                        "output file end in .txt",
                        e->command->name);
    for (size_t g = 0; g < *groups->count; g++) {
        const size_t n = found != NULL ? (size_t)found[g] : each;
        char         key[NUMBER_TEXT_MAX + 1];
        const size_t length = number_format((ordo_type)groups->type,
                                            (const char *)groups->unique + g * key_size, key);
        ok = ok && output_bytes(&e->out, key, length);
        for (size_t j = 0; ok && j < n; j++) {
            char text[NUMBER_TEXT_MAX + 1] = " ";
            ok = output_bytes(
                &e->out, text,
                1 + number_format(type, (const char *)results + (g * each + j) * size, text + 1));
        }
        ok = ok && output_bytes(&e->out, "\n", 1);
    }
    return finish_output(e, ok);
}

/* ---- Further keys ---- */

/* Reads the files of the list, one after the other, as columns 1, 2, ... */
static bool read_columns(execution *e, char *list, input *files, ordo_column *columns,
                         size_t *count)
{
    char *rest = list;

    for (char *path; (path = strsep(&rest, ",")) != NULL;) {
        if (*path == '\0' || source_is_stdin(path))
            return cli_fail("%s: --then: '%s' is not a list of files such as a.npy,b.npy",
                            e->command->name, cli_quoted(e->o.then_files));
        if (*count == ORDO_COLUMNS_MOST)
            return cli_fail("%s: --then names too many files; expected at most %d",
                            e->command->name, ORDO_COLUMNS_MOST - 1);
        if (!read_beside(e, path, NULL, NULL, "further keys", &files[*count]))
            return false;
        columns[*count] = (ordo_column){.keys = files[*count].data,
                                        .type = (uint32_t)(e->n > 0 ? files[*count].type : ORDO_U8),
                                        .flags = (uint32_t)descending_flag(e)};
        ++*count;
    }
    return true;
}

bool with_beside(execution *e, beside_work work)
{
    input       files[ORDO_COLUMNS_MOST];
    ordo_column columns[ORDO_COLUMNS_MOST] = {
        {.keys = e->in.data, .type = (uint32_t)e->in.type, .flags = (uint32_t)descending_flag(e)}};
    size_t        found = 0;
    ordo_groups   groups = ORDO_OPTS(ordo_groups, .nans = ORDO_NANS_LAST, .count = &found);
    beside_arrays b = {.count = 1};
    char *const   list = e->o.then_files != NULL ? strdup(e->o.then_files) : NULL;
    bool          ok = true;

    if (list != NULL) {
        ok = read_columns(e, list, files, columns, &b.count);
        b.columns = columns;
    } else if (e->o.then_files != NULL) {
        ok = cli_fail("%s: --then: not enough memory", e->command->name);
    } else if (e->o.groups_file != NULL) {
        ok = read_beside(e, e->o.groups_file, e->o.groups_dtype, "--groups-dtype", "groups",
                         &files[1]);
        b.count += ok;
        groups.keys = ok ? files[1].data : NULL;
        groups.type = (uint32_t)(ok && files[1].n > 0 ? files[1].type : ORDO_U8);
        b.groups = &groups;
    }
    ok = ok && work(e, &b);
    for (size_t c = 1; c < b.count; c++)
        input_free(&files[c]);
    free(list);
    return ok;
}

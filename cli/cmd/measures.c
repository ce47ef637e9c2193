/* measures.c - few results: one after the other, or with --json as an object whose names say what
 * they are. */
#include "cli/cmd/command.h"

bool json_results_wanted(const execution *e)
{
    return e->o.common.json && e->out.format == FORMAT_TEXT;
}

size_t place_name(const execution *e, size_t i, char *name)
{
    return number_format(ORDO_F64, (const double *)e->o.named + i, name);
}

/* The name of result i. */
static size_t measure_name(const execution *e, size_t i, char *name)
{
    const command *const c = e->command;

    if (c == &command_select)
        return number_format(ORDO_U64, (const uint64_t *)e->o.list + i, name);
    if (c == &command_quantile || c == &command_percentile)
        return place_name(e, i, name);
    const char *const word = i > 0                  ? "runs" /* of radius */
                             : c == &command_unique ? "count"
                                                    : c->name;
    memcpy(name, word, strlen(word));
    return strlen(word);
}

bool measure_member(const execution *e, json_results *j, size_t i)
{
    char name[NUMBER_TEXT_MAX];
    return json_name(j, name, measure_name(e, i, name));
}

bool put_measures(execution *e, ordo_type type, const void *results, size_t n)
{
    const size_t size = ordo_type_size(type);
    json_results j;

    if (!json_results_wanted(e))
        return output_array(&e->out, type, results, n);
    bool ok = json_begin(&j, &e->out, false) && json_object(&j);
    for (size_t i = 0; ok && i < n; i++)
        ok = measure_member(e, &j, i) && json_number(&j, type, (const char *)results + i * size);
    return ok && json_object_end(&j) && json_end(&j);
}

bool write_measures(execution *e, ordo_type type, const void *results, size_t n)
{
    return finish_output(e, put_measures(e, type, results, n));
}

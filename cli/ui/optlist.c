/* optlist.c - options whose value is a list with commas between its parts (see options.h). */
#include "cli/ui/options.h"

#include "cli/io/textnum.h"

#include <stdlib.h>
#include <string.h>

typedef struct list_place { /* where a part stands, for messages */
    const char *command, *option;
} list_place;

/* Reads part, a string of its own, into element i of out. False after a message. */
typedef bool read_part(const list_place *at, const char *part, void *out, size_t i);

/* Memory of `size` bytes a part, filled part by part. */
static void *read_list(const list_place *at, const char *text, size_t size, read_part *read,
                       size_t *n)
{
    const size_t length = strlen(text);
    size_t       parts = 1;
    for (size_t i = 0; i < length; i++)
        parts += text[i] == ',';
    char *const copy = cli_alloc(length + 1, 1, "a list");
    void *const values = cli_alloc(parts, size, "a list");
    bool        ok = copy != NULL && values != NULL;

    if (ok)
        memcpy(copy, text, length + 1);
    *n = parts;
    char *part = copy;
    for (size_t i = 0; ok && i < parts; i++) {
        char *const comma = strchr(part, ',');
        if (comma != NULL)
            *comma = '\0';
        ok = read(at, part, values, i);
        part += strlen(part) + 1;
    }
    free(copy);
    if (ok)
        return values;
    free(values);
    return NULL;
}

static bool read_count(const list_place *at, const char *part, void *out, size_t i)
{
    char            quoted[80];
    uint64_t *const counts = out;

    cli_printable(part, strlen(part), quoted, sizeof quoted);
    if (!option_count(part, &counts[i]))
        cli_error("%s: %s: '%s' is not a count such as 1000, 1e6, 128M, 4Gi or 2^28", at->command,
                  at->option, quoted);
    else if (counts[i] == 0)
        cli_error("%s: %s: counts from 1: there is no element %s", at->command, at->option, quoted);
    else
        return true;
    return false;
}

static bool read_fraction(const list_place *at, const char *part, void *out, size_t i)
{
    char          quoted[80];
    double *const fractions = out;

    cli_printable(part, strlen(part), quoted, sizeof quoted);
    const number_result r = number_parse(ORDO_F64, part, part + strlen(part), &fractions[i]);
    if (r != NUMBER_OK && r != NUMBER_INEXACT)
        cli_error("%s: %s: '%s' is not a number", at->command, at->option, quoted);
    else if (!(fractions[i] >= 0 && fractions[i] <= 1))
        cli_error("%s: %s: %s is not between 0 and 1", at->command, at->option, quoted);
    else
        return true;
    return false;
}

uint64_t *option_counts(const char *command, const char *option, const char *text, size_t *n)
{
    const list_place at = {command, option};
    return read_list(&at, text, sizeof(uint64_t), read_count, n);
}

double *option_fractions(const char *command, const char *option, const char *text, size_t *n)
{
    const list_place at = {command, option};
    return read_list(&at, text, sizeof(double), read_fraction, n);
}

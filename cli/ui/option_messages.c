/* option_messages.c - messages about wrong options (see option_messages.h). For an unknown name the
 * message suggests the nearest known name by edit distance. */
#include "cli/ui/option_messages.h"

#include "cli/base/as_sort.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t least_of(size_t a, size_t b) { return a < b ? a : b; }

/* How many letters to insert, drop, replace or swap with their neighbour to turn a into b. */
static size_t edit_distance(const char *a, const char *b)
{
    const size_t n = strlen(a), m = strlen(b);
    size_t       cost[OPTION_LONGEST + 1][OPTION_LONGEST + 1];

    for (size_t i = 0; i <= n; i++)
        cost[i][0] = i;
    for (size_t j = 0; j <= m; j++)
        cost[0][j] = j;
    for (size_t i = 1; i <= n; i++)
        for (size_t j = 1; j <= m; j++) {
            const size_t replace = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            cost[i][j] = least_of(replace, least_of(cost[i - 1][j], cost[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                cost[i][j] = least_of(cost[i][j], cost[i - 2][j - 2] + 1);
        }
    return cost[n][m];
}

/* One word begins with the other, and the common part is long enough. */
static bool begins_alike(const char *typed, const char *name)
{
    const size_t a = strlen(typed), b = strlen(name);
    return (a > 1 && a <= b && strncmp(typed, name, a) == 0) ||
           (b > 3 && b < a && strncmp(typed, name, b) == 0);
}

const char *nearest_name(const char *typed, const char *const *names, size_t n)
{
    const size_t length = strlen(typed);
    const char  *best = NULL;
    size_t       best_distance = length < 3 ? 1 : length < 6 ? 2 : length < 10 ? 3 : 4;

    if (length > OPTION_LONGEST)
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (begins_alike(typed, names[i]))
            return names[i];
    for (size_t i = 0; i < n; i++) {
        const size_t distance = edit_distance(typed, names[i]);
        if (distance < best_distance) {
            best = names[i];
            best_distance = distance;
        }
    }
    return best;
}

/* The option of this command that does what an option of sort(1) does; NULL if there is none. */
static const char *option_for_habit(const char *typed, const option_spec *specs)
{
    static const struct {
        const char *typed, *name;
    } habits[] = {{"reverse", "descending"},
                  {"u", "unique"},
                  {"s", "stable"},
                  {"parallel", "threads"},
                  {"r", "smallest"},
                  {"reverse", "smallest"},
                  {"n", "k"},
                  {"j", "threads"},
                  {"q", "quiet"},
                  {"c", "check"},
                  {"column", "key"},
                  {"key", "column"},
                  {"by", "key"},
                  {"t", "text"}};

    for (size_t i = 0; i < sizeof habits / sizeof habits[0]; i++)
        for (const option_spec *s = specs; strcmp(typed, habits[i].typed) == 0 && s->name != NULL;
             s++)
            if (strcmp(s->name, habits[i].name) == 0)
                return s->name;
    return NULL;
}

const char *option_shown(const option_spec *spec, const char *typed)
{
    static char shown[2 + OPTION_LONGEST];

    if (cli_is_sort())
        return typed;
    snprintf(shown, sizeof shown, "%s%s", spec->name[1] == '\0' ? "-" : "--", spec->name);
    return shown;
}

bool option_unknown(const char *command, const char *word, const char *name, char letter,
                    const option_spec *specs)
{
    const char *names[OPTIONS_MOST + 1] = {"help"};
    const char  shown[] = {'-', letter, '\0'};
    size_t      n = 1;

    if (cli_is_sort())
        return name != NULL ? sort_usage_failed("unrecognized option '%s'", word)
                            : sort_usage_failed("invalid option -- '%c'", letter);
    for (const option_spec *s = specs; s->name != NULL && n < OPTIONS_MOST; s++)
        if (s->name[1] != '\0')
            names[n++] = s->name;
    const char *near = option_for_habit(name != NULL ? name : shown + 1, specs);
    if (near == NULL && name != NULL)
        near = nearest_name(name, names, n);
    if (near != NULL)
        return cli_fail("%s: unknown option '%s'; did you mean '%s%s'?", command, cli_quoted(word),
                        near[1] == '\0' ? "-" : "--", near);
    return cli_fail("%s: unknown option '%s'; see 'ordo %s --help'", command, cli_quoted(word),
                    command);
}

bool option_ambiguous(const char *word, size_t length, const option_spec *specs)
{
    char   list[512];
    size_t used = 0;

    for (const option_spec *s = specs; s->name != NULL; s++)
        if (strncmp(s->name, word + 2, length) == 0 && used + OPTION_LONGEST < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, " '--%s'", s->name);
    return sort_usage_failed("option '%s' is ambiguous; possibilities:%s", word, list);
}

static bool is_letter(const char *shown) { return shown[1] != '-' && shown[2] == '\0'; }

bool option_needs_value(const char *command, const char *shown)
{
    if (!cli_is_sort())
        return cli_fail("%s: option %s needs a value", command, shown);
    return is_letter(shown) ? sort_usage_failed("option requires an argument -- '%c'", shown[1])
                            : sort_usage_failed("option '%s' requires an argument", shown);
}

bool option_takes_no_value(const char *command, const char *shown)
{
    return cli_is_sort() ? sort_usage_failed("option '%s' doesn't allow an argument", shown)
                         : cli_fail("%s: option %s takes no value", command, shown);
}

bool option_twice(const char *command, const option_spec *spec, const char *shown,
                  const char *before, const char *value)
{
    if (cli_is_sort())
        return cli_fail("%s", spec->choices);
    return cli_fail("%s: option %s is given twice: '%s' and '%s'", command, shown,
                    cli_quoted(before), cli_quoted(value));
}

bool option_not_listed(const char *command, const option_spec *spec, const char *shown,
                       const char *text, bool several)
{
    char   list[256] = ""; /* holds the names of every option */
    size_t used = 0, length;

    if (cli_is_sort()) {
        cli_error("%s argument %s for '%s'", several ? "ambiguous" : "invalid", sort_quoted(text),
                  shown);
        cli_line(stderr, "Valid arguments are:");
    }
    for (const char *name = spec->choices; *name != '\0'; name += length) {
        name += *name == ' ';
        length = strcspn(name, " ");
        if (cli_is_sort())
            cli_line(stderr, "  - '%.*s'", (int)length, name);
        else if (*name != '-')
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%.*s",
                                     used > 0 ? ", " : "", (int)length, name);
    }
    if (!cli_is_sort())
        return cli_fail("%s: %s: '%s' is not one of: %s", command, shown, cli_quoted(text), list);
    cli_line(stderr, "Try 'sort --help' for more information.");
    return false;
}

/* ---- Numbers of sort(1) ---- */

/* Multiplies by the unit of a size. False if the number becomes too large. */
static bool apply_unit(char unit, uint64_t *value)
{
    static const char units[] = "KMGTPEZY";
    const char *const found = unit == '\0' ? units : strchr(units, toupper((unsigned char)unit));
    char              percent[24];

    if (unit == '%' && *value <= 100) {
        snprintf(percent, sizeof percent, "%llu%%", (unsigned long long)*value);
        return option_size(percent, value);
    }
    for (const char *u = units; found != NULL && u <= found; u++)
        if (__builtin_mul_overflow(*value, (uint64_t)1024, value))
            return false;
    return unit != '%';
}

bool option_sort_number(const option_spec *spec, const char *shown, const char *text, uint64_t *out)
{
    const bool        size = spec->kind == OPTION_SIZE;
    const char *const digits = text + strspn(text, " \t\n\v\f\r");
    const char *const number = digits + (*digits == '+');
    char             *end;

    errno = 0;
    *out = strtoull(number, &end, 10);
    const bool bare = size && number[0] != '\0' && strchr("KMGTPEZYkmgt", number[0]) != NULL;
    if (bare) /* a unit alone: once */
        *out = 1;
    else if (!isdigit((unsigned char)number[0]))
        return cli_fail("invalid %s argument %s", shown, sort_quoted(text));
    if (*end != '\0' && (!size || end[1] != '\0' || strchr("bKMGTPEZYkmgt%", *end) == NULL))
        return cli_fail("invalid suffix in %s argument %s", shown, sort_quoted(text));
    if (errno == 0 && (!size || apply_unit(*end, out)) && *out >= spec->least)
        return true;
    if (errno != 0 || size)
        *out = UINT64_MAX;
    if (size && *end != '%')
        return cli_fail("%s argument %s too large", shown, sort_quoted(text));
    if (*out >= spec->least)
        return true;
    if (spec->choices != NULL)
        return cli_fail("%s", spec->choices);
    cli_error("invalid %s argument %s", shown, sort_quoted(text));
    return cli_fail("minimum %s argument is '%llu'", shown, (unsigned long long)spec->least);
}

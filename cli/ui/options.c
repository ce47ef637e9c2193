/* options.c - the option parser: one pass over argv against a table (see options.h).
 *
 * The message about a wrong option says what is wrong and what was expected. For an unknown name it
 * suggests the nearest known name by edit distance. */
#define _DEFAULT_SOURCE /* strdup, strsep */

#include "cli/ui/options.h"

#include "cli/io/text/number.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LONGEST_NAME = 32, /* names longer than this are not compared; no option is */
    MOST_OPTIONS = 96  /* of a command                                          */
};

static const char a_size[] = "a number of bytes, such as 512M, 4Gi or 1e9, or a share of the "
                             "memory of this machine, such as 50%";
static const char no_number[] = "is not a number such as 0.5";
static const char a_count[] = "a whole number below 2^64, such as 1000, 1e6, 128M, 4Gi or 2^28";

static bool read_digits(const char *text, size_t length, uint64_t *out)
{
    errno = 0;
    *out = strtoull(text, NULL, 10);
    return errno == 0 && length > 0 && strspn(text, "0123456789") == length;
}

bool option_count(const char *text, uint64_t *out)
{
    static const char units[] = "KMGT";
    const char *const suffix = text + strspn(text, "0123456789");
    const char *const unit = *suffix != '\0' ? strchr(units, *suffix) : NULL;
    uint64_t          value, base = 10, exponent = 0;

    if (!read_digits(text, (size_t)(suffix - text), &value))
        return false;
    if (unit != NULL) {
        base = suffix[1] == 'i' ? 1024 : 1000;
        exponent = (uint64_t)(unit - units) + 1;
        if (suffix[base == 1024 ? 2 : 1] != '\0')
            return false;
    } else if (*suffix != '\0') {
        const bool two = *suffix == '^' && value == 2;
        if ((!two && *suffix != 'e' && *suffix != 'E') ||
            !read_digits(suffix + 1, strlen(suffix + 1), &exponent))
            return false;
        base = two ? 2 : 10;
        value = two ? 1 : value;
    }
    for (; value != 0 && exponent > 0; exponent--)
        if (__builtin_mul_overflow(value, base, &value))
            return false;
    *out = value;
    return true;
}

bool option_size(const char *text, uint64_t *out)
{
    const size_t length = strlen(text);
    char         number[32];

    if (length < 2 || length >= sizeof number)
        return option_count(text, out);
    memcpy(number, text, length + 1);
    if (strchr("kmgt", number[length - 1]) != NULL)
        number[length - 1] = (char)(number[length - 1] - 'a' + 'A');
    if (number[length - 1] == 'b')
        number[length - 1] = '\0';
    if (number[length - 1] != '%')
        return option_count(number, out);
    number[length - 1] = '\0';
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (!option_count(number, out) || *out > 100 || pages <= 0 || page <= 0)
        return false;
    *out = (uint64_t)pages / 100 * *out * (uint64_t)page;
    return true;
}

static size_t least_of(size_t a, size_t b) { return a < b ? a : b; }

/* How many letters to insert, drop, replace or swap with their neighbour to turn a into b. */
static size_t edit_distance(const char *a, const char *b)
{
    const size_t n = strlen(a), m = strlen(b);
    size_t       cost[LONGEST_NAME + 1][LONGEST_NAME + 1];

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

    if (length > LONGEST_NAME)
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

static const char *dashes(const option_spec *spec) { return spec->name[1] == '\0' ? "-" : "--"; }

/* The option of this command that does what an option of sort(1) does; NULL if there is none. */
static const char *option_for_habit(const char *typed, const option_spec *specs)
{
    static const struct {
        const char *typed, *name;
    } habits[] = {{"r", "descending"},     {"reverse", "descending"},
                  {"u", "unique"},         {"s", "stable"},
                  {"parallel", "threads"}, {"r", "smallest"},
                  {"reverse", "smallest"}, {"n", "k"},
                  {"j", "threads"},        {"q", "quiet"},
                  {"c", "check"},          {"c", "counts"},
                  {"column", "key"},       {"key", "column"},
                  {"by", "key"},           {"t", "text"}};

    for (size_t i = 0; i < sizeof habits / sizeof habits[0]; i++)
        for (const option_spec *s = specs; strcmp(typed, habits[i].typed) == 0 && s->name != NULL;
             s++)
            if (strcmp(s->name, habits[i].name) == 0)
                return s->name;
    return NULL;
}

static bool unknown_option(const char *command, const char *shown, const char *name,
                           const option_spec *specs)
{
    const char *names[MOST_OPTIONS + 1] = {"help"};
    size_t      n = 1;
    for (const option_spec *s = specs; s->name != NULL && n < MOST_OPTIONS; s++)
        if (s->name[1] != '\0')
            names[n++] = s->name;
    const char  letter[2] = {shown[1], '\0'};
    const char *near = option_for_habit(name != NULL ? name : letter, specs);

    if (near == NULL && name != NULL)
        near = nearest_name(name, names, n);
    if (near != NULL)
        return cli_fail("%s: unknown option '%s'; did you mean '%s%s'?", command, cli_quoted(shown),
                        near[1] == '\0' ? "-" : "--", near);
    return cli_fail("%s: unknown option '%s'; see 'ordo %s --help'", command, cli_quoted(shown),
                    command);
}

static bool set_choice(const char *command, const option_spec *spec, const char *text, int *out)
{
    const size_t size = strlen(text);
    char         list[256] = ""; /* holds the names of every option */
    size_t       used = 0, length;

    *out = (int)spec->least;
    for (const char *name = spec->choices; *name != '\0'; name += length, ++*out) {
        name += *name == ' ';
        length = strcspn(name, " ");
        if (*name == '-')
            continue;
        if (length == size && memcmp(name, text, size) == 0)
            return true;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%.*s", used > 0 ? ", " : "",
                                 (int)length, name);
    }
    return cli_fail("%s: %s%s: '%s' is not one of: %s", command, dashes(spec), spec->name,
                    cli_quoted(text), list);
}

static bool set_count(const char *command, const option_spec *spec, const char *text, uint64_t *out)
{
    if (!option_count(text, out))
        return cli_fail("%s: %s%s: '%s' is not %s", command, dashes(spec), spec->name,
                        cli_quoted(text), a_count);
    const bool small = *out < spec->least;
    return (!small && *out <= spec->most) ||
           cli_fail("%s: %s%s: %s is too %s; expected at %s %llu", command, dashes(spec),
                    spec->name, cli_quoted(text), small ? "small" : "large",
                    small ? "least" : "most",
                    (unsigned long long)(small ? spec->least : spec->most));
}

/* Reads a number of f64, rounded. Returns what is wrong with it, or NULL. */
static const char *read_real(const char *text, double *out)
{
    const number_result r = number_parse(ORDO_F64, text, text + strlen(text), out);
    return r == NUMBER_OK || r == NUMBER_INEXACT ? NULL
           : r == NUMBER_RANGE                   ? "is beyond the range of f64"
                                                 : no_number;
}

/* Memory for `most` texts is taken with the first one. */
static bool add_text(option_texts *list, const char *text, size_t most)
{
    if (list->texts == NULL)
        list->texts = malloc(most * sizeof *list->texts);
    if (list->texts == NULL)
        return cli_fail("not enough memory for the options");
    list->texts[list->n++] = text;
    return true;
}

static bool set_value(const char *command, const option_spec *spec, const char *text, void *into)
{
    void *const field = (char *)into + spec->offset;

    if (spec->kind == OPTION_FLAG)
        return *(bool *)field = true;
    if (spec->kind == OPTION_SET || (spec->kind == OPTION_MAYBE && text == NULL))
        return (*(int *)field = (int)spec->least) != 0;
    if (spec->kind == OPTION_TEXT)
        return (*(const char **)field = text) != NULL;
    if (spec->kind == OPTION_COUNT)
        return set_count(command, spec, text, field);
    if (spec->kind == OPTION_SIZE)
        return (option_size(text, field) && *(uint64_t *)field >= spec->least) ||
               cli_fail("%s: %s%s: '%s' is not %s", command, dashes(spec), spec->name,
                        cli_quoted(text), a_size);
    if (spec->kind == OPTION_CHOICE || spec->kind == OPTION_MAYBE)
        return set_choice(command, spec, text, field);
    const char *wrong = read_real(text, field);
    if (wrong == NULL && isnan(*(double *)field))
        wrong = no_number;
    return wrong == NULL || cli_fail("%s: %s%s: '%s' %s", command, dashes(spec), spec->name,
                                     cli_quoted(text), wrong);
}

static const option_spec *find_option(const option_spec *specs, const char *name, size_t length,
                                      char letter)
{
    for (const option_spec *s = specs; s->name != NULL; s++)
        if (letter != '\0' ? s->letter == letter
                           : strlen(s->name) == length && memcmp(s->name, name, length) == 0)
            return s;
    return NULL;
}

typedef struct parse {
    int                argc;
    char             **argv;
    int                i; /* of the word being read */
    const option_spec *specs;
    void              *into;
    const char        *given[MOST_OPTIONS]; /* value of each option so far; NULL: none */
} parse;

/* A size without a unit, which sort(1) counts in units of 1024 bytes, with that unit; other sizes
 * and 0 as they are. Valid until the next call. */
static const char *size_of_sort(const char *text)
{
    static char size[32];
    const bool bare = text[strspn(text, "0")] != '\0' && strspn(text, "0123456789") == strlen(text);

    if (!bare || strlen(text) + sizeof "Ki" > sizeof size)
        return text;
    snprintf(size, sizeof size, "%sKi", text);
    return size;
}

/* The value of an option that sort(1) has, or the next word. NULL: there is none. */
static const char *take_size(parse *p, const char *value)
{
    if (value == NULL && p->i + 1 < p->argc)
        value = p->argv[++p->i];
    return value != NULL ? size_of_sort(value) : NULL;
}

/* Sets the option to value. NULL: the value is the next word, unless the option takes none. False
 * after a message. */
static bool take_value(parse *p, const option_spec *spec, const char *value)
{
    const char *const command = p->argv[0];

    if (spec->kind == OPTION_FLAG || spec->kind == OPTION_SET)
        return value == NULL
                   ? set_value(command, spec, value, p->into)
                   : cli_fail("%s: option %s%s takes no value", command, dashes(spec), spec->name);
    if (spec->kind == OPTION_MAYBE && value == NULL)
        return set_value(command, spec, value, p->into);
    if (value == NULL && p->i + 1 >= p->argc)
        return cli_fail("%s: option %s%s needs a value", command, dashes(spec), spec->name);
    if (value == NULL)
        value = p->argv[++p->i];
    if (spec->kind == OPTION_TEXTS)
        return add_text((option_texts *)((char *)p->into + spec->offset), value, (size_t)p->argc);
    const char **const before = &p->given[spec - p->specs];
    if (*before != NULL && strcmp(*before, value) != 0)
        return cli_fail("%s: option %s%s is given twice: '%s' and '%s'", command, dashes(spec),
                        spec->name, cli_quoted(*before), cli_quoted(value));
    *before = value;
    return set_value(command, spec, value, p->into);
}

static bool parse_long(parse *p, const char *word)
{
    const char *const        name = word + 2;
    const size_t             length = strcspn(name, "=");
    const option_spec *const spec = find_option(p->specs, name, length, '\0');
    char                     bare[LONGEST_NAME + 2];

    const char *value = name[length] == '=' ? name + length + 1 : NULL;
    if (spec != NULL && spec->kind == OPTION_SIZE && spec->letter == '\0')
        value = take_size(p, value);
    if (spec != NULL)
        return take_value(p, spec, value);
    snprintf(bare, sizeof bare, "%.*s", (int)(length < sizeof bare ? length : sizeof bare), name);
    return unknown_option(p->argv[0], word, bare, p->specs);
}

/* Reads a word of letters. The first option that takes a value takes the rest of the word. */
static bool parse_letters(parse *p, const char *word)
{
    for (const char *letter = word + 1; *letter != '\0'; letter++) {
        const option_spec *const spec = find_option(p->specs, "", 0, *letter);
        const char               shown[] = {'-', *letter, '\0'};
        if (spec == NULL)
            return unknown_option(p->argv[0], letter == word + 1 ? word : shown, NULL, p->specs);
        const bool alone =
            spec->kind == OPTION_FLAG || spec->kind == OPTION_SET || spec->kind == OPTION_MAYBE;
        const char *value = alone || letter[1] == '\0' ? NULL : letter + 1;
        if (spec->kind == OPTION_SIZE)
            value = take_size(p, value);
        if (!take_value(p, spec, value))
            return false;
        if (!alone)
            break;
    }
    return true;
}

options_result options_parse(int argc, char **argv, const option_spec *specs, void *into,
                             option_texts *operands, size_t most)
{
    parse      p = {.argc = argc, .argv = argv, .i = 1, .specs = specs, .into = into};
    const bool letter_h = find_option(specs, "", 0, 'h') != NULL;
    bool       only_operands = false;

    for (; p.i < argc; p.i++) {
        const char *const word = argv[p.i];
        if (!only_operands && strcmp(word, "--") == 0) {
            only_operands = true;
        } else if (only_operands || word[0] != '-' || word[1] == '\0') {
            if (operands == NULL || operands->n >= most) {
                cli_error("%s: unexpected operand '%s'; see 'ordo %s --help'", argv[0],
                          cli_quoted(word), argv[0]);
                return OPTIONS_BAD;
            }
            if (!add_text(operands, word, (size_t)argc))
                return OPTIONS_BAD;
        } else if (strcmp(word, "--help") == 0 || (strcmp(word, "-h") == 0 && !letter_h)) {
            return OPTIONS_HELP;
        } else if (!(word[1] == '-' ? parse_long : parse_letters)(&p, word)) {
            return OPTIONS_BAD;
        }
    }
    return OPTIONS_OK;
}

/* Reads one part of a list into *value: a uint64_t if most is 0, else a double. */
static bool read_part(const char *command, const char *option, const char *part, int most,
                      void *value)
{
    const char *const wrong = most == 0 ? NULL : read_real(part, value);

    if (wrong != NULL)
        return cli_fail("%s: %s: '%s' %s", command, option, cli_quoted(part), wrong);
    if (most == 0 && !option_count(part, value))
        return cli_fail("%s: %s: '%s' is not %s", command, option, cli_quoted(part), a_count);
    if (most == 0)
        return *(uint64_t *)value > 0 ||
               cli_fail("%s: %s: elements are counted from 1; there is no element %s", command,
                        option, cli_quoted(part));
    return (*(double *)value >= 0 && *(double *)value <= most) ||
           cli_fail("%s: %s: %s is not a number from 0 to %d", command, option, cli_quoted(part),
                    most);
}

void *option_list(const char *command, const char *option, const char *text, int most, size_t *n)
{
    char *const     copy = strdup(text), *rest = copy, *part;
    uint64_t *const values = malloc((strlen(text) + 1) * sizeof *values); /* at least the parts */
    bool            ok = copy != NULL && values != NULL;

    if (!ok)
        cli_error("%s: %s: not enough memory", command, option);
    for (*n = 0; ok && (part = strsep(&rest, ",")) != NULL; ++*n)
        ok = read_part(command, option, part, most, &values[*n]);
    free(copy);
    if (ok)
        return values;
    free(values);
    return NULL;
}
